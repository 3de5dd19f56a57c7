"""Intervals: drawn rightly, the same for the same seed, and covering as often as they say."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.decide.paired import paired, permutation_p_value
from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.resampling import bootstrap, coins, kinds_of
from clusterdiff.diff.statistic import Statistic, kept_share, statistic
from clusterdiff.diff.units import Unit, units_of
from clusterdiff.measures import resolve
from tests.cases import cases


def universe(seed: int, sizes: np.ndarray, errors: float, unit: Unit = "true") -> np.ndarray:
    """What many units keep of S_H, and their sizes: points went astray, alone or to a neighbouring cluster."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(len(sizes)), sizes)
    astray, alone = rng.random(len(true)) < errors, rng.random(len(true)) < 0.5
    pred = np.where(astray & ~alone, (true + rng.integers(1, 3, len(true))) % len(sizes), true)
    pred[astray & alone] = len(sizes) + np.arange(np.count_nonzero(astray & alone))
    meet = cd.compare(true, pred).meet
    return statistic(meet, resolve("S_H"), units_of(meet, unit)).sums


SIZES = 1 + np.random.default_rng(1).geometric(0.4, 20_000)
LINKED = universe(1, SIZES, 0.1)


def test_kinds_of_units_are_told_apart_by_their_sums() -> None:
    """Rows that differ in their last bits alone are of one kind; nothing else is."""
    rows = np.array([[0.1 + 0.2, 1.0], [0.3, 1.0], [0.3, 2.0], [-0.0, 1.0], [0.0, 1.0]])
    of_row, first, counts = kinds_of(rows)
    assert of_row.tolist() == [0, 0, 1, 2, 2]
    assert (first.tolist(), counts.tolist()) == ([0, 2, 3], [2, 1, 2])


@pytest.mark.parametrize("kinds", [3, 700, 5000])
def test_the_bootstrap_draws_with_replacement(kinds: int) -> None:
    """Means, variances and covariances are those of drawing 5,000 units, common and rare kinds alike."""
    rng = np.random.default_rng(0)
    weights = 1.0 / (1 + np.arange(kinds))
    sums = rng.normal(size=(kinds, 2))[rng.choice(kinds, 5000, p=weights / weights.sum())]
    drawn = bootstrap(sums, 4000, seed=1)
    spread = len(sums) * np.cov(sums.T, bias=True)
    assert drawn.mean(axis=0) == pytest.approx(sums.sum(axis=0), abs=4 * np.sqrt(spread.max() / 4000))
    assert np.cov(drawn.T) == pytest.approx(spread, abs=0.08 * spread.max())
    assert np.array_equal(drawn, bootstrap(sums, 4000, seed=1))
    assert not np.array_equal(drawn, bootstrap(sums, 4000, seed=2))


def test_every_unit_can_be_drawn_any_number_of_times() -> None:
    """Of two units each resample has 0, 1 or 2 of the first, in the proportions 1 : 2 : 1."""
    drawn = bootstrap(np.array([[1.0], [0.0]]), 8000, seed=3)[:, 0]
    times = np.array([np.count_nonzero(drawn == i) for i in range(3)]) / 8000
    assert times == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


@pytest.mark.parametrize("kinds", [2, 3000])
def test_coins_are_fair_and_independent(kinds: int) -> None:
    """Each unit is picked half of the time, whatever the others do."""
    rng = np.random.default_rng(0)
    sums = rng.normal(size=(kinds, 2))[rng.integers(0, kinds, 3000)]
    drawn = coins(sums, 4000, seed=1)
    spread = sums.T @ sums / 4
    assert drawn.mean(axis=0) == pytest.approx(sums.sum(axis=0) / 2, abs=4 * np.sqrt(spread.max() / 4000))
    assert np.cov(drawn.T) == pytest.approx(spread, abs=0.08 * spread.max())


@pytest.mark.parametrize(("unit", "units"), [("true", 100), ("true", 300), ("component", 300)])
def test_intervals_cover_as_often_as_they_say(unit: Unit, units: int) -> None:
    """Of 1,000 samples, 93 to 97 % have the value of the whole universe in their 95 % interval."""
    rng = np.random.default_rng(units)
    every = LINKED if unit == "true" else universe(1, SIZES, 0.1, unit)
    value = kept_share(every.sum(axis=0, keepdims=True))[0]
    covered = 0
    for seed in range(1000):
        sample = every[rng.integers(0, len(every), units)]
        how = Resampling(method="percentile", resamples=300, seed=seed)
        low, high = how.ends(
            kept_share(bootstrap(sample, 300, seed)), kept_share(sample.sum(axis=0, keepdims=True))[0]
        )
        covered += low <= value <= high
    assert 0.93 <= covered / 1000 <= 0.97


def test_intervals_of_differences_cover_as_often_as_they_say() -> None:
    """The paired bootstrap of two systems: 93 to 97 % of the samples have the universe's difference in theirs."""
    rng = np.random.default_rng(9)
    other = universe(2, SIZES, 0.15)[:, 0]
    value = (LINKED[:, 0].sum() - other.sum()) / LINKED[:, 1].sum()
    covered = 0
    for seed in range(800):
        at = rng.integers(0, len(LINKED), 150)
        sides = [Statistic((kept[at], LINKED[at, 1]), kept_share) for kept in (LINKED[:, 0], other)]
        _, low, high, _ = paired(
            sides[0], sides[1], Resampling(method="percentile", resamples=400, seed=seed)
        )
        covered += low <= value <= high
    assert 0.93 <= covered / 800 <= 0.97


def test_p_values_of_equal_systems_are_uniform() -> None:
    """Two systems that err alike are called different in one of twenty samples at the level of 5 %."""
    one, two = LINKED, LINKED[:, 0].copy()
    rng = np.random.default_rng(5)
    # The same clusters, and what another system of the same kind keeps of clusters of that size.
    for size in np.unique(one[:, 1]):
        at = np.flatnonzero(one[:, 1] == size)
        two[at] = two[rng.permutation(at)]
    called = 0
    for seed in range(600):
        at = rng.integers(0, len(one), 60)
        sides = [Statistic((kept[at], one[at, 1]), kept_share) for kept in (one[:, 0], two)]
        called += permutation_p_value(sides[0], sides[1], 400, seed) <= 0.05
    assert 0.03 <= called / 600 <= 0.07


def test_the_permutation_test_is_exact_for_few_units() -> None:
    """With no more ways to flip than draws, all of them are gone through: the p-value by its definition."""
    rng = np.random.default_rng(0)
    size = rng.integers(2, 9, 8).astype(float)
    first, second = rng.random(8) * size, rng.random(8) * size
    here = abs((first - second).sum())
    ways = [
        abs(
            sum(
                (a - b) * (1 if flips >> i & 1 else -1)
                for i, (a, b) in enumerate(zip(first, second, strict=True))
            )
        )
        for flips in range(2**8)
    ]
    p = sum(way >= here - 1e-12 for way in ways) / 2**8
    sides = [Statistic((kept, size), kept_share) for kept in (first, second)]
    assert permutation_p_value(sides[0], sides[1], 1000, 0) == p
    assert permutation_p_value(sides[0], sides[1], 100, 0) == pytest.approx(p, abs=0.15)


def test_the_paired_bootstrap_recomputed_slowly() -> None:
    """Differences of units drawn one by one, in a loop, are distributed alike."""
    rng = np.random.default_rng(2)
    size = rng.integers(2, 9, 120).astype(float)
    first = size * rng.random(120) ** 0.3
    second = size * rng.random(120) ** 0.4
    sides = [Statistic((kept, size), kept_share) for kept in (first, second)]
    difference, low, high, p = paired(sides[0], sides[1], Resampling(method="percentile", resamples=4000))
    slow = []
    for _ in range(4000):
        at = rng.integers(0, 120, 120)
        slow.append(first[at].sum() / size[at].sum() - second[at].sum() / size[at].sum())
    assert difference == pytest.approx((first.sum() - second.sum()) / size.sum())
    assert (low, high) == pytest.approx(np.quantile(slow, [0.025, 0.975]).tolist(), abs=0.006)
    far = np.mean(np.abs(np.array(slow) - difference) >= abs(difference))
    assert p == pytest.approx(far, abs=0.03)


def test_an_interval_is_a_pair_that_knows_how_it_was_made() -> None:
    """It unpacks, pickles, prints in one line; documents can be drawn again, and basic mirrors the percentiles."""
    true = [i // 4 for i in range(400)]
    pred = [2 * (i // 4) + (i % 4 == 3 and i % 20 < 8) for i in range(400)]
    diff = cd.compare(true, pred)
    found = diff.interval()
    low, high = found
    assert found.reason is None
    assert (found.low, found.high, found.unit, found.units, found.value) == (
        low,
        high,
        "component",
        100,
        diff.score(),
    )
    assert pickle.loads(pickle.dumps(found)).to_dict() == found.to_dict()
    assert found.signature.startswith("interval:S_H|unit:component(100)|jackknife:0.95|n:400|")
    assert diff.interval(level=0.5).high < high
    documents = cd.compare(true, pred, documents=[i // 8 for i in range(400)])
    drawn = documents.interval(method="percentile", seed=3)
    basic = documents.interval(method="basic", seed=3)
    value = documents.score()
    assert tuple(basic) == pytest.approx((2 * value - drawn.high, 2 * value - drawn.low))
    assert drawn.signature.startswith(
        "interval:S_H|unit:document(50)|percentile:0.95|resamples:10000|seed:3|n:400|"
    )


@cases(
    ("options", "message"),
    [
        ({"resamples": 0}, "`resamples` must be a whole number of at least 1; got 0"),
        ({"level": 95.0}, "`level` must be between 0 and 1; got 95.0"),
        ({"level": 1.0}, "`level` must be between 0 and 1; got 1.0"),
        ({"method": "bca"}, '`method` must be one of "jackknife", "percentile", "basic"'),
        ({"method": "basic"}, 'method="basic" resamples documents'),
        ({"seed": -1}, "`seed` must be a whole number from 0"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    """With the argument, what was expected and what came."""
    with pytest.raises(cd.ArgumentError, match=message):
        cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).interval(**options)  # type: ignore[arg-type]


def test_identical_sides_have_nothing_to_vary() -> None:
    """Nothing was seen to go wrong, which does not say that nothing would: there is no interval, and it says why."""
    found = cd.compare([i // 2 for i in range(40)], [i // 2 for i in range(40)]).interval()
    assert tuple(found) == (None, None)
    assert found.reason is not None
    assert "errors in up to 0.15 of them would often stay unseen (rule of three)" in found.reason
