"""Meet: the sparse table of the non-empty intersections of two clusterings, from which all else is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.meet.sums import Sums, WeightedSums
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array, IntArray, LazyNames
from clusterdiff.points.reading import read_labels
from clusterdiff.table import Table

Made = TypeVar("Made")


@dataclass(frozen=True)
class CellWeights:
    """What the points' weights add up to in each cell.

    ``mass`` is Σw (integers if the weights are), ``square`` Σw², and ``entropy`` Σ w·log(w/unit), where
    ``unit`` is the mean weight of all points: measuring weights against it makes their scale irrelevant.
    """

    mass: npt.NDArray[Any]
    square: npt.NDArray[Any]
    entropy: FloatArray
    unit: float

    @classmethod
    def of(cls, weights: npt.NDArray[Any], cell: IntArray, k: int) -> CellWeights:
        """Sum the points' weights over the ``k`` cells."""
        unit = float(weights.mean(dtype=np.float64))
        relative = weights / unit
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(weights > 0, weights * np.log(relative), 0.0)
        mass, square, own = (_core.group_sum(cell, k, x) for x in (weights, weights * weights, entropy))
        return cls(mass, square, own, unit)

    def take(self, cells: Any) -> CellWeights:
        """The same for a selection of cells."""
        return CellWeights(self.mass[cells], self.square[cells], self.entropy[cells], self.unit)

    def merged(self, groups: IntArray, k: int) -> CellWeights:
        """The same for cells united into ``k`` groups."""
        mass, square, entropy = (
            _core.group_sum(groups, k, x) for x in (self.mass, self.square, self.entropy)
        )
        return CellWeights(mass, square, entropy, self.unit)


@dataclass(frozen=True)
class Moments:
    """The features' weighted mean of each cell (dense or sparse rows) and the squared deviations from it."""

    centres: Any
    within: FloatArray

    def take(self, cells: Any) -> Moments:
        """The same for a selection of cells."""
        return Moments(self.centres[cells], self.within[cells])

    def merged(self, groups: IntArray, k: int, mass: npt.NDArray[Any]) -> Moments:
        """The same for cells united into ``k`` groups: inner spread plus the spread of the centres."""
        centres, between = spread(groups, k, self.centres, mass)
        return Moments(centres, _core.group_sum(groups, k, self.within) + between)


def spread(groups: IntArray, k: int, x: Any, weights: npt.NDArray[Any] | None) -> tuple[Any, FloatArray]:
    """Weighted mean of the rows of ``x`` in each group, and the weighted squared deviations from it."""
    w = None if weights is None else np.asarray(weights, dtype=np.float64)
    codes = np.asarray(groups, dtype=np.int32)
    if isinstance(x, np.ndarray):
        return _core.moments_dense(codes, k, x, w)
    from scipy import sparse

    indptr, indices, data, within = _core.moments_sparse(codes, k, x.indptr, x.indices, x.data, x.shape[1], w)
    return sparse.csr_array((data, indices, indptr), shape=(k, x.shape[1])), within


@dataclass(frozen=True)
class Links:
    """The link weight (distance) inside each cell, each true cluster and each predicted cluster."""

    cells: FloatArray
    true: FloatArray
    pred: FloatArray


@dataclass(frozen=True)
class Overlap:
    """Two clusterings that need not have the same points: the cells of the points they share, and whole clusters.

    ``true``, ``pred`` and ``size`` describe the cells, as in a meet; ``true_size`` and ``pred_size`` are the sizes of
    all clusters with the points that the other clustering lacks. A cluster without any shared point has no cell.
    Where both have the same points, this is the meet.
    """

    true: IntArray
    pred: IntArray
    size: Int64Array
    true_size: Int64Array
    pred_size: Int64Array
    true_group: IntArray | None = None
    pred_group: IntArray | None = None

    @classmethod
    def of(cls, true: IntArray, pred: IntArray, in_true: BoolArray, in_pred: BoolArray) -> Overlap:
        """From an integer label a point, and which points each clustering has."""
        sides = []
        for labels, present in ((true, in_true), (pred, in_pred)):
            codes = np.full(len(labels), -1, dtype=np.int32)
            codes[present] = _core.encode_integers(labels[present])[0]
            sides.append((codes, np.bincount(codes[present])))
        (rows, true_size), (columns, pred_size) = sides
        shared = in_true & in_pred
        if not shared.any():
            none = np.empty(0, dtype=np.int64)
            return cls(none, none, none, true_size, pred_size)
        meet = Meet.from_labels(rows[shared], columns[shared])
        return cls(meet.true_names[meet.true], meet.pred_names[meet.pred], meet.size, true_size, pred_size)

    def transpose(self) -> Overlap:
        """The same with the two clusterings exchanged; the order of the cells stays."""
        return Overlap(self.pred, self.true, self.size, self.pred_size, self.true_size)


class Pairs(NamedTuple):
    """Pairs of distinct points (with weights: sums of the products of theirs), exact for integers.

    ``both``: together in both clusterings; ``true``, ``pred``: together in that one; ``all``: all pairs.
    """

    both: int | float
    true: int | float
    pred: int | float
    all: int | float

    @property
    def confusion(self) -> tuple[tuple[int | float, int | float], tuple[int | float, int | float]]:
        """The pair confusion matrix as scikit-learn lays it out: rows are apart and together in `true`.

        It counts ordered pairs, so that every pair of points stands in it twice.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).meet.pairs.confusion
        ((8, 0), (2, 2))
        """
        apart = self.all - self.true - self.pred + self.both
        return (2 * apart, 2 * (self.pred - self.both)), (2 * (self.true - self.both), 2 * self.both)


class Meet:
    """The cells of two clusterings: which true and predicted cluster each lies in, and its size.

    Cells stand in true-major order: those of one true cluster are adjacent. Clusters are numbered from 0 on
    either side; ``true_names`` and ``pred_names`` give the users' labels.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> cd.compare(["x", "x", "x", "y"], [1, 1, 2, 2]).meet
       true  pred  size
    0  x     1        2
    1  x     2        1
    2  y     2        1
    """

    def __init__(
        self,
        cells: _core.Cells,
        true_lexicon: AnyArray | LazyNames | None = None,
        pred_lexicon: AnyArray | LazyNames | None = None,
        weights: CellWeights | None = None,
        moments: Moments | None = None,
        links: Links | None = None,
        features: Any = None,
        locate: Callable[[], IntArray] | None = None,
        overlap: Callable[[], Overlap] | None = None,
        uneven: bool | None = None,
    ) -> None:
        self.cells = cells
        self.weights = weights
        self.moments = moments
        self.links = links
        self.features = features  # a row per point, for the few measures that look at single points
        self._locate = locate
        self._overlap = overlap
        #: Whether a clustering has points that the other lacks (``missing=`` then says what the meet does).
        self.uneven = overlap is not None if uneven is None else uneven
        self._made: dict[Callable[[Meet], Any], Any] = {}
        self._true_lexicon = true_lexicon
        self._pred_lexicon = pred_lexicon

    @classmethod
    def from_labels(cls, true: IntArray, pred: IntArray) -> Meet:
        """The meet of two arrays of integer labels of the same points."""
        cells = _core.meet(true, pred)
        return cls(cells, locate=lambda: cells.locate(true, pred))

    @classmethod
    def from_cells(cls, true: object, pred: object, size: Sequence[int] | Int64Array) -> Meet:
        """A meet from a table of cells: the true and predicted cluster of each cell, and its size.

        >>> Meet.from_cells(["x", "x", "y"], [1, 2, 2], [10**12, 5, 10**12]).n
        2000000000005
        """
        rows, columns = read_labels(true, "true"), read_labels(pred, "pred")
        sizes = np.asarray(size, dtype=np.int64)
        row_codes, row_first = _core.encode_integers(rows.values)
        column_codes, column_first = _core.encode_integers(columns.values)
        if not len(row_codes) == len(column_codes) == len(sizes):
            raise ArgumentError("`true`, `pred` and `size` must have one entry a cell.")
        if len(sizes) == 0 or sizes.min() < 1:
            raise ArgumentError("`size` must be at least 1 for every cell, and there must be a cell.")
        order = np.argsort(row_codes, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row_codes))])
        try:
            cells = _core.Cells(indptr, column_codes[order], sizes[order], len(column_first))
        except ValueError:
            raise ArgumentError(
                "a pair of clusters stands in more than one cell.", "sum the sizes of such cells first."
            ) from None
        return cls(
            cells,
            _named(rows.values[row_first], rows.lexicon),
            _named(columns.values[column_first], columns.lexicon),
        )

    # ---- the table

    @property
    def n(self) -> int:
        """Number of points."""
        return self.cells.n

    @property
    def k_true(self) -> int:
        """Number of true clusters."""
        return self.cells.k_true

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return self.cells.k_pred

    def __len__(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def indptr(self) -> Int64Array:
        """The cells of true cluster i are indptr[i] … indptr[i + 1] - 1."""
        return self.cells.indptr

    @cached_property
    def true(self) -> npt.NDArray[np.int32]:
        """The true cluster of each cell."""
        return np.repeat(np.arange(self.k_true, dtype=np.int32), np.diff(self.indptr))

    @property
    def pred(self) -> npt.NDArray[np.int32]:
        """The predicted cluster of each cell."""
        return self.cells.cols

    @property
    def size(self) -> Int64Array:
        """The number of points of each cell."""
        return self.cells.sizes

    @property
    def true_size(self) -> Int64Array:
        """The number of points of each true cluster."""
        return self.cells.true_sizes

    @property
    def pred_size(self) -> Int64Array:
        """The number of points of each predicted cluster."""
        return self.cells.pred_sizes

    @property
    def mass(self) -> npt.NDArray[Any]:
        """The weight of each cell: its size, unless the points are weighted."""
        return self.size if self.weights is None else self.weights.mass

    @cached_property
    def true_mass(self) -> npt.NDArray[Any]:
        """The weight of each true cluster."""
        return self.true_size if self.weights is None else _core.group_sum(self.true, self.k_true, self.mass)

    @cached_property
    def pred_mass(self) -> npt.NDArray[Any]:
        """The weight of each predicted cluster."""
        return self.pred_size if self.weights is None else _core.group_sum(self.pred, self.k_pred, self.mass)

    @cached_property
    def total(self) -> int | float:
        """The weight of all points: n, unless the points are weighted."""
        return self.n if self.weights is None else self.mass.sum().item()

    @property
    def true_names(self) -> AnyArray:
        """The label of each true cluster."""
        return _names(self.cells.true_labels, self._true_lexicon, self.k_true)

    @property
    def pred_names(self) -> AnyArray:
        """The label of each predicted cluster."""
        return _names(self.cells.pred_labels, self._pred_lexicon, self.k_pred)

    # ---- what measures read

    @cached_property
    def sums(self) -> Sums:
        """The sums over cells and clusters that most measures are made of, in one pass."""
        return self.cells.sums() if self.weights is None else WeightedSums(self)

    @cached_property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together, counted exactly."""
        sums = self.sums
        if self.weights is None:
            n = self.n
            return Pairs((sums.mm - n) // 2, (sums.aa - n) // 2, (sums.bb - n) // 2, n * (n - 1) // 2)
        own = self.weights.square.sum().item()
        if isinstance(self.total, int) and isinstance(own, int):
            return Pairs(*((s - own) // 2 for s in (sums.mm, sums.aa, sums.bb, self.total**2)))
        # With fractions the subtraction rounds: what is nothing, all, or the same in theory is so in bits.
        every = max(0.0, (self.total**2 - own) / 2)
        true, pred, both = (
            0.0 if k == self.n else every if k == 1 else min(max(0.0, (s - own) / 2), every)
            for k, s in ((self.k_true, sums.aa), (self.k_pred, sums.bb), (len(self), sums.mm))
        )
        if len(self) in (self.k_true, self.k_pred):
            both = true if len(self) == self.k_true else pred
        return Pairs(min(both, true, pred), true, pred, every)

    @cached_property
    def overlap(self) -> Overlap:
        """The clusterings as they were given, with the points that only one of them has.

        A meet made from another one (restricted or coarsened) knows the shared points only.
        """
        if self._overlap is None:
            return Overlap(self.true, self.pred, self.size, self.true_size, self.pred_size)
        return self._overlap()

    def once(self, make: Callable[[Meet], Made]) -> Made:
        """``make(self)``, computed the first time and kept: for what several measures share."""
        if make not in self._made:
            self._made[make] = make(self)
        made: Made = self._made[make]
        return made

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @cached_property
    def bottom_entropy(self) -> float:
        """H(⊥): log n, or with weights the entropy of the points' shares of the total."""
        if self.weights is None:
            return float(np.log(self.n))
        share = self.total / self.weights.unit
        return float(np.log(share) - self.weights.entropy.sum() / self.total)

    # ---- other meets from this one

    @cached_property
    def _transposed(self) -> tuple[Meet, Int64Array]:
        cells, order = self.cells.transpose()
        meet = Meet(
            cells,
            self._pred_lexicon,
            self._true_lexicon,
            self.weights and self.weights.take(order),
            self.moments and self.moments.take(order),
            self.links and Links(self.links.cells[order], self.links.pred, self.links.true),
            self.features,
            lambda: np.append(back, -1)[self.cell_of_point],
            None if self._overlap is None else lambda: self.overlap.transpose(),
            self.uneven,
        )
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        meet.__dict__["_transposed"] = (self, back)  # the transpose of the transpose is this very meet
        return meet, order

    def transpose(self) -> Meet:
        """The meet with the two clusterings exchanged."""
        return self._transposed[0]

    @property
    def transpose_order(self) -> Int64Array:
        """For each cell of the transpose, its place in this meet."""
        return self._transposed[1]

    def restrict(self, true: npt.ArrayLike) -> Meet:
        """The meet of the points of some true clusters, given by their codes or as a mask.

        Predicted clusters shrink to what they share with those; empty ones vanish.
        """
        chosen = np.zeros(self.k_true, dtype=bool)
        chosen[np.asarray(true)] = True
        if not chosen.any():
            raise ArgumentError("`true` must choose at least one true cluster; it chose none.")
        keep = np.flatnonzero(chosen[self.true])
        present, columns = np.unique(self.pred[keep], return_inverse=True)
        indptr = np.concatenate([[0], np.cumsum(np.diff(self.indptr)[chosen])])
        cells = _core.Cells(indptr, columns.astype(np.int32), self.size[keep], len(present))
        whole = np.array_equal(cells.pred_sizes, self.pred_size[present])
        return Meet(
            cells,
            self.true_names[chosen],
            self.pred_names[present],
            self.weights and self.weights.take(keep),
            self.moments and self.moments.take(keep),
            # Distances between points of a predicted cluster that was cut cannot be told from its total.
            Links(self.links.cells[keep], self.links.true[chosen], self.links.pred[present])
            if self.links and whole
            else None,
            locate=lambda: _place(keep, len(self))[self.cell_of_point],
        )

    def coarsen(self, groups: npt.ArrayLike, names: AnyArray | None = None) -> Meet:
        """The meet after merging predicted clusters: ``groups[c]`` is the new cluster of predicted cluster c.

        A new cluster is called as ``names`` says, or else like the first of those it unites.
        """
        to = np.asarray(groups)
        if to.shape != (self.k_pred,) or to.dtype.kind not in "iu":
            raise ArgumentError(
                f"`groups` must give an integer for each of the {self.k_pred:,} predicted clusters; "
                f"got {to.dtype} of shape {to.shape}."
            )
        codes, first = _core.encode_integers(to)
        key = self.true.astype(np.int64) * len(first) + codes[self.pred]
        united, place = np.unique(key, return_inverse=True)
        rows, columns = np.divmod(united, len(first))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.k_true))])
        k = len(united)
        cells = _core.Cells(
            indptr, columns.astype(np.int32), _core.group_sum(place, k, self.size), len(first)
        )
        return Meet(
            cells,
            self.true_names,
            self.pred_names[first] if names is None else np.asarray(names)[to[first]],
            self.weights and self.weights.merged(place, k),
            self.moments and self.moments.merged(place, k, self.mass),
            locate=lambda: np.append(place, -1)[self.cell_of_point],
        )

    # ---- the points

    @property
    def knows_points(self) -> bool:
        """Whether it was made from points; a meet made from cells does not know them."""
        return self._locate is not None

    @cached_property
    def cell_of_point(self) -> IntArray:
        """The cell of each point compared; -1 for points that a restriction left out."""
        if self._locate is None:
            raise ArgumentError("this meet was made from cells and does not know its points.")
        return self._locate()

    @cached_property
    def _grouped(self) -> tuple[Int64Array, IntArray]:
        return _core.group_members(self.cell_of_point, len(self))

    def members(self, cell: int) -> IntArray:
        """The positions of the points of a cell, ascending."""
        indptr, members = self._grouped
        return members[indptr[cell] : indptr[cell + 1]]

    # ---- as a table

    @property
    def table(self) -> Table[Any]:
        """One row a cell: its true cluster, its predicted cluster and its size (and weight)."""
        columns = {"true": self.true_names[self.true], "pred": self.pred_names[self.pred], "size": self.size}
        return Table(columns if self.weights is None else columns | {"weight": self.mass})

    def to_dict(self) -> dict[str, list[Any]]:
        """The cells as a dict of columns."""
        return self.table.to_dict()

    def to_frame(self, library: str = "pandas") -> Any:
        """The cells as a "pandas", "polars" or "pyarrow" table."""
        return self.table.to_frame(library)

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def _place(kept: Int64Array, count: int) -> Int64Array:
    """For each of ``count`` cells its place among the kept ones, else -1; index -1 stays -1."""
    place = np.full(count + 1, -1)
    place[kept] = np.arange(len(kept))
    return place


def _named(values: IntArray, lexicon: AnyArray | LazyNames | None) -> AnyArray:
    return values if lexicon is None else lexicon[values]


def _names(labels: AnyArray | None, lexicon: AnyArray | LazyNames | None, k: int) -> AnyArray:
    if labels is not None:
        return _named(labels, lexicon)
    return np.arange(k) if lexicon is None else lexicon[:]
