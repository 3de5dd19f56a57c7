"""The greedy matching of clusters, cell by cell."""

from __future__ import annotations

import numpy as np
import pytest

from clusterdiff import _core


def oracle(true: list[int], pred: list[int]) -> list[int]:
    """The cells whose clusters no earlier one has taken."""
    rows: set[int] = set()
    columns: set[int] = set()
    out = []
    for i, (row, column) in enumerate(zip(true, pred, strict=True)):
        if row not in rows and column not in columns:
            out.append(i)
            rows.add(row)
            columns.add(column)
    return out


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_a_cell_is_taken_if_no_earlier_one_has_its_clusters(dtype: type) -> None:
    """In the order of the cells, whatever their type."""
    true, pred = np.random.default_rng(0).integers(0, 60, (2, 2_000)).astype(dtype)
    assert _core.greedy(true, pred, 60, 60).tolist() == oracle(true.tolist(), pred.tolist())
    assert _core.greedy(true[:0], pred[:0], 0, 0).tolist() == []


@pytest.mark.parametrize("bad", [-1, 3])
def test_codes_out_of_range_are_refused(bad: int) -> None:
    """They would be read and written outside the arrays."""
    codes = np.array([0, bad])
    for arguments in ((codes, codes * 0, 3, 3), (codes * 0, codes, 3, 3)):
        with pytest.raises(ValueError, match="codes of clusters"):
            _core.greedy(*arguments)
    with pytest.raises(ValueError, match="same length"):
        _core.greedy(codes[:1], codes, 3, 3)
    with pytest.raises(ValueError, match="must not be negative"):
        _core.greedy(codes[:0], codes[:0], -1, 3)
