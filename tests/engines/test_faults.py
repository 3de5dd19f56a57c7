"""What can go wrong: a clear message, nothing left behind, and never a wrong number."""

from __future__ import annotations

import builtins
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli.main import main
from clusterdiff.points.policy import Policy
from clusterdiff.tables import engine_files
from clusterdiff.tables.engines.native import PREFIX, DuckDB
from clusterdiff.tables.frames import compare_frames
from tests.waiting import HANGS, first_file


def temporary(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """Our tables in a user's database."""
    rows = connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return [name for (name,) in rows if name.startswith(PREFIX)]


@pytest.fixture
def large(tmp_path: Path) -> tuple[str, str]:
    """Two Parquet files whose join does not fit 20 MB."""
    paths = str(tmp_path / "true.parquet"), str(tmp_path / "pred.parquet")
    connection = duckdb.connect()
    for path, divisor in zip(paths, (3, 4), strict=True):
        connection.execute(
            f"COPY (SELECT i AS id, i // {divisor} AS cluster, i % 2 AS odd FROM range(600000) t(i)) TO '{path}'"
        )
    return paths


@pytest.fixture
def small(tmp_path: Path) -> tuple[str, str]:
    """Two small CSV files."""
    paths = tmp_path / "true.csv", tmp_path / "pred.csv"
    paths[0].write_text("id,cluster\na,1\nb,1\nc,2\nd,2\n")
    paths[1].write_text("id,cluster\nd,z\nc,y\nb,x\na,x\n")
    return str(paths[0]), str(paths[1])


def test_a_full_disk_while_spilling_is_an_error_and_leaves_no_table(
    large: tuple[str, str], tmp_path: Path
) -> None:
    """DuckDB out of room to spill says so, with what to do; the user's connection is as it was."""
    connection = duckdb.connect(
        config={"memory_limit": "20MB", "temp_directory": str(tmp_path / "spill"), "threads": "1"}
    )
    connection.execute("SET max_temp_directory_size = '1MB'")
    with pytest.raises(cd.EngineError, match="duckdb stopped: OutOfMemoryException") as caught:
        cd.compare(*map(connection.read_parquet, large), point="id")
    assert caught.value.hint == (
        "the disk for temporary files is full; free some, or choose another place with temp_directory."
    )
    assert temporary(connection) == []


def test_a_memory_limit_spills_and_gives_the_same_number(large: tuple[str, str], tmp_path: Path) -> None:
    """With room to spill, a small memory is only slower; temporary files go with the connection."""
    connection = duckdb.connect(
        config={"memory_limit": "60MB", "temp_directory": str(tmp_path / "spill"), "threads": "1"}
    )
    connection.execute("SET preserve_insertion_order = false")
    diff = cd.compare(*map(connection.read_parquet, large), point="id", budget=0)
    ids = np.arange(600_000)
    expected = cd.compare(ids // 3, ids // 4)
    assert diff.score() == pytest.approx(expected.score(), abs=1e-9)
    assert diff.scores(["b3.f1", "ari"]) == pytest.approx(expected.scores(["b3.f1", "ari"]), abs=1e-9)
    assert diff.kinds == expected.kinds
    assert diff.components[0].loss == pytest.approx(expected.components[0].loss)
    assert [row.points for row in diff.by("odd")] == [300_000, 300_000]
    connection.close()
    assert list((tmp_path / "spill").glob("*")) == []


def test_a_query_that_takes_too_much_memory_is_run_again_step_by_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sums that do not fit in one go are computed with one join at a time, to the same numbers."""
    points = np.arange(3000)
    table = duckdb.from_arrow(pl.DataFrame({"a": points // 3, "b": points // 4}).to_arrow())
    diff = cd.compare_columns(table, true="a", pred="b", budget=0)
    row, calls = DuckDB.row, []

    def scarce(self: DuckDB, frame: Any) -> Any:
        calls.append(frame)
        if len(calls) == 1:
            raise duckdb.OutOfMemoryException("Out of Memory Error: failed to pin block")
        return row(self, frame)

    monkeypatch.setattr(DuckDB, "row", scarce)
    names = ["S_H", "S'", "ari", "vi", "S*(pairs)"]
    assert diff.scores(names) == pytest.approx(cd.compare(points // 3, points // 4).scores(names), abs=1e-9)
    assert len(calls) > 1


def test_temporary_tables_go_with_the_comparison() -> None:
    """A comparison's tables are dropped when it is no longer used; the user's tables stay."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE mine AS SELECT i // 2 AS a, i // 3 AS b FROM range(60) t(i)")
    diff = cd.compare_columns(connection.table("mine"), true="a", pred="b", budget=0)
    assert diff.components[0].loss > 0
    assert temporary(connection) != []
    del diff
    import gc

    gc.collect()
    assert temporary(connection) == []
    assert connection.execute("SELECT count(*) FROM mine").fetchall() == [(60,)]


def test_a_closed_connection_is_an_error() -> None:
    """A score asked for after the engine is gone raises; it does not guess."""
    connection = duckdb.connect()
    connection.execute("CREATE TABLE mine AS SELECT i // 2 AS a, i // 3 AS b FROM range(60) t(i)")
    diff = cd.compare_columns(connection.table("mine"), true="a", pred="b", budget=0)
    connection.close()
    with pytest.raises(cd.EngineError, match=r"duckdb stopped(.|\n)*is gone; open it again"):
        diff.score()


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (duckdb.OutOfMemoryException("failed to pin block"), "allow more memory"),
        (MemoryError("Java heap: out of memory"), "allow more memory"),
        (OSError("No space left on device"), "free some"),
        (ValueError("anything else"), None),
    ],
)
def test_an_engine_that_stops_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, error: Exception, advice: str | None
) -> None:
    """By what its error says, or by the class that it is of."""
    table = duckdb.sql("SELECT i // 2 AS a, i // 3 AS b FROM range(60) t(i)")
    diff = cd.compare_columns(table, true="a", pred="b", budget=0)

    def stopped(self: DuckDB, frame: Any) -> Any:
        raise error

    monkeypatch.setattr(DuckDB, "row", stopped)
    with pytest.raises(cd.EngineError, match=f"duckdb stopped: {type(error).__name__}") as caught:
        diff.score()
    assert (advice in str(caught.value)) if advice else ("Hint" not in str(caught.value))


@pytest.mark.parametrize("fault", ["closed", "dropped"])
def test_a_table_that_is_gone_is_an_error_wherever_it_is_read(fault: str) -> None:
    """Comparisons, rankings, matrices and sweeps say that the engine stopped, in one error of ours."""
    connection = duckdb.connect()
    for name, divisor in (("gold", 2), ("found", 3)):
        connection.execute(
            f"CREATE TABLE {name} AS SELECT i AS id, i // {divisor} AS cluster FROM range(60) t(i)"
        )
    connection.execute("CREATE TABLE matches AS SELECT i AS l, i + 1 AS r, 0.5 AS score FROM range(59) t(i)")
    gold, found, matches = (connection.table(name) for name in ("gold", "found", "matches"))
    if fault == "closed":
        connection.close()
    else:
        connection.execute("DROP TABLE found")
        connection.execute("DROP TABLE matches")
    for read in (
        lambda: cd.compare(gold, found, point="id"),
        lambda: cd.compare_columns(found, true="id", pred="cluster"),
        lambda: cd.rank(gold, {"a": found}),
        lambda: cd.matrix({"a": gold, "b": found}),
        lambda: cd.sweep({0: 0, 1: 0}, pairs=matches),
    ):
        with pytest.raises(cd.EngineError, match="duckdb stopped"):
            read()


def test_tables_that_change_between_reads_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that come or go between counting and joining are noticed."""
    left = pl.LazyFrame({"id": [1, 2, 3], "cluster": [1, 1, 2]})
    right = pl.LazyFrame({"id": [1, 2, 3], "cluster": [1, 1, 2]})
    monkeypatch.setattr("clusterdiff.tables.engines.points.Points.counts", (3, 4))
    with pytest.raises(
        cd.EngineError, match="changed while they were read: 3 and 4 rows at first, then 3 and 3"
    ):
        cd.compare(left, right, point="id")


def test_a_file_that_changes_underneath_gives_no_number(
    small: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell compares the files' state before and after, and prints an error instead of scores."""
    compare = engine_files._compare

    def meanwhile(*arguments: Any) -> Any:
        diff = compare(*arguments)
        Path(small[0]).write_text("id,cluster\na,1\nb,2\nc,3\nd,4\n")
        return diff

    monkeypatch.setattr(engine_files, "_compare", meanwhile)
    run = CliRunner().invoke(main, ["compare", *small, "--engine", "duckdb"])
    assert run.exit_code == 2
    assert "changed while it was read" in run.stderr
    assert run.stdout == ""


@pytest.mark.parametrize(("engine", "library"), [("spark", "pyspark"), ("polars", "polars")])
def test_an_engine_that_is_not_installed_says_how_to_get_it(
    small: tuple[str, str], monkeypatch: pytest.MonkeyPatch, engine: str, library: str
) -> None:
    """The message names the library and the command that installs it."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.partition(".")[0] == library:
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    run = CliRunner().invoke(main, ["compare", *small, "--engine", engine])
    assert run.exit_code == 2
    assert f"needs {library}, which is not installed" in run.stderr
    assert f"pip install 'clusterdiff[{engine}]'" in run.stderr


@pytest.fixture(scope="module")
def huge(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two tables of six million points."""
    folder = tmp_path_factory.mktemp("huge")
    paths = [str(folder / f"{side}.parquet") for side in ("true", "pred")]
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    for path, divisor in zip(paths, (3, 4), strict=True):
        connection.execute(
            f"COPY (SELECT i AS id, i // {divisor} AS cluster FROM range(6000000) t(i)) TO '{path}'"
        )
    return paths


@pytest.mark.skipif(sys.platform != "linux", reason="files that appear are waited for by inotify")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_removes_its_temporary_files(
    huge: list[str], tmp_path: Path, ending: signal.Signals
) -> None:
    """A run that is stopped while it spills prints no number, and its temporary folder is gone."""
    place = tmp_path / "place"
    place.mkdir()
    script = "from clusterdiff_command import main; main()"
    run = subprocess.Popen(
        [sys.executable, "-c", script, "compare", *huge, "--engine", "duckdb", "--memory", "200MB"],
        env=os.environ | {"TMPDIR": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    spilled = first_file(place)
    assert spilled.parent.name.startswith("clusterdiff-")
    run.send_signal(ending)
    out, _ = run.communicate(timeout=HANGS)
    assert run.returncode == (130 if ending == signal.SIGINT else 143)
    assert out == b""
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_the_shell_gives_the_numbers_of_memory(small: tuple[str, str], engine: str) -> None:
    """The same command with and without an engine prints the same scores, components and signature."""
    runs = [
        CliRunner().invoke(main, ["compare", *small, "--json", "--measures", "S_H,ari", *more])
        for more in ([], ["--engine", engine], ["--engine", engine, "--noise", "z", "--memory", "1GB"])
    ]
    assert [run.exit_code for run in runs] == [0, 0, 0]
    plain, got, noisy = (json.loads(run.stdout) for run in runs)
    for told in (plain, got):  # clusters are listed in another order
        for component in told["components"]:
            component["pred"] = sorted(component["pred"])
            del component["component"]
    assert got == plain
    assert "noise:true=z→singleton(" in noisy["signature"]


def test_the_shell_compares_two_columns_of_one_file_in_an_engine(tmp_path: Path) -> None:
    """--true and --pred name the columns of one table."""
    path = tmp_path / "both.csv"
    path.write_text("gold,found\na,1\na,1\nb,2\nb,3\n")
    run = CliRunner().invoke(
        main, ["compare", str(path), "--true", "gold", "--pred", "found", "--engine", "duckdb", "--json"]
    )
    assert run.exit_code == 0, run.stderr
    assert json.loads(run.stdout)["scores"]["S_H"] == 0.5


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([1, 2], "`true` must be a table of pandas"),
        (pl.DataFrame({"id": [1], "cluster": [[1]]}), "must hold names .* it holds List"),
        (
            pl.DataFrame({"id": [1.5], "cluster": [1]}),
            "must hold whole numbers in column 'id' if it holds floats; got 1.5",
        ),
        (pl.DataFrame({"key": [1], "cluster": [1]}), "it has no 'id', but 'key', 'cluster'"),
    ],
)
def test_tables_that_cannot_be_read_are_refused(table: Any, message: str) -> None:
    """The message names the argument, the column, what was expected and what came."""
    with pytest.raises(cd.ClusterdiffError, match=message):
        compare_frames(
            table, pl.DataFrame({"id": [1], "cluster": [1]}), point="id", cluster="cluster", policy=Policy()
        )


def test_tables_of_two_libraries_are_refused() -> None:
    """The engines of both tables must be one."""
    import pandas as pd

    with pytest.raises(cd.ArgumentError, match="tables of one library; got polars and pandas"):
        cd.compare(
            pl.DataFrame({"id": [1], "cluster": [1]}), pd.DataFrame({"id": [1], "cluster": [1]}), point="id"
        )


def test_kinds_of_columns() -> None:
    """Categories, dates, bools, whole floats and lists of features are read as what they mean."""
    import datetime

    day = datetime.date(2024, 1, 1)
    table = pl.DataFrame(
        {
            "id": pl.Series(["a", "b", "c", "d"], dtype=pl.Categorical),
            "day": [day, day, day + datetime.timedelta(1), day + datetime.timedelta(1)],
            "flag": [True, True, False, False],
            "float": [1.0, 1.0, None, 3.0],
            "x": [[0.0, 1.0], [0.0, 2.0], [5.0, 5.0], [6.0, 6.0]],
        }
    )
    assert cd.compare_columns(table, true="day", pred="flag", point="id").score() == 1.0
    assert cd.compare_columns(table, true="float", pred="flag", missing="drop").n == 3
    array = table.with_columns(pl.col("x").cast(pl.Array(pl.Float64, 2)))
    for frame in (table, array):
        got = cd.compare_columns(frame, true="day", pred="id", features="x").score("S_MSE")
        assert got == cd.compare([0, 0, 1, 1], [0, 1, 2, 3], features=table["x"].to_list()).score("S_MSE")
