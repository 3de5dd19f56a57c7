"""Atoms that stay whole, put together again without uniting what is apart: the heart of applying judgements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence


class Assembly:
    """Atoms of clusters, united where no scope holds both: atoms of one scope are pairwise apart.

    An atom has its points by cluster (``here``), its least point, and its scopes.
    """

    def __init__(self) -> None:
        self.parent: list[int] = []
        self.here: list[dict[int, int]] = []
        self.least: list[str] = []
        self.scopes: list[frozenset[int] | set[int]] = []
        # The same for whole classes, at the place of their root.
        self._held: list[dict[int, int]] = []
        self._first: list[str] = []
        self._foes: list[set[int]] = []

    def add(self, here: dict[int, int], least: str, scopes: frozenset[int] = frozenset()) -> int:
        """A new atom; its number."""
        self.parent.append(len(self.parent))
        self.here.append(here)
        self.least.append(least)
        self.scopes.append(scopes)
        self._held.append(dict(here))
        self._first.append(least)
        self._foes.append(set(scopes))
        return len(self.parent) - 1

    def find(self, atom: int) -> int:
        """The root of an atom's class."""
        while self.parent[atom] != atom:
            self.parent[atom] = self.parent[self.parent[atom]]
            atom = self.parent[atom]
        return atom

    def unite(self, a: int, b: int) -> bool:
        """Make one class of two, unless something holds them apart."""
        a, b = self.find(a), self.find(b)
        if a == b:
            return True
        if not self._foes[a].isdisjoint(self._foes[b]):
            return False
        if len(self._held[a]) + len(self._foes[a]) < len(self._held[b]) + len(self._foes[b]):
            a, b = b, a
        self.parent[b] = a
        for cluster, points in self._held[b].items():
            self._held[a][cluster] = self._held[a].get(cluster, 0) + points
        self._foes[a] |= self._foes[b]
        self._first[a] = min(self._first[a], self._first[b])
        return True

    def foes(self, atom: int) -> set[int]:
        """The scopes of the class of an atom: it stays apart from whatever shares one."""
        return self._foes[self.find(atom)]

    def held(self, atom: int, cluster: int) -> int:
        """How many points of a cluster the class of an atom has."""
        return self._held[self.find(atom)].get(cluster, 0)

    def first(self, atom: int) -> str:
        """The least point of the class of an atom."""
        return self._first[self.find(atom)]


def assemble(
    atoms: Assembly,
    homes: Mapping[int, Sequence[int]],
    spanning: Sequence[int],
    size: Callable[[int], int],
    least: Mapping[int, str],
    links: Mapping[tuple[int, int], Sequence[tuple[int, float]]] | None = None,
) -> None:
    """Unite what a cluster had together, as far as that is allowed.

    ``homes`` has the atoms of each cluster that do not span several, ``spanning`` those that do; ``size`` and ``least``
    are of clusters. ``links`` has scored links from a spanning atom to others of one cluster.
    """
    groups: dict[int, list[int]] = {}
    for cluster, inside in homes.items():
        if len(inside) == 1:  # most clusters: nothing to put in order
            groups[cluster] = list(inside)
            continue
        classes: dict[int, list[int]] = defaultdict(list)
        for atom in inside:
            classes[atoms.find(atom)].append(atom)
        order = sorted(
            classes,
            key=lambda root: (
                -sum(atoms.here[atom][cluster] for atom in classes[root]),
                min(atoms.least[atom] for atom in classes[root]),
            ),
        )
        groups[cluster] = _first_fit(atoms, order)
    wants = sorted(
        (-points, -size(cluster), atoms.least[atom], least[cluster], atom, cluster)
        for atom in spanning
        for cluster, points in atoms.here[atom].items()
    )
    for *_, atom, cluster in wants:
        strength: dict[int, float] = {}
        for other, score in (links or {}).get((atom, cluster), ()):
            root = atoms.find(other)
            strength[root] = max(strength.get(root, score), score)
        roots = {atoms.find(part) for part in groups[cluster]}
        best = (
            sorted(
                roots,
                key=lambda root: (
                    -strength.get(root, float("-inf")),
                    -atoms.held(root, cluster),
                    atoms.first(root),
                ),
            )
            if len(roots) > 1
            else roots
        )
        if not any(atoms.unite(root, atom) for root in best):
            groups[cluster].append(atom)


def _first_fit(atoms: Assembly, roots: Sequence[int]) -> list[int]:
    """Each of some classes into the first part that allows it, or else into a new one; a class of each part."""
    parts: list[int] = []
    # Which parts hold a scope: thousands may be apart from each other, and each would ask all that came before.
    holding: dict[int, set[int]] = defaultdict(set)
    for root in roots:
        foes = atoms.foes(root)
        closed = [holding[foe] for foe in foes]
        place = len(parts)
        if all(len(held) < len(parts) for held in closed):
            place = next((i for i in range(len(parts)) if not any(i in held for held in closed)), place)
        if place < len(parts):
            atoms.unite(parts[place], root)
        else:
            parts.append(root)
        for held in closed:
            held.add(place)
    return parts
