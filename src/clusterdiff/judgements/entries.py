"""Judgements as arrays: one row per point of a group, and which of their pairs a later judgement replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.times import order_of_times
from clusterdiff.points.graph import linked
from clusterdiff.points.labels import BoolArray, Int64Array
from clusterdiff.points.ordering import rank_texts


@dataclass(frozen=True)
class Replaced:
    """Pairs of points about which the same author said something else later, by judgement."""

    judgement: Int64Array
    p: Int64Array
    q: Int64Array

    def __len__(self) -> int:
        return len(self.judgement)


class Entries:
    """All points of all groups, by number: points in the order of their text, groups in that of their judgement.

    Points of an unsure judgement are in groups of their own, which say nothing.
    """

    def __init__(self, judgements: Sequence[Judgement]) -> None:
        self.judgements = judgements
        flat = [point for judgement in judgements for point in judgement.points]
        codes, first, _ = _core.encode_objects(flat)
        found = [flat[i] for i in first.tolist()]
        rank = rank_texts(found)
        self.names: list[str] = np.array(found, dtype=object)[np.argsort(rank)].tolist()
        self.point: Int64Array = rank[codes]
        sizes = [
            size
            for judgement in judgements
            for size in (*map(len, judgement.groups), *([1] * len(judgement.unsure)))
        ]
        groups = np.array([len(j.groups) + len(j.unsure) for j in judgements], dtype=np.int64)
        self.group_judgement: Int64Array = np.repeat(np.arange(len(judgements)), groups)
        self.group: Int64Array = np.repeat(np.arange(len(sizes)), np.array(sizes, dtype=np.int64))
        self.judgement: Int64Array = self.group_judgement[self.group]
        self.claims: BoolArray = np.array([judgement.claims for judgement in judgements], dtype=bool)

    @cached_property
    def region(self) -> Int64Array:
        """For each judgement a number, the same for those that have points in common, directly or through others."""
        n, k = len(self.names), len(self.judgements)
        return linked(n + k, self.point, n + self.judgement)[n:]

    @cached_property
    def first(self) -> Int64Array:
        """The least point of each group."""
        _, starts = np.unique(self.group, return_index=True)
        return self.point[starts]

    @cached_property
    def dropped(self) -> Replaced:
        """Pairs that a later judgement of the same author speaks of otherwise; only where both have a date."""
        empty = np.empty(0, dtype=np.int64)
        dated = [
            i
            for i, j in enumerate(self.judgements)
            if j.by is not None and j.at is not None and not j.withdrawn
        ]
        if len(dated) < 2:
            return Replaced(empty, empty, empty)
        author = {name: i for i, name in enumerate({self.judgements[i].by for i in dated})}
        by, at = np.full(len(self.judgements), -1), np.zeros(len(self.judgements), dtype=np.int64)
        by[dated] = [author[self.judgements[i].by] for i in dated]
        # Only points that the same author judged more than once can be in such a pair, and only two of one judgement.
        rows = np.flatnonzero(by[self.judgement] >= 0)
        _, mine, counts = np.unique(
            by[self.judgement[rows]] * len(self.names) + self.point[rows],
            return_inverse=True,
            return_counts=True,
        )
        several = np.bincount(self.judgement[rows[counts[mine] > 1]], minlength=len(self.judgements)) > 1
        held = (counts[mine] > 1) & several[self.judgement[rows]]
        rows, mine = rows[held], mine[held]
        if not len(rows):
            return Replaced(empty, empty, empty)
        left, right = self._disputed(rows, mine)
        if not len(left):
            return Replaced(empty, empty, empty)
        a, b = rows[left], rows[right]
        judgement = self.judgement[a]
        # Dates are read where they decide something.
        said = np.unique(judgement).tolist()
        times = order_of_times({str(self.judgements[i].at) for i in said})
        at[said] = [times[str(self.judgements[i].at)] for i in said]
        unsure = ~self.claims[judgement]
        together = (self.group[a] == self.group[b]) & ~unsure
        pair = np.minimum(mine[left], mine[right]) * (mine.max() + 1) + np.maximum(mine[left], mine[right])
        found, key = np.unique(pair, return_inverse=True)
        last = [np.full(len(found), -1) for _ in range(3)]
        for state, said in zip(last, (together, ~together & ~unsure, unsure), strict=True):
            np.maximum.at(state, key[said], at[judgement[said]])
        other = np.where(together, last[1][key], last[0][key])
        gone = ~unsure & (np.maximum(other, last[2][key]) > at[judgement])
        p, q = np.minimum(self.point[a], self.point[b]), np.maximum(self.point[a], self.point[b])
        return Replaced(judgement[gone], p[gone], q[gone])

    def _disputed(self, rows: Int64Array, mine: Int64Array) -> tuple[Int64Array, Int64Array]:
        """Two of these rows at a time, of one judgement, about which its author may have said something else.

        ``mine`` numbers the points of each author. What an author says of two points differs only if they are together
        through all that he says, and apart in one of his judgements; or if he was unsure of both at once.
        """
        judgement, claims, points = (
            self.judgement[rows],
            self.claims[self.judgement[rows]],
            int(mine.max()) + 1,
        )
        _, group = np.unique(self.group[rows], return_inverse=True)
        nodes = points + int(group.max()) + 1
        together = linked(nodes, mine[claims], points + group[claims])[mine]
        run = judgement * nodes + together
        groups = np.unique(np.stack([run[claims], group[claims]], axis=1), axis=0)[:, 0]
        twice = np.unique(groups[1:][groups[1:] == groups[:-1]]) % nodes
        bad = np.isin(together, twice) & claims
        doubted = np.isin(mine, mine[~claims])
        some, others = np.flatnonzero(bad), np.flatnonzero(doubted)
        some = some[np.argsort(run[some], kind="stable")]
        one, two = pairs_within(run[some]), pairs_within(judgement[others])
        left, right = others[two[0]], others[two[1]]
        new = ~(bad[left] & bad[right] & (together[left] == together[right]))
        return np.r_[some[one[0]], left[new]], np.r_[some[one[1]], right[new]]


def distinct(values: Int64Array) -> Int64Array:
    """The different values, ascending. NumPy would hash them before it sorts them, and takes three times as long."""
    found = np.sort(values)
    return found[np.diff(found, prepend=found[:1] - 1) > 0]


def pairs_within(runs: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The positions of all two elements of the same run, of equal neighbours."""
    starts = np.flatnonzero(np.r_[True, runs[1:] != runs[:-1]]) if len(runs) else np.empty(0, np.int64)
    sizes = np.diff(np.r_[starts, len(runs)])
    end = np.repeat(starts + sizes, sizes)
    ahead = end - np.arange(len(runs)) - 1
    left = np.repeat(np.arange(len(runs)), ahead)
    offset = np.arange(len(left)) - np.repeat(np.cumsum(ahead) - ahead, ahead)
    return left, left + 1 + offset
