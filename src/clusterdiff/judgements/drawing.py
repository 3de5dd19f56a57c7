"""Drawing units with probabilities that follow their size: certain ones, strata, and systematic draws."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array

#: Each stratum gets so many draws at least, if it has as many units.
LEAST = 2
#: What is closer to a whole number than this is one.
WHOLE = 1e-9


@dataclass(frozen=True)
class Probabilities:
    """The inclusion probability of every unit, which ones are certain, and how many each stratum gives."""

    probability: FloatArray
    certain: BoolArray
    stratum: Int64Array
    take: dict[int, int]

    def draw(self, rng: np.random.Generator) -> Int64Array:
        """Units: all certain ones, and of each stratum as many as it gives."""
        out = [np.flatnonzero(self.certain)]
        for h in sorted(self.take):
            units = np.flatnonzero(~self.certain & (self.stratum == h))
            out.append(systematic(self.probability, rng.permutation(units), float(rng.random())))
        return np.concatenate(out)


def systematic(probability: FloatArray, order: Int64Array, start: float) -> Int64Array:
    """Units in an order, drawn by unit steps on the running sum of their probabilities: those are exact."""
    running = np.cumsum(probability[order])
    if not len(running):
        return np.empty(0, dtype=np.int64)
    k = round(float(running[-1]))
    if abs(float(running[-1]) - k) < 1e-6:
        running[-1] = k + WHOLE
    found: Int64Array = order[np.searchsorted(running, start + np.arange(k), side="right")]
    return found


def probabilities(x: FloatArray, k: int, stratum: Int64Array | None = None) -> Probabilities:
    """Probabilities in proportion to ``x`` for k draws; what would be drawn anyway is certain."""
    n = len(x)
    strata = np.zeros(n, dtype=np.int64) if stratum is None else stratum
    if k >= n:
        return Probabilities(np.ones(n), np.ones(n, dtype=bool), strata, {})
    certain = np.zeros(n, dtype=bool)
    while True:
        new = ~certain & (x * (k - certain.sum()) >= x[~certain].sum())
        if not new.any():
            break
        certain |= new
    while True:
        if certain.all():  # strata so small that two of each are all of them
            return Probabilities(np.ones(n), certain, strata, {})
        take = _allotted(x, k - int(certain.sum()), strata, certain)
        found, again = np.ones(n), False
        for h, draws in take.items():
            here = ~certain & (strata == h)
            found[here] = draws * x[here] / x[here].sum()
        for h in take:
            full = ~certain & (strata == h) & (found >= 1 - 1e-12)
            if full.any():
                certain |= full
                again = True
        if not again:
            return Probabilities(found, certain, strata, take)


def _allotted(x: FloatArray, k: int, strata: Int64Array, certain: BoolArray) -> dict[int, int]:
    """How many of k draws each stratum gives: by its share of x, at least two."""
    units = {int(h): int((~certain & (strata == h)).sum()) for h in np.unique(strata[~certain])}
    total = float(x[~certain].sum())
    want = {h: k * float(x[~certain & (strata == h)].sum()) / total for h in units}
    floor = {h: math.floor(want[h] + WHOLE) for h in units}
    take = {h: min(units[h], max(LEAST, floor[h])) for h in units}
    order = sorted(units, key=lambda h: (-(want[h] - floor[h]), h))
    place = 0
    while sum(take.values()) < k and any(take[h] < units[h] for h in units):
        h = order[place % len(order)]
        place += 1
        take[h] += take[h] < units[h]
    while sum(take.values()) > k:
        h = max(units, key=lambda h: (take[h] - want[h], h))
        if take[h] <= min(LEAST, units[h]):
            break
        take[h] -= 1
    return take
