"""Sums over cells in an engine that one measure alone is made of: each query is run when that measure is asked for."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.caching import cached_property
from clusterdiff.tables.engines.native import Engine, asked
from clusterdiff.tables.engines.sides import if_else
from clusterdiff.tables.engines.sums import EngineSums, in_engine
from clusterdiff.tables.engines.tables import flag

c = nw.col


class Overlaps:
    """What cells and clusters of points that are counted, or weighed, add up to.

    A row whose points are clusters of their own on a side stands for k cells of one point each.
    """

    def __init__(self, sums: EngineSums) -> None:
        self.sums = sums

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self.sums.engine

    @cached_property
    def points(self) -> tuple[int, int, int]:
        """How many points both sides have, the true side has, and the predicted one."""
        if not self.sums.lost:
            return (self.sums.cells.n,) * 3
        shared, missing, spurious = (
            int(self.sums.unshared[f"{part}_m"]) for part in ("shared", "missing", "spurious")
        )
        return shared, shared + missing, shared + spurious

    def _counted(self) -> nw.LazyFrame[Any]:
        """The cells with the sizes s of one of their cells, a and b of their clusters, in points."""
        a, b = (if_else(c(f"{x}n") == 1, nw.lit(1.0), c(x_mass)) for x, x_mass in (("t", "a"), ("p", "b")))
        return self.sums.paired().with_columns(a=a, b=b, s=if_else(c("own") > 0, nw.lit(1.0), c("w")))

    @asked
    @in_engine
    def _sizes(self) -> dict[str, Any]:
        k, s, a, b = c("k"), c("s"), c("a"), c("b")
        kept = {
            name: if_else(
                whole > 1,
                s * (s - 1.0) / if_else(whole > 1, whole - 1.0, nw.lit(1.0)),
                flag(other == 1) * 1.0,
            )
            for name, whole, other in (("lea_true", a, b), ("lea_pred", b, a))
        }
        rows = self._counted().with_columns(**kept)
        return self.sums.one(
            rows.select(
                lea_true=(k * c("lea_true")).sum(),
                lea_pred=(k * c("lea_pred")).sum(),
                clusters=(k * flag((s == a) & (s == b))).sum(),
                products=(k * s * a * b).sum(),
            )
        )

    @property
    def lea(self) -> tuple[float, float]:
        """What is kept of predicted, and of true entities."""
        return float(self._sizes["lea_pred"]), float(self._sizes["lea_true"])

    @property
    def clusters(self) -> int:
        """How many clusters both sides have."""
        return int(self._sizes["clusters"])

    @property
    def products(self) -> float:
        """Σ m·a·b."""
        return float(self._sizes["products"])

    @asked
    @in_engine
    def _closest(self) -> dict[str, Any]:
        rows = self._counted().with_columns(overlap=c("s") / (c("a") + c("b") - c("s")))
        out = {}
        for key in ("t", "p"):
            best = rows.filter(c(f"{key}n") == 0).group_by(key).agg(best=c("overlap").max())
            own = rows.filter(c(f"{key}n") == 1)
            out[key] = self.sums.one(best.select(best=c("best").sum()))["best"]
            out[key] += self.sums.one(own.select(best=(c("k") * c("overlap")).sum()))["best"]
        return out

    @property
    def closest(self) -> tuple[float, float]:
        """Σ over predicted, and over true clusters, of their overlap with the closest one."""
        return float(self._closest["p"]), float(self._closest["t"])

    @asked
    @in_engine
    def _table(self) -> dict[str, Any]:
        total, weighted = self.sums.total, self.sums.cells.points.weighted
        w, a, b = c("w"), c("a"), c("b")
        heavy = w > 0
        rows = self.sums.paired().with_columns(
            cells=c("heavy_k") if weighted else c("k"),
            a=if_else(heavy, a, nw.lit(1.0)),
            b=if_else(heavy, b, nw.lit(1.0)),
        )
        both, own_true, own_pred = c("own") == 2, c("tn") == 1, c("pn") == 1
        expected = a * b / total
        # (m − e)²/e, where e is what independence would put there: nothing cancels near it.
        rows = rows.with_columns(
            filled=if_else(both, c("q") / total, expected) / total,
            excess=if_else(
                both,
                c("cells") - 2 * w / total + c("q") / total / total,
                if_else(
                    own_true,
                    w / b * (1.0 - b / total) ** 2,
                    if_else(own_pred, w / a * (1.0 - a / total) ** 2, (w - expected) ** 2 / expected / total),
                ),
            ),
            apart=if_else(
                both,
                nw.lit(0.0),
                if_else(
                    own_true,
                    c("cells") - w / b,
                    if_else(own_pred, c("cells") - w / a, w / a * ((b - w) / b) + w / b * ((a - w) / a)),
                ),
            ),
        )
        terms = {name: if_else(heavy, c(name), nw.lit(0.0)).sum() for name in ("filled", "excess", "apart")}
        return self.sums.one(rows.select(**terms, cells=if_else(heavy, c("cells"), nw.lit(0)).sum()))

    @property
    def chi2(self) -> float:
        """χ²/n."""
        full = self._table["cells"] == self.sums.k_true * self.sums.k_pred
        return float(self._table["excess"] + (0.0 if full else max(0.0, 1.0 - self._table["filled"])))

    @property
    def frobenius(self) -> float:
        """|L| + |C| − 2 Σ m²/ab."""
        return float(self._table["apart"])
