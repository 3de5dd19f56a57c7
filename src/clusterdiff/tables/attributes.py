"""Attributes in a table of their own: what else is known about the points, looked up by a key."""

from __future__ import annotations

from functools import partial

from clusterdiff.diff.attributes import Lookup
from clusterdiff.errors import FileError, listed
from clusterdiff.files import shown
from clusterdiff.formats.source import Source
from clusterdiff.messages import Message
from clusterdiff.points.keys import Key, key_columns
from clusterdiff.tables.columns import FileColumns, Origin
from clusterdiff.tables.duck import connect, stoppable
from clusterdiff.tables.files import bring, open_table, recognised, require, told_key
from clusterdiff.tables.loaded import Loaded, point_names


@stoppable()
def read_attributes(source: Source, key: str | None, *, as_text: bool) -> dict[str, Lookup]:
    """The columns of a table by name, each a value by point; ``key`` names the points, as one column or several.

    ``as_text`` compares names as they are written: a CSV file knows only text.
    """
    origin, con = Origin(source), connect()
    with open_table(con, source, origin.copy) as scan:
        point: Key | None = told_key(scan, key) or recognised(scan.columns, "point")
        if point is None:
            raise FileError(
                f"{shown(scan.name)}: no column is known to name the points; there are {listed(scan.columns)}.",
                Message("name it: `key=`."),
            )
        require(scan, point)
        name, kinds, rows = bring(con, scan, {"point": point})
        named, as_text = ",".join(key_columns(point)), as_text or not scan.typed
        others = [column for column in scan.columns if column not in key_columns(point)]
        table = Loaded(con, name, shown(scan.name), named, "", kinds, rows)
    names = point_names(table)
    if as_text:
        names = [_text(point) for point in names]
    places = {point: row for row, point in enumerate(names)}
    if len(places) < rows:
        repeated = list(dict.fromkeys(point for row, point in enumerate(names) if places[point] != row))
        raise FileError(
            f"{table.title}: the column {named!r} must name each point once; "
            f"{len(repeated):,} are repeated: {listed(repeated)}.",
            "remove the repeats: attributes must have one value per point.",
        )
    columns = FileColumns(origin, others)
    spelt = _text if as_text else None
    return {column: Lookup(places, partial(columns.read, column), spelt) for column in others}


def _text(name: object) -> object:
    """A name as it is written; one of several columns part by part."""
    return tuple(map(str, name)) if isinstance(name, tuple) else str(name)
