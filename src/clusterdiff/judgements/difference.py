"""Difference: which of two runs is better, by how much, and how sure that is, from reviewed components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from clusterdiff import notebook
from clusterdiff._version import __version__
from clusterdiff.diff.jackknife import standard_errors
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.judgements.estimates import Estimates
from clusterdiff.judgements.totals import Anchor, Total, anchored
from clusterdiff.wording import change, count, number, percent

#: Differences that are counts: of pairs, operations, links. All others are of measures, per point.
COUNTS = ("true_pairs", "wrong_pairs", "edits", "muc_links")
#: Fewer drawn components than this on the rarer side of a share make its interval rough, and those of what follows it.
RARE = 10
FOLLOW = {
    "improved": "the differences",
    "joined right": "true_pairs and wrong_pairs",
    "parted right": "true_pairs and wrong_pairs",
}
#: How a sentence begins.
VERDICTS = {
    "better": "New is better",
    "worse": "New is worse",
    "mixed": "New is better in some ways and worse in others",
    "open": "This review cannot tell which is better",
}


@dataclass(frozen=True)
class Shift:
    """An estimated difference or share: its value, standard error and interval.

    ``bounds`` are there where some components were not resolved: the values if the old run is right in all of them,
    and if the new one is. ``freedom`` are the degrees of freedom of the interval.
    """

    name: str
    value: float
    error: float
    low: float | None
    high: float | None
    bounds: tuple[float, float] | None = None
    freedom: int = 0

    def __repr__(self) -> str:
        between = "" if self.low is None else f" ({number(self.low)} to {number(self.high or 0)})"
        return f"<Shift {self.name} {number(self.value)}{between}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self).strip("<>")))


class Difference:
    """The new run less the old one, from a review of changed components. Made by :func:`estimate`.

    ``difference`` has the measures, and ``shares`` what part of the changes is right; ``warnings`` say what cannot be
    trusted: ``notes``, and shares with few drawn components on the ``rarer`` side.
    """

    def __init__(
        self,
        difference: Mapping[str, Shift],
        shares: Mapping[str, Shift],
        header: Mapping[str, Any],
        answers: Mapping[str, int],
        level: float,
        notes: tuple[str, ...],
        rarer: Mapping[str, int],
    ) -> None:
        self.difference = dict(difference)
        self.shares = dict(shares)
        self.header = dict(header)
        self.answers = dict(answers)
        self.level = level
        self.notes = notes
        self.rarer = dict(rarer)

    def __getitem__(self, name: str) -> Shift:
        both = self.difference | self.shares
        if name not in both:
            raise ArgumentError.about(
                "name", f"must be one of {', '.join(both)}; got {name!r}.", nearest(name, both)
            )
        return both[name]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What cannot be trusted, in plain words."""
        rare = {name: number for name, number in self.rarer.items() if number < RARE}
        if not rare:
            return self.notes
        also = dict.fromkeys(words for name, words in FOLLOW.items() if name in rare)
        told = ", ".join(f"{name} ({number})" for name, number in rare.items())
        return (
            *self.notes,
            f"fewer than {RARE} drawn components on the rarer side of {told}: these shares are rough"
            f"{', and so are ' if also else ''}{' and '.join(also)}.",
        )

    @property
    def improved(self) -> Shift:
        """The share of changed components that improve: their S_H rises, true clusters being cut at the component."""
        return self.shares["improved"]

    @property
    def joined_right(self) -> Shift | None:
        """The share of newly joined pairs that are right; None if none were joined."""
        return self.shares.get("joined right")

    @property
    def parted_right(self) -> Shift | None:
        """The share of pairs taken apart that were wrong; None if none were."""
        return self.shares.get("parted right")

    @property
    def verdict(self) -> str:
        """One of "better", "worse", "mixed" and "open": by S_H, wrong pairs, and how many components improve."""
        score, wrong = self._deciding
        better, worse = self.shares["improved"], self.shares["worsened"]
        signs = {
            _sign(score.low, score.high),
            -_sign(wrong.low, wrong.high),
            0 if better.low is None or worse.high is None else int(better.low > worse.high),
            0 if worse.low is None or better.high is None else -int(worse.low > better.high),
        }
        if {1, -1} <= signs:
            return "mixed"
        return "better" if 1 in signs else "worse" if -1 in signs else "open"

    @property
    def _deciding(self) -> tuple[Shift, Shift]:
        """What a verdict goes by: S_H and wrong pairs."""
        return self.difference.get("S_H", self.difference["S_H, cut"]), self.difference["wrong_pairs"]

    @property
    def _reversible(self) -> bool:
        """Whether the answers that reviewers left open could turn the verdict round."""
        bounds = [one.bounds for one in self._deciding if one.bounds is not None]
        return self.verdict in ("better", "worse") and any(min(ends) < 0 < max(ends) for ends in bounds)

    @property
    def sentence(self) -> str:
        """What a manager wants to know."""
        found, wrong = self.improved, self.difference["wrong_pairs"]
        verdict = VERDICTS[self.verdict]
        between = f" ({percent(found.low or 0)} to {percent(found.high or 0)})" if _open(found) else ""
        moved = (
            f"{'fall' if wrong.value < 0 else 'rise'} by {abs(wrong.value):,.0f}"
            if wrong.value
            else "do not change"
        )
        span = ""
        if _open(wrong):
            ends = sorted((wrong.low or 0.0, wrong.high or 0.0), key=abs)
            alike = ends[0] * ends[1] >= 0
            span = " to ".join(f"{abs(end):,.0f}" if alike else change(end, 0) for end in ends)
            span = f" ({span})"
        return (
            f"{verdict}: of {count(self.header['components'], 'change')} about {percent(found.value)}{between} "
            "improve; "
            f"wrong pairs {moved}{span}."
            + (f" The {self.answers['unsure']:,} left open could reverse this." if self._reversible else "")
        )

    @property
    def break_even(self) -> str:
        """What is known of pair F1 without knowing its level."""
        old, new = self.header["pairs"]
        more, gained = new - old, self.difference["true_pairs"]
        if gained.low is None or gained.high is None:
            return ""
        if gained.low > max(0.0, more / 2):
            return "Pair F1 rises at any level."
        if gained.high < min(0.0, more / 2):
            return "Pair F1 falls at any level."
        if more == 0:
            return ""
        even = 2 * gained.value / more
        if not 0 < even < 1:
            return ""
        word = "below" if more > 0 else "above"
        low, high = sorted((2 * gained.low / more, 2 * gained.high / more))
        return f"Pair F1 rises if the old run's is {word} {number(even)} ({number(low)} to {number(high)})."

    def anchored(self, anchor: Anchor | Estimates) -> dict[str, Shift]:
        """Differences of pair precision, recall and F1, given the old run's level, such as an estimate of it."""
        if isinstance(anchor, Estimates):
            anchor = Anchor.of(anchor)
        if not isinstance(anchor, Anchor):
            raise ArgumentError.must(
                "anchor",
                "be the old run's pair precision and recall",
                anchor,
                "make an estimate of the old run with estimate().",
            )
        one = self.difference["true_pairs"]
        gained = Total(one.value, one.error, one.freedom, 0.0, 0.0)
        q = standard_errors(self.level, max(1, gained.freedom))
        found = anchored(gained, tuple(self.header["pairs"]), anchor)
        if one.low is None:  # too few answers for an interval
            return {name: Shift(name, v, e, None, None) for name, (v, e) in found.items()}
        return {name: Shift(name, v, e, v - q * e, v + q * e) for name, (v, e) in found.items()}

    @property
    def signature(self) -> str:
        """What was reviewed of how much."""
        told = "|".join(f"{name}:{self.answers[name]}" for name in ("drawn", "answered", "unsure"))
        changed = (
            f"components:{self.header['components']}|points:{self.header['n']}|seed:{self.header['seed']}"
        )
        return f"clusterdiff:{__version__}|design:changed components|{told}|{changed}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "sentence": self.sentence,
            "signature": self.signature,
            "level": self.level,
            "difference": {name: asdict(one) for name, one in self.difference.items()},
            "shares": {name: asdict(one) for name, one in self.shares.items()},
            "break_even": self.break_even,
            "warnings": list(self.warnings),
        }

    def rows(self) -> list[list[str]]:
        """The cells of the table for people."""
        out = []
        for name, one in (self.difference | self.shares).items():
            share = name in self.shares
            show = percent if share else (lambda v: change(v, 0)) if name in COUNTS else change
            between = "" if one.low is None else f"{show(one.low)} to {show(one.high or 0)}"
            bounds = "" if one.bounds is None else f"{show(one.bounds[0])} to {show(one.bounds[1])}"
            out.append([name, show(one.value), between, bounds])
        return out

    @property
    def heads(self) -> list[str]:
        """What the columns of the table are called."""
        return ["new minus old", "estimate", f"{self.level:.0%} interval", "bounds"]

    def __repr__(self) -> str:
        rows = [self.heads, *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        told = [self.sentence, *([self.break_even] if self.break_even else []), "", *map(str.rstrip, lines)]
        return "\n".join([*told, *(f"warning: {warning}" for warning in self.warnings), self.signature])

    def to_markdown(self) -> str:
        """A table in Markdown, with the sentence above it."""
        lines = [f"| {' | '.join(self.heads)} |", "| --- | ---: | ---: | ---: |"]
        lines += [f"| {' | '.join(row)} |" for row in self.rows()]
        notes = "".join(f"\n- {warning}" for warning in self.warnings)
        return (
            "\n".join([f"**{self.sentence}** {self.break_even}\n", *lines])
            + f"\n{notes}\n\n{self.signature}\n"
        )

    def _repr_html_(self) -> str:
        return notebook.view(*map(notebook.line, repr(self).splitlines()))


def _sign(low: float | None, high: float | None) -> int:
    """The sign of whatever lies in an interval; 0 if it may be either."""
    if low is None or high is None:
        return 0
    return int(low > 0) - int(high < 0)


def _open(shift: Shift) -> bool:
    """Whether there is an interval that is more than a point."""
    return shift.low is not None and shift.high is not None and shift.low < shift.high
