"""What chance alone reaches: expectations over all ways to lay the two clusterings over the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import Int64Array


class Chance(NamedTuple):
    """The averages of information measures over all ways to lay the two clusterings over the points."""

    mutual: float
    split_info: float
    merge_info: float


def _distinct(sizes: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The distinct sizes, and how many clusters have each."""
    if sizes.max() > 4 * len(sizes) + 2**16:  # few clusters, some of them huge: sorting beats a table
        return np.unique(sizes, return_counts=True)
    counts = np.bincount(sizes)
    found = np.flatnonzero(counts)
    return found, counts[found]


def expected(meet: Meet) -> Chance:
    """The expectations for clusterings with clusters of these sizes."""
    return Chance(*_core.expected_information(*_distinct(meet.true_size), *_distinct(meet.pred_size)))
