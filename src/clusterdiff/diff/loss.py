"""Where the score was lost: the loss of S* shared out exactly between splits and merges, cell by cell."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.measures.subcomponents import Scored
from clusterdiff.points.labels import FloatArray


class Loss(NamedTuple):
    """What was lost in total, and how much of it to splits and to merges; ``split + merge == total``."""

    total: float
    split: float
    merge: float


class CellLoss:
    """The loss of every cell, as shares of the whole score.

    For a cell with split score s and merge score t, 1 − s·t = (1−s)(1+t)/2 + (1−t)(1+s)/2: the Shapley shares
    of its two factors. Weighted by the cell's mass they add up to 1 − S*, over any grouping of the cells.
    """

    def __init__(self, scored: Scored) -> None:
        self.meet = scored.meet
        s, t = scored.pair
        share = self.meet.mass / self.meet.total
        self.split: FloatArray = share * (1 - s) * (1 + t) / 2
        self.merge: FloatArray = share * (1 - t) * (1 + s) / 2

    @cached_property
    def total(self) -> Loss:
        """The loss of the whole: its total is 1 − S*."""
        split, merge = float(np.sum(self.split)), float(np.sum(self.merge))
        return Loss(split + merge, split, merge)

    def by(self, groups: npt.NDArray[np.integer], k: int) -> tuple[FloatArray, FloatArray]:
        """The split and the merge loss of each of ``k`` groups of cells."""
        return _core.group_sum(groups, k, self.split), _core.group_sum(groups, k, self.merge)
