"""Groups: what to fix first as whole groups of points, each with its exact gain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.hits import COVER
from clusterdiff.diff.loss import ROUNDING, CellLoss
from clusterdiff.diff.patterns import Group, Hit
from clusterdiff.diff.shapes import CODE, EDITS, Shapes
from clusterdiff.diff.source import PointSource
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.subcomponents import by_entropy
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array, IntArray, Labels

#: A predicate is a rule if so many of its points were hit, so many times as often as others.
RATE, TIMES = 0.1, 3
#: How many groups there are, and of how many shapes or confusions they are chosen.
GROUPS, COSTLIEST, CONFUSED = 5, 6, 8
NOBODY = np.empty(0, dtype=np.int64)


class Proposal(NamedTuple):
    """A group that may be chosen: the places of its points (or cells) among those of damaged components, ascending.

    ``partners`` says which of all these points do not have the rule's predicate.
    """

    kind: str
    what: Any
    inside: Int64Array
    partners: BoolArray | None = None


class Correction:
    """The prediction as it is put right, group by group; only points of damaged components are looked at.

    Points are moved inside their components, and S_H adds up over these: after a change, those that it puts right
    lose nothing, and only the others that it touches are scored again. Other measures are computed from all points.
    Unless ``rules`` tell the points of a cell apart, whole cells are put right, which are fewer: S_H alone is computed
    from these, where points weigh alike and none is lost.
    """

    def __init__(
        self, shapes: Shapes, source: PointSource, measure: Measure, score: float, rules: bool = True
    ) -> None:
        self.shapes, self.measure = shapes, measure
        self._s_h, self._source = measure == resolve("S_H"), source
        analysis, meet, join = shapes.analysis, shapes.analysis.meet, shapes.join
        cells = source.continued  # first: it takes much memory for a while
        #: Points of damaged components, by position; or their cells, of so many points each. The rest is about these.
        self.size: Int64Array | None = None
        if self._s_h and not rules and source.weights is None and not meet.lost:
            self.at = self.cell = join.damaged_cells
            self.true, self.pred = (codes[self.at].astype(np.int64) for codes in (meet.true, meet.pred))
            self.size = meet.size[self.at]
        else:
            self.at = points_of(analysis, join.place >= 0)
            self.cell = meet.cell_of_point[self.at].astype(np.int64)
            self.true, self.pred = source.clusters(self.at)
        #: The place of each component among the damaged ones; that of each true cluster, and of each predicted one.
        #: Those that are made for true clusters without a home are numbered after the others.
        self._of_true = join.place[join.of_true]
        self._of_pred = np.concatenate([join.place[join.of_pred], self._of_true])
        self.component = np.append(self._of_true, -1)[self.true]
        if meet.lost:
            spurious = self.true < 0
            self.component[spurious] = self._of_pred[self.pred[spurious]]
        matched = np.zeros(len(meet) + 1, dtype=bool)
        matched[cells] = True
        #: Where the points of each true cluster belong: the predicted one that continues it, or a new one; and -1.
        self.home = np.append(meet.k_pred + np.arange(meet.k_true), -1)
        self.home[meet.true[cells]] = meet.pred[cells]
        self.missing, self.spurious = self.pred < 0, self.true < 0
        #: The points to be put right: moved, added or removed.
        self.wrong = ~matched[self.cell]
        self.left = self.wrong.copy()
        #: How many of them each component has.
        self._open = self._counted(np.flatnonzero(self.left))
        self._weights = None if source.weights is None else source.weights[self.at]
        #: The mass that each component loses now, and that of all points.
        self._lost = (analysis.component_losses.total * float(meet.total))[join.damaged]
        self._total = float(meet.total)
        #: Whether the measure follows from the points, as it was computed.
        self.score = 1 - float(self._lost.sum()) / self._total if self._s_h else self._scored(self.pred)
        self.known = self._s_h or isclose(self.score, score, rel_tol=1e-9, abs_tol=1e-12)

    def _scored(self, pred: Int64Array) -> float:
        """The measure of the whole, if the points of damaged components are in these clusters."""
        sides = self._source.clusters()
        for codes, changed in zip(sides, (self.true, pred), strict=True):
            codes[self.at] = changed
        # Spurious points are gone once they are put right.
        there = np.flatnonzero((sides[0] >= 0) | (sides[1] >= 0))
        weights = None if self._source.weights is None else self._source.weights[there]
        return float(self.measure(met(sides[0][there], sides[1][there], weights)))

    def _counted(self, chosen: Int64Array) -> Int64Array:
        """How many of some points each component has."""
        return np.bincount(self.component[chosen], minlength=len(self.shapes.join.damaged))

    def _losing(self, chosen: Int64Array) -> tuple[FloatArray, float]:
        """The mass that each component loses, and that of all points, once some points are put right."""
        settled = self._counted(chosen)
        touched = settled > 0
        lost = np.where(touched, 0.0, self._lost)
        unsettled = touched & (self._open > settled)
        inside = np.flatnonzero(unsettled[self.component]) if unsettled.any() else NOBODY
        true, pred = self.true[inside], self._moved(chosen)[inside] if len(inside) else NOBODY
        there = (true >= 0) | (pred >= 0)
        if there.any():
            weights = None if self._weights is None else self._weights[inside][there]
            size = None if self.size is None else self.size[inside][there]
            meet = met(true[there], pred[there], weights, size)
            if meet.total:
                of_true, of_pred = self._of_true[meet.true_names], self._of_pred[meet.pred_names]
                found = CellLoss.of(by_entropy(meet)).by(of_true[meet.true], len(lost), of_true, of_pred)
                lost += found.total * float(meet.total)
        gone = chosen[self.spurious[chosen]]
        less = len(gone) if self._weights is None else float(self._weights[gone].sum())
        return lost, self._total - less

    def _rise(self, score: float) -> float:
        """What a value gains over the one now."""
        return score - self.score if self.measure.similarity else self.score - score

    def _moved(self, chosen: Int64Array) -> Int64Array:
        """The predicted clusters once some points are put right: moved, added or, if they are spurious, in none."""
        pred = self.pred.copy()
        pred[chosen] = self.home[self.true[chosen]]
        return pred

    def to_do(self, proposal: Proposal) -> Int64Array:
        """The points of a proposal that are still wrong."""
        return proposal.inside[self.left[proposal.inside]]

    def gain(self, chosen: Int64Array) -> float:
        """What putting some points right would gain now."""
        if not self._s_h:
            return self._rise(self._scored(self._moved(chosen)))
        lost, total = self._losing(chosen)
        return self._rise(_share(lost, total))

    def apply(self, candidate: Proposal, whole: float) -> Group:
        """Put a group right; ``at`` are still places in ``at`` here."""
        chosen = self.to_do(candidate)
        if self._s_h:
            self._lost, self._total = self._losing(chosen)
        self.pred[chosen] = self.home[self.true[chosen]]
        self.left[chosen] = False
        self._open -= self._counted(chosen)
        score = _share(self._lost, self._total) if self._s_h else self._scored(self.pred)
        gain, self.score = self._rise(score), score
        partners = 0 if candidate.partners is None else int(np.count_nonzero(candidate.partners[chosen]))
        kind, what = candidate.kind, candidate.what
        points = len(chosen) if self.size is None else int(self.size[chosen].sum())
        return Group(kind, what, points, partners, gain, gain / whole, self.score, chosen)

    def located(self, found: list[Group]) -> list[Group]:
        """Groups with the positions of their points."""
        if self.size is None:
            return [replace(group, at=self.at[group.at]) for group in found]
        meet = self.shapes.analysis.meet
        number = np.full(len(meet), -1, dtype=np.int8)
        for i, group in enumerate(found):
            number[self.at[group.at]] = i
        of_point = number[meet.cell_of_point]
        inside = np.flatnonzero(of_point >= 0)
        indptr, members = _core.group_members(of_point[inside], len(found))
        places = [inside[members[begin:end]] for begin, end in pairwise(indptr.tolist())]
        return [
            replace(group, at=at, cells=self.at[group.at]) for group, at in zip(found, places, strict=True)
        ]

    def touches(self, proposal: Proposal, components: BoolArray) -> bool:
        """Whether a proposal would still change one of some components."""
        return bool(components[self.component[self.to_do(proposal)]].any())

    def components_of(self, proposal: Proposal) -> BoolArray:
        """The components that a proposal would still change."""
        return self._counted(self.to_do(proposal)) > 0


def _share(lost: FloatArray, total: float) -> float:
    """The score where each component loses so much of the mass of all."""
    return 1 - float(lost.sum()) / total if total else 1.0


def points_of(analysis: Analysis, components: BoolArray) -> Int64Array:
    """The points of some components, by position."""
    meet, join = analysis.meet, analysis.join
    chosen = np.append(components[join.of_cell], False)[meet.cell_of_point]
    for unmatched, of in ((meet.missing, join.of_true), (meet.spurious, join.of_pred)):
        if len(unmatched):
            chosen[unmatched.at] = components[of[unmatched.cluster]]
    return np.flatnonzero(chosen)


def met(true: IntArray, pred: IntArray, weights: Any, size: Int64Array | None = None) -> Meet:
    """The meet of points by their clusters, which are called by their numbers; -1 is none.

    With a ``size``, of so many points each, which are in clusters.
    """
    if size is not None:
        cells = _core.meet(true, pred)
        sizes = _core.group_sum(cells.locate(true, pred), len(cells), size)
        table = _core.Cells(cells.indptr, cells.cols, sizes, cells.k_pred)
        return Meet(table, cells.true_labels, cells.pred_labels)
    if min(true.min(initial=0), pred.min(initial=0)) >= 0:
        return Meet.of_points(true, pred, weights=weights)
    found = [np.unique(codes, return_inverse=True) for codes in (true, pred)]
    nobody = [int(names[0] < 0) for names, _ in found]
    true, pred = (codes - none for (_, codes), none in zip(found, nobody, strict=True))
    names = (found[0][0][nobody[0] :], found[1][0][nobody[1] :])
    return uneven_of(*map(Labels.coded, (true, pred), names), weights=weights)


def groups(correction: Correction, hits: list[Hit], *, confusions: bool = False) -> list[Group]:
    """What to fix first: rules while they gain enough, then shapes, edits and lost points; and the rest."""
    whole = correction.shapes.analysis.loss.total
    if not correction.known:
        return []
    rules = Proposals(correction, list(_rules(correction, hits)))
    others = Proposals(correction, list(_confused(correction) if confusions else _shaped(correction)))
    found: list[Group] = []
    chosen = rules
    while len(found) < GROUPS and correction.left.any():
        best = chosen.best()
        if chosen is rules and (best is None or best[0] < COVER * whole):
            chosen = others
            continue
        if best is None or best[0] <= ROUNDING:
            break
        chosen.forget(best[1])
        found.append(correction.apply(best[1], whole))
    if correction.left.any():
        found.append(correction.apply(_all_of("rest", correction.left), whole))
    return correction.located(found)


class Proposals:
    """Proposals, and what each would gain now."""

    def __init__(self, correction: Correction, proposals: list[Proposal]) -> None:
        self.correction = correction
        self.proposals = proposals
        self._gains: list[float | None] = [None] * len(proposals)

    def best(self) -> tuple[float, Proposal] | None:
        """The proposal that gains most now, of equal ones the first."""
        best: tuple[float, Proposal] | None = None
        for i, proposal in enumerate(self.proposals):
            gain = self._gains[i]
            if gain is None:
                chosen = self.correction.to_do(proposal)
                gain = self._gains[i] = self.correction.gain(chosen) if len(chosen) else 0.0
            if gain and (best is None or gain > best[0]):
                best = gain, proposal
        return best

    def forget(self, applied: Proposal) -> None:
        """The gains of proposals that share a component with one that is applied: those of others stay the same.

        Unless points are removed: then all others count for more.
        """
        touched = self.correction.components_of(applied)
        if self.correction.spurious[self.correction.to_do(applied)].any():
            touched[:] = True
        for i, proposal in enumerate(self.proposals):
            if self._gains[i] is not None and self.correction.touches(proposal, touched):
                self._gains[i] = None


def _all_of(kind: str, points: BoolArray, what: Any = None, partners: BoolArray | None = None) -> Proposal:
    return Proposal(kind, what or kind, np.flatnonzero(points), partners)


def _rules(correction: Correction, hits: list[Hit]) -> Iterator[Proposal]:
    """Wrong points with a predicate that goes wrong often; of tied parts also the wrong one without it."""
    if not hits:
        return
    off = np.append(correction.shapes.blame.off_true, 0.0)[correction.cell]
    tied = (off > 0) & (off < 1)
    for hit in hits:
        if hit.harm in ("left", "merged") and hit.excess.rate >= RATE and hit.excess.adjusted >= TIMES:
            mine = hit.points[correction.at]
            struck = np.zeros(len(correction.home), dtype=bool)
            struck[correction.true[tied & mine]] = True
            partners = tied & struck[correction.true] & ~mine
            shared = correction.wrong & (correction.cell >= 0)
            yield _all_of("rule", shared & (mine | partners), hit, partners)


def _shaped(correction: Correction) -> Iterator[Proposal]:
    """The wrong points of the costliest shapes, those of each edit of tangles, and lost points."""
    shapes, shared = correction.shapes, correction.wrong & (correction.cell >= 0)
    damaged, component = shapes.join.damaged, correction.component
    code = np.where(shapes.tangled[damaged], np.int8(-1), shapes.codes[damaged])[component]
    for row in [row for row in shapes.rows if row.unit == "component"][:COSTLIEST]:
        yield _all_of("shape", shared & (code == CODE[row.shape]), row.shape)
    edits = np.append(shapes.edits, np.int8(-1))[correction.cell]
    for edit, name in enumerate(EDITS):
        yield _all_of("shape", shared & (edits == edit), name)
    yield _all_of("missing", correction.missing)
    yield _all_of("spurious", correction.spurious)


def _confused(correction: Correction) -> Iterator[Proposal]:
    """The wrong points of the costliest confusions, and lost points."""
    shapes = correction.shapes
    cells = np.argsort(-shapes.blame.cells, kind="stable")[: len(shapes.confusions)]
    for cell, confusion in zip(cells[:CONFUSED].tolist(), shapes.confusions, strict=False):
        yield _all_of("confusion", correction.wrong & (correction.cell == cell), confusion)
    yield _all_of("missing", correction.missing)
    yield _all_of("spurious", correction.spurious)
