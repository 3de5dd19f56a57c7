"""Documents: clusters that never reach beyond one document, compared document by document and pooled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core, notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.texts import check_documents, refuse_other_words
from clusterdiff.diff.units import Sampled
from clusterdiff.errors import ArgumentError, LabelError, listed, one_of
from clusterdiff.measures import Measure, resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.alignment import Alignment, apply_policy, bare, match_points
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import (
    SINGLETONS,
    Corpus,
    Entity,
    InDocument,
    Mention,
    Singletons,
    Text,
)
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray, Labels, LazyNames
from clusterdiff.points.noise import Noise
from clusterdiff.points.policy import Policy
from clusterdiff.points.reading import read_labels
from clusterdiff.table import Table, record_html
from clusterdiff.wording import Nouns, count


class Documents(Mapping[Any, Comparison]):
    """The documents that have points to compare, by name; each is compared when it is first asked for."""

    def __init__(self, places: Mapping[Any, int], make: Callable[[int], Comparison]) -> None:
        self._places = dict(places)
        self._make = make
        self._made: dict[Any, Comparison] = {}

    def __getitem__(self, name: Any) -> Comparison:
        if name not in self._made:
            self._made[name] = self._make(self._places[name])
        return self._made[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    @property
    def places(self) -> Mapping[Any, int]:
        """The number of each document among all documents."""
        return self._places

    def __reduce__(self) -> tuple[Any, ...]:
        return Documents, (self._places, self._make)

    def __repr__(self) -> str:
        return f"<{count(len(self), 'document')}: {listed(self)}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)))


class Counts(NamedTuple):
    """What either side has, as it was given: all points and clusters, and those that the two share or lack."""

    true_points: int
    pred_points: int
    true_clusters: int
    pred_clusters: int
    found: int
    missing: int
    spurious: int

    @classmethod
    def of(cls, true: Labels, pred: Labels, noise: Noise) -> Counts:
        """From the labels of both sides over the points of either; noise that is in no cluster makes none."""
        a, b = true.present, pred.present
        sums = (int(mask.sum()) for mask in (a & b, a & ~b, b & ~a))
        clusters = (
            len(labels.names if noise.treated == "cluster" else labels.hidden(labels.among(told, bare)).names)
            for labels, told in ((true, noise.true), (pred, noise.pred))
        )
        return cls(int(a.sum()), int(b.sum()), *clusters, *sums)

    def _repr_html_(self) -> str:
        return record_html("Counts", self._asdict())


class CorpusComparison(Comparison):
    """Clusterings of several documents compared: everything a :class:`Comparison` has, pooled, and each document.

    Documents are disjoint, so S* of the whole is the mean of theirs, weighted by their points, and sums over
    clusters and points are those that the coreference scorers add up over documents. Measures that count pairs of
    points, as ARI does, see the corpus as one large document; BLANC adds up the links of each document.

    ``counts`` says how many points and clusters either side has, and how many points both have; ``texts`` has the words
    of documents, where they are known.
    """

    #: Documents were chosen independently of each other; clusters within one were not.
    unit: Sampled = "document"

    def __init__(
        self,
        meet: Meet,
        source: PointSource,
        policy: Policy,
        documents: Documents,
        singletons: Singletons = "keep",
        counts: Counts | None = None,
        told: Sequence[str] = (),
        scored: Callable[[], Comparison] | None = None,
        texts: Mapping[str, Text] | None = None,
    ) -> None:
        super().__init__(meet, source, policy)
        self.texts = texts or {}
        self.documents = documents
        self.singletons = singletons
        self.counts = counts
        self.told = tuple(told)
        self._scored = scored

    @property
    def scored(self) -> Comparison:
        """What the coreference measures see, as the reference scorers do: the documents of `true` only."""
        return self if self._scored is None else self._scored_apart

    @cached_property
    def _scored_apart(self) -> Comparison:
        """Apart from ``scored``, since a comparison that keeps itself stays until somebody looks for garbage."""
        assert self._scored is not None
        return self._scored()

    def score(self, measure: AnyMeasure = "S_H") -> float:
        """One measure of all documents together; see ``scored`` for those that the reference scorers have."""
        found = resolve(measure)
        return float(found(self.comparison_for(found).summed))

    def comparison_for(self, measure: Measure) -> Comparison:
        """The comparison that a measure is computed from: ``scored`` for those that the reference scorers have."""
        return self.scored if _as_reference(measure) else self

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers: of the files and their documents, then of the points."""
        return [*self.told, *super().notices]

    @property
    def signature(self) -> str:
        """How the scores came about, with the number of documents and what became of singletons."""
        head, at, version = super().signature.rpartition("|v:")
        return f"{head}|documents:{len(self.documents)}|singletons:{self.singletons}{at}{version}"

    def to_dict(self, measures: Iterable[AnyMeasure] | None = None, top: int | None = 10) -> dict[str, Any]:
        """The whole comparison as plain values, with what either side has."""
        return super().to_dict(measures, top) | {"counts": self.counts and self.counts._asdict()}

    def patterns(
        self,
        columns: Sequence[str] | None = None,
        *,
        attributes: object = None,
        measure: AnyMeasure = "S_H",
        sides: tuple[str, str] = ("true", "predicted"),
    ) -> Patterns:
        """What goes wrong, as :meth:`Comparison.patterns` says, by document and text if no attributes are given."""
        known = {point: _told_of(point) for point in self.points} if attributes is None else attributes
        return super().patterns(columns, attributes=known, measure=measure, sides=sides)

    def by_document(self, measures: Iterable[AnyMeasure] = ("S_H",)) -> Table[Any]:
        """A row for every document that has points, in their order: its name, its number of points, its scores."""
        wanted = [resolve(measure) for measure in measures]
        names = np.empty(len(self.documents), dtype=object)
        names[:] = list(self.documents)
        columns: dict[str, Any] = {
            "document": names,
            "points": [diff.n for diff in self.documents.values()],
        }
        for measure in wanted:
            columns[measure.name] = [diff.score(measure) for diff in self.documents.values()]
        return Table(columns)


def _told_of(point: Any) -> dict[str, Any]:
    """What is known of a point by its name: its document, and its words if it is a mention."""
    if not isinstance(point, InDocument):
        return {}
    text = point.name.text if isinstance(point.name, Mention) else None
    return {"document": point.document, "text": text or None}


def _as_reference(measure: Measure) -> bool:
    return measure.family == "coreference" or measure.name.startswith("b3.")


def compare_corpora(true: Corpus, pred: Corpus, policy: Policy, singletons: Singletons) -> CorpusComparison:
    """Compare two corpora: points are matched within documents of the same name."""
    one_of("singletons", singletons, SINGLETONS)
    told = [
        *true.notices,
        *pred.notices,
        *check_documents(true, pred, policy),
        *refuse_other_words(true, pred),
    ]
    names = list(dict.fromkeys([*true, *pred]))
    left, right = (_pooled(corpus, names, singletons) for corpus in (true, pred))
    if not len(left) and not len(right):
        if true.filled or pred.filled:
            raise LabelError(
                Message('no document has any points left: `singletons="drop"` left out all of them.')
            )
        raise LabelError("no document has any points.")
    aligned = match_points(left, right, empty=True)
    place = {name: i for i, name in enumerate(names)}
    of_point = np.fromiter((place[point.document] for point in aligned.order.names), np.int64, len(aligned))  # type: ignore[attr-defined]
    # The reference scorers go through the documents of the key.
    unscored = np.array([name not in true for name in names], dtype=bool)[of_point]
    texts = {name: text for corpus in (pred, true) for name in corpus if (text := corpus.text(name))}
    diff = compare_documents(
        aligned, names, of_point, policy, singletons, unscored=unscored, told=told, texts=texts
    )
    if all(
        isinstance(point, InDocument) and isinstance(point.name, Mention) for point in aligned.order.names
    ):
        diff.source.nouns = Nouns("mention", "entity")
    return diff


def compare_within(
    aligned: Alignment, documents: object, policy: Policy, singletons: Singletons, **data: Any
) -> CorpusComparison:
    """Compare two clusterings within the documents that a column puts their points in."""
    one_of("singletons", singletons, SINGLETONS)
    labels = read_labels(aligned.order.describe(documents, "documents"), "documents")
    if labels.absent is not None:
        raise ArgumentError.about(
            "documents",
            f"must name the document of every point; it names none for {count(int(labels.absent.sum()))}.",
        )
    names, of_point = labels.names.tolist(), labels.codes.astype(np.int64)
    sides = [_within(side, names, of_point) for side in (aligned.true, aligned.pred)]
    if singletons == "drop":
        sides = [side.hidden(np.bincount(side.codes[side.codes >= 0])[side.codes] == 1) for side in sides]
        # A point in no cluster on either side does not count for any document.
        kept = np.flatnonzero(sides[0].present | sides[1].present)
        if not kept.size:
            raise LabelError(Message('no point is left: `singletons="drop"` left out all of them.'))
        sides, of_point = [side.take(kept) for side in sides], of_point[kept]
        aligned = replace(aligned, order=aligned.order.chosen(kept), named=True)
    return compare_documents(
        replace(aligned, true=sides[0], pred=sides[1]), names, of_point, policy, singletons, **data
    )


def _within(labels: Labels, names: list[Any], of_point: IntArray) -> Labels:
    """Clusters, kept apart by the document that their points are in."""
    old = labels.names.tolist()
    key = of_point * len(old) + labels.codes
    codes, first = _core.encode_integers(key)
    own = key[first]

    def spelt() -> Any:
        out = np.empty(len(own), dtype=object)
        out[:] = [InDocument(names[k // len(old)], old[k % len(old)]) for k in own.tolist()]
        return out

    return Labels(codes, LazyNames(len(own), spelt), labels.absent)


def compare_documents(
    aligned: Alignment,
    names: list[Any],
    of_point: IntArray,
    policy: Policy,
    singletons: Singletons,
    unscored: BoolArray | None = None,
    told: Sequence[str] = (),
    texts: Mapping[str, Text] | None = None,
    **data: Any,
) -> CorpusComparison:
    """Compare clusterings whose clusters each lie in one document; ``of_point`` has each point's document.

    ``unscored`` marks points of `pred` that do not count for the coreference measures; ``told`` are notices, and
    ``texts`` the words of documents.
    """
    # Documents are compared when they are asked for; what the caller passed may have changed by then.
    aligned = replace(aligned, true=aligned.true.detach(), pred=aligned.pred.detach())
    data = {name: copy(value) for name, value in data.items()}
    pooled = _pool(aligned, of_point, policy, data)
    scored = None
    if unscored is not None and unscored.any() and not unscored.all():
        kept = np.flatnonzero(~unscored)
        scored = partial(_pool, _taken(aligned, kept), of_point[kept], policy, data)
    in_true, in_pred = aligned.true.present, aligned.pred.present
    kept = policy.rule.compared(in_true, in_pred)
    compared = in_true | in_pred if kept is None else (in_true | in_pred) & kept
    # A document with nothing left to compare has no comparison of its own.
    filled = np.flatnonzero(np.bincount(of_point[compared])).tolist()
    make = _Part(aligned, _core.group_members(of_point, len(names)), policy, data)
    documents = Documents({names[code]: code for code in filled}, make)
    counts = Counts.of(aligned.true, aligned.pred, policy.noise)
    return CorpusComparison(
        pooled.meet,
        pooled.source,
        pooled.policy,
        documents,
        singletons,
        counts=counts,
        told=told,
        scored=scored,
        texts=texts,
    )


def _pool(aligned: Alignment, of_point: IntArray, policy: Policy, data: Mapping[str, Any]) -> Comparison:
    """The comparison of all documents of an alignment together."""
    whole = apply_policy(aligned, policy)
    within = of_point if whole.kept is None else of_point[whole.kept]
    return compare_aligned(whole, **data, documents=within)


def _taken(aligned: Alignment, kept: Int64Array) -> Alignment:
    true, pred = aligned.true.take(kept), aligned.pred.take(kept)
    return replace(aligned, true=true, pred=pred, order=aligned.order.chosen(kept), named=True)


@dataclass(frozen=True)
class _Part:
    """Compares one document of an alignment, given by its number."""

    aligned: Alignment
    members: Any
    policy: Policy
    data: Mapping[str, Any]

    def __call__(self, code: int) -> Comparison:
        indptr, members = self.members
        mine = members[indptr[code] : indptr[code + 1]]
        aligned, order = self.aligned, self.aligned.order
        part = replace(
            aligned,
            true=_unwrapped(aligned.true.take(mine)),
            pred=_unwrapped(aligned.pred.take(mine)),
            order=order.chosen(mine, [_bare(order.names[i]) for i in mine.tolist()]),
            named=True,
        )
        return compare_aligned(apply_policy(part, self.policy), **self.data)


def _bare(name: Any) -> Any:
    return name.name if isinstance(name, InDocument) else name


def _unwrapped(labels: Labels) -> Labels:
    """The clusters of one document, called as they are called there."""
    names = np.empty(len(labels.names), dtype=object)
    names[:] = [_bare(name) for name in labels.names.tolist()]
    return Labels(labels.codes, names, labels.absent)


# ---- corpora


def _pooled(corpus: Corpus, names: list[str], singletons: Singletons) -> Clustering:
    """All documents of a corpus as one clustering, whose points and clusters carry their document's name."""
    points: list[InDocument] = []
    codes: list[IntArray] = []
    clusters = 0
    filled = corpus.filled
    documents = [(name, filled[name]) for name in names if name in filled]
    for name, document in documents:
        code = document.codes.astype(np.int64)
        kept = code >= 0
        if singletons == "drop":
            kept &= document.sizes[code] > 1
        at = np.flatnonzero(kept)
        all_points = document.point_names()
        points += [InDocument(name, all_points[i]) for i in at.tolist()]
        codes.append(code[at] + clusters)
        clusters += len(document.names)

    def spelt() -> Any:
        out = np.empty(clusters, dtype=object)
        out[:] = [cluster for name, document in documents for cluster in _entities(name, document)]
        return out

    # No measure asks for the names of clusters, all of which are the user's.
    named = LazyNames(clusters, spelt, plain=True)
    return Clustering.of(Labels(np.concatenate([np.empty(0, np.int64), *codes]), named), points)


def _entities(name: str, document: Clustering) -> Iterator[InDocument]:
    """The clusters of a document; those of mentions are called by the one that comes first in the text."""
    mentions: dict[int, list[Mention]] = {}
    for code, point in zip(document.codes.tolist(), document.point_names(), strict=True):
        if isinstance(point, Mention):
            mentions.setdefault(code, []).append(point)
    for code, cluster in enumerate(document.names.tolist()):
        yield Entity.of(name, cluster, mentions[code]) if code in mentions else InDocument(name, cluster)
