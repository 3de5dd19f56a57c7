"""Cells in an engine beside the clusters they lie in, with the scores of every cluster."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, Literal

import narwhals.stable.v2 as nw

from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Frame
from clusterdiff.tables.engines.tables import log_or_0

c = nw.col


def if_else(condition: Any, yes: Any, no: Any) -> Any:
    """An expression for either case."""
    return nw.when(condition).then(yes).otherwise(no)


def log1p(name: str) -> Any:
    """log(1 + x) of a column x > -1 without loss for small x: the rounding of 1 + x is divided out again."""
    x, u = c(name), 1.0 + c(name)
    return nw.when(u == 1.0).then(x).otherwise(u.log() * x / (u - 1.0))


class Sides:
    """The cells with what each stands for, and a row for every cluster of either side with its scores.

    Nothing is computed yet: a query takes the columns it needs, and the engine leaves out the others. When that has
    turned out to take more memory than there is, ``careful`` makes it go step by step, one join at a time.
    """

    careful = False

    def __init__(self, cells: Cells) -> None:
        self.source = cells
        self.engine = cells.engine
        self.unit = cells.mass / cells.n
        self.cells = self._described(cells.frame)
        self.true = self._side("t")
        self.pred = self._side("p")

    def _either(self, alone: Any, cell: Any) -> Any:
        """What holds for a row of points that are alone, and what for a cell; no case where there are no such rows."""
        return if_else(c("t").is_null() | c("p").is_null(), alone, cell) if self.source.alone else cell

    def _described(self, frame: Frame) -> Frame:
        """Give each row: k cells of w mass in all, q = Σ mass², l = Σ mass·log mass, x = the largest mass."""
        either, weighted = self._either, self.source.points.weighted
        frame = frame.with_columns(w=c("w") if weighted else c("m").cast(nw.Float64))
        w, one = c("w"), nw.lit(1.0)
        out = frame.with_columns(
            k=either(c("m"), nw.lit(1)),
            q=either(c("ww") if weighted else w, w * w),
            l=either(c("wl") if weighted else nw.lit(0.0), w * log_or_0(w)),
            x=either(c("wx") if weighted else one, w),
            biggest=either(nw.lit(1), c("m")),
        )
        if not weighted:
            return out.with_columns(kept_h=c("l"), kept_pairs=c("q") - w)
        own = c("wl") - w * log(self.unit)
        part = nw.when((c("m") > 1) & (w > 0))
        return out.with_columns(
            kept_h=either(
                nw.lit(0.0), part.then(_positive(w * log_or_0(w / self.unit) - own)).otherwise(0.0)
            ),
            kept_pairs=either(nw.lit(0.0), part.then(w * w - c("ww")).otherwise(0.0)),
            own_h=own,
        )

    def _side(self, key: str) -> Frame:
        weighted = self.source.points.weighted
        sums = ["m", "k", "kept_h", "kept_pairs", *["w", "own_h", "ww"] * weighted]
        grouped = (
            self.cells.filter(~c(key).is_null())
            .group_by(key)
            .agg(**{f"a_{x}": c(x).sum() for x in sums}, a_x=c("x").max(), a_biggest=c("biggest").max())
        )
        if weighted:
            w = c("a_w")
            whole = {"h": w * log_or_0(w / self.unit) - c("a_own_h"), "pairs": w * w - c("a_ww")}
            # What the parts of an unsplit cluster add up to differs from the whole by rounding.
            one = (c("a_k") == 1) | (c("a_m") <= 1)
        else:
            grouped = grouped.with_columns(a_w=c("a_m").cast(nw.Float64))
            w = c("a_w")
            # In this form an unsplit cluster has the same bits in both: its score is exactly 1.
            whole = {"h": w * log_or_0(w), "pairs": w * w - w}
            one = c("a_m") <= 1
        grouped = grouped.with_columns(**{f"whole_{name}": expression for name, expression in whole.items()})
        score = {
            name: if_else(
                one | (c(f"whole_{name}") <= 0.0),
                nw.lit(1.0),
                ratio(c(f"a_kept_{name}"), c(f"whole_{name}")),
            )
            for name in ("h", "pairs")
        }
        score["largest"] = if_else(c("a_m") <= 1, nw.lit(1.0), ratio(c("a_biggest") - 1, c("a_m") - 1))
        return grouped.select(
            key,
            **{
                f"{key}_size": c("a_m").cast(nw.Int64),
                f"{key}_mass": c("a_w"),
                f"{key}_parts": c("a_k").cast(nw.Int64),
            },
            **{f"{key}_max": c("a_x"), f"{key}_biggest": c("a_biggest").cast(nw.Int64)},
            **{f"{key}_{name}": expression for name, expression in score.items()},
        )

    def rows(self, columns: Sequence[str]) -> Frame:
        """The cells beside some of the columns of their true (t_…) and predicted (p_…) cluster."""
        frame = self.cells
        # Only points that are alone have no cluster to join; without them the engine is free in how to join.
        how: Literal["left", "inner"] = "left" if self.source.alone else "inner"
        for key, side in (("t", self.true), ("p", self.pred)):
            chosen = side.select(key, *(column for column in columns if column.startswith(f"{key}_")))
            if not self.careful:
                frame = frame.join(chosen, on=key, how=how)
                continue
            kept = self.engine.keep(chosen)
            joined = self.engine.keep(frame.join(kept, on=key, how=how))
            self.engine.free(kept)
            self.engine.free(frame)
            frame = joined
        return frame

    def scored(self, name: str, more: Sequence[str] = ()) -> Frame:
        """The cells with their split score f and merge score g; a point that is a cluster of its own scores 1."""
        rows = self.rows([f"t_{name}", f"p_{name}", *more])
        if not self.source.alone:
            return rows.with_columns(f=c(f"t_{name}"), g=c(f"p_{name}"))
        return rows.with_columns(
            f=if_else(c("t").is_null(), nw.lit(1.0), c(f"t_{name}")),
            g=if_else(c("p").is_null(), nw.lit(1.0), c(f"p_{name}")),
        )


def _positive(x: Any) -> Any:
    return nw.when(x > 0).then(x).otherwise(0.0)


def ratio(part: Any, whole: Any) -> Any:
    """part / whole, from 0 to 1 whatever rounding did."""
    return (part / whole).clip(0.0, 1.0)
