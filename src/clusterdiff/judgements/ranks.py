"""Several runs ranked on one sample of the truth: estimates, and differences over the draws that they share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import t as student

from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.judgements.estimates import Estimate
from clusterdiff.judgements.ratios import Estimated, freedom
from clusterdiff.judgements.resolved import TERMS, estimate_clusters, estimated, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import Design, MissingPoints, lay_sample
from clusterdiff.wording import change, number

#: What runs can be ranked by on a sample.
RANKED = (*TERMS, "b3.f1")


@dataclass(frozen=True)
class Lead:
    """By how much a run is ahead of the one after it: the difference of their estimates, over the same draws."""

    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True)
class SampleRanking:
    """Runs by their estimates, the best first; ``leads`` has what each is ahead of the next."""

    measure: str
    estimates: Mapping[str, Estimate]
    leads: Mapping[str, Lead]
    level: float
    draws: int
    design: str
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "measure": self.measure,
            "design": self.design,
            "draws": self.draws,
            "level": self.level,
            "systems": {name: asdict(one) for name, one in self.estimates.items()},
            "leads": {name: asdict(one) for name, one in self.leads.items()},
            "warnings": list(self.warnings),
        }

    def rows(self) -> list[list[str]]:
        """The cells of the table for people."""
        out = []
        for name, one in self.estimates.items():
            lead = self.leads.get(name)
            ahead = (
                "" if lead is None else f"{change(lead.value)} ({change(lead.low)} to {change(lead.high)})"
            )
            assert one.value is not None
            assert one.low is not None
            assert one.high is not None
            out.append([name, number(one.value), f"{number(one.low)} to {number(one.high)}", ahead])
        return out

    @property
    def heads(self) -> list[str]:
        """What the columns of the table are called."""
        return ["system", self.measure, f"{self.level:.0%} interval", "ahead of the next"]


def rank_sample(
    sample: object,
    preds: Mapping[str, object],
    *,
    measure: str = "b3.f1",
    design: Design,
    level: float = 0.95,
    missing: MissingPoints = "drop",
) -> SampleRanking:
    """Rank runs on a sample of true clusters; differences are by the jackknife over draws that both have."""
    one_of("measure", measure, RANKED)
    one_of("design", design, ("clusters", "points"))
    if len(preds) < 2:
        raise ArgumentError.about("preds", "must have two runs at least.")
    found: dict[str, Estimated] = {}
    told: dict[str, Estimate] = {}
    warnings: list[str] = []
    draws = set()
    for name, pred in preds.items():
        laid = lay_sample(sample, Indexed(pred, name), missing)
        weights = weigh(laid, design, None, None)
        found[name], _ = estimated(laid, weights, measure)
        estimates, said = estimate_clusters(laid, weights, [measure], level, by_points=design == "points")
        told[name] = estimates[measure]
        warnings += [f"{name}: {warning}" for warning in said]
        draws.add(len(laid))
    if len(draws) > 1:
        raise ArgumentError.about("preds", "lack whole clusters of the sample: their draws are not the same.")
    if any(math.isnan(one.value) for one in found.values()):
        raise ArgumentError.about("measure", f"{measure!r} has no value on this sample for some run.")
    order = sorted(found, key=lambda name: (-found[name].value, name))
    leads = {a: _lead(found[a], found[b], level) for a, b in pairwise(order)}
    return SampleRanking(
        measure, {name: told[name] for name in order}, leads, level, draws.pop(), design, tuple(warnings)
    )


def _lead(first: Estimated, second: Estimated, level: float) -> Lead:
    """The difference of two estimates from the same draws, by the jackknife."""
    left, moves = first.left - second.left, (first.moves - second.moves) ** 2
    k = len(left)
    error = math.sqrt((k - 1) / k * float(((left - left.mean()) ** 2).sum())) if k > 1 else math.nan
    spread = float((moves * moves).sum())
    nu = freedom(k - 1, float(moves.sum()) ** 2 / spread if spread > 0 else None)
    half = float(student.ppf((1 + level) / 2, nu)) * error
    value = first.value - second.value
    return Lead(value, error, float(np.maximum(-1.0, value - half)), float(np.minimum(1.0, value + half)))
