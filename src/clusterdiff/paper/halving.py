"""The paper's way to worsen a clustering: halve the largest cluster until all are singletons, then merge singletons."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator
from math import log

import numpy as np

from clusterdiff.meet.sums import Summed
from clusterdiff.meet.values import CORE_SCORES, Counted
from clusterdiff.paper.steps import IntLabels, Worsening, intervals, runs
from clusterdiff.table import Table

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


class StepSums:
    """The sums of one step, finished from running totals."""

    def __init__(self, totals: dict[str, int], n: int) -> None:
        self._totals = totals
        self._n = n
        self.mm = totals["mm"]
        self.aa = totals["aa"]
        self.bb = totals["bb"]
        self.true_max = totals["true_max"]
        self.pred_max = totals["pred_max"]
        self.matched = totals["matched"]

    def __getattr__(self, name: str) -> float:
        """S* or S' with a built-in s."""
        if name not in CORE_SCORES:
            raise AttributeError(name)
        return _float(self._totals[name]) / self._n

    def _entropy(self, name: str) -> float:
        return log(self._n) - _float(self._totals[name]) / self._n

    @property
    def h_true(self) -> float:
        """H(𝕃)."""
        return self._entropy("true_log")

    @property
    def h_pred(self) -> float:
        """H(ℂ)."""
        return self._entropy("pred_log")

    @property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""
        return self._entropy("cell_log")

    @property
    def split_info(self) -> float:
        """H(ℂ|𝕃)."""
        return _float(self._totals["true_log"] - self._totals["cell_log"]) / self._n

    @property
    def merge_info(self) -> float:
        """H(𝕃|ℂ)."""
        return _float(self._totals["pred_log"] - self._totals["cell_log"]) / self._n

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""
        logs = self._totals["cell_log"] - self._totals["true_log"] - self._totals["pred_log"]
        return max(0.0, log(self._n) + _float(logs) / self._n)

    @property
    def b3_recall(self) -> float:
        """Σ m²/a / n."""
        return _float(self._totals["b3_recall"]) / self._n

    @property
    def b3_precision(self) -> float:
        """Σ m²/b / n."""
        return _float(self._totals["b3_precision"]) / self._n

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""
        return _float(self._totals["element"]) / self._n


class Step(Counted):
    """What is known about one clustering of the series: its sums, and nothing more; a :class:`Summed`."""

    known = frozenset({"sums", "matched", *CORE_SCORES})
    lacking = ("a step of a series knows its sums alone", None)

    def __init__(self, n: int, k_true: int, totals: dict[str, int]) -> None:
        super().__init__(n, k_true, totals["k_pred"], totals["cells"], StepSums(totals, n))


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
        """Divide one of the parts in two."""
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

    @property
    def squares(self) -> int:
        """Σ m²/a over its parts, as a fixed-point number."""
        return _fixed((self.pairs + self.size) / self.size)

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


class Halving(Worsening):
    """The series of section 6, with running totals of the sums that measures read."""

    def __init__(self, true: IntLabels, rng: np.random.Generator) -> None:
        self.true = true
        self.n = len(true)
        self.order, start, stop = intervals(true, rng)
        self.stars = [_Star(b - a) for a, b in zip(start, stop, strict=True)]
        self._split(start, stop, rng)
        self.begins = np.array(start + [cut for _, cut, _, _ in self.splits])
        self._merge(rng)
        k = len(self.stars)
        kinds = np.repeat(["split", "merge"], [len(self.splits), len(self.merges)])
        sizes = [b - a for a, _, b, _ in self.splits] + self._merged_sizes()
        clusters = [k + 1 + i for i in range(len(self.splits))]
        clusters += [k + len(self.splits) - 1 - i for i in range(len(self.merges))]
        self.operations = Table(
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
        out = runs(self.order, self.begins[: len(self.stars) + count])
        for one, other in self.merges[: max(0, count - len(self.splits))]:
            out[other] = out[one]
        return out

    def steps(self, at: IntLabels) -> Iterator[Summed]:
        """The sums after so many operations, carried from one operation to the next."""
        wanted = set(at.tolist())
        stars = [_Star(star.size) for star in self.stars]
        totals = self._totals(stars)
        count = 0
        if 0 in wanted:
            yield self._step(totals)
        for a, cut, b, which in self.splits:
            count += 1
            self._apply_split(totals, stars[which], b - a, cut - a)
            if count in wanted:
                yield self._step(totals)
        for _ in range(self.paired):
            count += 1
            _apply_merge(totals)
            if count in wanted:
                yield self._step(totals)
        if len(self.merges) > self.paired and count + 1 in wanted:
            # The odd singleton may join any cluster, so this one step is counted afresh.
            yield self.meet(count + 1)

    def _totals(self, stars: list[_Star]) -> dict[str, int]:
        squares = sum(star.size**2 for star in stars)
        logs = sum(star.whole for star in stars)
        whole = dict.fromkeys(("true_max", "pred_max", "matched"), self.n)
        scores = dict.fromkeys((*CORE_SCORES, "b3_recall", "b3_precision", "element"), self.n << SCALE)
        return {
            **dict.fromkeys(("mm", "aa", "bb"), squares),
            **dict.fromkeys(("true_log", "pred_log", "cell_log"), logs),
            **whole,
            **scores,
            "k_pred": len(stars),
            "cells": len(stars),
        }

    def _apply_split(self, totals: dict[str, int], star: _Star, size: int, half: int) -> None:
        largest, log_before, scores, squares_before = star.largest, star.log, star.scores(), star.squares
        star.split(size, half)
        after = star.scores()
        squares = 2 * half * (size - half)
        totals["mm"] -= squares
        totals["bb"] -= squares
        totals["cell_log"] += star.log - log_before
        totals["pred_log"] += star.log - log_before
        totals["true_max"] += star.largest - largest
        totals["matched"] += star.largest - largest
        # No part is larger than its true cluster, and every part is a whole predicted one.
        for name in ("b3_recall", "element"):
            totals[name] += star.squares - squares_before
        for name, score in after.items():
            totals[name] += score - scores[name]
            # Merge scores are all 1 while nothing is merged, so S' loses half of what S* loses.
            totals[f"{name}_mean"] += (score - scores[name]) // 2
        totals["k_pred"] += 1
        totals["cells"] += 1

    def _step(self, totals: dict[str, int]) -> Step:
        return Step(self.n, len(self.stars), dict(totals))


def _apply_merge(totals: dict[str, int]) -> None:
    """Two true singletons become one cluster of two cells."""
    totals["bb"] += 2
    totals["pred_log"] += _fixed(_x_log_x(2))
    totals["pred_max"] -= 1
    totals["matched"] -= 1
    for name in ("s_h", "s_pairs", "s_largest"):
        totals[name] -= 2 << SCALE
        totals[f"{name}_mean"] -= 1 << SCALE
    for name in ("b3_precision", "element"):
        totals[name] -= 1 << SCALE
    totals["k_pred"] -= 1
