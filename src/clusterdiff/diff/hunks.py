"""Hunks: components as people read diffs, with what stayed, what was split off and what was merged in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clusterdiff.diff.analysis import Analysis, CellNumbers
from clusterdiff.diff.components import Component, Place
from clusterdiff.diff.continuation import Least, matching
from clusterdiff.points.labels import FloatArray, Int64Array

#: How many pairs of clusters a hunk shows, how many parts of each sign a pair, and how many points a line can name.
BLOCKS, PARTS, NAMED = 6, 3, 12
#: Components of so many points together have all of these named at once.
RECALLED = 10_000
NOTHING = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Line:
    """Points that shared a fate.

    ``fate`` is "stayed", "split off", "merged in", "not found" or "spurious". They went to, or came from, the cluster
    ``other``; if ``others`` is not 1, from so many clusters that are not distinguished, 0 being none of the user's.
    ``points`` has the first of them by name.
    """

    fate: str
    size: int
    others: int = 0
    other: Any = None
    points: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Block:
    """A true cluster and the predicted cluster that continues it, either of which may lack, line by line."""

    true: Any
    pred: Any
    true_size: int
    pred_size: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Hunk:
    """A component as a diff; ``more`` of its pairs of clusters are left out, all of which cost less."""

    component: Component
    blocks: tuple[Block, ...]
    more: int


def hunks(components: Iterable[Component]) -> list[Hunk]:
    """Some components as diffs; where their points are in one place, with the names of points."""
    components = list(components)
    places = [component.place for component in components]
    # Where points are in an engine or in a file, asking for names takes a query, whatever their number.
    sources = {id(place.source): place.source for place in places}
    if len(sources) == 1 and sum(component.size for component in components) <= RECALLED:
        found = [place.analysis.cells_of_component(place.component) for place in places]
        next(iter(sources.values())).recall(np.concatenate(found))
    drafts = [(component, _Draft(place)) for component, place in zip(components, places, strict=True)]
    names: dict[int, tuple[Any, ...]] = {}
    if len(sources) == 1:
        (source,) = sources.values()
        cells = np.concatenate([NOTHING, *(draft.named for _, draft in drafts)])
        if source.known and len(cells):
            named = source.points_of_each(cells, NAMED)
            names = dict(zip(cells.tolist(), map(tuple, named), strict=True))
    return [Hunk(component, tuple(draft.finished(names)), draft.more) for component, draft in drafts]


@dataclass(frozen=True)
class _Sketch:
    """A line before its points are named: their cells, or the side and cluster whose points the other side lacks."""

    line: Line
    cells: CellNumbers = field(default_factory=lambda: NOTHING)
    lost: tuple[str, int] | None = None


class _Draft:
    """The blocks of a component before its points are named."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.analysis = analysis = place.analysis
        self.meet = meet = analysis.meet
        self.cells = cells = analysis.cells_of_component(place.component)
        self.true, self.pred = (
            analysis.codes_of_component(place.component, side) for side in ("true", "pred")
        )
        self.row = np.searchsorted(self.true, meet.true[cells])
        self.column = np.searchsorted(self.pred, meet.pred[cells])
        self.size = meet.size[cells]
        self.unclustered = analysis.unclustered[0][self.true], analysis.unclustered[1][self.pred]
        self.lost = _lost(analysis, self.true, "true"), _lost(analysis, self.pred, "pred")
        pairs, costs = self._pairs()
        order = np.argsort(-costs, kind="stable")[:BLOCKS]
        self.more = len(pairs) - len(order)
        self.pairs = [pairs[i] for i in order.tolist()]
        self.sketches = [list(self._lines(*pair)) for pair in self.pairs]

    @property
    def named(self) -> CellNumbers:
        """The cells whose points are to be named."""
        return np.concatenate([NOTHING, *(sketch.cells for lines in self.sketches for sketch in lines)])

    def finished(self, names: dict[int, tuple[Any, ...]]) -> Iterator[Block]:
        """The blocks with the points of each cell by name."""
        for (true, pred), lines in zip(self.pairs, self.sketches, strict=True):
            yield Block(
                None if true < 0 else self.analysis.true[self.true[true]],
                None if pred < 0 else self.analysis.pred[self.pred[pred]],
                0 if true < 0 else int(self.meet.true_size[self.true[true]]),
                0 if pred < 0 else int(self.meet.pred_size[self.pred[pred]]),
                tuple(replace(sketch.line, points=self._points(sketch, names)) for sketch in lines),
            )

    def _points(self, sketch: _Sketch, names: dict[int, tuple[Any, ...]]) -> tuple[Any, ...]:
        source = self.place.source
        if sketch.lost is not None and source.known:
            side, code = sketch.lost
            return tuple(source.lost(side, np.array([code]), NAMED))
        return tuple(point for cell in sketch.cells.tolist() for point in names.get(cell, ()))[:NAMED]

    # ---- which clusters belong together

    def _pairs(self) -> tuple[list[tuple[int, int]], FloatArray]:
        """Pairs of a true cluster and the one that continues it, and whoever is not seen there alone; their costs."""
        row, column = self.row, self.column
        own = np.flatnonzero(~(self.unclustered[0][row] | self.unclustered[1][column]))
        matched = own[matching(row[own], column[own], self.size[own], self._least(own))]
        partner = np.full(len(self.true), -1), np.full(len(self.pred), -1)
        partner[0][row[matched]] = column[matched]
        partner[1][column[matched]] = row[matched]
        # The only part of a cluster without a partner is seen with the cluster on its other side, if that has one.
        unseen = np.flatnonzero((partner[0][row] < 0) & (partner[1][column] < 0))
        left, right = (self._lonely(side, partner[side], of, unseen) for side, of in ((0, row), (1, column)))
        pairs = [*zip(row[matched].tolist(), column[matched].tolist(), strict=True)]
        pairs += [*((t, -1) for t in left.tolist()), *((-1, p) for p in right.tolist())]
        cell_loss = self.analysis.cell_loss
        lost: FloatArray = np.sum([part[self.cells] for part in cell_loss.cells], axis=0)
        cost_true = np.append(np.bincount(row, lost, len(self.true)) + cell_loss.missing_cost[self.true], 0.0)
        cost_pred = np.append(
            np.bincount(column, lost, len(self.pred)) + cell_loss.spurious_cost[self.pred], 0.0
        )
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return pairs, cost_true[both[:, 0]] + cost_pred[both[:, 1]]

    def _least(self, own: Int64Array) -> Least:
        return lambda tied: self.place.source.least(self.cells[own[tied]])

    def _lonely(self, side: int, partner: Int64Array, of: Int64Array, unseen: Int64Array) -> Int64Array:
        """The clusters of a side that have no partner, and more to tell than one part that is seen elsewhere."""
        parts, hidden = (np.bincount(cells, minlength=len(partner)) for cells in (of, of[unseen]))
        return np.flatnonzero(
            ~self.unclustered[side] & (partner < 0) & ((self.lost[side] > 0) | (hidden > 0) | (parts > 1))
        )

    # ---- lines

    def _lines(self, true: int, pred: int) -> Iterator[_Sketch]:
        """What became of a true cluster, and where the points of its continuation came from; -1 for neither."""
        row, column = np.flatnonzero(self.row == true), np.flatnonzero(self.column == pred)
        stayed = np.intersect1d(row, column)
        if len(stayed):
            yield self._sketch("stayed", stayed)
        yield from self._parts("split off", np.setdiff1d(row, column), 1)
        if true >= 0 and self.lost[0][true]:
            yield _Sketch(Line("not found", int(self.lost[0][true])), lost=("true", int(self.true[true])))
        yield from self._parts("merged in", np.setdiff1d(column, row), 0)
        if pred >= 0 and self.lost[1][pred]:
            yield _Sketch(Line("spurious", int(self.lost[1][pred])), lost=("pred", int(self.pred[pred])))

    def _sketch(self, fate: str, parts: Int64Array, others: int = 0, other: Any = None) -> _Sketch:
        line = Line(fate, int(self.size[parts].sum()), others, other)
        # Several clusters that are not distinguished are not listed point by point either.
        return _Sketch(line, self.cells[parts[:NAMED]] if others < 2 else NOTHING)

    def _parts(self, fate: str, parts: Int64Array, side: int) -> Iterator[_Sketch]:
        """A line for each of the largest parts, one for all others, and one for points in no cluster of a side."""
        code, codes = (self.column, self.pred) if side else (self.row, self.true)
        names = self.analysis.pred if side else self.analysis.true
        unclustered = self.unclustered[side][code[parts]]
        own, none = parts[~unclustered], parts[unclustered]
        own = own[np.argsort(-self.size[own], kind="stable")]
        told = len(own) if len(own) == PARTS + 1 else PARTS
        for i in range(min(told, len(own))):
            yield self._sketch(fate, own[i : i + 1], 1, names[codes[code[own[i]]]])
        if len(own) > told:
            yield self._sketch(fate, own[told:], len(own) - told)
        if len(none):
            yield self._sketch(fate, none)


def _lost(analysis: Analysis, clusters: Int64Array, side: str) -> Int64Array:
    """How many points of some clusters the other side lacks, where such points count as lost."""
    meet = analysis.meet
    unmatched, k = (meet.missing, meet.k_true) if side == "true" else (meet.spurious, meet.k_pred)
    return unmatched.count(k)[clusters] if len(unmatched) else np.zeros(len(clusters), dtype=np.int64)
