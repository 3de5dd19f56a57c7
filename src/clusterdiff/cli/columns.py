"""The other columns of a table of points: what `--by` slices by, and what the report shows of each point."""

from __future__ import annotations

from typing import Any

import duckdb

from clusterdiff.diff.comparison import Comparison
from clusterdiff.formats.source import TABLES, Source
from clusterdiff.tables.duck import connect, quoted
from clusterdiff.tables.files import open_table


def other_columns(source: Source, diff: Comparison) -> dict[str, list[Any]]:
    """The columns of TRUE but for the points and the clusters, in its order; none if it is not such a table."""
    source = source.resolved()
    if source.format not in TABLES or source.pairs:
        return {}
    con = connect()
    with open_table(con, source) as scan:
        try:
            relation, parameters = scan.relation(scan.columns)
            chosen = ", ".join(map(quoted, scan.columns))
            rows = con.execute(f"SELECT {chosen} FROM {relation}", list(parameters)).fetchall()
        except duckdb.Error as error:
            raise scan.error(error) from None
    columns = dict(zip(scan.columns, map(list, zip(*rows, strict=True)), strict=True))
    aligned = diff._aligned
    known = [list(map(str, aligned.points))]
    known += [list(map(str, side.named(side.labels).tolist())) for side in (aligned.true, aligned.pred)]
    return {name: column for name, column in columns.items() if not _is_known(column, known, aligned.rows)}


def _is_known(column: list[Any], known: list[list[str]], rows: Any) -> bool:
    """Whether a column only repeats the points' names or clusters."""
    at = range(len(column)) if rows is None else [i for i in rows.tolist() if i >= 0]
    text = [str(column[i]) for i in at]
    return any(text == values[: len(text)] for values in known)
