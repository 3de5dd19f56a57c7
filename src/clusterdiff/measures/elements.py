"""Measures that look at each point in turn."""

from __future__ import annotations

from typing import Any

from clusterdiff.measures.bounds import one_in_n
from clusterdiff.measures.registry import JOIN_WEIGHTED, PrecisionRecall, measure, precision_recall
from clusterdiff.meet.sums import Summed

FACTS: dict[str, Any] = {
    "family": "elements",
    "reads": "sums",
    "normalised": False,
    "decomposition": JOIN_WEIGHTED,
}


@measure(
    "element_centric",
    **FACTS,
    lost=True,
    linear=True,
    symbol="ECS",
    bounds=(one_in_n, 1.0),
    conditionally_normalised=False,
    aliases=("ecs", "element_sim"),
    reference="Gates, A. J., Wood, I. B., Hetrick, W. P. & Ahn, Y.-Y. (2019). Element-centric clustering comparison "
    "unifies overlaps and hierarchy. Scientific Reports 9.",
)
def element_centric(meet: Summed) -> float:
    r"""Mean over the points of how much their two clusters overlap, against the larger one.

    .. math:: ECS = \frac{1}{n} \sum_{LC} \frac{m^2}{\max(a, b)}

    Identical clusterings give exactly 1. A point is always in both of its clusters, so it never falls below 1/n. For
    hard clusterings it does not depend on the restart probability of the random walk that defines it.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "element_centric")
    0.75
    """
    return meet.sums.element


@precision_recall(
    "b3",
    **FACTS,
    lost=True,
    linear=True,
    f1_facts={"linear": False},
    reference="Bagga, A. & Baldwin, B. (1998). Algorithms for scoring coreference chains. LREC workshop on linguistic "
    "coreference.",
    precision=(
        "Mean over the predicted points of the share of their predicted cluster that is in their true cluster.",
        r"P = \frac{1}{n} \sum_{LC} \frac{m^2}{b}",
    ),
    recall=(
        "Mean over the true points of the share of their true cluster that is in their predicted cluster.",
        r"R = \frac{1}{n} \sum_{LC} \frac{m^2}{a}",
    ),
    aliases={
        "precision": ("b_cubed_precision", "bcubed_precision"),
        "recall": ("b_cubed_recall", "bcubed_recall"),
        "f1": ("b_cubed_f", "b_cubed", "bcubed"),
    },
)
def b_cubed(meet: Summed) -> PrecisionRecall:
    """B-cubed.

    Identical clusterings give exactly 1. A point is always in both of its clusters, so neither share falls below 1/n.
    With ``missing="lost"`` points that only one clustering has count in its clusters and in its mean, with a share of
    0, as in the CoNLL reference scorer.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["b3.precision", "b3.recall"])
    {'b3.precision': 1.0, 'b3.recall': 0.75}
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> round(cd.compare(key, response, missing="lost").score("b3.recall"), 12)  # 7/18
    0.388888888889
    """
    return meet.sums.b3_precision, meet.sums.b3_recall
