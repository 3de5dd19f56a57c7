"""Lookup: from a cluster or a component to its cells, and from cells to the points by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.points.clustering import Points

CellNumbers = npt.NDArray[np.integer[Any]]


class Lookup:
    """What stands where in a comparison; lists are made once and sliced afterwards."""

    def __init__(self, meet: Meet, components: Components, points: Callable[[], Points]) -> None:
        self.meet = meet
        self._components = components
        self._load = points

    @cached_property
    def _points(self) -> Points:
        # The names of the points may still lie in a file: they are read when somebody asks for them.
        return self._load()

    @cached_property
    def true(self) -> list[Any]:
        """The names of the true clusters, by code."""
        return list(self.meet.true_names.tolist())

    @cached_property
    def pred(self) -> list[Any]:
        """The names of the predicted clusters, by code."""
        return list(self.meet.pred_names.tolist())

    @cached_property
    def parts_of_true(self) -> npt.NDArray[np.int64]:
        """How many cells each true cluster has."""
        return np.diff(self.meet.indptr)

    @cached_property
    def parts_of_pred(self) -> npt.NDArray[np.int64]:
        """How many cells each predicted cluster has."""
        return np.diff(self.meet.transpose().indptr)

    def cells_of_true(self, true: int) -> CellNumbers:
        """The cells of a true cluster."""
        return np.arange(self.meet.indptr[true], self.meet.indptr[true + 1])

    def cells_of_pred(self, pred: int) -> CellNumbers:
        """The cells of a predicted cluster."""
        indptr = self.meet.transpose().indptr
        return self.meet.transpose_order[indptr[pred] : indptr[pred + 1]]

    @cached_property
    def _of_component(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return _core.group_members(self._components.of_cell, len(self._components))

    def cells_of_component(self, component: int) -> CellNumbers:
        """The cells of a component."""
        indptr, cells = self._of_component
        return cells[indptr[component] : indptr[component + 1]]

    def points(self, cells: CellNumbers, limit: int | None = None) -> list[Any]:
        """The points of some cells by name, in the order of the points; the first ``limit`` of them."""
        at = np.sort(np.concatenate([self.meet.members(cell)[:limit] for cell in cells.tolist()]))
        return [self._points[i] for i in at[:limit].tolist()]

    def points_of_each(self, cells: CellNumbers) -> list[list[Any]]:
        """The points of each of many cells, by name."""
        indptr, members = self.meet.grouped
        starts, stops = indptr[cells].tolist(), indptr[cells + 1].tolist()
        if isinstance(self._points, range):
            return [members[a:b].tolist() for a, b in zip(starts, stops, strict=True)]
        return [[self._points[i] for i in members[a:b].tolist()] for a, b in zip(starts, stops, strict=True)]

    @property
    def knows_points(self) -> bool:
        """Whether the meet was made from points; one made from cells does not know them."""
        return self.meet.knows_points
