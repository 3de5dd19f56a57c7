"""Which predicted cluster continues which true one: the one matching that explanation, fates and names share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.arrays import order_by
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
    if not len(size):
        return np.empty(0, dtype=np.int64)
    k_true, k_pred = int(true.max()) + 1, int(pred.max()) + 1
    disputed = (np.bincount(true) > 1)[true] | (np.bincount(pred) > 1)[pred]
    rest = np.flatnonzero(disputed)
    true, pred, size = true[rest], pred[rest], size[rest]
    together = _core.group_sum(true, k_true, size)[true] + _core.group_sum(pred, k_pred, size)[pred]
    order = order_by(-size, together)
    # Cells of one rank share as many points and are of clusters as large: their least points decide. Those are asked
    # for where it matters: whoever shares no cluster does not compete.
    rank = np.empty(len(rest), dtype=np.int64)
    rank[order] = np.cumsum(_changes(size[order]) | _changes(together[order]))
    tied = np.flatnonzero(_tied(true, rank) | _tied(pred, rank))
    if len(tied):
        turn = np.zeros(len(rest), dtype=np.int64)
        turn[tied] = least(rest[tied])
        order = order_by(rank, turn)
    taken = order[_core.greedy(true[order], pred[order], k_true, k_pred)]
    return np.sort(np.concatenate([np.flatnonzero(~disputed), rest[taken]]))


def _tied(cluster: IntArray, rank: Int64Array) -> BoolArray:
    """Which cells have the rank of another one of their cluster."""
    order = order_by(cluster, rank)
    same = np.flatnonzero(~(_changes(cluster[order]) | _changes(rank[order])))
    tied = np.zeros(len(order), dtype=bool)
    tied[order[same]] = tied[order[same - 1]] = True
    return tied


def _changes(values: IntArray) -> BoolArray:
    """Where a value differs from the one before it, and the first."""
    return np.append(True, values[1:] != values[:-1])[: len(values)]


def continued(meet: Meet, clustered: BoolArray, least: Least) -> Int64Array:
    """The cells of a meet that pair clusters; ``clustered`` says which lie in clusters of the user's on both sides."""
    if clustered.all():
        return matching(meet.true, meet.pred, meet.size, least)
    own = np.flatnonzero(clustered)
    found = matching(meet.true[own], meet.pred[own], meet.size[own], lambda tied: least(own[tied]))
    return own[found]
