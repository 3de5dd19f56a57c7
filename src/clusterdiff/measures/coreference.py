"""Measures of coreference resolution: clusters are entities, points are mentions.

The two sides need not have the same mentions. With ``missing="lost"``, as for documents, those that only one side has
(missed or spurious mentions) count as they do in the CoNLL reference scorer: a and b are the sizes of whole entities,
and the sums below run over all entities of their side. Otherwise they are left out, or entities of their own.
"""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.measures.elements import b_cubed
from clusterdiff.measures.formulas import f_beta, found
from clusterdiff.measures.matchings import matched_in
from clusterdiff.measures.registry import JOIN_WEIGHTED, PrecisionRecall, measure, precision_recall
from clusterdiff.meet.parts import Count, Overlap
from clusterdiff.meet.sums import Overlapping, Summed
from clusterdiff.points.labels import Int64Array

PRADHAN = (
    "Pradhan, S. et al. (2014). Scoring coreference partitions of predicted mentions: a reference implementation. "
    "ACL."
)
LUO = "Luo, X. (2005). On coreference resolution performance metrics. HLT-EMNLP. "
FACTS: dict[str, Any] = {"family": "coreference", "reads": "overlap", "weighted": False, "lost": True}


@precision_recall(
    "mentions",
    **FACTS,
    terms=("sums",),
    normalised=None,
    reference=PRADHAN,
    precision=(
        "Share of the predicted mentions that are true mentions.",
        r"P = \frac{\sum_{LC} m}{\sum_C b}",
    ),
    recall=("Share of the true mentions that were predicted.", r"R = \frac{\sum_{LC} m}{\sum_L a}"),
)
def mentions(meet: Overlapping) -> PrecisionRecall:
    """Identification of mentions.

    It looks only at the points, not at their clusters: 1 whenever both sides have the same points.

    >>> import clusterdiff as cd
    >>> cd.compare([{"a", "b"}, {"c"}], [{"a", "b", "x"}], missing="lost").score("mentions.precision")
    0.6666666666666666
    """
    true, pred = meet.masses
    common = _shared(meet)
    return found(common, pred), found(common, true)


def _shared(meet: Summed) -> Count:
    """How many mentions both sides have."""
    true, pred = meet.masses
    shared: Count = true + pred - meet.total
    return shared


@precision_recall(
    "muc",
    **FACTS,
    terms=("sums",),
    reflexive=False,
    reference="Vilain, M. et al. (1995). A model-theoretic coreference scoring scheme. MUC-6. " + PRADHAN,
    precision=(
        "Of the links it takes to tie the predicted entities together, the share that is right.",
        r"P = \frac{\sum_{LC} (m - 1)}{\sum_C (b - 1)}",
    ),
    recall=(
        "Of the links it takes to tie the true entities together, the share that was found.",
        r"R = \frac{\sum_{LC} (m - 1)}{\sum_L (a - 1)}",
    ),
)
def muc(meet: Overlapping) -> PrecisionRecall:
    """MUC.

    An entity of k mentions takes k − 1 links, so singletons do not count. Without any link (all singletons) a share is
    0, as in the reference scorer: identical clusterings score 0 then, and otherwise 1.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").scores(["muc.recall", "muc.precision", "muc.f1"])
    {'muc.recall': 0.3333333333333333, 'muc.precision': 1.0, 'muc.f1': 0.5}
    """
    right = _shared(meet) - len(meet)
    true, pred = meet.masses
    return found(right, pred - meet.k_pred), found(right, true - meet.k_true)


def _ceaf_m(meet: Overlapping) -> float:
    """The mentions in the best matching."""
    return matched_in(meet, "ceaf_m")


def _ceaf_e(meet: Overlapping) -> float:
    """How alike the matched entities are."""
    return matched_in(meet, "ceaf_e")


@precision_recall(
    "ceaf_m",
    **FACTS,
    terms=("ceaf_m",),
    decomposition=JOIN_WEIGHTED,  # of the same points, of which all three are A
    f1_facts={"decomposition": JOIN_WEIGHTED},
    normalised=False,
    reference=LUO + PRADHAN,
    precision=(
        "Share of the predicted mentions in the best one-to-one matching of entities.",
        r"P = \frac{1}{\sum_C b} \max_W \sum_{LC} W_{LC}\, m",
    ),
    recall=(
        "Share of the true mentions in the best one-to-one matching of entities.",
        r"R = \frac{1}{\sum_L a} \max_W \sum_{LC} W_{LC}\, m",
    ),
    aliases={"f1": ("ceaf_m", "ceafm")},
)
def ceaf_m(meet: Overlapping) -> PrecisionRecall:
    """CEAF by mentions (φ3).

    Identical clusterings give exactly 1. With the same mentions on both sides precision, recall and F1 are all A.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").scores(["ceaf_m.recall", "ceaf_m.precision"])
    {'ceaf_m.recall': 0.5, 'ceaf_m.precision': 1.0}
    """
    best, (true, pred) = meet.once(_ceaf_m), meet.masses
    return found(best, pred), found(best, true)


@precision_recall(
    "ceaf_e",
    **FACTS,
    terms=("ceaf_e",),
    normalised=False,
    reference=LUO + PRADHAN,
    precision=(
        "Mean over the predicted entities of their similarity to the true entity they are matched with.",
        r"P = \frac{1}{|C|} \max_W \sum_{LC} W_{LC} \frac{2m}{a + b}",
    ),
    recall=(
        "Mean over the true entities of their similarity to the predicted entity they are matched with.",
        r"R = \frac{1}{|L|} \max_W \sum_{LC} W_{LC} \frac{2m}{a + b}",
    ),
    aliases={"f1": ("ceafe",)},
)
def ceaf_e(meet: Overlapping) -> PrecisionRecall:
    """CEAF by entities (φ4).

    Identical clusterings give exactly 1. Every entity counts the same, and one without a partner counts 0.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").scores(["ceaf_e.recall", "ceaf_e.precision"])
    {'ceaf_e.recall': 0.6, 'ceaf_e.precision': 0.9}
    """
    best = meet.once(_ceaf_e)
    return found(best, meet.k_pred), found(best, meet.k_true)


@precision_recall(
    "lea",
    **FACTS,
    terms=("lea_recall", "lea_precision"),
    decomposition=JOIN_WEIGHTED,  # of the same points
    f1_facts={"conditionally_normalised": True},
    reference="Moosavi, N. S. & Strube, M. (2016). Which coreference evaluation metric do you trust? ACL.",
    precision=(
        "Share of the links within predicted entities that are right, entities weighted by size.",
        r"P = \frac{\sum_C b \sum_L \binom m2 / \binom b2}{\sum_C b}",
    ),
    recall=(
        "Share of the links within true entities that were found, entities weighted by size.",
        r"R = \frac{\sum_L a \sum_C \binom m2 / \binom a2}{\sum_L a}",
    ),
)
def lea(meet: Overlapping) -> PrecisionRecall:
    """Link-based entity-aware score.

    Links are all pairs of mentions. A singleton has one link, to itself, which counts if it is a singleton on the
    other side too. Identical clusterings give exactly 1.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").scores(["lea.recall", "lea.precision"])
    {'lea.recall': 0.3333333333333333, 'lea.precision': 1.0}
    """
    true, pred = meet.masses
    return found(meet.terms.lea_precision, pred), found(meet.terms.lea_recall, true)


# ---- BLANC, whose F1 is not the harmonic mean of its precision and recall


class Blanc(NamedTuple):
    """Means of the scores for links between mentions of one entity and for links between entities."""

    precision: float
    recall: float
    f1: float


def _pairs(sizes: Any) -> int:
    """Σ C(size, 2), exactly."""
    return (_core.sum_squares(np.asarray(sizes)) - int(np.sum(sizes))) // 2 if len(sizes) else 0


class LinkCounts(NamedTuple):
    """Pairs of mentions of one kind: those that both sides have, the true ones and the predicted ones."""

    right: Count
    true: Count
    pred: Count


def links(overlap: Overlap) -> tuple[LinkCounts, LinkCounts]:
    """The links within entities, and those between entities of one document."""
    m = overlap.size
    # The shared mentions alone: what is apart on both sides among them is right.
    rows = _core.group_sum(overlap.true, len(overlap.true_size), m)
    columns = _core.group_sum(overlap.pred, len(overlap.pred_size), m)
    shared, n_true, n_pred = _documents(overlap, rows)
    together = LinkCounts(_pairs(m), _pairs(overlap.true_size), _pairs(overlap.pred_size))
    apart = LinkCounts(
        _pairs(shared) - _pairs(rows) - _pairs(columns) + together.right,
        _pairs(n_true) - together.true,
        _pairs(n_pred) - together.pred,
    )
    return together, apart


def _documents(overlap: Overlap, rows: Int64Array) -> tuple[Int64Array, Int64Array, Int64Array]:
    """How many mentions each document has: shared, true and predicted ones."""
    true, pred = overlap.true_group, overlap.pred_group
    if true is None or pred is None:
        sizes = (rows, overlap.true_size, overlap.pred_size)
        shared, n_true, n_pred = (np.array([x.sum()], dtype=np.int64) for x in sizes)
    else:
        k = 1 + int(max(true.max(initial=0), pred.max(initial=0)))
        sides = ((true, rows), (true, overlap.true_size), (pred, overlap.pred_size))
        shared, n_true, n_pred = (_core.group_sum(group, k, sizes) for group, sizes in sides)
    return shared, n_true, n_pred


def blanc(counts: tuple[LinkCounts, LinkCounts]) -> Blanc:
    """The score from the two kinds of links.

    A kind of link that the truth does not have is left out; without any link the score is 0.
    """
    kinds = []
    for right, true, pred in counts:
        if true:
            p, r = found(right, pred), found(right, true)
            kinds.append((p, r, f_beta(p, r)))
    if not kinds:
        return Blanc(0.0, 0.0, 0.0)
    return Blanc(*(sum(column) / len(kinds) for column in zip(*kinds, strict=True)))


def _blanc(meet: Overlapping) -> Blanc:
    return blanc(links(meet.overlap) if "overlap" in meet.known else _links_of_pairs(meet))


def _links_of_pairs(meet: Summed) -> tuple[LinkCounts, LinkCounts]:
    """The same of a single document, where no more than sums is known."""
    both, true, pred, _ = meet.pairs
    all_true, all_pred = (n * (n - 1) // 2 if isinstance(n, int) else n * (n - 1) / 2 for n in meet.masses)
    return LinkCounts(both, true, pred), LinkCounts(meet.agreed - both, all_true - true, all_pred - pred)


BLANC_FACTS: dict[str, Any] = {
    **FACTS,
    "terms": ("sums",),
    "symmetric": False,
    "reflexive": False,
    "normalised": True,
    "conditionally_normalised": False,
    "reference": "Luo, X. et al. (2014). An extension of BLANC to system mentions. ACL. " + PRADHAN,
}


@measure("blanc.precision", **BLANC_FACTS)
def blanc_precision(meet: Overlapping) -> float:
    r"""Mean precision of links within predicted entities and of links between them.

    .. math:: \text{precision} = \frac12 \Bigl(\frac{P(L, C)}{P(C)} + \frac{Q(L, C)}{Q(C)}\Bigr),
        \quad P \text{ pairs together}, \quad Q \text{ pairs apart}

    A pair can be right only if both sides have both mentions. A kind of pair that the truth lacks is left out of the
    mean; without any pair (one mention) the score is 0, as in the reference scorer.

    >>> import clusterdiff as cd
    >>> key, response = [{"a", "b"}, {"c", "d", "e"}], [{"b", "c", "x"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").score("blanc.precision")
    0.29166666666666663
    """
    return meet.once(_blanc).precision


@measure("blanc.recall", **BLANC_FACTS)
def blanc_recall(meet: Overlapping) -> float:
    r"""Mean recall of links within true entities and of links between them.

    .. math:: \text{recall} = \frac12 \Bigl(\frac{P(L, C)}{P(L)} + \frac{Q(L, C)}{Q(L)}\Bigr),
        \quad P \text{ pairs together}, \quad Q \text{ pairs apart}

    A pair can be right only if both sides have both mentions. A kind of pair that the truth lacks is left out of the
    mean; without any pair (one mention) the score is 0, as in the reference scorer.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> round(cd.compare(key, response, missing="lost").score("blanc.recall"), 12)
    0.215909090909
    """
    return meet.once(_blanc).recall


@measure("blanc.f1", **BLANC_FACTS, aliases=("blanc",))
def blanc_f1(meet: Overlapping) -> float:
    r"""Mean F1 of links within entities and of links between them.

    .. math:: BLANC = \frac{F_P + F_Q}{2}, \quad F_P \text{ of the pairs together},
        \quad F_Q \text{ of the pairs apart}

    It is not the harmonic mean of ``blanc.precision`` and ``blanc.recall``. A kind of pair that the truth lacks is left
    out of the mean, so it is not symmetric; without any pair (one mention) the score is 0, as in the reference
    scorer.

    >>> import clusterdiff as cd
    >>> key, response = [{"a", "b"}, {"c", "d", "e"}], [{"b", "c", "x"}, {"d", "e"}]
    >>> cd.compare(key, response, missing="lost").score("blanc.f1")
    0.29166666666666663
    """
    return meet.once(_blanc).f1


#: What counts links within a document, and none between documents.
BY_LINKS = frozenset({blanc_precision, blanc_recall, blanc_f1})


@measure(
    "conll",
    **FACTS,
    terms=("sums", "ceaf_e"),
    reflexive=False,
    normalised=False,
    conditionally_normalised=False,
    aliases=("conll_average", "conll_f1"),
    reference="Pradhan, S. et al. (2012). CoNLL-2012 shared task: modeling multilingual unrestricted coreference in "
    "OntoNotes. CoNLL. " + PRADHAN,
)
def conll(meet: Overlapping) -> float:
    r"""Mean of the F1 of MUC, B-cubed and CEAF by entities: the score of the CoNLL shared tasks.

    .. math:: \frac13 (MUC_{F1} + B3_{F1} + CEAFe_{F1})

    Identical clusterings give 1, unless they are all singletons, where MUC is 0.

    >>> import clusterdiff as cd
    >>> key, response = [{"a"}, {"b", "c"}, {"d", "e", "f"}], [{"a"}, {"d", "e"}]
    >>> round(cd.compare(key, response, missing="lost").score("conll"), 12)
    0.593333333333
    """
    return fsum(f_beta(*both) for both in (b_cubed(meet), muc(meet), ceaf_e(meet))) / 3
