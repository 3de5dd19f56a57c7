"""What a meet may carry beside its cells: weights, features' moments, links, and points that one side lacks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, MeasureError
from clusterdiff.meet.arrays import held
from clusterdiff.meet.terms import CONTENTS
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

#: The contents that the core sums up, and engines too.
SUMMED = frozenset({"entropy", "pairs"})
#: How many pairs there are, or what they weigh.
Count: TypeAlias = int | float | Fraction


@dataclass(frozen=True)
class CellWeights:
    """What the points' weights add up to in each cell.

    ``mass`` is Σw (integers if the weights are). ``pairs`` is Σ w·w' over the pairs of points, and ``entropy``
    Σ w·log(mass/w): what there is to lose in taking the cell apart. Both are sums of terms ≥ 0, also over united
    cells, so that nothing cancels: one heavy point hides none of the others, and it alone has exactly nothing to lose.
    ``points`` are those that weigh anything. ``square`` is Σw² of whole weights, with which pairs are counted exactly;
    None for others. ``contents`` has, for every further content of :mod:`clusterdiff.meet.terms`, what there is to lose
    inside each cell. All weights are in units of 2 to the ``scale``.
    """

    mass: npt.NDArray[Any]
    pairs: FloatArray
    entropy: FloatArray
    points: Int64Array
    square: Int64Array | None = None
    scale: int = 0
    contents: dict[str, FloatArray] = field(default_factory=dict)

    @classmethod
    def of(cls, weights: npt.NDArray[Any], cell: IntArray, k: int, scale: int = 0) -> CellWeights:
        """Sum the points' weights, which are in units of 2 to the ``scale``, over the ``k`` cells."""
        whole = weights.dtype.kind in "iu"
        square = _core.group_sum(cell, k, weights * weights) if whole else None
        inside = _core.contents(cell, k, weights)
        contents = {name: held(name, cell, k, weights) for name in CONTENTS if name not in SUMMED}
        mass = _core.group_sum(cell, k, weights)
        return cls(mass, inside.pairs, inside.entropy, inside.heavy, square, scale, contents)

    @classmethod
    def summed(
        cls,
        mass: FloatArray,
        square: FloatArray,
        logs: FloatArray,
        points: Int64Array,
        scale: int,
        inside: dict[str, FloatArray],
    ) -> CellWeights:
        """From what an engine adds up in one pass over the points: Σw, Σw², Σ w·log w, and how many weigh anything.

        ``inside`` has the contents that it was asked for besides, in a second pass.
        """
        whole = mass * np.log(mass, out=np.zeros(len(mass)), where=mass > 0)
        inside = {"pairs": mass * mass - square, "entropy": whole - logs} | inside
        # The differences round: a single point has nothing to lose.
        held = {name: np.where(points > 1, np.maximum(sums, 0.0), 0.0) for name, sums in inside.items()}
        pairs, entropy = held.pop("pairs") / 2, held.pop("entropy")
        return cls(mass, pairs, entropy, points, scale=scale, contents=held)

    def inside(self, content: str) -> FloatArray:
        """What there is to lose inside each cell, of a content of :mod:`clusterdiff.meet.terms`."""
        if content == "entropy":
            return self.entropy
        if content == "pairs":
            return 2 * self.pairs
        if content not in self.contents:
            raise MeasureError(
                f"`{content}` looks at the weights of single points, and only sums of them are known here."
            )
        return self.contents[content]

    def take(self, cells: Any) -> CellWeights:
        """The same for a selection of cells."""
        square = None if self.square is None else self.square[cells]
        sums = self.mass[cells], self.pairs[cells], self.entropy[cells], self.points[cells]
        contents = {name: inside[cells] for name, inside in self.contents.items()}
        return CellWeights(*sums, square, self.scale, contents)

    def beside(self, others: CellWeights) -> CellWeights:
        """These cells, and then some others; squares are not kept."""
        return CellWeights(
            np.concatenate([self.mass, others.mass]),
            np.concatenate([self.pairs, others.pairs]),
            np.concatenate([self.entropy, others.entropy]),
            np.concatenate([self.points, others.points]),
            scale=self.scale,
            contents={
                name: np.concatenate([inside, others.contents.get(name, np.zeros(len(others.mass)))])
                for name, inside in self.contents.items()
            },
        )

    def merged(self, groups: IntArray, k: int) -> CellWeights:
        """The same for cells united into ``k`` groups."""
        between = _core.contents(groups, k, self.mass)
        return CellWeights(
            _core.group_sum(groups, k, self.mass),
            _core.group_sum(groups, k, self.pairs) + between.pairs,
            _core.group_sum(groups, k, self.entropy) + between.entropy,
            _core.group_sum(groups, k, self.points),
            None if self.square is None else _core.group_sum(groups, k, self.square),
            self.scale,
            {
                name: _core.group_sum(groups, k, inside) + held(name, groups, k, self.mass)
                for name, inside in self.contents.items()
            },
        )


@dataclass(frozen=True)
class Moments:
    """The features' weighted mean of each cell (dense or sparse rows) and the squared deviations from it.

    ``low`` is what rounding took from the means, entry by entry, if that is known: far from the origin it is all that
    tells two of them apart. ``rows`` says in which row of both each cell stands, if not in its own: they are large, and
    cells are asked for in two orders.
    """

    centres: Any
    within: FloatArray
    low: Any = None
    rows: Int64Array | None = None

    @classmethod
    def of(
        cls, x: Any, groups: IntArray, k: int, weights: npt.NDArray[Any] | None, low: Any = None
    ) -> Moments:
        """The weighted mean of the rows of ``x`` in each of ``k`` groups, and the squared deviations from it."""
        w = None if weights is None else np.asarray(weights, dtype=np.float64)
        codes = np.asarray(groups, dtype=np.int32)
        if isinstance(x, np.ndarray):
            dense = _core.moments_dense(codes, k, x, w, None if low is None else np.ravel(low))
            return cls(dense.centres, dense.within, dense.low)
        from scipy import sparse

        parts = x.indptr, x.indices, x.data, x.shape[1]
        found = _core.moments_sparse(codes, k, *parts, w, None if low is None else low.data)
        centres, rest = (
            sparse.csr_array((data, found.indices, found.indptr), shape=(k, x.shape[1]))
            for data in (found.data, found.low)
        )
        return cls(centres, found.within, rest)

    def in_order(self, order: Int64Array) -> Moments:
        """The same for the same cells in another order."""
        rows = order if self.rows is None else self.rows[order]
        return replace(self, within=self.within[order], rows=rows)

    def take(self, cells: Any) -> Moments:
        """The same for a selection of cells."""
        rows = cells if self.rows is None else self.rows[cells]
        return Moments(self.centres[rows], self.within[cells], None if self.low is None else self.low[rows])

    def between(self, groups: IntArray, k: int, mass: npt.NDArray[Any]) -> Moments:
        """The mean of the cells' centres in each of ``k`` groups, and their squared deviations from it."""
        if self.rows is not None:
            groups, mass = (_placed(values, self.rows) for values in (groups, mass))
        return Moments.of(self.centres, groups, k, mass, self.low)

    def merged(self, groups: IntArray, k: int, mass: npt.NDArray[Any]) -> Moments:
        """The same for cells united into ``k`` groups: inner spread plus the spread of the centres."""
        between = self.between(groups, k, mass)
        within = _core.group_sum(groups, k, self.within) + between.within
        return Moments(between.centres, within, between.low)

    def and_points(self, x: Any) -> Moments:
        """The same with further cells of a single point each, whose features are the rows of ``x``."""
        if self.rows is not None:
            return self.take(np.arange(len(self.within))).and_points(x)
        within = np.concatenate([self.within, np.zeros(x.shape[0])])
        if isinstance(x, np.ndarray):
            low = None if self.low is None else np.concatenate([self.low, np.zeros(x.shape)])
            return Moments(np.concatenate([self.centres, x]), within, low)
        from scipy import sparse

        low = self.low
        if low is not None:
            none = sparse.csr_array((np.zeros(len(x.data)), x.indices, x.indptr), shape=x.shape)
            low = sparse.vstack([low, none]).tocsr()
        return Moments(sparse.vstack([self.centres, x]).tocsr(), within, low)


def _placed(values: npt.NDArray[Any], rows: Int64Array) -> npt.NDArray[Any]:
    """Values in the places that they have by number."""
    placed = np.empty_like(values)
    placed[rows] = values
    return placed


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

    ``true_group`` and ``pred_group`` say which document each cluster belongs to, numbered alike on both sides: a pair
    of points in two documents is then no pair at all. None: all points are in one document.
    """

    true: IntArray
    pred: IntArray
    size: Int64Array
    true_size: Int64Array
    pred_size: Int64Array
    true_group: IntArray | None = None
    pred_group: IntArray | None = None

    def transpose(self) -> Overlap:
        """The same with the two clusterings exchanged; the order of the cells stays."""
        return Overlap(
            self.pred,
            self.true,
            self.size,
            self.pred_size,
            self.true_size,
            self.pred_group,
            self.true_group,
        )

    def within(self, cell: IntArray, documents: IntArray) -> Overlap:
        """The same, divided into documents: that of a cluster is that of any of its points, whose cells are given."""
        true, pred = (np.empty(len(size), dtype=np.int64) for size in (self.true_size, self.pred_size))
        true[self.true[cell]], pred[self.pred[cell]] = documents, documents
        return replace(self, true_group=true, pred_group=pred)

    def regroup(self, place: IntArray, k: int, to: IntArray) -> Overlap:
        """The same after a change of the prediction, of points that both have.

        Cell i goes to predicted cluster ``to[i]``, and becomes part of the ``place[i]``-th of ``k`` cells.
        """
        first = np.empty(k, dtype=np.int64)
        first[place] = np.arange(len(place))
        group = None
        if self.true_group is not None:
            group = np.empty(int(to.max()) + 1, dtype=np.int64)
            group[to] = self.true_group[self.true]
        sizes = np.bincount(place, self.size, k).astype(np.int64), np.bincount(to, self.size).astype(np.int64)
        return replace(
            self, true=self.true[first], pred=to[first], size=sizes[0], pred_size=sizes[1], pred_group=group
        )

    def restrict(self, group: int) -> Overlap:
        """One document: its cells and its clusters, renumbered in their order."""
        if self.true_group is None or self.pred_group is None:
            raise ArgumentError("these clusterings are not divided into documents.")
        mine = [np.flatnonzero(groups == group) for groups in (self.true_group, self.pred_group)]
        keep = self.true_group[self.true] == group
        return Overlap(
            np.searchsorted(mine[0], self.true[keep]),
            np.searchsorted(mine[1], self.pred[keep]),
            self.size[keep],
            self.true_size[mine[0]],
            self.pred_size[mine[1]],
        )

    def matched(self, value: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """The cells of a one-to-one matching of clusters with the greatest total ``value`` (one ≥ 0 per cell)."""
        if len(self.size) == 0:
            return np.empty(0, dtype=np.int64)
        # Clusters that share no point with the other side match nothing: the cells alone make the problem.
        rows = np.bincount(self.true)
        order = np.argsort(self.true, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(rows[rows > 0])])
        columns = np.asarray(self.pred[order], dtype=np.int32)
        cells = _core.Cells(indptr, columns, self.size[order], len(self.pred_size))
        ordered: Any = np.ascontiguousarray(value[order])
        return order[cells.assign(ordered)]


class Pairs(NamedTuple):
    """Pairs of distinct points (with weights: sums of the products of theirs), exact for integers.

    ``both``: together in both clusterings; ``true``, ``pred``: together in that one; ``all``: all pairs. Of weights
    that are no integers they are fractions, so that differences have all the digits that the sums have.
    """

    both: Count
    true: Count
    pred: Count
    all: Count

    @classmethod
    def counted(cls, sums: Any, total: int, own: int) -> Pairs:
        """From whole squares: Σ m², Σ a², Σ b² and n², less ``own``, the pairs of a point with itself."""
        return cls(
            (sums.mm - own) // 2, (sums.aa - own) // 2, (sums.bb - own) // 2, (total * total - own) // 2
        )

    @classmethod
    def weighed(cls, weights: CellWeights, between: _core.Weighed) -> Pairs:
        """From weights that are fractions: the pairs within cells, and those of points in different cells."""
        both, true, pred = (
            Fraction(x) for x in (float(weights.pairs.sum()), between.true_only, between.pred_only)
        )
        return cls(both, both + true, both + pred, both + true + pred + Fraction(between.apart))

    @property
    def confusion(self) -> tuple[tuple[Count, Count], tuple[Count, Count]]:
        """The pair confusion matrix as scikit-learn lays it out: rows are apart and together in `true`.

        It counts ordered pairs, so that every pair of points stands in it twice.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).meet.pairs.confusion
        ((8, 0), (2, 2))
        """
        apart = self.all - self.true - self.pred + self.both
        return (2 * apart, 2 * (self.pred - self.both)), (2 * (self.true - self.both), 2 * self.both)


def pairs_with_lost(cluster: Any, k: int, mass: npt.NDArray[Any], lost_in: Any, lost: Any) -> Count:
    """What pairs weigh of which one point or both are lost, within ``k`` clusters; exact for whole weights."""
    shared = _core.group_sum(np.asarray(cluster, dtype=np.int32), k, mass)
    if len(lost) and shared.dtype.kind in "iu" and lost.dtype.kind in "iu":
        whole = shared + _core.group_sum(np.asarray(lost_in, dtype=np.int32), k, lost)
        squares = [_core.sum_squares(x) for x in (whole, shared, lost)]
        return (squares[0] - squares[1] - squares[2]) // 2
    groups = np.concatenate([np.arange(k), lost_in]).astype(np.int32)
    return Fraction(float(_core.contents(groups, k, np.concatenate([shared, lost])).pairs.sum()))
