"""Blame: the loss, charged to the points that moved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.loss import Losses
from clusterdiff.diff.source import PointSource
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import FloatArray, Int64Array


class PointBlame(NamedTuple):
    """Blame by point: the codes of its clusters (-1: none), how far it is off on each side, and what it is charged."""

    true: Int64Array
    pred: Int64Array
    off_true: FloatArray
    off_pred: FloatArray
    lost: Losses


class Blame:
    """The loss of a comparison, charged to the cells that left their clusters and to the points that one side lacks.

    A cell that is smaller than another of its true cluster has left it: ``off_true`` is 1. The largest has stayed, 0,
    and of ``k`` equally large ones each is off by 1 − 1/k, so no order of the input decides. ``off_pred`` says the same
    of predicted clusters. What a true cluster lost to splits is charged to the cells that are off, by mass; merges are
    charged along predicted clusters. What missing and spurious points cost is theirs. All of it adds up to the loss.

    >>> import clusterdiff as cd
    >>> blame = Blame(cd.compare(["A", "A", "A"], [1, 1, 2]).analysis)
    >>> blame.off_true.tolist(), blame.split.round(4).tolist()
    ([0.0, 1.0], [0.0, 0.5794])
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        meet, lost = analysis.meet, analysis.cell_loss
        by_pred, mass = meet.transpose(), meet.mass.astype(np.float64, copy=False)
        self.off_true, self.split = _core.charges(meet.indptr, None, mass, lost.cells.split)
        self.off_pred, self.merge = _core.charges(
            by_pred.indptr, meet.transpose_order, mass, lost.cells.merge
        )
        #: What the missing points of each true cluster, and the spurious ones of each predicted cluster are charged.
        self.missing, self.spurious = lost.missing_cost, lost.spurious_cost
        if meet.lost:
            self.missing = self.missing + _core.group_sum(meet.true, meet.k_true, lost.cells.missing)
            self.spurious = self.spurious + _core.group_sum(meet.pred, meet.k_pred, lost.cells.spurious)

    @property
    def cells(self) -> FloatArray:
        """What each cell is charged."""
        charged: FloatArray = self.split + self.merge
        return charged

    def points(self, source: PointSource) -> PointBlame:
        """The same by point: a point has its share of its cell's blame by weight."""
        meet, cell = self.analysis.meet, self.analysis.meet.cell_of_point
        weight = np.ones(len(cell)) if source.weights is None else source.weights.astype(np.float64)
        mass = np.where(meet.mass > 0, meet.mass, 1)
        # Cell -1, the last of each list, is none.
        true, pred = source.clusters()
        off_true, off_pred = (np.append(off, 0.0)[cell] for off in (self.off_true, self.off_pred))
        split, merge = (weight * np.append(part / mass, 0.0)[cell] for part in (self.split, self.merge))
        missing, spurious = np.zeros(len(cell)), np.zeros(len(cell))
        for lost, unmatched, charged in (
            (missing, meet.missing, self.missing),
            (spurious, meet.spurious, self.spurious),
        ):
            lost[unmatched.at] = _shares(unmatched, charged)
        return PointBlame(true, pred, off_true, off_pred, Losses(split, merge, missing, spurious))


def _shares(unmatched: Unmatched, charged: FloatArray) -> FloatArray:
    """What each of the points that one side lacks has of its cluster's charge, by weight."""
    mass = unmatched.mass(len(charged)).astype(np.float64)[unmatched.cluster]
    weight = np.ones(len(unmatched)) if unmatched.weights is None else unmatched.weights.astype(np.float64)
    share: FloatArray = np.divide(weight, mass, out=np.zeros(len(unmatched)), where=mass > 0)
    return share * charged[unmatched.cluster]
