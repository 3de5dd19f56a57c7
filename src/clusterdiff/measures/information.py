"""Measures from information theory, in nats unless a base is given. Terms are non-negative, so nothing cancels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from math import inf, log, sqrt
from numbers import Integral
from typing import Annotated, Any, TypeAlias

from clusterdiff.errors import ClusterdiffWarning, MeasureError
from clusterdiff.measures.bounds import LogN
from clusterdiff.measures.formulas import entropy, x_log_x
from clusterdiff.measures.parameters import Allowed, Base, NotNegative, one_of
from clusterdiff.measures.reasons import INFORMATION
from clusterdiff.measures.registry import JOIN_WEIGHTED, Decomposition, Sizes, measure, measures
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray

MEILA = "Meilă, M. (2007). Comparing clusterings: an information based distance. J. Multivariate Analysis 98."
VINH = "Vinh, N. X., Epps, J. & Bailey, J. (2010). Information theoretic measures for clusterings comparison. JMLR 11."
ROSENBERG = (
    "Rosenberg, A. & Hirschberg, J. (2007). V-measure: a conditional entropy-based external cluster evaluation "
    "measure. EMNLP-CoNLL."
)
COVER = "Cover, T. M. & Thomas, J. A. (1991). Elements of Information Theory. Wiley."
#: Ways to average the two entropies that bound mutual information.
Average: TypeAlias = Annotated[str, one_of(("arithmetic", "max", "min", "geometric", "joint"))]
#: The most clusters that K reckons with on either side.
Clusters: TypeAlias = Annotated[
    int | None,
    Allowed("a whole number of at least 2", lambda x: x is None or (isinstance(x, Integral) and x >= 2)),
]


def _base_facts(base: float | None = None) -> dict[str, Any]:
    if base is None:
        return {}
    return {"bounds": (0.0, LogN(base)) if base > 1 else (LogN(base), 0.0)}


#: Every measure here is made of sums, and none is conditionally normalised.
information = partial(
    measure, family="information", reads="sums", conditionally_normalised=False, lost=INFORMATION
)
share = partial(information, normalised=True)
#: Linear in I, the entropies given.
linear_share = partial(share, linear=True)
#: Those in nats take another base.
in_nats = partial(information, linear=True, bounds=(0.0, LogN()), normalised=False, facts=_base_facts)
entropies = partial(in_nats, best=inf, reflexive=False, reference=COVER)
information_lost = partial(in_nats, best=0.0, decomposition=JOIN_WEIGHTED, reference=MEILA)


def _in_base(nats: float, base: float | None) -> float:
    return nats if base is None else nats / log(base)


def average_entropy(kind: str, meet: Summed) -> float:
    """One of the averages of the two entropies."""
    true, pred = meet.sums.h_true, meet.sums.h_pred
    match kind:
        case "arithmetic":
            return (true + pred) / 2
        case "max":
            return max(true, pred)
        case "min":
            return min(true, pred)
        case "geometric":
            return sqrt(true) * sqrt(pred)
        case _:
            return meet.sums.h_joint


@dataclass(frozen=True)
class JoinEntropy:
    """The entropy of the join, which I has in addition to what it has in the components."""

    base: float | None = None

    def __call__(self, sizes: Sizes, n: int) -> float:
        """From the sizes of the components."""
        return _in_base(entropy(sizes), self.base)


def _mutual_facts(base: float | None = None) -> dict[str, Any]:
    return {**_base_facts(base), "decomposition": Decomposition(JOIN_WEIGHTED.weight, JoinEntropy(base))}


def _log_share(sizes: Sizes, n: int) -> FloatArray:
    return x_log_x(sizes) / (n * log(n)) if n > 1 else sizes / n


def _log_rest(sizes: Sizes, n: int) -> float:
    return 1.0 - float(_log_share(sizes, n).sum())


def _nmi_facts(average: str = "arithmetic") -> dict[str, Any]:
    return {"linear": average != "joint"}  # the joint entropy is not the same for all meets of these sizes


def _v_facts(beta: float = 1.0) -> dict[str, Any]:
    return {"symmetric": beta == 1}


@entropies(
    "I",
    subcomponent_consistent=False,
    decomposition=Decomposition(JOIN_WEIGHTED.weight, JoinEntropy()),
    facts=_mutual_facts,
    aliases=("mi", "mutual_information", "mutual_info_score", "mi_score"),
)
def mutual_information(meet: Summed, base: Base = None) -> float:
    r"""How much knowing one clustering tells about the other, in nats (or with ``base=2`` in bits).

    .. math:: I = H(L) + H(C) - H(L, C) = \sum_{LC} \frac{m}{n} \log \frac{n\,m}{a\,b}

    Identical clusterings give their entropy, which differs from data set to data set; one cluster on either
    side, or independent clusterings, give 0.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "I")
    0.6931471805599453
    """
    return _in_base(meet.sums.mutual, base)


@entropies("entropy.true", symbol="H(L)", symmetric=False)
def entropy_true(meet: Summed, base: Base = None) -> float:
    r"""Entropy of the true clustering; it does not depend on the prediction.

    .. math:: H(L) = \sum_L \frac{a}{n} \log \frac{n}{a}

    One cluster gives 0, all singletons log n.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "entropy.true(base=2)")
    1.0
    """
    return _in_base(meet.sums.h_true, base)


@entropies("entropy.pred", symbol="H(C)", symmetric=False)
def entropy_pred(meet: Summed, base: Base = None) -> float:
    r"""Entropy of the predicted clustering; it does not depend on the truth.

    .. math:: H(C) = \sum_C \frac{b}{n} \log \frac{n}{b}

    One cluster gives 0, all singletons log n.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "entropy.pred(base=2)")
    1.5
    """
    return _in_base(meet.sums.h_pred, base)


@entropies("entropy.joint", symbol="H(L, C)")
def entropy_joint(meet: Summed, base: Base = None) -> float:
    r"""Entropy of the meet: what it takes to know both clusterings.

    .. math:: H(L, C) = \sum_{LC} \frac{m}{n} \log \frac{n}{m}

    Identical clusterings give their own entropy; a meet of singletons gives log n.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "entropy.joint(base=2)")
    1.5
    """
    return _in_base(meet.sums.h_joint, base)


def _nmi(meet: Summed, average: str) -> float:
    norm = average_entropy(average, meet)
    if meet.same:
        return 1.0
    return min(1.0, meet.sums.mutual / norm) if norm > 0 else 0.0


@linear_share("nmi_max", symbol="NMI", subcomponent_consistent=False, reference=VINH)
def nmi_max(meet: Summed) -> float:
    r"""Mutual information as a share of the larger entropy: the paper's NMI.

    .. math:: NMI = \frac{I(L, C)}{\max(H(L), H(C))}

    Identical clusterings give exactly 1, also when both have a single cluster (0/0). One cluster against
    anything else gives 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "nmi_max"), 12)
    0.666666666667
    """
    return _nmi(meet, "max")


@linear_share(
    "nmi",
    facts=_nmi_facts,
    aliases=("normalized_mutual_info_score", "normalized_mi_score", "normalized_mutual_information"),
    reference=VINH,
)
def nmi(meet: Summed, average: Average = "arithmetic") -> float:
    r"""Mutual information as a share of the average entropy: the NMI of other libraries.

    .. math:: nmi = \frac{I(L, C)}{(H(L) + H(C)) / 2}

    ``average`` is arithmetic, max, min, geometric, or joint (the entropy of the meet). Identical clusterings give
    exactly 1, also when both have a single cluster (0/0). One cluster against anything else gives 0, whatever the
    average.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["nmi", "nmi(average=min)"])
    {'nmi': 0.8, 'nmi(average=min)': 1.0}
    """
    return _nmi(meet, average)


measures.refuse(
    "NMI", "the paper's, by the larger entropy, is nmi_max; everybody else's, by the mean, is nmi."
)


@linear_share(
    "nid",
    best=0.0,
    aliases=("normalized_information_distance",),
    reference=VINH,
)
def nid(meet: Summed) -> float:
    r"""Normalised information distance, a metric.

    .. math:: NID = 1 - \frac{I(L, C)}{\max(H(L), H(C))} = \frac{\max(H(L|C), H(C|L))}{\max(H(L), H(C))}

    Identical clusterings give exactly 0; independent ones, or one cluster against anything else, give 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "nid"), 12)
    0.333333333333
    """
    if meet.same:
        return 0.0
    sums = meet.sums
    return min(1.0, max(sums.merge_info, sums.split_info) / max(sums.h_true, sums.h_pred))


@share(
    "nvi",
    best=0.0,
    aliases=("normalized_variation_of_information",),
    reference=VINH,
)
def nvi(meet: Summed) -> float:
    r"""Variation of information as a share of the joint entropy, a metric.

    .. math:: NVI = \frac{H(L|C) + H(C|L)}{H(L, C)} = 1 - \frac{I(L, C)}{H(L, C)}

    Identical clusterings give exactly 0; independent ones, or one cluster against anything else, give 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "nvi"), 12)
    0.333333333333
    """
    if meet.same:
        return 0.0
    sums = meet.sums
    return min(1.0, (sums.split_info + sums.merge_info) / sums.h_joint)


@linear_share(
    "homogeneity",
    symmetric=False,
    aliases=("homogeneity_score", "cluster_homogeneity"),
    reference=ROSENBERG,
)
def homogeneity(meet: Summed) -> float:
    r"""The degree to which each predicted cluster contains points of a single true cluster.

    .. math:: h = 1 - \frac{H(L|C)}{H(L)} = \frac{I(L, C)}{H(L)}

    Exactly 1 if and only if nothing is merged: all singletons are homogeneous. A single true cluster cannot be
    mixed, and gives 1.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 0, 1], "homogeneity"), 12)
    0.311278124459
    """
    sums = meet.sums
    return 1.0 if sums.merge_info == 0 else min(1.0, sums.mutual / sums.h_true)


@linear_share(
    "completeness",
    symmetric=False,
    aliases=("completeness_score", "cluster_completeness"),
    reference=ROSENBERG,
)
def completeness(meet: Summed) -> float:
    r"""The degree to which the points of each true cluster are in a single predicted cluster.

    .. math:: c = 1 - \frac{H(C|L)}{H(C)} = \frac{I(L, C)}{H(C)}

    Exactly 1 if and only if nothing is split: one cluster of everything is complete.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "completeness"), 12)
    0.666666666667
    """
    sums = meet.sums
    return 1.0 if sums.split_info == 0 else min(1.0, sums.mutual / sums.h_pred)


@linear_share("v_measure", facts=_v_facts, aliases=("v_measure_score",), reference=ROSENBERG)
def v_measure(meet: Summed, beta: NotNegative = 1.0) -> float:
    r"""Harmonic mean of homogeneity and completeness.

    .. math:: V_\beta = \frac{(1 + \beta)\, h\, c}{\beta h + c}

    Identical clusterings give exactly 1; one cluster against anything else gives 0. With β = 1 it is ``nmi``. β
    above 1 weighs completeness more (it is not squared, unlike in F), and the measure is then not symmetric.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "v_measure(beta=2)"), 12)
    0.75
    """
    h, c = homogeneity(meet), completeness(meet)
    below = beta * h + c
    return (1 + beta) * h * c / below if below else 0.0


@information_lost("vi", symbol="VI", aliases=("VI", "variation_of_information"))
def vi(meet: Summed, base: Base = None) -> float:
    r"""Information lost and gained in going from one clustering to the other, in nats; a metric.

    .. math:: VI = H(C|L) + H(L|C) = \frac1n \sum_{LC} m \Bigl(\log\frac am + \log\frac bm\Bigr)

    Identical clusterings give exactly 0; one cluster against all singletons gives log n, the largest value.
    ``base=2`` gives bits.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "vi")
    0.34657359027997264
    """
    return _in_base(meet.sums.split_info + meet.sums.merge_info, base)


@information_lost(
    "vi.split",
    symbol="H(C|L)",
    symmetric=False,
    aliases=("entropy.pred_given_true",),
)
def vi_split(meet: Summed, base: Base = None) -> float:
    r"""Information that splits added: what one has to learn about the prediction, knowing the truth.

    .. math:: H(C|L) = \frac1n \sum_{LC} m \log\frac am

    Exactly 0 if and only if no true cluster is split (no over-segmentation).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "vi.split(base=2)")
    0.5
    """
    return _in_base(meet.sums.split_info, base)


@information_lost(
    "vi.merge",
    symbol="H(L|C)",
    symmetric=False,
    aliases=("entropy.true_given_pred",),
)
def vi_merge(meet: Summed, base: Base = None) -> float:
    r"""Information that merges lost: what one has to learn about the truth, knowing the prediction.

    .. math:: H(L|C) = \frac1n \sum_{LC} m \log\frac bm

    Exactly 0 if and only if no predicted cluster mixes true clusters (no under-segmentation).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 0], "vi.merge(base=2)")
    1.0
    """
    return _in_base(meet.sums.merge_info, base)


@linear_share(
    "V",
    subcomponent_consistent=False,
    decomposition=Decomposition(_log_share, _log_rest),
    reference=MEILA,
)
def v_normalised(meet: Summed) -> float:
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
    if isinstance(meet, Meet) and meet.weights is not None:
        # 1 − VI/H(⊥) without a difference: what is known of points within cells, and what cells tell of each other.
        inside = float(meet.weights.entropy.sum()) / meet.total
        return min(1.0, (inside + meet.sums.mutual) / meet.bottom_entropy)
    return max(0.0, 1.0 - vi(meet) / meet.bottom_entropy)


@linear_share(
    "K",
    required=("k",),
    normalised=False,  # 0 is reached only where k² divides n
    subcomponent_consistent=False,
    decomposition=JOIN_WEIGHTED,
    reference=MEILA,
)
def k_normalised(meet: Summed, k: Clusters = None) -> float:
    r"""Variation of information as a similarity, against its largest value for at most k clusters.

    .. math:: K = 1 - \frac{VI(L, C)}{2 \log k}

    Identical clusterings give exactly 1. k is at least 2 and at least the number of clusters on either side;
    only up to k = √n is 2·log k the largest value that VI can take, and a warning says when it is not.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1] * 4, [0, 0, 1, 2] * 4, "K(k=4)")
    0.875
    """
    if k is None:
        raise MeasureError(
            "K needs k, the largest number of clusters on either side; got None.",
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
            ClusterdiffWarning,
            stacklevel=2,
        )
    return 1.0 - vi(meet) / (2 * log(k))
