"""What formulas are made of, written once: x·log x, entropy, F, and what each kind of 0/0 means."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Count
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

#: From so many sizes on it is worth a look how large they are.
MANY = 10_000


def x_log_x(x: npt.NDArray[Any]) -> FloatArray:
    """x·log x, and 0 at 0."""
    if x.dtype.kind in "iu" and len(x) > MANY and (most := int(x.max())) < len(x):
        of_size = x_log_x(np.arange(most + 1.0))  # a logarithm for each size, not for each cluster
        return of_size.take(x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x > 0, x * np.log(x), 0.0)


def entropy(sizes: Int64Array) -> float:
    """The entropy of a clustering with clusters of these sizes."""
    n = int(sizes.sum())
    return log(n) - float(np.sum(sizes * np.log(sizes))) / n


def found(part: Count, whole: Count) -> float:
    """Part / whole, where 0/0 is 0: nothing was found, as the coreference reference scorer has it."""
    return float(part / whole) if whole else 0.0


def kept(part: Count, whole: Count) -> float:
    """Part / whole, where 0/0 is 1: there was nothing to lose, so nothing was lost."""
    return float(part / whole) if whole else 1.0


def share_of(meet: Summed, part: Count, whole: Count) -> float:
    """Part / whole, where 0/0 is 1; but where points are lost nothing was found, and it is 0."""
    return float(part / whole) if whole else float(not meet.uneven)


def flaw_of(meet: Summed, part: Count, whole: Count) -> float:
    """The same of what is wrong: 0/0 is 0, and 1 where points are lost."""
    return float(part / whole) if whole else 1.0 - share_of(meet, part, whole)


def less(meet: Summed, chosen: Callable[[Meet], IntArray], kept: Callable[[Summed], int | float]) -> float:
    """The weight of all points but those of some cells, which weigh ``kept``.

    Of weighted cells the others are added up: taken from the total, what is light would be lost to rounding.
    """
    if not isinstance(meet, Meet) or meet.weights is None:
        return float(max(0, meet.total - kept(meet)))
    others = np.ones(len(meet), dtype=bool)
    others[chosen(meet)] = False
    return float(meet.mass[others].sum() + meet.missing.total + meet.spurious.total)


def best_of_row(meet: Meet, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The largest value among the cells of each true cluster; 0 for one that shares no point."""
    if meet.shared_clusters[0] == meet.k_true:
        every: npt.NDArray[Any] = np.maximum.reduceat(value, meet.indptr[:-1])
        return every
    best = np.zeros(meet.k_true, dtype=value.dtype)
    filled = np.flatnonzero(np.diff(meet.indptr))
    best[filled] = np.maximum.reduceat(value, meet.indptr[filled]) if len(filled) else 0
    return best


def largest_of_true(meet: Meet) -> IntArray:
    """The largest cell of each true cluster, the first of them if there are several."""
    best = np.flatnonzero(meet.mass == best_of_row(meet, meet.mass)[meet.true])
    return best[np.diff(meet.true[best], prepend=-1) > 0]


def largest_of_pred(meet: Meet) -> IntArray:
    """The same for predicted clusters."""
    return meet.transpose_order[largest_of_true(meet.transpose())]


def kept_each(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> FloatArray:
    """The same for arrays: a cluster that cannot be split was not."""
    out = np.ones(len(whole))
    np.divide(part, whole, out=out, where=whole > 0)
    return out


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean of precision and recall; 0 when both are 0.

    >>> f_beta(0.5, 1.0), f_beta(0.5, 1.0, beta=2)
    (0.6666666666666666, 0.8333333333333334)
    """
    if precision == 0 or recall == 0:
        return 0.0
    both, mean = precision * recall, float(beta_mean(precision, recall, beta))
    # The product of two small shares may be less than a double holds.
    return both / mean if both > 1e-200 else precision * (recall / mean)


def beta_mean(x: Any, y: Any, beta: float) -> Any:
    """(β²x + y)/(1 + β²), for any β that a double holds; exactly x where the two are equal."""
    beta = float(beta)  # a fraction would make objects of arrays
    if beta == 1:
        return (x + y) / 2
    if beta > 1:
        return beta_mean(y, x, 1 / beta)
    return y + beta * beta / (1 + beta * beta) * (x - y)
