"""Weights at the ends of the scale: no score depends on their unit, and points without weight change nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import clusterdiff as cd
from tests.cases import cases
from tests.conftest import label_pairs
from tests.numbers.oracle import exact

Pair = tuple[list[int], list[int]]
WEIGHTED = {
    name: measure
    for name, measure in cd.measures.items()
    if measure.weighted and measure.needs is None and name != "K"
} | {name: cd.measures[name] for name in ("S*(pairs)", "S'(pairs)", "K(k=60)", "v_measure(beta=2)")}
RNG = np.random.default_rng(5)
TRUE, PRED, SOME = RNG.integers(0, 5, 60), RNG.integers(0, 6, 60), RNG.integers(1, 64, 60) / 16
#: Where a clustering has points that the other lacks.
LESS = dict(enumerate(TRUE[:-8].tolist())), {i: p for i, p in enumerate(PRED.tolist()) if i % 9}
#: Differences, or near independence made of such.
DIFFERENCES = {
    "ari", "afm", "pairs.correlation", "gamma", "npa", "K(k=60)", "I", "nmi", "nmi_max", "homogeneity", "completeness",
    "v_measure", "chi2",
}  # fmt: skip
pytestmark = pytest.mark.filterwarnings("ignore:K")


def compared(weights: object, lost: bool = False) -> cd.types.Comparison:
    """The two clusterings with these weights."""
    if lost:
        return cd.compare(*LESS, weights=dict(enumerate(weights)), missing="lost")  # type: ignore[call-overload]
    return cd.compare(TRUE, PRED, weights=weights)


def values(diff: cd.types.Comparison, degree: int | None = 0) -> dict[str, float]:
    """Every weighted measure that there is for it, of some degree or of any."""
    return {
        name: diff.score(measure)
        for name, measure in WEIGHTED.items()
        if degree in (None, measure.degree) and not (diff.summed.uneven and isinstance(measure.lost, str))
    }


@cases("lost", [False, True])
@cases("power", [-1070, -1000, -500, -101, -7, 7, 101, 500, 1000])
def test_a_power_of_two_changes_no_bit(power: int, lost: bool) -> None:
    """Scaling all weights by a power of two leaves every score as it is, down to subnormal weights."""
    assert values(compared(np.ldexp(SOME, power), lost)) == values(compared(SOME, lost))


@cases("lost", [False, True])
@cases("factor", [1e-300, 1e-170, 1e-150, 11, 1e150, 1e154, 1e200, 1e300])
def test_no_scale_changes_a_score(factor: float, lost: bool) -> None:
    """Scaling all weights by any other number changes rounding only; the loss is the same in each part."""
    plain, scaled = compared(SOME, lost), compared(SOME * factor, lost)
    assert values(scaled) == pytest.approx(values(plain), rel=1e-12, abs=1e-12)
    assert scaled.loss == pytest.approx(plain.loss, abs=1e-12)
    assert [r.gain for r in scaled.repairs()[:5]] == pytest.approx(
        [r.gain for r in plain.repairs()[:5]], abs=1e-12
    )
    groups = dict(enumerate(PRED.tolist())) if lost else TRUE
    by_group = ([row.score for row in diff.by(groups)] for diff in (scaled, plain))
    assert next(by_group) == pytest.approx(next(by_group), abs=1e-12)


@cases("power", [-480, -130, 130, 480])
def test_counts_come_in_the_users_units(power: int) -> None:
    """What grows with the weights is scaled back, exactly, and so are the weights that the user sees."""
    plain, scaled = compared(SOME), compared(np.ldexp(SOME, power))
    for degree in (1, 2):
        expected = {name: math.ldexp(x, power * degree) for name, x in values(plain, degree).items()}
        assert len(expected) > 1
        assert values(scaled, degree) == expected
    assert scaled.meet.to_dict()["weight"] == [math.ldexp(w, power) for w in plain.meet.to_dict()["weight"]]
    assert f"sum={math.ldexp(SOME.sum(), power):.12g}|" in scaled.signature


@pytest.mark.parametrize("power", [-900, 900])
def test_a_count_that_no_double_holds_says_so(power: int) -> None:
    """Squares of weights of 2^±900 are beyond a double: an error that says so, not 0 and not infinity."""
    with pytest.raises(
        cd.MeasureError, match=r"mirkin grows with the square of the weights, and .* a double"
    ):
        compared(np.ldexp(SOME, power)).score("mirkin")
    assert compared(np.ldexp(SOME, power)).score("split_join") > 0


def test_weights_whose_sum_no_double_holds_say_so() -> None:
    """Each of them is finite; their sum is not."""
    with pytest.raises(cd.ArgumentError, match=r"`weights` must add up to a number that a double can hold"):
        cd.compare([0, 0, 1], [0, 1, 1], weights=[1e308, 1e308, 1e308])


@given(label_pairs(30), st.integers(0, 2**32))
def test_points_without_weight_change_nothing(pair: Pair, seed: int) -> None:
    """Leaving out the points of weight 0 changes no weighted measure, in any clusters they may have been."""
    true, pred = (np.array(side) for side in pair)
    rng = np.random.default_rng(seed)
    weights = rng.random(len(true)) * rng.integers(0, 2, len(true))
    weights[seed % len(true)] = 0.7
    heavy = weights > 0
    with_them = values(cd.compare(true, pred, weights=weights), None)
    without = values(cd.compare(true[heavy], pred[heavy], weights=weights[heavy]), None)
    assert with_them == pytest.approx(without, rel=1e-12, abs=1e-12)
    for name in ("S_H", "S*(pairs)"):  # eleven times zero is zero
        scaled = cd.compare(true, pred, weights=weights * 11).score(name)
        assert scaled == pytest.approx(without[name], rel=1e-12, abs=0)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.integers(0, 2**32))
def test_identical_clusterings_are_exactly_best_with_any_weights(labels: list[int], seed: int) -> None:
    """With itself a clustering scores exactly 1.0, or 0.0 if that is best, whatever points of weight 0 do."""
    rng = np.random.default_rng(seed)
    weights = rng.random(len(labels)) * 10.0 ** rng.integers(-9, 9, len(labels))
    other = [*labels, 3, 4, 5, 4]
    diff = cd.compare([*labels, 3, 3, 9, 9], other, weights=[*weights, 0, 0, 0, 0])
    for name, measure in WEIGHTED.items():
        if measure.reflexive:
            assert diff.score(name) == measure.best, name


@cases("weight", [5e-324, 1e-200, 0.1, 1, 1e200, 1.7e308])
def test_one_point_with_all_the_weight_is_one_point(weight: float) -> None:
    """Every measure gives what it gives for a single point."""
    alone = values(cd.compare([0], [0], weights=[1.0]))
    for labels in (([0, 0, 1], [0, 1, 1]), ([0, 0, 0], [0, 1, 2]), ([0, 1, 2], [3, 3, 3])):
        diff = cd.compare(*labels, weights=[0, weight, 0])
        assert values(diff) == alone
        assert diff.loss == (0.0,) * 5


@cases("heavy", [1e6, 1e12, 1e15 + 1])
@cases("kind", ["ones", "fractions"])
def test_a_heavy_point_hides_none_of_the_others(heavy: float, kind: str) -> None:
    """With 10^12 beside 1 every measure has as many digits as without, against sums in 170 digits."""
    rng = np.random.default_rng(int(heavy) % 97)
    true, pred = rng.integers(0, 4, 25), rng.integers(0, 4, 25)
    weights = np.ones(25) if kind == "ones" else rng.random(25)
    weights[7] = heavy + (0.0 if kind == "ones" else 0.3)
    found = cd.compare(true, pred, weights=weights)
    expected = exact(true.tolist(), pred.tolist(), weights.tolist())
    assert {name: found.score(name) for name in expected} == pytest.approx(expected, rel=1e-9, abs=1e-15)


@given(label_pairs(7), st.lists(st.tuples(st.integers(-40, 40), st.floats(1, 2)), min_size=7, max_size=7))
@example(([0, 0, 1], [0, 1, 1]), [(40, 1.1), (-40, 1.1), (-40, 1.1)])  # ari was 1 and is 0
@example(([0, 0, 1, 1], [0, 1, 0, 1]), [(40, 1.1), (-40, 1.1), (-40, 1.1), (-40, 1.1)])
def test_weights_of_all_sizes_agree_with_their_definitions(
    pair: Pair, drawn: list[tuple[int, float]]
) -> None:
    """Weights from 10^-12 to 10^12 side by side: nine digits of every measure, against sums in 170 digits.

    What is a difference by its definition has no digits left near 0, and 15 places there.
    """
    true, pred = pair
    weights = [factor * 2.0**power for power, factor in drawn[: len(true)]]
    diff, expected = cd.compare(true, pred, weights=weights), exact(true, pred, weights)
    assert WEIGHTED.keys() - expected.keys() == {"S*", "v_measure(beta=2)"}  # S_H, and v_measure
    for name, value in expected.items():
        places = 1e-15 * sum(weights) ** cd.measures[name].degree if name in DIFFERENCES else 1e-150
        assert diff.score(name) == pytest.approx(value, rel=1e-9, abs=places), name


@cases("name", [name for name, measure in WEIGHTED.items() if measure.degree == 0])
def test_bounds_hold_with_weights(name: str) -> None:
    """They are those of points that count alike; ``ari`` alone goes further, down to −1."""
    measure, rng = cd.measures[name], np.random.default_rng(7)
    for _ in range(60):
        n = int(rng.integers(2, 7))
        true, pred = (rng.integers(0, rng.integers(1, n + 1), n) for _ in range(2))
        score = cd.compare(true, pred, weights=2.0 ** rng.integers(-12, 13, n)).score(name)
        low, high = (-1.0, 1.0) if name == "ari" else measure.bounds_at(n)
        assert low - 1e-12 <= score <= high + 1e-12


def test_ari_goes_down_to_minus_one_with_weights() -> None:
    """Where one heavy point is together with a light one on either side, and with another each time."""
    scores = [cd.compare([0, 1, 1], [0, 0, 1], weights=[1, w, 1]).score("ari") for w in (1, 4.0, 2.0**40)]
    assert scores == pytest.approx([-0.5, -0.8, -1.0])


def test_whole_weights_up_to_the_last_bit() -> None:
    """Whole numbers near 2^62 and 2^64 are weights like others."""
    true, pred = [0, 0, 1, 1], [0, 0, 1, 2]
    small = values(cd.compare(true, pred, weights=[3, 1, 2, 2]))
    for dtype, unit in ((np.int64, 2**61), (np.uint64, 2**62)):
        weights = np.array([3, 1, 2, 2], dtype=dtype) * dtype(unit)
        assert values(cd.compare(true, pred, weights=weights)) == pytest.approx(small, rel=1e-12)
    assert cd.compare(true, pred, weights=[10**9] * 4).meet.pairs.all == 6 * 10**18


def test_meets_made_of_meets_keep_their_contents() -> None:
    """Merged, restricted and transposed meets have the sums that the points themselves would give."""
    weights = SOME.copy()
    weights[::7] = 0
    weights[3] = 1e12
    meet = compared(weights * 1e200).meet
    to = np.array([0, 1, 0, 2, 1, 2])
    merged = cd.compare(TRUE, to[PRED], weights=weights * 1e200).meet
    assert cd.measures["S_H"](meet.coarsen(to)) == pytest.approx(cd.measures["S_H"](merged), rel=1e-13)
    part = TRUE > 1
    kept = cd.compare(TRUE[part], PRED[part], weights=(weights * 1e200)[part]).meet
    for name in ("S_H", "ari", "split_join"):
        measure = cd.measures[name]
        assert measure(meet.restrict([2, 3, 4])) == pytest.approx(measure(kept), rel=1e-12)
        if measure.symmetric:
            assert measure(meet.transpose()) == pytest.approx(measure(meet), rel=1e-12)


def test_lost_points_beside_heavy_ones_keep_their_digits() -> None:
    """Pairs on which the two sides disagree are added up, not what is left of all pairs."""
    true, pred = {0: 3, 1: 2, 2: 0, 3: 0, 4: 1}, {0: 3, 1: 2, 2: 0, 4: 1, 5: 2}
    weights = {0: 1.0, 1: 1e12, 2: 1.0, 3: 1.0, 4: 1e12, 5: 1.0}
    for kind in (float, int):
        given = {point: kind(weight) for point, weight in weights.items()}
        diff = cd.compare(true, pred, weights=given, missing="lost")
        # All pairs are right but for those of the lost points 3 and 5, with all others and with each other.
        wrong = 2 * (2 * 10**12 + 2) + 1
        every = wrong + 10**24 + 2 * 2 * 10**12 + 1
        assert diff.score("mirkin") == pytest.approx(2 * wrong, rel=1e-14, abs=0)
        assert diff.score("g_plus") == pytest.approx(wrong / every, rel=1e-14, abs=0)
        # Together on one side only: 2 and 3 there, 1 and 5 here.
        assert diff.score("adapted_rand_error") == 1.0
        assert diff.meet.pairs[:3] == (0, 1, 10**12)


def test_lost_points_without_weight_change_nothing() -> None:
    """Then both sides have the same points, and every measure is as it is for these."""
    true, pred = {0: 0, 1: 0, 2: 1, 3: 2}, {0: 0, 1: 1, 2: 1, 4: 5}
    lost = cd.compare(true, pred, weights={0: 2.0, 1: 1.0, 2: 0.5, 3: 0, 4: 0}, missing="lost")
    even = cd.compare([0, 0, 1], [0, 1, 1], weights=[2.0, 1.0, 0.5])
    assert values(even, None) == {name: lost.score(name) for name in values(even, None)}
    assert lost.loss == even.loss
    # A cluster of which all that weighs something is lost keeps nothing, whatever points of no weight are left of it.
    splits = cd.compare({0: 0, 1: 0, 2: 1}, {0: 0, 2: 1}, weights={0: 0, 1: 5, 2: 1}, missing="lost").splits
    assert dict(zip(splits["cluster"], splits["score"], strict=True)) == {0: 0.0, 1: 1.0}


@pytest.mark.parametrize(
    ("true", "pred", "powers"),
    [
        ([0, 0], [0, 1], [498, -498]),  # S_H was 1 and is 0
        ([0, 1, 1, 2, 2], [0, 1, 1, 1, 2], [498, -498, -498, -498, -498]),  # the heavy point is in no pair
        ([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], [-300, 498, 0, 3, -498]),
    ],
)
def test_weights_as_far_apart_as_doubles_can_be_multiplied(
    true: list[int], pred: list[int], powers: list[int]
) -> None:
    """Weights from 10^-150 to 10^150 side by side: a light point counts where no heavy one is, as everywhere."""
    weights = [1.1 * 2.0**power for power in powers]
    diff, expected = cd.compare(true, pred, weights=weights), exact(true, pred, weights, digits=650)
    for name, value in expected.items():
        if cd.measures[name].degree == 0:
            assert diff.score(name) == pytest.approx(value, rel=1e-9, abs=1e-15), name
