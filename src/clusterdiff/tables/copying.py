"""Tables out of DuckDB into files, whole or not at all, and what a spreadsheet would run in them."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from clusterdiff.errors import FileError
from clusterdiff.files import replacing
from clusterdiff.formats.source import Source
from clusterdiff.points.clustering import Clustering
from clusterdiff.tables.columns import Origin
from clusterdiff.tables.duck import Connection, connect, fresh, literal, quoted, stoppable
from clusterdiff.tables.files import load, open_table
from clusterdiff.tables.loaded import to_clustering
from clusterdiff.wording import count

#: Suffix → how DuckDB writes a table.
COPY = {
    ".csv": "FORMAT csv, HEADER true",
    ".tsv": "FORMAT csv, HEADER true, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
    ".parquet": "FORMAT parquet",
}
#: Types of numbers, among which a column goes back to the one that it had.
NUMBERS = {
    *(sign + size for size in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT") for sign in ("", "U")),
    "HUGEINT",
    "UHUGEINT",
    "FLOAT",
    "DOUBLE",
}
#: What people open in a spreadsheet, which runs text that starts with one of these as a formula.
SPREADSHEETS = (".csv", ".tsv")
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@stoppable()
def copy(
    con: Connection,
    table: str,
    path: str | PathLike[str],
    *,
    end: str | None = None,
    safe: bool = False,
    notices: Sequence[str] = (),
) -> int:
    """Write a table to a file in the format of its suffix (or of ``end``).

    Returns how many texts a spreadsheet would take for formulas; if ``safe``, they get an apostrophe in front. Parquet
    has the notices in its metadata, a line each.
    """
    end = end or Path(path).suffix.lower()
    described = con.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()
    names = [row[0] for row in described]
    selected, formulas = list(map(quoted, names)), 0
    if end in SPREADSHEETS:
        texts = [row[0] for row in described if row[1] == "VARCHAR"]
        risky = {name: _is_formula(name) for name in texts}
        if texts:
            counts = ", ".join(f"count(*) FILTER ({condition})" for condition in risky.values())
            (found,) = con.execute(f"SELECT {counts} FROM {table}").fetchall()
            formulas = sum(found)
        formulas += sum(map(is_formula, names))
        if safe and formulas:
            selected = [
                f"{_guarded(name, risky.get(name))} AS {quoted(chr(39) * is_formula(name) + name)}"
                for name in names
            ]
    how = COPY[end]
    if notices and end == ".parquet":
        how += f", KV_METADATA {{'clusterdiff.notices': {literal(chr(10).join(notices))}}}"
    with replacing(path) as target:
        try:
            con.execute(f"COPY (SELECT {', '.join(selected)} FROM {table}) TO {literal(target)} ({how})")
        except duckdb.OutOfMemoryException:
            raise
        except duckdb.Error as error:
            full = "No space left on device." if "No space left" in str(error) else None
            raise FileError(f"{path} cannot be written: {full or str(error).partition(chr(10))[0]}") from None
    return formulas


def is_formula(text: str) -> bool:
    """Whether a spreadsheet would run a text.

    >>> is_formula("=1+1"), is_formula("1+1")
    (True, False)
    """
    return text.startswith(FORMULA)


def _is_formula(column: str) -> str:
    name = quoted(column)
    return "(" + " OR ".join(f"starts_with({name}, {literal(sign)})" for sign in FORMULA) + ")"


def _guarded(column: str, risky: str | None) -> str:
    name = quoted(column)
    return name if risky is None else f"CASE WHEN {risky} THEN chr(39) || {name} ELSE {name} END"


def registered(con: Connection, columns: dict[str, list[Any]]) -> str:
    """Columns of Python values as a table of DuckDB, by name."""
    name = fresh("result")
    con.register(name, {column: _plain(values) for column, values in columns.items()})
    return name


def _plain(values: Sequence[Any]) -> Any:
    """A column of one type that DuckDB takes: text for everything but numbers and truth values."""
    kinds = set(map(type, values))
    if len(kinds) == 1 and kinds <= {int, float, bool}:
        return np.asarray(values)
    if len(kinds - {type(None)}) == 1 and kinds - {type(None)} <= {int, float, bool}:
        absent = [value is None for value in values]
        return np.ma.array([value or 0 for value in values], mask=absent)  # numbers stay numbers beside nulls
    out = np.empty(len(values), dtype=object)
    out[:] = [value if isinstance(value, str) else _text(value) for value in values]
    return out


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return (
        json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | dict) else str(value)
    )


class Rewritable:
    """A table in a file, its clustering, and a way to write the whole table with other clusters.

    Tables that are to be written together lie ``beside`` each other.
    """

    @stoppable()
    def __init__(self, source: Source, beside: Rewritable | None = None) -> None:
        self._con: Connection = connect() if beside is None else beside._con
        origin = Origin(source)
        with open_table(self._con, source, origin.copy) as scan:
            loaded = load(self._con, scan, source.point, source.cluster)
            self.clustering = to_clustering(loaded)
        self._point, self._cluster, self._rows = loaded.point, loaded.cluster, fresh("rows")
        with open_table(self._con, source, origin.copy, loose=True) as scan:
            self._columns = list(scan.columns)
            text, parameters = scan.relation(self._columns)
            try:
                self._con.execute(f"CREATE TEMP TABLE {self._rows} AS SELECT * FROM {text}", list(parameters))
            except duckdb.Error as error:
                raise scan.error(error) from None
        origin.refuse_changed()

    def copy(
        self, clustering: Clustering, path: str | PathLike[str], others: Sequence[Rewritable] = (), **how: Any
    ) -> int:
        """Write the table with the clusters of ``clustering``, its other columns as they are; see :func:`copy`.

        Rows of points that ``clustering`` lacks are left out. Points that only it has are added: the rows of
        ``others``, or rows in which nothing but the point and its cluster is known.
        """
        own = self.clustering.points
        if own is None or clustering.points is None or own is clustering.points:
            parts, added = [self._select(clustering.labels.to_list())], {}
        else:
            added = dict(zip(clustering.points, clustering.labels.to_list(), strict=True))
            parts = [self._select([added.pop(point, None) for point in own])]
        for other in others:
            if added and other.clustering.points is not None:
                found = [added.pop(point, None) for point in other.clustering.points]
                parts.append(other._select(found, self))
        if added:
            parts.append(self._nothing_but(added))
        view = fresh("rewritten")
        self._con.execute(f"CREATE TEMP VIEW {view} AS {' UNION ALL BY NAME '.join(parts)}")
        return copy(self._con, self._typed(view), path, **how)

    def _typed(self, view: str) -> str:
        """The same with points and clusters in the numbers that they were in, if these hold them: 32 bits, say."""
        types, now = (
            {row[0]: str(row[1]) for row in self._con.execute(f"DESCRIBE {table}").fetchall()}
            for table in (self._rows, view)
        )
        casts = {
            column: f"TRY_CAST({quoted(column)} AS {types[column]})"
            for column in (self._point, self._cluster)
            if column
            and column in types
            and types[column] != now[column]
            and {types[column], now[column]} <= NUMBERS
        }
        for column, cast in list(casts.items()):
            lost = f"SELECT count(*) FROM {view} WHERE {cast} IS DISTINCT FROM {quoted(column)}"
            if self._con.execute(lost).fetchall()[0][0]:
                del casts[column]
        if not casts:
            return view
        typed = fresh("typed")
        changed = ", ".join(f"{cast} AS {quoted(column)}" for column, cast in casts.items())
        self._con.execute(f"CREATE TEMP VIEW {typed} AS SELECT * REPLACE ({changed}) FROM {view}")
        return typed

    def records(self, wanted: Collection[str]) -> dict[str, dict[str, Any]]:
        """What the other columns have for some points, by the text of the point."""
        points = self.clustering.points
        texts = map(str, range(len(self.clustering)) if points is None else points)
        places = {place: text for place, text in enumerate(texts) if text in wanted}
        columns = [column for column in self._columns if column not in (self._point, self._cluster)]
        if not places or not columns:
            return {}
        rows = self._con.execute(
            f"SELECT rowid, {', '.join(map(quoted, columns))} FROM {self._rows} WHERE list_contains(?, rowid)",
            [list(places)],
        ).fetchall()
        return {places[place]: dict(zip(columns, values, strict=True)) for place, *values in rows}

    def _select(self, labels: list[Any], into: Rewritable | None = None) -> str:
        """The rows that have a cluster, or had none before; of another table, with the columns of that one."""
        absent = self.clustering.labels.absent if into is None else None
        kept = [label is not None for label in labels]
        if absent is not None:
            kept = (np.asarray(kept) | absent).tolist()
        clusters = registered(self._con, {"new": labels, "kept": kept})
        names = {} if into is None else {self._cluster: into._cluster, self._point: into._point}
        selected = [
            f"{'n.new' if column == self._cluster else f'r.{quoted(column)}'} AS {quoted(names.get(column) or column)}"
            for column in self._columns
            if into is None or (names.get(column) or column) in into._columns
        ]
        return f"SELECT {', '.join(selected)} FROM {self._rows} r POSITIONAL JOIN {clusters} n WHERE n.kept"

    def _nothing_but(self, added: dict[Any, Any]) -> str:
        """Rows of points of which nothing but their clusters is known."""
        if self._point not in self._columns:
            raise FileError(
                f"{count(len(added))} cannot be added to a table whose points are named by several columns.",
                "name them by one column.",
            )
        table = registered(self._con, {"point": list(added), "new": list(added.values())})
        return f"SELECT point AS {quoted(self._point)}, new AS {quoted(self._cluster)} FROM {table}"
