"""The split-merge framework's own measures: S* and S' over any subcomponent measure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clusterdiff.measures.registry import JOIN_WEIGHTED, Measure, measure
from clusterdiff.measures.subcomponents import Scored, Sigma, Subcomponent, Takes, mean, product, subcomponent
from clusterdiff.meet.meet import Meet

XIANG = (
    "Xiang, Q., Mao, Q., Chai, K. M. A., Chieu, H. L., Tsang, I. W. & Zhao, Z. (2012). "
    "A split-merge framework for comparing clusterings. ICML."
)
FACTS: dict[str, Any] = {
    "family": "split-merge",
    "normalised": True,
    "conditionally_normalised": True,
    "subcomponent_consistent": True,
    "decomposition": JOIN_WEIGHTED,
    "reference": XIANG,
}
#: Sums that may be there already, for S* and S': the core has some, an engine all.
FUSED = {
    "entropy": ("s_h", "s_h_mean"),
    "pairs": ("s_pairs", "s_pairs_mean"),
    "largest": ("s_largest", "s_largest_mean"),
    "mse": ("s_mse", "s_mse_mean"),
}


def _score(meet: Meet, s: str | Subcomponent, sigma: Sigma) -> float:
    if isinstance(s, str) and s in FUSED and sigma in (product, mean):
        summed = getattr(meet.sums, FUSED[s][sigma is mean], None)
        if summed is not None:
            return float(summed)
    return Scored(meet, subcomponent(s)).combine(sigma)


@measure("S_H", **FACTS)
def s_h(meet: Meet) -> float:
    r"""How much of the true clusters survives splitting and merging, by entropy: the score of clusterdiff.

    .. math:: S_H = \sum_{LC} \frac{m}{n} \Bigl(1 - \frac{H(C_L)}{\log a}\Bigr) \Bigl(1 - \frac{H(L_C)}{\log b}\Bigr)

    Identical clusterings give exactly 1, and only they do. 0 is reached for every true clustering, when the
    cells are all singletons and no singleton is a cluster on both sides. A single point gives 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "S_H")
    0.5
    """
    return _score(meet, "entropy", product)


@measure("S_MSE", needs="features", **FACTS)
def s_mse(meet: Meet) -> float:
    r"""How much of the clusters' spread in feature space survives splitting and merging.

    .. math:: S_{MSE} = \sum_{LC} \frac{m}{n}\, \frac{mse(C_L)}{mse(L)}\, \frac{mse(L_C)}{mse(C)}

    Identical clusterings give exactly 1. A cluster without spread scores 1 however it is split, so clusterings
    that differ only among identical points are not told apart.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2], features=[[0.0], [1.0], [5.0], [6.0]]).score("S_MSE")
    0.5
    """
    return _score(meet, "mse", product)


@measure("S*", **FACTS)
def s_product(meet: Meet, s: str = "entropy") -> float:
    r"""The split-merge similarity with any subcomponent measure s: ``S*(pairs)``, ``S*(mse)``, …

    .. math:: S^* = \sum_{LC} \frac{m}{n}\, s(C|L)\, s(L|C)

    Identical clusterings give exactly 1; the least value is 0 if s satisfies property 4.3.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 0, 1], [0, 0, 1, 1], "S*(pairs)")
    0.16666666666666666
    """
    return _score(meet, s, product)


@measure(
    "S'", **{**FACTS, "normalised": None, "conditionally_normalised": False, "subcomponent_consistent": False}
)
def s_mean(meet: Meet, s: str = "entropy") -> float:
    r"""The mean of the split scores and the merge scores, which ignores how they are paired.

    .. math:: S' = \frac12 \sum_L \frac an\, s(C|L) + \frac12 \sum_C \frac bn\, s(L|C)

    Identical clusterings give exactly 1. A mere split of one cluster scores at least 1/2.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "S'(entropy)")
    0.75
    """
    return _score(meet, s, mean)


def split_merge(
    s: str | Subcomponent | Callable[..., Any] = "entropy",
    sigma: Sigma = product,
    *,
    takes: Takes | None = None,
    name: str | None = None,
) -> Measure:
    """The framework with a subcomponent measure s and a combination σ of your own, as a measure.

    Parameters
    ----------
    s
        A built-in's name, or a function; see :func:`clusterdiff.subcomponent` for what it may take.
    sigma
        A function of two arrays, the split and the merge score of each cell; the product by default.
    takes, name
        As for :func:`clusterdiff.subcomponent`; ``name`` is the measure's name.

    Examples
    --------
    >>> import numpy as np, clusterdiff as cd
    >>> diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    >>> diff.score(cd.split_merge("entropy", np.minimum))
    0.5
    """
    scored = subcomponent(s, takes)
    label = name or f"S({scored.name}, {getattr(sigma, '__name__', 'own')})"
    return Measure(
        label,
        lambda meet: Scored(meet, scored).combine(sigma),
        "split-merge",
        label,
        needs=scored.needs,
        decomposition=JOIN_WEIGHTED,
        reference=XIANG,
    )
