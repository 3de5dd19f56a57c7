"""Several reviews of the same two runs: batches that were drawn one after the other, as one estimate."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.difference import Difference, Shift
from clusterdiff.judgements.judgement import Group, Judgement
from clusterdiff.judgements.ratios import expit
from clusterdiff.messages import Message

#: What must be the same for batches of one difference.
SAME = ("n", "components", "pairs", "digests")


def shared_answers(batches: Sequence[Judgements]) -> list[Judgements]:
    """Batches in which a component that was drawn twice has the answer that it got once."""
    if len(batches) < 2:
        return list(batches)
    known: dict[Group, Judgement] = {}
    for one in (one for batch in batches for one in batch if one.groups):
        known.setdefault(_points(one), one)

    def answered(one: Judgement) -> Judgement:
        twin = known.get(_points(one))
        if one.groups or one.answer is not None or twin is None:
            return one
        return replace(
            one, groups=twin.groups, answer="own", complete=twin.complete, beyond=twin.beyond, by=twin.by
        )

    return [Judgements(map(answered, batch), batch.header) for batch in batches]


def _points(one: Judgement) -> Group:
    shown = one.shown.get("1", []) if isinstance(one.shown, Mapping) else []
    return tuple(sorted(str(point) for group in shown for point in group))


def combined(parts: Sequence[Difference]) -> Difference:
    """One difference from those of independent batches, each counting by its draws."""
    first = parts[0]
    if len(parts) == 1:
        return first
    for other in parts[1:]:
        odd = next((key for key in SAME if other.header.get(key) != first.header.get(key)), None)
        if odd is not None:
            raise ArgumentError(
                Message("`judgements` are reviews of different runs: they do not agree in {key}.", key=odd),
                "draw every batch from the same two runs, each with a seed of its own.",
            )
    if len({part.header["seed"] for part in parts}) < len(parts):
        raise ArgumentError(
            Message("`judgements` are batches with the same seed: they are the same draw."),
            "draw another batch with another --seed.",
        )
    drawn = [part.answers["drawn"] for part in parts]
    weights = [number / sum(drawn) for number in drawn]
    level = first.level

    def each(of: Callable[[Difference], Mapping[str, Shift]], share: bool) -> dict[str, Shift]:
        names = [name for name in of(first) if all(name in of(part) for part in parts)]
        return {name: _combined([of(part)[name] for part in parts], weights, level, share) for name in names}

    answers = {key: sum(part.answers[key] for part in parts) for key in first.answers}
    header = first.header | {"seed": "+".join(str(part.header["seed"]) for part in parts)}
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    rarer = Counter[str]()
    for part in parts:
        rarer.update(part.rarer)
    return Difference(
        each(lambda part: part.difference, False),
        each(lambda part: part.shares, True),
        header,
        answers,
        level,
        notes,
        rarer,
    )


def _combined(shifts: Sequence[Shift], weights: Sequence[float], level: float, share: bool) -> Shift:
    name = shifts[0].name
    value = sum(w * one.value for w, one in zip(weights, shifts, strict=True))
    squares = [(w * one.error) ** 2 for w, one in zip(weights, shifts, strict=True)]
    error = math.sqrt(sum(squares))
    bounds = None
    if any(one.bounds is not None for one in shifts):
        ends = [one.bounds or (one.value, one.value) for one in shifts]
        bounds = (
            sum(w * end[0] for w, end in zip(weights, ends, strict=True)),
            sum(w * end[1] for w, end in zip(weights, ends, strict=True)),
        )
    if any(one.low is None or one.high is None for one in shifts):
        return Shift(name, value, error, None, None, bounds)
    # Welch's degrees of freedom.
    below = sum(v * v / max(1, one.freedom) for v, one in zip(squares, shifts, strict=True))
    nu = max(1, math.floor(sum(squares) ** 2 / below)) if below > 0 else sum(one.freedom for one in shifts)
    tail = (1 - level) / 2
    if share and (value <= 0 or value >= 1):
        edges = [one.low if value >= 1 else 1 - (one.high or 0.0) for one in shifts]
        # An end of one batch says how many draws it is worth; they add up.
        worth = sum(math.log(tail) / math.log(edge) for edge in edges if edge is not None and 0 < edge < 1)
        end = tail ** (1 / worth) if worth > 0 else 1.0
        low, high = (end, 1.0) if value >= 1 else (0.0, 1 - end)
        return Shift(name, value, error, low, high, bounds, nu)
    half = standard_errors(level, max(1, nu)) * error
    if share:
        middle, half = math.log(value / (1 - value)), half / (value * (1 - value))
        return Shift(name, value, error, expit(middle - half), expit(middle + half), bounds, nu)
    return Shift(name, value, error, value - half, value + half, bounds, nu)
