"""The standard error that comes with an interval."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import clusterdiff as cd

TRUE = [i // 4 for i in range(400)]
PRED = [2 * (i // 4) + (i % 4 == 3 and i % 20 < 8) for i in range(400)]
DOCUMENTS = [i // 8 for i in range(400)]


@pytest.mark.parametrize("measure", ["S_H", "vi"])
def test_the_standard_error_is_the_spread_of_the_resamples(measure: str) -> None:
    """Of two resamples both ends of the interval tell, so that it is known what they spread by; one has no spread."""
    diff = cd.compare(TRUE, PRED, documents=DOCUMENTS)
    two = diff.interval(measure, method="percentile", resamples=2, level=0.5, seed=1)
    assert two.high > two.low
    assert two.error == pytest.approx((two.high - two.low) / 0.5 / sqrt(2))
    assert diff.interval(measure, method="percentile", resamples=1).error == 0.0


def test_the_standard_error_of_a_mean_is_the_textbooks() -> None:
    """S_H of components of one size is a mean, of which the jackknife gives the standard error of the mean."""
    kept = np.array([cd.score([0] * 4, [PRED[4 * i + j] for j in range(4)]) for i in range(100)])
    assert cd.compare(TRUE, PRED).interval().error == pytest.approx(kept.std(ddof=1) / 10)
