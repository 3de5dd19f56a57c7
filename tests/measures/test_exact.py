"""Numbers that must be exact, or nearly: large counts, chance, independence, assignments."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import clusterdiff as cd
from tests.cases import cases
from tests.conftest import random_pair

NAMES = [name for name, measure in cd.measures.items() if measure.needs is None and name != "K"]


@pytest.mark.parametrize("size", [10**6, 3 * 10**9, 10**12])
def test_pair_measures_are_exact_past_64_bits(size: int) -> None:
    """Counts of pairs stay whole numbers, so that pair measures are right to the last digit at any size."""
    m = [[size, 7, 0], [0, size, 1], [3, 0, size]]
    cells = [(i, j, m[i][j]) for i in range(3) for j in range(3) if m[i][j]]
    meet = cd.Meet.from_cells(*(list(column) for column in zip(*cells, strict=True)))
    both = sum(math.comb(x, 2) for _, _, x in cells)
    true = sum(math.comb(sum(row), 2) for row in m)
    pred = sum(math.comb(sum(column), 2) for column in zip(*m, strict=True))
    every = math.comb(meet.n, 2)
    assert meet.pairs == (both, true, pred, every)
    expected = Fraction(true * pred, every)
    exact = {
        "rand": 1 - Fraction(true + pred - 2 * both, every),
        "ari": (both - expected) / (Fraction(true + pred, 2) - expected),
        "pairs.recall": Fraction(both, true),
        "jaccard": Fraction(both, true + pred - both),
    }
    for name, value in exact.items():
        assert cd.measures[name](meet) == float(value), name
    # The far tail of the Rand index is where rounding would show: what is lost is a few parts in 10^12.
    assert meet.pairs.confusion == (
        (2 * (every - true - pred + both), 2 * (pred - both)),
        (2 * (true - both), 2 * both),
    )


@cases(("n", "k"), [(1, 1), (2, 2), (7, 3), (1000, 1000), (1000, 1), (10**5, 300), (10**6, 333_333)])
def test_identical_clusterings_are_exactly_best_at_any_size(n: int, k: int) -> None:
    """Exactly 1.0, or 0.0 for distances, not nearly."""
    labels = np.random.default_rng(n).integers(0, k, n)
    meet = cd.Meet.from_labels(labels, k - labels)
    for name in NAMES:
        if cd.measures[name].reflexive:
            assert cd.measures[name](meet) == cd.measures[name].best, name


def ami_exactly(true: np.ndarray, pred: np.ndarray, average: str) -> Decimal:
    """Adjusted mutual information with exact probabilities and logarithms of 50 digits."""
    n = len(true)
    with localcontext() as context:
        context.prec = 50
        log = {0: Decimal(0)} | {i: Decimal(i).ln() for i in range(1, n + 1)}
        sizes = [np.unique(side, return_counts=True)[1].tolist() for side in (true, pred)]
        cells = np.unique(np.stack([true, pred]), axis=1, return_counts=True)[1].tolist()

        def entropy(parts: list[int]) -> Decimal:
            return sum((Decimal(x) / n * (log[n] - log[x]) for x in parts), Decimal(0))

        h = [entropy(side) for side in sizes]
        mutual = h[0] + h[1] - entropy(cells)
        expected = Decimal(0)
        for a in sizes[0]:
            for b in sizes[1]:
                for m in range(max(1, a + b - n), min(a, b) + 1):
                    chance = Decimal(math.comb(a, m) * math.comb(n - a, b - m)) / Decimal(math.comb(n, b))
                    expected += chance * m / n * (log[n] + log[m] - log[a] - log[b])
        norm = {
            "arithmetic": (h[0] + h[1]) / 2,
            "max": max(h),
            "min": min(h),
            "geometric": (h[0] * h[1]).sqrt(),
            "joint": entropy(cells),
        }[average]
        return (mutual - expected) / (norm - expected)


@cases("average", ["arithmetic", "max", "min", "geometric", "joint"])
@cases(
    ("n", "k", "noise"),
    [(12, 3, 0.5), (60, 5, 0.2), (60, 30, 0.5), (200, 8, 1.0), (200, 100, 1.0), (300, 2, 0.9)],
)
def test_adjusted_mutual_information_is_exact(n: int, k: int, noise: float, average: str) -> None:
    """To 1e-12 of a reference computed with exact probabilities, for random and for nearly equal clusterings."""
    rng = np.random.default_rng(n + k)
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < noise, rng.integers(0, k, n), true)
    exact = ami_exactly(true, pred, average)
    assert cd.score(true, pred, f"ami(average={average})") == pytest.approx(float(exact), abs=1e-12)


def test_adjusted_mutual_information_of_many_points() -> None:
    """To 1e-14 at n = 20,000, where log-gamma functions have lost digits: weights by their ratios, in 40 digits."""
    true, pred = random_pair(20_000, 40, seed=6)
    n = len(true)
    (a_sizes, a_counts), (b_sizes, b_counts) = (
        [x.tolist() for x in np.unique(np.bincount(side), return_counts=True)] for side in (true, pred)
    )
    cells = np.unique(np.stack([true, pred]), axis=1, return_counts=True)[1].tolist()
    with localcontext() as context:
        context.prec = 40
        log = [Decimal(0), *(Decimal(i).ln() for i in range(1, max(a_sizes + b_sizes) + 1))]
        log_n = Decimal(n).ln()

        def entropy(sizes: list[int], counts: list[int]) -> Decimal:
            return sum(
                (k * Decimal(x) / n * (log_n - log[x]) for x, k in zip(sizes, counts, strict=True)),
                Decimal(0),
            )

        h = entropy(a_sizes, a_counts), entropy(b_sizes, b_counts)
        mutual = h[0] + h[1] - entropy(cells, [1] * len(cells))
        expected = Decimal(0)
        for a, x in zip(a_sizes, a_counts, strict=True):
            for b, y in zip(b_sizes, b_counts, strict=True):
                mode = (a + 1) * (b + 1) // (n + 2)
                weight, total, mean = Decimal(1), Decimal(0), Decimal(0)
                for m in range(mode, min(a, b) + 1):
                    total, mean = total + weight, mean + weight * m * (log_n + log[m] - log[a] - log[b])
                    weight *= Decimal((a - m) * (b - m)) / ((m + 1) * (n - a - b + m + 1))
                    if weight < Decimal("1e-25"):
                        break
                weight = Decimal(1)
                for m in range(mode, 0, -1):
                    weight *= Decimal(m * (n - a - b + m)) / ((a - m + 1) * (b - m + 1))
                    if weight < Decimal("1e-25"):
                        break
                    total, mean = (
                        total + weight,
                        mean + weight * (m - 1) * (log_n + log[m - 1] - log[a] - log[b]),
                    )
                expected += x * y * mean / total / n
        exact = (mutual - expected) / ((h[0] + h[1]) / 2 - expected)
    assert cd.score(true, pred, "ami") == pytest.approx(float(exact), abs=1e-14)


def test_adjusted_mutual_information_of_lopsided_clusterings() -> None:
    """One odd point on either side: entropies are tiny, and still 12 digits are right."""
    n = 300
    true, pred = np.zeros(n, int), np.zeros(n, int)
    true[0] = pred[1] = 1
    exact = ami_exactly(true, pred, "arithmetic")
    assert cd.score(true, pred, "ami") == pytest.approx(float(exact), rel=1e-12)


def test_chance_does_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bits on one thread and on three."""
    rng = np.random.default_rng(5)
    true, pred = (np.repeat(np.arange(400), rng.integers(1, 900, 400)) for _ in range(2))
    n = min(len(true), len(pred))
    found = set()
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        found.add(cd.score(true[:n], pred[:n], "ami"))
    assert len(found) == 1


def test_expected_information_is_consistent() -> None:
    """E[I], E[H(C|L)] and E[H(L|C)] fit the entropies: H(L) − E[I] = E[H(L|C)], and the same for C."""
    from clusterdiff.measures.chance import information

    meet = cd.Meet.from_labels(*random_pair(5000, 70, seed=4))
    chance = information(meet)
    assert meet.sums.h_true - chance.mutual == pytest.approx(chance.merge_info, rel=1e-12)
    assert meet.sums.h_pred - chance.mutual == pytest.approx(chance.split_info, rel=1e-12)


def test_measures_of_information_near_independence() -> None:
    """A grid with one point moved: 12 digits of I, NMI and homogeneity survive, where entropies' difference loses 8."""
    side = 300
    sizes = np.full((side, side), 40, dtype=np.int64)
    sizes[0, 0] += 1
    rows, columns = np.divmod(np.arange(side * side), side)
    meet = cd.Meet.from_cells(rows, columns, sizes.ravel())
    n, a = int(sizes.sum()), sizes.sum(axis=1).tolist()
    with localcontext() as context:
        context.prec = 50
        term = lambda m, x, y: Decimal(m) / n * (Decimal(m) * n / (Decimal(x) * y)).ln()  # noqa: E731
        # Four kinds of cells: the odd one, its row, its column, and all others.
        exact = (
            term(41, a[0], a[0])
            + 2 * (side - 1) * term(40, a[0], a[1])
            + (side - 1) ** 2 * term(40, a[1], a[1])
        )
        entropy = -sum(Decimal(x) / n * (Decimal(x) / n).ln() for x in a)
    assert cd.measures["I"](meet) == pytest.approx(float(exact), rel=1e-12)
    assert cd.measures["nmi"](meet) == pytest.approx(float(exact / entropy), rel=1e-12)
    assert cd.measures["homogeneity"](meet) == pytest.approx(float(exact / entropy), rel=1e-12)


@cases("seed", range(40))
def test_assignments_are_the_best_ones(seed: int) -> None:
    """Matchings of counts and of fractions reach SciPy's dense optimum."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(20, 3000)), int(rng.integers(2, 80))
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < rng.random(), rng.integers(0, rng.integers(1, 80), n), true)
    meet = cd.Meet.from_labels(true, pred)
    a, b = meet.true_size[meet.true], meet.pred_size[meet.pred]
    for value in (
        meet.size,
        2 * meet.size / (a + b),
        meet.size / a,
        rng.random(len(meet)),
        np.ones(len(meet)),
    ):
        dense = np.zeros((meet.k_true, meet.k_pred))
        dense[meet.true, meet.pred] = value
        cells = meet.cells.assign(np.ascontiguousarray(value))
        assert len(set(meet.true[cells])) == len(set(meet.pred[cells])) == len(cells)
        best = dense[linear_sum_assignment(dense, maximize=True)].sum()
        assert value[cells].sum() == pytest.approx(best, rel=1e-13)


def test_assignment_weighs_large_counts_exactly() -> None:
    """Counts that differ by 1 beyond 2^53 are told apart."""
    big = 2**60
    meet = cd.Meet.from_cells([0, 0, 1, 1], [0, 1, 0, 1], [big, big, big, big + 1])
    assert meet.size[meet.cells.assign(meet.size)].sum() == 2 * big + 1


def test_assignment_refuses_bad_values() -> None:
    """Values must be one per cell, and none may be negative or NaN."""
    cells = cd.Meet.from_labels(np.array([0, 0, 1]), np.array([0, 1, 1])).cells
    for bad in ([1.0, 2.0], [1.0, -1.0, 0.0], [1.0, math.nan, 0.0]):
        with pytest.raises(ValueError, match="values must"):
            cells.assign(np.array(bad))
