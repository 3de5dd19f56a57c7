"""Features and distances at the ends of the scale: neither their unit nor their origin changes a score."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import clusterdiff as cd
from tests.cases import cases

RNG = np.random.default_rng(8)
TRUE, PRED = RNG.integers(0, 4, 48), RNG.integers(0, 5, 48)
#: On a grid, so that moving them far away rounds nothing.
PLACES = RNG.integers(-512, 512, (48, 3)) / 512
WEIGHTS = RNG.integers(0, 9, 48) / 4
NAMES = ("S_MSE", "S'(mse)", "cdistance")
SCALES = (1e-320, 1e-200, 1e-160, 1e150, 1e200, 1e300)


def scores(features: Any, weights: Any = None) -> dict[str, float]:
    """What reads features; cdistance takes no weights."""
    diff = cd.compare(TRUE, PRED, features=features, weights=weights)
    return {name: diff.score(name) for name in NAMES[: 3 if weights is None else 2]}


def exact_s_mse(x: Any, weights: Any) -> float:
    """S_MSE by its definition, in fractions."""
    rows = [
        [Fraction(float(v)) if isinstance(v, float) else Fraction(int(v)) for v in row] for row in x.tolist()
    ]
    w = [Fraction(float(v)) for v in weights]

    def deviations(points: list[int]) -> Fraction:
        mass = sum((w[i] for i in points), Fraction(0))
        if not mass:
            return Fraction(0)
        centre = [sum(w[i] * rows[i][j] for i in points) / mass for j in range(len(rows[0]))]
        return sum((w[i] * (rows[i][j] - c) ** 2 for i in points for j, c in enumerate(centre)), Fraction(0))

    sides = [TRUE.tolist(), PRED.tolist()]
    cells: dict[tuple[int, int], list[int]] = {}
    for i, cell in enumerate(zip(*sides, strict=True)):
        cells.setdefault(cell, []).append(i)
    score: list[dict[int, Fraction]] = []
    for side, labels in enumerate(sides):
        score.append({})
        for label in set(labels):
            whole = deviations([i for i, own in enumerate(labels) if own == label])
            inside = sum((deviations(c) for cell, c in cells.items() if cell[side] == label), Fraction(0))
            score[-1][label] = inside / whole if whole else Fraction(1)
    mass = {cell: sum(w[i] for i in points) for cell, points in cells.items()}
    return float(sum(m * score[0][t] * score[1][p] for (t, p), m in mass.items()) / sum(w))


@cases("factor", [2.0**-1000, 2.0**-300, 2.0**300, 2.0**1000])
def test_a_power_of_two_changes_no_bit(factor: float) -> None:
    """Dense or sparse, weighted or not, features in another unit give the same bits."""
    for weights in (None, WEIGHTS, WEIGHTS * 1e200):
        assert scores(PLACES * factor, weights) == scores(PLACES, weights)
    for kind in (sparse.csr_array, sparse.csc_matrix):
        assert scores(kind(PLACES * factor), WEIGHTS) == scores(kind(PLACES), WEIGHTS)


@cases("factor", SCALES)
def test_no_scale_changes_a_score(factor: float) -> None:
    """Where squares overflow or vanish there is nothing special; 1e-320 leaves three digits of the features."""
    close = 1e-12 if factor > 1e-300 else 0.05
    assert scores(PLACES * factor) == pytest.approx(scores(PLACES), abs=close)


@cases("far", [1e4, 2.0**30, -(2.0**40)])
@cases("factor", [1.0, 2.0**600, 2.0**-600])
def test_no_origin_changes_a_score(far: float, factor: float) -> None:
    """Moving all points far away changes nothing that their doubles still tell apart."""
    moved = (PLACES + far) * factor
    assert ((moved / factor - far) == PLACES).all()
    assert scores(moved) == pytest.approx(scores(PLACES), abs=1e-12)
    assert scores(moved, WEIGHTS) == pytest.approx(scores(PLACES, WEIGHTS), abs=1e-12)
    assert scores(sparse.csr_array(moved)) == pytest.approx(scores(PLACES), abs=1e-12)
    uneven = [
        cd.compare(
            dict(enumerate(TRUE.tolist()[:-6])),
            {i: p for i, p in enumerate(PRED.tolist()) if i % 7},
            features=dict(enumerate(kind(x))),
            weights=dict(enumerate((WEIGHTS * factor).tolist())),
            missing="lost",
        ).score("S_MSE")
        for kind, x in ((np.asarray, PLACES), (np.asarray, moved))
    ]
    assert uneven[0] == pytest.approx(uneven[1], abs=1e-12)


def test_far_points_hide_no_near_ones() -> None:
    """One cluster far from the others leaves their scores as they are, against sums in fractions."""
    x = PLACES.copy()
    x[TRUE == 2] += 1e15
    x[7] = 1e18
    for weights in (np.ones(48), WEIGHTS):
        assert scores(x, weights)["S_MSE"] == pytest.approx(exact_s_mse(x, weights), abs=1e-12)


@cases("kind", [np.asarray, sparse.csr_array])
@cases("far", [1e20, 1e308, -1e308])
def test_points_without_weight_change_nothing_wherever_they_are(kind: Any, far: float) -> None:
    """They neither set the scale of the others, nor are they what those are measured from."""
    weights = np.where(np.arange(48) % 5 == 0, 0.0, WEIGHTS)
    outliers = np.where(weights[:, None] > 0, PLACES, far)
    for unit in (1.0, 2.0**-400):
        x = np.where(weights[:, None] > 0, PLACES * unit, outliers)
        got = scores(kind(x), weights)
        assert got["S_MSE"] == pytest.approx(exact_s_mse(PLACES, weights), rel=1e-12)


def test_whole_numbers_beyond_the_doubles() -> None:
    """Moments in nanoseconds, say: as doubles they would lose their last eight bits."""
    steps = RNG.integers(0, 200, (48, 2))
    for start, dtype in ((1_600_000_000_000_000_000, np.int64), (-(2**62), np.int64), (2**63, np.uint64)):
        moments = steps.astype(dtype) + dtype(start)
        assert scores(moments) == pytest.approx(scores(steps), abs=1e-12)
    wide = np.where(steps > 100, np.iinfo(np.int64).max, np.iinfo(np.int64).min)
    assert scores(wide) == pytest.approx(scores(steps > 100), abs=1e-12)


@pytest.mark.parametrize("dtype", ["f2", ">f8", np.longdouble])
def test_every_kind_of_float(dtype: Any) -> None:
    """Halves, other byte orders and long doubles are read as what they are."""
    assert scores((PLACES * 4).astype(dtype)) == pytest.approx(scores(PLACES), abs=1e-3)
    if dtype is np.longdouble and np.finfo(dtype).max > np.finfo(float).max:
        with pytest.raises(cd.ArgumentError, match="`features` must be finite"):
            scores(np.full((48, 1), np.longdouble("1e4000")))


def test_merged_meets_far_from_the_origin() -> None:
    """Meets that are made of meets keep what rounding took from their centres."""
    to = np.array([0, 1, 0, 2, 1])
    for x in (PLACES + 2.0**40, sparse.csr_array(PLACES + 2.0**40)):
        merged = cd.compare(TRUE, PRED, features=x).meet.coarsen(to)
        assert cd.measures["S_MSE"](merged) == pytest.approx(
            cd.compare(TRUE, to[PRED], features=PLACES).score("S_MSE"), abs=1e-12
        )


@cases("factor", [5e-324, 1e-300, 1e-200, 1e200, 1e306])
def test_no_scale_of_distances_changes_a_score(factor: float) -> None:
    """As a matrix, condensed, sparse or from a function; with weights at an end of the scale too."""
    d = RNG.integers(1, 9, (48, 48)).astype(float)
    d = np.triu(d, 1) + np.triu(d, 1).T
    above = np.triu_indices(48, 1)
    for weights in (None, WEIGHTS * 1e200, WEIGHTS * 1e-200):
        plain = cd.compare(TRUE, PRED, distances=d, weights=weights).score("S*(distance)")
        for given in (d * factor, (d * factor)[above], sparse.coo_array(d * factor)):
            found = cd.compare(TRUE, PRED, distances=given, weights=weights).score("S*(distance)")
            assert found == pytest.approx(plain, abs=1e-12)
        function = cd.compare(TRUE, PRED, distances=lambda i, j: (d * factor)[i, j], weights=weights)
        assert function.score("S*(distance)") == pytest.approx(plain, abs=1e-12)


@pytest.mark.parametrize("features", [[[3.0]], [[1e300]], [[5e-324]]])
def test_a_single_point_is_whole(features: list[list[float]]) -> None:
    """n = 1 has no spread to lose, wherever it is."""
    diff = cd.compare([0], [0], features=features, weights=[1e-310])
    assert diff.score("S_MSE") == 1.0
    assert cd.compare([0], [0], features=features).score("cdistance") == 0.0


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_light_points_beside_heavy_ones_keep_their_spread(kind: Any) -> None:
    """Deviations are taken from the heaviest point: what rounding makes of its own hides none of the others."""
    x = kind(np.array([[3.0, 2.0], [-5.0, 8.0], [7.0, -1.0]]))
    weights = [2.0**-370, 2.0**8, 2.0**197]
    diff = cd.compare([0, 1, 0], [0, 0, 0], weights=weights, features=x)
    # Beside the heaviest, the spread of each other point is its weight times its squared distance from that one.
    expected = 2.0**-370 * (16 + 9) / (2.0**8 * (144 + 81))
    assert diff.score("S_MSE") == pytest.approx(expected, rel=1e-12, abs=0)
