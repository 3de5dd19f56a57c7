"""Ranking: several predictions of the same truth, best first, with intervals and tests between them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from math import isnan, nan
from typing import Any

import numpy as np

from clusterdiff._version import __version__
from clusterdiff.caching import cached_property
from clusterdiff.decide.leaderboard import Board, Boards, Entry, best_of, csv_text, number, p_text, some
from clusterdiff.decide.paired import ALPHA, Paired, Verdict, holm, verdict, verdict_by_points
from clusterdiff.decide.systems import System
from clusterdiff.diff.deletion import Deletion
from clusterdiff.diff.interval import Interval, Resampling, interval_of, stated
from clusterdiff.diff.jackknife import TOO_FEW, Left
from clusterdiff.diff.loss import PARTS, Loss
from clusterdiff.diff.units import Sampled, Unit
from clusterdiff.errors import ArgumentError, MeasureError, nearest
from clusterdiff.measures import Measure
from clusterdiff.meet.margins import Margins
from clusterdiff.messages import Message, joined
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import Table
from clusterdiff.wording import count

#: Tables have tests of this many systems against the best. With many more, Holm's adjustment would leave nothing
#: significant that 10,000 permutations can show.
TESTED = 100
#: Intervals take milliseconds each: tables have them of this many systems, or fewer if those have more true clusters
#: than this in all, but not fewer than are tested. Anybody can ask for more by name.
SURE, WORK = 1000, 10_000_000

#: What intervals go over, and what tests ask, by unit.
OVER: dict[Sampled, str] = {
    "component": "components: points that errors connect are left out together",
    "document": "documents",
    "point": "random groups of points, assumed to be drawn independently",
}
NULL: dict[Sampled, str] = {
    "component": "A unit holds all points that errors of either system connect. Null hypothesis: the two systems' "
    "results are exchangeable within each unit. If a unit would hold more than 1/15 of the points, p is Student's.",
    "document": "Null hypothesis: the two systems' results are exchangeable within each document.",
    "point": "Student's t. Null hypothesis: the two systems have the same expected score.",
}


class Ranking(Boards):
    """Systems ranked by the first measure, best first. Made by :func:`rank`.

    Scores and losses are there at once. Intervals, tests and the adjusted S_H are computed when they are first asked
    for, by name or by a table that shows them: tests for the first hundred systems, intervals and the adjusted S_H for
    the first thousand (fewer where true clusters are many), and measures that were named for all.
    """

    def __init__(
        self,
        systems: Sequence[System],
        measures: Mapping[str, Measure],
        unit: Sampled,
        how: Resampling | None,
        unasked: Collection[str] = (),
        refused: MeasureError | None = None,
    ) -> None:
        self._measures = dict(measures)
        self._unasked = unasked
        self.unit = unit
        self._how = how
        self._refused = refused
        first = next(iter(measures))
        sign = -1 if measures[first].similarity else 1
        # What has no value comes last; equal ones stay in the order in which they were given.
        worth = {system.name: system.score(first) for system in systems}
        order = sorted(worth, key=lambda name: (isnan(worth[name]), sign * worth[name]))
        by_name = {system.name: system for system in systems}
        self._systems = {name: by_name[name] for name in order}
        self._place = {name: place for place, name in enumerate(order)}
        self._deletions: dict[str, Deletion] = {}
        self._intervals: dict[str, Interval] = {}
        self._tests: dict[tuple[str, str], Verdict] = {}

    # ---- scores

    @property
    def names(self) -> list[str]:
        """The systems, best first."""
        return list(self._systems)

    @property
    def measures(self) -> list[str]:
        """The measures by name; the first one ranks."""
        return list(self._measures)

    def measure(self, name: str) -> Measure:
        """One of the measures, by its name."""
        return self._measures[name]

    def __len__(self) -> int:
        return len(self._systems)

    def score(self, name: str, measure: str | None = None) -> float:
        """A system's score in one of the measures, the first by default."""
        wanted = self.measures[0] if measure is None else measure
        if wanted not in self._measures:
            raise MeasureError(
                f"{wanted!r} is not among the measures ranked: {', '.join(self.measures)}.",
                nearest(wanted, self.measures),
            )
        return self._system(name).score(wanted)

    def loss(self, name: str) -> Loss:
        """What a system lost of the first measure, to splits, merges, missing and spurious points."""
        return self._system(name).loss

    def rank(self, name: str) -> int:
        """A system's rank: 1 for the best, the same for equal scores."""
        return self._ranks[self._system(name).name]

    def _system(self, name: str) -> System:
        """A system, by its name or by what it was called in the mapping, such as a number."""
        found = self._systems.get(str(name))
        if found is None:
            raise ArgumentError(f"{name!r} is not one of the systems.", nearest(str(name), self.names))
        return found

    # ---- intervals and tests

    def interval(self, name: str) -> Interval:
        """Between which values the first measure of a system would have come out, had other clusters been drawn.

        Its units are those of its own comparison; see :meth:`Comparison.interval`.

        >>> import clusterdiff as cd
        >>> true = [i // 4 for i in range(400)]
        >>> cd.rank(true, {"a": [i // 4 + 100 * (i % 40 == 3) for i in range(400)]}).interval("a")
        S_H = 0.9594, 95% interval 0.9228 to 0.9791 (jackknife over 100 components)
        """
        system = self._system(name)
        if system.name not in self._intervals:
            how, signature = self._resampling, f"{system.signature}|v:{__version__}"
            if self.unit == "point":
                value, values = self._by_points(system)
                left = Left(value, values, "point", float(system.n))
                self._intervals[system.name] = stated(left, self._first, system.n, how, signature)
            else:
                self._intervals[system.name] = interval_of(self._deletion(system), how, signature)
        return self._intervals[system.name]

    def p_value(self, first: str, second: str) -> float | None:
        """How likely two equally good systems would be as far apart, not adjusted; None where nothing can tell.

        A coin is flipped for each unit, and on heads the two exchange what they made of it. See :class:`Paired`.

        >>> import clusterdiff as cd
        >>> true = [i // 4 for i in range(80)]
        >>> halves, ends = [i // 2 for i in range(80)], [i // 4 + 20 * (i % 4 == 3) for i in range(80)]
        >>> cd.rank(true, {"halves": halves, "ends": ends}).p_value("ends", "halves") < 0.001
        True
        """
        return self._test(first, second)[0].p_value

    def paired(self, first: str, second: str) -> Paired:
        """The difference of two systems in the first measure, with its interval, and how likely it is by chance."""
        found, sign = self._test(first, second)
        left = found.left
        low, high = found.ends if found.ends is not None else (None, None)
        if sign < 0 and low is not None and high is not None:
            low, high = -high, -low
        return Paired(
            str(first), str(second), self.measures[0], sign * left.value, low, high, left.spread.error,
            found.p_value, found.test, len(left.values), left.worth, left.reason, tuple(left.notices),
        )  # fmt: skip

    def _test(self, first: str, second: str) -> tuple[Verdict, int]:
        """The test of two systems, and -1 if it is of the second against the first."""
        names = [self._system(name).name for name in (first, second)]
        one, two = sorted(names)
        if (one, two) not in self._tests:
            how, pair = self._resampling, (self._systems[one], self._systems[two])
            if self.unit == "point":
                values = self._by_points(pair[0]), self._by_points(pair[1])
                self._tests[one, two] = verdict_by_points(*values, pair[0].n, how)
            else:
                self._tests[one, two] = verdict(self._deletion(pair[0]), self._deletion(pair[1]), how)
        return self._tests[one, two], 1 if names[0] == one else -1

    @cached_property
    def against_best(self) -> dict[str, float]:
        """The p-value of each other system against the best one, adjusted by Holm for their number.

        Of more than a hundred systems the first hundred are tested.
        """
        best, *others = self.names[:TESTED]
        raw = {other: self.p_value(best, other) for other in others}
        known = {other: p for other, p in raw.items() if p is not None}
        return dict(zip(known, holm(list(known.values())), strict=True))

    @cached_property
    def has_intervals(self) -> bool:
        """Whether there are intervals and tests: they were asked for, and there are units to leave out."""
        if self._how is None or self._refused is not None:
            return False
        systems = self._systems.values()
        return all(system.meet is not None or system.points is not None for system in systems)

    @property
    def _resampling(self) -> Resampling:
        if self._how is None:
            raise ArgumentError.about(
                "resamples", "is 0: there are no intervals and no tests.", Message("pass `resamples=10_000`.")
            )
        return self._how

    @property
    def _first(self) -> Measure:
        return self._measures[self.measures[0]]

    def _deletion(self, system: System) -> Deletion:
        """The first measure of a system without units."""
        if system.name not in self._deletions:
            self._check_known(system, system.meet)
            assert system.meet is not None
            unit: Unit = "document" if self.unit == "document" else "component"
            self._deletions[system.name] = Deletion(system.meet, self._first, unit, system.units)
        return self._deletions[system.name]

    def _by_points(self, system: System) -> tuple[float, FloatArray]:
        """The first measure of a system, and without each group of points."""
        self._check_known(system, system.points)
        if system.n != self._systems[self.names[0]].n:
            raise ArgumentError(
                Message('`unit="point"` needs the same points for all systems.'),
                Message('pass `unit="component"`.'),
            )
        assert system.points is not None
        return system.score(self.measures[0]), system.points

    def _check_known(self, system: System, known: object) -> None:
        if known is None:
            if self._refused is not None:
                raise self._refused
            raise ArgumentError(
                f"the cells of {system.name} stayed in the engine, and units are made of cells.",
                [Message("give compare a larger `budget=`"), Message("pass `resamples=0`")],
            )

    # ---- for people and programs

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers: of the comparisons, and of the units."""
        if self._refused is not None:
            return [
                *self.comparison_notices,
                joined([self._refused.message.rstrip("."), "so there are no intervals and no tests."], ", "),
            ]
        if not self.has_intervals:
            return self.comparison_notices
        best = self.interval(self.names[0])
        reason = [joined(["no interval:", best.reason])] if best.reason and best.worth < TOO_FEW else []
        return [*self.comparison_notices, *reason, *best.notices]

    def __repr__(self) -> str:
        return "\n".join([*(f"notice: {told}" for told in self.comparison_notices), self.to_text()])

    @property
    def comparison_notices(self) -> list[str]:
        """Those of the comparisons alone."""
        systems = self._systems.values()
        told = some([joined([system.name, notice], ": ") for system in systems for notice in system.notices])
        sizes = {system.n for system in systems}
        if len(sizes) > 1 and any("drop(" in system.signature for system in systems):
            told.append(
                f"not the same points were left out for all systems ({min(sizes):,} to {max(sizes):,} are compared): "
                "a system that leaves out more may look better."
            )
        return told

    @property
    def margins(self) -> Margins | None:
        """The sizes of the clusters of the truth and of the best system; None where chance has no meaning."""
        outline = self._systems[self.names[0]].outline
        return None if outline is None else outline.margins

    @cached_property
    def units(self) -> int:
        """How many true clusters, documents or points units are made of."""
        if self.unit == "point":
            return self._systems[self.names[0]].n
        return max((len(s.units) for s in self._systems.values() if s.units is not None), default=0)

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        told = {system.signature for system in self._systems.values()}
        if len(told) > 1:  # how many points a policy touched differs from system to system
            told = {re.sub(r"\([^)]*\)", "(…)", one) for one in told}
        rest = " or ".join(sorted(told))
        how = (
            f"unit:{self.unit}({self.units})|{self._how.signature}"
            if self._how and self.has_intervals
            else "resamples:0"
        )
        return f"rank:{self.measures[0]}|systems:{len(self)}|{how}|{rest}|v:{__version__}"

    @property
    def footnotes(self) -> list[str]:
        """What was resampled and what was tested, in words."""
        if not self.has_intervals:
            return []
        how = self._resampling
        lines = [f"{self.measures[0]}: {how.level:.0%} intervals ({how.method}) over {OVER[self.unit]}."]
        if len(self) > 1:
            lines.append(f"p: against the best, adjusted by Holm; * below {ALPHA:g}. {NULL[self.unit]}")
        tests = min(len(self), TESTED) - 1
        if tests >= ALPHA * (1 + how.resamples):
            lines.append(
                f"With {how.resamples:,} flips and {count(tests, 'test')} no p can fall below {ALPHA:g}: pass more "
                "resamples."
            )
        if len(self) > TESTED:
            lines.append(f"Only the first {TESTED:,} systems are tested here.")
        if len(self) > self._sure:
            lines.append(f"Only the first {self._sure:,} systems have intervals here.")
        return lines

    @property
    def _sure(self) -> int:
        """How many systems have intervals in tables."""
        return max(TESTED, min(SURE, WORK // max(1, self.units)))

    def row(self, name: str) -> dict[str, Any]:
        """What tables say of a system: rank, scores, interval, losses, and the p-value against the best."""
        place = self._place[name]
        sure, tested = (self.has_intervals and place < first for first in (self._sure, TESTED))
        shown = place < self._sure
        scores = {m: self.score(name, m) if shown or m not in self._unasked else None for m in self.measures}
        found = self.interval(name) if sure else None
        return {
            "rank": self._ranks[name],
            "system": name,
            "n": self._systems[name].n,
            "scores": scores,
            "interval": None if found is None or found.low is None else list(found),
            "reason": None if found is None else found.reason,
            "loss": self.loss(name).to_dict(),
            "p_value": self.against_best.get(name) if tested else None,
        }

    @cached_property
    def _ranks(self) -> dict[str, int]:
        ranks: dict[str, int] = {}
        last, value = 0, None
        for place, name in enumerate(self.names, 1):
            score = self.score(name)
            last = last if score == value or (value is not None and isnan(score) and isnan(value)) else place
            ranks[name], value = last, score
        return ranks

    @cached_property
    def table(self) -> Table[Any]:
        """All systems, best first: rank, scores, the interval's ends, the losses and the adjusted p-value."""
        rows = [self.row(name) for name in self.names]
        columns: dict[str, Any] = {"rank": [row["rank"] for row in rows]}
        columns["system"] = np.array([row["system"] for row in rows], dtype=object)
        for measure in self.measures:
            columns[measure] = [_value(row["scores"][measure]) for row in rows]
        for i, end in enumerate(("low", "high")):
            columns[end] = [row["interval"][i] if row["interval"] else nan for row in rows]
        for part in PARTS:
            columns[f"{part}_loss"] = [_value(row["loss"][part]) for row in rows]
        columns["p_value"] = [_value(row["p_value"]) for row in rows]
        return Table(columns)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values; also what ``clusterdiff rank --json`` prints and ``--baseline`` reads."""
        return {
            "signature": self.signature,
            "notices": self.notices,
            "measures": self.measures,
            "unit": self.unit,
            "systems": [self.row(name) for name in self.names],
            "footnotes": self.footnotes,
        }

    def to_csv(self) -> str:
        """All systems as comma-separated values, with all digits."""
        return csv_text(self.table)

    @property
    def title(self) -> str:
        """What is ranked, and by what."""
        return f"{count(len(self), 'system')} by {self.measures[0]}"

    def boards(self, rows: int | None = None, across: int | None = None) -> list[Board]:
        """The leaderboard, or its first rows."""
        names = self.names[:rows]
        told = [self.row(name) for name in names]
        first, *others = self.measures
        intervals, tested = (any(row[key] is not None for row in told) for key in ("interval", "p_value"))
        parts = PARTS if any(row["loss"]["missing"] or row["loss"]["spurious"] for row in told) else PARTS[:2]
        best = {
            name: best_of([_value(row["scores"][name]) for row in told], measure.similarity)
            for name, measure in self._measures.items()
        }
        head = ["", "system", first, *["interval"] * intervals, *others, *parts, *["p"] * tested]
        lines = []
        for row in told:
            scores = {name: number(_value(value), best[name]) for name, value in row["scores"].items()}
            cells = [Entry(str(row["rank"])), Entry(row["system"], best=scores[first].best), scores[first]]
            if intervals:
                low, high = row["interval"] or (nan, nan)
                cells.append(Entry("–" if isnan(low) else f"{low:.4f}–{high:.4f}"))
            cells += [scores[name] for name in others]
            cells += [number(_value(row["loss"][part]), nan) for part in parts]
            lines.append([*cells, *[Entry(p_text(row["p_value"]))] * tested])
        return [Board(head, lines, len(self) - len(names), self.footnotes, notices=self.notices)]


def _value(number: float | None) -> float:
    return nan if number is None else number
