"""From two clusterings laid over the same points to their comparison."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.source import Columns, PointSource
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Overlap
from clusterdiff.points.alignment import Alignment
from clusterdiff.points.data import Distances, read_features, read_weights
from clusterdiff.points.labels import IntArray, Labels


def meet_of(aligned: Alignment) -> Meet:
    """The meet alone, for a score: it is gone before anybody can change what it still shares with the caller."""
    true, pred = aligned.true, aligned.pred
    return Meet.of_points(
        true.values,
        pred.values,
        true.lexicon,
        pred.lexicon,
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

    ``other`` has further columns of the points, and ``overlap`` the clusterings as they were given, if more is known
    about them than the alignment says.
    """
    order = aligned.order
    w = None if weights is None else read_weights(weights, order)
    x = None if features is None else read_features(features, order)
    if aligned.uneven is not None:
        aligned = replace(aligned, uneven=(aligned.uneven[0].settled(), aligned.uneven[1].settled()))
    if overlap is None and aligned.uneven is not None:
        overlap = partial(overlap_of, *aligned.uneven)
    meet = Meet.of_points(
        aligned.true.values,
        aligned.pred.values,
        aligned.true.lexicon,
        aligned.pred.lexicon,
        weights=w,
        features=None if x is None else _owned(x, features),
        link_sums=None if distances is None else Distances(distances, order).sums,
        overlap=overlap,
        uneven=aligned.uneven is not None,
    )
    cells = meet.cells
    true, pred = aligned.true.settled(cells.true_labels), aligned.pred.settled(cells.pred_labels)
    aligned = Alignment(true, pred, order, aligned.named, aligned.policy, aligned.uneven)
    meet = meet.with_points(partial(cells.locate, aligned.true.values, aligned.pred.values))
    return Comparison(meet, PointSource(meet, aligned, w, other), aligned.policy)


def overlap_of(true: Labels, pred: Labels, document: IntArray | None = None) -> Overlap:
    """The clusterings as they were given, with the points that only one of them has, and each point's document."""
    return Overlap.of(true.codes, pred.codes, true.present, pred.present, document)


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
