"""Attributes: what else is known about the points, as columns of values with a code for each point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, LabelError
from clusterdiff.points.index import index_of
from clusterdiff.points.labels import AnyArray, IntArray
from clusterdiff.points.reading import read_labels


class Lookup(Mapping[Any, Any]):
    """A column of values by point. Columns of one table share the ``places`` of the points; ``read`` gives the values.

    ``spelt`` says under which name to look for a point, if not its own.
    """

    def __init__(
        self,
        places: Mapping[Any, int],
        read: Callable[[], Sequence[Any]],
        spelt: Callable[[Any], Any] | None = None,
    ) -> None:
        self._places = places
        self._read = read
        self._spelt = spelt

    @cached_property
    def _values(self) -> Sequence[Any]:
        return self._read()

    def __getitem__(self, point: Any) -> Any:
        return self._values[self._places[point if self._spelt is None else self._spelt(point)]]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def given_columns(attributes: object, source: PointSource) -> dict[Any, Any]:
    """The columns of attributes: one value per point compared, in their order.

    A frame, a dict of columns, or a dict from point to a dict of attributes.
    """
    columns: Mapping[Any, object]
    if isinstance(attributes, Mapping):
        first = next(iter(attributes.values()), None)
        if isinstance(first, Mapping) and not isinstance(first, Lookup):
            names = list(dict.fromkeys(name for row in attributes.values() for name in row))
            columns = {name: {point: row.get(name) for point, row in attributes.items()} for name in names}
        else:
            columns = attributes
    else:
        import narwhals.stable.v2 as nw

        try:
            frame: Any = nw.from_native(attributes, eager_only=True)
        except TypeError:
            raise ArgumentError.must(
                "attributes",
                "be a frame, a dict of columns, or a dict from point to a dict of attributes",
                got=type(attributes).__name__,
            ) from None
        # The index of a pandas frame names the points; other columns come as plain values.
        indexed = index_of(attributes) is not None
        columns = {
            name: frame[name].to_native() if indexed else frame[name].to_list() for name in frame.columns
        }
    return {name: source.describe(column, f"attributes[{name!r}]") for name, column in columns.items()}


class Attribute(NamedTuple):
    """A column: the code of each point's value, -1 where there is none, and the distinct values."""

    codes: IntArray
    distinct: AnyArray


def read_values(column: Any) -> Attribute | None:
    """The values of a column; None if they cannot be distinguished, as lists and dicts cannot.

    >>> values = read_values([0.5, None, 0.5, 2.0])
    >>> values.codes.tolist(), values.distinct.tolist()
    ([0, -1, 0, 1], [0.5, 2.0])
    """
    floats = _as_floats(column)
    if floats is not None:
        return _of_floats(floats)
    try:
        labels = read_labels(column, "column")
    except LabelError:
        return None
    return Attribute(labels.codes, labels.names)


def _as_floats(column: Any) -> AnyArray | None:
    """A column of floats, NaN where there is none; None if it holds anything else."""
    if isinstance(column, list | tuple):
        if not isinstance(next((value for value in column if value is not None), None), float):
            return None
        try:
            return np.array(column, dtype=np.float64)
        except (TypeError, ValueError):
            return None
    kind = getattr(getattr(column, "dtype", None), "kind", None)
    return np.asarray(column, dtype=np.float64) if kind == "f" else None


def _of_floats(floats: AnyArray) -> Attribute:
    present = np.flatnonzero(~np.isnan(floats))
    codes = np.full(len(floats), -1, dtype=np.int64)
    kept = floats[present] + 0.0  # there is one zero
    codes[present], first = _core.encode_integers(kept.view(np.int64))
    return Attribute(codes, kept[first])
