"""The points of a comparison whose tables are in an engine: fetched when asked for, in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import CellNumbers
from clusterdiff.diff.source import PointSource, check_in_both
from clusterdiff.errors import ArgumentError
from clusterdiff.meet.meet import Meet
from clusterdiff.points.alignment import Alignment, Order
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import Int64Array, Labels
from clusterdiff.tables.engines.loading import Locator, nameless, original_meet
from clusterdiff.tables.engines.native import Engine, asked, plain
from clusterdiff.tables.engines.points import Points as Rows


class Brought(PointSource):
    """Points that were brought from their tables, with those of the other columns that have been read."""

    def __init__(
        self, meet: Meet, aligned: Alignment | None, weights: Any, engine: str, original: Meet | None = None
    ) -> None:
        self.meet = meet
        self.original_meet = meet if original is None else original
        self.weights = weights
        self.engine = engine
        self.aligned = aligned
        self.read: dict[str, list[Any]] = {}

    @property
    def known(self) -> bool:
        """Whether the points can be distinguished."""
        return self.aligned is not None

    @property
    def _known(self) -> Alignment:
        if self.aligned is None:
            raise nameless(self.engine)
        return self.aligned

    @property
    def true(self) -> Clustering:
        """The true clustering of the points."""
        return self._known.clustering("true")

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points."""
        return self._known.clustering("pred")

    @cached_property
    def names(self) -> Points:
        """What the points are called; their positions if they have no names."""
        return self._known.order.names

    @property
    def original_names(self) -> Points | None:
        """What the points of the original meet are called, unless the tables have points that were left out."""
        return self.names if self.known and self.original_meet is self.meet else None

    @property
    def whole(self) -> PointSource:
        """These, if no points were left out: the tables are elsewhere."""
        if self.original_meet is not self.meet:
            raise ArgumentError(
                f"unmatched points were not fetched from {self.engine} as they are.",
                "ask for it before the comparison leaves its tables.",
            )
        return self

    def original_labels(self) -> tuple[Labels, Labels, Points]:
        """Both sides, if no points were left out."""
        self.whole  # noqa: B018
        return self._known.true, self._known.pred, self._known.order.names

    def both_columns(self, name: str) -> tuple[list[Any], list[Any]]:
        """The tables are elsewhere."""
        raise ArgumentError.about(
            "column",
            f"{name!r} was not brought from {self.engine} with the points.",
            "pass two dicts from point to value: before and after.",
        )

    def points(self, cells: CellNumbers, limit: int | None = None) -> list[Any]:
        """The points of some cells by name, in the order of the points; the first ``limit`` of them."""
        self._known  # noqa: B018
        return super().points(cells, limit)

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns that were read."""
        return tuple(self.read)

    def column(self, name: str) -> Sequence[Any]:
        """One of those columns: a value for each point."""
        return self.read[name]

    def describe(self, values: object, argument: str) -> Any:
        """A value for each point from a dict by point, or from a column in the order of `true`; None if unknown."""
        order = self._known.order
        if not order.known and not isinstance(values, Mapping):
            raise ArgumentError.about(
                argument,
                "must be a dict from point to value or the name of a column, since rows have no "
                f"order in {self.engine}.",
            )
        return order.describe(values, argument)


class EngineSource(PointSource):
    """Points that stay in their tables until somebody asks for them, with their other columns."""

    def __init__(self, meet: Meet, locator: Locator) -> None:
        self.meet = meet
        self._locator = locator

    @property
    def engine(self) -> Engine:
        """Where the points are."""
        return self._locator.engine

    @property
    def known(self) -> bool:
        """Whether the points can be distinguished."""
        return self._locator.cells.points.placed

    def __reduce__(self) -> tuple[Any, ...]:
        return _same, (self.brought,)  # what is known of the points goes anywhere; their tables stay

    def least(self, cells: CellNumbers) -> Int64Array:
        """For some cells, numbers in the order of their least points, if the points have been brought here."""
        return super().least(cells) if "brought" in self.__dict__ else cells.astype(np.int64)

    @property
    def original_names(self) -> Points | None:
        """What the points of the original meet are called, unless the tables have points that were left out."""
        return self.names if self.known and self.original_meet is self.meet else None

    @asked
    def brought(self) -> Brought:
        """The points in memory."""
        locator = self._locator
        points = locator.cells.points
        if not points.placed:
            weights = locator.located.weights if points.weighted and locator.can else None
            return Brought(self.meet, None, weights, points.engine.name)
        found = locator.located
        aligned = Alignment(
            Labels(found.true, locator.true.names),
            Labels(found.pred, locator.pred.names),
            order_of(points, found.points),
            points.named,
            locator.cells.policy,
        )
        return Brought(self.meet, aligned, found.weights, points.engine.name, self.original_meet)

    @asked
    def original_meet(self) -> Meet:
        """The meet of both tables with the points that one of them lacks, whatever the policy made of those."""
        cells = self._locator.cells
        return self.meet if cells.original is None else original_meet(cells)

    @property
    def weights(self) -> Any:  # type: ignore[override]
        """How much each point counts, if points have weights."""
        return self.brought.weights

    @property
    def true(self) -> Clustering:
        """The true clustering of the points."""
        return self.brought.true

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points."""
        return self.brought.pred

    @cached_property
    def names(self) -> Points:
        """What the points are called; their positions if they have no names."""
        return self.brought.names

    def points(self, cells: CellNumbers, limit: int | None = None) -> list[Any]:
        """The points of some cells by name, in the order of the points; the first ``limit`` of them."""
        if limit is None and self.known and "brought" not in self.__dict__:
            return self._locator.points_of(cells)
        return self.brought.points(cells, limit)

    def recall(self, cells: CellNumbers) -> None:
        """Nothing: names that have been brought are here."""

    def points_of_each(self, cells: CellNumbers, limit: int | None = None) -> list[list[Any]]:
        """The points of each of many cells, by name; with a ``limit``, none if that would fetch too many others."""
        if "brought" in self.__dict__ or limit is None:
            return self.brought.points_of_each(cells, limit)
        if not self._locator.near(cells):
            return [[] for _ in cells]
        return self._locator.points_of_each(cells, limit)

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns of the tables."""
        return self._locator.cells.points.others.names if self._locator.can else ()

    def column(self, name: str) -> Sequence[Any]:
        """One of those columns: a value for each point, from the table of true clusters or else from the other."""
        read, points = self.brought.read, self._locator.numbered.points
        if name not in read:
            value = points.values_of(name, self._locator.cells.policy.keeps_spurious)
            read[name] = [value.get(point) for point in self._locator.located.points]
        return read[name]

    @asked
    def whole(self) -> PointSource:
        """The same points and those that were left out or stand alone, all brought here."""
        from clusterdiff.tables.engines.lost import compare_lost

        cells = self._locator.numbered
        if not self.known or cells.original is None:
            return self.brought
        return compare_lost(cells.points, replace(cells.policy, missing="lost")).source

    def original_labels(self) -> tuple[Labels, Labels, Points]:
        """Both sides as they were given, over the points that either has, and what these are called."""
        return self.brought.original_labels() if self.whole is self.brought else self.whole.original_labels()

    def both_columns(self, name: str) -> tuple[list[Any], list[Any]]:
        """A column of both tables: the values of `true` and of `pred` for each point compared."""
        before, after = both_values(self._locator.numbered.points, name)
        names = self._locator.located.points
        return [before.get(point) for point in names], [after.get(point) for point in names]

    def describe(self, values: object, argument: str) -> Any:
        """A value for each point from a dict by point, or from a column in the order of `true`; None if unknown."""
        return self.brought.describe(values, argument)


def both_values(points: Rows, name: str) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """A column of both tables by point: its values in that of true clusters, and in the other."""
    pred = points.others.pred
    check_in_both(name, points.others.own, () if pred is None else pred.own)
    theirs, mine = (
        dict(zip(points.called(called), values, strict=True))
        for called, values in points.others.read(points.engine, name, True)
    )
    return mine, theirs


def order_of(points: Rows, names: list[Any]) -> Order:
    """The order of points in the table of true clusters, if rows have one."""
    side = points.sides[0]
    if not points.engine.ordered:
        return Order(names, len(names), known=False)
    with points.engine.running():
        given = points.called(plain(points.engine.fetch(side.frame.select(side.key))[side.key]))
    place = {point: row for row, point in enumerate(given)}
    rows = np.fromiter((place.get(point, -1) for point in names), np.int64, len(names))
    return Order(names, len(given), rows)


def _same(brought: Brought) -> Brought:
    return brought
