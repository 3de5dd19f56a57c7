"""Where the score was lost: a loss, shared out exactly between splits, merges and lost points, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, isnan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.measures.subcomponents import Scored
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import LOST_TO
from clusterdiff.meet.uneven import SideScores
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.table import record_html
from clusterdiff.wording import Nouns, and_list, number, percent, plural

#: The parts of a loss, in their order.
PARTS = LOST_TO
#: What is less than this, of parts that add up, may be rounding.
ROUNDING = 1e-12


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

    def __truediv__(self, by: float) -> Loss:
        """The same in other units."""
        return Loss(*(x / by for x in self))

    def words(
        self, digits: int, parts: Sequence[str], point: str = "point", *, shares: bool = False
    ) -> list[str]:
        """Some of the parts in words, with their shares of the total if wanted; what was gained is shown as gained.

        >>> Loss.of(0.25, 0.0).words(2, ["split", "merge"])
        ['0.25 to splits', '0.00 to merges']
        >>> Loss.of(0.25, -0.02).words(2, ["split", "merge"], shares=True)
        ['0.25 to splits', 'while merges gained 0.02']
        """
        if isnan(self.split):
            return ["which cannot be divided"]
        points = plural(point)
        words = dict(zip(PARTS, ("splits", "merges", f"missing {points}", f"spurious {points}"), strict=True))
        values = {part: getattr(self, part) for part in parts}
        rounding = ROUNDING * max(1.0, *map(abs, values.values()))
        shares = shares and self.total > 0 and min(values.values()) >= -rounding

        def say(part: str, value: float) -> str:
            if value < -rounding:
                return f"while {words[part]} gained {number(-value, digits)}"
            share = f" ({percent(max(value, 0.0) / self.total)})" if shares else ""
            return f"{number(max(value, 0.0), digits)}{share} to {words[part]}"

        return [say(part, value) for part, value in values.items()]

    def sentence(self, parts: Sequence[str], nouns: Nouns = Nouns()) -> str:  # noqa: B008 - a constant
        """The whole and some of its parts, as part of a sentence.

        >>> Loss.of(0.25, 0.75).sentence(["split", "merge"])
        '1.0000 was lost, 0.2500 (25%) to splits and 0.7500 (75%) to merges'
        >>> Loss.of(0.25, -0.02).sentence(["split", "merge"])
        '0.2300 was lost, 0.2500 to splits, while merges gained 0.0200'
        """
        words = self.words(4, parts, nouns.point, shares=True)
        lost = [part for part in words if not part.startswith("while")]
        gained = [part for part in words if part not in lost]
        return ", ".join(
            [f"{number(self.total)} {nouns.was_lost}", *([and_list(lost)] if lost else []), *gained]
        )

    def to_dict(self) -> dict[str, float | None]:
        """As plain values; None for parts that are not known."""
        return {name: None if isnan(value) else value for name, value in self._asdict().items()}

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
        lost: FloatArray = self.split + self.merge
        if self.missing.any() or self.spurious.any():
            lost += self.missing + self.spurious
        return lost

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


def nothing(count: int) -> FloatArray:
    """So many zeros, which take no memory and cannot be written to."""
    return np.broadcast_to(np.float64(0.0), count)


def costliest(losses: FloatArray, most: int | None = None) -> Int64Array:
    """The places of losses, the largest first, equal ones in order; most of many are usually 0. At most so many.

    >>> costliest(np.array([0.0, 0.25, -0.5, 0.0, 0.5])).tolist()
    [4, 1, 0, 3, 2]
    >>> costliest(np.array([0.0, 0.25, -0.5, 0.0, 0.5]), 3).tolist()
    [4, 1, 0]
    """
    if most is None or most >= len(losses):
        return _core.descending(np.ascontiguousarray(losses))
    least = -np.partition(-losses, most - 1)[most - 1]  # as in the order of all, what is no number comes last
    some = np.flatnonzero(~(losses < least))
    return some[_core.descending(losses[some])][:most]


def _partly(side: SideScores) -> FloatArray | None:
    """What the shared points are of each cluster; None if they are all of it everywhere."""
    return None if (side.kept == 1).all() else np.ascontiguousarray(side.kept)


class CellLoss:
    """The loss of every cell, as shares of the whole score, and of the points that a side lacks.

    Each cell's parts, and with them the whole mass of points that a side lacks, add up to the loss of the whole, over
    any grouping.
    """

    def __init__(self, meet: Meet, cells: Losses, scale: tuple[float, float] = (1.0, 1.0)) -> None:
        self.meet = meet
        self.cells = cells
        self._scale = scale

    @classmethod
    def of(cls, scored: Scored) -> CellLoss:
        """The loss of S*.

        For a cell with split score s and merge score t, 1 − s·t = (1−s)(1+t)/2 + (1−t)(1+s)/2: the Shapley shares of
        its two factors. Where points are lost, s = s0·r and t = t0·q, and each share is divided in the same way between
        its two factors: (1−s) = (1−s0)(1+r)/2 + (1−r)(1+s0)/2. Weighted by the cell's mass they add up to 1 − S*.
        """
        meet = scored.meet
        mass = None if meet.weights is None else meet.mass.astype(np.float64, copy=False)
        if scored.split_sides is None or scored.merge_sides is None:
            return cls.of_parts(meet, *meet.cells.losses(scored.split, scored.merge, meet.total, mass))
        true, pred = scored.split_sides, scored.merge_sides
        split, missing = meet.cells.side_losses(true.inner, _partly(true), pred.whole, meet.total, mass)
        merge, spurious = meet.cells.side_losses(
            pred.inner, _partly(pred), true.whole, meet.total, mass, pred=True
        )
        none = nothing(len(meet))
        lost = (none if part is None else part for part in (missing, spurious))
        return cls(meet, Losses(split, merge, *lost))

    @classmethod
    def of_parts(cls, meet: Meet, split: FloatArray, merge: FloatArray) -> CellLoss:
        """From what each cell lost to splits and to merges, where no points are lost."""
        none = nothing(len(meet))
        return cls(meet, Losses(split, merge, none, none))

    def shared_as(self, loss: Loss) -> CellLoss:
        """Another loss, shared out in the proportions of this one, part by part.

        If only its total is known, all parts are scaled alike.
        """
        mine, theirs = list(self.total)[1:], list(loss)[1:]
        if not all(map(isfinite, theirs)):
            mine, theirs = [self.total.total] * 4, [loss.total] * 4
        scale = [new / old if old else 0.0 for new, old in zip(theirs, mine, strict=True)]
        cells = Losses(*(part * factor for part, factor in zip(self.cells, scale, strict=True)))
        return CellLoss(self.meet, cells, (scale[2], scale[3]))

    @property
    def split(self) -> FloatArray:
        """What each cell lost to splits."""
        return self.cells.split

    @property
    def merge(self) -> FloatArray:
        """What each cell lost to merges."""
        return self.cells.merge

    @cached_property
    def missing_cost(self) -> FloatArray:
        """What the missing points of each true cluster cost by themselves."""
        if not len(self.meet.missing):
            return nothing(self.meet.k_true)
        share: FloatArray = self.meet.missing.mass(self.meet.k_true) / self.meet.total
        return share * self._scale[0]

    @cached_property
    def spurious_cost(self) -> FloatArray:
        """What the spurious points of each predicted cluster cost by themselves."""
        if not len(self.meet.spurious):
            return nothing(self.meet.k_pred)
        share: FloatArray = self.meet.spurious.mass(self.meet.k_pred) / self.meet.total
        return share * self._scale[1]

    @cached_property
    def total(self) -> Loss:
        """The loss of the whole: its total is 1 − S*."""
        split, merge, missing, spurious = (float(np.sum(part)) for part in self.cells)
        return Loss.of(
            split,
            merge,
            missing + float(np.sum(self.missing_cost)),
            spurious + float(np.sum(self.spurious_cost)),
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
        predicted cluster belong to; those of clusters whose group is not given are left out.
        """
        split, merge = _core.group_sums(groups, k, self.cells.split, self.cells.merge)
        missing, spurious = (
            _core.group_sum(groups, k, part) if part.any() else nothing(k)
            for part in (self.cells.missing, self.cells.spurious)
        )
        if true is not None and len(self.meet.missing):
            missing = missing + _core.group_sum(true, k, self.missing_cost)
        if pred is not None and len(self.meet.spurious):
            spurious = spurious + _core.group_sum(pred, k, self.spurious_cost)
        return Losses(split, merge, missing, spurious)
