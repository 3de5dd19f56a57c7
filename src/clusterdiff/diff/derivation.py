"""The derivation of a clustering from another as a patch: what to remove, split, merge and add."""

from __future__ import annotations

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.patch import Add, Named, Operation, Patch, Remove, SplitOff, Unite
from clusterdiff.points.alignment import match_points
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray
from clusterdiff.points.texts import digest, refuse_ambiguous, text


def derive(before: Clustering, after: Clustering) -> Patch:
    """The patch that turns one clustering into another; points may come and go."""
    aligned = match_points(before, after, empty=True)
    return derivation(aligned.true.codes, aligned.pred.codes, aligned.order.names)


def derivation(before: IntArray, after: IntArray, points: Points) -> Patch:
    """The same for codes over points that either has; -1 for those that one of them lacks."""
    refuse_ambiguous(points)
    return Patch(tuple(_Derivation(before, after, points).operations()))


class _Derivation:
    """The cells of shared points, and what has to be done with those that are not whole clusters."""

    def __init__(self, before: IntArray, after: IntArray, points: Points) -> None:
        self.before, self.after, self.points = before, after, points
        shared = np.flatnonzero((before >= 0) & (after >= 0))
        k = int(after.max(initial=-1)) + 1
        cell, first = _core.encode_integers(before[shared].astype(np.int64) * k + after[shared])
        self.old, self.new = before[shared[first]], after[shared[first]]
        self.indptr, members = _core.group_members(cell, len(first))
        self.members = shared[members]
        self._texts: dict[int, list[str]] = {}

    def operations(self) -> list[Operation]:
        """Remove, split, merge, add; each kind in the order of the least points of the clusters that it is about."""
        cut = np.flatnonzero(np.bincount(self.old, minlength=1)[self.old] > 1)
        joined = np.flatnonzero(np.bincount(self.new, minlength=1)[self.new] > 1)
        gone = self._by_cluster((self.before >= 0) & (self.after < 0), self.before)
        come = self._by_cluster((self.before < 0) & (self.after >= 0), self.after)
        grown = np.flatnonzero(np.isin(self.new, list(come)))
        self._read(np.unique(np.concatenate([cut, joined, grown])))
        removed = sorted(point for points in gone.values() for point in points)
        splits, merges = self._parts(cut, self.old, {}), self._parts(joined, self.new, come)
        to = self._cells_by(grown, self.new)
        return [
            *([Remove(tuple(removed))] if removed else []),
            *(SplitOff(named(*parts), tuple(map(tuple, parts[1:]))) for parts in splits),
            *(Unite(tuple(map(named, parts))) for parts in merges),
            *(
                Add(tuple(sorted(points)), named(*to[cluster]) if cluster in to else None)
                for cluster, points in sorted(
                    come.items(), key=lambda one: _least([*to.get(one[0], []), one[1]])
                )
            ),
        ]

    def _by_cluster(self, mask: BoolArray, cluster: IntArray) -> dict[int, list[str]]:
        """The points of a mask by their cluster, as text."""
        at = np.flatnonzero(mask)
        out: dict[int, list[str]] = {}
        for i, code in zip(at.tolist(), cluster[at].tolist(), strict=True):
            out.setdefault(code, []).append(text(self.points[i]))
        return out

    def _read(self, cells: Int64Array) -> None:
        """The points of some cells by text, sorted; no others are looked at."""
        for cell in cells.tolist():
            at = self.members[self.indptr[cell] : self.indptr[cell + 1]].tolist()
            self._texts[cell] = sorted(text(self.points[i]) for i in at)

    def _cells_by(self, cells: Int64Array, group: IntArray) -> dict[int, list[list[str]]]:
        out: dict[int, list[list[str]]] = {}
        for cell, key in zip(cells.tolist(), group[cells].tolist(), strict=True):
            out.setdefault(key, []).append(self._texts[cell])
        return out

    def _parts(
        self, cells: Int64Array, group: IntArray, alone: dict[int, list[str]]
    ) -> list[list[list[str]]]:
        """The points of cells that belong together, largest cell first, then that of the least point.

        ``alone`` has the points that one side lacks, which count for the order of the clusters.
        """
        by = self._cells_by(cells, group)
        order = sorted(by, key=lambda key: _least([*by[key], alone.get(key, [])]))
        return [sorted(by[key], key=lambda part: (-len(part), part[0])) for key in order]


def _least(parts: list[list[str]]) -> str:
    return min(point for part in parts for point in part)


def named(*parts: list[str]) -> Named:
    """The cluster of some points, which come in sorted parts."""
    whole = parts[0] if len(parts) == 1 else sorted(point for part in parts for point in part)
    return Named(whole[0], len(whole), digest(whole))
