"""Operations on predicted clusters: those that may repair something, what each gains, and which comes first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.changes import Gathering
from clusterdiff.diff.loss import costliest
from clusterdiff.diff.recompute import NOWHERE, Operation
from clusterdiff.diff.worth import Worth
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.arrays import order_by
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import FloatArray, Int64Array

OPERATIONS = ("split", "merge", "move", "add", "remove")
SPLIT, MERGE, MOVE, ADD, REMOVE = range(len(OPERATIONS))
#: A step down is to this share of a gain.
NEARLY = 0.9
NO_CELLS = np.empty(0, dtype=np.int64)


class Candidates(NamedTuple):
    """Operations on predicted clusters, and what each gains in S_H.

    ``at`` is the predicted cluster of a split or removal, the true cluster of a merge or addition, the cell of a move.
    ``to`` is the cell that a move or an addition unites it with, or whose cluster, which is not all of the true one,
    takes part in a merge; else -1.
    """

    operation: npt.NDArray[np.int32]
    at: npt.NDArray[np.int64]
    to: npt.NDArray[np.int64]
    gain: npt.NDArray[np.float64]

    def best(self, gain: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """The places of the best of those that differ in their target alone, by operation and number."""
        if not len(gain):
            return np.empty(0, dtype=np.int64)
        # Merges with and without one more cluster are two operations.
        hosted = (self.operation == MERGE) & (self.to >= 0)
        kind = 2 * self.operation + hosted
        order = order_by(kind, self.at)
        kind, at, gain = kind[order], self.at[order], gain[order]
        first = np.flatnonzero(np.append(True, (kind[1:] != kind[:-1]) | (at[1:] != at[:-1])))
        most = np.repeat(np.maximum.reduceat(gain, first), np.diff(np.append(first, len(gain))))
        best = np.flatnonzero(gain == most)  # of equal ones the first
        group = np.searchsorted(first, best, side="right")
        chosen: npt.NDArray[np.int64] = order[best[np.diff(group, prepend=0) > 0]]
        return chosen

    def gathering(self, meet: Meet, pure: npt.NDArray[np.bool_]) -> Gathering:
        """Those of them that unite cells, given which cells are a predicted cluster each: merges and moves."""
        moves = self.operation == MOVE
        true = self.at.copy()
        true[moves] = meet.true[self.at[moves]]
        inside = np.flatnonzero(pure)
        first = np.searchsorted(meet.true[inside], true)
        number = np.where(moves, 1, np.searchsorted(meet.true[inside], true, side="right") - first)
        operation = np.repeat(np.arange(len(true)), number)
        place = np.arange(len(operation)) - np.repeat(np.cumsum(number) - number, number)
        merged = np.append(inside, 0)[np.minimum(first[operation] + place, len(inside))]
        cell = np.where(moves[operation], self.at[operation], merged)
        return Gathering(true, cell, operation, self.to)

    def affected(self, analysis: Analysis) -> Int64Array:
        """How many points each moves, adds or removes."""
        meet, operation, at = analysis.meet, self.operation, self.at
        cells = analysis.join.damaged_cells  # nothing else is ever repaired
        pure = analysis.parts_of_pred[meet.pred[cells]] == 1
        true, pred, size = meet.true[cells], meet.pred[cells], meet.size[cells]
        inside = np.bincount(true[pure], size[pure], meet.k_true).astype(np.int64)
        several = np.bincount(pred, size, meet.k_pred).astype(np.int64)
        stays = {
            SPLIT: _heaviest(meet, meet.pred, meet.k_pred, cells[~pure]),
            MERGE: _heaviest(meet, meet.true, meet.k_true, cells[pure]),
        }
        out = np.zeros(len(at), dtype=np.int64)
        for which, of in (
            (SPLIT, several - stays[SPLIT]),
            (MERGE, inside),
            (MOVE, meet.size),
            (ADD, meet.missing.count(meet.k_true)),
            (REMOVE, meet.spurious.count(meet.k_pred)),
        ):
            mine = operation == which
            if mine.any():
                out[mine] = of[at[mine]]
        alone = (operation == MERGE) & (self.to < 0)
        out[alone] -= stays[MERGE][at[alone]]
        return out

    def take(self, places: npt.NDArray[np.int64]) -> Candidates:
        """Some of them."""
        return Candidates(self.operation[places], self.at[places], self.to[places], self.gain[places])


def valued(worth: Worth, found: Candidates) -> tuple[Candidates, npt.NDArray[np.float64], int]:
    """Operations, a measure after each, and how many are left out since it would have to be recomputed."""
    meet, analysis = worth.meet, worth.analysis
    split = found.operation == SPLIT
    pure = analysis.parts_of_pred[meet.pred] == 1
    unite = found.take(np.flatnonzero(~split))
    if not len(split):
        return found, np.empty(0), 0
    values = worth.splits(), worth.gathers(unite.gathering(meet, pure))
    if values[0] is not None and values[1] is not None:
        score = np.empty(len(split))
        score[split], score[~split] = values[0][found.at[split]], values[1]
        left_out = 0
    else:
        costliest = np.sort(np.argsort(-found.gain, kind="stable")[: worth.limit])
        found, left_out = found.take(costliest), len(split) - len(costliest)
        score = worth.recompute(_operations(analysis, found, pure))
    defined = ~np.isnan(score)
    return found.take(np.flatnonzero(defined)), score[defined], left_out + int(np.sum(~defined))


def _operations(analysis: Analysis, found: Candidates, pure: npt.NDArray[np.bool_]) -> Iterator[Operation]:
    meet = analysis.meet
    for operation, at, to in zip(found.operation.tolist(), found.at.tolist(), found.to.tolist(), strict=True):
        target = meet.k_pred if to < 0 else int(meet.pred[to])
        if operation == SPLIT:
            cells = analysis.cells_of_pred(at)
            yield Operation(cells, meet.k_pred + np.arange(len(cells)))
        elif operation == MERGE:
            cells = analysis.cells_of_true(at)
            cells = cells[pure[cells]]
            yield Operation(
                cells, np.full(len(cells), target), spurious=dict.fromkeys(meet.pred[cells].tolist(), target)
            )
        elif operation == MOVE:
            yield Operation(np.array([at]), np.array([target]))
        elif operation == ADD:
            yield Operation(NO_CELLS, NO_CELLS, missing={at: target})
        else:
            yield Operation(NO_CELLS, NO_CELLS, spurious={at: NOWHERE})


def in_order(gain: FloatArray, affected: Int64Array) -> Int64Array:
    """Greatest gain first; of nearly equal gains, the operation that moves fewest points.

    Gains are nearly equal if they are on the same step, each 10% below the one before, from the greatest down.

    >>> in_order(np.array([1.0, 0.5, 0.95]), np.array([3, 1, 2])).tolist()
    [2, 0, 1]
    """
    order = costliest(gain)
    step = np.floor(np.log(gain[order] / gain.max(initial=0.0)) / np.log(NEARLY)).astype(np.int64)
    return order[order_by(step, affected[order])]


def _heaviest(meet: Meet, cluster: npt.NDArray[Any], k: int, cells: Int64Array) -> Int64Array:
    """The size of each cluster's heaviest cell among some, of equal ones the first."""
    mass, out = meet.mass[cells], np.zeros(k, dtype=np.int64)
    if meet.weights is None:
        return _core.group_max(cluster[cells], k, mass)
    # What is written last is the heaviest, of equal ones the first.
    rising = cells[order_by(mass, -cells) if mass.dtype.kind in "iu" else np.lexsort((-cells, mass))]
    out[cluster[rising]] = meet.size[rising]
    return out


def operations(meet: Meet) -> tuple[Any, ...]:
    """Every operation and its gain, from the core."""
    if not len(meet):  # nothing is shared: what is missing can come, and nothing that goes changes the score
        each = np.arange(meet.k_true)
        gain = meet.true_mass / (meet.total or 1)
        return np.full(len(each), ADD, dtype=np.int32), each, np.full(len(each), -1), gain
    return _core.repairs(meet.cells, *weighing(meet), _lost(meet.missing), _lost(meet.spurious))


def steps(meet: Meet) -> _core.RepairSteps:
    """The greedy sequence of operations, from the core."""
    missing, spurious = _lost(meet.missing), _lost(meet.spurious)
    if len(meet):
        return _core.repair_steps(meet.cells, *weighing(meet), missing, spurious)
    # The core has no table without a cell: one that weighs nothing, in clusters of its own, stands in.
    k_true, k_pred = meet.k_true, meet.k_pred
    cells = _core.Cells(
        np.append(np.zeros(k_true + 1, dtype=np.int64), 1),
        np.array([k_pred], dtype=np.int32),
        np.array([1]),
        k_pred + 1,
    )
    nothing, unit = np.zeros(1), meet.total / meet.n or 1.0
    lost = (
        side and (side[0], np.ones(len(side[0])) if side[1] is None else side[1])
        for side in (missing, spurious)
    )
    found = _core.repair_steps(cells, nothing, nothing, unit, *lost)
    cell = found.cell - 1
    source, target = (side - (side > k_pred) for side in (found.source, found.target))
    return found._replace(cell=cell - (cell > k_true), source=source, target=target)


def _lost(points: Unmatched) -> tuple[Any, Any] | None:
    if not len(points):
        return None
    return points.cluster, None if points.weights is None else points.weights.astype(np.float64)


def weighing(meet: Meet) -> tuple[Any, Any, float]:
    """The mass of each cell, the sum of w·log(w/unit) over its points, and the unit; None if points have no weights."""
    weights = meet.weights
    if weights is None:
        return None, None, 1.0
    unit = (
        float(meet.total) / meet.n
    )  # what weights are measured against, so that their scale does not matter
    mass = weights.mass.astype(np.float64)
    return mass, x_log_x(mass / unit) * unit - weights.entropy, unit
