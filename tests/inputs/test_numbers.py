"""Weights and features of points that one side lacks: by every route, from the table that has the point."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_array, save_npz

import clusterdiff as cd
from clusterdiff.cli import main

TRUE = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "gone": 2}
PRED = {"e": 5, "d": 5, "c": 6, "b": 6, "a": 6, "x": 6, "y": 7}
WEIGHT = {"a": 1.0, "b": 2.0, "c": 0.5, "d": 3.0, "e": 1.5, "gone": 2.5, "x": 4.0, "y": 0.25}
FEATURES = {point: [1e6 + float(i), float(i * i)] for i, point in enumerate(WEIGHT)}
DOCUMENT = {point: "p" if point in "abcx" else "q" for point in WEIGHT}
POLICIES = ("drop", "singleton", "lost")


def columns(side: dict[str, int]) -> dict[str, list[Any]]:
    return {
        "id": list(side),
        "cluster": list(side.values()),
        "w": [WEIGHT[p] for p in side],
        "u": [FEATURES[p][0] for p in side],
        "v": [FEATURES[p][1] for p in side],
        "doc": [DOCUMENT[p] for p in side],
    }


FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda data: pl.DataFrame(data).lazy(),
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.from_arrow(pa.table(data)),
}


@pytest.fixture(params=POLICIES)
def missing(request: pytest.FixtureRequest) -> Any:
    return request.param


def expected(missing: Any, **more: Any) -> tuple[float, float]:
    diff = cd.compare(TRUE, PRED, missing=missing, weights=WEIGHT, features=FEATURES, **more)
    return pytest.approx(diff.score(), abs=1e-9), pytest.approx(diff.score("S_MSE"), abs=1e-9)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@pytest.mark.parametrize("library", FRAMES)
def test_tables(library: str, missing: Any) -> None:
    """If both tables have a column, that of `pred` is for the points that `true` lacks."""
    tables = [FRAMES[library](columns(side)) for side in (TRUE, PRED)]
    named: dict[str, Any] = {"weights": "w", "features": ["u", "v"], "missing": missing}
    diff = cd.compare(*tables, point="id", **named)
    assert (diff.score(), diff.score("S_MSE")) == expected(missing)
    within = cd.compare(*tables, point="id", documents="doc", **named)
    assert (within.score(), within.score("S_MSE")) == expected(missing, documents=DOCUMENT)
    keyed = cd.compare(*tables, point=["id", "doc"], **named)
    assert (keyed.score(), keyed.score("S_MSE")) == expected(missing)


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@pytest.mark.parametrize("engine", [None, "duckdb", "polars"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files(tmp_path: Path, engine: str | None, suffix: str, missing: Any) -> None:
    """The same from files, in Python and on the command line."""
    files = []
    for name, side in (("true", TRUE), ("pred", PRED)):
        files.append(str(tmp_path / f"{name}.{suffix}"))
        frame = pl.DataFrame(columns(side))
        frame.write_csv(files[-1]) if suffix == "csv" else frame.write_parquet(files[-1])
    if engine is None:
        diff = cd.compare(*files, point="id", weights="w", features=["u", "v"], missing=missing)
        assert (diff.score(), diff.score("S_MSE")) == expected(missing)
        within = cd.compare(
            *files, point="id", weights="w", features=["u", "v"], documents="doc", missing=missing
        )
        assert (within.score(), within.score("S_MSE")) == expected(missing, documents=DOCUMENT)
        first = (
            cd.compare(TRUE, PRED, documents=DOCUMENT, weights=WEIGHT, missing=missing).documents["q"].score()
        )
        assert within.documents["q"].score() == pytest.approx(first)
    command = ["compare", *files, "--point", "id", "--weight", "w", "--features", "u,v", "--missing", missing]
    command += ["--measures", "S_H,S_MSE", "--json", *([] if engine is None else ["--engine", engine])]
    run = CliRunner().invoke(main, command)
    assert run.exit_code == 0, run.output
    scores = json.loads(run.stdout)["scores"]
    assert (scores["S_H"], scores["S_MSE"]) == expected(missing)


def test_a_point_without_a_weight_is_an_error(tmp_path: Path) -> None:
    """If only one file has the column, its table must have every point that counts."""
    full, bare = tmp_path / "full.csv", tmp_path / "bare.csv"
    pl.DataFrame(columns(TRUE)).write_csv(full)
    pl.DataFrame(columns(PRED)).select("id", "cluster").write_csv(bare)
    for sides, lacked in (((full, bare), 2), ((bare, full), 2)):
        with pytest.raises(
            cd.ArgumentError, match=f"only .*full.csv has the column 'w', and it lacks {lacked} points"
        ):
            cd.compare(*map(str, sides), weights="w", missing="lost", point="id", cluster="cluster")
        dropped = cd.compare(*map(str, sides), weights="w", missing="drop", point="id", cluster="cluster")
        plain = [TRUE, PRED] if sides[0] is full else [PRED, TRUE]
        assert dropped.score() == pytest.approx(cd.compare(*plain, weights=WEIGHT, missing="drop").score())
    tables = [pd.DataFrame(columns(TRUE)), pd.DataFrame(columns(PRED))[["id", "cluster"]]]
    with pytest.raises(cd.ArgumentError, match="`weights` must be finite"):
        cd.compare(*tables, weights="w", missing="lost", point="id")


def test_weights_of_both_sides_in_memory() -> None:
    """Series and dicts are looked up by name, for every point of either side."""
    series = pd.Series(WEIGHT).sample(frac=1, random_state=0)
    for missing in POLICIES:
        want = cd.compare(TRUE, PRED, missing=missing, weights=WEIGHT).score()  # type: ignore[arg-type]
        for true, pred in ((pd.Series(TRUE), pd.Series(PRED)), (TRUE, pd.Series(PRED))):
            got = cd.compare(true, pred, missing=missing, weights=series)  # type: ignore[arg-type]
            assert got.score() == want
            assert np.isclose(sum(got.by_point["loss"]), got.loss.total)


@pytest.mark.parametrize("form", ["matrix", "condensed", "sparse"])
def test_distances_on_the_command_line(tmp_path: Path, form: str) -> None:
    """A file of NumPy's or SciPy's, in the order of TRUE, even if PRED has another order."""
    rng = np.random.default_rng(0)
    points = list("abcdef")
    far = rng.random((6, 6)).round(3)
    far = np.triu(far, 1) + np.triu(far, 1).T
    true, pred = (
        dict(zip(points, [0, 0, 0, 1, 1, 1], strict=True)),
        dict(zip(points, [0, 0, 1, 1, 2, 2], strict=True)),
    )
    files = [str(tmp_path / "true.csv"), str(tmp_path / "pred.csv"), str(tmp_path / "far.npy")]
    for file, side in zip(files, (true, dict(reversed(pred.items()))), strict=False):
        pl.DataFrame({"id": list(side), "cluster": list(side.values())}).write_csv(file)
    if form == "sparse":
        files[2] = str(tmp_path / "far.npz")
        save_npz(files[2], csr_array(far))
    else:
        np.save(files[2], far if form == "matrix" else far[np.triu_indices(6, 1)])
    command = ["compare", *files[:2], "--distances", files[2], "--measures", "S*(distance)", "--json"]
    run = CliRunner().invoke(main, command)
    assert run.exit_code == 0, run.output
    expected = cd.compare(true, pred, distances=far).score("S*(distance)")
    assert json.loads(run.stdout)["scores"]["S*(distance)"] == pytest.approx(expected)
    run = CliRunner().invoke(main, [*command, "--weight", "w"])
    assert (run.exit_code, "--weight and --distances" in run.stderr) == (2, True)
    run = CliRunner().invoke(main, ["compare", *files[:2], "--distances", files[0]])
    assert (run.exit_code, "must hold distances" in run.stderr) == (2, True)
