"""Cells that a user hands in as a table, the names that clusters go by, and the points of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol
from weakref import ReferenceType

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, changed
from clusterdiff.meet.sums import Lazy, made
from clusterdiff.messages import Message
from clusterdiff.points.labels import AnyArray, BoolArray, Int64Array, IntArray, LazyNames, single
from clusterdiff.points.reading import read_labels

CellNumbers = npt.NDArray[np.integer[Any]]
#: The points of some cells: those of the i-th are members[indptr[i]:indptr[i + 1]], ascending.
Members = tuple[Int64Array, IntArray]
#: How often the points of so few cells are looked for among all points, before these are grouped by cell.
LOOKS, FEW = 8, 4096
#: Those of more cells are looked for in the same way if they are less than one in so many of all points.
MANY = 4
NOTHING: Int64Array = np.empty(0, dtype=np.int64)
TOO_MANY = "the sizes must add up to less than 2^63 points."


def read_cells(
    true: object, pred: object, size: Sequence[int] | Int64Array
) -> tuple[_core.Cells, AnyArray, AnyArray]:
    """The table of the cells that are given by their true and predicted clusters and sizes; the clusters' names."""
    sides = [read_labels(side, name) for side, name in ((true, "true"), (pred, "pred"))]
    for side, name in zip(sides, ("true", "pred"), strict=True):
        if side.absent is not None:
            raise ArgumentError.about(
                name,
                f"must name the cluster of each cell; cell {int(np.argmax(side.absent))} has a null.",
                "a cell lies in a cluster on either side: leave out points without a label.",
            )
    rows, columns = sides
    row_codes, row_first = _core.encode_integers(rows.values)
    column_codes, column_first = _core.encode_integers(columns.values)
    sizes = _whole(size)
    if not len(row_codes) == len(column_codes) == len(sizes):
        raise ArgumentError(Message("`true`, `pred` and `size` must have one entry per cell."))
    if len(sizes) == 0 or sizes.min() < 1:
        raise ArgumentError.about("size", "must be at least 1 for every cell, and there must be a cell.")
    if sizes.sum(dtype=np.float64) > 2.0**62 and sum(sizes.tolist()) >= 2**63:
        raise ArgumentError(TOO_MANY)
    order = np.argsort(row_codes, kind="stable")
    indptr = np.concatenate([[0], np.cumsum(np.bincount(row_codes))])
    try:
        cells = _core.Cells(indptr, column_codes[order], sizes[order], len(column_first))
    except ValueError:
        raise ArgumentError(
            "a pair of clusters has more than one cell.", "sum the sizes of such cells first."
        ) from None
    return (
        cells,
        named(rows.values[row_first], rows.lexicon),
        named(columns.values[column_first], columns.lexicon),
    )


def named(values: IntArray, lexicon: AnyArray | LazyNames | None) -> AnyArray:
    """The names of integer labels: themselves, if there is no lexicon."""
    return values if lexicon is None else lexicon[values]


def names_of(
    labels: AnyArray | None,
    lexicon: AnyArray | LazyNames | None,
    k: int,
    clusters: Int64Array | slice = slice(None),
) -> AnyArray:
    """The names of some of k clusters, by their labels if they were made from labels, else in order."""
    if labels is not None:
        return named(labels[clusters], lexicon)
    return np.arange(k)[clusters] if lexicon is None else lexicon[clusters]


def naming(
    cells: _core.Cells, side: str, lexicon: AnyArray | LazyNames | None
) -> Callable[[Int64Array | slice], AnyArray]:
    """What tells the names of some clusters of a side; the labels that these were made from are fetched once."""
    if side == "true":
        return partial(names_of, cells.true_labels, lexicon, cells.k_true)
    return partial(names_of, cells.pred_labels, lexicon, cells.k_pred)


def singles(labels: AnyArray | None, lexicon: AnyArray | LazyNames | None, k: int) -> BoolArray:
    """Which of k clusters are single points that are in none of the user's; names are not read if they cannot be."""
    if lexicon is None or (isinstance(lexicon, LazyNames) and lexicon.plain):
        return np.zeros(k, dtype=bool)
    return single(names_of(labels, lexicon, k))


def _whole(size: Sequence[int] | Int64Array) -> Int64Array:
    """Sizes as int64, or an error that says why they cannot be."""
    given = np.asarray(size)
    if given.size and (given.dtype.kind not in "iu" or given.ndim != 1):
        try:
            whole = [int(x) for x in given.tolist()]
        except (TypeError, ValueError):
            whole = []
        if whole != given.tolist():
            raise ArgumentError.about("size", "must hold one whole number per cell.")
        if max(whole) >= 2**63:
            raise ArgumentError(TOO_MANY)
        return np.array(whole, dtype=np.int64)
    if given.dtype.kind == "u" and given.size and int(given.max()) >= 2**63:
        raise ArgumentError(TOO_MANY)
    return given.astype(np.int64)


def members_of(cells: _core.Cells, cell: IntArray) -> tuple[Int64Array, IntArray]:
    """The positions of all points by cell, from the cell of each; -1 for points that are in none of them."""
    if len(cell) == cells.n:
        return _core.group_members(cell, len(cells))
    inside = np.flatnonzero(cell >= 0)
    indptr, members = _core.group_members(cell[inside], len(cells))
    return indptr, inside[members]


def _united(keys: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The distinct ones of some numbers, ascending, and for each number its place among them."""
    if not len(keys) or (keys[1:] < keys[:-1]).any():
        distinct, place = np.unique(keys, return_inverse=True)
        return distinct, place
    first = np.append(True, keys[1:] != keys[:-1])  # they are in order already
    return keys[first], np.cumsum(first) - 1


def regrouped(cells: _core.Cells, to: IntArray) -> tuple[_core.Cells, Int64Array]:
    """The table after cells went to other columns, numbered from 0, none of them empty; and the place of each there."""
    k_pred = int(to.max()) + 1
    distinct, place = _united(cells.rows.astype(np.int64) * k_pred + to)
    rows, columns = np.divmod(distinct, k_pred)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=cells.k_true))])
    sizes = _core.group_sum(place, len(distinct), cells.sizes)
    return _core.Cells(indptr, columns.astype(np.int32), sizes, k_pred), place


def places_of(kept: Int64Array, count: int) -> Int64Array:
    """For each of ``count`` cells its place among the kept ones, else -1; index -1 stays -1."""
    place = np.full(count + 1, -1)
    place[kept] = np.arange(len(kept))
    return place


# ---- where points are


def relocated(
    meet: ReferenceType[Any], locate: Lazy[IntArray], place: Lazy[IntArray]
) -> Callable[[], IntArray]:
    """Finds the cell of each point after the cells of a meet went to other places; -1 stays -1.

    The meet is not kept, which may keep what is made from it; as long as it is there, it knows where points were.
    """

    def find() -> IntArray:
        known = meet()
        return made(place)[made(locate) if known is None else known.cell_of_point]

    return find


#: No cells, and the points of these.
NONE: tuple[CellNumbers, Members] = NOTHING, (np.zeros(1, dtype=np.int64), NOTHING)


class LabelPlaces:
    """Places by the labels that the cells were made from, unless somebody has changed them since."""

    def __init__(self, cells: _core.Cells, true: IntArray, pred: IntArray) -> None:
        self._cells, self._true, self._pred = cells, true, pred
        self._looks = 0
        #: The cells that were asked for last, ascending, and their points.
        self._last = NONE

    def __call__(self) -> IntArray:
        """The cell of each point."""
        return self._cell

    @cached_property
    def _cell(self) -> IntArray:
        try:
            return self._cells.locate(self._true, self._pred)
        except ValueError:
            raise changed() from None

    def few(self, cells: CellNumbers) -> Members | None:
        """The points of a few cells; None if it costs less to group all points."""
        known, found = self._last
        place = known.searchsorted(cells)
        if len(cells) == 1 and place[0] < len(known) and known[place[0]] == cells[0]:
            begin, end = found[0][place[0] : place[0] + 2].tolist()
            return np.array([0, end - begin]), found[1][begin:end]
        if len(known) and np.array_equal(known.take(place, mode="clip"), cells):
            return some(found, place)
        self._looks += 1
        if self._looks > LOOKS:
            return None
        chosen = cells if (cells[1:] > cells[:-1]).all() else np.unique(cells)
        if len(chosen) > FEW and MANY * int(self._cells.sizes[chosen].sum()) >= self._cells.n:
            return None
        found = self._cells.members(self._true, self._pred, chosen.astype(np.int64))
        if not np.array_equal(np.diff(found[0]), self._cells.sizes[chosen]):
            raise changed()
        self._last = chosen, found
        return some(found, np.searchsorted(chosen, cells))


class KnowsPoints(Protocol):
    """A meet that knows its points."""

    @property
    def cell_of_point(self) -> IntArray:
        """The cell of each point."""

    def members_of(self, cells: CellNumbers) -> Members:
        """The points of some cells."""


class PartPlaces:
    """Places in a meet of some of so many points; the others are in no cell.

    ``part`` gives the meet and where its points are, when somebody asks: until then only the labels take memory.
    """

    def __init__(self, part: Callable[[], tuple[KnowsPoints, Int64Array]], points: int) -> None:
        self._find, self._points = part, points

    @cached_property
    def _part(self) -> tuple[KnowsPoints, Int64Array]:
        return self._find()

    def __call__(self) -> IntArray:
        """The cell of each point; -1 for the others."""
        return self._cell

    @cached_property
    def _cell(self) -> IntArray:
        meet, at = self._part
        cell = np.full(self._points, -1)
        cell[at] = meet.cell_of_point
        return cell

    def few(self, cells: CellNumbers) -> Members:
        """The points of some cells."""
        meet, at = self._part
        indptr, members = meet.members_of(cells)
        return indptr, at[members]


def spans(start: Int64Array, chosen: CellNumbers) -> tuple[Int64Array, Int64Array]:
    """The numbers from ``start[i]`` to ``start[i + 1] - 1`` for each of some i, one after the other.

    >>> [part.tolist() for part in spans(np.array([0, 2, 3]), np.array([1, 0, 1]))]
    [[0, 1, 3, 4], [2, 0, 1, 2]]
    """
    sizes = start[chosen + 1] - start[chosen]
    ends = np.cumsum(sizes)
    inside = np.arange(int(sizes.sum())) + np.repeat(start[chosen] - (ends - sizes), sizes)
    return np.concatenate([[0], ends]), inside


def some(groups: Members, chosen: CellNumbers) -> Members:
    """The members of some groups."""
    indptr, inside = spans(groups[0], chosen)
    return indptr, groups[1][inside]
