"""The other columns of the users' tables: all but points and clusters, those of `true` before those of `pred`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message
from clusterdiff.tables.engines.native import Engine, Frame, plain

c = nw.col
#: Our name for the column of points, among the user's other columns.
POINT = "clusterdiff_point"
#: Our name for the column of documents.
DOCUMENT = "clusterdiff_document"


@dataclass(frozen=True)
class Others:
    """The other columns of one table, by name; and of the table of predicted clusters, if that is another one.

    ``frame`` has them as the user calls them, and the points in the column ``POINT`` if they can be told apart. What is
    known of a point is in the table of true clusters; ``pred`` is for points and columns that it lacks.
    """

    frame: Frame
    own: tuple[str, ...]
    #: The columns that were taken under our names, and the others as o0, o1, …
    whole: Frame
    pred: Others | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(dict.fromkeys([*self.own, *(() if self.pred is None else self.pred.own)]))

    def owners(self, name: str, lacking: bool) -> list[Others]:
        """The tables whose column is read, that of `true` first; ``lacking``: some points are in `pred` alone."""
        having = [table for table in (self, self.pred) if table is not None and name in table.own]
        return having if lacking else having[:1]

    def read(self, engine: Engine, name: str, lacking: bool, *more: str) -> list[tuple[list[Any], ...]]:
        """A column as lists of points (after ``more`` columns) and values: first of `pred`, which `true` overrides."""
        out = []
        with engine.running():
            for table in reversed(self.owners(name, lacking)):
                got = engine.fetch(table.frame.select(*more, POINT, name))
                out.append(tuple(plain(got[column]) for column in (*more, POINT, name)))
        return out

    def beside(self, frame: Frame, name: str, lacking: bool) -> Frame:
        """Joined points (i, j) with their ``value`` of a column."""
        tables = self.owners(name, lacking)
        known = [table.frame.select(**{POINT: c(POINT), "value": c(name)}) for table in tables]
        if len(tables) == 1:
            return frame.join(known[0], left_on="i" if tables[0] is self else "j", right_on=POINT, how="left")
        if self._two_kinds(name):
            known = [table.with_columns(value=c("value").cast(nw.Float64)) for table in known]
        rest = known[1].join(known[0].select(POINT), on=POINT, how="anti")
        both = nw.concat([known[0], rest], how="vertical")
        frame = frame.with_columns(either=nw.coalesce("i", "j"))
        return frame.join(both, left_on="either", right_on=POINT, how="left").drop("either")

    def _two_kinds(self, name: str) -> bool:
        """Whether a column has two types of numbers in the two tables; other types must be the same."""
        assert self.pred is not None
        kinds = [table.frame.collect_schema()[name] for table in (self, self.pred)]
        if kinds[0] != kinds[1] and not all(kind.is_numeric() for kind in kinds):
            told = [str(kind).lower() for kind in kinds]
            raise ArgumentError.about(
                "column",
                Message(
                    "{name!r} must be of one type in both tables, since some points are in `pred` alone; it is "
                    "{true} in `true` and {pred} in `pred`.",
                    name=name,
                    true=told[0],
                    pred=told[1],
                ),
                "convert one of them.",
            )
        return bool(kinds[0] != kinds[1])
