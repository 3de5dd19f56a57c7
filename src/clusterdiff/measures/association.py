"""Measures of the table of cells as statistics knows it: χ², and what is made of m²/ab."""

from __future__ import annotations

from functools import partial
from math import comb, inf, log

from clusterdiff.measures.bounds import LogN
from clusterdiff.measures.reasons import CHANCE, INFORMATION, TABLE
from clusterdiff.measures.registry import JOIN_WEIGHTED, measure
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed

SUNDQVIST = (
    "Sundqvist, M., Chiquet, J. & Rigaill, G. (2023). Adjusting the adjusted Rand index: a multinomial story. "
    "Computational Statistics 38."
)
LAJUGIE = (
    "Lajugie, R., Bach, F. & Arlot, S. (2014). Large-margin metric learning for constrained partitioning "
    "problems. ICML."
)

plain = partial(measure, normalised=False, conditionally_normalised=False)


def _most_frobenius(n: int) -> float:
    return float(n - 1)


def _most_chi2(n: int) -> float:
    return float(n * (n - 1))


@plain(
    "chi2",
    terms=("chi2",),
    lost=TABLE,
    family="information",
    symbol="χ²",
    best=inf,
    reflexive=False,
    bounds=(0.0, _most_chi2),
    degree=1,
    aliases=("chi_squared", "Chi2"),
    reference="Pearson, K. (1900). On the criterion that a given system of deviations… Philosophical Magazine 50.",
)
def chi2(meet: Meet) -> float:
    r"""Pearson's χ² of the contingency table: its distance from independence.

    .. math:: \chi^2 = n \Bigl(\sum_{LC} \frac{m^2}{a\, b} - 1\Bigr)

    Independent clusterings, and one cluster on either side, give 0. The largest value, n times one less than the
    smaller number of clusters, is reached where each cluster of the side with more of them lies within one of the other
    side.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "chi2")
    4.0
    """
    return float(meet.total * meet.terms.chi2)


@plain(
    "frobenius",
    terms=("frobenius",),
    lost=TABLE,
    family="edits",
    best=0.0,
    bounds=(0.0, _most_frobenius),
    aliases=("Frobenius",),
    reference=LAJUGIE,
)
def frobenius(meet: Meet) -> float:
    r"""Squared distance between the projections onto the two clusterings, as matrices; a distance.

    .. math:: F = |L| + |C| - 2 \sum_{LC} \frac{m^2}{a\, b}

    Identical clusterings give exactly 0; one cluster against all singletons gives n − 1. Clusters count alike, whatever
    their size.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "frobenius")
    1.0
    """
    # What each cluster lacks of 1 in Σ m²/ab is Σ m/a · (b − m)/b, which has no difference of sums.
    return float(meet.terms.frobenius)


@plain(
    "mari",
    terms=("products",),
    family="pairs",
    symbol="MARI",
    bounds=(-inf, 1.0),
    weighted=False,
    lost=CHANCE,
    aliases=("MARI", "modified_ari"),
    reference=SUNDQVIST,
)
def mari(meet: Meet) -> float:
    r"""Rand index corrected for chance under a multinomial model, in which sizes are random too.

    .. math:: MARI = \frac{P(L, C) - E}{(P(L) + P(C)) / 2 - E}, \quad E = P \cdot \Pr(i \sim_L j,\; k \sim_C l)

    Chance is taken over four different points i, j, k and l (i ~_L j: together in truth), so with fewer there is none:
    identical clusterings then give 1, others 0. Identical clusterings give exactly 1, also where the formula is 0/0;
    different ones give 0 there.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], "mari"), 12)
    0.666666666667
    """
    if meet.same:
        return 1.0
    n = meet.n
    if n < 4:
        return 0.0
    both, true, pred, all_pairs = meet.pairs
    # Two pairs, one together in L and one in C, are the same pair, share a point, or have four points.
    sums = meet.sums
    one_shared = 2 * n + meet.terms.products - float(sums.mm + sums.aa + sums.bb)
    # E with both sides multiplied by the number of ways to choose four points as two pairs
    ways = 6 * comb(n, 4)
    apart = true * pred - both - one_shared
    above, below = both * ways - apart * all_pairs, (true + pred) / 2 * ways - apart * all_pairs
    return min(1.0, above / below) if below else 0.0


@measure(
    "entropy_score",
    lost=INFORMATION,
    family="information",
    reads="sums",
    best=0.0,
    symmetric=False,
    bounds=(0.0, LogN(2)),
    normalised=False,
    conditionally_normalised=False,
    decomposition=JOIN_WEIGHTED,
    linear=True,
    reference="Zhao, Y. & Karypis, G. (2001). Criterion functions for document clustering. University of Minnesota TR "
    "01-40.",
)
def entropy_score(meet: Summed) -> float:
    r"""Mean entropy of the true labels within a predicted cluster, in bits; a distance.

    .. math:: H_2(L|C) = \frac1n \sum_{LC} m \log_2 \frac bm

    0 if and only if no predicted cluster mixes true clusters: all singletons are pure. It is ``vi.merge(base=2)``.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 0], "entropy_score")
    1.0
    """
    return meet.sums.merge_info / log(2)
