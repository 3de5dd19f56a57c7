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
from clusterdiff.decide.paired import ALPHA, Paired, holm, paired, permutation_p_value
from clusterdiff.decide.systems import System
from clusterdiff.diff.interval import Interval, Resampling, doubts, interval_of
from clusterdiff.diff.loss import PARTS, Loss
from clusterdiff.diff.statistic import Statistic
from clusterdiff.diff.units import UNITS, Unit
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
#: Intervals take milliseconds each: tables have them of this many systems, or fewer if that would draw more units than
#: this, but not fewer than are tested. Anybody can ask for more by name.
SURE, DRAWN = 1000, 5_000_000_000


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
        unit: Unit,
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
        self._drawn: dict[str, Interval] = {}
        self._p_values: dict[tuple[str, str], float] = {}

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
        """A system's score in one of the measures, the first unless told otherwise."""
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
        """Between which values the first measure of a system would have come out, had other units been drawn.

        >>> import clusterdiff as cd
        >>> true = [i // 4 for i in range(400)]
        >>> cd.rank(true, {"halves": [i // 2 for i in range(400)]}).interval("halves")
        S_H = 0.5000, 95% interval 0.5000 to 0.5000 (percentile, 10,000 resamples of 100 true clusters)
        """
        system = self._system(name)
        if system.name not in self._drawn:
            how, first = self._resampling, self.measures[0]
            signature = f"{system.signature}|v:{__version__}"
            self._drawn[system.name] = interval_of(
                self._found(system), system.score(first), first, self.unit, how, signature
            )
        return self._drawn[system.name]

    def p_value(self, first: str, second: str) -> float:
        """How likely two equally good systems would be as far apart: the sign-flip permutation test, not adjusted.

        Its null hypothesis: on each unit a coin decided which of the two systems made which prediction.

        >>> import clusterdiff as cd
        >>> true = [i // 4 for i in range(40)]
        >>> halves, ends = [i // 2 for i in range(40)], [i // 4 + 20 * (i % 4 == 3) for i in range(40)]
        >>> cd.rank(true, {"halves": halves, "ends": ends}).p_value("ends", "halves")
        0.001953125
        """
        one, two = sorted(self._system(name).name for name in (first, second))
        key = (one, two)
        if key not in self._p_values:
            how = self._resampling
            self._p_values[key] = permutation_p_value(*self._on_same_units(*key), how.resamples, how.seed)
        return self._p_values[key]

    def paired(self, first: str, second: str) -> Paired:
        """The difference of two systems in the first measure, its interval by the paired bootstrap, and p-values."""
        difference, low, high, p = paired(*self._on_same_units(first, second), self._resampling)
        return Paired(
            str(first), str(second), self.measures[0], difference, low, high, self.p_value(first, second), p
        )

    @cached_property
    def against_best(self) -> dict[str, float]:
        """The p-value of each other system against the best one, adjusted by Holm for their number.

        Of more than a hundred systems the first hundred are tested.
        """
        best, *others = self.names[:TESTED]
        return dict(zip(others, holm([self.p_value(best, other) for other in others]), strict=True))

    @cached_property
    def resampled(self) -> bool:
        """Whether there are intervals and tests: resamples were asked for, and there are sums of units to draw from."""
        return self._how is not None and all(system.found is not None for system in self._systems.values())

    @property
    def _resampling(self) -> Resampling:
        if self._how is None:
            raise ArgumentError.about(
                "resamples", "is 0: there are no intervals and no tests.", Message("pass `resamples=10_000`.")
            )
        return self._how

    def _found(self, system: System) -> Statistic:
        if system.found is None:
            if self._refused is not None:
                raise self._refused
            raise ArgumentError(
                f"the cells of {system.name} stayed in the engine, and units are drawn from cells.",
                [Message("give compare a larger `budget=`"), Message("pass `resamples=0`")],
            )
        return system.found

    def _on_same_units(self, first: str, second: str) -> tuple[Statistic, Statistic]:
        """The sums of two systems in the same order of units; a unit that one lacks has none there."""
        one, two = self._system(first), self._system(second)
        found = self._found(one), self._found(two)
        units: Any = one.units, two.units
        # Predicted clusters without a true point are a system's own units; they have no name and come last.
        if units[0] is units[1] and units[0][-1] is not None:
            return found
        return _matched(found, (units[0].tolist(), units[1].tolist()))

    # ---- for people and programs

    @property
    def notices(self) -> list[str]:
        """What one should know before trusting the numbers: of the comparisons, and of the units."""
        best = self._systems[self.names[0]]
        if self._refused is not None:
            return [
                *self.comparison_notices,
                f"{self._refused.message.rstrip('.')}, so there are no intervals and no tests.",
            ]
        return self.comparison_notices + ([] if best.found is None else doubts(best.found, self.unit))

    @property
    def comparison_notices(self) -> list[str]:
        """Those of the comparisons alone."""
        systems = self._systems.values()
        told = some([joined([system.name, notice], ": ") for system in systems for notice in system.notices])
        sizes = {system.n for system in systems}
        if len(sizes) > 1 and any("drop(" in system.signature for system in systems):
            told.append(
                f"not the same points were left out for all systems ({min(sizes):,} to {max(sizes):,} are compared): "
                "one that leaves out more may look better."
            )
        return told

    @property
    def margins(self) -> Margins | None:
        """The sizes of the clusters of the truth and of the best system; None where chance has no meaning."""
        outline = self._systems[self.names[0]].outline
        return None if outline is None else outline.margins

    @property
    def units(self) -> int:
        """How many units there are to draw from."""
        return max(
            (len(s.found.columns[0]) for s in self._systems.values() if s.found is not None), default=0
        )

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        told = {system.signature for system in self._systems.values()}
        if len(told) > 1:  # how many points a policy touched differs from system to system
            told = {re.sub(r"\([^)]*\)", "(…)", one) for one in told}
        rest = " or ".join(sorted(told))
        how = (
            f"unit:{self.unit}({self.units})|{self._how.signature}"
            if self._how and self.resampled
            else "resamples:0"
        )
        return f"rank:{self.measures[0]}|systems:{len(self)}|{how}|{rest}|v:{__version__}"

    @property
    def footnotes(self) -> list[str]:
        """What was drawn again and what was tested, in words."""
        if not self.resampled:
            return []
        how = self._resampling
        units = count(self.units, UNITS[self.unit])
        lines = [
            f"{self.measures[0]}: {how.level:.0%} intervals ({how.method}) from {how.resamples:,} resamples of {units}."
        ]
        if len(self) > 1:
            lines.append(
                f"p: paired sign-flip permutation test against the best, over {units}, adjusted by Holm; * below "
                f"{ALPHA:g}. Null hypothesis: a coin decided for each {UNITS[self.unit]} which of the two made which "
                "prediction."
            )
        tests = min(len(self), TESTED) - 1
        if tests >= ALPHA * (1 + how.resamples):
            lines.append(
                f"With {how.resamples:,} permutations and {count(tests, 'test')} no p can fall below {ALPHA:g}: "
                "pass more resamples."
            )
        if len(self) > TESTED:
            lines.append(f"Only the first {TESTED:,} systems are tested here.")
        if len(self) > self._sure:
            lines.append(f"Only the first {self._sure:,} systems have intervals here.")
        return lines

    @property
    def _sure(self) -> int:
        """How many systems have intervals in tables."""
        draws = self.units * (self._how.resamples if self._how else 1)
        return max(TESTED, min(SURE, DRAWN // max(1, draws)))

    def row(self, name: str) -> dict[str, Any]:
        """What tables say of a system: rank, scores, interval, losses, and the p-value against the best."""
        place = self._place[name]
        sure, tested = (self.resampled and place < first for first in (self._sure, TESTED))
        shown = place < self._sure
        scores = {m: self.score(name, m) if shown or m not in self._unasked else None for m in self.measures}
        return {
            "rank": self._ranks[name],
            "system": name,
            "n": self._systems[name].n,
            "scores": scores,
            "interval": list(self.interval(name)) if sure else None,
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
                cells.append(Entry("" if isnan(low) else f"{low:.4f}–{high:.4f}"))
            cells += [scores[name] for name in others]
            cells += [number(_value(row["loss"][part]), nan) for part in parts]
            lines.append([*cells, *[Entry(p_text(row["p_value"]))] * tested])
        return [Board(head, lines, len(self) - len(names), self.footnotes, notices=self.notices)]


def _value(number: float | None) -> float:
    return nan if number is None else number


def _matched(
    found: tuple[Statistic, Statistic], names: tuple[list[Any], list[Any]]
) -> tuple[Statistic, Statistic]:
    """Two systems' sums laid over the units of either. Units without a name are a system's own."""
    places: dict[Any, int] = {}
    at: list[list[int]] = []
    rows = 0
    for listed in names:
        mine = []
        for name in listed:
            place = rows if name is None else places.setdefault(name, rows)
            rows += place == rows
            mine.append(place)
        at.append(mine)
    out = []
    for statistic, mine in zip(found, at, strict=True):
        columns: list[FloatArray] = []
        for column in statistic.columns:
            wide = np.zeros(rows)
            wide[mine] = column
            columns.append(wide)
        out.append(Statistic(tuple(columns), statistic.finish))
    return out[0], out[1]
