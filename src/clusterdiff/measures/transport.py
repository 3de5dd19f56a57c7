"""Clusterings compared in space: how far points must travel to turn clusters into each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import MeasureError, MissingExtraError
from clusterdiff.measures.registry import measure
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray

#: The solver's own limit on pivots is too low for clusters of some thousand points.
PIVOTS = 10_000_000


@measure(
    "cdistance",
    family="transport",
    best=0.0,
    bounds=(0.0, 1.0),
    normalised=None,
    conditionally_normalised=False,
    weighted=False,
    reads="points",
    needs="features",
    lost="a point that one side lacks has nowhere to be moved to",
    reference="Coen, M. H., Ansari, M. H. & Fillmore, N. (2010). Comparing clusterings in space. ICML.",
)
def cdistance(meet: Meet) -> float:
    r"""How far apart the two clusterings are in the space of the points' features; a distance.

    .. math:: \min_{T \ge 0} \sum_{LC} T_{LC}\, \frac{OT(L, C)}{NT(L, C)}, \quad
        \sum_C T_{LC} = \frac{a_L}{n}, \quad \sum_L T_{LC} = \frac{b_C}{n}

    OT is the cost of the best way to move the points of one cluster onto those of the other (Euclidean, each
    cluster of mass 1), NT that of the naive way, which spreads every point evenly over the other cluster. Their
    ratio is 0 for clusters that coincide and 1 for clusters far apart. Identical clusterings give exactly 0.
    It solves a transport problem for every pair of clusters, which takes more than quadratic time in their sizes.

    >>> import clusterdiff as cd
    >>> line = [[0.0], [1.0], [10.0], [11.0]]
    >>> near = cd.compare([0, 0, 1, 1], [0, 0, 1, 2], features=line)
    >>> round(near.score("cdistance"), 4)
    0.5
    """
    if meet.features is None:
        raise MeasureError(
            "cdistance measures how far apart points are, and the comparison has no features.",
            Message("pass `features= to compare()`."),
        )
    if meet.same:
        return 0.0
    ot = _solver()
    cell = meet.cell_of_point
    true, pred = _clusters(meet.true, cell, meet), _clusters(meet.pred, cell, meet)
    ground = np.array([[_ratio(ot, one, other) for other in pred] for one in true])
    cost = ot.emd2(meet.true_size / meet.n, meet.pred_size / meet.n, ground, numItermax=PIVOTS)
    return float(np.clip(cost, 0.0, 1.0))


def _solver() -> Any:
    try:
        import ot
    except ImportError:
        raise MissingExtraError("POT", "transport", "cdistance") from None
    return ot


def _clusters(side: npt.NDArray[np.int32], cell: npt.NDArray[Any], meet: Meet) -> list[FloatArray]:
    """The features of the points of each cluster of one side."""
    inside = np.flatnonzero(cell >= 0)
    codes = side[cell[inside]]
    order = np.argsort(codes, kind="stable")
    bounds = np.flatnonzero(np.diff(codes[order])) + 1
    rows = (meet.features[index] for index in np.split(inside[order], bounds))
    return [np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=np.float64) for x in rows]


def _ratio(ot: Any, one: FloatArray, other: FloatArray) -> float:
    """Optimal against naive transport between two clusters; 0/0 is 0, for points in one place."""
    from scipy.spatial.distance import cdist

    distance = cdist(
        one, other
    )  # by differences: |x|² + |y|² − 2xy, as POT has it, cancels far from the origin
    naive = float(distance.mean())
    if naive == 0.0:
        return 0.0
    if len(one) == 1 or len(other) == 1:
        return 1.0  # a single point leaves no choice
    return float(ot.emd2([], [], distance / naive, numItermax=PIVOTS))  # the solver has a scale of its own
