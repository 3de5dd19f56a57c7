"""Worth: what a measure comes to after an operation on predicted clusters, from what that changes in its sums."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import isclose, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.changes import KNOWN, Changes, Gathering
from clusterdiff.diff.recompute import Operation, Recomputation
from clusterdiff.diff.resampling import kinds_of
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.statistic import OfSums, beta_of, kept_share, sums_read
from clusterdiff.diff.unit_sums import UnitSums
from clusterdiff.diff.units import Units
from clusterdiff.errors import MeasureError, whole_number
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.measures.matchings import MATCHINGS
from clusterdiff.measures.registry import SUMMED
from clusterdiff.measures.splitmerge import cell_scores, scoring
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray

#: What is left of these sums after an operation is rounding, if it is less than this share of what there was.
INFORMATION, ROUNDING = ("split_info", "merge_info"), 1e-12
#: What a true cluster adds to these depends on all predicted clusters that it lies in: no single split explains it.
NOT_BY_CLUSTER = frozenset({*MATCHINGS, "closest_true", "f_true", "chosen_true"})
#: For how many operations a measure is recomputed, if it has to be.
RECOMPUTED = 100


class Outcomes(NamedTuple):
    """What operations change in sums, a row for each, and how the measure is made of those sums."""

    before: FloatArray
    changes: FloatArray
    finish: Callable[[FloatArray], FloatArray]

    def values(self) -> FloatArray:
        """The measure after each operation; equal changes are looked at once."""
        if not len(self.changes):
            return np.empty(0)
        of_row, first, _ = kinds_of(self.changes)
        return self.finish(self.before + self.changes[first])[of_row]

    def together(self, chosen: npt.NDArray[Any]) -> float:
        """The measure after some operations that do not meddle with each other, such as those on components."""
        return float(self.finish((self.before + self.changes[chosen].sum(axis=0))[None])[0])


class Worth:
    """A measure before and after operations. Gains are positive where it comes closer to its best value.

    What is no function of sums is recomputed, for ``limit`` operations at most.
    """

    def __init__(
        self,
        measure: Measure,
        analysis: Analysis,
        source: PointSource,
        limit: int = RECOMPUTED,
    ) -> None:
        whole_number("recompute", limit)
        self.measure, self.analysis, self.meet = measure, analysis, analysis.meet
        self.source, self.limit = source, limit
        self.score = float(measure(self.meet))
        self._parts: dict[int, tuple[Meet, float]] = {}

    def gains(self, values: FloatArray) -> FloatArray:
        """What values after operations gain: a distance that falls is an improvement."""
        return values - self.score if self.measure.similarity else self.score - values

    @property
    def _even(self) -> bool:
        """Whether no point is lost: what operations change in sums is known then."""
        return not self.meet.uneven

    # ---- from sums

    @cached_property
    def _changes(self) -> Changes:
        return Changes(self.meet)

    @cached_property
    def _sums(self) -> UnitSums:
        return UnitSums(self.meet, beta_of(self.measure))

    @cached_property
    def _names(self) -> tuple[str, ...] | None:
        """The sums that it reads; None if it reads more, or if they say too little: one weight may hide all others."""
        names = sums_read(self.meet, self.measure)
        if names is None:
            return None
        whole = np.array([[self._sums.total(name) for name in names]])
        again = float(OfSums.of(self.measure, names, self.meet)(whole)[0])
        return names if isclose(again, self.score, rel_tol=1e-9, abs_tol=1e-12) else None

    @cached_property
    def components(self) -> Outcomes | None:
        """What the sums are like with each component set right; None if the measure is no function of sums."""
        join, meet = self.analysis.join, self.meet
        units = Units("component", len(join), join.of_cell, join.of_true, join.of_pred)
        right = Units("component", len(join), join.of_true, join.of_true, join.of_true)
        scored = scoring(self.measure)
        if scored is not None:
            scores = cell_scores(self.measure, meet)
            assert scores is not None
            mass = right.sums(meet.true_mass)
            best = np.asarray(scored[1](np.ones(1), np.ones(1)), dtype=np.float64)
            now = np.column_stack([units.sums(meet.mass * scores), units.mass(meet)])
            return Outcomes(now.sum(axis=0), np.column_stack([best * mass, mass]) - now, kept_share)
        if self._names is None:
            return None
        truth = self._sums.rows.truth()
        return self._rows(
            self._set_right(name, truth, right) - self._sums.column(name, units) for name in self._names
        )

    def _set_right(self, name: str, truth: Rows, right: Units) -> FloatArray:
        """What each component adds to a sum once it is set right: every true cluster is then matched with itself."""
        as_term = {"matched": "total", "ceaf_m": "total", "ceaf_e": "k_true"}
        return truth.by_unit(as_term.get(name, name), right.of_rows(truth), right.count)

    def splits(self) -> FloatArray | None:
        """The measure after the split of each predicted cluster by true cluster; None if it is not known from sums."""
        if self._is_s_h:
            return self.score + self._s_h_of_splits() / self.meet.total
        if not self._even or self._names is None or not NOT_BY_CLUSTER.isdisjoint(self._names):
            return None
        before, k = self._sums.rows, self.meet.k_pred
        after, of = before.split(), before.pred.cluster
        return self._rows(
            after.by_unit(name, of, k) - before.by_unit(name, of, k) for name in self._names
        ).values()

    def completed(self) -> FloatArray | None:
        """The measure after each true cluster is made a predicted one of its own; None if not known from sums."""
        if self._is_s_h:
            return self.score + self._s_h_of_true() / self.meet.total
        each = np.arange(self.meet.k_true)
        return self.gathers(
            Gathering(each, np.arange(len(self.meet)), self.meet.true, np.full(len(each), -1))
        )

    def gathers(self, operations: Gathering) -> FloatArray | None:
        """The measure after each of many operations that unite cells; None if it is not known from sums."""
        if not self._known:
            return None
        return self._rows(self._changes.gathers(name, operations) for name in self._names or ()).values()

    @property
    def _known(self) -> bool:
        return self._even and self._names is not None and KNOWN.issuperset(self._names)

    def _rows(self, changes: Iterable[FloatArray]) -> Outcomes:
        assert self._names is not None
        before = np.array([self._sums.total(name) for name in self._names])
        least = np.where(np.isin(self._names, INFORMATION), np.maximum(before, self.meet.total / 100), 0.0)
        finish = Finished(OfSums.of(self.measure, self._names, self.meet), ROUNDING * least)
        return Outcomes(before, np.column_stack(list(changes)), finish)

    # ---- S_H: n·S_H = Σ t·U over predicted clusters, where U is the sum of m·s over the cells of one

    @property
    def _is_s_h(self) -> bool:
        return self._even and scoring(self.measure) == scoring(resolve("S_H"))

    def _by_pred(self, values: npt.NDArray[Any]) -> FloatArray:
        sums: Any = np.bincount(self.meet.pred, values, self.meet.k_pred)
        return np.asarray(sums, dtype=np.float64)

    def _s_h_of_splits(self) -> FloatArray:
        """By how much n·S_H rises with each split: t becomes 1."""
        through = self._by_pred(self.meet.mass * self.analysis.scored.pair[0])
        return through * (1 - self.analysis.scored.merge)

    def _s_h_of_true(self) -> FloatArray:
        """By how much n·S_H rises with each true cluster: it scores 1, and so may what its parts leave behind."""
        meet, scored = self.meet, self.analysis.scored
        m, pred = meet.mass.astype(np.float64), meet.pred
        content = x_log_x(m) if meet.weights is None else meet.weights.entropy
        rest = np.maximum(meet.pred_mass[pred] - m, 0.0)
        inside = np.maximum(self._by_pred(content)[pred] - content, 0.0)
        between = x_log_x(rest) - (self._by_pred(x_log_x(m))[pred] - x_log_x(m))
        several = self.analysis.parts_of_pred[pred] > 2
        whole = inside + np.maximum(between, 0.0)
        after = np.ones(len(m))
        np.divide(inside, whole, out=after, where=several & (whole > 0))
        s, t = scored.pair
        through = self._by_pred(m * s)[pred]
        change = after * np.where(rest > 0, through - m * s, 0.0) - t * through
        return meet.true_mass + np.bincount(meet.true, change, meet.k_true)

    # ---- recomputing

    def recompute(self, operations: Iterable[Operation]) -> FloatArray:
        """The measure after each of a few operations, computed from the meet that they leave."""
        if self.measure.needs == "distances":
            raise MeasureError(
                f"{self.measure.name} is computed from distances, which would have to be summed again each time.",
                Message('the gains of components are known: call `gains(…, by="component")`.'),
            )
        recomputation = Recomputation(self.meet, self.source)
        return np.array([self._value(recomputation, operation) for operation in operations])

    def _value(self, recomputation: Recomputation, operation: Operation) -> float:
        try:
            value = self._in_component(recomputation, operation)
            return float(self.measure(recomputation.after(operation))) if value is None else value
        except MeasureError:  # it has no value there, as K has none for more than k clusters
            return nan

    def _in_component(self, recomputation: Recomputation, operation: Operation) -> float | None:
        """The same from the one component that an operation changes, if the measure is a mean or sum over these."""
        joined = self.measure.join_weighted
        if not self._even or not (joined or self.measure.decomposition == SUMMED):
            return None
        touched = np.unique(self.analysis.join.of_cell[operation.cells])
        if len(touched) != 1:
            return None
        component = int(touched[0])
        if component not in self._parts:
            part = self.analysis.meet_of_component(component)
            self._parts[component] = part, float(self.measure(part))
        part, before = self._parts[component]
        after = recomputation.within(part, self.analysis.cells_of_component(component), operation)
        share = part.total / self.meet.total if joined else 1.0
        return self.score + share * (float(self.measure(after)) - before)


@dataclass(frozen=True)
class Finished:
    """The measure of rows of sums, of which what is less than ``least`` is rounding."""

    finish: OfSums
    least: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        """Its value for each row; not a number where it has none."""
        rows = np.where(np.abs(rows) < self.least, 0.0, rows)
        try:
            return self.finish(rows)
        except MeasureError:
            return np.concatenate([self._one(row) for row in rows[:, None]])

    def _one(self, row: FloatArray) -> FloatArray:
        try:
            return self.finish(row)
        except MeasureError:
            return np.array([nan])
