"""The one-to-one matching of clusters that explanation, fates and names share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from clusterdiff import _core

Cells = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]


def oracle(true: list[int], pred: list[int], size: list[int], least: list[int]) -> list[int]:
    """One cell after the other, by size, by the sizes of its clusters and by its least point, if both are free."""
    of_true, of_pred = (
        {cluster: sum(m for m, c in zip(size, side, strict=True) if c == cluster) for cluster in set(side)}
        for side in (true, pred)
    )
    order = sorted(range(len(size)), key=lambda i: (-size[i], of_true[true[i]] + of_pred[pred[i]], least[i]))
    rows: set[int] = set()
    columns: set[int] = set()
    out = []
    for i in order:
        if true[i] not in rows and pred[i] not in columns:
            out.append(i)
            rows.add(true[i])
            columns.add(pred[i])
    return sorted(out)


def cells(seed: int, k_true: int, k_pred: int, count: int, most: int) -> Cells:
    """Some of the cells of a table, in any order."""
    random = np.random.default_rng(seed)
    at = random.permutation(k_true * k_pred)[:count]
    true, pred = np.divmod(at, k_pred)
    return true, pred, random.integers(1, most + 1, len(at))


@pytest.mark.parametrize("seed", range(40))
def test_a_cell_is_taken_if_no_earlier_one_has_its_clusters(seed: int) -> None:
    """Whatever the shape: few clusters and many, most of them alone, most of them tied."""
    k_true, k_pred = [(3, 4), (40, 50), (1, 90), (60, 60)][seed % 4]
    count, most = [(k_true * k_pred, 2), (k_true + k_pred, 9), (k_true, 1)][seed % 3]
    true, pred, size = cells(seed, k_true, k_pred, count, most)
    turn = np.random.default_rng(seed).permutation(len(size))
    found = _core.one_to_one(true.astype(np.int32), pred, size, lambda tied: turn[tied])
    assert found.tolist() == oracle(true.tolist(), pred.tolist(), size.tolist(), turn.tolist())


@pytest.mark.parametrize("threads", ["1", "2"])
def test_many_cells_are_matched_as_few(threads: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disjoint tables by the thousand, and a cluster of very many cells: each is matched as it is by itself."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
    table, copies, wide = cells(1, 6, 7, 20, 3), 9_000, 40_000
    own = oracle(*map(np.ndarray.tolist, table), list(range(20)))
    shift = np.repeat(np.arange(copies), 20)
    true = np.concatenate([np.tile(table[0], copies) + 6 * shift, np.full(wide, 6 * copies)])
    pred = np.concatenate([np.tile(table[1], copies) + 7 * shift, 7 * copies + np.arange(wide)])
    size = np.concatenate([np.tile(table[2], copies), np.arange(wide) // 2 + 1])
    found = _core.one_to_one(true, pred, size, lambda tied: tied)
    whole = [20 * copy + place for copy in range(copies) for place in own]
    assert found.tolist() == [*whole, 20 * copies + wide - 2]


def test_only_what_is_tied_is_asked_for() -> None:
    """Cells that share a cluster, as many points and clusters of one size; nothing at all if there are none."""
    asked: list[list[int]] = []

    def least(tied: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        asked.append(tied.tolist())
        return -tied

    true, pred, size = (np.array(x) for x in ([0, 0, 1, 1, 2, 3], [0, 1, 2, 3, 4, 4], [2, 2, 3, 1, 1, 1]))
    assert _core.one_to_one(true, pred, size, least).tolist() == [1, 2, 5]
    assert asked == [[0, 1, 4, 5]]
    assert _core.one_to_one(true[2:4], pred[2:4], size[2:4], least).tolist() == [0]
    assert _core.one_to_one(true[:0], pred[:0], size[:0], least).tolist() == []
    assert len(asked) == 1


def test_what_cannot_be_is_refused() -> None:
    """Codes would be read and written outside the arrays."""
    codes, size = np.array([0, 0]), np.ones(2, dtype=np.int64)
    for bad in (-1, 2**31):
        for sides in ((np.array([0, bad]), codes), (codes, np.array([0, bad]))):
            with pytest.raises(ValueError, match="codes of clusters"):
                _core.one_to_one(*sides, size, lambda tied: tied)
    with pytest.raises(ValueError, match="same length"):
        _core.one_to_one(codes, codes, size[:1], lambda tied: tied)
    with pytest.raises(ValueError, match="a number for each cell"):
        _core.one_to_one(codes, np.arange(2), size, lambda tied: tied[:1])
    with pytest.raises(ZeroDivisionError):
        _core.one_to_one(codes, np.arange(2), size, lambda tied: 1 // 0)
