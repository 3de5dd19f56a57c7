"""What else is known about the points, to stand beside them on the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, overload

from clusterdiff.diff.attributes import given_columns
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.points.corpus import InDocument, Mention
from clusterdiff.show.pages import visible


def read_attributes(attributes: object, comparison: Comparison) -> tuple[list[str], list[Any]]:
    """The names of the attributes, and a column for each: one value per point compared, in their order."""
    source = comparison.source
    if attributes is None:
        told = {name: source.column(name) for name in source.columns}
        if isinstance(comparison, CorpusComparison):
            told = _of_mentions(comparison) | told
        return [visible(name, 60) for name in told], list(told.values())
    columns = given_columns(attributes, source)
    return [visible(name, 60) for name in columns], list(map(_listed, columns.values()))


class _Made(Sequence[Any]):
    """A column whose values are made when they are looked at."""

    def __init__(self, points: Sequence[Any], make: Callable[[Any], Any]) -> None:
        self._points, self._make = points, make

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._make(point) for point in self._points[index]]
        return self._make(self._points[index])


def _of_mentions(comparison: CorpusComparison) -> dict[str, Sequence[Any]]:
    """Where the points of documents are: the document, and the sentence around a mention, where its words are known."""
    points = comparison.points
    if not len(points) or not isinstance(points[0], InDocument):
        return {}
    columns: dict[str, Sequence[Any]] = {"document": _Made(points, lambda point: point.document)}
    texts = comparison.texts

    def around(point: InDocument) -> str | None:
        text = texts.get(point.document)
        if text is None or not isinstance(point.name, Mention):
            return None
        before, said, after = text.around(point.name)
        return " ".join(part for part in (before, f"[{said}]", after) if part)

    if texts:
        columns["sentence"] = _Made(points, around)
    return columns


def _listed(column: Any) -> Any:
    return (
        column.tolist() if hasattr(column, "tolist") else column if isinstance(column, list) else list(column)
    )
