"""Gains: what a measure comes to with something set right is what a comparison computed anew says."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from math import isfinite
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from tests.conftest import label_pairs

Labels = dict[Hashable, Any]
#: Those that need features, or a parameter, get them here.
PARAMETERS = {"K": "K(k=40)"}
NAMES = [PARAMETERS.get(name, name) for name in cd.measures if name not in ("S_MSE", "cdistance", "smi")]


def right(diff: cd.Comparison, true: Labels, pred: Labels, by: str, row: Any, missing: str) -> Labels:
    """The prediction with a component or cluster set right, point by point."""
    if by == "component":
        place = diff.components["component"].tolist().index(row.component)
        points = set(diff.components[place].points)
    else:
        side = true if by == "true" else pred
        points = {point for point, cluster in side.items() if cluster == row.cluster}
    after = dict(pred)
    for point in points:
        if point in true:
            after[point] = f"right {true[point]}"
        elif missing == "lost":
            del after[point]
        else:  # a cluster of its own on the side that lacks it
            after[point] = f"alone {point}"
    return after


def check(
    true: Labels, pred: Labels, measure: str, by: Any, how: dict[str, Any], close: float = 1e-9
) -> None:
    diff = cd.compare(true, pred, **how)
    try:
        score = diff.score(measure)
    except cd.MeasureError:
        return
    found = diff.gains(measure, by)
    assert found.measure == cd.measures[measure].name
    assert found.score == pytest.approx(score, rel=1e-12, abs=1e-12, nan_ok=True)
    if not isfinite(score):
        return
    assert found["gain"].tolist() == sorted(found["gain"].tolist(), reverse=True)
    better = 1 if cd.measures[measure].similarity else -1
    for row in found:
        if by != "component" and row.cluster is None:
            continue  # a point that is in no cluster of this side
        after = right(diff, true, pred, by, row, how.get("missing", "error"))
        if not true and not after:
            continue  # no point is left, and nothing to compare
        anew = cd.compare(true, after, **how).score(measure)
        assert row.score == pytest.approx(anew, rel=close, abs=close, nan_ok=True), (measure, row)
        assert row.gain == pytest.approx(better * (anew - score), rel=close, abs=close, nan_ok=True)


def labelled(labels: list[int], side: str) -> Labels:
    return {point: f"{side}{label}" for point, label in enumerate(labels)}


@pytest.mark.parametrize("by", ["component", "true", "pred"])
@given(label_pairs(max_points=14), st.sampled_from(NAMES), st.booleans())
@settings(max_examples=200)
def test_gains_are_those_of_a_comparison_anew(
    by: str, pair: tuple[list[int], list[int]], measure: str, weighted: bool
) -> None:
    """Every measure, with and without weights, whatever is set right."""
    true, pred = labelled(pair[0], "t"), labelled(pair[1], "p")
    weights = {point: [0.5, 1.0, 3.0, 2.25][point % 4] for point in true} if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)  # K: its bounds
        check(true, pred, measure, by, {"weights": weights})


@pytest.mark.parametrize("by", ["component", "true", "pred"])
@pytest.mark.parametrize("missing", ["lost", "singleton", "drop"])
@given(
    label_pairs(max_points=12), st.sampled_from(NAMES), st.integers(0, 2**12 - 1), st.integers(0, 2**12 - 1)
)
@settings(max_examples=60)
def test_gains_where_a_side_lacks_points(
    by: str, missing: str, pair: tuple[list[int], list[int]], measure: str, left: int, other: int
) -> None:
    """Points that were lost are found, spurious ones go."""
    true = {p: c for p, c in labelled(pair[0], "t").items() if not left >> p & 1}
    pred = {p: c for p, c in labelled(pair[1], "p").items() if not other >> p & 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        try:
            cd.compare(true, pred, missing=missing)
        except cd.ClusterdiffError:
            return  # nothing in common
        check(true, pred, measure, by, {"missing": missing})
