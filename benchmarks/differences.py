"""How often intervals of a judged difference hold the difference itself, from blind reviews of changed components.

python benchmarks/differences.py [--samples 1000] [--seed 0]

Populations are made: a truth, an old run of it with errors, and a new run that sets some right and makes others. A cell
is a population, a number of reviewed components and an estimand; those that would come with a warning are left out:
fewer than 10 drawn components on the rarer side of a share, in a tenth of the samples or more, and fewer than 200
changed components. The command exits with 1 if fewer than 92 of 100 cells hold in 93% to 97% of the samples, or one in
less than 87%.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.judgements.changed import KINDS, changed_components
from clusterdiff.judgements.contributions import contributions
from clusterdiff.judgements.difference import RARE
from clusterdiff.judgements.drawing import probabilities
from clusterdiff.judgements.review import versions
from clusterdiff.judgements.totals import Answered

TOTALS = ("true_pairs", "wrong_pairs", "b3.precision", "b3.recall", "vi", "S_H, cut", "point_f", "exact")
#: What is above and below the line of each share, and the totals that are rough where it is.
SHARES = {
    "improved": ("better", None, TOTALS),
    "new right": ("new right", None, ()),
    "improved splits": ("better", "split", ()),
    "improved merges": ("better", "merge", ()),
    "improved rearrangements": ("better", "rearranged", ()),
    "joined right": ("joined right", "joined", ("true_pairs", "wrong_pairs")),
    "parted right": ("parted right", "torn", ("true_pairs", "wrong_pairs")),
}


def runs(tail: float, errors: float, seed: int, n: int = 30_000) -> tuple[Any, Any, Any]:
    """A truth, an old run and a new one."""
    rng = np.random.default_rng([int(10 * tail), int(1000 * errors), seed])
    true = np.repeat(np.arange(n), 1 + np.minimum(rng.zipf(tail, n), 100))[:n]

    def spoiled(labels: Any, rate: float) -> Any:
        out = labels.copy()
        alone = rng.random(n) < rate
        out[alone] = 10 * n + rng.integers(0, 10 * n, int(alone.sum()))
        merged = rng.random(true.max() + 1) < rate
        target = rng.integers(0, true.max() + 1, true.max() + 1)
        near = out < n
        out[near] = np.where(merged[out[near]], target[out[near]], out[near])
        return out

    old = spoiled(true, errors)
    right = rng.random(true.max() + 1) < 0.5
    return true, old, np.where(right[true], spoiled(true, errors / 3), old)


def main() -> None:
    """Print a line per population and number of reviews, and how many cells hold."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    samples, seed = args.samples, args.seed
    cells: list[float] = []
    for tail in (2.2, 2.6, 3.0):
        for errors in (0.03, 0.08):
            true, old, new = runs(tail, errors, seed)
            diff = cd.compare(old, new)
            changed = changed_components(diff)
            if len(changed) < 200:
                continue
            y = measured(diff, changed.component.tolist(), true)
            y["parted right"] = y["torn"] - y["torn wrongly"]
            kinds = {kind: (changed.kind == i) * 1.0 for i, kind in enumerate(KINDS)}
            ratios = {
                name: (
                    y[above] * kinds.get(below, 1.0),
                    (y | kinds)[below] if below else np.ones(len(changed)),
                )
                for name, (above, below, _) in SHARES.items()
            }
            for k in (50, 100, 200):
                found, rng = probabilities(changed.x, k, changed.kind), np.random.default_rng([k, seed])
                totals = {h: float(changed.x[~found.certain & (changed.kind == h)].sum()) for h in range(3)}
                totals[-1] = float(changed.x[found.certain].sum())
                held: dict[str, list[bool]] = {name: [] for name in (*TOTALS, *SHARES)}
                for _ in range(samples):
                    units = found.draw(rng)
                    stratum = np.where(found.certain[units], -1, changed.kind[units])
                    sample = Answered(changed.x[units], found.probability[units], stratum, totals)
                    rough: set[str] = set()
                    for name, (above, below) in ratios.items():
                        rarer = min((above[units] > 0).sum(), (below - above)[units].astype(bool).sum())
                        if rarer < RARE:
                            rough |= {name, *SHARES[name][2]}
                            continue
                        one = sample.share(above[units], below[units])
                        held[name].append(one.low <= above.sum() / below.sum() <= one.high)
                    for name in (name for name in TOTALS if name not in rough):
                        one = sample.total(y[name][units])
                        held[name].append(one.low <= y[name].sum() <= one.high)
                quiet = {
                    name: float(np.mean(seen)) for name, seen in held.items() if len(seen) > 0.9 * samples
                }
                cells += quiet.values()
                told = ", ".join(f"{name} {share:.3f}" for name, share in quiet.items())
                print(
                    f"tail {tail}, {errors:.0%} astray, {len(changed):,} changed, {k} reviewed: {told}",
                    flush=True,
                )
    shares = np.array(cells)
    inside = int(((shares >= 0.93) & (shares <= 0.97)).sum())
    print(
        f"{inside} of {len(cells)} cells without a warning in 93% to 97%, "
        f"least {shares.min():.3f}, greatest {shares.max():.3f}"
    )
    if inside < 0.92 * len(cells) or shares.min() < 0.87:
        raise SystemExit(1)


def measured(diff: Any, components: list[int], true: Any) -> dict[str, Any]:
    """What every changed component adds, with the truth as its reviewer."""
    total, rows = np.bincount(true), []
    for component in components:
        side = [
            {int(p): i for i, group in enumerate(version) for p in group}
            for version in versions(diff, component)
        ]
        points = sorted(side[0])
        labels = [np.array([codes[p] for p in points]) for codes in side]
        truth = np.unique(true[points], return_inverse=True)
        inside = np.bincount(truth[1])
        rows.append(contributions(*labels, truth[1], (total[truth[0]] - inside)[truth[1]]))
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


if __name__ == "__main__":
    main()
