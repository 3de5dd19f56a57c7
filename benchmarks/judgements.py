"""How long judgements take: read, judge and apply 100,000 judged pairs to a million records.

python benchmarks/judgements.py [--records 1000000] [--judgements 100000]

Times are seconds of CPU. Half of the pairs are neighbours in a cluster of the run, half in a true cluster, of which one
record in twenty is elsewhere in the run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import clusterdiff as cd


def timed(what: str, call: Callable[[], Any]) -> Any:
    """Call something, and print how long it took."""
    start = time.process_time()
    found = call()
    print(f"{what:12} {time.process_time() - start:6.2f} s  {found}")
    return found


def main() -> None:
    """Print a line per task."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--judgements", type=int, default=100_000)
    args = parser.parse_args()
    n, rng = args.records, np.random.default_rng(0)
    cluster = rng.integers(0, n // 4, n)
    true = np.where(rng.random(n) < 0.05, rng.integers(0, n // 4, n), cluster)
    names = [f"r{i}" for i in range(n)]
    run = cd.Clustering(cluster.tolist(), points=names)
    orders = np.argsort(cluster, kind="stable"), np.argsort(true, kind="stable")
    said = []
    for i, at in enumerate(rng.integers(0, n - 1, args.judgements).tolist()):
        p, q = orders[i % 2][at : at + 2].tolist()
        groups = [[names[p], names[q]]] if true[p] == true[q] else [[names[p]], [names[q]]]
        said.append({"id": str(i), "groups": groups, "by": "ann", "at": f"2026-01-{i % 28 + 1:02}"})
    with tempfile.TemporaryDirectory() as folder:
        cd.Judgements(said).write(Path(folder) / "judgements.jsonl")
        judgements = timed("read", lambda: cd.Judgements.read(Path(folder) / "judgements.jsonl"))
    timed("contradict", lambda: len(judgements.contradictions))
    timed("judge", lambda: judgements.judge(run))
    fixed = timed("apply", lambda: judgements.apply(run))
    assert judgements.judge(fixed).violated == 0


if __name__ == "__main__":
    main()
