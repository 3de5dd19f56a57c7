"""Measures over units: leaving units out by their columns is comparing without their points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff.statistic import statistic
from clusterdiff.diff.units import Units, units_of
from clusterdiff.errors import MeasureError
from clusterdiff.meet.meet import Meet
from tests.cases import cases

KINDS = {
    "even": (False, False),
    "weighted": (True, False),
    "lost": (False, True),
    "lost, weighted": (True, True),
}
SPECS = [
    *(name for name in cd.measures if name != "K"),
    "K(k=50)",
    "f_measure(beta=2)",
    "S*(pairs)",
    "b3.f1(beta=2)",
]


def points(seed: int, weighted: bool, lost: bool) -> tuple[Any, Any, Any, Any]:
    """Two clusterings of 45 points in several components, of which some points may be lost, and features."""
    rng = np.random.default_rng(seed)
    n = 45
    true = rng.integers(0, 12, n).astype(float)
    pred = np.where(rng.random(n) < 0.85, true, rng.integers(0, 12, n))
    if lost:
        gone = rng.choice(3, n, p=[0.7, 0.15, 0.15])
        true[gone == 1], pred[gone == 2] = np.nan, np.nan
    return true, pred, rng.random(n) + 0.1 if weighted else None, rng.normal(size=(n, 2))


def compared(true: Any, pred: Any, weights: Any, features: Any, keep: Any = slice(None)) -> Meet:
    rest = {} if weights is None else {"weights": weights[keep]}
    return cd.compare(true[keep], pred[keep], missing="lost", features=features[keep], **rest).meet


def unit_of_points(meet: Meet, units: Units) -> Any:
    cell = meet.cell_of_point
    of = np.where(cell >= 0, units.of_cell[cell], -1)
    if meet.uneven:
        of[meet.missing.at] = units.of_true[meet.missing.cluster]
        of[meet.spurious.at] = units.of_pred[meet.spurious.cluster]
    return of


@cases("kind", KINDS)
@cases("seed", range(2))
def test_leaving_out_a_unit_is_comparing_without_its_points(kind: str, seed: int) -> None:
    """For every measure that has columns by component, in every kind of comparison."""
    data = points(seed, *KINDS[kind])
    meet = compared(*data)
    units = units_of(meet, "component")
    of_point = unit_of_points(meet, units)
    chosen = range(0, units.count, max(1, units.count // 4))
    left = {unit: compared(*data, keep=of_point != unit) for unit in chosen}
    for spec in SPECS:
        measure = cd.measures[spec]
        if measure.reads == "margins":
            continue  # its chance level is that of the whole, and stays
        try:
            found = statistic(meet, measure, units)
        except MeasureError:
            continue
        values = found.without_each()
        assert found.finish(found.sums.sum(axis=0)[None])[0] == pytest.approx(measure(meet), abs=1e-9), spec
        for unit in chosen:
            assert values[unit] == pytest.approx(measure(left[unit]), rel=1e-9, abs=1e-9), (spec, unit)


def test_groups_of_units_are_left_out_at_once() -> None:
    """Units of a group are left out together; those of none stay."""
    data = points(0, False, False)
    meet = compared(*data)
    units = units_of(meet, "component")
    group = np.arange(units.count) % 3 - 1
    values = statistic(meet, cd.measures["ari"], units).without(group, 2)
    of_point = unit_of_points(meet, units)
    for which in range(2):
        rest = compared(*data, keep=group[of_point] != which)
        assert values[which] == pytest.approx(cd.measures["ari"](rest), abs=1e-12)


def test_units_may_be_anything() -> None:
    """Units that cut clusters: their columns still add up to the measure."""
    meet = compared(*points(1, True, True))
    rng = np.random.default_rng(0)
    sides = (rng.integers(0, 5, k) for k in (len(meet), meet.k_true, meet.k_pred))
    found = statistic(meet, cd.measures["b3.recall"], Units("component", 5, *sides))
    assert found.finish(found.sums.sum(axis=0)[None])[0] == pytest.approx(cd.measures["b3.recall"](meet))
