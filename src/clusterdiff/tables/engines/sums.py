"""The sums that measures are made of, computed over cells that stay in their engine.

Measures that read sums run on them as they do on a meet in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from math import log
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.loss import Loss
from clusterdiff.errors import EngineError, MeasureError
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.messages import Message
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Engine, Frame, asked, plain
from clusterdiff.tables.engines.sides import Sides, if_else, log1p, ratio, shared_row
from clusterdiff.tables.engines.tables import flag, log_or_0

c = nw.col
#: Squares are summed in two halves of this many bits, so that they stay exact in 64 bits up to n = 4·10^12.
HALF = 1 << 20
#: The subcomponent measures whose scores every cluster gets.
SCORES = ("h", "pairs", "largest")


def in_engine(query: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """Run a query, and again step by step if memory runs out; turn what goes wrong into an error of ours."""

    @wraps(query)
    def run(asker: Any) -> dict[str, Any]:
        sums: EngineSums = getattr(asker, "sums", asker)  # or whoever asks on their behalf
        try:
            with sums.cells.engine.running():
                return query(asker)
        except EngineError as error:
            if sums.sides.careful or "out of memory" not in str(error).lower():
                raise
        sums.sides.careful = True
        with sums.cells.engine.running():
            return query(asker)

    return run


class EngineSums:
    """The sums over cells and clusters, in the engine; each query is run when first asked for."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.total = cells.mass
        self.lost = cells.lost
        with cells.engine.running():
            self.sides = Sides(cells)

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self.cells.engine

    def one(self, frame: Frame) -> dict[str, Any]:
        """The one row of a frame as plain numbers: integers stay integers, an empty sum is 0."""
        row = self.cells.engine.row(frame)
        return {name: value if isinstance(value, float) else int(value) for name, value in row.items()}

    # ---- S* and S'

    @staticmethod
    def _pair(f: str, g: str, prefix: str = "") -> dict[str, Any]:
        """S* and S' of rows with scores f and g as sums of mass, and how many cells are not perfect."""
        return {
            f"{prefix}product": (c("w") * c(f) * c(g)).sum(),
            f"{prefix}mean": (c("w") * (c(f) + c(g)) / 2).sum(),
            f"{prefix}flawed": flag((c(f) < 1.0) | (c(g) < 1.0)).sum(),
        }

    def _share(self, sums: dict[str, Any], name: str, flawed: str = "flawed") -> float:
        """A sum of mass as a share of the whole: exactly 1 if every cell is perfect, however the engine adds up."""
        return float(sums[name] / self.total) if sums[flawed] or self.lost else 1.0

    @asked
    @in_engine
    def _entropy(self) -> dict[str, Any]:
        rows = self.sides.with_losses()
        lost = {name: c(name).sum() for name in self.sides.losses}
        return self.one(rows.select(product=(c("w") * c("f") * c("g")).sum(), **lost))

    @property
    def loss(self) -> Loss:
        """What S_H lost."""
        return Loss.of(*(self._entropy[name] / self.total for name in self.sides.losses))

    @property
    def s_h(self) -> float:
        """S_H."""
        sums = self._entropy
        return self._share(sums | {"flawed": sums["split"] + sums["merge"]}, "product")

    @property
    def s_h_mean(self) -> float:
        """S'(entropy)."""
        return self._share(self._cells, "h_mean", "h_flawed")

    @property
    def s_pairs(self) -> float:
        """S*(pairs)."""
        return self._share(self._cells, "pairs_product", "pairs_flawed")

    @property
    def s_pairs_mean(self) -> float:
        """S'(pairs)."""
        return self._share(self._cells, "pairs_mean", "pairs_flawed")

    @property
    def s_largest(self) -> float:
        """S*(largest)."""
        return self._share(self._cells, "largest_product", "largest_flawed")

    @property
    def s_largest_mean(self) -> float:
        """S'(largest)."""
        return self._share(self._cells, "largest_mean", "largest_flawed")

    @asked
    @in_engine
    def _mse(self) -> dict[str, Any]:
        if not self.cells.points.features:
            raise MeasureError(
                "`mse` scores clusters by the points' features, and the comparison has none.",
                Message("pass `features=`, the columns that hold them."),
            )
        rows = self.sides.cells
        for key, score in (("t", "f"), ("p", "g")):
            rows = rows.join(self._spread(key, score), on=key, how="left")
            rows = rows.with_columns(if_else(c(key).is_null(), nw.lit(1.0), c(score)).alias(score))
        return self.one(self._shared(rows).select(**self._pair("f", "g")))

    def _shared(self, rows: Frame) -> Frame:
        """The rows of points that both sides have."""
        return rows.filter(shared_row()) if self.lost else rows

    def _spread(self, key: str, score: str) -> Frame:
        """within / (within + between) of every cluster, both sums of squares."""
        centres = [f"c{j}" for j in range(self.cells.points.features)]
        cells = self.sides.cells.filter(~c(key).is_null())
        weighted = cells.with_columns(**{f"w{x}": c(x) * c("w") for x in centres})
        means = weighted.group_by(key).agg(whole=c("w").sum(), **{f"a{x}": c(f"w{x}").sum() for x in centres})
        means = means.select(
            key, **{f"a{x}": c(f"a{x}") / if_else(c("whole") > 0, c("whole"), nw.lit(1.0)) for x in centres}
        )
        alone = c("t").is_null() | c("p").is_null()
        between = nw.sum_horizontal(*((c(x) - c(f"a{x}")) ** 2 for x in centres)) * c("w")
        # Points that are alone keep no spread of their own: all of it is between cells.
        spread = cells.join(means, on=key, how="inner").with_columns(
            kept=if_else(alone, nw.lit(0.0), c("within")), all=c("within") + between
        )
        lost = flag(~shared_row()) if self.lost else nw.lit(0)
        k, m = ("heavy_k", "wn") if self.cells.points.weighted else ("k", "m")
        spread = spread.with_columns(parts=c(k) + lost * c(m))  # each lost point is a part of its own
        sums = spread.group_by(key).agg(kept=c("kept").sum(), all=c("all").sum(), parts=c("parts").sum())
        unsplit = (c("parts") <= 1) | (c("all") <= 0.0)
        return self.cells.engine.keep(
            sums.select(key, if_else(unsplit, nw.lit(1.0), ratio(c("kept"), c("all"))).alias(score))
        )

    @property
    def s_mse(self) -> float:
        """S_MSE."""
        return self._share(self._mse, "product")

    @property
    def s_mse_mean(self) -> float:
        """S'(mse)."""
        return self._share(self._mse, "mean")

    # ---- sums over clusters

    @asked
    @in_engine
    def _true(self) -> dict[str, Any]:
        return self._clusters("t", self.sides.true)

    @asked
    @in_engine
    def _pred(self) -> dict[str, Any]:
        return self._clusters("p", self.sides.pred)

    def _clusters(self, key: str, side: Frame) -> dict[str, Any]:
        share = c(f"{key}_mass") / self.total
        return self.one(
            side.select(
                count=nw.len(),
                max=c(f"{key}_max").sum(),
                entropy=(share * log_or_0(share)).sum(),
                **({"together": c(f"{key}_together").sum()} if self.cells.points.weighted else {}),
                **self._squares(c(f"{key}_size"), c(f"{key}_mass")),
            )
        )

    def _squares(self, size: Any, mass: Any) -> dict[str, Any]:
        """Σ of squared masses: exact in three sums of integers, or with weights one of floats."""
        if self.cells.points.weighted:
            return {"square": (mass * mass).sum()}
        high = (size // HALF).cast(nw.Int64)
        low = size - high * HALF
        return {"high": (high * high).sum(), "cross": (high * low).sum(), "low": (low * low).sum()}

    @staticmethod
    def _square(sums: dict[str, Any]) -> int | float:
        if "square" in sums:
            return float(sums["square"])
        return int(sums["high"]) * HALF**2 + 2 * int(sums["cross"]) * HALF + int(sums["low"])

    # ---- sums over cells

    def paired(self, more: Sequence[str] = ()) -> Frame:
        """The cells with the masses a and b of their clusters.

        ``tn`` and ``pn`` are 1, and ``own`` counts them, where points are clusters of their own: then a and b are those
        of all of them together.
        """
        rows = self._shared(self.sides.rows(["t_mass", "p_mass", *more]))
        rows = rows.with_columns(tn=flag(c("t").is_null()), pn=flag(c("p").is_null()))
        a, b = (if_else(c(f"{x}n") == 1, c("w"), c(f"{x}_mass")) for x in ("t", "p"))
        return rows.with_columns(a=a, b=b, own=c("tn") + c("pn"))

    @asked
    @in_engine
    def _cells(self) -> dict[str, Any]:
        """Everything else in one pass over the cells.

        A row with a null cluster stands for k cells, each a whole cluster on that side, of which the row gives
        Σ mass (w), Σ mass² (q) and Σ mass·log mass (l): the terms below are summed over those k cells.
        """
        total = self.total
        scores = [f"{side}_{name}" for side in ("t", "p") for name in SCORES]
        w, q, a, b = c("w"), c("q"), c("a"), c("b")
        own_true, own_pred = c("tn") == 1, c("pn") == 1
        # Step by step, so that no expression holds another one many times over.
        rows = self.paired(scores).with_columns(
            # Σ of −log of a mass's share, times the mass
            surprise=w * log(total) - c("l"),
            **{name: if_else(c(f"{name[0]}n") == 1, nw.lit(1.0), c(name)) for name in scores},
        )
        both, none, heavy = c("own") == 2, c("own") == 0, w > 0
        rows = rows.with_columns(
            share=w / total,
            expected=a * b / total,
            lift=if_else(heavy, (a - w) / w, nw.lit(0.0)),
            drop=if_else(heavy, (b - w) / w, nw.lit(0.0)),
            larger=if_else(own_true | (~own_pred & (b > a)), b, a),
        )
        # I from non-negative terms, so that nothing cancels near independence: see sums.WeightedSums.mutual.
        rows = rows.with_columns(
            filled=if_else(both, q / total, c("expected")) / total,
            excess=if_else(both | ~heavy, nw.lit(0.0), (w - c("expected")) / c("expected")),
        )
        rows = rows.with_columns(
            joint=if_else(none, -c("share") * log_or_0(c("share")), c("surprise") / total),
            split=if_else(own_true, nw.lit(0.0), if_else(none, w * log1p("lift"), w * log_or_0(a) - c("l"))),
            merge=if_else(own_pred, nw.lit(0.0), if_else(none, w * log1p("drop"), w * log_or_0(b) - c("l"))),
            recall=if_else(own_true, w, q / a),
            precision=if_else(own_pred, w, q / b),
            element=if_else(both, w, q / c("larger")),
            gain=if_else(
                both,
                (c("surprise") - w) / total + c("filled"),
                c("filled") * ((1.0 + c("excess")) * log1p("excess") - c("excess")),
            ),
            size=if_else(none, c("m"), nw.lit(0)),
            mass=if_else(none, w, nw.lit(0.0)),
            k_heavy=if_else(heavy, c("k"), nw.lit(0)),
            q_alone=if_else(none, nw.lit(0.0), q),
        )
        return self.one(
            rows.select(
                cells=c("k").sum(),
                heavy=c("k_heavy").sum(),
                alone=c("q_alone").sum(),
                **{x: if_else(heavy, c(x), nw.lit(0.0)).sum() for x in CELL_TERMS},
                **{f"true_{x}": (c("tn") * c(x)).sum() for x in OWN_TERMS},
                **{f"pred_{x}": (c("pn") * c(x)).sum() for x in OWN_TERMS},
                **self._squares(c("size"), c("mass")),
                **{
                    k: v
                    for name in SCORES
                    for k, v in self._pair(f"t_{name}", f"p_{name}", f"{name}_").items()
                },
                **({x: c(x).sum() for x in WEIGHED} if self.cells.points.weighted else {}),
            )
        )

    def _with_alone(self, square: int | float, alone: float) -> int | float:
        return square + (alone if self.cells.points.weighted else round(alone))

    @property
    def mm(self) -> Any:
        """Σ m²."""
        return self._with_alone(self._square(self._cells), self._cells["alone"])

    @property
    def aa(self) -> Any:
        """Σ a²."""
        return self._with_alone(self._square(self._true), self._own("true", "q"))

    @property
    def bb(self) -> Any:
        """Σ b²."""
        return self._with_alone(self._square(self._pred), self._own("pred", "q"))

    @asked
    @in_engine
    def unshared(self) -> dict[str, Any]:
        """What the points that both sides have, and those that only one has, come to; for rows of lost points.

        ``own_true_k`` and ``own_true_q`` are the number of missing points that are a true cluster of their own, and the
        sum of their squares.
        """
        cells = self.sides.cells.with_columns(
            both=flag(shared_row()), tn=flag(c("t").is_null()), pn=flag(c("p").is_null())
        )
        cells = cells.with_columns(own_true=c("tn") * c("pa"), own_pred=c("pn") * c("ta"))
        parts = {"shared": c("both"), "missing": c("pa"), "spurious": c("ta")}
        of_each = ("m", "w", *("ww", "wn") * self.cells.points.weighted)
        return self.one(
            cells.select(
                **{f"{name}_{x}": (part * c(x)).sum() for name, part in parts.items() for x in of_each},
                **{f"{name}_k": (c(name) * c("m")).sum() for name in ("own_true", "own_pred")},
                **{f"{name}_q": (c(name) * c("q")).sum() for name in ("own_true", "own_pred")},
            )
        )

    def _own(self, side: str, name: str) -> Any:
        """A sum over the points that are a cluster of their own on a side, the lost ones among them included."""
        return self._cells[f"{side}_{name}"] + (self.unshared[f"own_{side}_{name}"] if self.lost else 0)

    @asked
    @in_engine
    def _true_sizes(self) -> dict[str, Any]:
        return self._sizes("t", self.sides.true)

    @asked
    @in_engine
    def _pred_sizes(self) -> dict[str, Any]:
        return self._sizes("p", self.sides.pred)

    def _sizes(self, key: str, side: Frame) -> dict[str, Any]:
        size = f"{key}_size"
        return self.cells.engine.fetch(
            side.group_by(size).agg(count=nw.len()).select(size=size, count="count")
        )

    @property
    def margins(self) -> Margins:
        """The sizes of the clusters on both sides; points that are alone are clusters of one."""
        sides = (
            (self._true_sizes, int(self._cells["true_k"])),
            (self._pred_sizes, int(self._cells["pred_k"])),
        )
        return Margins(*(_size_counts(found, alone) for found, alone in sides))

    @property
    def together(self) -> tuple[float, float, float, float]:
        """Twice the pairs of points with weights that are together on both sides, on either, and all there are.

        Differences of squares round, so that each is taken where a single point with weight makes exactly 0.
        """
        parts = [self._cells[x] for x in ("ww", "wn")]
        if self.lost:
            parts = [
                x + self.unshared[f"missing_{y}"] + self.unshared[f"spurious_{y}"]
                for x, y in zip(parts, ("ww", "wn"), strict=True)
            ]
        own, heavy = parts
        every = max(0.0, self.total**2 - own) if heavy > 1 else 0.0
        return self._cells["kept_pairs"], self._true["together"], self._pred["together"], every

    @property
    def own_logs(self) -> float:
        """Σ w·log w over the points, where they have weights."""
        return float(self._cells["wl"])

    @property
    def named(self) -> tuple[int, int]:
        """Number of true and predicted clusters without points that are alone."""
        return int(self._true["count"]), int(self._pred["count"])

    @property
    def k_true(self) -> int:
        """Number of true clusters."""
        return int(self._true["count"]) + int(self._own("true", "k"))

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return int(self._pred["count"]) + int(self._own("pred", "k"))

    @property
    def count(self) -> int:
        """Number of cells."""
        return int(self._cells["cells"])

    @property
    def true_max(self) -> Any:
        """Σ over true clusters of their largest cell."""
        return self._true["max"] + self._cells["true_w"]

    @property
    def pred_max(self) -> Any:
        """Σ over predicted clusters of their largest cell."""
        return self._pred["max"] + self._cells["pred_w"]

    @property
    def h_true(self) -> float:
        """H(𝕃)."""
        return float(self._cells["true_surprise"] / self.total - self._true["entropy"])

    @property
    def h_pred(self) -> float:
        """H(ℂ)."""
        return float(self._cells["pred_surprise"] / self.total - self._pred["entropy"])

    @property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""
        return float(self._cells["joint"])

    @property
    def split_info(self) -> float:
        """H(ℂ|𝕃)."""
        return float(self._cells["split"] / self.total)

    @property
    def merge_info(self) -> float:
        """H(𝕃|ℂ)."""
        return float(self._cells["merge"] / self.total)

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""
        full = self._cells["heavy"] == self.k_true * self.k_pred
        return float(self._cells["gain"] + (0.0 if full else max(0.0, 1.0 - self._cells["filled"])))

    def over(self, name: str) -> float:
        """Σ m²/a for "recall", Σ m²/b for "precision", Σ m²/max(a, b) for "element"."""
        return float(self._cells[name])

    @property
    def b3_recall(self) -> float:
        """Σ m²/a / n."""
        return self.over("recall") / self.total

    @property
    def b3_precision(self) -> float:
        """Σ m²/b / n."""
        return self.over("precision") / self.total

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""
        return self.over("element") / self.total


def _size_counts(found: dict[str, Any], alone: int) -> SizeCounts:
    counts: dict[int, int] = {1: alone} if alone else {}
    for size, clusters in zip(plain(found["size"]), plain(found["count"]), strict=True):
        counts[int(size)] = counts.get(int(size), 0) + int(clusters)
    sizes = sorted(counts)
    return SizeCounts(
        np.array(sizes, dtype=np.int64), np.array([counts[size] for size in sizes], dtype=np.int64)
    )


CELL_TERMS = ("joint", "split", "merge", "recall", "precision", "element", "filled", "gain")
OWN_TERMS = ("k", "w", "q", "surprise")
WEIGHED = ("ww", "wl", "wn", "kept_pairs")
