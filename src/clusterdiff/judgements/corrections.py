"""Apply judgements to a run: the least change that satisfies them, and what was chosen where they leave it open."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.naming import inherit
from clusterdiff.judgements.assembly import Assembly, Placed, Score
from clusterdiff.judgements.entries import distinct
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Int64Array, Labels, null
from clusterdiff.points.ordering import rank_texts
from clusterdiff.table import record_html
from clusterdiff.wording import count


class Torn(NamedTuple):
    """A cluster that was taken apart: its parts, and pairs of them that no judgement sets apart.

    ``chosen`` counts those pairs, and ``undetermined`` are the points concerned: they had to go somewhere.
    """

    cluster: Any
    parts: tuple[tuple[Hashable, ...], ...]
    chosen: int
    undetermined: tuple[Hashable, ...]

    def _repr_html_(self) -> str:
        return record_html("Torn", self._asdict())


@dataclass(frozen=True)
class Choices:
    """What applying judgements did: clusters torn apart, clusters joined, and points that the run lacks."""

    torn: tuple[Torn, ...]
    joined: tuple[tuple[Any, ...], ...]
    absent: tuple[str, ...]


class Corrected(Clustering):
    """A clustering that satisfies judgements, and what was done to get there. Made by :meth:`Judgements.apply`."""

    choices: Choices

    @property
    def torn(self) -> tuple[Torn, ...]:
        """The clusters that were taken apart."""
        return self.choices.torn

    @property
    def joined(self) -> tuple[tuple[Any, ...], ...]:
        """The clusters, by name, that were made one."""
        return self.choices.joined

    @property
    def absent(self) -> tuple[str, ...]:
        """Points of the judgements that the run lacks; what follows through them still counts."""
        return self.choices.absent

    @property
    def chosen(self) -> int:
        """How many pairs were taken apart although no judgement says so; 0: no other clustering changes less."""
        return sum(torn.chosen for torn in self.torn)

    @property
    def undetermined(self) -> list[Hashable]:
        """The points of those pairs: the judgements do not say where they belong."""
        return [point for torn in self.torn for point in torn.undetermined]

    def __repr__(self) -> str:
        told = f"{count(len(self.joined), 'join')}, {count(len(self.torn), 'cluster')} taken apart"
        return f"{super().__repr__()[:-1]}; {told}, {count(len(self.undetermined))} undetermined>"


def apply(facts: Facts, run: Indexed, scores: Iterable[Score] | None = None) -> Corrected:
    """The least change of a run that satisfies facts without contradictions; links of ``scores`` say what to cut."""
    at = run.find(facts.names)
    present = np.flatnonzero(at >= 0)
    placed = Placed(at[present], run.cluster[at[present]].astype(np.int64), facts.block[present])
    assembly = Assembly(facts, run, placed, _touched(facts, run, placed), one_by_one=scores is not None)
    parts = _Parts(assembly, assembly.classes(scores))
    codes = run.cluster.astype(np.int64)
    codes[assembly.place] = len(run.sizes) + parts.of_atom[assembly.atom]
    new = Corrected.of(_named(codes, run), run.clustering.points, run.clustering.ordered)
    assert isinstance(new, Corrected)
    new.index = run.clustering.index
    absent = tuple(facts.names[i] for i in np.flatnonzero(at < 0).tolist())
    new.choices = Choices(parts.torn(), parts.joined(), absent)
    return new


def _touched(facts: Facts, run: Indexed, placed: Placed) -> Int64Array:
    """The clusters that change: with points of a block that spans several, or of two blocks that are apart."""
    clusters = len(run.sizes)
    pairs = distinct(placed.block * clusters + placed.cluster)
    block, cluster = pairs // clusters, pairs % clusters
    spans = np.bincount(block, minlength=len(facts.least))[block] > 1
    # Blocks of one scope in one cluster: every scope of a block goes to all clusters of the block.
    scoped = distinct(facts.scope * len(facts.least) + facts.block[facts.member])
    of_scope, of_block = scoped // len(facts.least), scoped % len(facts.least)
    start, stop = np.searchsorted(block, of_block), np.searchsorted(block, of_block, side="right")
    times = stop - start
    offset = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    where = cluster[np.repeat(start, times) + offset]
    _, inverse, times = np.unique(
        np.repeat(of_scope, times) * clusters + where, return_inverse=True, return_counts=True
    )
    return distinct(np.r_[cluster[spans], where[times[inverse.ravel()] > 1]])


class _Parts:
    """What became of the clusters that change: parts, each of one cluster and in one class of atoms."""

    def __init__(self, assembly: Assembly, of_atom: Int64Array) -> None:
        self.assembly, self.of_atom = assembly, of_atom
        keys, of_cell = np.unique(
            assembly.cell_cluster * assembly.count + of_atom[assembly.cell_atom], return_inverse=True
        )
        self._cluster, self._class = np.divmod(keys, max(1, assembly.count))
        self._of_cell: Int64Array = of_cell.ravel()
        self._names = assembly.run.clustering.names[assembly.touched].tolist()

    def joined(self) -> tuple[tuple[Any, ...], ...]:
        """The clusters, by name, that have points in one class now: least points first."""
        atoms = self.assembly
        first = np.full(atoms.count, len(atoms.rank))
        np.minimum.at(first, self.of_atom, atoms.least)
        rows = np.flatnonzero(np.bincount(self._class, minlength=atoms.count)[self._class] > 1)
        rows = rows[np.lexsort((atoms.cluster_least[self._cluster[rows]], first[self._class[rows]]))]
        names = [self._names[i] for i in self._cluster[rows].tolist()]
        return tuple(tuple(names[start:end]) for start, end in _runs(self._class[rows]))

    def torn(self) -> tuple[Torn, ...]:
        """The clusters in several parts, and what of that no judgement asked for: most of that first."""
        atoms, run = self.assembly, self.assembly.run
        size, clusters = run.sizes[atoms.touched], len(atoms.touched)
        torn = np.bincount(self._cluster, minlength=clusters) > 1
        held = _core.group_sum(self._of_cell, len(self._cluster), atoms.cell_points)
        # How many points of the cluster each cell was parted from although no judgement sets them apart.
        parted = size[atoms.cell_cluster] - held[self._of_cell] - atoms.points_apart()
        parted[~torn[atoms.cell_cluster]] = 0
        chosen = _core.group_sum(atoms.cell_cluster, clusters, atoms.cell_points * parted) // 2
        found = np.flatnonzero(torn)
        called = rank_texts([str(self._names[i]) for i in found.tolist()])
        found = found[np.lexsort((called, -size[found], -chosen[found]))]
        turn = np.empty(clusters, dtype=np.int64)
        turn[found] = np.arange(len(found))
        # The points of these clusters: cluster by cluster, part by part, in the order of their text.
        points = np.flatnonzero(torn[atoms.cluster])
        cell, cluster = atoms.cell[points], turn[atoms.cluster[points]]
        rank, part = atoms.rank[points], self._of_cell[cell]
        least = np.full(len(self._cluster), len(atoms.rank))
        np.minimum.at(least, part, rank)

        def told(rows: Int64Array, *order: Int64Array) -> tuple[Int64Array, list[Any]]:
            rows = rows[np.lexsort((rank[rows], *(key[rows] for key in order)))]
            return rows, list(map(run.points.__getitem__, atoms.place[points[rows]].tolist()))

        rows, named = told(np.arange(len(points)), least[part], cluster)
        bounds = _runs(part[rows])
        pieces = [tuple(named[start:end]) for start, end in bounds]
        inside = _runs(cluster[rows][[start for start, _ in bounds]])
        rows, named = told(np.flatnonzero(parted[cell] > 0), cluster)
        ends = np.searchsorted(cluster[rows], np.arange(len(found) + 1)).tolist()
        return tuple(
            Torn(self._names[i], tuple(pieces[start:end]), pairs, tuple(named[a:b]))
            for i, pairs, (start, end), (a, b) in zip(
                found.tolist(), chosen[found].tolist(), inside, pairwise(ends), strict=True
            )
        )


def _runs(values: Int64Array) -> list[tuple[int, int]]:
    """Where each run of equal neighbours starts and ends."""
    cuts = np.flatnonzero(np.diff(values)) + 1
    return list(pairwise([0, *cuts.tolist(), len(values)])) if len(values) else []


def _named(codes: Int64Array, run: Indexed) -> Labels:
    """Labels of new codes, called as the run calls its clusters; a part without a name gets a fresh one."""
    clusters = len(run.sizes)
    placed = codes >= 0
    cells, size = np.unique(codes[placed] * (clusters + 1) + run.cluster[placed], return_counts=True)
    new, old = cells // (clusters + 1), cells % (clusters + 1)
    order = np.lexsort((old, -size, new))
    used, first = np.unique(new[order], return_index=True)
    compact = np.full(len(codes), -1)
    compact[placed] = np.searchsorted(used, codes[placed])
    labels = Labels(np.maximum(compact, 0), run.clustering.names[old[order][first]], null(compact))
    names = inherit(run.clustering.labels, labels, run.points, own=False)
    return Labels(np.maximum(labels.codes, 0), names, null(compact))
