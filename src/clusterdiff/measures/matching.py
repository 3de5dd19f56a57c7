"""Measures that match clusters with clusters."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.measures.bounds import LeastF, all_but_one, ceil_root, one_in_n
from clusterdiff.measures.formulas import (
    found,
    largest_of_pred,
    largest_of_true,
    less,
)
from clusterdiff.measures.matchings import matched_cells, matched_mass, sizes_of_cells
from clusterdiff.measures.parameters import Beta
from clusterdiff.measures.reasons import CHANCE
from clusterdiff.measures.registry import JOIN_WEIGHTED, SUMMED, PrecisionRecall, measure, precision_recall
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray

MEILA = (
    "Meilă, M. & Heckerman, D. (2001). An experimental comparison of model-based clustering methods. "
    "Machine Learning 42."
)
DONGEN = (
    "van Dongen, S. (2000). Performance criteria for graph clustering and Markov cluster experiments. CWI."
)
ZHAO = "Zhao, Y. & Karypis, G. (2001). Criterion functions for document clustering. University of Minnesota TR 01-40."
GAGOLEWSKI = (
    "Gagolewski, M. (2025). Normalised clustering accuracy: an asymmetric external cluster validity measure. "
    "Journal of Classification 42."
)
REZAEI = "Rezaei, M. & Fränti, P. (2016). Set matching measures for external cluster validity. IEEE TKDE 28."


#: Most measures here never reach 0, since some part of every cluster stays: none is conditionally normalised.
matching = partial(measure, family="matching", conditionally_normalised=False)
share = partial(matching, normalised=True)
plain = partial(matching, normalised=False)
#: Made of the largest parts of clusters, which are sums.
by_parts = partial(plain, reads="sums")
#: Points that are counted: the measure is the sum over the components.
moved = partial(by_parts, best=0.0, decomposition=SUMMED, degree=1, reference=DONGEN)
#: Made of the best one-to-one matching, which is known in some places without the cells.
by_matching = partial(matching, terms=("matched",))


def _least_n(n: int) -> float:
    return ceil_root(4 * n) / (2 * n)


def _most_moves(n: int) -> float:
    return 2 * n - ceil_root(4 * n)


def _least_geometric(n: int) -> float:
    return 1 / sqrt(n)


def _all_but_one_in_n(n: int) -> float:
    return 1 - 1 / n


def _f_measure_facts(beta: float = 1.0) -> dict[str, Any]:
    return {"bounds": (LeastF(beta), 1.0), "terms": ("f_true" if beta == 1 else "f_beta",)}


# ---- every cluster chooses its best partner on its own


@by_parts(
    "N",
    lost=True,
    bounds=(_least_n, 1.0),
    subcomponent_consistent=False,
    decomposition=JOIN_WEIGHTED,
    reference=DONGEN,
)
def n_van_dongen(meet: Summed) -> float:
    r"""Share of the points that need not move, if every cluster keeps its largest part.

    .. math:: N = \frac{1}{2n} \Bigl(\sum_L \max_C m_{LC} + \sum_C \max_L m_{LC}\Bigr)

    Identical clusterings give 1. The largest part always stays, so N never reaches 0; its least value is
    ⌈2√n⌉/2n (the paper's Table 2 has a smaller one, which is not attained at n = 3, 7, 8, …).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "N")
    0.875
    """
    sums = meet.sums
    return float((sums.true_max + sums.pred_max) / (2 * meet.total))


@moved(
    "split_join",
    lost=True,
    bounds=(0.0, _most_moves),
    aliases=("split-join", "split_join_distance", "van_dongen"),
)
def split_join(meet: Summed) -> float:
    r"""Number of points to move if every cluster keeps its largest part, both ways; a distance.

    .. math:: d = 2n - \sum_L \max_C m_{LC} - \sum_C \max_L m_{LC}

    Identical clusterings give 0.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "split_join")
    1.0
    """
    return split_join_true(meet) + split_join_pred(meet)


@moved(
    "split_join.true",
    lost=True,
    bounds=(0.0, all_but_one),
    symmetric=False,
)
def split_join_true(meet: Summed) -> float:
    r"""Number of points outside the largest part of their true cluster: what splitting displaced.

    .. math:: d_L = n - \sum_L \max_C m_{LC}

    0 if and only if no true cluster is split.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "split_join.true")
    1.0
    """
    return less(meet, largest_of_true, lambda known: known.sums.true_max)


@moved(
    "split_join.pred",
    lost=True,
    bounds=(0.0, all_but_one),
    symmetric=False,
)
def split_join_pred(meet: Summed) -> float:
    r"""Number of points outside the largest part of their predicted cluster: what merging displaced.

    .. math:: d_C = n - \sum_C \max_L m_{LC}

    0 if and only if no predicted cluster mixes true clusters.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 0], "split_join.pred")
    2.0
    """
    return less(meet, largest_of_pred, lambda known: known.sums.pred_max)


@by_parts(
    "purity",
    lost=True,
    bounds=(one_in_n, 1.0),
    symmetric=False,
    aliases=("purity_index",),
    decomposition=JOIN_WEIGHTED,
    reference=ZHAO,
)
def purity(meet: Summed) -> float:
    r"""Share of the points that belong to the commonest true cluster of their predicted cluster.

    .. math:: \frac{1}{n} \sum_C \max_L m_{LC}

    1 if and only if no predicted cluster mixes true clusters: all singletons are pure. At least 1/n.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 1], "purity")
    0.75
    """
    return found(meet.sums.pred_max, meet.masses[1])


@by_parts(
    "inverse_purity",
    lost=True,
    bounds=(one_in_n, 1.0),
    symmetric=False,
    decomposition=JOIN_WEIGHTED,
    reference=ZHAO,
)
def inverse_purity(meet: Summed) -> float:
    r"""Share of the points that stayed in the largest part of their true cluster.

    .. math:: \frac{1}{n} \sum_L \max_C m_{LC}

    1 if and only if no true cluster is split: one cluster of everything reaches it. At least 1/n.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "inverse_purity")
    0.75
    """
    return found(meet.sums.true_max, meet.masses[0])


@by_parts(
    "geometric_accuracy",
    lost=True,
    bounds=(_least_geometric, 1.0),
    reference="Nepusz, T., Yu, H. & Paccanaro, A. (2012). Detecting overlapping protein complexes in protein-protein "
    "interaction networks. Nature Methods 9.",
)
def geometric_accuracy(meet: Summed) -> float:
    r"""Geometric mean of purity and inverse purity.

    .. math:: \frac{1}{n} \sqrt{\sum_L \max_C m_{LC} \cdot \sum_C \max_L m_{LC}}

    Identical clusterings give 1. The largest parts always count, so it never reaches 0.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "geometric_accuracy"), 12)
    0.866025403784
    """
    return sqrt(purity(meet)) * sqrt(inverse_purity(meet))


@plain(
    "f_measure",
    terms=("f_true",),
    lost=True,
    bounds=(LeastF(), 1.0),
    facts=_f_measure_facts,
    symmetric=False,
    decomposition=JOIN_WEIGHTED,
    reference="Larsen, B. & Aone, C. (1999). Fast and effective text mining using linear-time document clustering. "
    "KDD.",
)
def f_measure(meet: Meet, beta: Beta = 1.0) -> float:
    r"""Mean over the true clusters, by size, of van Rijsbergen's F with the predicted cluster that fits best.

    .. math:: F = \sum_L \frac{a}{n} \max_C \frac{(1 + \beta^2)\, m}{\beta^2 a + b}

    Identical clusterings give 1. Several true clusters may choose the same predicted one. The least value, 2/(n + 1)
    for β = 1, is that of one cluster against all singletons: every true cluster shares points with some predicted one.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1], [0, 0, 1, 2], "f_measure"), 12)
    0.833333333333
    """
    bound = beta == 1 or "f_beta" in meet.known
    best = meet.terms.f_true if bound else Rows.of(meet, beta)["f_true"]
    return found(best, meet.masses[0])


@precision_recall(
    "closest",
    terms=("closest_true", "closest_pred"),
    lost=True,
    family="matching",
    bounds=(one_in_n, 1.0),
    normalised=False,
    weighted=False,
    reference="Benjelloun, O. et al. (2009). Swoosh: a generic approach to entity resolution. VLDB Journal 18.",
    precision=(
        "Mean over the predicted clusters of the overlap with the closest true cluster.",
        r"P = \frac{1}{|C|} \sum_C \max_L \frac{m}{a + b - m}",
    ),
    recall=(
        "Mean over the true clusters of the overlap with the closest predicted cluster.",
        r"R = \frac{1}{|L|} \sum_L \max_C \frac{m}{a + b - m}",
    ),
    aliases={
        "precision": ("closest_cluster_precision",),
        "recall": ("closest_cluster_recall",),
        "f1": ("closest_cluster_f1",),
    },
)
def closest(meet: Meet) -> PrecisionRecall:
    """Overlap with the closest cluster.

    Overlap is the Jaccard coefficient of the two sets of points. Every cluster counts the same, whatever its size, so
    it takes no weights. Identical clusterings give 1; 0 is never reached.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["closest.precision", "closest.recall"])
    {'closest.precision': 0.6666666666666666, 'closest.recall': 0.75}
    """
    return found(meet.terms.closest_pred, meet.k_pred), found(meet.terms.closest_true, meet.k_true)


@precision_recall(
    "clusters",
    terms=("exact",),
    lost=True,
    family="matching",
    weighted=False,
    reference="Menestrina, D., Whang, S. E. & Garcia-Molina, H. (2010). Evaluating entity resolution results. VLDB 3.",
    precision=(
        "Share of the predicted clusters that are a true cluster exactly.",
        r"P = \frac{|L \cap C|}{|C|}",
    ),
    recall=(
        "Share of the true clusters that are a predicted cluster exactly.",
        r"R = \frac{|L \cap C|}{|L|}",
    ),
    aliases={
        "precision": ("cluster_precision",),
        "recall": ("cluster_recall",),
        "f1": ("cluster_f", "cluster_f1"),
    },
)
def exact_clusters(meet: Meet) -> PrecisionRecall:
    """Clusters that both clusterings have.

    Identical clusterings give 1; a cluster with one point too many or too few counts for nothing. It takes no weights.

    >>> import clusterdiff as cd
    >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["clusters.precision", "clusters.recall", "clusters.f1"])
    {'clusters.precision': 0.3333333333333333, 'clusters.recall': 0.5, 'clusters.f1': 0.4}
    """
    common = meet.terms.exact
    return found(common, meet.k_pred), found(common, meet.k_true)  # a side without points has none


# ---- one-to-one matchings


def matched(meet: Meet, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The values of the cells of that matching."""
    chosen: npt.NDArray[Any] = value[matched_cells(meet, value)]
    return chosen


def unmatched_mass(meet: Summed) -> float:
    """The weight of the other points."""
    return less(meet, lambda cells: matched_cells(cells, cells.mass), lambda known: known.once(matched_mass))


@by_matching(
    "A",
    lost=True,
    normalised=False,
    bounds=(one_in_n, 1.0),
    subcomponent_consistent=True,
    decomposition=JOIN_WEIGHTED,
    aliases=("classification_accuracy", "cluster_accuracy", "accuracy", "maximum_match", "maximum_matching"),
    reference=MEILA,
)
def accuracy(meet: Summed) -> float:
    r"""Share of the points in the best one-to-one matching of true with predicted clusters.

    .. math:: A = \max_W \sum_{LC} W_{LC} \frac{m_{LC}}{n}, \quad W \text{ a matching}

    Identical clusterings give 1. One pair can always be matched, so A is at least 1/n. Found component by
    component, which is exact since A is join-weighted.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "A")
    0.75
    """
    return meet.once(matched_mass) / meet.total


@by_matching(
    "classification_error",
    lost=True,
    normalised=False,
    best=0.0,
    bounds=(0.0, _all_but_one_in_n),
    decomposition=JOIN_WEIGHTED,
    reference=MEILA,
)
def classification_error(meet: Summed) -> float:
    r"""Share of the points outside the best one-to-one matching of clusters; a distance.

    .. math:: CE = 1 - A

    Identical clusterings give 0; it never reaches 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "classification_error")
    0.25
    """
    return unmatched_mass(meet) / meet.total


@by_matching(
    "npa", lost=CHANCE, normalised=True, aliases=("normalized_pivoted_accuracy",), reference=GAGOLEWSKI
)
def normalised_pivoted_accuracy(meet: Summed) -> float:
    r"""Accuracy of the best one-to-one matching, above what k equal parts would reach.

    .. math:: NPA = \frac{A - 1/k}{1 - 1/k}, \quad k = \max(|L|, |C|)

    Identical clusterings give 1. The smaller side is filled up with empty clusters. One cluster on both sides
    gives 1 (0/0).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 1], "npa")
    0.5
    """
    k = max(meet.k_true, meet.k_pred)
    return max(0.0, (k * accuracy(meet) - 1.0) / (k - 1)) if k > 1 else 1.0


@measure(
    "nca",
    lost=CHANCE,
    family="matching",
    symmetric=False,
    weighted=False,
    normalised=True,
    conditionally_normalised=True,
    aliases=("normalized_clustering_accuracy",),
    reference=GAGOLEWSKI,
)
def normalised_clustering_accuracy(meet: Meet) -> float:
    r"""Mean share of a true cluster in its matched predicted cluster, above what k equal parts would reach.

    .. math:: NCA = \max_W \frac{1}{|L|} \sum_{LC} W_{LC}\, \frac{m/a - 1/k}{1 - 1/k}, \quad k = \max(|L|, |C|)

    Identical clusterings give 1, and only they do; one predicted cluster of everything gives 0, and so do all
    singletons if the truth is one cluster. Every true cluster counts the same. The smaller side is filled up with empty
    clusters; a true cluster without a partner counts as a share of 0. One cluster on both sides gives 1 (0/0).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 0, 1], "nca")
    0.5
    """
    if meet.same:
        return 1.0
    k = max(meet.k_true, meet.k_pred)
    shares = float(matched(meet, meet.size / meet.once(sizes_of_cells)[0]).sum())
    return max(0.0, (k * shares / meet.k_true - 1.0) / (k - 1))


def _psi_fit(meet: Meet) -> float:
    """Σ m/max(a, b) over the best matching."""
    fit: FloatArray = meet.size / np.maximum(*meet.once(sizes_of_cells))
    return float(matched(meet, fit).sum())


@share("psi", lost=CHANCE, weighted=False, aliases=("pair_sets_index",), reference=REZAEI)
def pair_sets_index(meet: Meet) -> float:
    r"""How well clusters match one to one, every cluster counting the same, corrected for chance.

    .. math:: PSI = \frac{S - E}{k - E}, \quad S = \max_W \sum_{LC} W_{LC} \frac{m}{\max(a, b)},
        \quad E = \sum_i \frac{a_i b_i}{n \max(a_i, b_i)}, \quad k = \max(|L|, |C|)

    E pairs the clusters of the two sides by their rank in size. What is below chance scores 0. Identical clusterings
    give 1, also when they are a single cluster.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "psi")
    0.3333333333333333
    """
    if meet.same:
        return 1.0
    common = min(meet.k_true, meet.k_pred)
    a, b = (np.sort(sizes)[::-1][:common] for sizes in (meet.true_size, meet.pred_size))
    expected = float(np.sum(np.minimum(a, b) / meet.n))
    return max(0.0, (meet.once(_psi_fit) - expected) / (max(meet.k_true, meet.k_pred) - expected))


@share("spsi", lost=CHANCE, weighted=False, reference=REZAEI)
def simplified_pair_sets_index(meet: Meet) -> float:
    r"""The pair sets index with chance taken as one matched cluster.

    .. math:: SPSI = \frac{S - 1}{k - 1}

    S and k are those of ``psi``. What is below chance scores 0; identical clusterings give 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "spsi")
    0.25
    """
    if meet.same:
        return 1.0
    return max(0.0, (meet.once(_psi_fit) - 1.0) / (max(meet.k_true, meet.k_pred) - 1))
