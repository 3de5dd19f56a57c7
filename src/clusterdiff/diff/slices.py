"""Slices: the loss by any column of the points, by the size of the true clusters, or by kind of component."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.analysis import Analysis, kept
from clusterdiff.diff.loss import Losses
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray
from clusterdiff.points.reading import read_labels
from clusterdiff.table import Table, record_html

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
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("Slice", self._asdict())


class PointLoss(NamedTuple):
    """A point, its clusters (None on a side where it is in none), its component, and its share of the loss."""

    point: Any
    true: Any
    pred: Any
    component: int
    loss: float
    split_loss: float
    merge_loss: float
    missing_loss: float
    spurious_loss: float

    def _repr_html_(self) -> str:
        return record_html("PointLoss", self._asdict())


def by_point(analysis: Analysis, source: PointSource) -> Table[PointLoss]:
    """A row for every point, costliest first; see :attr:`Comparison.by_point`."""
    join = analysis.join
    _, losses = point_losses(analysis, source)
    # Code -1, the last of each list, is no cluster.
    true, pred = source.clusters()
    component = join.of_clusters(true, pred)
    order = np.argsort(-losses.total, kind="stable")
    columns = {
        "point": _objects(list(source.names)),
        "true": _owned(analysis.true, analysis.unclustered[0])[true],
        "pred": _owned(analysis.pred, analysis.unclustered[1])[pred],
        "component": component,
        **losses.columns,
    }
    return Table({name: column[order] for name, column in columns.items()}, PointLoss)


def _owned(names: Sequence[Any], unclustered: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """The names of clusters, None for those that are points in no cluster; and None for code -1."""
    out = _objects([*names, None])
    out[:-1][unclustered] = None
    return out


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))  # np.array would take tuples apart


def by(analysis: Analysis, source: PointSource, column: object) -> Table[Slice]:
    """The loss by the values of a column; see :meth:`Comparison.by`."""
    if isinstance(column, str) and column in source.columns:
        values = source.column(column)
    elif isinstance(column, str) and column == "size":
        return analysis.once(by_size)
    elif isinstance(column, str) and column == "kind":
        return analysis.once(by_kind)
    elif isinstance(column, str):
        known = [*source.columns, *BUILT_IN]
        expected = " or ".join(f'"{name}"' for name in known)
        raise ArgumentError.must(
            "column",
            f"hold one value per point, or be {expected}",
            got=f"the string {column!r}",
            hint=nearest(column, known)
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
    """The loss by the size of the true cluster, in powers of two: 1, 2, 3–4, 5–8, …; None for points without one."""
    meet = analysis.meet
    power = np.ceil(np.log2(meet.true_size)).astype(np.int8)
    present, group = _numbered(power)
    none = [None] if len(meet.spurious) else []
    names = np.empty(len(present) + len(none), dtype=object)
    names[:] = [*map(power_of_two, present.tolist()), *none]
    return _of_groups(group, names, meet.true_size, meet.true_mass, analysis.true_losses, meet)


def power_of_two(power: int) -> str:
    """The sizes up to a power of two, from the one before it.

    >>> power_of_two(0), power_of_two(1), power_of_two(11)
    ('1', '2', '1,025–2,048')
    """
    return str(2**power) if power < 2 else f"{2 ** (power - 1) + 1:,}–{2**power:,}"


def by_kind(analysis: Analysis) -> Table[Slice]:
    """The loss by the kind of component."""
    found = analysis.join
    present, group = _numbered(found.kind)
    names = np.asarray(found.kinds, dtype=object)[present]
    return _of_groups(group, names, found.size, found.mass, analysis.component_losses, analysis.meet)


Groups = npt.NDArray[np.integer[Any]]


def _numbered(values: Groups) -> tuple[Groups, Groups]:
    """Which of few small numbers there are, and the place of each value among them."""
    there = np.bincount(values) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def _of_groups(
    group: Groups,
    names: npt.NDArray[Any],
    points: npt.NDArray[np.int64],
    mass: npt.NDArray[Any],
    losses: Losses,
    meet: Meet,
) -> Table[Slice]:
    """Groups of components or true clusters; spurious points of no true cluster are the last group, if it is theirs."""
    k = len(names)
    size = np.bincount(group, points, k).astype(np.int64)
    weight = size.astype(np.float64) if meet.weights is None else _sum(group, mass, k)
    found = losses.each(lambda part: _sum(group, part, k) if part.any() else np.zeros(k))
    if k and names[-1] is None:
        size[-1], weight[-1] = len(meet.spurious), meet.spurious.total
        found.spurious[-1] += meet.spurious.total / meet.total
    return _table(names, size, weight, found, meet.total)


def _of_points(
    analysis: Analysis, source: PointSource, group: Groups, names: npt.NDArray[Any]
) -> Table[Slice]:
    k = len(names)
    weight, losses = point_losses(analysis, source)
    losses = losses.each(lambda part: _sum(group, part, k))
    return _table(names, np.bincount(group, minlength=k), _sum(group, weight, k), losses, analysis.meet.total)


def point_losses(analysis: Analysis, source: PointSource) -> tuple[FloatArray, Losses]:
    """The weight and the loss of each point: its share of the loss of its cell is its share of the cell's mass."""
    meet, cell = analysis.meet, analysis.meet.cell_of_point
    weight = np.ones(len(cell)) if source.weights is None else source.weights.astype(float)
    mass = np.where(meet.mass > 0, meet.mass, 1)
    # Cell -1 is none: what a lost point costs is its own weight.
    losses = analysis.cell_loss.cells.each(lambda part: weight * np.append(part / mass, 0.0)[cell])
    for unmatched, part in ((meet.missing, losses.missing), (meet.spurious, losses.spurious)):
        part[unmatched.at] = weight[unmatched.at] / meet.total
    return weight, losses


def _sum(group: Groups, values: npt.NDArray[Any], k: int) -> FloatArray:
    return np.bincount(group, values, k).astype(np.float64)


def _table(
    names: npt.NDArray[Any], points: npt.NDArray[np.int64], mass: FloatArray, losses: Losses, total: float
) -> Table[Slice]:
    columns = {"value": names, "points": points, "score": kept(losses.total * total, mass), **losses.columns}
    return Table(columns, Slice)
