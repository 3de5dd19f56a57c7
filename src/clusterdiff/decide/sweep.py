"""sweep: every threshold of a dendrogram or of scored pairs, or every resolution, against a true clustering."""

from __future__ import annotations

import csv
import io
import os
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from clusterdiff import notebook, views
from clusterdiff._version import __version__
from clusterdiff.caching import cached_property
from clusterdiff.decide.levels import Levels
from clusterdiff.decide.resolutions import Resolutions, read_resolutions
from clusterdiff.decide.trees import Tree, read_tree, spanning_tree
from clusterdiff.decide.truth import LabelledTree, Leaves, lay
from clusterdiff.decide.worst import PairsOf, WorstMerge, worst_merges
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.loss import Losses
from clusterdiff.errors import ArgumentError, ClusterdiffWarning, listed
from clusterdiff.formats.source import Source
from clusterdiff.measures import Measure, resolve_all
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import FloatArray, Int64Array, Labels
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import NoiseAs, NoiseLabels
from clusterdiff.table import Table, plain, record_html
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count

#: What the thresholds are: heights at which a dendrogram is cut, least scores of pairs, or resolutions.
Over: TypeAlias = Literal["height", "score", "resolution"]
#: Up to so many thresholds all are scored; of more, so many, unless the user says otherwise.
ALL, SOME = 10_000, 200


class SweepLoss(NamedTuple):
    """What S_H lost at a threshold: in total, to splits and to merges (and to points that a side lacks)."""

    threshold: float
    clusters: int
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("SweepLoss", self._asdict())


@dataclass(frozen=True)
class Cuts:
    """The clusterings of a tree over points whose true clusters are known; ``pairs`` if it was made of such."""

    laid: LabelledTree
    pairs: PairsOf | None = None

    @property
    def true(self) -> Clustering:
        """The true clustering."""
        return self.laid.true

    def clustering(self, threshold: float) -> Clustering:
        """The clusters at any threshold."""
        merges = int(self.laid.tree.merged(threshold))
        return self.laid.clustering(Labels(self.laid.tree.cut(merges)))

    def compare(self, threshold: float) -> Comparison:
        """The comparison at any threshold."""
        return compare(self.true, self.clustering(threshold))

    def worst(self) -> Table[WorstMerge]:
        """The merges that cost most."""
        return worst_merges(self.laid, self.pairs)


@dataclass(frozen=True, eq=False)
class Sweep:
    """The scores of a tree at its thresholds, or of several resolutions. Made by :func:`sweep`.

    ``thresholds`` are in the order of merging: heights ascend, scores of pairs descend. ``scores[name][i]`` is a
    measure at ``thresholds[i]``, and ``clusters[i]`` the number of clusters there. ``over`` says what the thresholds
    are: a ``"height"``, a ``"score"`` or a ``"resolution"``. ``total`` is how many there are in all, scored or not.
    """

    over: Over
    n: int
    thresholds: FloatArray = field(repr=False)
    clusters: Int64Array = field(repr=False)
    scores: dict[str, FloatArray] = field(repr=False)
    total: int
    signature: str
    measures: dict[str, Measure] = field(repr=False)
    cuts: Cuts | Resolutions = field(repr=False)
    parts: Losses = field(repr=False)

    def __len__(self) -> int:
        """How many thresholds were scored."""
        return len(self.thresholds)

    def best(self, measure: str | None = None) -> float:
        """The threshold with the best score by a measure, the first one unless told; of several the first in order.

        >>> import clusterdiff as cd
        >>> swept = cd.sweep([0, 0, 1, 1], pairs=([0, 2, 1], [1, 3, 2], [0.9, 0.8, 0.3]))
        >>> swept.best(), swept.thresholds.tolist()[1:]
        (0.8, [0.9, 0.8, 0.3])
        """
        return float(self.thresholds[self.best_place(measure)])

    def best_place(self, measure: str | None = None) -> int:
        """The place of the best threshold among those scored."""
        measure = next(iter(self.scores)) if measure is None else measure
        if measure not in self.scores:
            raise ArgumentError.must(
                "measure",
                f"be one of those that were swept: {listed(self.scores)}",
                measure,
                Message("pass `measures=[…, {measure!r}]` to `sweep()`.", measure=measure),
            )
        values = self.scores[measure]
        if np.isnan(values).all():
            raise ArgumentError(f"{measure} has no value at any threshold.")
        return int(np.nanargmax(values) if self.measures[measure].similarity else np.nanargmin(values))

    @property
    def valued(self) -> list[str]:
        """The measures that have a value at some threshold, and so a best one."""
        return [name for name, values in self.scores.items() if not np.isnan(values).all()]

    def clustering(self, threshold: float | None = None) -> Clustering:
        """The clusters at any threshold, scored or not; without one, at the best by the first measure.

        >>> import clusterdiff as cd
        >>> cd.sweep([0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3])).clustering(0.5).to_sets()
        [{0, 1}, {2}]
        """
        return self.cuts.clustering(self._told(threshold))

    def compare(self, threshold: float | None = None) -> Comparison:
        """The whole comparison at a threshold; without one, at the best by the first measure."""
        return self.cuts.compare(self._told(threshold))

    def _told(self, threshold: float | None) -> float:
        return self.best() if threshold is None else threshold

    @cached_property
    def losses(self) -> Table[SweepLoss]:
        """What S_H lost at each threshold: split loss against merge loss is the trade-off that a threshold makes.

        >>> import clusterdiff as cd
        >>> cd.sweep([0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3])).losses["loss"].round(3).tolist()
        [0.667, 0.0, 0.579]
        """
        columns = {"threshold": self.thresholds, "clusters": self.clusters, **self.parts.columns}
        return Table(columns, SweepLoss)

    @cached_property
    def worst_merges(self) -> Table[WorstMerge]:
        """The merges that lowered S_H most, costliest first: which link, whom it bridged, at what cost.

        What a merge costs depends on those before it. Of merges that happen at one threshold only the sum of their
        costs has a meaning of its own.

        >>> import clusterdiff as cd
        >>> worst = cd.sweep(["a", "a", "b"], pairs=([0, 1], [1, 2], [0.9, 0.3])).worst_merges[0]
        >>> worst.threshold, worst.left, worst.right, worst.true_left, worst.true_right, round(worst.cost, 3)
        (0.3, 1, 2, 'a', 'b', 0.579)
        """
        return self.cuts.worst()

    @property
    def table(self) -> Table[Any]:
        """One row per threshold: clusters, scores, and what S_H lost to splits and to merges."""
        lost = {"split_loss": self.parts.split, "merge_loss": self.parts.merge}
        return Table({"threshold": self.thresholds, "clusters": self.clusters, **self.scores, **lost})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values; the best threshold by each measure, and the costliest merges."""
        merges = {}
        if self.over != "resolution":
            worst = self.worst_merges.to_dict()
            merges = {"worst_merges": {name: list(map(plain, values)) for name, values in worst.items()}}
        return {
            "signature": self.signature,
            "over": self.over,
            "n": self.n,
            "total": self.total,
            "best": {name: self.best(name) if name in self.valued else None for name in self.scores},
            **self.table.to_dict(),
            **merges,
        }

    def to_csv(self) -> str:
        """The table as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        table = self.table
        writer.writerow(table.columns)
        writer.writerows(zip(*table.to_dict().values(), strict=True))
        return out.getvalue()

    def plot(
        self,
        kind: str = "thresholds",
        ax: Any = None,
        *,
        width: float | None = None,
        dpi: float | None = None,
    ) -> Any:
        """Draw it: ``"thresholds"``, scores against the threshold, or ``"tradeoff"``, split loss against merge loss.

        ``width`` in millimetres, ``dpi`` for files that are made of dots; returns the matplotlib Axes.
        """
        return views.sweep(self, kind, ax, width=width, dpi=dpi)

    def report(self, path: str | PathLike[str], title: str | None = None) -> None:
        """Write one HTML file with a slider over the thresholds; it needs no network."""
        views.sweep_report(self, path, title)

    def __repr__(self) -> str:
        lines = [f"{self._all()}; {self._best(next(iter(self.scores)))}"]
        lines += [f"  {self._best(name)}" for name in list(self.scores)[1:]]
        return "\n".join([*lines, self.signature])

    def _all(self) -> str:
        scored = "" if len(self) == self.total else f"{len(self):,} of "
        what = "resolution" if self.over == "resolution" else "threshold"
        return f"{scored}{count(self.total, what)} of {count(self.n)}"

    def _best(self, name: str) -> str:
        if name not in self.valued:
            return f"{name} has no value at any {self.over}"
        at = self.best_place(name)
        return (
            f"best {name} = {self.scores[name][at]:.4f} at {self.over} {self.thresholds[at]:.6g} "
            f"({count(int(self.clusters[at]), 'cluster')})"
        )

    def _repr_html_(self) -> str:
        at = {name: self.best_place(name) for name in self.valued}
        rows = [
            [
                name,
                f"{self.scores[name][i]:.4f}",
                f"{self.thresholds[i]:.6g}",
                f"{int(self.clusters[i]):,}",
            ]
            for name, i in at.items()
        ]
        best = notebook.table(["best", "score", self.over, "clusters"], rows, [False, True, True, True])
        return notebook.view(
            notebook.line(self._all(), strong=True), best, notebook.signature(self.signature)
        )


def sweep(
    true: object,
    tree: object = None,
    *,
    pairs: object = None,
    columns: object = None,
    measures: AnyMeasure | Iterable[AnyMeasure] = "S_H",
    thresholds: int | Literal["all"] | Sequence[float] | FloatArray | None = None,
    points: Points | None = None,
    missing: Missing = "error",
    noise: NoiseLabels | None = None,
    noise_as: NoiseAs = "singleton",
) -> Sweep:
    """Score every threshold of a dendrogram or of scored pairs, or every resolution, against a true clustering.

    Parameters
    ----------
    true
        The true clustering, in any form that :func:`compare` takes but a corpus.
    tree
        A dendrogram: scipy's linkage, a pair (children, distances), a fitted AgglomerativeClustering with distances or
        HDBSCAN, or a single linkage tree of hdbscan. Its leaves are the points of `true` in order, or as `points` says.
        The clusters at t are those of ``fcluster(Z, t, "distance")``: merges at heights up to t, where a merge below
        one of its own parts (an inversion) happens with that one.
    pairs
        Scored pairs instead: (left, right, score), a list of such triples, an array with three columns, or a frame or
        the path of a table whose columns have the usual names. The clusters at t are what the pairs with scores of at
        least t connect; a point without any such pair is alone.
    columns
        Clusterings at several resolutions instead: a dict from resolution to labels, or a frame with one column each.
        A number at the end of a column's name is its resolution.
    measures
        Any measure, by name or as a function of the meet, or several. Those that read sums, which most do, are read
        off one pass over all merges; others look at the points anew at each threshold.
    thresholds
        How many to score, spread evenly over the merges; ``"all"``; or the thresholds themselves. Without it all, but
        200 if there are more than 10,000. Equal heights or scores are one threshold.
    points
        The names of the tree's leaves, if `true` names its points.
    missing
        What to do with points that have no true cluster, or are not in the tree: ``"error"``; ``"drop"``, as
        if they had not been scored, although whom they connect stays connected; or ``"singleton"``.
        For columns as in :func:`compare`.
    noise, noise_as
        As for :func:`compare`; for a tree and for pairs only `true` can have noise.

    Returns
    -------
    Sweep
        ``thresholds``, ``scores`` by measure, ``best(measure)``, ``losses``, ``worst_merges``; ``clustering(t)`` and
        ``compare(t)`` at any threshold.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> from scipy.cluster.hierarchy import linkage
    >>> Z = linkage([[0.0], [0.1], [5.0], [5.3], [9.0]])
    >>> swept = cd.sweep(["a", "a", "b", "b", "c"], Z, measures=["S_H", "ari"])
    >>> swept.table
       threshold  clusters     S_H     ari  split_loss  merge_loss
    0     0.0000         5  0.2000  0.0000      0.8000      0.0000
    1     0.1000         4  0.6000  0.6154      0.4000      0.0000
    2     0.3000         3  1.0000  1.0000      0.0000      0.0000
    3     3.7000         2  0.6524  0.5455      0.0000      0.3476
    4     4.9000         1  0.3445  0.0000      0.0000      0.6555
    >>> round(swept.best("ari"), 6)
    0.3
    """
    given = [
        name for name, value in (("tree", tree), ("pairs", pairs), ("columns", columns)) if value is not None
    ]
    if len(given) != 1:
        raise ArgumentError(
            Message(
                "`sweep()` takes one of `tree`, `pairs` and `columns`; got {given}.",
                given=" and ".join(given) or "none",
            )
        )
    wanted = resolve_all(measures)
    if not wanted:
        raise ArgumentError.about("measures", "must name at least one measure; it is empty.")
    if columns is not None:
        if thresholds is not None or points is not None:
            raise ArgumentError(
                Message("`thresholds` and `points` have no meaning for `columns`, which are all scored.")
            )
        found = read_resolutions(true, columns, missing=missing, noise=noise, noise_as=noise_as)
        return _swept_columns(found, wanted)
    leaves, links = _of_pairs(pairs, points) if pairs is not None else (_of_tree(tree, points), None)
    laid = lay(true, leaves, missing, noise, noise_as)
    for notice in laid.policy.notices:
        told = Message.literally(notice).renamed({"pred": leaves.argument})
        warnings.warn(told, ClusterdiffWarning, stacklevel=2)
    return _swept_tree(Cuts(laid, links and PairsOf(laid, leaves.points or (), *links)), wanted, thresholds)


def _of_tree(tree: object, points: Points | None) -> Leaves:
    read = read_tree(tree)
    if points is not None and len(points) != read.points:
        raise ArgumentError.must(
            "points", f"name the {read.points:,} leaves of the tree", got=count(len(points), "name")
        )
    return Leaves(read, None if points is None else list(points), "tree")


def _of_pairs(pairs: Any, points: Points | None) -> tuple[Leaves, tuple[Any, Any]]:
    from clusterdiff.tables.pairs import pairs_of, read_scored

    if points is not None:
        raise ArgumentError(Message("`points` has no meaning for `pairs`, which name their points."))
    if isinstance(pairs, str | os.PathLike):
        pairs = Source(os.fspath(pairs), pairs=True)
    if isinstance(pairs, np.ndarray) and pairs.ndim == 2:
        # Numbers of points that stand beside their scores are floats.
        whole = pairs.dtype.kind == "f" and bool((pairs[:, :2] == np.floor(pairs[:, :2])).all())
        ends = pairs[:, :2].astype(np.int64) if whole else pairs[:, :2]
        pairs = (*ends.T, *pairs[:, 2:].T)
    if isinstance(pairs, list | tuple):
        read = pairs_of(pairs)
    else:
        read = read_scored(pairs.resolved() if isinstance(pairs, Source) else pairs)
    tree = spanning_tree(read.left, read.right, read.score, len(read.points))
    leaves = Leaves(tree, read.points, "pairs", read.untyped, others_singleton=True)
    return leaves, (read.left, read.right)


def _swept_tree(cuts: Cuts, measures: dict[str, Measure], thresholds: Any) -> Sweep:
    tree = cuts.laid.tree
    every = tree.ends
    at, ends = chosen(tree, every, thresholds)
    levels = Levels(cuts.laid.codes, tree, ends)
    over: Over = "score" if tree.down else "height"
    return Sweep(
        over,
        tree.points,
        at,
        levels.clusters,
        levels.scores(measures),
        len(every),
        _signature(over, cuts.laid.policy.signature, tree.points, measures, len(at)),
        measures,
        cuts,
        levels.losses,
    )


def chosen(tree: Tree, every: Int64Array, thresholds: Any) -> tuple[FloatArray, Int64Array]:
    """The thresholds to be scored, in the order of merging, and how many merges have happened at each."""
    if thresholds is None:
        thresholds = "all" if len(every) <= ALL else SOME
    if isinstance(thresholds, str) and thresholds == "all":
        return tree.thresholds(every), every
    if isinstance(thresholds, int | np.integer) and not isinstance(thresholds, bool):
        if thresholds < 1:
            raise ArgumentError.must("thresholds", "be at least 1", thresholds)
        # Evenly spaced over the merges, each to the end of its tie.
        wanted = np.linspace(0, len(tree), int(thresholds)) if thresholds > 1 else np.array([len(tree)])
        ends = every[np.unique(np.searchsorted(every, np.floor(wanted)))]
        return tree.thresholds(ends), ends
    try:
        at = np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        at = np.empty((0, 0))
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all():
        raise ArgumentError.must(
            "thresholds", 'be a number of thresholds, "all", or a list of numbers', thresholds
        )
    at = np.unique(at)[::-1] if tree.down else np.unique(at)
    return at.copy(), tree.merged(at)


def _swept_columns(found: Resolutions, measures: dict[str, Measure]) -> Sweep:
    compared = [diff for _, diff in found.comparisons]
    losses = np.array([diff.loss[1:] for diff in compared])
    first = compared[0]
    return Sweep(
        "resolution",
        first.n,
        found.resolutions,
        np.array([diff.summed.k_pred for diff in compared]),
        {
            name: np.array([diff.score(measure) for diff in compared], dtype=np.float64)
            for name, measure in measures.items()
        },
        len(compared),
        _signature("resolution", first.policy.signature, first.n, measures, len(compared)),
        measures,
        found,
        Losses(*losses.T),
    )


def _signature(over: Over, policy: str, n: int, measures: Iterable[str], levels: int) -> str:
    return f"sweep:{over}|{','.join(measures)}|levels:{levels}|n:{n}|{policy}|v:{__version__}"
