"""Where the score was lost: the loss of S* shared out exactly between splits, merges and lost points, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.measures.subcomponents import Scored
from clusterdiff.meet.sums import LOST_TO
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import record_html
from clusterdiff.wording import number

#: The parts of a loss, in their order.
PARTS = LOST_TO


class Loss(NamedTuple):
    """What was lost in total, and how much of it to splits, to merges, and to points that one side lacks.

    The four add up to ``total``. ``missing`` and ``spurious`` are 0 unless points count as lost (``missing="lost"``).
    """

    total: float
    split: float
    merge: float
    missing: float = 0.0
    spurious: float = 0.0

    @classmethod
    def of(cls, *parts: float) -> Loss:
        """A loss from its parts."""
        return cls(sum(parts), *parts)

    def told(self, digits: int, parts: Sequence[str]) -> list[str]:
        """Some of the parts in words.

        >>> Loss.of(0.25, 0.0).told(2, ["split", "merge"])
        ['0.25 to splits', '0.00 to merges']
        """
        words = dict(zip(PARTS, ("splits", "merges", "missing points", "spurious points"), strict=True))
        return [f"{number(getattr(self, part), digits)} to {words[part]}" for part in parts]

    def _repr_html_(self) -> str:
        return record_html("Loss", self._asdict())


class Losses(NamedTuple):
    """The parts of many losses, an array each."""

    split: FloatArray
    merge: FloatArray
    missing: FloatArray
    spurious: FloatArray

    @property
    def total(self) -> FloatArray:
        """What was lost in all."""
        return self.split + self.merge + (self.missing + self.spurious)

    def of(self, chosen: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """What some of them lost in all."""
        lost: FloatArray = (
            self.split[chosen] + self.merge[chosen] + (self.missing[chosen] + self.spurious[chosen])
        )
        return lost

    @property
    def columns(self) -> dict[str, FloatArray]:
        """As they stand in tables."""
        return {"loss": self.total} | {f"{name}_loss": part for name, part in self._asdict().items()}

    def each(self, change: Any) -> Losses:
        """The same after a change of every part."""
        return Losses(*map(change, self))


class CellLoss:
    """The loss of every cell, as shares of the whole score, and of the points that a side lacks.

    For a cell with split score s and merge score t, 1 − s·t = (1−s)(1+t)/2 + (1−t)(1+s)/2: the Shapley shares
    of its two factors. Where points are lost, s = s0·r and t = t0·q, and each share is divided in the same way between
    its two factors: (1−s) = (1−s0)(1+r)/2 + (1−r)(1+s0)/2. Weighted by the cell's mass, and with the whole mass of
    points that a side lacks, they add up to 1 − S*, over any grouping.
    """

    def __init__(self, scored: Scored) -> None:
        meet = self.meet = scored.meet
        s, t = scored.pair
        share = meet.mass / meet.total
        if scored.split_sides is None or scored.merge_sides is None:
            none = np.zeros(len(share))
            self.cells = Losses(share * (1 - s) * (1 + t) / 2, share * (1 - t) * (1 + s) / 2, none, none)
            return
        s0, r = (score[meet.true] for score in scored.split_sides[1:])
        t0, q = (score[meet.pred] for score in scored.merge_sides[1:])
        true, pred = share * (1 + t) / 2, share * (1 + s) / 2
        self.cells = Losses(
            true * (1 - s0) * (1 + r) / 2,
            pred * (1 - t0) * (1 + q) / 2,
            true * (1 - r) * (1 + s0) / 2,
            pred * (1 - q) * (1 + t0) / 2,
        )

    @property
    def split(self) -> FloatArray:
        """What each cell lost to splits."""
        return self.cells.split

    @property
    def merge(self) -> FloatArray:
        """What each cell lost to merges."""
        return self.cells.merge

    @cached_property
    def missing_alone(self) -> FloatArray:
        """What the missing points of each true cluster cost by themselves."""
        share: FloatArray = self.meet.missing.mass(self.meet.k_true) / self.meet.total
        return share

    @cached_property
    def spurious_alone(self) -> FloatArray:
        """What the spurious points of each predicted cluster cost by themselves."""
        share: FloatArray = self.meet.spurious.mass(self.meet.k_pred) / self.meet.total
        return share

    @cached_property
    def total(self) -> Loss:
        """The loss of the whole: its total is 1 − S*."""
        split, merge, missing, spurious = (float(np.sum(part)) for part in self.cells)
        return Loss.of(
            split,
            merge,
            missing + float(np.sum(self.missing_alone)),
            spurious + float(np.sum(self.spurious_alone)),
        )

    def by(
        self,
        groups: npt.NDArray[np.integer[Any]],
        k: int,
        true: npt.NDArray[np.integer[Any]] | None = None,
        pred: npt.NDArray[np.integer[Any]] | None = None,
    ) -> Losses:
        """The loss of each of ``k`` groups of cells.

        ``true`` and ``pred`` are the groups that the missing points of each true cluster, and the spurious ones of each
        predicted cluster belong to; those of clusters whose group is not told are left out.
        """
        split, merge, missing, spurious = (_core.group_sum(groups, k, part) for part in self.cells)
        if true is not None and len(self.meet.missing):
            missing = missing + _core.group_sum(true, k, self.missing_alone)
        if pred is not None and len(self.meet.spurious):
            spurious = spurious + _core.group_sum(pred, k, self.spurious_alone)
        return Losses(split, merge, missing, spurious)
