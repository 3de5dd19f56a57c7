"""Numbers of any size, side by side: every measure gives a score within its bounds, or an error that says why not."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import clusterdiff as cd
from tests.conftest import label_pairs

Pair = tuple[list[int], list[int]]
pytestmark = pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
#: Small and large numbers, the least and the greatest of all, and whatever Hypothesis thinks of.
WEIGHTS = st.sampled_from([0.0, 5e-324, 1e-310, 1e-200, 1e-9, 1.0, 3.0, 1e12, 1e200, 1e307]) | st.floats(
    0, 1e307
)
PLACES = st.sampled_from([0.0, 1.0, -1.0, 1e-300, 1e15, 1e15 + 1, -1e200, 1e308, -1e308, 5e-324]) | st.floats(
    allow_nan=False, allow_infinity=False
)
#: Far from each other, but not so far that one is nothing beside the other.
NEAR = st.sampled_from([0.0, 1.0, -1.0, 1e-60, 1e15, 1e15 + 1]) | st.floats(-1e60, 1e60)
LINKS = st.sampled_from([0.0, 5e-324, 1e-200, 1.0, 1e200, 1e308]) | st.floats(0, 1e308)


def within_bounds(diff: cd.types.Comparison, names: list[str]) -> None:
    """Every score lies within its bounds, in the units of the weights; the parts of the loss add up."""
    for name in names:
        measure = cd.measures[name]
        if measure.degree:  # it may grow with the weights beyond what a double holds, and then says so
            with suppress(cd.MeasureError):
                assert 0 <= diff.score(name) < math.inf, name
            continue
        # Bounds that depend on the number of points are those without weights and without lost points.
        low, high = (-math.inf if callable(b) else b for b in (measure.bounds[0], measure.bounds[1]))
        low = -1.0 if -1 < low < 0 else low  # -1/2 of ari is that of points that all weigh the same
        score = diff.score(name)
        assert math.isfinite(score), name
        assert low - 1e-9 <= score, name
        assert callable(measure.bounds[1]) or score <= high + 1e-9, name
    loss = diff.loss
    assert all(0 <= part <= 1 + 1e-9 for part in loss)
    assert 1 - diff.score() == pytest.approx(loss.total, abs=1e-9)


@given(label_pairs(12), st.data(), st.booleans())
def test_weights(pair: Pair, data: st.DataObject, lost: bool) -> None:
    """Weights from 0 to 1e307, at most 24 of them, so that they add up."""
    true, pred = pair
    weights = data.draw(st.lists(WEIGHTS, min_size=len(true), max_size=len(true)))
    weights[0] = weights[0] or 2.0
    names = [name for name, m in cd.measures.items() if m.weighted and m.needs is None and name != "K"]
    if not lost:
        return within_bounds(cd.compare(true, pred, weights=weights), names)
    sides = (dict(enumerate(true)), {i + 1: p for i, p in enumerate(pred)})
    known = dict(enumerate([*weights, 1e-3]))
    names = [name for name in names if not isinstance(cd.measures[name].lost, str)]
    return within_bounds(cd.compare(*sides, weights=known, missing="lost"), names)


@given(label_pairs(10), st.data())
def test_features(pair: Pair, data: st.DataObject) -> None:
    """Features of any size, dense or sparse, with weights or without; points without weight may be anywhere."""
    true, pred = pair
    n = len(true)
    near, far = (
        st.lists(st.lists(x, min_size=2, max_size=2), min_size=n, max_size=n) for x in (NEAR, PLACES)
    )
    x: Any = np.ldexp(np.array(data.draw(near)), data.draw(st.integers(-800, 800)))
    weighed = st.lists(st.just(0.0) | st.floats(1e-6, 1e6), min_size=len(true), max_size=len(true))
    weights = data.draw(st.none() | weighed)
    if weights is not None:
        weights[0] = weights[0] or 2.0
        x = np.where(np.array(weights)[:, None] > 0, x, data.draw(far))
    dense, thin = (
        cd.compare(true, pred, features=kind(x), weights=weights) for kind in (np.asarray, sparse.csr_array)
    )
    for name in ("S_MSE", "S'(mse)"):
        assert 0 <= dense.score(name) <= 1 + 1e-12
        assert thin.score(name) == pytest.approx(dense.score(name), abs=1e-9)
    if weights is None:
        assert 0 <= dense.score("cdistance") <= 1


@given(label_pairs(8), st.data())
def test_distances(pair: Pair, data: st.DataObject) -> None:
    """Link weights of any size, as a matrix and condensed."""
    true, pred = pair
    n = len(true)
    links = data.draw(st.lists(LINKS, min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = links
    square += square.T
    scores = [cd.compare(true, pred, distances=d).score("S*(distance)") for d in (square, np.array(links))]
    assert 0 <= scores[0] <= 1
    assert scores[0] == pytest.approx(scores[1], abs=1e-12)
