"""The split-merge framework's own measures: S* and S' over any subcomponent measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, TypeAlias

import numpy as np

from clusterdiff.measures.chance import s_h_lost
from clusterdiff.measures.parameters import Allowed
from clusterdiff.measures.reasons import CHANCE
from clusterdiff.measures.registry import JOIN_WEIGHTED, Measure, measure
from clusterdiff.measures.subcomponents import (
    Scored,
    Sigma,
    Subcomponent,
    Takes,
    by_entropy,
    mean,
    product,
    subcomponent,
)
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Sized, Summed
from clusterdiff.meet.terms import SCORES, score_sum
from clusterdiff.points.labels import FloatArray

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
    "linear": True,
    "reference": XIANG,
    "lost": True,
}
#: Those whose means by chance follow from the sizes of the clusters.
LINEAR = ("entropy", "pairs", "largest")


#: A subcomponent measure; which names there are, the registry of those says.
Scores: TypeAlias = Annotated[
    Any,
    Allowed(
        "the name of a subcomponent measure, or a function",
        lambda s: isinstance(s, str | Subcomponent) or callable(s),
    ),
]


def _score(meet: Summed, s: str | Subcomponent, sigma: Sigma) -> float:
    known = _sum_of(s, sigma)
    if known in meet.known:
        return float(getattr(meet.sums, known))
    assert isinstance(meet, Meet)  # whoever does not know the sum has the cells: the measure has checked
    scored = meet.once(by_entropy) if s == "entropy" else Scored(meet, subcomponent(s))
    return scored.combine(sigma)


def _sum_of(s: str | Subcomponent, sigma: Sigma) -> str:
    """The sum that is S* or S' with a built-in s, where it is known; nothing for a user's own."""
    if not isinstance(s, str) or s not in (*SCORES, "mse") or sigma not in (product, mean):
        return ""
    return f"{score_sum(s)}_mean" if sigma is mean else score_sum(s)


def _facts(s: str | Subcomponent, sigma: Sigma) -> dict[str, Any]:
    scored = subcomponent(s)
    known = _sum_of(s, sigma)
    return {
        "reads": scored.reads,
        "needs": scored.needs,
        "terms": (known,) if known else (),
        "linear": known != "" and s in LINEAR,
        **({"conditionally_normalised": False, "normalised": None} if scored.needs == "features" else {}),
    }


def _product_facts(s: str = "entropy") -> dict[str, Any]:
    return _facts(s, product)


def _mean_facts(s: str = "entropy") -> dict[str, Any]:
    return _facts(s, mean)


@measure("S_H", terms=("s_h",), **FACTS)
def s_h(meet: Summed) -> float:
    r"""How much of the true clusters survives splitting and merging, by entropy: the score of clusterdiff.

    .. math:: S_H = \sum_{LC} \frac{m}{n} \Bigl(1 - \frac{H(C_L)}{\log a}\Bigr) \Bigl(1 - \frac{H(L_C)}{\log b}\Bigr)

    Identical clusterings give exactly 1, and only they do. For every true clustering some prediction gives 0: one where
    the cells are all singletons and no singleton is a cluster on both sides. A single point gives 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "S_H")
    0.5
    """
    if "s_h" not in meet.known:
        return _score(meet, "entropy", product)
    sums: Any = meet.sums
    return float(sums.s_h)


@measure(
    "as_h",
    family="split-merge",
    symbol="AS_H",
    reads="margins",
    bounds=(-inf, 1.0),
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    baseline=0.0,
    lost=CHANCE,
    aliases=("AS_H", "adjusted_s_h"),
    reference=XIANG,
)
def adjusted_s_h(meet: Sized) -> float:
    r"""S_H corrected for chance: 0 is the mean of shuffled labels.

    .. math:: AS_H = 1 - \frac{1 - S_H}{E[1 - S_H]}

    The mean is over all ways to permute the labels, exactly. Identical clusterings give exactly 1, and only they do.
    One cluster or all singletons leave nothing to chance and give exactly 0 against anything else. Worse than chance is
    negative. S_H is the score that can be explained, component by component; this one is for comparing data sets with
    few large clusters. Permutations have no meaning with weights.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], "as_h"), 12)
    0.134854236193
    """
    if meet.same:
        return 1.0
    if meet.margins.fixed:
        return 0.0
    return 1.0 - (1.0 - s_h(meet)) / meet.once(s_h_lost)


#: Clusters without spread, or whose halves have the same centre, score 1 however they are split: clauses 1 and 2 of
#: property 4.3 fail, and with them conditional normalisation.
MSE_FACTS = {**FACTS, "linear": False, "conditionally_normalised": False, "normalised": None}


@measure("S_MSE", terms=("s_mse",), needs="features", **MSE_FACTS)
def s_mse(meet: Summed) -> float:
    r"""How much of the clusters' spread in feature space survives splitting and merging.

    .. math:: S_{MSE} = \sum_{LC} \frac{m}{n}\, \frac{mse(C_L)}{mse(L)}\, \frac{mse(L_C)}{mse(C)}

    Identical clusterings give exactly 1. A cluster without spread scores 1 however it is split, so clusterings that
    differ only among identical points are not distinguished; nor is a cluster distinguished from two halves with the
    same centre. So it is not conditionally normalised, although the paper says that all instances are.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2], features=[[0.0], [1.0], [5.0], [6.0]]).score("S_MSE")
    0.5
    """
    return _score(meet, "mse", product)


@measure("S*", terms=("s_h",), facts=_product_facts, **FACTS)
def s_product(meet: Summed, s: Scores = "entropy") -> float:
    r"""The split-merge similarity with any subcomponent measure s: ``S*(pairs)``, ``S*(mse)``, …

    .. math:: S^* = \sum_{LC} \frac{m}{n}\, s(C|L)\, s(L|C)

    Identical clusterings give exactly 1; the least value is 0 if s satisfies property 4.3.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 0, 1], [0, 0, 1, 1], "S*(pairs)")
    0.16666666666666666
    """
    return _score(meet, s, product)


@measure(
    "S'",
    **{**FACTS, "normalised": None, "conditionally_normalised": False, "subcomponent_consistent": False},
    terms=("s_h_mean",),
    facts=_mean_facts,
)
def s_mean(meet: Summed, s: Scores = "entropy") -> float:
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
        Combined(scored, sigma),
        "split-merge",
        label,
        reads=scored.reads,
        needs=scored.needs,
        decomposition=JOIN_WEIGHTED,
        reference=XIANG,
        lost=True,
    )


@dataclass(frozen=True)
class Combined:
    """The framework with one s and one σ."""

    s: Subcomponent
    sigma: Sigma

    def __call__(self, meet: Meet) -> float:
        """Σ m/n · σ(split score, merge score) over the cells."""
        return Scored(meet, self.s).combine(self.sigma)


def scoring(measure: Measure) -> tuple[Subcomponent, Sigma] | None:
    """The s and the σ of a measure that is the mean of σ(s, t) over the points; None if it is no such measure."""
    function = measure.function
    if isinstance(function, Combined):
        return function.s, function.sigma
    if function not in (s_h, s_mse, s_product, s_mean):
        return None
    s = subcomponent("mse" if function is s_mse else measure.parameters.get("s", "entropy"))
    return s, mean if function is s_mean else product


def cell_scores(measure: Measure, meet: Meet) -> FloatArray | None:
    """σ(s, t) of each cell, if the measure is their mean over the points; None if it is no such measure."""
    found = scoring(measure)
    if found is None:
        return None
    s, sigma = found
    return np.asarray(sigma(*Scored(meet, s).pair), dtype=np.float64)
