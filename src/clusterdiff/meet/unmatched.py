"""Points that only one side has, and the table of two sides that share none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray, Int64Array


@dataclass(frozen=True)
class Unmatched:
    """The points that only one side has: the cluster of each, and what else is known of it.

    ``at`` has their positions among all points. ``links`` is the link weight inside each cluster, with these points.
    """

    cluster: Int64Array
    at: Int64Array | None = None
    weights: npt.NDArray[Any] | None = None
    features: Any = None
    links: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.cluster)

    def count(self, k: int) -> Int64Array:
        """How many there are in each of ``k`` clusters; where there are none at all, zeros that take no memory."""
        if not len(self):
            return np.broadcast_to(np.int64(0), k)
        return np.bincount(self.cluster, minlength=k)

    def mass(self, k: int) -> npt.NDArray[Any]:
        """What they weigh in each of ``k`` clusters."""
        return self.count(k) if self.weights is None else _core.group_sum(self.cluster, k, self.weights)

    @property
    def total(self) -> Any:
        """What they weigh together."""
        return len(self) if self.weights is None else self.weights.sum().item()

    def weighing(self) -> Unmatched:
        """Those that weigh anything."""
        return (
            self if self.weights is None or self.weights.all() else self._chosen(np.flatnonzero(self.weights))
        )

    def _chosen(self, mine: Int64Array) -> Unmatched:
        def taken(values: Any) -> Any:
            return None if values is None else values[mine]

        at, weights, features = map(taken, (self.at, self.weights, self.features))
        return Unmatched(self.cluster[mine], at, weights, features, self.links)

    def of(self, clusters: Int64Array, k: int) -> Unmatched:
        """Those of some of the ``k`` clusters, which are renumbered in their order."""
        place = np.full(k, -1)
        place[clusters] = np.arange(len(clusters))
        mine = self._chosen(np.flatnonzero(place[self.cluster] >= 0))
        links = None if self.links is None else self.links[clusters]
        return replace(mine, cluster=place[mine.cluster], links=links)


#: What a side lacks that has all points.
NOBODY = Unmatched(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


class EvenOnly:
    """A member of meets that has no meaning where points are lost: asking for it is an error."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, meet: object, owner: type) -> Any:
        if meet is None:
            return self
        raise ArgumentError(
            f"`{self._name}` is known of two clusterings of the same points alone, and here points are lost.",
            Message('pass `missing="drop"` or `missing="singleton"`.'),
        )


class NoCells:
    """The table of two clusterings that share no point; the core has none without a cell."""

    n = 0
    true_labels = pred_labels = None

    def __init__(self, k_true: int, k_pred: int) -> None:
        self.k_true, self.k_pred = k_true, k_pred
        self.indptr = np.zeros(k_true + 1, dtype=np.int64)
        self.rows = self.cols = np.empty(0, dtype=np.int32)
        self.sizes = np.empty(0, dtype=np.int64)
        self.true_sizes = np.zeros(k_true, dtype=np.int64)
        self.pred_sizes = np.zeros(k_pred, dtype=np.int64)

    def __len__(self) -> int:
        return 0

    def join(self) -> _core.Join:
        """Every cluster is a component of its own."""
        both = np.arange(self.k_true + self.k_pred, dtype=np.int32)
        return _core.Join(both[: self.k_true], both[self.k_true :], len(both))

    def side_losses(self, *scores: Any, **side: Any) -> _core.SideLosses:
        """Nothing is lost in cells."""
        return _core.SideLosses(np.empty(0), None)

    def assign(self, values: Any) -> Int64Array:
        """There is nothing to match."""
        return np.empty(0, dtype=np.int64)
