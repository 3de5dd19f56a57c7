"""Deleted: every term of the rows without one true cluster, for all true clusters at once.

Deleting a true cluster takes away its rows, and changes only the predicted clusters that it meets. How such a cluster
is left depends on nothing but the mass that leaves it, so all cells of one mass share a *variant* of their cluster: a
cluster of n points has at most √2n of them. With weights every cell has a variant of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.declarations import TERMS
from clusterdiff.meet.rows import Rows, Side, Values, product
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

#: Rows of variants that are held at a time.
AT_ONCE = 1 << 21
#: A comparison in which nothing is special: what a formula reads there, it reads anywhere.
ORDINARY = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2])


class Deleted:
    """What terms lose with each of some true clusters.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> rows = Rows.of(cd.compare([0, 0, 1, 1, 2], [0, 0, 0, 1, 1]).meet)
    >>> Deleted(rows, np.arange(3)).changes(["bb"])[:, 0].tolist()  # 13 squares; 5, 5 and 10 are left
    [-8.0, -8.0, -3.0]
    """

    def __init__(self, rows: Rows, wanted: IntArray) -> None:
        self._rows = rows
        self._place = np.full(rows.true.k + 1, -1)
        self._place[wanted] = np.arange(len(wanted))
        self._count = len(wanted)
        there = rows.pred.cluster >= 0
        self._order = np.flatnonzero(there)[np.argsort(rows.pred.cluster[there], kind="stable")]
        self._held = np.bincount(rows.pred.cluster[there], minlength=rows.pred.k)
        self._start = np.cumsum(self._held) - self._held
        self._cells, self._variant, self._first, self._times = self._variants()

    @property
    def cost(self) -> int:
        """The rows of all variants."""
        return int(self._held[self._rows.pred.cluster[self._first]].sum())

    def changes(self, names: Sequence[str]) -> FloatArray:
        """By how much each term changes: a row per true cluster, a column per term."""
        out = np.zeros((self._count, len(names)))
        slow = []
        for column, name in enumerate(names):
            if reads_pred(name):
                slow.append(column)
                out[:, column] = self._own_side(name)
            elif TERMS[name].over == "clusters":
                each = np.asarray(self._of_clusters(self._rows, name), dtype=np.float64)
                out[self._place[:-1][self._place[:-1] >= 0], column] = -each[self._place[:-1] >= 0]
            else:
                out[:, column] = -self._by_true(self._rows.full(name))
        before = {column: self._by_pred(names[column]) for column in slow}
        for stretch, state, seen in self._stretches() if slow else ():
            cells = self._cells[stretch.cells]
            at, of = self._place[self._rows.true.cluster[cells]], self._rows.pred.cluster[cells]
            variant = self._variant[stretch.cells] - stretch.first
            for column in slow:
                left = self._left(names[column], stretch, state, seen, variant)
                change = left - before[column][of]
                out[:, column] += np.asarray(_core.group_sum(at, self._count, change), dtype=np.float64)
        return out

    # ---- a term, before and after

    def _of_clusters(self, rows: Rows, name: str) -> Values:
        return product(TERMS[name].formula(rows.clusters(TERMS[name])))

    def _by_true(self, values: Values) -> FloatArray:
        """Values of rows added up by true cluster, of those wanted."""
        place = self._place[self._rows.true.cluster]
        some = place >= 0
        return np.asarray(_core.group_sum(place[some], self._count, values[some]), dtype=np.float64)

    def _own_side(self, name: str) -> Any:
        """What a term loses with a true cluster outside of all predicted ones: with its missing points."""
        if TERMS[name].over == "clusters" or self._rows.even:
            return 0.0
        values = np.where(self._rows.pred.cluster < 0, self._rows.full(name), 0.0)
        return -self._by_true(values)

    def _by_pred(self, name: str) -> FloatArray:
        """A term by predicted cluster."""
        if TERMS[name].over == "clusters":
            return np.asarray(self._of_clusters(self._rows, name), dtype=np.float64)
        cluster = self._rows.pred.cluster
        some = cluster >= 0
        values = self._rows.full(name)[some]
        return np.asarray(_core.group_sum(cluster[some], self._rows.pred.k, values), dtype=np.float64)

    def _left(self, name: str, stretch: Stretch, state: Rows, seen: Rows, variant: IntArray) -> FloatArray:
        """A term of the predicted cluster of each cell without that cell."""
        if TERMS[name].over == "clusters":
            return np.asarray(self._of_clusters(state, name), dtype=np.float64)[variant]
        values = seen.full(name)
        whole = _core.group_sum(seen.pred.cluster, stretch.count, values)
        # Where several cells share a variant, the row of each is among those seen, and is taken out again.
        own = np.where(stretch.own >= 0, values[stretch.own] if len(values) else 0.0, 0.0)
        left: FloatArray = whole[variant] - own
        return left

    # ---- variants of predicted clusters

    def _variants(self) -> tuple[Int64Array, IntArray, Int64Array, Int64Array]:
        """The deleted cells by variant; the variant of each; of each variant a cell, and how many there are."""
        rows = self._rows
        chosen = np.flatnonzero((rows.pred.cluster >= 0) & (self._place[rows.true.cluster] >= 0))
        cluster, mass = rows.pred.cluster[chosen], rows.mass[chosen]
        order = np.lexsort((mass, cluster))
        cells, cluster, mass = chosen[order], cluster[order], mass[order]
        new = np.ones(len(cells), dtype=bool)
        if not rows.weighted:
            new[1:] = (cluster[1:] != cluster[:-1]) | (mass[1:] != mass[:-1])
        first = np.flatnonzero(new)
        times = np.diff(np.append(first, len(cells)))
        return cells, np.cumsum(new) - 1, cells[first], times

    def _stretches(self) -> Iterator[tuple[Stretch, Rows, Rows]]:
        """Variants in stretches of not too many rows: their clusters as they are left, and all rows that see them."""
        rows = self._rows
        held = self._held[rows.pred.cluster[self._first]]
        ends = np.cumsum(held)
        starts = np.cumsum(self._times) - self._times
        at = 0
        while at < len(held):
            base = int(ends[at] - held[at])
            stop = max(at + 1, int(np.searchsorted(ends, base + AT_ONCE, side="right")))
            mine = slice(at, stop)
            count, sizes = stop - at, held[mine]
            offset = np.cumsum(sizes) - sizes
            from_ = self._start[rows.pred.cluster[self._first[mine]]]
            each = np.repeat(np.arange(count), sizes)
            row = self._order[np.arange(int(sizes.sum())) + np.repeat(from_ - offset, sizes)]
            gone = row == np.repeat(self._first[mine], sizes)
            single = np.repeat(self._times[mine] == 1, sizes)
            kept, looked = np.flatnonzero(~gone), np.flatnonzero(~(gone & single))
            state = rows.chosen_as(row[kept], each[kept], count, Rows)
            seen = rows.chosen_as(row[looked], each[looked], count, Seen)
            seen.whole, seen.state = rows, state
            low, high = int(starts[at]), int(starts[stop - 1] + self._times[stop - 1])
            cells, variant = self._cells[low:high], self._variant[low:high] - at
            within = np.empty(len(rows), dtype=np.int64)
            within[self._order] = np.arange(len(self._order)) - np.repeat(self._start, self._held)
            place = np.full(len(row) + 1, -1)
            place[looked] = np.arange(len(looked))
            own = np.where(self._times[mine][variant] > 1, place[offset[variant] + within[cells]], -1)
            yield Stretch(slice(low, high), at, count, own), state, seen
            at = stop


class Stretch:
    """Some variants: which cells they are of, the first one's number, how many, and each cell's own row or -1."""

    def __init__(self, cells: slice, first: int, count: int, own: IntArray) -> None:
        self.cells, self.first, self.count, self.own = cells, first, count, own


class Seen(Rows):
    """Rows of variants, which see their predicted clusters as they are left and their true clusters as they are."""

    #: The rows of all, and those of the variants as they are left.
    whole: Rows
    state: Rows

    def of_clusters(self, name: str, side: Side) -> Values:
        """A value of each cluster of a side."""
        return self.whole.of_true(name) if side is self.true else self.state.of_pred(name)


# ---- what terms read


class Noting(Rows):
    """Rows that note whether a formula reads predicted clusters, and whether a cluster's value reads the other side."""

    def __init__(self) -> None:
        true, pred = ORDINARY
        super().__init__(true, pred, np.arange(1, 7), np.arange(1, 7), (3, 3))
        self.reads_pred = self.crosses = False
        self._inside_of: list[Side] = []

    def of_clusters(self, name: str, side: Side) -> Values:
        """A value of each cluster of a side."""
        self.reads_pred |= side is self.pred
        self.crosses |= any(side is not other for other in self._inside_of)
        self._inside_of.append(side)
        side.values.pop(name, None)
        values = super().of_clusters(name, side)
        self._inside_of.pop()
        return values


@cache
def _noted(name: str) -> Noting:
    rows = Noting()
    rows.added(name) if TERMS[name].over != "clusters" else TERMS[name].formula(rows.clusters(TERMS[name]))
    return rows


def reads_pred(name: str) -> bool:
    """Whether a term changes in more than its own rows when a true cluster is deleted."""
    return _noted(name).reads_pred


def known(name: str) -> bool:
    """Whether a term is known without a true cluster: no value of a cluster it reads depends on the other side's."""
    return name in TERMS and not _noted(name).crosses
