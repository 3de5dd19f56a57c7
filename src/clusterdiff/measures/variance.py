"""How far sums vary by chance: exact variances over all ways to lay the two clusterings over the points."""

from __future__ import annotations

from fractions import Fraction
from math import log

import numpy as np

from clusterdiff.errors import MeasureError
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.sums import Sized
from clusterdiff.points.labels import FloatArray

#: The variance of mutual information takes about this many sums of some microseconds each, at most.
MOST_SUMS = 300_000


def pair_variance(margins: Margins) -> Fraction:
    """Var[P(L, C)], exactly: that of the product of two symmetric matrices of which one is permuted (Mantel 1967)."""
    n = margins.n
    if n < 2:
        return Fraction(0)

    def sums(side: SizeCounts) -> tuple[int, int]:
        """Ordered pairs of points that are together, and ordered triples i, j, k with i and j, i and k together."""
        pairs = triples = 0
        for size, count in zip(side.sizes.tolist(), side.counts.tolist(), strict=True):
            pairs += count * size * (size - 1)
            triples += count * size * (size - 1) * (size - 2)
        return pairs, triples

    (a2, a3), (b2, b3) = sums(margins.true), sums(margins.pred)
    # Pairs of pairs: the same pair, two that share a point, two that share none.
    ways = n * (n - 1)
    second = Fraction(2 * a2 * b2, ways)
    if n > 2:
        second += Fraction(4 * a3 * b3, ways * (n - 2))
    if n > 3:
        apart_a, apart_b = a2 * a2 - 4 * a3 - 2 * a2, b2 * b2 - 4 * b3 - 2 * b2
        second += Fraction(apart_a * apart_b, ways * (n - 2) * (n - 3))
    return (second - Fraction(a2 * b2, ways) ** 2) / 4


def mutual_variance(meet: Sized) -> float:
    """Var[I] (Romano et al. 2014), as a sum over a cell and, given its size x, what all cells add to I on average.

    The other cells of its row are spread over the n − b points outside its column, and likewise those of its column. A
    row of a' points has u of them in the column of the cell, and spreads the rest over the same n − b points.
    """
    margins = meet.margins
    # Fewer kinds of rows are less work; a settled order makes it symmetric to the last bit.
    rows, columns = sorted((margins.true, margins.pred), key=lambda side: (len(side.sizes), _items(side)))
    n = margins.n
    largest = int(rows.sizes[-1])
    work = len(columns.sizes) * largest * (len(columns.sizes) + len(rows.sizes) ** 2)
    if work > MOST_SUMS:
        raise MeasureError(
            f"the exact variance of mutual information would take {work:,} sums for these clusters; at most "
            f"{MOST_SUMS:,} are made.",
            'draw instead: chance("I").z.',
        )
    by_column = [_outside(columns, j, n, largest) for j in range(len(columns.sizes))]
    by_row = [_outside(rows, i, n, int(columns.sizes[-1])) for i in range(len(rows.sizes))]
    first = second = 0.0
    for i, (a, a_count) in enumerate(_items(rows)):
        for j, (b, b_count) in enumerate(_items(columns)):
            x, weight = hypergeometric(n, a, b)
            own = _term(x, a, b, n)
            rest = own + by_column[j][a - x] - (a - x) * log(a / n) + by_row[i][b - x] - (b - x) * log(b / n)
            for k, (other, count) in enumerate(_items(rows)):
                times = count - (k == i)
                if times:
                    rest = rest + times * np.array(
                        [_row(n - a, other, b - int(y), by_column[j], n) for y in x]
                    )
            first += a_count * b_count * float(np.sum(weight * own))
            second += a_count * b_count * float(np.sum(weight * own * rest))
    return max(0.0, (second - first * first) / n**2)


def _items(side: SizeCounts) -> list[tuple[int, int]]:
    return list(zip(side.sizes.tolist(), side.counts.tolist(), strict=True))


def _term(x: np.ndarray, a: int, b: int, n: int) -> FloatArray:
    """What a cell of x points adds to n·I."""
    return np.where(x > 0, x * np.log(np.maximum(x, 1) * (n / (a * b))), 0.0)


def _outside(side: SizeCounts, left_out: int, n: int, most: int) -> FloatArray:
    """For r points spread over all clusters of a side but one, the mean of Σ x·log(x/b'), by r."""
    outside = n - int(side.sizes[left_out])
    out = np.zeros(most + 1)
    for r in range(1, min(most, outside) + 1):
        for i, (size, count) in enumerate(_items(side)):
            times = count - (i == left_out)
            if times:
                x, weight = hypergeometric(outside, size, r)
                out[r] += times * float(
                    np.sum(weight * np.where(x > 0, x * np.log(np.maximum(x, 1) / size), 0.0))
                )
    return out


def _row(points: int, a: int, drawn: int, outside: FloatArray, n: int) -> float:
    """What the cells of another row of a points add outside the column, of which ``drawn`` points are left."""
    u, weight = hypergeometric(points, a, drawn)
    return float(np.sum(weight * (outside[a - u] - (a - u) * log(a / n))))


def hypergeometric(n: int, marked: int, drawn: int) -> tuple[np.ndarray, FloatArray]:
    """How many of the marked points may be drawn, and how likely each number is."""
    x = np.arange(max(0, marked + drawn - n), min(marked, drawn) + 1)
    y = x[:-1].astype(float)
    steps = np.cumsum(np.log((marked - y) * (drawn - y) / ((y + 1) * (n - marked - drawn + y + 1))))
    logs = np.concatenate([[0.0], steps])
    weight = np.exp(logs - logs.max())
    return x, weight / weight.sum()
