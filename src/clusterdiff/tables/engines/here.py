"""Tables in memory, or that fit there: the core matches their points, and groups them."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.source import ReadColumns
from clusterdiff.points.alignment import Laid, apply_policy, in_order
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.index import names_of
from clusterdiff.points.labels import FloatArray
from clusterdiff.points.matching import laid, laid_numbers, match_names
from clusterdiff.points.policy import Policy
from clusterdiff.points.reading import read_labels
from clusterdiff.tables.engines.loading import numbers
from clusterdiff.tables.engines.native import plain
from clusterdiff.tables.engines.points import Points
from clusterdiff.tables.engines.source import both_values

#: Bytes that a point takes in memory with its name and its clusters.
POINT_BYTES = 100


class PointColumns:
    """The other columns of the tables, by point; ``later``: those that both tables have, as the second has them."""

    def __init__(self, points: Points, later: bool = False) -> None:
        others = points.others
        pred = () if others.pred is None else others.pred.own
        self.names = tuple(name for name in others.own if name in pred) if later else others.names
        self._points, self._later = points, later
        self._read: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return ReadColumns, (self._read,)  # the table stays where it is

    def read(self, name: str) -> Any:
        """One of them: the value of each point, by its name."""
        if name not in self._read:
            points = self._points
            self._read[name] = (
                both_values(points, name)[1] if self._later else points.values_of(name, lacking=True)
            )
        return self._read[name]


def compare_here(points: Points, policy: Policy) -> Comparison:
    """Compare the points of tables that are in memory."""
    engine = points.engine
    with engine.running():
        got = [engine.fetch(side.frame) for side in points.sides]

    def clustering(columns: dict[str, Any], labels: str, key: str, argument: str) -> Clustering:
        names = None
        if key in columns:
            names = names_of(columns[key], points.called) or points.called(plain(columns[key]))
        return Clustering.of(read_labels(columns[labels], argument), names)

    keys = [side.key for side in points.sides]
    left = clustering(got[0], "t", keys[0], points.sides[0].argument)
    right = clustering(got[-1], "p", keys[-1], points.sides[-1].argument)
    if len(keys) == 2:
        names = left.point_names(), right.point_names()
        place, extra = match_names(*names)
        aligned = laid((left.labels, right.labels), names, place, extra, known=engine.ordered)
        columns = {
            x: laid_numbers(_number(got[0], x), _number(got[1], x), place, extra) for x in points.extra
        }
    else:
        named = left.checked(points.sides[0].argument).points if points.named else None
        aligned = in_order(left.labels, right.labels, named)
        columns = {x: numbers(got[0][x]) for x in points.extra}
    data: dict[str, Any] = {"other": PointColumns(points), "later": PointColumns(points, later=True)}
    if points.weighted:
        data["weights"] = Laid(np.ldexp(columns.pop("w"), points.scale))
    if columns:
        data["features"] = Laid(np.column_stack(list(columns.values())))
    return compare_aligned(apply_policy(aligned, policy), **data)


def _number(columns: dict[str, Any], name: str) -> FloatArray | None:
    return numbers(columns[name]) if name in columns else None
