"""Meets drawn by chance: the sizes of the clusters are kept, and who is in which cluster is left to a seed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clusterdiff import _core
from clusterdiff.measures.models import Model, sides
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import Int64Array

#: A random cell takes as long as this many permuted points (120 ns against 20 ns).
POINTS_PER_CELL = 6
#: How many cells of tables are held at once, and how many tables: whoever asks may have seen enough of them soon.
HELD, AT_ONCE = 1 << 21, 256


def drawn_as(margins: Margins) -> str:
    """How meets are drawn: as ``"tables"``, cell by cell, or by ``"points"``, where there are more cells than that."""
    return "tables" if margins.true.k * margins.pred.k * POINTS_PER_CELL < margins.n else "points"


def random_meets(margins: Margins, seed: int, draws: int, model: Model = "permutation") -> Iterator[Meet]:
    """Meets with these margins, or a model's; the same for a seed, in the same order, for any number of threads."""
    true, pred = sides(model, margins)
    if model == "permutation" and drawn_as(margins) == "tables":
        yield from _tables(margins.true.each, margins.pred.each, seed, range(draws))
        return
    for draw in range(draws):
        random = np.random.default_rng([seed, draw])
        a, b = true.draw(random), pred.draw(random)
        if drawn_as(Margins(SizeCounts.of(a), SizeCounts.of(b))) == "tables":
            yield from _tables(a, b, seed, range(draw, draw + 1))
        else:
            rows, columns = (np.repeat(np.arange(len(sizes), dtype=np.int32), sizes) for sizes in (a, b))
            yield Meet.from_labels(rows, random.permutation(columns))


def _tables(true: Int64Array, pred: Int64Array, seed: int, draws: range) -> Iterator[Meet]:
    batch = min(AT_ONCE, max(1, HELD // (len(true) * len(pred))))
    for first in draws[::batch]:
        for cells in _core.sample_cells(true, pred, seed, first, min(batch, draws.stop - first)):
            yield Meet(cells)
