"""Attributes: what else is known about the points, as columns of values with a code for each point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.errors import LabelError
from clusterdiff.points.labels import AnyArray, IntArray
from clusterdiff.points.reading import read_labels


class Values(NamedTuple):
    """A column: the code of each point's value, -1 where there is none, and the distinct values."""

    codes: IntArray
    distinct: AnyArray


def read_values(column: Any) -> Values | None:
    """The values of a column; None if they cannot be told apart, as lists and dicts cannot.

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
    return Values(labels.codes, labels.names)


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


def _of_floats(floats: AnyArray) -> Values:
    present = np.flatnonzero(~np.isnan(floats))
    codes = np.full(len(floats), -1, dtype=np.int64)
    kept = floats[present] + 0.0  # there is one zero
    codes[present], first = _core.encode_integers(kept.view(np.int64))
    return Values(codes, kept[first])
