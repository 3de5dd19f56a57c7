"""Estimates from pairs of points that were drawn with known probabilities, and judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.estimates import Estimate
from clusterdiff.judgements.ratios import expit, freedom
from clusterdiff.judgements.resolved import FEW, parsed
from clusterdiff.judgements.runs import PointFinder
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array
from clusterdiff.wording import count

#: What is above and below the line, from whether a pair is together in the run (c) and in truth (v).
Side = Callable[[FloatArray, FloatArray], FloatArray]
RATIOS: dict[str, tuple[Side, Side]] = {
    "pairs.precision": (lambda c, v: c * v, lambda c, v: c),
    "pairs.recall": (lambda c, v: c * v, lambda c, v: v),
}
#: What is estimated unless something else is asked for.
USUAL = (*RATIOS, "pairs.f1")


def ratio_of(measure: str) -> tuple[Side, Side] | None:
    """What is above and below the line in a measure; None if pairs do not tell it."""
    base, beta = parsed(measure) or (measure, 1.0)
    if base != "pairs.f1":
        return RATIOS.get(measure)
    square = beta * beta
    return lambda c, v: (1 + square) * c * v, lambda c, v: c + square * v


@dataclass(frozen=True)
class JudgedPairs:
    """Drawn pairs: whether they are together in the run, what was judged (NaN: unsure), and how they were drawn.

    ``stratum`` is None for independent draws.
    """

    together: FloatArray
    match: FloatArray
    probability: FloatArray
    stratum: Int64Array | None = None

    @property
    def answered(self) -> BoolArray:
        """Which pairs somebody was sure about."""
        return ~np.isnan(self.match)

    def estimates(self, level: float, measures: Sequence[str] = USUAL) -> dict[str, Estimate]:
        """Pair precision, recall and F within the frame that the pairs were drawn from."""
        n = len(self.together)
        stratum = np.zeros(n, dtype=np.int64) if self.stratum is None else self.stratum
        weight, p = 1 / self.probability, self.probability.copy()
        for h in np.unique(stratum):
            for c in (
                0,
                1,
            ):  # what is unsure is made up for among pairs of the same stratum and the same side
                here = (stratum == h) & (self.together == c)
                sure = here & self.answered
                if sure.any():
                    p[here] *= sure.sum() / here.sum()
                    weight[here] *= weight[here].sum() / weight[sure].sum()
        return {name: self._one(name, weight, p, stratum, level) for name in measures}

    def _sides(self, name: str) -> tuple[Side, Side]:
        found = ratio_of(name)
        if found is None:
            raise ArgumentError.about(
                "measures",
                f"of judged pairs are {', '.join(USUAL)}, and F with another beta, such as pairs.f1(beta=2); "
                f"got {name!r}.",
                nearest(name, USUAL),
            )
        return found

    def _one(
        self, name: str, weight: FloatArray, p: FloatArray, stratum: Int64Array, level: float
    ) -> Estimate:
        above, below = self._sides(name)
        sure = self.answered
        c, v, w = self.together[sure], self.match[sure], weight[sure]
        y, z = above(c, v), below(c, v)
        total = float((w * z).sum())
        bounds = None if sure.all() else self._bounds(name)
        if total <= 0:
            return Estimate(name, None, None, None, None, int(sure.sum()), 0.0, bounds)
        value = float((w * y).sum()) / total
        e = w * (y - value * z) / total
        if self.stratum is None:
            inside = (z > 0) | (y > 0)
            k, strata = int(inside.sum()), 1
            scale = k / (k - 1) if k > 1 else 0.0
            parts = [scale * (1 - p[sure][inside]) * e[inside] ** 2]
        else:
            parts, k, strata = self._by_stratum(
                (c, v, w), e, (value, total), p[sure], stratum[sure], (above, below)
            )
        variances = np.concatenate(parts)
        error = math.sqrt(float(variances.sum()))
        spread = float((variances**2).sum())
        effective = float(variances.sum()) ** 2 / spread if spread > 0 else None
        nu = freedom(max(1, k - strata), effective)
        worth = total**2 / float(((w * z) ** 2).sum())
        ends = _ends(value, error, nu, worth, level)
        return Estimate(name, value, error, *ends, int(sure.sum()), effective or float(k), bounds)

    def _by_stratum(
        self,
        judged: tuple[FloatArray, FloatArray, FloatArray],
        e: FloatArray,
        ratio: tuple[float, float],
        p: FloatArray,
        stratum: Int64Array,
        sides: tuple[Side, Side],
    ) -> tuple[list[FloatArray], int, int]:
        """Variances within strata crossed with the run's side, each with one added draw of the side's share of matches.

        Without that draw, strata that show no error would claim to have none.
        """
        (c, v, w), (value, total), (above, below) = judged, ratio, sides
        parts, k, strata = [], 0, 0
        for h in np.unique(stratum):
            for side in (0.0, 1.0):
                here = (stratum == h) & (c == side)
                held = int(here.sum())
                if not held:
                    continue
                fixed, either = np.array([side, side]), np.array([0.0, 1.0])
                added = w[here].mean() * (above(fixed, either) - value * below(fixed, either)) / total
                share = float(v[c == side].mean())
                u, f = np.r_[e[here], added], np.r_[np.ones(held), 1 - share, share]
                mean = float((f * u).sum() / f.sum())
                square = float((f * (u - mean) ** 2).sum() / (f.sum() - 1))
                parts.append(np.full(held, (1 - float(p[here].mean())) * square))
                k, strata = k + held, strata + 1
        return parts, k, strata

    def _bounds(self, name: str) -> tuple[float, float]:
        """The ratio if unsure pairs are judged as badly, or as well, as they can be."""
        above, below = self._sides(name)
        c, w = self.together, 1 / self.probability
        out = []
        for best in (False, True):
            guess = (
                (np.ones(len(c)) if best else np.zeros(len(c)))
                if name == "pairs.precision"
                else (c if best else 1 - c)
            )
            v = np.where(self.answered, self.match, guess)
            out.append(float((w * above(c, v)).sum() / (w * below(c, v)).sum()))
        return out[0], out[1]

    def warnings(self) -> list[str]:
        """Where an interval cannot be trusted."""
        sure = self.answered
        wrong = int((self.match[sure] != self.together[sure]).sum())
        out = [
            f"recall and F1 are within the frame from which {count(len(self.together), 'pair')} were drawn."
        ]
        if wrong < FEW:
            out.append(
                f"{count(wrong, 'pair')} show an error, fewer than {FEW}: the intervals are rough. Draw more."
            )
        if not sure.all():
            out.append(
                f"{count(int((~sure).sum()), 'pair')} unsure: treated as missing at random; bounds count them either "
                "way."
            )
        return out


def _ends(value: float, error: float, nu: int, worth: float, level: float) -> tuple[float, float]:
    tail = (1 - level) / 2
    if value >= 1:
        return tail ** (1 / worth), 1.0
    if value <= 0:
        return 0.0, 1 - tail ** (1 / worth)
    half = standard_errors(level, nu) * error / (value * (1 - value))
    middle = math.log(value / (1 - value))
    return expit(middle - half), expit(middle + half)


def pairs_of(judgements: Judgements, run: PointFinder) -> JudgedPairs:
    """The judged pairs of a sample against a run: two points each, with a probability."""
    rows = [one for one in judgements if not one.withdrawn and one.probability is not None]
    odd = next((one for one in rows if len(one.points) != 2), None)
    if odd is not None or not rows:
        raise ArgumentError.about(
            "sample",
            "has no judgement with a probability."
            if odd is None
            else f"has {odd.id!r}, which is not a pair of points.",
            "a pair that is part of a sample has a probability, that with which it was drawn.",
        )
    known = [one.stratum for one in rows]
    if any(one is None for one in known) and any(one is not None for one in known):
        raise ArgumentError.about("sample", "has a stratum for some pairs only; all or none must have one.")
    place = run.find([point for one in rows for point in one.points]).reshape(-1, 2)
    _refuse_absent(place, [one.id for one in rows])
    match = np.array([math.nan if not one.groups else float(len(one.groups) == 1) for one in rows])
    codes = {name: i for i, name in enumerate(dict.fromkeys(known))}
    return JudgedPairs(
        (run.cluster[place[:, 0]] == run.cluster[place[:, 1]]).astype(float),
        match,
        np.array([one.probability for one in rows], dtype=float),
        None if known[0] is None else np.array([codes[name] for name in known]),
    )


def _refuse_absent(place: Int64Array, ids: Sequence[str]) -> None:
    absent = np.flatnonzero((place < 0).any(axis=1))
    if len(absent):
        raise ArgumentError.about(
            "sample",
            f"has {count(len(absent), 'pair')} with points that the run lacks, such as {ids[int(absent[0])]!r}.",
            "check how both call the points; pairs of points that are gone are no sample of this run: leave them out.",
        )
