"""Tables of judgements as rows of text, and the verdicts on pairs that stand in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from clusterdiff.errors import FileError
from clusterdiff.formats.source import Source

PairVerdict: TypeAlias = Literal["match", "no match", "unsure"]
#: A row by the names of its columns in lower case.
Row: TypeAlias = Mapping[str, str | None]

#: How the verdict on a pair is written, here and elsewhere.
VERDICTS: dict[str, PairVerdict] = {
    **dict.fromkeys(("match", "positive", "yes", "y", "true", "1", "1.0"), "match"),
    **dict.fromkeys(("no match", "negative", "distinct", "no", "n", "false", "0", "0.0"), "no match"),
    **dict.fromkeys(("unsure", "uncertain", "2", "2.0", "-1"), "unsure"),
}


def read_rows(path: str) -> tuple[list[str], Sequence[Row]]:
    """The columns of a table in a file, as they are written, and its rows."""
    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.files import open_table

    con = connect()
    with open_table(con, Source(path).resolved(), loose=True) as scan:
        columns = list(scan.columns)
        text, parameters = scan.relation(columns)
        chosen = ", ".join(f"CAST({quoted(column)} AS VARCHAR)" for column in columns)
        found = con.execute(f"SELECT {chosen} FROM {text}", list(parameters)).fetchall()
    names = [column.casefold() for column in columns]
    return columns, [dict(zip(names, row, strict=True)) for row in found]


def cell(row: Row, column: str, place: str) -> str:
    """What stands in a column, which must not be empty."""
    value = row[column]
    if value is None or value == "":
        raise FileError(f"{place} has no {column}.")
    return value


def verdict(value: object, place: str) -> PairVerdict:
    """A verdict in one of the ways of writing it."""
    found = VERDICTS.get(str(value).strip().casefold())
    if found is None:
        raise FileError(f'{place}: the verdict must be "match", "no match" or "unsure"; got {value!r}.')
    return found
