"""What measures read of each level of a tree: sums that one pass over its merges makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from math import log
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.decide.trees import Int32Array, Tree
from clusterdiff.diff.loss import Losses
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Pairs
from clusterdiff.meet.sums import Once
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.wording import count

#: How many points, over all levels, may be gone through for measures that read more than sums.
MOST_READ = 20_000_000_000
#: What a level reads of the core's sums.
READ = (
    "s_h", "split", "merge", "h_pred", "split_info", "merge_info", "b3_recall", "b3_precision", "mm", "bb", "true_max",
    "pred_max", "cells", "clusters",
)  # fmt: skip


class LevelSums:
    """The sums of one level; the only one that is not among them comes from its cells."""

    def __init__(self, values: dict[str, Any], aa: int, h_true: float, meet: Callable[[], Meet]) -> None:
        self.mm: int = values["mm"]
        self.aa = aa
        self.bb: int = values["bb"]
        self.true_max: int = values["true_max"]
        self.pred_max: int = values["pred_max"]
        self.h_true = h_true
        self.h_pred: float = values["h_pred"]
        self.split_info: float = values["split_info"]
        self.merge_info: float = values["merge_info"]
        self.b3_recall: float = values["b3_recall"]
        self.b3_precision: float = values["b3_precision"]
        self._meet = meet

    @property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""
        return self.h_true + self.split_info

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ), as a difference from the side of which less is left open."""
        if self.merge_info <= self.split_info:
            return max(0.0, self.h_true - self.merge_info)
        return max(0.0, self.h_pred - self.split_info)

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""
        return self._meet().sums.element


class Level(Once):
    """What is known of the clustering at one level: its sums; a :class:`Summed`."""

    offers = frozenset({"sums", "s_h", "s_h_mean"})
    lacking = ("a level of a sweep knows its sums alone", None)
    weighted = False
    uneven = False

    def __init__(self, n: int, k_true: int, values: dict[str, Any], sums: LevelSums) -> None:
        self.n = n
        self.total = n
        self.k_true = k_true
        self.k_pred: int = values["clusters"]
        self.sums = sums
        self._values = values
        self._made = {}

    def __len__(self) -> int:
        """Number of cells."""
        cells: int = self._values["cells"]
        return cells

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        return Pairs.counted(self.sums, self.n, self.n)

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.n)

    def fused(self, name: str) -> float:
        """S_H, or S'(entropy)."""
        values = self._values
        score: float = values["s_h"] if name == "s_h" else (values["split"] + values["merge"]) / 2
        return score


class Levels:
    """The clusterings after so many merges of a tree, against the true clusters of its points."""

    def __init__(self, codes: Int32Array, tree: Tree, ends: Int64Array) -> None:
        self.codes = codes
        self.tree = tree
        self.ends = ends
        self.sizes = np.bincount(codes)
        self.sums = _core.sweep(codes, len(self.sizes), tree.left, tree.right, ends)

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def clusters(self) -> Int64Array:
        """The number of clusters at each level."""
        return self.sums.clusters

    @cached_property
    def losses(self) -> Losses:
        """What S_H lost at each level.

        Over all cells (1−s)(1+t)/2 and (1−t)(1+s)/2 add up to what the mean split score, the mean merge score and S_H
        tell.
        """
        s, t, both = self.sums.split, self.sums.merge, self.sums.s_h
        none = np.zeros(len(self))
        return Losses(np.maximum(1 - s + t - both, 0) / 2, np.maximum(1 - t + s - both, 0) / 2, none, none)

    def meet(self, j: int) -> Meet:
        """The meet of level j."""
        return Meet.from_labels(self.codes, self.tree.cut(int(self.ends[j])))

    def _each(self) -> Iterator[tuple[Level, _Kept]]:
        aa, n, k = _core.sum_squares(self.sizes), self.tree.points, len(self.sizes)
        share = self.sizes / n
        h_true = float(-np.sum(share * np.log(share))) + 0.0
        columns = [getattr(self.sums, name).tolist() for name in READ]
        for j, row in enumerate(zip(*columns, strict=True)):
            values = dict(zip(READ, row, strict=True))
            meet = _Kept(partial(self.meet, j))
            yield Level(n, k, values, LevelSums(values, aa, h_true, meet)), meet

    def scores(self, measures: dict[str, Measure]) -> dict[str, FloatArray]:
        """Each measure at each level."""
        scores = {name: np.empty(len(self)) for name in measures}
        left = dict(measures)
        for name, measure in measures.items():
            if measure.name == "S_H":
                scores[name] = self.sums.s_h.copy()
                del left[name]
        for j, (level, meet) in enumerate(self._each() if left else ()):
            for name, measure in left.items():
                scores[name][j] = measure(meet() if measure.lacks(level) else level)
                if meet.made and j == 0:
                    self._refuse_many(name)
        return scores

    def _refuse_many(self, name: str) -> None:
        """A measure that looks at every point of every level must not run for days."""
        if len(self) * self.tree.points > MOST_READ:
            raise MeasureError(
                f"{name} reads more than sums, and would go through {count(self.tree.points)} at each of "
                f"{count(len(self), 'threshold')}.",
                "pass thresholds=200, or measures that read sums (`clusterdiff measures` says which do).",
            )


class _Kept:
    """A meet that is made when a measure asks for it, and then kept for the others."""

    def __init__(self, make: Callable[[], Meet]) -> None:
        self._make = make
        self._meet: Meet | None = None

    @property
    def made(self) -> bool:
        return self._meet is not None

    def __call__(self) -> Meet:
        if self._meet is None:
            self._meet = self._make()
        return self._meet
