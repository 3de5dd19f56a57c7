"""How often intervals cover what they should: samples of clusters from large universes, 95 % intervals.

python benchmarks/coverage.py [--samples 1000]

A universe has clusters of one shape, of which a share of the points went astray: alone, or to a neighbouring cluster.
A sample draws clusters from it, makes an interval of S_H for them by the percentile bootstrap, and covers if the S_H of
the whole universe lies inside. "Counts like" is the median number of equally important units that the samples count
like; below 15 an interval comes with a notice.
"""

from __future__ import annotations

import argparse

import numpy as np

import clusterdiff as cd
from clusterdiff.diff.interval import effective
from clusterdiff.diff.resampling import bootstrap
from clusterdiff.diff.statistic import Statistic, kept_share, statistic
from clusterdiff.diff.units import units_of
from clusterdiff.measures import resolve

SHAPES = ("linked records", "tens of points", "heavy tail")
ERRORS = (0.02, 0.1)
DRAWN = (10, 30, 100, 300, 1000)


def sizes(shape: str, rng: np.random.Generator) -> np.ndarray:
    """How large the clusters of a universe are."""
    if shape == "linked records":
        return 1 + rng.geometric(0.4, 60_000)
    if shape == "tens of points":
        return 1 + rng.poisson(20, 12_000)
    return np.minimum(1 + 2 * rng.pareto(1.5, 60_000), 2_000).astype(np.int64)


def universe(shape: str, errors: float, rng: np.random.Generator) -> np.ndarray:
    """What each true cluster keeps of S_H, and its size."""
    each = sizes(shape, rng)
    true = np.repeat(np.arange(len(each)), each)
    astray, alone = rng.random(len(true)) < errors, rng.random(len(true)) < 0.5
    pred = np.where(astray & ~alone, (true + rng.integers(1, 3, len(true))) % len(each), true)
    pred[astray & alone] = len(each) + np.arange(np.count_nonzero(astray & alone))
    meet = cd.compare(true, pred).meet
    return statistic(meet, resolve("S_H"), units_of(meet, "true")).sums


def main() -> None:
    """Print a table: a row per universe, a column per number of clusters drawn."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    samples = parser.parse_args().samples
    print(f"| clusters | astray | S_H | {' | '.join(f'{k:,} drawn' for k in DRAWN)} |")
    print(f"| --- | ---: | ---: |{' ---: |' * len(DRAWN)}")
    for shape in SHAPES:
        for errors in ERRORS:
            rng = np.random.default_rng([SHAPES.index(shape), int(100 * errors)])
            sums = universe(shape, errors, rng)
            value = kept_share(sums.sum(axis=0, keepdims=True))[0]
            cells = []
            for k in DRAWN:
                covered, counts = 0, []
                for seed in range(samples):
                    sample = sums[rng.integers(0, len(sums), k)]
                    low, high = np.quantile(kept_share(bootstrap(sample, 500, seed)), [0.025, 0.975])
                    covered += low <= value <= high
                    counts.append(effective(Statistic(tuple(sample.T), kept_share)))
                cells.append(f"{covered / samples:.1%} ({np.median(counts):.0f})")
            print(f"| {shape} | {errors:.0%} | {value:.3f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
