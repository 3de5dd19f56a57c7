"""Readers: a file becomes a Clustering, or a Corpus if it holds documents. Libraries are loaded when needed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison, compare_corpora
from clusterdiff.errors import FileError
from clusterdiff.formats.source import DOCUMENTS, FORMATS, TABLES, UNTYPED, Source, noise_label, parse
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus, Singletons
from clusterdiff.points.labels import kind
from clusterdiff.points.policy import Missing, NoiseAs, Policy
from clusterdiff.verbs.compare import compare

if TYPE_CHECKING:
    from clusterdiff.points.labels import AnyArray

__all__ = ["FORMATS", "Source", "compare_files", "parse", "read"]


def read(
    path: str | os.PathLike[str],
    *,
    point: str | None = None,
    cluster: str | None = None,
    table: str | None = None,
    format: str | None = None,  # noqa: A002
    pairs: bool = False,
    threshold: float | None = None,
    ignore: int | None = None,
) -> Clustering | Corpus:
    """Read a clustering from a file or a database.

    Parameters
    ----------
    path
        A file (maybe compressed: .gz, .bz2, .xz; .zst for CSV, JSON lines and Parquet), a glob of tables of one kind,
        ``-`` for standard input, or ``postgres://user@host/database``.
    point, cluster
        The columns that name the points and the clusters, where they cannot be told by their names. A table with one
        column has a cluster a row, in the order of the points. For .npz, ``cluster`` is the array; for documents of
        spans, the field of the clusters.
    table
        The table of a database with several.
    format
        One of csv, tsv, jsonl, parquet, arrow, sqlite, duckdb, postgres, json, labels (one a line), clusters (one a
        line), npy, tiff, conll, conllu, spans; otherwise told by the name of the file, or its content.
    pairs, threshold
        Read a table of pairs of points, and make clusters of what they connect; with a threshold, only pairs whose
        score is at least that connect. ``point`` may then be "left,right" or "left,right,score".
    ignore
        A label of an array or image that means "not to be compared"; its points have no cluster, so compare with
        ``missing="drop"``.

    Returns
    -------
    Clustering or Corpus
        A Corpus from conll, conllu and spans, which hold documents; otherwise a Clustering.
    """
    source = Source(os.fspath(path), point, cluster, table, format, pairs, threshold, ignore)
    return read_source(source.resolved())


def read_source(source: Source) -> Clustering | Corpus:
    """What a source with a known format holds."""
    return _read_documents(source) if source.format in DOCUMENTS else _read_clustering(source)


def _read_clustering(source: Source) -> Clustering:
    if source.format in TABLES:
        from clusterdiff.tables.files import read_table

        return read_table(source)
    if source.format in ("npy", "tiff"):
        from clusterdiff.formats.arrays import flat

        return flat(_array(source), source.path, source.ignore)
    from clusterdiff.formats import lists

    readers = {
        "json": lists.read_json,
        "labels": lists.read_labels_by_line,
        "clusters": lists.read_clusters_by_line,
    }
    return readers[str(source.format)](source.path)


def _read_documents(source: Source) -> Corpus:
    if source.format == "spans":
        from clusterdiff.formats.spans import read_spans

        return read_spans(source.path, source.cluster)
    if source.format == "conll":
        from clusterdiff.formats.conll import read_conll

        return read_conll(source.path)
    from clusterdiff.formats.conllu import read_conllu

    return read_conllu(source.path)


def _array(source: Source) -> AnyArray:
    from clusterdiff.formats.arrays import load_numpy, load_tiff

    return load_tiff(source.path) if source.format == "tiff" else load_numpy(source.path, source.cluster)


def compare_files(
    true: str | os.PathLike[str] | Source,
    pred: str | os.PathLike[str] | Source,
    *,
    missing: Missing | None = None,
    noise: Any = None,
    noise_as: NoiseAs = "singleton",
    singletons: Singletons = "keep",
) -> Comparison | CorpusComparison:
    r"""Compare the clusterings of two files; points of tables are matched in DuckDB, so that large ones are quick.

    Parameters
    ----------
    true, pred
        Paths as in :func:`read`, or :class:`clusterdiff.formats.Source` with its options. Two columns of one table
        are two sources with the same path.
    missing, noise, noise_as
        As in :func:`compare`. ``missing`` is ``"error"`` unless told otherwise, but ``"singleton"`` for documents of
        mentions, and ``"drop"`` for images with a label to ignore.
    singletons
        For documents of mentions: whether entities with one mention count, as in :func:`compare_corpora`.

    Examples
    --------
    >>> import clusterdiff as cd, pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "gold.csv").write_text("id,cluster\na,1\nb,1\nc,2\n")
    >>> _ = (folder / "pred.csv").write_text("id,cluster\nc,y\nb,x\na,x\n")
    >>> cd.compare_files(folder / "gold.csv", folder / "pred.csv").score()
    1.0
    """
    left, right = (s if isinstance(s, Source) else Source(os.fspath(s)) for s in (true, pred))
    left, right = left.resolved(), right.resolved()
    kinds = {source.format in DOCUMENTS for source in (left, right)}
    if kinds == {True}:
        return compare_corpora(
            _read_documents(left),
            _read_documents(right),
            Policy(missing or "singleton"),
            singletons,
        )
    if len(kinds) > 1:
        raise FileError(f"{left.path} and {right.path} must both hold documents of mentions, or neither.")
    if all(source.format in TABLES for source in (left, right)):
        from clusterdiff.tables.joins import compare_tables

        return compare_tables(left, right, Policy(missing or "error", noise, noise_as))
    if all(source.format in ("npy", "tiff") for source in (left, right)):
        return _compare_arrays(left, right, missing, noise, noise_as)
    sides = _as_written(_read_clustering(left), _read_clustering(right), left, right)
    return compare(
        *sides,
        missing=missing or "error",
        noise=noise_label(noise, *(side.labels for side in sides)),
        noise_as=noise_as,
    )


def _as_written(
    one: Clustering, other: Clustering, left: Source, right: Source
) -> tuple[Clustering, Clustering]:
    """The text of files that know text only is laid over another file's integers, as they are written."""
    kinds = [kind(side.points[0]) if side.points is not None else None for side in (one, other)]
    if kinds == ["str", "int"] and left.format in UNTYPED:
        return one, _with_text(other)
    if kinds == ["int", "str"] and right.format in UNTYPED:
        return _with_text(one), other
    return one, other


def _with_text(clustering: Clustering) -> Clustering:
    return Clustering.of(clustering.labels, list(map(str, clustering.point_names())), clustering.ordered)


def _compare_arrays(
    left: Source, right: Source, missing: Missing | None, noise: Any, noise_as: NoiseAs
) -> Comparison:
    from clusterdiff.formats.arrays import flat

    arrays = _array(left), _array(right)
    if arrays[0].shape != arrays[1].shape:
        raise FileError(
            f"{left.path} and {right.path} must have the same shape; got {arrays[0].shape} and {arrays[1].shape}."
        )
    sides = [flat(array, s.path, s.ignore) for array, s in zip(arrays, (left, right), strict=True)]
    if missing is None and (left.ignore is not None or right.ignore is not None):
        missing = "drop"
    return compare(
        *sides,
        missing=missing or "error",
        noise=noise_label(noise, *(side.labels for side in sides)),
        noise_as=noise_as,
    )
