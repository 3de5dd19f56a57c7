"""Measures from information theory, in nats. Terms are non-negative, so nothing cancels."""

from __future__ import annotations

import warnings
from math import log, sqrt

import numpy as np

from clusterdiff.errors import MeasureError
from clusterdiff.measures.registry import JOIN_WEIGHTED, Decomposition, Sizes, measure
from clusterdiff.meet import FloatArray, Meet

MEILA = "Meilă, M. (2007). Comparing clusterings: an information based distance. J. Multivariate Analysis 98."
VINH = "Vinh, N. X., Epps, J. & Bailey, J. (2010). Information theoretic measures for clusterings comparison. JMLR 11."


def _log_share(sizes: Sizes, n: int) -> FloatArray:
    return sizes * np.log(sizes) / (n * log(n)) if n > 1 else sizes / n


@measure(
    "I",
    family="information",
    best=float("inf"),
    bounds=(0.0, lambda n: log(n)),
    normalised=False,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    decomposition=Decomposition(
        lambda sizes, n: sizes / n,
        lambda sizes, n: log(n) - float((sizes * np.log(sizes)).sum() / n),
    ),
    aliases=("mutual_information", "mutual_info_score"),
    reference="Cover, T. M. & Thomas, J. A. (1991). Elements of Information Theory. Wiley.",
)
def mutual_information(meet: Meet) -> float:
    r"""How much knowing one clustering tells about the other, in nats.

    .. math:: I = H(L) + H(C) - H(L, C) = \sum_{LC} \frac{m}{n} \log \frac{n\,m}{a\,b}

    Identical clusterings give their entropy, which differs from data set to data set; one cluster on either
    side, or independent clusterings, give 0.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "I")
    0.6931471805599453
    """
    return meet.sums.mutual


@measure(
    "NMI",
    family="information",
    normalised=True,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    reference=VINH,
)
def nmi_max(meet: Meet) -> float:
    r"""Mutual information as a share of the larger entropy.

    .. math:: NMI = \frac{I(L, C)}{\max\{H(L), H(C)\}}

    Identical clusterings give exactly 1, also when both have a single cluster (0/0). One cluster against
    anything else gives 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "NMI"), 12)
    0.666666666667
    """
    if meet.same:
        return 1.0
    sums = meet.sums
    return min(1.0, sums.mutual / max(sums.h_true, sums.h_pred))


@measure(
    "vi",
    family="information",
    symbol="VI",
    best=0.0,
    bounds=(0.0, lambda n: log(n)),
    normalised=False,
    conditionally_normalised=False,
    aliases=("VI", "variation_of_information"),
    reference=MEILA,
    decomposition=JOIN_WEIGHTED,
)
def vi(meet: Meet) -> float:
    r"""Information lost and gained in going from one clustering to the other, in nats; a distance.

    .. math:: VI = H(C|L) + H(L|C) = \frac1n \sum_{LC} m \Bigl(\log\frac am + \log\frac bm\Bigr)

    Identical clusterings give exactly 0; one cluster against all singletons gives log n, the largest value.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "vi")
    0.34657359027997264
    """
    return meet.sums.split_info + meet.sums.merge_info


@measure(
    "V",
    family="information",
    normalised=True,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    decomposition=Decomposition(_log_share, lambda sizes, n: 1.0 - float(_log_share(sizes, n).sum())),
    reference=MEILA,
)
def v_normalised(meet: Meet) -> float:
    r"""Variation of information as a similarity, against its largest value for n points.

    .. math:: V = 1 - \frac{VI(L, C)}{\log n}

    Identical clusterings give exactly 1; one cluster against all singletons gives 0; a single point gives 1.
    With weights log n becomes H(⊥), the entropy of the points' shares of the weight.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "V")
    0.75
    """
    if meet.same:
        return 1.0
    return max(0.0, 1.0 - vi(meet) / meet.bottom_entropy)


@measure(
    "K",
    family="information",
    normalised=True,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    decomposition=JOIN_WEIGHTED,
    reference=MEILA,
)
def k_normalised(meet: Meet, k: int | None = None) -> float:
    r"""Variation of information as a similarity, against its largest value for at most k clusters.

    .. math:: K = 1 - \frac{VI(L, C)}{2 \log k}

    Identical clusterings give exactly 1. k is at least 2 and at least the number of clusters on either side;
    only up to k = √n is 2·log k the largest value that VI can take, and a warning says when it is not.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1] * 4, [0, 0, 1, 2] * 4, "K(k=4)")
    0.875
    """
    if not isinstance(k, int) or isinstance(k, bool):
        raise MeasureError(
            f"K needs k, the largest number of clusters on either side; got {k!r}.",
            f"for these clusterings k must be at least {max(2, meet.k_true, meet.k_pred)}: "
            f"ask for K(k={max(2, meet.k_true, meet.k_pred)}).",
        )
    if k < max(2, meet.k_true, meet.k_pred):
        raise MeasureError(
            f"K(k={k}) needs k ≥ 2 and k ≥ the number of clusters; there are {meet.k_true:,} true and "
            f"{meet.k_pred:,} predicted clusters.",
            f"ask for K(k={max(2, meet.k_true, meet.k_pred)}) or more.",
        )
    if k > sqrt(meet.n):
        warnings.warn(
            f"K(k={k}): its bounds hold for k ≤ √n only, and √n is {sqrt(meet.n):.4g}.",
            UserWarning,
            stacklevel=2,
        )
    return 1.0 - vi(meet) / (2 * log(k))
