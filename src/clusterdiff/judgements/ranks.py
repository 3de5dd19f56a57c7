"""Several runs ranked on one sample of the truth: estimates, and differences over the draws that they share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from clusterdiff import notebook
from clusterdiff._version import __version__
from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.errors import ArgumentError, nearest, one_of
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.estimates import Estimate
from clusterdiff.judgements.ratios import Estimated, freedom
from clusterdiff.judgements.resolved import (
    TERMS,
    estimate_clusters,
    estimate_points,
    estimated,
    mean_of,
    parsed,
    values_of_points,
    weigh,
)
from clusterdiff.judgements.review import answered_points, reviews_points
from clusterdiff.judgements.runs import open_run
from clusterdiff.judgements.samples import Design, MissingPoints, lay_sample, placed
from clusterdiff.messages import Message
from clusterdiff.table import record_html
from clusterdiff.wording import change, count, number

#: What runs can be ranked by on a sample.
RANKED = (*TERMS, "b3.f1")


@dataclass(frozen=True)
class Lead:
    """By how much a run is ahead of the one after it: the difference of their estimates, over the same draws."""

    value: float
    error: float
    low: float
    high: float

    def _repr_html_(self) -> str:
        return record_html("Lead", asdict(self))


@dataclass(frozen=True, repr=False)
class SampleRanking:
    """Runs by their estimates from one sample, the best first. Made by :func:`rank` with ``design=``.

    ``leads`` has what each is ahead of the next.
    """

    measure: str
    estimates: Mapping[str, Estimate]
    leads: Mapping[str, Lead]
    level: float
    draws: int
    design: str
    warnings: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The runs, best first."""
        return list(self.estimates)

    @property
    def signature(self) -> str:
        """How the estimates came about."""
        return f"{self.measure}|design:{self.design}|draws:{self.draws}|v:{__version__}"

    def __repr__(self) -> str:
        rows = [self.heads, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if i == 0 else cell.rjust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, *(f"warning: {warning}" for warning in self.warnings), self.signature])

    def _repr_html_(self) -> str:
        found = notebook.table(self.heads, self.rows(), [False, True, True, True])
        notes = [notebook.line(f"warning: {warning}") for warning in self.warnings]
        return notebook.view(found, *notes, notebook.signature(self.signature))

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "signature": self.signature,
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
    measure: str | None = None,
    design: Design,
    drawn: Sequence[Any] | None = None,
    level: float = 0.95,
    missing: MissingPoints = "drop",
) -> SampleRanking:
    """Rank runs on a sample of true clusters; differences are by the jackknife over draws that both have.

    With ``drawn`` points, whose true and predicted clusters the sample has whole, runs are ranked by S_H.
    """
    one_of("design", design, ("clusters", "points"))
    if len(preds) < 2:
        raise ArgumentError.about("preds", "must have two runs at least.")
    by = measure or ("b3.f1" if drawn is None else "S_H")
    if drawn is not None:
        one_of("measure", by, ("S_H",))
    elif (known := parsed(by)) is None or known[0] not in RANKED:
        raise ArgumentError.about(
            "measure",
            f"must be one of {', '.join(RANKED)} on a sample; got {by!r}.",
            Message("for S_H, pass `drawn=`, points whose predicted clusters are completed, too.")
            if by == "S_H"
            else nearest(by, RANKED),
        )
    if isinstance(sample, Judgements) and reviews_points(sample):
        draws_of_points, _, every = answered_points(sample)
        sample = draws_of_points if drawn is None else every
    found: dict[str, Estimated] = {}
    told: dict[str, Estimate] = {}
    warnings: list[str] = []
    draws = set()
    for name, pred in preds.items():
        run = open_run(pred, name)
        laid = lay_sample(sample, run, missing)
        if drawn is None:
            weights = weigh(laid, design, None, None)
            found[name], _ = estimated(laid, weights, by)
            estimates, said = estimate_clusters(
                laid, weights, [by], Resampling(level), by_points=design == "points"
            )
            told[name] = estimates[by]
            draws.add(len(laid))
        else:
            names, place = placed(drawn, run)
            z = values_of_points(laid, place, run.cluster, names)
            found[name] = mean_of(z)
            told[name], said = estimate_points(laid, place, run.cluster, names, design, level)
            draws.add(len(z))
        warnings += [f"{name}: {warning}" for warning in said]
        if laid.dropped:
            warnings.append(f"{name} lacks {count(laid.dropped)} of the sample: they are left out.")
    if len(draws) > 1:
        raise ArgumentError.about("preds", "lack whole clusters of the sample: their draws are not the same.")
    if any(math.isnan(one.value) for one in found.values()):
        raise ArgumentError.about("measure", f"{by!r} has no value on this sample for some run.")
    order = sorted(found, key=lambda name: (-found[name].value, name))
    leads = {a: _lead(found[a], found[b], level) for a, b in pairwise(order)}
    return SampleRanking(
        by, {name: told[name] for name in order}, leads, level, draws.pop(), design, tuple(warnings)
    )


def _lead(first: Estimated, second: Estimated, level: float) -> Lead:
    """The difference of two estimates from the same draws, by the jackknife."""
    left, moves = first.left - second.left, (first.moves - second.moves) ** 2
    k = len(left)
    error = math.sqrt((k - 1) / k * float(((left - left.mean()) ** 2).sum())) if k > 1 else math.nan
    spread = float((moves * moves).sum())
    nu = freedom(k - 1, float(moves.sum()) ** 2 / spread if spread > 0 else None)
    half = standard_errors(level, nu) * error
    value = first.value - second.value
    return Lead(value, error, float(np.maximum(-1.0, value - half)), float(np.minimum(1.0, value + half)))
