"""Two systems on the same units: how far apart they are, and whether chance could have put them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any, Literal

import numpy as np

from clusterdiff.diff.deletion import Deletion
from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.jackknife import Left, two
from clusterdiff.diff.resampling import bootstrap, coins
from clusterdiff.diff.statistic import Statistic
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import record_html

#: Differences whose adjusted p-value is below this are significant.
ALPHA = 0.05
#: Equal differences may differ in their last bits, since sums are added up in another order.
SLACK = 1e-12


@dataclass(frozen=True)
class Paired:
    """The difference of two systems, ``first`` minus ``second``, on the same units. Made by :meth:`Ranking.paired`.

    A unit is what errors of either system tie together. ``error`` is the standard error of the jackknife, which leaves
    out one unit at a time, and ``low`` and ``high`` come from it; they are None where there are too few units, and
    ``reason`` says so. ``test`` says where ``p_value`` comes from: ``"flips"`` of a coin for each unit, on heads of
    which the two exchange what they made of it, or ``"t"``, Student's, where a unit was so large that its true
    clusters were left out one by one. ``p_value`` is None where neither can be had.
    """

    first: str
    second: str
    measure: str
    difference: float
    low: float | None
    high: float | None
    error: float
    p_value: float | None
    test: Literal["flips", "t"]
    units: int
    worth: float
    reason: str | None
    notices: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"notices": list(self.notices)}

    def _repr_html_(self) -> str:
        return record_html(f"{self.first} minus {self.second}", self.to_dict())


@dataclass(frozen=True)
class Verdict:
    """The difference of two systems: without each unit, its interval if there is one, and p."""

    left: Left
    ends: tuple[float, float] | None
    p_value: float | None
    test: Literal["flips", "t"]


def verdict(first: Deletion, second: Deletion, how: Resampling) -> Verdict:
    """Two systems of one measure on their common units."""
    left, design = two(first, second)
    if left.single_true:
        return Verdict(left, _ends(left, how), _known(left), "t")
    sums = design.sums(0, first), design.sums(1, second)
    ends = _ends(left, how)
    if ends is not None and how.method != "jackknife":
        ends = paired(*sums, how)[1:3]
    return Verdict(left, ends, permutation_p_value(*sums, how.resamples, how.seed), "flips")


def verdict_by_points(
    first: tuple[float, FloatArray], second: tuple[float, FloatArray], n: int, how: Resampling
) -> Verdict:
    """Two systems whose scores without each group of points are known."""
    left = Left(first[0] - second[0], first[1] - second[1], "point", float(n))
    return Verdict(left, _ends(left, how), _known(left), "t")


def _ends(left: Left, how: Resampling) -> tuple[float, float] | None:
    if left.reason is not None:
        return None
    reach = left.spread.reach(how.level)
    return left.value - reach, left.value + reach


def _known(left: Left) -> float | None:
    p = left.p_value() if left.unknown is None else float("nan")
    return None if isnan(p) else p


def paired(first: Statistic, second: Statistic, how: Resampling) -> tuple[float, float, float, float]:
    """The difference, the ends of its interval, and the p-value of the paired bootstrap."""
    width = first.sums.shape[1]
    both = np.hstack([first.sums, second.sums])
    difference = _difference(first, second, both.sum(axis=0, keepdims=True), width).item()
    drawn = _difference(first, second, bootstrap(both, how.resamples, how.seed), width)
    low, high = how.ends(drawn, difference)
    reached = np.count_nonzero(np.abs(drawn - difference) >= abs(difference) - SLACK)
    return difference, low, high, float((1 + reached) / (1 + how.resamples))


def permutation_p_value(first: Statistic, second: Statistic, draws: int, seed: int) -> float:
    """How often flipping a coin for each unit, on heads of which the two exchange their sums, sets them as far apart.

    If there are no more ways to flip than draws, all of them are gone through and the p-value is exact; otherwise it is
    (1 + reached)/(1 + draws).
    """
    width = first.sums.shape[1]
    change = second.sums - first.sums
    change = change[(change != 0).any(axis=1)]
    whole = np.hstack([first.sums, second.sums]).sum(axis=0)
    exact = 2 ** len(change) <= draws if len(change) < 60 else False
    moved = _every_way(change) if exact else coins(change, draws, seed)
    away = np.abs(_difference(first, second, whole + np.hstack([moved, -moved]), width))
    here = abs(_difference(first, second, whole[None], width).item())
    reached = np.count_nonzero(away >= here - SLACK)
    return float(reached / len(moved) if exact else (1 + reached) / (1 + draws))


def _every_way(change: FloatArray) -> FloatArray:
    """What the chosen units add up to, for every choice of them."""
    ways = np.arange(2 ** len(change))[:, None] >> np.arange(len(change)) & 1
    moved: FloatArray = ways.astype(np.float64) @ change
    return moved


def _difference(first: Statistic, second: Statistic, rows: FloatArray, width: int) -> FloatArray:
    return first.finish(rows[:, :width]) - second.finish(rows[:, width:])


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values adjusted for their number by Holm's method: those below α are significant together at level α.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    left = len(p_values) - np.arange(len(p_values))
    raised = np.minimum(1.0, np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * left))
    out = np.empty(len(p_values))
    out[order] = raised
    adjusted: list[float] = out.tolist()
    return adjusted
