"""The jackknife: what is left out together, what is left then, and what is said where nothing can be."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.decide.paired import verdict
from clusterdiff.diff.deletion import Deletion, Design
from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.jackknife import one, standard_errors, two
from clusterdiff.measures import resolve
from clusterdiff.meet.declarations import TERMS
from clusterdiff.meet.deleted import Deleted, known
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.terms import UNIT_SUMS
from tests.cases import cases
from tests.decide.test_unit_sums import KINDS, SPECS, compared, points

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "infer.json").read_text(encoding="utf-8"))[
    "paired"
]
NAMED = [name for name in TERMS if name not in UNIT_SUMS and known(name)]


def system(true: Any, pred: Any, measure: str) -> Deletion:
    """A measure of one prediction without its components."""
    return Deletion(cd.compare(true, pred).meet, resolve(measure), "component")


@cases("case", GOLDEN)
def test_golden_differences_and_intervals(case: dict[str, Any]) -> None:
    """Units, standard errors, degrees of freedom, intervals and p, as they were computed elsewhere."""
    how = Resampling(resamples=2**16)
    for name, expected in case["measures"].items():
        a, b = (system(case["true"], case[side], name) for side in "ab")
        left, design = two(a, b)
        assert (len(left.values), design.broken) == (max(case["units"]) + 1, case["broken"])
        assert left.value == pytest.approx(expected["difference"], abs=1e-12)
        assert left.worth == pytest.approx(expected["n_eff"])
        spread = left.spread
        assert spread.error == pytest.approx(expected["se"], abs=1e-12)
        if spread.error:
            assert spread.freedom == pytest.approx(expected["nu"])
            reach = spread.reach(0.95)
            assert left.value - reach == pytest.approx(expected["low"])
            assert left.p_value() == pytest.approx(expected["p_jackknife"])
        if expected["p_flip_exact"] is not None:
            assert verdict(a, b, how).p_value == pytest.approx(expected["p_flip_exact"])
        alone = expected["one"]
        if alone is not None:
            assert one(a).spread.error == pytest.approx(alone["se"], abs=1e-12)


@cases("kind", KINDS)
def test_terms_without_a_true_cluster_are_those_of_the_rest(kind: str) -> None:
    """Every term that is known, with weights and with lost points: deleting is comparing without the points."""
    data = points(3, *KINDS[kind])
    meet = compared(*data)
    rows = Rows.of(meet)
    changes = Deleted(rows, np.arange(meet.k_true)).changes(NAMED)
    for true, name in enumerate(meet.true_names.tolist()):
        rest = Rows.of(compared(*data, keep=data[0] != name))
        for column, term in enumerate(NAMED):
            left = float(rows[term]) + changes[true, column]
            assert left == pytest.approx(float(rest[term]), rel=1e-10, abs=1e-10), (term, name)


def test_a_measure_without_a_true_cluster_is_recomputed() -> None:
    """For every measure that has columns; those that subtract a chance level keep it."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 9, 60)
    pred = np.where(rng.random(60) < 0.7, true, rng.integers(0, 9, 60))
    meet = cd.compare(true, pred).meet
    tried = 0
    for spec in SPECS:
        measure = cd.measures[spec]
        try:
            found = Deletion(meet, measure, "component")
        except cd.MeasureError:
            continue
        values = found.without_true(np.arange(meet.k_true))
        if measure.reads == "margins":
            assert np.isfinite(values).all()
            continue
        tried += 1
        for place, name in enumerate(meet.true_names.tolist()):
            rest = cd.compare(true[true != name], pred[true != name])
            assert values[place] == pytest.approx(rest.score(measure), abs=1e-10), (spec, name)
    assert tried > 60


def two_systems(seed: int) -> tuple[Any, Any, Any]:
    """A truth of linked records and two predictions that merge, split and misplace."""
    rng = np.random.default_rng(seed)
    true = np.repeat(np.arange(80), np.minimum(rng.zipf(2.2, 80), 20))
    made = []
    for _ in range(2):
        astray = rng.random(len(true)) < 0.03 * (1 + seed % 3)
        made.append(np.where(astray, rng.integers(0, 80, len(true)), true))
    return true, *made


@cases("seed", range(6))
@cases("measure", ["S_H", "ari", "as_h"])
def test_the_order_of_two_systems_does_not_matter(seed: int, measure: str) -> None:
    """Units are coarser than both joins unless one would be too large; differences and p mirror each other."""
    true, a, b = two_systems(seed)
    first, second = system(true, a, measure), system(true, b, measure)
    ahead, behind = two(first, second)[0], two(second, first)[0]
    assert sorted(ahead.values) == pytest.approx(sorted(-behind.values), abs=1e-12)
    how = Resampling(resamples=300)
    assert verdict(first, second, how).p_value == pytest.approx(verdict(second, first, how).p_value)
    design = Design.of([first, second])
    for place, each in enumerate((first, second)):
        whole = design.group[place] >= 0
        for part in np.flatnonzero(whole)[:20]:  # what a system ties together is in one unit
            members = np.flatnonzero(each.part == part)
            assert len({int(design.group[place][each.part[member]]) for member in members}) == 1


def test_identical_systems_do_not_differ() -> None:
    """Whether units fell apart or not."""
    for seed in (0, 2):
        true, a, _ = two_systems(seed)
        found = cd.rank(true, {"a": a, "b": a.copy()})
        assert found.p_value("a", "b") == 1.0
        assert found.paired("a", "b").difference == 0.0


def test_a_unit_that_is_too_large_falls_into_its_true_clusters() -> None:
    """A merge of half of all clusters ties them together; each is then left out alone, and p is Student's."""
    true = np.arange(400) // 4
    giant = np.where(true < 50, 0, true)
    found = cd.rank(true, {"giant": giant, "whole": true})
    assert (found.paired("giant", "whole").test, found.interval("giant").units) == ("t", 100)
    assert any(
        "a predicted cluster holds 50% of the points" in notice for notice in found.interval("giant").notices
    )
    assert (
        cd.rank(true, {"halves": np.arange(400) // 2, "whole": true}).paired("halves", "whole").test
        == "flips"
    )


def test_few_large_clusters_are_refused_and_points_offered() -> None:
    """Nothing raises: the ends are None, JSON says null, and the reason names what can be done."""
    rng = np.random.default_rng(0)
    true = np.arange(1000) % 4
    pred = np.where(rng.random(1000) < 0.2, rng.integers(0, 4, 1000), true)
    found = cd.compare(true, pred).interval()
    assert tuple(found) == (None, None)
    assert found.reason is not None
    assert found.reason.startswith("4.0 clusters' worth of units: too few to estimate how the score varies.")
    assert 'pass unit="point"' in found.reason
    assert json.loads(json.dumps(found.to_dict()))["low"] is None
    with pytest.warns(cd.ClusterdiffWarning, match="no interval: 4.0 clusters' worth"):
        ranking = cd.rank(true, {"a": pred, "b": true})
    row = ranking.to_dict()["systems"][1]
    assert row["interval"] is None
    assert "4.0 clusters' worth" in row["reason"]
    assert "4.0 clusters" in ranking.to_markdown()
    assert "4.0 clusters" in ranking.to_latex()
    assert "4.0 clusters" in ranking.to_html()
    by_points = cd.compare(true, pred).interval(unit="point")
    assert by_points.low < by_points.value < by_points.high
    assert "points are assumed to be drawn independently" in by_points.notices[0]


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
def test_points_that_were_drawn_one_by_one_are_tested() -> None:
    """The standard error of accuracy is that of a share; two systems on the same points are compared on them."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, 3, 2000)
    wrong = (true + 1) % 3
    preds = {str(share): np.where(rng.random(2000) < share, wrong, true) for share in (0.1, 0.2)}
    found = cd.rank(true, preds, measures="A", unit="point")
    assert found.names == ["0.1", "0.2"]
    share = found.score("0.2")
    assert found.interval("0.2").error == pytest.approx(np.sqrt(share * (1 - share) / 2000), rel=0.25)
    assert found.p_value("0.1", "0.2") < 0.001
    with pytest.raises(cd.MeasureError, match='unit="point" needs points of equal weight'):
        cd.compare([0, 0, 1], [0, 1, 1], weights=[1.0, 2.0, 1.5]).interval(unit="point")


def test_few_units_are_told() -> None:
    """From 6 to 15 clusters' worth of units there is an interval, with a notice."""
    true = np.repeat(np.arange(10), 30)
    pred = np.where(np.arange(300) % 30 < 3 * (np.arange(300) // 30) / 4, 10 + true, true)
    (notice,) = cd.compare(true, pred).interval().notices
    assert notice.startswith(
        "10.0 clusters' worth of units: too few for a reliable interval, which may cover the score less often"
    )


def test_how_far_intervals_reach_is_exact_at_extreme_levels() -> None:
    """With one and two degrees of freedom the quantile of t has a closed form; with very many it is the normal's."""
    for level in (1e-6, 0.01, 0.5, 0.95, 0.9999, 1 - 2**-30, 1 - 2**-40):
        assert standard_errors(level, 1) == pytest.approx(1 / math.tan(math.pi * (1 - level) / 2), rel=1e-9)
        wide = level * math.sqrt(2 / ((1 - level) * (1 + level)))
        assert standard_errors(level, 2) == pytest.approx(wide, rel=1e-12)
        normal = NormalDist().inv_cdf((1 + level) / 2)
        assert standard_errors(level, 1e12) == pytest.approx(normal, rel=1e-6)
