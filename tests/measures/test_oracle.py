"""Every measure of the registry against its definition from sets."""

from __future__ import annotations

import numpy as np
import pytest

import clusterdiff as cd
from tests.cases import cases
from tests.conftest import clusterings
from tests.measures import oracle
from tests.measures.oracle import COREFERENCE, ORACLE

#: Held against the paper's own definitions in tests/framework.
ELSEWHERE = {"cdistance", "S_H", "S_MSE", "S*", "S'", "K"}
#: Held against enumeration, or their formula, in test_chance.py.
BY_CHANCE = {"as_h", "sri", "pmi2", "smi", "rmi", "nrmi"}


def check(true: list[object], pred: list[object], names: dict[str, oracle.Oracle]) -> None:
    diff = cd.compare(true, pred)
    t, p = oracle.sets(true), oracle.sets(pred)
    for name, expected in names.items():
        assert diff.score(name) == pytest.approx(float(expected(t, p)), abs=1e-12), (name, true, pred)


def test_every_measure_has_a_definition() -> None:
    """No measure is registered without a slow definition to hold it against."""
    assert set(cd.measures) - ELSEWHERE - BY_CHANCE <= set(ORACLE)
    assert set(cd.measures) >= ELSEWHERE | BY_CHANCE
    assert not (ELSEWHERE | BY_CHANCE) & set(ORACLE)
    for name in ORACLE:
        assert name in cd.measures, name


@cases("n", [1, 2, 3, 4, 5])
def test_every_pair_of_clusterings_of_a_few_points(n: int) -> None:
    """All measures agree with the definitions on all clusterings of n points, up to the names of the points."""
    seen = set()
    for true in clusterings(n):
        # Points that share a cluster stand together: other orders only rename points.
        if list(true) != sorted(true) or (sizes := tuple(np.bincount(true))) in seen:
            continue
        if tuple(sorted(sizes)) != sizes:
            continue
        seen.add(sizes)
        for pred in clusterings(n):
            check(list(true), list(pred), ORACLE)


@cases("seed", range(24))
def test_random_clusterings(seed: int) -> None:
    """All measures agree with the definitions on random clusterings of up to 40 points in up to 6 clusters."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    true = rng.integers(0, rng.integers(1, 7), n)
    pred = np.where(rng.random(n) < rng.random(), rng.integers(0, rng.integers(1, 7), n), true)
    check(true.tolist(), pred.tolist(), ORACLE)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_shortest_edit_script(n: int) -> None:
    """`edits` is the fewest splits followed by merges, found by trying them all."""
    for true in clusterings(n):
        for pred in clusterings(n):
            shortest = oracle.edit_distance(oracle.sets(true), oracle.sets(pred))
            assert cd.score(list(true), list(pred), "edits") == shortest


@cases("seed", range(60))
def test_clusterings_of_different_points(seed: int) -> None:
    """Coreference measures count points that one side lacks as lost."""
    rng = np.random.default_rng(seed)
    sides: list[dict[str, int]] = [{}, {}]
    while not all(sides):
        n = int(rng.integers(2, 14))
        for side in sides:
            labels = rng.integers(0, 5, n)
            side.clear()
            side |= {f"m{i}": int(labels[i]) for i in np.flatnonzero(rng.random(n) < 0.75)}
    diff = cd.compare(*sides, missing="lost")
    t, p = (
        [frozenset(m for m in side if side[m] == c) for c in sorted(set(side.values()))] for side in sides
    )
    for name, expected in COREFERENCE.items():
        assert diff.score(name) == pytest.approx(float(expected(t, p)), abs=1e-12), name
    back = cd.compare(*sides[::-1], missing="lost")
    assert back.score("muc.recall") == diff.score("muc.precision")


def test_no_common_point_scores_nothing() -> None:
    """With no point on both sides every coreference measure is 0."""
    diff = cd.compare({"a": 1, "b": 1}, {"x": 1, "y": 2}, missing="lost")
    assert set(diff.scores(COREFERENCE).values()) == {0.0}
