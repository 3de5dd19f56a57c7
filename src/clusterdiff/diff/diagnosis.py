"""Diagnosis: the patterns of a comparison, found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.attributes import given_columns
from clusterdiff.diff.groups import Correction, groups
from clusterdiff.diff.hits import who
from clusterdiff.diff.loss import ROUNDING, Loss
from clusterdiff.diff.paths import shared_out
from clusterdiff.diff.patterns import Group, Hit, Patterns
from clusterdiff.diff.shapes import Shapes, shapes_of
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, MeasureError, nearest
from clusterdiff.files import STAGE
from clusterdiff.measures import Measure, resolve
from clusterdiff.wording import Nouns

#: Comparisons of so many points, or so few and small damaged components among many clusters, are described one by one.
TINY, DAMAGED = 200, 10
#: Up to so many clusters are few: they are shown as confusions.
FEW = 100


class Extent(NamedTuple):
    """How large a comparison is: its points and clusters, and its components that are the same on both sides.

    ``share`` is what the meet at hand has of the mass of all points: less than 1 if only what differs is in memory.
    """

    points: int
    true: int
    pred: int
    same: int
    share: float = 1.0


class Told(NamedTuple):
    """Another measure than S_H that patterns are shown in, and what it lost."""

    measure: Measure
    loss: Loss


def diagnose(
    analysis: Analysis,
    source: PointSource,
    columns: Sequence[str] | None,
    attributes: object,
    sides: tuple[str, str],
    extent: Extent | None = None,
    told: Told | None = None,
) -> Patterns:
    """What goes wrong; see :meth:`Comparison.patterns`. ``extent`` is the whole's, if the meet is a part of it."""
    meet, kinds = analysis.meet, analysis.kinds
    extent = extent or Extent(meet.n, meet.k_true, meet.k_pred, kinds["same"])
    damaged = sum(kinds.values()) - kinds["same"]
    STAGE.debug("looking for patterns")
    measure, score = resolve("S_H"), analysis.score
    if told is not None:
        measure, score = told.measure, float(told.measure(meet))
        analysis = shared_out(measure, analysis, told.loss)
    shapes = analysis.once(shapes_of)
    given = _columns(source, columns, attributes)
    regime = regime_of(extent, _small(analysis, damaged), source.nouns, sides)
    hits, fixed = None, []
    if source.known:
        hits = who(shapes, shapes.blame.points(source), given, source.weights) if given else None
        if regime != "releases":
            rows = [] if hits is None else hits.rows
            fixed = _fixed(shapes, source, (measure, score), rows, regime == "few")
    share = extent.share
    return Patterns(
        regime,
        score if told else 1 - (1 - score) * share,
        analysis.loss.total * share,
        damaged,
        extent.same + damaged,
        [replace(row, loss=Loss(*(part * share for part in row.loss))) for row in shapes.rows],
        shapes.confusions if are_few(extent) else [],
        hits,
        fixed
        if told
        else [
            replace(group, gain=group.gain * share, score=1 - (1 - group.score) * share) for group in fixed
        ],
        measure.name,
        sides,
        source.nouns,
    )


def _fixed(
    shapes: Shapes,
    source: PointSource,
    scored: tuple[Measure, float],
    rows: list[Hit],
    few: bool,
) -> list[Group]:
    """What to fix first; nothing if nothing was lost, or if the measure has no value on the way."""
    if not shapes.analysis.loss.total > ROUNDING:
        return []
    try:
        return groups(Correction(shapes, source, *scored, rules=bool(rows)), rows, confusions=few)
    except MeasureError:
        return []


def are_few(extent: Extent) -> bool:
    """Whether the clusters are few, so that confusions are shown."""
    return max(extent.true, extent.pred) <= FEW


def _small(analysis: Analysis, damaged: int) -> bool:
    """Whether the damaged components are few, of few clusters together."""
    join = analysis.join
    if damaged > DAMAGED:
        return False
    hurt = join.kind != join.kinds.index("same")
    return are_small(damaged, int(join.true_count[hurt].sum() + join.pred_count[hurt].sum()))


def are_small(damaged: int, clusters: int) -> bool:
    """Whether so many damaged components, of so many clusters on both sides, are described one by one."""
    return damaged <= DAMAGED and clusters <= 2 * FEW


def regime_of(extent: Extent, small: bool, nouns: Nouns, sides: tuple[str, str]) -> str:
    """Which question comes first."""
    if nouns.point == "mention":
        return "mentions"
    if sides == ("old", "new"):
        return "releases"
    if extent.points <= TINY or (small and extent.true > FEW):
        return "tiny"
    return "few" if are_few(extent) else "many"


def _columns(
    source: PointSource, wanted: Sequence[str] | None, attributes: object
) -> Mapping[str, Callable[[], Any]]:
    """How to read the columns that predicates are made of: those of the tables, and those given."""
    given = (
        {}
        if attributes is None
        else {str(key): column for key, column in given_columns(attributes, source).items()}
    )
    known = list(dict.fromkeys([*given, *source.columns]))
    chosen = known if wanted is None else list(wanted)
    for column in chosen:
        if column not in known:
            raise ArgumentError.must(
                "columns",
                "name columns of the tables or of `attributes`",
                got=repr(column),
                hint=nearest(column, known) or "pass the column itself in `attributes`.",
            )
    return {
        column: partial(given.__getitem__ if column in given else source.column, column) for column in chosen
    }
