"""Cells in an engine beside the clusters they lie in, with the scores of every cluster."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any, Literal

import narwhals.stable.v2 as nw

from clusterdiff.diff.loss import PARTS
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Frame
from clusterdiff.tables.engines.tables import flag, log_or_0

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

    Where points count as lost, clusters have them among their points, and score as if each were a part of its own; the
    score by entropy is then the product of how the shared points fared (``inner``) and of what they are of the cluster
    (``kept``).
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
            out = out.with_columns(kept_h=c("l"), kept_pairs=c("q") - w)
        else:
            own = c("wl") - w * log(self.unit)
            part = nw.when((c("wn") > 1) & (w > 0))
            out = out.with_columns(
                kept_h=either(
                    nw.lit(0.0), part.then(_positive(w * log_or_0(w / self.unit) - own)).otherwise(0.0)
                ),
                kept_pairs=either(nw.lit(0.0), part.then(_positive(w * w - c("ww"))).otherwise(0.0)),
                own_h=own,
                heavy_k=either(c("wn"), flag(c("wn") > 0)),
                heavy_m=either(c("wn"), flag(c("wn") > 0) * c("m")),
                heavy_biggest=either(flag(c("wn") > 0), flag(c("wn") > 0) * c("m")),
            )
        if not self.source.lost:
            return out
        # Lost points are in no cell; what is summed over the shared points alone ends in 0.
        shared = shared_row()
        counts = ["k", "biggest", *["heavy_k"] * weighted]
        return out.with_columns(
            **{name: if_else(shared, c(name), nw.lit(0)) for name in counts},
            x=if_else(shared, c("x"), nw.lit(0.0)),
            **{f"{name}0": if_else(shared, c(name), nw.lit(0)) for name in ("m", *["wn"] * weighted)},
            **{f"{name}0": if_else(shared, c(name), nw.lit(0.0)) for name in ("w", *["own_h"] * weighted)},
        )

    def _side(self, key: str) -> Frame:
        weighted, lost = self.source.points.weighted, self.source.lost
        sums = [
            "m",
            "k",
            "kept_h",
            "kept_pairs",
            *["w", "own_h", "ww", "wn", "heavy_k", "heavy_m"] * weighted,
        ]
        sums += ["m0", "w0", *["own_h0", "wn0"] * weighted] if lost else []
        largest = ["x", "biggest", *["heavy_biggest"] * weighted]
        grouped = (
            self.cells.filter(~c(key).is_null())
            .group_by(key)
            .agg(**{f"a_{x}": c(x).sum() for x in sums}, **{f"a_{x}": c(x).max() for x in largest})
        )
        if weighted:
            w = c("a_w")
            whole = {"h": w * log_or_0(w / self.unit) - c("a_own_h"), "pairs": w * w - c("a_ww")}
            # What the parts of an unsplit cluster add up to differs from the whole by rounding.
            one = c("a_heavy_k") <= 1
            one = (one & (c("a_wn0") == c("a_wn"))) | (c("a_wn") <= 1) if lost else one
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
        # As in memory: cells without weight change nothing, unless points are lost.
        size, best = ("a_heavy_m", "a_heavy_biggest") if weighted and not lost else ("a_m", "a_biggest")
        score["largest"] = if_else(c(size) <= 1, nw.lit(1.0), ratio(c(best) - 1, c(size) - 1))
        if lost:
            score = {name: if_else(c("a_m0") > 0, found, nw.lit(0.0)) for name, found in score.items()}
            score |= self._factors()
        together = if_else(c("a_wn") <= 1, nw.lit(0.0), _positive(c("whole_pairs"))) if weighted else None
        return grouped.select(
            key,
            **{
                f"{key}_size": c("a_m").cast(nw.Int64),
                f"{key}_mass": c("a_w"),
                f"{key}_parts": c("a_k").cast(nw.Int64),
            },
            **{f"{key}_max": c("a_x"), f"{key}_biggest": c("a_biggest").cast(nw.Int64)},
            **({} if together is None else {f"{key}_together": together}),
            **({f"{key}_shared": c("a_m0").cast(nw.Int64), f"{key}_shared_mass": c("a_w0")} if lost else {}),
            **{f"{key}_{name}": expression for name, expression in score.items()},
        )

    def _factors(self) -> dict[str, Any]:
        """How the shared points of each cluster fared by entropy, and what they are of it: as ``UnevenMeet.scores``."""
        w, whole = c("a_w0"), c("whole_h")
        if self.source.points.weighted:
            inside = _positive(w * log_or_0(w / self.unit) - c("a_own_h0"))
            undivided, size = c("a_heavy_k") <= 1, "a_wn"
        else:
            inside = w * log_or_0(w)
            undivided, size = c("a_m0") <= 1, "a_m"
        none, all_of_it = c("a_m0") == 0, (c(f"{size}0") == c(size)) | (c(size) <= 1) | (whole <= 0.0)
        alone = nw.when(c(f"{size}0") <= 1).then(0.0).otherwise(inside)
        return {
            "inner": if_else(undivided | (inside <= 0.0), nw.lit(1.0), ratio(c("a_kept_h"), inside)),
            "kept": if_else(none, nw.lit(0.0), if_else(all_of_it, nw.lit(1.0), ratio(alone, whole))),
        }

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
        """The cells with their split score f and merge score g; a point that is a cluster of its own scores 1.

        Points that a side lacks score 0.
        """
        rows = self.rows([f"t_{name}", f"p_{name}", *more])
        if not self.source.alone:
            return rows.with_columns(f=c(f"t_{name}"), g=c(f"p_{name}"))
        f, g = (if_else(c(x).is_null(), nw.lit(1.0), c(f"{x}_{name}")) for x in ("t", "p"))
        if self.source.lost:
            f, g = (if_else(shared_row(), score, nw.lit(0.0)) for score in (f, g))
        return rows.with_columns(f=f, g=g)

    @property
    def losses(self) -> tuple[str, ...]:
        """What a cell may lose mass to."""
        return PARTS if self.source.lost else PARTS[:2]

    def with_losses(self, more: Sequence[str] = ()) -> Frame:
        """The scored cells, and rows of lost points, with the mass that each loses to what: see ``CellLoss``."""
        if not self.source.lost:
            return self.scored("h", more).with_columns(**shared_out(c("w"), c("f"), c("g")))
        factors = {f"{x}_{name}": c(f"{x}_{name}") for x in ("t", "p") for name in ("inner", "kept")}
        rows = self.scored("h", [*more, *factors])
        own = {name: if_else(c(name[0]).is_null(), nw.lit(1.0), factor) for name, factor in factors.items()}
        return rows.with_columns(**own).with_columns(**lost_out(c("w"), c("f"), c("g")))


def shared_row() -> Any:
    """Whether both sides have the points of a row."""
    return (c("ta") + c("pa")) == 0


def shared_out(w: Any, f: Any, g: Any) -> dict[str, Any]:
    """What mass with a split score and a merge score loses to splits and to merges."""
    return {"split": w * (1.0 - f) * (1.0 + g) / 2, "merge": w * (1.0 - g) * (1.0 + f) / 2}


def lost_out(w: Any, f: Any, g: Any) -> dict[str, Any]:
    """The same where points count as lost, from the factors of both scores; lost points lose all of their mass."""
    both, nothing = shared_row(), nw.lit(0.0)
    out = {}
    for side, other, inner, kept, lacking, own in (
        ("split", "missing", c("t_inner"), c("t_kept"), "pa", w * (1.0 + g) / 2),
        ("merge", "spurious", c("p_inner"), c("p_kept"), "ta", w * (1.0 + f) / 2),
    ):
        out[side] = if_else(both, own * (1.0 - inner) * (1.0 + kept) / 2, nothing)
        alone = if_else(c(lacking) == 1, w, nothing)
        out[other] = if_else(both, own * (1.0 - kept) * (1.0 + inner) / 2, alone)
    return {name: out[name] for name in PARTS}


def _positive(x: Any) -> Any:
    return nw.when(x > 0).then(x).otherwise(0.0)


def ratio(part: Any, whole: Any) -> Any:
    """part / whole, from 0 to 1 whatever rounding did."""
    return (part / whole).clip(0.0, 1.0)
