"""Mutual information corrected for chance."""

from __future__ import annotations

from functools import partial
from math import erfc, inf, sqrt
from typing import Any

from clusterdiff.measures.chance import information as expected
from clusterdiff.measures.information import VINH, Average, average_entropy
from clusterdiff.measures.reasons import CHANCE
from clusterdiff.measures.registry import measure
from clusterdiff.measures.variance import mutual_variance, pair_variance
from clusterdiff.meet.sums import Sized

KLEDE = (
    "Klede, K., Altstidl, T., Zanca, D. & Eskofier, B. (2023). p-value adjustment for monotonous, unbiased, and fast "
    "clustering comparison. NeurIPS."
)
#: What is permuted are labels of single points.
adjusted = partial(
    measure,
    family="information",
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    lost=CHANCE,
)


def _ami_facts(average: str = "arithmetic") -> dict[str, Any]:
    return {"baseline": None if average == "joint" else 0.0}


@adjusted(
    "ami",
    symbol="AMI",
    reads="margins",
    bounds=(-inf, 1.0),
    baseline=0.0,
    facts=_ami_facts,
    aliases=(
        "AMI",
        "adjusted_mutual_info_score",
        "adjusted_mi_score",
        "adj_mi",
        "adjusted_mutual_information",
    ),
    reference=VINH,
)
def ami(meet: Sized, average: Average = "arithmetic") -> float:
    r"""Mutual information corrected for chance: 0 is the mean of shuffled labels.

    .. math:: AMI = \frac{I(L, C) - E[I]}{(H(L) + H(C)) / 2 - E[I]} = 1 - \frac{VI}{E[VI]}

    ``average`` is arithmetic, max, min, geometric or joint, as for ``nmi``. Identical clusterings give exactly 1,
    also where the formula is 0/0. One cluster or all singletons leave nothing to chance and give exactly 0 against
    anything else. The expectation is over all permutations of the points, which has no meaning for weights.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "ami"), 12)
    0.571428571429
    """
    norm = average_entropy(average, meet)
    if meet.same:
        return 1.0
    if 1 in (meet.k_true, meet.k_pred) or meet.n in (meet.k_true, meet.k_pred):
        return 0.0
    sums, chance = meet.sums, meet.once(expected)
    # One minus what was lost over what chance loses: both are sums of terms ≥ 0, so that nothing cancels.
    if average == "arithmetic":
        lost, by_chance = sums.split_info + sums.merge_info, chance.split_info + chance.merge_info
    elif average in ("max", "min"):
        # H(L) − I = H(L|C), and the same for C
        larger_is_true = sums.h_true >= sums.h_pred
        if larger_is_true == (average == "max"):
            lost, by_chance = sums.merge_info, chance.merge_info
        else:
            lost, by_chance = sums.split_info, chance.split_info
    else:
        lost = norm - sums.mutual
        by_chance = norm - chance.mutual
    return min(1.0, 1.0 - lost / by_chance)


@adjusted(
    "sri",
    family="pairs",
    reads="margins",
    best=inf,
    reflexive=False,
    bounds=(-inf, inf),
    baseline=0.0,
    aliases=("standardised_rand", "standardized_rand_score"),
    reference=KLEDE,
)
def standardised_rand(meet: Sized) -> float:
    r"""How many standard deviations the Rand index is above the mean of shuffled labels.

    .. math:: SRI = \frac{R - E[R]}{\sqrt{Var[R]}}

    Mean and variance are over all permutations of the labels, exactly. Where nothing is left to chance, as with one
    cluster or all singletons on a side, it is 0 (0/0).

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], "sri"), 12)
    2.618614682832
    """
    spread = float(pair_variance(meet.margins))
    if spread == 0:
        return 0.0
    both, true, pred, all_pairs = meet.pairs
    return (both - true * pred / all_pairs) / sqrt(spread)


@adjusted(
    "pmi2",
    family="pairs",
    symbol="PMI₂",
    reads="margins",
    reflexive=False,
    aliases=("PMI2", "p_value_adjusted_rand"),
    reference=KLEDE,
)
def p_value_adjusted(meet: Sized) -> float:
    r"""How likely shuffled labels are to have a smaller Rand index, by the normal curve.

    .. math:: PMI_2 = \Phi(SRI)

    Shuffled labels have about 1/2 on average. One cluster or all singletons leave nothing to chance and give 1/2: all
    permutations are equal, and equal ones count half. It saturates: anything clearly better than chance scores close
    to 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], "pmi2"), 12)
    0.995585619524
    """
    return erfc(-standardised_rand(meet) / sqrt(2)) / 2


@adjusted(
    "smi",
    symbol="SMI",
    reads="margins",
    best=inf,
    reflexive=False,
    bounds=(-inf, inf),
    baseline=0.0,
    aliases=("SMI", "standardised_mutual_information", "standardized_mutual_information"),
    reference="Romano, S., Bailey, J., Nguyen, V. & Verspoor, K. (2014). Standardized mutual information for "
    "clustering comparisons: one step further in adjustment for chance. ICML.",
)
def standardised_mutual_information(meet: Sized) -> float:
    r"""How many standard deviations mutual information is above the mean of shuffled labels.

    .. math:: SMI = \frac{I - E[I]}{\sqrt{Var[I]}}

    Mean and variance are over all permutations of the labels, exactly; this takes long, and is refused for clusters of
    many different large sizes: ``chance("I").z`` draws permutations instead. Where nothing is left to chance, or all
    permutations give the same, it is 0 (0/0).

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 2], "smi"), 12)
    2.423901326111
    """
    if meet.margins.fixed:
        return 0.0
    spread = meet.once(mutual_variance)
    mean = meet.once(expected).mutual
    # Rounding leaves a trace of variance where there is none.
    return (meet.sums.mutual - mean) / sqrt(spread) if spread > 1e-13 * mean * mean else 0.0
