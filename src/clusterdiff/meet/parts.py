"""What a meet may carry beside its cells: weights, features' moments, links, and points that one side lacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray


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
    def of(cls, weights: npt.NDArray[Any], cell: IntArray, k: int, unit: float | None = None) -> CellWeights:
        """Sum the points' weights over the ``k`` cells; ``unit`` is their mean if nothing else is said."""
        unit = float(weights.mean(dtype=np.float64)) if unit is None else unit
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

    found = _core.moments_sparse(codes, k, x.indptr, x.indices, x.data, x.shape[1], w)
    centres = sparse.csr_array((found.data, found.indices, found.indptr), shape=(k, x.shape[1]))
    return centres, found.within


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

    def restrict(self, group: int) -> Overlap:
        """One document: its cells and its clusters, numbered anew in their order."""
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

    ``both``: together in both clusterings; ``true``, ``pred``: together in that one; ``all``: all pairs.
    """

    both: int | float
    true: int | float
    pred: int | float
    all: int | float

    @classmethod
    def counted(cls, sums: Any, total: int, own: int) -> Pairs:
        """From whole squares: Σ m², Σ a², Σ b² and n², less ``own``, the pairs of a point with itself."""
        return cls(
            (sums.mm - own) // 2, (sums.aa - own) // 2, (sums.bb - own) // 2, (total * total - own) // 2
        )

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
