"""Measures that count pairs of points. Counts are exact integers at any size.

In the formulas P(L), P(C) and P(L, C) are the pairs of points that are together in the true, in the predicted and in
both clusterings, and P the number of all pairs. With weights a pair counts as the product of its points' weights.
"""

from __future__ import annotations

from math import sqrt

from clusterdiff.measures.registry import (
    SUMMED,
    Decomposition,
    PrecisionRecall,
    Sizes,
    measure,
    precision_recall,
)
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray

HUBERT = "Hubert, L. & Arabie, P. (1985). Comparing partitions. Journal of Classification 2."


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

    .. math:: R = 1 - \frac{P(L) + P(C) - 2 P(L, C)}{P}

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


@measure(
    "ari",
    family="pairs",
    symbol="ARI",
    bounds=(-0.5, 1.0),
    normalised=False,
    conditionally_normalised=False,
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
def ari(meet: Meet) -> float:
    r"""Rand index corrected for chance: 0 is what shuffled labels reach on average.

    .. math:: ARI = \frac{P(L, C) - E}{(P(L) + P(C)) / 2 - E}, \quad E = \frac{P(L)\, P(C)}{P}

    Identical clusterings give exactly 1, also where the formula is 0/0: all singletons, one cluster, one point.
    One cluster or all singletons against anything else give 0. Never below −1/2. It is Cohen's kappa of the
    decisions about pairs, which is what it means with weights.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "ari")
    0.5714285714285714
    """
    if meet.same:
        return 1.0
    both, true, pred, all_pairs = meet.pairs
    # Multiplied by P throughout, so that counts stay whole numbers until the one division.
    below = (true + pred) * all_pairs - 2 * true * pred
    return 2 * (both * all_pairs - true * pred) / below if below else 1.0


@precision_recall(
    "pairs",
    family="pairs",
    reference="Rijsbergen, C. J. van (1979). Information Retrieval, 2nd ed. Butterworths.",
    precision=(
        "Share of the pairs that the prediction puts together that are together in truth.",
        r"\text{precision} = \frac{P(L, C)}{P(C)}",
    ),
    recall=(
        "Share of the pairs that are together in truth that the prediction puts together.",
        r"\text{recall} = \frac{P(L, C)}{P(L)}",
    ),
    aliases={
        "precision": ("pairwise_precision", "pair_precision", "wallace.pred"),
        "recall": ("pairwise_recall", "pair_recall", "wallace.true"),
        "f1": ("pairwise_f", "pair_f1", "czekanowski_index", "dice_index", "sorensen_index", "fmeasure"),
    },
)
def pair_precision_recall(meet: Meet) -> PrecisionRecall:
    """Agreement on pairs of points.

    Without any pair to judge (all singletons) a share is 1: nothing was claimed wrongly, nothing was missed. The
    precision is Wallace's index given the prediction, the recall the one given the truth.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["pairs.precision", "pairs.recall", "pairs.f(beta=2)"])
    {'pairs.precision': 1.0, 'pairs.recall': 0.5, 'pairs.f(beta=2)': 0.5555555555555556}
    """
    both, true, pred, _ = meet.pairs
    return (both / pred if pred else 1.0), (both / true if true else 1.0)


@measure(
    "adapted_rand_error",
    family="pairs",
    best=0.0,
    normalised=True,
    conditionally_normalised=False,
    reference="Arganda-Carreras, I. et al. (2015). Crowdsourcing the creation of image segmentation algorithms for "
    "connectomics. Frontiers in Neuroanatomy 9.",
)
def adapted_rand_error(meet: Meet, alpha: float = 0.5) -> float:
    r"""One minus F of pair precision and recall, as segmentation contests use it; a distance.

    .. math:: ARE = 1 - \frac{P(L, C)}{\alpha\, P(L) + (1 - \alpha)\, P(C)}

    Identical clusterings give 0, also when they are all singletons (0/0). alpha is the weight of recall. No label
    is ignored; drop the background with ``noise=0, noise_as="drop"``.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "adapted_rand_error"), 12)
    0.333333333333
    """
    both, true, pred, _ = meet.pairs
    below = alpha * true + (1 - alpha) * pred
    return 1.0 - both / below if below else 0.0


@measure(
    "jaccard",
    family="pairs",
    aliases=("jaccard_index",),
    normalised=True,
    conditionally_normalised=False,
    reference="Ben-Hur, A., Elisseeff, A. & Guyon, I. (2002). A stability based method for discovering structure in "
    "clustered data. Pacific Symposium on Biocomputing 7.",
)
def jaccard(meet: Meet) -> float:
    r"""Of the pairs that are together in either clustering, the share that is together in both.

    .. math:: J = \frac{P(L, C)}{P(L) + P(C) - P(L, C)}

    Identical clusterings give 1, also when no pair is together at all (0/0).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "jaccard")
    0.5
    """
    both, true, pred, _ = meet.pairs
    either = true + pred - both
    return both / either if either else 1.0


@measure(
    "fowlkes_mallows",
    family="pairs",
    symbol="FM",
    aliases=("fowlkes_mallows_score", "fowlkes_mallows_index", "fm_score"),
    normalised=True,
    conditionally_normalised=False,
    reference="Fowlkes, E. B. & Mallows, C. L. (1983). A method for comparing two hierarchical clusterings. JASA 78.",
)
def fowlkes_mallows(meet: Meet) -> float:
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


@measure(
    "afm",
    family="pairs",
    bounds=(-1.0, 1.0),
    aliases=("adjusted_fm_score", "adjusted_fowlkes_mallows"),
    normalised=False,
    conditionally_normalised=False,
    reference=HUBERT,
)
def adjusted_fowlkes_mallows(meet: Meet) -> float:
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
    # FM and E share the root: what is left is a difference of whole numbers.
    root = sqrt(true) * sqrt(pred)
    below = root * all_pairs - true * pred
    return (both * all_pairs - true * pred) / below if below else 1.0


@measure(
    "mirkin",
    family="pairs",
    best=0.0,
    bounds=(0.0, lambda n: n * (n - 1)),
    normalised=False,
    conditionally_normalised=False,
    decomposition=SUMMED,
    degree=2,
    aliases=("mirkin_distance",),
    reference="Mirkin, B. G. (1996). Mathematical Classification and Clustering. Kluwer.",
)
def mirkin(meet: Meet) -> float:
    r"""Number of ordered pairs of points on which the two clusterings disagree; a distance.

    .. math:: M = \sum_L a^2 + \sum_C b^2 - 2 \sum_{LC} m^2 = 2\, (1 - R)\, P

    Identical clusterings give 0; one cluster against all singletons gives n(n − 1), the largest value. It grows
    with the square of the number of points: compare it for one data set only.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "mirkin")
    2.0
    """
    both, true, pred, _ = meet.pairs
    return float(2 * (true + pred - 2 * both))


@measure(
    "rogers_tanimoto",
    family="pairs",
    aliases=("rogers_tanimoto_index",),
    normalised=True,
    conditionally_normalised=False,
    reference="Rogers, D. J. & Tanimoto, T. T. (1960). A computer program for classifying plants. Science 132.",
)
def rogers_tanimoto(meet: Meet) -> float:
    r"""Agreements on pairs of points, with disagreements counted twice.

    .. math:: RT = \frac{R}{2 - R}

    Identical clusterings give 1; one cluster against all singletons gives 0. It orders clusterings as R does.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "rogers_tanimoto"), 12)
    0.714285714286
    """
    agreement = rand(meet)
    return agreement / (2.0 - agreement)


@measure(
    "pairs.correlation",
    family="pairs",
    bounds=(-1.0, 1.0),
    normalised=False,
    conditionally_normalised=False,
    aliases=("pearson_correlation",),
    reference=HUBERT,
)
def pair_correlation(meet: Meet) -> float:
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
    below = sqrt(true) * sqrt(all_pairs - true) * sqrt(pred) * sqrt(all_pairs - pred)
    return min(1.0, max(-1.0, (all_pairs * both - true * pred) / below))
