"""What comparisons cost on a Spark cluster: executors' CPU time and shuffled bytes per row, at growing sizes.

    python benchmarks/spark.py --rows 1e5 1e6 1e7
    python benchmarks/spark.py --rows 1e6 --shapes linked skewed --master spark://host:7077
    python benchmarks/spark.py --rows 1e5 1e6 3e6 1e7 --project 1e10

Without `--master`, a master and two workers of one core each are started on loopback. The tables have the shape of
linked records: true clusters of three points, a tenth of them split and a tenth merged in pairs; `skewed` has one
cluster with 30 % of the points besides. Everything is asked for with a budget of 1 MB, so that the cells stay in Spark.
Figures are those of Spark's own event log, summed over the tasks of each question; what is kept is what Spark says of
its storage after the answer, packed by column. Rounds of contraction end where a million edges between clusters are
left, which the driver finishes; here they end at `--collect`, so that small tables take the steps of large ones.

A straight line through the second and the third largest run predicts CPU time and shuffled bytes of the largest; it is
printed how far it is off. With `--project` a line through the two largest runs goes on to more rows; for what is kept,
the bytes per row are those of the largest run.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: The rows of a run, and its figures: CPU seconds, bytes shuffled, bytes kept.
Run = tuple[float, tuple[float, float, float]]
Costs = dict[tuple[str, str], list[Run]]
LOCAL = "127.0.0.1"
BUDGET = 1_000_000

#: What is asked, one after the other: the cells are made for the first, and kept.
QUESTIONS = {
    "score": lambda diff: diff.score(),
    "loss": lambda diff: diff.loss.total,
    "components": lambda diff: dict(diff.kinds),
    "costliest": lambda diff: len(diff.components),
}


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as s:
        s.bind((LOCAL, 0))
        return int(s.getsockname()[1])


@contextmanager
def cluster(folder: Path, memory: str) -> Iterator[str]:
    """A master and two workers on loopback, as long as the block runs."""
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": LOCAL,
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_LOCAL_DIRS": str(folder),
    }
    master = f"spark://{LOCAL}:{free_port()}"
    processes: list[subprocess.Popen[bytes]] = []

    def start(name: str, *arguments: str) -> None:
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
        with (folder / f"{len(processes)}.log").open("wb") as log:
            processes.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))

    def wait_for(number: int, words: str) -> None:
        for _ in range(600):
            if words in (folder / f"{number}.log").read_text(errors="replace"):
                return
            time.sleep(0.1)
        raise TimeoutError(f"Spark did not say {words!r}")

    try:
        start(
            "master.Master",
            "--host",
            LOCAL,
            "--port",
            master.rpartition(":")[2],
            "--webui-port",
            str(free_port()),
        )
        wait_for(0, "New state: ALIVE")
        for number in (1, 2):
            place = ["--work-dir", str(folder / "work"), "--webui-port", str(free_port())]
            start("worker.Worker", "--host", LOCAL, "--cores", "1", "--memory", memory, *place, master)
            wait_for(number, "Successfully registered with master")
        yield master
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait()


def tables(spark: Any, rows: int, shape: str, folder: Path) -> tuple[Any, Any]:
    """Two tables in Parquet, the second in another order."""
    skewed = shape == "skewed"
    true = "id div 3"
    pred = (
        "CASE WHEN hash(id div 3) % 10 = 0 AND id % 3 = 0 THEN -id - 1 "
        "WHEN hash(id div 3) % 10 = 1 THEN -(id div 6) - 5000000000 ELSE id div 3 END"
    )
    if skewed:
        true = f"CASE WHEN id % 10 < 3 THEN -1 ELSE {true} END"
        pred = f"CASE WHEN id % 10 < 3 AND id % 7 > 0 THEN -9000000000 ELSE {pred} END"
    out = []
    for side, cluster_of, number in (("true", true, "id"), ("pred", pred, f"(id * 48271 + 7) % {rows}")):
        path = str(folder / side)
        points = spark.range(rows).selectExpr(f"{number} AS id")
        points.selectExpr("id", f"CAST({cluster_of} AS BIGINT) AS cluster").write.mode("overwrite").parquet(
            path
        )
        out.append(spark.read.parquet(path))
    return out[0], out[1]


def of_jobs(log: Path) -> list[dict[str, Any]]:
    """The tasks that Spark has written down: CPU seconds, bytes shuffled and spilled, and when they ended."""
    found = []
    for file in sorted(log.glob("**/*")):
        if not file.is_file():
            continue
        for line in file.read_text(errors="replace").splitlines():
            if '"SparkListenerTaskEnd"' not in line:
                continue
            event = json.loads(line)
            metrics = event.get("Task Metrics") or {}
            found.append(
                {
                    "ended": event["Task Info"]["Finish Time"] / 1000,
                    "seconds": (event["Task Info"]["Finish Time"] - event["Task Info"]["Launch Time"]) / 1000,
                    "cpu": metrics.get("Executor CPU Time", 0) / 1e9,
                    "shuffled": metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0),
                    "spilled": metrics.get("Disk Bytes Spilled", 0),
                }
            )
    return found


def kept(spark: Any) -> int:
    """The bytes that Spark holds for others to come, in memory and on disk."""
    found = spark.sparkContext._jsc.sc().getRDDStorageInfo()
    return sum(int(rdd.memSize()) + int(rdd.diskSize()) for rdd in found)


def measure(spark: Any, pair: tuple[Any, Any]) -> dict[str, Any]:
    """Ask everything, and note when each answer came."""
    import clusterdiff as cd

    start = time.time()
    diff = cd.compare(*pair, point="id", cluster="cluster", budget=BUDGET)
    until: dict[str, Any] = {"answers": {}, "times": {}, "kept": {}, "start": start}
    for name, ask in QUESTIONS.items():
        until["answers"][name] = ask(diff)
        until["times"][name] = time.time()
        until["kept"][name] = kept(spark)
    until["where"] = diff.where
    return until


def main() -> None:
    """Print a line for each question of each run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="*", type=float, default=[1e5, 1e6])
    parser.add_argument("--shapes", nargs="*", default=["linked", "skewed"], choices=["linked", "skewed"])
    parser.add_argument("--master", help="a running cluster; it must see the folder")
    parser.add_argument("--memory", default="2g", help="of each of the two workers")
    parser.add_argument("--collect", type=float, default=1e4, help="edges that are finished on the driver")
    parser.add_argument("--project", type=float, help="rows to tell the cost of")
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--folder", help="where tables, shuffles and the event log go; removed at the end")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="clusterdiff-spark-", dir=options.folder) as name:
        folder = Path(name)
        if options.master:
            run(options, options.master, folder)
            return
        with cluster(folder, options.memory) as master:
            run(options, master, folder)


def run(options: argparse.Namespace, master: str, folder: Path) -> None:
    """All runs on one cluster."""
    from pyspark.sql import SparkSession

    from clusterdiff.tables.engines.native import Spark

    log = folder / "events"
    log.mkdir()
    builder = SparkSession.builder.master(master).appName("clusterdiff benchmark")
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": f"file://{log}",
        "spark.eventLog.compress": "false",
        "spark.driver.host": LOCAL,
        "spark.driver.bindAddress": LOCAL,
        "spark.executor.memory": f"{int(options.memory[:-1]) * 1000 - 400}m",
        "spark.sql.shuffle.partitions": str(options.partitions),
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.local.dir": str(folder),
    }.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    head = f"{'CPU s':>8} {'µs/row':>7} {'shuffled/row':>12} {'kept/row':>10} {'GB spilt':>8} {'longest':>8}"
    print(f"{'shape':>8} {'rows':>6} {'question':>11} {head}", flush=True)
    Spark.collect_below = int(options.collect)
    measure(spark, tables(spark, 10_000, "linked", folder))  # which compiles what every run uses
    costs: Costs = {}
    for shape in options.shapes:
        for rows in options.rows:
            asked = measure(spark, tables(spark, int(rows), shape, folder))
            time.sleep(2)  # until Spark has written down what it did
            told(shape, int(rows), asked, of_jobs(log), costs)
        predicted(shape, costs, options.project)
    spark.stop()


def told(shape: str, rows: int, asked: dict[str, Any], tasks: list[dict[str, Any]], costs: Costs) -> None:
    """The lines of one run."""
    before = asked["start"]
    for question, until in asked["times"].items():
        mine = [task for task in tasks if before < task["ended"] <= until]
        before = until
        cpu, shuffled, spilled = (sum(task[key] for task in mine) for key in ("cpu", "shuffled", "spilled"))
        longest = max((task["seconds"] for task in mine), default=0.0)
        held = asked["kept"][question]
        costs.setdefault((shape, question), []).append((rows, (cpu, shuffled, held)))
        figures = f"{cpu:>8.1f} {1e6 * cpu / rows:>7.2f} {shuffled / rows:>12.1f} {held / rows:>10.1f}"
        figures += f" {spilled / 1e9:>8.2f} {longest:>8.1f}"
        answer = f"{len(mine)} tasks, {asked['answers'][question]}, {asked['where']}"
        print(f"{shape:>8} {rows:>6.0e} {question:>11} {figures}  {answer}", flush=True)


def predicted(shape: str, costs: Costs, project: float | None) -> None:
    """What a straight line through smaller runs says of the largest, and one through these of more rows."""
    for question in QUESTIONS:
        runs = sorted(costs[shape, question])
        if len(runs) < 3 or not runs[-1][1][0]:  # what was computed with an earlier question costs nothing
            continue
        largest, found = runs[-1]
        guess = line(runs[-3], runs[-2], largest)
        parts = [
            f"{name} {g:.4g} for {f:.4g} ({g / f - 1:+.0%})"
            for name, g, f in zip(("CPU s", "bytes shuffled"), guess, found[:2], strict=True)
            if f
        ]
        print(f"{shape:>8} {largest:>6.0e} {question:>11} predicted: {', '.join(parts)}", flush=True)
        if project:
            cpu, shuffled = line(runs[-2], runs[-1], project)
            print(
                f"{shape:>8} {project:>6.0e} {question:>11} projected: {cpu / 3600:.1f} CPU h, "
                f"{shuffled / 1e12:.2f} TB shuffled, {found[2] * project / largest / 1e12:.2f} TB kept",
                flush=True,
            )


def line(one: Run, other: Run, rows: float) -> list[float]:
    """A straight line through the CPU time, and the bytes shuffled, of two runs, at a number of rows."""
    (n, a), (m, b) = one, other
    return [x + (y - x) * (rows - n) / (m - n) for x, y in zip(a[:2], b[:2], strict=True)]


if __name__ == "__main__":
    main()
