"""Harms: what befell which points, and whether it befell those with a predicate more often than others."""

from __future__ import annotations

from math import inf, log

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.blame import PointBlame
from clusterdiff.diff.patterns import Excess
from clusterdiff.diff.shapes import Shapes
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array

#: From this probability on, an excess is no finding.
ALPHA = 0.05
#: Fewer true clusters than this, or larger ones on average, and points are compared within their clusters.
FEW, LARGE = 50, 200
#: Up to this size, true clusters of each size are a stratum; beyond it, those up to each power of two.
SMALL = 8


class Layout:
    """Points in strata, and in units within these: what there is of a harm between units and within them."""

    def __init__(self, stratum: Int64Array, unit: Int64Array, hit: FloatArray) -> None:
        self.stratum = stratum
        self.points = np.bincount(stratum)
        self.rate = np.bincount(stratum, hit) / np.maximum(self.points, 1)
        self.size = np.bincount(unit).astype(np.float64)
        self.of_unit = np.zeros(len(self.size), dtype=np.int64)
        self.of_unit[unit] = stratum
        strata = len(self.points)
        self.units = np.bincount(self.of_unit[self.size > 0], minlength=strata)
        mean = np.bincount(unit, hit) / np.maximum(self.size, 1)
        between = self.size * (mean - self.rate[self.of_unit]) ** 2
        self.between = np.bincount(self.of_unit, between, strata)
        squares = np.bincount(stratum, hit**2, strata) - np.bincount(
            self.of_unit, self.size * mean**2, strata
        )
        self.within = np.maximum(squares, 0)

    def variance(self, inside: Int64Array, of_unit: Int64Array) -> float:
        """The variance of the hits of some points if units, and points in these, were permuted inside strata.

        ``inside`` counts the points in each stratum, and ``of_unit`` in each unit.
        """
        squares = np.bincount(self.of_unit, of_unit * (of_unit / np.maximum(self.size, 1)), len(self.points))
        between = np.maximum(squares - inside * (inside / np.maximum(self.points, 1)), 0)
        within = np.maximum(inside - squares, 0)
        free = self.points - self.units
        parts = between * self.between / np.maximum(self.units - 1, 1)
        parts += np.where(free > 0, within * self.within / np.maximum(free, 1), 0)
        return float(parts.sum())


class Harm:
    """One thing that may befall a point: how far it did, from 0 to 1, for each point of ``at`` that it could befall.

    ``unit`` is what is permuted, the true cluster; ``event`` what counts as one hit, the component; ``blame`` the loss
    that is charged to the points for it.
    """

    def __init__(
        self,
        name: str,
        at: Int64Array,
        hit: FloatArray,
        blame: FloatArray,
        unit: Int64Array,
        stratum: Int64Array,
        event: Int64Array,
    ) -> None:
        self.name = name
        self.at = at
        self.hit = hit
        self.blame = blame
        self.unit = unit
        self.stratum = stratum
        self.event = event
        self.n = len(at)
        self.hits = float(hit.sum())
        #: The points that it befell.
        self.struck = np.flatnonzero(hit)

    @cached_property
    def by_size(self) -> Layout:
        """Points in strata by the size of their true clusters."""
        return Layout(self.stratum, self.unit, self.hit)

    @cached_property
    def flat(self) -> Layout:
        """All points in one stratum, for predicates about the size itself."""
        return Layout(np.zeros(self.n, dtype=np.int64), self.unit, self.hit)

    @cached_property
    def expected(self) -> FloatArray:
        """What each point would suffer if all points of its stratum were alike."""
        rate: FloatArray = self.by_size.rate[self.stratum]
        return rate

    def without(self, done: BoolArray) -> Harm:
        """The same for the other points."""
        left = np.flatnonzero(~done)
        arrays: tuple[AnyArray, ...] = (self.at, self.hit, self.blame, self.unit, self.stratum, self.event)
        return Harm(self.name, *(values[left] for values in arrays))

    def test(self, holds: BoolArray, *, strata: bool = True) -> Excess | None:
        """How much more often it befell the points for which a predicate holds; None if that cannot be asked."""
        inside = np.flatnonzero(holds)
        n = len(inside)
        if not 0 < n < self.n or not self.hits:
            return None
        layout = self.by_size if strata else self.flat
        strata_of = np.bincount(layout.stratum[inside], minlength=len(layout.points))
        hit = self.hit[inside]
        hits, expected = float(hit.sum()), float(strata_of @ layout.rate)
        deff = 1.0
        if 0 < expected < hits:
            events = np.bincount(self.event[inside], hit)
            variance = layout.variance(strata_of, np.bincount(self.unit[inside], minlength=len(layout.size)))
            least = min(expected, self.hits - expected)
            deff = max(1.0, variance / least if least > 0 else 1.0, float(events @ events) / hits)
        return self.excess(n, hits, expected, deff)

    def excess(self, n: int, hits: float, expected: float, deff: float = 1.0) -> Excess:
        """The excess of ``n`` points with so many hits."""
        rate, rest = hits / n, (self.hits - hits) / (self.n - n)
        ratio = rate / rest if rest > 0 else inf
        p = self._tail(n, hits, expected, deff) if 0 < expected < hits else 1.0
        return Excess(n, hits, expected, rate, rest, ratio, self._adjusted(hits, expected), deff, p)

    def _adjusted(self, hits: float, expected: float) -> float:
        if self.hits - hits <= 0:
            return inf
        if not 0 < expected < self.hits:
            return 1.0
        return (hits / expected) / ((self.hits - hits) / (self.hits - expected))

    def _tail(self, n: int, hits: float, expected: float, deff: float) -> float:
        """The chance of so many hits or more; of as few among the others, if these are fewer points."""
        from scipy.special import gammainc, gammaincc

        if n <= self.n / 2:
            return float(gammainc(hits / deff, expected / deff))
        return float(gammaincc((self.hits - hits) / deff + 1, (self.hits - expected) / deff))

    def explained(self, hits: float, expected: float) -> float:
        """The share of the deviance of hits that a predicate explains."""
        whole = self.hits * log(self.n / self.hits) if 0 < self.hits < self.n else 0.0
        if whole <= 0 or not 0 < expected < self.hits:
            return 0.0
        parts = ((hits, expected), (self.hits - hits, self.hits - expected))
        return min(1.0, sum(found * log(found / due) for found, due in parts if found > 0) / whole)


def harms(points: PointBlame, shapes: Shapes) -> list[Harm]:
    """What befell the points, as far as it befell any.

    Points of a true cluster *left* it, or stayed and were *merged* with others; they are *missing*, or, in no true
    cluster, *spurious*. The blames of the four add up to the loss.
    """
    meet, n = shapes.analysis.meet, len(points.true)
    shared = meet.cell_of_point >= 0
    of = np.where(points.true < 0, meet.k_true, points.true)
    sizes = np.bincount(of, minlength=meet.k_true + 1)
    sizes[meet.k_true] = 0
    size = sizes[of]
    left, stayed = points.off_true, 1 - points.off_true
    split, merge, missing, spurious = points.lost
    lone = np.zeros(n), np.zeros(n)
    for unmatched, hit in zip((meet.missing, meet.spurious), lone, strict=True):
        hit[unmatched.at] = 1
    unit, stratum, event = _design(points, shapes, of, size)
    found = []
    for name, eligible, hit, blame in (
        ("left", shared & (size >= 2), left, split + merge * left),
        ("merged", shared & (left < 1), stayed * points.off_pred, merge * stayed),
        ("missing", points.true >= 0, lone[0], missing),
        ("spurious", points.pred >= 0, lone[1], spurious),
    ):
        if hit.any():
            at = np.flatnonzero(eligible)
            arrays: tuple[AnyArray, ...] = (hit, blame, unit, stratum, event)
            found.append(Harm(name, at, *(values[at] for values in arrays)))
    return found


def _design(
    points: PointBlame, shapes: Shapes, of: Int64Array, size: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The unit, the stratum and the event of each point."""
    meet, join, n = shapes.analysis.meet, shapes.join, len(of)
    if meet.k_true < FEW or n > LARGE * meet.k_true:
        each = np.arange(n)
        return each, of, each  # who within a class, point by point
    unit = np.where(points.true >= 0, of, meet.k_true + points.pred)
    stratum = np.where(size <= SMALL, size, 6 + np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64))
    component = np.where(
        points.true >= 0, np.append(join.of_true, -1)[points.true], np.append(join.of_pred, -1)[points.pred]
    ).astype(np.int64)
    # In a tangle each cell is an event of its own, and so are the lost points of each cluster.
    cell = meet.cell_of_point
    inside = np.where(cell >= 0, cell, len(meet) + unit)
    event = np.where(shapes.tangled[component], len(join) + inside, component)
    return unit, stratum, event
