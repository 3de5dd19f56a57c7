"""clusterdiff and CluSim give the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from clusim import sim
from clusim.clusimelement import element_sim
from clusim.clustering import Clustering

import clusterdiff as cd
from tests.cases import cases
from tests.peers.cases import random_pairs, real_pairs

SAME = {
    "jaccard_index": "jaccard_index",
    "rand_index": "rand_index",
    "fowlkes_mallows_index": "fowlkes_mallows_index",
    "fmeasure": "pairs.f1",
    "czekanowski_index": "czekanowski_index",
    "dice_index": "dice_index",
    "sorensen_index": "sorensen_index",
    "rogers_tanimoto_index": "rogers_tanimoto_index",
    "adjrand_index": "adjrand_index",
    "mi": "I(base=2)",
    "nmi": "nmi",
    "vi": "vi(base=2)",
    "geometric_accuracy": "geometric_accuracy",
}


def clustering(labels: np.ndarray) -> Any:
    return Clustering().from_membership_list(labels.tolist())


def agree(true: np.ndarray, pred: np.ndarray, slow: bool) -> bool:
    """Compare, and tell whether there was something to compare."""
    diff = cd.compare(true, pred)
    if {1, diff.n} & {diff.meet.k_true, diff.meet.k_pred}:
        return (
            False  # it divides by zero where a side is one cluster or all singletons: see docs/differences.md
        )
    a, b = clustering(true), clustering(pred)
    for theirs, ours in SAME.items():
        assert diff.score(ours) == pytest.approx(float(getattr(sim, theirs)(a, b)), abs=1e-10), theirs
    assert diff.score("element_sim") == pytest.approx(float(element_sim(a, b)), abs=1e-10)
    if slow:
        assert diff.score("adj_mi") == pytest.approx(float(sim.adj_mi(a, b)), abs=1e-9)
        assert diff.score("omega_index") == pytest.approx(float(sim.omega_index(a, b)), abs=1e-10)
    return True


def test_random_clusterings() -> None:
    """CluSim's measures of hard clusterings, by their names there, on hundreds of random pairs."""
    pairs = enumerate(random_pairs(250, seed=4))
    assert sum(agree(true, pred, slow=i % 20 == 0) for i, (true, pred) in pairs) > 200


@cases("theirs", ["perm", "perm1", "num", "num1", "all", "all1"])
def test_random_models(theirs: str) -> None:
    """Rand and mutual information by chance under the six random models, and adjusted; there pred comes first."""
    model: Any = "permutation" if theirs.startswith("perm") else theirs
    for true, pred in (([0, 0, 0, 1, 1, 2], [0, 1, 1, 1, 1, 0]), (np.arange(20) % 3, np.arange(20) // 5)):
        diff = cd.compare(true, pred)
        one, other = clustering(np.array(pred)), clustering(np.array(true))
        rand = diff.chance("rand", model=model, draws=0)
        assert rand.adjusted == pytest.approx(float(sim.adjrand_index(one, other, theirs)), abs=1e-12)
        mutual = diff.chance("I(base=2)", model=model, draws=0)
        mean = sim.expected_mi(
            diff.n,
            one.n_clusters,
            other.n_clusters,
            one.clu_size_seq,
            other.clu_size_seq,
            random_model=theirs,
        )
        assert mutual.mean == pytest.approx(float(mean), abs=1e-12)
        if theirs not in ("num1", "all1"):  # see docs/differences.md
            assert mutual.adjusted == pytest.approx(sim.adj_mi(one, other, theirs), abs=1e-12)


def test_real_clusterings() -> None:
    """Iris and wine, clustered by common algorithms."""
    small = [(true, pred) for name, true, pred in real_pairs() if "digits" not in name]
    assert len(small) == 10
    assert [agree(true, pred, slow=False) for true, pred in small] == [True] * len(small)
