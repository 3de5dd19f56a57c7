"""The mean of S*(largest) over all ways to lay the two clusterings over the points; exact, for small clusters."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.points.labels import FloatArray

#: With larger clusters than this the work, which grows with their cube, is better spent on sampling.
MOST_POINTS = 100


def expected_largest(margins: Margins) -> float:
    """E[S*(largest)].

    Given that x points lie in L and C, the other cells of L and those of C are independent. The largest of L's is x or
    the largest of Y, the parts that the other predicted clusters have of L's other r points. Those are binomials given
    that they add up to r (Levin 1981), so that the chance that none exceeds t is a coefficient of a product of
    truncated binomial series.
    """
    n = margins.n
    top = int(max(margins.true.sizes[-1], margins.pred.sizes[-1]))
    by_pred, by_true = _mean_largest(margins.pred, n, top), _mean_largest(margins.true, n, top)
    total = 0.0
    for i, (a, true_count) in enumerate(_items(margins.true)):
        for j, (b, pred_count) in enumerate(_items(margins.pred)):
            x, weight = _cell(n, a, b)
            split = (by_pred[j][x, a - x] - 1) / (a - 1) if a > 1 else np.ones(len(x))
            merge = (by_true[i][x, b - x] - 1) / (b - 1) if b > 1 else np.ones(len(x))
            total += true_count * pred_count * float(np.sum(weight * x * split * merge))
    return total / n


def _items(side: SizeCounts) -> list[tuple[int, int]]:
    return list(zip(side.sizes.tolist(), side.counts.tolist(), strict=True))


def _cell(n: int, a: int, b: int) -> tuple[np.ndarray, FloatArray]:
    """The possible sizes of a cell that is not empty, and how likely each is."""
    x = np.arange(max(0, a + b - n), min(a, b) + 1)
    y = x[:-1].astype(float)
    ratios = np.log((a - y) * (b - y) / ((y + 1) * (n - a - b + y + 1)))
    weight = np.exp(
        np.concatenate([[0.0], np.cumsum(ratios)]) - max(0.0, float(np.cumsum(ratios).max(initial=0.0)))
    )
    weight /= weight.sum()
    return x[x > 0], weight[x > 0]


def _mean_largest(side: SizeCounts, n: int, top: int) -> list[FloatArray]:
    """For each size left out once, E[max(x, largest Y)] as a table by x and r."""
    share = min(0.5, top / n / 2)  # any share gives the same; this one keeps the numbers away from 0

    def cut(series: FloatArray) -> FloatArray:
        return series[: top + 1]

    def product(one: FloatArray, other: FloatArray) -> FloatArray:
        return cut(np.convolve(one, other))

    def power(series: FloatArray, exponent: int) -> FloatArray:
        out = np.ones(1)
        while exponent:
            if exponent & 1:
                out = product(out, series)
            series, exponent = product(series, series), exponent >> 1
        return out

    def binomial(m: int) -> FloatArray:
        x = np.arange(min(m, top))
        ratio = (m - x) / (x + 1) * (share / (1 - share))
        return np.concatenate([[1.0], np.cumprod(ratio)]) * (1 - share) ** m

    items = _items(side)
    series = [binomial(size) for size, _ in items]
    likely = np.empty(
        (len(items), top + 1, top + 1)
    )  # by size left out, t and r: how likely no part exceeds t
    for t in range(top + 1):
        short = [s[: t + 1] for s in series]
        whole = [power(s, count) for s, (_, count) in zip(short, items, strict=True)]
        before = list(accumulate(whole, product, initial=np.ones(1)))
        after = list(accumulate(whole[::-1], product, initial=np.ones(1)))[::-1]
        for i, (s, (_, count)) in enumerate(zip(short, items, strict=True)):
            found = product(product(before[i], after[i + 1]), power(s, count - 1))
            likely[i, t] = np.pad(found, (0, top + 1 - len(found)))
    out = []
    for i, (size, _) in enumerate(items):
        every = binomial(n - size)
        every = np.pad(every, (0, top + 1 - len(every)))
        none_above = np.divide(likely[i], every, out=np.ones_like(likely[i]), where=every > 0)
        above = np.cumsum((1 - np.minimum(none_above, 1.0))[::-1], axis=0)[::-1]
        out.append(np.arange(top + 1)[:, None] + above)
    return out
