"""A real Spark cluster: a master and two workers on loopback, one of which dies in the middle of a run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from tests.engines.test_pipeline import data, shuffled
from tests.waiting import HANGS, Output

pyspark = pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.skipif(
    shutil.which("java") is None and "JAVA_HOME" not in os.environ,
    reason="NO JAVA: Spark's cluster is not tested on this machine; install Java 17 to test it",
)

LOCAL = "127.0.0.1"
#: Eight virtual machines start here and soon end: thorough compilers and collectors do not pay. Executors inherit it.
JAVA = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC", "SPARK_LOCAL_IP": LOCAL}
#: Groups the points, waits for a line, then computes the scores from the meet in the cluster.
DRIVER = """
import json, sys, warnings
warnings.simplefilter("ignore")
import clusterdiff as cd
from pyspark.sql import SparkSession
master, folder = sys.argv[1:]
builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false").config("spark.log.level", "OFF")
for key, value in {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "512m",
    "spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.sql.shuffle.partitions": "2",
    "spark.ui.showConsoleProgress": "false", "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.cores.max": "2", "spark.sql.codegen.wholeStage": "false", "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.python.sql.dataFrameDebugging.enabled": "false",
    # notice soon that a worker is gone
    "spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "200ms",
}.items():
    builder = builder.config(key, value)
session = builder.getOrCreate()
tables = [session.read.parquet(f"{folder}/{side}.parquet") for side in ("true", "pred")]
diff = cd.compare(*tables, point="id", budget=0)
executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print(json.dumps({"grouped": diff.n, "executors": executors}), flush=True)
sys.stdin.readline()
out = {"scores": diff.scores(["S_H", "R", "vi"]), "loss": diff.loss, "where": diff.where}
print(json.dumps(out), flush=True)
session.stop()
"""


def free_port() -> int:
    """A port that nobody listens to."""
    with socket.socket() as s:
        s.bind((LOCAL, 0))
        return int(s.getsockname()[1])


class Cluster:
    """Spark's own scripts, without the daemons' wrappers that pip does not install."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.master = f"spark://{LOCAL}:{self.port}"
        self.processes: list[subprocess.Popen[str]] = []
        web = str(free_port())
        master = self._start("master.Master", "--host", LOCAL, "--port", str(self.port), "--webui-port", web)
        master.until("New state: ALIVE")
        workers = []
        for _ in range(2):
            work = ["--work-dir", str(folder / "work"), "--webui-port", str(free_port())]
            options = ["--host", LOCAL, "--cores", "1", "--memory", "1g", *work]
            workers.append(self._start("worker.Worker", *options, self.master))
        for worker in workers:
            worker.until("Successfully registered with master")

    def _start(self, name: str, *arguments: str) -> Output:
        home = Path(pyspark.__file__).parent
        environment = JAVA | {
            "SPARK_HOME": str(home),
            "SPARK_DAEMON_MEMORY": "256m",
        }
        environment["SPARK_LOCAL_DIRS"] = str(self.folder)
        command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
        # a session of its own, so that a worker can be ended together with the executor it started
        started = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.processes.append(started)
        assert started.stdout is not None
        return Output(started.stdout)

    def kill(self, number: int) -> None:
        """End a process and its children at once."""
        os.killpg(self.processes[number].pid, signal.SIGKILL)
        self.processes[number].wait()

    def stop(self) -> None:
        """End what is left."""
        for number, process in enumerate(self.processes):
            if process.poll() is None:
                self.kill(number)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster for this module."""
    made = Cluster(tmp_path_factory.mktemp("spark"))
    yield made
    made.stop()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """Two Parquet files, and what the core says about them."""
    from pyarrow import parquet

    folder = tmp_path_factory.mktemp("tables")
    points, true, pred = data(2000, 300)
    parquet.write_table(pa.table({"id": points, "cluster": true}), folder / "true.parquet")
    parquet.write_table(pa.table(shuffled({"id": points, "cluster": pred})), folder / "pred.parquet")
    return folder, cd.compare(true, pred)


def test_a_worker_that_dies_in_the_middle_changes_nothing(cluster: Cluster, files: tuple[Path, Any]) -> None:
    """With half of the cached meet gone, the rest of the run computes it anew and gives the same numbers."""
    folder, expected = files
    command = [sys.executable, "-c", DRIVER, cluster.master, str(folder)]
    driver = subprocess.Popen(command, env=JAVA, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert driver.stdin is not None
    assert driver.stdout is not None
    said = Output(driver.stdout)
    try:
        halfway = json.loads(said.line())
        assert halfway == {"grouped": expected.n, "executors": 2}
        cluster.kill(2)
        driver.stdin.write("\n")
        driver.stdin.close()
        got = json.loads(said.line())
        said.end()
        assert driver.wait(HANGS) == 0
    finally:
        driver.kill()
        driver.wait()
    assert got["where"] == "engine"
    assert got["scores"] == pytest.approx(expected.scores(["S_H", "R", "vi"]), abs=1e-9)
    assert got["loss"] == pytest.approx(list(expected.loss), abs=1e-9)


def test_the_shell_runs_on_the_cluster(cluster: Cluster, files: tuple[Path, Any]) -> None:
    """`clusterdiff compare --engine spark --master …` prints what the core would."""
    folder, expected = files
    script = "import warnings; warnings.simplefilter('ignore'); from clusterdiff_command import main; main()"
    arguments = [
        "compare",
        str(folder / "true.parquet"),
        str(folder / "pred.parquet"),
        "--json",
        "--measures",
        "S_H",
    ]
    settings = {
        "spark.ui.enabled": "false", "spark.executor.memory": "512m", "spark.driver.host": LOCAL,
        "spark.sql.shuffle.partitions": "2", "spark.cores.max": "1", "spark.sql.adaptive.enabled": "false",
        "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }  # fmt: skip
    submit = " ".join(f"--conf {key}={value}" for key, value in settings.items())
    run = subprocess.run(
        [sys.executable, "-c", script, *arguments, "--engine", "spark", "--master", cluster.master],
        env=JAVA | {"PYSPARK_SUBMIT_ARGS": f"{submit} pyspark-shell"},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    got = json.loads(run.stdout)
    assert got["scores"]["S_H"] == pytest.approx(expected.score(), abs=1e-9)
    assert got["kinds"] == expected.kinds
