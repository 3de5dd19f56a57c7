"""Further indices of the pairs of points that two clusterings put together, under the names that other fields know."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import atan2, comb, inf, pi, sqrt
from typing import Any

from clusterdiff.errors import MeasureError
from clusterdiff.measures.formulas import flaw_of, share_of
from clusterdiff.measures.pairs import FACTS, pair_correlation, rand
from clusterdiff.measures.parameters import NotNegative
from clusterdiff.measures.reasons import CHANCE
from clusterdiff.measures.registry import measure
from clusterdiff.meet.sums import Summed

SNEATH = "Sokal, R. R. & Sneath, P. H. A. (1963). Principles of Numerical Taxonomy. Freeman."
CRIT = (
    "Desgraupes, B. (2013). Clustering indices. Vignette of the R package clusterCrit; Nguyen, T. (2024). PerMetrics: "
    "a framework of performance metrics for machine learning models. JOSS 9."
)
GOSGENS = (
    "Gösgens, M., Tikhonov, A. & Prokhorenkova, L. (2021). Systematic analysis of cluster similarity indices: how to "
    "validate validation measures. ICML."
)

SAME_PAIRS = "it counts decisions about pairs of points that both clusterings have"

index = partial(measure, **FACTS)
share = partial(index, normalised=True)
plain = partial(index, normalised=False)


def _pairs_of(n: int) -> float:
    return float(comb(n, 2))


def _most_mcnemar(n: int) -> float:
    return sqrt(comb(n, 2))


def _least_mcnemar(n: int) -> float:
    return -_most_mcnemar(n)


def _root_of_half(n: int) -> float:
    return sqrt(n / 2) if n > 1 else 1.0


def _tversky_facts(alpha: float = 1.0, beta: float = 1.0) -> dict[str, Any]:
    if alpha == beta == 0:
        raise MeasureError(
            "tversky(alpha=0, beta=0) is 1 for all clusterings that have a pair in common.",
            "give alpha (split pairs) or beta (merged pairs) a weight.",
        )
    return {"symmetric": alpha == beta, "linear": alpha + beta == 1}


@plain(
    "correlation_distance",
    lost=CHANCE,
    symbol="CD",
    best=0.0,
    aliases=("arccos_correlation",),
    reference=GOSGENS,
)
def correlation_distance(meet: Summed) -> float:
    r"""The angle between the two clusterings as vectors of pairs, as a share of a half turn; a metric.

    .. math:: CD = \frac{1}{\pi} \arccos r, \quad r \text{ the correlation of pairs}

    Identical clusterings give exactly 0, independent ones about 1/2. One cluster or all singletons do not vary, and
    give 1/2 against anything else.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "correlation_distance"), 12)
    0.282047108424
    """
    if meet.same:
        return 0.0
    both, true, pred, every = (Fraction(count) for count in meet.pairs)
    ahead, spread = every * both - true * pred, true * (every - true) * pred * (every - pred)
    # The angle from its sine and cosine: near 0 the cosine alone tells half of its digits.
    sine = sqrt(max(Fraction(0), 1 - ahead * ahead / spread)) if spread else 1.0
    return atan2(sine, pair_correlation(meet)) / pi


@share(
    "sokal_sneath_1",
    lost=True,
    aliases=("sokal_sneath1_score", "sokal_sneath1"),
    reference=SNEATH,
)
def sokal_sneath_1(meet: Summed) -> float:
    r"""Like Jaccard's index, with pairs that are together in only one clustering counted twice.

    .. math:: SS_1 = \frac{P(L, C)}{2 P(L) + 2 P(C) - 3 P(L, C)}

    Identical clusterings give 1, also when no pair is together at all (0/0).

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "sokal_sneath_1"), 12)
    0.333333333333
    """
    both, true, pred, _ = meet.pairs
    # Written so that equal parts give exactly 1, also where they are fractions.
    return share_of(meet, both, both + 2 * (true - both) + 2 * (pred - both))


@share(
    "sokal_sneath_2",
    lost=True,
    repeats="rand",
    aliases=("sokal_sneath2_score", "sokal_sneath2"),
    reference=SNEATH,
)
def sokal_sneath_2(meet: Summed) -> float:
    r"""Agreements on pairs of points, with disagreements counted half.

    .. math:: SS_2 = \frac{2 R}{1 + R}

    Identical clusterings give 1; one cluster against all singletons gives 0. It orders clusterings as R does.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "sokal_sneath_2"), 12)
    0.909090909091
    """
    agreement = rand(meet)
    return 2 * agreement / (1 + agreement)


@plain(
    "kulczynski",
    lost=True,
    linear=True,
    aliases=("kulczynski_score", "kulczynski_index"),
    reference="Kulczyński, S. (1927). Die Pflanzenassoziationen der Pieninen. Bulletin International de l'Académie "
    "Polonaise des Sciences et des Lettres B, suppl. II.",
)
def kulczynski(meet: Summed) -> float:
    r"""Mean of pair precision and pair recall.

    .. math:: K = \frac12 \Bigl(\frac{P(L, C)}{P(L)} + \frac{P(L, C)}{P(C)}\Bigr)

    Identical clusterings give 1. Without any pair to judge a share is 1, as for ``pairs.precision``: all singletons
    give 1/2 against anything else.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "kulczynski")
    0.75
    """
    both, true, pred, _ = meet.pairs
    return (share_of(meet, both, true) + share_of(meet, both, pred)) / 2


@plain(
    "mcnemar",
    lost=SAME_PAIRS,
    best=0.0,
    symmetric=False,
    bounds=(_least_mcnemar, _most_mcnemar),
    weighted=False,
    aliases=("mc_nemar_score", "mc_nemar"),
    reference="McNemar, Q. (1947). Note on the sampling error of the difference between correlated proportions or "
    "percentages. Psychometrika 12.",
)
def mcnemar(meet: Summed) -> float:
    r"""Whether the prediction splits more than it merges: the signed difference of the two kinds of wrong pairs.

    .. math:: \frac{N_{10} - N_{01}}{\sqrt{N_{10} + N_{01}}}, \quad N_{10} = P(L) - P(L, C),\; N_{01} = P(C) - P(L, C)

    Positive where more pairs were cut than tied, 0 where as many were cut as tied, as for identical clusterings (0/0).
    It is a test statistic that grows with n, and says nothing about how many pairs are right. It takes no weights: a
    pair that weighs two is not two pairs.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "mcnemar")
    1.0
    """
    both, true, pred, _ = meet.pairs
    wrong = true + pred - 2 * both
    # What is left of sums without some units may be less than 0, by rounding.
    return (true - pred) / sqrt(wrong) if wrong > 0 else 0.0


@share(
    "russel_rao",
    lost=True,
    reflexive=False,
    linear=True,
    aliases=("russel_rao_score", "russell_rao"),
    reference="Russell, P. F. & Rao, T. R. (1940). On habitat and association of species of anopheline larvae in "
    "south-eastern Madras. Journal of the Malaria Institute of India 3.",
)
def russel_rao(meet: Summed) -> float:
    r"""Share of all pairs of points that are together in both clusterings.

    .. math:: RR = \frac{P(L, C)}{P}

    A clustering scores 1 with itself only if it is one cluster; a single point has no pairs and gives 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "russel_rao"), 12)
    0.166666666667
    """
    return share_of(meet, meet.pairs.both, meet.pairs.all)


@plain(
    "gamma",
    lost=True,
    bounds=(-1.0, 1.0),
    linear=True,
    repeats="rand",
    aliases=("gamma_score", "hamann"),
    reference=CRIT,
)
def gamma(meet: Summed) -> float:
    r"""Pairs on which the clusterings agree minus those on which they disagree, as a share of all pairs.

    .. math:: \gamma = 2 R - 1

    Identical clusterings give 1, one cluster against all singletons −1. It is Hamann's index.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "gamma"), 12)
    0.666666666667
    """
    every = meet.pairs.all
    return share_of(meet, every - 2 * meet.disagreed, every) if every else 2 * rand(meet) - 1


@share(
    "g_plus",
    lost=True,
    best=0.0,
    linear=True,
    repeats="rand",
    aliases=("gplus_score", "gplus"),
    reference=CRIT,
)
def g_plus(meet: Summed) -> float:
    r"""Share of the pairs of points on which the two clusterings disagree; a metric.

    .. math:: G^+ = 1 - R

    Identical clusterings give 0, one cluster against all singletons 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "g_plus"), 12)
    0.166666666667
    """
    return flaw_of(meet, meet.disagreed, meet.pairs.all)


@plain(
    "tau",
    lost=SAME_PAIRS,
    best=inf,
    reflexive=False,
    bounds=(-1.0, _root_of_half),
    weighted=False,
    aliases=("tau_score",),
    reference=CRIT,
)
def tau(meet: Summed) -> float:
    r"""Kendall's τ of the decisions about pairs, with pairs that are together in both as ties.

    .. math:: \tau = \frac{P\, (2 R - 1)}{\sqrt{P\, (P - P(L, C))}}

    A clustering scores above 1 with itself, unless it has singletons only; one cluster on both sides gives 1, where the
    formula divides by 0. It is included because other libraries have it.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "tau"), 12)
    0.73029674334
    """
    both, _, _, all_pairs = meet.pairs
    below = all_pairs * (all_pairs - both)
    return all_pairs * gamma(meet) / sqrt(below) if below else 1.0


@plain(
    "overlap",
    lost=True,
    linear=True,
    aliases=("overlap_coefficient", "szymkiewicz_simpson"),
    reference="Szymkiewicz, D. (1934). Une contribution statistique à la géographie floristique. Acta Societatis "
    "Botanicorum Poloniae 11.",
)
def overlap(meet: Summed) -> float:
    r"""Pairs together in both clusterings as a share of those in the clustering that has fewer.

    .. math:: O = \frac{P(L, C)}{\min(P(L), P(C))}

    1 whenever one clustering refines the other, and hence also for all singletons (0/0).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "overlap")
    1.0
    """
    both, true, pred, _ = meet.pairs
    return share_of(meet, both, min(true, pred))


@share(
    "tversky",
    lost=True,
    facts=_tversky_facts,
    aliases=("tversky_index",),
    reference="Tversky, A. (1977). Features of similarity. Psychological Review 84.",
)
def tversky(meet: Summed, alpha: NotNegative = 1.0, beta: NotNegative = 1.0) -> float:
    r"""Pairs together in both clusterings, against those that only one of them has, each kind with its own weight.

    .. math:: T = \frac{P(L, C)}{P(L, C) + \alpha\, (P(L) - P(L, C)) + \beta\, (P(C) - P(L, C))}

    α weighs pairs that were cut, β pairs that were tied. With both 1 it is Jaccard's index, with both 1/2 it is F1.
    Identical clusterings give 1, also when no pair is together at all (0/0).

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "tversky(alpha=0.5, beta=0.5)"), 12)
    0.666666666667
    """
    both, true, pred, _ = meet.pairs
    if meet.same:
        return 1.0
    return share_of(meet, both, both + alpha * (true - both) + beta * (pred - both))


@plain(
    "partition_difference",
    lost=SAME_PAIRS,
    best=inf,
    reflexive=False,
    linear=True,
    bounds=(0.0, _pairs_of),
    degree=2,
    reference="Wagner, S. & Wagner, D. (2007). Comparing clusterings: an overview. Universität Karlsruhe TR 2006-04.",
)
def partition_difference(meet: Summed) -> float:
    r"""Number of pairs of points that are apart in both clusterings.

    .. math:: N_{00} = P - P(L) - P(C) + P(L, C)

    All singletons against themselves have the most, one cluster has none. Pairs that are together are ignored.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "partition_difference")
    4.0
    """
    both, true, pred, all_pairs = meet.pairs
    return float(all_pairs - true - pred + both)
