"""Which predicted cluster continues which true one: the one matching that explanation, fates and names share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray

#: For some cells, numbers in the order of their least points.
Least: TypeAlias = Callable[[Int64Array], Int64Array]


def matching(true: IntArray, pred: IntArray, size: Int64Array, least: Least) -> Int64Array:
    """The places of cells that pair a true cluster with the predicted one that continues it, ascending.

    The cell that shares most points comes first; of equal ones that of smaller clusters, counted over the points of
    all cells, and then that of the least point. A cell is taken if no earlier one has either of its clusters. So a pair
    that shares more than half of both clusters is always taken, and the result depends neither on rows nor on numbers.
    """
    return _core.one_to_one(true, pred, np.ascontiguousarray(size, dtype=np.int64), least)


def continued(meet: Meet, clustered: BoolArray, least: Least) -> Int64Array:
    """The cells of a meet that pair clusters; ``clustered`` says which lie in clusters of the user's on both sides."""
    if clustered.all():
        return matching(meet.true, meet.pred, meet.size, least)
    own = np.flatnonzero(clustered)
    found = matching(meet.true[own], meet.pred[own], meet.size[own], lambda tied: least(own[tied]))
    return own[found]
