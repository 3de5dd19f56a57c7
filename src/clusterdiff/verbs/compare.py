"""compare and score: two clusterings, in whatever form they come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from clusterdiff import _core
from clusterdiff.diff.build import compare_aligned, meet_of
from clusterdiff.diff.comparison import AnyMeasure, Comparison, noticed
from clusterdiff.errors import LabelError
from clusterdiff.inputs.base import Asked, Column, EngineName, PointColumn
from clusterdiff.inputs.choice import compare_inputs, recognise
from clusterdiff.inputs.memory import InOrder
from clusterdiff.measures import resolve
from clusterdiff.measures.plain import OF_ARRAYS
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.values import CoreCounted
from clusterdiff.points.alignment import align, in_order
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.labels import Labels
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import NoiseAs, NoiseLabels

#: dtypes that need no encoding: integers of any width, and bools.
INTEGERS = np.typecodes["AllInteger"] + "?"
#: What holds labels in order and needs no second look.
LABELS = frozenset({np.ndarray, list, tuple})


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
    engine: EngineName | None = None,
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
        count as the CoNLL reference scorer does, and measures that have no meaning there say so. The default
        is ``"error"``, but ``"lost"`` for documents, since systems hardly ever find the very mentions of the key, and
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
    engine
        For two files of tables: what reads, joins and groups them. ``"memory"``, the default, keeps the labels in
        memory; ``"duckdb"`` spills to disk; ``"polars"`` streams; ``"spark"`` takes the session that runs, or starts
        one. The table below says which kind of input takes which option; what has no meaning is refused.

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
    nothing_asked = (
        point
        is cluster
        is documents
        is missing
        is noise
        is noise_true
        is noise_pred
        is budget
        is engine
        is None
    )
    as_usual = nothing_asked and noise_as == "singleton" and singletons == "keep"
    if as_usual and integers_in_order(true, pred):
        # Two plain integer arrays are what they are, in the order in which they are: this keeps small inputs cheap.
        aligned = in_order(Labels(true), Labels(pred))  # type: ignore[arg-type]
        return compare_aligned(aligned, weights, features, distances)
    return noticed(
        compare_inputs(
            true,
            pred,
            Asked(
                point=point,
                cluster=cluster,
                documents=documents,
                weights=weights,
                features=features,
                distances=distances,
                missing=missing,
                noise=noise,
                noise_true=noise_true,
                noise_pred=noise_pred,
                noise_as=noise_as,
                singletons=singletons,
                budget=budget,
                engine=engine,
            ),
        )
    )


def score(true: object, pred: object, measure: AnyMeasure = "S_H", **options: Any) -> float:
    """One number for two clusterings; ``options`` are those of :func:`compare`.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    if not options and type(true) is ndarray and type(pred) is ndarray:
        # One call into the core and back, if that is all it takes: more would take longer than a hundred points do.
        if type(measure) is str and (glance := OF_ARRAYS.get(measure)) is not None:
            if (found := glance(true, pred)) is not None:
                return found
        elif (asked := resolve(measure)).counted:
            if (sums := _core.sums(true, pred)) is not None:
                return float(asked(CoreCounted(sums)))
        elif integers_in_order(true, pred):
            return float(asked(Meet.from_labels(true, pred)))  # plain integers need no alignment either
    if not options and _plain(true) and _plain(pred):
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


def _plain(data: object) -> bool:
    """Whether this is a clustering in memory without noise of its own."""
    side = recognise(data, "true")
    return isinstance(side, InOrder) and side.noise is None


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
