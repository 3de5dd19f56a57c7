"""The meet over the union of two sides' points, of which each may lack some."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.cell_table import PartPlaces
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array, IntArray


def uneven_of(
    true: IntArray,
    pred: IntArray,
    names: tuple[AnyArray, AnyArray],
    *,
    weights: npt.NDArray[Any] | None = None,
    features: Any = None,
    link_sums: Callable[[Int64Array], Callable[..., FloatArray]] | None = None,
    documents: IntArray | None = None,
    scale: int = 0,
) -> UnevenMeet:
    """The uneven meet of two arrays of codes, which are -1 for points that the side lacks.

    ``names`` are those of the clusters by code. ``link_sums(points)`` gives the function for the link weights of some
    of the points, and ``documents`` the document of each point. Weights are in units of 2 to the ``scale``.
    """
    both = np.flatnonzero((true >= 0) & (pred >= 0))

    def of(values: Any, at: Int64Array) -> Any:
        return None if values is None else values[at]

    shared, places = None, None
    if len(both):
        plain = Meet.of_points(
            true[both],
            pred[both],
            weights=of(weights, both),
            features=of(features, both),
            link_sums=link_sums and link_sums(both),
            scale=scale,
        )
        places = PartPlaces(plain, both, len(true))
        shared = plain.with_points(places)
    sides, unmatched, groups = [], [], []
    for own, other, labels in (
        (true, pred, None if shared is None else shared.cells.true_labels),
        (pred, true, None if shared is None else shared.cells.pred_labels),
    ):
        order = _shared_first(labels, int(own.max(initial=-1)) + 1)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        at, present = np.flatnonzero((own >= 0) & (other < 0)), np.flatnonzero(own >= 0)
        links = None
        if link_sums is not None:
            links = link_sums(present)(place[own[present]], len(order), of(weights, present))
        sides.append(order)
        unmatched.append(Unmatched(place[own[at]], at, of(weights, at), of(features, at), links))
        if documents is not None:
            group = np.empty(len(order), dtype=np.int64)
            group[place[own[present]]] = documents[present]
            groups.append(group)
    return UnevenMeet(
        shared,
        (names[0][sides[0]], names[1][sides[1]]),
        *unmatched,
        scale=None if weights is None else scale,
        locate=np.full(len(true), -1) if places is None else places,
        groups=(groups[0], groups[1]) if groups else None,
        features=features,
    )


def _shared_first(labels: Any, k: int) -> Int64Array:
    """All ``k`` clusters, those of the shared points first, in their order there."""
    found = np.empty(0, dtype=np.int64) if labels is None else np.asarray(labels, dtype=np.int64)
    rest = np.ones(k, dtype=bool)
    rest[found] = False
    return np.concatenate([found, np.flatnonzero(rest)])
