"""Meet: the sparse table of the non-empty intersections of two clusterings, from which everything else is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError
from clusterdiff.meet import cell_table
from clusterdiff.meet.cell_table import CellNumbers, LabelPlaces, Members, some
from clusterdiff.meet.parts import CellWeights, Links, Moments, Overlap, Pairs
from clusterdiff.meet.sums import Lazy, Sizes, Sums, made
from clusterdiff.meet.unmatched import NOBODY
from clusterdiff.meet.values import CORE_SCORES, CoreTerms, WeightedSums, weighed
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array, IntArray, LazyNames
from clusterdiff.table import Table

CELLS = frozenset({"sums", "margins", "cells", "overlap"})
POINTS = CELLS | {"points"}
#: The same where points have no weights: the core then sums up S* and S' along with the rest.
CELLS_AND_SCORES, POINTS_AND_SCORES = CELLS | CORE_SCORES, POINTS | CORE_SCORES


class Meet(Sizes):
    """The cells of two clusterings: which true and predicted cluster each lies in, and its size.

    Cells stand in true-major order: those of one true cluster are adjacent. Clusters are numbered from 0 on
    either side; ``true_names`` and ``pred_names`` give the users' labels. A meet never changes: it can be read by
    several threads, copied and pickled, together with its points if it knows them.

    Parameters
    ----------
    cells
        The table, from the core.
    true_names, pred_names
        The users' labels: by integer label if the table was made from labels, else by cluster. None: the labels
        themselves, or the clusters' numbers.
    weights, moments, links, features
        What the points' weights, features and distances come to in each cell; and the features, one row per point,
        for the few measures that look at single points.
    locate
        The cell of each point, or a function that finds them when they are asked for.
    overlap
        The same cells as an :class:`Overlap` that also knows documents, or a function that makes that.
    transpose_of
        The meet that this is the transpose of.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> cd.compare(["x", "x", "x", "y"], [1, 1, 2, 2]).meet
       true  pred  size
    0  x     1        2
    1  x     2        1
    2  y     2        1
    """

    #: The points that only the true, and that only the predicted clustering has.
    missing = spurious = NOBODY

    def __init__(
        self,
        cells: _core.Cells,
        true_names: AnyArray | LazyNames | None = None,
        pred_names: AnyArray | LazyNames | None = None,
        *,
        weights: CellWeights | None = None,
        moments: Moments | None = None,
        links: Links | None = None,
        features: Any = None,
        locate: Lazy[IntArray] | None = None,
        overlap: Lazy[Overlap] | None = None,
        transpose_of: Meet | None = None,
    ) -> None:
        self.cells = cells
        self.weights = weights
        self.moments = moments
        self.links = links
        self.features = features
        self._locate, self._overlap = locate, overlap
        self._transpose_of = None if transpose_of is None else ref(transpose_of)
        self._made = {}
        self._true_names, self._pred_names = true_names, pred_names

    @classmethod
    def from_labels(cls, true: IntArray, pred: IntArray, cells: _core.Cells | None = None) -> Meet:
        """The meet of two arrays of integer labels of the same points; ``cells`` if those are known."""
        cells = cells or _core.meet(true, pred)
        return cls(cells, locate=LabelPlaces(cells, true, pred))

    @classmethod
    def of_points(
        cls,
        true: IntArray,
        pred: IntArray,
        true_names: AnyArray | LazyNames | None = None,
        pred_names: AnyArray | LazyNames | None = None,
        *,
        weights: npt.NDArray[Any] | None = None,
        features: Any = None,
        link_sums: Callable[[IntArray, int, npt.NDArray[Any] | None], FloatArray] | None = None,
        overlap: Lazy[Overlap] | None = None,
        scale: int = 0,
    ) -> Meet:
        """The meet of two arrays of integer labels, with everything else that is known about the points.

        ``weights`` and ``features`` have one entry or row per point. ``link_sums(groups, k, weights)`` gives the link
        weight inside each of k groups of points. Weights are in units of 2 to the ``scale``.
        """
        cells = _core.meet(true, pred)
        locate: Lazy[IntArray] = LabelPlaces(cells, true, pred)
        sums = moments = links = None
        if weights is not None or features is not None or link_sums is not None:
            locate = cell = made(locate)
            if weights is not None:
                sums = CellWeights.of(weights, cell, len(cells), scale)
            if features is not None:
                moments = Moments.of(features, cell, len(cells), weights)
            if link_sums is not None:
                row, column = cells.rows[cell], cells.cols[cell]
                links = Links(
                    link_sums(cell, len(cells), weights),
                    link_sums(row, cells.k_true, weights),
                    link_sums(column, cells.k_pred, weights),
                )
        parts: dict[str, Any] = {"weights": sums, "moments": moments, "links": links, "features": features}
        return cls(cells, true_names, pred_names, **parts, locate=locate, overlap=overlap)

    @classmethod
    def from_cells(cls, true: object, pred: object, size: Sequence[int] | Int64Array) -> Meet:
        """A meet from a table of cells: the true and predicted cluster of each cell, and its size.

        >>> Meet.from_cells(["x", "x", "y"], [1, 2, 2], [10**12, 5, 10**12]).n
        2000000000005
        """
        return cls(*cell_table.read_cells(true, pred, size))

    def with_points(self, locate: Lazy[IntArray] | None) -> Meet:
        """The same meet, knowing its points: the cell of each, or a function that finds them; None: without them."""
        return self._with(locate, self._overlap)

    def within(self, documents: IntArray) -> Meet:
        """The same meet of points that are divided into documents, where ``documents`` numbers each point's."""
        return self._with(self._locate, lambda: self.overlap.within(self.cell_of_point, documents))

    def _with(self, locate: Lazy[IntArray] | None, overlap: Lazy[Overlap] | None) -> Meet:
        names = self._true_names, self._pred_names
        return Meet(self.cells, *names, **self._carried, locate=locate, overlap=overlap)

    @property
    def _carried(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("weights", "moments", "links", "features")}

    def __reduce__(self) -> tuple[Callable[..., Meet], tuple[Any, ...]]:
        """For pickle and copy: plain arrays, so what was still to be made on demand is made now."""
        table = (self.indptr, self.pred, self.size, self.k_pred)
        points = self.cell_of_point if self.knows_points else None
        overlap = None if self._overlap is None else self.overlap
        parts = {**self._carried, "locate": points, "overlap": overlap}
        return _restored, (table, self.true_names, self.pred_names, parts)

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

    @cached_property
    def indptr(self) -> Int64Array:
        """The cells of true cluster i are indptr[i] … indptr[i + 1] - 1."""
        return self.cells.indptr

    @cached_property
    def true(self) -> npt.NDArray[np.int32]:
        """The true cluster of each cell."""
        return self.cells.rows

    @cached_property
    def pred(self) -> npt.NDArray[np.int32]:
        """The predicted cluster of each cell."""
        return self.cells.cols

    @cached_property
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
    def scale(self) -> int:
        """Masses are in units of 2 to this power: 0, unless weights are too large or too small to be multiplied."""
        return 0 if self.weights is None else self.weights.scale

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
        return self.naming("true")(slice(None))

    @property
    def pred_names(self) -> AnyArray:
        """The label of each predicted cluster."""
        return self.naming("pred")(slice(None))

    def names(self, side: str, clusters: Int64Array) -> AnyArray:
        """The labels of some clusters of a side, by their codes; nobody else's are made."""
        return self.naming(side)(clusters)

    def naming(self, side: str) -> Callable[[Int64Array | slice], AnyArray]:
        """What tells the labels of some clusters of a side, for who asks again and again."""
        return cell_table.naming(self.cells, side, self._true_names if side == "true" else self._pred_names)

    @cached_property
    def singles(self) -> tuple[BoolArray, BoolArray]:
        """Which true and which predicted clusters are points that are in no cluster of the user's."""
        singles = cell_table.singles
        true = singles(self.cells.true_labels, self._true_names, self.k_true)
        return true, singles(self.cells.pred_labels, self._pred_names, self.k_pred)

    # ---- what measures read

    @property
    def known(self) -> frozenset[str]:
        """What measures can read here: all but the points of a meet that was made from cells."""
        plain, scored = (CELLS, CELLS_AND_SCORES) if self._locate is None else (POINTS, POINTS_AND_SCORES)
        return scored if self.weights is None else plain

    @property
    def lacking(self) -> tuple[str, str | None]:
        """Why the points cannot be read, where they cannot."""
        return "this meet was made from cells and does not know its points", "compare the points themselves."

    @property
    def weighted(self) -> bool:
        """Whether the points have weights."""
        return self.weights is not None

    @cached_property
    def sums(self) -> Sums:
        """The sums over cells and clusters that most measures are made of, in one pass."""
        return self.cells.sums() if self.weights is None else WeightedSums(self)

    @cached_property
    def terms(self) -> Any:
        """All other sums that are declared, by name."""
        return CoreTerms(self.cells) if self.weights is None else self.sums

    @cached_property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together, counted exactly."""
        if self.weights is None:
            return Pairs.counted(self.sums, self.n, self.n)
        if self.weights.square is not None:
            return Pairs.counted(self.sums, int(self.total), int(self.weights.square.sum()))
        return Pairs.weighed(self.weights, self.weighed)

    @property
    def weighed(self) -> _core.Weighed:
        """What masses come to beside those of all around them."""
        return weighed(self)

    @cached_property
    def overlap(self) -> Overlap:
        """The cells and the sizes of clusters, with their documents where points are divided into such."""
        if self._overlap is None:
            return Overlap(self.true, self.pred, self.size, self.true_size, self.pred_size)
        return made(self._overlap)

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @cached_property
    def bottom_entropy(self) -> float:
        """H(⊥): log n, or with weights the entropy of the points' shares of the total."""
        if self.weights is None:
            return float(np.log(self.n))
        return float(self.weights.entropy.sum()) / self.total + self.sums.h_joint

    # ---- other meets from this one

    @cached_property
    def _transposed(self) -> tuple[Meet, Int64Array]:
        cells, order = self.cells.transpose()
        meet = Meet(
            cells,
            self._pred_names,
            self._true_names,
            weights=self.weights and self.weights.take(order),
            moments=self.moments and self.moments.in_order(order),
            links=self.links and Links(self.links.cells[order], self.links.pred, self.links.true),
            features=self.features,
            locate=self.relocated(lambda: cell_table.places_of(order, len(order))),
            overlap=None if self._overlap is None else self.overlap.transpose,
            transpose_of=self,
        )
        return meet, order

    @property
    def transpose_of(self) -> Meet | None:
        """The meet that this is the transpose of, if anybody else keeps it: neither keeps the other alive."""
        return None if self._transpose_of is None else self._transpose_of()

    def transpose(self) -> Meet:
        """The meet with the two clusterings exchanged."""
        other = self.transpose_of
        return self._transposed[0] if other is None else other

    @cached_property
    def transpose_order(self) -> Int64Array:
        """For each cell of the transpose, its place in this meet."""
        if (other := self.transpose_of) is None:
            return self._transposed[1]
        return cell_table.places_of(other.transpose_order, len(self))[:-1]

    def restrict(self, true: npt.ArrayLike) -> Meet:
        """The meet of the points of some true clusters, given by their codes or as a mask.

        Predicted clusters shrink to what they share with those; empty ones vanish.
        """
        chosen = np.zeros(self.k_true, dtype=bool)
        chosen[np.asarray(true)] = True
        if not chosen.any():
            raise ArgumentError.about("true", "must choose at least one true cluster; it chose none.")
        keep = np.flatnonzero(chosen[self.true])
        # Distances between points of a predicted cluster that was cut cannot be derived from its total.
        left = np.bincount(self.pred[keep], minlength=self.k_pred)
        whole = bool(np.all((left == 0) | (left == np.bincount(self.pred, minlength=self.k_pred))))
        return self._of_cells(keep, self.size[keep], whole)

    def part(self, true: Int64Array, pred: Int64Array) -> Meet:
        """The meet of some true and some predicted clusters that share no point with any other."""
        return self.restrict(true)

    @cached_property
    def _positive(self) -> Meet | None:
        """The same meet without points that weigh nothing, and without the clusters that then have none."""
        if self.weights is None or np.add.reduce(self.weights.points) == self.n:
            return None
        return self._of_cells(keep := np.flatnonzero(self.mass), self.weights.points[keep], True)

    def _of_cells(self, keep: Int64Array, size: Int64Array, whole: bool) -> Meet:
        """The meet of some of the cells, of so many points each; ``whole``: no cluster loses any link weight."""
        rows, row = np.unique(self.true[keep], return_inverse=True)
        columns, column = np.unique(self.pred[keep], return_inverse=True)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row))])
        links = self.links if whole else None
        return Meet(
            _core.Cells(indptr, column.astype(np.int32), size, len(columns)),
            self.true_names[rows],
            self.pred_names[columns],
            weights=self.weights and self.weights.take(keep),
            moments=self.moments and self.moments.take(keep),
            links=links and Links(links.cells[keep], links.true[rows], links.pred[columns]),
            locate=self.relocated(cell_table.places_of(keep, len(self))),
        )

    def coarsen(self, groups: npt.ArrayLike, names: AnyArray | None = None) -> Meet:
        """The meet after merging predicted clusters: ``groups[c]`` is the new cluster of predicted cluster c.

        A new cluster is called as ``names`` says, or else after the first of those that it unites.
        """
        to = np.asarray(groups)
        if to.shape != (self.k_pred,) or to.dtype.kind not in "iu":
            wanted = f"an integer for each of the {self.k_pred:,} predicted clusters"
            raise ArgumentError.must("groups", f"give {wanted}", got=f"{to.dtype} of shape {to.shape}")
        codes, first = _core.encode_integers(to)
        called = self.pred_names[first] if names is None else np.asarray(names)[to[first]]
        return self.regroup(codes[self.pred], called)

    def regroup(self, to: IntArray, names: AnyArray | None = None) -> Meet:
        """The meet after a change of the prediction that cuts no cell: cell i goes to predicted cluster ``to[i]``.

        Clusters are numbered from 0, and none is empty. Distances between points of united cells are not known.
        """
        cells, place = cell_table.regrouped(self.cells, to)
        k = len(cells)
        return Meet(
            cells,
            self.true_names,
            names,
            weights=self.weights and self.weights.merged(place, k),
            moments=self.moments and self.moments.merged(place, k, self.mass),
            features=self.features,
            locate=self.relocated(np.append(place, -1)),
            overlap=None if self._overlap is None else self.overlap.regroup(place, k, to),
        )

    # ---- the points

    def relocated(self, place: Lazy[IntArray]) -> Callable[[], IntArray] | None:
        """Finds the cell of each point after cells went to other places; -1 stays -1."""
        return None if self._locate is None else cell_table.relocated(ref(self), self._locate, place)

    @property
    def knows_points(self) -> bool:
        """Whether the meet knows the cell of each point; one made from cells does not."""
        return self._locate is not None

    @cached_property
    def cell_of_point(self) -> IntArray:
        """The cell of each point compared; -1 for points that a restriction left out."""
        if self._locate is None:
            raise ArgumentError("this meet was made from cells and does not know its points.")
        return made(self._locate)

    @cached_property
    def grouped(self) -> tuple[Int64Array, IntArray]:
        """The positions of all points by cell: those of cell i are members[indptr[i]:indptr[i + 1]], ascending."""
        return cell_table.members_of(self.cells, self.cell_of_point)

    def members(self, cell: int) -> IntArray:
        """The positions of the points of a cell, ascending."""
        return self.members_of(np.array([cell]))[1]

    def members_of(self, cells: CellNumbers) -> Members:
        """The positions of the points of some cells: those of the i-th are members[indptr[i]:indptr[i + 1]]."""
        few = None if "grouped" in self.__dict__ else getattr(self._locate, "few", None)
        return (few and few(cells)) or some(self.grouped, cells)

    # ---- as a table

    @property
    def table(self) -> Table[Any]:
        """One row per cell: its true cluster, its predicted cluster and its size (and weight)."""
        columns = {"true": self.true_names[self.true], "pred": self.pred_names[self.pred], "size": self.size}
        weight = np.ldexp(self.mass, self.scale) if self.scale else self.mass
        return Table(columns if self.weights is None else columns | {"weight": weight})

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


def _restored(
    table: tuple[Any, ...], true_names: AnyArray, pred_names: AnyArray, parts: dict[str, Any]
) -> Meet:
    """A meet from what :meth:`Meet.__reduce__` kept of it."""
    return Meet(_core.Cells(*table), true_names, pred_names, **parts)
