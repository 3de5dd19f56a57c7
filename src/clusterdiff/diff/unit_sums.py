"""The sums of some units, from which measures are computed: what is left of a meet when only its sums are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any, TypeVar

import numpy as np

from clusterdiff.measures.matchings import MATCHINGS, matched_column
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Count, Pairs
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import Even
from clusterdiff.meet.terms import UNIT_SUMS
from clusterdiff.meet.union import uneven_of
from clusterdiff.meet.values import OF_TERMS, TermSums
from clusterdiff.points.labels import FloatArray, Labels

Made = TypeVar("Made")

#: The points of a comparison in which nothing is special, and lost ones beside them.
ORDINARY = np.array([[0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2]])
LOST = np.array([[2, 2, -1], [-1, -1, 0]])


class UnitSums:
    """Columns of sums over units, by name: any term, and the matchings.

    The unit of every row is given by :class:`clusterdiff.diff.units.Units`, whatever the units are.
    """

    def __init__(self, meet: Meet, beta: float = 1.0) -> None:
        self.meet, self.rows = meet, Rows.of(meet, beta)

    def total(self, name: str) -> float:
        """The sum over all units."""
        return float(matched_column(self.meet, name).sum() if name in MATCHINGS else self.rows[name])

    def column(self, name: str, units: Any) -> FloatArray:
        """What each unit adds to the sum."""
        if name in MATCHINGS:
            added: FloatArray = units.sums(matched_column(self.meet, name))
            return added
        return self.rows.by_unit(name, units.of_rows(self.rows), units.count)


class Noted(dict[str, float]):
    """The sums of a whole meet, each computed when it is read: what a measure reads is what stands here afterwards."""

    def __init__(self, sums: UnitSums) -> None:
        self._sums = sums

    def __missing__(self, name: str) -> float:
        self[name] = self._sums.total(name)
        return self[name]


class Values:
    """Terms by name; those that do not add up over units, from sums that do."""

    def __init__(self, known: Mapping[str, float]) -> None:
        self._known = known

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> float:
        return UNIT_SUMS[name](self) if name in UNIT_SUMS else self._known[name]


def _half(*twice: float) -> float:
    return max(0.0, sum(twice)) / 2


def selection_of(meet: Meet) -> type[Selection]:
    """What measures read of some units of a meet."""
    return SelectionWithLost if meet.uneven else Selection


class Selection(Even):
    """A :class:`clusterdiff.meet.sums.Summed` of a selection of units, from their sums by name.

    Weights are in units of 2 to the ``scale``; None if there are none.
    """

    known = OF_TERMS | {"sums", "f_beta", *MATCHINGS}
    lacking = ("only sums over units are known", None)

    def __init__(self, known: Mapping[str, float], scale: int | None) -> None:
        self.values = Values(known)
        self.sums: Any = TermSums(self.values)
        self.terms = self.sums
        self.weighted = scale is not None
        self.scale = scale or 0
        self._made = {}

    @staticmethod
    def ordinary() -> tuple[Meet, ...]:
        """Comparisons in which nothing is special: what a measure reads there, it may read of any selection."""
        return (Meet.from_labels(*ORDINARY),)

    @property
    def n(self) -> int:
        """Number of points."""
        return round(self.values.points)

    @property
    def total(self) -> float:
        """The weight of all points."""
        return self.values.total

    @property
    def k_true(self) -> int:
        """Number of true clusters; of those that a selection cuts, what is left of them."""
        return round(self.values.k_true)

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""
        return round(self.values.k_pred)

    def __len__(self) -> int:
        """Number of cells."""
        return round(self.values.cells)

    @property
    def same(self) -> bool:
        """Whether every cell is a whole cluster on both sides."""
        return self.values.unlike == 0

    @property
    def _own(self) -> float:
        """What is no pair in sums of squares: each point with itself."""
        return self.values.pairs_both - self.values.mm

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        v, own = self.values, self._own
        return Pairs(_half(v.pairs_both), _half(v.aa, own), _half(v.bb, own), _half(v.total**2, own))

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        v = self.values
        inside = v.m_log_m - v.inside_entropy if self.weighted else 0.0
        return log(v.total) - inside / v.total


class SelectionWithLost(Selection):
    """The same of units in which points may be lost."""

    @staticmethod
    def ordinary() -> tuple[Meet, ...]:
        """Also one where points are lost, since some units may have lost none."""
        true, pred = np.hstack([ORDINARY, LOST])
        return *Selection.ordinary(), uneven_of(Labels.coded(true), Labels.coded(pred))

    @property
    def uneven(self) -> bool:  # type: ignore[override]  # a fact of others, here one of each selection
        """Whether points of the selection are lost."""
        return self.values.lost > 0

    @property
    def same(self) -> bool:
        """Whether none is lost, and every cell is a whole cluster on both sides."""
        return self.values.lost == 0 and self.values.unlike == 0

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together, in whole clusters."""
        v, own = self.values, self._own
        missing, spurious = -v.squares_missing, -v.squares_spurious
        true, pred = _half(v.aa, own, missing), _half(v.bb, own, spurious)
        return Pairs(_half(v.pairs_both), true, pred, _half(v.total**2, own, missing, spurious))

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return round(self.values.lost)

    @property
    def masses(self) -> tuple[float, float]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return self.values.mass_true, self.values.mass_pred

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        return round(self.values.k_true_shared), round(self.values.k_pred_shared)

    @property
    def agreed(self) -> Count:
        """Pairs of points that both have and on which the two agree."""
        v, own = self.values, self._own
        both, every = _half(v.pairs_both), _half(v.both_mass**2, own)
        return every + 2 * both - _half(v.shared_squares_true, own) - _half(v.shared_squares_pred, own)

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed


class Frozen(Selection):
    """A selection whose chance level is that of the whole meet: measures that subtract it read the rest here."""

    known = Selection.known | {"margins", "s_h"}

    def __init__(self, known: Mapping[str, float], meet: Meet) -> None:
        super().__init__(known, meet.scale if meet.weighted else None)
        self.margins, self._meet = meet.margins, meet

    def once(self, make: Callable[[Any], Made]) -> Made:
        """What is made of the sizes of all clusters."""
        return self._meet.once(make)
