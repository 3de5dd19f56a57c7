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
from clusterdiff.measures.registry import JOIN_WEIGHTED, PrecisionRecall, measure, precision_recall
from clusterdiff.meet.parts import Overlap
from clusterdiff.meet.sums import Overlapping
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
    fused="mentions",
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
    common, true, pred = meet.fused("mentions") if "mentions" in meet.offers else _points(meet.overlap)
    return found(common, pred), found(common, true)


def _points(overlap: Overlap) -> tuple[int, int, int]:
    """How many mentions are shared, true and predicted."""
    return int(overlap.size.sum()), int(overlap.true_size.sum()), int(overlap.pred_size.sum())


@precision_recall(
    "muc",
    **FACTS,
    fused="muc",
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
    right, true, pred = meet.fused("muc") if "muc" in meet.offers else _ties(meet.overlap)
    return found(right, pred), found(right, true)


def _ties(overlap: Overlap) -> tuple[int, int, int]:
    """The links that it takes to tie together cells, true and predicted entities."""
    both, true, pred = _points(overlap)
    return both - len(overlap.size), true - len(overlap.true_size), pred - len(overlap.pred_size)


def _ceaf_m(meet: Overlapping) -> tuple[float, int, int]:
    """The mentions in the best matching, and those of either side."""
    if "ceaf_m" in meet.offers:
        known: tuple[float, int, int] = meet.fused("ceaf_m")
        return known
    overlap = meet.overlap
    best = float(overlap.size[overlap.matched(overlap.size)].sum())
    return best, int(overlap.true_size.sum()), int(overlap.pred_size.sum())


def _ceaf_e(meet: Overlapping) -> tuple[float, int, int]:
    """How alike the matched entities are, and how many there are on either side."""
    if "ceaf_e" in meet.offers:
        known: tuple[float, int, int] = meet.fused("ceaf_e")
        return known
    overlap = meet.overlap
    alike = 2 * overlap.size / (overlap.true_size[overlap.true] + overlap.pred_size[overlap.pred])
    return float(alike[overlap.matched(alike)].sum()), len(overlap.true_size), len(overlap.pred_size)


@precision_recall(
    "ceaf_m",
    **FACTS,
    fused="ceaf_m",
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
    best, true, pred = meet.once(_ceaf_m)
    return found(best, pred), found(best, true)


@precision_recall(
    "ceaf_e",
    **FACTS,
    fused="ceaf_e",
    normalised=False,
    reference=LUO + PRADHAN,
    precision=(
        "Mean over the predicted entities of their likeness to the true entity they are matched with.",
        r"P = \frac{1}{|C|} \max_W \sum_{LC} W_{LC} \frac{2m}{a + b}",
    ),
    recall=(
        "Mean over the true entities of their likeness to the predicted entity they are matched with.",
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
    best, true, pred = meet.once(_ceaf_e)
    return found(best, pred), found(best, true)


@precision_recall(
    "lea",
    **FACTS,
    fused="lea",
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
    if "lea" in meet.offers:
        in_pred, in_true, true, pred = meet.fused("lea")
        return found(in_pred, pred), found(in_true, true)
    return _resolved(meet.overlap.transpose()), _resolved(meet.overlap)


def _resolved(overlap: Overlap) -> float:
    """Σ a · (links of the true entity that are kept / its links) / Σ a."""
    m = overlap.size.astype(float)
    a, b = overlap.true_size[overlap.true], overlap.pred_size[overlap.pred]
    # a · C(m, 2) / C(a, 2) = m (m − 1) / (a − 1)
    kept = np.where(a > 1, m * ((m - 1) / np.maximum(a - 1, 1)), b == 1)
    return found(float(np.sum(kept)), int(overlap.true_size.sum()))


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

    right: int
    true: int
    pred: int


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
            p, r = found(right, pred), right / true
            kinds.append((p, r, f_beta(p, r)))
    if not kinds:
        return Blanc(0.0, 0.0, 0.0)
    return Blanc(*(sum(column) / len(kinds) for column in zip(*kinds, strict=True)))


def _blanc(meet: Overlapping) -> Blanc:
    if "blanc" in meet.offers:
        together, apart = meet.fused("blanc")
        return blanc((LinkCounts(*together), LinkCounts(*apart)))
    return blanc(links(meet.overlap))


BLANC_FACTS: dict[str, Any] = {
    **FACTS,
    "fused": "blanc",
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


@measure(
    "conll",
    **FACTS,
    fused="conll",
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
    counts = meet.fused("conll") if "conll" in meet.offers else (_ties(meet.overlap), meet.once(_ceaf_e))
    shares = ((found(right, pred), found(right, true)) for right, true, pred in counts)
    return fsum(f_beta(*both) for both in (b_cubed(meet), *shares)) / 3
