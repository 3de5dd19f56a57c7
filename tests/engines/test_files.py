"""engine= in Python: files that an engine reads give what they give in memory, for as long as anybody asks."""

from __future__ import annotations

import gc
import lzma
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.tables.sessions import ENGINES, SESSIONS, open_session
from tests.engines.test_pipeline import data, shuffled

POINTS, TRUE, PRED = data(60, 12)
COLUMNS = {
    "city": [("rome", "oslo")[i % 2] for i in range(len(POINTS))],
    "weight": [1.0 + i % 3 for i in range(len(POINTS))],
    "x": [float(i % 7) for i in range(len(POINTS))],
}


@pytest.fixture(params=["csv", "parquet"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The true clusters with other columns, and the predicted ones in another order."""
    left = pl.DataFrame(shuffled({"id": POINTS, "cluster": TRUE, **COLUMNS}, 2))
    right = pl.DataFrame(shuffled({"id": POINTS, "cluster": PRED}))
    paths = str(tmp_path / f"true.{request.param}"), str(tmp_path / f"pred.{request.param}")
    for frame, path in zip((left, right), paths, strict=True):
        frame.write_csv(path) if request.param == "csv" else frame.write_parquet(path)
    return paths


@pytest.fixture(params=list(SESSIONS))
def reader(request: pytest.FixtureRequest) -> str:
    """An engine that reads files; Spark where the suite has it."""
    if request.param == "spark":
        request.getfixturevalue("spark")
    return str(request.param)


def test_an_engine_gives_what_memory_gives(files: tuple[str, str], reader: str) -> None:
    """Scores, losses, components with the names of their points, weights and features."""
    options: dict[str, Any] = {"weights": "weight", "features": ["x"]}
    expected, diff = cd.compare(*files, **options), cd.compare(*files, engine=reader, **options)  # type: ignore[arg-type]
    names = ["S_H", "ari", "vi", "S_MSE"]
    assert diff.scores(names) == pytest.approx(expected.scores(names))
    assert diff.loss == pytest.approx(expected.loss)
    for mine, theirs in zip(diff.components[:5], expected.components[:5], strict=True):
        assert mine.loss == pytest.approx(theirs.loss)
    assert sorted(map(str, diff.points)) == sorted(map(str, expected.points))
    assert {row.value: row.points for row in diff.by("city")} == {
        row.value: row.points for row in expected.by("city")
    }


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_other_options_are_obeyed(files: tuple[str, str], reader: str) -> None:
    """Columns by name, documents, noise told as in memory, features without weights, and a budget."""
    engine: Any = reader
    noise: dict[str, Any] = {"noise_pred": PRED[0], "noise_as": "drop"}
    told, expected = cd.compare(*files, engine=engine, **noise), cd.compare(*files, **noise)
    assert told.n == expected.n < len(POINTS)
    assert told.score() == pytest.approx(expected.score())
    near, far = (
        cd.compare(*files, features=["x"]),
        cd.compare(*files, engine=engine, budget=1, features=["x"]),
    )
    assert far.where == "engine"  # type: ignore[attr-defined]
    assert far.scores(["S_H", "S_MSE"]) == pytest.approx(near.scores(["S_H", "S_MSE"]))
    if engine == "spark":  # which columns to read is decided before any engine reads them
        return
    columns: dict[str, Any] = {"point": "id", "cluster": ("cluster", "cluster")}
    assert cd.score(*files, engine=engine, **columns) == pytest.approx(cd.score(*files))
    two: dict[str, Any] = {"cluster": ("cluster", "city"), "point": "id"}
    assert cd.score(files[0], files[0], engine=engine, **two) == pytest.approx(
        cd.score(files[0], files[0], **two)
    )


def test_what_duckdb_read_lasts_as_long_as_somebody_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Points are named after the comparison is gone; then nothing stays on disk, not even what was unpacked."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    paths = [tmp_path / "true.csv.xz", tmp_path / "pred.csv.xz"]
    for path, labels in zip(paths, (TRUE, PRED), strict=True):
        text = pl.DataFrame({"id": POINTS, "cluster": labels}).write_csv()
        path.write_bytes(lzma.compress(text.encode()))
    components = cd.compare(*paths, engine="duckdb").components
    gc.collect()
    assert list(place.iterdir())
    assert {*map(str, components[0].points)} <= {*map(str, POINTS)}
    del components
    gc.collect()
    assert list(place.iterdir()) == []


def test_a_database_is_read_by_duckdb(tmp_path: Path) -> None:
    """It stays attached while its points can be asked for."""
    path = tmp_path / "both.duckdb"
    with duckdb.connect(str(path)) as con:
        con.sql("CREATE TABLE t AS SELECT range AS id, range // 2 AS cluster FROM range(10)")
    diff = cd.compare(path, path, engine="duckdb")
    assert diff.score() == 1.0
    assert sorted(diff.points) == list(range(10))


def test_sessions_close_what_they_opened(tmp_path: Path) -> None:
    """A session that is closed reads no more; one that was never asked has nothing to close."""
    path = tmp_path / "t.parquet"
    pl.DataFrame({"id": [1, 2], "cluster": [1, 1]}).write_parquet(path)
    with open_session("duckdb", memory="200MB") as session:
        diff = cd.compare(path, path, engine=session)  # type: ignore[arg-type]
        assert diff.score() == 1.0
    with pytest.raises(cd.ClusterdiffError):
        cd.compare(path, path, engine=session)  # type: ignore[arg-type]
    open_session("spark").close()


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_what_an_engine_cannot_do_is_said(tmp_path: Path, engine: Any) -> None:
    """Files without names of points, other formats, distances, values that are no columns."""
    table, bare = tmp_path / "t.csv", tmp_path / "bare.csv"
    table.write_text("id,cluster\na,1\nb,2\n")
    bare.write_text("cluster\n1\n2\n")
    with pytest.raises(cd.FileError, match="does not name its points") as caught:
        cd.compare(bare, bare, engine=engine)
    assert caught.value.hint == "leave out engine=."
    with pytest.raises(cd.ArgumentError, match="`engine` has no meaning here"):
        cd.compare(table, table, engine=engine, distances=[[0, 1], [1, 0]])
    with pytest.raises(cd.ArgumentError, match="`weights` must name a column of the tables"):
        cd.compare(table, table, engine=engine, weights=[1, 2])
    with pytest.raises(cd.ArgumentError, match="`pred` holds sets or dicts"):
        cd.compare(table, {"a": 1, "b": 2}, engine=engine)


def test_an_unknown_engine_is_refused(tmp_path: Path) -> None:
    """With the names of those that there are."""
    table = tmp_path / "t.csv"
    table.write_text("id,cluster\na,1\nb,2\n")
    with pytest.raises(
        cd.ArgumentError, match=r'`engine` must be one of "memory", .*"duckdb".*; got \'duckbd\''
    ) as caught:
        cd.compare(table, table, engine="duckbd")  # type: ignore[arg-type]
    assert caught.value.hint == "did you mean 'duckdb'?"
    assert cd.score(table, table, engine="memory") == 1.0
    assert ("memory", *SESSIONS) == ENGINES
