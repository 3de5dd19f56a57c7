"""A measure as a function of sums over units, so that it is known for any choice of units."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.resampling import kinds_of
from clusterdiff.diff.unit_sums import Frozen, Noted, Selection, UnitSums, selection_of
from clusterdiff.diff.units import UNITS, Units
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure
from clusterdiff.measures.coreference import BY_LINKS
from clusterdiff.measures.splitmerge import cell_scores, scoring
from clusterdiff.measures.subcomponents import mean, product
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.terms import SCORES
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, IntArray

#: What is left of a sum without some units is rounding, if it is less than this share of what there was.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Statistic:
    """A measure over units: columns of sums, with an entry per unit, and ``finish``, which makes values from rows.

    Any choice of units has a value: add up their rows of ``sums`` and ``finish`` them. The units may be anything that
    every cell and every lost point is in: see :class:`clusterdiff.diff.units.Units`. ``terms`` names the terms that
    each column is the sum of; it is empty where columns are made of more.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> from clusterdiff.diff.units import units_of
    >>> meet = cd.compare([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 3, 3]).meet
    >>> found = statistic(meet, cd.measures["b3.recall"], units_of(meet, "component"))
    >>> found.without_each().tolist()  # without the first, the second and the third component
    [0.75, 1.0, 0.75]
    """

    columns: tuple[FloatArray, ...]
    finish: Callable[[FloatArray], FloatArray]
    terms: tuple[tuple[str, ...], ...] = ()

    @property
    def total(self) -> FloatArray:
        """The sums of all units."""
        return np.array([column.sum() for column in self.columns])

    @property
    def sums(self) -> FloatArray:
        """The sums with a row per unit."""
        return np.column_stack(self.columns)

    def without_each(self) -> FloatArray:
        """The measure without each unit, for all units at once: the values of a delete-one jackknife."""
        return self.without(np.arange(len(self.columns[0])), len(self.columns[0]))

    def without(self, group: IntArray, count: int) -> FloatArray:
        """The measure without each of ``count`` groups of units, for all groups at once; -1: the unit is in none."""
        some = group >= 0
        left = []
        for column in self.columns:
            out = np.asarray(_core.group_sum(group[some], count, column[some]), dtype=np.float64)
            left.append(rounded(column.sum() - out, np.abs(column).sum()))
        return self.finish(np.column_stack(left))

    def grouped(self, group: IntArray, count: int) -> Statistic:
        """The same over ``count`` groups of units."""
        columns = (_core.group_sum(group, count, column) for column in self.columns)
        return Statistic(
            tuple(np.asarray(column, dtype=np.float64) for column in columns), self.finish, self.terms
        )


def rounded(left: FloatArray, whole: FloatArray | float) -> FloatArray:
    """What is left of sums, where the last bits of the whole are no more than rounding."""
    return np.where(np.abs(left) < ROUNDING * whole, 0.0, left)


def statistic(meet: Meet, measure: Measure, units: Units) -> Statistic:
    """A measure as a function of sums over units, or an error that says why it is none."""
    scores = cell_scores(measure, meet)
    if scores is not None:
        return Statistic(
            (units.sums(meet.mass * scores), units.mass(meet)), kept_share, terms_of_scores(measure)
        )
    names = sums_read(meet, measure, frozen=True)
    if names is None or (units.kind == "true" and measure.reads == "overlap"):
        raise MeasureError(
            f"{measure.name} is not a function of sums over {UNITS[units.kind]}s, and only such sums can be computed "
            "without some of them.",
            Message(
                "`clusterdiff measures --where` lists the measures that are. `rank()` needs no such sums with "
                "`resamples=0`."
            ),
        )
    sums = UnitSums(meet, beta_of(measure))
    columns = tuple(sums.column(name, units) for name in names)
    return Statistic(columns, OfSums.of(measure, names, meet), tuple((name,) for name in names))


def terms_of_scores(measure: Measure) -> tuple[tuple[str, ...], ...]:
    """The terms of the mean of σ(s, t) over the points, and of the mass; none if s or σ is somebody's own."""
    found = scoring(measure)
    labels: dict[Any, str] = {product: "product", mean: "mean"}
    label = labels.get(found[1]) if found else None
    if found is None or label is None or found[0].name not in SCORES:
        return ()
    s = found[0].name
    return (f"{label}_{s}", f"{label}_perfect_{s}"), ("total",)


def beta_of(measure: Measure) -> float:
    """The β of its F."""
    return float(measure.parameters.get("beta", 1.0))


def sums_read(meet: Meet, measure: Measure, frozen: bool = False) -> tuple[str, ...] | None:
    """The names of the sums that a measure reads, by what it reads here and in an ordinary comparison.

    None if sums are not all that it reads. ``frozen``: beside sums it may read the chance level of the whole meet.
    """
    noted = Noted(UnitSums(meet, beta_of(measure)))
    here = _selection(frozen, measure, noted, meet, meet)
    divided = (
        meet.overlap.true_group is not None and measure.function in BY_LINKS
    )  # links between documents are none
    if divided or measure.lacks(here) is not None:
        return None
    measure(here)
    for other in selection_of(meet).ordinary():
        known = Noted(UnitSums(other, beta_of(measure)))
        measure(_selection(frozen, measure, known, other, meet))
        noted.update(known)
    return tuple(sorted(noted))


def _selection(
    frozen: bool, measure: Measure, known: Mapping[str, float], of: Meet, whole: Meet
) -> Selection:
    """What a measure of some units of a meet reads."""
    if frozen and measure.reads == "margins" and "margins" in of.known:
        return Frozen(known, of)
    return selection_of(of)(known, scale_of(whole))


def scale_of(meet: Meet) -> int | None:
    """The power of two that weights are measured in; None if there are none."""
    return meet.scale if meet.weighted else None


def kept_share(rows: FloatArray) -> FloatArray:
    """What is kept, as a share of the mass; 1 where nothing has any."""
    out = np.ones(len(rows))
    np.divide(rows[:, 0], rows[:, 1], out=out, where=rows[:, 1] > 0)
    return out


@dataclass(frozen=True)
class OfSums:
    """A measure of rows of sums, whose names are given; ``meet`` has the chance level of those that subtract one."""

    measure: Measure
    names: tuple[str, ...]
    scale: int | None
    kind: type[Selection] = Selection
    meet: Meet | None = None

    @classmethod
    def of(cls, measure: Measure, names: tuple[str, ...], meet: Meet) -> OfSums:
        """The measure of sums over units of a meet."""
        chance = meet if measure.reads == "margins" else None
        return cls(measure, names, scale_of(meet), selection_of(meet), chance)

    def __call__(self, rows: FloatArray) -> FloatArray:
        """The measure's value for each row; equal rows are computed once."""
        same, first, _ = kinds_of(rows)
        named = (dict(zip(self.names, row, strict=True)) for row in rows[first].tolist())
        return np.array([self.measure(self._selection(known)) for known in named])[same]

    def _selection(self, known: Mapping[str, float]) -> Selection:
        if self.meet is not None:
            return Frozen(known, self.meet)
        return self.kind(known, self.scale)
