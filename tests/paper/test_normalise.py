"""Normalisation given the truth (Luo et al., 2009)."""

from __future__ import annotations

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.measures.normalise import CLOSED_FORM
from clusterdiff.measures.subcomponents import subcomponents
from clusterdiff.meet.enumeration import partitions, universe
from clusterdiff.meet.meet import Meet
from tests.cases import cases


@cases("name", [*CLOSED_FORM, "S*(pairs)"])
def test_closed_forms_are_what_search_finds(name: str) -> None:
    """For every choice of cluster sizes up to seven points, over all predicted clusterings."""
    measure = cd.measures[name]
    for n in range(2, 8):
        omega = universe(n)
        for sizes, representative, (first, _) in zip(
            omega.sizes, omega.representatives, omega.classes, strict=True
        ):
            true = omega.labels[representative].astype(int)
            values = [measure(Meet.from_labels(true, omega.labels[p].astype(int))) for p in first]
            found = cd.extremes(true, name)
            assert found.how == "closed form"
            assert (found.worst, found.best) == pytest.approx((min(values), max(values)), abs=1e-12), sizes


@cases("name", ["R", "VI", "A", "nmi_max"])
def test_the_worst_becomes_zero_and_the_best_one(name: str) -> None:
    """Over all predictions of a true clustering, the rescaled measure runs from exactly 0 to exactly 1."""
    true = [0, 0, 0, 1, 1, 2]
    omega = universe(6)
    values = [cd.compare(true, row.astype(int)).normalised(name) for row in omega.labels]
    assert min(values) == pytest.approx(0.0, abs=1e-12)
    assert max(values) == 1.0
    assert cd.compare(true, true).normalised(name) == 1.0


def test_what_is_not_known_is_refused() -> None:
    """Large inputs without a closed form, measures of features, weights, and a measure with a single value."""
    with pytest.raises(cd.MeasureError, match="not known in closed form"):
        cd.extremes(np.zeros(50, dtype=int), "R")
    with pytest.raises(cd.MeasureError, match="not known in closed form"):
        cd.extremes([0, 0, 1], "S_MSE")
    with pytest.raises(cd.MeasureError, match="weighted points"):
        cd.compare([0, 0, 1], [0, 1, 1], weights=[1, 2, 3]).normalised("A")
    with pytest.raises(cd.MeasureError, match="cannot be rescaled"):
        cd.compare([0, 0, 0], [0, 1, 1]).normalised("I")
    assert cd.extremes(np.zeros(10**6, dtype=int), "A").worst == 1e-6


def test_points_without_a_label_are_no_cluster() -> None:
    """A null in `true` is an error that names it, and counts the points."""
    with pytest.raises(cd.ArgumentError, match="`true` has no label for 2 points"):
        cd.extremes(["a", None, "a", None], "A")


def test_parameters_change_the_extremes() -> None:
    """A closed form takes the parameters; S* has one for every built-in s that sizes decide."""
    true, pred = [0] * 9 + [1] * 7, [0, 1] * 8
    bits, nats = cd.extremes(true, "I(base=2)"), cd.extremes(true, "I")
    assert bits == (0.0, pytest.approx(nats.best / np.log(2)), "closed form")
    diff = cd.compare(true, pred)
    for base in (0.5, 2, 10):
        assert diff.normalised(f"I(base={base})") == pytest.approx(diff.normalised("I"), rel=1e-12)
        assert cd.compare(true, true).normalised(f"I(base={base})") == pytest.approx(1.0, rel=1e-15)
    assert cd.extremes([0, 0, 1], "S*(pairs)").how == "closed form"
    with pytest.raises(cd.MeasureError, match="not known in closed form"):
        cd.extremes([0, 0, 1], "S*(mse)")


def test_sizes_are_all_that_matters() -> None:
    """Extremes depend on the sizes of the true clusters alone."""
    for sizes in partitions(5):
        labels = np.repeat(np.arange(len(sizes)), sizes)
        shuffled = np.random.default_rng(0).permutation(labels)
        assert cd.extremes(labels, "R") == cd.extremes(shuffled, "R")


def test_a_users_own_subcomponent_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has shown that it satisfies property 4.3: its extremes are searched, or refused where they cannot be."""

    def half(sizes: np.ndarray) -> float:
        return float(sizes.max() / sizes.sum())  # never 0

    def first(members: list[np.ndarray]) -> float:
        return 1.0 if len(members) == 1 or 0 in members[0] else 0.5  # it depends on where point 0 is

    for name, own in (("half", half), ("first", first)):
        monkeypatch.setitem(subcomponents, name, cd.subcomponent(own, name=name))
    true = [1, 0, 0, 0]
    predictions = [row.astype(int) for row in universe(4).labels]
    for name in ("S*(half)", "S*(first)", "S'(first)"):
        values = [cd.compare(true, pred).score(name) for pred in predictions]
        found = cd.extremes(true, name)
        assert found == (pytest.approx(min(values)), pytest.approx(max(values)), "search")
        scaled = [cd.compare(true, pred).normalised(name) for pred in predictions]
        assert (min(scaled), max(scaled)) == pytest.approx((0.0, 1.0))
        with pytest.raises(cd.MeasureError, match="not known in closed form"):
            cd.extremes([0] * 12, name)
