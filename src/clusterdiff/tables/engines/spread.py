"""S* and S' by the points' features, of cells that stay in their engine: mean squares within cells and between them."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.errors import MeasureError
from clusterdiff.messages import Message
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.expressions import if_else, shared_row
from clusterdiff.tables.engines.native import Frame
from clusterdiff.tables.engines.terms import EngineRows

c = nw.col
#: Squared distances this small, beside the points' own from the origin, are rounding: the points are in one place.
ROUNDED = 1e-28


def scores_by_spread(cells: Cells, rows: EngineRows) -> dict[str, float]:
    """S_MSE and S'(mse)."""
    if not cells.points.features:
        raise MeasureError(
            "`mse` scores clusters by the points' features, and the comparison has none.",
            Message("pass `features= to compare()`."),
        )
    engine = cells.engine
    with engine.running():
        frame = rows.rows.with_columns(mass=c("w" if rows.weighted else "m").cast(nw.Float64))
        for key, score in (("t", "split"), ("p", "merge")):
            frame = frame.join(engine.keep(_spread(cells, frame, key, score)), on=key, how="left")
            frame = frame.with_columns(if_else(c(key).is_null(), 1.0, c(score)).alias(score))
        f, g = c("split"), c("merge")
        got = engine.row(
            frame.filter(shared_row()).select(
                s_mse=(c("mass") * f * g).sum(),
                s_mse_mean=(c("mass") * (f + g) / 2).sum(),
                flawed=if_else((f < 1.0) | (g < 1.0), 1.0, 0.0).sum(),
            )
        )
    perfect = not got["flawed"] and not cells.lost
    return {name: 1.0 if perfect else float(got[name] / rows.total) for name in ("s_mse", "s_mse_mean")}


def _spread(cells: Cells, frame: Frame, key: str, score: str) -> Frame:
    """within / (within + between) of every cluster, both sums of squares."""
    centres = [f"c{j}" for j in range(cells.points.features)]
    mine = frame.filter(~c(key).is_null())
    weighted = mine.with_columns(**{f"whole_{x}": c(x) * c("mass") for x in centres})
    sums = {f"whole_{x}": c(f"whole_{x}").sum() for x in centres}
    means = weighted.group_by(key).agg(whole=c("mass").sum(), **sums)
    means = means.select(key, **{f"mean_{x}": c(f"whole_{x}") / c("whole") for x in centres})
    between: Any = nw.sum_horizontal(*((c(x) - c(f"mean_{x}")) ** 2 for x in centres)) * c("mass")
    place: Any = nw.sum_horizontal(*(c(x) ** 2 for x in centres)) * c("mass")
    # Points that are ungrouped, or lost, keep no spread of their own: all of it is between parts.
    ungrouped = c("t").is_null() | c("p").is_null()
    spread = mine.join(means, on=key, how="inner").with_columns(
        kept=if_else(ungrouped, 0.0, c("within")),
        all=c("within") + between,
        place=place,
        parts=nw.when(ungrouped).then(c("m")).otherwise(nw.lit(1)),
    )
    found = spread.group_by(key).agg(**{name: c(name).sum() for name in ("kept", "all", "place", "parts")})
    unsplit = (c("parts") <= 1) | (c("all") <= c("place") * ROUNDED)
    whole = if_else(c("all") > 0, c("all"), 1.0)
    return found.select(key, if_else(unsplit, 1.0, (c("kept") / whole).clip(0.0, 1.0)).alias(score))
