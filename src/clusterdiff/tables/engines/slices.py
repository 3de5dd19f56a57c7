"""The loss by the values of a column, found in the engine that has both: of the points only sums by value come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.analysis import kept
from clusterdiff.diff.loss import PARTS
from clusterdiff.diff.slices import Slice, power_of_two
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.table import Table
from clusterdiff.tables.engines.loading import numbers, points_compared
from clusterdiff.tables.engines.losses import RowLosses
from clusterdiff.tables.engines.native import Frame, plain
from clusterdiff.tables.engines.points import Points

c = nw.col
#: Stands for points without a true cluster; they come after clusters of any size.
NOWHERE = 64
#: As many values of a column as an engine hands out: with more of them a table by value says nothing.
VALUES = 1_000_000


def by_column(losses: RowLosses, column: object) -> Table[Slice]:
    """The loss by the values of a column of the tables; see :meth:`Comparison.by`."""
    cells = losses.source
    names = cells.points.others.names
    if not isinstance(column, str) or column not in names:
        raise ArgumentError.must(
            "column",
            f"name a column of the tables, since the points stay in {cells.engine.name}",
            column,
            (nearest(column, names) if isinstance(column, str) else None)
            or f"they have {', '.join(map(repr, names)) or 'no others'}.",
        )
    got = losses.ask(lambda: _sums_by_value(losses, column))
    points = numbers(got["points"], np.int64)
    columns = {name: numbers(got[name]) for name in ("w", *losses.parts)} | {"m": points}
    table = slice_table(plain(got["value"]), columns, cells.mass)
    order = np.lexsort(
        (-points, -table["loss"])
    )  # as in memory: among equal losses, that of more points first
    return Table({name: table[name][order] for name in table.columns}, Slice)


def _sums_by_value(losses: RowLosses, column: str) -> dict[str, Any]:
    """The points, their mass and what they lost, by the values of a column."""
    cells = losses.source
    joined = replace(cells.points, rows=losses.step(cells.points.frame))
    frame = points_compared(replace(cells, points=_with_value(joined, column, cells.policy.keeps_spurious)))
    frame = frame.with_columns(w=c("w") if cells.points.weighted else nw.lit(1.0))
    # A label that means noise is no cluster: the point is one of its own.
    own = {x: nw.when(c(f"{x}_own") == 0).then(c(x)) for x in ("t", "p")}
    read = ["value", "w", *["t_nobody", "p_nobody"] * cells.lost]
    frame = losses.beside(frame.select(*read, **own))
    sums = {name: c(name).sum() for name in ("w", *losses.parts)}
    with cells.engine.running():
        rows = cells.engine.keep(frame.group_by("value").agg(points=nw.len(), **sums))
        found = int(cells.engine.row(rows.select(n=nw.len()))["n"])
        if found > VALUES:
            raise ArgumentError.about(
                "column",
                f"must have at most {VALUES:,} values; {column!r} has {found:,}.",
                "a column that identifies points puts each in a slice of its own.",
            )
        return cells.engine.fetch(rows)


def by_size(losses: RowLosses) -> Table[Slice]:
    """The loss by the size of the true cluster; see :func:`clusterdiff.diff.slices.by_size`."""
    cells = losses.source
    own_size = nw.when(c("t").is_null()).then(1 - c("t_nobody")).otherwise(c("t_size")).cast(nw.Int64)
    rows = losses.rows("size").with_columns(size=own_size)
    sums = {name: c(name).sum() for name in ("m", "w", *losses.parts)}
    with cells.engine.running():
        got = cells.engine.fetch(rows.group_by("size").agg(**sums))
    size = numbers(got["size"], np.int64)
    power = np.where(size > 0, np.ceil(np.log2(np.maximum(size, 1))).astype(np.int64), NOWHERE)
    present, group = np.unique(power, return_inverse=True)
    columns = {name: np.bincount(group, numbers(got[name]), len(present)) for name in sums}
    names = [None if p == NOWHERE else power_of_two(p) for p in present.tolist()]
    return slice_table(names, columns, cells.mass)


def _with_value(points: Points, column: str, lacking: bool) -> Points:
    """The points with their value of a column; ``lacking``: some are not in the table of true clusters."""
    if len(points.sides) == 1:
        whole: Frame = points.others.whole
        value = c(f"o{points.others.own.index(column)}")
        return replace(points, rows=whole.with_columns(value=value))
    return replace(points, rows=points.others.beside(points.frame, column, lacking))


def slice_table(
    values: Sequence[Any], columns: dict[str, Any], total: float, shares: bool = False
) -> Table[Slice]:
    """Slices from their points (m), their mass (w) and what they lost to what: mass, or ``shares`` of the whole."""
    names = np.empty(len(values), dtype=object)
    names[:] = values
    unit = 1.0 if shares else total
    none = np.zeros(len(values))
    losses = {f"{name}_loss": columns.get(name, none) / unit for name in PARTS}
    loss = sum(losses.values(), none)
    score = kept(loss * total, columns["w"])
    points = np.asarray(columns["m"], dtype=np.int64)
    return Table({"value": names, "points": points, "score": score, "loss": loss, **losses}, Slice)
