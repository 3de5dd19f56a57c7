"""The difference of two runs from the answers to a review of their changed components."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.changed import KINDS
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.contributions import INNER, OUTER, contributions
from clusterdiff.judgements.difference import COUNTS, Difference, Shift
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.reach import reached
from clusterdiff.judgements.review import CERTAIN, shows_two
from clusterdiff.judgements.totals import Answered, Total
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.wording import count

#: With fewer changed components than this, the share of components that improve is rough.
FEW_COMPONENTS = 200
#: The shares of each kind of change that improve.
BY_KIND = {"improved splits": "split", "improved merges": "merge", "improved rearrangements": "rearranged"}


def _labels(line: Judgement, header: Mapping[str, Any]) -> tuple[Int64Array, Int64Array, list[str]]:
    """The old and the new cluster of each point of a reviewed component, and the points."""
    side = header["sides"][line.id]
    old, new = line.shown[side], line.shown["2" if side == "1" else "1"]
    points = [str(point) for group in old for point in group]
    code = {str(point): i for i, group in enumerate(new) for point in group}
    before = np.repeat(np.arange(len(old)), [len(group) for group in old])
    return before, np.array([code[point] for point in points]), points


def _truth(line: Judgement, points: list[str]) -> tuple[Int64Array, Int64Array | None]:
    """The true cluster of each point, by the answer; and how many members of it are beyond the component, if known."""
    code = {point: i for i, group in enumerate(line.groups) for point in group}
    lacking = [point for point in points if point not in code]
    if lacking:
        raise ArgumentError.about(
            "judgements",
            f"has {line.id!r}, whose groups lack {count(len(lacking))} of it, such as {lacking[0]!r}.",
        )
    true = np.array([code[point] for point in points])
    inside = set(points)
    outside = np.array([sum(point not in inside for point in group) for group in line.groups], dtype=np.int64)
    if line.beyond is not None:
        return true, (outside + np.array(line.beyond))[true]
    return true, outside[true] if line.complete or outside.any() else None


def header_of(judgements: Judgements) -> Mapping[str, Any]:
    """The header of a review of a difference; an error if judgements are none, or not all of them."""
    header = judgements.header
    if header is None or not all(one.id in header.get("sides", {}) and shows_two(one) for one in judgements):
        raise ArgumentError.about(
            "judgements",
            "must be the answers to one review of a difference, with the first line of its file.",
            "draw one with `clusterdiff plan --old A --new B`.",
        )
    return header


def estimate_difference(judgements: Judgements, level: float, diff: Comparison | None = None) -> Difference:
    """The difference of two runs from the answers to a review; with the two compared, that of S_H may be exact."""
    header = header_of(judgements)
    lines = list(judgements)
    drawn = {h: sum(_stratum(one) == h for one in lines) for h in {_stratum(one) for one in lines}}
    sure = [one for one in lines if one.groups]
    if not sure:
        raise ArgumentError.about("judgements", "has no answers yet.")
    found, components = [], []
    known_sizes = True
    for one in sure:
        old, new, points = _labels(one, header)
        components.append(points)
        true, beyond = _truth(one, points)
        known_sizes &= beyond is not None
        found.append(contributions(old, new, true, beyond))
    totals = {-1: header["totals"][CERTAIN]} | {i: header["totals"][kind] for i, kind in enumerate(KINDS)}
    units = _units(sure, totals, drawn, level)
    y = {name: np.array([one[name] for one in found]) for name in found[0]}
    open_ends = None if len(sure) == len(lines) else _ends(lines, header, totals, level)
    n = float(header["n"])
    far = None if diff is None else reached(sure, components, diff)
    y |= far or {}
    names = [*(far or ()), *INNER, "S_H, cut", *(name if known_sizes else f"{name}, cut" for name in OUTER)]
    thin = any((units.stratum == h).sum() < 2 for h in drawn if h >= 0)
    difference = {}
    for name in names:
        scale = 1.0 if name in COUNTS else 1 / n
        difference[name] = _scaled(name, units.total(y[name]), scale, open_ends, thin)
    ones = np.ones(len(sure))
    kinds = np.array([one.other.get("kind") for one in sure])
    wanted: dict[str, tuple[FloatArray, FloatArray]] = {
        "improved": (y["better"], ones),
        "worsened": (y["worse"], ones),
        "points improved": (y["points better"], y["points"]),
        **{name: (y["better"] * (kinds == kind), ones * (kinds == kind)) for name, kind in BY_KIND.items()},
        "new right": (y["new right"], ones),
        "old right": (y["old right"], ones),
        "joined right": (y["joined right"], y["joined"]),
        "parted right": (y["torn"] - y["torn wrongly"], y["torn"]),
    }
    shares = {}
    rarer: dict[str, int] = {}
    for name, (above, below) in wanted.items():
        if below.sum() > 0:
            one_share = units.share(above, below)
            low, high = (None, None) if thin else (one_share.low, one_share.high)
            shares[name] = Shift(name, one_share.value, one_share.error, low, high, freedom=one_share.freedom)
            if (units.probability[below > 0] < 1).any():
                rarer[name] = int(min(np.count_nonzero(above > 0), np.count_nonzero(below - above > 0)))
    answers = {"drawn": len(lines), "answered": len(sure), "unsure": len(lines) - len(sure)}
    warnings = _warnings(header, lines, known_sizes, thin)
    if not thin and (units.probability < 1).any():
        warnings += _flat(difference | shares)
    return Difference(difference, shares, header, answers, level, tuple(warnings), rarer)


def _stratum(one: Judgement) -> int:
    return -1 if one.stratum == CERTAIN else KINDS.index(one.stratum or "")


def _units(
    lines: list[Judgement], totals: Mapping[int, float], drawn: Mapping[int, int], level: float
) -> Answered:
    return Answered(
        np.array([one.x for one in lines], dtype=float),
        np.array([one.probability for one in lines], dtype=float),
        np.array([_stratum(one) for one in lines]),
        totals,
        drawn,
        level,
    )


def _ends(
    lines: list[Judgement], header: Mapping[str, Any], totals: Mapping[int, float], level: float
) -> dict[str, tuple[float, float]]:
    """Totals if the old run is right in all components without an answer, and if the new one is."""
    drawn = {h: sum(_stratum(one) == h for one in lines) for h in {_stratum(one) for one in lines}}
    units = _units(lines, totals, drawn, level)
    out: dict[str, list[float]] = {}
    for right in (0, 1):
        found = []
        for one in lines:
            old, new, points = _labels(one, header)
            true, beyond = _truth(one, points) if one.groups else ((old, new)[right], None)
            found.append(contributions(old, new, true, beyond))
        for name in found[0]:
            out.setdefault(name, []).append(units.total(np.array([one[name] for one in found])).value)
    return {name: (min(ends), max(ends)) for name, ends in out.items()}


def _scaled(
    name: str, found: Total, scale: float, ends: Mapping[str, tuple[float, float]] | None, thin: bool
) -> Shift:
    low, high = (None, None) if thin or math.isnan(found.error) else (found.low * scale, found.high * scale)
    bounds = None if ends is None or name not in ends else (ends[name][0] * scale, ends[name][1] * scale)
    return Shift(name, found.value * scale, found.error * scale, low, high, bounds, found.freedom)


def _warnings(
    header: Mapping[str, Any],
    lines: list[Judgement],
    known_sizes: bool,
    thin: bool,
) -> list[str]:
    out = []
    if header.get("unshared"):
        out.append(f"{count(header['unshared'])} in one run only: left out.")
    if thin:
        out.append("a stratum has fewer than two answers: there are no intervals, only bounds.")
    unsure = [one for one in lines if not one.groups]
    if unsure:
        out.append(
            f"{count(len(unsure), 'component')} without groups: treated as missing at random within their stratum; "
            "the bounds count them either way (sharp for pairs, B-cubed and vi, approximate for S_H and S')."
        )
    lost = sum(one.x or 0.0 for one in unsure if one.stratum == CERTAIN)
    if lost > 0.05 * sum(header["totals"].values()):
        out.append("large components that were drawn with certainty have no answer: resolve those first.")
    if header["components"] < FEW_COMPONENTS and any((one.probability or 0) < 1 for one in lines):
        out.append(
            f"{count(header['components'], 'component')} changed, fewer than {FEW_COMPONENTS}: shares are rough."
        )
    if not known_sizes:
        out.append(
            "true clusters are cut at the component where a name says so, since their full sizes are unknown: add "
            '"complete": true or "beyond" to the answers.'
        )
    return out


def _flat(shifts: Mapping[str, Shift]) -> list[str]:
    """A warning of intervals that are points, although not everything was drawn."""
    names = [name for name, one in shifts.items() if one.low is not None and one.low == one.high]
    if not names:
        return []
    return [
        f"{', '.join(names)}: the drawn components do not vary, so the interval is a single value; others may differ."
    ]
