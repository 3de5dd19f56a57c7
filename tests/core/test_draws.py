"""Draws: what true clusters keep, units with replacement and by coin; the same bits for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterdiff import _core
from clusterdiff.diff.analysis import Analysis
from clusterdiff.meet.meet import Meet
from tests.cases import cases


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40))
def test_what_true_clusters_keep_and_what_was_lost(points: list[tuple[int, int]]) -> None:
    """Against the analysis of the cells, one by one."""
    meet = Meet.from_labels(*np.array(points, dtype=np.int64).T.copy())
    kept, split, merge = meet.cells.kept_by_true()
    analysis = Analysis(meet)
    s, t = analysis.scored.pair
    expected = np.zeros(meet.k_true)
    np.add.at(expected, meet.true, meet.size * s * t)
    assert kept == pytest.approx(expected, abs=1e-12)
    assert (split / meet.n, merge / meet.n) == pytest.approx(analysis.loss[1:3], abs=1e-12)


def test_a_draw_takes_as_many_units_of_each_block_as_it_is_told() -> None:
    """Sums of ones are the numbers drawn, sums of a block's mark how many came from there."""
    block = _core.RESAMPLE_BLOCK
    units = 2 * block + 7
    values = np.column_stack([np.ones(units), np.arange(units) < block]).ravel()
    drawn = np.array([[3, 4, 5], [0, 1, 0]])
    assert _core.resample(values, 2, drawn.ravel(), 1).tolist() == [[12.0, 3.0], [1.0, 0.0]]


@cases("width", [1, 2, 3, 4, 5])
def test_every_unit_of_a_block_has_the_same_chance(width: int) -> None:
    """A million draws of 100 units: each comes ten thousand times, up to chance, in rows of any width."""
    values = np.zeros((100, width))
    values[:, -1] = 10.0 ** (np.arange(100) % 3)
    drawn = _core.resample(values.ravel(), width, np.full(1000, 1000), 7)
    assert drawn[:, -1].mean() == pytest.approx(1000 * values[:, -1].mean(), rel=0.01)
    assert not drawn[:, :-1].any()


@cases("units", [1, 63, 64, 65, 512, 1300])
def test_coins_pick_every_unit_half_of_the_time(units: int) -> None:
    """Each unit by itself, whatever its place in a block."""
    values = np.zeros((units, 2))
    at = [0, units // 2, units - 1]
    values[at, 0] = 1.0
    values[:, 1] = 1.0
    drawn = _core.toss(values.ravel(), 2, 4000, 3)
    assert drawn[:, 0].mean() == pytest.approx(len(set(at)) / 2, abs=0.06)
    assert drawn[:, 1].mean() == pytest.approx(units / 2, rel=0.05)
    assert set(drawn[:, 0].tolist()) == set(range(len(set(at)) + 1))


def test_draws_do_not_depend_on_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same seed gives the same bits with one thread and with several."""
    values = np.random.default_rng(0).normal(size=5000)
    drawn = np.full((3000, 3), 40)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        found.append((_core.resample(values, 1, drawn.ravel(), 5), _core.toss(values, 1, 3000, 5)))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_bad_arguments_are_refused() -> None:
    """Values that are no rows, numbers of the wrong length, and negative ones."""
    values = np.ones(6)
    with pytest.raises(ValueError, match="values must hold a row of width numbers per unit"):
        _core.resample(values, 4, np.array([1]), 0)
    with pytest.raises(ValueError, match="drawn must not be negative"):
        _core.resample(values, 2, np.array([-1]), 0)
    with pytest.raises(ValueError, match="drawn must hold a number per block"):
        _core.resample(np.ones(3 * _core.RESAMPLE_BLOCK), 1, np.array([1, 2]), 0)
    with pytest.raises(ValueError, match="draws must not be negative"):
        _core.toss(values, 2, -1, 0)
    with pytest.raises(ValueError, match="values must hold a row of width numbers per unit"):
        _core.toss(values[:0], 1, 1, 0)
