"""What rows of points lose, in an engine: to splits and merges, and where points are lost to what is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import narwhals.stable.v2 as nw

from clusterdiff.diff.loss import PARTS
from clusterdiff.tables.engines.cells import Cells
from clusterdiff.tables.engines.expressions import if_else, shared_row
from clusterdiff.tables.engines.native import Engine, Frame
from clusterdiff.tables.engines.sums import InEngine

c = nw.col
Value = TypeVar("Value")
#: The scores of clusters that a loss is made of: of their shared points, and of what these are of the cluster.
FACTORS = ("inner", "kept", "score")
#: What their points and parts come to, weights or not.
COUNTS = {"size": "count", "parts": "parts", "largest": "largest_count", "shared": "shared_count"}


class RowLosses:
    """The rows of a comparison, also those that weigh nothing, with the mass that each loses to what."""

    def __init__(self, summed: InEngine) -> None:
        self.source: Cells = summed.source
        self._summed = summed
        self._between: list[Frame] = []

    @property
    def engine(self) -> Engine:
        """Where the rows are."""
        return self.source.engine

    @property
    def parts(self) -> tuple[str, ...]:
        """What mass may be lost to."""
        return PARTS if self.source.lost else PARTS[:2]

    def clusters(self, key: str, *names: str) -> Frame:
        """The clusters of a side: some of their counts (``COUNTS``) and scores (``FACTORS``).

        Nothing of a cluster without weight can be lost: it scores 1.
        """
        positive, counts = self._summed.positive.rows, self._summed.counts
        columns = {name: COUNTS.get(name, f"{name}_entropy") for name in names}
        if counts is positive:
            frame = positive.side(key, *columns.values())
        else:
            frame = counts.side(key, *(column for name, column in columns.items() if name in COUNTS))
            scores = positive.side(key, *(column for name, column in columns.items() if name in FACTORS))
            frame = frame.join(scores, on=key, how="left")
        values = {}
        for name, column in columns.items():
            value = c(f"{key}_{column}")
            values[f"{key}_{name}"] = (
                value.cast(nw.Int64) if name in COUNTS else if_else(value.is_null(), 1.0, value)
            )
        return frame.select(key, **values)

    def rows(self, *more: str) -> Frame:
        """The rows with their mass ``w``, the cells ``k`` that each stands for, and what they lose.

        ``more`` are counts of their clusters besides.
        """
        cells = self.source
        ungrouped = c("t").is_null() | c("p").is_null()
        parts = nw.when(ungrouped).then(c("m")).otherwise(nw.lit(1)) if cells.ungrouped else nw.lit(1)
        mass = c("w" if cells.points.weighted else "m").cast(nw.Float64)
        frame = cells.frame.with_columns(w=mass, k=nw.when(shared_row()).then(parts).otherwise(nw.lit(0)))
        return self.beside(frame, *more)

    def beside(self, frame: Frame, *more: str) -> Frame:
        """Rows, or points, with what they lose."""
        for key in ("t", "p"):
            side = self.clusters(key, *FACTORS, *more)
            frame = self.step(frame).join(self.step(side), on=key, how="left")
        # A point that is a cluster of its own is not split, and not merged with any other.
        factors = [f"{key}_{name}" for key in ("t", "p") for name in FACTORS]
        own = {name: if_else(c(name).is_null(), 1.0, c(name)) for name in factors}
        return frame.with_columns(**own).with_columns(**self._lost())

    def step(self, frame: Frame) -> Frame:
        """A frame, computed by itself if memory ran out before."""
        if self._summed.positive.rows.careful:
            frame = self.engine.keep(frame)
            self._between.append(frame)
        return frame

    def ask(self, question: Callable[[], Value]) -> Value:
        """Ask the engine, and again step by step if memory runs out; nothing between two steps stays kept."""
        try:
            return self._summed.positive.rows.ask(question)
        finally:
            while self._between:
                self.engine.free(self._between.pop())

    def _lost(self) -> dict[str, Any]:
        out = {}
        for part, lack, key, other in (("split", "missing", "t", "p"), ("merge", "spurious", "p", "t")):
            inner, kept = c(f"{key}_inner"), c(f"{key}_kept")
            own = c("w") * (1.0 + c(f"{other}_score")) / 2
            out[part] = own * (1.0 - inner) * (1.0 + kept) / 2
            if self.source.lost:
                lost = if_else(c(f"{other}_nobody") == 1, c("w"), 0.0)
                out[part] = if_else(shared_row(), out[part], 0.0)
                out[lack] = if_else(shared_row(), own * (1.0 - kept) * (1.0 + inner) / 2, lost)
        return {name: out[name] for name in self.parts}
