"""Extremes: one point, one cluster, all singletons, ten million points, counts past 2**63."""

from __future__ import annotations

import math

import numpy as np
import pytest

import clusterdiff as cd

ALL = [name for name, measure in cd.measures.items() if measure.needs is None and name != "K"]


def test_one_point_compares_as_identical() -> None:
    """n = 1: every similarity is exactly 1, every distance exactly 0."""
    diff = cd.compare(["only"], [7])
    for name in ALL:
        measure = cd.measures[name]
        if measure.reflexive:
            assert diff.score(name) == measure.best, name
    assert diff.score("S'(largest)") == 1.0
    assert diff.kinds["same"] == 1


def test_worst_cases_are_exactly_zero() -> None:
    """⊤ against ⊥, and a clustering against one that shares no pair, score exactly 0.0, not nearly."""
    n = 1000
    for name in ("S_H", "S*(pairs)", "S*(largest)", "R", "V", "nmi_max", "I"):
        assert cd.score(np.zeros(n, int), np.arange(n), name) == 0.0, name
    grid = np.arange(900)
    assert cd.score(grid // 30, grid % 30) == 0.0


def test_ten_million_points() -> None:
    """n = 10^7: identical clusterings are exactly 1, and counts are exact."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 100, 10**7)
    diff = cd.compare(true, 5 * true - 17)
    assert diff.score() == 1.0
    assert diff.score("VI") == 0.0
    assert diff.loss.total == 0.0
    pred = np.where(rng.random(10**7) < 0.1, rng.integers(0, 100, 10**7), true)
    meet = cd.compare(true, pred).meet
    assert meet.size.sum() == 10**7
    table = np.zeros((100, 100), dtype=np.int64)
    np.add.at(table, (true[:100_000], pred[:100_000]), 1)
    part = cd.compare(true[:100_000], pred[:100_000]).meet
    assert np.array_equal(part.size, table[part.true_names[part.true], part.pred_names[part.pred]])


def test_a_million_strings() -> None:
    """10^6 distinct strings on one side, 1000 on the other."""
    rng = np.random.default_rng(1)
    order = rng.permutation(10**6)
    true = [f"record-{i}" for i in order]
    pred = np.array([f"cluster {i % 1000}" for i in order])
    diff = cd.compare(true, pred)
    assert (diff.meet.k_true, diff.meet.k_pred, len(diff.meet)) == (10**6, 1000, 10**6)
    assert diff.meet.pred_size.tolist() == [1000] * 1000


def test_pair_counts_past_two_to_the_63() -> None:
    """A hand-made meet of 2·10^12 points has exact integer pair counts and a sound score."""
    size = 10**12
    meet = cd.Meet.from_cells(["x", "x", "y"], ["p", "q", "q"], [size, 1, size])
    n = 2 * size + 1
    assert meet.n == n
    pairs = meet.pairs
    assert pairs.all == n * (n - 1) // 2
    assert pairs.both == 2 * math.comb(size, 2)
    assert pairs.true == math.comb(size + 1, 2) + math.comb(size, 2)
    assert pairs.all > 2**63
    assert 1 - 1e-10 < cd.measures["S_H"](meet) < 1.0
    assert cd.measures["R"](meet) == pytest.approx(1 - (2 * size) / pairs.all, rel=1e-15)


def test_hand_made_meets_are_checked() -> None:
    """Sizes below one, repeated cells and unequal lengths are refused; such a meet does not know its points."""
    with pytest.raises(cd.ArgumentError, match="at least 1"):
        cd.Meet.from_cells([0, 1], [0, 0], [1, 0])
    with pytest.raises(cd.ArgumentError, match="more than one cell"):
        cd.Meet.from_cells([0, 0], [0, 0], [1, 1])
    with pytest.raises(cd.ArgumentError, match="one entry per cell"):
        cd.Meet.from_cells([0, 0], [0], [1, 1])
    with pytest.raises(cd.ArgumentError, match="does not know its points"):
        cd.Meet.from_cells([0], [0], [3]).members(0)


def test_independent_clusterings_have_tiny_but_exact_information() -> None:
    """Near independence mutual information keeps its digits, where a difference of entropies has none left."""
    size = 10**9
    meet = cd.Meet.from_cells([0, 0, 1, 1], [0, 1, 0, 1], [size + 1, size, size, size])
    n = 4 * size + 1
    # exact value by series: Σ ab/n² · x²/2 with x the relative excess, to leading order (1/(2n²) here)
    x = [
        (n * m - a * b) / (a * b)
        for m, a, b in [
            (size + 1, 2 * size + 1, 2 * size + 1),
            (size, 2 * size + 1, 2 * size),
            (size, 2 * size, 2 * size + 1),
            (size, 2 * size, 2 * size),
        ]
    ]
    ab = [(2 * size + 1) ** 2, (2 * size + 1) * 2 * size, (2 * size + 1) * 2 * size, 4 * size * size]
    expected = math.fsum(w / n**2 * (v * v / 2 - v**3 / 6) for w, v in zip(ab, x, strict=True))
    assert cd.measures["I"](meet) == pytest.approx(expected, rel=1e-12)
    assert expected > 0
