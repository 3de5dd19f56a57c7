"""What changed in another column between two releases: values before and after, by point and by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.changelog import ChangedValue, succession_of
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.succession import Succession
from clusterdiff.errors import ArgumentError
from clusterdiff.points.clustering import Points
from clusterdiff.points.labels import AnyArray, Int64Array
from clusterdiff.table import Table

NONE = np.array([None], dtype=object)


def changed_values(
    succession: Succession, source: PointSource, column: object, after: object = None
) -> Table[ChangedValue]:
    """See :meth:`Changelog.changed_values`."""
    succession, source, names = _known(succession, source)
    meet = succession.meet
    values = _values(source, names, column, after)
    cell = np.asarray(meet.cell_of_point)
    if any(len(side) != len(cell) for side in values):
        raise ArgumentError.must("column", f"have a value for each of the {len(cell):,} points", column)
    shared = np.flatnonzero(cell >= 0)
    codes, words = _encoded([*values[0], *values[1]])
    before, later = codes[: len(cell)][shared], codes[len(cell) :][shared]
    cell = cell[shared]
    by_point = _pairs(before, later, len(words))
    old = _most_frequent(meet.true[cell], before, meet.k_true)
    new = _most_frequent(meet.pred[cell], later, meet.k_pred)
    pairs = succession.matched
    by_cluster = _pairs(old[meet.true[pairs]], new[meet.pred[pairs]], len(words))
    keys = np.unique(np.concatenate([by_point[0], by_cluster[0]]))
    points, clusters = _counts(keys, *by_point), _counts(keys, *by_cluster)
    order = np.lexsort((keys, -clusters, -points))
    first, second = np.divmod(keys[order], len(words) + 1)
    called = np.append(words, NONE)
    return Table(
        {
            "before": called[first - 1],
            "after": called[second - 1],
            "points": points[order],
            "clusters": clusters[order],
        },
        ChangedValue,
    )


def _known(succession: Succession, source: PointSource) -> tuple[Succession, PointSource, Points | None]:
    """The succession of points that are known, those in both releases among them; where they are from, their names."""
    if succession.meet.knows_points:
        return succession, source, source.original_names
    if source.known and source.meet.n == int(succession.meet.size.sum()):  # those in both, and no others
        return Succession(source.meet, source.least), source, source.names
    whole = source.whole
    return succession_of(whole), whole, whole.original_names


def _values(source: PointSource, names: Points | None, column: object, after: object) -> tuple[Any, Any]:
    if after is None and isinstance(column, str):
        return source.both_columns(column)
    if not (hasattr(column, "get") and hasattr(after, "get")) or names is None:
        raise ArgumentError.must(
            "column",
            "be the name of a column of both tables, or a dict from point to the value before",
            column,
            "give the values after as a second dict.",
        )
    return tuple([values.get(point) for point in names] for values in (column, after))  # type: ignore[return-value]


def _encoded(values: list[Any]) -> tuple[Int64Array, AnyArray]:
    """Codes of values of any types, -1 for none, and the values."""
    try:
        codes, first, _ = _core.encode_objects(values)
    except TypeError:  # lists and dicts, as JSON has them
        values = [None if value is None else str(value) for value in values]
        codes, first, _ = _core.encode_objects(values)
    words = np.empty(len(first), dtype=object)
    words[:] = [values[i] for i in first.tolist()]
    return codes.astype(np.int64), words


def _pairs(before: Int64Array, after: Int64Array, k: int) -> tuple[Int64Array, Int64Array]:
    """The different pairs of values that are not the same, as numbers, and how often each comes."""
    changed = before != after
    found: tuple[Int64Array, Int64Array] = np.unique(
        (before[changed] + 1) * (k + 1) + after[changed] + 1, return_counts=True
    )
    return found


def _counts(keys: Int64Array, some: Int64Array, counts: Int64Array) -> Int64Array:
    out = np.zeros(len(keys), dtype=np.int64)
    out[np.searchsorted(keys, some)] = counts
    return out


def _most_frequent(cluster: Any, value: Int64Array, k: int) -> Int64Array:
    """The most frequent value of each of ``k`` clusters, -1 if it has none; of equal ones that which comes first."""
    known = np.flatnonzero(value >= 0)
    out = np.full(k, -1)
    if len(known):
        most = int(value.max()) + 1
        keys, counts = np.unique(cluster[known].astype(np.int64) * most + value[known], return_counts=True)
        of, called = np.divmod(keys, most)
        order = np.lexsort((-called, counts, of))  # the last one that is written counts
        out[of[order]] = called[order]
    return out
