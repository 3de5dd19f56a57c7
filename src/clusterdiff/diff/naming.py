"""Names that stay: what the clusters of a new release are called, so that old names keep their meaning."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.source import least_of_cells
from clusterdiff.diff.succession import Succession
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.clustering import Points
from clusterdiff.points.labels import AnyArray, FreshNames, Int64Array, IntArray, Labels, kind
from clusterdiff.points.ordering import least_of_each


def inherit(
    old: Labels, new: Labels, points: Points, dead: Collection[Any] = frozenset(), own: bool = True
) -> AnyArray:
    """What the clusters of ``new`` are called, by code, if those that continue a cluster of ``old`` keep its name.

    The others keep their own names, unless a cluster of ``old`` has them, they are names of the ``dead``, or ``own`` is
    False; then they get fresh ones, in the order of their least points.
    """
    given = new.names.tolist()
    continues = continued_by(old, new.codes, len(given), points)
    names = np.empty(len(given), dtype=object)
    kept = continues >= 0
    names[kept] = _objects(old.names[continues[kept]].tolist())
    rest = np.flatnonzero(~kept)
    taken = {*old.names.tolist(), *dead}
    mine: list[Any] = [given[i] for i in rest.tolist()]
    if taken and mine and kind(next(iter(taken))) != kind(mine[0]):
        mine = list(map(str, mine))  # one clustering has names of one type
    numbers = all(type(name) is int for name in taken)
    free = np.array(
        [own and name not in taken and (not taken or numbers == (type(name) is int)) for name in mine],
        dtype=bool,
    )
    names[rest[free]] = _objects([name for name, is_free in zip(mine, free.tolist(), strict=True) if is_free])
    others = rest[~free]
    if len(others):
        others = others[np.argsort(_least(new.codes, others, points), kind="stable")]
        fresh = FreshNames([*taken, *names[rest[free]].tolist()])
        names[others] = _objects(fresh(given[i] for i in others.tolist()))
    return narrowed(names)


def continued_by(old: Labels, new: IntArray, k: int, points: Points) -> Int64Array:
    """The cluster of ``old`` that each of ``k`` new ones continues; -1 if there is none. Points in none are -1."""
    out = np.full(k, -1)
    if not len(old.names) or not (new >= 0).any():
        return out
    # Clusters are called by their codes here, so that they are found again whatever order the meet has them in.
    meet = uneven_of(old.codes, new, (np.arange(len(old.names)), np.arange(k)))
    found = Succession(meet, partial(least_of_cells, meet, points)).matched
    out[meet.pred_names[meet.pred[found]]] = meet.true_names[meet.true[found]]
    return out


def _least(codes: IntArray, clusters: Int64Array, points: Points) -> Int64Array:
    """Numbers of some clusters in the order of their least points."""
    place = np.full(int(codes.max()) + 2, -1)
    place[clusters] = np.arange(len(clusters))
    at = np.flatnonzero(place[codes] >= 0)
    indptr, members = _core.group_members(place[codes[at]], len(clusters))
    return least_of_each(points, indptr, at[members])


def narrowed(names: Sequence[Any] | AnyArray) -> AnyArray:
    """Names as whole numbers if all of them are, otherwise as objects."""
    listed = list(names)
    if listed and all(type(name) is int for name in listed):
        try:
            return np.array(listed, dtype=np.int64)
        except OverflowError:
            pass
    return _objects(listed)


def _objects(names: list[Any]) -> AnyArray:
    out = np.empty(len(names), dtype=object)
    out[:] = names  # tuples stay what they are
    return out
