"""Counted: the sums of two clusterings and nothing more, where all points weigh the same."""

from __future__ import annotations

from math import log

from clusterdiff.meet.parts import Pairs
from clusterdiff.meet.sums import Even, Sums


class Counted(Even):
    """What a level of a sweep and a step of a series know; with what they offer, a :class:`Summed`."""

    weighted = False
    scale = 0
    sums: Sums
    k_true: int
    k_pred: int

    def __init__(self, n: int, k_true: int, k_pred: int, cells: int, sums: Sums) -> None:
        self.n = n
        self.total = n
        self.k_true = k_true
        self.k_pred = k_pred
        self.sums = sums
        self._cells = cells
        self._made = {}

    def __len__(self) -> int:
        """Number of cells."""
        return self._cells

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""
        return len(self) == self.k_true == self.k_pred

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        return Pairs.counted(self.sums, self.n, self.n)

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.n)
