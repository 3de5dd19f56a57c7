"""The sizes of the clusters on both sides: all that chance depends on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clusterdiff import _core
from clusterdiff.points.labels import Int64Array


@dataclass(frozen=True, eq=False)
class SizeCounts:
    """The distinct sizes of the clusters of one side, ascending, and how many clusters have each."""

    sizes: Int64Array
    counts: Int64Array

    @classmethod
    def of(cls, sizes: Int64Array) -> SizeCounts:
        """From the size of each cluster."""
        return cls(*_core.counted(np.asarray(sizes, dtype=np.int64)))

    @property
    def n(self) -> int:
        """Number of points."""
        return int(np.dot(self.sizes, self.counts))

    @property
    def k(self) -> int:
        """Number of clusters."""
        return int(self.counts.sum())

    @property
    def each(self) -> Int64Array:
        """The size of each cluster, ascending."""
        return np.repeat(self.sizes, self.counts)

    @property
    def pairs(self) -> int:
        """Pairs of points that are together, counted exactly."""
        return sum(
            size * (size - 1) // 2 * count
            for size, count in zip(self.sizes.tolist(), self.counts.tolist(), strict=True)
        )


@dataclass(frozen=True, eq=False)
class Margins:
    """The sizes of the true and of the predicted clusters."""

    true: SizeCounts
    pred: SizeCounts

    @property
    def n(self) -> int:
        """Number of points."""
        return self.true.n

    @property
    def fixed(self) -> bool:
        """Whether nothing is left to chance: with one cluster or all singletons on a side, every meet looks alike."""
        return not {1, self.n}.isdisjoint((self.true.k, self.pred.k))
