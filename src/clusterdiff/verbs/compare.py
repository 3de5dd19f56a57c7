"""compare and score: two clusterings, in whatever form they come."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clusterdiff.diff.build import compare_aligned, meet_of
from clusterdiff.diff.comparison import AnyMeasure, Comparison, noticed
from clusterdiff.diff.documents import compare_corpora, compare_within
from clusterdiff.errors import ArgumentError, FileError, LabelError, listed, one_of
from clusterdiff.files import held, shown
from clusterdiff.formats.catalogue import ARRAYS, DOCUMENTS, TABLES, UNTYPED
from clusterdiff.formats.source import Source, as_written
from clusterdiff.measures import resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.alignment import align, aligned_as_given, in_order, settled
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import SINGLETONS, Corpus, Singletons
from clusterdiff.points.keys import Key
from clusterdiff.points.labels import Labels, kind
from clusterdiff.points.libraries import own_noise
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import Noise, NoiseAs, NoiseLabels
from clusterdiff.points.policy import Policy
from clusterdiff.verbs.read import read_array, read_clustering, read_documents

#: dtypes that need no encoding: integers of any width, and bools.
INTEGERS = np.typecodes["AllInteger"] + "?"
#: A column's name on both sides, or its name on either.
Column = str | tuple[str, str]
#: The same for points, which several columns may name together: a list of them.
PointColumn = Key | tuple[Key, Key]


def compare(
    true: object,
    pred: object,
    *,
    point: PointColumn | None = None,
    cluster: Column | None = None,
    documents: object = None,
    weights: object = None,
    features: object = None,
    distances: object = None,
    missing: Missing | None = None,
    noise: NoiseLabels | None = None,
    noise_true: NoiseLabels | None = None,
    noise_pred: NoiseLabels | None = None,
    noise_as: NoiseAs = "singleton",
    singletons: Singletons = "keep",
    budget: int | str | None = None,
) -> Comparison:
    """Compare a predicted clustering with a true one.

    Parameters
    ----------
    true, pred
        On each side one of these:

        - one label per point: a list, tuple, NumPy array, or a column of pandas, polars or pyarrow;
        - a list of sets or lists of points; a dict from point to cluster, or from cluster to a set or list of points;
        - a :class:`Clustering`; a fitted estimator; communities of igraph or networkx; clusters of splink or dedupe;
        - a table with a row per point: a frame of pandas, polars or pyarrow, a DuckDB relation, a Spark table, …;
        - a path to a file or database, as :func:`read` takes it;
        - a :class:`Corpus` of documents, on both sides.

        If either side names its points, the two are matched by name; labels in order have the points 0, 1, 2, …
        Two pandas Series with different indexes are matched by name too; "Points" in the documents has the rule.
    point, cluster
        For tables and files: the columns that name each point and its cluster; a pair (a tuple) if they are called
        differently on the two sides, a list of columns if several name a point together. Columns with the usual names
        are recognised.
    documents
        The document of each point: a column like ``weights``, or the name of a column of the tables. Points and
        clusters are then kept apart by document, as in a Corpus, and the result has ``documents``.
    weights
        How much each point counts: one number ≥ 0 per point in the order of `true`, a dict by point, or the name of a
        column of the tables.
    features
        A row of numbers per point (array, scipy sparse matrix, dict by point, or names of columns), for ``S_MSE``.
        Differences of less than 1e-150 of the largest number count as none.
    distances
        Link weights between points, for ``S*(distance)``: a square matrix, a condensed vector, or a function of
        two equally long arrays of points.
    missing
        What to do with points that have a cluster on one side only, or a null label, for every measure: ``"error"``;
        ``"drop"``, as if they had never been there; ``"singleton"``, each a cluster of its own on the side that lacks
        it; or ``"lost"``, which counts them as not found or as spurious: S_H loses them, the coreference measures
        count as the CoNLL reference scorer does, and measures that have no meaning there say so. ``"error"`` unless
        told otherwise, but ``"lost"`` for documents, since systems hardly ever find the very mentions of the key, and
        ``"drop"`` for images with a label to ignore.
    noise, noise_true, noise_pred
        A label that means "in no cluster", such as DBSCAN's -1, or a set of such labels: on both sides, or on one,
        where it takes the place of ``noise``. A label whose type a side cannot have is ignored there. A fitted
        DBSCAN, HDBSCAN or OPTICS has -1 as noise by its own documentation; ``noise_pred=()`` switches that off.
    noise_as
        What to do with noise: each point a ``"singleton"``, all of it one ``"cluster"``, or ``"drop"``.
    singletons
        For documents: whether clusters of one point count, ``"keep"`` or ``"drop"`` (on both sides, before all else).
    budget
        For tables in an engine: bytes (or "2GB") that the meet may take in memory; by default a quarter of the
        machine's. A larger meet stays in the engine, which then computes scores and losses.

    Returns
    -------
    Comparison
        Nothing that was passed is modified, and changing it afterwards changes no answer.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> diff = cd.compare(["ann", "ann", "bob", "bob"], [1, 1, 2, 3])
    >>> diff.score()
    0.5
    >>> diff.components[0].kind, diff.components[0].true, diff.components[0].pred
    ('split', ['bob'], [2, 3])
    """
    options = point, cluster, documents, missing, noise, noise_true, noise_pred, budget
    as_usual = noise_as == "singleton" and singletons == "keep" and all(option is None for option in options)
    if as_usual and integers_in_order(true, pred):
        # Two plain integer arrays are what they are, in the order in which they are: this keeps small inputs cheap.
        aligned = in_order(Labels(true), Labels(pred))  # type: ignore[arg-type]
        return compare_aligned(aligned, weights, features, distances)
    sides = [_recognised(side) for side in (true, pred)]
    kinds = [_kind(side) for side in sides]
    own = own_noise(true), own_noise(pred)
    told = Noise.told(noise, noise_true, noise_pred, noise_as, own)
    policy = Policy(missing or _default(sides, kinds, documents), told)
    if kinds == ["corpus"] * 2:
        _refuse("a corpus", point=point, cluster=cluster, documents=documents, budget=budget, noise=noise)
        _refuse("a corpus", noise_true=noise_true, noise_pred=noise_pred)
        _refuse("a corpus", weights=weights, features=features, distances=distances)
        return noticed(compare_corpora(_corpus(sides[0]), _corpus(sides[1]), policy, singletons))
    if "corpus" in kinds:
        files = [shown(side.path) for side in sides if isinstance(side, Source)]
        if len(files) == 2:
            raise FileError(f"{' and '.join(files)} must both hold documents of mentions, or neither.")
        raise ArgumentError(
            Message("`true` and `pred` must both be a Corpus of documents, or neither."),
            "only cd.Corpus and files of documents are corpora; a dict is points or clusters.",
        )
    if documents is None and singletons != "keep":
        one_of("singletons", singletons, SINGLETONS)
        raise ArgumentError.about(
            "singletons", "is for documents; leave it out.", Message("or pass `documents=`.")
        )
    if "table" in kinds:
        sides = [_indexed(side, i, point, cluster) for i, side in enumerate(sides)]
        kinds = [_kind(side) for side in sides]
    points = [_column(point, "point", i) for i in range(2)]
    if kinds == ["table"] * 2 and distances is None and not any(isinstance(key, list) for key in points):
        from clusterdiff.tables.frames import compare_frames

        return noticed(
            compare_frames(
                *sides,
                point=(points[0], points[1]),
                cluster=cluster,
                weights=weights,
                features=features,
                documents=documents,
                policy=policy,
                singletons=singletons,
                budget=budget,
            )
        )
    sources = [
        _with_columns(side, i, point, cluster) for i, side in enumerate(sides) if isinstance(side, Source)
    ]
    in_tables = len(sources) == 2 and all(source.format in TABLES for source in sources)
    if in_tables and distances is None and _named(weights, features, documents):
        from clusterdiff.tables.joins import compare_sources

        columns = {"weights": weights, "features": features, "documents": documents}
        return noticed(compare_sources(sources[0], sources[1], policy, **columns, singletons=singletons))
    if len(sources) == 2 and all(source.format in ARRAYS for source in sources):
        read: list[Any] = _arrays(sources[0], sources[1])
    else:
        read = [_clustering(side, i, point, cluster) for i, side in enumerate(sides)]
    if sources:
        read = _as_written(read, sides)
        policy = replace(policy, noise=told.spelt(*map(_spelling, sides, read)))
    data: dict[str, Any] = {"weights": weights, "features": features, "documents": documents}
    if "table" in kinds:
        data = {name: _of_table(value, name, sides, points) for name, value in data.items()}
    documents = data.pop("documents")
    data["distances"] = distances
    aligned = aligned_as_given(read[0], read[1], empty=policy.rule.loses)
    if documents is not None:
        return noticed(compare_within(aligned, documents, policy, singletons, **data))
    return noticed(compare_aligned(settled(aligned, policy), **data))


def score(true: object, pred: object, measure: AnyMeasure = "S_H", **options: Any) -> float:
    """One number for two clusterings; ``options`` are those of :func:`compare`.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    if not options and integers_in_order(true, pred):
        # Two plain integer arrays need no alignment: this is what keeps small inputs cheap.
        return float(resolve(measure)(Meet.from_labels(true, pred)))  # type: ignore[arg-type]
    if not options and all(_plain(side) for side in (true, pred)):
        # A score does not mention clusters: their names need not be read.
        return float(resolve(measure)(meet_of(align(true, pred))))
    return compare(true, pred, **options).score(measure)


def integers_in_order(true: object, pred: object) -> bool:
    """Whether these are two plain arrays with an integer label per point, which need no alignment."""
    return (
        type(true) is np.ndarray
        and type(pred) is np.ndarray
        and true.dtype.char in INTEGERS
        and pred.dtype.char in INTEGERS
        and true.dtype.isnative
        and pred.dtype.isnative
        and true.ndim == 1
        and true.shape == pred.shape
        and len(true) > 0
    )


def plain_labels(side: object) -> Labels | None:
    """The labels of a plain array or list in which every point has one and none a name; None for anything else."""
    if integers_in_order(side, side):
        return Labels(side)  # type: ignore[arg-type]
    if type(side) not in LABELS:
        return None
    try:
        read = Clustering.reading(side, "pred")
    except LabelError:
        return None  # whoever compares it says why
    return read.labels if read.points is None and read.labels.absent is None else None


# ---- what each side is

#: What holds labels in order and needs no second look.
LABELS = frozenset({np.ndarray, list, tuple})

#: What holds labels and needs no second look.
PLAIN = frozenset({np.ndarray, list, tuple, dict})


def _recognised(side: object) -> object:
    """A path as a source whose format is known; anything else as it is."""
    if type(side) in PLAIN:
        return side
    if isinstance(side, str | os.PathLike):
        try:
            return Source(held(os.fspath(side))).resolved()
        except FileError as error:
            raise FileError(
                error.message, error.ways or "text is the path of a file; labels are a list, array or column."
            ) from None
    return side.resolved() if isinstance(side, Source) else side


def _kind(side: object) -> str:
    if type(side) in PLAIN:
        return "labels"
    if isinstance(side, Source):
        return "corpus" if side.format in DOCUMENTS else "file"
    if isinstance(side, Corpus):
        return "corpus"
    from clusterdiff.tables.frames import is_table

    return "table" if is_table(side) else "labels"


def _plain(side: object) -> bool:
    """Whether this is a clustering in memory without noise of its own."""
    return _kind(_recognised(side)) == "labels" and own_noise(side) is None


def _default(sides: Sequence[object], kinds: Sequence[str], documents: object) -> Missing:
    """What becomes of points that one side lacks, if the user does not say."""
    if documents is not None or "corpus" in kinds:
        return "lost"
    ignoring = any(isinstance(side, Source) and bool(side.ignored) for side in sides)
    return "drop" if ignoring else "error"


def _refuse(what: str, **given: object) -> None:
    for argument, value in given.items():
        if value is not None:
            raise ArgumentError.about(argument, f"has no meaning for {what}; leave it out.")


def _column(column: Any, argument: str, i: int) -> Any:
    """The column of a side: told for both, or in a pair."""
    if column is None or isinstance(column, str | list):
        return column
    if len(column) != 2:
        raise ArgumentError.must(
            argument, Message("be a column, or a pair of columns of `true` and `pred`"), column
        )
    return column[i]


def _with_columns(source: Source, i: int, point: PointColumn | None, cluster: Column | None) -> Source:
    """A source with the columns that the user named, unless it names its own."""
    return replace(
        source,
        point=source.point or _column(point, "point", i),
        cluster=source.cluster or _column(cluster, "cluster", i),
    )


def _named(*columns: object) -> bool:
    """Whether what is known about the points is given as columns of their table."""
    return all(
        column is None
        or isinstance(column, str)
        or (isinstance(column, list | tuple) and all(isinstance(name, str) for name in column))
        for column in columns
    )


# ---- readers


def _corpus(side: Any) -> Corpus:
    return side if isinstance(side, Corpus) else read_documents(side)


def _clustering(side: object, i: int, point: PointColumn | None, cluster: Column | None) -> object:
    """What can be laid over points in memory: files and tables are read."""
    if type(side) in PLAIN:
        return side
    if isinstance(side, Source):
        return read_clustering(_with_columns(side, i, point, cluster))
    if _kind(side) == "table":
        from clusterdiff.tables.frames import read_frame

        argument = ("true", "pred")[i]
        return read_frame(side, argument, _column(point, "point", i), _column(cluster, "cluster", i))
    return side


def _indexed(side: object, i: int, point: PointColumn | None, cluster: Column | None) -> object:
    """A pandas frame whose index names its points, as something that says so."""
    if _kind(side) != "table":
        return side
    from clusterdiff.tables.frames import with_index

    return with_index(side, ("true", "pred")[i], _column(point, "point", i), _column(cluster, "cluster", i))


def _of_table(value: object, argument: str, sides: Sequence[object], points: Sequence[Any]) -> object:
    """What is told as the name of a column (or several), read from the table that has it; `true` comes first."""
    if value is None or not _named(value):
        return value
    from clusterdiff.tables.frames import column_names, frame_values, has_columns

    wanted = column_names(value, argument)
    found = [
        frame_values(side, ("true", "pred")[i], points[i], value, argument)
        for i, side in enumerate(sides)
        if _kind(side) == "table" and has_columns(side, wanted)
    ]
    if not found:
        raise ArgumentError.about(argument, f"names columns that no table has: {listed(wanted)}.")
    if len(found) == 2 and all(isinstance(values, dict) for values in found):
        return found[1] | found[0]  # for points that `true` lacks, what `pred` has
    return found[0]


def _arrays(left: Source, right: Source) -> list[Clustering]:
    """The labels of two arrays or images, which must have the same shape."""
    from clusterdiff.formats.arrays import flat

    arrays = read_array(left), read_array(right)
    if arrays[0].shape != arrays[1].shape:
        raise FileError(
            f"{left.path} and {right.path} must have the same shape; got {arrays[0].shape} and {arrays[1].shape}."
        )
    return [flat(array, s.path, s.ignored) for array, s in zip(arrays, (left, right), strict=True)]


def _as_written(read: list[Any], sides: Sequence[object]) -> list[Any]:
    """Where one side comes from a file that knows only text, the other side's integers are matched as text."""
    if not all(isinstance(side, Clustering) and side.points is not None for side in read):
        return read
    kinds = [kind(side.points[0]) for side in read]
    untyped = [isinstance(side, Source) and side.format in UNTYPED for side in sides]
    if kinds == ["tuple", "tuple"] and untyped[0] != untyped[1]:
        return [side if untyped[i] else with_text(side) for i, side in enumerate(read)]
    if kinds == ["str", "int"] and untyped[0]:
        return [read[0], with_text(read[1])]
    if kinds == ["int", "str"] and untyped[1]:
        return [with_text(read[0]), read[1]]
    return read


def _spelling(side: object, read: object) -> Callable[[Hashable], Hashable] | None:
    """How the labels that the user tells stand in a file; labels in memory are told as they are."""
    if not isinstance(side, Source) or not isinstance(read, Clustering):
        return None
    return as_written(read.labels.lexicon is None, side.format in UNTYPED)


def with_text(clustering: Clustering) -> Clustering:
    """The same, its points called by text, as files that know nothing else call theirs."""

    def text(name: Any) -> Hashable:
        return tuple(map(str, name)) if isinstance(name, tuple) else str(name)

    return Clustering.of(clustering.labels, list(map(text, clustering.point_names())), clustering.ordered)
