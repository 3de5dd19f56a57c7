"""The best one-to-one matching of clusters, where most cells need no search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linear_sum_assignment

from clusterdiff import _core

Values = npt.NDArray[np.float64]


def table(rows: list[list[int]], k_pred: int) -> _core.Cells:
    """Cells by the columns of each row."""
    indptr = np.cumsum([0, *map(len, rows)])
    columns = np.array([column for row in rows for column in row], dtype=np.int32)
    return _core.Cells(indptr, columns, np.ones(len(columns), dtype=np.int64), k_pred)


def scattered(seed: int, components: int) -> tuple[_core.Cells, Values]:
    """Components of one to three clusters a side, more than half of them one cell, in random order; some values 0."""
    random = np.random.default_rng(seed)
    rows: list[list[int]] = []
    k_pred = 0
    for _ in range(components):
        sides = random.integers(1, 4, 2) if random.random() < 0.4 else (1, 1)
        here = random.random(tuple(sides)) < 0.7
        here[:, 0] = here[0, :] = True
        rows += [(k_pred + np.flatnonzero(row)).tolist() for row in here]
        k_pred += int(sides[1])
    name = random.permutation(k_pred)
    mixed = [[int(name[column]) for column in rows[i]] for i in random.permutation(len(rows))]
    cells = table(mixed, k_pred)
    return cells, random.integers(0, 4, len(cells)).astype(float) * random.choice([1.0, 0.1, 0.75])


@pytest.mark.parametrize("seed", range(12))
def test_each_component_is_matched_best_as_if_it_were_alone(seed: int) -> None:
    """The total is that of SciPy's dense solver; no cluster comes twice, and nobody without value comes at all."""
    cells, value = scattered(seed, 200)
    dense = np.zeros((cells.k_true, cells.k_pred))
    dense[cells.rows, cells.cols] = value
    rows, columns = linear_sum_assignment(dense, maximize=True)
    for given in (value, np.round(40 * value).astype(np.int64)):
        found = cells.assign(given)
        assert (np.diff(found) > 0).all()
        assert len(set(cells.rows[found])) == len(set(cells.cols[found])) == len(found)
        assert (given[found] > 0).all()
    assert value[cells.assign(value)].sum() == pytest.approx(dense[rows, columns].sum(), rel=1e-13)


def test_cells_that_are_alone_are_matched_unless_they_are_worth_nothing() -> None:
    """Also if there are no others, and beside a true cluster without any cell."""
    alone = table([[1], [0], [], [2]], 3)
    assert alone.assign(np.array([2.0, 0.0, 0.5])).tolist() == [0, 2]
    beside = table([[1], [0, 3], [], [2], [3]], 4)
    assert beside.assign(np.array([0, 2, 3, 1, 2])).tolist() == [1, 3, 4]


def test_the_matching_is_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """More cells than one thread would be asked to do."""
    cells, value = scattered(0, 120_000)
    found = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        again = _core.Cells(cells.indptr, cells.cols, cells.sizes, cells.k_pred)
        found.append(again.assign(value).tolist())
    assert found[0] == found[1] == found[2]
