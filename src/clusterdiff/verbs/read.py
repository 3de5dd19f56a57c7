"""read: a file becomes a Clustering, or a Corpus if it holds documents. Libraries are loaded when needed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection

from clusterdiff.errors import ClusterdiffWarning
from clusterdiff.files import held
from clusterdiff.formats.mentions import Repeated
from clusterdiff.formats.source import Source
from clusterdiff.inputs.base import COLUMNS, Asked
from clusterdiff.inputs.choice import recognise, refuse_columns
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus
from clusterdiff.points.keys import Key


def read(
    path: str | os.PathLike[str],
    *,
    point: Key | None = None,
    cluster: str | None = None,
    table: str | None = None,
    format: str | None = None,  # noqa: A002
    pairs: bool = False,
    threshold: float | None = None,
    ignore: int | Collection[int] | None = None,
    repeated: Repeated | None = None,
) -> Clustering | Corpus:
    """Read a clustering from a file or a database.

    Parameters
    ----------
    path
        A file (maybe compressed: .gz, .bz2, .xz; .zst for CSV, JSON lines and Parquet), a glob of tables of one kind,
        ``-`` for standard input, or ``postgres://user@host/database``.
    point, cluster
        The columns that name the points and the clusters, where their names do not tell; a list of columns names the
        points by all of them together. A table with one
        column has one cluster per row, in the order of the points. For .npz, ``cluster`` is the array; for documents of
        spans, the field of the clusters.
    table
        The table of a database with several.
    format
        The name of a format, such as "csv", "parquet", "labels" (one per line) or "conll": docs/files.md lists them.
        If it is not given, the name of the file tells, or its content.
    pairs, threshold
        Read a table of pairs of points, and make clusters of what they connect; with a threshold, only pairs whose
        score is at least that connect. ``point`` may then be "left,right" or "left,right,score".
    ignore
        A label of an array or image that means "not to be compared", or a set of such labels; their points have no
        cluster, so compare with ``missing="drop"``.
    repeated
        For documents: what becomes of a mention that stands in several entities. ``"error"`` (the default) lists all
        such mentions; ``"first"`` leaves each in the entity that the document names first, as the CoNLL scorer does,
        and lists them in a warning.

    Returns
    -------
    Clustering or Corpus
        A Corpus from conll, conllu and spans, which hold documents; otherwise a Clustering.
    """
    source = Source(held(os.fspath(path)), point, cluster, table, format, pairs, threshold, ignore, repeated)
    found = read_source(source)
    for notice in found.notices if isinstance(found, Corpus) else ():
        warnings.warn(notice, ClusterdiffWarning, stacklevel=2)
    return found


def read_source(source: Source) -> Clustering | Corpus:
    """What a file holds; columns that it cannot have are refused."""
    side = recognise(source, "path")
    for option in COLUMNS:
        refuse_columns(option, [side], Asked())
    found: Clustering | Corpus = side.read()
    return found
