"""What comparisons cost on a Spark cluster: executors' CPU time and shuffled bytes per row, at growing sizes.

    python benchmarks/spark.py --rows 1e5 1e6 1e7
    python benchmarks/spark.py --rows 1e6 --shapes linked skewed --master spark://host:7077

Without `--master`, a master and two workers of one core each are started on loopback. The tables have the shape of
linked records: true clusters of three points, a tenth of them split and a tenth merged in pairs; `skewed` has one
cluster with 30 % of the points besides. Everything is asked for with a budget of 1 MB, so that the cells stay in Spark.
Figures are those of Spark's own event log, summed over the tasks of each question.
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


def measure(pair: tuple[Any, Any]) -> dict[str, Any]:
    """Ask everything, and note when each answer came."""
    import clusterdiff as cd

    start = time.time()
    diff = cd.compare(*pair, point="id", cluster="cluster", budget=BUDGET)
    until: dict[str, Any] = {"answers": {}, "times": {}, "start": start}
    for name, ask in QUESTIONS.items():
        until["answers"][name] = ask(diff)
        until["times"][name] = time.time()
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
    head = f"{'CPU s':>8} {'µs/row':>7} {'bytes/row':>12} {'GB spilt':>8} {'longest':>8}"
    print(f"{'shape':>8} {'rows':>6} {'question':>11} {head}", flush=True)
    measure(tables(spark, 10_000, "linked", folder))  # which compiles what every run uses
    for rows in options.rows:
        for shape in options.shapes:
            asked = measure(tables(spark, int(rows), shape, folder))
            time.sleep(2)  # until Spark has written down what it did
            told(shape, int(rows), asked, of_jobs(log))
    spark.stop()


def told(shape: str, rows: int, asked: dict[str, Any], tasks: list[dict[str, Any]]) -> None:
    """The lines of one run."""
    before = asked["start"]
    for question, until in asked["times"].items():
        mine = [task for task in tasks if before < task["ended"] <= until]
        before = until
        cpu, shuffled, spilled = (sum(task[key] for task in mine) for key in ("cpu", "shuffled", "spilled"))
        longest = max((task["seconds"] for task in mine), default=0.0)
        figures = f"{cpu:>8.1f} {1e6 * cpu / rows:>7.2f} {shuffled / rows:>12.1f} {spilled / 1e9:>8.2f} {longest:>8.1f}"
        answer = f"{len(mine)} tasks, {asked['answers'][question]}, {asked['where']}"
        print(f"{shape:>8} {rows:>6.0e} {question:>11} {figures}  {answer}", flush=True)


if __name__ == "__main__":
    main()
