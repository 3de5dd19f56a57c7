"""What measures read of cells that stay in their engine: their sums, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

from clusterdiff.caching import cached_property
from clusterdiff.errors import Hint
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.parts import Count, Pairs
from clusterdiff.meet.sums import FUSED, LOST_TO, Even
from clusterdiff.messages import Message
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.native import Engine, asked
from clusterdiff.tables.engines.overlaps import Overlaps
from clusterdiff.tables.engines.sides import shared_row
from clusterdiff.tables.engines.sums import EngineSums
from clusterdiff.wording import count

#: Of the sums that spare a measure the cells: those made of counts, and those that take a query of their own.
COUNTED = frozenset({"mentions", "muc", "lea", "blanc"})
ALONE = frozenset({"clusters", "products", "closest", "chi2", "frobenius"})
Triple = tuple[Count, Count, Count]
#: What a comparison in an engine offers: all sums, but for matchings of clusters, which look at all cells at once.
OFFERS = frozenset({"sums", *FUSED}) - {"matched", "ceaf_m", "ceaf_e", "conll", "f_measure", "nf1"}


class InEngine(Even):
    """The sums of a meet whose cells stay in their engine: what measures that are sums over cells read.

    It is a :class:`clusterdiff.meet.sums.Summed` and nothing more.
    """

    def __init__(self, cells: Cells) -> None:
        self.source = cells
        self.sums = self._sums_of(cells)
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

    def _sums_of(self, cells: Cells) -> EngineSums:
        return EngineSums(cells)

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

    def __len__(self) -> int:
        """Number of cells."""
        return self.sums.count

    @property
    def k_true(self) -> int:
        """Number of true clusters."""
        return self.sums.k_true

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return self.sums.k_pred

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
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together; where points count as lost, in whole clusters."""
        sums = self.sums
        if self.weighted:
            return Pairs(*(twice / 2 for twice in sums.together))
        both, true, pred = self._overlaps.points
        own = zip((sums.mm, sums.aa, sums.bb, self.n**2), (both, true, pred, self.n), strict=True)
        return Pairs(*((square - points) // 2 for square, points in own))

    @property
    def margins(self) -> Margins:
        """The sizes of the clusters on both sides."""
        return self.sums.margins

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.n) if not self.weighted else float(log(self.total) - self.sums.own_logs / self.total)

    def fused(self, name: str) -> Any:
        """S* or S' with a built-in s, or what another measure alone is made of."""
        return getattr(self if name in COUNTED else self._overlaps if name in ALONE else self.sums, name)

    @cached_property
    def _overlaps(self) -> Overlaps:
        return Overlaps(self.sums)

    # ---- what coreference measures count

    @property
    def mentions(self) -> tuple[int, int, int]:
        """The points that both sides have, the true and the predicted ones."""
        return self._overlaps.points

    @property
    def muc(self) -> tuple[int, int, int]:
        """The links that tie together cells, true and predicted clusters."""
        both, true, pred = self._overlaps.points
        return both - len(self), true - self.k_true, pred - self.k_pred

    @property
    def lea(self) -> tuple[float, float, int, int]:
        """What is kept of predicted and of true clusters, and the points of the true and of the predicted ones."""
        return (*self._overlaps.lea, *self._overlaps.points[1:])

    @property
    def blanc(self) -> tuple[Triple, Triple]:
        """Pairs of points within clusters, and between them: what both sides have, the true and the predicted ones."""
        pairs, apart = self.pairs, self.agreed - self.pairs.both
        true, pred = (n * (n - 1) // 2 for n in self._overlaps.points[1:])
        together = pairs.both, pairs.true, pairs.pred
        return together, (apart, true - pairs.true, pred - pairs.pred)

    def __repr__(self) -> str:
        return f"<meet of {count(self.source.n)} in {self.source.engine.name}>"


class UnevenInEngine(InEngine):
    """The same where one side lacks points of the other that count as lost."""

    uneven = True
    losses = LOST_TO
    same = False
    sums: WholeEngineSums

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.offers = OFFERS

    def _sums_of(self, cells: Cells) -> EngineSums:
        return WholeEngineSums(cells)

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return int(self.sums.unshared["missing_m"] + self.sums.unshared["spurious_m"])

    @property
    def masses(self) -> tuple[Any, Any]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return self.sums.mass("missing"), self.sums.mass("spurious")

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        shared = self.sums.shared
        return (0, 0) if shared is None else (shared.k_true, shared.k_pred)

    @property
    def agreed(self) -> Count:
        """Pairs of shared points on which the two agree."""
        return 0 if self.sums.shared is None else self.sums.shared.agreed

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed


class WholeEngineSums(EngineSums):
    """The sums over shared cells in whole clusters that have a meaning where points are lost."""

    @asked
    def shared(self) -> InEngine | None:
        """The sums of the points that both sides have; None if there are none."""
        cells, found = self.cells, self.unshared
        n, lost = int(found["shared_m"]), int(found["missing_m"] + found["spurious_m"])
        if not n:
            return None
        frame = cells.frame.filter(shared_row()).drop("ta", "pa")
        policy = replace(cells.policy, missing="drop")
        mass = float(found["shared_w"])
        return InEngine(
            replace(cells, policy=policy, frame=frame, alone=cells.alone - lost, n=n, mass=mass, lost=False)
        )

    def mass(self, lacking: str) -> Any:
        """What the shared points weigh with those that one side lacks, "missing" or "spurious"."""
        mass = self.unshared["shared_w"] + self.unshared[f"{lacking}_w"]
        return mass if self.cells.points.weighted else round(mass)

    @property
    def true_max(self) -> Any:
        """Σ over true clusters of their largest cell."""
        return 0 if self.shared is None else self.shared.sums.true_max

    @property
    def pred_max(self) -> Any:
        """Σ over predicted clusters of their largest cell."""
        return 0 if self.shared is None else self.shared.sums.pred_max

    @property
    def b3_recall(self) -> float:
        """Σ m²/a over the points of the true clustering."""
        return self._share_of("recall", self.mass("missing"))

    @property
    def b3_precision(self) -> float:
        """Σ m²/b over the points of the predicted clustering."""
        return self._share_of("precision", self.mass("spurious"))

    def _share_of(self, name: str, whole: Any) -> float:
        """A term as a share; of a side without any points it is 0."""
        return float(self.over(name) / whole) if whole else 0.0
