"""Slices: the loss by any column of the points, by the size of the true clusters, or by kind of component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError
from clusterdiff.meet.lattice import KINDS
from clusterdiff.points.clustering import Alignment
from clusterdiff.points.labels import FloatArray, read_labels
from clusterdiff.table import Table

if TYPE_CHECKING:
    from clusterdiff.diff.comparison import Comparison

#: What ``by`` takes besides a column.
BUILT_IN = ("size", "kind")


class Slice(NamedTuple):
    """Some of the points, and their share of the loss. ``score`` is what S_H would be if all were like them."""

    value: Any
    points: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float


def by(comparison: Comparison, column: object) -> Table[Slice]:
    """The loss by the values of a column; see :meth:`Comparison.by`."""
    if isinstance(column, str):
        if column == "size":
            return by_size(comparison)
        if column == "kind":
            return by_kind(comparison)
        raise ArgumentError(
            f'`column` must hold one value a point, or be "size" or "kind"; got the string {column!r}.',
            "pass the column itself (a list, an array, a frame's column, or a dict from point to value).",
        )
    values = in_order(column, comparison._aligned, "column")
    labels = read_labels(values, "column")
    codes, names = np.asarray(labels.values, dtype=np.int64), labels.lexicon
    if labels.absent is not None:
        codes = np.where(labels.absent, -1, codes)
    present, group = np.unique(codes, return_inverse=True)
    meaning = np.empty(len(present), dtype=object)
    meaning[:] = [
        None if names is not None and c < 0 else c if names is None else names[c] for c in present.tolist()
    ]
    if labels.absent is not None:
        meaning[present == -1] = None
    table = _of_points(comparison, group, meaning)
    order = np.argsort(-table["loss"], kind="stable")
    return Table({name: table[name][order] for name in table.columns}, Slice)


def by_size(comparison: Comparison) -> Table[Slice]:
    """The loss by the size of the true cluster, in powers of two: 1, 2, 3–4, 5–8, …"""
    meet = comparison.meet
    power = np.ceil(np.log2(meet.true_size)).astype(np.int64)
    present, group = np.unique(power, return_inverse=True)
    names = np.empty(len(present), dtype=object)
    names[:] = [str(2**p) if p < 2 else f"{2 ** (p - 1) + 1:,}–{2**p:,}" for p in present.tolist()]
    return _of_cells(comparison, group[meet.true], names)


def by_kind(comparison: Comparison) -> Table[Slice]:
    """The loss by the kind of component."""
    found = comparison._components
    present, group = np.unique(found.kind, return_inverse=True)
    return _of_cells(comparison, group[found.of_cell], np.asarray(KINDS, dtype=object)[present])


def _of_cells(
    comparison: Comparison, group: npt.NDArray[np.integer[Any]], names: npt.NDArray[Any]
) -> Table[Slice]:
    meet, k = comparison.meet, len(names)
    split, merge = comparison._cell_loss.by(group, k)
    points = np.bincount(group, meet.size, k).astype(np.int64)
    return _table(names, points, _sum(group, meet.mass, k), split, merge, meet.total)


def _of_points(
    comparison: Comparison, group: npt.NDArray[np.integer[Any]], names: npt.NDArray[Any]
) -> Table[Slice]:
    """A point's share of the loss of its cell is its share of the cell's mass."""
    meet, lost, k = comparison.meet, comparison._cell_loss, len(names)
    cell = meet.cell_of_point
    weight = np.ones(len(cell)) if comparison.weights is None else comparison.weights.astype(float)
    mass = np.where(meet.mass > 0, meet.mass, 1)
    split = _sum(group, weight * (lost.split / mass)[cell], k)
    merge = _sum(group, weight * (lost.merge / mass)[cell], k)
    return _table(names, np.bincount(group, minlength=k), _sum(group, weight, k), split, merge, meet.total)


def _sum(group: npt.NDArray[np.integer[Any]], values: npt.NDArray[Any], k: int) -> FloatArray:
    return np.bincount(group, values, k).astype(np.float64)


def _table(
    names: npt.NDArray[Any],
    points: npt.NDArray[np.int64],
    mass: FloatArray,
    split: FloatArray,
    merge: FloatArray,
    total: float,
) -> Table[Slice]:
    lost = split + merge
    score = np.ones(len(names))
    np.divide(lost * total, mass, out=score, where=mass > 0)
    columns = {
        "value": names,
        "points": points,
        "score": np.where(mass > 0, np.clip(1.0 - score, 0.0, 1.0), 1.0),
        "loss": lost,
        "split_loss": split,
        "merge_loss": merge,
    }
    return Table(columns, Slice)


def in_order(column: object, aligned: Alignment, argument: str) -> Any:
    """One value for each point compared, in their order, from a dict by point or a column in the order of `true`.

    Points that the column does not know get None.
    """
    if isinstance(column, Mapping):
        return [column.get(point) for point in aligned.points]
    if not hasattr(column, "__len__") or isinstance(column, set | frozenset):
        raise ArgumentError(f"`{argument}` must hold one value a point; got {type(column).__name__}.")
    if len(column) != aligned.given:
        raise ArgumentError(
            f"`{argument}` must have a value for each of the {aligned.given:,} points of `true`; got {len(column):,}.",
            "pass a dict from point to value if it names its points.",
        )
    if not aligned.ordered:
        raise ArgumentError(
            f"`{argument}` must be a dict by point here, since the points of `true` came in sets, without order."
        )
    if aligned.rows is None:
        return column
    values = column.tolist() if hasattr(column, "tolist") else list(column)  # type: ignore[call-overload]
    return [None if i < 0 else values[i] for i in aligned.rows.tolist()]
