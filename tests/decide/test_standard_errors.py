"""The standard error that comes with an interval."""

from __future__ import annotations

from math import sqrt

import pytest

import clusterdiff as cd

TRUE = [i // 4 for i in range(400)]
PRED = [2 * (i // 4) + (i % 4 == 3 and i % 20 < 8) for i in range(400)]


@pytest.mark.parametrize("measure", ["S_H", "vi"])
def test_the_standard_error_is_the_spread_of_the_resamples(measure: str) -> None:
    """Of two resamples both ends of the interval tell, so that it is known what they spread by; one has no spread."""
    diff = cd.compare(TRUE, PRED)
    two = diff.interval(measure, resamples=2, level=0.5, seed=1)
    assert two.high > two.low
    assert two.error == pytest.approx((two.high - two.low) / 0.5 / sqrt(2))
    assert diff.interval(measure, resamples=1).error == 0.0
