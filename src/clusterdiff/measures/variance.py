"""How far sums vary by chance: exact variances over all ways to lay the two clusterings over the points."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lgamma, log
from typing import NamedTuple, TypeAlias

import numpy as np

from clusterdiff.errors import MeasureError
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.sums import Sized
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, IntArray

#: Distinct sizes, each with the number of clusters that have it.
Sizes: TypeAlias = tuple[tuple[int, int], ...]
#: The variance of mutual information takes about this many sums of some microseconds each, at most.
MOST_SUMS = 300_000
#: How many weights are held at once.
HELD = 1 << 18
#: Coincidences in small clusters: so many pairs of sizes are looked at, which share no more points than this on average
#: and in a single cell.
MOST_PAIRS, MEAN_SHARED, MOST_SHARED = 1_000_000, 16, 64


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
    """Var[I] for clusters of these sizes (Romano et al. 2014)."""
    margins = meet.margins
    # Fewer kinds of rows are less work; a settled order makes it symmetric to the last bit.
    rows, columns = sorted((_items(margins.true), _items(margins.pred)), key=lambda side: (len(side), side))
    largest = rows[-1][0]
    work = len(columns) * largest * (len(columns) + len(rows) ** 2)
    if work > MOST_SUMS:
        raise MeasureError(
            f"the exact variance of mutual information would take {work:,} sums for these clusters; at most "
            f"{MOST_SUMS:,} are made.",
            Message('draw instead: `chance("I").z`.'),
        )
    return _variance(margins.n, rows, columns)


class SmallClusters(NamedTuple):
    """The mean and the variance of S_H, as far as small clusters meet by coincidence."""

    mean: float
    variance: float


def small_clusters(margins: Margins) -> SmallClusters | None:
    """E[S_H] and Var[S_H] for many small clusters, about; None where cells of many points are likely.

    Singletons meet a hypergeometric number of times. Each cell of x ≥ 2 points in clusters of a and b points is a rare
    coincidence, so their numbers are independent Poisson numbers. Such a cell keeps x·s·t of its own points; its s and
    t hold for the other points of the two clusters too, of which those that are singletons on the other side count.
    """
    n, true, pred = margins.n, margins.true, margins.pred
    if n < 2 or len(true.sizes) * len(pred.sizes) > MOST_PAIRS:
        return None
    if int(true.sizes[-1]) * int(pred.sizes[-1]) > MEAN_SHARED * n:
        return None
    lone_true, lone_pred = (int(side.counts[side.sizes == 1].sum()) for side in (true, pred))
    p, q = lone_true / n, lone_pred / n
    mean = p * lone_pred
    variance = lone_pred * p * (1 - p) * (n - lone_pred) / (n - 1)
    (a, a_count), (b, b_count) = (
        (side.sizes.astype(float), side.counts.astype(float)) for side in (true, pred)
    )
    a, a_count = a[a > 1][:, None], a_count[a > 1][:, None]
    b, b_count = b[b > 1], b_count[b > 1]
    # How many cells of 2 points there are on average, in clusters of each two sizes; of x + 1 by a ratio.
    rate = a_count * b_count * _two_shared(n, a, b)
    x = 2
    while rate.size and rate.max() > 1e-12:
        if x > MOST_SHARED:
            return None
        s, t = x * log(x) / (a * np.log(a)), x * log(x) / (b * np.log(b))
        jump = x * s * t + t * (b - x) * p + s * (a - x) * q
        mean += float(np.sum(rate * jump))
        around = t * t * (b - x) * p * (1 - p) + s * s * (a - x) * q * (1 - q)
        variance += float(np.sum(rate * (jump * jump + around)))
        rest = n - a - b + x + 1
        rate = np.where(rest > 0, rate * (a - x) * (b - x) / ((x + 1) * np.where(rest > 0, rest, 1)), 0.0)
        x += 1
    return SmallClusters(mean / n, variance / n**2)


def _two_shared(n: int, a: FloatArray, b: FloatArray) -> FloatArray:
    """How likely clusters of a and of b points share two points: the hypergeometric distribution at 2."""
    log_gamma = np.vectorize(lgamma, otypes=[float])  # that of scipy takes longer to import than all of this

    def log_ways(size: FloatArray | float, taken: FloatArray) -> FloatArray:
        found: FloatArray = log_gamma(size + 1) - log_gamma(taken + 1) - log_gamma(size - taken + 1)
        return found

    possible = a + b - 2 <= n
    logs = log_ways(n - a, np.where(possible, b - 2, 0.0)) - log_ways(float(n), b)
    return np.where(possible, a * (a - 1) / 2 * np.exp(logs), 0.0)


@lru_cache(maxsize=128)  # all draws by chance have the same sizes
def _variance(n: int, rows: Sizes, columns: Sizes) -> float:
    """A sum over a cell and, given its size x, what all cells add to I on average.

    The other cells of its row are spread over the n − b points outside its column, and likewise those of its column. A
    row of a' points has u of them in the column of the cell, and spreads the rest over the same n − b points.
    """
    by_column = [_outside(columns, j, n, rows[-1][0]) for j in range(len(columns))]
    by_row = [_outside(rows, i, n, columns[-1][0]) for i in range(len(rows))]
    first = second = 0.0
    for i, (a, a_count) in enumerate(rows):
        for j, (b, b_count) in enumerate(columns):
            x = np.arange(max(0, a + b - n), min(a, b) + 1)
            weight = _weights(n, a, np.array([b]))[0, x]
            own = _term(x, a, b, n)
            rest = own + by_column[j][a - x] - (a - x) * log(a / n) + by_row[i][b - x] - (b - x) * log(b / n)
            for k, (other, count) in enumerate(rows):
                times = count - (k == i)
                if times:
                    # What another row adds outside the column, of which b − x points are left for it and the rest.
                    left = other - np.arange(other + 1)
                    rest = rest + times * _means(
                        n - a, other, b - x, by_column[j][left] - left * log(other / n)
                    )
            first += a_count * b_count * float(np.sum(weight * own))
            second += a_count * b_count * float(np.sum(weight * own * rest))
    return max(0.0, (second - first * first) / n**2)


def _items(side: SizeCounts) -> Sizes:
    return tuple(zip(side.sizes.tolist(), side.counts.tolist(), strict=True))


def _term(x: np.ndarray, a: int, b: int, n: int) -> FloatArray:
    """What a cell of x points adds to n·I."""
    return np.where(x > 0, x * np.log(np.maximum(x, 1) * (n / (a * b))), 0.0)


def _outside(side: Sizes, left_out: int, n: int, most: int) -> FloatArray:
    """For r points spread over all clusters of a side but one, the mean of Σ x·log(x/b'), by r."""
    outside = n - side[left_out][0]
    drawn = np.arange(min(most, outside) + 1)
    out = np.zeros(most + 1)
    for i, (size, count) in enumerate(side):
        times = count - (i == left_out)
        if times:
            x = np.arange(size + 1.0)
            out[drawn] += times * _means(outside, size, drawn, x * np.log(np.maximum(x, 1) / size))
    return out


def _means(n: int, marked: int, drawn: IntArray, values: FloatArray) -> FloatArray:
    """For each number of points drawn of n, the mean of the value for how many marked ones are among them."""
    most = min(marked, int(drawn.max()))
    rows = max(1, HELD // (most + 1))
    parts = [
        _weights(n, marked, drawn[first : first + rows], most) @ values[: most + 1]
        for first in range(0, len(drawn), rows)
    ]
    return np.concatenate(parts)


def _weights(n: int, marked: int, drawn: IntArray, most: int | None = None) -> FloatArray:
    """How likely each number of marked points is, from 0 to ``most``, among those drawn: by ratios, in logarithms."""
    drawn = drawn[:, None]
    y = np.arange(marked if most is None else most)
    possible = np.maximum(0, drawn + marked - n) <= y
    above, below = (marked - y) * np.maximum(drawn - y, 0), (y + 1) * (n - marked - drawn + y + 1)
    logs = np.zeros((len(drawn), len(y) + 1))
    with np.errstate(divide="ignore"):
        steps = np.log(np.where(possible, above / np.where(possible, below, 1), 1.0))
    np.cumsum(steps, axis=1, out=logs[:, 1:])
    logs[:, :-1][~possible] = -np.inf
    weight: FloatArray = np.exp(logs - logs.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    return weight
