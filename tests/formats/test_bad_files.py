"""Bad files: one message with the file and the line, exit 2, nothing on standard output, nothing half-written."""

from __future__ import annotations

import gzip
import io
import os
import re
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tifffile

import clusterdiff as cd
from tests.cases import cases
from tests.formats.conftest import TRUE, run, write_parquet

GOOD = "id,cluster\na,1\nb,1\nc,2\n"


def _bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


LABELS = np.arange(400, dtype=np.int64).reshape(20, 20)
NPY = _bytes(lambda out: np.save(out, LABELS))
NPZ = _bytes(lambda out: np.savez_compressed(out, labels=LABELS))
TIFF = _bytes(lambda out: tifffile.imwrite(out, LABELS.astype(np.int32)))


def looped(tiff: bytes) -> bytes:
    """A TIFF file of two pages whose second says that it comes next itself."""
    (first,) = struct.unpack("<I", tiff[4:8])
    link = _link(tiff, first)
    (second,) = struct.unpack("<I", tiff[link : link + 4])
    last = _link(tiff, second)
    return tiff[:last] + tiff[link : link + 4] + tiff[last + 4 :]


def _link(tiff: bytes, page: int) -> int:
    """Where a page says which page comes next: after its tags."""
    return page + 2 + 12 * int(struct.unpack("<H", tiff[page : page + 2])[0])


PAGES = _bytes(lambda out: tifffile.imwrite(out, [LABELS.astype(np.int32)] * 2, metadata=None))

#: File name, content, and what the message must say.
CASES: dict[str, tuple[str, bytes, list[str]]] = {
    "a row too long": (
        "t.csv",
        b"id,cluster\na,1\nb,2,3\n",
        ["t.csv, line 3: expected 2 fields, found 3: 'b,2,3'."],
    ),
    "a row too short": (
        "t.csv",
        b"id,cluster\na,1\nb\n",
        ["t.csv, line 3: expected 2 fields, found 1: 'b'."],
    ),
    "a quote unclosed": ("t.csv", b'id,cluster\na,1\n"b,2\nc,3\n', ["t.csv, line 3: a quote is not closed"]),
    "a quote inside": (
        "t.csv",
        b'id,cluster\na,1\n"b"x,2\nc,3\n',
        ["t.csv, line 3: a quote is not closed, or"],
    ),
    "a quote unclosed in another column": (
        "t.csv",
        b'id,cluster,note\na,1,x\nb,2,"y\nc,3,z\n',
        ["t.csv, line 3: a quote is not closed."],
    ),
    "line breaks of two kinds": (
        "t.csv",
        b"id,cluster\r\na,1\nb,2\r\nc,3\n",
        ["or line breaks are mixed.", "dos2unix"],
    ),
    "latin 1": (
        "t.csv",
        "id,cluster\na,1\nbé,2\n".encode("latin1"),
        ["t.csv, line 3: this is not UTF-8 text"],
    ),
    "latin 1 header": ("t.csv", "idé,cluster\na,1\n".encode("latin1"), ["t.csv, line 1 is not UTF-8 text"]),
    "latin 1 labels": ("t.txt", "a\nb\nc\xe9\n".encode("latin1"), ["t.txt, line 3 is not UTF-8 text"]),
    "empty": ("t.csv", b"", ["t.csv is empty."]),
    "a header alone": ("t.csv", b"id,cluster\n", ["t.csv has no rows."]),
    "no header": (
        "t.csv",
        b"a,1\nb,2\n",
        ["t.csv, line 1: a row without a header before it: 'a', '1'.", "id,cluster"],
    ),
    "an empty header": ("t.csv", b"\na,1\n", ["t.csv, line 1: there are no names of columns."]),
    "a nameless column": ("t.csv", b"id,\na,1\n", ["t.csv, line 1: a column has no name."]),
    "a name twice": (
        "t.csv",
        b"id,cluster,ID\na,1,2\n",
        ["t.csv, line 1: columns have the same name: 'id', 'ID'."],
    ),
    "an id twice": (
        "t.csv",
        b"id,cluster\na,1\nb,1\na,2\n",
        [
            "the column 'id' must name each point once; 1 name repeated: 'a'.",
            "'a', is in rows 1 and 3.",
        ],
    ),
    "an id missing": (
        "t.csv",
        b"id,cluster\na,1\n,2\n",
        ["the column of points 'id' must not be empty; it is in 1 row, the first of them row 2", "row 2"],
    ),
    "truncated Parquet": (
        "t.parquet",
        b"PAR1\x15\x04\x15",
        ["t.parquet cannot be read:", "is the file complete?"],
    ),
    "no Parquet": ("t.parquet", b"id,cluster\na,1\nb,2\nc,3\n", ["t.parquet cannot be read:"]),
    "broken JSON": ("t.jsonl", b'{"id": 1, "cluster": 2}\n{"id": 2\n', ["t.jsonl cannot be read:", "line"]),
    "truncated Arrow": ("t.arrow", b"ARROW1\0\0abc", ["t.arrow cannot be read:"]),
    "no SQLite": ("t.sqlite", b"id,cluster\na,1\n" * 50, ["t.sqlite cannot be read as an SQLite database:"]),
    "no DuckDB": ("t.duckdb", b"id,cluster\na,1\n" * 500, ["t.duckdb cannot be read:"]),
    "truncated gzip": ("t.csv.gz", gzip.compress(GOOD.encode())[:-9], ["t.csv.gz cannot be"]),
    "no gzip": ("t.csv.gz", GOOD.encode(), ["t.csv.gz cannot be"]),
    "truncated xz": ("t.csv.xz", b"\xfd7zXZ\x00\x00", ["t.csv.xz cannot be unpacked or read"]),
    "truncated npy": ("t.npy", b"\x93NUMPY\x01\x00v\x00{'descr'", ["t.npy cannot be read:"]),
    "no TIFF": ("t.tif", b"II*\x00\x01\x02", ["t.tif cannot be read:"]),
    "no gzip, and no other suffix": (
        "t.gz",
        b"hello there",
        ["t.gz cannot be unpacked or read: Not a gzipped"],
    ),
    "half a TIFF": ("t.tif", TIFF[: len(TIFF) // 2], ["t.tif cannot be read:", "is the file complete?"]),
    "a TIFF without end": ("t.tif", looped(PAGES), ["t.tif cannot be read: its pages never end"]),
    "a damaged npy header": (
        "t.npy",
        NPY.replace(b"{'descr'", b"{{{{{{{{"),
        ["t.npy cannot be read:"],
    ),
    "an npy of petabytes": (
        "t.npy",
        NPY.replace(b"(20, 20), }       ", b"(20, 9999999999)}" + b" "),
        ["t.npy cannot be read: Unable to allocate"],
    ),
    "a damaged npz": ("t.npz", NPZ[:60] + b"\xff" * 20 + NPZ[80:], ["t.npz"]),
    "deep JSON": ("t.json", b"[" * 100_000 + b"]" * 100_000, ["t.json: the JSON is nested too deeply."]),
    "deep JSON lines": (
        "t.jsonl",
        b'{"clusters": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n",
        ["t.jsonl cannot be read: JSON exceeds maximum recursion depth"],
    ),
    "a number of 5,000 digits": (
        "t.json",
        b"[" + b"9" * 5000 + b", 1]",
        ["t.json: the JSON has a number of more than 4,300 digits."],
    ),
    "a million columns": (
        "t.csv",
        b"id,cluster" + b",c" * 1_000_000 + b"\n",
        ["t.csv has 1,000,002 columns; up to 32,768 are read."],
    ),
    "a long line": (
        "t.csv",
        b"id,cluster\na,1\nb," + b"x" * 20_000_000 + b"\n",
        ["t.csv, line 3 is too long: lines of up to 16 MB are read."],
    ),
    "a long first line": ("t.csv", b"," * 20_000_000, ["t.csv, line 1 is too long"]),
    "no JSON": ("t.json", b'{"a": [1, 2],\n "b": [3,, 4]}', ["t.json, line 2, column 10: "]),
    "a key twice": (
        "t.json",
        b'{"a": [1, 2], "a": [3]}',
        ["t.json: the key 'a' is repeated in one object."],
    ),
    "JSON of records": ("t.json", b'[{"id": 1}]', ["t.json holds a list of objects, which is a table."]),
    "JSON of a number": ("t.json", b"7", ["t.json must hold an object or a list; it holds int."]),
    "a point in two clusters": (
        "t.mcl",
        b"a\tb\nc\ta\n",
        ["t.mcl, line 2: the point 'a' is listed here and in line 1."],
    ),
    "a point twice in one": ("t.mcl", b"a\tb\ta\n", ["t.mcl, line 1: the point 'a' is listed here twice."]),
    "a gap between tabs": ("t.mcl", b"a\t\tb\n", ["t.mcl, line 1: there is nothing between two tabs."]),
    "a name that tells nothing": ("t.txt", b"a b\nc d\n", ["its name does not say which", "--format"]),
}


@cases("case", CASES)
def test_bad_files_are_told(case: str, tmp_path: Path) -> None:
    """The message names the file and the line, and says what is wrong."""
    name, content, told = CASES[case]
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.csv").write_text(GOOD)
    result = run("compare", tmp_path / name, tmp_path / name)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for part in told:
        assert part in result.stderr
    assert name in result.stderr
    with pytest.raises(cd.FileError):
        cd.read(tmp_path / name)


def test_fields_of_megabytes_are_read(tmp_path: Path) -> None:
    """A long text in a column that is not asked for is no obstacle."""
    path = tmp_path / "t.csv"
    path.write_text("id,cluster,note\na,1," + "x" * 2_500_000 + "\nb,2,y\n")
    assert len(cd.read(path)) == 2


def test_many_bad_rows_are_counted(tmp_path: Path) -> None:
    """The first five lines and the count, not a message each."""
    path = tmp_path / "t.csv"
    path.write_text("id,cluster\ngood,1\n" + "x,1,2\n" * 60_000)
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert caught.value.message == (
        f"{path}, line 3: expected 2 fields, found 3: 'x,1,2'. "
        "60,000 rows are wrong, at lines 3, 4, 5, 6, 7 and 59,995 more."
    )


def test_repeats_are_counted(tmp_path: Path) -> None:
    """The first five ids that stand twice, and how many there are."""
    path = tmp_path / "t.csv"
    path.write_text("id,cluster\n" + "".join(f"r{i % 1000:04},1\n" for i in range(2000)))
    with pytest.raises(cd.FileError) as caught:
        cd.read(path)
    assert "1,000 names repeated: 'r0000', 'r0001', 'r0002', 'r0003', 'r0004' and 995 more." in str(
        caught.value
    )
    other = tmp_path / "p.csv"
    other.write_text("id,cluster\n" + "".join(f"r{i:04},1\n" for i in range(1000)))
    for pair in ((path, other), (other, path)):
        with pytest.raises(cd.FileError, match="1,000 names repeated"):
            cd.compare(*pair)


@pytest.mark.parametrize("missing", ["drop", "singleton"])
def test_repeats_among_missing_points_are_found(tmp_path: Path, missing: str) -> None:
    """A point that is repeated on one side and not at all on the other is no less an error."""
    (tmp_path / "t.csv").write_text("id,cluster\na,1\nz,1\nz,2\n")
    (tmp_path / "p.csv").write_text("id,cluster\na,1\n")
    with pytest.raises(cd.FileError, match="1 name repeated: 'z'"):
        cd.compare(tmp_path / "t.csv", tmp_path / "p.csv", missing=missing)  # type: ignore[arg-type]


def test_repeats_that_cancel_out_are_found(tmp_path: Path) -> None:
    """Two by two repeats make four rows of two and two, and two missing points on either side hide nothing."""
    (tmp_path / "t.csv").write_text("id,cluster\na,1\na,1\nx,1\ny,1\n")
    (tmp_path / "p.csv").write_text("id,cluster\na,1\na,1\nv,1\nw,1\n")
    with pytest.raises(cd.FileError, match="1 name repeated: 'a'"):
        cd.compare(tmp_path / "t.csv", tmp_path / "p.csv", missing="drop")


def test_columns_that_are_not_there_are_listed_nearest_first(tmp_path: Path) -> None:
    """The columns that are, those most like the wanted one first."""
    path = tmp_path / "t.csv"
    path.write_text("alpha,beta,id,entity_id\na,b,c,d\n")
    result = run("compare", f"{path}:entity_ids", path)
    assert result.exit_code == 2
    assert "has no column 'entity_ids'; it has 'entity_id', 'id', 'beta', 'alpha'." in result.stderr
    assert "did you mean 'entity_id'?" in result.stderr


def test_folders_and_absent_files(tmp_path: Path) -> None:
    """A folder, and a file that is not there."""
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(cd.FileError, match=r"d.csv is a folder, not a file."):
        cd.read(tmp_path / "d.csv")
    with pytest.raises(cd.FileError, match=r"none.csv does not exist."):
        cd.read(tmp_path / "none.csv")
    with pytest.raises(cd.FileError, match=r"none.conll does not exist."):
        cd.read(tmp_path / "none.conll")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything: permissions are not tested as root")
@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.sqlite", "t.conll", "t.txt"])
def test_no_permission(tmp_path: Path, name: str) -> None:
    """A file that may not be read is told as such."""
    path = tmp_path / name
    path.write_text(GOOD)
    path.chmod(0)
    with pytest.raises(cd.FileError, match="cannot be read: Permission denied"):
        cd.read(path)


def test_what_may_not_be_opened_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's reason is in the message (as root, permissions have to be acted)."""
    path = tmp_path / "t.csv"
    path.write_text(GOOD)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(cd.FileError, match=r"t.csv cannot be read: Permission denied."):
        cd.read(path)


def test_reading_changes_nothing(tmp_path: Path) -> None:
    """Databases are opened for reading only, and no file is left behind."""
    path = tmp_path / "t.sqlite"
    con = sqlite3.connect(path)
    con.execute("CREATE TABLE t (id, cluster)")
    con.execute("INSERT INTO t VALUES ('a', '1')")
    con.commit()
    con.close()
    before = path.read_bytes()
    cd.compare(path, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["t.sqlite"]


def test_tables_of_the_wrong_kind_are_refused(tmp_path: Path) -> None:
    """Documents against tables, and thresholds without pairs."""
    write_parquet(TRUE, tmp_path / "t.parquet")
    (tmp_path / "k.conll").write_text("#begin document (a); part 000\na 0 0 x (1)\n#end document\n")
    with pytest.raises(
        cd.FileError, match=r"t\.parquet and .*k\.conll must both hold documents of mentions, or neither"
    ):
        cd.compare(tmp_path / "t.parquet", tmp_path / "k.conll")
    with pytest.raises(cd.ArgumentError, match="`threshold` is for pairs"):
        cd.read(tmp_path / "t.parquet", threshold=0.5)
    with pytest.raises(cd.ArgumentError, match="`format` must be one of"):
        cd.read(tmp_path / "t.parquet", format="excel")
    with pytest.raises(cd.ArgumentError, match="pairs are read from tables"):
        cd.read(tmp_path / "k.conll", pairs=True)


@pytest.mark.parametrize("damaged", [b"records", b"cluster"])
def test_names_in_a_database_that_are_no_text(tmp_path: Path, damaged: bytes) -> None:
    """Tables and columns are called by bytes of the file, which may be anything."""
    path = tmp_path / "t.sqlite"
    with sqlite3.connect(path) as con:
        con.execute("CREATE TABLE records (id TEXT, cluster TEXT)")
        con.execute("INSERT INTO records VALUES ('a', '1')")
    con.close()
    path.write_bytes(path.read_bytes().replace(damaged, b"\xff" + damaged[1:]))
    result = run("compare", str(path), str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert re.search("t.sqlite cannot be read as an SQLite database: .*utf-8", result.stderr, re.IGNORECASE)
