"""What else is known about the points, to stand beside them on the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError
from clusterdiff.points.index import index_of
from clusterdiff.show.pages import visible


def read_attributes(attributes: object, comparison: Comparison) -> tuple[list[str], list[Any]]:
    """The names of the attributes, and a column for each: one value per point compared, in their order."""
    source = comparison.source
    if attributes is None:
        return [visible(name, 60) for name in source.columns], [
            source.column(name) for name in source.columns
        ]
    columns: Mapping[Any, object]
    if isinstance(attributes, Mapping):
        first = next(iter(attributes.values()), None)
        if isinstance(first, Mapping):
            names = list(dict.fromkeys(name for row in attributes.values() for name in row))
            columns = {name: {point: row.get(name) for point, row in attributes.items()} for name in names}
        else:
            columns = attributes
    else:
        import narwhals.stable.v2 as nw

        try:
            frame: Any = nw.from_native(attributes, eager_only=True)
        except TypeError:
            raise ArgumentError(
                f"`attributes` must be a frame, a dict of columns, or a dict from point to a dict of attributes; "
                f"got {type(attributes).__name__}."
            ) from None
        # The index of a pandas frame names the points; other columns come as plain values.
        indexed = index_of(attributes) is not None
        columns = {
            name: frame[name].to_native() if indexed else frame[name].to_list() for name in frame.columns
        }
    return [visible(name, 60) for name in columns], [
        _listed(source.describe(column, f"attributes[{name!r}]")) for name, column in columns.items()
    ]


def _listed(column: Any) -> Any:
    return (
        column.tolist() if hasattr(column, "tolist") else column if isinstance(column, list) else list(column)
    )
