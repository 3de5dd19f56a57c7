"""clusterdiff and scikit-learn give the same numbers."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import sklearn
from sklearn import metrics
from sklearn.metrics.cluster import _supervised

import clusterdiff as cd
from tests.peers.cases import random_pairs, real_pairs

SAME = (
    "rand_score",
    "adjusted_rand_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "adjusted_mutual_info_score",
    "fowlkes_mallows_score",
)
#: Each of these computes all three.
TOGETHER = ("homogeneity_score", "completeness_score", "v_measure_score")


def agree(true: np.ndarray, pred: np.ndarray) -> None:
    diff = cd.compare(true, pred)
    for name in SAME:
        if diff.meet.same and diff.meet.k_true == diff.n and name == "fowlkes_mallows_score":
            continue  # see docs/differences.md
        assert diff.score(name) == pytest.approx(getattr(metrics, name)(true, pred), abs=1e-10), name
    together = metrics.homogeneity_completeness_v_measure(true, pred)
    assert tuple(diff.scores(TOGETHER).values()) == pytest.approx(together, abs=1e-10)
    assert np.array_equal(diff.meet.pairs.confusion, metrics.pair_confusion_matrix(true, pred))


def test_random_clusterings() -> None:
    """Every supervised measure of scikit-learn, by its name there, on hundreds of random pairs."""
    # Most of its time goes into looking at what it was given; these are arrays of integers.
    unchecked = mock.patch.object(_supervised, "check_clusterings", lambda true, pred: (true, pred))
    with sklearn.config_context(skip_parameter_validation=True), unchecked:
        for true, pred in random_pairs(250):
            agree(true, pred)


def test_parameters() -> None:
    """The averages of NMI and AMI, and beta of the V-measure, are scikit-learn's."""
    ours = {"arithmetic": "arithmetic", "max": "max", "min": "min", "geometric": "geometric"}
    for true, pred in random_pairs(60, seed=1):
        diff = cd.compare(true, pred)
        for average, method in ours.items():
            nmi = metrics.normalized_mutual_info_score(true, pred, average_method=method)
            assert diff.score(f"nmi(average={average})") == pytest.approx(nmi, abs=1e-10)
            if 1 < diff.meet.k_true < diff.n and 1 < diff.meet.k_pred < diff.n:
                ami = metrics.adjusted_mutual_info_score(true, pred, average_method=method)
                assert diff.score(f"ami(average={average})") == pytest.approx(ami, abs=1e-10)
        v = metrics.v_measure_score(true, pred, beta=3.0)
        assert diff.score("v_measure(beta=3)") == pytest.approx(v, abs=1e-10)


def test_real_clusterings() -> None:
    """Iris, wine and digits, clustered by common algorithms."""
    for _, true, pred in real_pairs():
        agree(true, pred)
        confusion = metrics.cluster.contingency_matrix(true, pred)
        assert cd.score(true, pred, "purity") == pytest.approx(
            confusion.max(axis=0).sum() / len(true), abs=1e-15
        )


def test_scorers() -> None:
    """`cd.score` is a metric function of the shape that make_scorer expects."""
    from sklearn.base import BaseEstimator

    class Constant(BaseEstimator):
        def predict(self, x: np.ndarray) -> np.ndarray:
            return np.zeros(len(x), dtype=int)

    scorer = metrics.make_scorer(cd.score, measure="purity")
    assert scorer(Constant(), np.zeros((4, 1)), np.array([0, 0, 0, 1])) == 0.75
