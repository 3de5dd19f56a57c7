"""Totals and shares over all units, from units that were drawn in strata with known probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.estimates import Estimates
from clusterdiff.judgements.ratios import expit, freedom
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array


@dataclass(frozen=True)
class Total:
    """An estimate with its standard error, degrees of freedom and interval; the last three None if nothing tells."""

    value: float
    error: float
    freedom: int
    low: float
    high: float


@dataclass(frozen=True)
class Answered:
    """Units that were drawn and answered: size, probability and stratum of each (-1: certain).

    ``totals`` has the sum of sizes of every stratum, ``drawn`` how many units were drawn in it, where some were not
    answered: those are made up for inside their stratum.
    """

    x: FloatArray
    probability: FloatArray
    stratum: Int64Array
    totals: Mapping[int, float]
    drawn: Mapping[int, int] | None = None
    level: float = 0.95

    def weights(self) -> tuple[FloatArray, FloatArray]:
        """How much each unit counts, and the probability with which it was drawn and answered."""
        w, p = np.zeros(len(self.x)), np.zeros(len(self.x))
        for h in np.unique(self.stratum).tolist():
            here = self.stratum == h
            rate = 1.0 if self.drawn is None else here.sum() / self.drawn[h]
            p[here] = self.probability[here] * rate
            w[here] = 1 / p[here]
            if h in self.totals:
                w[here] *= self.totals[h] / (w[here] * self.x[here]).sum()
        return w, p

    def total(self, y: FloatArray) -> Total:
        """The total of y over all units."""
        w, p = self.weights()
        value = float((w * y).sum())

        def residual(here: BoolArray) -> FloatArray:
            below = (w[here] * self.x[here]).sum()
            slope = (w[here] * y[here]).sum() / below
            return np.asarray(w[here] * (y[here] - slope * self.x[here]), dtype=float)

        error, nu = self._error(p, residual)
        half = standard_errors(self.level, nu) * error
        return Total(value, error, nu, value - half, value + half)

    def share(self, y: FloatArray, z: FloatArray) -> Total:
        """The total of y as a share of that of z, of which it is a part."""
        w, p = self.weights()
        below = float((w * z).sum())
        if below <= 0:
            return Total(math.nan, math.nan, 0, 0.0, 1.0)
        value = float((w * y).sum()) / below

        def residual(here: BoolArray) -> FloatArray:
            u = w[here] * (y[here] - value * z[here]) / below
            size = w[here] * self.x[here]
            return np.asarray(u - size / size.sum() * u.sum(), dtype=float)

        error, nu = self._error(p, residual)
        tail = (1 - self.level) / 2
        if value <= 0 or value >= 1 or error <= 1e-15:
            worth = below**2 / float(((w * z) ** 2).sum())
            low = high = value
            if (p[z > 0] < 1).any() and value >= 1:
                low, high = tail ** (1 / worth), 1.0
            elif (p[z > 0] < 1).any() and value <= 0:
                low, high = 0.0, 1 - tail ** (1 / worth)
            return Total(value, error, nu, low, high)
        middle = math.log(value / (1 - value))
        half = standard_errors(self.level, nu) * error / (value * (1 - value))
        return Total(value, error, nu, expit(middle - half), expit(middle + half))

    def _error(self, p: FloatArray, residual: Callable[[BoolArray], FloatArray]) -> tuple[float, int]:
        parts, k, strata = [], 0, 0
        for h in np.unique(self.stratum).tolist():
            here = self.stratum == h
            held = int(here.sum())
            scale = held / (held - 1) if held > 1 else 0.0
            if (p[here] < 1).any():
                e = residual(here)
                parts.append(scale * np.maximum(0, 1 - p[here]) * e * e)
                k, strata = k + held, strata + 1
        if not parts:
            return 0.0, 1
        v = np.concatenate(parts)
        spread, total = float((v * v).sum()), float(v.sum())
        return math.sqrt(total), freedom(max(1, k - strata), total**2 / spread if spread > 0 else None)


@dataclass(frozen=True)
class Anchor:
    """The old run's level: pair precision and recall with their standard errors, as :func:`estimate` gives them."""

    precision: float
    recall: float
    precision_error: float = 0.0
    recall_error: float = 0.0

    @classmethod
    def of(cls, found: Estimates) -> Anchor:
        """The level that an estimate tells."""
        precision, recall = found["pairs.precision"], found["pairs.recall"]
        if precision.value is None or recall.value is None:
            raise ArgumentError.about("anchor", "has no pair precision or recall: its sample has no pairs.")
        return cls(precision.value, recall.value, precision.error or 0.0, recall.error or 0.0)


def anchored(true_pairs: Total, pairs: tuple[float, float], anchor: Anchor) -> dict[str, tuple[float, float]]:
    """What a change of true pairs means for pair precision, recall and F1: difference and standard error of each.

    ``pairs`` counts those together in the old and in the new run. Errors are by the delta method.
    """
    old, new = pairs
    p, r, gained = anchor.precision, anchor.recall, true_pairs.value
    both = p * old
    true = both / r
    after = both + gained

    def by_p(above: float, predicted: float) -> float:
        return (2 * old * (predicted + true) - 2 * above * old / r) / (predicted + true) ** 2

    def by_r(above: float, predicted: float) -> float:
        return 2 * above * (both / r**2) / (predicted + true) ** 2

    found = {
        "pairs.precision": (after / new - p, (1 / new, old / new - 1, 0.0)),
        "pairs.recall": (gained / true, (1 / true, -gained / true / p, gained / true / r)),
        "pairs.f1": (
            2 * after / (new + true) - 2 * both / (old + true),
            (2 / (new + true), by_p(after, new) - by_p(both, old), by_r(after, new) - by_r(both, old)),
        ),
    }
    errors = (true_pairs.error, anchor.precision_error, anchor.recall_error)
    return {
        name: (
            value,
            math.sqrt(sum((slope * error) ** 2 for slope, error in zip(slopes, errors, strict=True))),
        )
        for name, (value, slopes) in found.items()
    }


def expected_error(
    x: FloatArray,
    probability: FloatArray,
    certain: BoolArray,
    stratum: Int64Array,
    y: tuple[FloatArray, FloatArray],
    new_right: float = 0.5,
) -> float:
    """The standard error to expect of a total, if the new run is right in a unit with a probability, else the old one.

    ``y`` is what a unit adds if the old run is right, and if the new one is.
    """
    old, new = y
    variance = 0.0
    for h in np.unique(stratum[~certain]).tolist():
        here = ~certain & (stratum == h)
        mean = new_right * new[here] + (1 - new_right) * old[here]
        slope = mean.sum() / x[here].sum()
        square = (
            new_right * (new[here] - slope * x[here]) ** 2
            + (1 - new_right) * (old[here] - slope * x[here]) ** 2
        )
        variance += float(((1 - probability[here]) / probability[here] * square).sum())
    return math.sqrt(variance)
