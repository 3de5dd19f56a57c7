"""Values to codes: by first appearance, null as -1, and never fooled by equal hashes."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases


def oracle(values: list[Any]) -> tuple[list[int], list[int]]:
    known: dict[Any, int] = {}
    first, codes = [], []
    for i, value in enumerate(values):
        if value is None:
            codes.append(-1)
            continue
        if value not in known:
            known[value] = len(known)
            first.append(i)
        codes.append(known[value])
    return codes, first


def agree(found: tuple[Any, ...], expected: tuple[list[int], list[int]]) -> None:
    assert found[0].dtype == np.int32
    assert found[1].dtype == np.int64
    assert (found[0].tolist(), found[1].tolist()) == expected


def same(found: tuple[Any, ...], values: list[Any]) -> None:
    agree(found, oracle(values))


def arrow(values: list[str | None], large: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Offsets, data and validity of an Arrow string array, laid out by hand."""
    encoded = [(v or "").encode() for v in values]
    offsets = np.cumsum([0] + [len(e) for e in encoded]).astype(np.int64 if large else np.int32)
    valid = np.packbits(np.array([v is not None for v in values], bool), bitorder="little")
    return offsets, np.frombuffer(b"".join(encoded), np.uint8), valid


def string_views(values: list[str | None]) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """The same as string views: short ones in place, long ones in two buffers."""
    buffers = [bytearray(), bytearray()]
    views = bytearray()
    for i, value in enumerate(values):
        text = (value or "").encode()
        if len(text) <= 12:
            views += struct.pack("<i12s", len(text), text)
        else:
            which = i % 2
            views += struct.pack("<i4sii", len(text), text[:4], which, len(buffers[which]))
            buffers[which] += text
    valid = np.packbits(np.array([v is not None for v in values], bool), bitorder="little")
    return (
        np.frombuffer(views, np.uint8).reshape(-1, 16),
        [np.frombuffer(b, np.uint8) for b in buffers],
        valid,
    )


texts = st.lists(
    st.none() | st.text(max_size=20) | st.sampled_from(["", "a", "aa", "é", "日本", "\0", "\0\0"]),
    max_size=50,
)


@given(texts)
def test_text_of_every_kind(values: list[str | None]) -> None:
    same(_core.encode_objects(values)[:2], values)
    same(_core.encode_objects(tuple(values))[:2], values)
    half = len(values) // 2
    same(_core.encode_lists([values[:half], [], values[half:]])[:2], values)
    array = np.empty(len(values), object)
    array[:] = values
    same(_core.encode_objects(array[::-1])[:2], values[::-1])
    for large in (False, True):
        offsets, data, valid = arrow(values, large)
        if len(values):
            same(_core.encode_text(offsets, data, valid, 0), values)
            same(_core.encode_text(offsets[1:], data, valid, 1), values[1:])
    same(_core.encode_views(*string_views(values)), values)


@given(
    st.lists(st.text(max_size=19).map(lambda x: x.rstrip("\0")), min_size=1, max_size=30),
    st.integers(0, 20),
)
def test_text_in_fields(values: list[str], width: int) -> None:
    """NumPy's fields of one width: narrow and wide characters, short and long text, any padding."""
    fixed = np.array([*values, "x" * width])
    expected = fixed.tolist()
    for kind, text in (("U", fixed), ("S", np.char.encode(fixed, "utf-8"))):
        rows = np.ascontiguousarray(text).view(np.uint8).reshape(len(text), -1)
        same(_core.encode_fixed(rows, 4 if kind == "U" else 1), expected)


@pytest.mark.parametrize("distinct", [3, 5_000, 90_000])
@pytest.mark.parametrize("prefix", ["cluster ", "a cluster with a long name "])
def test_large_inputs_by_dictionary_and_by_partition(
    distinct: int, prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(distinct)
    numbers = rng.integers(0, distinct, 150_000)
    values: list[str | None] = [
        None if i % 97 == 0 else f"{prefix}{x}" for i, x in enumerate(numbers.tolist())
    ]
    named, counted = oracle(values), oracle(numbers.tolist())
    offsets, data, valid = arrow(values)
    views = string_views(values)
    fixed = np.array([v or "" for v in values])
    padded = oracle(fixed.tolist())
    for threads in ("1", "2", "7"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        agree(_core.encode_objects(values)[:2], named)
        agree(_core.encode_text(offsets, data, valid), named)
        agree(_core.encode_views(*views), named)
        agree(_core.encode_integers(numbers * 10**12), counted)
        agree(_core.encode_objects(numbers.tolist())[:2], counted)
        agree(_core.encode_fixed(fixed.view(np.uint8).reshape(len(fixed), -1), 4), padded)


@pytest.mark.parametrize("n", [2_000, 150_000])
def test_equal_hashes_are_told_apart(n: int) -> None:
    """Sixteen bytes that begin with the hash's own multiplier all hash alike, whatever follows."""
    rows = np.zeros((n, 16), np.uint8)
    rows[:, :8] = np.frombuffer(struct.pack("<Q", 0xE7037ED1A0B428DB), np.uint8)
    tails = np.random.default_rng(1).integers(0, 300, n)
    rows[:, 8:10] = tails.astype(np.uint16)[:, None].view(np.uint8)
    same(_core.encode_fixed(rows), tails.tolist())
    tails[: n // 2] = np.arange(n // 2) % 16_000
    spread = np.random.default_rng(2).integers(0, 2**60, 16_000)  # many other values: the partition's turn
    rows[: n // 2] = spread[tails[: n // 2], None].view(np.uint8).repeat(2, axis=1)
    same(_core.encode_fixed(rows), [bytes(r) for r in rows])


@cases("dtype", ["?", "i1", "u2", "i4", "u8", "i8"])
def test_integers_of_every_width(dtype: str) -> None:
    x = np.random.default_rng(3).integers(0, 100, 999).astype(dtype)
    same(_core.encode_integers(x), x.tolist())
    same(_core.encode_integers(x[::-2]), x[::-2].tolist())


def test_text_whose_bytes_agree_but_whose_characters_do_not() -> None:
    narrow, wide = "ab", "\u6261"
    assert narrow.encode("latin1") == wide.encode("utf-16-le")
    same(_core.encode_objects([narrow, wide, narrow])[:2], [narrow, wide, narrow])


def test_equality_is_that_of_a_dict() -> None:
    codes, first, types = _core.encode_objects([1, True, 1.0, 2, "1", np.int64(2), 2**70, 2**70 + 0])
    assert codes.tolist() == [0, 0, 0, 1, 2, 1, 3, 3]
    assert first.tolist() == [0, 3, 4, 6]
    assert types == [(int, 0), (bool, 1), (float, 2), (str, 4), (np.int64, 5)]
    codes, _, types = _core.encode_objects(["a", np.str_("a"), ("a",), ("a",)])
    assert codes.tolist() == [0, 0, 1, 1]
    assert types == [(str, 0), (np.str_, 1), (tuple, 2)]


def test_nulls_of_every_library() -> None:
    pandas = pytest.importorskip("pandas")
    nulls = [None, float("nan"), np.float64("nan"), pandas.NA, pandas.NaT, np.datetime64("NaT", "ns")]
    codes, first, types = _core.encode_objects([*nulls, "x", *nulls])
    assert codes.tolist() == [-1] * 6 + [0] + [-1] * 6
    assert first.tolist() == [6]
    assert types == [(str, 6)]
    assert _core.encode_objects([None, None])[0].tolist() == [-1, -1]


def test_unhashable_elements_are_named() -> None:
    with pytest.raises(TypeError, match="element 2 is not hashable: list"):
        _core.encode_objects(["a", 1, [3]])


def test_an_object_is_hashed_once() -> None:
    class Counting:
        hashed = 0

        def __hash__(self) -> int:
            self.hashed += 1
            return 1

    items = [Counting() for _ in range(5)]
    assert _core.encode_objects(items)[0].tolist() == list(range(5))
    assert [item.hashed for item in items] == [1] * 5


def test_errors_of_hash_and_equality_pass_through() -> None:
    class Angry:
        def __hash__(self) -> int:
            raise RuntimeError("no hash today")

    with pytest.raises(RuntimeError, match="no hash today"):
        _core.encode_objects([Angry()])


def test_a_list_that_changes_while_it_is_read() -> None:
    values: list[Any] = []

    class Sly:
        def __hash__(self) -> int:
            values.clear()
            return 1

    values.extend([Sly(), "a", 2.5, Sly()])
    assert _core.encode_objects(values)[0].tolist() == [0, 1, 2, 3]


@cases(
    ("call", "text"),
    [
        (lambda: _core.encode_text(np.array([0, 5], np.int32), np.zeros(3, np.uint8)), "past the end"),
        (lambda: _core.encode_text(np.array([2, 1], np.int32), np.zeros(3, np.uint8)), "must not decrease"),
        (lambda: _core.encode_text(np.array([-1, 1], np.int32), np.zeros(3, np.uint8)), "must not decrease"),
        (
            lambda: _core.encode_text(
                np.arange(20, dtype=np.int32), np.zeros(30, np.uint8), np.zeros(1, np.uint8)
            ),
            "validity",
        ),
        (lambda: _core.encode_fixed(np.zeros((2, 6), np.uint8), 4), "divide the width"),
        (lambda: _core.encode_views(np.full((1, 16), 127, np.uint8), []), "past the end"),
    ],
)
def test_broken_arrow_data_is_refused(call: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
