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
    if not len(size):
        return np.empty(0, dtype=np.int64)
    k_true, k_pred = int(true.max()) + 1, int(pred.max()) + 1
    undisputed = (np.bincount(true)[true] == 1) & (np.bincount(pred)[pred] == 1)
    rest = np.flatnonzero(~undisputed)
    true, pred, size = true[rest], pred[rest], size[rest]
    together = _core.group_sum(true, k_true, size)[true] + _core.group_sum(pred, k_pred, size)[pred]
    # Least points are asked for where they decide alone: whoever shares no cluster does not compete.
    tied = _tied(true, size, together) | _tied(pred, size, together)
    turn = np.zeros(len(rest), dtype=np.int64)
    turn[tied] = least(rest[tied])
    order = np.lexsort((turn, together, -size))
    taken = order[_core.greedy(true[order], pred[order], k_true, k_pred)]
    return np.sort(np.concatenate([np.flatnonzero(undisputed), rest[taken]]))


def _tied(cluster: IntArray, size: Int64Array, together: Int64Array) -> BoolArray:
    """Which cells equal another one of their cluster."""
    order = np.lexsort((together, size, cluster))
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in (cluster, size, together):
        same &= key[order][1:] == key[order][:-1]
    tied = np.zeros(len(order), dtype=bool)
    tied[order[1:][same]] = tied[order[:-1][same]] = True
    return tied


def continued(meet: Meet, clustered: BoolArray, least: Least) -> Int64Array:
    """The cells of a meet that pair clusters; ``clustered`` says which lie in clusters of the user's on both sides."""
    own = np.flatnonzero(clustered)
    found = matching(meet.true[own], meet.pred[own], meet.size[own], lambda tied: least(own[tied]))
    return own[found]
