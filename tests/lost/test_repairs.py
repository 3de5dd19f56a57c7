"""Repairs where points count as lost: what each says that it gains is what doing it gains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd


def done(repair: cd.Repair, pred: dict[int, Any], true: dict[int, Any]) -> dict[int, Any]:
    """The prediction after an operation, done by hand."""
    after = dict(pred)
    if repair.operation == "split":
        for part, points in enumerate(repair.parts):
            after |= dict.fromkeys(points, f"{part} of {repair.clusters[0]}")
    elif repair.operation == "merge":
        after |= {point: repair.into[0] for point, cluster in pred.items() if cluster in repair.clusters}
    elif repair.operation == "remove":
        for point in repair.points:
            del after[point]
    else:
        after |= dict.fromkeys(repair.points, repair.into[0])
    return after


@pytest.mark.parametrize("seed", range(60))
def test_gains_are_exact(seed: int) -> None:
    """Splits, merges, moves, additions and removals, with and without weights."""
    rng = np.random.default_rng(seed)
    true, pred = (
        {p: f"{side}{rng.integers(4)}" for p in range(14) if rng.random() < 0.8} for side in ("t", "p")
    )
    weights = {p: float(rng.integers(1, 5)) for p in range(14)} if seed % 2 else None
    diff = cd.compare(true, pred, missing="lost", weights=weights)
    repairs = diff.repairs()
    assert list(repairs.gain) == sorted(repairs.gain, reverse=True)
    for repair in repairs:
        after = done(repair, pred, true)
        score = cd.compare(true, after, missing="lost", weights=weights).score()
        assert score == pytest.approx(repair.score, abs=1e-12), repair
        assert repair.sentence
        assert sum(repair.sizes) == len(repair.points)
    missing = true.keys() - pred.keys()
    added = {point for repair in repairs if repair.operation == "add" for point in repair.points}
    assert added <= missing


@pytest.mark.parametrize(
    "measure", ["rand", "pairs.f1", "b3.f1", "muc.f1", "lea.recall", "A", "mirkin", "S*(pairs)"]
)
@pytest.mark.parametrize("seed", range(4))
def test_gains_in_any_measure_are_exact(measure: str, seed: int) -> None:
    """The same operations, by what they gain in another measure; what is not computed is counted."""
    rng = np.random.default_rng(seed)
    true, pred = (
        {p: f"{side}{rng.integers(4)}" for p in range(12) if rng.random() < 0.8} for side in ("t", "p")
    )
    diff = cd.compare(true, pred, missing="lost")
    repairs = diff.repairs(measure)
    assert list(repairs.gain) == sorted(repairs.gain, reverse=True)
    better = 1 if cd.measures[measure].similarity else -1
    for repair in repairs:
        after = cd.compare(true, done(repair, pred, true), missing="lost").score(measure)
        assert after == pytest.approx(repair.score, abs=1e-12), repair
        assert repair.gain == pytest.approx(better * (after - diff.score(measure)), abs=1e-12)
    few = diff.repairs(measure, anew=2)
    assert len(few) <= 2
    assert few.left_out >= len(repairs) - 2


def test_what_to_add_and_to_remove() -> None:
    """In words, best first."""
    diff = cd.compare([{"a", "b"}, {"c"}], [{"a"}, {"c", "x"}], missing="lost")
    told = {repair.sentence for repair in diff.repairs()}
    assert told == {"remove 1 point (x) from 1", "add 1 point (b) of 0 to 0"}
    with pytest.raises(cd.ArgumentError, match="sequence"):
        diff.repairs().sequence  # noqa: B018
    with pytest.raises(cd.ArgumentError, match="patch"):
        diff.patch()
