"""What ranking and intervals cost: many predictions, and intervals over many clusters.

python benchmarks/ranking.py

Seconds as a clock shows them, and of processor time over all threads, which depend less on what else the machine does.
Of intervals also the memory that they take beyond the comparison's (on Linux).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import clusterdiff as cd


def timed(run: Callable[[], Any]) -> tuple[str, Any]:
    """How long it took, and what it returned."""
    start, used = time.perf_counter(), time.process_time()
    found = run()
    return f"{time.perf_counter() - start:6.2f} s {time.process_time() - used:9.2f} s", found


def status(key: str) -> int:
    """A line of what Linux knows about this process, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(key))
    return 1024 * int(line.split()[1])


def blurred(true: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A prediction in which this share of the points went to any cluster."""
    return np.where(rng.random(len(true)) < share, rng.integers(0, true.max() + 1, len(true)), true)


def main() -> None:
    """Print a line for each case."""
    warnings.simplefilter("ignore")
    print(f"{'clock':>68} {'processor':>11}")
    rng = np.random.default_rng(0)
    for k in (10, 100, 1_000):
        true = rng.integers(0, k, 10_000)
        preds = {str(i): blurred(true, 0.1, rng) for i in range(10_000)}
        seconds, found = timed(lambda t=true, p=preds: cd.rank(t, p))
        print(f"10^4 predictions of 10^4 points, {k:>5,} clusters          {seconds}", flush=True)
        seconds, _ = timed(lambda f=found: repr(f))
        print(f"  … its table as text, with intervals and tests          {seconds}", flush=True)
    for what, sizes in (
        ("linked records, which repeat", 1 + rng.geometric(0.4, 1_000_000)),
        ("20 to 59 points, none alike ", rng.integers(20, 60, 1_000_000)),
    ):
        true = np.repeat(np.arange(len(sizes)), sizes)
        diff = cd.compare(true, blurred(true, 0.05, rng))
        del true
        before = status("VmRSS")
        Path("/proc/self/clear_refs").write_text("5")
        seconds, _ = timed(lambda d=diff: d.interval())
        print(f"interval of 10^6 clusters, {what}  {seconds}", flush=True)
        print(f"  … and at most {(status('VmHWM') - before) / 1e6:,.0f} MB")


if __name__ == "__main__":
    main()
