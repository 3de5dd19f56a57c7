"""Points matched by their ids: held to a dictionary, for every type of id and any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases

#: More than a worker and a bucket are made for.
MANY = 400_000


def oracle(true: list[Any], pred: list[Any]) -> tuple[list[int], ...]:
    firsts: list[dict[Any, int]] = []
    repeats: list[list[int]] = []
    for ids in (true, pred):
        first: dict[Any, int] = {}
        repeats.append([row for row, name in enumerate(ids) if first.setdefault(name, row) != row])
        firsts.append(first)
    place = [firsts[1].get(name, -1) if firsts[0][name] == row else -1 for row, name in enumerate(true)]
    extra = sorted(row for name, row in firsts[1].items() if name not in firsts[0])
    return place, extra, *repeats


def same(found: _core.Matched, true: list[Any], pred: list[Any]) -> None:
    assert all(part.dtype == np.int64 for part in found)
    assert tuple(part.tolist() for part in found) == oracle(true, pred)


def match(true: Any, pred: Any) -> _core.Matched:
    return _core.match(true, pred, max(len(true), len(pred)))


def chunked(values: list[Any], kind: pa.DataType, cut: int) -> pa.ChunkedArray:
    """In two chunks, the second of which does not begin where its buffers do."""
    whole = pa.array([*values[:1], *values], type=kind)
    return pa.chunked_array([whole[1 : 1 + cut], whole[1 + cut :]], type=kind)


TEXTS = st.lists(
    st.text(max_size=40) | st.sampled_from(["", "a", "a\0", "\0", "é", "e\u0301", "a" * 5000]), max_size=30
)
SMALL = st.lists(st.integers(0, 20), max_size=30)


@given(
    SMALL,
    SMALL,
    st.sampled_from(
        [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
    ),
    st.sampled_from([pa.int8(), pa.int64(), pa.uint8(), pa.uint64()]),
    st.integers(0, 30),
)
def test_integers_of_any_width(
    true: list[int], pred: list[int], left: pa.DataType, right: pa.DataType, cut: int
) -> None:
    same(match(chunked(true, left, cut), chunked(pred, right, cut)), true, pred)


@given(
    st.lists(st.sampled_from([0, 1, -1, 2**63 - 1, -(2**63)]), max_size=9),
    st.lists(st.sampled_from([0, 1, 2**64 - 1, 2**63 - 1, 2**63]), max_size=9),
)
def test_large_integers_are_not_negative_ones(signed: list[int], unsigned: list[int]) -> None:
    left, right = pa.chunked_array([signed], pa.int64()), pa.chunked_array([unsigned], pa.uint64())
    same(match(left, right), signed, unsigned)
    same(match(right, left), unsigned, signed)
    same(match(right, right), unsigned, unsigned)


@given(st.lists(st.booleans(), max_size=30), st.lists(st.booleans(), max_size=30), st.integers(0, 30))
def test_booleans(true: list[bool], pred: list[bool], cut: int) -> None:
    same(match(chunked(true, pa.bool_(), cut), chunked(pred, pa.bool_(), cut)), true, pred)


KINDS = [pa.string(), pa.large_string(), pa.string_view()]


@given(TEXTS, TEXTS, st.sampled_from(KINDS), st.sampled_from(KINDS), st.integers(0, 30))
def test_text_is_compared_by_its_bytes(
    true: list[str], pred: list[str], left: pa.DataType, right: pa.DataType, cut: int
) -> None:
    both = [*true, *pred]
    same(match(chunked(both, left, cut), chunked(pred, right, cut)), both, pred)
    same(match(chunked(true, left, cut), chunked(both, right, cut)), true, both)


def many(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ids that mostly are on both sides, some of them twice."""
    random = np.random.default_rng(seed)
    ids = random.integers(-(2**63), 2**63 - 1, MANY)
    true, pred = random.permutation(ids)[: MANY * 9 // 10], random.permutation(ids)[: MANY * 8 // 10]
    true[random.integers(0, len(true), 50)] = true[0]
    pred[random.integers(0, len(pred), 50)] = pred[:50]
    return true, pred


@pytest.mark.parametrize("as_text", [False, True], ids=["integers", "text"])
def test_many_ids_have_the_same_bits_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, as_text: bool
) -> None:
    sides = [
        pa.table({"id": side}).cast(pa.schema({"id": pa.string()})) if as_text else pa.table({"id": side})
        for side in many(0)
    ]
    batches = [pa.Table.from_batches(side.to_batches(max_chunksize=10_000)) for side in sides]
    expected = [np.array(part) for part in oracle(*(side["id"].to_pylist() for side in sides))]
    assert all(len(part) for part in expected)
    for threads, rows in ((1, 0), (1, MANY), (2, MANY), (5, 100 * MANY)):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", str(threads))
        for part, found in zip(expected, _core.match(*batches, rows), strict=True):
            assert np.array_equal(part, found)


def test_whoever_offers_a_stream_is_read() -> None:
    true, pred = ["b", "a", "c"], ["c", "d", "b"]
    con = duckdb.connect()
    con.execute("CREATE TABLE t AS SELECT unnest(['b', 'a', 'c']) AS id")
    offers: list[Callable[[list[str]], Any]] = [
        lambda ids: pa.table({"id": ids}),
        lambda ids: pa.chunked_array([ids]),
        lambda ids: pl.DataFrame({"id": ids}),
        lambda ids: pl.Series(ids),
    ]
    for offer in offers:
        same(_core.match(offer(true), offer(pred), 3), true, pred)
    # Two results of one connection, which has but one open at a time.
    table = con.sql("SELECT id FROM t")
    same(_core.match(table, table, 3), true, true)


def test_nobody_on_either_side() -> None:
    nothing, one = pa.chunked_array([], pa.int64()), pa.chunked_array([[7]], pa.int64())
    same(match(nothing, nothing), [], [])
    same(match(one, nothing), [7], [])
    same(match(nothing, one), [], [7])


def test_the_first_null_is_named() -> None:
    ids = pa.chunked_array([[1, 2], [3, None, None]], pa.int64())
    whole = pa.chunked_array([[1, 2]], pa.int64())
    with pytest.raises(ValueError, match=r"^true has no id in row 3$"):
        match(ids, whole)
    with pytest.raises(ValueError, match=r"^pred has no id in row 3$"):
        match(whole, ids)


@cases(
    ("true", "message"),
    [
        (pa.table({"a": [1], "b": [1]}), "true must have one column, not 2"),
        (pa.chunked_array([[1.5]]), "true must hold integers, booleans or text, not Arrow's 'g'"),
        (pa.chunked_array([pa.array(["a"]).dictionary_encode()]), "not Arrow's 'i' of a dictionary"),
        (pa.chunked_array([["1"]]), "the ids of true and pred must be of one type"),
        (pa.chunked_array([[True]]), "the ids of true and pred must be of one type"),
    ],
)
def test_other_types_are_refused(true: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.match(true, pa.chunked_array([[1]]), 1)


def test_who_offers_no_stream_is_refused() -> None:
    with pytest.raises(TypeError, match="ids must be an Arrow stream, not list"):
        _core.match([1], [1], 1)


def test_an_error_of_the_stream_is_raised() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"id": [1, 2]})
        raise OSError("the disk is gone")

    schema = pa.schema({"id": pa.int64()})
    with pytest.raises(RuntimeError, match="the disk is gone"):
        _core.match(pa.RecordBatchReader.from_batches(schema, batches()), pa.table({"id": [1]}), MANY)
