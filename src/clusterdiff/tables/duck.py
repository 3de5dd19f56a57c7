"""DuckDB: a connection of our own, names and text quoted for SQL, and how a table is scanned."""

from __future__ import annotations

import atexit
import glob
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from threading import Lock
from typing import Any, TypeAlias

import duckdb

from clusterdiff.errors import FileError
from clusterdiff.files import shown

Connection: TypeAlias = duckdb.DuckDBPyConnection
Relation: TypeAlias = tuple[str, Sequence[Any]]

#: How DuckDB says that somebody pressed Ctrl-C during a query.
INTERRUPTED = "Query interrupted"
#: How it says that memory is used up; whoever reads a stream of it gets a RuntimeError with this text.
NO_MEMORY = "Out of Memory Error: "

_numbers: Iterator[int] = count()


#: By process, since a child has no threads of its parent's: where the database spills to, and a connection to it.
_shared: dict[int, tuple[str, Connection]] = {}
_sharing = Lock()


def connect() -> Connection:
    """A connection to a DuckDB that all others share, since opening one takes longer than reading a small table.

    What they make is temporary, and so theirs alone. Settings of the whole database need one of their own.
    """
    with _sharing:
        folder, known = _shared.get(os.getpid(), ("", None))
        if known is not None and folder == _spilled():
            try:
                return _prepared(known.cursor())
            except duckdb.Error:  # memory ran out in the middle of something, and it answers no more
                pass
        opened = open_database()
        _shared[os.getpid()] = _spilled(), opened
        return _prepared(opened.cursor())


def open_database() -> Connection:
    """A DuckDB in memory that fetches nothing from the network and spills to the temporary folder."""
    return _prepared(
        duckdb.connect(config={"autoinstall_known_extensions": "false", "temp_directory": _spilled()})
    )


def _prepared(con: Connection) -> Connection:
    con.execute("SET enable_progress_bar = false")  # DuckDB prints it among our output
    con.execute("SET arrow_large_buffer_size = true")  # a batch of long names may have more than 2 GB
    return con


def _spilled() -> str:
    return os.path.join(tempfile.gettempdir(), f"clusterdiff-{os.getpid()}.tmp")


@atexit.register
def _close() -> None:
    """Remove what was spilled."""
    if os.getpid() in _shared:
        _shared.pop(os.getpid())[1].close()


def quoted(name: str) -> str:
    """A name as an SQL identifier.

    >>> print(quoted('a"b'))
    "a""b"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Text as an SQL string, where a parameter is not allowed.

    >>> literal("it's")
    "'it''s'"
    """
    return "'" + text.replace("'", "''") + "'"


def exactly(paths: Sequence[str]) -> list[str]:
    """Paths, escaped so that DuckDB takes none of them for a glob.

    >>> exactly(["all*.csv"])
    ['all[*].csv']
    """
    return [glob.escape(path) for path in paths]


def fresh(stem: str) -> str:
    """A name that no other table or database has."""
    return f"{stem}_{next(_numbers)}"


@dataclass(frozen=True)
class Plain:
    """A file that may be so plain that the core reads it by itself.

    Its rows are lines, and fields what is between delimiters; or it is Parquet, if there is no delimiter.
    """

    path: str
    columns: Sequence[str]
    delimiter: str | None = None


@dataclass(frozen=True)
class Scan:
    """How DuckDB reads a table.

    ``relation`` is given the columns wanted and returns what follows FROM, with its parameters. ``typed`` is
    False when the file knows text only (CSV): such text may be laid over another file's integers. ``blame`` turns
    an error of DuckDB into ours. ``plain`` is for who reads a plain file without DuckDB. A file that is ``counted``
    knows how many rows it has; ``place`` is the number of a row, from 0 on, if rows can be chosen by it without a look
    at the others.
    """

    name: str
    columns: Sequence[str]
    relation: Callable[[Sequence[str]], Relation]
    typed: bool = True
    blame: Callable[[duckdb.Error], FileError] | None = None
    plain: Plain | None = None
    counted: bool = False
    place: str | None = None

    def error(self, error: duckdb.Error) -> FileError:
        """Our error for one of DuckDB's."""
        _let_pass(error)
        return (self.blame or blame(self.name))(error)


def scan_described(con: Connection, name: str, source: str, parameters: Sequence[Any] = ()) -> Scan:
    """A scan of something whose columns DuckDB knows."""
    try:
        rows = con.execute(f"DESCRIBE SELECT * FROM {source}", list(parameters)).fetchall()
    except duckdb.Error as error:
        raise blame(name)(error) from None
    return Scan(name, [row[0] for row in rows], lambda columns: (source, parameters))


def _let_pass(error: duckdb.Error) -> None:
    """Raise an error for which no file is to blame."""
    if isinstance(error, duckdb.OutOfMemoryException):
        raise error


@contextmanager
def stoppable() -> Iterator[None]:
    """What stops DuckDB within is raised as what stops Python: MemoryError, or KeyboardInterrupt."""
    try:
        yield
    except (duckdb.OutOfMemoryException, RuntimeError) as error:
        told = str(error)
        if not stops(error):
            raise
        if told == INTERRUPTED:
            raise KeyboardInterrupt from None
        raise MemoryError(told.partition("\n")[0].removeprefix(NO_MEMORY)) from None


def stops(error: Exception) -> bool:
    """Whether an error says that DuckDB was stopped or has no memory left, so that no table is to blame."""
    told = str(error)
    return isinstance(error, duckdb.OutOfMemoryException) or told == INTERRUPTED or told.startswith(NO_MEMORY)


def blame(name: str) -> Callable[[duckdb.Error], FileError]:
    """How to report an error of DuckDB in reading ``name``: its first sentence, without the SQL."""

    def told(error: duckdb.Error) -> FileError:
        _let_pass(error)
        text = re.sub(r"^[\w ]+ Error: ", "", str(error)).partition("\nLINE ")[0]
        if found := re.search(r'converting column "(.*)"\. Could not convert string "(.*)" to', text):
            column, value = found.groups()
            told = f"{shown(name)}: {value!r} in the column {column!r} is not a number."
            return FileError(told, "weights, features and scores are numbers.")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return FileError(f"{shown(name)} cannot be read: {lines[0].rstrip('.')}.", "is the file complete?")

    return told
