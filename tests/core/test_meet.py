"""The meet against sorted pairs of labels, in every regime and at each crossover."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases

Arrays = tuple[np.ndarray, np.ndarray]


def as_pairs(cells: _core.Cells) -> dict[tuple[int, int], int]:
    true, pred = cells.true_labels, cells.pred_labels
    assert true is not None
    assert pred is not None
    rows = np.repeat(np.arange(cells.k_true), np.diff(cells.indptr))
    pairs = zip(true[rows].tolist(), pred[cells.cols].tolist(), strict=True)
    found = dict(zip(pairs, cells.sizes.tolist(), strict=True))
    assert len(found) == len(cells)
    return found


def check(true: np.ndarray, pred: np.ndarray) -> _core.Cells:
    cells = _core.meet(true, pred)
    assert cells.true_labels is not None
    assert cells.pred_labels is not None
    names, codes = zip(*(np.unique(side, return_inverse=True) for side in (true, pred)), strict=True)
    keys, sizes = np.unique(codes[0] * len(names[1]) + codes[1], return_counts=True)
    # Which of the sorted names each cluster has: as many clusters as names, and each name once.
    places = [np.argsort(found, kind="stable") for found in (cells.true_labels, cells.pred_labels)]
    assert np.array_equal(cells.true_labels[places[0]], names[0])
    assert np.array_equal(cells.pred_labels[places[1]], names[1])
    assert cells.true_sizes[places[0]].tolist() == np.bincount(codes[0]).tolist()
    assert cells.pred_sizes[places[1]].tolist() == np.bincount(codes[1]).tolist()
    row, column = (np.empty_like(place) for place in places)
    row[places[0]], column[places[1]] = np.arange(len(row)), np.arange(len(column))
    assert (np.diff(cells.indptr) > 0).all()
    found = np.repeat(row, np.diff(cells.indptr)) * len(column) + column[cells.cols]
    order = np.argsort(found, kind="stable")
    assert np.array_equal(found[order], keys)
    assert np.array_equal(cells.sizes[order], sizes)
    assert (cells.n, cells.k_true, cells.k_pred) == (len(true), len(row), len(column))
    return cells


def noisy(rng: np.random.Generator, n: int, k: int) -> Arrays:
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < 0.8, rng.permutation(k)[true], rng.integers(0, k, n))


def spread(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    """The same clusters under labels from all over the 64-bit range."""
    return rng.integers(-(2**63), 2**63, labels.max() + 1)[labels]


REGIMES: dict[str, Callable[[np.random.Generator], Arrays]] = {
    "table": lambda rng: noisy(rng, 20_000, 50),
    "table of one cell": lambda rng: (np.full(5_000, 7), np.full(5_000, -3)),
    "table, a label the sample misses": lambda rng: (
        np.where(np.arange(9_000) == 4_321, 2_000, rng.integers(0, 5, 9_000)),
        np.zeros(9_000, int),
    ),
    "table, a label far outside": lambda rng: (
        np.where(np.arange(9_000) == 4_321, 2**62, rng.integers(0, 5, 9_000)),
        np.arange(9_000) % 3,
    ),
    "table with gaps": lambda rng: tuple(7 * x for x in noisy(rng, 30_000, 12)),
    "slots, one bucket": lambda rng: noisy(rng, 6_000, 2_000),
    "slots, many buckets": lambda rng: noisy(rng, 150_000, 50_000),
    "slots, long rows": lambda rng: noisy(rng, 150_000, 2_000),
    "slots with gaps": lambda rng: tuple(3 * x - 99 for x in noisy(rng, 60_000, 20_000)),
    "slots, all cells distinct": lambda rng: (np.arange(40_000), rng.permutation(40_000)),
    "slots, sorted": lambda rng: (np.arange(40_000) // 3, np.arange(40_000) // 2),
    "slots, a label above the guessed range": lambda rng: (
        np.where(np.arange(50_000) == 12_345, 120_000, rng.integers(0, 20_000, 50_000)),
        rng.integers(0, 20_000, 50_000),
    ),
    "slots, a label below the guessed range": lambda rng: (
        rng.integers(0, 20_000, 50_000),
        np.where(np.arange(50_000) == 12_345, -1, rng.integers(0, 20_000, 50_000)),
    ),
    "slots, a label far outside": lambda rng: (
        rng.integers(0, 20_000, 50_000),
        np.where(np.arange(50_000) == 12_345, -(2**62), rng.integers(0, 20_000, 50_000)),
    ),
    "slots that begin far from zero": lambda rng: tuple(x + 10**15 for x in noisy(rng, 50_000, 20_000)),
    "slots below zero": lambda rng: tuple(x - 10**15 for x in noisy(rng, 50_000, 20_000)),
    "slots of large unsigned labels": lambda rng: tuple(
        x.astype(np.uint64) + np.uint64(2**64 - 30_000) for x in noisy(rng, 50_000, 20_000)
    ),
    "one side tiny, the other huge": lambda rng: (rng.integers(0, 3, 50_000), rng.permutation(50_000)),
    "one side huge, the other tiny": lambda rng: (rng.permutation(50_000), rng.integers(0, 3, 50_000)),
    "one heavy row of many columns": lambda rng: (
        np.where(rng.random(550_000) < 0.999, 5, rng.integers(0, 550_000, 550_000)),
        rng.permutation(550_000),
    ),
    "few labels, spread": lambda rng: tuple(spread(rng, x) for x in noisy(rng, 40_000, 100)),
    "few labels, spread, one missed by the sample": lambda rng: (
        np.where(np.arange(90_000) == 54_321, 5, spread(rng, rng.integers(0, 9, 90_000))),
        spread(rng, rng.integers(0, 9, 90_000)),
    ),
    "few labels, spread, many points": lambda rng: tuple(spread(rng, x) for x in noisy(rng, 150_000, 300)),
    "a few more labels, spread, many points": lambda rng: tuple(
        spread(rng, x) for x in noisy(rng, 150_000, 700)
    ),
    "many labels, spread, half of the points in one cluster": lambda rng: tuple(
        np.where(rng.random(150_000) < 0.5, 7, spread(rng, x)) for x in noisy(rng, 150_000, 50_000)
    ),
    "a thousand labels, spread": lambda rng: tuple(spread(rng, x) for x in noisy(rng, 60_000, 3_000)),
    "many labels, spread": lambda rng: tuple(spread(rng, x) for x in noisy(rng, 150_000, 50_000)),
    "true spread, many": lambda rng: (
        spread(rng, rng.integers(0, 50_000, 150_000)),
        rng.integers(0, 50_000, 150_000),
    ),
    "pred spread, many": lambda rng: (
        rng.integers(0, 50_000, 150_000),
        spread(rng, rng.integers(0, 50_000, 150_000)),
    ),
    "true spread, few, and pred many": lambda rng: (
        spread(rng, rng.integers(0, 2_000, 150_000)),
        rng.integers(0, 50_000, 150_000),
    ),
    "pred spread, few, and true spread, many": lambda rng: (
        spread(rng, rng.integers(0, 50_000, 150_000)),
        spread(rng, rng.integers(0, 2_000, 150_000)),
    ),
    "true spread, few, and pred spread, many": lambda rng: (
        spread(rng, rng.integers(0, 2_000, 150_000)),
        spread(rng, rng.integers(0, 50_000, 150_000)),
    ),
}


@cases("regime", REGIMES)
def test_every_regime_agrees_with_the_oracle(regime: str) -> None:
    check(*REGIMES[regime](np.random.default_rng(1)))


@pytest.mark.parametrize("regime", REGIMES)
def test_any_number_of_threads_gives_the_same_bits(regime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    true, pred = REGIMES[regime](np.random.default_rng(2))
    repeats = -(-300_000 // len(true))  # enough points for threads to be used at all
    true, pred = np.tile(true, repeats), np.tile(pred, repeats)

    def results() -> list[bytes]:
        cells = _core.meet(true, pred)
        sums = cells.sums()
        numbers = [getattr(sums, name) for name in dir(sums) if not name.startswith("_")]
        arrays = [
            cells.indptr,
            cells.cols,
            cells.sizes,
            cells.true_labels,
            cells.pred_labels,
            *cells.join()[:2],
        ]
        return [np.asarray(x).tobytes() for x in arrays] + [repr(numbers).encode()]

    monkeypatch.setenv("CLUSTERDIFF_THREADS", "1")
    expected = results()
    for threads in ("2", "7"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        assert results() == expected


@cases("n", [1, 2, 3, 63, 64, 65, 1_023, 1_024, 1_025, 4_095, 4_097, 16_384, 16_385, 131_071, 131_073])
def test_sizes_around_block_borders(n: int) -> None:
    rng = np.random.default_rng(n)
    check(rng.integers(0, n, n), rng.integers(0, max(1, n // 3), n))


@cases("width", [4_094, 4_095, 4_096, 4_097, 4_098])
def test_around_the_largest_table_of_small_inputs(width: int) -> None:
    rng = np.random.default_rng(width)
    pred = np.concatenate([[0, width - 1], rng.integers(0, width, 500)])
    check(np.zeros(502, int), pred)
    check(pred, np.zeros(502, int))


@cases("span", [4 * 3_000 + 16_382, 4 * 3_000 + 16_383, 4 * 3_000 + 16_384, 4 * 3_000 + 16_385])
def test_around_the_largest_range_of_slots(span: int) -> None:
    rng = np.random.default_rng(span)
    labels = np.concatenate([[0, span], rng.integers(0, span, 2_998)])
    check(labels, rng.permutation(labels))


@cases("distinct", [510, 511, 512, 1_499, 1_500, 1_501, 1_502, 25_000, 26_000, 27_000])
def test_around_the_dictionaries_of_the_sample(distinct: int) -> None:
    rng = np.random.default_rng(distinct)
    labels = spread(rng, np.arange(140_000) % distinct)
    check(labels, rng.permutation(labels))
    check(labels, np.zeros(140_000, int))


def test_columns_past_the_dense_counters() -> None:
    """Rows of more than 16 points over more than 2^19 columns are counted by hashing."""
    rng = np.random.default_rng(3)
    pred = rng.permutation(600_000)
    check(np.arange(600_000) // 300, pred - pred % 5)


@cases("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
@cases("other", ["i4", "u8"])
def test_every_integer_type_on_either_side(dtype: str, other: str) -> None:
    rng = np.random.default_rng(4)
    low, high = (0, 2) if dtype == "?" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = rng.integers(low, high, 3_000, dtype=dtype if dtype != "?" else "u1").astype(dtype)
    y = rng.integers(0, 40, 3_000).astype(other)
    check(x, y)
    check(y, x)
    check(x[::-3], y[::-3])
    cells = _core.meet(x, y)
    assert cells.true_labels.dtype == (np.uint64 if dtype in ("?", "u1", "u2", "u4", "u8") else np.int64)


def test_strided_read_only_and_unaligned_arrays() -> None:
    rng = np.random.default_rng(5)
    true, pred = noisy(rng, 5_000, 800)
    table = np.stack([true, pred], axis=1)
    table.setflags(write=False)
    expected = as_pairs(check(true, pred))
    assert as_pairs(_core.meet(table[:, 0], table[:, 1])) == expected
    packed = np.empty(5_000, dtype=[("pad", "u1"), ("true", "i8"), ("pred", "i4")])
    packed["true"], packed["pred"] = true, pred
    assert as_pairs(_core.meet(packed["true"], packed["pred"])) == expected
    everywhere = np.broadcast_to(np.int64(3), 5_000)
    assert as_pairs(_core.meet(everywhere, pred)) == as_pairs(check(np.full(5_000, 3), pred))


def test_inputs_are_left_alone() -> None:
    true, pred = noisy(np.random.default_rng(6), 200_000, 60_000)
    before = true.copy(), pred.copy()
    _core.meet(true, pred).sums()
    assert (true == before[0]).all()
    assert (pred == before[1]).all()


def test_a_range_of_half_of_all_integers() -> None:
    """Twice such a range is small again in 64 bits."""
    rng = np.random.default_rng(5)
    for span in (2**63 - 1, 2**63, 2**63 + 1_000):
        labels = rng.integers(0, 50, 10_000).astype(np.uint64)
        labels[::2] += np.uint64(span)
        check(labels, rng.permutation(labels))


def test_extreme_labels() -> None:
    low, high = -(2**63), 2**63 - 1
    check(np.array([low, high, 0, low]), np.array([high, high, low, low]))
    top = np.array([2**64 - 1, 0, 2**63, 2**64 - 1], dtype=np.uint64)
    check(top, np.array([1, 1, 2, 2]))
    assert check(top, top).true_labels.tolist() == [0, 2**63, 2**64 - 1]


@pytest.mark.parametrize("k", [30, 3_000])
def test_small_ranges_are_numbered_in_ascending_order(k: int) -> None:
    true, pred = noisy(np.random.default_rng(7), 9_000, k)
    cells = _core.meet(5 * true - 77, pred)
    assert (np.diff(cells.true_labels) > 0).all()
    assert (np.diff(cells.pred_labels) > 0).all()


@given(st.data())
def test_small_inputs_of_any_labels(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    labels = st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2), min_size=n, max_size=n)
    cells = check(np.array(data.draw(labels)), np.array(data.draw(labels)))
    transposed, index = cells.transpose()
    assert (transposed.sizes == cells.sizes[index]).all()
    assert (transposed.true_labels == cells.pred_labels).all()


@cases("regime", REGIMES)
def test_locate_finds_the_cell_of_every_point(regime: str) -> None:
    true, pred = REGIMES[regime](np.random.default_rng(8))
    cells = _core.meet(true, pred)
    at = cells.locate(true, pred)
    rows = np.repeat(np.arange(cells.k_true), np.diff(cells.indptr))
    assert (cells.rows == rows).all()
    assert at.dtype == np.int32
    assert (cells.true_labels[rows[at]] == true).all()
    assert (cells.pred_labels[cells.cols[at]] == pred).all()


def test_locate_refuses_strangers() -> None:
    cells = _core.meet(np.array([0, 0, 1]), np.array([5, 6, 6]))
    assert cells.locate(np.array([1, 0, 0]), np.array([6, 5, 6])).tolist() == [2, 0, 1]
    for true, pred in (
        ([1, 0, 1], [5, 6, 6]),
        ([9, 0, 0], [5, 6, 5]),
        ([0, 0, 0], [5, 6, 6]),
        ([0, 0], [5, 6]),
    ):
        with pytest.raises(ValueError, match="not the labels that the cells were made from"):
            cells.locate(np.array(true), np.array(pred))
    with pytest.raises(ValueError, match="same length"):
        cells.locate(np.array([1, 1]), np.array([5]))
    by_hand = _core.Cells(np.array([0, 1]), np.array([0], np.int32), np.array([4]), 1)
    assert by_hand.true_labels is None
    with pytest.raises(ValueError, match="made by hand"):
        by_hand.locate(np.array([0]), np.array([0]))


@cases("regime", REGIMES)
def test_transpose_is_the_meet_of_the_swapped_sides(regime: str) -> None:
    true, pred = REGIMES[regime](np.random.default_rng(9))
    cells = _core.meet(true, pred)
    transposed, index = cells.transpose()
    rows = np.repeat(np.arange(cells.k_true), np.diff(cells.indptr))
    columns = np.repeat(np.arange(transposed.k_true), np.diff(transposed.indptr))
    assert (np.bincount(index, minlength=len(cells)) == 1).all()
    assert (transposed.sizes == cells.sizes[index]).all()
    assert (transposed.cols == rows[index]).all()
    assert (columns == cells.cols[index]).all()
    assert (transposed.true_labels == cells.pred_labels).all()
    assert (transposed.pred_labels == cells.true_labels).all()


@cases("regime", REGIMES)
def test_join_numbers_components_by_first_true_cluster(regime: str) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    cells = _core.meet(*REGIMES[regime](np.random.default_rng(10)))
    of_true, of_pred, count = cells.join()
    rows = np.repeat(np.arange(cells.k_true), np.diff(cells.indptr))
    size = cells.k_true + cells.k_pred
    graph = coo_array((np.ones(len(cells)), (rows, cells.cols + cells.k_true)), shape=(size, size))
    expected, labels = connected_components(graph, directed=False)
    assert count == expected
    both = np.concatenate([of_true, of_pred])
    assert len(np.unique(both * size + labels)) == expected  # a bijection between the two numberings
    _, first = np.unique(of_true, return_index=True)
    assert (np.diff(first) > 0).all()


def test_views_outlive_the_cells() -> None:
    sizes = _core.meet(np.arange(1_000), np.arange(1_000)).sizes
    assert sizes.sum() == 1_000
    assert not sizes.flags.writeable
    spread = np.arange(1_000) * 7 - 9
    labels = _core.meet(spread, spread).true_labels
    assert labels is not None
    assert np.array_equal(np.sort(labels), spread)
    assert not labels.flags.writeable
    assert labels.base is not None


@cases(
    ("true", "pred", "error", "text"),
    [
        (np.arange(3), np.arange(4), ValueError, "same length"),
        (np.arange(0), np.arange(0), ValueError, "at least one point"),
        (np.zeros((2, 2), int), np.arange(4), ValueError, "1 dimension"),
        (np.arange(3.0), np.arange(3), TypeError, "integers or booleans"),
        ([1, 2], np.arange(2), TypeError, "must be an array"),
        (np.arange(3).astype(">i8"), np.arange(3), TypeError, "native byte order"),
    ],
)
def test_bad_labels(true: object, pred: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        _core.meet(true, pred)


@cases(
    ("indptr", "cols", "sizes", "k_pred", "text"),
    [
        ([0, 2, 1, 3], [0, 1, 0], [1, 1, 1], 2, "must not decrease"),
        ([1, 3], [0, 1, 0], [1, 1, 1], 2, "start at 0"),
        ([0, 2], [0, 1, 0], [1, 1, 1], 2, "end at the number of cells"),
        ([0, 3], [0, 1, 2], [1, 1, 1], 2, "cols must lie"),
        ([0, 3], [0, 1, -1], [1, 1, 1], 2, "cols must lie"),
        ([0, 2], [0, 1], [1, 0], 2, "at least 1"),
        ([0, 2], [1, 1], [1, 2], 2, "same column twice"),
        ([0, 2], [0, 1], [2**62, 2**62], 2, "2\\^63"),
        ([0], [], [], 2, "at least one cell"),
        ([0, 1], [0], [1], 0, "k_pred"),
        ([0, 1], [0], [1, 2], 1, "same length"),
    ],
)
def test_bad_hand_made_cells(
    indptr: list[int], cols: list[int], sizes: list[int], k_pred: int, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        _core.Cells(np.array(indptr, np.int64), np.array(cols, np.int32), np.array(sizes, np.int64), k_pred)


@pytest.mark.parametrize("text", ["0", "-1", "many", "2x", "99999"])
def test_bad_numbers_of_threads(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTERDIFF_THREADS", text)
    with pytest.raises(ValueError, match="CLUSTERDIFF_THREADS"):
        _core.threads()


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
def test_a_keyboard_interrupt_stops_a_long_run(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand million points that take no memory: without the interrupt this would run for minutes."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
    endless = np.broadcast_to(np.int64(1), 10**11)
    begun = threading.Event()

    def interrupt() -> None:
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)

    # A shell that starts the tests in the background makes them deaf to the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    # No thread is made to let go of the interpreter: the other one runs once the core has, in the middle of its work.
    patience = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    other = threading.Thread(target=interrupt)
    other.start()
    try:
        begun.set()
        with pytest.raises(KeyboardInterrupt):
            _core.meet(endless, endless)
    finally:
        sys.setswitchinterval(patience)
        other.join()
        signal.signal(signal.SIGINT, before)
    assert len(check(np.arange(9), np.arange(9))) == 9


def test_several_meets_are_those_made_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the type of the labels and the number of threads, with all their sums."""
    rng = np.random.default_rng(0)
    true = 3 * rng.integers(-5, 40, 6000)
    preds = [(rng.integers(0, k, 6000) * step).astype(kind) for k, step, kind in
             ((3, 1, np.int8), (50, 1, np.uint16), (900, 10**15, np.int64), (6000, 1, np.int32))]  # fmt: skip
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        for cells, pred in zip(_core.meets(true, preds * 9), preds * 9, strict=True):
            one = _core.meet(true, pred)
            for name in ("indptr", "cols", "sizes", "pred_sizes", "true_labels", "pred_labels"):
                assert (getattr(cells, name) == getattr(one, name)).all()
            sums, other = cells.sums(), one.sums()
            assert (sums.s_h, sums.mm, sums.mutual) == (other.s_h, other.mm, other.mutual)
            kept, again = cells.kept_by_true(), cells.kept_by_true()  # made on the way, and then anew
            assert (kept.kept == one.kept_by_true().kept).all()
            assert kept[1:] == again[1:] == one.kept_by_true()[1:]
    assert _core.meets(true, []) == []
    with pytest.raises(ValueError, match="the same length"):
        _core.meets(true, [preds[0], preds[1][1:]])


@given(st.data(), st.integers(1, 40), st.sampled_from([1, 2**40]), st.sampled_from(["int16", "int64"]))
def test_the_points_of_a_few_cells(data: st.DataObject, n: int, spread: int, kind: str) -> None:
    spread = 1 if kind == "int16" else spread
    true, pred = (
        np.array(data.draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n)), dtype=kind) * spread
        for _ in range(2)
    )
    cells = _core.meet(true, pred)
    cell = cells.locate(true, pred)
    chosen = np.array(data.draw(st.lists(st.integers(0, len(cells) - 1), unique=True)), dtype=np.int64)
    indptr, members = cells.members(true, pred, chosen)
    found = [members[a:b].tolist() for a, b in pairwise(indptr.tolist())]
    assert found == [np.flatnonzero(cell == q).tolist() for q in chosen]


def test_the_points_of_a_few_cells_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    true, pred = random.integers(0, 50_000, 200_000), random.integers(0, 9, 200_000)
    cells = _core.meet(true, pred)
    cell = cells.locate(true, pred)
    mixed = random.permutation(len(cells))
    for count, threads in ((50, "1"), (50, "3"), (60_000, "1"), (60_000, "3")):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        chosen = mixed[:count]
        indptr, members = cells.members(true, pred, chosen)
        assert np.array_equal(np.diff(indptr), cells.sizes[chosen])
        assert np.array_equal(cell[members], chosen.repeat(cells.sizes[chosen]))


def test_cells_that_are_not_there_or_chosen_twice_are_refused() -> None:
    labels = np.array([0, 1])
    cells = _core.meet(labels, labels)
    for chosen in ([2], [-1]):
        with pytest.raises(ValueError, match="a cell must be one of these"):
            cells.members(labels, labels, np.array(chosen))
    with pytest.raises(ValueError, match="a cell must not be chosen twice"):
        cells.members(labels, labels, np.array([0, 0]))
