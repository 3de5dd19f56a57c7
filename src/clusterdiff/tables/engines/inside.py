"""What there is to lose inside cells of weighted points: between each point and the rest of its cell.

Where weights are near each other, two sums that are made with the cells tell it of entropies and pairs. Elsewhere
their difference would be rounding, so the points are read a second time.
"""

from __future__ import annotations

import narwhals.stable.v2 as nw

from clusterdiff.meet.terms import CONTENTS
from clusterdiff.tables.engines.expressions import ColumnFunctions, if_else
from clusterdiff.tables.engines.native import Frame
from clusterdiff.tables.engines.points import Points

c = nw.col
#: What cells are distinguished by.
CELL = ["t", "p"]
#: The contents that sums made with the cells tell.
SUMMED = ("entropy", "pairs")


def read_again(points: Points) -> dict[str, str]:
    """The contents for which the points are read a second time, and the columns of cells that have them."""
    wanted = [name for name in CONTENTS if points.weighted and not (points.near and name in SUMMED)]
    return {name: f"inside_{name}" for name in wanted}


def with_inside(points: Points, cells: Frame) -> Frame:
    """Cells beside these contents: see :func:`clusterdiff.meet.arrays.held`, and 0 for rows that are no cells."""
    contents, w, whole = read_again(points), c("w"), c("whole")
    if not contents:
        return cells
    engine = points.engine
    weighty = points.frame.filter(~c("t").is_null() & ~c("p").is_null() & (w > 0))
    masses = cells.filter(~c("t").is_null() & ~c("p").is_null()).group_by(*CELL).agg(whole=w.sum())
    rows = weighty.select(*CELL, "w").join(masses, on=CELL, how="inner")
    rows = engine.keep(rows.with_columns(own_light=if_else(2 * w > whole, 0.0, w)))
    light = rows.group_by(*CELL).agg(light=c("own_light").sum())
    rows = rows.join(light, on=CELL, how="inner")
    rest, x = if_else(2 * w > whole, c("light"), whole - w), ColumnFunctions(weighted=True)
    between = {column: CONTENTS[name](x, w, rest) for name, column in contents.items()}
    held = (
        rows.select(*CELL, **between).group_by(*CELL).agg(**{column: c(column).sum() for column in between})
    )
    known = {column: c(column).fill_null(0.0) for column in between}
    return cells.join(held, on=CELL, how="left").with_columns(**known)
