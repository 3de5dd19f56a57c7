"""Data sets that a table lists: which file holds the prediction of which system, and which the truth."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clusterdiff.errors import FileError, listed
from clusterdiff.files import read_lines

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
    try:
        rows = list(csv.DictReader(read_lines(path), strict=True))
    except csv.Error as error:
        raise FileError(f"{path} is no table of comma-separated values: {error}.") from None
    lacking = [name for name in COLUMNS if not rows or name not in rows[0]]
    if lacking:
        raise FileError(
            f"{path} must be a table with the columns data, system and file; it lacks {listed(lacking)}."
        )
    return _grouped(((row[name] for name in COLUMNS) for row in rows), path, Path(path).parent)


def _grouped(rows: Iterable[Iterable[Any]], path: str, folder: Path) -> Runs:
    files: dict[str, dict[str, str]] = {}
    for line, row in enumerate(rows, 2):
        data, system, file = ("" if value is None or value != value else str(value) for value in row)
        if not data or not system or not file:
            raise FileError(f"{path}, line {line}: data, system and file must all be told.")
        if system in files.setdefault(data, {}):
            raise FileError(f"{path}, line {line}: {data} has {system} already.")
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
