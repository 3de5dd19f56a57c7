"""Apply judgements to a run: the least change that satisfies them, and what was chosen where they leave it open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.diff.naming import inherit
from clusterdiff.judgements.assembly import Assembly, assemble
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Int64Array, Labels, null
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


@dataclass(frozen=True)
class _Placed:
    """Judged points that a run has: where they stand, in which cluster and which block, block by block."""

    at: Int64Array
    cluster: Int64Array
    block: Int64Array


def apply(facts: Facts, run: Indexed, scores: Iterable[tuple[str, str, float]] | None = None) -> Corrected:
    """The least change of a run that satisfies facts without contradictions; links of ``scores`` say what to cut."""
    at = run.find(facts.names)
    present = np.flatnonzero(at >= 0)
    placed = _Placed(at[present], run.cluster[at[present]].astype(np.int64), facts.block[present])
    touched = _touched(facts, run, placed)
    members = run.members(touched)
    atoms = Assembly()
    atom_of = _judged_atoms(atoms, facts, run, placed, touched)
    spanning = [atom for atom in range(len(atoms.parent)) if len(atoms.here[atom]) > 1]
    is_spanning = set(spanning)
    homes: dict[int, list[int]] = {cluster: [] for cluster in members}
    for atom in range(len(atoms.parent)):
        if atom not in is_spanning:
            homes[next(iter(atoms.here[atom]))].append(atom)
    least = {}
    for cluster, positions in members.items():
        least[cluster] = min(map(run.text, positions))
        free = [place for place in positions if place not in atom_of]
        for bundle in [[place] for place in free] if scores is not None else [free] if free else []:
            atom = atoms.add({cluster: len(bundle)}, min(map(run.text, bundle)))
            homes[cluster].append(atom)
            atom_of |= dict.fromkeys(bundle, atom)
    links = None if scores is None else _linked(atoms, run, atom_of, is_spanning, scores)
    assemble(atoms, homes, spanning, lambda cluster: int(run.sizes[cluster]), least, links)
    return _result(atoms, run, members, atom_of, tuple(facts.names[i] for i in np.flatnonzero(at < 0)))


def _touched(facts: Facts, run: Indexed, placed: _Placed) -> Int64Array:
    """The clusters that change: with points of a block that spans several, or of two blocks that are apart."""
    clusters = len(run.sizes)
    pairs = np.unique(placed.block * clusters + placed.cluster)
    block, cluster = pairs // clusters, pairs % clusters
    spans = np.bincount(block, minlength=len(facts.least))[block] > 1
    # Blocks of one scope in one cluster: every scope of a block goes to all clusters of the block.
    scoped = np.unique(facts.scope * len(facts.least) + facts.block[facts.member])
    of_scope, of_block = scoped // len(facts.least), scoped % len(facts.least)
    start, stop = np.searchsorted(block, of_block), np.searchsorted(block, of_block, side="right")
    times = stop - start
    offset = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    where = cluster[np.repeat(start, times) + offset]
    _, inverse, times = np.unique(
        np.repeat(of_scope, times) * clusters + where, return_inverse=True, return_counts=True
    )
    return np.unique(np.r_[cluster[spans], where[times[inverse.ravel()] > 1]])


def _judged_atoms(
    atoms: Assembly, facts: Facts, run: Indexed, placed: _Placed, touched: Int64Array
) -> dict[int, int]:
    """An atom for each block with points in a cluster that changes; the atom of each of its points."""
    inside = np.zeros(len(run.sizes), dtype=bool)
    inside[touched] = True
    rows = np.flatnonzero(inside[placed.cluster])
    rows = rows[np.argsort(placed.block[rows], kind="stable")]
    scopes: dict[int, set[int]] = defaultdict(set)
    concerned = np.zeros(len(facts.least), dtype=bool)
    concerned[placed.block[rows]] = True
    member = facts.block[facts.member]
    held = concerned[member]
    for block, scope in zip(member[held].tolist(), facts.scope[held].tolist(), strict=True):
        scopes[block].add(scope)
    atom_of: dict[int, int] = {}
    points: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for at, cluster, block in zip(
        placed.at[rows].tolist(), placed.cluster[rows].tolist(), placed.block[rows].tolist(), strict=True
    ):
        points[block].append((at, cluster))
    for block, where in points.items():
        here: dict[int, int] = defaultdict(int)
        for _, cluster in where:
            here[cluster] += 1
        atom = atoms.add(dict(here), min(run.text(at) for at, _ in where), frozenset(scopes[block]))
        atom_of |= {at: atom for at, _ in where}
    return atom_of


def _linked(
    atoms: Assembly,
    run: Indexed,
    atom_of: dict[int, int],
    spanning: set[int],
    scores: Iterable[tuple[str, str, float]],
) -> dict[tuple[int, int], list[tuple[int, float]]]:
    """Unite along scored pairs inside clusters, the strongest first; returns the links of blocks that have to wait."""
    place = {run.text(at): at for at in atom_of}
    inside = []
    for one, two, score in scores:
        a, b = place.get(str(one)), place.get(str(two))
        if a is not None and b is not None and run.cluster[a] == run.cluster[b]:
            least, other = sorted((str(one), str(two)))
            inside.append((-score, least, other))
    links: dict[tuple[int, int], list[tuple[int, float]]] = defaultdict(list)
    for strength, one, two in sorted(inside):
        a, b = place[one], place[two]
        u, v = atom_of[a], atom_of[b]
        waiting = [(x, y) for x, y in ((u, v), (v, u)) if x in spanning]
        for x, y in waiting if u != v else ():
            links[x, int(run.cluster[a])].append((y, -strength))
        if not waiting:
            atoms.unite(u, v)
    return links


def _result(
    atoms: Assembly,
    run: Indexed,
    members: dict[int, list[int]],
    atom_of: dict[int, int],
    absent: tuple[str, ...],
) -> Corrected:
    codes = run.cluster.astype(np.int64)
    first = len(run.sizes)
    held: dict[int, set[int]] = defaultdict(set)
    torn = []
    names = run.clustering.names.tolist()
    for cluster, positions in members.items():
        roots = {place: atoms.find(atom_of[place]) for place in positions}
        for place, root in roots.items():
            codes[place] = first + root
            held[root].add(cluster)
        if len(set(roots.values())) > 1:
            torn.append(_torn(atoms, run, cluster, positions, atom_of, names[cluster]))
    joined = [
        (min(map(run.text, (members[cluster][0] for cluster in clusters))), clusters)
        for clusters in held.values()
        if len(clusters) > 1
    ]
    labels = _named(codes, run)
    new = Corrected.of(labels, run.clustering.points, run.clustering.ordered)
    assert isinstance(new, Corrected)
    new.index = run.clustering.index
    new.choices = Choices(
        tuple(sorted(torn, key=lambda one: (-one.chosen, -sum(map(len, one.parts)), str(one.cluster)))),
        tuple(
            tuple(names[cluster] for cluster in sorted(clusters))
            for _, clusters in sorted(joined, key=lambda j: j[0])
        ),
        absent,
    )
    return new


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


def _torn(
    atoms: Assembly, run: Indexed, cluster: int, positions: Sequence[int], atom_of: dict[int, int], name: Any
) -> Torn:
    """What became of a cluster, and what of that no judgement asked for."""
    inside: dict[int, list[int]] = defaultdict(list)
    for place in sorted(positions, key=run.text):
        inside[atom_of[place]].append(place)
    parts: dict[int, list[int]] = defaultdict(list)
    scoped: dict[int, set[int]] = defaultdict(set)
    for atom, places in inside.items():
        parts[atoms.find(atom)] += places
        for scope in atoms.scopes[atom]:
            scoped[scope].add(atom)

    @cache
    def told_apart(scopes: frozenset[int]) -> int:  # many atoms have the same scopes
        return sum(len(inside[other]) for other in set[int]().union(*(scoped[scope] for scope in scopes)))

    total, chosen, open_points = len(positions), 0, []
    for atom, places in inside.items():
        apart = told_apart(frozenset(atoms.scopes[atom])) - len(places) if atoms.scopes[atom] else 0
        elsewhere = total - len(parts[atoms.find(atom)]) - apart
        if elsewhere:
            chosen += len(places) * elsewhere
            open_points += places
    ordered = sorted(
        (sorted(part, key=run.text) for part in parts.values()), key=lambda part: run.text(part[0])
    )
    return Torn(
        name,
        tuple(tuple(run.points[place] for place in part) for part in ordered),
        chosen // 2,
        tuple(run.points[place] for place in sorted(open_points, key=run.text)),
    )
