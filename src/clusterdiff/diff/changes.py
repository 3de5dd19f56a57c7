"""What operations on predicted clusters change in the sums that measures read, exactly and for all of them at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray

#: The sums that depend on the points and the true clusters alone: no operation on predicted clusters changes them.
FIXED = frozenset({"points", "total", "both_mass", "mass_true", "mass_pred", "k_true", "aa", "a_log_a"})


class Gathering:
    """Operations that each take cells of one true cluster out of their clusters and unite them.

    Operation i takes the cells ``cell[operation == i]`` of true cluster ``true[i]`` into the cluster of the cell
    ``to[i]``, which is another of its cells, or into a cluster of their own if that is -1.
    """

    def __init__(self, true: IntArray, cell: IntArray, operation: IntArray, to: IntArray) -> None:
        self.true, self.cell, self.operation, self.to = true, cell, operation, to

    def __len__(self) -> int:
        return len(self.true)


class Changes:
    """What operations change in the sums over the cells of a meet of two clusterings of the same points."""

    def __init__(self, meet: Meet) -> None:
        self.meet = meet
        self.true, self.pred = meet.true, meet.pred
        self.m: FloatArray = meet.mass.astype(np.float64)
        #: Cells that weigh nothing count as none.
        self.one: FloatArray = (self.m > 0).astype(np.float64)
        self.a: FloatArray = meet.true_mass.astype(np.float64)
        self.b: FloatArray = meet.pred_mass.astype(np.float64)

    # ---- sums of each cluster

    def _by_pred(self, values: npt.NDArray[Any]) -> FloatArray:
        return _sums(self.pred, values, self.meet.k_pred)

    def _others(self, values: FloatArray) -> FloatArray:
        """What the others of its predicted cluster add up to beside each cell, also beside one that outweighs them."""
        whole = self._by_pred(values)[self.pred]
        outweighs = 2 * values > whole
        light = self._by_pred(np.where(outweighs, 0.0, values))[self.pred]
        return np.where(outweighs, light, whole - values)

    @cached_property
    def parts_true(self) -> FloatArray:
        """How many cells each true cluster has."""
        return _sums(self.true, self.one, self.meet.k_true)

    @cached_property
    def parts_pred(self) -> FloatArray:
        """How many cells each predicted cluster has."""
        return self._by_pred(self.one)

    @cached_property
    def _squares(self) -> FloatArray:
        return self._by_pred(self.m**2)

    @cached_property
    def _logs(self) -> FloatArray:
        return self._by_pred(x_log_x(self.m))

    @cached_property
    def _largest_true(self) -> FloatArray:
        return np.maximum.reduceat(self.m, self.meet.indptr[:-1])

    @cached_property
    def _largest_pred(self) -> tuple[FloatArray, FloatArray]:
        """The largest cell of each predicted cluster, and the next."""
        order = np.lexsort((-self.m, self.pred))
        first = np.searchsorted(self.pred[order], np.arange(self.meet.k_pred + 1))
        masses = np.append(self.m[order], 0.0)
        several = np.diff(first) > 1
        return masses[first[:-1]], np.where(several, masses[np.minimum(first[:-1] + 1, len(self.m))], 0.0)

    @cached_property
    def _unlike(self) -> FloatArray:
        """Which cells are not all of both their clusters."""
        return self.one * ((self.parts_true[self.true] > 1) | (self.parts_pred[self.pred] > 1))

    @cached_property
    def _by_size(self) -> tuple[Int64Array, FloatArray, Int64Array, FloatArray, FloatArray]:
        """The cells by predicted cluster and the size of their true one, with running sums of m² and of m²/a."""
        a = self.a[self.true]
        order = np.lexsort((a, self.pred))
        squares = self.m[order] ** 2
        shares = np.divide(squares, a[order], out=np.zeros(len(squares)), where=a[order] > 0)
        first = np.searchsorted(self.pred[order], np.arange(self.meet.k_pred + 1))
        return order, a[order], first, _running(squares), _running(shares)

    def _elements(self, pred: IntArray, size: FloatArray) -> FloatArray:
        """Σ m²/max(a, size) over the cells of predicted clusters, were they of these sizes."""
        _, a, first, squares, shares = self._by_size
        start, end = first[pred], first[pred + 1]
        low, high = start.copy(), end.copy()
        while np.any(low < high):  # the first cell of each whose true cluster is larger than that
            middle = (low + high) // 2
            smaller = (low < high) & (a[np.minimum(middle, len(a) - 1)] <= size)
            high = np.where((low < high) & ~smaller, middle, high)
            low = np.where(smaller, middle + 1, low)
        below = squares[low] - squares[start]
        return _over(below, size) + (shares[end] - shares[low])

    # ---- operations

    def gathers(self, name: str, ops: Gathering) -> FloatArray:
        """What each of many operations that unite cells changes in a sum."""
        if name in FIXED:
            return np.zeros(len(ops))
        assert name in KNOWN
        return getattr(_Gather(self, ops), name)()  # type: ignore[no-any-return]

    def left(self, name: str) -> FloatArray:
        """What it changes in a sum over predicted clusters if a cell leaves its cluster: the rest against the whole."""
        m, pred = self.m, self.pred
        b, rest = self.b[pred], self.parts_pred[pred] - self.one
        size = np.where(rest > 0, self._others(m), 0.0)
        match name:
            case "k_pred":
                return np.where(rest == 0, -self.one, 0.0)
            case "bb":
                return size**2 - b**2
            case "b_log_b":
                return x_log_x(size) - x_log_x(b)
            case "pred_max":
                largest, second = (values[pred] for values in self._largest_pred)
                return np.where(m == largest, second, largest) - largest
            case "b3_precision":
                squares = np.where(rest > 0, self._others(m**2), 0.0)
                return _over(squares, size) - _over(self._squares[pred], b)
            case "element":
                own = _over(m**2, np.maximum(self.a[self.true], size))
                others = np.where(rest > 0, self._elements(pred, size) - own, 0.0)
                return others - self._elements(pred, b)
            case _:  # unlike: a single cell that stays may now be all of both its clusters
                places = self._by_pred(self.one * np.arange(len(m)))
                other = (places[pred] - self.one * np.arange(len(m))).astype(np.int64)
                single = (rest == 1) & (self.one > 0)
                alike = single & (self.parts_true[self.true[np.where(single, other, 0)]] == 1)
                return np.where(alike, -1.0, 0.0)


class _Gather:
    """The changes by operations that unite cells, a method for each sum."""

    def __init__(self, of: Changes, ops: Gathering) -> None:
        self.of, self.ops = of, ops
        self.some = ops.to >= 0
        self.to = np.where(self.some, ops.to, 0)
        #: What the target has of the true cluster already, what comes, and both.
        self.has: FloatArray = np.where(self.some, of.m[self.to], 0.0)
        self.comes = self._sum(of.m)
        self.whole: FloatArray = self.has + self.comes
        self.host = of.pred[self.to]
        self.size: FloatArray = np.where(self.some, of.b[self.host], 0.0)
        self.cells_before = self._sum(of.one) + np.where(self.some, of.one[self.to], 0.0)

    def _sum(self, values: FloatArray) -> FloatArray:
        """What the cells that are taken add up to."""
        return _sums(self.ops.operation, values[self.ops.cell], len(self.ops))

    def _at(self, values: FloatArray) -> FloatArray:
        """A value of the target's cluster; 0 where there is none yet."""
        return np.where(self.some, values[self.host], 0.0)

    def cells(self) -> FloatArray:
        return np.where(self.whole > 0, 1.0, 0.0) - self.cells_before

    def k_pred(self) -> FloatArray:
        before = self._at(self.of.parts_pred) > 0
        after = (self.whole > 0) | before
        return self._sum(self.of.left("k_pred")) + np.where(after & ~before, 1.0, 0.0)

    def pairs_both(self) -> FloatArray:
        return self.mm()  # no point is paired with itself, before or after

    def inside_entropy(self) -> FloatArray:
        return self.m_log_m()

    def mm(self) -> FloatArray:
        return self.whole**2 - self.has**2 - self._sum(self.of.m**2)

    def bb(self) -> FloatArray:
        return (self.size + self.comes) ** 2 - self.size**2 + self._sum(self.of.left("bb"))

    def m_log_m(self) -> FloatArray:
        return x_log_x(self.whole) - x_log_x(self.has) - self._sum(x_log_x(self.of.m))

    def b_log_b(self) -> FloatArray:
        grown = x_log_x(self.size + self.comes) - x_log_x(self.size)
        return grown + self._sum(self.of.left("b_log_b"))

    def split_info(self) -> FloatArray:
        return -self.m_log_m()

    def merge_info(self) -> FloatArray:
        return self.b_log_b() - self.m_log_m()

    def true_max(self) -> FloatArray:
        # If the largest cell takes part, the united one is at least as large.
        before = self.of._largest_true[self.ops.true]
        return np.maximum(before, self.whole) - before

    def pred_max(self) -> FloatArray:
        before = self._at(self.of._largest_pred[0])
        return np.maximum(before, self.whole) - before + self._sum(self.of.left("pred_max"))

    def b3_recall(self) -> FloatArray:
        return _over(self.mm(), self.of.a[self.ops.true])

    def b3_precision(self) -> FloatArray:
        before = self._at(self.of._squares)
        after = _over(before - self.has**2 + self.whole**2, self.size + self.comes)
        return after - _over(before, self.size) + self._sum(self.of.left("b3_precision"))

    def element(self) -> FloatArray:
        a, size = self.of.a[self.ops.true], self.size + self.comes
        own = _over(self.whole**2, np.maximum(a, size))
        others = np.where(
            self.some, self.of._elements(self.host, size) - _over(self.has**2, np.maximum(a, size)), 0.0
        )
        before = np.where(self.some, self.of._elements(self.host, self.size), 0.0)
        return own + others - before + self._sum(self.of.left("element"))

    def unlike(self) -> FloatArray:
        of = self.of
        stay_true = of.parts_true[self.ops.true] - self.cells_before
        stay_pred = self._at(of.parts_pred) - np.where(self.some, of.one[self.to], 0.0)
        after = (self.whole > 0) & ((stay_true > 0) | (stay_pred > 0))
        before = self._sum(of._unlike) + np.where(self.some, of._unlike[self.to], 0.0)
        return np.where(after, 1.0, 0.0) - before + self._sum(of.left("unlike"))


def _sums(groups: IntArray, values: npt.NDArray[Any], k: int) -> FloatArray:
    """What values add up to in each of k groups."""
    sums: Any = np.bincount(groups, values, k)
    return np.asarray(sums, dtype=np.float64)


def _running(values: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(values)])


def _over(above: FloatArray, below: FloatArray) -> FloatArray:
    """A quotient, 0 where nothing is below."""
    out = np.zeros(np.shape(above))
    np.divide(above, below, out=out, where=below > 0)
    return out


#: The sums whose changes are known. The best matching of clusters is none: it has to be found again.
KNOWN = FIXED | {name for name in vars(_Gather) if not name.startswith("_")}
