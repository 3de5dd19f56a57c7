"""Interval: between which values a score would have come out, had other units of the same kind been drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff import notebook
from clusterdiff.diff import jackknife
from clusterdiff.diff.deletion import Deletion
from clusterdiff.diff.jackknife import Left
from clusterdiff.diff.resampling import bootstrap, check_draws
from clusterdiff.diff.units import SAMPLED, Sampled
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray

Method: TypeAlias = Literal["jackknife", "percentile", "basic"]
METHODS = ("jackknife", "percentile", "basic")


@dataclass(frozen=True, eq=False, repr=False)
class Interval(Sequence[float]):
    """The pair (low, high), and how it came about. Made by :meth:`Comparison.interval`.

    Both are None where one data set cannot tell, and ``reason`` says why. ``value`` is the measure's value at hand,
    ``error`` its standard error. ``unit`` is what was left out or resampled, ``units`` how many of them there are,
    and ``worth`` how many equally heavy ones would tell as much. ``notices`` say where the interval cannot be
    trusted.
    """

    low: float | None
    high: float | None
    value: float
    error: float
    measure: str
    level: float
    method: Method
    unit: Sampled
    units: int
    worth: float
    over: str
    reason: str | None
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
        told = f"{self.measure} = {self.value:.4f}, "
        if self.low is None or self.high is None:
            told += f"no {self.level:.0%} interval: {self.reason}"
        else:
            told += f"{self.level:.0%} interval {self.low:.4f} to {self.high:.4f} ({self.method} over {self.over})"
        return "\n".join([told, *(f"notice: {notice}" for notice in self.notices)])

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, repr(self).splitlines()))


@dataclass(frozen=True)
class Resampling:
    """How intervals and tests are made: at what level, by which method, with how many flips or resamples, and seed."""

    level: float = 0.95
    method: Method = "jackknife"
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

    def check(self, unit: Sampled) -> None:
        """Raise unless the method has a meaning for these units."""
        if self.method != "jackknife" and unit != "document":
            raise ArgumentError(
                Message('`method="{method}"` resamples documents.', method=self.method),
                [Message('pass `unit="document"`'), Message('pass `method="jackknife"`')],
            )

    @property
    def signature(self) -> str:
        """Its part of a signature."""
        return f"{self.method}:{self.level:g}|resamples:{self.resamples}|seed:{self.seed}"


def interval(meet: Meet, measure: Measure, unit: Sampled, how: Resampling, signature: str) -> Interval:
    """The interval of a measure of a meet."""
    one_of("unit", unit, SAMPLED)
    how.check(unit)
    if unit == "point":
        values = jackknife.without_points(meet, measure, how.seed)
        left = Left(float(measure(meet)), values, unit, worth=float(meet.n))
        return stated(left, measure, meet.n, how, signature)
    return interval_of(Deletion(meet, measure, unit), how, signature)


def interval_of(system: Deletion, how: Resampling, signature: str) -> Interval:
    """The interval of a measure that is known without units."""
    left = jackknife.one(system)
    if how.method == "jackknife" or left.reason is not None:
        return stated(left, system.measure, system.meet.n, how, signature)
    found = system.found
    values = found.finish(bootstrap(found.sums, how.resamples, how.seed))
    error = float(values.std(ddof=1)) if len(values) > 1 else 0.0
    over = f"{how.resamples:,} resamples of {left.units}"
    return _made(left, system.measure, how, how.ends(values, left.value), error, over, None, signature)


def stated(left: Left, measure: Measure, n: int, how: Resampling, signature: str) -> Interval:
    """The interval by the jackknife, or why there is none."""
    reason = left.reason
    ends = None if reason is not None else jackknife.ends(left, measure, how.level, n)
    if reason is None and ends is None:
        reason = (
            f"the score is at an end of its scale: errors in up to {3 / len(left.values):.2g} of {left.units} would "
            "often stay unseen (rule of three)."
        )
    return _made(left, measure, how, ends, left.spread.error, left.units, reason, signature)


def _made(
    left: Left,
    measure: Measure,
    how: Resampling,
    ends: tuple[float, float] | None,
    error: float,
    over: str,
    reason: str | None,
    signature: str,
) -> Interval:
    low, high = ends or (None, None)
    units = len(left.values)
    drawn = f"|resamples:{how.resamples}|seed:{how.seed}" if how.method != "jackknife" else ""
    told = f"interval:{measure.name}|unit:{left.unit}({units})|{how.method}:{how.level:g}{drawn}|{signature}"
    return Interval(
        low, high, left.value, error, measure.name, how.level, how.method, left.unit, units, left.worth, over, reason,
        tuple(left.notices), told,
    )  # fmt: skip
