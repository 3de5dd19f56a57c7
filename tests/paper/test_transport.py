"""cdistance: clusterings compared in space (Coen et al., 2010)."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

import clusterdiff as cd
from tests.cases import cases


def transport(mass: np.ndarray, other: np.ndarray, cost: np.ndarray) -> float:
    """The least cost of moving one distribution onto another, as a linear programme."""
    k, m = cost.shape
    rows = np.kron(np.eye(k), np.ones(m))
    columns = np.kron(np.ones(k), np.eye(m))
    done = linprog(cost.ravel(), A_eq=np.vstack([rows, columns]), b_eq=np.concatenate([mass, other]))
    return float(done.fun)


def by_definition(true: np.ndarray, pred: np.ndarray, x: np.ndarray) -> float:
    ground = np.zeros((true.max() + 1, pred.max() + 1))
    for i in range(len(ground)):
        for j in range(ground.shape[1]):
            a, b = x[true == i], x[pred == j]
            cost = np.linalg.norm(a[:, None] - b[None], axis=2)
            best = transport(np.full(len(a), 1 / len(a)), np.full(len(b), 1 / len(b)), cost)
            ground[i, j] = best / cost.mean() if cost.mean() else 0.0
    n = len(true)
    return transport(np.bincount(true) / n, np.bincount(pred) / n, ground)


@cases("seed", range(4))
def test_cdistance_is_its_definition(seed: int) -> None:
    """It agrees with linear programmes over clusters and over points."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(18, 2))
    true, pred = rng.permutation(np.arange(18) % 3), rng.permutation(np.arange(18) % 4)
    diff = cd.compare(true, pred, features=x)
    assert diff.score("cdistance") == pytest.approx(by_definition(true, pred, x), abs=1e-7)
    assert cd.compare(pred, true, features=x).score("cdistance") == pytest.approx(
        diff.score("cdistance"), abs=1e-9
    )


def test_cdistance_by_hand() -> None:
    """Identical clusterings are at 0; a cluster against its two singletons is at 1, by half the mass."""
    x = [[0.0], [1.0], [10.0], [11.0]]
    assert cd.compare([0, 0, 1, 1], [7, 7, 8, 8], features=x).score("cdistance") == 0.0
    assert cd.compare([0, 0, 1, 1], [0, 0, 1, 2], features=x).score("cdistance") == pytest.approx(0.5)


def test_space_matters() -> None:
    """A point that goes to a near cluster does less harm than one that goes to a far one; S_H cannot tell."""
    x = (
        np.concatenate([np.zeros(10), np.full(10, 1.0), np.full(10, 50.0)])[:, None]
        + np.linspace(0, 1, 30)[:, None]
    )
    true = np.repeat([0, 1, 2], 10)
    near, far = true.copy(), true.copy()
    near[0], far[0] = 1, 2
    one, other = cd.compare(true, near, features=x), cd.compare(true, far, features=x)
    assert one.score() == pytest.approx(other.score())
    assert one.score("cdistance") < other.score("cdistance")


def test_sparse_features_and_points_in_order_of_their_names() -> None:
    """Sparse rows and points matched by name give the same distance."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(12, 3)) * (rng.random((12, 3)) < 0.5)
    true, pred = np.arange(12) % 3, np.arange(12) // 4
    expected = cd.compare(true, pred, features=x).score("cdistance")
    assert cd.compare(true, pred, features=sparse.csr_array(x)).score("cdistance") == pytest.approx(expected)
    order = rng.permutation(12)
    named = cd.compare(
        {f"p{i}": int(true[i]) for i in order},
        {f"p{i}": int(pred[i]) for i in range(12)},
        features={f"p{i}": x[i] for i in range(12)},
    )
    assert named.score("cdistance") == pytest.approx(expected)


def test_what_it_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without features, and without POT, the error says what to do."""
    with pytest.raises(cd.MeasureError, match="has no features"):
        cd.score([0, 0], [0, 1], "cdistance")
    monkeypatch.setitem(sys.modules, "ot", None)
    with pytest.raises(cd.MissingExtraError, match="cdistance needs POT") as caught:
        cd.compare([0, 0], [0, 1], features=[[0.0], [1.0]]).score("cdistance")
    assert caught.value.hint == "pip install 'clusterdiff[transport]'"


@pytest.mark.parametrize("pred", [[0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 0, 0]])
def test_points_in_one_place_are_no_way_apart(pred: list[int]) -> None:
    """Nothing has to be moved between them, whatever their clusters: 0/0 is 0, also for a single point."""
    assert cd.compare([0, 0, 0, 1], pred, features=np.ones((4, 2))).score("cdistance") == 0.0
    two, x = np.array([0, 0, 0, 1]), np.array([[1.0], [1.0], [1.0], [5.0]])
    expected = by_definition(two, np.array(pred), x)
    assert cd.compare(two, pred, features=x).score("cdistance") == pytest.approx(expected, abs=1e-7)
