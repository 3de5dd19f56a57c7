"""Measures that count pairs of points. Counts are exact integers at any size.

In the formulas P(L), P(C) and P(L, C) are the pairs of points that are together in the true, in the predicted and in
both clusterings, and P the number of all pairs. With weights a pair counts as the product of its points' weights.
"""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

from clusterdiff.measures.formulas import flaw_of, kept, share_of
from clusterdiff.measures.parameters import Share
from clusterdiff.measures.reasons import CHANCE
from clusterdiff.measures.registry import (
    SUMMED,
    Decomposition,
    PrecisionRecall,
    Sizes,
    measure,
    precision_recall,
)
from clusterdiff.meet.parts import Count
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray

HUBERT = "Hubert, L. & Arabie, P. (1985). Comparing partitions. Journal of Classification 2."

#: Every measure here is made of counts of pairs, which are sums; none is conditionally normalised.
FACTS: dict[str, Any] = {"family": "pairs", "reads": "sums", "conditionally_normalised": False}
pair_measure = partial(measure, **FACTS)
share = partial(pair_measure, normalised=True)
plain = partial(pair_measure, normalised=False)
#: Linear in the pairs that are together in both, those on either side given.
linear_share = partial(share, linear=True)
#: 0 is the mean of shuffled labels.
adjusted = partial(plain, linear=True, baseline=0.0)


def _pair_share(sizes: Sizes, n: int) -> FloatArray:
    return sizes * (sizes - 1) / (n * (n - 1)) if n > 1 else sizes / n


def _pair_rest(sizes: Sizes, n: int) -> float:
    return 1.0 - float(_pair_share(sizes, n).sum())


def _ordered_pairs(n: int) -> float:
    return n * (n - 1)


def _alpha_facts(alpha: float = 0.5) -> dict[str, Any]:
    return {"symmetric": alpha == 0.5}


@linear_share(
    "rand",
    lost=True,
    symbol="R",
    aliases=("R", "rand_score", "rand_index"),
    subcomponent_consistent=False,
    decomposition=Decomposition(_pair_share, _pair_rest),
    reference="Rand, W. M. (1971). Objective criteria for the evaluation of clustering methods. JASA 66.",
)
def rand(meet: Summed) -> float:
    r"""Share of the pairs of points on which the two clusterings agree, together or apart.

    .. math:: R = 1 - \frac{P(L) + P(C) - 2 P(L, C)}{P}

    Identical clusterings give 1; one cluster against all singletons gives 0; a single point has no pairs and
    gives 1, since there is nothing to disagree on. A pair with a point that one side lacks (``missing="lost"``) is one
    on which they disagree.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "rand")
    0.8333333333333334
    """
    return share_of(meet, meet.agreed, meet.pairs.all)


@adjusted(
    "ari",
    lost=CHANCE,
    symbol="ARI",
    bounds=(-0.5, 1.0),
    aliases=(
        "ARI",
        "adjusted_rand",
        "adjusted_rand_score",
        "adjusted_rand_index",
        "adjrand_index",
        "omega_index",
    ),
    reference=HUBERT,
)
def ari(meet: Summed) -> float:
    r"""Rand index corrected for chance: 0 is the mean of shuffled labels.

    .. math:: ARI = \frac{P(L, C) - E}{(P(L) + P(C)) / 2 - E}, \quad E = \frac{P(L)\, P(C)}{P}

    Identical clusterings give exactly 1, also where the formula is 0/0: all singletons, one cluster, one point. One
    cluster or all singletons against anything else give 0. It is never below −1/2, with weights never below −1. It is
    Cohen's kappa of the decisions about pairs, which is what it means with weights.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "ari")
    0.5714285714285714
    """
    if meet.same:
        return 1.0
    return beyond_chance(*meet.pairs)


def beyond_chance(both: Count, true: Count, pred: Count, all_pairs: Count) -> float:
    """The adjusted Rand index of pairs that are together in both, and in either.

    >>> beyond_chance(1, 2, 1, 6)
    0.5714285714285714
    """
    # Multiplied by P throughout, so that counts stay whole numbers until the one division.
    below = (true + pred) * all_pairs - 2 * true * pred
    return kept(2 * (both * all_pairs - true * pred), below)


@precision_recall(
    "pairs",
    lost=True,
    **FACTS,
    linear=True,  # F too: both shares have the same numerator
    reference="Rijsbergen, C. J. van (1979). Information Retrieval, 2nd ed. Butterworths.",
    precision=(
        "Of the pairs that the prediction puts together, the share that is together in truth.",
        r"\text{precision} = \frac{P(L, C)}{P(C)}",
    ),
    recall=(
        "Of the pairs that are together in truth, the share that the prediction puts together.",
        r"\text{recall} = \frac{P(L, C)}{P(L)}",
    ),
    aliases={
        "precision": ("pairwise_precision", "pair_precision", "wallace.pred"),
        "recall": ("pairwise_recall", "pair_recall", "wallace.true"),
        "f1": ("pairwise_f", "pair_f1", "czekanowski_index", "dice_index", "sorensen_index"),
    },
)
def pair_precision_recall(meet: Summed) -> PrecisionRecall:
    """Agreement on pairs of points.

    Without any pair to judge (all singletons) a share is 1: nothing was claimed wrongly, nothing was missed. The
    precision is Wallace's index given the prediction, the recall the one given the truth. Lost singletons
    (``missing="lost"``) are in no pair, so they do not count; where points are lost, a share of no pairs is 0, as for
    the coreference measures.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["pairs.precision", "pairs.recall", "pairs.f(beta=2)"])
    {'pairs.precision': 1.0, 'pairs.recall': 0.5, 'pairs.f(beta=2)': 0.5555555555555556}
    """
    both, true, pred, _ = meet.pairs
    return share_of(meet, both, pred), share_of(meet, both, true)


@linear_share(
    "adapted_rand_error",
    lost=True,
    facts=_alpha_facts,
    best=0.0,
    reference="Arganda-Carreras, I. et al. (2015). Crowdsourcing the creation of image segmentation algorithms for "
    "connectomics. Frontiers in Neuroanatomy 9.",
)
def adapted_rand_error(meet: Summed, alpha: Share = 0.5) -> float:
    r"""One minus F of pair precision and recall, as used in segmentation challenges; a distance.

    .. math:: ARE = 1 - \frac{P(L, C)}{\alpha\, P(L) + (1 - \alpha)\, P(C)}

    Identical clusterings give 0, also when they are all singletons (0/0). alpha is the weight of recall. No label
    is ignored; drop the background with ``noise=0, noise_as="drop"``.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "adapted_rand_error"), 12)
    0.333333333333
    """
    both, true, pred, _ = meet.pairs
    wrong = alpha * (true - both) + (1 - alpha) * (pred - both)
    return flaw_of(meet, wrong, alpha * true + (1 - alpha) * pred)


@share(
    "jaccard",
    lost=True,
    aliases=("jaccard_index",),
    reference="Ben-Hur, A., Elisseeff, A. & Guyon, I. (2002). A stability based method for discovering structure in "
    "clustered data. Pacific Symposium on Biocomputing 7.",
)
def jaccard(meet: Summed) -> float:
    r"""Of the pairs that are together in either clustering, the share that is together in both.

    .. math:: J = \frac{P(L, C)}{P(L) + P(C) - P(L, C)}

    Identical clusterings give 1, also when no pair is together at all (0/0).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "jaccard")
    0.5
    """
    both, true, pred, _ = meet.pairs
    return share_of(meet, both, true + pred - both)


@linear_share(
    "fowlkes_mallows",
    lost=True,
    symbol="FM",
    aliases=("fowlkes_mallows_score", "fowlkes_mallows_index", "fm_score"),
    reference="Fowlkes, E. B. & Mallows, C. L. (1983). A method for comparing two hierarchical clusterings. JASA 78.",
)
def fowlkes_mallows(meet: Summed) -> float:
    r"""Geometric mean of pair precision and pair recall.

    .. math:: FM = \frac{P(L, C)}{\sqrt{P(L)\, P(C)}}

    Identical clusterings give 1, also when they are all singletons (0/0). All singletons against anything else
    give 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "fowlkes_mallows"), 12)
    0.707106781187
    """
    both, true, pred, _ = meet.pairs
    if meet.same:
        return 1.0
    return sqrt(both / true) * sqrt(both / pred) if true and pred else 0.0


@adjusted(
    "afm",
    lost=CHANCE,
    bounds=(-1.0, 1.0),
    aliases=("adjusted_fm_score", "adjusted_fowlkes_mallows"),
    reference=HUBERT,
)
def adjusted_fowlkes_mallows(meet: Summed) -> float:
    r"""Fowlkes-Mallows index corrected for chance.

    .. math:: AFM = \frac{FM - E}{1 - E}, \quad E = \frac{\sqrt{P(L)\, P(C)}}{P}

    Identical clusterings give exactly 1, also where the formula is 0/0. All singletons, or one cluster, against
    anything else give 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "afm"), 12)
    0.616781257308
    """
    if meet.same:
        return 1.0
    both, true, pred, all_pairs = meet.pairs
    if not true or not pred:
        return 0.0
    # With r the root, FM − E is (P(L, C)·P − r²)/rP and 1 − E is (P² − r²)/(P + r)P: differences of whole numbers.
    above, square, every = both * all_pairs - true * pred, true * pred, all_pairs * all_pairs
    root = sqrt(square / every)  # as a share of P
    if root > 1e-100:
        return kept(above, every - square) * (1 + 1 / root)
    # Chance is nothing, and may be less than a double holds; FM need not be.
    return sqrt(above * above / (square * every)) * (1 if above > 0 else -1)


@plain(
    "mirkin",
    lost=True,
    linear=True,
    best=0.0,
    bounds=(0.0, _ordered_pairs),
    decomposition=SUMMED,
    degree=2,
    repeats="rand",
    aliases=("mirkin_distance",),
    reference="Mirkin, B. G. (1996). Mathematical Classification and Clustering. Kluwer.",
)
def mirkin(meet: Summed) -> float:
    r"""Number of ordered pairs of points on which the two clusterings disagree; a distance.

    .. math:: M = \sum_L a^2 + \sum_C b^2 - 2 \sum_{LC} m^2 = 2\, (1 - R)\, P

    Identical clusterings give 0; one cluster against all singletons gives n(n − 1), the largest value. It grows
    with the square of the number of points: compare it for one data set only.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "mirkin")
    2.0
    """
    return float(2 * meet.disagreed)


@share(
    "rogers_tanimoto",
    lost=True,
    repeats="rand",
    aliases=("rogers_tanimoto_index",),
    reference="Rogers, D. J. & Tanimoto, T. T. (1960). A computer program for classifying plants. Science 132.",
)
def rogers_tanimoto(meet: Summed) -> float:
    r"""Agreements on pairs of points, with disagreements counted twice.

    .. math:: RT = \frac{R}{2 - R}

    Identical clusterings give 1; one cluster against all singletons gives 0. It orders clusterings as R does.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "rogers_tanimoto"), 12)
    0.714285714286
    """
    agreement = rand(meet)
    return agreement / (2.0 - agreement)


@adjusted(
    "pairs.correlation",
    lost=CHANCE,
    bounds=(-1.0, 1.0),
    aliases=("pearson_correlation", "cc", "phi", "hubert"),
    reference=HUBERT,
)
def pair_correlation(meet: Summed) -> float:
    r"""Correlation between being together in one clustering and being together in the other.

    .. math:: r = \frac{P\, P(L, C) - P(L)\, P(C)}{\sqrt{P(L)\, (P - P(L))\, P(C)\, (P - P(C))}}

    Identical clusterings give exactly 1. One cluster or all singletons do not vary, and give 0 against anything else.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "pairs.correlation"), 12)
    0.632455532034
    """
    if meet.same:
        return 1.0
    both, true, pred, all_pairs = meet.pairs
    if not all((true, all_pairs - true, pred, all_pairs - pred)):
        return 0.0
    # Its square is a fraction of counts, which are exact however large they are.
    above, below = all_pairs * both - true * pred, true * (all_pairs - true) * pred * (all_pairs - pred)
    correlation = min(1.0, sqrt(above * above / below))
    return correlation if above > 0 else -correlation
