"""Sums, members, moments and links of groups of points."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases


@pytest.fixture(params=["1", "2", "7"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CLUSTERDIFF_THREADS", request.param)
    return str(request.param)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-(2**61), 2**61)), max_size=3))
def test_sums_of_integers_are_exact(pairs: list[tuple[int, int]]) -> None:
    groups = np.array([g for g, _ in pairs], np.int32)
    values = np.array([v for _, v in pairs], np.int64)
    expected = [sum(v for g, v in pairs if g == group) for group in range(6)]
    assert _core.group_sum(groups, 6, values).tolist() == expected


def test_sums_of_integers_that_do_not_fit_fail() -> None:
    with pytest.raises(OverflowError, match="64 bits"):
        _core.group_sum(np.zeros(3, np.int32), 1, np.full(3, 2**62))


def test_sums_of_floats_are_compensated(threads: str) -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 4, 400_000)
    values = rng.random(400_000) * 10.0 ** rng.integers(-8, 8, 400_000)
    values[::2] *= -1
    found = _core.group_sum(groups, 5, values)
    expected = [math.fsum(values[groups == g]) for g in range(5)]
    assert found.tolist() == pytest.approx(expected, rel=1e-15, abs=1e-9)
    assert found[4] == 0.0
    assert _core.group_sum(groups[::3], 5, values[::3].astype(np.float32)).dtype == np.float64


def test_the_greatest_of_each_group(threads: str) -> None:
    """Of whole numbers and of fractions; a group without any, or with none above it, has 0."""
    rng = np.random.default_rng(3)
    groups, whole = rng.integers(0, 999, 200_000), rng.integers(-(2**62), 2**62, 200_000)
    for values in (whole, whole / 3):
        expected = np.zeros(1_001, dtype=values.dtype)
        np.maximum.at(expected, groups, values)
        found = _core.group_max(groups.astype(np.int32), 1_001, values)
        assert found.dtype == values.dtype
        assert np.array_equal(found, expected)
    assert _core.group_max(np.array([1, 1]), 3, np.array([-5, -2])).tolist() == [0, 0, 0]


@cases("k", [1, 5, 700, 1_000, 90_000, 10**6])
@cases("dtype", ["i1", "i4", "i8"])
def test_members_are_listed_in_order(k: int, dtype: str, threads: str) -> None:
    """Few groups, so that each has a bucket, and many; more groups than points; and arrays with gaps."""
    for n in (0, 1, 3_000, 200_000):
        groups = np.random.default_rng(2).integers(0, min(k, np.iinfo(dtype).max), n).astype(dtype)
        for array in (groups, np.repeat(groups, 2)[::2]):
            indptr, members = _core.group_members(array, k)
            assert (members == np.argsort(groups, kind="stable")).all()
            assert (np.diff(indptr) == np.bincount(groups, minlength=k)).all()
            assert indptr[0] == 0


@pytest.mark.parametrize("bad", [-1, 3])
def test_groups_out_of_range_are_refused(bad: int) -> None:
    groups = np.array([0, bad], np.int32)
    for call in (
        lambda: _core.group_sum(groups, 3, np.ones(2)),
        lambda: _core.group_sum(groups, 3, np.ones(2, int)),
        lambda: _core.group_max(groups, 3, np.ones(2)),
        lambda: _core.group_members(groups, 3),
        lambda: _core.moments_dense(groups, 3, np.ones((2, 2))),
    ):
        with pytest.raises(ValueError, match="groups must lie in"):
            call()
    for k in (3, 10**5):
        many = np.full(70_000, k - 1)
        many[-1] = bad if bad < 0 else k
        with pytest.raises(ValueError, match="groups must lie in"):
            _core.group_members(many, k)


def oracle_moments(
    groups: np.ndarray, k: int, x: np.ndarray, w: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    x = x.astype(np.longdouble)
    weights = np.ones(len(x)) if w is None else w
    centres, within = np.zeros((k, x.shape[1])), np.zeros(k)
    for g in range(k):
        inside = groups == g
        if inside.any():
            centre = (weights[inside, None] * x[inside]).sum(axis=0) / weights[inside].sum()
            centres[g] = centre
            within[g] = (weights[inside] * ((x[inside] - centre) ** 2).sum(axis=1)).sum()
    return centres, within


@cases("dtype", ["f4", "f8", "i1", "u2", "i4", "i8", "?"])
@cases("weighted", [False, True])
@cases("d", [1, 3, 10])
def test_dense_moments(dtype: str, weighted: bool, d: int) -> None:
    rng = np.random.default_rng(3)
    x = (rng.random((700, d)) * 100).astype(dtype)
    groups = rng.integers(0, 9, 700).astype(np.int32)
    w = rng.random(700) if weighted else None
    expected = oracle_moments(groups, 10, x, w)
    for view in (x, np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2], x[::-1][::-1]):
        centres, _, within = _core.moments_dense(groups, 10, view, w)
        assert centres == pytest.approx(expected[0], rel=1e-12, abs=1e-12)
        assert within == pytest.approx(expected[1], rel=1e-12, abs=1e-12)


def test_dense_moments_of_large_groups(threads: str) -> None:
    rng = np.random.default_rng(4)
    x = rng.standard_normal((40_000, 7)) + 10**6
    groups = np.where(rng.random(40_000) < 0.7, 0, rng.integers(1, 500, 40_000)).astype(np.int32)
    centres, _, within = _core.moments_dense(groups, 500, x)
    expected = oracle_moments(groups, 500, x, None)
    assert centres == pytest.approx(expected[0], rel=1e-14)
    assert within == pytest.approx(expected[1], rel=1e-9)


def test_moments_have_the_same_bits_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    x = rng.standard_normal((60_000, 5))
    groups = np.where(rng.random(60_000) < 0.5, 0, rng.integers(0, 3_000, 60_000)).astype(np.int32)
    sparse = scipy.sparse.random_array((60_000, 50), density=0.05, format="csr", rng=rng)
    d = rng.random((400, 400))
    indptr, members = _core.group_members(groups[:400], 3_000)

    def results() -> list[bytes]:
        dense = _core.moments_dense(groups, 3_000, x)
        other = _core.moments_sparse(groups, 3_000, sparse.indptr, sparse.indices, sparse.data, 50)
        links = _core.link_sums_square(indptr, members, d)
        return [part.tobytes() for part in (*dense, *other, links)]

    monkeypatch.setenv("CLUSTERDIFF_THREADS", "1")
    expected = results()
    for count in ("2", "7"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", count)
        assert results() == expected


def test_identical_points_have_themselves_as_centre_exactly() -> None:
    point = np.array([0.1, 1e300, -7e-300, 1 / 3])
    x = np.tile(point, (9_000, 1))
    groups = (np.arange(9_000) % 8_000 > 0).astype(np.int32)
    for w in (None, np.random.default_rng(6).random(9_000)):
        centres, _, within = _core.moments_dense(groups, 2, x, w)
        assert (centres == point).all()
        assert (within == 0.0).all()
        sparse = scipy.sparse.csr_array(x)
        indptr, indices, data, _, within = _core.moments_sparse(
            groups, 2, sparse.indptr, sparse.indices, sparse.data, 4, w
        )
        assert (scipy.sparse.csr_array((data, indices, indptr), shape=(2, 4)).toarray() == point).all()
        assert (within == 0.0).all()


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_moments(weighted: bool) -> None:
    rng = np.random.default_rng(7)
    x = scipy.sparse.random_array((500, 40), density=0.1, format="csr", rng=rng)
    groups = rng.integers(0, 30, 500).astype(np.int32)
    w = rng.random(500) if weighted else None
    indptr, indices, data, _, within = _core.moments_sparse(groups, 31, x.indptr, x.indices, x.data, 40, w)
    centres, expected = oracle_moments(groups, 31, x.toarray(), w)
    assert scipy.sparse.csr_array((data, indices, indptr), shape=(31, 40)).toarray() == pytest.approx(
        centres, rel=1e-13, abs=1e-15
    )
    assert within == pytest.approx(expected, rel=1e-12, abs=1e-15)
    for group in range(31):
        assert (np.diff(indices[indptr[group] : indptr[group + 1]]) > 0).all()


@cases("dtype", ["f4", "f8", "i4"])
@cases("weighted", [False, True])
def test_link_sums(dtype: str, weighted: bool) -> None:
    from scipy.spatial.distance import squareform

    rng = np.random.default_rng(8)
    condensed = (rng.random(60 * 59 // 2) * 50).astype(dtype)
    square = squareform(condensed)
    groups = rng.integers(0, 5, 60).astype(np.int32)
    w = rng.random(60) if weighted else None
    outer = np.ones((60, 60)) if w is None else np.outer(w, w)
    both = (square * outer).astype(float)
    expected = [np.triu(both[np.ix_(groups == g, groups == g)]).sum() for g in range(6)]
    indptr, members = _core.group_members(groups, 6)
    for m in (members, members.astype(np.int32)):
        assert _core.link_sums_square(indptr, m, square, w) == pytest.approx(expected, rel=1e-13)
        assert _core.link_sums_square(indptr, m, np.asfortranarray(square), w) == pytest.approx(
            expected, rel=1e-13
        )
        assert _core.link_sums_condensed(indptr, m, condensed, 60, w) == pytest.approx(expected, rel=1e-13)


def test_bad_shapes_are_refused() -> None:
    groups = np.zeros(3, np.int32)
    for text, call in {
        "one row per point": lambda: _core.moments_dense(groups, 1, np.ones((4, 2))),
        "one entry per point": lambda: _core.moments_dense(groups, 1, np.ones((3, 2)), np.ones(2)),
        "2 dimensions": lambda: _core.moments_dense(groups, 1, np.ones(3)),
        "same length": lambda: _core.group_sum(groups, 1, np.ones(4)),
        "must be square": lambda: _core.link_sums_square(np.array([0, 3]), np.arange(3), np.ones((3, 4))),
        "N \\(N - 1\\)": lambda: _core.link_sums_condensed(np.array([0, 3]), np.arange(3), np.ones(4), 3),
        "members must lie": lambda: _core.link_sums_square(np.array([0, 1]), np.array([5]), np.ones((3, 3))),
        "column indices": lambda: _core.moments_sparse(
            groups, 1, np.array([0, 1, 1, 1]), np.array([9]), np.ones(1), 4
        ),
        "past the end": lambda: _core.moments_sparse(
            groups, 1, np.array([0, 1, 1, 2]), np.array([0]), np.ones(1), 4
        ),
    }.items():
        with pytest.raises(ValueError, match=text):
            call()


def test_stream_reads_everything() -> None:
    x, y = np.arange(100_000), np.arange(100_000, dtype=np.int32)
    assert _core.stream(x, y) == int(x.sum() + y.sum())


@cases("values", [[3, 1, 3, 0], [10**15, 2, 10**15], [], [7] * 50])
def test_distinct_values_are_counted(values: list[int]) -> None:
    """By a table, or sorted where one is huge."""
    found = _core.counted(np.array(values, dtype=np.int64))
    expected = np.unique(np.array(values, dtype=np.int64), return_counts=True)
    assert [column.tolist() for column in found] == [column.tolist() for column in expected]


def test_only_what_is_not_negative_is_counted() -> None:
    """Sizes are."""
    with pytest.raises(ValueError, match="x must not be negative"):
        _core.counted(np.array([1, -1]))
