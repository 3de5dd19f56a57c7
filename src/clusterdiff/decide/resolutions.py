"""Clusterings at several resolutions: which column is which, each against the truth, and each against the next."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.loss import CellLoss
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.measures import Measure
from clusterdiff.measures.subcomponents import Scored, subcomponent
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import AnyArray, FloatArray
from clusterdiff.table import Table, record_html
from clusterdiff.verbs.compare import compare

#: A number at the end of a column's name, as in leiden_0.5.
NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?:e[+-]?\d+)?$")


@dataclass(frozen=True, eq=False)
class Resolutions:
    """Clusterings by name, compared with the true one: from the lowest resolution to the highest, or as they came.

    ``resolutions`` is None if their names tell none.
    """

    comparisons: list[tuple[str, Comparison]]
    resolutions: FloatArray | None

    @property
    def thresholds(self) -> FloatArray:
        """The resolutions; where there are none, the places of the columns."""
        return np.arange(len(self.comparisons), dtype=float) if self.resolutions is None else self.resolutions

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
        at = np.flatnonzero(self.thresholds == resolution)
        if not len(at):
            what = "column" if self.resolutions is None else "column of resolution"
            raise ArgumentError(
                f"there is no {what} {resolution!r}; there are {listed(self.thresholds.tolist())}."
            )
        return self.comparisons[int(at[0])][1]

    def scores(self, measure: Measure, thresholds: FloatArray) -> FloatArray:
        """A measure at some resolutions."""
        return np.array([self.compare(x).score(measure) for x in thresholds.tolist()], dtype=np.float64)

    @property
    def notices(self) -> list[str]:
        """What one should know about the points."""
        return list(dict.fromkeys(notice for _, diff in self.comparisons for notice in diff.notices))

    def worst(self, threshold: float) -> Table[Any]:
        """Resolutions are no tree, so no merge leads from one to the next."""
        raise ArgumentError(
            "columns at several resolutions have no merges.",
            Message("`compare(resolution).merges` has the costliest clusters of one."),
        )


def read_columns(columns: Any, argument: str = "columns") -> dict[str, Any]:
    """Clusterings by name: of a dict, a frame with one column each, or a list."""
    if isinstance(columns, Mapping):
        found = {str(name): labels for name, labels in columns.items()}
        if len(found) < len(columns):
            raise ArgumentError.about(
                argument, "has names that look the same.", "give each a name of its own."
            )
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
        raise ArgumentError.must(
            argument,
            "be a dict from name to labels, a list of clusterings, or a frame with one column each",
            got=type(columns).__name__,
        )
    if not found:
        raise ArgumentError.about(argument, "has no clusterings.")
    return found


def resolutions_of(names: list[str]) -> FloatArray | None:
    """The resolution of each name: the number at its end, if that is all in which the names differ; else None.

    >>> resolutions_of(["leiden_0.5", "leiden_1.0"]).tolist()
    [0.5, 1.0]

    A number of clusters and a seed are no resolution.

    >>> resolutions_of(["kmeans_5_0", "kmeans_8_1"]), resolutions_of(["coarse", "fine"])
    (None, None)
    """
    numbers = [NUMBER.search(name) for name in names]
    before = {name[: match.start()] for name, match in zip(names, numbers, strict=True) if match}
    values = np.array([float(match[0]) for match in numbers if match])
    if len(before) == 1 and len(np.unique(values)) == len(names):
        return values
    return None


def read_resolutions(true: object, columns: Any, **options: Any) -> Resolutions:
    """Each column against the true clustering, in the order of resolutions."""
    found = read_columns(columns)
    names = list(found)
    values = resolutions_of(names)
    order = list(range(len(names))) if values is None else np.argsort(values, kind="stable").tolist()
    compared = [(names[i], compare(true, found[names[i]], **options)) for i in order]
    return Resolutions(compared, None if values is None else values[order])


class Edge(NamedTuple):
    """Points that a cluster of one clustering has in common with one of the next.

    ``out_share`` is their share of the source, ``in_share`` that of the target. The losses are those of S_H with the
    first clustering as the true one.
    """

    step: int
    before: str
    after: str
    source: Any
    target: Any
    size: int
    out_share: float
    in_share: float
    split_loss: float
    merge_loss: float

    def _repr_html_(self) -> str:
        return record_html("Edge", self._asdict())


def edges_between(names: Sequence[str], meet: Callable[[str, str], Meet]) -> Table[Edge]:
    """The cells of each clustering with the next, and what S_H loses in them."""
    columns: dict[str, list[Any]] = {name: [] for name in Edge._fields}
    for step, (one, other) in enumerate(pairwise(names)):
        found = meet(one, other)
        lost = CellLoss.of(Scored(found, subcomponent("entropy"))).cells
        rows = {
            "step": np.full(len(found), step),
            "before": _repeated(one, len(found)),
            "after": _repeated(other, len(found)),
            "source": _objects(found.true_names)[found.true],
            "target": _objects(found.pred_names)[found.pred],
            "size": found.size,
            "out_share": found.size / found.true_size[found.true],
            "in_share": found.size / found.pred_size[found.pred],
            "split_loss": lost.split,
            "merge_loss": lost.merge,
        }
        for name, column in rows.items():
            columns[name].append(column)
    return Table({name: np.concatenate(parts) for name, parts in columns.items()}, Edge)


def _repeated(name: str, times: int) -> AnyArray:
    out = np.empty(times, dtype=object)
    out[:] = name
    return out


def _objects(names: AnyArray) -> AnyArray:
    out = np.empty(len(names), dtype=object)
    out[:] = names.tolist()
    return out
