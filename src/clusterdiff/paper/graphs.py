"""What the paper says of its two graphs (propositions 4.1 to 4.3), held against sets of points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.enumeration import as_sets, universe
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet

Labelled = npt.NDArray[np.int64]
Parts = frozenset[frozenset[int]]


def components_are_the_join(true: Labelled, pred: Labelled, meet: Meet) -> bool:
    """Proposition 4.1: components are the clusters of the one clustering with most clusters that both refine."""
    every = universe(len(true)).labels
    first = [np.array([np.flatnonzero(labels == label)[0] for label in labels]) for labels in (true, pred)]
    coarser = every[np.all([(every[:, at] == every).all(axis=1) for at in first], axis=0)]
    clusters = coarser.max(axis=1)
    join = coarser[clusters == clusters.max()]
    return len(join) == 1 and _parts(join[0]) == _parts(Components(meet).of_true[true])


def cells_are_sinks_and_sources(true: Labelled, pred: Labelled, meet: Meet) -> bool:
    """Proposition 4.2: in each component, parts of true clusters are parts of predicted ones, the meet, and its own."""
    cell, component = meet.cell_of_point, Components(meet).of_true[true]
    for j in np.unique(component):
        inside = np.flatnonzero(component == j)
        sinks, sources = (_pieces(own, other, inside) for own, other in ((true, pred), (pred, true)))
        induced = _parts(Meet.from_labels(true[inside], pred[inside]).cell_of_point, inside)
        if not sinks == sources == induced == _parts(cell[inside], inside):
            return False
    return True


def cells_have_one_pair_each(true: Labelled, pred: Labelled, meet: Meet) -> bool:
    """Proposition 4.3: each cell is the intersection of one true and one predicted cluster, and of no others."""
    both = [
        frozenset(one) & frozenset(other)
        for one in map(set, as_sets(true))
        for other in map(set, as_sets(pred))
    ]
    found = Counter(filter(None, both))
    return set(found) == _parts(meet.cell_of_point) and set(found.values()) == {1}


def _parts(labels: npt.NDArray[Any], points: Iterable[int] | None = None) -> Parts:
    """The clusters of some points, all by default."""
    names = list(range(len(labels)) if points is None else points)
    return frozenset(frozenset(int(names[i]) for i in cluster) for cluster in as_sets(labels))


def _pieces(own: Labelled, other: Labelled, inside: npt.NDArray[np.int64]) -> Parts:
    """The parts that the clusters of one side have in those of the other."""
    clusters = (inside[own[inside] == label] for label in np.unique(own[inside]))
    return frozenset(part for cluster in clusters for part in _parts(other[cluster], cluster.tolist()))
