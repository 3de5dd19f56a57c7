"""The lattice of clusterings: top and bottom, meet and join, refinement, and the two graphs of the paper."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, LabelError, MissingExtraError
from clusterdiff.meet.cell_table import LabelPlaces
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.alignment import Alignment, align
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Labels
from clusterdiff.table import Table
from clusterdiff.wording import count

KINDS = ("same", "split", "merge", "mixed")
#: The same where points may be lost: clusters one to one (or without any counterpart) that lack points on one side.
UNEVEN_KINDS = (*KINDS, "missing", "spurious")


def top(points: int) -> Clustering:
    """⊤, all points in one cluster.

    >>> top(3).to_sets()
    [{0, 1, 2}]
    """
    return Clustering(np.zeros(points, dtype=np.int64))


def bottom(points: int) -> Clustering:
    """⊥, every point a singleton.

    >>> bottom(3).to_sets()
    [{0}, {1}, {2}]
    """
    return Clustering(np.arange(points))


def meet(true: object, pred: object) -> Clustering:
    """The clustering of all non-empty intersections of a true with a predicted cluster.

    >>> meet([0, 0, 0, 1], ["a", "a", "b", "b"]).to_sets()
    [{0, 1}, {2}, {3}]
    """
    aligned = align(true, pred)
    cells = _core.meet(aligned.true.values, aligned.pred.values)
    return _over(aligned, LabelPlaces(cells, aligned.true.values, aligned.pred.values)())


def join(true: object, pred: object) -> Clustering:
    """The finest clustering that both refine: its clusters are the components of the bipartite graph.

    >>> join([0, 0, 1, 2], ["a", "b", "b", "c"]).to_sets()
    [{0, 1, 2}, {3}]
    """
    aligned = align(true, pred)
    cells = _core.meet(aligned.true.values, aligned.pred.values)
    of_cell = Components(Meet(cells)).of_cell
    return _over(aligned, of_cell[LabelPlaces(cells, aligned.true.values, aligned.pred.values)()])


def _over(aligned: Alignment, labels: npt.NDArray[Any]) -> Clustering:
    """A clustering of the points of an alignment."""
    return Clustering.of(Labels(labels), aligned.order.names if aligned.named else None)


def refines(fine: object, coarse: object) -> bool:
    """Whether ``fine`` comes from ``coarse`` by splitting clusters only (equal clusterings refine each other).

    >>> refines([0, 0, 1, 2], [0, 0, 0, 2]), refines([0, 0, 0, 2], [0, 0, 1, 2])
    (True, False)
    """
    aligned = align(fine, coarse)
    cells = _core.meet(aligned.true.values, aligned.pred.values)
    return len(cells) == cells.k_true


def induced(clustering: object, points: Collection[Hashable]) -> Clustering:
    """The clustering that ``clustering`` makes of some of its points (definition 4.2).

    >>> induced([{"a", "b", "c"}, {"d"}], {"b", "c", "d"}) == Clustering([{"b", "c"}, {"d"}])
    True
    """
    whole = Clustering.reading(clustering, "clustering")
    wanted = set(points)
    chosen = {point: name for point, name in whole.to_dict().items() if point in wanted}
    if len(chosen) < len(wanted):
        raise LabelError(
            Message(
                "`points` names {points} that `clustering` does not have.",
                points=count(len(wanted) - len(chosen)),
            )
        )
    return Clustering(chosen)


class Components:
    """The connected components of the bipartite graph of a meet, as codes of clusters and cells."""

    def __init__(self, meet: Meet) -> None:
        self.meet = meet
        self.of_true, self.of_pred, self.count = meet.cells.join()

    def __len__(self) -> int:
        return self.count

    @cached_property
    def of_cell(self) -> npt.NDArray[np.int32]:
        """The component of each cell."""
        return _core.take(self.of_true, self.meet.true)

    def of_clusters(self, true: npt.NDArray[Any], pred: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """The component of each pair of a true and a predicted cluster; either may be -1 for none, or both."""
        of_true, of_pred = np.append(self.of_true, -1), np.append(self.of_pred, -1)
        component: npt.NDArray[np.int32] = np.where(true >= 0, of_true[true], of_pred[pred])
        return component

    @cached_property
    def size(self) -> npt.NDArray[np.int64]:
        """The number of points of each component."""
        size: npt.NDArray[np.int64] = _core.group_sum(self.of_true, self.count, self.meet.true_size)
        size += self.spurious
        return size

    @cached_property
    def mass(self) -> npt.NDArray[Any]:
        """The weight of each component."""
        if self.meet.weights is None:
            return self.size
        mass: npt.NDArray[Any] = _core.group_sum(self.of_true, self.count, self.meet.true_mass)
        if len(self.meet.spurious):
            mass = mass + _core.group_sum(self.of_pred, self.count, self.meet.spurious.mass(self.meet.k_pred))
        return mass

    @cached_property
    def missing(self) -> Any:
        """The number of points of each component that only the true clustering has; 0 if there are none at all."""
        if not len(self.meet.missing):
            return 0
        return _core.group_sum(self.of_true, self.count, self.meet.missing.count(self.meet.k_true))

    @cached_property
    def spurious(self) -> Any:
        """The number of points of each component that only the predicted clustering has; 0 if there are none at all."""
        if not len(self.meet.spurious):
            return 0
        return _core.group_sum(self.of_pred, self.count, self.meet.spurious.count(self.meet.k_pred))

    @cached_property
    def true_count(self) -> npt.NDArray[np.int64]:
        """The number of true clusters of each component."""
        return _counted(self.of_true, self.count)

    @cached_property
    def pred_count(self) -> npt.NDArray[np.int64]:
        """The number of predicted clusters of each component."""
        return _counted(self.of_pred, self.count)

    @cached_property
    def clusters(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """How many true and how many predicted clusters of the user's each component has."""
        true, pred = self.true_count, self.pred_count
        if (single := self.meet.singles[0]).any():
            true = true - np.bincount(self.of_true[single], minlength=self.count)
        if (single := self.meet.singles[1]).any():
            pred = pred - np.bincount(self.of_pred[single], minlength=self.count)
        return true, pred

    @cached_property
    def kind(self) -> npt.NDArray[np.int8]:
        """What happened in each component, as an index into ``kinds``."""
        kind = (self.pred_count > 1).view(np.int8) + 2 * (self.true_count > 1).view(np.int8)
        if not self.meet.lost:
            return kind
        missing, spurious = np.greater(self.missing, 0), np.greater(self.spurious, 0)
        lost = np.where(missing, np.where(spurious, 3, 4), np.where(spurious, 5, 0))
        return np.where(kind == 0, lost, kind).astype(np.int8)

    @cached_property
    def damaged(self) -> npt.NDArray[np.int64]:
        """The components that are not the same on both sides, by number."""
        return np.flatnonzero(self.kind != self.kinds.index("same"))

    @cached_property
    def place(self) -> npt.NDArray[np.int32]:
        """The place of each component among the damaged ones; -1 for others."""
        place = np.full(self.count, -1, dtype=np.int32)
        place[self.damaged] = np.arange(len(self.damaged))
        return place

    @cached_property
    def damaged_cells(self) -> npt.NDArray[np.int64]:
        """Their cells, by number."""
        return np.flatnonzero((self.kind != self.kinds.index("same"))[self.of_cell])

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that there may be."""
        return UNEVEN_KINDS if self.meet.uneven else KINDS


def _counted(codes: npt.NDArray[np.int32], k: int) -> npt.NDArray[np.int64]:
    """How often each of ``k`` codes is there, without the copy in wider integers that NumPy makes."""
    return _core.group_sum(codes, k, np.broadcast_to(1, len(codes)))


def bipartite(meet: Meet) -> Table[Any]:
    """The bipartite graph (definition 4.1): an edge for each pair of clusters that share points.

    Points that only one side has are an edge from their cluster to None.
    """
    return meet.table


def derivation(meet: Meet) -> Table[Any]:
    """The derivation graph (definition 4.6): split edges from true clusters to cells, merge edges onwards.

    Cells are numbered as in the meet. It is refused where a side lacks points.
    """
    check_derivable(meet, "a derivation")
    cells = np.arange(len(meet))
    count = len(meet)
    source = np.empty(2 * count, dtype=object)
    target = np.empty(2 * count, dtype=object)
    source[:count], source[count:] = meet.true_names[meet.true], cells
    target[:count], target[count:] = cells, meet.pred_names[meet.pred]
    return Table(
        {
            "edge": np.repeat(["split", "merge"], count),
            "source": source,
            "target": target,
            "size": np.concatenate([meet.size, meet.size]),
        }
    )


def check_derivable(meet: Meet, what: str) -> None:
    """Refuse ``what``, which splits and merges clusters, where points would have to come and go as well."""
    if meet.lost:
        raise ArgumentError(
            f"{what} splits and merges clusters, and cannot add or remove the points that one side lacks.",
            Message('pass `missing="drop"` for the points that both have.'),
        )


def to_networkx(meet: Meet, graph: str = "bipartite") -> Any:
    """The bipartite or the derivation graph as a networkx DiGraph.

    Nodes are pairs of a part (``"true"``, ``"cell"`` or ``"pred"``) and a name or number; edges carry the size.
    """
    try:
        import networkx as nx
    except ImportError:
        raise MissingExtraError("networkx", "graph", "a networkx graph") from None
    if graph != "bipartite":
        check_derivable(meet, "a derivation")
    out = nx.DiGraph()
    true = [("true", name) for name in meet.true_names.tolist()]
    pred = [("pred", name) for name in meet.pred_names.tolist()]
    out.add_nodes_from(
        (node, {"size": size}) for node, size in zip(true, meet.true_size.tolist(), strict=True)
    )
    out.add_nodes_from(
        (node, {"size": size}) for node, size in zip(pred, meet.pred_size.tolist(), strict=True)
    )
    edges = zip(meet.true.tolist(), meet.pred.tolist(), meet.size.tolist(), strict=True)
    for number, (i, j, size) in enumerate(edges):
        if graph == "bipartite":
            out.add_edge(true[i], pred[j], size=size)
        else:
            cell = ("cell", number)
            out.add_node(cell, size=size)
            out.add_edge(true[i], cell, size=size)
            out.add_edge(cell, pred[j], size=size)
    return out
