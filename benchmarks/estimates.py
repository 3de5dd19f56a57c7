"""How often intervals from a sample of the truth hold the value of the whole, and how long an estimate takes.

python benchmarks/estimates.py [--samples 1000] [--only "mild tail"] [--records 10000000] [--seed 0]

Populations are made: clusters of some shape, of which a share of the points went astray, alone or to another cluster. A
cell is a population, a design, a number of draws and a measure; it counts if fewer than a tenth of its samples come
with a warning for it. The last line times 1,000 draws against a run of many records. The command exits with 1 if fewer
than 95 of 100 cells of all populations hold in 93% to 97% of the samples.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.diff.interval import Resampling
from clusterdiff.judgements.resolved import estimate_clusters, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import Sample

SHAPES = {
    "linked records": lambda rng, n: 1 + rng.geometric(0.4, n),
    "tens of points": lambda rng, n: 1 + rng.poisson(12, n),
    "mild tail": lambda rng, n: np.minimum(rng.zipf(3.0, n), 60),
}
MEASURES = [
    "pairs.precision",
    "pairs.recall",
    "pairs.f1",
    "b3.precision",
    "b3.recall",
    "b3.f1",
    "clusters.recall",
]


def population(shape: str, errors: float, seed: int, n: int = 30_000) -> tuple[Any, Any]:
    """True and predicted labels."""
    rng = np.random.default_rng([list(SHAPES).index(shape), int(100 * errors), seed])
    true = np.repeat(np.arange(n), SHAPES[shape](rng, n))[:n]
    astray, alone = rng.random(n) < errors, rng.random(n) < 0.5
    pred = np.where(astray & ~alone, np.roll(true, 17), true)
    pred[astray & alone] = n + np.arange(np.count_nonzero(astray & alone))
    return true, pred


def laid(drawn: Any, every: list[Any], run: Indexed) -> Sample:
    """Drawn clusters over a run, as `cd.estimate` lays them, without reading names a thousand times."""
    sizes = np.array([len(every[i]) for i in drawn.tolist()])
    place = np.concatenate([every[i] for i in drawn.tolist()])
    draw = np.repeat(np.arange(len(drawn)), sizes)
    k = len(run.sizes)
    keys, m = np.unique(draw * k + run.cluster[place], return_counts=True)
    cells = (keys // k, keys % k, m.astype(float))
    kept = np.arange(len(drawn))
    return Sample(
        sizes.astype(float), *cells, drawn, run.sizes, run.histogram, 0, place, draw, kept, len(drawn)
    )


def main() -> None:
    """Print a line per population, design and number of draws; then how many cells hold, and the time."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--only", choices=list(SHAPES))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--records", type=int, default=10_000_000)
    args = parser.parse_args()
    cells: list[float] = []
    for shape in SHAPES if args.only is None else [args.only]:
        for errors in (0.05, 0.15):
            true, pred = population(shape, errors, args.seed)
            whole = cd.compare(true, pred).scores(MEASURES)
            run = Indexed(pred)
            order = np.argsort(true, kind="stable")
            every = np.split(order, np.flatnonzero(np.diff(true[order])) + 1)
            for design in ("clusters", "points"):
                for k in (100, 300):
                    rng = np.random.default_rng([k, design == "points", args.seed])
                    held, warned = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
                    for _ in range(args.samples):
                        if design == "clusters":
                            drawn = rng.choice(len(every), k, replace=False)
                        else:
                            drawn = true[rng.integers(0, len(true), k)]
                        sample = laid(drawn, every, run)
                        weights = weigh(sample, design, None, None)
                        by_points = design == "points"
                        found, warnings = estimate_clusters(
                            sample, weights, MEASURES, Resampling(), by_points
                        )
                        about = {name for said in warnings for name in said.partition(":")[0].split(", ")}
                        for name in MEASURES:
                            one = found[name]
                            held[name] += one.low is not None and one.low <= whole[name] <= one.high
                            warned[name] += name in about
                    quiet = [name for name in MEASURES if warned[name] < args.samples / 10]
                    cells += [held[name] / args.samples for name in quiet]
                    told = ", ".join(f"{name} {held[name] / args.samples:.3f}" for name in quiet)
                    print(f"{shape}, {errors:.0%} astray, {k} by {design}: {told}", flush=True)
    share = np.array(cells)
    inside = int(((share >= 0.93) & (share <= 0.97)).sum())
    print(
        f"{inside} of {len(cells)} cells without a warning in 93% to 97%, "
        f"least {share.min():.3f}, greatest {share.max():.3f}"
    )
    n = args.records
    rng = np.random.default_rng(0)
    pred = rng.integers(0, n // 3, n)
    start = time.perf_counter()
    thousand = [[7 * i, 7 * i + 1] for i in range(1000)]
    cd.estimate(thousand, pred, design="points")
    print(f"1,000 draws against {n:,} records: {time.perf_counter() - start:.2f} s")
    if args.only is None and inside < 0.95 * len(cells):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
