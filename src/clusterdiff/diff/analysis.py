"""Analysis: what the meet alone tells about a comparison. Pure, and computed on demand."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.diff.loss import CellLoss, Loss
from clusterdiff.measures import resolve
from clusterdiff.measures.subcomponents import Scored, subcomponent
from clusterdiff.meet.lattice import KINDS, Components
from clusterdiff.meet.meet import Meet
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.table import Table
from clusterdiff.wording import count

CellNumbers = npt.NDArray[np.integer[Any]]

#: From this many cells in a component on, equal cells are no longer matched in order.
LARGE = 1000


class Split(NamedTuple):
    """A true cluster and what became of it (a split subcomponent ⟨L, ℂ⟩)."""

    cluster: Any
    component: int
    size: int
    parts: int
    largest: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float


class Merge(NamedTuple):
    """A predicted cluster and what it is made of (a merge subcomponent ⟨𝕃, C⟩)."""

    cluster: Any
    component: int
    size: int
    parts: int
    largest: int
    score: float
    loss: float
    split_loss: float
    merge_loss: float


class Analysis:
    """Split and merge scores, losses, components and the matching of clusters; and from a cluster to its cells."""

    def __init__(self, meet: Meet) -> None:
        self.meet = meet

    def __reduce__(self) -> tuple[Any, ...]:
        return Analysis, (self.meet,)  # what was computed can be computed again

    def __repr__(self) -> str:
        return f"<Analysis of {count(self.meet.n)} in {count(len(self.meet), 'cell')}>"

    # ---- scores and losses

    @cached_property
    def scored(self) -> Scored:
        """The split and merge scores by entropy."""
        return Scored(self.meet, subcomponent("entropy"))

    @cached_property
    def cell_loss(self) -> CellLoss:
        """What each cell lost."""
        return CellLoss(self.scored)

    @property
    def score(self) -> float:
        """S_H."""
        return float(resolve("S_H")(self.meet))

    @property
    def loss(self) -> Loss:
        """What S_H lost."""
        return self.cell_loss.total

    # ---- the join

    @cached_property
    def join(self) -> Components:
        """The connected components, as codes of clusters and cells."""
        return Components(self.meet)

    @property
    def kinds(self) -> dict[str, int]:
        """How many components are of each kind."""
        counts = np.bincount(self.join.kind, minlength=len(KINDS))
        return dict(zip(KINDS, counts.tolist(), strict=True))

    @cached_property
    def components(self) -> dict[str, npt.NDArray[Any]]:
        """The components as columns, costliest first."""
        found = self.join
        split, merge = self.cell_loss.by(found.of_cell, len(found))
        mass = _core.group_sum(found.of_true, len(found), self.meet.true_mass)
        lost = split + merge
        order = np.argsort(-lost, kind="stable")
        columns = {
            "component": np.arange(len(found)),
            "kind": np.asarray(KINDS, dtype=object)[found.kind],
            "size": found.size,
            "true_clusters": found.true_count,
            "pred_clusters": found.pred_count,
            "score": kept(lost * self.meet.total, mass),
            "loss": lost,
            "split_loss": split,
            "merge_loss": merge,
        }
        return {name: column[order] for name, column in columns.items()}

    # ---- clusters

    @cached_property
    def splits(self) -> Table[Split]:
        """A row for every true cluster, costliest first."""
        return Table(self._clusters(self.meet, self.meet.true, self.scored.split, self.join.of_true), Split)

    @cached_property
    def merges(self) -> Table[Merge]:
        """A row for every predicted cluster, costliest first."""
        other = self.meet.transpose()
        return Table(self._clusters(other, self.meet.pred, self.scored.merge, self.join.of_pred), Merge)

    def _clusters(self, meet: Meet, groups: Any, score: FloatArray, component: Any) -> dict[str, Any]:
        """The rows of the meet (of the transposed one: its columns) with what they lost."""
        split, merge = self.cell_loss.by(groups, meet.k_true)
        order = np.argsort(-(split + merge), kind="stable")
        columns = {
            "cluster": meet.true_names,
            "component": component,
            "size": meet.true_size,
            "parts": np.diff(meet.indptr),
            "largest": np.maximum.reduceat(meet.size, meet.indptr[:-1]),
            "score": score,
            "loss": split + merge,
            "split_loss": split,
            "merge_loss": merge,
        }
        return {name: np.asarray(column)[order] for name, column in columns.items()}

    @cached_property
    def true(self) -> list[Any]:
        """The names of the true clusters, by code."""
        return list(self.meet.true_names.tolist())

    @cached_property
    def pred(self) -> list[Any]:
        """The names of the predicted clusters, by code."""
        return list(self.meet.pred_names.tolist())

    @cached_property
    def parts_of_true(self) -> Int64Array:
        """How many cells each true cluster has."""
        return np.diff(self.meet.indptr)

    @cached_property
    def parts_of_pred(self) -> Int64Array:
        """How many cells each predicted cluster has."""
        return np.diff(self.meet.transpose().indptr)

    # ---- from clusters and components to cells

    def cells_of_true(self, true: int) -> CellNumbers:
        """The cells of a true cluster."""
        return np.arange(self.meet.indptr[true], self.meet.indptr[true + 1])

    def cells_of_pred(self, pred: int) -> CellNumbers:
        """The cells of a predicted cluster."""
        indptr = self.meet.transpose().indptr
        return self.meet.transpose_order[indptr[pred] : indptr[pred + 1]]

    @cached_property
    def _members(self) -> dict[str, tuple[Int64Array, Int64Array]]:
        of = {"cell": self.join.of_cell, "true": self.join.of_true, "pred": self.join.of_pred}
        return {name: _core.group_members(codes, len(self.join)) for name, codes in of.items()}

    def _of_component(self, component: int, what: str) -> Int64Array:
        """The codes of a component's cells, true or predicted clusters."""
        indptr, members = self._members[what]
        return members[indptr[component] : indptr[component + 1]]

    def cells_of_component(self, component: int) -> CellNumbers:
        """The cells of a component."""
        return self._of_component(component, "cell")

    def codes_of_component(self, component: int, side: str) -> Int64Array:
        """The codes of a component's "true" or "pred" clusters."""
        return self._of_component(component, side)

    def clusters_of_component(self, component: int, side: str) -> list[Any]:
        """The same by name."""
        names = self.true if side == "true" else self.pred
        return [names[code] for code in self.codes_of_component(component, side).tolist()]

    def meet_of_component(self, component: int) -> Meet:
        """The meet of a component's points alone."""
        return self.meet.restrict(self._of_component(component, "true"))

    # ---- which predicted cluster continues which true one

    @cached_property
    def matched(self) -> Int64Array:
        """The cells that pair a true cluster with the predicted one that continues it, by true cluster.

        The matching is stable: no two clusters share more points with each other than either does with its partner.
        """
        meet, of_cell = self.meet, self.join.of_cell
        size, true, pred = meet.size, meet.true, meet.pred
        # Among equal shares, that of smaller clusters goes first, then the earlier one. In a large component equal ones
        # are shuffled, always in the same way: in order, equal cells along a chain would be settled one per round.
        together = meet.true_size[true] + meet.pred_size[pred]
        turn = np.arange(len(meet), dtype=np.uint64)
        turn = np.where(np.bincount(of_cell)[of_cell] > LARGE, turn * np.uint64(0x9E3779B97F4A7C15), turn)
        rank = np.empty(len(meet), dtype=np.int64)
        rank[np.lexsort((turn, together, -size))] = np.arange(len(meet))
        found = []
        rest = np.arange(len(meet))
        while rest.size:
            # A cell that comes first on both its sides is settled; all other cells of its two clusters are out.
            first_true, first_pred = np.full(meet.k_true, len(meet)), np.full(meet.k_pred, len(meet))
            np.minimum.at(first_true, true[rest], rank[rest])
            np.minimum.at(first_pred, pred[rest], rank[rest])
            settled = rest[(first_true[true[rest]] == rank[rest]) & (first_pred[pred[rest]] == rank[rest])]
            found.append(settled)
            done_true, done_pred = np.zeros(meet.k_true, dtype=bool), np.zeros(meet.k_pred, dtype=bool)
            done_true[true[settled]] = True
            done_pred[pred[settled]] = True
            rest = rest[~(done_true[true[rest]] | done_pred[pred[rest]])]
        return np.sort(np.concatenate(found))


def kept(lost: FloatArray, mass: npt.NDArray[Any]) -> FloatArray:
    """1 − lost/mass, from 0 to 1: what a group of points scores by itself; 1 where nothing counts."""
    share = np.divide(lost, mass, out=np.zeros(len(lost)), where=mass > 0)
    score: FloatArray = np.clip(1.0 - share, 0.0, 1.0)
    return score
