"""Groups: what to fix first as whole groups of points, each with its exact gain."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.hits import COVER
from clusterdiff.diff.loss import ROUNDING
from clusterdiff.diff.patterns import Group, Hit
from clusterdiff.diff.shapes import CODE, EDITS, Shapes
from clusterdiff.diff.source import PointSource
from clusterdiff.measures import Measure, resolve
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.labels import BoolArray, Int64Array

#: A predicate is a rule if so many of its points were hit, so many times as often as others.
RATE, TIMES = 0.1, 3
#: How many groups there are, and of how many shapes or confusions they are chosen.
GROUPS, COSTLIEST, CONFUSED = 5, 6, 8


class Proposal(NamedTuple):
    """A group that may be chosen; ``partners`` are those of its points that do not have the rule's predicate."""

    kind: str
    what: Any
    inside: BoolArray
    partners: BoolArray | None = None


class Correction:
    """The prediction as it is put right, group by group; only points of damaged components are looked at.

    Points are moved inside their components, and S_H adds up over these; other measures are computed from all points.
    """

    def __init__(self, shapes: Shapes, source: PointSource, measure: Measure, score: float) -> None:
        self.shapes, self.measure = shapes, measure
        self._s_h, self._source = measure == resolve("S_H"), source
        analysis, meet = shapes.analysis, shapes.analysis.meet
        #: The points of damaged components: everything below is about these alone.
        self.at = points_of(analysis, shapes.codes != CODE["same"])
        self.cell = meet.cell_of_point[self.at].astype(np.int64)
        self.true, self.pred = source.clusters(self.at)
        join = analysis.join
        self.component = np.where(
            self.true >= 0, np.append(join.of_true, -1)[self.true], np.append(join.of_pred, -1)[self.pred]
        )
        self.off_true = np.append(shapes.blame.off_true, 0.0)[self.cell]
        matched = np.zeros(len(meet) + 1, dtype=bool)
        cells = source.continued
        matched[cells] = True
        #: Where the points of each true cluster belong: the predicted one that continues it, or a new one.
        self.home = meet.k_pred + np.arange(meet.k_true)
        self.home[meet.true[cells]] = meet.pred[cells]
        self.missing, self.spurious = self.pred < 0, self.true < 0
        #: The points to be put right: moved, added or removed.
        self.wrong = ~matched[self.cell]
        self.left = self.wrong.copy()
        weight = self._weights = source.weights
        #: What the points weigh that are in components without damage.
        self.sound = (
            len(meet.cell_of_point) - len(self.at)
            if weight is None
            else float(weight.sum() - weight[self.at].sum())
        )
        self.now = self.true, self.pred
        self._settle()
        self.score = self._scored(*self.now)
        #: Whether the measure follows from the points, as it was computed.
        self.known = self._s_h or isclose(self.score, score, rel_tol=1e-9, abs_tol=1e-12)

    def _scored(self, true: Int64Array, pred: Int64Array) -> float:
        """The measure of the whole, if the points of damaged components are in these clusters."""
        if self._s_h:
            weights = None if self._weights is None else self._weights[self.at[self._open]]
            meet = met(true[self._open], pred[self._open], weights)
            if not meet.total:  # all of them were spurious, and are gone
                return 1.0
            return 1 - (1 - float(self.measure(meet))) * meet.total / (meet.total + self._right)
        sides = self._source.clusters()
        for codes, changed in zip(sides, (true, pred), strict=True):
            codes[self.at] = changed
        # Spurious points are gone once they are put right.
        there = np.flatnonzero((sides[0] >= 0) | (sides[1] >= 0))
        weights = None if self._weights is None else self._weights[there]
        return float(self.measure(met(sides[0][there], sides[1][there], weights)))

    def _settle(self) -> None:
        """Set aside the components in which nothing is left to put right: they lose nothing any more."""
        touched = np.zeros(int(self.component.max(initial=-1)) + 1, dtype=bool)
        touched[self.component[self.left]] = True
        inside = touched[self.component]
        self._open = np.flatnonzero(inside)
        settled = ~inside & (self.true >= 0)
        weight = self._weights
        self._right = self.sound + (
            np.count_nonzero(settled) if weight is None else float(weight[self.at[settled]].sum())
        )

    def _rise(self, score: float) -> float:
        """What a value gains over the one now."""
        return score - self.score if self.measure.similarity else self.score - score

    def gain(self, chosen: BoolArray) -> float:
        """What putting some points right would gain now."""
        return self._rise(self._scored(*self._with(chosen)))

    def _with(self, chosen: BoolArray) -> tuple[Int64Array, Int64Array]:
        """Moved and missing points go to where truth has them; spurious ones go altogether."""
        true, pred = self.now
        return true, np.where(chosen, np.append(self.home, -1)[true], pred)

    def apply(self, candidate: Proposal, whole: float) -> Group:
        """Put a group right."""
        chosen = candidate.inside & self.left
        self.now = self._with(chosen)
        self.left &= ~chosen
        self._settle()
        score = self._scored(*self.now) if self.left.any() or not self._s_h else 1.0
        gain, self.score = self._rise(score), score
        partners = 0 if candidate.partners is None else int(np.count_nonzero(candidate.partners & chosen))
        kind, what, number = candidate.kind, candidate.what, int(np.count_nonzero(chosen))
        return Group(kind, what, number, partners, gain, gain / whole, self.score, self.at[chosen])


def points_of(analysis: Analysis, components: BoolArray) -> Int64Array:
    """The points of some components, by position."""
    meet, join = analysis.meet, analysis.join
    chosen = np.append(components[join.of_cell], False)[meet.cell_of_point]
    for unmatched, of in ((meet.missing, join.of_true), (meet.spurious, join.of_pred)):
        if len(unmatched):
            chosen[unmatched.at] = components[of[unmatched.cluster]]
    return np.flatnonzero(chosen)


def met(true: Int64Array, pred: Int64Array, weights: Any) -> Meet:
    """The meet of points by their clusters; -1 is none."""
    if min(true.min(initial=0), pred.min(initial=0)) >= 0:
        return Meet.of_points(true, pred, weights=weights)
    true, pred = (np.unique(codes, return_inverse=True)[1] - (codes.min() < 0) for codes in (true, pred))
    names = (np.arange(true.max(initial=-1) + 1), np.arange(pred.max(initial=-1) + 1))
    return uneven_of(true, pred, names, weights=weights)


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
        found.append(correction.apply(Proposal("rest", "rest", correction.left), whole))
    return found


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
                chosen = proposal.inside & self.correction.left
                gain = self._gains[i] = self.correction.gain(chosen) if chosen.any() else 0.0
            if gain and (best is None or gain > best[0]):
                best = gain, proposal
        return best

    def forget(self, applied: Proposal) -> None:
        """The gains of proposals that share a component with one that is applied: those of others stay the same."""
        component, left = self.correction.component, self.correction.left
        touched = np.zeros(int(component.max(initial=-1)) + 1, dtype=bool)
        touched[component[applied.inside & left]] = True
        for i, proposal in enumerate(self.proposals):
            if touched[component[proposal.inside & left]].any():
                self._gains[i] = None


def _rules(correction: Correction, hits: list[Hit]) -> Iterator[Proposal]:
    """Wrong points with a predicate that goes wrong often; of tied parts also the wrong one without it."""
    tied = (correction.off_true > 0) & (correction.off_true < 1)
    for hit in hits:
        if hit.harm in ("left", "merged") and hit.excess.rate >= RATE and hit.excess.adjusted >= TIMES:
            mine = hit.points[correction.at]
            struck = np.zeros(len(correction.home) + 1, dtype=bool)
            struck[correction.true[tied & mine]] = True
            partners = tied & struck[correction.true] & ~mine
            shared = correction.wrong & (correction.cell >= 0)
            yield Proposal("rule", hit, shared & (mine | partners), partners)


def _shaped(correction: Correction) -> Iterator[Proposal]:
    """The wrong points of the costliest shapes, those of each edit of tangles, and lost points."""
    shapes, shared = correction.shapes, correction.wrong & (correction.cell >= 0)
    code, tangled = shapes.codes[correction.component], shapes.tangled[correction.component]
    for row in [row for row in shapes.rows if row.unit == "component"][:COSTLIEST]:
        yield Proposal("shape", row.shape, shared & (code == CODE[row.shape]) & ~tangled)
    edits = np.append(shapes.edits, -1)[correction.cell]
    for edit, name in enumerate(EDITS):
        yield Proposal("shape", name, shared & (edits == edit))
    yield Proposal("missing", "missing", correction.missing)
    yield Proposal("spurious", "spurious", correction.spurious)


def _confused(correction: Correction) -> Iterator[Proposal]:
    """The wrong points of the costliest confusions, and lost points."""
    shapes = correction.shapes
    cells = np.argsort(-shapes.blame.cells, kind="stable")[: len(shapes.confusions)]
    for cell, confusion in zip(cells[:CONFUSED].tolist(), shapes.confusions, strict=False):
        yield Proposal("confusion", confusion, correction.wrong & (correction.cell == cell))
    yield Proposal("missing", "missing", correction.missing)
    yield Proposal("spurious", "spurious", correction.spurious)
