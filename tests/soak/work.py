"""One round of everything that holds on to something: memory, files, threads, connections."""

from __future__ import annotations

import gc
import os
import random
import resource
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import polars as pl

import clusterdiff as cd


class Held(NamedTuple):
    """What a process holds: open files, entries of the temporary folder, and bytes of memory."""

    files: int
    left: int
    memory: int


def held() -> Held:
    """What this process holds now (needs Linux)."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("clusterdiff-")]
    return Held(len(os.listdir("/proc/self/fd")), len(left), pages * resource.getpagesize())


def round_of_work(place: Path, seed: int) -> None:
    """Compare the same points in memory, in files and in engines, explain, repair, write and read back."""
    chance = random.Random(seed)
    n = chance.randrange(2, 60)
    k = chance.randrange(1, n + 1)
    true, pred = ([chance.randrange(k) for _ in range(n)] for _ in range(2))
    diff = cd.compare(true, pred)
    expected = diff.score()
    diff.explain()
    diff.repairs()
    assert abs(diff.loss.total - (1 - expected)) < 1e-9
    names = [f"p{i}" for i in range(n)]
    assert (
        cd.compare(dict(zip(names, true, strict=True)), dict(zip(names, pred, strict=True))).score()
        == expected
    )
    frame = pl.DataFrame({"id": names, "true": true, "pred": pred})
    file = place / "t.csv"
    frame.write_csv(file)
    assert _columns(file) == expected
    assert abs(cd.compare_columns(frame, true="true", pred="pred").score() - expected) < 1e-9
    with duckdb.connect() as connection:
        connection.register("points", np_columns(true, pred))
        table = connection.table("points")
        assert abs(cd.compare_columns(table, true="true", pred="pred", budget=0).score() - expected) < 1e-9
    patch = diff.patch()
    patch.write(place / "fix.json")
    assert cd.score(true, cd.Patch.read(place / "fix.json").apply(pred)) == 1
    diff.report(place / "diff.html")
    ranking = cd.rank(true, {"one": pred, "other": true}, measures="S_H", resamples=10)
    assert abs(ranking.score("one") - expected) < 1e-9
    ends = [chance.randrange(n) for _ in range(n)]
    swept = cd.sweep(true, pairs=(list(range(n)), ends, [chance.random() for _ in range(n)]))
    swept.report(place / "sweep.html")
    assert abs(swept.compare(swept.best()).score() - swept.scores["S_H"].max()) < 1e-9
    assert abs(cd.matrix([true, pred]).values[0, 1] - expected) < 1e-9
    for bad in ([1], {"a": object()}):
        try:
            cd.compare([*true, 1], bad)
        except cd.ClusterdiffError:
            continue
        raise AssertionError("bad input was taken")


def _columns(path: Path) -> float:
    """The score of two columns of a file."""
    sides = [cd.read(path, point="id", cluster=column) for column in ("true", "pred")]
    return cd.compare(*sides).score()


def np_columns(true: list[int], pred: list[int]) -> dict[str, Any]:
    """Two columns as DuckDB takes them."""
    return {"true": np.asarray(true), "pred": np.asarray(pred)}
