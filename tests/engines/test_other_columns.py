"""Other columns: of `true`, and of `pred` for points and for columns that `true` lacks, wherever the tables are."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clusterdiff as cd

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning"),
]

TRUE = {"id": ["a", "b", "c"], "cluster": [1, 1, 2], "city": ["oslo", "oslo", None]}
#: What it says of the city of b and c does not count: `true` knows those points.
PRED = {
    "id": ["b", "c", "d", "e"],
    "cluster": [1, 1, 2, 2],
    "city": ["no", "no", "rome", "oslo"],
    "source": ["web", "shop", "web", None],
}
CITY = {"a": "oslo", "b": "oslo", "c": None, "d": "rome", "e": "oslo"}
SOURCE = {"b": "web", "c": "shop", "d": "web"}
RULES = ("singleton", "lost", "drop")


def rows(table: Any) -> set[tuple[Any, ...]]:
    """Slices without their order among equals."""
    return {tuple(round(x, 9) if isinstance(x, float) else x for x in row) for row in table}


def agree(diff: cd.types.Comparison, missing: Any) -> None:
    """The slices are those of two dicts, with the columns as dicts."""
    sides = (dict(zip(side["id"], side["cluster"], strict=True)) for side in (TRUE, PRED))
    slow = cd.compare(*sides, missing=missing)
    assert rows(diff.by("city")) == rows(slow.by(CITY))
    assert rows(diff.by("source")) == rows(slow.by(SOURCE))


@pytest.mark.parametrize(("missing", "budget"), [("singleton", None), ("lost", None), ("singleton", 0)])
def test_tables(frame: Any, missing: Any, budget: Any) -> None:
    """In the engine as in memory, and in what was pickled after it was read."""
    diff = cd.compare(frame(TRUE), frame(PRED), point="id", missing=missing, budget=budget)
    agree(diff, missing)
    if diff.where == "memory":
        agree(pickle.loads(pickle.dumps(diff)), missing)


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize(("kind", "engine"), [("csv", None), ("parquet", None), ("parquet", "polars")])
def test_files(tmp_path: Path, missing: Any, kind: str, engine: Any) -> None:
    """Read by us, or by an engine."""
    paths = [tmp_path / f"{name}.{kind}" for name in ("true", "pred")]
    for path, side in zip(paths, (TRUE, PRED), strict=True):
        table = pl.DataFrame(side)
        table.write_csv(path) if kind == "csv" else table.write_parquet(path)
    agree(cd.compare(*map(str, paths), missing=missing, engine=engine), missing)


@pytest.mark.parametrize("missing", RULES)
@pytest.mark.parametrize("kind", ["frames", "files"])
def test_within_documents(tmp_path: Path, missing: Any, kind: str) -> None:
    """Points are looked up within their document."""
    left = pl.DataFrame({**TRUE, "doc": ["x", "x", "x"]})
    right = pl.DataFrame({**PRED, "doc": ["x", "x", "x", "y"]})
    sides: tuple[Any, Any] = (left, right)
    if kind == "files":
        sides = str(tmp_path / "true.csv"), str(tmp_path / "pred.csv")
        left.write_csv(sides[0])
        right.write_csv(sides[1])
    diff = cd.compare(*sides, point="id", cluster="cluster", documents="doc", missing=missing)
    found = {row.value: row.points for row in diff.by("city")}
    assert found == ({"oslo": 1, None: 1} if missing == "drop" else {"oslo": 3, None: 1, "rome": 1})


def test_a_column_of_two_types(frame: Any) -> None:
    """Where it is one column of an engine, its types must agree; if no point needs the other, nothing is asked."""
    true, pred = {**TRUE, "city": [1, 1, 2]}, PRED
    diff = cd.compare(frame(true), frame(pred), point="id", missing="singleton", budget=0)
    with pytest.raises(cd.ArgumentError, match="'city' must be of one type in both tables"):
        diff.by("city")
    dropped = cd.compare(frame(true), frame(pred), point="id", missing="drop", budget=0)
    assert {row.value for row in dropped.by("city")} == {1, 2}


@pytest.mark.parametrize("missing", ["lost", "drop", "singleton"])
def test_values_that_changed(frame: Any, missing: Any) -> None:
    """Told of a column of both tables, as of two dicts; of no other column."""
    diff = cd.compare(frame(TRUE), frame(PRED), point="id", missing=missing)
    found = diff.changed_values("city")
    assert [tuple(row) for row in found] == [("oslo", "no", 1, 1), (None, "no", 1, 0)]
    sides, cities = (
        [dict(zip(side["id"], side[column], strict=True)) for side in (TRUE, PRED)]
        for column in ("cluster", "city")
    )
    slow = cd.compare(*sides, missing=missing).changed_values(*cities)
    assert [tuple(row) for row in found] == [tuple(row) for row in slow]
    with pytest.raises(cd.ArgumentError, match=r"must be in both tables.*both have 'city'"):
        diff.changed_values("source")
