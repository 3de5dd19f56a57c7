"""Statistics over data sets, which are the units: mean ranks and their intervals, Friedman's and Wilcoxon's tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log2

import numpy as np

from clusterdiff.decide.paired import ALPHA
from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.points.labels import BoolArray, FloatArray

#: Up to so many differences all ways to sign them are counted if some are equal, as scipy does, which takes a second.
COUNTED = 13
#: With fewer data sets neither Friedman's test nor an interval of a mean rank says anything.
FEWEST = 5


@dataclass(frozen=True)
class Friedman:
    """Friedman's test: whether any of the systems differs from the others in its ranks.

    ``exact`` says whether p is that of all ways to rank, as for two systems, or of the chi-squared distribution.
    """

    statistic: float
    p_value: float
    exact: bool


def fewest(pairs: int) -> int:
    """How many data sets there must be for the p-value of one of so many pairs to fall below 0.05.

    The least p-value of Wilcoxon's test is 2 of all 2ⁿ ways to sign n differences.

    >>> fewest(0), fewest(1), fewest(3), fewest(435)
    (0, 6, 7, 15)
    """
    return floor(log2(2 * pairs / ALPHA)) + 1 if pairs else 0


def ranks_of(scores: FloatArray, similar: bool) -> FloatArray:
    """The ranks within each row, 1 for the best; equal scores share the mean of their ranks, and no score is the last.

    >>> ranks_of(np.array([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]]), similar=True).tolist()
    [[1.0, 2.5, 2.5], [3.0, 1.0, 2.0]]
    """
    from scipy.stats import rankdata

    cost = np.where(np.isnan(scores), np.inf, -scores if similar else scores)
    ranks: FloatArray = rankdata(cost, axis=1)
    return ranks


def pairwise_ranks(scores: FloatArray, has: BoolArray, similar: bool) -> FloatArray:
    """What the mean rank of each column would be, if each pair were compared wherever ``has`` says that both are.

    1, and for each other column the share of rows in which that is better, ties half. Without gaps that is the mean
    rank. Columns that share no row say nothing about each other: the others stand for them.

    >>> scores = np.array([[0.9, 0.8, 0.8], [0.5, 0.7, 0.6]])
    >>> pairwise_ranks(scores, np.ones((2, 3), dtype=bool), similar=True).tolist()
    [2.0, 1.75, 2.25]
    """
    k = scores.shape[1]
    worth = np.where(np.isnan(scores), -np.inf, scores if similar else -scores)
    out = np.ones(k)
    for i in range(k):
        both = has & has[:, [i]]
        both[:, i] = False
        beaten = np.where(worth > worth[:, [i]], 1.0, 0.5 * (worth == worth[:, [i]]))
        rows = both.sum(axis=0)
        met = rows > 0
        if met.any():
            out[i] += (k - 1) * float(((beaten * both).sum(axis=0)[met] / rows[met]).mean())
        else:
            out[i] = np.nan if k > 1 else 1.0
    return out


def mean_intervals(ranks: FloatArray, level: float) -> list[tuple[float, float] | None]:
    """Student's intervals for the mean of each column of ranks, cut off at the first and the last rank.

    None with fewer than five rows, or where the rank is always the same: what was never seen to vary has no interval.

    >>> mean_intervals(np.array([[1.0, 2.0]] * 4 + [[2.0, 1.0]] * 4), 0.95)
    [(1.0531..., 1.9468...), (1.0531..., 1.9468...)]
    """
    n, k = ranks.shape
    if n < FEWEST:
        return [None] * k
    mean, spread = ranks.mean(axis=0), ranks.std(axis=0, ddof=1)
    half = standard_errors(level, n - 1) * spread / np.sqrt(n)
    return [
        (max(1.0, m - h), min(float(k), m + h)) if h else None
        for m, h in zip(mean.tolist(), half.tolist(), strict=True)
    ]


def friedman(ranks: FloatArray) -> Friedman | None:
    """Friedman's test of the ranks within rows, with ties, as scipy has it; None with too few rows or columns.

    Null hypothesis: within each data set every order of the systems is equally likely. For two systems it is the sign
    test, for which chi-squared is too optimistic, so p is exact.

    >>> friedman(np.array([[1.0, 2.0, 3.0]] * 6)).statistic
    12.0
    >>> friedman(np.array([[1.0, 2.0]] * 6)).p_value
    0.03125
    """
    from scipy.stats import binomtest, chi2

    n, k = ranks.shape
    if n < FEWEST or k < 2:
        return None
    spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    if spread == 0:  # everybody is equal everywhere
        return Friedman(0.0, 1.0, exact=True)
    statistic = (k - 1) * float(((ranks.sum(axis=0) - n * (k + 1) / 2) ** 2).sum()) / spread
    if k == 2:
        first, second = int((ranks[:, 0] < ranks[:, 1]).sum()), int((ranks[:, 0] > ranks[:, 1]).sum())
        return Friedman(statistic, float(binomtest(first, first + second).pvalue), exact=True)
    return Friedman(statistic, float(chi2.sf(statistic, k - 1)), exact=False)


def wilcoxon_p_values(differences: FloatArray) -> FloatArray:
    """Wilcoxon's signed-rank test of the differences in each row, two-sided, as scipy has it.

    Zeros are left out, and so is what has no value; without anything else p is 1.

    >>> wilcoxon_p_values(np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0] * 6])).tolist()
    [0.03125, 1.0]
    """
    out = np.ones(len(differences))
    known = ~np.isnan(differences)
    counts = known.sum(axis=1)
    for n in np.unique(counts[counts > 0]).tolist():  # rows with as many values are tested at once
        at = np.flatnonzero(counts == n)
        out[at] = _without_gaps(differences[at][known[at]].reshape(len(at), n))
    return out


def _without_gaps(differences: FloatArray) -> FloatArray:
    from scipy.stats import wilcoxon

    out = np.ones(len(differences))
    size = np.sort(np.abs(differences), axis=1)
    zeros, tied = (size == 0).any(axis=1), (np.diff(size, axis=1) == 0).any(axis=1)
    some = (size > 0).any(axis=1)
    one_by_one = some & (zeros | tied) & (differences.shape[1] <= COUNTED)
    # Rows for which scipy takes the same way are tested at once.
    for rows in (~zeros & ~tied, ~zeros & tied, zeros):
        at = np.flatnonzero(some & rows & ~one_by_one)
        if len(at):
            out[at] = wilcoxon(differences[at], axis=1).pvalue
    for row in np.flatnonzero(one_by_one).tolist():
        out[row] = _counted(differences[row])
    return out


def _counted(differences: FloatArray) -> float:
    """The same for a few differences, some of which may be equal: how many ways to sign them lead as far."""
    from scipy.stats import rankdata

    left = differences[differences != 0]
    twice = np.rint(2 * rankdata(np.abs(left))).astype(np.int64)  # equal ones share a rank, maybe a half one
    ways = np.ones(1)
    for rank in twice.tolist():
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    here = int(twice[left > 0].sum())
    return float(min(1.0, 2 * min(ways[: here + 1].sum(), ways[here:].sum()) / ways.sum()))


def cliques(alike: Sequence[Sequence[bool]]) -> list[tuple[int, int]]:
    """The longest runs of several places in which every two are alike, as (start, stop); none is part of another.

    >>> cliques([[True, True, False], [True, True, True], [False, True, True]])
    [(0, 2), (1, 3)]
    """
    found: list[tuple[int, int]] = []
    stop = 0
    for start in range(len(alike)):
        end = start + 1
        while end < len(alike) and all(alike[i][end] for i in range(start, end)):
            end += 1
        if end - start > 1 and end > stop:
            found.append((start, end))
            stop = end
    return found
