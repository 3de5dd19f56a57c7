"""The merges that cost most: which link, what it put together, and which two true clusters it bridged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.decide.trees import Int32Array
from clusterdiff.decide.truth import LabelledTree
from clusterdiff.points.labels import AnyArray, FloatArray
from clusterdiff.table import Table, python, record_html

#: So many of them are described.
MOST = 100


class WorstMerge(NamedTuple):
    """A merge of a tree that lowered S_H.

    ``cost`` is by how much, in the order of the tree; of merges at one threshold only the sum has a meaning of its own.
    ``left`` and ``right`` are two points that it connected: the ends of the pair, or for a dendrogram one of each side.
    ``true_left`` and ``true_right`` are their true clusters: of a dendrogram the two that now share most pairs of
    points. ``left_size`` and ``right_size`` count the points on either side. ``link`` is the row of the dendrogram, or
    the pair.
    """

    threshold: float
    cost: float
    left: Any
    right: Any
    true_left: Any
    true_right: Any
    left_size: int
    right_size: int
    link: int

    def _repr_html_(self) -> str:
        return record_html("WorstMerge", self._asdict())


class Bridge(NamedTuple):
    """Two points that a merge connected, and their true clusters; None for a cluster that is not known."""

    points: tuple[Any, Any]
    clusters: tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class PairsOf:
    """The pairs of points that a tree was made of: the leaves at either end, by what they are called."""

    laid: LabelledTree
    names: Sequence[Any]
    left: Int32Array
    right: Int32Array

    def bridge(self, link: int) -> Bridge:
        """The two points of a pair."""
        ends = int(self.left[link]), int(self.right[link])
        clusters = [self._cluster(end) for end in ends]
        return Bridge((self.names[ends[0]], self.names[ends[1]]), (clusters[0], clusters[1]))

    def _cluster(self, leaf: int) -> Any:
        at = int(np.searchsorted(self.laid.leaf, leaf))
        known = at < len(self.laid.leaf) and self.laid.leaf[at] == leaf
        return python(self.laid.names[self.laid.codes[at]]) if known else None


def changes_of(laid: LabelledTree) -> FloatArray:
    """What each merge changes in S_H."""
    tree = laid.tree
    none = np.zeros(0, dtype=np.int64)
    return _core.sweep(laid.codes, len(laid.names), tree.left, tree.right, none, changes=True).change


def worst_merges(
    laid: LabelledTree, change: FloatArray, pairs: PairsOf | None = None, most: int = MOST
) -> Table[WorstMerge]:
    """The costliest of the first merges, by what each changes; ``pairs`` if links are pairs of points."""
    tree = laid.tree
    worst = np.argsort(change, kind="stable")[:most]
    worst = worst[change[worst] < 0]
    order, start, size = _core.leaves(tree.left, tree.right, tree.points)
    rows = []
    for merge in worst.tolist():
        sides = [int(node[merge]) for node in (tree.left, tree.right)]
        link = int(tree.link[merge])
        inside = [order[start[x] : start[x] + size[x]] for x in sides]
        bridge = _bridge(laid, inside) if pairs is None else pairs.bridge(link)
        sizes = [int(size[x]) for x in sides]
        rows.append(
            (float(tree.height[merge]), -float(change[merge]), *bridge.points, *bridge.clusters, *sizes, link)
        )
    columns = zip(*rows, strict=True) if rows else ([] for _ in WorstMerge._fields)
    return Table(
        {name: _column(values) for name, values in zip(WorstMerge._fields, columns, strict=True)}, WorstMerge
    )


def _bridge(laid: LabelledTree, inside: list[Int32Array]) -> Bridge:
    """A point of each side, of the two true clusters that have most pairs of points between the sides."""
    left, right = (np.bincount(laid.codes[points]) for points in inside)
    # The best pair is among the two that lead on either side: the second matters only where one leads on both.
    pairs = [(a, b) for a in _leaders(left) for b in _leaders(right) if a != b]
    best = max(pairs, key=lambda pair: int(left[pair[0]]) * int(right[pair[1]]))
    first = [
        int(points[np.argmax(laid.codes[points] == code)]) for points, code in zip(inside, best, strict=True)
    ]
    a, b = (python(laid.names[code]) for code in best)
    return Bridge((laid.points[first[0]], laid.points[first[1]]), (a, b))


def _leaders(sizes: Any) -> list[int]:
    top = np.argsort(-sizes, kind="stable")[:2]
    return [int(code) for code in top if sizes[code]]


def _column(values: Any) -> AnyArray:
    listing = list(values)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in listing):
        return np.asarray(listing)
    column = np.empty(len(listing), dtype=object)
    column[:] = listing
    return column
