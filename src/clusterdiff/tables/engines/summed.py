"""What measures read of cells that stay in their engine: their sums, and nothing more."""

from __future__ import annotations

from math import log
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.diff.loss import Loss
from clusterdiff.errors import Hint
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.parts import Count, Pairs
from clusterdiff.meet.sums import FUSED, LOST_TO, Even
from clusterdiff.messages import Message
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Engine, asked
from clusterdiff.tables.engines.spread import scores_by_spread
from clusterdiff.tables.engines.terms import EngineRows
from clusterdiff.wording import count

Triple = tuple[Count, Count, Count]
#: What a comparison in an engine offers: all sums, but for matchings of clusters, which look at all cells at once, and
#: for F with another β.
OFFERS = frozenset({"sums", *FUSED}) - {"matched", "ceaf_m", "ceaf_e", "conll", "f_beta"}
#: The terms that S* and S' are made of: what imperfect cells score, and the mass of the perfect ones.
SCORES = {
    f"{fused}{ending}": (f"{sigma}_{name}", f"{sigma}_perfect_{name}")
    for fused, name in (("s_h", "entropy"), ("s_pairs", "pairs"), ("s_largest", "largest"))
    for ending, sigma in (("", "product"), ("_mean", "mean"))
}


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
        self.offers = OFFERS | {"margins"}
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
        return EngineRows(self.source, False) if self.weighted and self.heavy is not self else self.rows

    @property
    def sums(self) -> EngineSums:
        """The sums over cells and clusters."""
        return EngineSums(self.rows, self.masses)

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
    def heavy(self) -> InEngine:
        """The same without points that weigh nothing."""
        heavy = self.source.heavy
        return self if heavy is self.source else InEngine.of(heavy)

    @property
    def loss(self) -> Loss:
        """What S_H lost."""
        rows = self.heavy.rows
        lost = [rows[f"loss_{part}_entropy"] for part in ("split", "merge")]
        if not rows.even:
            lost += [rows[f"loss_{part}_entropy"] + rows[f"{part}_mass"] for part in ("missing", "spurious")]
        return Loss.of(*(float(mass / rows.total) for mass in lost))

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together; where points count as lost, in whole clusters."""
        rows = self.rows
        both = rows["pairs_both"]
        true = both + rows["pairs_true_only"] + rows["pairs_missing"] + rows["pairs_with_missing"]
        pred = both + rows["pairs_pred_only"] + rows["pairs_spurious"] + rows["pairs_with_spurious"]
        if not self.weighted:
            return Pairs(both // 2, true // 2, pred // 2, self.n * (self.n - 1) // 2)
        own = rows["mm"] - both + rows["squares_missing"] + rows["squares_spurious"]
        every = max(0.0, self.total**2 - own) if self.n > 1 else 0.0
        return Pairs(both / 2, true / 2, pred / 2, every / 2)

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

    def fused(self, name: str) -> Any:
        """S* or S' with a built-in s, or what another measure alone is made of."""
        if name in SCORES:
            imperfect, perfect = SCORES[name]
            return float((self.rows[imperfect] + self.rows[perfect]) / self.total)
        if name in ("s_mse", "s_mse_mean"):
            return self._by_spread[name]
        return getattr(self, name)

    @asked
    def _by_spread(self) -> dict[str, float]:
        return scores_by_spread(self.source, self.rows)

    # ---- what single measures are made of

    @property
    def mentions(self) -> tuple[int, int, int]:
        """The points that both sides have, the true and the predicted ones."""
        both = int(self.counts["both_points"])
        return both, both + int(self.counts["missing"]), both + int(self.counts["spurious"])

    @property
    def muc(self) -> tuple[int, int, int]:
        """The links that tie together cells, true and predicted clusters."""
        both, true, pred = self.mentions
        return both - len(self), true - self.k_true, pred - self.k_pred

    @property
    def lea(self) -> tuple[float, float, int, int]:
        """What is kept of predicted and of true clusters, and the points of the true and of the predicted ones."""
        return (float(self.rows["lea_precision"]), float(self.rows["lea_recall"]), *self.mentions[1:])

    @property
    def blanc(self) -> tuple[Triple, Triple]:
        """Pairs of points within clusters, and between them: what both sides have, the true and the predicted ones."""
        pairs, apart = self.pairs, self.rows["apart"] // 2
        true, pred = (n * (n - 1) // 2 for n in self.mentions[1:])
        return (pairs.both, pairs.true, pairs.pred), (apart, true - pairs.true, pred - pairs.pred)

    @property
    def clusters(self) -> int:
        """How many clusters both sides have."""
        return int(self.rows["exact"])

    @property
    def f_measure(self) -> tuple[float, Any]:
        """Σ over true clusters of their mass times their best F1, and the mass of all of them."""
        return float(self.rows["f_true"]), self.masses[0]

    @property
    def nf1(self) -> tuple[float, float, float]:
        """Σ F1 of the chosen cells, their number, and that of the true clusters among them."""
        return float(self.rows["chosen_f1"]), float(self.rows["chosen"]), float(self.rows["chosen_true"])

    @property
    def products(self) -> float:
        """Σ m·a·b."""
        return float(self.rows["products"])

    @property
    def closest(self) -> tuple[float, float]:
        """Σ over predicted, and over true clusters, of their overlap with the closest one."""
        return float(self.rows["closest_pred"]), float(self.rows["closest_true"])

    @property
    def chi2(self) -> float:
        """χ²/n."""
        return float((self.rows["chi2_cells"] + _uncovered(self.rows)) / self.total)

    @property
    def frobenius(self) -> float:
        """|L| + |C| − 2 Σ m²/ab."""
        return float(self.rows["frobenius"])

    def __repr__(self) -> str:
        return f"<meet of {count(self.source.n)} in {self.source.engine.name}>"


class UnevenInEngine(InEngine):
    """The same where one side lacks points of the other that count as lost."""

    uneven = True
    losses = LOST_TO
    same = False

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.offers = OFFERS

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
        rows, both = self.rows, self.rows["pairs_both"]
        if not self.weighted:
            agreed: int = (both + rows["apart"]) // 2
            return agreed
        own = rows["mm"] - both
        every = max(0.0, rows.shared_total**2 - own) if rows["both_points"] > 1 else 0.0
        return float(max(both, every - rows["pairs_true_only"] - rows["pairs_pred_only"])) / 2

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed


class EngineSums:
    """The sums that most measures are made of: see :class:`clusterdiff.meet.sums.Sums`."""

    def __init__(self, rows: EngineRows, masses: tuple[Any, Any]) -> None:
        self._rows = rows
        self._masses = {"b3_recall": masses[0], "b3_precision": masses[1]}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self._rows[name]
        if name in ("mm", "aa", "bb", "true_max", "pred_max"):
            return value
        whole = self._masses.get(name, self._rows.total)
        return float(value / whole) if whole else 0.0  # of a side without any points

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""
        return float((self._rows["gain"] + _uncovered(self._rows)) / self._rows.total)


def _uncovered(rows: EngineRows) -> float:
    """What independence would put where there is no cell."""
    full = rows["cells"] == rows["k_true"] * rows["k_pred"]
    return 0.0 if full else max(0.0, (rows.total**2 - rows["covered"]) / rows.total)


def _size_counts(found: dict[str, Any], key: str) -> SizeCounts:
    sizes, place = np.unique(found[f"{key}_mass"], return_inverse=True)
    return SizeCounts(sizes, np.bincount(place, found["copies"], len(sizes)).astype(np.int64))
