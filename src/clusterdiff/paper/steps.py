"""Random ways to worsen a clustering: their operations, and the clustering after any number of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed
from clusterdiff.messages import Message
from clusterdiff.table import Table

IntLabels = npt.NDArray[np.int64]


class Worsening(ABC):
    """A way to worsen a clustering: its operations, and the labels after any number of them.

    ``operations`` has one row per operation: what it did, to how many points, and how many clusters it left.
    """

    true: IntLabels
    operations: Table[Any]

    @abstractmethod
    def labels(self, count: int) -> IntLabels:
        """The labels after so many operations."""

    def meet(self, count: int) -> Meet:
        """The meet of the true clustering with the one after so many operations."""
        return Meet.from_labels(self.true, self.labels(count))

    def steps(self, at: IntLabels) -> Iterator[Summed]:
        """What is known about the clusterings after so many operations, ascending: here the whole meet."""
        return map(self.meet, at.tolist())


class Splits(Worsening):
    """Split any cluster anywhere: its points in random order are cut in two."""

    def __init__(self, true: IntLabels, rng: np.random.Generator) -> None:
        self.true = true
        self.order, start, stop = intervals(true, rng)
        pieces = [(a, b) for a, b in zip(start, stop, strict=True) if b - a > 1]
        cuts, sizes = [], []
        while pieces:
            i = int(rng.integers(len(pieces)))
            pieces[i], pieces[-1] = pieces[-1], pieces[i]
            a, b = pieces.pop()
            cut = int(rng.integers(a + 1, b))
            cuts.append(cut)
            sizes.append(b - a)
            pieces.extend(piece for piece in ((a, cut), (cut, b)) if piece[1] - piece[0] > 1)
        self.begins = np.array(start + cuts)
        self.clusters = len(start)
        self.operations = _operations("split", sizes, self.clusters + 1 + np.arange(len(cuts)))

    def labels(self, count: int) -> IntLabels:
        """The labels after so many splits."""
        return runs(self.order, self.begins[: self.clusters + count])


class Merges(Worsening):
    """Merge any two clusters."""

    def __init__(self, true: IntLabels, rng: np.random.Generator) -> None:
        self.true = true
        size = np.bincount(true).tolist()
        self.clusters = len(size)
        alive = list(range(self.clusters))
        self.joined: list[tuple[int, int]] = []
        sizes = []
        while len(alive) > 1:
            i, j = rng.choice(len(alive), 2, replace=False).tolist()
            one, other = alive[i], alive[j]
            self.joined.append((one, other))
            size[one] += size[other]
            sizes.append(size[one])
            alive[j] = alive[-1]
            alive.pop()
        self.operations = _operations("merge", sizes, self.clusters - 1 - np.arange(len(self.joined)))

    def labels(self, count: int) -> IntLabels:
        """The labels after so many merges."""
        to = list(range(self.clusters))
        for one, other in reversed(self.joined[:count]):
            to[other] = to[one]  # where the one it joined ends up is known, going backwards
        return np.array(to)[self.true]


class Moves(Worsening):
    """Move each point in turn to any other of the true clusters."""

    def __init__(self, true: IntLabels, rng: np.random.Generator) -> None:
        k = int(true.max()) + 1
        if k == 1:
            raise ArgumentError(
                Message('`how="moves"` needs a true clustering of at least two clusters; it has one.')
            )
        self.true = true
        self.order = rng.permutation(len(true))
        self.target = (true + rng.integers(1, k, len(true))) % k
        size = np.bincount(true)
        clusters = []
        left = k
        for point in self.order.tolist():
            size[true[point]] -= 1
            left -= size[true[point]] == 0
            left += size[self.target[point]] == 0
            size[self.target[point]] += 1
            clusters.append(int(left))
        self.operations = _operations("move", np.ones(len(true)), clusters)

    def labels(self, count: int) -> IntLabels:
        """The labels after so many moves."""
        out = self.true.copy()
        out[self.order[:count]] = self.target[self.order[:count]]
        return out


class Shuffle(Worsening):
    """Exchange the clusters of the first few points of a random order, then of a few more."""

    def __init__(self, true: IntLabels, rng: np.random.Generator) -> None:
        self.true = true
        self.order = rng.permutation(len(true))
        # Sorting the points by one random key each makes the permutation of a larger share extend that of a smaller.
        self.key = rng.random(len(true))
        k = int(true.max()) + 1
        self.operations = _operations("shuffle", 1 + np.arange(len(true)), np.full(len(true), k))

    def labels(self, count: int) -> IntLabels:
        """The labels after so many points were shuffled."""
        chosen = self.order[:count]
        out = self.true.copy()
        out[chosen] = self.true[chosen[np.argsort(self.key[:count])]]
        return out


RANDOM: dict[str, Callable[[IntLabels, np.random.Generator], Worsening]] = {
    "splits": Splits,
    "merges": Merges,
    "moves": Moves,
    "shuffle": Shuffle,
}


def _operations(word: str, size: Any, clusters: Any) -> Table[Any]:
    size = np.asarray(size, dtype=np.int64)
    return Table(
        {
            "operation": np.full(len(size), word),
            "size": size,
            "clusters": np.asarray(clusters, dtype=np.int64),
        }
    )


def intervals(true: IntLabels, rng: np.random.Generator) -> tuple[IntLabels, list[int], list[int]]:
    """The points in an order in which each cluster is a run, random within clusters; the runs' bounds."""
    order = rng.permutation(len(true))
    order = order[np.argsort(true[order], kind="stable")]
    stop = np.cumsum(np.bincount(true)).tolist()
    return order, [0, *stop[:-1]], stop


def runs(order: IntLabels, begins: IntLabels) -> IntLabels:
    """Labels of points that stand in ``order``, where a cluster is a run and runs begin at ``begins``."""
    first = np.zeros(len(order), dtype=np.int64)
    first[begins] = 1
    out = np.empty(len(order), dtype=np.int64)
    out[order] = np.cumsum(first) - 1
    return out
