"""The other columns of a table in a file or database: read when asked for, from the very file that was compared."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import chain
from typing import Any

import duckdb
import numpy as np

from clusterdiff.errors import FileError
from clusterdiff.files import STDIN, find, shown, spooled
from clusterdiff.formats.source import Source
from clusterdiff.points.labels import Int64Array, IntArray
from clusterdiff.tables.duck import connect, quoted, stoppable
from clusterdiff.tables.files import open_table

State = tuple[tuple[Any, ...], ...]


class Origin:
    """Where a table is read from. Standard input can be read only once, so a copy of it is kept."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.copy: str | None = None
        if source.path == STDIN:
            stack = ExitStack()
            self.copy = stack.enter_context(spooled(STDIN))
            weakref.finalize(self, stack.close)
        self.state = state(source)

    def __getstate__(self) -> dict[str, Any]:
        return {"source": self.source, "copy": None, "state": self.state}

    @property
    def there(self) -> bool:
        """Whether it can be read again; the copy of standard input stays in the process that made it."""
        return self.source.path != STDIN or self.copy is not None

    def refuse_changed(self) -> None:
        """Raise unless the file is still what it was."""
        if state(self.source) != self.state:
            raise FileError(
                f"{shown(self.source.path)} changed since it was compared.",
                "compare again when nothing writes to it.",
            )


def state(source: Source) -> State:
    """What changes when a file is written to; of standard input and servers nothing is known."""
    if source.path == STDIN or source.format == "postgres":
        return ()
    stats = [(path, os.stat(path)) for path in find(source.path)]
    return tuple((path, s.st_size, s.st_mtime_ns, s.st_ino) for path, s in stats)


class FileColumns:
    """The columns of a table apart from points and clusters, each read when it is first asked for."""

    def __init__(self, origin: Origin, names: Sequence[str]) -> None:
        self._origin = origin
        self._names = tuple(names)
        self._read: dict[str, list[Any]] = {}

    def __copy__(self) -> FileColumns:
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return self._names if self._origin.there else tuple(self._read)

    def read(self, name: str) -> list[Any]:
        """One of them: a value for each row of the table."""
        if name not in self._read:
            self._read[name] = self._fetched(name)
        return self._read[name]

    @stoppable()
    def _fetched(self, name: str) -> list[Any]:
        origin = self._origin
        origin.refuse_changed()
        con = connect()
        with open_table(con, origin.source, origin.copy, loose=True) as scan:
            try:
                relation, parameters = scan.relation([name])
                found = con.execute(f"SELECT {quoted(name)} AS value FROM {relation}", list(parameters))
                values = found.fetchnumpy()["value"]
            except duckdb.Error as error:
                raise scan.error(error) from None
        origin.refuse_changed()
        if values.dtype.kind == "M":  # nanoseconds would come out as numbers
            values = values.astype("datetime64[us]")
        return list(np.ma.asarray(values).tolist())


class LaterColumns:
    """The other columns of `pred`, laid over the points as they were matched.

    ``place`` has the row of `pred` for each row of `true` (-1: none; None: the very same), ``extra`` the rows of `pred`
    that `true` lacks.
    """

    def __init__(self, columns: FileColumns, place: IntArray | None, extra: Int64Array) -> None:
        self._columns = columns
        self._place = place
        self._extra = extra

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return self._columns.names

    def read(self, name: str) -> list[Any]:
        """One of them: a value for each point as it was matched, None where `pred` lacks it."""
        values = self._columns.read(name)
        if self._place is None:
            return values
        return [None if i < 0 else values[i] for i in chain(self._place.tolist(), self._extra.tolist())]
