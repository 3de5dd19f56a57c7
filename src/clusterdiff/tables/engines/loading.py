"""From cells in an engine to a meet in memory, which knows where its points are and fetches them when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import CellNumbers
from clusterdiff.errors import ArgumentError, EngineError
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import CellWeights, Moments
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.messages import Message
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array, IntArray, Single
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.engines.cells import Cells, filtered, noisy
from clusterdiff.tables.engines.inside import read_again
from clusterdiff.tables.engines.native import Engine, Frame, asked, flag, plain
from clusterdiff.tables.engines.points import Points

c = nw.col
#: So many points are few.
NEAR = 100_000


@dataclass(frozen=True)
class Clusters:
    """The clusters of one side by code: first those of the user, then one for each of the points ``own``.

    The latter were made for points that this side lacks, or that are noise; they are called after their point.
    """

    users: AnyArray
    own: Sequence[Any]

    @cached_property
    def names(self) -> AnyArray:
        """What all clusters are called, by code."""
        if not self.own:
            return self.users
        return as_objects([*self.users.tolist(), *map(Single, self.own)])

    @cached_property
    def _code_of_user(self) -> dict[Any, int]:
        return {name: code for code, name in enumerate(self.users.tolist())}

    @cached_property
    def _code_of_own(self) -> dict[Any, int]:
        return {point: len(self.users) + code for code, point in enumerate(self.own)}

    def codes(self, column: Any, own: BoolArray, points: Sequence[Any]) -> Int64Array:
        """The codes for a fetched column of labels and for its points ``own``; -1 for clusters that are not here."""
        codes, names = encoded(column)
        of_name = [*(self._code_of_user.get(name, -1) for name in names.tolist()), -1]
        out: Int64Array = np.array(of_name, dtype=np.int64)[codes]
        for i in np.flatnonzero(own).tolist():
            out[i] = self._code_of_own.get(points[i], -1)
        return out


class Located(NamedTuple):
    """Points in order: what they are called, the codes of their clusters, their cells, and their weights."""

    points: list[Any]
    true: Int64Array
    pred: Int64Array
    cell: Int64Array
    weights: FloatArray | None


@dataclass(frozen=True)
class Locator:
    """Finds the points of a meet in their tables."""

    cells: Cells
    built: _core.Cells
    true: Clusters
    pred: Clusters

    @property
    def engine(self) -> Engine:
        """Where the points are."""
        return self.cells.engine

    @property
    def can(self) -> bool:
        """Whether points can be found: rows without names or order can be numbered, unless a cluster is one of them."""
        return self.cells.points.placed or not (self.true.own or self.pred.own)

    @asked
    def numbered(self) -> Cells:
        """The cells of points that can be distinguished."""
        points = self.cells.points
        return self.cells if points.placed else replace(self.cells, points=points.with_numbers())

    @asked
    def located(self) -> Located:
        """All points of the meet."""
        found = self._locate(points_compared(self.numbered))
        self._refuse_changed(found.cell, np.arange(len(self.built)))
        return found

    def _refuse_changed(self, found: Int64Array, cells: CellNumbers) -> None:
        """Raise unless some cells have as many points as they had: they are read from tables that may have changed."""
        there = np.bincount(found[found >= 0], minlength=len(self.built))[cells]
        if not np.array_equal(there, self.built.sizes[cells]):
            raise EngineError(
                "the tables changed since they were compared: their points are in other clusters now.",
                "compare them again.",
            )

    def cell_of_point(self) -> Int64Array:
        """The cell of each point."""
        return self.located.cell

    def points_of(self, wanted: CellNumbers) -> list[Any]:
        """The points of some cells, fetched without the others."""
        points, cell = self._fetched(wanted)
        return sorted(points[i] for i in np.flatnonzero(np.isin(cell, wanted)).tolist())

    def points_of_each(self, wanted: CellNumbers, limit: int | None) -> list[list[Any]]:
        """The points of each of some cells, fetched without the others; the first ``limit`` of each."""
        points, cell = self._fetched(wanted)
        order = np.argsort(cell, kind="stable")
        first, last = (np.searchsorted(cell[order], wanted, side) for side in ("left", "right"))
        return [
            [points[i] for i in order[a:b][:limit].tolist()]
            for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ]

    def near(self, wanted: CellNumbers) -> bool:
        """Whether few points have to be fetched for those of some cells."""
        if "located" in self.__dict__:
            return True
        row, column = self._clusters_of(wanted)
        touched = self.built.true_sizes[np.unique(row)].sum() + self.built.pred_sizes[np.unique(column)].sum()
        return bool(touched <= NEAR)

    def _clusters_of(self, cells: CellNumbers) -> tuple[CellNumbers, CellNumbers]:
        return np.searchsorted(self.built.indptr, cells, side="right") - 1, self.built.cols[cells]

    def _fetched(self, wanted: CellNumbers) -> tuple[list[Any], CellNumbers]:
        """Points and their cells, in order: all points of some cells, and others of their clusters."""
        if "located" in self.__dict__:
            return self.located.points, self.located.cell
        row, column = self._clusters_of(wanted)
        chosen = []
        for name, side, codes in (("t", self.true, row), ("p", self.pred, column)):
            known = np.unique(codes[codes < len(side.users)])
            if known.size:
                chosen.append(c(name).is_in(side.users[known].tolist()))
        # Where both clusters were made for the point, the cell is that point.
        both = (row >= len(self.true.users)) & (column >= len(self.pred.users))
        made = [self.true.own[code - len(self.true.users)] for code in row[both].tolist()]
        if not chosen:
            return made, wanted[both]
        with self.engine.turn:
            found = self._locate(
                points_compared(self.cells).filter(nw.any_horizontal(*chosen, ignore_nulls=True))
            )
        self._refuse_changed(found.cell, wanted[~both])
        others = np.flatnonzero(~np.isin(found.cell, wanted[both]))
        points = [*made, *(found.points[i] for i in others.tolist())]
        return points, np.concatenate([wanted[both], found.cell[others]])

    def _locate(self, frame: Frame) -> Located:
        engine, points = self.cells.engine, self.cells.points
        columns = ["point", "t", "p", "t_own", "p_own", *["w"] * points.weighted]
        with engine.running():
            got = engine.fetch(frame.select(*columns))
        names = points.called(plain(got["point"]))
        true, pred = (
            side.codes(got[x], numbers(got[f"{x}_own"]) > 0, names)
            for x, side in (("t", self.true), ("p", self.pred))
        )
        # A meet of some components has some of the points only.
        order = np.flatnonzero((true >= 0) & (pred >= 0))
        order = order[np.argsort(as_objects([names[i] for i in order.tolist()]), kind="stable")]
        true, pred = true[order], pred[order]
        weights = numbers(got["w"])[order] if points.weighted else None
        return Located([names[i] for i in order.tolist()], true, pred, self._cell(true, pred), weights)

    def _cell(self, true: Int64Array, pred: Int64Array) -> Int64Array:
        """The cells of pairs of clusters; -1 for pairs that had no points in common when they were compared."""
        k = self.built.k_pred
        rows = np.repeat(np.arange(self.built.k_true), np.diff(self.built.indptr))
        known, asked = rows * k + self.built.cols, true * k + pred
        cell: Int64Array = np.searchsorted(known, asked)
        return np.where(known[np.minimum(cell, len(known) - 1)] == asked, cell, -1)


def nameless(engine: str) -> ArgumentError:
    """The error for points that cannot be distinguished."""
    return ArgumentError(
        f"the points have no names, and rows have no order in {engine}.",
        Message("pass `point=`, the column that names them."),
    )


def points_compared(cells: Cells) -> Frame:
    """The points that the policy leaves, with marks: noise (t_noise, p_noise), a cluster of their own (t_own, p_own).

    Where points count as lost, also those that a side lacks (t_nobody, p_nobody).
    """
    points, policy = cells.points, cells.policy
    own = {side: flag(c(side).is_null()) for side in ("t", "p")}
    frame = points.frame.with_columns(t_null=own["t"], p_null=own["p"], **noisy(policy.noise))
    if policy.noise.drops:
        frame = frame.filter((c("t_noise") + c("p_noise")) == 0)
    frame = filtered(filtered(frame, policy.rule.known), policy.rule.compared)
    if cells.lost:
        frame = frame.with_columns(
            t_nobody=c("t_null"), p_nobody=c("p_null"), t_null=nw.lit(0), p_null=nw.lit(0)
        )
    marks = ("null", "noise") if policy.noise.separates else ("null",)
    own = {f"{x}_own": reduce(add, (c(f"{x}_{mark}") for mark in marks)) for x in ("t", "p")}
    frame = frame.with_columns(**own)
    return points.with_names(frame) if points.placed else frame


def ungrouped_points(cells: Cells) -> Frame:
    """The points that are a cluster of their own on either side, one row each."""
    points = cells.points
    frame = points_compared(cells).filter((c("t_own") + c("p_own")) > 0)
    return frame.select("t", "p", "t_own", "p_own", *points.extra, *["point"] * points.placed)


# ---- the meet


def load(cells: Cells) -> tuple[Meet, Locator]:
    """All cells as a meet in memory, and what finds its points."""
    ungrouped = ungrouped_points(cells) if cells.ungrouped else None
    return load_part(cells, cells.frame, ungrouped)


def load_part(cells: Cells, rows: Frame, ungrouped: Frame | None) -> tuple[Meet, Locator]:
    """Some cells, and points that are a cluster of their own on either side, as a meet in memory."""
    engine = cells.engine
    with engine.running():
        got = engine.fetch(rows.filter(~c("t").is_null() & ~c("p").is_null()))
        single = None if ungrouped is None else _sorted(engine.fetch(ungrouped), cells.points)
    true, t = _side(got["t"], single, "t")
    pred, p = _side(got["p"], single, "p")
    more = 0 if single is None else len(single["t_own"])
    size = np.concatenate([numbers(got["m"], np.int64), np.ones(more, dtype=np.int64)])
    order = np.lexsort((p, t))
    indptr = np.concatenate([[0], np.cumsum(np.bincount(t, minlength=len(true.names)))])
    built = _core.Cells(indptr, p[order].astype(np.int32), size[order], len(pred.names))
    locator = Locator(cells, built, true, pred)
    meet = Meet(
        built,
        true.names,
        pred.names,
        weights=_weights(cells, got, single, order) if cells.points.weighted else None,
        moments=_moments(cells, got, single, order) if cells.points.features else None,
        locate=locator.cell_of_point if locator.can else None,
    )
    return meet, locator


def _sorted(single: dict[str, Any], points: Points) -> dict[str, list[Any]]:
    """Fetched columns of points as lists, in the order of their names if they have any."""
    columns = {name: plain(column) for name, column in single.items()}
    if "point" not in columns:
        return columns | {"point": list(range(1, len(columns["t_own"]) + 1))}
    columns["point"] = points.called(columns["point"])
    order = np.argsort(as_objects(columns["point"]), kind="stable").tolist()
    return {name: [column[i] for i in order] for name, column in columns.items()}


def _side(column: Any, single: dict[str, list[Any]] | None, side: str) -> tuple[Clusters, Int64Array]:
    """The clusters of one side, and the codes of all cells: those of the column, then a cell for each single point."""
    codes, names = encoded(column)
    if single is None:
        return Clusters(names, ()), codes
    known = {name: code for code, name in enumerate(names.tolist())}
    rows = list(zip(single[side], single[f"{side}_own"], single["point"], strict=True))
    for name in sorted({label for label, own, _ in rows if not own and label not in known}):
        known[name] = len(known)
    own_points = [point for _, own, point in rows if own]
    numbers_of_own = iter(range(len(known), len(known) + len(own_points)))
    more = [next(numbers_of_own) if own else known[label] for label, own, _ in rows]
    users = names if len(known) == len(names) else as_objects(list(known))
    return Clusters(users, own_points), np.concatenate([codes, np.array(more, dtype=np.int64)])


def _weights(cells: Cells, got: dict[str, Any], single: Any, order: IntArray) -> CellWeights:
    own = np.zeros(0) if single is None else np.asarray(single["w"], dtype=np.float64)
    logs = own * np.log(own, out=np.zeros_like(own), where=own > 0)
    mass, square, entropy = (
        np.concatenate([numbers(got[x]), y])[order]
        for x, y in (("w", own), ("w_squares", own * own), ("w_logs", logs))
    )
    points = np.concatenate([numbers(got["w_points"], np.int64), own > 0])[order]
    inside = {
        name: np.concatenate([numbers(got[column]), np.zeros(len(own))])[order]
        for name, column in read_again(cells.points).items()
    }
    return CellWeights.summed(mass, square, entropy, points, cells.points.scale, inside)


def _moments(cells: Cells, got: dict[str, Any], single: Any, order: IntArray) -> Moments:
    centres = [
        np.concatenate(
            [numbers(got[f"c{j}"]), np.zeros(0) if single is None else np.asarray(single[f"x{j}"])]
        )
        for j in range(cells.points.features)
    ]
    within = np.concatenate([numbers(got["within"]), np.zeros(0 if single is None else len(single["t_own"]))])
    return Moments(np.column_stack(centres)[order], within[order])


def original_meet(cells: Cells) -> Meet:
    """The meet of both tables with the points that are in no cluster of one, whatever the policy made of those."""
    assert cells.original is not None
    with cells.engine.running():
        got = cells.engine.fetch(cells.original.select("t", "p", "m"))
    size = numbers(got["m"], np.int64)
    (t, true), (p, pred) = encoded(got["t"]), encoded(got["p"])
    codes, names, unmatched, found = [], [], [], []
    for own, other, called in ((t, p, true), (p, t, pred)):
        shared = np.unique(own[(own >= 0) & (other >= 0)])
        order = np.concatenate([shared, np.setdiff1d(np.arange(len(called)), shared)])
        place = np.append(np.argsort(order), -1)[own]
        codes.append(place)
        names.append(called[order])
        unmatched.append(Unmatched(np.repeat(place, np.where((own >= 0) & (other < 0), size, 0))))
        found.append(len(shared))
    both = np.flatnonzero((t >= 0) & (p >= 0))
    meet = None
    if len(both):
        row, column = (code[both] for code in codes)
        order = np.lexsort((column, row))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=found[0]))])
        built = _core.Cells(indptr, column[order].astype(np.int32), size[both][order], found[1])
        meet = Meet(built, names[0][: found[0]], names[1][: found[1]])
    return UnevenMeet(meet, (names[0], names[1]), unmatched[0], unmatched[1])


# ---- columns


def encoded(column: Any) -> tuple[Int64Array, AnyArray]:
    """Codes and names of a fetched column of clusters; null has the code -1."""
    labels = read_labels(column, "cluster")
    # Engines return rows in any order; numbered by name, the same tables give the same result.
    order = np.argsort(labels.names, kind="stable")
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    rank[-1] = -1
    return rank[labels.codes], labels.names[order]


def as_objects(values: list[Any]) -> AnyArray:
    """A list of anything as a one-dimensional array."""
    out = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # assigning all at once would take tuples apart
        out[i] = value
    return out


def numbers(column: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """A fetched column of numbers as an array."""
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column, dtype=dtype)
