"""Clusterings at several resolutions: which column is which, and each against a true clustering."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import Table
from clusterdiff.verbs.compare import compare

#: A number at the end of a column's name, as in leiden_0.5.
NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?$")


@dataclass(frozen=True, eq=False)
class Resolutions:
    """Clusterings by name, from the lowest resolution to the highest, compared with the true one."""

    comparisons: list[tuple[str, Comparison]]
    resolutions: FloatArray

    @property
    def true(self) -> Clustering:
        """The true clustering."""
        return self.comparisons[0][1].true

    @cached_property
    def names(self) -> list[str]:
        """What the columns are called."""
        return [name for name, _ in self.comparisons]

    def clustering(self, resolution: float) -> Clustering:
        """The clustering of a resolution."""
        return self.compare(resolution).pred

    def compare(self, resolution: float) -> Comparison:
        """The comparison of a resolution."""
        at = np.flatnonzero(self.resolutions == resolution)
        if not len(at):
            raise ArgumentError(
                f"there is no column of resolution {resolution!r}; there are {listed(self.resolutions.tolist())}."
            )
        return self.comparisons[int(at[0])][1]

    def worst(self) -> Table[Any]:
        """Resolutions are no tree, so no merge leads from one to the next."""
        raise ArgumentError(
            "columns at several resolutions have no merges.",
            "compare(resolution).merges has the costliest clusters of one.",
        )


def read_columns(columns: Any, argument: str = "columns") -> dict[str, Any]:
    """Clusterings by name: of a dict, a frame with one column each, or a list."""
    if isinstance(columns, Mapping):
        found = {str(name): labels for name, labels in columns.items()}
        if len(found) < len(columns):
            raise ArgumentError(f"`{argument}` has names that are written alike.")
    elif isinstance(columns, list | tuple):
        found = {str(i): labels for i, labels in enumerate(columns)}
    elif isinstance(columns, np.ndarray) and columns.ndim == 2:
        found = {str(i): columns[:, i] for i in range(columns.shape[1])}
    elif hasattr(columns, "columns") and hasattr(columns, "__getitem__"):
        names = (
            getattr(columns, "column_names", None) or columns.columns
        )  # pyarrow has the columns themselves there
        found = {str(name): columns[name] for name in names}
    else:
        raise ArgumentError(
            f"`{argument}` must be a dict from name to labels, a list of clusterings, or a frame with one column each; "
            f"got {type(columns).__name__}."
        )
    if not found:
        raise ArgumentError(f"`{argument}` has no clusterings.")
    return found


def resolutions_of(names: list[str]) -> FloatArray:
    """The resolution of each name: the number at its end, if all have a different one; else 0, 1, 2, …

    >>> resolutions_of(["leiden_0.5", "leiden_1.0"]).tolist(), resolutions_of(["coarse", "fine"]).tolist()
    ([0.5, 1.0], [0.0, 1.0])
    """
    numbers = [NUMBER.search(name) for name in names]
    if all(numbers):
        values = np.array([float(match[0]) for match in numbers if match])
        if len(np.unique(values)) == len(values):
            return values
    return np.arange(len(names), dtype=np.float64)


def read_resolutions(true: object, columns: Any, **options: Any) -> Resolutions:
    """Each column against the true clustering, in the order of resolutions."""
    found = read_columns(columns)
    names = list(found)
    values = resolutions_of(names)
    order = np.argsort(values, kind="stable").tolist()
    compared = [(names[i], compare(true, found[names[i]], **options)) for i in order]
    return Resolutions(compared, values[order])
