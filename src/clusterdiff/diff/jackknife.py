"""The jackknife: how much a score would have varied, from what it comes to without each unit.

By Efron & Stein (1981) its variance errs upwards for symmetric functions of independent units. Whether it can be
trusted is decided by the design, by how many units there are and how heavy, and never by the errors seen: a sample
that missed the large errors looks the most trustworthy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import expm1, inf, log, log1p

import numpy as np

from clusterdiff.diff.deletion import Deletion, Design
from clusterdiff.diff.units import SAMPLED, Sampled
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, IntArray
from clusterdiff.wording import count

#: With fewer equally heavy units' worth there is no interval, and with fewer than that a notice.
TOO_FEW, FEW = 6.0, 15.0
#: Points are left out in so many random groups.
GROUPS = 100
#: Values without each unit that differ by less, as a share of the largest, do not vary.
SAME = 1e-12
#: What so many units are worth.
WORTH: dict[Sampled, str] = {"component": "clusters'", "document": "documents'", "point": "points'"}


@dataclass(frozen=True)
class Left:
    """A score, or the difference of two, and what it comes to without each unit.

    ``worth`` is how many equally heavy units would tell as much. ``single_true`` counts the units that are single true
    clusters, because all that errors tie them to would be too large, and ``giant`` is the share of a large predicted
    cluster among those. ``unknown`` says why ``values`` could not be had, if so.
    """

    value: float
    values: FloatArray
    unit: Sampled
    worth: float
    single_true: int = 0
    giant: float = 0.0
    unknown: str | None = None

    @property
    def units(self) -> str:
        """How many units of which kind, in words."""
        if self.unit == "point":
            return f"points in {len(self.values)} random groups"
        whole = len(self.values) - self.single_true
        told = [count(whole, SAMPLED[self.unit])] if whole or not self.single_true else []
        return " and ".join(told + ([count(self.single_true, "true cluster")] if self.single_true else []))

    @property
    def reason(self) -> str | None:
        """Why there is no interval; None if there is one."""
        if self.unknown is not None:
            return self.unknown
        if self.worth < TOO_FEW:
            told = f"{self.worth:.1f} {WORTH[self.unit]} worth of units: too few to estimate how the score varies."
            return Message(
                "{told} Rank over several data sets or runs; if the points themselves were drawn independently of each "
                'other, pass `unit="point"`.',
                told=told,
            )
        if not self.spread.error:
            unseen = 3 / max(3, len(self.values))
            return (
                f"nothing varies over {self.units}: errors in up to {unseen:.2g} of them would often stay unseen (rule "
                "of three)."
            )
        return None

    @property
    def notices(self) -> list[str]:
        """Where an interval cannot be trusted."""
        told = []
        if self.reason is None and self.worth < FEW:
            told.append(
                f"{self.worth:.1f} {WORTH[self.unit]} worth of units: too few for a reliable interval, which may "
                "cover the score less often than its level."
            )
        if self.giant:
            told.append(
                f"a predicted cluster holds {self.giant:.0%} of the points, and its true clusters are left out one by "
                "one: intervals and tests do not cover errors of the cluster as a whole."
            )
        if self.unit == "point":
            told.append(
                "points are assumed to be drawn independently; the interval does not cover how other points would "
                "have been clustered."
            )
        return told

    @property
    def spread(self) -> Spread:
        """How much it would have varied."""
        return Spread.of(self.values)

    def p_value(self) -> float:
        """How likely a difference as large is by Student's t, if there is none in truth."""
        from scipy.special import stdtr

        spread = self.spread
        if not spread.error:
            return 1.0 if abs(self.value) <= SAME else float("nan")
        return float(2 * stdtr(spread.freedom, -abs(self.value) / spread.error))


@dataclass(frozen=True)
class Spread:
    """The standard error of a delete-one jackknife, and its degrees of freedom: (Σe²)²/Σe⁴, but at most U − 1."""

    error: float
    freedom: float

    @classmethod
    def of(cls, values: FloatArray) -> Spread:
        """From the values without each unit."""
        units = len(values)
        squares = (values - values.mean()) ** 2 if units else values
        total = float(squares.sum())
        if units < 2 or total <= (SAME * max(1.0, float(np.abs(values).max()))) ** 2:
            return cls(0.0, 0.0)
        like = total * total / float((squares**2).sum())
        return cls(float(np.sqrt((units - 1) / units * total)), max(1.0, min(units - 1.0, like)))

    def reach(self, level: float) -> float:
        """How far an interval reaches to either side."""
        return standard_errors(level, self.freedom) * self.error


def standard_errors(level: float, freedom: float) -> float:
    """How many standard errors an interval reaches to either side: a quantile of Student's t.

    >>> round(standard_errors(0.95, 10), 12)
    2.228138851986
    """
    from scipy.special import betaincinv

    # All digits in every SciPy that we allow; its own quantile of t has eleven before 1.17. The two shares add up to 1,
    # but either may be tiny: a difference from 1 would lose its digits.
    share, rest = betaincinv(0.5, freedom / 2, level), betaincinv(freedom / 2, 0.5, 1 - level)
    return float(np.sqrt(freedom * share / rest))


# ---- what is left out


def one(system: Deletion) -> Left:
    """A score without each unit of its own comparison."""
    design = Design.of([system])
    return _left(design, [system], system.value, lambda: design.values(0, system))


def two(first: Deletion, second: Deletion) -> tuple[Left, Design]:
    """The difference of two scores without each unit of both; and these units."""
    design = Design.of([first, second])
    values = lambda: design.values(0, first) - design.values(1, second)  # noqa: E731
    return _left(design, [first, second], first.value - second.value, values), design


def _left(design: Design, systems: list[Deletion], value: float, values: Callable[[], FloatArray]) -> Left:
    measure = systems[0].measure
    single_true = len(np.unique(np.concatenate([unit for _, unit in design.single])))
    unknown = None
    if single_true and not all(system.separable for system in systems):
        unknown = f"errors connect too many points, and {measure.name} cannot be computed without single true clusters."
    unit: Sampled = "document" if systems[0].unit == "document" else "component"
    found = np.empty(0) if unknown else values()
    return Left(value, found, unit, design.worth(measure), single_true, design.giant, unknown)


def without_points(meet: Meet, measure: Measure, seed: int) -> FloatArray:
    """A measure without each of a hundred random groups of points; the same groups for the same points and seed."""
    if meet.weighted or "margins" not in meet.known or measure.needs:
        raise MeasureError(
            Message(
                '`unit="point"` needs points of equal weight that both sides have, and a measure of clusters alone.'
            ),
            "another unit.",
        )
    cell: IntArray = meet.cell_of_point if meet.knows_points else np.repeat(np.arange(len(meet)), meet.size)
    groups = min(GROUPS, len(cell))
    group = np.random.default_rng(seed).permutation(len(cell)) % groups
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(np.bincount(group, minlength=groups))
    out = np.empty(groups)
    for i, members in enumerate(np.split(order, ends[:-1])):
        size = meet.size - np.bincount(cell[members], minlength=len(meet))
        left = np.flatnonzero(size)
        out[i] = (
            measure(Meet.from_cells(meet.true[left], meet.pred[left], size[left])) if len(left) else np.nan
        )
    return out


# ---- the scale of an interval


def ends(left: Left, measure: Measure, level: float, n: int) -> tuple[float, float] | None:
    """The ends of a score's interval, on its measure's scale and cut to its bounds; None at an end of the scale."""
    low, high = measure.bounds_at(n)
    scale = scale_of(measure, n)
    if not scale.holds(left.value):
        return None
    reach = left.spread.reach(level) * scale.slope(left.value)
    there = scale.there(left.value)
    back = scale.back(there - reach), scale.back(there + reach)
    return max(low, min(back)), min(high, max(back))


@dataclass(frozen=True)
class Scale:
    """On which an interval is symmetric: there and back, the slope, and which scores it holds."""

    there: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]
    holds: Callable[[float], bool]


def _expit(y: float) -> float:
    return 1 / (1 + _exp(-y))


def _exp(y: float) -> float:
    return inf if y > 700 else float(np.exp(y))


PLAIN = Scale(lambda x: x, lambda y: y, lambda x: 1.0, lambda x: True)
LOGIT = Scale(lambda x: log(x / (1 - x)), _expit, lambda x: 1 / (x * (1 - x)), lambda x: 0 < x < 1)
#: Where the best is 1 and the least below 0.
BELOW_ONE = Scale(
    lambda x: -log1p(-x), lambda y: -inf if y < -700 else -expm1(-y), lambda x: 1 / (1 - x), lambda x: x < 1
)
LOG = Scale(log, _exp, lambda x: 1 / x, lambda x: x > 0)


def scale_of(measure: Measure, n: int) -> Scale:
    """The scale of a measure, by its bounds.

    >>> from clusterdiff.measures import resolve
    >>> names = {LOGIT: "logit", BELOW_ONE: "below one", LOG: "log", PLAIN: "plain"}
    >>> [names[scale_of(resolve(name), 100)] for name in ("S_H", "ari", "vi", "I", "edits")]
    ['logit', 'below one', 'log', 'plain', 'plain']
    """
    low, high = measure.bounds_at(n)
    if measure.similarity:
        return PLAIN if high != 1 else LOGIT if low >= 0 else BELOW_ONE
    # A distance that grows with the number of points is a count.
    return LOG if low == 0 and measure.bounds_at(4 * n)[1] <= 2 * high else PLAIN
