"""What lies outside of clusters, of masses that are far apart: no differences of nearly equal sums.

A mass is cut into pieces: how often it holds each of some powers of two, whole numbers that still are exact when those
of all cells are added up. A difference of such sums is exact, and none is negative, so that nothing cancels when the
pieces are put together again.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from math import frexp
from operator import add
from typing import Any

import narwhals.stable.v2 as nw

from clusterdiff.tables.engines.expressions import OTHER, if_else
from clusterdiff.tables.engines.native import Engine, Frame

c = nw.col
#: The bits of a double.
BITS = 53


class Pieces:
    """The cells, cut into pieces.

    ``cells`` has a mass ``m``, how often there is such a cell (``copies``), its clusters ``t`` and ``p``, and whether
    it is one of its own there (``t_single``, ``p_single``). All of them weigh ``total`` and have ``n`` points, of which
    the heaviest has ``span`` bits more than the lightest.
    """

    def __init__(self, engine: Engine, cells: Frame, total: float, n: int, span: int) -> None:
        self._engine, top = engine, frexp(total)[1]
        #: So many bits of each piece that those of all points have no more than a double holds.
        width = BITS - 1 - n.bit_length()
        self._units = [
            2.0 ** (top - width * (i + 1)) for i in range(-(-(span + n.bit_length() + BITS) // width))
        ]
        self.names = [f"piece{i}" for i in range(len(self._units))]
        cells = cells.with_columns(left=c("m") * 2.0**-top)
        for name in self.names:
            cells = cells.with_columns((c("left") * 2.0**width).floor().alias(name))
            cells = cells.with_columns(left=c("left") * 2.0**width - c(name))
        self._cells = engine.keep(cells.drop("left"))
        for key in OTHER:  # beside what their clusters have
            own = self._added(self._cells, key, self.names, f"{key}_")
            self._cells = self._beside(self._cells, own, key, self.names, f"{key}_")

    def _added(self, cells: Frame, key: str, names: Iterable[str], made: str) -> Frame:
        several = {f"{made}{name}": c("copies") * c(name) for name in names}
        cells = cells.filter(~c(key).is_null()).select(key, **several)
        return cells.group_by(key).agg(**{name: c(name).sum() for name in several})

    def _beside(self, cells: Frame, own: Frame, key: str, names: Iterable[str], made: str) -> Frame:
        """Columns of clusters beside the cells; one that is a single cell has what this has."""
        whole = {f"{made}{x}": if_else(c(f"{key}_single") == 1, c(x), c(f"{made}{x}")) for x in names}
        return self._engine.keep(cells.join(own, on=key, how="left").with_columns(**whole))

    def _all(self, cells: Frame) -> list[float]:
        sums = {name: (c("copies") * c(name)).sum() for name in self.names}
        found = self._engine.row(cells.select(**sums))
        return [float(found[name]) for name in self.names]

    def _whole(self, pieces: Iterable[Any]) -> Any:
        return reduce(add, (unit * piece for unit, piece in zip(self._units, pieces, strict=True)))

    def apart(self) -> float:
        """Σ m·m' over all cells that share neither cluster, in either order."""
        outside = self._whole(
            total - c(f"t_{x}") - c(f"p_{x}") + c(x)
            for x, total in zip(self.names, self._all(self._cells), strict=True)
        )
        return float(self._engine.row(self._cells.select(s=(c("copies") * c("m") * outside).sum()))["s"])

    def uncovered(self) -> float:
        """Σ a·b over all pairs of clusters that share no cell."""
        beside = [f"p_{x}" for x in self.names]
        met = self._added(self._cells, "t", beside, "met_")
        cells = self._beside(self._cells, met, "t", beside, "met_")
        outside = self._whole(
            total - c(f"met_p_{x}") for x, total in zip(self.names, self._all(self._cells), strict=True)
        )
        return float(self._engine.row(cells.select(s=(c("copies") * c("m") * outside).sum()))["s"])
