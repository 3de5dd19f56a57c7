"""Meets drawn by chance: the sizes of the clusters are kept, and who is in which cluster is left to a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clusterdiff import _core
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.meet import Meet

#: A random cell takes as long as this many permuted points (120 ns against 20 ns).
POINTS_PER_CELL = 6
#: How many cells of tables are held at once.
HELD = 1 << 21


def drawn_as(margins: Margins) -> str:
    """How meets are drawn: as ``"tables"``, cell by cell, or by ``"points"``, where there are more cells than that."""
    return "tables" if margins.true.k * margins.pred.k * POINTS_PER_CELL < margins.n else "points"


def random_meets(margins: Margins, seed: int, draws: int) -> Iterator[Meet]:
    """Meets with these margins; the same for a seed, in the same order, for any number of threads."""
    true, pred = margins.true.each, margins.pred.each
    if drawn_as(margins) == "tables":
        batch = max(1, HELD // (len(true) * len(pred)))
        for first in range(0, draws, batch):
            for cells in _core.sample_cells(true, pred, seed, first, min(batch, draws - first)):
                yield Meet(cells)
        return
    rows, columns = (np.repeat(np.arange(len(sizes), dtype=np.int32), sizes) for sizes in (true, pred))
    for draw in range(draws):
        yield Meet.from_labels(rows, np.random.default_rng([seed, draw]).permutation(columns))
