"""The loss of any measure, shared out between splits, merges and lost points.

Splits lead from the true clustering L to the meet M, and merges from there to the predicted one, C. What a measure f
says on the way shares out its loss, on two paths that count alike: the prediction goes from L by M to C while the truth
stays, or the truth goes from C by M to L while the prediction stays:

    split = ½ [f(L,L) − f(L,M) + f(M,C) − f(L,C)]      merge = ½ [f(L,M) − f(L,C) + f(C,C) − f(M,C)]

Of S* these are the Shapley shares of :class:`clusterdiff.diff.loss.CellLoss`, of VI they are its two halves.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite, log, nan
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.components import components
from clusterdiff.diff.loss import CellLoss, Loss
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.chance import s_h_lost
from clusterdiff.measures.elements import element_centric
from clusterdiff.measures.information import vi, vi_merge, vi_split
from clusterdiff.measures.splitmerge import adjusted_s_h, scoring
from clusterdiff.measures.subcomponents import Scored, product
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed, refusal
from clusterdiff.meet.through import Way, shared_of, way_of_cells, way_of_sums
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import Table
from clusterdiff.wording import count

Masses: TypeAlias = npt.NDArray[Any]
#: What a point scores whose cell, true and predicted cluster weigh m, a and b.
Pointwise: TypeAlias = Callable[[Masses, Masses, Masses], FloatArray]

#: What losses can be had by, and the table of each.
Grouping: TypeAlias = Literal["component", "true", "pred", "cell"]
GROUPINGS: dict[Grouping, str] = {
    "component": "components",
    "true": "splits",
    "pred": "merges",
    "cell": "cells",
}


def is_adjusted(measure: Measure) -> bool:
    """Whether it is as_h, which loses what S_H loses, in units of what chance loses."""
    return measure.function is adjusted_s_h


def by_chance(summed: Any) -> float:
    """E[1 − S_H], in units of which as_h tells its loss; 1 where the clusterings are the same."""
    return 1.0 if summed.same else float(summed.once(s_h_lost))


# ---- cell by cell: what adds up over components and clusters


def _information(m: Masses, whole: Masses) -> FloatArray:
    told: FloatArray = -np.log(whole / m)
    return told


#: By the measure's function; what is a distance has its sign changed.
POINTWISE: dict[Callable[..., float], Pointwise] = {
    resolve("b3.recall").function: lambda m, a, b: m / a,
    resolve("b3.precision").function: lambda m, a, b: m / b,
    element_centric: lambda m, a, b: m / np.maximum(a, b),
    vi: lambda m, a, b: _information(m, a) + _information(m, b),
    vi_split: lambda m, a, b: _information(m, a),
    vi_merge: lambda m, a, b: _information(m, b),
}


def cell_loss_of(measure: Measure, meet: Meet) -> CellLoss | None:
    """What each cell lost of a measure, if that is known; None otherwise."""
    scored = scoring(measure)
    if scored is not None and scored[1] is product:
        return CellLoss.of(Scored(meet, scored[0]))
    if is_adjusted(measure):
        measure(meet)  # which refuses weights and lost points
        chance, lost = by_chance(meet), cell_loss_of(resolve("S_H"), meet)
        assert lost is not None
        return CellLoss(meet, lost.cells.each(lambda part: part / chance))
    if meet.uneven:
        return None
    if scored is not None:
        return _of_scores(Scored(meet, scored[0]), scored[1])
    pointwise = POINTWISE.get(measure.function)
    if pointwise is None:
        return None
    base = measure.parameters.get("base")
    return _of_points(meet, pointwise, 1.0 if base is None else log(base))


def _of_scores(scored: Scored, sigma: Callable[[Any, Any], Any]) -> CellLoss:
    """The two paths of a measure that is the mean of σ(s, t): a whole cluster scores 1."""
    s, t = scored.pair
    one = np.ones(len(s))
    best, split, merged, value = (
        np.asarray(sigma(*pair), dtype=np.float64) for pair in ((one, one), (s, one), (one, t), (s, t))
    )
    return _halves(scored.meet, best, split, merged, best, value, 1.0)


def _of_points(meet: Meet, pointwise: Pointwise, unit: float) -> CellLoss:
    m, a, b = (
        x.astype(np.float64) for x in (meet.mass, meet.true_mass[meet.true], meet.pred_mass[meet.pred])
    )
    m = np.where(m > 0, m, np.minimum(a, b))  # what weighs nothing loses nothing, whatever it is
    m, a, b = (np.where(m > 0, x, 1.0) for x in (m, a, b))
    ways = (a, a, a), (m, a, m), (m, m, b), (b, b, b), (m, a, b)
    return _halves(meet, *(pointwise(*way) for way in ways), unit)


def _halves(meet: Meet, *values: Any) -> CellLoss:
    true, true_meet, meet_pred, pred, value, unit = values
    share = meet.mass / meet.total / (2 * unit)
    return CellLoss.of_parts(
        meet,
        share * (true - true_meet + (meet_pred - value)),
        share * (true_meet - value + (pred - meet_pred)),
    )


def adding_up(measure: Measure, meet: Meet) -> Analysis | None:
    """The analysis whose losses are those of a measure, if they are known cell by cell."""
    lost = cell_loss_of(measure, meet)
    return None if lost is None else Analysis(meet, lost)


#: In which proportions the loss of a measure is shared out that is not known cell by cell, by family: wrong pairs,
#: information, and shares of clusters.
PROPORTIONS: dict[str, Pointwise] = {
    "pairs": lambda m, a, b: 2 * m - a - b,
    "information": POINTWISE[vi],
    "elements": lambda m, a, b: m / a + m / b,
}


def shared_out(measure: Measure, analysis: Analysis, loss: Loss) -> Analysis:
    """The analysis with the loss of a measure, cell by cell; it adds up to ``loss`` in each of its parts.

    If it is not known cell by cell, what splits and merges cost is shared out in proportion to wrong pairs (measures of
    pairs), to information, to shares of clusters (B-cubed), or else as the loss of S_H.
    """
    meet = analysis.meet
    known = adding_up(measure, meet)
    if known is not None:
        return known
    like = None if meet.lost else PROPORTIONS.get(measure.family)
    base = analysis.cell_loss if like is None else _of_points(meet, like, 1.0)
    return Analysis(meet, base.shared_as(loss))


def losses_by(measure: Measure, meet: Meet, source: PointSource, by: Grouping) -> Table[Any]:
    """A table with the losses of a measure; see :meth:`Comparison.loss_of`."""
    analysis = adding_up(measure, meet)
    if analysis is None:
        where = f", with {count(meet.lost)} lost" if meet.lost else ""
        raise MeasureError(
            f"the loss of {measure.name} does not divide over components and clusters{where}.",
            [
                Message("leave out `by=` for the total"),
                Message("see `.gains(…)` for the gain of each"),
            ],
        )
    if by == "component":
        return components(analysis, source)
    found: Table[Any] = getattr(analysis, GROUPINGS[by])
    return found


# ---- in all


def loss_of(measure: Measure, summed: Summed, s_h: Callable[[], Loss]) -> Loss:
    """What a measure lost; see :meth:`Comparison.loss_of`. ``s_h`` has what S_H lost."""
    if scoring(measure) == scoring(resolve("S_H")):
        return s_h()
    lost = cell_loss_of(measure, summed) if isinstance(summed, Meet) else None
    if lost is not None:
        return lost.total
    value = measure(summed)
    if is_adjusted(measure):
        return s_h() / by_chance(summed)
    positive: Any = summed.positive if summed.weighted else summed
    if not positive.uneven:
        return _through(measure, positive, value)
    if not isinstance(positive, Meet):
        raise refusal(f"the loss of {measure.name} where points count as lost", "cells", summed)
    return _with_lost(measure, positive, value)


def _through(measure: Measure, summed: Any, value: float) -> Loss:
    """The two paths, of clusterings of the same points, which score ``value``."""
    sign = 1.0 if measure.similarity else -1.0
    way = _way(measure, summed)
    true, true_meet, meet_pred, pred = (sign * _defined(measure, pair) for pair in way)
    value *= sign
    paths = ((true - true_meet, true_meet - value), (meet_pred - value, pred - meet_pred))
    known = [path for path in paths if all(map(isfinite, path))]
    if known:
        return Loss.of(*(sum(parts) / len(known) for parts in zip(*known, strict=True)))
    ends = [end for end in (true, pred) if isfinite(end)]
    return Loss(sum(ends) / len(ends) - value if ends else nan, nan, nan)


def _way(measure: Measure, summed: Summed) -> Way:
    """The pairs of clusterings on the way: by their sums where the measure reads no more than those."""
    if measure.reads == "sums":
        return way_of_sums(summed)
    if isinstance(summed, Meet):
        return way_of_cells(summed)
    raise refusal(f"the loss of {measure.name}", "cells", summed)


def _defined(measure: Measure, pair: Summed) -> float:
    try:
        return float(measure(pair))
    except MeasureError:  # it has no value there, or not in reasonable time
        return nan


def _with_lost(measure: Measure, meet: Any, value: float) -> Loss:
    """Splits and merges of the shared points, and then what lost ones cost on top, in both orders alike."""
    sign = 1.0 if measure.similarity else -1.0
    both = sign * value
    shared = shared_of(meet)
    if shared is None:  # whatever is lost by one kind of points alone is lost already
        shape, shape_score = Loss.of(0.0, 0.0), sign * measure.best
        missing, spurious = (both if len(lost) else shape_score for lost in (meet.missing, meet.spurious))
    else:
        shape_score, missing, spurious = (sign * float(measure(pair)) for pair in shared)
        shape = _through(measure, shared.both, sign * shape_score)
    parts = (shape_score - missing + (spurious - both)) / 2, (shape_score - spurious + (missing - both)) / 2
    return Loss(shape.total + shape_score - both, shape.split, shape.merge, *parts)
