"""The sums of some units, from which measures are computed: what is left of a meet when only its sums are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log
from typing import Any, TypeVar

import numpy as np

from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Count, Overlap, Pairs
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.sums import Even
from clusterdiff.meet.terms import UNIT_SUMS
from clusterdiff.points.labels import FloatArray, IntArray

Made = TypeVar("Made")


def _matched(chosen: IntArray, values: Any) -> FloatArray:
    out = np.zeros(len(values))
    out[chosen] = values[chosen]
    return out


def _alike(overlap: Overlap) -> FloatArray:
    return 2 * overlap.size / (overlap.true_size[overlap.true] + overlap.pred_size[overlap.pred])


#: What each cell adds to the value of a best one-to-one matching of clusters, which is one of whole components.
MATCHINGS: dict[str, Callable[[Meet], FloatArray]] = {
    "matched": lambda meet: _matched(meet.cells.assign(meet.mass), meet.mass),
    "ceaf_m": lambda meet: _matched(meet.overlap.matched(meet.size), meet.size),
    "ceaf_e": lambda meet: _matched(meet.overlap.matched(_alike(meet.overlap)), _alike(meet.overlap)),
}


class UnitSums:
    """Columns of sums over units, by name: any term, and the matchings.

    The unit of every row is given by :class:`clusterdiff.diff.units.Units`, whatever the units are.
    """

    def __init__(self, meet: Meet, beta: float = 1.0) -> None:
        self.meet, self.rows = meet, Rows.of(meet, beta)

    def total(self, name: str) -> float:
        """The sum over all units."""
        return float(MATCHINGS[name](self.meet).sum() if name in MATCHINGS else self.rows[name])

    def column(self, name: str, units: Any) -> FloatArray:
        """What each unit adds to the sum."""
        if name in MATCHINGS:
            added: FloatArray = units.sums(MATCHINGS[name](self.meet))
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
        return UNIT_SUMS[name](self) if name in UNIT_SUMS else self._known[name]


def _half(*twice: float) -> float:
    return max(0.0, sum(twice)) / 2


#: The sums of single measures, as :class:`clusterdiff.meet.sums.Summed` has them, from terms.
FUSED: dict[str, Callable[[Values], Any]] = {
    "matched": lambda v: v.matched,
    "ceaf_m": lambda v: (v.ceaf_m, v.mass_true, v.mass_pred),
    "ceaf_e": lambda v: (v.ceaf_e, v.k_true, v.k_pred),
    "mentions": lambda v: (v.both_mass, v.mass_true, v.mass_pred),
    "muc": lambda v: (v.both_mass - v.cells, v.mass_true - v.k_true, v.mass_pred - v.k_pred),
    "conll": lambda v: (FUSED["muc"](v), FUSED["ceaf_e"](v)),
    "lea": lambda v: (v.lea_precision, v.lea_recall, v.mass_true, v.mass_pred),
    "blanc": lambda v: _links(v),
    "clusters": lambda v: v.exact,
    "products": lambda v: v.products,
    "closest": lambda v: (v.closest_pred, v.closest_true),
    "f_measure": lambda v: (v.f_true, v.mass_true),
    "f_beta": lambda v: (v.f_true, v.mass_true),
    "nf1": lambda v: (v.chosen_f1, v.chosen, v.chosen_true),
    "chi2": lambda v: v.chi2_cells / v.total,
    "frobenius": lambda v: v.frobenius,
}


def _links(v: Values) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """Links within entities and between them, of one document: right, true and predicted ones."""
    together = _half(v.pairs_both), _half(v.aa, -v.mass_true), _half(v.bb, -v.mass_pred)
    squares = v.shared_squares_true, v.shared_squares_pred
    apart = (
        _half(v.both_mass**2, v.mm, -squares[0], -squares[1]),
        _half(v.mass_true**2, -v.aa),
        _half(v.mass_pred**2, -v.bb),
    )
    return together, apart


class Selection(Even):
    """A :class:`clusterdiff.meet.sums.Summed` of a selection of units, from their sums by name.

    Weights are in units of 2 to the ``scale``; None if there are none.
    """

    offers = frozenset({"sums", *FUSED})
    lacking = ("only sums over units are known", None)

    def __init__(self, known: Mapping[str, float], scale: int | None, uneven: bool = False) -> None:
        self.values = Values(known)
        self._known, self._uneven = known, uneven
        self.weighted = scale is not None
        self.scale = scale or 0
        self._made = {}

    @property
    def uneven(self) -> bool:  # type: ignore[override]  # a fact of others, here one of each selection
        """Whether points of the selection are lost."""
        return self._uneven and self.values.lost > 0

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
        return not self.uneven and self.values.unlike == 0

    @property
    def sums(self) -> Any:
        """The sums over cells and clusters."""
        return SelectionSums(self.values, self.total, self.masses)

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""
        v = self.values
        own = v.pairs_both - v.mm
        if not self.uneven:
            return Pairs(_half(v.pairs_both), _half(v.aa, own), _half(v.bb, own), _half(v.total**2, own))
        missing, spurious = -v.squares_missing, -v.squares_spurious
        true, pred = _half(v.aa, own, missing), _half(v.bb, own, spurious)
        return Pairs(_half(v.pairs_both), true, pred, _half(v.total**2, own, missing, spurious))

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        v = self.values
        inside = v.m_log_m - v.inside_entropy if self.weighted else 0.0
        return log(v.total) - inside / v.total

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return round(self.values.lost) if self._uneven else 0

    @property
    def masses(self) -> tuple[float, float]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return (self.values.mass_true, self.values.mass_pred) if self.uneven else (self.total, self.total)

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        if not self.uneven:
            return self.k_true, self.k_pred
        return round(self.values.k_true_shared), round(self.values.k_pred_shared)

    @property
    def agreed(self) -> Count:
        """Pairs of points on which the two agree; of those that both have."""
        v = self.values
        if not self.uneven:
            return super().agreed
        own = v.pairs_both - v.mm
        both, every = _half(v.pairs_both), _half(v.both_mass**2, own)
        return every + 2 * both - _half(v.shared_squares_true, own) - _half(v.shared_squares_pred, own)

    @property
    def disagreed(self) -> Count:
        """Pairs on which the two disagree, or of which one side lacks a point."""
        return self.pairs.all - self.agreed if self.uneven else super().disagreed

    def fused(self, name: str) -> Any:
        """A sum that spares a measure the cells."""
        return FUSED[name](self.values)


class Frozen(Selection):
    """A selection whose chance level is that of the whole meet: measures that subtract it read the rest here."""

    offers = frozenset({"sums", "margins", "s_h", *FUSED})

    def __init__(self, known: Mapping[str, float], meet: Meet) -> None:
        super().__init__(known, meet.scale if meet.weighted else None)
        self.margins, self._meet = meet.margins, meet

    def once(self, make: Callable[[Any], Made]) -> Made:
        """What is made of the sizes of all clusters."""
        return self._meet.once(make)

    def fused(self, name: str) -> Any:
        """A sum that spares a measure the cells."""
        v = self.values
        return (
            (v.product_entropy + v.product_perfect_entropy) / v.total
            if name == "s_h"
            else super().fused(name)
        )


class SelectionSums:
    """The sums of a selection as measures know them: means over the points where those of a meet are."""

    def __init__(self, values: Values, total: float, masses: tuple[float, float]) -> None:
        self._values, self._total = values, total
        self._wholes = dict(zip(("b3_recall", "b3_precision"), masses, strict=True))

    def __getattr__(self, name: str) -> float:
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "mutual":
            return self._values.gain / self._total
        value: float = getattr(self._values, name)
        if name in ("mm", "aa", "bb", "true_max", "pred_max"):
            return value
        whole = self._wholes.get(name, self._total)
        return value / whole if whole else 0.0
