"""From two clusterings laid over the same points to their comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.source import Columns, PointSource
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import CellWeights, Links, Moments, Overlap, spread
from clusterdiff.points.alignment import Alignment
from clusterdiff.points.data import Distances, read_features, read_weights
from clusterdiff.points.labels import Labels


def meet_of(aligned: Alignment) -> Meet:
    """The meet alone, for a score: it is gone before anybody can change what it still shares with the caller."""
    true, pred = aligned.true, aligned.pred
    cells = _core.meet(true.values, pred.values)
    return Meet(
        cells,
        true.lexicon,
        pred.lexicon,
        locate=partial(cells.locate, true.values, pred.values),
        overlap=None if aligned.uneven is None else partial(overlap_of, *aligned.uneven),
    )


def compare_aligned(
    aligned: Alignment,
    weights: object = None,
    features: object = None,
    distances: object = None,
    other: Columns | None = None,
    overlap: Callable[[], Overlap] | None = None,
) -> Comparison:
    """Compare two clusterings that lie over the same points already; the result shares nothing with the caller.

    ``other`` has further columns of the points, ``overlap`` the clusterings as they were given if more is known of
    them than the alignment tells.
    """
    cells = _core.meet(aligned.true.values, aligned.pred.values)
    aligned = replace(
        aligned,
        true=aligned.true.settled(cells.true_labels),
        pred=aligned.pred.settled(cells.pred_labels),
        uneven=aligned.uneven and (aligned.uneven[0].settled(), aligned.uneven[1].settled()),
    )
    true, pred = aligned.true, aligned.pred
    locate = partial(cells.locate, true.values, pred.values)
    w = x = own = moments = links = None
    if weights is not None or features is not None or distances is not None:
        cell, count, order = locate(), len(cells), aligned.order
        if weights is not None:
            w = read_weights(weights, order)
            own = CellWeights.of(w, cell, count)
        if features is not None:
            x = read_features(features, order)
            moments = Moments(*spread(cell, count, x, w))
        if distances is not None:
            found = Distances(distances, order)
            row = np.repeat(np.arange(cells.k_true, dtype=np.int32), np.diff(cells.indptr))
            links = Links(
                found.sums(cell, count, w),
                found.sums(row[cell], cells.k_true, w),
                found.sums(cells.cols[cell], cells.k_pred, w),
            )
    if overlap is None and aligned.uneven is not None:
        overlap = partial(overlap_of, *aligned.uneven)
    meet = Meet(
        cells,
        true.lexicon,
        pred.lexicon,
        weights=own,
        moments=moments,
        links=links,
        features=None if x is None else _owned(x, features),
        locate=locate,
        overlap=overlap,
        uneven=aligned.uneven is not None,
    )
    return Comparison(meet, PointSource(meet, aligned, w, other), aligned.policy)


def overlap_of(true: Labels, pred: Labels) -> Overlap:
    """The clusterings as they were given, with the points that only one of them has."""
    return Overlap.of(true.codes, pred.codes, true.present, pred.present)


def _owned(matrix: Any, given: Any) -> Any:
    """A matrix that does not change with the one that the caller gave."""
    if isinstance(matrix, np.ndarray):
        base = given if isinstance(given, np.ndarray) else matrix.base
        return (
            matrix.copy()
            if matrix is given or (base is not None and np.shares_memory(matrix, base))
            else matrix
        )
    return matrix if matrix is not given else matrix.copy()
