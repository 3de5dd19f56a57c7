"""How long it takes from two files of `id,cluster` to S_H, against polars and pandas doing the join and group by.

    python benchmarks/reading.py [--rows 10000000] [--rounds 3]

Every contender runs in a process of its own, so that peaks of memory are its own too. Polars and pandas stop at the
cells; clusterdiff goes on to the score. Times are the least of the rounds, and CPU seconds count imports too.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

#: A record is in a cluster of about three, and the prediction gets one in ten wrong.
ROWS = """
    SELECT 'r' || i AS id, 'e' || (hash(i) % ({n} // 3)) AS true_cluster,
           'c' || ((hash(i) % ({n} // 3)) + CASE WHEN hash(i + {n}) % 10 = 0 THEN 1 ELSE 0 END) AS pred_cluster, i
    FROM range({n}) r(i)
"""


def make(folder: Path, n: int) -> None:
    """Write the true and the predicted clusters as CSV and Parquet, the latter in another order."""
    import duckdb

    con = duckdb.connect()
    for side, order in (("true", "i"), ("pred", "hash(i)")):
        for suffix in ("csv", "parquet"):
            target = str(folder / f"{side}.{suffix}").replace("'", "''")
            con.execute(
                f"COPY (SELECT id, {side}_cluster AS cluster FROM ({ROWS.format(n=n)}) ORDER BY {order}) TO '{target}'"
            )


def with_clusterdiff(true: str, pred: str) -> tuple[int, float]:
    """Read, join, count the cells and score."""
    import clusterdiff as cd

    diff = cd.compare(true, pred)
    return len(diff.meet), diff.score()


def with_polars(true: str, pred: str) -> tuple[int, None]:
    """Read, join and count the cells, lazily, so that polars can plan all of it."""
    import polars as pl

    scan = pl.scan_csv if true.endswith(".csv") else pl.scan_parquet
    joined = scan(true).join(scan(pred), on="id", suffix="_pred")
    cells = joined.group_by("cluster", "cluster_pred").len().collect()
    return len(cells), None


def with_pandas(true: str, pred: str) -> tuple[int, None]:
    """Read, join and count the cells."""
    import pandas as pd

    read = pd.read_csv if true.endswith(".csv") else pd.read_parquet
    joined = read(true).merge(read(pred), on="id")
    return len(joined.groupby(["cluster_x", "cluster_y"]).size()), None


CONTENDERS: dict[str, Callable[[str, str], tuple[int, float | None]]] = {
    "clusterdiff": with_clusterdiff,
    "polars": with_polars,
    "pandas": with_pandas,
}


def one(name: str, true: str, pred: str) -> None:
    """Run a contender once and print what it found."""
    start = time.perf_counter()
    cells, score = CONTENDERS[name](true, pred)
    seconds = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_SELF)
    cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 2**20
    print(json.dumps({"cells": cells, "score": score, "seconds": seconds, "cpu": cpu, "peak": peak}))


def main() -> None:
    """Measure all contenders on both formats and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=3, metavar=("NAME", "TRUE", "PRED"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        one(*arguments.one)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), arguments.rows)
        print(f"{arguments.rows:,} rows per side, least of {arguments.rounds} rounds")
        print(
            "| format | contender | seconds | CPU seconds | GiB | cells | S_H |\n"
            "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
        )
        for suffix in ("csv", "parquet"):
            for name in CONTENDERS:
                command = [
                    sys.executable,
                    __file__,
                    "--one",
                    name,
                    f"{folder}/true.{suffix}",
                    f"{folder}/pred.{suffix}",
                ]
                runs = [
                    json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                    for _ in range(arguments.rounds)
                ]
                best = min(runs, key=lambda run: run["seconds"])
                score = "" if best["score"] is None else f"{best['score']:.6f}"
                cpu = min(run["cpu"] for run in runs)
                row = (
                    suffix,
                    name,
                    f"{best['seconds']:.2f}",
                    f"{cpu:.2f}",
                    f"{best['peak']:.1f}",
                    f"{best['cells']:,}",
                    score,
                )
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
