"""Clusterings on which the peers are asked: thousands of random ones, and real ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np

Labels = np.ndarray


def random_pairs(count: int, seed: int = 0, least: int = 2) -> Iterator[tuple[Labels, Labels]]:
    """Pairs of clusterings of 2 to 60 points, from equal to independent, with 1 to 12 clusters on either side."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(least, 60))
        true = rng.integers(0, rng.integers(1, 13), n)
        other = rng.integers(0, rng.integers(1, 13), n)
        yield dense(true), dense(np.where(rng.random(n) < rng.random(), other, true))


def dense(labels: Labels) -> Labels:
    """The same clustering with labels 0, 1, 2, …"""
    return np.unique(labels, return_inverse=True)[1]


@cache
def real_pairs() -> list[tuple[str, Labels, Labels]]:
    """What common algorithms make of scikit-learn's small data sets, against the true classes."""
    from sklearn import cluster, datasets

    out = []
    for load in (datasets.load_iris, datasets.load_wine, datasets.load_digits):
        data = load()
        x = (data.data - data.data.mean(axis=0)) / (data.data.std(axis=0) + 1e-9)
        k = len(data.target_names)
        for name, algorithm in {
            "k-means": cluster.KMeans(k, n_init=1, random_state=0),
            "k-means, twice as many": cluster.KMeans(2 * k, n_init=1, random_state=0),
            "Ward": cluster.AgglomerativeClustering(k),
            "single linkage": cluster.AgglomerativeClustering(k, linkage="single"),
            "DBSCAN": cluster.DBSCAN(eps=x.shape[1] ** 0.5 / 2),
        }.items():
            out.append((f"{load.__name__[5:]}, {name}", data.target, dense(algorithm.fit_predict(x))))
    return out
