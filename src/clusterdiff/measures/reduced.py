"""Reduced mutual information: information about the truth, minus the cost of encoding the contingency table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, log

import numpy as np

from clusterdiff.measures.reasons import INFORMATION
from clusterdiff.measures.registry import measure
from clusterdiff.meet.margins import SizeCounts
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray

JERDEE = (
    "Jerdee, M., Kirkley, A. & Newman, M. E. J. (2024). Mutual information and the encoding of contingency tables. "
    "Physical Review E 110."
)
#: Within which the concentration α is chosen.
ALPHAS = (1e-4, 1e4)

reduced = partial(
    measure,
    family="information",
    symmetric=False,
    weighted=False,
    normalised=False,
    conditionally_normalised=False,
    lost=INFORMATION,
    reference=JERDEE,
)


def _sum_log_ways(side: SizeCounts, concentration: FloatArray) -> FloatArray:
    """For each concentration c, Σ log of the binomial coefficient of size + c − 1 over size, without cancellation."""
    from scipy import special

    sizes = side.sizes.astype(float)
    each: FloatArray = np.log(sizes) + special.betaln(sizes, concentration[:, None])
    total: FloatArray = each @ -side.counts
    return total


def _log_factorials(side: SizeCounts) -> float:
    from scipy import special

    return float(np.sum(side.counts * special.gammaln(side.sizes + 1.0)))


def _least(cost: Callable[[FloatArray], FloatArray]) -> float:
    """The least value over α: a grid tells between which places it lies, a finer one where, and a parabola how low."""
    low, high = map(log, ALPHAS)
    for _ in range(3):
        grid = np.linspace(low, high, 65)
        values = cost(np.exp(grid))
        best = int(np.argmin(values))
        low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    found = float(values[best])
    if not 0 < best < len(grid) - 1:
        return found
    # A minimum is flat, and the grid is fine: three places tell its value to all digits.
    before, after = float(values[best - 1]) - found, float(values[best + 1]) - found
    return found - (after - before) ** 2 / (8 * (before + after)) if before + after > 0 else found


def _information(true: SizeCounts, pred: SizeCounts, cells: SizeCounts) -> float:
    """H(L) − H(L|C) in nats, each with the sizes encoded under the best Dirichlet-multinomial prior."""
    n, k = true.n, true.k
    whole = SizeCounts(np.array([n]), np.array([1]))
    sizes = _least(lambda alpha: _sum_log_ways(whole, k * alpha) - _sum_log_ways(true, alpha))
    table = _least(lambda alpha: _sum_log_ways(pred, k * alpha) - _sum_log_ways(cells, alpha))
    labels = _log_factorials(whole) - _log_factorials(true)
    given = _log_factorials(pred) - _log_factorials(cells)
    return (sizes + labels) - (table + given)


def _of_meet(meet: Meet) -> float:
    return _information(*(SizeCounts.of(size) for size in (meet.true_size, meet.pred_size, meet.size)))


def _of_truth(meet: Meet) -> float:
    own = SizeCounts.of(meet.true_size)
    return _information(own, own, own)


@reduced("rmi", best=inf, reflexive=False, bounds=(-inf, inf), aliases=("reduced_mutual_information",))
def reduced_mutual_information(meet: Meet) -> float:
    r"""Information about all true labels in the prediction, minus the cost of encoding the contingency table, in bits.

    .. math:: RMI = \log_2 \frac{n!\, \prod_{LC} m!}{\prod_L a!\, \prod_C b!} + h(a) - h(m | b)

    h(a) and h(m | b) are the numbers of bits needed to encode the true sizes, and the table given the predicted sizes,
    under the Dirichlet-multinomial distribution with the concentration α between 0.0001 and 10,000 that needs the
    fewest. It is negative where encoding the table costs more than it saves, as for independent clusterings. With one
    true cluster there is nothing to encode, and it is 0; identical clusterings give the value that ``nrmi`` divides by.
    It is for all points together, not per point, and it is not symmetric.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2], "rmi"), 6)
    0.909391
    """
    return 0.0 if meet.k_true == 1 else meet.once(_of_meet) / log(2)


@reduced("nrmi", bounds=(-inf, 1.0), aliases=("normalised_reduced_mutual_information",))
def normalised_reduced_mutual_information(meet: Meet) -> float:
    r"""Reduced mutual information as a share of its value for a perfect prediction.

    .. math:: NRMI = \frac{RMI(L, C)}{RMI(L, L)}

    Identical clusterings give exactly 1. This normalisation looks at the truth alone, so that no prediction gains by
    being simple. If that value is not positive (one true cluster, or too few points), anything else gives 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1, 2, 2], "nrmi"), 6)
    0.151571
    """
    if meet.same:
        return 1.0
    whole = meet.once(_of_truth)
    return meet.once(_of_meet) / whole if meet.k_true > 1 and whole > 1e-12 else 0.0
