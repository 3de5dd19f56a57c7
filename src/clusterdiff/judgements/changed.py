"""Changed components of two runs: where they differ, how much, in which way; and a size to draw them by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.points.labels import FloatArray, Int64Array

#: The kinds of change, by number, in the order of strata.
KINDS = ("split", "merge", "rearranged")


@dataclass(frozen=True)
class ChangedComponents:
    """Components in which two runs differ: number in the join, points, kind, points that moved, pairs torn and joined.

    ``n`` counts the shared points of the runs, ``pairs`` those together in the old and in the new one.
    """

    component: Int64Array
    size: FloatArray
    kind: Int64Array
    moved: FloatArray
    torn: FloatArray
    joined: FloatArray
    n: int
    pairs: tuple[float, float]

    def __len__(self) -> int:
        return len(self.component)

    @property
    def x(self) -> FloatArray:
        """The size by which components are drawn: points that moved, pairs that changed, and a share for each."""
        changed = self.torn + self.joined
        found: FloatArray = (
            0.4 * self.moved / self.moved.sum() + 0.4 * changed / changed.sum() + 0.2 / len(self)
        )
        return found


def changed_components(diff: Comparison) -> ChangedComponents:
    """The changed components of an old and a new run, which were compared on the points that both have."""
    meet, join = diff.meet, diff.analysis.join
    m = meet.size.astype(float)
    a, b = meet.true_size[meet.true].astype(float), meet.pred_size[meet.pred].astype(float)
    of, k = join.of_cell, len(join)

    def by_component(values: FloatArray) -> FloatArray:
        return np.bincount(of, values, minlength=k).astype(float)

    old, new = join.true_count, join.pred_count
    changed = np.flatnonzero((old > 1) | (new > 1))
    kind = np.where(old == 1, 0, np.where(new == 1, 1, 2))
    return ChangedComponents(
        changed,
        by_component(m)[changed],
        kind[changed],
        by_component(m * (1 - m / (a + b - m)))[changed],
        by_component(m * (a - m) / 2)[changed],
        by_component(m * (b - m) / 2)[changed],
        int(meet.n),
        (float((m * (a - 1)).sum()) / 2, float((m * (b - 1)).sum()) / 2),
    )
