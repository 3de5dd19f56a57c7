"""The other columns of files: found by name, read when asked for, from the very file that was compared."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import clusterdiff as cd
from clusterdiff.formats.source import Source
from tests.formats.conftest import WRITERS, csv_text, run, write_duckdb, write_sqlite

ROWS: list[dict[str, Any]] = [
    {"id": f"r{i}", "cluster": "abc"[i % 3], "city": ("rome", "oslo")[i % 2], "copy": "abc"[i % 3]}
    for i in range(12)
]
PRED: list[dict[str, Any]] = [{"id": row["id"], "cluster": "abc"[i % 2]} for i, row in enumerate(ROWS)][::-1]
CITY = {row["id"]: row["city"] for row in ROWS}


def expected() -> cd.types.Comparison:
    """The same in memory."""
    return cd.compare(*({row["id"]: row["cluster"] for row in side} for side in (ROWS, PRED)))


def rows(table: Any) -> set[tuple[Any, ...]]:
    """Slices without their order among equals."""
    return {tuple(round(x, 9) if isinstance(x, float) else x for x in row) for row in table}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two CSV files, the first with more columns."""
    for name, table in (("true", ROWS), ("pred", PRED)):
        (tmp_path / f"{name}.csv").write_text(csv_text(table))
    return tmp_path / "true.csv", tmp_path / "pred.csv"


def check(diff: cd.types.Comparison) -> None:
    """Both columns are there, also the one that only repeats the clusters."""
    assert diff.source.columns == ("city", "copy")
    assert rows(diff.by("city")) == rows(expected().by(CITY))
    assert {row.value for row in diff.by("copy")} == {"a", "b", "c"}


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_every_format_has_its_other_columns(tmp_path: Path, name: str) -> None:
    """Text, binary and databases alike; a column whose values equal the clusters is a column like any other."""
    path, other = tmp_path / f"true-{name}", tmp_path / f"pred-{name}"
    WRITERS[name](ROWS, path)
    WRITERS[name](PRED, other)
    check(cd.compare(path, other))


def test_compressed_files_globs_and_tables_of_databases(files: tuple[Path, Path], tmp_path: Path) -> None:
    """What was unpacked, put together or chosen for the comparison is so again for the columns."""
    data = files[0].read_bytes()
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(data))
    (tmp_path / "t.csv.xz").write_bytes(lzma.compress(data))
    for path in ("t.csv.gz", "t.csv.xz"):
        check(cd.compare(tmp_path / path, files[1]))
    for part, some in (("1", ROWS[:5]), ("2", ROWS[5:])):
        (tmp_path / f"part{part}.csv").write_text(csv_text(some))
    check(cd.compare(tmp_path / "part*.csv", files[1]))
    for write, name in ((write_sqlite, "d.sqlite"), (write_duckdb, "d.duckdb")):
        write(ROWS, tmp_path / name)
        write(PRED, tmp_path / name, "other")
        check(
            cd.compare(
                Source(str(tmp_path / name), table="gold"), Source(str(tmp_path / name), table="other")
            )
        )


def test_mixed_columns_of_sqlite_are_text(tmp_path: Path) -> None:
    """Points and clusters must have one type; what else is known of points may mix."""
    mixed = [{"id": i, "cluster": "a", "note": i if i % 2 else "x"} for i in range(4)]
    write_sqlite(mixed, tmp_path / "t.sqlite")
    diff = cd.compare(tmp_path / "t.sqlite", tmp_path / "t.sqlite")
    assert list(diff.source.column("note")) == ["x", "1", "x", "3"]


def test_two_columns_of_one_table_are_no_other_columns(files: tuple[Path, Path]) -> None:
    """Both clusters and the points are left out by name; points on one side only have no value."""
    sources = [Source(str(files[0]), point="id", cluster=name) for name in ("cluster", "copy")]
    assert cd.compare(*sources).source.columns == ("city",)
    files[1].write_text(csv_text([*PRED, {"id": "new", "cluster": "a"}]))
    diff = cd.compare(*files, missing="singleton")
    assert {row.value for row in diff.by("city")} == {"rome", "oslo", None}


def test_a_file_that_changed_is_not_read_again(files: tuple[Path, Path]) -> None:
    """Columns of another file would be other points' columns."""
    diff = cd.compare(*files)
    before = rows(diff.by("copy"))
    files[0].write_text(csv_text(ROWS[::-1]))
    os.utime(files[0], ns=(1, 1))
    with pytest.raises(cd.FileError, match=r"true.csv changed since it was compared"):
        diff.by("city")
    assert rows(diff.by("copy")) == before


def test_comparisons_of_files_travel(files: tuple[Path, Path]) -> None:
    """Points and clusters come along; other columns are read from the file again."""
    diff = cd.compare(*files)
    other = pickle.loads(pickle.dumps(diff))
    assert list(other.points) == list(diff.points)
    check(other)


def test_weights_features_and_documents_are_columns(tmp_path: Path) -> None:
    """Named columns of files mean what the same values mean in memory."""
    table = [
        row | {"w": str(0.5 + i % 4), "x": str(i * i), "doc": "dd"[: 1 + i % 2]} for i, row in enumerate(ROWS)
    ]
    other = [row | {"doc": "dd"[: 1 + int(row["id"][1:]) % 2]} for row in PRED[3:]]
    (tmp_path / "t.csv").write_text(csv_text(table))
    (tmp_path / "p.csv").write_text(csv_text(PRED))
    (tmp_path / "d.csv").write_text(csv_text(other))
    sides = [{row["id"]: row["cluster"] for row in side} for side in (ROWS, PRED)]
    got = cd.compare(tmp_path / "t.csv", tmp_path / "p.csv", weights="w", features="x")
    slow = cd.compare(
        *sides,
        weights={row["id"]: float(row["w"]) for row in table},
        features={row["id"]: [float(row["x"])] for row in table},
    )
    assert got.scores(["S_H", "S_MSE", "vi"]) == pytest.approx(slow.scores(["S_H", "S_MSE", "vi"]))
    assert got.signature == slow.signature
    within = cd.compare(tmp_path / "t.csv", tmp_path / "d.csv", documents="doc")
    corpora = [
        cd.Corpus({d: {r["id"]: r["cluster"] for r in side if r["doc"] == d} for d in ("d", "dd")})
        for side in (table, other)
    ]
    names = ["S_H", "b3.f1", "blanc.f1", "mentions.f1", "ceaf_e.f1", "lea.f1"]
    assert within.scores(names) == pytest.approx(cd.compare(*corpora).scores(names))
    assert within.by("city")["points"].sum() == 12
    with pytest.raises(cd.ArgumentError, match=r"neither .*t.csv nor .*p.csv has a column 'v'"):
        cd.compare(tmp_path / "t.csv", tmp_path / "p.csv", weights="v")


# ---- the command


def test_standard_input_has_columns_too(files: tuple[Path, Path], tmp_path: Path) -> None:
    """TRUE from a pipe: the report and slices read the rest of what came through it."""
    html = tmp_path / "diff.html"
    arguments = ["compare", "-", files[1], "--format", "csv", "--html", html, "--by", "city", "--json"]
    result = run(*arguments, stdin=files[0].read_bytes())
    assert result.exit_code == 0, result.stderr
    assert '"attributes":["city","copy"]' in html.read_text(encoding="utf-8")
    assert {row["value"] for row in json.loads(result.stdout)["slices"]["city"]} == {"rome", "oslo"}


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars"])
def test_by_and_html_work_in_every_engine(files: tuple[Path, Path], tmp_path: Path, engine: str) -> None:
    """The same slices and the same attributes of points, whatever joined them."""
    html = tmp_path / "diff.html"
    result = run(
        "compare", *files, "--by", "city", "--by", "copy", "--html", html, "--json", "--engine", engine
    )
    assert result.exit_code == 0, result.stderr
    slices = json.loads(result.stdout)["slices"]
    wanted = {row.value: row.loss for row in expected().by(CITY)}
    assert {row["value"]: row["loss"] for row in slices["city"]} == pytest.approx(wanted)
    assert {row["value"] for row in slices["copy"]} == {"a", "b", "c"}
    assert '"attributes":["city","copy"]' in html.read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars"])
def test_two_columns_without_points_are_sliced_and_reported(
    files: tuple[Path, Path], tmp_path: Path, engine: str
) -> None:
    """One file, --true and --pred: no names of points are needed, in whatever engine."""
    html = tmp_path / "diff.html"
    one = ["compare", files[0], "--true", "cluster", "--pred", "copy", "--by", "city", "--html", html]
    result = run(*one, "--json", "--engine", engine)
    assert result.exit_code == 0, result.stderr
    assert [row["points"] for row in json.loads(result.stdout)["slices"]["city"]] == [6, 6]
    assert html.exists()


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars"])
def test_documents_on_the_command_line(tmp_path: Path, engine: str) -> None:
    """--documents compares within a column's values; --by document shows their scores, --by COLUMN slices."""
    table = [row | {"doc": f"d{i % 2}"} for i, row in enumerate(ROWS)]
    other = [row | {"doc": f"d{int(row['id'][1:]) % 2}"} for row in PRED[3:]]
    (tmp_path / "t.csv").write_text(csv_text(table))
    (tmp_path / "p.csv").write_text(csv_text(other))
    arguments = ["compare", tmp_path / "t.csv", tmp_path / "p.csv", "--documents", "doc", "--by", "document"]
    result = run(*arguments, "--by", "city", "--json", "--engine", engine)
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    slow = cd.compare(tmp_path / "t.csv", tmp_path / "p.csv", documents="doc")
    assert data["signature"] == slow.signature
    assert data["scores"]["b3.f1"] == pytest.approx(slow.score("b3.f1"))
    assert set(data["documents"]) == {"d0", "d1"}
    assert {row["value"] for row in data["slices"]["city"]} == {"rome", "oslo"}
    shown = run(*arguments, "--engine", engine)
    assert "2 documents · true: 12 points in " in shown.stdout
    assert "points: 9 found, 3 not found, 0 spurious" in shown.stdout


def test_columns_that_are_not_there_are_told_together(tmp_path: Path) -> None:
    """Of a file, of two files, of one table and of frames: nobody has to run it once per slip."""
    true, pred = tmp_path / "t.csv", tmp_path / "p.csv"
    true.write_text("id,cluster,w\na,1,1\n")
    pred.write_text("id,cluster\na,1\n")
    with pytest.raises(
        cd.FileError, match=r"t.csv has no columns 'idd', 'clusters', 'doc'; it has "
    ) as caught:
        cd.compare(true, pred, point="idd", cluster="clusters", documents="doc")
    assert caught.value.hint is None
    with pytest.raises(cd.FileError, match=r"t.csv has no column 'idd'; it has 'id'") as caught:
        cd.compare(true, pred, point=("idd", "id"))
    assert caught.value.hint == "did you mean 'id'?"
    with pytest.raises(
        cd.ArgumentError, match=r"neither .*t.csv nor .*p.csv has columns 'v', 'x'\."
    ) as wrong:
        cd.compare(true, pred, weights="v", features=["x", "w"])
    assert wrong.value.hint is None
    told = run("compare", true, "--true", "a", "--pred", "b", "--point", "i", "--weight", "v")
    assert "t.csv has no columns 'i', 'a', 'b', 'v'; it has" in told.stderr
    frame = pd.DataFrame({"id": ["a"], "cluster": [1]})
    both = r"`point` must name a column of `true`; it has no 'i', .* `cluster` must .*; it has no 'c'"
    with pytest.raises(cd.ArgumentError, match=both):
        cd.compare(frame, frame, point="i", cluster="c")
    more = (
        r"no 'k'.*`weights` .*`true`; it has no 'w'.*`features` .* no 'x'.*`cluster` .*`pred`; it has no 'l'"
    )
    with pytest.raises(cd.ArgumentError, match=more) as wrong:
        cd.compare(
            frame, frame.assign(y=1.0), point="id", cluster=("k", "l"), weights="w", features=["x", "y"]
        )
    assert "no 'y'" not in str(wrong.value)
