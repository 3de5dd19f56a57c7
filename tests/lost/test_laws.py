"""The laws of missing="lost", for all clusterings of all subsets of four points, and for random ones."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.diff.loss import PARTS
from tests.lost.oracle import Clustering, of_subsets, score

FOUR = list(of_subsets([0, 1, 2, 3]))


def compared(true: Clustering, pred: Clustering, **data: Any) -> cd.types.Comparison:
    return cd.compare([set(c) for c in true], [set(c) for c in pred], missing="lost", **data)


def points(clustering: Clustering) -> set[object]:
    return set().union(*clustering)


def by_size(cluster: frozenset[Any]) -> tuple[int, list[Any]]:
    return len(cluster), sorted(cluster)


def cut(clustering: Clustering, other: Clustering) -> int:
    """How often its clusters have to be cut so that none lies in two of the other's."""
    return sum(max(0, sum(bool(one & two) for two in other) - 1) for one in clustering)


def test_all_pairs_of_clusterings_of_subsets_of_four_points() -> None:
    """Laws 1 and 2, additivity, and the value itself, without exception."""
    found = 0
    for true, pred in product(FOUR, FOUR):
        ordered = [point for cluster in sorted(true, key=by_size) for point in sorted(cluster)]
        ordered += sorted(points(pred) - points(true))
        if not points(true) or ordered != list(range(len(ordered))):
            continue  # both empty is an error; others are the same up to the points' names
        diff = compared(true, pred)
        value, loss = diff.score(), diff.loss
        found += 1
        assert value == pytest.approx(score(true, pred), abs=1e-12)
        assert sum(loss[1:]) == pytest.approx(1 - value, abs=1e-12)
        assert min(loss) >= 0
        assert (value == 1.0) == (set(true) == set(pred))
        shared, n = points(true) & points(pred), len(points(true) | points(pred))
        assert value <= len(shared) / n + 1e-12
        single = all(len(one & other) < 2 for one in true for other in pred)
        assert (value == 0.0) == (single and not set(true) & set(pred))
        if not pred:
            assert loss == (1.0, 0.0, 0.0, 1.0, 0.0)
        unshared = len(points(true) ^ points(pred))
        assert diff.score("edits") == cut(true, pred) + cut(pred, true) + unshared
        assert (diff.score("edits.splits"), diff.score("edits.merges")) == (cut(true, pred), cut(pred, true))
    assert found > 500


sides = st.dictionaries(st.integers(0, 9), st.integers(0, 3), max_size=10)


def clusters(labels: dict[int, int]) -> Clustering:
    return [frozenset(p for p in labels if labels[p] == c) for c in sorted(set(labels.values()))]


@settings(max_examples=50, deadline=None)
@given(sides, sides, st.sampled_from(["entropy", "pairs", "largest"]), st.booleans())
def test_any_clusterings(true: dict[int, int], pred: dict[int, int], s: str, mean: bool) -> None:
    """S* and S' are the definition's, every table adds up to the loss, and exchanging the sides exchanges the parts."""
    if not true and not pred:
        return
    t, p = clusters(true), clusters(pred)
    diff = compared(t, p)
    name = f"S'({s})" if mean else f"S*({s})"
    assert diff.score(name) == pytest.approx(score(t, p, s, mean), abs=1e-12)
    back = compared(p, t)
    assert back.loss == pytest.approx((diff.loss[0], *(diff.loss[i] for i in (2, 1, 4, 3))), abs=1e-12)
    tables = [
        diff.splits,
        diff.merges,
        diff.components,
        diff.cells,
        diff.by_point,
        diff.by("kind"),
        diff.by("size"),
    ]
    slices = diff.by({point: int(point) % 3 for point in diff.points})  # type: ignore[call-overload]
    for table in (*tables, slices):
        for i, part in enumerate(PARTS, 1):
            assert table[f"{part}_loss"].sum() == pytest.approx(diff.loss[i], abs=1e-12)
        assert table["loss"].sum() == pytest.approx(diff.loss.total, abs=1e-12)
    for table in (diff.components, diff.cells):
        assert table["size"].sum() == diff.n
    # Law 3: the score is the mean of the components', weighted by their points.
    assert sum(c.size * c.score for c in diff.components) / diff.n == pytest.approx(diff.score(), abs=1e-12)
    for component in diff.components:
        assert component.meet.n == component.size == len(component.points)
        assert cd.measures["S_H"](component.meet) == pytest.approx(component.score, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(sides, sides)
def test_spurious_points_and_points_left_out(true: dict[int, int], pred: dict[int, int]) -> None:
    """Laws 5 and 6: a spurious point costs, a singleton is no worse than nothing, leaving out a pure one no better."""
    if not true or not pred:
        return
    before = cd.compare(true, pred, missing="lost").score()
    for cluster in {*pred.values(), 99}:
        spurious = cd.compare(true, pred | {100: cluster}, missing="lost").score()
        assert spurious < before or before == spurious == 0.0
    for point in true.keys() - pred.keys():
        alone = cd.compare(true, pred | {point: 99}, missing="lost").score()
        assert alone >= before - 1e-12
    for point, cluster in pred.items():
        members = [p for p in pred if pred[p] == cluster]
        if len(pred) > 1 and {true.get(p) for p in members} == {true.get(point)} != {None}:
            rest = {p: c for p, c in pred.items() if p != point}
            assert cd.compare(true, rest, missing="lost").score() <= before + 1e-12


@given(sides, sides)
def test_pair_measures_count_pairs_of_points(true: dict[int, int], pred: dict[int, int]) -> None:
    """Pairs are those in whole clusters; on a pair with a point that one side lacks the two disagree."""
    if true.keys() == pred.keys():
        return
    both = sorted(true.keys() | pred.keys())
    together = agreed = tied = cut = 0
    for i, j in combinations(both, 2):
        one, other = ({i, j} <= side.keys() and side[i] == side[j] for side in (true, pred))
        together += one and other
        cut += one and not other
        tied += other and not one
        agreed += one == other and {i, j} <= true.keys() and {i, j} <= pred.keys()
    every = comb(len(both), 2)

    def over(part: float, whole: float) -> float:
        return part / whole if whole else 0.0

    rand = over(agreed, every)
    expected = {
        "rand": rand,
        "mirkin": 2.0 * (every - agreed),
        "rogers_tanimoto": rand / (2 - rand),
        "sokal_sneath_2": 2 * rand / (1 + rand),
        "gamma": 2 * rand - 1,
        "g_plus": 1 - rand,
        "russel_rao": over(together, every),
        "jaccard": over(together, together + cut + tied),
        "sokal_sneath_1": over(together, together + 2 * (cut + tied)),
        "kulczynski": (over(together, together + cut) + over(together, together + tied)) / 2,
        "overlap": over(together, together + min(cut, tied)),
        "tversky(alpha=0.5, beta=2)": over(together, together + cut / 2 + 2 * tied),
    }
    found = cd.compare(true, pred, missing="lost").scores(list(expected))
    assert dict(found) == pytest.approx(expected, abs=1e-12)


def test_without_lost_points_nothing_changes() -> None:
    """Where both have the same points every number is that of missing="error", to the bit."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        true, pred = (dict(enumerate(rng.integers(0, 4, 12).tolist())) for _ in range(2))
        lost, plain = cd.compare(true, pred, missing="lost"), cd.compare(true, pred)
        for name in ("S_H", "S'", "ari", "vi", "b3.f1", "muc.f1", "R", "A", "ami"):
            assert lost.score(name) == plain.score(name)
        assert lost.loss == plain.loss
        assert lost.kinds == plain.kinds


def test_a_user_s_own_subcomponent_and_distances() -> None:
    """r is the score of the shared points as one part; an own form of a built-in gives the same."""

    def own_pairs(sizes: Any) -> float:
        n = sizes.sum()
        return float((sizes * (sizes - 1)).sum() / (n * (n - 1))) if n > 1 else 1.0

    def by_members(members: Any) -> float:
        return own_pairs(np.array([len(part) for part in members]))

    rng = np.random.default_rng(1)
    for _ in range(30):
        true, pred = ({p: int(rng.integers(3)) for p in range(9) if rng.random() < 0.7} for _ in range(2))
        if not true and not pred:
            continue
        far = cd.compare(true, pred, missing="lost", distances=lambda a, b: np.ones(len(a)))
        expected = far.score("S*(pairs)")
        assert far.score("S*(distance)") == pytest.approx(expected, abs=1e-12)
        assert far.score(cd.split_merge(own_pairs)) == pytest.approx(expected, abs=1e-12)
        assert far.score(cd.split_merge(by_members)) == pytest.approx(expected, abs=1e-12)
        features = cd.compare(true, pred, missing="lost", features={p: rng.normal(size=2) for p in range(9)})
        assert 0 <= features.score("S_MSE") <= 1


def test_both_sides_empty_is_an_error() -> None:
    """There is nothing to compare, which is not a score of 0."""
    with pytest.raises(cd.LabelError, match="both empty"):
        cd.compare([], [], missing="lost")
    assert cd.compare([{"a"}], [], missing="lost").score() == 0.0
    with pytest.raises(cd.LabelError, match="`pred` is empty"):
        cd.compare([{"a"}], [], missing="drop")
