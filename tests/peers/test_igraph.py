"""clusterdiff and igraph give the same numbers."""

from __future__ import annotations

import igraph
import numpy as np
import pytest

import clusterdiff as cd
from tests.peers.cases import random_pairs, real_pairs

SAME = {
    "vi": "vi",
    "nmi": "nmi",
    "split-join": "split-join",
    "rand": "rand",
    "adjusted_rand": "adjusted_rand",
}


def agree(true: np.ndarray, pred: np.ndarray) -> None:
    diff = cd.compare(true, pred)
    a, b = true.tolist(), pred.tolist()
    for name, method in SAME.items():
        if method == "adjusted_rand" and diff.meet.same and diff.meet.k_true in (1, diff.n):
            continue  # see docs/differences.md
        assert diff.score(name) == pytest.approx(
            igraph.compare_communities(a, b, method=method), abs=1e-10
        ), name
    parts = diff.score("split_join.true"), diff.score("split_join.pred")
    assert parts == igraph.split_join_distance(a, b)


def test_random_clusterings() -> None:
    """Every comparison of igraph, by its name there, on three thousand random pairs."""
    for true, pred in random_pairs(3000, seed=2):
        agree(true, pred)


def test_real_clusterings() -> None:
    """Iris, wine and digits, clustered by common algorithms."""
    for _, true, pred in real_pairs():
        agree(true, pred)
