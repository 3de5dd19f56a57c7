"""All tables with given margins, where they are few: what chance can do, and how likely each outcome is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray, Int64Array

#: No more tables than this are looked at one by one, and no more cells of all of them together.
MOST_TABLES, MOST_CELLS = 100_000, 10_000_000


@dataclass(frozen=True, eq=False)
class Tables:
    """Tables [number, row, column] and how likely each is when labels are permuted."""

    cells: Int64Array
    weights: FloatArray

    @property
    def pairs(self) -> FloatArray:
        """P(L, C), the pairs of points that are together in both clusterings."""
        found: FloatArray = (self.cells * (self.cells - 1) // 2).sum(axis=(1, 2)).astype(np.float64)
        return found

    @property
    def information(self) -> FloatArray:
        """I, the mutual information."""
        rows, columns = self.cells[0].sum(axis=1), self.cells[0].sum(axis=0)
        n = rows.sum()
        rest = _x_log_x(n) - _x_log_x(rows).sum() - _x_log_x(columns).sum()
        found: FloatArray = (_x_log_x(self.cells).sum(axis=(1, 2)) + rest) / n
        return found

    @property
    def s_h(self) -> FloatArray:
        """S_H."""
        terms = _x_log_x(self.cells)
        kept = self.cells.astype(np.float64)
        for side in (2, 1):
            sizes = self.cells.sum(axis=side, keepdims=True)
            whole = _x_log_x(sizes)
            kept *= np.where(
                sizes > 1, terms.sum(axis=side, keepdims=True) / np.where(sizes > 1, whole, 1), 1.0
            )
        found: FloatArray = kept.sum(axis=(1, 2)) / self.cells[0].sum()
        return found

    def meets(self, which: Int64Array | None = None) -> Iterator[Meet]:
        """The tables as meets, all of them or some."""
        for table in self.cells if which is None else self.cells[which]:
            rows, columns = np.nonzero(table)
            starts = np.searchsorted(rows, np.arange(len(table) + 1))
            yield Meet(_core.Cells(starts, columns.astype(np.int32), table[rows, columns], table.shape[1]))


def tables(margins: Margins) -> Tables | None:
    """All tables with these margins; None if there are too many.

    Row by row, and within a row column by column. Whatever is filled so far can be completed, in one way at least: so
    there are never more unfinished tables than tables, and too many are noticed as soon as they are.
    """
    longer, shorter = sorted((margins.true, margins.pred), key=lambda side: side.k, reverse=True)
    # There are about as many tables as clusters on the longer side, if not more.
    if longer.k**2 * shorter.k > MOST_CELLS:
        return None
    most = min(MOST_TABLES, MOST_CELLS // (longer.k * shorter.k))
    left = shorter.each[None]
    levels: list[tuple[Int64Array, Int64Array]] = []  # each row, and which of the tables before it continues
    for size in longer.each.tolist():
        found = _rows(left, size, most)
        if found is None:
            return None
        row, before = found
        levels.append(found)
        left = left[before] - row
    cells = np.empty((len(left), longer.k, shorter.k), dtype=np.int64)
    at = np.arange(len(left))
    for i, (row, before) in reversed(list(enumerate(levels))):
        cells[:, i] = row[at]
        at = before[at]
    return Tables(cells if longer is margins.true else cells.transpose(0, 2, 1), _weights(cells))


def _rows(left: Int64Array, size: int, most: int) -> tuple[Int64Array, Int64Array] | None:
    """All ways to fill a row of so many points from what is left in the columns, for each table so far."""
    count, width = left.shape
    # What all later columns can hold.
    later = np.concatenate(
        [np.cumsum(left[:, ::-1], axis=1)[:, -2::-1], np.zeros((count, 1), np.int64)], axis=1
    )
    row, before, rest = np.zeros((count, 0), np.int64), np.arange(count), np.full(count, size)
    for column in range(width):
        least = np.maximum(0, rest - later[before, column])
        ways = np.minimum(rest, left[before, column]) - least + 1
        total = int(ways.sum())
        if total > most:
            return None
        start = np.repeat(np.arange(len(ways)), ways)
        cell = least[start] + np.arange(total) - np.repeat(np.cumsum(ways) - ways, ways)
        row = np.column_stack([row[start], cell])
        before, rest = before[start], rest[start] - cell
    return row, before


def _weights(cells: Int64Array) -> FloatArray:
    """Π a! Π b! / (n! Π m!)."""
    from scipy import special

    def logs(x: Int64Array) -> FloatArray:
        found: FloatArray = special.gammaln(x + 1.0)
        return found

    first = cells[0]
    sides = sum(float(logs(first.sum(axis=side)).sum()) for side in (0, 1))
    weights: FloatArray = np.exp(sides - float(logs(first.sum())) - logs(cells).sum(axis=(1, 2)))
    weights /= weights.sum()  # which is 1 but for rounding
    return weights


def _x_log_x(x: Int64Array) -> FloatArray:
    wide = x.astype(np.float64)
    found: FloatArray = wide * np.log(np.maximum(wide, 1.0))
    return found
