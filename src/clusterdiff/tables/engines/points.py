"""The points of tables: one row each, of two tables by a join on the point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.caching import cached_property
from clusterdiff.errors import LabelError, listed
from clusterdiff.points.keys import parts_of
from clusterdiff.tables.engines.native import Engine, Frame, flag, plain
from clusterdiff.tables.engines.others import POINT, Others
from clusterdiff.wording import count

c = nw.col
#: What marks the columns of the second table that the first has too.
OTHER = "_other"
#: Up to so many bits, weights are near each other.
NEAR = 20
#: Rows looked at before two tables are joined.
SAMPLE = 100_000


@dataclass(frozen=True)
class SideTable:
    """One table with its point in column ``i`` (true) or ``j`` (pred) for the join."""

    argument: str
    frame: Frame
    key: str


@dataclass(frozen=True)
class Points:
    """One row per point: clusters ``t`` and ``p``, and where given the point's name, ``w`` and ``x0`` …

    For two tables the rows are those of a full join, and ``i`` and ``j`` the point's name on either side. For one
    table whose points have no names, ``i`` is the number of the row, if rows have an order in the engine.
    """

    engine: Engine
    sides: tuple[SideTable, ...]
    named: bool
    weighted: bool
    features: int
    kinds: dict[str, str]
    others: Others
    numbered: bool = False
    #: What the parts of names are, if several columns were joined to one that names the points.
    keys: tuple[str, ...] = ()
    #: Weights are in units of 2 to this power.
    scale: int = 0
    #: How many bits the heaviest point has more than the lightest that weighs anything.
    span: int = 0
    #: The number of rows of each table, if all of them were looked at for repeated names.
    seen: tuple[int, ...] | None = None
    #: The rows, if they are not those that all points of the tables have.
    rows: Frame | None = None
    #: Whether the tables are in memory already, or are to be brought there if they fit.
    here: bool = False

    @cached_property
    def frame(self) -> Frame:
        """The rows."""
        if self.rows is not None:
            return self.rows
        if len(self.sides) == 1:
            return self.sides[0].frame
        left, right = (side.frame for side in self.sides)
        with self.engine.running():  # DuckDB refuses at once to join tables of two connections
            joined = left.join(right, left_on="i", right_on="j", how="full", suffix=OTHER)
            names = set(right.collect_schema())
            both = [name for name in left.collect_schema() if name in names]
            if both:
                chosen = {x: nw.when(c("i").is_null()).then(c(f"{x}{OTHER}")).otherwise(c(x)) for x in both}
                joined = joined.with_columns(**chosen).drop(*(f"{x}{OTHER}" for x in both))
        return joined

    def called(self, names: list[Any]) -> list[Any]:
        """Fetched names of points, as users know them: those of several columns are tuples."""
        return named(names, self.keys)

    def values_of(self, name: str, lacking: bool) -> dict[Any, Any]:
        """An other column by point; ``lacking``: some points are not in the table of true clusters."""
        found: dict[Any, Any] = {}
        for points, values in self.others.read(self.engine, name, lacking):
            found |= zip(self.called(points), values, strict=True)
        return found

    @property
    def placed(self) -> bool:
        """Whether points can be distinguished: by names, by the order of rows, or by numbers that they were given."""
        return self.named or self.engine.ordered or self.numbered

    @property
    def near(self) -> bool:
        """Whether weights are so near each other that differences of their sums keep ten digits."""
        return self.span <= NEAR

    def with_numbers(self) -> Points:
        """The same with a number for each row, for points that have neither names nor an order.

        The rows are kept with their numbers, since they may come in another order the next time.
        """
        with self.engine.running():
            kept = self.engine.number(self.others.whole, "t")
        frame = kept.select("t", "p", *self.extra, i=c("code"))
        named = {name: c(f"o{k}") for k, name in enumerate(self.others.own)}
        others = replace(self.others, frame=kept.select(**named, **{POINT: c("code")}))
        return replace(self, rows=frame, others=others, numbered=True)

    def with_names(self, frame: Frame) -> Frame:
        """Rows of ``frame`` with what their point is called in the column ``point``."""
        return frame.with_columns(point=nw.coalesce("i", "j") if len(self.sides) == 2 else c("i"))

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The number of rows of each table."""
        return self.seen or tuple(int(self.engine.row(s.frame.select(n=nw.len()))["n"]) for s in self.sides)

    @property
    def room(self) -> int:
        """The bytes of memory that the user allows the engine."""
        return self.engine.room(self.sides[0].frame)

    @property
    def extra(self) -> list[str]:
        """The columns of numbers that points have."""
        return ["w"] * self.weighted + [f"x{j}" for j in range(self.features)]

    def checked(self) -> Points:
        """The same, once the names were looked at; of two tables the first: often repeated ones make joins explode."""
        two = len(self.sides) == 2
        if not self.named:
            return self
        with self.engine.running():
            rows = self.refuse_repeats(sample=two)
        return replace(self, seen=rows) if two and max(rows) < SAMPLE else self

    def refuse_repeats(self, sample: bool = False, unmatched: bool = False) -> tuple[int, ...]:
        """Look at all rows, the first or unmatched ones; raise if a point has no name or two. How many were there?"""
        rows = []
        for number, side in enumerate(self.sides):
            frame = side.frame
            if unmatched:
                other = self.sides[1 - number]
                frame = frame.join(other.frame, left_on=side.key, right_on=other.key, how="anti")
            frame = frame.select(side.key)
            rows.append(self._refuse_repeats(side, frame.head(SAMPLE) if sample else frame))
        return tuple(rows)

    def _refuse_repeats(self, side: SideTable, frame: Frame) -> int:
        fetch = self.engine.fetch
        names = frame.group_by(side.key).agg(rows=nw.len())
        null, repeated = c(side.key).is_null(), c("rows") > 1
        found = self.engine.row(
            names.select(
                nameless=(flag(null) * c("rows")).sum(),
                twice=flag(~null & repeated).sum(),
                rows=c("rows").sum(),
            )
        )
        nameless, total = int(found["nameless"]), int(found["twice"])
        if nameless:
            raise LabelError.about(side.argument, f"has {count(nameless)} without a name (null).")
        if total:
            twice = names.filter(repeated).select(side.key).sort(side.key).head(5)
            first = self.called(plain(fetch(twice)[side.key]))
            raise LabelError.about(
                side.argument,
                f"must name each point once; {count(total, 'name')} repeated: {listed(first, total)}.",
                "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
            )
        return int(found["rows"])


def named(names: list[Any], keys: Sequence[str]) -> list[Any]:
    """Names as users know them: if they were joined from several columns, whose kinds are ``keys``, tuples."""
    return [parts_of(name, keys) for name in names] if keys else names
