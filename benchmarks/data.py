"""Label arrays of the regimes that the benchmarks measure."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]


def noisy(n: int, k: int, rng: np.random.Generator) -> Pair:
    """Random labels, and the same under other names with a fifth of the points redrawn."""
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.2, rng.integers(0, k, n), true)
    return true, rng.permutation(k)[pred]


def records(n: int, rng: np.random.Generator) -> Pair:
    """Linked records: about n/3 entities, a tenth of them split and a tenth merged, in random order."""
    sizes = 1 + rng.poisson(2, n // 2 + 10)
    true = np.repeat(np.arange(len(sizes)), sizes)[:n]
    k = int(true[-1]) + 1
    fate = rng.random(k)
    target = np.arange(k)
    merged = (fate >= 0.1) & (fate < 0.2)
    target[merged] = rng.integers(0, k, merged.sum())
    pred = target[true]
    split = (fate[true] < 0.1) & (rng.random(n) < 0.5)
    pred[split] = k + true[split]
    order = rng.permutation(n)
    used = np.zeros(2 * k, bool)
    used[pred] = True
    names = np.cumsum(used) - 1  # predicted labels without gaps
    return rng.permutation(k)[true][order], rng.permutation(used.sum())[names[pred]][order]


def spread(pair: Pair, rng: np.random.Generator) -> Pair:
    """The same clusters under labels from all over 2^63."""
    names = [rng.integers(-(2**62), 2**62, int(x.max()) + 1) for x in pair]
    return names[0][pair[0]], names[1][pair[1]]


REGIMES: dict[str, Callable[[int, np.random.Generator], Pair]] = {
    "k = 100": lambda n, rng: noisy(n, 100, rng),
    "k = 10,000": lambda n, rng: noisy(n, 10_000, rng),
    "k = 10,000, independent": lambda n, rng: (rng.integers(0, 10_000, n), rng.integers(0, 10_000, n)),
    "k ≈ n/3, linked records": records,
    "k = 100, labels spread over 2^63": lambda n, rng: spread(noisy(n, 100, rng), rng),
    "k ≈ n/3, labels spread over 2^63": lambda n, rng: spread(records(n, rng), rng),
}


def make(regime: str, n: int) -> Pair:
    """The arrays of a regime, the same at every call."""
    return REGIMES[regime](n, np.random.default_rng([n, len(regime)]))


def words(labels: np.ndarray) -> np.ndarray:
    """Labels as text."""
    return np.char.add("cluster_", labels.astype("U"))
