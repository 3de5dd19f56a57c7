"""Two plain arrays are scored by a glance at the core's sums: with the same bits as through the meet."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff import _core
from clusterdiff.measures import resolve
from clusterdiff.measures.plain import OF_ARRAYS, OF_SQUARES
from clusterdiff.meet.meet import Meet
from tests.cases import cases

#: One call of the core, or no more than its sums.
COUNTED = [name for name, measure in cd.measures.items() if name in OF_ARRAYS or measure.counted]


@cases("name", COUNTED)
def test_a_glance_gives_the_same_bits(name: str) -> None:
    random = np.random.default_rng(0)
    small = [np.array(labels) for n in (1, 2, 4) for labels in product(range(n), repeat=n)]
    pairs = [(a, b) for a in small for b in small if len(a) == len(b) and random.random() < 0.003]
    pairs += [(random.integers(0, k, 500), random.integers(0, k, 500)) for k in (1, 3, 400)]
    # A thousand cells or clusters are many: all sums are then made at once.
    pairs += [
        (random.integers(0, j, 4000), random.integers(0, k, 4000)) for j in (5, 1500) for k in (5, 1500)
    ]
    for true, pred in pairs:
        try:
            expected = resolve(name)(Meet.from_labels(true, pred))
        except cd.MeasureError:  # of a single point, or of identical clusterings
            with pytest.raises(cd.MeasureError):
                cd.score(true, pred, name)
            continue
        score = cd.score(true, pred, name)
        assert score == expected
        assert type(score) is float


@pytest.mark.parametrize("name", OF_SQUARES)
def test_a_matrix_of_squares_has_the_same_bits(name: str) -> None:
    """Few clusters and many, so that cells are counted in a table and by the meet; text, and one that repeats."""
    random = np.random.default_rng(0)
    runs: dict[str, Any] = {f"k = {k}": random.integers(0, k, 3000) for k in (1, 2, 40, 100, 2900)}
    runs |= {"text": runs["k = 40"].astype(str), "again": runs["k = 40"] + 10**12}
    found = cd.matrix(runs, name)
    assert found.points.tolist() == [[3000] * len(runs)] * len(runs)
    for i, one in enumerate(runs.values()):
        for j, other in enumerate(runs.values()):
            assert found.values[i, j] == cd.compare(one, other).score(name)


def test_a_function_of_the_users_own_is_not_taken_for_a_measure() -> None:
    def ari(meet: Meet) -> float:
        return float(meet.n)

    assert cd.matrix([[0, 0, 1], [0, 1, 1]], ari).values.tolist() == [[3.0, 3.0], [3.0, 3.0]]


@pytest.mark.parametrize("n", [66_000, 140_000])
def test_squares_of_many_points(n: int) -> None:
    """More than two bytes count, and more than a cache holds, with few cells and with many."""
    random = np.random.default_rng(0)
    sides = [random.integers(0, k, n) for k in (2, 60, 300, 40_000)]
    expected = [[int((np.unique(a * n + b, return_counts=True)[1] ** 2).sum()) for b in sides] for a in sides]
    assert _core.squares(sides).tolist() == expected


def test_squares_are_of_arrays_of_one_length() -> None:
    assert _core.squares([np.array([0, 0, 1]), np.array([5, 6, 6])]).tolist() == [[5, 3], [3, 5]]
    assert _core.squares([]).shape == (0, 0)
    with pytest.raises(ValueError, match="all sides must have the same length"):
        _core.squares([np.zeros(2, int), np.zeros(3, int)])


@cases(
    ("true", "pred"),
    [
        (np.array([0, 1]), np.array([0, 1, 2])),
        (np.array([], int), np.array([], int)),
        (np.array([0.0, 1.0]), np.array([0, 1])),
        (np.array([0, 1]), np.array(["a", "b"])),
        (np.array([0, 1]).astype(">i8"), np.array([0, 1])),
        (np.array([[0, 1]]), np.array([[0, 1]])),
        (np.array([0, 1], dtype=object), np.array([0, 1])),
        (np.array([0, 1], dtype="datetime64[s]"), np.array([0, 1])),
        ([0, 1], np.array([0, 1])),
    ],
)
def test_anything_else_goes_the_long_way(true: Any, pred: Any) -> None:
    assert _core.sums(true, pred) is None
    assert _core.s_h(true, pred) is None


def test_the_long_way_says_what_is_wrong() -> None:
    assert cd.score(np.array([0.0, 0.0, 1.0]), np.array([5, 5, 6])) == 1
    with pytest.raises(cd.LabelError, match="`true` has 2 labels, `pred` has 3"):
        cd.score(np.array([0, 1]), np.array([0, 1, 2]))
    with pytest.raises(cd.LabelError, match="one-dimensional"):
        cd.score(np.array([[0, 1]]), np.array([[0, 1]]), "ari")
