"""Lineage: the clusters of several releases, and the records that they hand on from one release to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from clusterdiff import notebook
from clusterdiff.caching import cached_property
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray
from clusterdiff.wording import count


class Handed(NamedTuple):
    """Records that old clusters hand on to new ones: a row per pair that shares any.

    ``continued`` says which new clusters continue the old one of their row.
    """

    old: Int64Array
    new: Int64Array
    size: Int64Array
    continued: BoolArray

    def main(self, side: str) -> BoolArray:
        """Which rows have most records of their "old" or "new" cluster; of equal ones that of its continuation."""
        cluster = getattr(self, side)
        order = np.lexsort((self.continued, self.size, cluster))
        last = np.append(np.diff(cluster[order]) > 0, True)[: len(order)]
        main = np.zeros(len(order), dtype=bool)
        main[order[last]] = True
        return main

    @property
    def moved(self) -> Int64Array:
        """The records of each row that left most of their old cluster, or joined most of their new one."""
        return np.where(self.main("old") & self.main("new"), 0, self.size)


class Lineage:
    """Clusters of all releases, linked where one hands records on to one of the next release.

    A cluster is a number: its code, after those of the releases before. Clusters that are linked, through whatever
    others, are a component.
    """

    def __init__(self, codes: Sequence[IntArray], handed: Sequence[Handed]) -> None:
        self.handed = handed
        sizes = [np.bincount(release[release >= 0]) for release in codes]
        #: Where the clusters of each release begin.
        self.start = np.cumsum([0, *map(len, sizes)])
        self.size: Int64Array = np.concatenate(sizes).astype(np.int64)

    def __repr__(self) -> str:
        return f"<Lineage of {count(len(self.size), 'cluster')} in {count(len(self.start) - 1, 'release')}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)))

    @cached_property
    def links(self) -> tuple[Int64Array, Int64Array]:
        """The clusters at both ends of every row of ``handed``, one step after the other."""
        ends = [
            (step.old + self.start[i], step.new + self.start[i + 1]) for i, step in enumerate(self.handed)
        ]
        old, new = (np.concatenate(side) for side in zip(*ends, strict=True))
        return old, new

    @cached_property
    def component(self) -> IntArray:
        """The component of each cluster."""
        old, new = self.links
        shape = (len(self.size),) * 2
        graph: Any = coo_array((np.ones(len(old), dtype=np.int8), (old, new)), shape=shape)
        found: IntArray = connected_components(graph, directed=False)[1]
        return found

    @cached_property
    def moved(self) -> Int64Array:
        """The records of every link that moved; see :attr:`Handed.moved`."""
        return np.concatenate([step.moved for step in self.handed])

    @cached_property
    def changed(self) -> Int64Array:
        """How many records of each component moved, over all steps."""
        k = int(self.component.max(initial=-1)) + 1
        return np.bincount(self.component[self.links[0]], self.moved, k).astype(np.int64)
