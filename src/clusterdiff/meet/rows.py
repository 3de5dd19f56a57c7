"""Rows: the cells of a meet and its lost points in memory, and every term of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.meet import terms
from clusterdiff.meet.arrays import ArrayFunctions
from clusterdiff.meet.declarations import COLUMNS, TERMS, Over, Term
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

if TYPE_CHECKING:
    from clusterdiff.meet.meet import Meet

Values = npt.NDArray[Any]
Kind = TypeVar("Kind", bound="Rows")


class Side:
    """One side of the rows: the cluster of each, -1 for nobody, and the values of clusters that are known already."""

    def __init__(self, cluster: IntArray, k: int) -> None:
        self.cluster, self.k = cluster, k
        self.values: dict[str, Values] = {}
        #: What the cluster of each row weighs, which most formulas read.
        self.mass: Values | None = None


class RowView(ArrayFunctions):
    """Some of the rows, as a formula sees them whose own side (``L``) is one of the two."""

    def __init__(self, rows: Rows, chosen: IntArray | None, own: Side, other: Side) -> None:
        self._rows, self._chosen, self.weighted, self.beta = rows, chosen, rows.weighted, rows.beta
        self.m: Values = rows.mass if chosen is None else rows.mass[chosen]
        self.L, self.C = ClusterOfRow(rows, chosen, own), ClusterOfRow(rows, chosen, other)

    @property
    def n(self) -> Values:
        """How many points each row has."""
        return self._rows.pick(self._rows.points, self._chosen)

    @property
    def N(self) -> Any:  # noqa: N802 - as formulas have it
        """The mass of all rows."""
        return self._rows.total_mass

    @property
    def N0(self) -> Any:  # noqa: N802
        """The mass of the cells."""
        return self._rows.shared_mass

    @property
    def one(self) -> Int64Array:
        """1 for every row."""
        return np.ones(len(self.m), dtype=np.int64)

    @property
    def nobody(self) -> Values:
        """Whether a side has no cluster for the row."""
        nobody: Values = (self.L.code < 0) | (self.C.code < 0)
        return nobody

    def outside(self, place: int) -> Any:
        """The mass of all other rows."""
        row = place if self._chosen is None else self._chosen[place]
        return np.delete(self._rows.mass, row).sum()

    def inside(self, content: str) -> Values:
        """What there is to lose between the points of each row."""
        return self._rows.pick(self._rows.inside(content), self._chosen)


class ClusterOfRow:
    """The cluster of each of some rows on one side: its values by name."""

    def __init__(self, rows: Rows, chosen: IntArray | None, side: Side) -> None:
        self._rows, self._side, self._all = rows, side, chosen is None
        self.code: IntArray = side.cluster if chosen is None else side.cluster[chosen]

    def __getattr__(self, name: str) -> Values:
        if name[0] == "_":
            raise AttributeError(name)
        kept = name == "mass" and self._all
        values = self._side.mass if kept else None
        if values is None:
            values = self._rows.of_clusters(name, self._side).take(self.code)
        if kept:
            self._side.mass = values
        vars(self)[name] = values  # a formula may read it again
        return values


class ClusterView(ArrayFunctions):
    """The clusters of one side, as a formula sees them."""

    def __init__(self, rows: Rows, side: Side) -> None:
        self._rows, self._side = rows, side
        self.weighted, self.beta = rows.weighted, rows.beta

    @property
    def N(self) -> Any:  # noqa: N802 - as formulas have it
        """The mass of all rows."""
        return self._rows.total_mass

    def outside(self, place: int) -> Any:
        """The mass of all rows that are not in a cluster."""
        return self._rows.mass[self._side.cluster != place].sum()

    def __getattr__(self, name: str) -> Values:
        if name[0] == "_":
            raise AttributeError(name)
        return self._rows.of_clusters(name, self._side)


class Added(NamedTuple):
    """What each of some rows adds to a term; ``rows`` None: all of them."""

    rows: IntArray | None
    values: Values


class Rows:
    """The rows of a comparison in memory: any term of them, in all, by cluster, by row and by unit.

    First come the cells, then the points that only the true side has, then those of the predicted side alone; rows
    that weigh nothing are left out.

    Parameters
    ----------
    true, pred
        The cluster of each row on either side, -1 for nobody.
    mass, points
        What each row weighs, and how many points it has.
    k
        The numbers of true and of predicted clusters.
    contents
        What there is to lose inside each row, by the name of the content; None where all points weigh the same.
    beta
        The β of F.
    places
        Where each row stood before those without weight were left out; None: none were.
    even
        Whether both sides are known to have a cluster for every row.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> rows = Rows.of(cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).meet)
    >>> rows["mm"], rows["b3_recall"]
    (6, 3.0)
    >>> rows.of_true("largest_mass").tolist(), rows.added("b3_recall").values.tolist()
    ([2, 1], [2.0, 0.5, 0.5])
    """

    def __init__(
        self,
        true: IntArray,
        pred: IntArray,
        mass: Values,
        points: Int64Array,
        k: tuple[int, int],
        contents: Callable[[str], FloatArray] | None = None,
        beta: float = 1.0,
        places: IntArray | None = None,
        even: bool = False,
    ) -> None:
        self.true, self.pred = Side(true, k[0]), Side(pred, k[1])
        self.mass, self.points, self.beta = mass, points, float(beta)
        self.weighted = contents is not None
        self._contents, self._places = contents, places
        cells = None if even else np.flatnonzero((true >= 0) & (pred >= 0))
        self.even = cells is None or len(cells) == len(true)
        self._chosen: dict[tuple[str, bool], IntArray | None] = {}
        self._cells = None if self.even else cells
        self._inside: dict[str, FloatArray] = {}
        self._totals: dict[str, Any] = {}

    @classmethod
    def of_cells(cls, cells: _core.Cells) -> Rows:
        """The rows of cells of points that weigh the same and of which none is lost."""
        size, k = cells.sizes, (cells.k_true, cells.k_pred)
        rows = cls(cells.rows, cells.cols, size, size, k, even=True)
        rows.true.values["mass"], rows.pred.values["mass"] = cells.true_sizes, cells.pred_sizes
        return rows

    @classmethod
    def of(cls, meet: Meet, beta: float = 1.0) -> Rows:
        """The rows of a meet."""
        true: IntArray = meet.true
        pred: IntArray = meet.pred
        mass, points = meet.mass, meet.size if meet.weights is None else meet.weights.points
        missing, spurious = meet.missing, meet.spurious
        lost = len(missing) + len(spurious)
        if lost:
            nobody = np.full(lost, -1)
            true = np.concatenate([true, missing.cluster, nobody[: len(spurious)]])
            pred = np.concatenate([pred, nobody[: len(missing)], spurious.cluster])
            points = np.concatenate([points, np.ones(lost, dtype=np.int64)])
            weights_of = (side.weights for side in (missing, spurious))
            mass = np.concatenate([mass, *weights_of]) if meet.weighted else points
        k = meet.k_true, meet.k_pred
        if meet.weights is None:
            return cls(true, pred, mass, points, k, beta=beta, even=not lost)
        weights = meet.weights
        places = None if mass.all() else np.flatnonzero(mass)
        kept: Any = slice(None) if places is None else places

        def contents(name: str) -> FloatArray:
            inside: FloatArray = np.concatenate([weights.inside(name), np.zeros(lost)])[kept]
            return inside

        if places is not None:
            true, pred, mass, points = true[kept], pred[kept], mass[kept], points[kept]
        rows = cls(true, pred, mass, points, k, contents, beta, places, even=not lost)
        if not lost:  # where rows of no weight are left out, clusters weigh as much
            rows.true.values["mass"], rows.pred.values["mass"] = meet.true_mass, meet.pred_mass
        return rows

    def __len__(self) -> int:
        return len(self.mass)

    @cached_property
    def total_mass(self) -> int | float:
        """What all rows weigh."""
        total: int | float = self.mass.sum().item()
        return total

    @cached_property
    def shared_mass(self) -> int | float:
        """What the cells weigh."""
        shared: int | float = self.pick(self.mass, self._cells).sum().item()
        return shared

    def truth(self) -> Rows:
        """The rows of the true clustering against itself: one per true cluster that weighs anything."""
        mass, points, k = self.of_true("mass"), self.of_true("count"), self.true.k
        kept = np.flatnonzero(mass)
        contents = None if self._contents is None else lambda name: self.of_true(f"whole_{name}")[kept]
        return Rows(kept, kept, mass[kept], points[kept], (k, k), contents, self.beta, kept)

    def split(self) -> Rows:
        """The rows after every predicted cluster is split into its rows."""
        k = len(self)
        return Rows(
            self.true.cluster,
            np.arange(k),
            self.mass,
            self.points,
            (self.true.k, k),
            self._contents,
            self.beta,
        )

    def chosen_as(self, row: IntArray, pred: IntArray, k_pred: int, kind: type[Kind]) -> Kind:
        """Some of the rows, any of them several times, in predicted clusters of another kind."""
        contents = None if self._contents is None else lambda name: self.inside(name)[row]
        k = self.true.k, k_pred
        return kind(self.true.cluster[row], pred, self.mass[row], self.points[row], k, contents, self.beta)

    # ---- what formulas read

    @staticmethod
    def pick(values: Values, chosen: IntArray | None) -> Values:
        """The values of some rows."""
        return values if chosen is None else values[chosen]

    def inside(self, content: str) -> FloatArray:
        """What there is to lose between the points of each row."""
        if content not in self._inside:
            if self._contents is None:
                view = RowView(self, None, self.true, self.pred)
                self._inside[content] = terms.inside(view, content, self.mass)
            else:
                self._inside[content] = self._contents(content)
        return self._inside[content]

    def of_clusters(self, name: str, side: Side) -> Values:
        """A value of each cluster of a side; see ``COLUMNS``."""
        if name not in side.values:
            declared = COLUMNS[name]
            if declared.reduce is None:
                side.values[name] = declared.formula(ClusterView(self, side))
            else:
                other = self.pred if side is self.true else self.true
                chosen = self.chosen(declared.over, side)
                values = declared.formula(RowView(self, chosen, side, other))
                side.values[name] = _reduced(declared.reduce, self.pick(side.cluster, chosen), side.k, values)
        return side.values[name]

    def of_true(self, name: str) -> Values:
        """A value of each true cluster."""
        return self.of_clusters(name, self.true)

    def of_pred(self, name: str) -> Values:
        """A value of each predicted cluster."""
        return self.of_clusters(name, self.pred)

    def chosen(self, over: Over, side: Side) -> IntArray | None:
        """The rows that something goes over: all that the side has, the cells, or those that only it has."""
        if over == "cells" or self.even:
            return self._cells if over != "unmatched" else np.empty(0, dtype=np.int64)
        key = over, side is self.true
        if key not in self._chosen:
            other = self.pred if side is self.true else self.true
            there = side.cluster >= 0
            self._chosen[key] = np.flatnonzero(there & (other.cluster < 0) if over == "unmatched" else there)
        return self._chosen[key]

    # ---- terms

    def __getitem__(self, name: str) -> Any:
        """A term: the sum over all rows or clusters."""
        if name not in self._totals:
            term = TERMS[name]
            view = self.clusters(term) if term.over == "clusters" else self._view(term)[1]
            self._totals[name] = summed(term.formula(view))
        return self._totals[name]

    def added(self, name: str) -> Added:
        """What each row adds to a term; of a term over clusters, each row its share of the cluster's by mass."""
        term = TERMS[name]
        if term.over == "clusters":
            side = self._own(term)
            rows = self.chosen("rows", side)
            values = product(term.formula(self.clusters(term)))
            cluster = self.pick(side.cluster, rows)
            share = self.pick(self.mass, rows) / self.of_clusters("mass", side)[cluster]
            return Added(rows, values[cluster] * share)
        rows, view = self._view(term)
        return Added(rows, product(term.formula(view)))

    def full(self, name: str) -> FloatArray:
        """What each of all rows adds to a term over rows."""
        rows, values = self.added(name)
        if rows is None:
            return np.asarray(values, dtype=np.float64)
        every = np.zeros(len(self))
        every[rows] = values
        return every

    def clusters(self, term: Term) -> ClusterView:
        """The clusters of the side that a term goes over."""
        return ClusterView(self, self._own(term))

    def units(self, of_cell: IntArray, of_true: IntArray, of_pred: IntArray) -> IntArray:
        """The unit of each row from those of all cells, true clusters and predicted clusters of the meet.

        A point that only one side has is in its cluster's unit; -1 there says that the cluster lies in several.
        """
        true, pred = self.true.cluster, self.pred.cluster
        unit = np.empty(len(self), dtype=np.int64)
        unit[pred < 0] = of_true[true[pred < 0]]
        unit[true < 0] = of_pred[pred[true < 0]]
        cells = slice(None) if self._cells is None else self._cells
        unit[cells] = of_cell if self._places is None else of_cell[self._places[cells]]
        return unit

    def by_unit(self, name: str, of_row: IntArray, count: int) -> FloatArray:
        """What each of ``count`` units adds to a term, where ``of_row`` has the unit of each row.

        A row with -1 is a point that only one side has, of a cluster that lies in several units: it is shared out over
        the cells of its cluster by mass. The columns of all units add up to the term.
        """
        rows, values = self.added(name)
        unit = self.pick(of_row, rows)
        if not (unit < 0).any():
            return np.asarray(_core.group_sum(unit, count, values), dtype=np.float64)
        unmatched = unit < 0
        sums = np.asarray(_core.group_sum(unit[~unmatched], count, values[~unmatched]), dtype=np.float64)
        for side, other in ((self.true, self.pred), (self.pred, self.true)):
            cluster = self.pick(side.cluster, rows)
            own = unmatched & (cluster >= 0) & (self.pick(other.cluster, rows) < 0)
            if own.any():
                shared = self.of_clusters("shared", side)
                rate = _core.group_sum(cluster[own], side.k, values[own]) / np.where(shared > 0, shared, 1)
                cells = self.chosen("cells", side)
                spread = self.pick(self.mass, cells) * rate[self.pick(side.cluster, cells)]
                sums += _core.group_sum(self.pick(of_row, cells), count, spread)
        return sums

    def _own(self, term: Term) -> Side:
        return self.pred if term.mirrored else self.true

    def _view(self, term: Term) -> tuple[IntArray | None, RowView]:
        own, other = (self.pred, self.true) if term.mirrored else (self.true, self.pred)
        every = term.over == "rows" or (self.even and term.over == "cells")
        chosen = None if every else self.chosen(term.over, own)
        return chosen, RowView(self, chosen, own, other)


def summed(values: Any) -> Any:
    """The sum of a column, or of the products of two; exact for integers."""
    if not isinstance(values, tuple):
        return np.add.reduce(values).item()
    u, v = values
    if u.dtype.kind == "f" or v.dtype.kind == "f":
        return float(np.sum(np.asarray(u, dtype=np.float64) * v))
    # Products of two large sizes are more than an integer holds, but squares are summed up in 128 bits.
    return (_core.sum_squares(u + v) - _core.sum_squares(u - v)) // 4


def product(values: Any) -> Values:
    """A column, or the products of two."""
    multiplied: Values = (
        np.asarray(values[0], dtype=np.float64) * values[1] if isinstance(values, tuple) else values
    )
    return multiplied


def _reduced(how: str, cluster: IntArray, k: int, values: Values) -> Values:
    if how == "sum":
        sums: Values = _core.group_sum(cluster, k, values)
        return sums
    whole = values.dtype.kind in "iub"
    exact: Any = np.ascontiguousarray(values, dtype=np.int64 if whole else np.float64)
    largest: Values = _core.group_max(cluster, k, exact)
    return largest
