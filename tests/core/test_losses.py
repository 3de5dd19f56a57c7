"""What cells lose, which lost most, and cells by column: against definitions, for any number of threads."""

from math import fsum, log

import numpy as np
import pytest

from clusterdiff import _core
from tests.cases import cases

CASES = [
    (1, 1, 1),
    (40, 5, 7),
    (3_000, 900, 3),
    (60_000, 20_000, 20_000),
    (200_000, 70_000, 3),
    (200_000, 2, 90_000),
]


def cells_of(n: int, k_true: int, k_pred: int) -> _core.Cells:
    rng = np.random.default_rng([n, k_true, k_pred])
    true = rng.integers(0, k_true, n)
    pred = np.where(rng.random(n) < 0.7, true % k_pred, rng.integers(0, k_pred, n))
    return _core.meet(true, pred)


def rows(cells: _core.Cells) -> np.ndarray:
    return np.repeat(np.arange(cells.k_true), np.diff(cells.indptr))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cells_by_column(case: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A stable sort by column, whatever the number of threads."""
    cells = cells_of(*case)
    order = np.argsort(cells.cols, kind="stable")
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        turned, places = cells.transpose()
        assert np.array_equal(places, order)
        assert np.array_equal(turned.cols, rows(cells)[order])
        assert np.array_equal(turned.sizes, cells.sizes[order])
        assert np.array_equal(np.diff(turned.indptr), np.bincount(cells.cols, minlength=cells.k_pred))


def test_cells_by_column_beyond_32_bits() -> None:
    """Sizes that no 32 bits hold."""
    cells = _core.Cells(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32), np.array([5, 2**40, 7]), 2)
    turned, places = cells.transpose()
    assert (turned.sizes.tolist(), places.tolist(), turned.cols.tolist()) == (
        [2**40, 5, 7],
        [1, 0, 2],
        [0, 0, 1],
    )


@cases("case", CASES[:4])
def test_scores_and_losses(case: tuple[int, int, int]) -> None:
    """Scores from their definition; losses as the formula has them, to the bit, with and without weights."""
    cells = cells_of(*case)
    scores = cells.entropy_scores()
    parts = np.split(cells.sizes, cells.indptr[1:-1])
    for score, sizes in zip(scores[:300].tolist(), parts[:300], strict=True):
        whole = int(sizes.sum())
        wanted = fsum(m * log(m) for m in sizes.tolist()) / (whole * log(whole)) if whole > 1 else 1.0
        assert score == pytest.approx(wanted, rel=1e-14, abs=0)
        assert (score == 1.0) == (len(sizes) == 1)
    merge = cells.transpose().cells.entropy_scores()
    s, t = scores[rows(cells)], merge[cells.cols]
    for mass in (None, np.random.default_rng(1).random(len(cells))):
        weight = cells.sizes if mass is None else mass
        total = weight.sum().item()
        split, merged = cells.losses(scores, merge, total, mass)
        share = weight / total
        assert np.array_equal(split, share * (1 - s) * (1 + t) / 2)
        assert np.array_equal(merged, share * (1 - t) * (1 + s) / 2)
        assert fsum(split) + fsum(merged) == pytest.approx(1 - fsum(share * s * t), abs=1e-12)
        sums = _core.group_sums(cells.cols, cells.k_pred, split, merged)
        assert np.array_equal(sums.first, _core.group_sum(cells.cols, cells.k_pred, split))
        assert np.array_equal(sums.second, _core.group_sum(cells.cols, cells.k_pred, merged))


def test_what_is_refused() -> None:
    """Arrays of other lengths, and groups that are none."""
    cells = cells_of(40, 5, 7)
    scores, merge = cells.entropy_scores(), cells.transpose().cells.entropy_scores()
    with pytest.raises(ValueError, match="one score per cluster"):
        cells.losses(scores[:-1], merge, 40.0)
    with pytest.raises(ValueError, match="one entry per cell"):
        cells.losses(scores, merge, 40.0, np.ones(1))
    with pytest.raises(ValueError, match="same length"):
        _core.group_sums(np.zeros(2, np.int64), 1, np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match="groups must lie in"):
        _core.group_sums(np.full(2, 1), 1, np.ones(2), np.ones(2))


@pytest.mark.parametrize("zeros", [0.0, 0.6, 1.0])
def test_descending(zeros: float) -> None:
    """As a stable sort of the negated values has it: -0 is 0, ties keep their order, NaN comes last."""
    rng = np.random.default_rng(3)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e300, -np.nan]
    values = np.concatenate([np.round(rng.standard_normal(5_000), 2), rng.random(100), special])
    values[rng.random(len(values)) < zeros] = 0.0
    rng.shuffle(values)
    assert np.array_equal(_core.descending(values), np.argsort(-values, kind="stable"))
    assert _core.descending(np.zeros(0)).tolist() == []
