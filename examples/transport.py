"""What comparing clusterings in space costs: cdistance (optimal transport) against S_MSE, measured.

python examples/transport.py [picture.png]    (needs POT, and matplotlib for the picture)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np
import numpy.typing as npt

import clusterdiff as cd

SIZES = {"cdistance": (250, 500, 1000, 2000, 4000, 8000), "S_MSE": (1000, 10_000, 100_000, 1_000_000)}
CLUSTERS, DIMENSIONS = 10, 8


def data(n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Points about ten centres, and a prediction with a fifth of the points misplaced."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, CLUSTERS, n)
    pred = np.where(rng.random(n) < 0.2, rng.integers(0, CLUSTERS, n), true)
    features = rng.normal(size=(CLUSTERS, DIMENSIONS))[true] * 3 + rng.normal(size=(n, DIMENSIONS))
    return true, pred, features


def seconds(function: Callable[[], object], rounds: int = 3) -> float:
    """The shortest of a few runs."""
    taken = []
    for _ in range(rounds):
        start = perf_counter()
        function()
        taken.append(perf_counter() - start)
    return min(taken)


def scored(true: object, pred: object, features: object, name: str) -> float:
    """One score, from labels and features."""
    return cd.compare(true, pred, features=features).score(name)


def measure() -> dict[str, tuple[list[int], list[float]]]:
    """Seconds from labels and features to the score, for each n."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for name, sizes in SIZES.items():
        taken = []
        for n in sizes:
            true, pred, features = data(n)
            taken.append(seconds(partial(scored, true, pred, features, name)))
        found[name] = (list(sizes), taken)
    return found


def slope(n: list[int], taken: list[float]) -> float:
    """The exponent of n that fits the last three times."""
    return float(np.polyfit(np.log(n[-3:]), np.log(taken[-3:]), 1)[0])


def main() -> None:
    """Print the times, and draw them if a file is named."""
    found = measure()
    print("| measure | " + " | ".join("n: seconds" for _ in range(6)) + " | exponent |")
    print("| --- |" + " --- |" * 7)
    for name, (n, taken) in found.items():
        cells = [f"{size:,}: {t:.2g}" for size, t in zip(n, taken, strict=True)]
        print(f"| {name} | " + " | ".join(cells + [""] * (6 - len(cells))) + f" | {slope(n, taken):.2f} |")
    if len(sys.argv) > 1:
        import matplotlib.pyplot as plt

        figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
        for (name, (n, taken)), colour in zip(found.items(), ("#D55E00", "#0072B2"), strict=True):
            ax.loglog(n, taken, "o-", color=colour)
            ax.annotate(f"{name}, n^{slope(n, taken):.1f}", (n[-1], taken[-1]), (-6, 6), textcoords="offset points",
                        ha="right", color=colour)  # fmt: skip
        ax.set_xlabel("points")
        ax.set_ylabel("seconds")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        figure.savefig(sys.argv[1], dpi=110)


if __name__ == "__main__":
    main()
