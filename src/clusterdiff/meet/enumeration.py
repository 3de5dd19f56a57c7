"""All clusterings of a few points, and all pairs of them up to renaming points and clusters."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property

Labels8 = npt.NDArray[np.int8]
Indices = npt.NDArray[np.int64]


def partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The ways to write n as a sum, parts in falling order.

    >>> list(partitions(4))
    [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    """
    if n == 0:
        yield ()
        return
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def as_sets(labels: npt.ArrayLike) -> tuple[tuple[int, ...], ...]:
    """The clusters behind labels, as tuples of positions.

    >>> as_sets([0, 0, 1, 0])
    ((0, 1, 3), (2,))
    """
    clusters: dict[int, list[int]] = {}
    for point, label in enumerate(np.asarray(labels).tolist()):
        clusters.setdefault(label, []).append(point)
    return tuple(tuple(cluster) for cluster in clusters.values())


class Universe:
    """The set Ω of all clusterings of n points.

    ``labels`` has a row per clustering, with clusters numbered by first appearance. ``representatives`` holds one
    clustering for each way to choose the cluster sizes: any other is one of these with its points renamed, and
    ``orbits`` says how many are.

    Examples
    --------
    >>> universe = Universe(4)
    >>> len(universe), universe.orbits.tolist()
    (15, [1, 4, 3, 6, 1])
    """

    def __init__(self, n: int) -> None:
        self.n = n
        labels = np.zeros((1, 1), dtype=np.int8)
        for _ in range(n - 1):
            choices = labels.max(axis=1).astype(np.int64) + 2
            start = np.repeat(np.cumsum(choices) - choices, choices)
            new = np.arange(choices.sum()) - start
            labels = np.column_stack([np.repeat(labels, choices, axis=0), new.astype(np.int8)])
        self.labels: Labels8 = labels
        self._code = self._encode(labels)
        self._sorted = np.argsort(self._code)
        self.sizes = tuple(partitions(n))
        wanted = np.array([np.repeat(np.arange(len(s)), s) for s in self.sizes], dtype=np.int8)
        self.representatives: Indices = self.index(wanted)

    def __len__(self) -> int:
        return len(self.labels)

    def _encode(self, labels: npt.NDArray[Any]) -> Indices:
        """A number for each clustering that does not depend on its labels."""
        code = np.zeros(len(labels), dtype=np.int64)
        for i in range(1, self.n):
            first = np.full(len(labels), i)
            for j in range(i - 1, -1, -1):
                first[labels[:, j] == labels[:, i]] = j
            code = code * self.n + first
        return code

    def index(self, labels: npt.NDArray[Any]) -> Indices:
        """The numbers, among all clusterings, of those given by rows of labels."""
        found: Indices = self._sorted[np.searchsorted(self._code, self._encode(labels), sorter=self._sorted)]
        return found

    @cached_property
    def kind(self) -> Indices:
        """For each clustering, the position of its cluster sizes in ``sizes``."""
        position = {sizes: i for i, sizes in enumerate(self.sizes)}
        counts = np.sort((self.labels[:, :, None] == np.arange(self.n)).sum(axis=1), axis=1)[:, ::-1]
        return np.array([position[tuple(row[row > 0].tolist())] for row in counts])

    @property
    def orbits(self) -> Indices:
        """How many clusterings have the cluster sizes of each representative."""
        return np.bincount(self.kind, minlength=len(self.sizes))

    def moved(self, clustering: int) -> Indices:
        """Rename the points so that a clustering becomes its representative; returns where each clustering goes."""
        labels = self.labels[clustering]
        size = np.bincount(labels, minlength=self.n)[labels]
        order = np.lexsort((labels, -size))
        return self.index(self.labels[:, order])

    @cached_property
    def pairs(self) -> tuple[Indices, Indices, Indices]:
        """Pairs that stand for all: representatives, predicted clusterings, and how many pairs each stands for.

        Pairs with the same table of cells up to the order of rows and columns are one.
        """
        true, pred, count = [], [], []
        for position, (representative, orbit) in enumerate(
            zip(self.representatives, self.orbits, strict=True)
        ):
            first, inverse = self.classes[position]
            true.append(np.full(len(first), representative))
            pred.append(first)
            count.append(np.bincount(inverse) * orbit)
        return np.concatenate(true), np.concatenate(pred), np.concatenate(count)

    @cached_property
    def classes(self) -> list[tuple[Indices, Indices]]:
        """For each representative: the predicted clusterings that stand for all, and which of them stands for each."""
        return [self._classes(self.labels[r]) for r in self.representatives]

    def _classes(self, true: Labels8) -> tuple[Indices, Indices]:
        rows = (true[None, :] == np.arange(true.max() + 1)[:, None]).astype(np.int64)
        table = rows @ (self.labels[:, :, None] == np.arange(self.n)).astype(np.int64)
        canonical = _canonical(table).astype(np.int8).reshape(len(table), -1)
        keys = np.ascontiguousarray(canonical).view(f"V{canonical.shape[1]}").ravel()
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        return first, inverse


def _canonical(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Tables with rows and columns in an order that depends little on the one they came in.

    Rows and columns are sorted by a hash of what they share with each other. Two tables that come out equal are
    the same up to order; a tie that the hash cannot break only makes one class of pairs into two.
    """
    count, height, width = table.shape
    row = np.ones((count, height), dtype=np.uint64)
    column = np.ones((count, width), dtype=np.uint64)
    filled = table.astype(np.uint64)
    with np.errstate(over="ignore"):
        for _ in range(3):
            row = _mix(
                np.where(table > 0, _mix(filled * np.uint64(0x9E3779B97F4A7C15) + column[:, None, :]), 0).sum(
                    axis=2
                )
            )
            column = _mix(
                np.where(table > 0, _mix(filled * np.uint64(0x9E3779B97F4A7C15) + row[:, :, None]), 0).sum(
                    axis=1
                )
            )
    table = np.take_along_axis(table, np.argsort(row, axis=1)[:, :, None], axis=1)
    weight = (table.max() + 1) ** np.arange(height, dtype=np.int64)
    content = (table * weight[:, None]).sum(axis=1)
    return np.take_along_axis(table, np.argsort(-content, axis=1, kind="stable")[:, None, :], axis=2)


def _mix(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    x = (x ^ (x >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return x ^ (x >> np.uint64(29))


@cache
def universe(n: int) -> Universe:
    """Ω for n points, made once."""
    return Universe(n)


def halves(parts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to split one of the parts in two, parts in falling order."""
    for i, part in enumerate(parts):
        for piece in range(1, part // 2 + 1):
            yield tuple(sorted((*parts[:i], *parts[i + 1 :], piece, part - piece), reverse=True))


def levelled(parts: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Every way to move a point from one part to a smaller one that stays no larger: sizes less skewed."""
    for big in sorted(set(parts), reverse=True):
        for small in sorted(set(parts)):
            if big - small >= 2:
                rest = list(parts)
                rest.remove(big)
                rest.remove(small)
                yield tuple(sorted((*rest, big - 1, small + 1), reverse=True))
