"""Points matched by their ids: held to a dictionary, for every type of id and any number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
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
    assert all(part.dtype == np.int64 for part in found[1:])
    assert tuple(part.tolist() for part in found) == oracle(true, pred)


def match(true: Any, pred: Any, rows: int | None = None) -> _core.Matched:
    matching = _core.Matching(max(len(true), len(pred)) if rows is None else rows)
    assert matching.read(true) is matching.read(pred) is None  # nobody has labels
    return matching.match()


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
        for part, found in zip(expected, match(*batches, rows), strict=True):
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
        same(match(offer(true), offer(pred), 3), true, pred)
    # Two results of one connection, which has but one open at a time.
    table = con.sql("SELECT id FROM t")
    same(match(table, table, 3), true, true)


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
        (pa.table({"a": [1], "b": [1], "c": [1]}), "true must have one or two columns, not 3"),
        (pa.table({"a": [1], "b": [1.5]}), "the labels of true must hold integers, booleans or text"),
        (pa.chunked_array([[1.5]]), "true must hold integers, booleans or text, not Arrow's 'g'"),
        (pa.chunked_array([pa.array(["a"]).dictionary_encode()]), "not Arrow's 'i' of a dictionary"),
        (pa.chunked_array([["1"]]), "the ids of true and pred must be of one type"),
        (pa.chunked_array([[True]]), "the ids of true and pred must be of one type"),
    ],
)
def test_other_types_are_refused(true: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match(true, pa.chunked_array([[1]]), 1)


def test_sides_are_read_once_and_both() -> None:
    matching, ids = _core.Matching(1), pa.table({"id": [1]})
    matching.read(ids)
    with pytest.raises(ValueError, match="both sides must have been read"):
        matching.match()
    matching.read(ids)
    with pytest.raises(ValueError, match="both sides have been read"):
        matching.read(ids)


def test_who_offers_no_stream_is_refused() -> None:
    with pytest.raises(TypeError, match="ids must be an Arrow stream, not list"):
        match([1], [1], 1)


def test_an_error_of_the_stream_is_raised() -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"id": [1, 2]})
        raise OSError("the disk is gone")

    schema = pa.schema({"id": pa.int64()})
    with pytest.raises(RuntimeError, match="the disk is gone"):
        match(pa.RecordBatchReader.from_batches(schema, batches()), pa.table({"id": [1]}), MANY)


@given(
    st.lists(st.integers(-128, 127), min_size=1),
    st.sampled_from(["int8", "uint16", "int32", "uint64"]),
    st.sampled_from(["int32", "int64"]),
    st.integers(1, 3),
    st.data(),
)
def test_labels_are_taken_from_their_places(
    values: list[int], kind: str, places: str, step: int, data: st.DataObject
) -> None:
    labels = np.array(values).astype(kind)[::step]
    at = np.array(data.draw(st.lists(st.integers(-1, len(labels) - 1))), dtype=places)
    found = _core.take(labels, at)
    assert found.dtype == labels.dtype
    assert found.tolist() == [0 if i < 0 else labels[i] for i in at.tolist()]


@cases("place", [-2, 3])
def test_a_place_that_is_none_is_refused(place: int) -> None:
    with pytest.raises(ValueError, match="a place must be one of the labels', or -1"):
        _core.take(np.arange(3), np.array([0, place]))


# ---- labels beside the ids, or alone


def told(values: list[Any], found: _core.StreamLabels) -> None:
    """Integers come back as they are, text as codes by first appearance."""
    if found.ends is None or found.bytes is None:
        absent = [False] * len(values) if found.absent is None else found.absent.tolist()
        assert [None if gone else x for x, gone in zip(found.values.tolist(), absent, strict=True)] == values
        return
    assert found.absent is None
    codes, texts = encoded(values)
    assert found.values.dtype == np.int32
    assert found.values.tolist() == codes
    starts, data = [0, *found.ends.tolist()], found.bytes.tobytes()
    assert [data[begin:end].decode() for begin, end in pairwise(starts)] == texts
    assert len(data) == starts[-1]


def encoded(values: list[Any]) -> tuple[list[int], list[Any]]:
    codes: dict[Any, int] = {}
    return [-1 if x is None else codes.setdefault(x, len(codes)) for x in values], list(codes)


@given(
    st.lists(st.none() | st.text(max_size=20) | st.sampled_from(["", "a", "a\0", "a" * 5000]), max_size=40),
    st.sampled_from(KINDS),
    st.integers(0, 40),
    st.booleans(),
)
def test_text_as_labels(values: list[str | None], kind: pa.DataType, cut: int, alone: bool) -> None:
    labels = chunked(values, kind, cut)
    if alone:
        told(values, _core.read_labels(labels, len(values)))
        return
    table = pa.table({"id": pa.array(range(len(values)), pa.int64()), "label": labels})
    found = _core.Matching(len(values)).read(table)
    assert found is not None
    told(values, found)


EDGES = {
    pa.int8(): [0, 1, -1, 127, -128],
    pa.uint32(): [0, 1, 2**31 - 1, 2**31, 2**32 - 1],
    pa.int64(): [0, 1, -1, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2**63 - 1, -(2**63)],
    pa.uint64(): [0, 1, 2**31 - 1, 2**31, 2**63, 2**64 - 2**31 - 1, 2**64 - 2**31, 2**64 - 1],
    pa.bool_(): [False, True],
}


@given(st.data(), st.sampled_from(list(EDGES)), st.integers(0, 12))
def test_integers_as_labels(data: st.DataObject, kind: pa.DataType, cut: int) -> None:
    values = data.draw(st.lists(st.none() | st.sampled_from(EDGES[kind]), max_size=12))
    found = _core.read_labels(chunked(values, kind, cut), len(values))
    told(values, found)
    known = [x for x in values if x is not None]
    if all(-(2**31) <= x < 2**31 for x in known):
        assert found.values.dtype == ("bool" if pa.types.is_boolean(kind) else "int32")


@pytest.mark.parametrize("distinct", [7, 200_000])
def test_many_labels_have_the_same_bits_for_any_number_of_threads(
    monkeypatch: pytest.MonkeyPatch, distinct: int
) -> None:
    numbers = np.random.default_rng(0).integers(0, distinct, 300_000)
    texts: list[Any] = [f"a rather long cluster {i}" if i % 3 else str(i) for i in numbers.tolist()]
    texts[5::1000] = [None] * len(texts[5::1000])
    whole = pa.table({"id": np.arange(len(texts)), "label": texts})
    batches = pa.Table.from_batches(whole.to_batches(max_chunksize=9_999))
    for threads, table in ((1, whole), (3, whole), (2, batches)):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", str(threads))
        found = _core.Matching(len(texts)).read(table)
        assert found is not None
        told(texts, found)
    told(numbers.tolist(), _core.read_labels(pa.table({"label": numbers}), len(numbers)))


def test_only_a_stream_of_labels_is_read() -> None:
    with pytest.raises(TypeError, match="labels must be an Arrow stream, not list"):
        _core.read_labels(["a"], 1)
    with pytest.raises(ValueError, match="labels must have one column, not 2"):
        _core.read_labels(pa.table({"a": ["x"], "b": ["y"]}), 1)
