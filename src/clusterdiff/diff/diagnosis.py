"""Diagnosis: the patterns of a comparison, found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.attributes import given_columns
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.groups import groups
from clusterdiff.diff.hits import who
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.shapes import Shapes
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.files import STAGE
from clusterdiff.wording import Nouns

#: Comparisons of so many points, or so few damaged components among many clusters, are told component by component.
TINY, DAMAGED = 200, 10
#: Up to so many clusters are few: they are told as confusions.
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


def diagnose(
    analysis: Analysis,
    source: PointSource,
    columns: Sequence[str] | None,
    attributes: object,
    sides: tuple[str, str],
    extent: Extent | None = None,
) -> Patterns:
    """What goes wrong; see :meth:`Comparison.patterns`. ``extent`` is the whole's, if the meet is a part of it."""
    meet, kinds = analysis.meet, analysis.kinds
    extent = extent or Extent(meet.n, meet.k_true, meet.k_pred, kinds["same"])
    damaged = sum(kinds.values()) - kinds["same"]
    STAGE.debug("looking for patterns")
    shapes = Shapes(Blame(analysis))
    given = _columns(source, columns, attributes)
    regime = _regime(extent, damaged, source.nouns, sides)
    hits, fixed = None, []
    if source.known:
        points = shapes.blame.points(source)
        hits = who(shapes, points, given) if given else None
        if regime != "releases":
            rows = [] if hits is None else hits.rows
            fixed = groups(shapes, source, points, rows, confusions=regime == "few")
    share = extent.share
    return Patterns(
        regime,
        1 - (1 - analysis.score) * share,
        analysis.loss.total * share,
        damaged,
        extent.same + damaged,
        [replace(row, loss=Loss(*(part * share for part in row.loss))) for row in shapes.rows],
        shapes.confusions if _few(extent) else [],
        hits,
        [replace(group, gain=group.gain * share, score=1 - (1 - group.score) * share) for group in fixed],
        sides,
        source.nouns,
    )


def _few(extent: Extent) -> bool:
    return max(extent.true, extent.pred) <= FEW


def _regime(extent: Extent, damaged: int, nouns: Nouns, sides: tuple[str, str]) -> str:
    """Which question comes first."""
    if nouns.point == "mention":
        return "mentions"
    if sides == ("old", "new"):
        return "releases"
    if extent.points <= TINY or (damaged <= DAMAGED and extent.true > FEW):
        return "tiny"
    return "few" if _few(extent) else "many"


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
