"""Mutual information corrected for chance, or for what it takes to tell."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

from clusterdiff.measures.chance import information as expected
from clusterdiff.measures.information import VINH, average_entropy
from clusterdiff.measures.registry import measure
from clusterdiff.meet.sums import Sized

#: What is permuted are labels of single points.
adjusted = partial(
    measure, family="information", normalised=False, conditionally_normalised=False, weighted=False
)


def _ami_facts(average: str = "arithmetic") -> dict[str, Any]:
    return {"baseline": None if average == "joint" else 0.0}


@adjusted(
    "ami",
    symbol="AMI",
    reads="margins",
    bounds=(-inf, 1.0),
    baseline=0.0,
    given=_ami_facts,
    aliases=(
        "AMI",
        "adjusted_mutual_info_score",
        "adjusted_mi_score",
        "adj_mi",
        "adjusted_mutual_information",
    ),
    reference=VINH,
)
def ami(meet: Sized, average: str = "arithmetic") -> float:
    r"""Mutual information corrected for chance: 0 is what shuffled labels reach on average.

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
