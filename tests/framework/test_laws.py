"""The laws of the framework, as properties of random clusterings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.measures.subcomponents import subcomponents
from clusterdiff.meet.lattice import Components
from tests.conftest import label_pairs

Pair = tuple[list[int], list[int]]
CLOSE = 1e-12
WITHOUT_DATA = [name for name, measure in cd.measures.items() if measure.needs is None and name != "K"]
SPLIT_MERGE = ("S_H", "S*(pairs)", "S*(largest)")


@given(label_pairs())
def test_symmetric_measures_do_not_care_which_is_true(pair: Pair) -> None:
    """Exchanging the clusterings changes nothing for measures flagged as symmetric."""
    forth, back = cd.compare(*pair), cd.compare(*pair[::-1])
    for name in WITHOUT_DATA:
        if cd.measures[name].symmetric:
            assert forth.score(name) == pytest.approx(back.score(name), abs=CLOSE), name


@given(label_pairs(), st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(pair: Pair, random: object) -> None:
    """Renaming labels and permuting points changes no score."""
    true, pred = pair
    order = list(range(len(true)))
    random.shuffle(order)  # type: ignore[attr-defined]
    before = cd.compare(true, pred)
    after = cd.compare([f"t{true[i]}" for i in order], [(pred[i], "p") for i in order])
    for name in WITHOUT_DATA:
        assert after.score(name) == pytest.approx(before.score(name), abs=CLOSE), name


@given(label_pairs())
def test_scores_lie_within_their_bounds(pair: Pair) -> None:
    """No measure leaves the bounds that its registry entry states."""
    diff = cd.compare(*pair)
    for name in WITHOUT_DATA:
        low, high = cd.measures[name].bounds_at(diff.n)
        assert low - CLOSE <= diff.score(name) <= high + CLOSE, name


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60))
def test_identical_clusterings_are_exactly_best(labels: list[int]) -> None:
    """A similarity of a clustering with itself is exactly 1.0, a distance exactly 0.0."""
    diff = cd.compare(labels, [label + 100 for label in labels])
    for name in WITHOUT_DATA:
        if cd.measures[name].reflexive:
            assert diff.score(name) == cd.measures[name].best, name
    assert diff.loss == (0.0,) * 5


@given(label_pairs())
def test_table_1_decomposes_measures_over_components(pair: Pair) -> None:
    """Equation 1: S = Σ w(J, n)·S(𝕃_J, ℂ_J) + b(𝕁, n) with Table 1's w and b, for every measure that has them."""
    diff = cd.compare(*pair)
    components = Components(diff.meet)
    parts = [diff.meet.restrict(components.of_true == j) for j in range(len(components))]
    for name in WITHOUT_DATA:
        measure = cd.measures[name]
        if measure.decomposition is None:
            continue
        weights = measure.decomposition.weight(components.size, diff.n)
        rest = measure.decomposition.rest(components.size, diff.n)
        total = math.fsum(w * measure(part) for w, part in zip(weights, parts, strict=True)) + rest
        assert diff.score(name) == pytest.approx(total, abs=1e-11), name


@given(label_pairs())
def test_join_weighted_measures_are_the_mean_over_components(pair: Pair) -> None:
    """Property 4.1, for the framework's measures, with each component compared on its own."""
    true, pred = pair
    diff = cd.compare(true, pred)
    for name in SPLIT_MERGE:
        total = 0.0
        for component in diff.components:
            at = component.points
            total += len(at) / len(true) * cd.score([true[i] for i in at], [pred[i] for i in at], name)
        assert diff.score(name) == pytest.approx(total, abs=CLOSE)


@given(label_pairs())
def test_component_scores_and_losses_are_those_of_the_component(pair: Pair) -> None:
    """A component's score is S_H of its points alone, and its loss is its share of 1 − S_H."""
    diff = cd.compare(*pair)
    for component in diff.components:
        alone = cd.measures["S_H"](component.meet)
        assert component.score == pytest.approx(alone, abs=CLOSE)
        assert component.loss == pytest.approx(component.size / diff.n * (1 - alone), abs=CLOSE)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_subcomponents_score_the_same_as_clusterings(parts: list[int]) -> None:
    """Property 4.4: S*({L}, ℂ_L) = s(ℂ|L), both ways round."""
    whole = [0] * len(parts)
    for name in ("entropy", "pairs", "largest"):
        split = cd.compare(whole, parts)
        (expected,) = subcomponents[name](split.meet)
        assert split.score(f"S*({name})") == pytest.approx(expected, abs=CLOSE)
        assert cd.score(parts, whole, f"S*({name})") == pytest.approx(expected, abs=CLOSE)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_subcomponent_measures_are_normalised(parts: list[int]) -> None:
    """Property 4.3: exactly 1 if and only if unsplit, exactly 0 if and only if all parts are singletons."""
    meet = cd.compare([0] * len(parts), parts).meet
    for name in ("entropy", "pairs", "largest"):
        (score,) = subcomponents[name](meet)
        assert (score == 1.0) == (len(set(parts)) == 1)
        assert (score == 0.0) == (len(set(parts)) == len(parts) > 1)
        assert 0.0 <= score <= 1.0


@given(label_pairs())
def test_meet_weighted_decomposition(pair: Pair) -> None:
    """Property 4.5: S* is the mean over cells of σ of the pair's two scores, whatever σ is."""
    diff = cd.compare(*pair)
    meet = diff.meet
    for name in ("entropy", "pairs", "largest"):
        s, t = subcomponents[name](meet), subcomponents[name](meet.transpose())
        total = math.fsum(
            m / diff.n * min(s[i], t[j])
            for i, j, m in zip(meet.true, meet.pred, meet.size.tolist(), strict=True)
        )
        assert diff.score(cd.split_merge(name, np.minimum)) == pytest.approx(total, abs=CLOSE)


@given(label_pairs())
def test_losses_add_up(pair: Pair) -> None:
    """Split and merge losses add up to 1 − S_H over the whole, components, true and predicted clusters."""
    diff = cd.compare(*pair)
    loss = diff.loss
    assert loss.total == pytest.approx(1 - diff.score(), abs=CLOSE)
    assert loss.split + loss.merge == loss.total
    for table in (diff.components, diff.splits, diff.merges):
        assert math.fsum(table["split_loss"]) == pytest.approx(loss.split, abs=CLOSE)
        assert math.fsum(table["merge_loss"]) == pytest.approx(loss.merge, abs=CLOSE)
        assert np.all(np.diff(table["loss"]) <= 0), "costliest first"
        assert min(table["split_loss"].min(), table["merge_loss"].min()) >= 0


@given(label_pairs())
def test_a_side_that_did_nothing_lost_nothing(pair: Pair) -> None:
    """If pred only splits, all loss is split loss; if it only merges, all loss is merge loss."""
    true, pred = pair
    finer = list(zip(true, pred, strict=True))
    assert cd.compare(true, finer).loss.merge == 0.0
    assert cd.compare(finer, pred).loss.split == 0.0


@given(label_pairs(), st.integers(1, 2**40))
def test_the_scale_of_weights_does_not_matter(pair: Pair, scale: int) -> None:
    """Multiplying all weights by a number changes no score; counts grow by its power that they state."""
    true, pred = pair
    weights = np.random.default_rng(len(true)).random(len(true)) + 0.01
    for factor in (scale, 1 / scale):
        one, other = (cd.compare(true, pred, weights=w) for w in (weights, weights * factor))
        for name in WITHOUT_DATA:
            if cd.measures[name].weighted:
                unit = factor ** cd.measures[name].degree
                close = (
                    1e-9 * unit
                )  # a zero may be off by a rounding of the whole, which has grown with the unit
                assert other.score(name) == pytest.approx(one.score(name) * unit, rel=1e-9, abs=close), name


@given(label_pairs())
def test_unit_weights_change_nothing(pair: Pair) -> None:
    """Weights of 1, as integers or floats, give the unweighted scores."""
    true, pred = pair
    plain = cd.compare(true, pred)
    for weights in ([1] * len(true), [1.0] * len(true), [3] * len(true)):
        weighted = cd.compare(true, pred, weights=weights)
        for name in WITHOUT_DATA:
            if cd.measures[name].weighted:
                expected = plain.score(name) * weights[0] ** cd.measures[name].degree
                assert weighted.score(name) == pytest.approx(expected, abs=1e-11), name
        assert weighted.loss == pytest.approx(plain.loss, abs=CLOSE)


@given(label_pairs(20))
def test_integer_weights_and_duplicated_points(pair: Pair) -> None:
    """For measures linear in mass a weight of 2 is the same as two points; S_H's point cannot be split, so not."""
    true, pred = pair
    weights = [1 + (3 * i) % 4 for i in range(len(true))]
    twice = [
        [label for label, w in zip(side, weights, strict=True) for _ in range(w)] for side in (true, pred)
    ]
    weighted, copied = cd.compare(true, pred, weights=weights), cd.compare(*twice)
    for name in ("I", "nmi_max", "VI", "N", "A"):
        assert weighted.score(name) == pytest.approx(copied.score(name), abs=1e-11), name


def test_a_heavy_point_is_one_point_for_s_h() -> None:
    """A point of weight 2 is not two points: broken into singletons S_H is 0 with weights, not with copies."""
    assert cd.compare([0, 0, 0], [0, 1, 2], weights=[2, 1, 1]).score() == 0.0
    assert cd.compare([0, 0, 0, 0], [0, 0, 1, 2]).score() > 0.0


def test_weights_of_zero_leave_points_out() -> None:
    """A point of weight 0 does not count: the score is that of the other points."""
    true, pred = [0, 0, 1, 1, 1, 2], [0, 0, 0, 1, 1, 2]
    weighted = cd.compare(true, pred, weights=[1, 1, 0, 1, 1, 1])
    left = cd.compare([0, 0, 1, 1, 2], [0, 0, 1, 1, 2])
    for name in ("VI", "nmi_max", "N", "R"):
        assert weighted.score(name) == pytest.approx(left.score(name), abs=CLOSE)


def test_pair_weights_are_products() -> None:
    """With weights, a pair counts as the product of its points' weights, and integers stay exact past 2**63."""
    true, pred, weights = [0, 0, 1, 1], [0, 1, 1, 1], [3, 1, 4, 1]
    pairs = cd.compare(true, pred, weights=weights).meet.pairs
    assert pairs == (4 * 1, 3 * 1 + 4 * 1, 1 * 4 + 1 * 1 + 4 * 1, 3 + 12 + 3 + 4 + 1 + 4)
    big = 10**9
    pairs = cd.compare([0, 0, 0, 0], [0, 0, 1, 1], weights=[big] * 4).meet.pairs
    assert pairs == (2 * big**2, 6 * big**2, 2 * big**2, 6 * big**2)
    assert isinstance(pairs.all, int)
    assert pairs.all > 2**62


def test_the_triangle_inequality_does_not_hold() -> None:
    """1 − S_H is no metric: a known triple breaks the triangle inequality by 0.0929."""
    a, b, top = [0, 0, 0, 1, 1], [0, 0, 1, 0, 1], [0, 0, 0, 0, 0]
    d = lambda x, y: 1 - cd.score(x, y)  # noqa: E731
    assert d(a, b) - d(a, top) - d(top, b) == pytest.approx(0.0929, abs=1e-4)
