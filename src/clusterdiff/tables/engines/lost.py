"""Tables of which one lacks points that count as lost: some of their points fetched into memory, and compared there."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.comparison import Comparison
from clusterdiff.points.alignment import Alignment, Order, apply_policy
from clusterdiff.points.policy import Policy
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.engines.cells import Cells, noisy
from clusterdiff.tables.engines.here import PointColumns
from clusterdiff.tables.engines.loading import numbers
from clusterdiff.tables.engines.native import Frame, flag, plain
from clusterdiff.tables.engines.points import Points
from clusterdiff.tables.engines.source import order_of

c = nw.col
#: Bytes that a point takes in memory with its name and its clusters.
POINT_BYTES = 300


def lost_points(cells: Cells, rows: Frame, whole: bool) -> Points:
    """The points of the components that ``rows`` make up; ``whole``: and lost ones that are noise on the other side."""
    points, noise = cells.points, cells.policy.noise
    frame = points.frame
    true, pred = (
        rows.filter(~c(key).is_null()).group_by(key).agg(rows=nw.len()).select(key) for key in ("t", "p")
    )
    parts = [
        frame.join(true, on="t", how="semi"),
        frame.join(true, on="t", how="anti").join(pred, on="p", how="semi"),
    ]
    if whole and noise.separates:
        marked = frame.with_columns(
            **noisy(noise), t_null=flag(c("t").is_null()), p_null=flag(c("p").is_null())
        )
        unmatched = marked.filter((c("t_noise") * c("p_null") + c("p_noise") * c("t_null")) > 0)
        parts.append(unmatched.drop("t_noise", "p_noise", "t_null", "p_null"))
    return replace(points, rows=nw.concat(parts, how="vertical"))


def compare_lost(points: Points, policy: Policy) -> Comparison:
    """Compare the points of tables in memory, where those that one side lacks count as lost."""
    engine = points.engine
    with engine.running():
        frame = points.with_names(points.frame) if points.placed else points.frame
        wanted = ["t", "p", *points.extra, *["point"] * points.placed]
        got = engine.fetch(frame.select(*wanted))
    columns = {name: plain(column) for name, column in got.items()}
    n = len(columns["t"])
    names: list[Hashable] = points.called(columns["point"]) if points.placed else list(range(n))
    # Engines return rows in any order; by name, the same tables give the same result.
    order = sorted(range(len(names)), key=lambda i: names[i])  # type: ignore[arg-type, return-value]
    names = [names[i] for i in order]
    true, pred = (
        read_labels([columns[side][i] for i in order], argument)
        for side, argument in (("t", "true"), ("p", "pred"))
    )
    known = order_of(points, names) if points.placed else Order(names, len(names), known=False)
    aligned = Alignment(true, pred, known, named=points.named)
    data: dict[str, Any] = (
        {"other": PointColumns(points), "later": PointColumns(points, later=True)} if points.placed else {}
    )
    if points.weighted:
        data["weights"] = dict(
            zip(names, np.ldexp(numbers(got["w"])[order], points.scale).tolist(), strict=True)
        )
    if points.features:
        rows = np.column_stack([numbers(got[f"x{j}"]) for j in range(points.features)])[order]
        data["features"] = dict(zip(names, rows, strict=True))
    return compare_aligned(apply_policy(aligned, policy), **data)
