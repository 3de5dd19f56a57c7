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
from clusterdiff.decide.cuts import Cuts
from clusterdiff.decide.resolutions import Resolutions, read_resolutions
from clusterdiff.decide.thresholds import best_place, score_thresholds
from clusterdiff.decide.trees import read_tree, spanning_tree
from clusterdiff.decide.truth import Leaves, lay
from clusterdiff.decide.worst import PairsOf, WorstMerge
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.loss import Losses
from clusterdiff.errors import ArgumentError, ClusterdiffWarning, listed
from clusterdiff.formats.source import Source
from clusterdiff.measures import Measure, resolve, resolve_all
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import NoiseAs, NoiseLabels
from clusterdiff.table import Table, plain, record_html
from clusterdiff.wording import count

#: What the thresholds are: heights at which a dendrogram is cut, least scores of pairs, resolutions, or columns whose
#: names tell no resolution.
Over: TypeAlias = Literal["height", "score", "resolution", "column"]
#: S_H is said to favour few clusters where ari is best with so many times as many.
MORE = 1.2


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


@dataclass(frozen=True, eq=False)
class Sweep:
    """The scores of a tree at its thresholds, or of several resolutions. Made by :func:`sweep`.

    ``thresholds`` are in the order of merging: heights ascend, scores of pairs descend. ``scores[name][i]`` is a
    measure at ``thresholds[i]``, and ``clusters[i]`` the number of clusters there. ``over`` says what the thresholds
    are: a ``"height"``, a ``"score"``, a ``"resolution"``, or the place of a ``"column"`` whose name tells none.
    ``total`` is how many there are in all. ``exhaustive`` names the measures that were scored at each of them, so that
    their best threshold is the best of all; the best by others is the best of those here.
    """

    over: Over
    n: int
    thresholds: FloatArray = field(repr=False)
    clusters: Int64Array = field(repr=False)
    scores: dict[str, FloatArray] = field(repr=False)
    total: int
    signature: str
    measures: dict[str, Measure] = field(repr=False)
    exhaustive: frozenset[str] = field(repr=False)
    cuts: Cuts | Resolutions = field(repr=False)
    parts: Losses = field(repr=False)

    def __len__(self) -> int:
        """How many thresholds there are here."""
        return len(self.thresholds)

    def best(self, measure: str | None = None) -> float:
        """The threshold with the best score by a measure, the first one by default; of several the first in order.

        >>> import clusterdiff as cd
        >>> swept = cd.sweep([0, 0, 1, 1], pairs=([0, 2, 1], [1, 3, 2], [0.9, 0.8, 0.3]))
        >>> swept.best(), swept.thresholds.tolist()[1:]
        (0.8, [0.9, 0.8, 0.3])
        """
        return float(self.thresholds[self.best_place(measure)])

    def best_place(self, measure: str | None = None) -> int:
        """The place of the best threshold among those here."""
        measure = next(iter(self.scores)) if measure is None else measure
        if measure not in self.scores:
            raise ArgumentError.must(
                "measure",
                f"be one of those that were swept: {listed(self.scores)}",
                measure,
                Message("pass `measures=[…, {measure!r}]` to `sweep()`.", measure=measure),
            )
        place = best_place(self.scores[measure], self.measures[measure])
        if place is None:
            raise ArgumentError(f"{measure} has no value at any threshold.")
        return place

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

    def worst_merges(self, threshold: float | None = None) -> Table[WorstMerge]:
        """The merges that lowered S_H most, of those that have happened at a threshold; costliest first.

        Without a threshold: at the best by the first measure. Each row says which link, whom it bridged, at what cost.
        What a merge costs depends on those before it. Of merges that happen at one threshold only the sum of their
        costs has a meaning of its own.

        >>> import clusterdiff as cd
        >>> swept = cd.sweep(["a", "a", "b"], pairs=([0, 1], [1, 2], [0.9, 0.3]))
        >>> len(swept.worst_merges())  # at the best threshold, 0.9
        0
        >>> worst = swept.worst_merges(0.3)[0]
        >>> worst.threshold, worst.left, worst.right, worst.true_left, worst.true_right, round(worst.cost, 3)
        (0.3, 1, 2, 'a', 'b', 0.579)
        """
        return self.cuts.worst(self._told(threshold))

    @property
    def notices(self) -> list[str]:
        """What one should know before one trusts the numbers: about the points, and ``advice`` on the choice."""
        return [*self.cuts.notices, *([] if self.advice is None else [self.advice])]

    @cached_property
    def advice(self) -> str | None:
        """What ari and as_h would choose, where S_H alone was asked and favours few clusters; else None."""
        if "S_H" not in self.valued or any(x.baseline is not None for x in self.measures.values()):
            return None
        ari, own = resolve("ari"), self.best_place("S_H")
        other = best_place(self.cuts.scores(ari, self.thresholds), ari)
        if other is None or self.clusters[other] < MORE * self.clusters[own]:
            return None
        here, there = (self.compare(float(self.thresholds[at])).score("as_h") for at in (own, other))
        if here >= there:
            return None
        places = [
            f"{self.over} {self.called(at)} ({count(int(self.clusters[at]), 'cluster')})"
            for at in (own, other)
        ]
        return (
            f"S_H favours few clusters here. Adjusted for chance, another {self.what} is better: as_h is "
            f"{here:.4f} at {places[0]}, and {there:.4f} at {places[1]}, the best by ari."
        )

    @property
    def table(self) -> Table[Any]:
        """One row per threshold: clusters, scores, and what S_H lost to splits and to merges."""
        lost = {"split_loss": self.parts.split, "merge_loss": self.parts.merge}
        return Table({"threshold": self.thresholds, "clusters": self.clusters, **self.scores, **lost})

    def to_dict(self, threshold: float | None = None) -> dict[str, Any]:
        """All of it as plain values: notices first, the best threshold by each measure, ``worst_merges(threshold)``."""
        more: dict[str, Any] = {}
        if isinstance(self.cuts, Resolutions):
            more = {"columns": self.cuts.names}
        elif threshold is not None or self.valued:
            worst = self.worst_merges(threshold).to_dict()
            more = {"worst_merges": {name: list(map(plain, values)) for name, values in worst.items()}}
        return {
            "notices": self.notices,
            "signature": self.signature,
            "over": self.over,
            "n": self.n,
            "total": self.total,
            "exhaustive": [name for name in self.scores if name in self.exhaustive],
            "best": {name: self.best(name) if name in self.valued else None for name in self.scores},
            **self.table.to_dict(),
            **more,
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
        return "\n".join([*lines, *self.notices, self.signature])

    @property
    def what(self) -> str:
        """What there is one of at each place: a threshold, a resolution or a column."""
        return self.over if isinstance(self.cuts, Resolutions) else "threshold"

    def called(self, place: int) -> str:
        """A threshold as people read it: the number, or the name of a column that tells none."""
        if isinstance(self.cuts, Resolutions) and self.over == "column":
            return self.cuts.names[place]
        return f"{self.thresholds[place]:.6g}"

    def _all(self) -> str:
        scored = f"{len(self):,} of " if not self.exhaustive and len(self) < self.total else ""
        return f"{scored}{count(self.total, self.what)} of {count(self.n)}"

    def _best(self, name: str) -> str:
        if name not in self.valued:
            return f"{name} has no value at any {self.over}"
        at = self.best_place(name)
        among = "" if name in self.exhaustive or not self.exhaustive else f"; best of {len(self):,} scored"
        return (
            f"best {name} = {self.scores[name][at]:.4f} at {self.over} {self.called(at)} "
            f"({count(int(self.clusters[at]), 'cluster')}{among})"
        )

    def _repr_html_(self) -> str:
        at = {name: self.best_place(name) for name in self.valued}
        rows = [
            [name, f"{self.scores[name][i]:.4f}", self.called(i), f"{int(self.clusters[i]):,}"]
            for name, i in at.items()
        ]
        best = notebook.table(["best", "score", self.over, "clusters"], rows, [False, True, True, True])
        return notebook.view(
            *map(notebook.notice, self.notices),
            notebook.line(self._all(), strong=True),
            best,
            notebook.signature(self.signature),
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
        A number at the end of a column's name is its resolution, if the names differ in nothing else. Columns of other
        names keep their order, and their places 0, 1, 2, … are the thresholds.
    measures
        Any measure, by name or as a function of the meet, or several. Those that read sums, which most do, are read
        off one pass over all merges; others read the points again at each threshold.
    thresholds
        How many to score, spread evenly over the merges; ``"all"``; or the thresholds themselves. Without it all, and
        up to 10,000 are kept. Of more, 200 are kept and the best by each measure. Measures made of sums, which most
        are, are scored at every threshold before; others at those 200, and at more of them around their best.
        Equal heights or scores are one threshold.
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
        ``thresholds``, ``scores`` by measure, ``best(measure)``, ``losses``; ``clustering(t)``, ``compare(t)`` and
        ``worst_merges(t)`` at any threshold; ``notices``.

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
    notices = [Message.literally(told).renamed({"pred": leaves.argument}) for told in laid.policy.notices]
    for notice in notices:
        warnings.warn(notice, ClusterdiffWarning, stacklevel=2)
    pairs_of_points = links and PairsOf(laid, leaves.points or (), *links)
    return _swept_tree(Cuts(laid, list(map(str, notices)), pairs_of_points), wanted, thresholds)


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
    kept = score_thresholds(cuts.laid.codes, tree, measures, thresholds)
    over: Over = "score" if tree.down else "height"
    scored = kept.total if kept.exhaustive == measures.keys() else len(kept.thresholds)
    return Sweep(
        over,
        tree.points,
        kept.thresholds,
        kept.levels.clusters,
        kept.scores,
        kept.total,
        _signature(over, cuts.laid.policy.signature, tree.points, measures, scored),
        measures,
        kept.exhaustive,
        cuts,
        kept.levels.losses,
    )


def _swept_columns(found: Resolutions, measures: dict[str, Measure]) -> Sweep:
    compared = [diff for _, diff in found.comparisons]
    losses = np.array([diff.loss[1:] for diff in compared])
    first = compared[0]
    over: Over = "column" if found.resolutions is None else "resolution"
    return Sweep(
        over,
        first.n,
        found.thresholds,
        np.array([diff.summed.k_pred for diff in compared]),
        {
            name: np.array([diff.score(measure) for diff in compared], dtype=np.float64)
            for name, measure in measures.items()
        },
        len(compared),
        _signature(over, first.policy.signature, first.n, measures, len(compared)),
        measures,
        frozenset(measures),
        found,
        Losses(*losses.T),
    )


def _signature(over: Over, policy: str, n: int, measures: Iterable[str], levels: int) -> str:
    return f"sweep:{over}|{','.join(measures)}|levels:{levels}|n:{n}|{policy}|v:{__version__}"
