"""The meet over the union of two sides' points, of which each may lack some."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.meet.cell_table import PartPlaces
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import AnyArray, FloatArray, Int64Array, IntArray, Labels, LazyNames


def uneven_of(
    true: Labels,
    pred: Labels,
    *,
    weights: npt.NDArray[Any] | None = None,
    features: Any = None,
    link_sums: Callable[[Int64Array], Callable[..., FloatArray]] | None = None,
    documents: IntArray | None = None,
    scale: int = 0,
) -> UnevenMeet:
    """The uneven meet of two sides, each of which has no label for points that it lacks.

    ``link_sums(points)`` gives the function for the link weights of some of the points, and ``documents`` the document
    of each point. Weights are in units of 2 to the ``scale``.
    """
    there = true.present, pred.present

    def of(values: Any, at: Int64Array) -> Any:
        return None if values is None else values[at]

    shared, places = None, None
    both = np.flatnonzero(there[0] & there[1])
    if len(both):
        plain = Meet.of_points(
            true.take(both).values,
            pred.take(both).values,
            weights=of(weights, both),
            features=of(features, both),
            link_sums=link_sums and link_sums(both),
            scale=scale,
        )
        places = PartPlaces(partial(_part, plain.cells, true, pred), len(true))
        shared = plain.with_points(places)
        del plain
    del both
    names, unmatched, groups = [], [], []
    for labels, own, other, known in (
        (true, *there, None if shared is None else shared.cells.true_labels),
        (pred, *there[::-1], None if shared is None else shared.cells.pred_labels),
    ):
        at = np.flatnonzero(own & ~other)
        values, place = _shared_first(labels, at, known)
        names.append(_named(labels, values))
        links = None
        if link_sums is not None or documents is not None:
            present = np.flatnonzero(own)
            _, everyone = _shared_first(labels, present, values)
        if link_sums is not None:
            links = link_sums(present)(everyone, len(values), of(weights, present))
        unmatched.append(Unmatched(place, at, of(weights, at), of(features, at), links))
        if documents is not None:
            group = np.empty(len(values), dtype=np.int64)
            group[everyone] = documents[present]
            groups.append(group)
    return UnevenMeet(
        shared,
        (names[0], names[1]),
        *unmatched,
        scale=None if weights is None else scale,
        locate=np.full(len(true), -1) if places is None else places,
        groups=(groups[0], groups[1]) if groups else None,
        features=features,
    )


def _named(labels: Labels, values: IntArray) -> AnyArray | LazyNames:
    """The names behind some labels, which nobody may ask for."""
    lexicon = labels.lexicon
    if isinstance(lexicon, LazyNames):
        return LazyNames(len(values), lambda: lexicon[values], plain=lexicon.plain)
    return labels.named(values)


def _part(cells: _core.Cells, true: Labels, pred: Labels) -> tuple[Meet, Int64Array]:
    """The meet of the points that both sides have, from its cells; and where they are."""
    both = np.flatnonzero(true.present & pred.present)
    return Meet.from_labels(true.take(both).values, pred.take(both).values, cells), both


def _shared_first(labels: Labels, at: Int64Array, known: IntArray | None) -> tuple[IntArray, Int64Array]:
    """The distinct labels, those known before those of points ``at`` some places; and the numbers of the latter's."""
    values = labels.take(at).values
    if known is not None:
        if not len(at):
            return known, at
        values = np.concatenate([known.astype(values.dtype, copy=False), values])
    codes, first = _core.encode_integers(values)
    return values[first], codes[len(values) - len(at) :].astype(np.int64)
