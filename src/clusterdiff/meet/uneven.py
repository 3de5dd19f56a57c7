"""UnevenMeet: the meet of two clusterings that do not have the same points, where what one lacks counts as lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError
from clusterdiff.meet.cell_table import places_of
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import CellWeights, Count, Links, Moments, Overlap, Pairs, pairs_with_lost
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import LOST_TO, Lazy
from clusterdiff.meet.unmatched import EvenOnly, NoCells, Unmatched
from clusterdiff.meet.values import TermSums
from clusterdiff.messages import Message
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array, IntArray, LazyNames
from clusterdiff.table import Table

#: What measures can read; sums are those of whole clusters.
KNOWN = frozenset({"sums", "cells", "overlap"})


class SideScores(NamedTuple):
    """The scores of the clusters of one side: ``whole = inner · kept``.

    ``inner`` is how much of the shared points stays together, ``kept`` how much of the cluster these are.
    """

    whole: FloatArray
    inner: FloatArray
    kept: FloatArray

    @classmethod
    def kept_whole(cls, scores: FloatArray) -> SideScores:
        """Those of a side of which all points are shared."""
        return cls(scores, scores, np.broadcast_to(np.float64(1.0), len(scores)))


class UnevenMeet(Meet):
    """A meet whose clusterings do not have the same points, with the points that only one of them has.

    Its cells hold the points that both have. Sizes and masses of clusters, and ``n``, count all points. Clusters
    without a shared point have no cell; they come last on their side.

    Parameters
    ----------
    shared
        The meet of the points that both have; None if there are none.
    names
        The labels of all true and of all predicted clusters, those of ``shared`` first.
    missing, spurious
        The points that only the true, and that only the predicted clustering has.
    scale
        Weights are in units of 2 to this power; None if there are none.
    """

    uneven = True
    losses = LOST_TO
    margins: Any = EvenOnly()
    weighed: Any = EvenOnly()
    bottom_entropy: Any = EvenOnly()

    def __init__(
        self,
        shared: Meet | None,
        names: tuple[AnyArray | LazyNames, AnyArray | LazyNames],
        missing: Unmatched,
        spurious: Unmatched,
        *,
        scale: int | None = None,
        locate: Lazy[IntArray] | None = None,
        groups: tuple[IntArray, IntArray] | None = None,
        features: Any = None,
        transpose_of: Meet | None = None,
    ) -> None:
        super().__init__(
            _widened(shared, len(names[0]), len(names[1])),
            *names,
            weights=shared.weights if shared is not None else _no_weights(scale),
            moments=None if shared is None else shared.moments,
            links=None if shared is None else shared.links,
            features=features,
            locate=locate,
            transpose_of=transpose_of,
        )
        self.shared = shared
        self._names = names
        self.missing = missing
        self.spurious = spurious
        self._scale = scale
        self.groups = groups

    def __reduce__(self) -> tuple[Any, ...]:
        names = self.true_names, self.pred_names
        points = self.cell_of_point if self.knows_points else None
        parts = {"scale": self._scale, "locate": points, "groups": self.groups, "features": self.features}
        return _restored, (self.shared, names, self.missing, self.spurious, parts)

    # ---- whole clusters

    @property
    def n(self) -> int:
        """Number of points that either side has."""
        return self.cells.n + len(self.missing) + len(self.spurious)

    @cached_property
    def true_size(self) -> Int64Array:
        """The number of points of each true cluster, with those that are missing."""
        return self.cells.true_sizes + self.missing.count(self.k_true)

    @cached_property
    def pred_size(self) -> Int64Array:
        """The number of points of each predicted cluster, with those that are spurious."""
        return self.cells.pred_sizes + self.spurious.count(self.k_pred)

    @cached_property
    def true_mass(self) -> npt.NDArray[Any]:
        """The weight of each true cluster."""
        if self.weights is None:
            return self.true_size
        mass: npt.NDArray[Any] = self.missing.mass(self.k_true)
        mass += _core.group_sum(self.true, self.k_true, self.mass).astype(mass.dtype)
        return mass

    @cached_property
    def pred_mass(self) -> npt.NDArray[Any]:
        """The weight of each predicted cluster."""
        if self.weights is None:
            return self.pred_size
        mass: npt.NDArray[Any] = self.spurious.mass(self.k_pred)
        mass += _core.group_sum(self.pred, self.k_pred, self.mass).astype(mass.dtype)
        return mass

    @cached_property
    def total(self) -> int | float:
        """The weight of all points."""
        total: int | float = self.mass.sum().item() + self.missing.total + self.spurious.total
        return total

    @property
    def same(self) -> bool:
        """Never: the two do not have the same points."""
        return False

    @cached_property
    def _positive(self) -> Meet | None:
        """The same meet without points that weigh nothing; where no lost point weighs anything, nothing is lost."""
        if self._scale is None:
            return None
        shared: Meet | None = None
        if self.shared is not None and self.mass.any():
            shared = self.shared.positive
        if shared is not None and not self.missing.total and not self.spurious.total:
            return shared
        cells, orders, unmatched = np.flatnonzero(self.mass), [], []
        for codes, lost, k in (
            (self.true, self.missing, self.k_true),
            (self.pred, self.spurious, self.k_pred),
        ):
            lost, known = lost.weighing(), np.unique(codes[cells])
            orders.append(np.concatenate([known, np.setdiff1d(lost.cluster, known)]))
            unmatched.append(lost.of(orders[-1], k))
        return UnevenMeet(
            shared,
            (self.true_names[orders[0]], self.pred_names[orders[1]]),
            *unmatched,
            scale=self._scale,
            locate=self._positive_points(shared),
            groups=self.groups and (self.groups[0][orders[0]], self.groups[1][orders[1]]),
            features=self.features,
        )

    def _positive_points(self, shared: Meet | None) -> IntArray | None:
        if not self.knows_points:
            return None
        return np.full(len(self.cell_of_point), -1) if shared is None else shared.cell_of_point

    @property
    def known(self) -> frozenset[str]:
        """What measures can read here."""
        return KNOWN | {"points"} if self.knows_points else KNOWN

    @cached_property
    def sums(self) -> Any:
        """The sums over shared cells in whole clusters; not all have a meaning there."""
        return TermSums(Rows.of(self))

    @cached_property
    def terms(self) -> Any:
        """The same: all sums are made of terms."""
        return self.sums

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return len(self.missing) + len(self.spurious)

    @property
    def masses(self) -> tuple[Any, Any]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return self.true_mass.sum().item(), self.pred_mass.sum().item()

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        return (0, 0) if self.shared is None else (self.shared.k_true, self.shared.k_pred)

    @property
    def agreed(self) -> Count:
        """Pairs of shared points on which the two agree."""
        return 0 if self.shared is None else self.shared.agreed

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed

    @cached_property
    def overlap(self) -> Overlap:
        """The cells and the sizes of whole clusters, as the coreference measures read them."""
        groups = self.groups or (None, None)
        return Overlap(self.true, self.pred, self.size, self.true_size, self.pred_size, *groups)

    @cached_property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together, in whole clusters; ``all`` are those of the union."""
        if self.weights is None:
            both, true, pred = (_pairs(sizes) for sizes in (self.size, self.true_size, self.pred_size))
            return Pairs(both, true, pred, self.n * (self.n - 1) // 2)
        # Those of shared points, and to these are added those with lost ones: that nothing is taken away from a sum
        # keeps every digit of what the two sides do not have in common.
        shared = Pairs(0, 0, 0, 0) if self.shared is None else self.shared.pairs
        missing, spurious = self.missing, self.spurious
        lost = np.concatenate([missing.weights, spurious.weights])
        return Pairs(
            shared.both,
            shared.true
            + pairs_with_lost(self.true, self.k_true, self.mass, missing.cluster, missing.weights),
            shared.pred
            + pairs_with_lost(self.pred, self.k_pred, self.mass, spurious.cluster, spurious.weights),
            shared.all + pairs_with_lost(np.zeros(len(self)), 1, self.mass, np.zeros(len(lost)), lost),
        )

    @property
    def table(self) -> Table[Any]:
        """One row per cell, and one for the points of each cluster that the other side lacks: None is no cluster."""
        missing, spurious = self.missing.count(self.k_true), self.spurious.count(self.k_pred)
        rows, columns = np.flatnonzero(missing), np.flatnonzero(spurious)
        true = np.concatenate([self.true, rows, np.full(len(columns), -1)])
        pred = np.concatenate([self.pred, np.full(len(rows), -1), columns])
        found = {
            "true": _or_none(self.true_names)[true],
            "pred": _or_none(self.pred_names)[pred],
            "size": np.concatenate([self.size, missing[rows], spurious[columns]]),
        }
        if self.weighted:
            lost = self.missing.mass(self.k_true)[rows], self.spurious.mass(self.k_pred)[columns]
            found["weight"] = np.ldexp(np.concatenate([self.mass, *lost]), self.scale)
        return Table(found)

    # ---- scores of clusters

    def scores(self, s: Callable[[Meet], FloatArray], own: bool) -> SideScores:
        """The split scores by s: s0·r, where r is the score of the shared points as one part, all others alone.

        ``own``: s is a user's own, whose score of a whole cluster need not be the product of the two.
        """
        k = self.k_true
        if self.shared is not None and not own and not self.weighted:  # clusters of shared points come first
            inner, kept = np.ones(k), self._kept(s, self.shared, own)
            inner[: self.shared.k_true] = s(self.shared)
            kept[self.shared.k_true :] = 0.0
            return SideScores(inner * kept, inner, kept)
        inner, kept = np.ones(k), np.zeros(k)
        # Shared points that weigh nothing are none, beside lost points that weigh something.
        shared = _core.group_sum(self.true, k, self.mass) if len(self) else np.zeros(k)
        there = (self.cells.true_sizes > 0) & ((shared > 0) | (self.true_mass == 0))
        has = np.flatnonzero(there)
        if self.shared is not None:
            kept[has] = self._kept(s, self.shared, own)[has]
            if not own:
                inner[has] = s(self.shared)[has]
                return SideScores(inner * kept, inner, kept)
        whole = s(self._beside(self.shared)) if own else kept
        whole = np.where(there, whole, 0.0)
        np.minimum(1.0, np.divide(whole, kept, out=inner, where=kept > 0), out=inner)
        return SideScores(whole, inner, kept)

    def _kept(self, s: Callable[[Meet], FloatArray], shared: Meet, own: bool) -> FloatArray:
        """The score of the shared points of each true cluster as one part, all others alone."""
        if own or self.weighted or self.moments is not None or self.links is not None:
            return s(self._beside(shared.coarsen(np.zeros(shared.k_pred, dtype=np.int64))))
        # Sizes are all that counts, and a cluster that lacks no point is one part.
        size, missing = self.cells.true_sizes, self.missing.count(self.k_true)
        some = np.flatnonzero((missing > 0) & (size > 0))
        kept = np.ones(self.k_true)
        if len(some):
            indptr = np.concatenate([[0], np.cumsum(missing[some] + 1)])
            column = np.arange(indptr[-1], dtype=np.int32)
            sizes = np.ones(len(column), dtype=np.int64)
            sizes[indptr[:-1]] = size[some]
            kept[some] = s(Meet(_core.Cells(indptr, column, sizes, len(column)), self.true_names[some]))
        return kept

    def _beside(self, shared: Meet | None) -> Meet:
        """The true clusters alone: parts of their shared points, and each missing point a part of its own."""
        missing = self.missing
        parts = 0 if shared is None else shared.k_pred
        rows, columns, size = (
            missing.cluster,
            parts + np.arange(len(missing)),
            np.ones(len(missing), dtype=np.int64),
        )
        if shared is not None:
            rows = np.concatenate([shared.true, rows])
            columns, size = np.concatenate([shared.pred, columns]), np.concatenate([shared.size, size])
        order = np.argsort(rows, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=self.k_true))])
        cells = _core.Cells(indptr, columns[order].astype(np.int32), size[order], parts + len(missing))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return Meet(
            cells,
            self.true_names,
            weights=self._weights_beside(shared, order),
            moments=self._moments_beside(shared, order),
            links=self._links_beside(shared, order),
            features=self.features,
            locate=partial(self._located, shared, place) if self._tells_points else None,
        )

    def _weights_beside(self, shared: Meet | None, order: Int64Array) -> CellWeights | None:
        weights = self.missing.weights
        if weights is None:
            return None
        nothing = np.zeros(len(weights))
        own = CellWeights(weights, nothing, nothing, (weights > 0).astype(np.int64), scale=self.scale)
        parts = None if shared is None else shared.weights
        return (own if parts is None else parts.beside(own)).take(order)

    def _moments_beside(self, shared: Meet | None, order: Int64Array) -> Moments | None:
        own = self.missing.features
        if own is None:
            return None
        if shared is None or shared.moments is None:
            return Moments(own[order], np.zeros(len(order)))
        return shared.moments.and_points(own).take(order)

    def _links_beside(self, shared: Meet | None, order: Int64Array) -> Links | None:
        whole = self.missing.links
        if whole is None:
            return None
        cells = np.zeros(len(order))
        if shared is not None:
            assert self.shared is not None
            assert self.shared.links is not None
            # Either the cells themselves, or all shared points of a cluster as one part.
            cells[: len(shared)] = (
                self.shared.links.cells if shared is self.shared else self.shared.links.true[shared.true]
            )
        return Links(cells[order], whole, np.zeros(0))

    @property
    def _tells_points(self) -> bool:
        """Whether it knows which points are missing, and the cells of the others."""
        return self.missing.at is not None and self.knows_points

    def _located(self, shared: Meet | None, place: Int64Array) -> IntArray:
        """The cell of each point of the true side; -1 for the points that only the other side has."""
        known = len(place) - len(self.missing)
        of_point = np.full(len(self.cell_of_point), -1)
        if shared is not None:
            old = shared.cell_of_point
            of_point[old >= 0] = place[old[old >= 0]]
        of_point[self.missing.at] = place[known:]
        return of_point

    # ---- other meets from this one

    @cached_property
    def _transposed(self) -> tuple[Meet, Int64Array]:
        order = np.empty(0, dtype=np.int64) if self.shared is None else self.shared.transpose_order
        other = UnevenMeet(
            None if self.shared is None else self.shared.transpose(),
            self._names[::-1],
            self.spurious,
            self.missing,
            scale=self._scale,
            locate=self.relocated(lambda: places_of(order, len(order))),
            groups=self.groups and self.groups[::-1],
            features=self.features,
            transpose_of=self,
        )
        return other, order

    def part(self, true: Int64Array, pred: Int64Array) -> Meet:
        """The meet of some true and some predicted clusters that share no point with any other."""
        reached = np.zeros(self.k_pred, dtype=bool)
        reached[pred] = True
        if not np.array_equal(np.isin(self.true, true), reached[self.pred]):
            raise ArgumentError(
                Message("`true` and `pred` must share no point with other clusters; they do.")
            )
        inside = true[self.cells.true_sizes[true] > 0]
        shared = None if self.shared is None or not len(inside) else self.shared.restrict(inside)
        missing, spurious = self.missing.of(true, self.k_true), self.spurious.of(pred, self.k_pred)
        if shared is not None and not len(missing) and not len(spurious):
            return shared
        names = self.true_names[true], self.pred_names[pred]
        groups = self.groups and (self.groups[0][true], self.groups[1][pred])
        locate = None
        if self.knows_points:
            locate = np.full(len(self.cell_of_point), -1) if shared is None else shared.cell_of_point
        return UnevenMeet(
            shared,
            names,
            missing,
            spurious,
            scale=self._scale,
            locate=locate,
            groups=groups,
            features=self.features,
        )

    def restrict(self, true: npt.ArrayLike) -> Meet:
        """Refused: spurious points belong to no true cluster."""
        raise ArgumentError(
            Message('a meet with lost points cannot be restricted to true clusters; use `missing="drop"`.')
        )

    def coarsen(self, groups: npt.ArrayLike, names: AnyArray | None = None) -> Meet:
        """Refused: nothing that merges predicted clusters knows lost points."""
        raise ArgumentError(
            Message('predicted clusters of a meet with lost points cannot be merged; use `missing="drop"`.')
        )

    def regroup(self, to: IntArray, names: AnyArray | None = None) -> Meet:
        """Refused: where cells go does not say where spurious points go."""
        raise ArgumentError(
            Message('the cells of a meet with lost points cannot be regrouped; use `missing="drop"`.')
        )

    def within(self, documents: IntArray) -> Meet:
        """Refused: the documents of a meet with lost points are those of all its points, given when it is made."""
        raise ArgumentError(
            Message("a meet with lost points is divided into documents when it is made: pass `documents=`.")
        )

    def with_points(self, locate: Lazy[IntArray] | None) -> Meet:
        """The same meet, knowing its points."""
        parts = {"scale": self._scale, "locate": locate, "groups": self.groups, "features": self.features}
        return _restored(self.shared, (self.true_names, self.pred_names), self.missing, self.spurious, parts)


def _widened(shared: Meet | None, k_true: int, k_pred: int) -> Any:
    """The cells in a table that also has a row or column for clusters without any."""
    if shared is None:
        return NoCells(k_true, k_pred)
    more = np.full(k_true - shared.k_true, shared.indptr[-1])
    return _core.Cells(np.concatenate([shared.indptr, more]), shared.pred, shared.size, k_pred)


def _or_none(names: AnyArray) -> AnyArray:
    """Names by code, where -1 is None."""
    return np.concatenate([names.astype(object), np.array([None])])


def _no_weights(scale: int | None) -> CellWeights | None:
    return None if scale is None else CellWeights.of(np.zeros(0), np.zeros(0, dtype=np.int32), 0, scale)


def _restored(
    shared: Meet | None, names: tuple[AnyArray, AnyArray], missing: Unmatched, spurious: Unmatched, parts: Any
) -> UnevenMeet:
    return UnevenMeet(shared, names, missing, spurious, **parts)


def _pairs(sizes: Int64Array) -> int:
    """Σ C(size, 2), exactly."""
    return (_core.sum_squares(sizes) - int(sizes.sum())) // 2 if len(sizes) else 0
