"""What measures read of cells that stay in their engine: their sums, and nothing more."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.loss import Loss
from clusterdiff.errors import Hint
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.parts import Count, Pairs
from clusterdiff.meet.sums import LOST_TO, Even
from clusterdiff.meet.terms import SCORE_SUMS
from clusterdiff.meet.values import OF_TERMS, TermSums
from clusterdiff.messages import Message
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Engine, asked
from clusterdiff.tables.engines.spread import scores_by_spread
from clusterdiff.tables.engines.terms import EngineRows
from clusterdiff.wording import count

#: What is known of a comparison in an engine: sums, but no matchings of clusters, which look at all cells at once.
KNOWN = OF_TERMS | {"sums", "s_mse", "s_mse_mean"}


class InEngine(Even):
    """The sums of a meet whose cells stay in their engine: what measures that are sums over cells read.

    It is a :class:`clusterdiff.meet.sums.Summed` and nothing more.
    """

    def __init__(self, cells: Cells) -> None:
        self.source = cells
        self.n = cells.n
        self.weighted = cells.points.weighted
        self.total: int | float = cells.mass if self.weighted else cells.n
        self.scale = cells.points.scale
        self.known = KNOWN | SCORE_SUMS.keys() | ({"margins"} if not cells.lost else set())
        self._made = {}

    @staticmethod
    def of(cells: Cells) -> InEngine:
        """The sums of some cells, whether points count as lost or not."""
        return UnevenInEngine(cells) if cells.lost else InEngine(cells)

    @property
    def engine(self) -> Engine:
        """Where the cells are."""
        return self.source.engine

    @property
    def lacking(self) -> tuple[str, Hint]:
        """Why there are no cells here, and what to do."""
        return (
            f"the cells were left in {self.source.engine.name}: about {self.source.bytes:,} bytes in memory",
            [
                Message("allow a larger `budget=`"),
                "ask for a measure that is a sum over cells",
                Message("look at `.costliest`"),
            ],
        )

    @asked
    def rows(self) -> EngineRows:
        """The rows, with every term of them."""
        with self.engine.running():
            return EngineRows(self.source, self.weighted)

    @asked
    def counts(self) -> EngineRows:
        """The rows of points that are counted, whatever they weigh."""
        return EngineRows(self.source, False) if self.weighted and self.positive is not self else self.rows

    @asked
    def sums(self) -> EngineSums:
        """The sums over cells and clusters."""
        return EngineSums(self)

    @property
    def terms(self) -> EngineSums:
        """The same: all sums are made of terms."""
        return self.sums

    def __len__(self) -> int:
        """Number of cells."""
        return int(self.counts["cells"])

    @property
    def k_true(self) -> int:
        """Number of true clusters."""
        return int(self.counts["k_true"])

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return int(self.counts["k_pred"])

    @property
    def named(self) -> tuple[int, int]:
        """How many true and predicted clusters there are, without points that are one of their own."""
        singles = self.source.frame.select(
            **{f"{x}_single": (nw.col(f"{x}_single") * nw.col("m")).sum() for x in ("t", "p")}
        )
        with self.engine.running():
            own = self.engine.row(singles)
        return self.k_true - int(own["t_single"]), self.k_pred - int(own["p_single"])

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @asked
    def positive(self) -> InEngine:
        """The same without points that weigh nothing."""
        positive = self.source.positive
        return self if positive is self.source else InEngine.of(positive)

    @property
    def loss(self) -> Loss:
        """What S_H lost."""
        rows = self.positive.rows
        lost = [rows[f"loss_{part}_entropy"] for part in ("split", "merge")]
        if not rows.even:
            lost += [rows[f"loss_{part}_entropy"] + rows[f"{part}_mass"] for part in ("missing", "spurious")]
        return Loss.of(*(float(mass / rows.total) for mass in lost))

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together; where points count as lost, in whole clusters."""
        rows = self.rows
        both, true, pred = rows["pairs_both"], rows["pairs_true_only"], rows["pairs_pred_only"]
        true = [both, true, rows["pairs_missing"], rows["pairs_with_missing"]]
        pred = [both, pred, rows["pairs_spurious"], rows["pairs_with_spurious"]]
        if not self.weighted:
            return Pairs(both // 2, sum(true) // 2, sum(pred) // 2, self.n * (self.n - 1) // 2)
        every = [both, true[1], pred[1], rows.apart]
        if not rows.even:  # with a lost point
            lost, shared = (rows["missing_mass"], rows["spurious_mass"]), rows.shared_total
            every += [
                rows["pairs_lost_missing"],
                rows["pairs_lost_spurious"],
                *(shared * mass for mass in lost),
            ]
        # As in memory, fractions: differences have all the digits that the sums have.
        return Pairs(*(sum(map(Fraction, parts)) / 2 for parts in ([both], true, pred, every)))

    @property
    def margins(self) -> Margins:
        """The sizes of the clusters on both sides; points that are alone are clusters of one."""
        return Margins(*(_size_counts(self.counts.counted(key), key) for key in ("t", "p")))

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        if not self.weighted:
            return log(self.n)
        return float((self.rows["inside_entropy"] + self.rows["h_joint"]) / self.total)

    @asked
    def by_spread(self) -> dict[str, float]:
        """S_MSE and S'(mse)."""
        return scores_by_spread(self.source, self.rows)

    def __repr__(self) -> str:
        return f"<meet of {count(self.source.n)} in {self.source.engine.name}>"


class UnevenInEngine(InEngine):
    """The same where one side lacks points of the other that count as lost."""

    uneven = True
    losses = LOST_TO
    same = False

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return int(self.counts["lost"])

    @property
    def masses(self) -> tuple[Any, Any]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return self.rows["mass_true"], self.rows["mass_pred"]

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        return int(self.counts["k_true_shared"]), int(self.counts["k_pred_shared"])

    @property
    def agreed(self) -> Count:
        """Pairs of shared points on which the two agree."""
        agreed = self.rows["pairs_both"], self.rows.apart
        return sum(map(Fraction, agreed)) / 2 if self.weighted else sum(agreed) // 2

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed


class EngineSums(TermSums):
    """The sums of rows in an engine; those by spread, which is no term, besides."""

    def __init__(self, summed: InEngine) -> None:
        super().__init__(summed.rows)
        self._summed = summed

    @property
    def _empty(self) -> Any:
        """Σ a·b over true and predicted clusters that share no cell."""
        return self._summed.rows.uncovered

    @property
    def s_mse(self) -> float:
        """S_MSE."""
        return self._summed.by_spread["s_mse"]

    @property
    def s_mse_mean(self) -> float:
        """S'(mse)."""
        return self._summed.by_spread["s_mse_mean"]


def _size_counts(found: dict[str, Any], key: str) -> SizeCounts:
    sizes, place = np.unique(found[f"{key}_mass"], return_inverse=True)
    return SizeCounts(sizes, np.bincount(place, found["copies"], len(sizes)).astype(np.int64))
