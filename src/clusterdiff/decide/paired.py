"""Two systems on the same units: how far apart they are, and whether chance could have put them there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from clusterdiff.diff.interval import Resampling
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

    ``low`` and ``high`` come from the paired bootstrap, which draws units with the sums of both systems. ``p_value`` is
    that of the sign-flip permutation test: its null hypothesis is that on each unit a coin decided which of the two
    systems made which prediction. ``bootstrap_p_value`` says how often resampled differences are as far from the
    difference at hand as that is from 0.
    """

    first: str
    second: str
    measure: str
    difference: float
    low: float
    high: float
    p_value: float
    bootstrap_p_value: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def _repr_html_(self) -> str:
        return record_html(f"{self.first} minus {self.second}", self.to_dict())


def paired(first: Statistic, second: Statistic, how: Resampling) -> tuple[float, float, float, float]:
    """The difference, the ends of its interval, and the p-value of the paired bootstrap."""
    width = first.sums.shape[1]
    both = np.hstack([first.sums, second.sums])
    difference = _difference(first, both.sum(axis=0, keepdims=True), width).item()
    drawn = _difference(first, bootstrap(both, how.resamples, how.seed), width)
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
    away = np.abs(_difference(first, whole + np.hstack([moved, -moved]), width))
    here = abs(_difference(first, whole[None], width).item())
    reached = np.count_nonzero(away >= here - SLACK)
    return float(reached / len(moved) if exact else (1 + reached) / (1 + draws))


def _every_way(change: FloatArray) -> FloatArray:
    """What the chosen units add up to, for every choice of them."""
    ways = np.arange(2 ** len(change))[:, None] >> np.arange(len(change)) & 1
    moved: FloatArray = ways.astype(np.float64) @ change
    return moved


def _difference(like: Statistic, rows: FloatArray, width: int) -> FloatArray:
    return like.finish(rows[:, :width]) - like.finish(rows[:, width:])


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
