"""How long judgements take: read, judge and apply 100,000 of them to a million records.

python benchmarks/judgements.py [--records 1000000] [--judgements 100000]

Times are seconds of CPU. First, half of the pairs are neighbours in a cluster of the run, half in a true cluster, of
which one record in twenty is elsewhere in the run. Then matches are of random records, and non-matches of neighbours in
a cluster: one cluster in three is torn, or joined with another. Last, each judgement has two or three groups, of six
random records in all, and nearly all clusters change.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
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


Said = list[dict[str, Any]]


def linked(names: list[str], cluster: np.ndarray, k: int, rng: np.random.Generator) -> Said:
    """Pairs of records that were linked, or should have been."""
    n = len(names)
    true = np.where(rng.random(n) < 0.05, rng.integers(0, n // 4, n), cluster)
    orders = np.argsort(cluster, kind="stable"), np.argsort(true, kind="stable")
    said = []
    for i, at in enumerate(rng.integers(0, n - 1, k).tolist()):
        p, q = orders[i % 2][at : at + 2].tolist()
        said.append({"groups": [[names[p], names[q]]] if true[p] == true[q] else [[names[p]], [names[q]]]})
    return said


def random_pairs(names: list[str], cluster: np.ndarray, k: int, rng: np.random.Generator) -> Said:
    """Matches of random records, and non-matches of neighbours in a cluster."""
    order, drawn = np.argsort(cluster, kind="stable"), rng.permutation(len(names)).tolist()
    said: Said = []
    for i, at in enumerate(rng.integers(0, len(names) - 1, k).tolist()):
        p, q = drawn[2 * i : 2 * i + 2] if i % 2 else order[at : at + 2].tolist()
        said.append({"groups": [[names[p], names[q]]] if i % 2 else [[names[p]], [names[q]]]})
    return said


def random_groups(names: list[str], cluster: np.ndarray, k: int, rng: np.random.Generator) -> Said:
    """Six random records each, in two or three groups."""
    drawn = [names[i] for i in rng.permutation(len(names))[: 6 * k].tolist()]
    cuts = (0, 2, 6), (0, 3, 5, 6)
    return [
        {"groups": [drawn[6 * i + a : 6 * i + b] for a, b in pairwise(cuts[i % 2])]}
        for i in range(len(drawn) // 6)
    ]


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
    names = [f"r{i}" for i in range(n)]
    run = cd.Clustering(cluster.tolist(), points=names)
    for kind in (linked, random_pairs, random_groups):
        print(kind.__doc__)
        said = [
            one | {"id": str(i), "by": "ann", "at": f"2026-01-{i % 28 + 1:02}"}
            for i, one in enumerate(kind(names, cluster, args.judgements, rng))
        ]
        with tempfile.TemporaryDirectory() as folder:
            cd.Judgements(said).write(Path(folder) / "judgements.jsonl")
            judgements = timed(
                "read", lambda path=folder: cd.Judgements.read(Path(path) / "judgements.jsonl")
            )
        timed("contradict", lambda said=judgements: len(said.contradictions))
        timed("judge", lambda said=judgements: said.judge(run))
        fixed = timed("apply", lambda said=judgements: said.apply(run))
        assert judgements.judge(fixed).violated == 0


if __name__ == "__main__":
    main()
