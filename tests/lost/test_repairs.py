"""Repairs where points count as lost: what each says that it gains is what doing it gains."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from tests.cases import cases


def done(repair: cd.types.Repair, pred: dict[int, Any]) -> dict[int, Any]:
    """The prediction after an operation, done by hand from its description."""
    after = dict(pred)
    assert len(set(repair.into)) == len(repair.into)
    assert {*repair.clusters} <= {*pred.values()}
    if repair.operation == "split":
        for name, points in zip(repair.into, repair.parts, strict=True):
            assert {pred[point] for point in points} == {repair.clusters[0]}
            after |= dict.fromkeys(points, name)
    elif repair.operation == "merge":
        assert {pred[point] for point in repair.points} == {*repair.clusters}
        after |= {point: repair.into[0] for point, cluster in pred.items() if cluster in repair.clusters}
    elif repair.operation == "remove":
        assert {pred[point] for point in repair.points} == {repair.clusters[0]}
        for point in repair.points:
            del after[point]
    else:
        assert repair.clusters == [] or repair.into[0] in repair.clusters
        assert bool(repair.clusters) == (repair.into[0] in pred.values())
        after |= dict.fromkeys(repair.points, repair.into[0])
    return after


@cases("seed", range(24))
def test_gains_are_exact(seed: int) -> None:
    """Splits, merges, moves, additions and removals, with and without weights."""
    rng = np.random.default_rng(seed)
    true, pred = (
        {p: f"{side}{rng.integers(4)}" for p in range(14) if rng.random() < 0.8} for side in ("t", "p")
    )
    weights = {p: float(rng.integers(1, 5)) for p in range(14)} if seed % 2 else None
    diff = cd.compare(true, pred, missing="lost", weights=weights)
    repairs = diff.repairs()
    assert all(gain >= 0.9 * max(repairs.gain[i:]) for i, gain in enumerate(repairs.gain))
    for repair in repairs:
        after = done(repair, pred)
        score = cd.compare(true, after, missing="lost", weights=weights).score()
        assert score == pytest.approx(repair.score, abs=1e-12), repair
        assert repair.sentence
        assert sum(repair.sizes) == len(repair.points)
    missing = true.keys() - pred.keys()
    added = {point for repair in repairs if repair.operation == "add" for point in repair.points}
    assert added <= missing


def operations(true: dict[int, Any], pred: dict[int, Any]) -> Iterator[dict[int, Any]]:
    """The prediction after every single operation.

    A cluster is split by true cluster. The clusters that hold one true cluster alone, but for spurious points, are
    united, by themselves or with one more that holds some of it. What a cluster has of a true one is moved to another
    that has some. The missing points of a true cluster come to any of its parts, or to a cluster of their own. The
    spurious points of a cluster go.
    """
    spurious, missing = (set(a) - set(b) for a, b in ((pred, true), (true, pred)))
    cells: dict[tuple[Any, Any], set[int]] = {}
    for point in true.keys() & pred.keys():
        cells.setdefault((true[point], pred[point]), set()).add(point)
    for cluster in set(pred.values()):
        parts = [points for (_, c), points in cells.items() if c == cluster]
        yield pred | {point: f"new {i}" for i, part in enumerate(parts) for point in part}
        after = {point: c for point, c in pred.items() if c != cluster or point not in spurious}
        if after.keys() | true.keys():
            yield after
    for own in set(true.values()):
        parts_of = {c: points for (t, c), points in cells.items() if t == own}
        alone = {c for c in parts_of if sum(c == other for _, other in cells) == 1}
        for host in [None, *(parts_of.keys() - alone)]:
            yield pred | {point: host or "new" for point, c in pred.items() if c in alone}
        for source, target in permutations(parts_of, 2):
            yield pred | dict.fromkeys(parts_of[source], target)
        lacking = [point for point in missing if true[point] == own]
        for target in ["new", *parts_of]:
            yield pred | dict.fromkeys(lacking, target)


def check_the_first(
    true: dict[int, Any], pred: dict[int, Any], weights: dict[int, float] | None = None
) -> None:
    diff = cd.compare(true, pred, missing="lost", weights=weights)
    repairs = diff.repairs()
    first = max(repairs.score, default=diff.score())
    after = (cd.compare(true, to, missing="lost", weights=weights).score() for to in operations(true, pred))
    best = max([*after, diff.score()])
    assert first == pytest.approx(best, abs=1e-12), (true, pred, weights)


def sides(n: int) -> Iterator[tuple[dict[int, Any], dict[int, Any]]]:
    """All pairs of clusterings of up to n points of which some are on one side alone, but for names."""
    seen = set()
    for true, pred in product(product((None, *"abc"), repeat=n), repeat=2):
        points = [pair for pair in zip(true, pred, strict=True) if pair != (None, None)]
        kinds: list[dict[str | None, str]] = [{}, {}]
        named = tuple(
            sorted(
                tuple(
                    "-" if c is None else kinds[i].setdefault(c, "pqrs"[len(kinds[i])])
                    for i, c in enumerate(pair)
                )
                for pair in sorted(points, key=str)
            )
        )
        if named in seen or not any("-" in pair for pair in named):
            continue
        seen.add(named)
        yield tuple(
            {point: f"{side}{pair[side]}" for point, pair in enumerate(named) if pair[side] != "-"}
            for side in (0, 1)
        )


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_best_repair_is_the_best_there_is(n: int) -> None:
    """No operation gains more than the first that is listed: all pairs of up to three points."""
    for true, pred in sides(n):
        check_the_first(true, pred)


@cases("seed", range(16))
def test_the_best_repair_is_the_best_among_more_points(seed: int) -> None:
    """Where a true cluster has up to five parts, with and without weights, some of which are 0."""
    rng = np.random.default_rng(seed)
    true, pred = (
        {p: f"{side}{rng.integers(k)}" for p in range(16) if rng.random() < 0.85}
        for side, k in (("t", 2 + seed % 3), ("p", 5))
    )
    weights = {p: float(rng.integers(0, 4)) for p in range(16)} if seed % 2 else None
    check_the_first(true, pred, weights)


def test_missing_points_go_where_they_gain_most() -> None:
    """Not always to the largest part: a small cluster that is theirs alone is better than one of others."""
    true = dict.fromkeys(range(6), "t") | dict.fromkeys(range(6, 18), "u")
    pred = dict.fromkeys((*range(3), *range(6, 18)), "x") | {3: "y", 4: "y"}
    added = next(r for r in cd.compare(true, pred, missing="lost").repairs() if r.operation == "add")
    assert (added.clusters, added.points) == (["y"], [5])
    for point in (1, 2, 3, 4):
        del pred[point]
    added = next(r for r in cd.compare(true, pred, missing="lost").repairs() if r.operation == "add")
    assert added.clusters == []
    assert added.sentence == "add 5 points (1, 2, 3, 4 and 5) of t to a cluster of their own"


def test_repairs_of_an_empty_side() -> None:
    """Everything is to be added; what is spurious cannot be taken away, for then nothing is left to compare."""
    repairs = cd.compare({1: "t", 2: "t", 3: "u"}, {}, missing="lost").repairs()
    assert [(r.operation, r.points, r.score) for r in repairs] == [
        ("add", [1, 2], 2 / 3),
        ("add", [3], 1 / 3),
    ]
    assert not len(cd.compare({}, {1: "p", 2: "p"}, missing="lost").repairs())


@cases("measure", ["rand", "pairs.f1", "b3.f1", "muc.f1", "lea.recall", "A", "mirkin", "S*(pairs)"])
@cases("seed", range(4))
def test_gains_in_any_measure_are_exact(measure: str, seed: int) -> None:
    """The same operations, by what they gain in another measure; what is not computed is counted."""
    rng = np.random.default_rng(seed)
    true, pred = (
        {p: f"{side}{rng.integers(4)}" for p in range(12) if rng.random() < 0.8} for side in ("t", "p")
    )
    diff = cd.compare(true, pred, missing="lost")
    repairs = diff.repairs(measure)
    assert all(gain >= 0.9 * max(repairs.gain[i:]) for i, gain in enumerate(repairs.gain))
    better = 1 if cd.measures[measure].similarity else -1
    for repair in repairs:
        after = cd.compare(true, done(repair, pred), missing="lost").score(measure)
        assert after == pytest.approx(repair.score, abs=1e-12), repair
        assert repair.gain == pytest.approx(better * (after - diff.score(measure)), abs=1e-12)
    few = diff.repairs(measure, recompute=2)
    assert len(few) <= 2
    assert few.left_out >= len(repairs) - 2


@cases("seed", range(40))
def test_the_sequence_ends_at_the_true_clustering(seed: int) -> None:
    """Every step is the best operation there is, gains what it says, and the last leads to the truth."""
    rng = np.random.default_rng(seed)
    shared = rng.choice([0.0, 0.5, 0.9])
    true, pred = {}, {}
    for point in range(int(rng.integers(2, 24))):
        both, own = rng.random() < shared, rng.random() < 0.5
        if both or own:
            true[point] = f"t{rng.integers(3)}"
        if both or not own:
            pred[point] = f"p{rng.integers(4)}"
    true[99] = "t0"
    weights = {p: float(rng.integers(p == 99, 4)) for p in range(100)} if seed % 2 else None

    def compared(to: dict[int, Any]) -> cd.types.Comparison:
        return cd.compare(true, to, missing="lost", weights=weights)

    diff = compared(pred)
    steps = diff.repairs().sequence
    assert diff.score() + sum(step.gain for step in steps) == pytest.approx(1)
    for step in steps:
        best = max(compared(pred).repairs().gain, default=0.0)
        assert step.gain == pytest.approx(best, abs=1e-12), step
        pred = done(step, pred)
        assert compared(pred).score() == pytest.approx(step.score, abs=1e-12), step
        assert sum(step.sizes) == len(step.points) > 0
    assert cd.Clustering(pred) == cd.Clustering(true)


def test_the_sequence_of_many_lost_points() -> None:
    """Removals are no longer weighed after every step, and true clusters beside many others wait: it still arrives."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 2000, (2, 8000)).astype(float)
    pred[:4000] = true[:4000]
    pred[rng.random(8000) < 0.1] = 0
    true[rng.random(8000) < 0.3], pred[rng.random(8000) < 0.1] = np.nan, np.nan
    diff = cd.compare(true, pred, missing="lost")
    steps = diff.repairs().sequence
    assert diff.score() + sum(steps.gain) == pytest.approx(steps[-1].score) == 1  # type: ignore[attr-defined]
    assert {step.operation for step in steps[:2000]} == {"split", "merge", "move", "add", "remove"}


def test_what_to_add_and_to_remove() -> None:
    """In words, best first."""
    diff = cd.compare([{"a", "b"}, {"c"}], [{"a"}, {"c", "x"}], missing="lost")
    told = {repair.sentence for repair in diff.repairs()}
    assert told == {"remove 1 point (x) from 1", "add 1 point (b) of true cluster 0 to 0"}
    steps = [(step.sentence, step.score) for step in diff.repairs().sequence]
    assert steps == [("add 1 point (b) of true cluster 0 to 0", 0.5), ("remove 1 point (x) from 1", 1.0)]
    assert diff.patch().apply([{"a"}, {"c", "x"}]) == cd.Clustering([{"a", "b"}, {"c"}])
