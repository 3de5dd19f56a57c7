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
        assert np.array_equal(cells.pred_entropy_scores(), turned.entropy_scores())


def test_cells_by_column_beyond_32_bits() -> None:
    """Sizes that no 32 bits hold."""
    cells = _core.Cells(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32), np.array([5, 2**40, 7]), 2)
    turned, places = cells.transpose()
    assert (turned.sizes.tolist(), places.tolist(), turned.cols.tolist()) == (
        [2**40, 5, 7],
        [1, 0, 2],
        [0, 0, 1],
    )
    assert np.array_equal(cells.pred_entropy_scores(), turned.entropy_scores())


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


@cases("case", CASES[:4])
def test_losses_on_a_side(case: tuple[int, int, int]) -> None:
    """As the formula has them, to the bit; together they are all that a side lost."""
    cells = cells_of(*case)
    rng = np.random.default_rng(2)
    for pred in (False, True):
        own, other = (cells.cols, rows(cells)) if pred else (rows(cells), cells.cols)
        inner, kept = rng.random((2, cells.k_pred if pred else cells.k_true))
        others = rng.random(cells.k_true if pred else cells.k_pred)
        for mass in (None, rng.random(len(cells))):
            weight = cells.sizes if mass is None else mass
            total = weight.sum().item()
            share = weight / total * ((1 + others) / 2)[other]
            lost = cells.side_losses(inner, kept, others, total, mass, pred=pred)
            s, r = inner[own], kept[own]
            assert np.array_equal(lost.inner, share * ((1 - s) * (1 + r) / 2))
            assert np.array_equal(lost.kept, share * ((1 - r) * (1 + s) / 2))
            assert fsum([*lost.inner, *lost.kept]) == pytest.approx(fsum(share * (1 - s * r)), abs=1e-12)
            whole = cells.side_losses(inner, None, others, total, mass, pred=pred)
            assert whole.kept is None
            assert np.array_equal(whole.inner, share * (1 - s))


def test_what_is_refused() -> None:
    """Arrays of other lengths, and groups that are none."""
    cells = cells_of(40, 5, 7)
    scores, merge = cells.entropy_scores(), cells.transpose().cells.entropy_scores()
    with pytest.raises(ValueError, match="one score per cluster"):
        cells.losses(scores[:-1], merge, 40.0)
    with pytest.raises(ValueError, match="one entry per cell"):
        cells.losses(scores, merge, 40.0, np.ones(1))
    with pytest.raises(ValueError, match="one score per cluster"):
        cells.side_losses(scores, None, merge, 40.0, pred=True)
    with pytest.raises(ValueError, match="one entry per cell"):
        cells.side_losses(scores, scores, merge, 40.0, np.ones(1))
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


def test_charges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is not the heaviest has left its cluster; ties share; what the cluster lost is theirs, by mass."""
    mass = np.array([3.0, 1.0, 1.0, 2.0, 2.0, 7.0, 0.0, 0.0])
    lost = np.array([0.1, 0.2, 0.3, 0.25, 0.25, 0.5, 0.5, 0.5])
    found = _core.charges(np.array([0, 3, 5, 6, 8]), None, mass, lost)
    assert found.off.tolist() == [0, 1, 1, 0.5, 0.5, 0, 0.5, 0.5]
    assert found.charged == pytest.approx([0, 0.3, 0.3, 0.25, 0.25, 0, 0, 0])
    for case in CASES[2:]:
        cells = cells_of(*case)
        turned, order = cells.transpose()
        mass = np.random.default_rng(2).integers(1, 4, len(cells)).astype(np.float64)
        lost = np.random.default_rng(3).random(len(cells))
        most = np.zeros(cells.k_pred)
        np.maximum.at(most, cells.cols, mass)
        top = mass == most[cells.cols]
        alone = np.bincount(cells.cols)[cells.cols] == 1
        off = np.where(top, 1 - 1 / np.bincount(cells.cols, top)[cells.cols], 1.0)
        share = np.bincount(cells.cols, mass * off)[cells.cols]
        whole = _core.group_sum(cells.cols, cells.k_pred, lost)[cells.cols]
        charged = np.divide(mass * off * whole, share, out=np.zeros(len(mass)), where=~alone & (share > 0))
        for threads in ("1", "3"):
            monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
            found = _core.charges(turned.indptr, order, mass, lost)
            assert np.array_equal(found.off, off)
            assert np.array_equal(found.charged, charged)


def test_charges_refuse_what_are_no_cells() -> None:
    """Places that do not exist, and columns of other lengths."""
    indptr, ones = np.array([0, 2]), np.ones(2)
    for order in (np.array([0, 2]), np.array([-1, 0])):
        with pytest.raises(ValueError, match="order must name cells"):
            _core.charges(indptr, order, ones, ones)
    with pytest.raises(ValueError, match="one entry per cell"):
        _core.charges(indptr, None, ones, np.ones(3))
    for wrong in (np.array([0, 1]), np.array([1, 2]), np.array([0, 3, 2])):
        with pytest.raises(ValueError, match="indptr"):
            _core.charges(wrong, None, ones, ones)
