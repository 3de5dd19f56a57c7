"""Names that stay: what the clusters of a new release are called, so that old names keep their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.continuation import matching
from clusterdiff.points.clustering import FreshNames, Points
from clusterdiff.points.labels import AnyArray, Int64Array, IntArray, Labels, encode_objects, kind
from clusterdiff.points.ordering import least_of_each


def inherit(
    old: Labels, new: Labels, points: Points, dead: Sequence[AnyArray] = (), own: bool = True
) -> AnyArray:
    """What the clusters of ``new`` are called, by code, if those that continue a cluster of ``old`` keep its name.

    The others keep their own names, unless a cluster of ``old`` has them, they are names of the ``dead``, or ``own`` is
    False; then they get fresh ones, in the order of their least points.
    """
    continues = continued_by(old.codes, new.codes, points)
    known = [old.names, *dead]
    (mine, *others), called = number_names(new.names, *known)
    taken = np.zeros(len(called), dtype=bool)
    taken[np.concatenate(others)] = True
    names = np.empty(len(mine), dtype=object)
    kept, rest = np.flatnonzero(continues >= 0), np.flatnonzero(continues < 0)
    names[kept] = objects(old.names[continues[kept]].tolist())
    # Whole numbers can be written among text, not text among whole numbers.
    fits = own and (_kinds(known) != {"int"} or _kinds([new.names]) == {"int"})
    free = ~taken[mine[rest]] if fits else np.zeros(len(rest), dtype=bool)
    names[rest[free]] = objects(called[mine[rest[free]]].tolist())
    fresh = rest[~free]
    if len(fresh):
        fresh = fresh[np.argsort(_least(new.codes, fresh, points), kind="stable")]
        every = narrowed(np.concatenate([*known, names[rest[free]]]))
        names[fresh] = objects(FreshNames(every)(new.names[fresh].tolist()))
    return narrowed(names)


def number_names(*sides: AnyArray) -> tuple[list[Int64Array], AnyArray]:
    """Numbers for several arrays of names, equal for equal names, and the names behind them.

    Names of different types are compared by their text, and then the names behind the numbers are text.

    >>> number_names(np.array([7, 5]), np.array(["5", "x"], dtype=object))
    ([array([0, 1]), array([1, 2])], array(['7', '5', 'x'], dtype=object))
    """
    ends = np.cumsum([len(side) for side in sides])[:-1]
    sides = tuple(map(narrowed, sides))
    if all(side.dtype.kind == "i" for side in sides):
        whole = np.concatenate(sides).astype(np.int64, copy=False)
        codes, first = _core.encode_integers(whole)
        return np.split(codes.astype(np.int64), ends), whole[first]
    names = [side.tolist() for side in sides]
    if len(_kinds(sides)) > 1:
        names = [list(map(str, side)) for side in names]
    encoded = encode_objects(list(chain(*names)), "names")
    return np.split(encoded.codes.astype(np.int64), ends), encoded.names


def _kinds(sides: Sequence[AnyArray]) -> set[str]:
    """The kinds of some arrays of names; those of one array are of one kind."""
    return {kind(side[0]) for side in sides if len(side)}


def continued_by(old: IntArray, new: IntArray, points: Points) -> Int64Array:
    """The old cluster that each new one continues, -1 if there is none; codes of points in no cluster are -1."""
    out = np.full(int(new.max(initial=-1)) + 1, -1)
    shared = np.flatnonzero((old >= 0) & (new >= 0))
    true, pred = old[shared].astype(np.int64), new[shared].astype(np.int64)
    cell, first = _core.encode_integers(true * len(out) + pred)
    true, pred = true[first], pred[first]

    def least(cells: Int64Array) -> Int64Array:
        return _least(cell, cells, points, shared)

    found = matching(true, pred, np.bincount(cell, minlength=len(first)), least)
    out[pred[found]] = true[found]
    return out


def _least(codes: IntArray, clusters: Int64Array, points: Points, at: Int64Array | None = None) -> Int64Array:
    """Numbers of some clusters in the order of their least points; ``at`` has the places of the points coded."""
    place = np.full(int(codes.max(initial=-1)) + 2, -1)
    place[clusters] = np.arange(len(clusters))
    inside = np.flatnonzero(place[codes] >= 0)
    indptr, members = _core.group_members(place[codes[inside]], len(clusters))
    members = inside[members]
    return least_of_each(points, indptr, members if at is None else at[members])


def narrowed(names: AnyArray) -> AnyArray:
    """Names as whole numbers if all of them are, otherwise as objects."""
    if names.dtype == object and len(names) and set(map(type, names.tolist())) == {int}:
        try:
            return names.astype(np.int64)
        except OverflowError:
            pass
    return names


def objects(names: list[Any]) -> AnyArray:
    """Names as objects; tuples stay what they are."""
    out = np.empty(len(names), dtype=object)
    out[:] = names
    return out
