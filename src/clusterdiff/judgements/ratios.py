"""Ratios of totals estimated from draws: standard errors, degrees of freedom, and intervals that hold their level."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import ndtr

from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.diff.resampling import bootstrap
from clusterdiff.points.labels import BoolArray, FloatArray

#: What is closer to 0 or 1 than this is at the end.
EDGE = 1e-12


@dataclass(frozen=True)
class Estimated:
    """A ratio estimated from draws: its standard errors, degrees of freedom, and how many draws those are worth.

    ``worth`` is of the denominators: so many equal ones would tell as much.
    """

    value: float
    linear: float
    jackknife: float
    freedom: int
    worth: float
    effective: float
    #: The ratio without each draw, and what each draw moves it by.
    left: FloatArray = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    moves: FloatArray = field(repr=False, compare=False, default_factory=lambda: np.empty(0))
    #: A ratio of two means, less what it is off on average, to the first order.
    adjusted: float | None = None
    #: What each draw adds to the totals, a row each; and the ratio of rows of totals.
    totals: FloatArray = field(repr=False, compare=False, default_factory=lambda: np.empty((0, 0)))
    finish: Callable[[FloatArray], FloatArray] | None = field(repr=False, compare=False, default=None)

    def resampled(self, how: Resampling, fraction: float) -> tuple[float, float, float]:
        """The standard error, and the ends of an interval, from draws that are drawn again.

        The ratios of resamples are drawn in towards the value if a part of the population was drawn.
        """
        assert self.finish is not None
        values = self.finish(bootstrap(np.ascontiguousarray(self.totals), how.resamples, how.seed))
        values = self.value + math.sqrt(1 - fraction) * (values[np.isfinite(values)] - self.value)
        low, high = how.ends(values, self.value)
        return float(values.std(ddof=1)) if len(values) > 1 else 0.0, max(0.0, low), min(1.0, high)

    def interval(self, level: float, plain: bool = False, linear: bool = False) -> tuple[float, float]:
        """The ends of a confidence interval: on the logit scale, or on the plain one, cut to [0, 1]."""
        error = self.linear if linear else self.jackknife
        tail = (1 - level) / 2
        if error <= EDGE and self.value >= 1 - EDGE:
            return tail ** (1 / self.worth), 1.0
        if error <= EDGE and self.value <= EDGE:
            return 0.0, 1 - tail ** (1 / self.worth)
        q = standard_errors(level, self.freedom)
        if plain or not 0 < self.value < 1:
            return max(0.0, self.value - q * error), min(1.0, self.value + q * error)
        middle = math.log(self.value / (1 - self.value))
        half = q * error / (self.value * (1 - self.value))
        return expit(middle - half), expit(middle + half)


def expit(x: float) -> float:
    """The inverse of the logit, which never overflows."""
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


@dataclass(frozen=True)
class DrawWeights:
    """How much each draw counts, and how much of the population was drawn.

    ``probabilities`` are given where draws have inclusion probabilities of their own: then there is no jackknife.
    """

    w: FloatArray
    fraction: float = 0.0
    probabilities: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.w)

    def ratio(self, y: FloatArray, x: FloatArray) -> Estimated:
        """The weighted total of y, as a share of that of x."""
        value, e, left = self._parts(y, x)
        below = self.w * x
        found = replace(
            self._finished(value, e, left, below),
            totals=np.stack([self.w * y, below], axis=1),
            finish=_quotient,
        )
        if len(self) < 2 or not below.any():
            return found
        off = float((below * e).sum()) / ((len(self) - 1) * float(below.mean()))
        return replace(found, adjusted=value + off)

    def harmonic(self, y: tuple[FloatArray, FloatArray], x: FloatArray, beta: float = 1.0) -> Estimated:
        """The harmonic mean of two ratios with one denominator, as F is of precision and recall; beta weighs recall."""
        p, e_p, left_p = self._parts(y[0], x)
        r, e_r, left_r = self._parts(y[1], x)
        square = beta * beta
        both = square * p + r
        if both <= 0:
            return self._finished(0.0, np.zeros(len(self)), np.zeros(len(self)), self.w * x)
        e = (1 + square) * (r * r * e_p + square * p * p * e_r) / both**2
        with np.errstate(invalid="ignore", divide="ignore"):
            left = np.nan_to_num((1 + square) * left_p * left_r / (square * left_p + left_r))
        found = self._finished((1 + square) * p * r / both, e, left, self.w * x)
        return replace(
            found,
            totals=np.stack([self.w * y[0], self.w * y[1], self.w * x], axis=1),
            finish=lambda rows: _f(rows, square),
        )

    def _parts(self, y: FloatArray, x: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """The ratio, what each draw moves it by, and the ratio without each draw."""
        above, below = self.w * y, self.w * x
        total, whole = above.sum(), below.sum()
        if whole <= 0:
            return math.nan, np.zeros(len(self)), np.zeros(len(self))
        value = total / whole
        with np.errstate(invalid="ignore", divide="ignore"):
            left = (total - above) / (whole - below)
        return float(value), (above - value * below) / whole, np.where(whole - below > 0, left, value)

    def _finished(self, value: float, e: FloatArray, left: FloatArray, below: FloatArray) -> Estimated:
        k = len(self)
        squares = e * e
        total = float(squares.sum())
        worth = float(below.sum() ** 2 / max((below * below).sum(), 1e-300))
        if k < 2:
            return Estimated(value, math.nan, math.nan, 1, worth, 1.0, left, e)
        if self.probabilities is None:
            linear = (1 - self.fraction) * k / (k - 1) * total
            jackknife = (1 - self.fraction) * (k - 1) / k * float(((left - left.mean()) ** 2).sum())
        else:
            linear = k / (k - 1) * float(((1 - self.probabilities) * squares).sum())
            jackknife = linear
        spread = float((squares * squares).sum())
        effective = total * total / spread if spread > 0 else float(k - 1)
        return Estimated(
            value,
            math.sqrt(linear),
            math.sqrt(jackknife),
            freedom(k - 1, effective if spread > 0 else None),
            worth,
            effective,
            left,
            e,
        )


def _quotient(rows: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(rows[:, 0] / rows[:, 1])


def _f(rows: FloatArray, square: float) -> FloatArray:
    """F from the totals above precision and recall, and from the one below both."""
    p, r, below = rows.T
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((1 + square) * p * r / (square * p + r) / below)


def freedom(most: int, effective: float | None) -> int:
    """Degrees of freedom of a sample that counts like ``effective`` equal draws; None: nothing varies."""
    if effective is None:
        return max(1, most)
    return max(1, min(most, max(3, math.floor(2 * effective - 1 + 1e-9))))


def bounded(low: Estimated, high: Estimated, level: float, linear: bool) -> tuple[float, float]:
    """An interval for what lies between two estimated bounds (Imbens and Manski), on the logit scale."""
    ends = [min(max(one.value, EDGE), 1 - EDGE) for one in (low, high)]
    errors = [
        (one.linear if linear else one.jackknife) / (end * (1 - end))
        for one, end in zip((low, high), ends, strict=True)
    ]
    a, b = (math.log(end / (1 - end)) for end in ends)
    if not all(map(math.isfinite, errors)):
        return math.nan, math.nan
    most = max(errors)
    if most <= 0:
        # Nothing varies. At an end of the scale that does not mean that nothing could.
        if low.value >= 1 - EDGE:
            return low.interval(level)
        return high.interval(level) if high.value <= EDGE else (low.value, high.value)
    c = _between(level, (b - a) / most)
    found = expit(a - c * errors[0]), expit(b + c * errors[1])
    return (0.0 if low.value <= EDGE else found[0]), (1.0 if high.value >= 1 - EDGE else found[1])


def _between(level: float, width: float) -> float:
    """c with Φ(c + width) − Φ(−c) = level, by bisection: it lies between the one-sided and the two-sided quantile."""
    below, above = 0.0, 10.0
    for _ in range(100):
        c = (below + above) / 2
        if ndtr(c + width) - ndtr(-c) < level:
            below = c
        else:
            above = c
    return above


def variation(values: FloatArray, counts: FloatArray) -> float:
    """The squared coefficient of variation of values that stand ``counts`` times."""
    n = float(counts.sum())
    mean = float((values * counts).sum()) / n if n else 0.0
    if mean <= 0:
        return 0.0
    return float((values * values * counts).sum()) / n / mean**2 - 1


def any_below(y: FloatArray, x: FloatArray) -> BoolArray:
    """Which draws show an error."""
    return y < x - EDGE * np.maximum(1, np.abs(x))
