"""Deletion: a measure without some of the points, and the units that are left out one at a time.

A unit is what errors tie together: a component, or the true clusters that components of either of two systems hold
together. A unit that holds too much of everything falls into its true clusters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.statistic import Statistic, beta_of, rounded, statistic
from clusterdiff.diff.units import Unit, units_of
from clusterdiff.measures import Measure
from clusterdiff.meet.cell_table import LabelPlaces
from clusterdiff.meet.deleted import Deleted, known
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array, IntArray

#: A unit with more than this share of the points falls into its true clusters, if it has several.
LARGE = 1 / 15
#: More rows than this are not gone through to delete single true clusters of weighted points.
MOST_ROWS = 200_000_000
#: So many true clusters times cells at most, and a measure without terms is recomputed without each true cluster.
ANEW = 5_000_000


class Deletion:
    """A measure of one comparison without some of its *parts*, or without single true clusters.

    Parts are the components, or the documents. ``names`` tells what two systems have in common: true clusters, or
    documents; ``part`` is the part that each is in. Some parts have no name: predicted clusters of spurious points.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> found = Deletion(cd.compare([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 2, 2]).meet, cd.measures["rand"], "component")
    >>> found.part.tolist(), found.without_true(np.arange(3)).round(4).tolist()
    ([0, 0, 1], [0.8333, 1.0, 0.5])
    """

    def __init__(self, meet: Meet, measure: Measure, unit: Unit, names: AnyArray | None = None) -> None:
        self.meet, self.measure, self.unit = meet, measure, unit
        units = units_of(meet, unit)
        self.found: Statistic = statistic(meet, measure, units)
        self.value = float(measure(meet))
        self.parts = units.count
        self.mass: FloatArray = np.asarray(units.mass(meet), dtype=np.float64)
        self.part: IntArray = np.arange(units.count) if unit == "document" else units.of_true
        self.names: AnyArray = np.arange(len(self.part)) if names is None else names
        self._alone = np.full(meet.k_true, np.nan)

    @cached_property
    def pairs(self) -> FloatArray:
        """Twice the pairs of points that the truth puts together, by part."""
        a = self.meet.true_mass.astype(np.float64)
        ties = a * a if self.meet.weighted else a * (a - 1)
        of_true = units_of(self.meet, self.unit).of_true
        return np.asarray(_core.group_sum(of_true, self.parts, ties), dtype=np.float64)

    @cached_property
    def largest(self) -> FloatArray:
        """The mass of the largest predicted cluster of each part, as a share of all."""
        largest: FloatArray = np.zeros(self.parts)
        np.maximum.at(largest, Components(self.meet).of_pred, self.meet.pred_mass)
        largest /= self.mass.sum()
        return largest

    @property
    def separable(self) -> bool:
        """Whether the measure is known without single true clusters: by its terms, or recomputed for each."""
        few = self.meet.k_true * len(self.meet) <= ANEW and "margins" in self.meet.known
        return self._by_terms or few

    @property
    def _by_terms(self) -> bool:
        terms = self.found.terms
        if not terms or not all(known(name) for column in terms for name in column):
            return False
        return not self.meet.weighted or self._deleted(np.arange(self.meet.k_true)).cost <= MOST_ROWS

    def _deleted(self, wanted: IntArray) -> Deleted:
        return Deleted(Rows.of(self.meet, beta_of(self.measure)), wanted)

    def without(self, group: IntArray, count: int) -> FloatArray:
        """The measure without each of ``count`` groups of parts; -1: the part is in none."""
        return self.found.without(group, count)

    def without_true(self, wanted: IntArray) -> FloatArray:
        """The measure without each of some true clusters; kept for when they are wanted again."""
        new = wanted[np.isnan(self._alone[wanted])]
        if len(new):
            self._alone[new] = self._computed(new) if self._by_terms else self._anew(new)
        return self._alone[wanted]

    def _computed(self, wanted: IntArray) -> FloatArray:
        terms = self.found.terms
        changes = self._deleted(wanted).changes([name for column in terms for name in column])
        ends = np.cumsum([len(column) for column in terms])
        left = [
            rounded(column.sum() + changes[:, end - len(term) : end].sum(axis=1), np.abs(column).sum())
            for column, term, end in zip(self.found.columns, terms, ends, strict=True)
        ]
        return self.found.finish(np.column_stack(left))

    def _anew(self, wanted: IntArray) -> FloatArray:
        """From the meet of the others, one true cluster after the other."""
        every = np.arange(self.meet.k_true)
        left = (self.meet.restrict(np.delete(every, true)) for true in wanted.tolist())
        return np.array([self.measure(meet) for meet in left])


@dataclass(frozen=True)
class Design:
    """The units of one system, or of two on the same truth: what is left out one at a time.

    ``group`` has for each system the unit of each of its parts, -1 where that fell apart; ``single`` the true clusters
    that stand alone, by system, and their units. ``mass`` and ``pairs`` weigh the units. ``broken`` counts units that
    fell apart, and ``giant`` is the share of the largest predicted cluster in one of them, if it is large.
    """

    count: int
    unit: Unit
    group: tuple[IntArray, ...]
    single: tuple[tuple[IntArray, IntArray], ...]
    mass: FloatArray
    pairs: FloatArray
    broken: int
    giant: float

    @classmethod
    def of(cls, systems: Sequence[Deletion]) -> Design:
        """The units of some systems; they do not depend on the order of these."""
        places, count = _laid([system.names for system in systems])
        unit = _joined(systems, places, count)
        tied = int(unit.max(initial=-1)) + 1
        # Parts without a name, which are spurious points alone, are a system's own units.
        group, own = [], tied
        for system, place in zip(systems, places, strict=True):
            of_part = np.full(system.parts, -1)
            of_part[system.part] = unit[place]
            nameless = np.flatnonzero(of_part < 0)
            of_part[nameless] = own + np.arange(len(nameless))
            own += len(nameless)
            group.append(of_part)
        each = [_core.group_sum(of, own, s.mass) for of, s in zip(group, systems, strict=True)]
        mass: FloatArray = np.sum(each, axis=0)
        members = np.bincount(unit, minlength=own)
        large = (mass > LARGE * mass.sum()) & (members > 1)
        if systems[0].unit == "document":
            large[:] = False
        return cls._broken(systems, places, unit, group, large)

    @classmethod
    def _broken(
        cls,
        systems: Sequence[Deletion],
        places: list[IntArray],
        unit: IntArray,
        group: list[IntArray],
        large: Any,
    ) -> Design:
        """With large units fallen apart."""
        kept = np.cumsum(~large) - 1
        whole = int((~large).sum())
        apart = np.flatnonzero(large[unit])
        of_name = np.full(len(unit), -1)
        of_name[apart] = whole + np.arange(len(apart))
        count = whole + len(apart)
        mass, pairs = np.zeros(count), np.zeros(count)
        single, giant, groups = [], 0.0, []
        for system, place, of in zip(systems, places, group, strict=True):
            now = np.where(large[of], -1, kept[of])
            some = now >= 0
            groups.append(now)
            clusters = np.flatnonzero(of_name[place] >= 0) if len(apart) else np.empty(0, dtype=np.int64)
            single.append((clusters, of_name[place[clusters]]))
            mass += _core.group_sum(now[some], count, system.mass[some])
            pairs += _core.group_sum(now[some], count, system.pairs[some])
            if len(clusters):
                a = system.meet.true_mass[clusters].astype(np.float64)
                mass[single[-1][1]] += a
                pairs[single[-1][1]] += a * a if system.meet.weighted else a * (a - 1)
                giant = max(giant, float(system.largest[~some].max()))
        return cls(
            count, systems[0].unit, tuple(groups), tuple(single), mass, pairs, int(large.sum()),
            giant if giant > LARGE else 0.0,
        )  # fmt: skip

    def worth(self, measure: Measure) -> float:
        """How many equally heavy units would tell as much: by points, or by pairs for measures that count pairs."""
        weight = self.pairs if measure.family == "pairs" else self.mass
        squares = float(np.sum(weight**2))
        return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0

    def values(self, place: int, system: Deletion) -> FloatArray:
        """The measure of a system without each unit."""
        out = system.without(self.group[place], self.count)
        clusters, unit = self.single[place]
        if len(clusters):
            out[unit] = system.without_true(clusters)
        return out

    def sums(self, place: int, system: Deletion) -> Statistic:
        """The sums of a system by unit, where none fell apart."""
        return system.found.grouped(self.group[place], self.count)


def _laid(names: Sequence[AnyArray]) -> tuple[list[IntArray], int]:
    """The place of each name in the list of all names, and how many those are."""
    first, *others = names
    if all(first is other or np.array_equal(first, other) for other in others):
        return [np.arange(len(first))] * len(names), len(first)
    places: dict[Any, int] = {}
    laid: list[IntArray] = [
        np.array([places.setdefault(name, len(places)) for name in each.tolist()], dtype=np.int64)
        for each in names
    ]
    return laid, len(places)


def _joined(systems: Sequence[Deletion], places: list[IntArray], count: int) -> Int64Array:
    """The unit of each name: names that some system has in one part are in one unit."""
    labels = []
    for system, place in zip(systems, places, strict=True):
        label = system.parts + np.arange(count)  # what a system lacks, it ties to nothing
        label[place] = system.part
        labels.append(label)
    unit: IntArray = labels[0]
    for label in labels[1:] if count else ():  # a truth without points has no names
        cells = _core.meet(unit, label)
        unit = Components(Meet(cells)).of_cell[LabelPlaces(cells, unit, label)()]
    return np.unique(unit, return_inverse=True)[1].astype(np.int64)
