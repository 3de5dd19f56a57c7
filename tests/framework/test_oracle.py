"""The library against the paper's definitions, exhaustively for few points and at random beyond."""

from __future__ import annotations

import numpy as np
import pytest

import clusterdiff as cd
from tests import oracle
from tests.cases import cases
from tests.conftest import clusterings, random_pair

CLOSE = 1e-12
PAPER = {
    "R": oracle.R,
    "N": oracle.N,
    "A": oracle.A,
    "I": oracle.I,
    "nmi_max": oracle.NMI,
    "VI": oracle.VI,
    "V": oracle.V,
    "S_H": lambda t, p: oracle.S(t, p, oracle.s_entropy),
    "S*(pairs)": lambda t, p: oracle.S(t, p, oracle.s_pairs),
    "S*(largest)": lambda t, p: oracle.S(t, p, oracle.s_largest),
    "S'(entropy)": lambda t, p: oracle.S(t, p, oracle.s_entropy, oracle.mean),
    "S'(pairs)": lambda t, p: oracle.S(t, p, oracle.s_pairs, oracle.mean),
    "S'(largest)": lambda t, p: oracle.S(t, p, oracle.s_largest, oracle.mean),
}


@cases("n", [1, 2, 3, 4, 5])
def test_every_pair_of_clusterings_scores_as_the_definitions_say(n: int) -> None:
    """All of the paper's measures agree with the set definitions on all pairs of clusterings, up to renaming."""
    every = list(clusterings(n))
    parts = {labels: oracle.partition(labels) for labels in every}
    for true in every:
        if list(true) != sorted(true):  # other orders only rename points
            continue
        for pred in every:
            diff = cd.compare(true, pred)
            for name, definition in PAPER.items():
                assert diff.score(name) == pytest.approx(definition(parts[true], parts[pred]), abs=CLOSE), (
                    name,
                    true,
                    pred,
                )


def test_six_points_score_as_the_definitions_say_for_the_frameworks_own_measure() -> None:
    """S_H, R, N and VI agree with the definitions on every twentieth pair of clusterings of six points."""
    every = list(clusterings(6))
    parts = [oracle.partition(labels) for labels in every]
    for number in range(0, len(every) ** 2, 20):
        i, j = divmod(number, len(every))
        diff = cd.compare(every[i], every[j])
        for name in ("S_H", "R", "N", "VI"):
            assert diff.score(name) == pytest.approx(PAPER[name](parts[i], parts[j]), abs=CLOSE)


@cases("seed", range(12))
def test_random_clusterings_score_as_the_definitions_say(seed: int) -> None:
    """The measures agree with the definitions on random clusterings of up to 200 points."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 201))
    true, pred = random_pair(n, int(rng.integers(1, n + 1)), seed)
    left, right = oracle.partition(true.tolist()), oracle.partition(pred.tolist())
    diff = cd.compare(true, pred)
    for name, definition in PAPER.items():
        if name == "A":
            continue  # trying every matching takes too long here; see test_accuracy_*
        assert diff.score(name) == pytest.approx(definition(left, right), abs=CLOSE), name


@cases("seed", range(20))
def test_accuracy_is_the_best_matching_also_in_large_components(seed: int) -> None:
    """A equals the optimum of SciPy's dense assignment solver on the whole contingency table."""
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    true, pred = rng.integers(0, 12, 150), rng.integers(0, 9, 150)
    table = np.zeros((12, 9))
    np.add.at(table, (true, pred), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    assert cd.score(true, pred, "A") == pytest.approx(table[rows, columns].sum() / 150, abs=CLOSE)


@pytest.mark.filterwarnings("ignore:K\\(k=9\\)")
@cases("seed", range(5))
def test_k_normalised_variation_of_information(seed: int) -> None:
    """K(k) is 1 − VI/2·log k."""
    true, pred = random_pair(60, 8, seed)
    expected = oracle.K(oracle.partition(true.tolist()), oracle.partition(pred.tolist()), 9)
    assert cd.score(true, pred, "K(k=9)") == pytest.approx(expected, abs=CLOSE)


@cases("seed", range(8))
@cases("dtype", [np.float64, np.float32, np.int32, np.uint8])
def test_features_score_as_the_mean_squared_error_says(seed: int, dtype: type) -> None:
    """S_MSE and S'(mse) agree with the two-line definition for any dtype of the features."""
    rng = np.random.default_rng(seed)
    true, pred = random_pair(50, 7, seed)
    features = (rng.random((50, 3)) * 50).astype(dtype)
    s = oracle.s_mse(features.astype(float).tolist())
    left, right = oracle.partition(true.tolist()), oracle.partition(pred.tolist())
    diff = cd.compare(true, pred, features=features)
    assert diff.score("S_MSE") == diff.score("S*(mse)") == pytest.approx(oracle.S(left, right, s), abs=1e-10)
    assert diff.score("S'(mse)") == pytest.approx(oracle.S(left, right, s, oracle.mean), abs=1e-10)


@cases("seed", range(5))
def test_sparse_features_score_as_dense_ones(seed: int) -> None:
    """A scipy sparse matrix gives the same S_MSE as its dense form."""
    from scipy import sparse

    rng = np.random.default_rng(seed)
    true, pred = random_pair(80, 9, seed)
    dense = np.where(rng.random((80, 20)) < 0.2, rng.random((80, 20)), 0.0)
    expected = cd.compare(true, pred, features=dense).score("S_MSE")
    for form in (sparse.csr_array, sparse.csc_matrix, sparse.coo_array):
        assert cd.compare(true, pred, features=form(dense)).score("S_MSE") == pytest.approx(
            expected, abs=CLOSE
        )


@cases("seed", range(6))
def test_distances_score_as_the_definition_says_in_all_three_forms(seed: int) -> None:
    """A square matrix, a condensed vector and a function give the same S*(distance), that of the definition."""
    from scipy.spatial.distance import squareform

    rng = np.random.default_rng(seed)
    true, pred = random_pair(40, 6, seed)
    x = rng.random((40, 2))
    d = np.linalg.norm(x[:, None] - x[None], axis=2)
    expected = oracle.S(
        oracle.partition(true.tolist()), oracle.partition(pred.tolist()), oracle.s_distance(d.tolist())
    )
    for given in (d, d.astype(np.float32), squareform(d, checks=False), lambda i, j: d[i, j]):
        assert cd.compare(true, pred, distances=given).score("S*(distance)") == pytest.approx(
            expected, abs=1e-6
        )
    assert cd.compare(true, pred, distances=d).score("S*(distance)") == pytest.approx(expected, abs=CLOSE)


def test_unit_distances_give_the_pairs_measure() -> None:
    """All-ones distances make `distance` the same as `pairs`."""
    true, pred = random_pair(60, 8, 3)
    diff = cd.compare(true, pred, distances=np.ones((60, 60)) - np.eye(60))
    assert diff.score("S*(distance)") == pytest.approx(diff.score("S*(pairs)"), abs=CLOSE)


def test_squared_distances_over_the_size_of_the_cell_give_the_mse_measure() -> None:
    """The squared spread about a centre is the sum of squared distances over all pairs, divided by the size."""
    rng = np.random.default_rng(5)
    true, pred = random_pair(50, 6, 5)
    x = rng.random((50, 3))

    def mse_by_pairs(members: list[np.ndarray]) -> float:
        def spread(at: np.ndarray) -> float:
            d = ((x[at][:, None] - x[at][None]) ** 2).sum(axis=2)
            return float(np.triu(d, 1).sum() / len(at))

        total = spread(np.concatenate(members))
        return sum(map(spread, members)) / total if total > 0 else 1.0

    diff = cd.compare(true, pred, features=x)
    assert diff.score(cd.split_merge(mse_by_pairs)) == pytest.approx(diff.score("S_MSE"), abs=1e-10)
