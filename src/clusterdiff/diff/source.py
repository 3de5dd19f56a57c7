"""PointSource: the points of a comparison, wherever they are kept, fetched when asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from clusterdiff import notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import CellNumbers
from clusterdiff.diff.continuation import continued
from clusterdiff.errors import ArgumentError, listed, nearest
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.alignment import Alignment
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import Int64Array, Labels, LazyNames, names_at
from clusterdiff.wording import Nouns, count

NOBODY = np.empty(0, dtype=np.int64)


class OtherColumns(Protocol):
    """The other columns of a table that the points came from: a value for each row of `true`, or a dict by point.

    Those of the table of `pred` have a value for each row of `true`, and then for each row that only `pred` has.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""

    def read(self, name: str) -> Any:
        """One of them, by name."""


class ReadColumns:
    """Those of them that have been read: all that is left of a table that stayed in its engine."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self.names = tuple(columns)
        self._columns = columns

    def read(self, name: str) -> Any:
        """One of them, as it was read."""
        return self._columns[name]


class PointSource:
    """The points compared, in their order: their names, their clusters, their cells and their other columns."""

    #: What people call the points and their clusters.
    nouns = Nouns()

    def __init__(
        self,
        meet: Meet,
        aligned: Alignment,
        weights: npt.NDArray[Any] | None = None,
        other: OtherColumns | None = None,
        later: OtherColumns | None = None,
    ) -> None:
        self.meet = meet
        self.weights = weights
        self._aligned = aligned
        self._other = other
        self._later = later

    def __repr__(self) -> str:
        return f"<PointSource of {count(self.meet.n)}>"

    @property
    def known(self) -> bool:
        """Whether there are points to ask for: a meet may have been made from cells alone."""
        return self.meet.knows_points

    @property
    def true(self) -> Clustering:
        """The true clustering of the points."""
        return self._aligned.clustering("true")

    @property
    def pred(self) -> Clustering:
        """The predicted clustering of the points."""
        return self._aligned.clustering("pred")

    @cached_property
    def names(self) -> Points:
        """What the points are called; their positions if they have no names."""
        return self._aligned.order.names

    @cached_property
    def original_meet(self) -> Meet:
        """The meet of the clusterings as they were given, with the points that one side lacks, whatever the policy.

        Its clusters are the user's own: none was made for a point that one side lacks, or for noise.
        """
        originals = self._aligned.originals
        if originals is None or (self.meet.uneven and not self._aligned.policy.noise.separates):
            return self.meet
        return uneven_of(originals.true, originals.pred)

    @property
    def original_names(self) -> Points | None:
        """What the points of the original meet are called, by position; None if it does not know its points."""
        originals = self._aligned.originals
        return self.names if self.original_meet is self.meet or originals is None else originals.names

    def original_labels(self) -> tuple[Labels, Labels, Points]:
        """Both sides as they were given, over the points that either has, and what these are called."""
        originals = self._aligned.originals
        if originals is None or self.original_meet is self.meet:
            return self._aligned.true, self._aligned.pred, self.names
        return originals.true, originals.pred, originals.names

    @property
    def whole(self) -> PointSource:
        """These points, and those that were left out or stand alone because one side lacks them."""
        return self

    # ---- by cell

    def least(self, cells: CellNumbers) -> Int64Array:
        """For some cells, numbers in the order of their least points; the cells themselves if points are not known."""
        return least_of_cells(self.meet, self.names, cells) if self.known else cells.astype(np.int64)

    def clusters(self, at: Int64Array | None = None) -> tuple[Int64Array, Int64Array]:
        """The codes of the points' true and predicted clusters, -1 for none; of those at some places, ascending."""
        meet = self.meet
        cell = meet.cell_of_point if at is None else meet.cell_of_point[at]
        true, pred = (np.append(codes, -1)[cell].astype(np.int64) for codes in (meet.true, meet.pred))
        for codes, unmatched in ((true, meet.missing), (pred, meet.spurious)):
            if not len(unmatched):
                continue
            assert unmatched.at is not None
            if at is None:
                codes[unmatched.at] = unmatched.cluster
                continue
            place = np.searchsorted(at, unmatched.at)
            here = np.append(at, -1)[place] == unmatched.at
            codes[place[here]] = unmatched.cluster[here]
        return true, pred

    @cached_property
    def continued(self) -> Int64Array:
        """The cells that pair each true cluster with the predicted one that continues it."""
        return continued(self.meet, np.ones(len(self.meet), dtype=bool), self.least)

    def points(self, cells: CellNumbers, limit: int | None = None) -> list[Any]:
        """The points of some cells by name, in the order of the points; the first ``limit`` of them."""
        return self._named([self.meet.members_of(cells)[1]], limit)

    def recall(self, cells: CellNumbers) -> None:
        """Find the points of some cells at once that are asked for cell by cell, and read their names."""
        if self.known:
            members = self.meet.members_of(cells)[1]
            if isinstance(self.names, LazyNames):
                self.names.at(members)

    def lost(self, side: str, clusters: CellNumbers, limit: int | None = None) -> list[Any]:
        """The points of some clusters of a side, given by their codes, that the other side lacks."""
        return self._named([self._lost(side, clusters)], limit)

    def points_of(self, cells: CellNumbers, true: CellNumbers, pred: CellNumbers) -> list[Any]:
        """The points of some cells, and those of some clusters that the other side lacks."""
        members = self.meet.members_of(cells)[1]
        return self._named([members, self._lost("true", true), self._lost("pred", pred)])

    def _lost(self, side: str, clusters: CellNumbers) -> Any:
        unmatched = self.meet.missing if side == "true" else self.meet.spurious
        if not len(unmatched):
            return NOBODY
        assert unmatched.at is not None
        return unmatched.at[np.isin(unmatched.cluster, clusters)]

    def _named(self, found: list[Any], limit: int | None = None) -> list[Any]:
        at = np.sort(np.concatenate(found))
        return names_at(self.names, at[:limit])

    def points_of_each(self, cells: CellNumbers, limit: int | None = None) -> list[list[Any]]:
        """The points of each of many cells, by name; the first ``limit`` of each."""
        indptr, members = self.meet.members_of(cells)
        stop = indptr[1:] if limit is None else np.minimum(indptr[1:], indptr[:-1] + limit)
        wanted = [members[begin:end] for begin, end in zip(indptr[:-1].tolist(), stop.tolist(), strict=True)]
        names = iter(names_at(self.names, np.concatenate([members[:0], *wanted])))
        return [list(islice(names, len(part))) for part in wanted]

    # ---- by column

    @property
    def columns(self) -> tuple[str, ...]:
        """The other columns of the tables that the points came from, those of `true` first."""
        tables = [table for table in (self._other, self._later) if table is not None]
        return tuple(dict.fromkeys(name for table in tables for name in table.names))

    def column(self, name: str) -> Sequence[Any]:
        """One of those columns: a value for each point, of `true`; of `pred` if that lacks the point or the column."""
        if self._other is None or name not in self._other.names:
            return self._of_pred(name)
        values: Sequence[Any] = self.describe(self._other.read(name), name)
        rows = self._aligned.order.rows
        if self._later is None or name not in self._later.names or rows is None or (rows >= 0).all():
            return values
        theirs = self._of_pred(name)
        return [b if row < 0 else a for a, b, row in zip(values, theirs, rows.tolist(), strict=True)]

    def _of_pred(self, name: str) -> list[Any]:
        assert self._later is not None
        values, at = self._later.read(name), self._aligned.order.at
        if isinstance(values, Mapping):
            return [values.get(point) for point in self.names]
        return list(values) if at is None else [values[i] for i in at.tolist()]

    def both_columns(self, name: str) -> tuple[list[Any], list[Any]]:
        """A column of both tables: the values of `true` and of `pred` for each point of the original meet."""
        mine, theirs = self._other, self._later
        check_in_both(name, *(() if table is None else table.names for table in (mine, theirs)))
        assert mine is not None
        assert theirs is not None
        values = mine.read(name), theirs.read(name)
        if isinstance(values[1], Mapping):
            names = self.original_names or ()
            return [values[0].get(point) for point in names], [values[1].get(point) for point in names]
        before, after = map(list, values)
        before += [None] * (len(after) - len(before))
        originals = self._aligned.originals
        at = self._aligned.order.at if originals is None else originals.at
        if at is None:
            return before, after
        return [before[i] for i in at.tolist()], [after[i] for i in at.tolist()]

    def unmatched(self, side: str, clusters: Int64Array, limit: int) -> list[list[tuple[Any, ...]]]:
        """Of each of some original clusters of a side, the first points that the other side lacks.

        A point is its name and its values in the other columns.
        """
        meet, names, originals = self.original_meet, self.original_names, self._aligned.originals
        found = meet.missing if side == "true" else meet.spurious
        assert names is not None
        assert found.at is not None
        some = np.flatnonzero(np.isin(found.cluster, clusters))
        some = some[np.argsort(found.cluster[some], kind="stable")]
        first, last = (np.searchsorted(found.cluster[some], clusters, how) for how in ("left", "right"))
        parts = [some[a : min(a + limit, b)] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        at = found.at[np.concatenate([some[:0], *parts])]
        places = self._aligned.order.at if originals is None else originals.at
        rows = (at if places is None else places[at]).tolist()
        told = names_at(names, at)
        values = [self._of_unmatched(side, name, told, rows) for name in self.columns]
        points = zip(told, *values, strict=True)
        return [list(islice(points, len(part))) for part in parts]

    def _of_unmatched(self, side: str, name: str, points: Sequence[Any], rows: Sequence[int]) -> list[Any]:
        """A column for points that only one side has; None if that side's table lacks the column."""
        own = self._other if side == "true" else self._later
        for table in (own, self._other):
            if table is None or name not in table.names:
                continue
            values = table.read(name)
            if isinstance(values, Mapping):
                return [values.get(point) for point in points]
            if table is own:
                return [values[row] for row in rows]
        return [None] * len(points)

    def describe(self, values: object, argument: str) -> Any:
        """A value for each point from a dict by point, or from a column in the order of `true`; None if unknown."""
        return self._aligned.order.describe(values, argument)

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)))


def check_in_both(name: str, true: Sequence[str], pred: Sequence[str]) -> None:
    """Raise if a column is not one of both tables."""
    known = [other for other in true if other in pred]
    if name not in known:
        told = f"; both have {listed(known)}" if known else ""
        raise ArgumentError.about(
            "column",
            f"must be in both tables, apart from points and clusters; got {name!r}{told}.",
            nearest(name, known) if known else "pass two dicts from point to value: before and after.",
        )


def least_of_cells(meet: Meet, names: Points, cells: CellNumbers) -> Int64Array:
    """For some cells of a meet, numbers in the order of their least points."""
    from clusterdiff.points.ordering import least_of_each

    indptr, members = meet.members_of(cells)
    return least_of_each(names, indptr, members.astype(np.int64))
