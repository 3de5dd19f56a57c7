"""Two files matched by the names of their points: as two dicts of the same points are."""

from __future__ import annotations

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, get_args

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.diff.hunks import hunks
from clusterdiff.points import labels
from clusterdiff.points.missing import Missing
from clusterdiff.tables import files, joins

#: Types of columns and names that they can hold, some of which look like others.
NAMES: dict[Any, list[Any]] = {
    pa.int64(): [0, 1, -1, 10, 2**63 - 1, -(2**63)],
    pa.int8(): [0, 1, -1, 10],
    pa.uint64(): [0, 1, 10, 2**63, 2**63 - 1, 2**64 - 1],
    pa.string(): ["", "0", "1", "a", "A", "a ", "ä", "a\u0308", "a" * 13, "a" * 40, "a" * 5000],
    pa.bool_(): [False, True],
}
KINDS = [(a, b) for a in NAMES for b in NAMES if a == b or {a, b} <= {pa.int64(), pa.int8(), pa.uint64()}]


@pytest.fixture(params=[False, True], ids=["copied", "in place"])
def in_place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether files are read again when something of them is wanted, as large ones are."""
    if request.param:
        monkeypatch.setattr(files, "LARGE", 1)
    return bool(request.param)


def write(path: Path, names: Any, kind: pa.DataType, clusters: Any) -> Path:
    table = pa.table({"id": pa.array(names, type=kind), "cluster": pa.array(clusters, type=pa.int64())})
    pa.parquet.write_table(table, path, row_group_size=max(2, len(table) // 5))
    return path


def clustering(names: list[Any]) -> st.SearchStrategy[dict[Any, int]]:
    return st.dictionaries(st.sampled_from(names), st.integers(0, 2), min_size=1)


def outcome(true: Any, pred: Any, missing: Missing) -> Any:
    """What a comparison tells of each point, in order; or what it is refused for."""
    try:
        diff = cd.compare(true, pred, missing=missing)
    except cd.LabelError as error:
        return str(error).partition(" (`true` is ")[0].partition("\n")[0]
    table = diff.by_point.to_dict()
    del table["component"]  # numbered as the clusters are, which are numbers in a file, and names in a dict
    return diff.score(), diff.loss, table


@settings(max_examples=25)
@given(
    st.data(), st.sampled_from(KINDS), st.sampled_from(get_args(Missing)), st.sampled_from([1, files.LARGE])
)
def test_files_are_matched_as_dicts_are(
    data: st.DataObject, kinds: tuple[Any, Any], missing: Missing, large: int
) -> None:
    sides = [data.draw(clustering(NAMES[kind])) for kind in kinds]
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "LARGE", large)
        paths = [
            write(Path(folder, f"{i}.parquet"), list(side), kind, list(side.values()))
            for i, (side, kind) in enumerate(zip(sides, kinds, strict=True))
        ]
        assert outcome(*paths, missing) == outcome(*sides, missing)


#: What may be in a file of lines, some of which only DuckDB reads.
CELLS = st.sampled_from(
    ["a", "b", "c", "d", "1", "01", " a", "é", "x" * 13, "x" * 40, "", '"a"', '"a,b"', '""', '"', "'"]
)
LINES = st.lists(
    st.lists(CELLS, min_size=2, max_size=2) | st.lists(CELLS, max_size=3), min_size=1, max_size=6
).map(lambda rows: [",".join(row) for row in rows])


@settings(max_examples=60)
@given(
    st.tuples(LINES, LINES),
    st.sampled_from(["\n", "\n", "\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.booleans(),
    st.sampled_from(get_args(Missing)),
)
def test_lines_are_divided_as_duckdb_divides_them(
    sides: tuple[list[str], list[str]], end: str, mark: str, ended: bool, missing: Missing
) -> None:
    """A large file by the core if it is plain, a small one always by DuckDB: results and errors are the same."""
    found: list[Any] = []
    with TemporaryDirectory() as folder:
        paths = [Path(folder, f"{i}.csv") for i in range(2)]
        for path, lines in zip(paths, sides, strict=True):
            path.write_text(mark + end.join(["cluster,id", *lines]) + end * ended, newline="")
        for large in (1, files.LARGE):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(files, "LARGE", large)
                try:
                    found.append(outcome(*paths, missing))
                except cd.FileError as error:
                    found.append(str(error))
    assert found[0] == found[1]


def test_plain_lines_are_not_left_to_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes in a file leave it to DuckDB; so do several files, packed ones, and names of several columns."""
    monkeypatch.setattr(files, "LARGE", 1)
    told: list[bool] = []
    read_plain = joins._read_plain

    def spy(matching: Any, table: Any) -> Any:
        found = read_plain(matching, table)
        if table.plain is not None:
            told.append(found is not None)
        return found

    monkeypatch.setattr(joins, "_read_plain", spy)
    text = "cluster\tid\tmore\nx\ta\t1\nx\tb\t2\ny\tc\t3\n"
    head, *rows = text.splitlines(keepends=True)
    written = {"plain": text, "one": text, "quoted": text.replace("a", '"a"')}
    written |= {"returned": text.replace("\n", "\r\n")}
    written |= {"part1": head + rows[0], "part2": head + rows[1] + rows[2]}
    for name, content in written.items():
        (tmp_path / f"{name}.tsv").write_text(content, newline="")
    (tmp_path / "packed.tsv.gz").write_bytes(gzip.compress(text.encode()))
    for other, expected in (
        ("one.tsv", [True, True]),
        ("on*.tsv", [True, True]),
        ("returned.tsv", [True, True]),
        ("quoted.tsv", [True, False]),
        ("packed.tsv.gz", [True]),
        ("part*.tsv", [True]),
    ):
        told.clear()
        diff = cd.compare(tmp_path / "plain.tsv", tmp_path / other, point="id", cluster="cluster")
        assert diff.meet.to_dict() == {"true": ["x", "y"], "pred": ["x", "y"], "size": [2, 1]}
        assert told == expected, other
    told.clear()
    key = ["id", "more"]
    assert cd.compare(tmp_path / "plain.tsv", tmp_path / "one.tsv", point=key, cluster="cluster").score() == 1
    assert told == []


def test_plain_parquet_is_not_left_to_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for a file whose columns have other types or are packed in another way, and for integers that are text."""
    monkeypatch.setattr(files, "LARGE", 1)
    told: list[bool] = []
    read_plain = joins._read_plain

    def spy(*arguments: Any) -> Any:
        found = read_plain(*arguments)
        told.append(found is not None)
        return found

    monkeypatch.setattr(joins, "_read_plain", spy)
    table = pa.table({"id": [1, 2, 3], "cluster": ["x", "x", "y"], "more": [1.5, 2.5, 3.5]})
    short = table.set_column(0, "id", pa.array([1, 2, 3], pa.int8()))
    for name in ("plain", "one"):
        pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
    pa.parquet.write_table(table, tmp_path / "zstd.parquet", compression="zstd")
    pa.parquet.write_table(short, tmp_path / "short.parquet")
    (tmp_path / "lines.csv").write_text("id,cluster\n1,x\n2,x\n3,y\n")
    for other, expected in (
        ("one.parquet", [True, True]),
        ("zstd.parquet", [True, False]),
        ("short.parquet", [True, False]),
        ("lines.csv", [True]),
    ):
        told.clear()
        diff = cd.compare(tmp_path / "plain.parquet", tmp_path / other, point="id", cluster="cluster")
        assert diff.meet.to_dict() == {"true": ["x", "y"], "pred": ["x", "y"], "size": [2, 1]}
        assert told == expected, other


@pytest.mark.usefixtures("in_place")
def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    """More than DuckDB has in one piece: pairs of neighbours stay together only if each is matched with itself."""
    random = np.random.default_rng(0)
    true, pred = random.permutation(260_000)[10_000:], random.permutation(260_000)[5_000:]
    files = [
        write(tmp_path / "true.parquet", true, pa.int64(), true // 2),
        write(tmp_path / "pred.parquet", pred, pa.int64(), pred // 2),
        write(tmp_path / "text.parquet", pred.astype(str).tolist(), pa.string(), pred // 2),
    ]
    lines = tmp_path / "true.csv"
    pa.csv.write_csv(pa.parquet.read_table(files[0]), lines)
    for sides in (files[:2], (lines, files[2]), (lines, files[1])):
        diff = cd.compare(*sides, missing="drop")
        assert diff.score() == 1
        assert diff.n == len(np.intersect1d(true, pred))
        assert list(map(int, diff.by_point["point"][:3])) == true[np.isin(true, pred)][:3].tolist()


def test_documents_and_points_do_not_run_together(tmp_path: Path) -> None:
    """Points are matched within documents, whatever is in the names of either."""
    documents, names = ["a,b", "a", "a\\", "a\\,"], ["c", "b,c", ",c", "c"]
    for order, name in ((slice(None), "true"), (slice(None, None, -1), "pred")):
        table = {"doc": documents[order], "id": names[order], "cluster": [1, 2, 3, 4][order]}
        pa.parquet.write_table(pa.table(table), tmp_path / f"{name}.parquet")
    diff = cd.compare(tmp_path / "true.parquet", tmp_path / "pred.parquet", point="id", documents="doc")
    assert diff.score() == 1
    assert diff.by_point.to_dict()["true"] == diff.by_point.to_dict()["pred"]


@pytest.mark.usefixtures("in_place")
@pytest.mark.parametrize("missing", get_args(Missing))
def test_repeats_are_refused_on_the_side_where_they_are(tmp_path: Path, missing: Missing) -> None:
    """Whether the other side has them or not; the first five are named in the order of the file."""
    once = write(tmp_path / "once.parquet", [1, 2, 3], pa.int64(), [1, 1, 1])
    names = [9, 1, 8, 7, 6, 5, 4, 4, 5, 6, 7, 8, 9]
    often = write(tmp_path / "often.parquet", names, pa.int64(), names)
    told = r"often.parquet: .* 6 names repeated: 9, 8, 7, 6, 5 and 1 more\. The first, 9, is in rows 1 and 13"
    for sides in ((once, often), (often, once)):
        with pytest.raises(cd.FileError, match=told):
            cd.compare(*sides, missing=missing)


@pytest.mark.parametrize("kind", [pa.int64(), pa.string()], ids=["integers", "text"])
def test_a_few_names_are_read_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Any) -> None:
    """They are those that all would be, whatever the policy; who goes on asking is given all."""
    monkeypatch.setattr(files, "LARGE", 1)
    read: list[bool] = []
    point_names = joins.point_names

    def spy(table: Any, as_text: bool, rows: Any, parts: Any) -> list[Any]:
        read.append(rows is None)
        return point_names(table, as_text, rows, parts)

    monkeypatch.setattr(joins, "point_names", spy)
    numbers = np.random.default_rng(0).permutation(4_000)
    names = numbers.tolist() if kind == pa.int64() else [f"name {i}" for i in numbers]
    true = write(tmp_path / "true.parquet", names[10:], kind, numbers[10:] // 2)
    pred = write(tmp_path / "pred.parquet", names[:-10], kind, numbers[:-10] // 2)
    for missing, expected in (("drop", names[10:-10]), ("lost", [*names[10:], *names[:10]])):
        diff = cd.compare(true, pred, missing=missing)
        read.clear()
        asked = np.array([3, len(expected) - 1, 0, -2, 3])
        assert labels.names_at(diff.points, asked) == [expected[i] for i in asked]
        assert diff.points[7] == expected[7]
        assert read
        assert not any(read)
        assert [diff.points[i] for i in range(20, 40)] == expected[20:40]
        assert any(read)
        assert list(diff.points) == expected


def test_names_of_clusters_are_made_when_one_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores, losses and components of many clusters are known without the text of any."""
    made: list[int] = []
    texts = joins._texts
    monkeypatch.setattr(joins, "_texts", lambda ends, data: made.append(len(ends)) or texts(ends, data))
    points, clusters = ["a", "b", "c", "d"], {"true": ["x", "ü", "ü", None], "pred": ["x", "ü", "é", "z"]}
    for side, names in clusters.items():
        table = pa.table({"id": points, "cluster": pa.array(names, pa.string())})
        pa.parquet.write_table(table, tmp_path / f"{side}.parquet")
    diff = cd.compare(tmp_path / "true.parquet", tmp_path / "pred.parquet", missing="drop")
    assert (diff.n, diff.loss.total, len(diff.components)) == (3, pytest.approx(1 - diff.score()), 2)
    lost = cd.compare(tmp_path / "true.parquet", tmp_path / "pred.parquet", missing="lost")
    assert (lost.n, lost.loss.total, len(lost.components)) == (4, pytest.approx(1 - lost.score()), 3)
    assert made == []
    assert diff.meet.to_dict() == {"true": ["x", "ü", "ü"], "pred": ["x", "ü", "é"], "size": [1, 1, 1]}
    assert made == [2, 4]


def test_only_those_names_of_clusters_are_made_that_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of very many, on the first screen and in the first rows of a table; they are those that all would be."""
    names = ["", "é" * 20, *(f"c{i}" for i in range(5_000))]
    pred = names[1:] + names[:1]
    pred[3:5] = ["merged", "merged"]
    for side, clusters in (("true", [*names, *names]), ("pred", [*pred, *names])):
        table = pa.table({"id": np.arange(len(clusters)), "cluster": clusters})
        pa.parquet.write_table(table, tmp_path / f"{side}.parquet")

    def told() -> Any:
        diff = cd.compare(tmp_path / "true.parquet", tmp_path / "pred.parquet")
        return list(hunks(diff.components[:2])), diff.splits[:3].to_dict(), diff.merges[:3].to_dict()

    with monkeypatch.context() as patch:
        patch.setattr(joins, "_texts", lambda *_: pytest.fail("all are made"))
        few = told()
    monkeypatch.setattr(joins, "_Texts", joins._texts)
    assert few == told()


def test_what_is_wrong_with_a_file_is_told_alike_wherever_it_is_read(tmp_path: Path, in_place: bool) -> None:
    """Rows without a name, without a field, without an end; and a table without rows."""
    good = write(tmp_path / "good.parquet", ["a", "b"], pa.string(), [1, 2])
    nameless = write(tmp_path / "nameless.parquet", ["a", None, None], pa.string(), [1, 2, 3])
    texts = {"short": "id,cluster\na,1\nb\nc,3\n", "open": 'id,cluster\na,1\nb,"2\n', "empty": "id,cluster\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text)
    told = {
        nameless: r"nameless.parquet: .* must not be empty; it is in 2 rows, the first of them row 2",
        tmp_path / "short.csv": r"short.csv, line 3: expected 2 fields, found 1: 'b'",
        tmp_path / "open.csv": r"open.csv, line 3: a quote is not closed",
        tmp_path / "empty.csv": r"empty.csv has no rows",
    }
    for file, message in told.items():
        for sides in ((good, file), (file, good)):
            with pytest.raises(cd.FileError, match=message):
                cd.compare(*sides)
    diff = cd.compare(good, good)
    good.unlink()
    assert diff.score() == 1
    if in_place:  # the names are gone with it
        with pytest.raises(cd.FileError, match=r"good\.parquet"):
            _ = diff.by_point
    else:
        assert list(diff.by_point["point"]) == ["a", "b"]
