"""Matching: two sides laid over each other by the names of their points."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from clusterdiff import _core
from clusterdiff.errors import LabelError, changed
from clusterdiff.messages import Message
from clusterdiff.points.alignment import Alignment, Order
from clusterdiff.points.clustering import Clustering, Points, refuse_twice
from clusterdiff.points.index import ColumnNames, Index
from clusterdiff.points.labels import (
    FloatArray,
    Int64Array,
    IntArray,
    Labels,
    LazyNames,
    encode_lists,
    kind,
    names_at,
)


def by_name(left: Clustering, right: Clustering) -> Alignment:
    """Match points by name; the order is that of `true`, then the points that only `pred` has."""
    a, b = left.point_names(), right.point_names()
    if len(a) and len(b) and _kind_of_name(a[0]) != _kind_of_name(b[0]):
        raise LabelError(
            Message(
                "the points of `true` and `pred` must be of one type; got {true} and {pred}.",
                true=f"{_kind_of_name(a[0])} ({a[0]!r})",
                pred=f"{_kind_of_name(b[0])} ({b[0]!r})",
            ),
            "convert one side, for example with str(): 1 and '1' are never matched silently.",
        )
    found = match_names(a, b)
    return laid((left.labels, right.labels), (a, b), *found, known=left.ordered, index=left.index)


def laid(
    labels: tuple[Labels, Labels],
    names: tuple[Points, Points],
    place: IntArray,
    extra: Int64Array,
    known: bool = True,
    index: Index | None = None,
) -> Alignment:
    """Two sides laid over each other whose points have been matched: see :func:`match_names`."""
    (mine, theirs), at, order = labels, place, None
    passed = len(mine)
    if len(extra):
        order = np.concatenate([np.arange(passed), np.full(len(extra), -1)])
        mine, at = mine.take(order), np.concatenate([place, extra])
    points = Order(united(*names, extra), passed, order, known, index=index)
    return Alignment(mine, theirs.take(at), points, named=True)


def _kind_of_name(name: object) -> str:
    """The kind of a point; of a tuple, the kinds of its parts."""
    return f"({', '.join(map(kind, name))})" if type(name) is tuple else kind(name)


def laid_numbers(
    true: FloatArray | None, pred: FloatArray | None, place: IntArray, extra: Int64Array
) -> FloatArray:
    """A number for each point of two sides: that of `true`, or of `pred` where that has none; NaN where neither has."""
    if true is None:
        assert pred is not None  # one of the two has numbers
        true = np.where(place >= 0, pred[place], np.nan)
    return np.concatenate([true, np.full(len(extra), np.nan) if pred is None else pred[extra]])


def match_names(true: Points, pred: Points) -> tuple[IntArray, Int64Array]:
    """For each name of `true` its place in `pred`, -1 for none; and the places in `pred` of those that `true` lacks.

    Names of columns are matched without being made. Raises if a point has no name, or two have the same.
    """
    sides = true, pred
    if isinstance(true, ColumnNames) and isinstance(pred, ColumnNames):
        columns = true.column, pred.column
        if any(column.null_count for column in columns):
            _refuse(sides)
        matching = _core.Matching(max(map(len, sides)))
        for column in columns:
            matching.read(column)
        found = matching.match()
        if len(found.true_repeats) or len(found.pred_repeats):
            _refuse(sides)
        return found.place, found.extra
    encoded = encode_lists([*map(_listed, sides)], "true` and `pred", "points")
    codes, n = encoded.codes, len(true)
    assert encoded.lexicon is not None
    where = np.full(len(encoded.lexicon), -1)
    where[codes[n:]] = np.arange(len(pred))
    # Codes are numbered by first appearance: those of `true` are 0, 1, 2, …
    if encoded.absent is not None or int(codes[:n].max(initial=-1)) + 1 < n or (where >= 0).sum() < len(pred):
        _refuse(sides)
    return where[:n], np.flatnonzero(codes[n:] >= n)


def _refuse(sides: tuple[Points, Points]) -> NoReturn:
    for side, argument in zip(sides, ("true", "pred"), strict=True):
        refuse_twice(side, argument)
    raise changed()


def _listed(names: Points) -> list[Any]:
    return names if isinstance(names, list) else list(names)


def united(true: Points, pred: Points, extra: Int64Array) -> Points:
    """The names of `true`, and then some of `pred`."""
    n = len(true)
    if not isinstance(true, LazyNames) and not isinstance(pred, LazyNames):
        return [*true, *names_at(pred, extra)]
    if not len(extra):
        return true

    def some(at: Int64Array) -> list[Any]:  # ascending
        return names_at(true, at[at < n]) + names_at(pred, extra[at[at >= n] - n])

    kinds = {names.kind if isinstance(names, LazyNames) else None for names in (true, pred)}
    kind = kinds.pop() if len(kinds) == 1 else None
    return LazyNames(n + len(extra), lambda: [*true, *names_at(pred, extra)], some=some, kind=kind)
