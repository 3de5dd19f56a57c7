"""The sums: against the oracle, exact where they must be, and accurate where cancellation lurks."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases
from tests.core.oracle import Oracle

FLOATS = [name for name, value in Oracle([0, 0, 1], [0, 1, 1]).sums().items() if isinstance(value, float)]
SIMILARITIES = [
    "s_h",
    "s_h_mean",
    "b3_recall",
    "b3_precision",
    "element",
    "s_pairs",
    "s_pairs_mean",
    "s_largest",
    "s_largest_mean",
]


def check(true: np.ndarray, pred: np.ndarray, tolerance: float = 1e-13) -> None:
    sums = _core.meet(true, pred).sums()
    for name, expected in Oracle(true.tolist(), pred.tolist()).sums().items():
        found = getattr(sums, name)
        if isinstance(expected, int):
            assert found == expected, name
        else:
            assert found == pytest.approx(expected, rel=tolerance, abs=tolerance), name


def by_hand(rows: list[dict[int, int]]) -> _core.Cells:
    """Cells from a dict column -> size for each row."""
    cols = [c for row in rows for c in row]
    sizes = [m for row in rows for m in row.values()]
    indptr = np.cumsum([0] + [len(row) for row in rows])
    return _core.Cells(indptr, np.array(cols, np.int32), np.array(sizes, np.int64), max(cols) + 1)


@given(st.data())
def test_small_inputs(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    labels = st.lists(st.integers(0, data.draw(st.integers(0, n))), min_size=n, max_size=n)
    check(np.array(data.draw(labels)), np.array(data.draw(labels)))


@cases("k_pred", [1, 2, 100, 5_000, 16_384, 16_385, 30_000])
@cases("k_true", [1, 300, 20_000])
def test_few_and_many_columns(k_true: int, k_pred: int) -> None:
    rng = np.random.default_rng(k_true + k_pred)
    pred = np.concatenate([np.arange(k_pred), rng.integers(0, k_pred, 10_000)])
    true = np.where(rng.random(len(pred)) < 0.7, pred % k_true, rng.integers(0, k_true, len(pred)))
    check(true, pred)


def test_linked_records() -> None:
    rng = np.random.default_rng(1)
    true = np.repeat(np.arange(40_000), 1 + rng.poisson(2, 40_000))
    pred = np.where(rng.random(len(true)) < 0.05, rng.integers(0, 40_000, len(true)), true)
    check(true, pred)


def test_a_few_huge_cells_among_many_small_ones() -> None:
    rng = np.random.default_rng(2)
    true = np.concatenate([np.zeros(30_000, int), rng.integers(0, 25_000, 50_000)])
    pred = np.concatenate([np.zeros(20_000, int), rng.integers(0, 25_000, 60_000)])
    check(true, pred)


@cases(
    "labels", [[0], [0, 0, 1], list(range(7)), [0] * 9, list(range(50_000)), [i // 3 for i in range(90_001)]]
)
def test_identical_clusterings_are_exactly_alike(labels: list[int]) -> None:
    sums = _core.meet(np.array(labels), 10**6 - np.array(labels)).sums()
    for name in SIMILARITIES:
        assert getattr(sums, name) == 1.0, name
    assert sums.split_info == sums.merge_info == 0.0
    assert sums.mutual == sums.h_true == sums.h_pred == sums.h_joint


def test_identical_clusterings_past_the_integers_of_a_double() -> None:
    sums = by_hand([{0: 2**61 + 1}, {1: 2**60 + 3}, {2: 7}]).sums()
    for name in SIMILARITIES:
        assert getattr(sums, name) == 1.0, name
    assert sums.mutual == sums.h_true == sums.h_pred


def test_zero_is_exactly_zero() -> None:
    """A grid: every row and every column falls apart into single points."""
    for k in (10, 200):
        true, pred = np.divmod(np.arange(k * k), k)
        sums = _core.meet(true, pred).sums()
        assert sums.s_h == sums.s_h_mean == 0.0
        assert sums.s_pairs == sums.s_largest == 0.0
        assert sums.mutual == 0.0


def test_refinements_know_the_coarser_side_exactly() -> None:
    fine = np.arange(60_000) // 2
    for coarse in (fine // 5, np.zeros(60_000, int)):
        down, up = _core.meet(fine, coarse).sums(), _core.meet(coarse, fine).sums()
        assert down.split_info == up.merge_info == 0.0
        assert down.mutual == down.h_pred == up.h_true == up.mutual
        assert down.h_joint == down.h_true == up.h_joint


def test_integers_stay_exact_past_64_bits() -> None:
    rows = [{0: 2**60 + 1, 1: 3}, {0: 2**58, 2: 2**57 + 5}]
    sums = by_hand(rows).sums()
    oracle = Oracle.from_cells({(i, c): m for i, row in enumerate(rows) for c, m in row.items()}).sums()
    for name in ("n", "mm", "aa", "bb", "true_max", "pred_max"):
        assert getattr(sums, name) == oracle[name]
    for name in FLOATS:
        if name != "mutual":
            assert getattr(sums, name) == pytest.approx(oracle[name], rel=1e-13), name


def exact_mutual(rows: list[dict[int, int]]) -> float:
    """Mutual information with 60 digits."""
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        a = [sum(row.values()) for row in rows]
        b: dict[int, int] = {}
        for row in rows:
            for c, m in row.items():
                b[c] = b.get(c, 0) + m
        n = sum(a)
        terms = (
            mpmath.mpf(m) / n * mpmath.log(mpmath.mpf(n) * m / (a[i] * b[c]))
            for i, row in enumerate(rows)
            for c, m in row.items()
        )
        return float(mpmath.fsum(terms))


@cases("size", [10, 10**4, 10**8, 10**12])
@cases("shift", [1, 3])
def test_mutual_information_near_independence_keeps_its_digits(size: int, shift: int) -> None:
    rows = [{c: size + shift * ((i * 7 + c * 3) % 5) for c in range(6)} for i in range(5)]
    assert by_hand(rows).sums().mutual == pytest.approx(exact_mutual(rows), rel=1e-13)


def test_mutual_information_far_from_independence() -> None:
    rng = np.random.default_rng(3)
    rows = [
        {int(c): int(m) for c, m in zip(rng.permutation(40)[:9], rng.integers(1, 10**7, 9), strict=True)}
        for _ in range(30)
    ]
    sums = by_hand(rows).sums()
    assert sums.mutual == pytest.approx(exact_mutual(rows), rel=2e-15 * 5)
    assert sums.mutual == pytest.approx(sums.h_true - sums.merge_info, rel=1e-12)


def test_tiny_losses_keep_their_digits() -> None:
    big = 10**15
    sums = by_hand([{0: big, 1: 1}, {1: big}]).sums()
    expected = (big * math.log1p(1 / big) + math.log(big + 1)) / (2 * big + 1)
    assert sums.split_info == pytest.approx(expected, rel=1e-14)
    assert sums.merge_info == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("by_column", [False, True])
def test_a_cluster_of_a_million_cells(by_column: bool) -> None:
    """A million terms m log m in one cluster, where a plain running sum drifts."""
    sizes = np.random.default_rng(4).integers(2, 60, 1_000_000)
    lone = np.arange(len(sizes), dtype=np.int32)
    if by_column:
        cells = _core.Cells(np.arange(len(sizes) + 1), np.zeros(len(sizes), np.int32), sizes, 1)
    else:
        cells = _core.Cells(np.array([0, len(sizes)]), lone, sizes, len(sizes))
    counts = np.bincount(sizes)
    total = math.fsum(c * m * math.log(m) for m, c in enumerate(counts.tolist()) if c)
    n = int(sizes.sum())
    assert cells.sums().s_h == pytest.approx(total / (n * math.log(n)), rel=2e-15)


def test_many_columns_with_uneven_rows_keep_their_digits() -> None:
    rng = np.random.default_rng(5)
    true = rng.integers(0, 50, 60_000)
    pred = np.concatenate([np.arange(17_000), rng.integers(0, 17_000, 43_000)])
    check(true, pred, 2e-14)
    check(pred, true, 2e-14)


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30))
def test_sum_squares_is_exact_or_fails(values: list[int]) -> None:
    expected = sum(v * v for v in values)
    if expected < 2**128:
        assert _core.sum_squares(np.array(values, np.int64)) == expected
    else:
        with pytest.raises(OverflowError):
            _core.sum_squares(np.array(values, np.int64))


def test_sum_squares_of_long_arrays() -> None:
    x = np.random.default_rng(6).integers(0, 2**62, 15)
    assert _core.sum_squares(x) == sum(v * v for v in x.tolist())
    assert _core.sum_squares(np.arange(10**6)) == sum(v * v for v in range(10**6))


def test_pair_scores_are_ratios_of_exact_integers() -> None:
    rows = [{0: 5, 1: 3}, {0: 2, 1: 9, 2: 1}]
    sums = by_hand(rows).sums()
    a, b = [8, 12], [7, 12, 1]
    s = [Fraction(5 * 4 + 3 * 2, 8 * 7), Fraction(2 * 1 + 9 * 8, 12 * 11)]
    t = [Fraction(5 * 4 + 2 * 1, 7 * 6), Fraction(3 * 2 + 9 * 8, 12 * 11), Fraction(1)]
    product = sum(m * s[i] * t[c] for i, row in enumerate(rows) for c, m in row.items())
    assert sums.s_pairs == pytest.approx(float(product / 20), rel=1e-15)
    mean = (
        sum(x * y for x, y in zip(a, s, strict=True)) + sum(x * y for x, y in zip(b, t, strict=True))
    ) / 40
    assert sums.s_pairs_mean == pytest.approx(float(mean), rel=1e-15)


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.floats(1, 2), st.integers(-150, 150)),
        min_size=1,
        max_size=10,
        unique_by=lambda cell: cell[:2],
    )
)
def test_weighed_cells_are_exact_however_far_apart(drawn: list[tuple[int, int, float, int]]) -> None:
    """Masses from 2^-150 to 2^150 beside each other: each sum is the exact one, rounded."""
    labels = np.array([cell[:2] for cell in drawn]).T
    cells = _core.meet(*labels)
    place = cells.locate(*labels)
    mass = np.zeros(len(cells))
    mass[place] = [factor * 2.0**power for _, _, factor, power in drawn]
    m = {cell[:2]: Fraction(mass[at]) for cell, at in zip(drawn, place, strict=True)}
    a, b = (
        {k: sum(x for c, x in m.items() if c[side] == k) for k in {c[side] for c in m}} for side in (0, 1)
    )
    total = sum(m.values())
    expected = {
        "true_only": sum(x * (a[t] - x) for (t, _), x in m.items()) / 2,
        "pred_only": sum(x * (b[p] - x) for (_, p), x in m.items()) / 2,
        "apart": sum(x * (total - a[t] - b[p] + x) for (t, p), x in m.items()) / 2,
        "chi2": sum(x * x / (a[t] * b[p]) for (t, p), x in m.items()) - 1,
        "frobenius": len(a) + len(b) - 2 * sum(x * x / (a[t] * b[p]) for (t, p), x in m.items()),
    }
    found = cells.weighed(mass)
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(float(value), rel=1e-14, abs=0), name
    if len(a) == 1 or len(b) == 1:
        assert found.mutual == 0


def test_weighed_cells_refuse_what_is_no_mass() -> None:
    cells = _core.meet(np.array([0, 0, 1]), np.array([0, 1, 1]))
    for mass in ([1.0, 2.0], [1.0, 2.0, -1.0], [1.0, 2.0, math.nan], [1.0, 2.0, math.inf]):
        with pytest.raises(ValueError, match="mass must"):
            cells.weighed(np.array(mass))
