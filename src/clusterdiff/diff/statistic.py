"""A measure as a function of sums over units, so that it can be had for any choice of units."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from clusterdiff.diff.resampled import SUMS, Noted, Resampled
from clusterdiff.diff.shares import shares
from clusterdiff.diff.units import UNITS, Units
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure
from clusterdiff.measures.splitmerge import cell_scores
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray

#: The cells of a comparison in which nothing is special: what a measure reads there, it may read anywhere.
ORDINARY = ([0, 0, 1, 1, 2], [0, 1, 1, 2, 2], [5, 2, 4, 1, 3])


@dataclass(frozen=True)
class Statistic:
    """A measure over units: columns of sums, with an entry per unit, and ``finish``, which makes values from rows."""

    columns: tuple[FloatArray, ...]
    finish: Callable[[FloatArray], FloatArray]

    @property
    def sums(self) -> FloatArray:
        """The sums with a row per unit."""
        return np.column_stack(self.columns)


def statistic(meet: Meet, measure: Measure, units: Units) -> Statistic:
    """A measure as a function of sums over units, or an error that says why it is none."""
    scores = cell_scores(measure, meet)
    if scores is not None:
        return Statistic((units.sums(meet.mass * scores), units.mass(meet)), kept_share)
    if (meet.uneven or measure.reads == "overlap") and not meet.weighted:
        coreference = shares(meet.overlap, measure, units)
        if coreference is not None:
            return Statistic(*coreference)
    names = sums_read(meet, measure)
    if names is None:
        raise MeasureError(
            f"{measure.name} is not a function of sums over {UNITS[units.kind]}s, and only such sums are drawn again.",
            Message(
                "S_H and all of S* and S' are; without lost points also ari, vi and whatever reads sums; by document "
                "also muc, b3, ceaf_e, lea and conll. `rank()` needs no such sums with `resamples=0`."
            ),
        )
    return Statistic(
        tuple(units.sums(SUMS[name](meet)) for name in names),
        OfSums(measure, names, scale_of(meet)),
    )


def sums_read(meet: Meet, measure: Measure) -> tuple[str, ...] | None:
    """The names of the sums that a measure reads, by what it reads here and in an ordinary comparison.

    None if sums are not all that it reads.
    """
    noted = Noted(meet), Noted(Meet.from_cells(*ORDINARY))
    scale = scale_of(meet)
    if meet.uneven or measure.lacks(Resampled(noted[0], scale)) is not None:
        return None
    measure(Resampled(noted[0], scale))
    measure(Resampled(noted[1], None))
    return tuple(sorted(noted[0].keys() | noted[1].keys()))


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
    """A measure of rows of sums, whose names are given."""

    measure: Measure
    names: tuple[str, ...]
    scale: int | None

    def __call__(self, rows: FloatArray) -> FloatArray:
        """The measure's value for each row."""
        measure, names, scale = self.measure, self.names, self.scale
        return np.array(
            [measure(Resampled(dict(zip(names, row, strict=True)), scale)) for row in rows.tolist()]
        )
