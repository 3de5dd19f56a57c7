"""Parquet read by the core: held to pyarrow and DuckDB, and given up where it is not plain."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from tests.cases import cases


def read(path: Path, fields: int = 2, point: int = 0, cluster: int = 1) -> Any:
    """The labels, and the place of each point among those of the same file."""
    matching = _core.Matching(8)
    for _ in range(2):
        with path.open("rb") as file:
            found = matching.read_parquet(file.fileno(), fields, point, cluster)
            if found is None:
                return None
    return names(found), matching.match().place.tolist()


def names(found: _core.StreamLabels) -> list[Any]:
    """The labels themselves."""
    values = found.values.tolist()
    if found.ends is None or found.bytes is None:
        return (
            values
            if found.absent is None
            else [None if no else x for no, x in zip(found.absent, values, strict=True)]
        )
    text = found.bytes.tobytes()
    known = [text[begin:end].decode() for begin, end in pairwise([0, *found.ends.tolist()])]
    assert sorted(set(values) - {-1}) == list(range(len(known)))
    return [None if code < 0 else known[code] for code in values]


def expected(ids: list[Any], labels: list[Any]) -> tuple[list[Any], list[int]]:
    """What must come out of them."""
    first: dict[Any, int] = {}
    return labels, [i if first.setdefault(id_, i) == i else -1 for i, id_ in enumerate(ids)]


TEXTS = st.sampled_from(
    ["", "a", "ä", "b" * 11, "b" * 12, "b" * 13, "ab" * 40, "x" * 128, "\0", "\U0001f600", "c1", "c2", "c3"]
)
INTEGERS = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 5)
KINDS: dict[pa.DataType, Any] = {
    pa.string(): TEXTS,
    pa.large_string(): TEXTS,
    pa.int32(): INTEGERS,
    pa.int64(): INTEGERS | st.sampled_from([2**63 - 1, -(2**63)]),
}


@given(
    st.data(),
    st.sampled_from([*KINDS]),
    st.sampled_from([*KINDS]),
    st.integers(0, 300),
    st.fixed_dictionaries(
        {
            "compression": st.sampled_from(["snappy", "none"]),
            "data_page_version": st.sampled_from(["1.0", "2.0"]),
            "use_dictionary": st.booleans(),
            "row_group_size": st.sampled_from([1, 7, 100, 1000]),
            "data_page_size": st.sampled_from([1, 64, 1 << 20]),
            "write_batch_size": st.sampled_from([1, 8, 1024]),
            "dictionary_pagesize_limit": st.sampled_from([1, 100, 1 << 20]),
        }
    ),
    st.booleans(),
)
def test_what_pyarrow_wrote_is_read(
    data: st.DataObject,
    id_: pa.DataType,
    kind: pa.DataType,
    rows: int,
    options: dict[str, Any],
    required: bool,
) -> None:
    some = st.lists(KINDS[id_], min_size=1, max_size=20)
    few = st.lists(KINDS[kind] if required else KINDS[kind] | st.none(), min_size=1, max_size=20)
    random = Random(rows)
    ids, labels = (random.choices(data.draw(values), k=rows) for values in (some, few))
    schema = pa.schema([pa.field("id", id_), pa.field("cluster", kind, nullable=not required)])
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.parquet")
        table = pa.table([pa.array(ids, id_), pa.array(labels, kind)], schema=schema)
        pa.parquet.write_table(table, path, **options)
        assert read(path) == expected(ids, labels)


@pytest.mark.parametrize("threads", [1, 3])
def test_many_rows_are_read_by_several(threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files that DuckDB and polars wrote, too; a column may be wanted twice, and others not at all."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", str(threads))
    path = tmp_path / "table.parquet"
    random = np.random.default_rng(0)
    ids = [f"{'é' * int(size)}{i}" for i, size in enumerate(random.integers(0, 30, 300_000))]
    labels = [f"c{i}" if i % 7 else None for i in random.integers(0, 9_000, len(ids))]
    table = pa.table(
        {"nested": [[{"a": 1}]] * len(ids), "id": ids, "cluster": labels, "same": ["x"] * len(ids)}
    )
    wanted = expected(ids, labels)
    pa.parquet.write_table(table, path, row_group_size=70_000)
    assert read(path, 4, 1, 2) == wanted
    assert read(path, 4, 1, 3) == (["x"] * len(ids), wanted[1])
    assert read(path, 4, 1, 1) == (ids, wanted[1])
    flat = table.select(["id", "cluster"])
    duckdb.sql("SELECT * FROM flat").write_parquet(str(path), compression="snappy")
    assert read(path) == wanted
    pl.from_arrow(flat).write_parquet(path, compression="snappy")  # type: ignore[union-attr]
    assert read(path) == wanted


TABLE = pa.table({"id": ["a", "b", "c"], "cluster": [1, 2, 2]})


@cases(
    "columns, options",
    [
        ({}, {"compression": "zstd"}),
        ({}, {"use_dictionary": False, "column_encoding": {"cluster": "DELTA_BINARY_PACKED"}}),
        ({}, {"use_dictionary": False, "column_encoding": {"id": "DELTA_BYTE_ARRAY"}}),
        *(
            ({"cluster": pa.array([1, 2, 2], kind)}, {})
            for kind in (pa.int8(), pa.uint32(), pa.uint64(), pa.float64(), pa.timestamp("us"), pa.date32())
        ),
        ({"id": pa.array([b"a", b"b", b"c"])}, {}),
        ({"id": pa.array([["a"], ["b"], ["c"]])}, {}),
        ({"cluster": pa.array([True, False, True])}, {}),
        ({"more": pa.array([1, 2, 3])}, {}),  # so that there are more columns than said
    ],
)
def test_what_is_not_plain_is_left_to_others(
    tmp_path: Path, columns: dict[str, Any], options: dict[str, Any]
) -> None:
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(
        pa.table(dict(zip(TABLE.column_names, TABLE.columns, strict=True)) | columns), path, **options
    )
    assert read(path) is None


def test_a_side_that_was_not_plain_is_read_otherwise(tmp_path: Path) -> None:
    """Whatever had been read of it until then."""
    path = tmp_path / "table.parquet"
    bad = pa.table({"id": pa.array([b"a", b"\xff"]).view(pa.string()), "cluster": ["x", "y"]})
    pa.parquet.write_table(bad, path, row_group_size=1, use_dictionary=False)
    matching = _core.Matching(2)
    for _ in range(2):
        with path.open("rb") as file:
            assert matching.read_parquet(file.fileno(), 2, 0, 1) is None
        assert matching.read(pa.table({"id": ["c", "b"], "cluster": ["x", "y"]})) is not None
    assert matching.match().place.tolist() == [0, 1]


def test_an_id_that_is_null_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(pa.table({"id": ["a", None], "cluster": [1, 2]}), path)
    with pytest.raises(ValueError, match=r"^true has no id in row 1$"):
        read(path)


def test_what_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(TABLE, path)
    with path.open("ab") as file, pytest.raises(RuntimeError, match="Bad file descriptor"):
        _core.Matching(1).read_parquet(file.fileno(), 2, 0, 1)
    with pytest.raises(ValueError, match="a column that is wanted must be one of the file's"):
        read(path, 2, 0, 2)
    for content in (b"", b"PAR1", b"PAR1PAR1PAR1", b"PAR1\xff\xff\xff\xffPAR1", path.read_bytes()[:-1]):
        path.write_bytes(content)
        assert read(path) is None


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_given_up_or_without_effect(tmp_path: Path, seed: int) -> None:
    """Or DuckDB reads the same out of it: nothing is read where nothing is."""
    random, path = Random(seed), tmp_path / "table.parquet"
    ids = [f"name {i}" for i in range(200)]
    table = pa.table({"id": ids, "cluster": [random.choice(["x", "yy", "z" * 20, None]) for _ in ids]})
    pa.parquet.write_table(
        table,
        path,
        row_group_size=60,
        compression=["snappy", "none"][seed % 2],
        data_page_version=["1.0", "2.0"][seed // 2],
        write_statistics=False,
    )
    content, read_at_all = path.read_bytes(), 0
    for _ in range(1500):
        damaged = bytearray(content)
        for _ in range(random.choice((1, 1, 2, 5))):
            at = random.randrange(len(damaged))
            damaged[at] = random.choice(
                (random.randrange(256), damaged[at] ^ 1 << random.randrange(8), 0, 255)
            )
        path.write_bytes(damaged)
        try:
            got = read(path)
        except ValueError as error:
            assert "has no id in row" in str(error)  # noqa: PT017
            continue
        if got is None:
            continue
        read_at_all += 1
        try:
            rows = duckdb.sql(f"FROM read_parquet('{path}')").fetchall()
        except (duckdb.Error, RuntimeError):  # also of names that are no text
            continue
        assert got == expected([row[0] for row in rows], [row[1] for row in rows])
    assert 0 < read_at_all < 1500
