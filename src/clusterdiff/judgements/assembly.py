"""Atoms: what of a run stays whole when judgements are applied, put together again without uniting what is apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat

import numpy as np

from clusterdiff import _core
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.entries import distinct
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.labels import FloatArray, Int64Array
from clusterdiff.points.texts import texts

Score = tuple[str, str, float]


@dataclass(frozen=True)
class Placed:
    """Judged points that a run has: where they stand, in which cluster and which block."""

    at: Int64Array
    cluster: Int64Array
    block: Int64Array


class Assembly:
    """The clusters of a run that change, as atoms: blocks, and the free points of a cluster, together or one by one.

    ``touched`` are those clusters, numbered in this order. ``place``, ``cluster``, ``atom``, ``cell`` and ``rank`` (by
    text) are of their points, cluster by cluster. A cell is what an atom has in a cluster; ``cell_atom``,
    ``cell_cluster`` and ``cell_points`` are of cells, atom by atom. ``least`` and ``cluster_least`` are least ranks.
    """

    def __init__(
        self, facts: Facts, run: Indexed, placed: Placed, touched: Int64Array, one_by_one: bool
    ) -> None:
        self.run, self.touched = run, touched
        number = np.full(len(run.sizes) + 1, -1)  # the last is that of code -1: in no cluster
        number[touched] = np.arange(len(touched))
        inside = np.flatnonzero(number[run.cluster] >= 0)
        indptr, members = _core.group_members(number[run.cluster[inside]], len(touched))
        self.place = inside[members]
        self.cluster: Int64Array = np.repeat(np.arange(len(touched)), np.diff(indptr))
        judged = np.flatnonzero(number[placed.cluster] >= 0)
        blocks, of_judged = np.unique(placed.block[judged], return_inverse=True)
        atom_at = np.full(len(run.cluster), -1)
        atom_at[placed.at[judged]] = of_judged.ravel()
        self.atom = atom_at[self.place]
        free = np.flatnonzero(self.atom < 0)
        new = np.ones(len(free), dtype=bool)  # the first point of an atom
        if not one_by_one:
            new[1:] = np.diff(self.cluster[free]) > 0
        self.atom[free] = len(blocks) + np.cumsum(new) - 1
        self.count = len(blocks) + int(new.sum())
        keys, cell, self.cell_points = np.unique(
            self.atom * len(touched) + self.cluster, return_inverse=True, return_counts=True
        )
        self.cell: Int64Array = cell.ravel()
        self.cell_atom, self.cell_cluster = np.divmod(keys, max(1, len(touched)))
        self.rank = run.text_ranks(self.place)
        self.least, self.cluster_least = (np.full(k, len(self.rank)) for k in (self.count, len(touched)))
        np.minimum.at(self.least, self.atom, self.rank)
        np.minimum.at(self.cluster_least, self.cluster, self.rank)
        self._cells = _starts(self.cell_atom, self.count), self.cell_cluster, self.cell_points
        self._scopes = self._shared_scopes(facts, blocks)

    def classes(self, scores: Iterable[Score] | None = None) -> Int64Array:
        """The class of each atom, if clusters keep together what nothing sets apart."""
        order = self.least, self.cluster_least, self.run.sizes[self.touched]
        links = None if scores is None else self._links(scores)
        return _core.assemble(self._cells, *self._scopes, *order, links)

    def points_apart(self) -> Int64Array:
        """For each cell, how many points of its cluster judgements set apart from it."""
        return _core.points_apart(self._cells, *self._scopes, len(self.touched))

    def _shared_scopes(self, facts: Facts, blocks: Int64Array) -> tuple[tuple[Int64Array, Int64Array], int]:
        """The scopes of each atom, and how many there are; a scope of a single atom sets nothing apart."""
        atom = np.full(len(facts.least), -1)
        atom[blocks] = np.arange(len(blocks))
        of_member = atom[facts.block[facts.member]]
        held = of_member >= 0
        scopes, scope = np.unique(facts.scope[held], return_inverse=True)
        rows = distinct(of_member[held] * len(scopes) + scope.ravel())
        of_atom, scope = np.divmod(rows, max(1, len(scopes)))
        several = (np.bincount(scope, minlength=len(scopes)) > 1)[scope]
        return (_starts(of_atom[several], self.count), scope[several]), len(scopes)

    def _links(self, scores: Iterable[Score]) -> tuple[Int64Array, Int64Array, Int64Array, FloatArray]:
        """Scored pairs inside clusters as links of atoms, the strongest first; among equals, those of least points."""
        names = list(map(self.run.text, self.place.tolist()))
        number = dict(zip(names, range(len(names)), strict=True))
        found = list(scores)
        for odd in (one for one in found if not isinstance(one, tuple | list) or len(one) != 3):
            raise ArgumentError.must("scores", "be triples, point, point and score", odd)
        left, right, given = zip(*found, strict=True) if found else ((), (), ())
        a, b = (
            np.fromiter(map(number.get, texts(side), repeat(-1)), np.int64, len(side))
            for side in (left, right)
        )
        score = np.array(given, dtype=float)
        inside = np.flatnonzero((a >= 0) & (b >= 0))
        inside = inside[self.cluster[a[inside]] == self.cluster[b[inside]]]
        a, b, score = a[inside], b[inside], score[inside]
        if np.isnan(score).any():
            raise ArgumentError.must("scores", "be numbers", float("nan"))
        first, second = np.minimum(self.rank[a], self.rank[b]), np.maximum(self.rank[a], self.rank[b])
        order = np.lexsort((second, first, -score))
        a, b = a[order], b[order]
        return self.atom[a], self.atom[b], self.cluster[a], score[order]


def _starts(of: Int64Array, count: int) -> Int64Array:
    """Where the rows of each of ``count`` owners begin, and the last end; rows come owner by owner."""
    starts: Int64Array = np.r_[0, np.cumsum(np.bincount(of, minlength=count))]
    return starts
