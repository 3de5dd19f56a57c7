"""How long releases take, beside their yardsticks: events, patch, three-way merge, history, and the command on files.

python benchmarks/releases.py [--records 1000000] [--files 1000000]

Every task runs in a process of its own, three times after a small one. Seconds are of CPU, the least of three; memory
is what the process holds at most beyond what it held with its inputs. Records are linked: about n/3 clusters, of which
a tenth is split and a tenth merged in the next release. For merges, one side moves a thousandth of the records, the
other a fiftieth. Files have text ids; both commands read the same two Parquet files.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from data import make

import clusterdiff as cd

LINKED = "k ≈ n/3, linked records"


def three(n: int) -> list[np.ndarray]:
    """A release, and two that were made from it."""
    rng = np.random.default_rng(0)
    base = rng.integers(0, n // 3, n)
    out = [base]
    for share in (0.001, 0.02):
        side = base.copy()
        moved = rng.random(n) < share
        side[moved] = n // 3 + rng.integers(0, n, int(moved.sum()))
        to = np.arange(side.max() + 1)
        united = rng.random(len(to)) < share
        to[united] = rng.integers(0, n // 3, int(united.sum()))
        out.append(to[side])
    return out


def named(n: int) -> list[Any]:
    """The same with text ids, each side in an order of its own."""
    rng = np.random.default_rng(1)
    names = np.array([f"r{i:08}" for i in range(n)], dtype=object)
    orders = [rng.permutation(n) for _ in range(3)]
    return [cd.Clustering(x[at], points=names[at].tolist()) for x, at in zip(three(n), orders, strict=True)]


def several(n: int) -> list[dict[str, int]]:
    """Fifteen releases, in each of which a fiftieth of the records moves."""
    rng = np.random.default_rng(2)
    labels, out = rng.integers(0, n // 3, n), []
    for _ in range(15):
        labels = np.where(rng.random(n) < 0.02, rng.integers(0, n // 3, n), labels)
        out.append({f"r{i:08}": label for i, label in enumerate(labels.tolist())})
    return out


TASKS: dict[str, tuple[Callable[[int], Any], Callable[[Any], Any]]] = {
    "score": (lambda n: make(LINKED, n), lambda x: cd.score(*x)),
    "events": (lambda n: make(LINKED, n), lambda x: cd.compare(*x).events),
    "patch": (lambda n: make(LINKED, n), lambda x: cd.patch(*x).to_json()),
    "merge": (three, lambda x: cd.merge(*x, prefer="ours").clustering),
    "merge, text ids": (named, lambda x: cd.merge(*x, prefer="ours").clustering),
    "history": (several, lambda x: (cd.history(x).events, cd.history(x).statistics)),
}


def measure(task: str, n: int) -> tuple[float, float]:
    """CPU seconds and MB of a task, in this process."""
    prepare, run = TASKS[task]
    run(prepare(1000))
    data = prepare(n)
    before, best = resident(), float("inf")
    for _ in range(3):
        start = time.process_time()
        run(data)
        best = min(best, time.process_time() - start)
    return best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before


def resident() -> float:
    """How many MB this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def command(*arguments: str) -> float:
    """CPU seconds of a command, the least of two runs."""
    best = float("inf")
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "clusterdiff", *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def files(n: int) -> None:
    """The command on two files with text ids: a comparison, and one that also writes a crosswalk."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    with tempfile.TemporaryDirectory() as folder:
        ids = np.char.add("r", np.arange(n).astype("U"))
        paths = [str(Path(folder) / name) for name in ("old.parquet", "new.parquet")]
        for path, labels in zip(paths, make(LINKED, n), strict=True):
            at = np.random.default_rng(len(path)).permutation(n)
            pq.write_table(pa.table({"id": ids[at], "cluster": labels[at]}), path)
        plain = command("compare", *paths)
        print(f"compare of files     {n:>10,}  {plain:7.2f} s")
        crosswalk = f"crosswalk={os.path.join(folder, 'crosswalk.csv')}"
        told = command("compare", "--old", paths[0], "--new", paths[1], "--write", crosswalk)
        print(f"events and crosswalk {n:>10,}  {told:7.2f} s  {told / plain:5.1f} × the comparison")


def main() -> None:
    """Print a line per task."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--task", choices=TASKS, help="measure one task in this process")
    args = parser.parse_args()
    if args.task:
        print(*measure(args.task, args.records))
        return
    score = 0.0
    for task in TASKS:
        n = 133_541 if task == "history" else args.records
        call = [sys.executable, __file__, "--task", task, "--records", str(n)]
        seconds, memory = map(
            float, subprocess.run(call, check=True, capture_output=True, text=True).stdout.split()
        )
        score = score or seconds
        beside = f"{seconds / score:5.1f} × the score" if task in ("events", "patch") else ""
        held = f"{memory:7,.0f} MB  {memory * 2**20 / n:5.0f} bytes per record"
        print(f"{task:20} {n:>10,}  {seconds:7.2f} s  {held}  {beside}")
    files(args.files)


if __name__ == "__main__":
    main()
