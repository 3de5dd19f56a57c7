"""What measures read of each level of a tree: sums that one pass over its merges makes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.decide.trees import Int32Array, Tree
from clusterdiff.diff.loss import Losses
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.values import Counted
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.wording import count

#: How many points, over all levels, may be gone through for measures that read more than sums.
MOST_READ = 20_000_000_000
#: So many levels are taken from the core's arrays at once.
BLOCK = 10_000
#: What a level reads of the core's sums.
READ = (
    "s_h", "split", "merge", "h_pred", "split_info", "merge_info", "b3_recall", "b3_precision", "mm", "bb", "true_max",
    "pred_max", "cells", "clusters",
)  # fmt: skip


class LevelSums:
    """The sums of one level; the only one that is not among them comes from its cells."""

    def __init__(self, levels: Levels, place: int, row: tuple[Any, ...]) -> None:
        self._levels = levels
        self._place = place
        self.aa, self.h_true = levels.aa, levels.h_true
        (
            self.s_h, self.split, self.merge, self.h_pred, self.split_info, self.merge_info, self.b3_recall,
            self.b3_precision, self.mm, self.bb, self.true_max, self.pred_max, self.cells, self.clusters,
        ) = row  # fmt: skip

    @cached_property
    def meet(self) -> Meet:
        """The meet, made when a measure asks for it."""
        return self._levels.meet(self._place)

    @property
    def s_h_mean(self) -> float:
        """S'(entropy)."""
        return float((self.split + self.merge) / 2)

    @property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""
        return float(self.h_true + self.split_info)

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ), as a difference from the side of which less is left open."""
        if self.merge_info <= self.split_info:
            return float(max(0.0, self.h_true - self.merge_info))
        return float(max(0.0, self.h_pred - self.split_info))

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""
        return self.meet.sums.element


class Level(Counted):
    """What is known of the clustering at one level: its sums; a :class:`Summed`."""

    known = frozenset({"sums", "s_h", "s_h_mean"})
    lacking = ("a level of a sweep knows only its sums", None)
    sums: LevelSums

    def __init__(self, n: int, k_true: int, sums: LevelSums) -> None:
        super().__init__(n, k_true, sums.clusters, sums.cells, sums)


class Levels:
    """The clusterings after so many merges of a tree, against the true clusters of its points."""

    def __init__(
        self, codes: Int32Array, tree: Tree, ends: Int64Array, sums: _core.Levels | None = None
    ) -> None:
        self.codes = codes
        self.tree = tree
        self.ends = ends
        self.sizes = np.bincount(codes)
        self.sums = _core.sweep(codes, len(self.sizes), tree.left, tree.right, ends) if sums is None else sums

    def at(self, places: Int64Array) -> Levels:
        """Some of the levels."""
        sums = _core.Levels._make(column[places] if len(column) else column for column in self.sums)
        return Levels(self.codes, self.tree, self.ends[places], sums)

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

    @cached_property
    def aa(self) -> int:
        """Σ a² over the true clusters."""
        return _core.sum_squares(self.sizes)

    @cached_property
    def h_true(self) -> float:
        """H(𝕃)."""
        share = self.sizes / self.tree.points
        return float(-np.sum(share * np.log(share))) + 0.0

    def __iter__(self) -> Iterator[Level]:
        for start in range(0, len(self), BLOCK):
            columns = [getattr(self.sums, name)[start : start + BLOCK].tolist() for name in READ]
            for j, row in enumerate(zip(*columns, strict=True), start):
                yield Level(self.tree.points, len(self.sizes), LevelSums(self, j, row))

    def looks_at_points(self, measure: Measure) -> bool:
        """Whether a measure reads more than the sums, and so looks at the points of every level."""
        level = next(iter(self.at(np.array([len(self) // 2]))))
        if measure.lacks(level):
            return True
        measure(level)
        return "meet" in vars(level.sums)

    def scores(self, measures: dict[str, Measure]) -> dict[str, FloatArray]:
        """Each measure at each level."""
        found = {name: np.empty(len(self)) for name in measures}
        left = {name: measure for name, measure in measures.items() if measure.name != "S_H"}
        for name in measures.keys() - left.keys():
            found[name][:] = self.sums.s_h
        for j, level in enumerate(self if left else ()):
            for name, measure in left.items():
                found[name][j] = measure(level.sums.meet if measure.lacks(level) else level)
                if j == 0 and "meet" in vars(level.sums):
                    self._refuse_many(name)
        return found

    def _refuse_many(self, name: str) -> None:
        """A measure that looks at every point of every level must not run for days."""
        if len(self) * self.tree.points > MOST_READ:
            raise MeasureError(
                f"{name} reads more than sums, and would go through {count(self.tree.points)} at each of "
                f"{count(len(self), 'threshold')}.",
                [
                    Message("pass `thresholds=200`"),
                    "pass measures that read sums (`clusterdiff measures` says which do)",
                ],
            )
