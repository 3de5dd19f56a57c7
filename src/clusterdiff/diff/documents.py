"""Several documents: one comparison each, and all of them pooled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import AnyMeasure, Comparison, compare
from clusterdiff.errors import LabelError, listed, one_of
from clusterdiff.measures import resolve
from clusterdiff.measures.coreference import Blanc, Links, blanc, links
from clusterdiff.meet.parts import Overlap
from clusterdiff.points.clustering import Missing
from clusterdiff.points.corpus import SINGLETONS, Corpus, InDocument, Singletons
from clusterdiff.table import Table


class CorpusComparison(Comparison):
    """Two corpora compared: everything a :class:`Comparison` has, pooled over the documents, and each document.

    Documents are disjoint, so S* of the whole is the mean of theirs, weighted by their points, and sums over
    clusters and points are those that the coreference scorers add up over documents. Measures that count pairs of
    points, as ARI does, see the corpus as one large document; BLANC adds up the links of each document.
    """

    def __init__(
        self,
        pooled: Comparison,
        documents: Mapping[str, Comparison],
        singletons: Singletons,
        unshared: Sequence[Overlap] = (),
    ) -> None:
        super().__init__(pooled.meet, pooled._aligned)
        self.documents = dict(documents)
        self.singletons = singletons
        self._unshared = unshared

    def score(self, measure: AnyMeasure = "S_H") -> float:
        """One measure over all documents; BLANC sees no links between mentions of different documents."""
        wanted = resolve(measure)
        name, _, part = wanted.name.partition(".")
        if name == "blanc":
            return float(getattr(self._blanc, part))
        return super().score(wanted)

    @cached_property
    def _blanc(self) -> Blanc:
        overlaps = [diff.meet.overlap for diff in self.documents.values()]
        kinds = zip(*(links(overlap) for overlap in (*overlaps, *self._unshared)), strict=True)
        together, apart = (Links(*map(sum, zip(*counts, strict=True))) for counts in kinds)
        return blanc((together, apart))

    @property
    def missing(self) -> Missing:
        """What became, for S*, of points that one side lacks."""
        return self._aligned.missing

    @property
    def missing_points(self) -> int:
        """How many points one of the sides lacks."""
        return self._aligned.missing_points

    @property
    def signature(self) -> str:
        """How the scores came about; says how many documents there were, and what became of singletons."""
        head, at, version = super().signature.rpartition("|v:")
        return f"{head}|documents:{len(self.documents)}|singletons:{self.singletons}{at}{version}"

    def by_document(self, measures: Iterable[AnyMeasure] = ("S_H",)) -> Table[Any]:
        """A row for every document that has points, in their order: its name, its number of points, its scores."""
        wanted = [resolve(measure) for measure in measures]
        columns: dict[str, list[Any]] = {
            "document": list(self.documents),
            "points": [diff.n for diff in self.documents.values()],
        }
        for measure in wanted:
            columns[measure.name] = [diff.score(measure) for diff in self.documents.values()]
        return Table(columns)


def compare_corpora(
    true: Mapping[str, Any],
    pred: Mapping[str, Any],
    *,
    missing: Missing = "singleton",
    singletons: Singletons = "keep",
) -> CorpusComparison:
    """Compare two corpora, document by document and as a whole.

    Parameters
    ----------
    true, pred
        A :class:`Corpus`, or a dict from document to clustering.
    missing
        What to do, for S* and its like, with points that one side lacks, as in :func:`compare`. It is
        ``"singleton"`` unless told otherwise, since systems hardly ever find the very mentions of the key. The
        coreference measures follow the reference scorer whatever is chosen here, but for ``"error"``.
    singletons
        Whether clusters of one point count: ``"keep"`` or ``"drop"`` (on both sides, before all else).

    Examples
    --------
    >>> true = {"one": [["he", "Bob"]], "two": [["it", "rain"]]}
    >>> diff = compare_corpora(true, {"one": [["he", "Bob"]], "two": [["it"], ["rain"]]})
    >>> diff.score(), diff.documents["two"].score()
    (0.5, 0.0)
    """
    one_of("singletons", singletons, SINGLETONS)
    left = true if isinstance(true, Corpus) else Corpus(true)
    right = pred if isinstance(pred, Corpus) else Corpus(pred)
    names = list(dict.fromkeys([*left, *right]))
    _refuse_unshared(left, right, missing)
    pooled: tuple[dict[Hashable, Any], dict[Hashable, Any]] = ({}, {})
    documents: dict[str, Comparison] = {}
    unshared: list[Overlap] = []
    for name in names:
        sides = left.assignments(name, singletons), right.assignments(name, singletons)
        for whole, side in zip(pooled, sides, strict=True):
            whole.update(
                (InDocument(name, point), InDocument(name, cluster)) for point, cluster in side.items()
            )
        if missing == "drop" and not sides[0].keys() & sides[1].keys():
            unshared.append(_apart(*sides))
        elif any(sides):
            documents[name] = _compare(*sides, missing)
    if not documents:
        raise LabelError(
            "no document has points that both sides share."
            if missing == "drop"
            else "no document has any points."
        )
    return CorpusComparison(_compare(*pooled, missing), documents, singletons, unshared)


def _apart(true: dict[Hashable, Any], pred: dict[Hashable, Any]) -> Overlap:
    """A document of which the two sides share no point."""
    none = np.empty(0, dtype=np.int64)
    sizes = (np.array(list(Counter(side.values()).values()), dtype=np.int64) for side in (true, pred))
    return Overlap(none, none, none, *sizes)


def _compare(true: dict[Hashable, Any], pred: dict[Hashable, Any], missing: Missing) -> Comparison:
    """Compare two dicts of which one may be empty: its points are then all missing."""
    return compare(true or dict.fromkeys(pred), pred or dict.fromkeys(true), missing=missing)


def _refuse_unshared(left: Corpus, right: Corpus, missing: Missing) -> None:
    lacking = [name for name in left if name not in right], [name for name in right if name not in left]
    nothing = len(lacking[0]) == len(left)
    if nothing or (missing == "error" and any(lacking)):
        told = [
            f"`{side}` lacks {len(names):,} documents of `{other}`: {listed(names)}."
            for side, other, names in (("pred", "true", lacking[0]), ("true", "pred", lacking[1]))
            if names
        ]
        raise LabelError(" ".join(told), "documents are matched by their names.")
