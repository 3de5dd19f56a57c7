"""Table: a result as columns. It prints, iterates as typed rows and converts to any library's frames."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from clusterdiff import notebook
from clusterdiff.errors import MissingExtraError, one_of

RowType = TypeVar("RowType")
#: The libraries whose frames a table can become, and the extra that brings each.
FRAMES = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}
SHOWN = 10
WIDTH = 40
#: Part of emoji and of several scripts; they show nothing of their own and can do no harm.
JOINERS = "\u200c\u200d"


class Ordered(Mapping[str, npt.NDArray[Any]]):
    """Columns of rows that are in another order than theirs; each is put in that order when it is asked for.

    A column is an array, or a function that gives the values of some rows. Of many rows few are looked at as a rule,
    and not every column of those.

    >>> columns = Ordered({"size": np.array([3, 1, 2]), "double": lambda rows: 2 * rows}, np.array([2, 0, 1]))
    >>> columns["size"].tolist(), columns[:2]["double"].tolist()
    ([2, 3, 1], [4, 0])
    """

    def __init__(
        self,
        columns: Mapping[str, npt.NDArray[Any] | Callable[[npt.NDArray[np.int64]], npt.NDArray[Any]]],
        order: npt.NDArray[np.int64],
    ) -> None:
        self._given, self._order = columns, order
        self._made: dict[str, npt.NDArray[Any]] = {}

    @overload
    def __getitem__(self, key: str) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: slice | npt.NDArray[np.integer[Any]]) -> dict[str, npt.NDArray[Any]]: ...
    def __getitem__(self, key: str | slice | npt.NDArray[np.integer[Any]]) -> Any:
        if not isinstance(key, str):
            rows = self._order[key]
            return {name: self._values(name, rows) for name in self._given}
        if key not in self._made:
            self._made[key] = self._values(key, self._order)
        return self._made[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._given)

    def __len__(self) -> int:
        return len(self._given)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._order)

    def _values(self, name: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[Any]:
        column = self._given[name]
        return column(rows) if callable(column) else column[rows]


class Table(Generic[RowType]):
    """Columns of equal length. ``table["size"]`` is a column, ``table[0]`` a row, ``table[:5]`` a table.

    Examples
    --------
    >>> table = Table({"cluster": ["x", "y"], "size": [3, 1]})
    >>> table
       cluster  size
    0  x           3
    1  y           1
    >>> table[0].size
    3
    """

    def __init__(self, columns: Mapping[str, Any], row: type[RowType] | None = None) -> None:
        self._columns: Mapping[str, npt.NDArray[Any]] = (
            columns
            if isinstance(columns, Ordered)
            else {name: np.asarray(column) for name, column in columns.items()}
        )
        self._type = row
        self._row: Any = row or partial(Row.of, tuple(columns))

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (dict(self._columns), self._type)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._columns)

    def __len__(self) -> int:
        columns = self._columns
        return columns.rows if isinstance(columns, Ordered) else len(next(iter(columns.values())))

    @overload
    def __getitem__(self, key: str) -> npt.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: int) -> RowType: ...
    @overload
    def __getitem__(self, key: slice) -> Table[RowType]: ...
    def __getitem__(self, key: str | int | slice) -> Any:
        if isinstance(key, str):
            return self._columns[key]
        if isinstance(key, slice):
            return type(self)(self._part(key), self._type)
        if isinstance(self._columns, Ordered):
            if not -len(self) <= key < len(self):
                raise IndexError(f"row {key} of a table of {len(self)}")
            return self._row(
                *(python(column[0]) for column in self._part(slice(key, key + 1 or None)).values())
            )
        return self._row(*(python(column[key]) for column in self._columns.values()))

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> Table[RowType]:
        """The rows at some places, in their order."""
        return type(self)(self._part(rows), self._type)

    def _part(self, rows: slice | npt.NDArray[np.integer[Any]]) -> dict[str, npt.NDArray[Any]]:
        """Some of the rows."""
        if isinstance(self._columns, Ordered):
            return self._columns[rows]
        return {name: column[rows] for name, column in self._columns.items()}

    def __iter__(self) -> Iterator[RowType]:
        return (
            self._row(*values) for values in zip(*(c.tolist() for c in self._columns.values()), strict=True)
        )

    def to_dict(self) -> dict[str, list[Any]]:
        """Column name → list of plain Python values."""
        return {name: column.tolist() for name, column in self._columns.items()}

    def to_frame(self, library: str = "pandas") -> Any:
        """The table as a frame of "pandas", "polars" or "pyarrow"."""
        one_of("library", library, FRAMES)
        try:
            module = importlib.import_module(library)
        except ImportError:
            raise MissingExtraError(library, FRAMES[library], f'to_frame("{library}")') from None
        columns = {name: _uniform(column) for name, column in self._columns.items()}
        return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)

    def __repr__(self) -> str:
        return "\n".join(_text_rows(self))

    def _repr_html_(self) -> str:
        return notebook.view(self.html())

    def html(self, rows: int = SHOWN) -> str:
        """The first rows as part of what a notebook shows."""
        head = self[:rows]
        texts = [[shown(value) for value in row] for row in _values(head)]
        more = f"… {_more(self, rows)}" if len(self) > rows else ""
        return notebook.table(self.columns, texts, _numeric(head)) + notebook.line(more, quiet=True)


def shown(value: object, width: int = WIDTH) -> str:
    r"""A value as text for people: numbers short, control characters visible, long labels cut.

    >>> shown("a" + chr(27) + "b"), shown(0.123456789), shown(1000)
    ('a\\x1bb', '0.1235', '1,000')
    """
    if isinstance(value, float):
        return f"{value:.4g}" if 0 < abs(value) < 1e-4 else f"{value:.4f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = str(value)
    if not text.isprintable():
        text = "".join(
            c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in text
        )
    return text if len(text) <= width else text[: width - 1] + "…"


class Row(tuple[Any, ...]):
    """A row of a table that has no type of its own: a tuple whose columns are attributes as well."""

    columns: tuple[str, ...]

    @classmethod
    def of(cls, columns: tuple[str, ...], *values: Any) -> Row:
        """The values of some columns."""
        row = cls(values)
        row.columns = columns
        return row

    def __getattr__(self, name: str) -> Any:
        # Pickle asks for attributes of a row that has no columns yet.
        if name == "columns" or name not in self.columns:
            raise AttributeError(f"a row of this table has no column {name!r}")
        return self[self.columns.index(name)]

    def __reduce__(self) -> tuple[Any, ...]:
        return Row.of, (self.columns, *self)

    def _repr_html_(self) -> str:
        return record_html("Row", dict(zip(self.columns, self, strict=True)))

    def __repr__(self) -> str:
        return (
            f"Row({', '.join(f'{name}={value!r}' for name, value in zip(self.columns, self, strict=True))})"
        )


def python(value: Any) -> Any:
    """A NumPy scalar as a Python value; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def plain(value: Any) -> Any:
    """A value that JSON can hold: a name that is neither text nor a number is spelt out."""
    value = python(value)
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)


def record_html(title: str, facts: Mapping[str, Any], *more: str) -> str:
    """A result that is a few named values, as a notebook shows it; ``more`` stands below them.

    >>> "Loss" in record_html("Loss", {"total": 0.25})
    True
    """
    texts = {name: "–" if value is None else shown(python(value), 200) for name, value in facts.items()}
    # Beside a long text, numbers on the right would be far from their names.
    aligned = max(map(len, texts.values()), default=0) <= WIDTH
    kinds = {name: type(python(value)) in (int, float) for name, value in facts.items()}
    named = [(name, text, kinds[name] and aligned) for name, text in texts.items()]
    return notebook.view(notebook.line(title, strong=True), notebook.facts(named), *more)


def _values(table: Table[Any]) -> Iterator[tuple[Any, ...]]:
    return zip(*table.to_dict().values(), strict=True)


def _text_rows(table: Table[Any]) -> list[str]:
    rows = [tuple(shown(v) for v in row) for row in _values(table[:SHOWN])]
    widths = [max(map(len, column)) for column in zip(table.columns, *rows, strict=True)]
    right = _numeric(table)
    index = len(str(max(len(rows) - 1, 0)))

    def line(first: str, cells: Sequence[str]) -> str:
        padded = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(cells, widths, right, strict=True))
        return f"{first.rjust(index)}  {'  '.join(padded)}".rstrip()

    lines = [line("", table.columns), *(line(str(i), row) for i, row in enumerate(rows))]
    if len(table) > SHOWN:
        lines.append(f"… {_more(table)}")
    return lines


def _numeric(table: Table[Any]) -> list[bool]:
    head = table[:1]
    return [head[name].dtype.kind in "iuf" for name in table.columns]


def _more(table: Table[Any], rows: int = SHOWN) -> str:
    left = len(table) - rows
    return f"{left:,} more row" + ("" if left == 1 else "s")


def _uniform(column: npt.NDArray[Any]) -> Any:
    """A column that every frame library takes: labels of mixed types become strings, and None stays null."""
    if column.dtype != object:
        return column
    values = column.tolist()
    if len({type(value) for value in values if value is not None}) <= 1:
        return values
    return [None if value is None else str(value) for value in values]
