"""The benchmark of engines: what it measures runs, with cells in memory and in the engine."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytest.importorskip("duckdb")
pytest.importorskip("polars")


def test_every_contender_has_the_same_answer(tmp_path: Path) -> None:
    found = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "engines.py"))
    files = [str(file) for file in found["generate"](tmp_path, 3000, "integer", "linked")]
    told = {
        # DuckDB takes some memory for itself; a budget of 10 kB leaves the cells in polars.
        name: found["RUN"][name](*files, memory, str(tmp_path))
        for name, memory in {
            "duckdb": "60MB",
            "sql": "60MB",
            "explain": "60MB",
            "pandas": "60MB",
            "polars": "40KB",
        }.items()
    }
    assert len({text[:13] for text in told.values()}) == 1, told
    assert told["duckdb"].endswith(", memory"), told
    assert told["polars"].endswith(", engine"), told
