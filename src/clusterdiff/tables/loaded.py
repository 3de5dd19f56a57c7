"""Tables of points and clusters in DuckDB: copied there, or views of large files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from clusterdiff.errors import FileError, listed
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.keys import key_kinds, parts_of
from clusterdiff.points.labels import IntArray
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.duck import Connection, Plain, Scan, fresh, stoppable, stops
from clusterdiff.wording import count

#: So few names are fetched as Python's own values.
FEW = 10_000


@dataclass(frozen=True)
class InPlace:
    """A file that is read again whenever something of it is wanted, since a copy would take memory.

    ``unchanged`` raises if it is no longer what it was.
    """

    scan: Scan
    bytes: int
    unchanged: Callable[[], None]


@dataclass(frozen=True)
class Loaded:
    """A table in DuckDB with the columns ``point`` and ``cluster``, in the order of the file.

    Of a file ``in_place`` it is a view, and ``rows`` may be a guess until it has been read. ``kinds`` says what the two
    hold: "int", "text", "time" or "bool", or "untyped" for the text of a CSV file. ``numbers`` are its columns of
    weights and features, ``document`` is that of documents, and ``others`` are the columns of the file that are
    neither points nor clusters; parts of names are among them.
    """

    con: Connection
    name: str
    title: str
    point: str | None
    cluster: str
    kinds: dict[str, str]
    rows: int
    column: str = "cluster"
    document: str | None = None
    numbers: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    in_place: InPlace | None = None

    @property
    def plain(self) -> Plain | None:
        """For a file that the core may read by itself; None if something is made of its columns."""
        made = self.document or key_kinds(self.kinds.get("point", ""))
        return self.in_place.scan.plain if self.in_place and not made else None

    @property
    def shown(self) -> str:
        """The file and the column of clusters, for messages."""
        return f"{self.title}:{self.cluster}"

    def fetch(self, column: str) -> npt.NDArray[Any]:
        """One of its columns; masked where it is null."""
        with self.reading():
            return self.con.execute(f"SELECT {column} FROM {self.name}").fetchnumpy()[column]

    def fetch_rows(self, column: str, rows: IntArray) -> list[Any]:
        """The values of a column in a few rows, counted from 0; ascending."""
        placed = self.in_place is not None and self.in_place.scan.place is not None
        table, row = (self.name, "place") if placed else (self.numbered, "row")
        wanted = fresh("wanted")
        self.con.register(wanted, {row: rows if placed else rows + 1})
        try:
            with self.reading():
                found = self.con.execute(
                    f"SELECT {column} FROM {table} SEMI JOIN {wanted} USING ({row}) ORDER BY {row}"
                )
                if len(rows) <= FEW:  # arrays that may be masked take a while to import
                    return [value for (value,) in found.fetchall()]
                return list(np.ma.getdata(found.fetchnumpy()[column]).tolist())
        finally:
            self.con.unregister(wanted)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """What goes wrong within is shown as the file's fault, if it is read from the file."""
        if self.in_place is None:
            yield
            return
        self.in_place.unchanged()
        try:
            yield
        except (duckdb.Error, RuntimeError) as error:
            if stops(error):
                raise
            raise self.in_place.scan.error(duckdb.Error(str(error))) from None
        self.in_place.unchanged()

    @property
    def numbered(self) -> str:
        """The table for a query that asks for the ``row``, counted from 1."""
        return f"(SELECT *, row_number() OVER () AS row FROM {self.name})"


def refuse_nulls(table: Loaded) -> None:
    """Raise an error if a point has no name, or no document where there are documents."""
    for what, column in (("point", table.point), ("document", table.document)):
        if column is None:
            continue
        ((nulls, first),) = table.con.execute(
            f"SELECT count(*), min(row) FROM {table.numbered} WHERE {what} IS NULL"
        ).fetchall()
        if nulls:
            raise FileError(
                f"{table.title}: the column of {what}s {column!r} must not be empty; it is in {count(nulls, 'row')}, "
                f"the first of them row {first:,}."
            )


def no_rows(title: str) -> FileError:
    """For a table that there is nothing in."""
    return FileError(f"{title} has no rows.")


def refuse_repeats(table: Loaded) -> None:
    """Raise an error if a point is in more than one row (of one document)."""
    keys = "point" if table.document is None else "point, document"
    ((repeats,),) = table.con.execute(
        f"SELECT count(*) > count(DISTINCT ({keys})) FROM {table.name}"
    ).fetchall()
    if not repeats:  # the rule, and found much faster than where they are
        return
    rows = table.con.execute(
        f"SELECT point, list(row ORDER BY row), count(*) OVER () FROM {table.numbered} GROUP BY {keys} "
        "HAVING count(*) > 1 ORDER BY min(row) LIMIT 5"
    ).fetchall()
    first, places, total = rows[0]
    at = " and ".join(f"{place:,}" for place in places[:2])
    raise FileError(
        f"{table.title}: the column {table.point!r} must name each point once; "
        f"{count(total, 'name')} repeated: {listed([row[0] for row in rows], total)}. "
        f"The first, {first!r}, is in rows {at}.",
        "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
    )


# ---- a table as a Clustering


def to_clustering(table: Loaded) -> Clustering:
    """The clustering that a loaded table holds."""
    labels = read_labels(table.fetch(table.column), table.shown)
    if table.point is None:
        return Clustering.of(labels, None)
    refuse_repeats(table)
    return Clustering.of(labels, point_names(table))


@stoppable()
def point_names(
    table: Loaded, as_text: bool = False, rows: IntArray | None = None, parts: Sequence[str] | None = None
) -> list[Any]:
    """The names of the points of a table, or of some of its rows, ascending; ``as_text`` turns them into strings.

    Names of several columns are tuples; ``parts`` says what these hold, if not what they hold in the table.
    """
    if rows is not None and not len(rows):
        return []
    chosen = np.ma.getdata(table.fetch("point")).tolist() if rows is None else table.fetch_rows("point", rows)
    kinds = key_kinds(table.kinds.get("point", ""))
    if kinds:
        return [parts_of(name, parts or kinds) for name in chosen]
    return list(map(str, chosen)) if as_text else chosen
