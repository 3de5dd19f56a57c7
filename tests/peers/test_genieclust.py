"""clusterdiff and genieclust give the same numbers."""

from __future__ import annotations

import numpy as np
import pytest
from genieclust import compare_partitions as peer

import clusterdiff as cd
from tests.peers.cases import random_pairs, real_pairs

SAME = (
    *("rand_score", "adjusted_rand_score", "fm_score", "adjusted_fm_score"),
    *("mi_score", "normalized_mi_score", "adjusted_mi_score"),
)


def agree(true: np.ndarray, pred: np.ndarray) -> bool:
    """Compare, and tell whether there was something to compare."""
    diff = cd.compare(true, pred)
    k, n = {diff.meet.k_true, diff.meet.k_pred}, diff.n
    if 1 in k or n in k:
        return False  # it answers NaN or refuses where a side is one cluster or all singletons: see docs/differences.md
    for name in SAME:
        assert diff.score(name) == pytest.approx(getattr(peer, name)(true, pred), abs=1e-10), name
    assert diff.score("pair_sets_index") == pytest.approx(peer.pair_sets_index(true, pred), abs=1e-12)
    assert diff.score("spsi") == pytest.approx(peer.pair_sets_index(true, pred, simplified=True), abs=1e-12)
    if len(k) == 1:
        for name in ("normalized_clustering_accuracy", "normalized_pivoted_accuracy"):
            assert diff.score(name) == pytest.approx(getattr(peer, name)(true, pred), abs=1e-12), name
    return True


def test_random_clusterings() -> None:
    """Every index of genieclust, by its name there, on hundreds of random pairs."""
    assert sum(agree(true, pred) for true, pred in random_pairs(750, seed=3)) > 600


def test_real_clusterings() -> None:
    """Iris, wine and digits, clustered by common algorithms."""
    assert [agree(true, pred) for _, true, pred in real_pairs()] == [True] * 15
