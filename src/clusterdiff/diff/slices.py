"""Slices: the loss by any column of the points, by the size of the true clusters, or by kind of component."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.analysis import Analysis, kept
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.meet.lattice import KINDS
from clusterdiff.points.labels import FloatArray
from clusterdiff.points.reading import read_labels
from clusterdiff.table import Table

#: What ``by`` takes apart from a column.
BUILT_IN = ("size", "kind")


class Slice(NamedTuple):
    """Some of the points, and their share of the loss. ``score`` is what S_H would be if all were like them."""

    value: Any
    points: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float


def by(analysis: Analysis, source: PointSource, column: object) -> Table[Slice]:
    """The loss by the values of a column; see :meth:`Comparison.by`."""
    if isinstance(column, str) and column in source.columns:
        values = source.column(column)
    elif isinstance(column, str) and column == "size":
        return by_size(analysis)
    elif isinstance(column, str) and column == "kind":
        return by_kind(analysis)
    elif isinstance(column, str):
        known = [*source.columns, *BUILT_IN]
        expected = " or ".join(f'"{name}"' for name in known)
        raise ArgumentError(
            f"`column` must hold one value per point, or be {expected}; got the string {column!r}.",
            nearest(column, known)
            or "pass the column itself (a list, an array, a frame's column, or a dict from point to value).",
        )
    else:
        values = source.describe(column, "column")
    labels = read_labels(values, "column")
    called = labels.names.tolist() + [None] * (labels.absent is not None)  # points without a value come last
    names = np.empty(len(called), dtype=object)
    names[:] = called
    table = _of_points(analysis, source, np.where(labels.codes < 0, len(called) - 1, labels.codes), names)
    order = np.lexsort((-table["points"], -table["loss"]))  # among equal losses, that of more points first
    return Table({name: table[name][order] for name in table.columns}, Slice)


def by_size(analysis: Analysis) -> Table[Slice]:
    """The loss by the size of the true cluster, in powers of two: 1, 2, 3–4, 5–8, …"""
    meet = analysis.meet
    power = np.ceil(np.log2(meet.true_size)).astype(np.int64)
    present, group = np.unique(power, return_inverse=True)
    names = np.empty(len(present), dtype=object)
    names[:] = [str(2**p) if p < 2 else f"{2 ** (p - 1) + 1:,}–{2**p:,}" for p in present.tolist()]
    return _of_cells(analysis, group[meet.true], names)


def by_kind(analysis: Analysis) -> Table[Slice]:
    """The loss by the kind of component."""
    found = analysis.join
    present, group = np.unique(found.kind, return_inverse=True)
    return _of_cells(analysis, group[found.of_cell], np.asarray(KINDS, dtype=object)[present])


def _of_cells(
    analysis: Analysis, group: npt.NDArray[np.integer[Any]], names: npt.NDArray[Any]
) -> Table[Slice]:
    meet, k = analysis.meet, len(names)
    split, merge = analysis.cell_loss.by(group, k)
    points = np.bincount(group, meet.size, k).astype(np.int64)
    return _table(names, points, _sum(group, meet.mass, k), split, merge, meet.total)


def _of_points(
    analysis: Analysis, source: PointSource, group: npt.NDArray[np.integer[Any]], names: npt.NDArray[Any]
) -> Table[Slice]:
    """A point's share of the loss of its cell is its share of the cell's mass."""
    meet, lost, k = analysis.meet, analysis.cell_loss, len(names)
    cell = meet.cell_of_point
    weight = np.ones(len(cell)) if source.weights is None else source.weights.astype(float)
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
    columns = {
        "value": names,
        "points": points,
        "score": kept(lost * total, mass),
        "loss": lost,
        "split_loss": split,
        "merge_loss": merge,
    }
    return Table(columns, Slice)
