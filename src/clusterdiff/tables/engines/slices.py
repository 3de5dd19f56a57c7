"""The loss by the values of a column, found in the engine that has both: of the points only sums by value come back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.analysis import kept
from clusterdiff.diff.slices import Slice
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.table import Table
from clusterdiff.tables.engines.loading import numbers, points_compared
from clusterdiff.tables.engines.native import Frame, plain
from clusterdiff.tables.engines.sides import Sides, if_else
from clusterdiff.tables.engines.tables import POINT, Points

c = nw.col
#: As many values of a column as an engine hands out: with more of them a table by value says nothing.
VALUES = 1_000_000


def by_column(sides: Sides, column: object) -> Table[Slice]:
    """The loss by the values of a column of the table of true clusters; see :meth:`Comparison.by`."""
    cells = sides.source
    names = cells.points.others.names
    if not isinstance(column, str) or column not in names:
        raise ArgumentError(
            f"`column` must name a column of the table of true clusters, since the points stay in "
            f"{cells.engine.name}; got {column!r}.",
            (nearest(column, names) if isinstance(column, str) else None)
            or f"it has {', '.join(map(repr, names)) or 'no others'}.",
        )
    frame = points_compared(replace(cells, points=_with_value(cells.points, column)))
    for key, side, score in (("t", sides.true, "f"), ("p", sides.pred, "g")):
        frame = frame.join(side.select(key, **{score: c(f"{key}_h")}), on=key, how="left")
    # A point that is a cluster of its own is not split, and not merged with any other.
    f, g = (if_else(c(f"{x}o") > 0, nw.lit(1.0), c(score)) for x, score in (("t", "f"), ("p", "g")))
    w = c("w") if cells.points.weighted else nw.lit(1.0)
    frame = frame.with_columns(f=f, g=g, w=w).with_columns(
        split=c("w") * (1.0 - c("f")) * (1.0 + c("g")) / 2,
        merge=c("w") * (1.0 - c("g")) * (1.0 + c("f")) / 2,
    )
    sums = {name: c(name).sum() for name in ("w", "split", "merge")}
    with cells.engine.running():
        rows = cells.engine.keep(frame.group_by("value").agg(points=nw.len(), **sums))
        found = int(cells.engine.row(rows.select(n=nw.len()))["n"])
        if found > VALUES:
            raise ArgumentError(
                f"`column` must have at most {VALUES:,} values; {column!r} has {found:,}.",
                "a column that tells points apart puts each in a slice of its own.",
            )
        got = cells.engine.fetch(rows)
    return _table(got, cells.mass)


def _with_value(points: Points, column: str) -> Points:
    """The points with their value of a column; those that the table of true clusters lacks have none."""
    if len(points.sides) == 1:
        whole: Frame = points.others.whole
        value = c(f"o{points.others.names.index(column)}")
        return replace(points, frame=whole.with_columns(value=value))
    known = points.others.frame.select(**{POINT: c(POINT), "value": c(column)})
    return replace(points, frame=points.frame.join(known, left_on="i", right_on=POINT, how="left"))


def _table(got: dict[str, Any], total: float) -> Table[Slice]:
    values = np.empty(len(got["points"]), dtype=object)
    values[:] = plain(got["value"])
    split, merge = (numbers(got[name]) / total for name in ("split", "merge"))
    points, loss = numbers(got["points"], np.int64), split + merge
    columns = {
        "value": values,
        "points": points,
        "score": kept(loss * total, numbers(got["w"])),
        "loss": loss,
        "split_loss": split,
        "merge_loss": merge,
        **dict.fromkeys(("missing_loss", "spurious_loss"), np.zeros(len(loss))),
    }
    order = np.lexsort((-points, -loss))  # as in memory: among equal losses, that of more points first
    return Table({name: part[order] for name, part in columns.items()}, Slice)
