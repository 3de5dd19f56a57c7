"""Diagnosis: the patterns of a comparison, found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.attributes import given_columns
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.groups import groups
from clusterdiff.diff.hits import who
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


def diagnose(
    analysis: Analysis,
    source: PointSource,
    columns: Sequence[str] | None,
    attributes: object,
    sides: tuple[str, str],
) -> Patterns:
    """What goes wrong; see :meth:`Comparison.patterns`."""
    STAGE.debug("looking for patterns")
    shapes = Shapes(Blame(analysis))
    given = _columns(source, columns, attributes)
    regime = _regime(analysis, source.nouns, sides)
    hits, fixed = None, []
    if source.known:
        points = shapes.blame.points(source)
        hits = who(shapes, points, given) if given else None
        if regime != "releases":
            rows = [] if hits is None else hits.rows
            fixed = groups(shapes, source, points, rows, confusions=regime == "few")
    kinds = analysis.kinds
    return Patterns(
        regime,
        analysis.score,
        analysis.loss.total,
        sum(kinds.values()) - kinds["same"],
        sum(kinds.values()),
        shapes.rows,
        shapes.confusions if _few(analysis) else [],
        hits,
        fixed,
        sides,
        source.nouns,
    )


def _few(analysis: Analysis) -> bool:
    return max(analysis.meet.k_true, analysis.meet.k_pred) <= FEW


def _regime(analysis: Analysis, nouns: Nouns, sides: tuple[str, str]) -> str:
    """Which question comes first."""
    kinds = analysis.kinds
    damaged = sum(kinds.values()) - kinds["same"]
    if nouns.point == "mention":
        return "mentions"
    if sides == ("old", "new"):
        return "releases"
    if analysis.meet.n <= TINY or (damaged <= DAMAGED and analysis.meet.k_true > FEW):
        return "tiny"
    return "few" if _few(analysis) else "many"


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
