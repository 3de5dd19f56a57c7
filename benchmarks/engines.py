"""Compare two Parquet files that are joined on the point: time and memory of every engine, at growing sizes.

    python benchmarks/engines.py --rows 1e6 1e7 --engines duckdb sql polars pandas --memory 1GB
    python benchmarks/engines.py --rows 1e8 --engines duckdb sql --ids string
    python benchmarks/engines.py --skew 1e7

The data have the shape of linked records: true clusters of three points, a tenth of them split and a tenth merged
in pairs, rows of the two files in different orders. Each run is a process of its own, so that its peak of resident
memory is its own; a watcher samples what it spills to disk. `sql` is the same answer, S_H, in SQL written by hand
for DuckDB, under the same limits.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PRIME = 2_147_483_647

SQL = """
CREATE TEMP TABLE meet AS
    SELECT t.cluster AS t, p.cluster AS p, count(*) AS m
    FROM '{true}' t JOIN '{pred}' p USING (id) GROUP BY ALL;
WITH a AS (SELECT t, CASE WHEN sum(m) > 1 THEN sum(m * ln(m)) / (sum(m) * ln(sum(m))) ELSE 1 END AS f
           FROM meet GROUP BY t),
     b AS (SELECT p, CASE WHEN sum(m) > 1 THEN sum(m * ln(m)) / (sum(m) * ln(sum(m))) ELSE 1 END AS g
           FROM meet GROUP BY p)
SELECT sum(m * f * g) / sum(m), count(*) FROM meet JOIN a USING (t) JOIN b USING (p)
"""


def main() -> None:
    """Run what was asked for, and print a line a run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="*", type=float, default=[1e6, 1e7], help="rows of each file")
    parser.add_argument("--engines", nargs="*", default=["duckdb", "sql", "polars", "pandas"], choices=[*RUN])
    parser.add_argument("--ids", choices=["integer", "string"], default="integer")
    parser.add_argument(
        "--memory", default="1GB", help="DuckDB's limit; a quarter of it is the budget for the meet"
    )
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument(
        "--skew", type=float, default=None, help="run the skewed shapes at this many rows instead"
    )
    parser.add_argument(
        "--folder", default=None, help="where data and temporary files go; removed at the end"
    )
    parser.add_argument("--errors", default="errors.txt", help="where the output of runs that fail is kept")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        child(*chosen.child)
        return
    place = Path(tempfile.mkdtemp(prefix="clusterdiff-bench-", dir=chosen.folder))
    try:
        print(
            f"{'shape':>10} {'rows':>6} {'engine':>7} {'wall s':>8} {'CPU s':>8} {'peak GB':>8} {'spill GB':>8}"
            "  S_H, cells, where"
        )
        shapes = ["linked"] if chosen.skew is None else ["one30", "singles", "giant", "chain"]
        for rows in [chosen.skew] if chosen.skew is not None else chosen.rows:
            for shape in shapes:
                files = generate(place, int(rows), chosen.ids, shape)
                for engine in chosen.engines:
                    best = min(
                        (
                            measure(engine, files, chosen.memory, place, Path(chosen.errors))
                            for _ in range(chosen.rounds)
                        ),
                        key=lambda r: r["cpu"],
                    )
                    print(
                        f"{shape:>10} {rows:>6.0e} {engine:>7} {best['wall']:>8.1f} {best['cpu']:>8.1f} "
                        f"{best['peak']:>8.2f} {best['spill']:>8.2f}  {best['answer']}",
                        flush=True,
                    )
                for file in files:
                    file.unlink()
    finally:
        shutil.rmtree(place, ignore_errors=True)


def generate(place: Path, rows: int, ids: str, shape: str) -> list[Path]:
    """Write the two files with DuckDB, which streams them."""
    import duckdb

    connection = duckdb.connect(config={"memory_limit": "1GB", "preserve_insertion_order": "false"})
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET temp_directory = '{place}'")
    point = f"(j * 1103515245 + 12345) % {PRIME}"
    point = f"'record-' || lpad(({point})::VARCHAR, 12, '0')" if ids == "string" else point
    k = max(rows // 1000, 1)
    true, pred = {
        "linked": (
            "hash(j // 3) % 9000000000000",
            "CASE WHEN hash(j // 3) % 10 = 0 AND j % 3 = 0 THEN hash(-j - 1) % 9000000000000 "
            f"WHEN hash(j // 3) % 10 = 1 THEN hash(j // 6 + {rows}) % 9000000000000 "
            "ELSE hash(j // 3 + 77) % 9000000000000 END",
        ),
        # one cluster with 30 % of the points
        "one30": (
            "CASE WHEN j % 10 < 3 THEN 0 ELSE j // 3 + 1 END",
            "CASE WHEN j % 10 < 3 AND j % 7 > 0 THEN 0 ELSE j // 3 + 1 END",
        ),
        "singles": ("j", "j"),
        # clusters of 1,000 that overlap at random: one component
        "giant": (f"j % {k}", f"hash(j) % {k}"),
        # every cluster shares points with the next: one long chain
        "chain": ("j // 4", "(j + 2) // 4"),
    }[shape]
    files = [place / "true.parquet", place / "pred.parquet"]
    for file, cluster, order in zip(files, (true, pred), ("i", f"(i * 48271 + 7) % {rows}"), strict=True):
        points = f"(SELECT {order} AS j FROM range({rows}) r(i))"
        source = f"SELECT {point} AS id, ({cluster})::BIGINT AS cluster FROM {points}"
        connection.execute(f"COPY ({source}) TO '{file}'")
    connection.close()
    return files


def measure(engine: str, files: list[Path], memory: str, place: Path, errors: Path) -> dict[str, float | str]:
    """Run an engine in a process of its own: seconds, peak of resident memory, the most on disk at once.

    What a run prints that fails is added to ``errors``, with what was left on the disk.
    """
    spill = place / "spill"
    spill.mkdir()
    most, done = [0.0], threading.Event()

    def watch() -> None:
        while not done.wait(0.2):
            most[0] = max(most[0], sum(f.stat().st_size for f in spill.glob("**/*") if f.is_file()) / 1e9)

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    command = [sys.executable, __file__, "--child", engine, *map(str, files), memory, str(spill)]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - start
    done.set()
    watcher.join()
    shutil.rmtree(spill)
    if out.returncode:
        with errors.open("a", encoding="utf-8") as file:
            free = shutil.disk_usage(place).free / 1e9
            file.write(f"{' '.join(command)}\nended with {out.returncode} after {wall:.0f} s; ")
            file.write(f"{most[0]:.2f} GB spilled, {free:.1f} GB free afterwards\n{out.stdout}{out.stderr}\n")
        return {
            "wall": wall,
            "cpu": float("nan"),
            "peak": float("nan"),
            "spill": most[0],
            "answer": f"failed, see {errors}: {(out.stderr.strip() or 'no output').splitlines()[-1][:90]}",
        }
    return {"wall": wall, "spill": most[0], **json.loads(out.stdout.splitlines()[-1])}


def child(engine: str, true: str, pred: str, memory: str, spill: str) -> None:
    """What runs in the process that is measured."""
    answer = RUN[engine](true, pred, memory, spill)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        json.dumps(
            {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024 / 1e9, "answer": answer}
        )
    )


def _connect(memory: str, spill: str):  # type: ignore[no-untyped-def]
    import duckdb

    settings = {"memory_limit": memory, "temp_directory": spill, "preserve_insertion_order": "false"}
    connection = duckdb.connect(config=settings)
    connection.execute("SET enable_progress_bar = false")
    return connection


def run_sql(true: str, pred: str, memory: str, spill: str) -> str:
    """By hand."""
    connection = _connect(memory, spill)
    for statement in SQL.format(true=true, pred=pred).split(";"):
        result = connection.execute(statement)
    score, cells = result.fetchone()
    return f"{score:.12f}, {cells:,}"


def _told(left: object, right: object, memory: str) -> str:
    import clusterdiff as cd
    from clusterdiff.tables.engines.budget import read_bytes

    diff = cd.compare(left, right, point="id", budget=read_bytes(memory) // 4)
    cells = len(diff.meet) if diff.where == "memory" else diff.in_engine._cells.rows
    return f"{diff.score():.12f}, {cells:,}, {diff.where}"


def run_duckdb(true: str, pred: str, memory: str, spill: str) -> str:
    """DuckDB through clusterdiff."""
    connection = _connect(memory, spill)
    return _told(connection.read_parquet(true), connection.read_parquet(pred), memory)


def run_explain(true: str, pred: str, memory: str, spill: str) -> str:
    """The same, with the loss, the kinds of all components and the costliest of them."""
    import clusterdiff as cd
    from clusterdiff.tables.engines.budget import read_bytes

    connection = _connect(memory, spill)
    tables = connection.read_parquet(true), connection.read_parquet(pred)
    diff = cd.compare(*tables, point="id", budget=read_bytes(memory) // 4)
    worst = diff.components[0] if len(diff.components) else None
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in diff.kinds.items())
    return (
        f"{diff.score():.12f}, {diff.where}; {kinds}; largest loss {0.0 if worst is None else worst.loss:.3g}"
    )


def run_polars(true: str, pred: str, memory: str, spill: str) -> str:
    """polars' streaming engine through clusterdiff."""
    import polars as pl

    os.environ["POLARS_TEMP_DIR"] = spill
    return _told(pl.scan_parquet(true), pl.scan_parquet(pred), memory)


def run_pandas(true: str, pred: str, memory: str, spill: str) -> str:
    """Pandas through clusterdiff."""
    import pandas as pd

    return _told(pd.read_parquet(true), pd.read_parquet(pred), memory)


RUN = {
    "duckdb": run_duckdb,
    "sql": run_sql,
    "explain": run_explain,
    "polars": run_polars,
    "pandas": run_pandas,
}

if __name__ == "__main__":
    main()
