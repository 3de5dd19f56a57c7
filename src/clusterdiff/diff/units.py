"""Units: what is left out or resampled, to see how much a score varies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.rows import Rows
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, IntArray

Unit: TypeAlias = Literal["component", "true", "document"]
#: The units of intervals and tests; points are only drawn where somebody says that they were drawn one by one.
Sampled: TypeAlias = Literal["component", "document", "point"]

#: The units there are, and what each is called.
UNITS: dict[Unit, str] = {"component": "component", "true": "true cluster", "document": "document"}
SAMPLED: dict[Sampled, str] = {"component": "component", "document": "document", "point": "point"}


@dataclass(frozen=True)
class Units:
    """The units of a comparison: which one every cell and every cluster is in, and how many there are.

    Clusters matter for the points that only one side has. Under ``"true"`` a predicted cluster may lie in several
    units: its spurious points are then shared out like its other points, and -1 says so. ``documents`` has the number
    of each unit that is a document.
    """

    kind: Unit
    count: int
    of_cell: IntArray
    of_true: IntArray
    of_pred: IntArray
    documents: IntArray | None = None

    def sums(self, values: npt.NDArray[Any]) -> FloatArray:
        """What each unit adds to a sum over the cells."""
        return np.asarray(_core.group_sum(self.of_cell, self.count, values), dtype=np.float64)

    def mass(self, meet: Meet) -> FloatArray:
        """The weight of each unit's points, with those that only one side has."""
        rows = Rows.of(meet)
        return rows.by_unit("total", self.of_rows(rows), self.count)

    def of_rows(self, rows: Rows) -> IntArray:
        """The unit of each row."""
        return rows.units(self.of_cell, self.of_true, self.of_pred)


def units_of(meet: Meet, kind: Unit) -> Units:
    """The units of a meet, in the order of its components, its true clusters or its documents.

    A predicted cluster without any true point comes after the true clusters, as a unit of its own.
    """
    one_of("unit", kind, UNITS)
    if kind == "component":
        join = Components(meet)
        return Units(kind, len(join), join.of_cell, join.of_true, join.of_pred)
    if kind == "true":
        of_pred = np.full(meet.k_pred, -1, dtype=np.int64)
        unshared = np.flatnonzero(meet.cells.pred_sizes == 0)
        of_pred[unshared] = meet.k_true + np.arange(len(unshared))
        return Units(kind, meet.k_true + len(unshared), meet.true, np.arange(meet.k_true), of_pred)
    true, pred = meet.overlap.true_group, meet.overlap.pred_group
    if true is None or pred is None:
        raise ArgumentError(
            Message('`unit="document"` needs documents, and the points are not divided into any.'),
            [Message("pass `documents= to compare()`"), "another unit"],
        )
    places, codes = np.unique(np.concatenate([true, pred]), return_inverse=True)
    of_true, of_pred = codes[: len(true)], codes[len(true) :]
    return Units(kind, len(places), of_true[meet.true], of_true, of_pred, places)
