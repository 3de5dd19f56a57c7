"""Data sets that a table lists: which file holds the prediction of which system, and which the truth."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clusterdiff.errors import FileError, listed
from clusterdiff.files import suffix
from clusterdiff.formats.catalogue import BY_SUFFIX, TABLES
from clusterdiff.formats.source import Source

#: The system that is the truth.
TRUE = "true"
COLUMNS = ("data", "system", "file")

#: Of each data set the file of its truth, and the files of its systems by name.
Runs = dict[str, tuple[str, dict[str, str]]]


def is_runs(table: object) -> bool:
    """Whether this is the path of such a table, or a frame with its columns."""
    return isinstance(table, str | os.PathLike) or set(COLUMNS) <= set(getattr(table, "columns", ()))


def read_runs(table: Any) -> Runs:
    """The data sets of a table with the columns data, system and file; files are looked for beside it.

    The system called "true" is the truth of its data set.
    """
    if not isinstance(table, str | os.PathLike):
        return _grouped(zip(*(list(table[name]) for name in COLUMNS), strict=True), "the table", Path())
    path = os.fspath(table)
    return _grouped(_rows(path), path, Path(path).parent)


def _rows(path: str) -> list[tuple[Any, ...]]:
    """The rows of the table, in any format that tables have; a file without a known suffix has commas."""
    import duckdb

    from clusterdiff.tables.duck import connect, quoted
    from clusterdiff.tables.files import open_table

    known = BY_SUFFIX.get(suffix(path))
    con = connect()
    with open_table(con, Source(path, format=known if known in TABLES else "csv").resolved()) as scan:
        lacking = [name for name in COLUMNS if name not in scan.columns]
        if lacking:
            raise FileError(
                f"{path} must be a table with the columns data, system and file; it lacks {listed(lacking)}."
            )
        source, parameters = scan.relation(COLUMNS)
        wanted = ", ".join(f"CAST({quoted(name)} AS VARCHAR)" for name in COLUMNS)
        try:
            found: list[tuple[Any, ...]] = con.execute(
                f"SELECT {wanted} FROM {source}", list(parameters)
            ).fetchall()
        except duckdb.Error as error:
            raise scan.error(error) from None
    if not found:
        raise FileError(f"{path} lists no data sets.")
    return found


def _grouped(rows: Iterable[Iterable[Any]], path: str, folder: Path) -> Runs:
    files: dict[str, dict[str, str]] = {}
    for line, row in enumerate(rows, 2):
        data, system, file = ("" if value is None or value != value else str(value) for value in row)
        if not data or not system or not file:
            raise FileError(f"{path}, line {line}: data, system and file must all be given.")
        if system in files.setdefault(data, {}):
            raise FileError(f"{path}, line {line}: {data} already has {system}.")
        files[data][system] = str(folder / file)
    for data, systems in files.items():
        if TRUE not in systems:
            raise FileError(
                f"{path}: {data} has no truth.",
                'add a row with the system "true" and the file of true clusters.',
            )
        if len(systems) == 1:
            raise FileError(f"{path}: {data} has no systems but the truth.")
    return {data: (systems.pop(TRUE), systems) for data, systems in files.items()}
