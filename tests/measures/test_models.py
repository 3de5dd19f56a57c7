"""Random models: means and draws against all clusterings there are, and against the formulas for many points."""

from __future__ import annotations

from collections import Counter
from functools import cache
from math import comb, log

import numpy as np
import pytest
from scipy import stats

import clusterdiff as cd
from clusterdiff.diff.chance import expected
from clusterdiff.measures.models import KNOWN, MODELS, OfAny, OfNumber
from clusterdiff.measures.sampling import random_meets
from tests.cases import cases
from tests.conftest import clusterings

DRAWN = MODELS[1:]


@cache
def every(n: int) -> list[np.ndarray]:
    return [np.array(labels) for labels in clusterings(n)]


def drawn_from(model: str, side: np.ndarray, fixed: bool) -> list[np.ndarray]:
    if fixed:
        return [side]
    return [x for x in every(len(side)) if model.startswith("all") or x.max() == side.max()]


def definition(model: str, true: np.ndarray, pred: np.ndarray, measure: str) -> float:
    """The mean over all that a model draws from."""
    trues, preds = drawn_from(model, true, model.endswith("1")), drawn_from(model, pred, False)
    return float(np.mean([cd.score(t, p, measure) for t in trues for p in preds]))


@cases("model", DRAWN)
@cases("measure", ["rand", "I", "vi", "I(base=2)"])
def test_means_are_those_over_all_clusterings(model: str, measure: str) -> None:
    """The mean of Rand, I and VI is what trying every clustering gives, for every number of clusters."""
    for n in (2, 3, 4, 5):
        # One clustering for each number of clusters; the last points share a cluster.
        sides = [np.minimum(np.arange(n), k - 1) for k in range(1, n + 1)]
        for true, pred in zip(sides, [*sides[1:], sides[0]], strict=True):
            found = cd.chance(true, pred, measure, model=model, draws=0)
            assert found.exact
            assert found.mean == pytest.approx(definition(model, true, pred, measure), abs=1e-13), (
                true,
                pred,
            )


def test_means_of_six_points() -> None:
    """The same for two unequal clusterings of six points."""
    true, pred = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 1, 1, 1, 0])
    for model in DRAWN[1::2]:
        for measure in ("rand", "I"):
            found = cd.chance(true, pred, measure, model=model, draws=0)
            assert found.mean == pytest.approx(definition(model, true, pred, measure), abs=1e-13)


def stirling(n: int) -> list[int]:
    """The numbers of clusterings of n points in 0, 1, … n clusters."""
    row = [1]
    for _ in range(n):
        row = [0, *(k * row[k] + row[k - 1] for k in range(1, len(row))), 1]
    return row


@cases(("n", "k"), [(40, 3), (60, 58), (300, 100), (2500, 2), (3000, 3), (1000, 999)])
def test_numbers_of_clusters_by_size(n: int, k: int) -> None:
    """Means from whole numbers: C(n, a)·S(n − a, k − 1)/S(n, k) clusters of a points, also where sizes are thinned."""
    found = OfNumber(n, k).mean()
    rows = {m: stirling(m) for m in {n, *(n - int(a) for a in found.sizes)}} if n < 400 else None
    if rows is not None:
        for a, count in zip(found.sizes.tolist(), found.counts.tolist(), strict=True):
            wanted = comb(n, a) * rows[n - a][k - 1] / rows[n][k]
            assert count == pytest.approx(wanted, rel=1e-11, abs=1e-17 * n)
    # S(n, k) by inclusion and exclusion; a pair is together in S(n − 1, k) of them.
    below, whole = (sum((-1) ** i * comb(k, i) * (k - i) ** m for i in range(k)) for m in (n - 1, n))
    assert found.pairs / comb(n, 2) == pytest.approx(below / whole, rel=1e-11)
    assert float(found.counts.sum()) == pytest.approx(k, rel=1e-12)


@cases("n", [2, 7, 50, 400])
def test_all_clusterings_by_size(n: int) -> None:
    """Means from whole numbers: a pair is together in B(n − 1) of all B(n) clusterings."""
    found = OfAny(n).mean()
    below, whole = sum(stirling(n - 1)), sum(stirling(n))
    assert found.pairs / comb(n, 2) == pytest.approx(below / whole, rel=1e-11)
    assert float(found.counts.sum()) == pytest.approx(
        sum(k * x for k, x in enumerate(stirling(n))) / whole, rel=1e-11
    )


@pytest.mark.parametrize("model", ["num", "all"])
def test_draws_come_equally_often(model: str) -> None:
    """Each clustering of five points comes as often as any other."""
    true = np.array([0, 0, 1, 1, 2])
    meets = random_meets(cd.Meet.from_labels(true, true).margins, 7, 4000, model)
    found = Counter(tuple(sorted(meet.pred_size.tolist())) for meet in meets)
    wanted = Counter(tuple(sorted(np.bincount(x).tolist())) for x in drawn_from(model, true, False))
    assert found.keys() <= wanted.keys()
    many = {sizes: 4000 * times / wanted.total() for sizes, times in wanted.items()}
    assert stats.chisquare([found[sizes] for sizes in many], list(many.values())).pvalue > 1e-4


@cases("model", DRAWN)
def test_draws_have_the_exact_mean(model: str) -> None:
    """Where the mean is known, draws agree with it, table by table and point by point."""
    rng = np.random.default_rng(0)
    for n, k in ((300, 4), (60, 30)):
        true, pred = rng.integers(0, k, (2, n))
        margins = cd.Meet.from_labels(true, pred).margins
        values = [cd.measures["I"](meet) for meet in random_meets(margins, 3, 400, model)]
        mean = expected(cd.measures["I"], margins, model)
        assert mean is not None
        assert abs(np.mean(values) - mean) < 4.5 * np.std(values) / 20


def test_large_clusterings() -> None:
    """A million points: Rand under "num" is near that of clusters of equal sizes, I near (k − 1)²/2n."""
    labels = np.arange(10**6) % 10
    found = cd.chance(labels, labels, "rand", model="num", draws=0)
    assert found.mean == pytest.approx(0.82, abs=1e-9)
    assert cd.chance(labels, labels, "I", model="num", draws=0).mean == pytest.approx(81 / 2e6, rel=1e-4)


def test_adjusted_values() -> None:
    """Rand against 1; mutual information against the highest entropy of a side that is drawn, its own if it is not."""
    true, pred = np.array([0, 0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    value = cd.score(true, pred, "I")
    own = cd.score(true, pred, "entropy.true")
    for model, best in (
        ("num", (log(2) + log(3)) / 2),
        ("num1", (own + log(3)) / 2),
        ("all", log(6)),
        ("all1", (own + log(6)) / 2),
    ):
        found = cd.chance(true, pred, "I", model=model, draws=0)
        assert found.adjusted == pytest.approx((value - found.mean) / (best - found.mean), rel=1e-12)
        rand = cd.chance(true, pred, "rand", model=model, draws=0)
        assert rand.adjusted == pytest.approx((rand.value - rand.mean) / (1 - rand.mean), rel=1e-12)
    assert cd.chance(true, pred, "I", draws=0).adjusted == pytest.approx(
        cd.score(true, pred, "ami"), rel=1e-12
    )


def test_other_measures_are_drawn() -> None:
    """S_H and functions of one's own: the mean is that of the draws, and that is said; without draws it is refused."""
    true, pred = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 2, 2])
    found = cd.chance(true, pred, "S_H", model="all1", draws=200, seed=3)
    assert not found.exact
    assert found == cd.chance(true, pred, "S_H", model="all1", draws=200, seed=3)
    assert "model all1" in repr(found)
    assert "model:all1|draws:200|seed:3" in found.signature
    assert found.to_dict()["model"] == "all1"
    wanted = definition("all1", true, pred, "S_H")
    assert abs(found.mean - wanted) < 5 * found.std / 200**0.5
    assert not cd.chance(true, pred, KNOWN[0], model="num", draws=20).exact
    with pytest.raises(cd.MeasureError, match=r"S_H by chance \(model num\) is not known"):
        cd.chance(true, pred, model="num", draws=0)


def test_what_is_certain() -> None:
    """Nothing is left to chance only where all that is drawn is one cluster or all singletons."""
    top, halves = np.zeros(6, int), np.array([0, 0, 0, 1, 1, 1])
    for model, true, pred, certain in (
        ("num1", halves, top, True),
        ("num", halves, top, False),
        ("num", top, np.arange(6), True),
        ("num1", top, halves, False),
        ("all1", top, top, False),
    ):
        found = cd.chance(true, pred, "rand", model=model, draws=50)
        assert (found.p_kind == "certain") == certain, (model, found)
    single = cd.chance([0], [0], "rand", model="all")
    assert (single.p_kind, single.mean, single.adjusted) == ("certain", 1.0, 1.0)


def test_unknown_models_are_refused() -> None:
    """The error names the models there are, and the nearest."""
    with pytest.raises(
        cd.ArgumentError, match="`model` must be one of permutation, num, num1, all, all1"
    ) as error:
        cd.chance([0, 0, 1], [0, 1, 1], model="perm")
    assert "permutation" in str(error.value).rpartition("Hint")[2]
