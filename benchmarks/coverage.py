"""How often tests and intervals are right: data sets drawn again and again, on which two systems err alike.

python benchmarks/coverage.py [--runs 500] [--seed 0] [--only med40]

A data set has true clusters of one kind: linked records (sizes of a Zipf law), tens of points, hundreds of points.
Errors come to a system with all that they touch: clusters are split; look-alikes are merged; points stray to any
cluster; all of these; or some clusters end up in one giant. Of every setting the table has, at a nominal 5 % and 95
%:

type I    how often two systems that err by the same law are called different
power     how often a system that errs by half as much is told from one that errs in full
coverage  how often the interval of one score holds the mean score of the law; none given counts as a miss
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from clusterdiff.decide.paired import verdict
from clusterdiff.diff.deletion import Deletion
from clusterdiff.diff.interval import Resampling, interval_of
from clusterdiff.measures import resolve
from clusterdiff.meet.meet import Meet

Rng = np.random.Generator
MEASURES = ("S_H", "ari", "b3.f1", "vi", "pairs.f1")


def linked(rng: Rng, k: int) -> np.ndarray:
    """True clusters of linked records: most have one or two points."""
    return np.repeat(np.arange(k), np.minimum(rng.zipf(2.2, k), 30))


def tens(rng: Rng, k: int) -> np.ndarray:
    """True clusters of 20 to 60 points."""
    return np.repeat(np.arange(k), rng.integers(20, 61, k))


def hundreds(rng: Rng, k: int) -> np.ndarray:
    """True clusters of 100 to 1,000 points."""
    return np.repeat(np.arange(k), rng.integers(100, 1001, k))


def split(rng: Rng, true: np.ndarray, share: float) -> np.ndarray:
    """Some clusters are cut in two."""
    cut = rng.random(true.max() + 1) < share
    return 2 * true + (cut[true] & (rng.random(len(true)) < 0.5))


def look_alikes(rng: Rng, true: np.ndarray, share: float) -> np.ndarray:
    """Clusters come in pairs that look alike, and some pairs are merged."""
    merged = rng.random(true.max() // 2 + 1) < share
    return np.where(merged[true // 2], true // 2 * 2, true)


def stray(rng: Rng, true: np.ndarray, share: float) -> np.ndarray:
    """Some points go to any cluster."""
    astray = rng.random(len(true)) < share
    return np.where(astray, rng.integers(0, true.max() + 1, len(true)), true)


def mixture(rng: Rng, true: np.ndarray, share: float) -> np.ndarray:
    """A little of each."""
    merged = look_alikes(rng, true, 0.1 * share)
    astray = rng.random(len(true)) < 0.03 * share
    found = np.where(astray, rng.integers(0, true.max() + 1, len(true)), merged)
    cut = rng.random(true.max() + 1) < 0.15 * share
    return 2 * found + (cut[true] & (rng.random(len(true)) < 0.5))


def giant(rng: Rng, true: np.ndarray, share: float) -> np.ndarray:
    """Some clusters are merged into one, and others cut in two."""
    k = true.max() + 1
    merged = rng.random(k) < share
    cut = (rng.random(k) < 0.15) & ~merged
    return 2 * np.where(merged[true], k, true) + (cut[true] & (rng.random(len(true)) < 0.5))


SETTINGS: dict[str, tuple[Callable[[Rng, int], np.ndarray], int]] = {
    "linked300": (linked, 300),
    "med40": (tens, 40),
    "med300": (tens, 300),
    "large10": (hundreds, 10),
    "large30": (hundreds, 30),
}
ERRORS = {
    "split": (split, 0.3),
    "look-alikes": (look_alikes, 0.2),
    "stray": (stray, 0.08),
    "mixture": (mixture, 1.0),
    "giant": (giant, 0.15),
}


def measured(true: np.ndarray, pred: np.ndarray) -> dict[str, Deletion]:
    """A prediction in every measure."""
    meet = Meet.from_labels(true, pred)
    return {name: Deletion(meet, resolve(name), "component") for name in MEASURES}


def run(setting: str, error: str, runs: int, seed: int) -> dict[str, tuple[float, float, float]]:
    """Type I, power and coverage of each measure in one setting."""
    draw, k = SETTINGS[setting]
    err, share = ERRORS[error]
    rng = np.random.default_rng([seed, list(SETTINGS).index(setting), list(ERRORS).index(error)])
    scores: dict[str, list[float]] = {name: [] for name in MEASURES}
    for _ in range(max(100, runs)):
        true = draw(rng, k)
        meet = Meet.from_labels(true, err(rng, true, share))
        for name in MEASURES:
            scores[name].append(resolve(name)(meet))
    law = {name: float(np.mean(values)) for name, values in scores.items()}
    counts = {name: np.zeros(3) for name in MEASURES}
    how = Resampling(resamples=499, seed=seed)
    for _ in range(runs):
        true = draw(rng, k)
        one, two, half = (measured(true, err(rng, true, part)) for part in (share, share, share / 2))
        for name in MEASURES:
            p = verdict(one[name], two[name], how).p_value
            power = verdict(one[name], half[name], how).p_value
            found = interval_of(one[name], how, "")
            held = found.low is not None and found.high is not None and found.low <= law[name] <= found.high
            counts[name] += [p is not None and p < 0.05, power is not None and power < 0.05, held]
    return {name: tuple(count / runs) for name, count in counts.items()}


def main() -> None:
    """Print a table: a row per setting and error, a column per measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=SETTINGS)
    options = parser.parse_args()
    print(f"| data, errors | {' | '.join(MEASURES)} |\n| --- |{' ---: |' * len(MEASURES)}")
    for setting in [options.only] if options.only else SETTINGS:
        for error in ERRORS:
            found = run(setting, error, options.runs, options.seed)
            cells = (" ".join(f"{value:.2f}" for value in found[name]) for name in MEASURES)
            print(f"| {setting} {error} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
