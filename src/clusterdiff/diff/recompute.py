"""The meet after an operation on predicted clusters: for measures that have to be recomputed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.source import PointSource
from clusterdiff.errors import MeasureError
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.union import uneven_of
from clusterdiff.points.labels import IntArray, Labels

NONE: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
#: Where spurious points go that are taken out.
NOWHERE = -1


@dataclass(frozen=True)
class Operation:
    """Which cells go to which predicted clusters; codes from k_pred on are new clusters.

    ``missing`` are the points of true clusters that the prediction lacks and ``spurious`` those of predicted clusters
    that the truth lacks, with the predicted clusters that they go to.
    """

    cells: IntArray
    to: IntArray
    missing: dict[int, int] = field(default_factory=dict)
    spurious: dict[int, int] = field(default_factory=dict)


class Recomputation:
    """Meets after operations: what is compared if one of them is carried out."""

    def __init__(self, meet: Meet, source: PointSource) -> None:
        self.meet, self._source = meet, source
        self._whole = meet if isinstance(meet, UnevenMeet) else None
        if self._whole is not None and not meet.knows_points:
            raise MeasureError(
                "if points count as lost, the gains of operations in this measure are computed from the points, which"
                " this meet does not know.",
                "compare the points themselves.",
            )

    def after(self, operation: Operation) -> Meet:
        """The meet after an operation."""
        if self._whole is not None:
            return self._of_points(self._whole, operation)
        return self.within(self.meet, np.arange(len(self.meet)), operation)

    def within(self, part: Meet, cells: IntArray, operation: Operation) -> Meet:
        """The same for a part of the meet, whose cells are these, in their order: all that the operation touches."""
        to = self.meet.pred[cells].astype(np.int64)
        to[np.searchsorted(cells, operation.cells)] = operation.to
        return part.regroup(np.unique(to, return_inverse=True)[1])

    def _of_points(self, meet: UnevenMeet, operation: Operation) -> Meet:
        """Built from the points: some of them come, and some go."""
        cell = meet.cell_of_point
        to = meet.pred.astype(np.int64)
        to[operation.cells] = operation.to
        true, pred = (np.append(codes, -1)[cell] for codes in (meet.true.astype(np.int64), to))
        missing, spurious = meet.missing, meet.spurious
        assert missing.at is not None
        assert spurious.at is not None
        true[missing.at] = missing.cluster
        pred[missing.at] = _moved(np.full(meet.k_true, -1), operation.missing)[missing.cluster]
        pred[spurious.at] = _moved(np.arange(meet.k_pred), operation.spurious)[spurious.cluster]
        documents = None
        if meet.groups is not None:
            documents = np.full(len(cell), -1)
            documents[true >= 0] = meet.groups[0][true[true >= 0]]
            documents[spurious.at] = meet.groups[1][spurious.cluster]
        kept = np.flatnonzero((true >= 0) | (pred >= 0))
        if not len(kept):
            raise MeasureError("no point is left: all were spurious.")
        # Tables are not asked for the weights of their points unless points come and go.
        weights = self._source.weights if meet.weighted else None
        return _even_or_not(meet, true[kept], pred[kept], kept, weights, documents)


def _moved(codes: IntArray, to: dict[int, int]) -> IntArray:
    codes[list(to)] = list(to.values())
    return codes


def _even_or_not(
    meet: UnevenMeet,
    true: IntArray,
    pred: IntArray,
    kept: IntArray,
    weights: npt.NDArray[np.generic] | None,
    documents: IntArray | None,
) -> Meet:
    w = None if weights is None else weights[kept]
    x = None if meet.features is None else meet.features[kept]
    of = None if documents is None else documents[kept]
    true, pred = _dense(true), _dense(pred)
    if (true >= 0).all() and (pred >= 0).all():
        made = Meet.of_points(true, pred, weights=w, features=x, scale=meet.scale)
        return made if of is None else made.within(of)
    sides = Labels.coded(true), Labels.coded(pred)
    return uneven_of(*sides, weights=w, features=x, documents=of, scale=meet.scale)


def _dense(codes: IntArray) -> IntArray:
    """Codes numbered from 0 without gaps; -1 stays."""
    found, places = np.unique(codes, return_inverse=True)
    dense: IntArray = places - int(len(found) > 0 and found[0] < 0)
    return dense
