"""worsen: clusterings that get worse step by step, and what measures make of them (the paper's section 6)."""

from __future__ import annotations

import csv
import heapq
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import log
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core, views
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.measures import Measure, resolve
from clusterdiff.meet.meet import Meet, Pairs
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import FloatArray, Labels
from clusterdiff.table import Table

How: TypeAlias = Literal["paper", "splits", "merges", "moves", "shuffle"]
HOW = ("paper", "splits", "merges", "moves", "shuffle")
#: The measures of the paper's figure 3.
FIGURE_3 = ("S_H", "R", "NMI", "V", "N", "A")
#: How many clusterings of a random series are scored, unless told otherwise.
STEPS = 100

IntLabels = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Series:
    """A true clustering and others that are ever farther from it, with their scores.

    ``steps[i]`` operations lead from the true clustering to the i-th one scored; ``scores[name][i]`` is its
    score. ``operations`` has a row an operation: what it did, to how many points, and how many clusters it left.
    """

    true: Clustering = field(repr=False)
    how: How
    seed: int
    steps: IntLabels = field(repr=False)
    scores: dict[str, FloatArray]
    operations: Table[Any] = field(repr=False)
    _labels: Callable[[int], IntLabels] = field(repr=False, compare=False)

    def __len__(self) -> int:
        """The number of clusterings scored."""
        return len(self.steps)

    def clustering(self, operations: int) -> Clustering:
        """The clustering after so many operations.

        >>> import clusterdiff as cd
        >>> cd.worsen([0, 0, 1]).clustering(1) == cd.lattice.bottom(3)
        True
        """
        if not 0 <= operations <= len(self.operations):
            raise ArgumentError(f"`operations` must be from 0 to {len(self.operations):,}; got {operations}.")
        return Clustering.of(Labels(self._labels(operations), None, None), self.true.points)

    @property
    def table(self) -> Table[Any]:
        """One row a clustering: how many operations led to it, and its scores."""
        return Table({"operations": self.steps, **self.scores})

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "n": len(self.true),
            "clusters": len(self.true.names),
            "how": self.how,
            "seed": self.seed,
            "steps": self.steps.tolist(),
            "scores": {name: values.tolist() for name, values in self.scores.items()},
            "operations": self.operations.to_dict(),
        }

    def to_csv(self) -> str:
        """The table as CSV."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.table.columns)
        writer.writerows(zip(*self.table.to_dict().values(), strict=True))
        return out.getvalue()

    def plot(self, ax: Any = None) -> Any:
        """The scores against the number of operations, as in the paper's figure 3; returns the Axes."""
        return views.series(self, ax)


def worsen(
    true: object,
    measures: Iterable[str | Measure | Callable[[Meet], float]] = FIGURE_3,
    *,
    how: How = "paper",
    steps: int | None = None,
    seed: int = 0,
) -> Series:
    """Worsen a clustering step by step, and score each against the original.

    Parameters
    ----------
    true
        A clustering, in any form that :func:`clusterdiff.compare` takes.
    measures
        By name, or functions of the meet.
    how
        ``"paper"``: split the largest cluster into equal halves until all points are singletons, then merge the
        points that are singletons in ``true``, two by two (an odd one goes to any cluster), which is a worst
        clustering for S*. ``"splits"``: split any cluster anywhere, until all are singletons. ``"merges"``: merge
        any two clusters, until one is left. ``"moves"``: move each point in turn to any other cluster.
        ``"shuffle"``: exchange the clusters of a growing share of the points.
    steps
        How many clusterings to score, evenly spaced, besides the first; all of them if None, but 100 for the
        random ways.
    seed
        For all that is left to chance: which of the largest clusters, which points, which clusters.

    Notes
    -----
    In the paper's series each operation changes the sums that measures are made of by a known amount, so that
    10⁵ points with as many steps take seconds. Measures that need more than these sums are computed afresh at each
    step: choose ``steps`` for them if there are many points.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> series = cd.worsen([0, 0, 1, 2], measures=["S_H", "A"])
    >>> series.table
       operations     S_H       A
    0           0  1.0000  1.0000
    1           1  0.5000  0.7500
    2           2  0.0000  0.5000
    """
    one_of("how", how, HOW)
    clustering = Clustering.reading(true, "true")
    if clustering.labels.absent is not None:
        raise ArgumentError(
            f"`true` has no label for {int(clustering.labels.absent.sum()):,} points.",
            "leave those points out first.",
        )
    if steps is not None and (not isinstance(steps, int) or steps < 1):
        raise ArgumentError(f"`steps` must be a whole number of at least 1; got {steps!r}.")
    wanted = {m if isinstance(m, str) else resolve(m).name: resolve(m) for m in measures}
    rng = np.random.default_rng(seed)
    made = _Paper(clustering, rng) if how == "paper" else _RANDOM[how](clustering.codes.astype(np.int64), rng)
    total = len(made.operations)
    if steps is None and how != "paper":
        steps = STEPS
    at = (
        np.arange(total + 1)
        if steps is None
        else np.unique(np.linspace(0, total, min(steps, total) + 1).astype(int))
    )
    scores = {name: np.empty(len(at)) for name in wanted}
    for i, meet in enumerate(made.meets(at)):
        for name, measure in wanted.items():
            scores[name][i] = _score(measure, meet)
    return Series(clustering, how, seed, at, scores, made.operations, made.labels)


def _score(measure: Measure, meet: Meet) -> float:
    if measure.symbol == "A" and isinstance(meet, _StepMeet) and meet.matched is not None:
        return meet.matched / meet.n
    return float(measure(meet))


class _Steps:
    """A series: its operations, and the labels after any number of them."""

    def __init__(self, true: IntLabels, operations: Table[Any], labels: Callable[[int], IntLabels]) -> None:
        self.true = true
        self.operations = operations
        self.labels = labels

    def meets(self, at: IntLabels) -> Iterator[Meet]:
        """The meets of the true clustering with those after so many operations."""
        for count in at.tolist():
            yield Meet.from_labels(self.true, self.labels(count))


# ---- the random ways


def _operations(word: str, size: Any, clusters: Any) -> Table[Any]:
    size = np.asarray(size, dtype=np.int64)
    return Table(
        {
            "operation": np.full(len(size), word),
            "size": size,
            "clusters": np.asarray(clusters, dtype=np.int64),
        }
    )


def _splits(true: IntLabels, rng: np.random.Generator) -> _Steps:
    """Split any cluster anywhere: its points in random order are cut in two."""
    order, start, stop = _intervals(true, rng)
    pieces = [(a, b) for a, b in zip(start, stop, strict=True) if b - a > 1]
    cuts, sizes = [], []
    while pieces:
        i = int(rng.integers(len(pieces)))
        pieces[i], pieces[-1] = pieces[-1], pieces[i]
        a, b = pieces.pop()
        cut = int(rng.integers(a + 1, b))
        cuts.append(cut)
        sizes.append(b - a)
        pieces.extend(piece for piece in ((a, cut), (cut, b)) if piece[1] - piece[0] > 1)
    begins = np.array(start + cuts)

    def labels(count: int) -> IntLabels:
        return _runs(order, begins[: len(start) + count])

    return _Steps(true, _operations("split", sizes, len(start) + 1 + np.arange(len(cuts))), labels)


def _merges(true: IntLabels, rng: np.random.Generator) -> _Steps:
    """Merge any two clusters."""
    size = np.bincount(true).tolist()
    alive = list(range(len(size)))
    joined: list[tuple[int, int]] = []
    sizes = []
    while len(alive) > 1:
        i, j = rng.choice(len(alive), 2, replace=False).tolist()
        one, other = alive[i], alive[j]
        joined.append((one, other))
        size[one] += size[other]
        sizes.append(size[one])
        alive[j] = alive[-1]
        alive.pop()

    def labels(count: int) -> IntLabels:
        to = list(range(len(size)))
        for one, other in reversed(joined[:count]):
            to[other] = to[one]  # where the one it joined ends up is known, going backwards
        return np.array(to)[true]

    return _Steps(true, _operations("merge", sizes, len(size) - 1 - np.arange(len(joined))), labels)


def _moves(true: IntLabels, rng: np.random.Generator) -> _Steps:
    """Move each point in turn to any other of the true clusters."""
    k = int(true.max()) + 1
    if k == 1:
        raise ArgumentError('how="moves" needs a true clustering of at least two clusters; it has one.')
    order = rng.permutation(len(true))
    target = (true + rng.integers(1, k, len(true))) % k
    size = np.bincount(true)
    clusters = []
    left = k
    for point in order.tolist():
        size[true[point]] -= 1
        left -= size[true[point]] == 0
        left += size[target[point]] == 0
        size[target[point]] += 1
        clusters.append(int(left))

    def labels(count: int) -> IntLabels:
        out = true.copy()
        out[order[:count]] = target[order[:count]]
        return out

    return _Steps(true, _operations("move", np.ones(len(true)), clusters), labels)


def _shuffle(true: IntLabels, rng: np.random.Generator) -> _Steps:
    """Exchange the clusters of the first few points of a random order, then of a few more."""
    order = rng.permutation(len(true))
    # Sorting the points by one random key each makes the permutation of a larger share extend that of a smaller.
    key = rng.random(len(true))
    k = int(true.max()) + 1

    def labels(count: int) -> IntLabels:
        chosen = order[:count]
        out = true.copy()
        out[chosen] = true[chosen[np.argsort(key[:count])]]
        return out

    return _Steps(true, _operations("shuffle", 1 + np.arange(len(true)), np.full(len(true), k)), labels)


_RANDOM: dict[str, Callable[[IntLabels, np.random.Generator], _Steps]] = {
    "splits": _splits,
    "merges": _merges,
    "moves": _moves,
    "shuffle": _shuffle,
}


def _intervals(true: IntLabels, rng: np.random.Generator) -> tuple[IntLabels, list[int], list[int]]:
    """The points in an order in which each cluster is a run, random within clusters; the runs' bounds."""
    order = rng.permutation(len(true))
    order = order[np.argsort(true[order], kind="stable")]
    stop = np.cumsum(np.bincount(true)).tolist()
    return order, [0, *stop[:-1]], stop


def _runs(order: IntLabels, begins: IntLabels) -> IntLabels:
    """Labels of points that stand in ``order``, where a cluster is a run and runs begin at ``begins``."""
    first = np.zeros(len(order), dtype=np.int64)
    first[begins] = 1
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.cumsum(first) - 1
    return out


# ---- the paper's way

#: Sums are kept as whole multiples of 2^-SCALE, so that what is added and taken away again leaves no trace.
SCALE = 80


def _fixed(x: float) -> int:
    """A float as a whole multiple of 2^-SCALE; exact unless it is tiny."""
    numerator, denominator = x.as_integer_ratio()
    return (numerator << SCALE) // denominator


def _float(x: int) -> float:
    return x / (1 << SCALE)


def _x_log_x(x: int) -> float:
    return x * log(x) if x > 1 else 0.0


class _StepSums:
    """The sums of one step, finished from running totals; others are had from the cells themselves."""

    def __init__(self, meet: _StepMeet, totals: dict[str, int], n: int) -> None:
        self._meet = meet
        self._totals = totals
        self._n = n
        for name in ("mm", "aa", "bb", "true_max", "pred_max"):
            setattr(self, name, totals[name])

    def __getattr__(self, name: str) -> Any:
        if name in ("s_h", "s_pairs", "s_largest", "s_h_mean", "s_pairs_mean", "s_largest_mean"):
            return _float(self._totals[name]) / self._n
        return getattr(self._meet.cells.sums(), name)

    def _entropy(self, name: str) -> float:
        return log(self._n) - _float(self._totals[name]) / self._n

    @property
    def h_true(self) -> float:
        return self._entropy("true_log")

    @property
    def h_pred(self) -> float:
        return self._entropy("pred_log")

    @property
    def h_joint(self) -> float:
        return self._entropy("cell_log")

    @property
    def split_info(self) -> float:
        return _float(self._totals["true_log"] - self._totals["cell_log"]) / self._n

    @property
    def merge_info(self) -> float:
        return _float(self._totals["pred_log"] - self._totals["cell_log"]) / self._n

    @property
    def mutual(self) -> float:
        logs = self._totals["cell_log"] - self._totals["true_log"] - self._totals["pred_log"]
        return max(0.0, log(self._n) + _float(logs) / self._n)


class _StepMeet(Meet):
    """The meet of one step: its sums are known, its cells are built only if a measure asks for them."""

    def __init__(
        self, n: int, k_true: int, k_pred: int, count: int, totals: dict[str, int], labels: Any
    ) -> None:
        self._n, self._k_true, self._k_pred, self._count = n, k_true, k_pred, count
        self._build = labels
        self.matched: int | None = totals["matched"]
        self.weights = self.moments = self.links = self.features = None
        self._true_lexicon = self._pred_lexicon = None
        self.__dict__["sums"] = _StepSums(self, totals, n)

    @cached_property
    def cells(self) -> _core.Cells:  # type: ignore[override]
        return _core.meet(*self._build())

    @property
    def cell_of_point(self) -> Any:
        return self.cells.locate(*self._build())

    @property
    def n(self) -> int:
        return self._n

    @property
    def k_true(self) -> int:
        return self._k_true

    @property
    def k_pred(self) -> int:
        return self._k_pred

    def __len__(self) -> int:
        return self._count

    @property
    def pairs(self) -> Pairs:
        n, sums = self._n, self.sums
        return Pairs((sums.mm - n) // 2, (sums.aa - n) // 2, (sums.bb - n) // 2, n * (n - 1) // 2)


class _Star:
    """A true cluster and the sizes of its parts, all of them whole predicted clusters."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.parts = Counter({size: 1})
        self.whole = _fixed(_x_log_x(size))
        self.log = self.whole
        self.pairs = size * (size - 1)
        self.largest = size

    def split(self, size: int, half: int) -> None:
        """Part one of the parts in two."""
        rest = size - half
        self.parts[size] -= 1
        if not self.parts[size]:
            del self.parts[size]
        self.parts[half] += 1
        self.parts[rest] += 1
        self.log += _fixed(_x_log_x(half)) + _fixed(_x_log_x(rest)) - _fixed(_x_log_x(size))
        self.pairs -= 2 * half * rest
        # Halving keeps all parts within a few sizes, so this is short.
        self.largest = max(self.parts)

    def scores(self) -> dict[str, int]:
        """Its share of n·S* for the three built-in s, as fixed-point numbers."""
        a = self.size
        if a == 1:
            kept = dict.fromkeys(("s_h", "s_pairs", "s_largest"), 1.0)
        else:
            kept = {
                "s_h": self.log / self.whole,
                "s_pairs": self.pairs / (a * (a - 1)),
                "s_largest": (self.largest - 1) / (a - 1),
            }
        return {name: _fixed(a * s) for name, s in kept.items()}


class _Paper:
    """The series of section 6, with running totals of the sums that measures read."""

    def __init__(self, clustering: Clustering, rng: np.random.Generator) -> None:
        self.true = clustering.codes.astype(np.int64)
        self.n = len(self.true)
        self.order, start, stop = _intervals(self.true, rng)
        self.stars = [_Star(b - a) for a, b in zip(start, stop, strict=True)]
        self._split(start, stop, rng)
        self.begins = np.array(start + [cut for _, cut, _, _ in self.splits])
        self._merge(rng)
        k = len(self.stars)
        kinds = np.repeat(["split", "merge"], [len(self.splits), len(self.merges)])
        sizes = [b - a for a, _, b, _ in self.splits] + self._merged_sizes()
        clusters = [k + 1 + i for i in range(len(self.splits))]
        clusters += [k + len(self.splits) - 1 - i for i in range(len(self.merges))]
        self.operations: Table[Any] = Table(
            {
                "operation": kinds,
                "size": np.array(sizes, dtype=np.int64),
                "clusters": np.array(clusters, dtype=np.int64),
            }
        )

    def _split(self, start: list[int], stop: list[int], rng: np.random.Generator) -> None:
        """All splits: (start, cut, stop) of a run of points, and the true cluster it is in."""
        tie = rng.permutation(len(start)).tolist()
        heap = [
            (a - b, tie[i], a, b, i) for i, (a, b) in enumerate(zip(start, stop, strict=True)) if b - a > 1
        ]
        heapq.heapify(heap)
        self.splits: list[tuple[int, int, int, int]] = []
        while heap:
            _, order, a, b, star = heapq.heappop(heap)
            cut = a + (b - a + 1) // 2
            self.splits.append((a, cut, b, star))
            for low, high in ((a, cut), (cut, b)):
                if high - low > 1:
                    heapq.heappush(heap, (low - high, order, low, high, star))

    def _merge(self, rng: np.random.Generator) -> None:
        """All merges from ⊥ on: pairs of true singletons; an odd one goes to any other cluster."""
        size = np.bincount(self.true)
        single = rng.permutation(np.flatnonzero(size[self.true] == 1)).tolist()
        self.merges = list(zip(single[::2], single[1::2], strict=False))
        self.paired = len(self.merges)
        if len(single) % 2 and self.n > 1:
            odd = single[-1]
            taken = {other for _, other in self.merges}
            others = [point for point in range(self.n) if point != odd and point not in taken]
            self.merges.append((others[int(rng.integers(len(others)))], odd))

    def _merged_sizes(self) -> list[int]:
        size: Counter[int] = Counter()
        out = []
        for one, _ in self.merges:
            size[one] += 1
            out.append(size[one] + 1)
        return out

    def labels(self, count: int) -> IntLabels:
        """The labels after so many operations."""
        out = _runs(self.order, self.begins[: len(self.stars) + count])
        for one, other in self.merges[: max(0, count - len(self.splits))]:
            out[other] = out[one]
        return out

    def meets(self, at: IntLabels) -> Iterator[Meet]:
        """The meets after so many operations, with sums carried from one operation to the next."""
        wanted = set(at.tolist())
        stars = [_Star(star.size) for star in self.stars]
        totals = self._totals(stars)
        count = 0
        if 0 in wanted:
            yield self._meet(count, totals)
        for a, cut, b, which in self.splits:
            count += 1
            self._apply_split(totals, stars[which], b - a, cut - a)
            if count in wanted:
                yield self._meet(count, totals)
        for _ in range(self.paired):
            count += 1
            _apply_merge(totals)
            if count in wanted:
                yield self._meet(count, totals)
        if len(self.merges) > self.paired and count + 1 in wanted:
            # The odd singleton may join any cluster, so this one step is counted afresh.
            yield Meet.from_labels(self.true, self.labels(count + 1))

    def _totals(self, stars: list[_Star]) -> dict[str, int]:
        squares = sum(star.size**2 for star in stars)
        logs = sum(star.whole for star in stars)
        whole = dict.fromkeys(("true_max", "pred_max", "matched"), self.n)
        scores = dict.fromkeys(
            ("s_h", "s_pairs", "s_largest", "s_h_mean", "s_pairs_mean", "s_largest_mean"), self.n << SCALE
        )
        return {
            **dict.fromkeys(("mm", "aa", "bb"), squares),
            **dict.fromkeys(("true_log", "pred_log", "cell_log"), logs),
            **whole,
            **scores,
            "k_pred": len(stars),
            "cells": len(stars),
        }

    def _apply_split(self, totals: dict[str, int], star: _Star, size: int, half: int) -> None:
        largest, log_before, scores = star.largest, star.log, star.scores()
        star.split(size, half)
        after = star.scores()
        squares = 2 * half * (size - half)
        totals["mm"] -= squares
        totals["bb"] -= squares
        totals["cell_log"] += star.log - log_before
        totals["pred_log"] += star.log - log_before
        totals["true_max"] += star.largest - largest
        totals["matched"] += star.largest - largest
        for name, score in after.items():
            totals[name] += score - scores[name]
            # Merge scores are all 1 while nothing is merged, so S' loses half of what S* loses.
            totals[f"{name}_mean"] += (score - scores[name]) // 2
        totals["k_pred"] += 1
        totals["cells"] += 1

    def _meet(self, count: int, totals: dict[str, int]) -> _StepMeet:
        return _StepMeet(
            self.n,
            len(self.stars),
            totals["k_pred"],
            totals["cells"],
            dict(totals),
            lambda: (self.true, self.labels(count)),
        )


def _apply_merge(totals: dict[str, int]) -> None:
    """Two true singletons become one cluster of two cells."""
    totals["bb"] += 2
    totals["pred_log"] += _fixed(_x_log_x(2))
    totals["pred_max"] -= 1
    totals["matched"] -= 1
    for name in ("s_h", "s_pairs", "s_largest"):
        totals[name] -= 2 << SCALE
        totals[f"{name}_mean"] -= 1 << SCALE
    totals["k_pred"] -= 1
