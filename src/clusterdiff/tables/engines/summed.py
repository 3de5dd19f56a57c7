"""What measures read of cells that stay in their engine: their sums, and nothing more."""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import Any

from clusterdiff.caching import cached_property
from clusterdiff.errors import Hint
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.parts import Count, Pairs
from clusterdiff.meet.sums import FUSED, Once
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


class InEngine(Once):
    """The sums of a meet whose cells stay in their engine: what measures that are sums over cells read.

    It is a :class:`clusterdiff.meet.sums.Summed` and nothing more.
    """

    def __init__(self, cells: Cells) -> None:
        self.source = cells
        self.sums = EngineSums(cells)
        self.n = cells.n
        self.weighted = cells.points.weighted
        self.total: int | float = cells.mass if self.weighted else cells.n
        self.scale = cells.points.scale
        #: Whether one side lacks points of the other that count as lost.
        self.uneven = cells.lost
        self.offers = OFFERS if cells.lost else OFFERS | {"margins"}
        self._made = {}

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
        return not self.uneven and len(self) == self.k_true == self.k_pred

    @asked
    def heavy(self) -> InEngine:
        """The same without points that weigh nothing."""
        heavy = self.source.heavy
        return self if heavy is self.source else InEngine(heavy)

    @asked
    def shared(self) -> InEngine | None:
        """The same of the points that both sides have; None if there are none."""
        cells, found = self.source, self.sums.unshared
        n, lost = int(found["shared_m"]), int(found["missing_m"] + found["spurious_m"])
        if not n:
            return None
        frame = cells.frame.filter(shared_row()).drop("ta", "pa")
        policy = replace(cells.policy, missing="drop")
        mass = float(found["shared_w"])
        return InEngine(
            replace(cells, policy=policy, frame=frame, alone=cells.alone - lost, n=n, mass=mass, lost=False)
        )

    @cached_property
    def whole(self) -> Whole:
        """The sums over shared cells in whole clusters, where points count as lost."""
        return Whole(self.sums)

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
        shared = self.shared if self.uneven else self
        pairs, inside = self.pairs, None if shared is None else shared.pairs
        apart = 0 if inside is None else inside.all - inside.true - inside.pred + inside.both
        true, pred = (n * (n - 1) // 2 for n in self._overlaps.points[1:])
        together = pairs.both, pairs.true, pairs.pred
        return together, (apart, true - pairs.true, pred - pairs.pred)

    def __repr__(self) -> str:
        return f"<meet of {count(self.source.n)} in {self.source.engine.name}>"


class Whole:
    """The sums over shared cells in whole clusters: see :class:`clusterdiff.meet.sums.WholeSums`."""

    def __init__(self, sums: EngineSums) -> None:
        self._sums = sums

    def _mass(self, *parts: str) -> Any:
        found = [self._sums.unshared[f"{part}_w"] for part in parts]
        return sum(found) if self._sums.cells.points.weighted else round(sum(found))

    @property
    def true(self) -> Any:
        """All points of the true clustering."""
        return self._mass("shared", "missing")

    @property
    def pred(self) -> Any:
        """All points of the predicted clustering."""
        return self._mass("shared", "spurious")

    @property
    def lost(self) -> Any:
        """The points that only one of the two has."""
        return self._mass("missing", "spurious")

    @property
    def alone(self) -> int:
        """How many these are, whatever they weigh."""
        return int(self._sums.unshared["missing_m"] + self._sums.unshared["spurious_m"])

    @property
    def recall(self) -> float:
        """Σ m²/a."""
        return self._sums.over("recall")

    @property
    def precision(self) -> float:
        """Σ m²/b."""
        return self._sums.over("precision")

    @property
    def element(self) -> float:
        """Σ m²/max(a, b)."""
        return self._sums.over("element")
