"""p by chance: exact where it can be, never smaller than what it rests on, and the same for a family of measures."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff import chance as chance_module
from clusterdiff.diff.chance import chances, expected
from clusterdiff.diff.orders import INFORMATION, PAIRS, S_H, ChanceMoments, OrderingSum, deviations, order_of
from clusterdiff.diff.tails import Count, bound, told
from clusterdiff.measures.sampling import random_meets
from clusterdiff.measures.tables import MOST_TABLES, Tables, tables
from clusterdiff.measures.variance import small_clusters
from tests.cases import cases
from tests.measures.test_chance import NAMES, VARIANTS, enumerated, margins

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "p_values.json").read_text())
SMALL = [
    ([3, 3, 3], [3, 3, 3]),
    ([4, 4], [4, 4]),
    ([5, 2, 2], [4, 3, 2]),
    ([10, 10], [10, 10]),
    ([6, 5, 4], [6, 5, 4]),
    ([2, 2, 2, 2], [2, 2, 2, 2]),
    ([8, 4, 2, 1], [7, 5, 3]),
    ([1, 1, 1, 4], [2, 5]),
    ([30, 20], [25, 25]),
]


def meet_of(table: np.ndarray) -> cd.Meet:
    rows, columns = np.nonzero(table)
    return cd.Meet.from_cells(rows, columns, table[rows, columns])


def labels_of(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.nonzero(table)
    sizes = table[rows, columns]
    return np.repeat(rows, sizes), np.repeat(columns, sizes)


def chance_of(meet: cd.Meet, name: str = "S_H", draws: int | None = None) -> cd.types.Chance:
    return chances(meet, [cd.measures[name]], draws=draws, signature="")[0]


def every(true: list[int], pred: list[int]) -> Tables:
    found = tables(margins(true, pred))
    assert found is not None
    return found


# ---- all tables


def all_tables(true: list[int], pred: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """By the definition: every table of whole numbers whose rows and columns add up."""
    rows = [[row for row in product(*(range(b + 1) for b in pred)) if sum(row) == a] for a in true]
    for table in product(*rows):
        if [sum(column) for column in zip(*table, strict=True)] == pred:
            yield table


@cases(("true", "pred"), [*SMALL[:3], *SMALL[4:8]])
def test_all_tables_are_there_with_their_weights(true: list[int], pred: list[int]) -> None:
    """Each once, as likely as rationals say; and these add up to 1."""
    right = {}
    for table in all_tables(sorted(true), sorted(pred)):
        ways = math.prod(math.factorial(x) for x in (*true, *pred))
        right[table] = Fraction(
            ways, math.factorial(sum(true)) * math.prod(math.factorial(m) for row in table for m in row)
        )
    found = every(true, pred)
    assert sum(right.values()) == 1
    assert float(found.weights.sum()) == pytest.approx(1, abs=1e-12)
    assert Counter(tuple(map(tuple, table)) for table in found.cells.tolist()) == Counter(right.keys())
    for table, weight in zip(found.cells.tolist(), found.weights.tolist(), strict=True):
        assert weight == pytest.approx(float(right[tuple(map(tuple, table))]), rel=1e-12)


def test_there_are_no_more_tables_than_can_be_looked_at() -> None:
    """The last that fit and the first that do not; neither many clusters nor large ones make it take long."""
    at = MOST_TABLES - 1  # x of that many points of the smaller row can lie in a column: 0 to all of them
    assert len(every([at, 10**6], [10**6, at]).weights) == MOST_TABLES
    assert tables(margins([at + 1, 10**6], [10**6, at + 1])) is None
    for sizes in ([1] * 10**6 + [2], [1000] * 1000, [5] * 12, [1, 10**6]):
        other = [sum(sizes) // 2, sum(sizes) - sum(sizes) // 2]
        found = tables(margins(sizes, sizes)), tables(margins(sizes, other))
        assert (found[0] is not None) == (sizes == [1, 10**6])


@pytest.mark.parametrize("order", [PAIRS, INFORMATION, S_H], ids=lambda order: order.name)
def test_sums_of_tables_are_those_of_their_meets(order: OrderingSum) -> None:
    """At once for all tables, and one by one."""
    for true, pred in SMALL:
        found = every(true, pred)
        assert order.values(found) == pytest.approx([order.value(meet) for meet in found.meets()], abs=1e-12)


# ---- families

#: Clusterings of up to five points, and some larger ones, by their sizes.
KINDS = [
    (margins(*sizes), meets)
    for n in (4, 5)
    for sizes, meets in enumerated(n).items()
    if not margins(*sizes).fixed
] + [(margins(true, pred), list(every(true, pred).meets())) for true, pred in SMALL]


@pytest.mark.filterwarnings("ignore:K")
@cases("name", [*NAMES, *VARIANTS])
def test_families_order_all_clusterings_alike(name: str) -> None:
    """A measure is said to rise with a sum if and only if it does, wherever sizes leave anything to chance.

    Where its mean is known, it is a straight line in that sum.
    """
    measure = cd.measures[name]
    sign = 1 if measure.similarity else -1
    rises = {order.name for order in (PAIRS, INFORMATION, S_H)}
    for held, meets in KINDS:
        values = np.array([measure(meet) for meet in meets])
        for order in (PAIRS, INFORMATION, S_H):
            sums = np.array([order.value(meet) for meet in meets])
            by = np.argsort(sums, kind="stable")
            up, step = np.diff(sums[by]) > 1e-11, sign * np.diff(values[by])
            if name == "pmi2":  # Φ(z) has no digits left for a large z
                up &= values[by][1:] < 1 - 1e-9
                step[values[by][1:] >= 1 - 1e-9] = 0.0
            if (np.abs(step[~up]) > 1e-9).any() or (step[up] <= 1e-13).any():
                rises.discard(order.name)
            elif order_of(measure) is order and expected(measure, held) is not None and up.any():
                line = np.interp(sums, sums[by[[0, -1]]], values[by[[0, -1]]])
                assert values == pytest.approx(line, abs=1e-9)
    found = order_of(measure)
    assert rises == (set() if found is None else {found.name})


def test_a_family_has_one_p_and_one_set_of_draws() -> None:
    """Whatever rises with the same sum: the same draws reach it."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 6, 200)
    pred = np.where(rng.random(200) < 0.9, rng.integers(0, 6, 200), true)
    meet = cd.Meet.from_labels(true, pred)
    for names in (("rand", "mirkin", "ari", "jaccard", "pmi2"), ("I", "vi", "nmi", "ami"), ("S_H", "as_h")):
        found = chances(meet, [cd.measures[name] for name in names], signature="")
        assert len({(one.p_value, one.reached) for one in found}) == 1
        assert 0.001 < found[0].p_value < 1
        assert found[0].draws < 9_999
        z = {round(abs(one.z), 9) for one in found if one.exact}
        assert len(z) == 1


# ---- exact


@cases("case", [c for c in GOLDEN if c["kind"] == "exact"])
def test_exact_p_values(case: dict[str, object]) -> None:
    """p of all families, and the mean and spread of S_H, from enumeration done elsewhere."""
    true, pred = labels_of(np.array(case["table"]))
    assert len(every(case["true"], case["pred"]).weights) == case["tables"]  # type: ignore[arg-type]
    found = cd.chance(true, pred)
    assert (found.mean, found.std) == (pytest.approx(case["mean"]), pytest.approx(case["std"]))
    assert found.std_error == 0
    for names, key in (
        (("S_H", "as_h"), "p_S_H"),
        (("ari", "jaccard"), "p_pairs"),
        (("vi", "nmi"), "p_information"),
    ):
        for name in names:
            one = cd.chance(true, pred, name)
            assert (one.p_kind, one.draws, one.exact) == ("exact", 0, True)
            assert one.p_value == pytest.approx(case[key], rel=1e-9)
            assert one.p_log10 == pytest.approx(np.log10(case[key]), abs=1e-9)  # type: ignore[call-overload]


@cases("name", ["A", "b3.f1", "S*(pairs)", "edits", "jaccard", "nmi", "as_h", "sri"])
def test_exact_means_and_spreads_of_any_measure(name: str) -> None:
    """All meets of given sizes, one by one."""
    measure = cd.measures[name]
    for sizes in (((2, 2, 2), (1, 2, 3)), ((2, 4), (1, 1, 4)), ((1, 2, 3), (1, 2, 3))):
        meets = enumerated(6)[sizes]
        values = np.array([measure(meet) for meet in meets])
        for meet, value in zip(meets[::7], values[::7], strict=True):
            found = chance_of(meet, name)
            sign = 1 if measure.similarity else -1
            assert found.p_value == pytest.approx(np.mean(sign * values >= sign * value - 1e-12))
            assert (found.mean, found.std) == pytest.approx((values.mean(), values.std()), abs=1e-9)


@cases("case", [c for c in GOLDEN if c["kind"] == "identical"])
def test_identical_clusterings(case: dict[str, object]) -> None:
    """The closed form, whatever the measure of a family."""
    labels = np.repeat(range(len(case["sizes"])), case["sizes"])  # type: ignore[arg-type]
    for name in ("S_H", "ari", "nmi", "mirkin"):
        found = cd.chance(labels, labels, name, draws=20)
        assert found.p_kind == "exact"
        assert found.p_log10 == pytest.approx(case["log10_p"], rel=1e-12)
        assert found.p_value == pytest.approx(10 ** case["log10_p"], rel=1e-9)  # type: ignore[operator]


def test_what_is_too_small_for_a_number_is_told_as_a_power_of_ten() -> None:
    """A million points in a thousand clusters."""
    labels = np.arange(10**6) % 1000
    found = cd.chance(labels, labels, "ari")
    assert (found.p_kind, found.p_value, found.draws) == ("exact", 0.0, 0)
    assert found.p_text == f"p = 10^{found.p_log10:,.0f} (exact)"
    assert found.p_log10 < -2_900_000


# ---- bounds


@pytest.mark.parametrize(
    "case", [c for c in GOLDEN if c["kind"] == "linked"], ids=lambda c: len(c["true_sizes"])
)
def test_the_expansion_for_small_clusters(case: dict[str, list[int]]) -> None:
    """Mean and variance of n·S_H, from a prototype's sums."""
    true, pred = (np.repeat(case[f"{side}_sizes"], case[f"{side}_counts"]) for side in ("true", "pred"))
    found = small_clusters(margins(true, pred))
    n = int(true.sum())
    assert found is not None
    assert found.mean * n == pytest.approx(case["mean_nS"], rel=1e-7)
    assert found.variance * n**2 == pytest.approx(case["var_nS"], rel=1e-7)


def test_the_expansion_agrees_with_draws() -> None:
    """The spread of S_H over 2,000 draws of pairs and singletons."""
    held = margins([2] * 300 + [1] * 400, [3] * 100 + [2] * 200 + [1] * 300)
    found = small_clusters(held)
    drawn = [cd.measures["S_H"](meet) for meet in random_meets(held, 0, 2000)]
    assert found is not None
    assert found.mean == pytest.approx(np.mean(drawn), rel=0.01)
    assert found.variance**0.5 == pytest.approx(np.std(drawn), rel=0.07)


def test_the_expansion_is_not_used_where_it_does_not_hold() -> None:
    """Large clusters share many points: no variance is known there."""
    assert small_clusters(margins([500] * 20, [1000] * 10)) is None
    rng = np.random.default_rng(0)
    meet = cd.Meet.from_labels(rng.integers(0, 30, 300), rng.integers(0, 40, 300))
    assert S_H.moments(meet).variance is None


def test_a_variance_that_is_next_to_nothing_is_not_known() -> None:
    """Of a thousand points two are together on either side: rounding is more than I varies."""
    held = margins([2] + [1] * 998, [2] + [1] * 998)
    moments = INFORMATION.moments(next(random_meets(held, 0, 1)))
    assert moments.mean == pytest.approx(math.log(1000) - 4 * math.log(2) / 1000, rel=1e-5)
    assert moments.variance is None


def linked(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Records of many small entities, of which one in twenty went astray."""
    rng = np.random.default_rng(seed)
    sizes = np.minimum(rng.zipf(2.2, n), 30)
    true = np.repeat(np.arange(n), sizes)[:n]
    return true, np.where(rng.random(n) < 0.05, n + np.arange(n), true)


def test_where_nothing_varies_a_value_is_at_the_mean_or_beyond_all() -> None:
    """All permutations give the mean: whatever lies above it is infinitely far away."""
    still = ChanceMoments(0.5, 0.0)
    assert [deviations(still, value) for value in (0.5, 0.75)] == [0.0, math.inf]
    assert deviations(ChanceMoments(0.5, 0.25), 1.5) == 2.0
    assert deviations(ChanceMoments(0.5, None), 1.5) is None


def test_linked_records_take_no_draws() -> None:
    """What a bound settles is not drawn: five million records would take a hundred draws of half a second."""
    true, pred = linked(100_000)
    found = cd.chance(true, pred)
    assert (found.p_kind, found.draws) == ("approximate", 0)
    assert found.p_value == pytest.approx(1 / (1 + found.z**2), rel=1e-9)
    assert np.isnan(found.std_error)
    assert cd.chance(true, pred, "as_h").p_value == found.p_value
    pairs = cd.chance(true, pred, "ari")
    assert (pairs.p_kind, pairs.draws, pairs.std_error) == ("bound", 0, 0)
    assert pairs.p_value < 1e-8
    jaccard = cd.chance(true, pred, "jaccard", draws=5)
    assert (jaccard.p_kind, jaccard.p_value, jaccard.draws) == ("bound", pairs.p_value, 5)


def test_bounds_hold() -> None:
    """Their mean and variance are those of all tables; certain ones go first, and those of no use are not told."""
    for true, pred in SMALL:
        found = every(true, pred)
        for order in (PAIRS, INFORMATION, S_H):
            moments = order.moments(next(found.meets()))
            sums = order.values(found)
            assert moments.mean == pytest.approx(float(found.weights @ sums), rel=1e-9)
            if moments.variance is not None and moments.exact:
                spread = float(found.weights @ (sums - moments.mean) ** 2)
                assert moments.variance == pytest.approx(spread, rel=1e-6)
    assert bound(ChanceMoments(1.0, None), 9_999.0) is None
    markov = bound(ChanceMoments(1.0, None), 20_000.0)
    assert markov is not None
    assert (markov.value, markov.kind) == (1 / 20_000, "bound")
    cantelli = bound(ChanceMoments(1.0, 1.0), 201.0)
    assert cantelli is not None
    assert cantelli.value == 1 / (1 + 200**2)
    about = bound(ChanceMoments(1.0, 1.0, exact=False), 201.0)
    assert about is not None
    assert about.kind == "approximate"
    sure = bound(ChanceMoments(1.0, 1.0, exact=False), 20_000.0)
    assert sure is not None
    assert sure.kind == "bound"
    assert bound(ChanceMoments(1.0, 1e-12), 0.5) is None


# ---- draws


def test_draws_stop_when_enough_have_reached_the_value() -> None:
    """Besag and Clifford: 20 of l, or one more than were reached of one more than were drawn."""
    count = Count()
    for reached in (True, False, True):
        count.add(reached)
    assert count.p.value == 3 / 4
    for _ in range(17):
        count.add(False)
        count.add(True)
    assert not count.enough
    count.add(True)
    assert (count.reached, count.draws, count.p.value) == (20, 38, 20 / 38)
    count.add(False)
    assert count.p.value == 20 / 38


def test_how_many_draws_there_are() -> None:
    """A middling value takes few, a good one all that are allowed; a number given replaces their number."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 5, 300), rng.integers(0, 5, 300)
    middling, good = cd.chance(true, pred), cd.chance(true, np.where(rng.random(300) < 0.3, pred, true))
    assert (middling.draws, middling.reached, good.draws, good.reached) == (200, 20, 9_999, 0)
    assert middling.p_value in {20 / draws for draws in range(20, 201)}
    assert good.p_value == 1 / 10_000
    few = cd.chance(true, pred, draws=30)
    assert few.draws == 30
    assert few.p_value >= 1 / 31
    # The spread of pairs is exact: what it takes to fix p is all that is drawn.
    pairs = cd.chance(true, pred, "ari")
    assert pairs.p_value == 20 / pairs.draws
    assert pairs.std_error == 0


def test_fewer_draws_where_each_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as make 2·10⁸ points, or cells at six points each; never fewer than 99."""
    monkeypatch.setattr(chance_module, "DRAWN_POINTS", 300 * 120)
    rng = np.random.default_rng(1)
    true = rng.integers(0, 60, 300)
    assert cd.chance(true, true // 2, "A").draws == 120
    monkeypatch.setattr(chance_module, "DRAWN_POINTS", 1)
    assert cd.chance(true, true // 2, "A").draws == 99
    coarse = true % 4
    monkeypatch.setattr(chance_module, "DRAWN_POINTS", 6 * 16 * 150)
    assert cd.chance(coarse, np.where(rng.random(300) < 0.1, 0, coarse), "A").draws == 150


@pytest.mark.parametrize(("true", "pred"), SMALL)
def test_drawn_p_values_are_about_the_exact_ones(
    true: list[int], pred: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no tables to look at, for all of them: up to what draws can tell, and never below 1/(1 + draws)."""
    found = every(true, pred)
    some = np.arange(0, len(found.weights), 1 + len(found.weights) // 12)
    p = [chance_of(meet).p_value for meet in found.meets(some)]
    monkeypatch.setattr(chance_module, "tables", lambda margins: None)
    for meet, exact in zip(found.meets(some), p, strict=True):
        if meet.same:
            continue
        one = chance_of(meet, draws=499)
        assert one.p_kind == "drawn"
        assert one.p_value >= 1 / 500
        if exact > 0.02:
            # 20 of l has a standard error of p/√20.
            assert 0.3 < exact / one.p_value < 2.5


@pytest.mark.parametrize(
    ("true", "pred"), [([10] * 6, [10] * 6), ([40, 10, 5, 5], [30, 15, 10, 5]), ([2] * 50, [2] * 50)]
)
def test_null_tables_are_called_good_no_more_often_than_they_should(true: list[int], pred: list[int]) -> None:
    """P(p ≤ α) ≤ α + 3 standard errors, for tables that chance has drawn, by the rule that fixes p."""
    rng = np.random.default_rng(0)
    held = margins(true, pred)
    pool = np.array([cd.measures["S_H"](meet) for meet in random_meets(held, 1, 2000)])
    tries = 2000
    p = np.empty(tries)
    for i in range(tries):
        value, drawn = rng.choice(pool), rng.choice(pool, 199)
        count = Count()
        for reached in drawn >= value - 1e-12:
            count.add(bool(reached))
        p[i] = count.p.value
    for alpha in (0.05, 0.01):
        assert np.mean(p <= alpha) <= alpha + 3 * (alpha * (1 - alpha) / tries) ** 0.5


# ---- words


def test_what_is_told_of_p() -> None:
    """Its kind is always said."""
    assert told(math.nan, None, math.nan) == "p not known"
    assert told(0.5, "exact", math.log10(0.5)) == "p = 1/2 (exact)"
    assert told(0.3, "exact", math.log10(0.3)) == "p = 0.3 (exact)"
    assert told(1.0, "exact", 0.0) == "p = 1 (exact)"
    assert told(1e-40, "exact", -40.0) == "p = 10^-40 (exact)"
    assert repr(cd.chance([0, 0, 1, 1], [0, 0, 0, 0])).endswith("p = 1 (shuffling changes nothing)")
    assert repr(cd.chance([0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1, 2, 2, 2])).endswith(
        "p = 1/280 (exact)"
    )
