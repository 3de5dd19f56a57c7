"""What it costs to know what everything is worth: gains by component and cluster, and repairs, in several measures.

python benchmarks/gains.py

Seconds of processor time over all threads, which depend little on what else the machine does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.diff.gains import BY
from clusterdiff.wording import count

MEASURES = ("S_H", "ari", "vi", "nmi", "b3.f1", "element_centric")


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """How long it took, and what it returned."""
    start = time.process_time()
    found = run()
    return time.process_time() - start, found


def linked(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Records linked in threes: a twentieth of them astray in other clusters, and a twentieth alone."""
    rng = np.random.default_rng(1)
    true = np.arange(n) // 3
    pred = true.copy()
    astray, alone = np.split(rng.choice(n, n // 10, replace=False), 2)
    pred[astray] = true[rng.permutation(astray)]
    pred[alone] = n + np.arange(len(alone))
    return true, pred


def unlike(components: int) -> tuple[np.ndarray, np.ndarray]:
    """Components of 2 to 59 points, in which two true clusters were broken into four: hardly any two are alike."""
    rng = np.random.default_rng(0)
    of = np.repeat(np.arange(components), rng.integers(2, 60, components))
    return 2 * of + (rng.random(len(of)) < 0.3), 4 * of + rng.integers(0, 4, len(of))


def entangled(clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """One component: two points in five went to any of the clusters."""
    rng = np.random.default_rng(2)
    true = rng.integers(0, clusters, 40 * clusters)
    return true, np.where(rng.random(len(true)) < 0.4, rng.integers(0, clusters, len(true)), true)


def main() -> None:
    """Print a line for each case."""
    for what, (true, pred) in {
        "10^6 linked records": linked(10**6),
        "10^5 components, hardly any two alike": unlike(10**5),
        "one component of 5,000 clusters": entangled(5_000),
    }.items():
        diff = cd.compare(true, pred)
        wrong = sum(diff.kinds.values()) - diff.kinds["same"]
        lost = diff.loss.total
        print(f"{what}: {diff.n:,} points, {count(wrong, 'component')} not the same, {lost:.4f} of S_H lost")
        print(f"{'':18}{'   '.join(f'{name:>17}' for name in (*BY.values(), 'repair'))}")
        for measure in MEASURES:
            took = [timed(lambda d=diff, m=measure, b=by: d.gains(m, b)) for by in BY]
            took.append(timed(lambda d=diff, m=measure: d.repairs(m)))
            told = (f"{len(found):>9,} {seconds:5.2f} s" for seconds, found in took)
            print(f"  {measure:<16}{'   '.join(told)}")
        seconds, steps = timed(lambda d=diff: d.repairs().sequence)
        print(f"  sequence of S_H {len(steps):>9,} {seconds:5.2f} s")


if __name__ == "__main__":
    main()
