"""Measures that count pairs of points. Counts are exact integers at any size."""

from __future__ import annotations

from clusterdiff.measures.registry import Decomposition, Sizes, measure
from clusterdiff.meet import FloatArray, Meet


def _pair_share(sizes: Sizes, n: int) -> FloatArray:
    return sizes * (sizes - 1) / (n * (n - 1)) if n > 1 else sizes / n


@measure(
    "rand",
    family="pairs",
    symbol="R",
    aliases=("R", "rand_score", "rand_index"),
    normalised=True,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    decomposition=Decomposition(_pair_share, lambda sizes, n: 1.0 - float(_pair_share(sizes, n).sum())),
    reference="Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. JASA 66.",
)
def rand(meet: Meet) -> float:
    r"""Share of the pairs of points on which the two clusterings agree, together or apart.

    .. math:: R = 1 - \frac{P(L) + P(C) - 2 P(L, C)}{\binom n2},
        \quad P = \text{pairs together}

    Identical clusterings give 1; one cluster against all singletons gives 0; a single point has no pairs and
    gives 1, since there is nothing to disagree on.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "rand")
    0.8333333333333334
    """
    pairs = meet.pairs
    if pairs.all == 0:
        return 1.0
    return (pairs.all - pairs.true - pairs.pred + 2 * pairs.both) / pairs.all
