"""Judgements applied to a run: atoms put together again, against the rule step by step; and the order of texts."""

from __future__ import annotations

import random
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pytest

from clusterdiff import _core
from tests.cases import cases

Cells = list[dict[int, int]]


def lists(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Rows one after the other, and where each begins."""
    return np.array([0, *accumulate(map(len, rows))]), np.array([*chain(*rows)], dtype=np.int64)


def told(cells: Cells, scopes: list[set[int]]) -> tuple[Any, ...]:
    """Atoms as the core takes them."""
    points = [number for here in cells for _, number in sorted(here.items())]
    starts, clusters = lists([sorted(here) for here in cells])
    return (starts, clusters, np.array(points, dtype=np.int64)), lists([sorted(one) for one in scopes]), 9


def oracle(
    cells: Cells,
    scopes: list[set[int]],
    least: list[int],
    first: list[int],
    size: list[int],
    links: list[tuple[int, int, int, float]],
) -> set[frozenset[int]]:
    """The classes of atoms, as sets."""
    of = {atom: {atom} for atom in range(len(cells))}

    def held(part: set[int], cluster: int) -> int:
        return sum(cells[atom].get(cluster, 0) for atom in part)

    def unite(a: int, b: int) -> bool:
        one, two = of[a], of[b]
        if one is two:
            return True
        if set().union(*(scopes[x] for x in one)) & set().union(*(scopes[x] for x in two)):
            return False
        for atom in two:
            one.add(atom)
            of[atom] = one
        return True

    spanning = [atom for atom, here in enumerate(cells) if len(here) > 1]
    for u, v, _, _ in links:
        if u not in spanning and v not in spanning:
            unite(u, v)
    parts: list[list[int]] = []
    for cluster in range(len(size)):
        inside = {id(of[a]): of[a] for a, here in enumerate(cells) if [*here] == [cluster]}.values()
        parts.append([])
        for part in sorted(inside, key=lambda p: (-held(p, cluster), min(least[a] for a in p))):
            atom = min(part)
            if not any(unite(other, atom) for other in parts[cluster]):
                parts[cluster].append(atom)
    wants = [
        (-number, -size[cluster], least[atom], first[cluster], atom, cluster)
        for atom in spanning
        for cluster, number in cells[atom].items()
    ]
    for *_, atom, cluster in sorted(wants):

        def strength(part: int, atom: int = atom, cluster: int = cluster) -> float:
            mine = [(u, v, s) for u, v, c, s in links if c == cluster and atom in (u, v) and u != v]
            return max((s for u, v, s in mine if (v if u == atom else u) in of[part]), default=-np.inf)

        order = sorted(
            parts[cluster],
            key=lambda p: (-strength(p), -held(of[p], cluster), min(least[a] for a in of[p])),
        )
        if not any(unite(part, atom) for part in order):
            parts[cluster].append(atom)
    return {frozenset(part) for part in of.values()}


def test_atoms_are_united_step_by_step() -> None:
    """Links, then the parts of each cluster, then what spans several: classes, and points that are told apart."""
    pick, several, linked = random.Random(4), 0, 0
    for _ in range(300):
        clusters, count = pick.randint(1, 4), pick.randint(1, 12)
        cells = [
            {
                c: pick.randint(1, 3)
                for c in pick.sample(range(clusters), min(clusters, pick.choice([1, 1, 2, 3])))
            }
            for _ in range(count)
        ]
        scopes = [set(pick.sample(range(9), pick.choice([0, 0, 1, 2]))) for _ in cells]
        size = [sum(here.get(c, 0) for here in cells) for c in range(clusters)]
        least, first = pick.sample(range(count), count), pick.sample(range(clusters), clusters)
        links = sorted(
            (
                (u, v, pick.choice([*cells[u]]), round(pick.random(), 1))
                for u, v in (pick.choices(range(count), k=2) for _ in range(pick.choice([0, 8])))
            ),
            key=lambda link: -link[3],
        )
        links = [link for link in links if link[2] in cells[link[1]]]
        columns = [*zip(*links, strict=True)] or [(), (), (), ()]
        given = (*(np.array(c, dtype=np.int64) for c in columns[:3]), np.array(columns[3], dtype=float))
        order = (np.array(least), np.array(first), np.array(size))
        found = _core.assemble(*told(cells, scopes), *order, given if links else None)
        classes = {frozenset(np.flatnonzero(found == kind).tolist()) for kind in set(found.tolist())}
        assert classes == oracle(cells, scopes, least, first, size, links)
        several += len(classes) > 1
        linked += bool(links)
        apart = [
            sum(other.get(c, 0) for j, other in enumerate(cells) if j != i and scopes[i] & scopes[j])
            for i, here in enumerate(cells)
            for c in sorted(here)
        ]
        assert _core.points_apart(*told(cells, scopes), clusters).tolist() == apart
    assert several > 100
    assert linked > 50


@cases(
    "cells, scopes, message",
    [
        (([0, 2], [0, 3], [1, 1]), ([0, 0], []), "numbers that exist"),
        (([0, 2], [1, 0], [1, 1]), ([0, 0], []), "must ascend"),
        (([0, 1], [0], [1, 1]), ([0, 0], []), "of the same atoms"),
        (([0, 1], [0], [1]), ([0, 0, 0], []), "of the same atoms"),
        (([0, 2], [0], [1]), ([0, 0], []), "end at the number of items"),
        (([0, 1], [0], [1]), ([0, 1], [9]), "numbers that exist"),
        (([0, 2, 1, 2], [0, 1], [1, 1]), ([0, 0], []), "must not decrease"),
    ],
)
def test_atoms_that_are_none_are_refused(cells: Any, scopes: Any, message: str) -> None:
    """They would be read outside of the arrays."""
    three, two = (tuple(np.array(column, dtype=np.int64) for column in side) for side in (cells, scopes))
    for call, rest in (
        (_core.points_apart, (2,)),
        (_core.assemble, (np.arange(1), np.arange(2), np.ones(2, int))),
    ):
        with pytest.raises(ValueError, match=message):
            call(three, two, 9, *rest)


def test_links_that_are_none_are_refused() -> None:
    """Atoms that do not exist, and clusters that an atom is not in."""
    cells, scopes, k = told([{0: 1, 1: 1}, {0: 1}], [set(), set()])
    order = np.arange(2), np.arange(3), np.ones(3, int)
    for atom, cluster, message in ((2, 0, "atoms that exist"), (1, 2, "clusters of their atoms")):
        link = (np.array([0]), np.array([atom]), np.array([cluster]), np.array([1.0]))
        with pytest.raises(ValueError, match=message):
            _core.assemble(cells, scopes, k, *order, link)
    with pytest.raises(ValueError, match="a score each"):
        _core.assemble(cells, scopes, k, *order, (*(np.arange(1),) * 3, np.ones(2)))
    with pytest.raises(ValueError, match="one entry per atom"):
        _core.assemble(cells, scopes, k, np.arange(3), *order[1:])


def test_texts_are_ranked_as_python_sorts_them() -> None:
    """Whatever their length and characters; equal ones as they come; whole numbers by their digits."""
    pick = random.Random(0)
    texts = ["".join(pick.choices("ab\0éß𝔘~", k=pick.randint(0, 12))) for _ in range(2_000)]
    order = sorted(range(len(texts)), key=texts.__getitem__)
    assert np.argsort(_core.text_ranks(texts)).tolist() == order
    numbers = np.array([10, 9, -1, 100, 9])
    assert _core.text_ranks(numbers).tolist() == [1, 3, 0, 2, 4]
