"""The least F is that of one cluster against all singletons, one way or the other, whatever β is."""

from __future__ import annotations

import pytest

import clusterdiff as cd
from tests.cases import cases
from tests.conftest import clusterings


@cases("name", ["f_measure", "f_measure(beta=2)", "f_measure(beta=0.5)"])
@cases("n", [1, 2, 3, 4])
def test_the_least_f_is_reached(name: str, n: int) -> None:
    """No two clusterings of so many points have less, and some have just that."""
    every = list(clusterings(n))
    least = min(cd.compare(true, pred).score(name) for true in every for pred in every)
    assert cd.measures[name].bounds_at(n)[0] == pytest.approx(least, abs=1e-12)
