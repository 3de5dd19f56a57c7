"""The regions of a three-way merge: which points both sides' changes concern together, and whether these agree."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.points.graph import linked
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray, mixed

#: How the changes of a region go together.
MERGED, CLASH, CHAIN = range(3)


class Presence:
    """Which points are in the merge, and which one side removed while the other claims them.

    A side claims a point that it has together with one that base did not. ``remover`` is 1 (ours) or 2 (theirs) for
    points that are removed and claimed, otherwise 0.
    """

    def __init__(self, base: IntArray, ours: IntArray, theirs: IntArray) -> None:
        in_base, in_ours, in_theirs = base >= 0, ours >= 0, theirs >= 0
        gone = in_base & ~(in_ours & in_theirs)
        self.remover = np.zeros(len(base), dtype=np.int8)
        for number, (removed, other) in enumerate(((~in_ours, theirs), (~in_theirs, ours)), 1):
            claimed = gone & removed & (other >= 0)
            if claimed.any():
                claimed[claimed] = mixed(other, as_singletons(base))[other[claimed]]
            self.remover[claimed] = number
        self.inside: BoolArray = ~gone


class Regions:
    """The regions of the points inside a merge, from three clusterings in which every point has a cluster.

    ``of_point`` is the region of each point, ``kind`` of each region ``MERGED``, ``CLASH`` or ``CHAIN``.
    """

    def __init__(self, base: Int64Array, ours: Int64Array, theirs: Int64Array) -> None:
        atom, first = _atoms(base, ours, theirs)
        b, o, t = base[first], ours[first], theirs[first]
        region, self.count = _linked(o, t, mixed(o, b)[o], mixed(t, b)[t])
        self.of_point = region[atom]
        atoms = np.bincount(region, minlength=self.count)
        pairs, _ = _core.encode_integers(region.astype(np.int64) * (int(base.max(initial=0)) + 1) + b)
        parts = np.zeros(self.count, dtype=np.int64)
        parts += np.bincount(region[_firsts(pairs)], minlength=self.count)
        distinct = parts == atoms
        one = ~mixed(region, o, self.count) | ~mixed(region, t, self.count)
        self.kind = np.where(distinct & one, MERGED, np.where(distinct, CHAIN, CLASH))


def as_singletons(codes: IntArray) -> Int64Array:
    """Codes in which every point that has none is alone."""
    out = codes.astype(np.int64)
    absent = np.flatnonzero(out < 0)
    out[absent] = int(out.max(initial=-1)) + 1 + np.arange(len(absent))
    return out


def _atoms(base: Int64Array, ours: Int64Array, theirs: Int64Array) -> tuple[Any, Any]:
    """The points that are together on all three sides: a number for each point, and the first point of each."""
    both, _ = _core.encode_integers(base * (int(ours.max(initial=0)) + 1) + ours)
    return _core.encode_integers(both.astype(np.int64) * (int(theirs.max(initial=0)) + 1) + theirs)


def _firsts(codes: IntArray) -> Int64Array:
    """The first place of each code; codes are numbered in order of appearance."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1) > 0)


def _linked(o: Int64Array, t: Int64Array, by_ours: BoolArray, by_theirs: BoolArray) -> tuple[Int64Array, int]:
    """Regions of atoms: those that share a cluster of a side that links atoms of several clusters of base."""
    touched = np.flatnonzero(by_ours | by_theirs)
    region = np.arange(len(o))
    if not len(touched):
        return region, len(o)
    place = np.full(len(o), -1)
    place[touched] = np.arange(len(touched))
    rows, columns, start = [], [], len(touched)
    for side, links in ((o, by_ours), (t, by_theirs)):
        atoms = np.flatnonzero(links)
        codes, found = _core.encode_integers(side[atoms])
        rows.append(place[atoms])
        columns.append(start + codes.astype(np.int64))
        start += len(found)
    of_node = linked(start, np.concatenate(rows), np.concatenate(columns))
    region[touched] = len(o) + of_node[: len(touched)]
    codes, found = _core.encode_integers(region)
    return codes.astype(np.int64), len(found)
