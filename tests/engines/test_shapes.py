"""Patterns beyond the budget: what an engine groups is what memory finds."""

from __future__ import annotations

import warnings
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.diff.patterns import Patterns
from tests.cases import cases


def _tables(missing: bool) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Every shape of component: many small ones, beside a tangle."""
    rng = np.random.default_rng(4)
    n = 400
    true = np.concatenate([rng.integers(1, 150, n - 60), rng.integers(300, 308, 60)])
    moved = np.where(true < 300, rng.integers(1, 150, n), rng.integers(300, 308, n))
    pred = np.where(rng.random(n) < np.where(true < 300, 0.08, 0.5), moved, true)
    weight = rng.integers(0, 3, n) / 4
    tables = (
        pl.DataFrame({"id": np.arange(n), "cluster": codes, "weight": weight}) for codes in (true, pred)
    )
    first, second = tables
    return (first[: n - 20], second[30:]) if missing else (first, second)


def _plain(patterns: Patterns) -> dict[str, Any]:
    shapes = {row.shape: row.to_dict() | {"clusters": row.clusters} for row in patterns.shapes}
    whole = {key: getattr(patterns, key) for key in ("regime", "score", "loss", "damaged", "components")}
    return whole | shapes | {"confusions": [row.to_dict() for row in patterns.confusions]}


def _equal(found: Any, expected: Any) -> None:
    """The same to rounding, whatever is inside what."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            _equal(found[key], value)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            _equal(one, other)
    else:
        assert found == (pytest.approx(expected, rel=1e-9) if isinstance(expected, float) else expected)


@cases(
    ("engine", "options"),
    [
        ("polars", {"weights": "weight"}),
        ("polars", {"missing": "singleton"}),
        ("polars", {"missing": "lost", "noise": 7}),
        ("duckdb", {}),
        ("pandas", {"weights": "weight"}),
    ],
)
def test_shapes_of_cells_that_stay_in_the_engine_are_those_of_memory(
    engine: str, options: dict[str, Any]
) -> None:
    """With weights, lost points, noise and points that are clusters of their own."""
    true, pred = _tables("missing" in options)
    tables: Any = true.lazy(), pred.lazy()
    if engine == "pandas":
        tables = true.to_pandas(), pred.to_pandas()
    if engine == "duckdb":
        connection = duckdb.connect()
        for name, table in (("a", true), ("b", pred)):
            connection.register(name, table.to_arrow())
        tables = connection.table("a"), connection.table("b")
    with warnings.catch_warnings(action="ignore"):
        far, near = (cd.compare(*tables, budget=budget, **options) for budget in (1, "1GB"))
    assert (far.where, near.where) == ("engine", "memory")
    _equal(_plain(far.patterns()), _plain(near.patterns(())))


def test_few_clusters_are_confused_and_identical_ones_are_not() -> None:
    """Confusions name their clusters; where nothing was lost there is no shape."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 8, 2000)
    pred = np.where(rng.random(2000) < 0.2, rng.integers(0, 8, 2000), true)
    table = pl.LazyFrame({"id": np.arange(2000), "true": true, "pred": pred})
    far = cd.compare_columns(table, true="true", pred="pred", point="id", budget=1).patterns()
    near = cd.compare_columns(table, true="true", pred="pred", point="id").patterns(())
    assert far.regime == "few"
    _equal(_plain(far), _plain(near))
    same = cd.compare_columns(table, true="true", pred="true", point="id", budget=1).patterns()
    assert str(same) == "S_H = 1.0000: nothing was lost."
