"""Tables of judgements as rows of text, and the verdicts on pairs that stand in them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from clusterdiff.errors import FileError
from clusterdiff.formats.source import Source
from clusterdiff.points.keys import Key, key_columns
from clusterdiff.points.texts import text

PairVerdict: TypeAlias = Literal["match", "no match", "unsure"]
#: A row by the names of its columns in lower case.
Row: TypeAlias = Mapping[str, str | None]

#: How the verdict on a pair is written, here and elsewhere.
VERDICTS: dict[str, PairVerdict] = {
    **dict.fromkeys(("match", "positive", "yes", "y", "true", "1", "1.0"), "match"),
    **dict.fromkeys(("no match", "negative", "distinct", "no", "n", "false", "0", "0.0"), "no match"),
    **dict.fromkeys(("unsure", "uncertain", "2", "2.0", "-1"), "unsure"),
}


def read_rows(path: str, fits: Callable[[Sequence[str]], object]) -> tuple[list[str], Sequence[Row]]:
    """The columns of a table in a file, as they are written, and its rows, unless the columns do not fit."""
    import duckdb

    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.files import FRACTION, open_table

    con = connect()
    with open_table(con, Source(path).resolved(), loose=True) as scan:
        columns = list(scan.columns)
        if not fits(columns):  # of such a table there may be very much
            return columns, []
        relation, parameters = scan.relation(columns)
        try:
            types = con.execute(f"DESCRIBE SELECT * FROM {relation}", list(parameters)).fetchall()
            kinds = {name: kind for name, kind, *_ in types}
            chosen = ", ".join(
                _whole(quoted(column)) if FRACTION.fullmatch(kinds[column]) else f"{quoted(column)}::VARCHAR"
                for column in columns
            )
            found = con.execute(f"SELECT {chosen} FROM {relation}", list(parameters)).fetchall()
        except duckdb.Error as error:
            raise scan.error(error) from None
    names = [column.casefold() for column in columns]
    return columns, [dict(zip(names, row, strict=True)) for row in found]


def _whole(column: str) -> str:
    """A column of floats as text: 7.0 is written 7, as in the name of a point, and NaN says nothing."""
    whole = f"{column} = floor({column}) AND abs({column}) < 9e18"
    return (
        f"CASE WHEN isnan({column}::DOUBLE) THEN NULL WHEN {whole} THEN {column}::BIGINT::VARCHAR "
        f"ELSE {column}::VARCHAR END"
    )


def rows_of_objects(objects: Sequence[Mapping[str, Any]]) -> tuple[list[str], Sequence[Row]]:
    """The columns of a table that JSON holds as one object per row, and its rows."""
    columns = list(dict.fromkeys(column for one in objects for column in one))
    return columns, [
        {column.casefold(): None if (value := one.get(column)) is None else text(value) for column in columns}
        for one in objects
    ]


def key_parts(key: Key, known: Collection[str]) -> list[str]:
    """The columns that a key is made of, in a list or with commas between them.

    >>> key_parts("source,id", ["source", "id"]), key_parts("a,b", ["a,b"])
    (['source', 'id'], ['a,b'])
    """
    if isinstance(key, str) and key not in known:
        return [part.strip() for part in key.split(",")]
    return key_columns(key)


def name_of(parts: Sequence[str]) -> str:
    """The name of a point, of whose key these are the values.

    >>> name_of(["7"]), name_of(["a", "7"])
    ('7', '["a", "7"]')
    """
    return parts[0] if len(parts) == 1 else text(tuple(parts))


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
