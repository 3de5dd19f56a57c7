"""Interval: between which values a score would have come out, had other units of the same kind been drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff import notebook
from clusterdiff.diff.resampling import bootstrap, check_draws
from clusterdiff.diff.statistic import Statistic, statistic
from clusterdiff.diff.units import UNITS, Unit, units_of
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.wording import count

Method: TypeAlias = Literal["percentile", "basic"]
METHODS = ("percentile", "basic")

#: Where units count like fewer than this, intervals cover less often than they say (docs/rank.md has the simulation).
FEW = 15


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Sequence[float]):
    """The pair (low, high), and how it came about. Made by :meth:`Comparison.interval`.

    ``value`` is the measure's value at hand, ``error`` its standard error, ``unit`` what was drawn again and ``units``
    how many of them there are. ``notices`` say where the interval cannot be trusted.
    """

    low: float
    high: float
    value: float
    error: float
    measure: str
    level: float
    method: Method
    unit: Unit
    units: int
    resamples: int
    seed: int
    notices: tuple[str, ...]
    signature: str

    def __len__(self) -> int:
        """It is a pair: ``low, high = diff.interval()``."""
        return 2

    def __getitem__(self, place: Any) -> Any:
        return (self.low, self.high)[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, tuple):
            return tuple(self) == other
        return isinstance(other, Interval) and asdict(self) == asdict(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"notices": list(self.notices)}

    def __repr__(self) -> str:
        units = count(self.units, UNITS[self.unit])
        lines = [
            f"{self.measure} = {self.value:.4f}, {self.level:.0%} interval {self.low:.4f} to {self.high:.4f} "
            f"({self.method}, {self.resamples:,} resamples of {units})"
        ]
        return "\n".join([*lines, *(f"notice: {notice}" for notice in self.notices)])

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, repr(self).splitlines()))


@dataclass(frozen=True)
class Resampling:
    """How intervals are made: how many resamples, at what level, by which method, from which seed."""

    level: float = 0.95
    method: Method = "percentile"
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        one_of("method", self.method, METHODS)
        check_draws("resamples", self.resamples, self.seed)
        if not isinstance(self.level, float | np.floating) or not 0 < self.level < 1:
            raise ArgumentError.must("level", "be between 0 and 1", self.level, "0.95 is usual.")
        # NumPy's numbers become plain ones, which JSON can hold.
        plain = {"level": float(self.level), "resamples": int(self.resamples), "seed": int(self.seed)}
        for name, value in plain.items():
            object.__setattr__(self, name, value)

    def ends(self, values: FloatArray, value: float) -> tuple[float, float]:
        """The ends of the interval, from the values of the resamples and the value at hand."""
        low, high = np.quantile(values, [(1 - self.level) / 2, (1 + self.level) / 2]).tolist()
        return (low, high) if self.method == "percentile" else (2 * value - high, 2 * value - low)

    @property
    def signature(self) -> str:
        """Its part of a signature."""
        return f"{self.method}:{self.level:g}|resamples:{self.resamples}|seed:{self.seed}"


def interval(meet: Meet, measure: Measure, unit: Unit, how: Resampling, signature: str) -> Interval:
    """The interval of a measure for the units of a meet."""
    units = units_of(meet, unit)
    if units.count < 2:
        raise ArgumentError(
            f"an interval needs several {UNITS[unit]}s to draw from, and there is one.",
            Message('pass `unit="true"` to draw true clusters.')
            if unit == "component"
            else "there is nothing to draw again.",
        )
    return interval_of(
        statistic(meet, measure, units), float(measure(meet)), measure.name, unit, how, signature
    )


def interval_of(
    found: Statistic, value: float, measure: str, unit: Unit, how: Resampling, signature: str
) -> Interval:
    """The interval of a measure that is known as a function of sums over units, with its value at hand."""
    values = found.finish(bootstrap(found.sums, how.resamples, how.seed))
    low, high = how.ends(values, value)
    units = len(found.columns[0])
    return Interval(
        low,
        high,
        value=value,
        error=float(values.std(ddof=1)) if len(values) > 1 else 0.0,
        measure=measure,
        level=how.level,
        method=how.method,
        unit=unit,
        units=units,
        resamples=how.resamples,
        seed=how.seed,
        notices=tuple(doubts(found, unit)),
        signature=f"interval:{measure}|unit:{unit}({units})|{how.signature}|{signature}",
    )


def effective(found: Statistic) -> float:
    """How many equally important units would tell as much about the measure: (Σe²)²/Σe⁴, e being their influence."""
    influence = influences(found)
    squares = influence**2
    fourth = float(np.sum(squares**2))
    return float(np.sum(squares)) ** 2 / fourth if fourth > 0 else float(len(influence))


def influences(found: Statistic) -> FloatArray:
    """By how much the measure changes with each unit, to first order."""
    sums = found.sums
    total = sums.sum(axis=0)
    step = 1e-6
    slopes = np.zeros(len(total))
    for column in np.flatnonzero(total):
        up, down = total.copy(), total.copy()
        up[column] *= 1 + step
        down[column] *= 1 - step
        ends = found.finish(np.stack([up, down]))
        slopes[column] = (ends[0] - ends[1]) / (2 * step * total[column])
    change: FloatArray = sums @ np.where(np.isfinite(slopes), slopes, 0.0)
    return change


def doubts(found: Statistic, unit: Unit) -> list[str]:
    """Where an interval cannot be trusted: too few units, or a few that outweigh all others."""
    matter = effective(found)
    if matter >= FEW:
        return []
    units = count(len(found.columns[0]), UNITS[unit])
    return [
        f"{units}, worth {matter:.1f} equally important ones: too few to trust an interval, which would hold the score "
        "less often than it says."
    ]
