"""A real Spark cluster: a master and two workers on loopback, one of which dies in the middle of a run."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.cli import main
from tests.engines.conftest import JAVA, need_java, started
from tests.engines.test_pipeline import data, shuffled
from tests.waiting import Output

pyspark = pytest.importorskip("pyspark")
pa = pytest.importorskip("pyarrow")
# pyspark 4.3 warns about pandas 3 whenever it converts a table.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

LOCAL = "127.0.0.1"
#: For the master and the workers; executors inherit it.
ENVIRONMENT = os.environ | {"JAVA_TOOL_OPTIONS": JAVA, "SPARK_LOCAL_IP": LOCAL}


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
        environment = ENVIRONMENT | {
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
    need_java()
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


@pytest.fixture
def java(spark: Any) -> None:
    """A Java machine that plans quickly, because others have planned in it, and no session."""
    spark.stop()


def test_a_worker_that_dies_in_the_middle_changes_nothing(
    java: None, cluster: Cluster, files: tuple[Path, Any]
) -> None:
    """With half of the cached meet gone, the rest of the run recomputes it and gives the same numbers."""
    folder, expected = files
    session = started(
        cluster.master,
        {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "1",
            "spark.cores.max": "2",
            "spark.sql.shuffle.partitions": "2",
            "spark.scheduler.minRegisteredResourcesRatio": "1.0",
            # notice soon that a worker is gone
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "200ms",
        },
    )
    try:
        tables = [session.read.parquet(str(folder / f"{side}.parquet")) for side in ("true", "pred")]
        diff = cd.compare(*tables, point="id", budget=0)
        assert diff.n == expected.n
        workers = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
        assert workers == 2
        cluster.kill(2)
        assert diff.where == "engine"
        assert diff.score() == pytest.approx(expected.score(), abs=1e-9)
        assert diff.loss == pytest.approx(expected.loss, abs=1e-9)
    finally:
        session.stop()


def test_the_shell_runs_on_the_cluster(
    java: None, cluster: Cluster, files: tuple[Path, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    """`clusterdiff compare --engine spark --master …` prints what the core would."""
    folder, expected = files
    sides = [str(folder / f"{side}.parquet") for side in ("true", "pred")]
    with pytest.raises(SystemExit, match="0"):
        main(
            [
                "compare",
                *sides,
                "--json",
                "--measures",
                "S_H",
                "--engine",
                "spark",
                "--master",
                cluster.master,
            ]
        )
    got = json.loads(capsys.readouterr().out)
    assert got["scores"]["S_H"] == pytest.approx(expected.score(), abs=1e-9)
    assert got["kinds"] == expected.kinds
