"""What the core returns: results with named fields, tables that pickle, numbers of any type."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from clusterdiff import _core
from tests.cases import cases

TRUE = np.array([0, 0, 0, 1, 1, 2])
PRED = np.array([0, 0, 1, 1, 1, 1])
ROWS = sparse.csr_array(np.eye(6))
SIZES, COUNTS = np.array([1, 2, 3]), np.array([1, 1, 1])


def cells() -> _core.Cells:
    """Three true clusters over two predicted ones."""
    return _core.meet(TRUE, PRED)


RESULTS: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "Codes": (lambda: _core.encode_integers(TRUE), ("codes", "first")),
    "ObjectCodes": (lambda: _core.encode_objects(["a", "b"]), ("codes", "first", "types")),
    "Transposed": (lambda: cells().transpose(), ("cells", "order")),
    "Join": (lambda: cells().join(), ("of_true", "of_pred", "count")),
    "Members": (lambda: _core.group_members(TRUE, 3), ("indptr", "members")),
    "Contents": (lambda: _core.contents(TRUE, 3, np.ones(6)), ("pairs", "entropy", "heavy")),
    "Weighed": (
        lambda: cells().weighed(np.ones(len(cells()))),
        ("true_only", "pred_only", "apart", "mutual", "chi2", "frobenius"),
    ),
    "DenseMoments": (lambda: _core.moments_dense(TRUE, 3, np.eye(6)), ("centres", "low", "within")),
    "SparseMoments": (
        lambda: _core.moments_sparse(TRUE, 3, ROWS.indptr, ROWS.indices, ROWS.data, 6),
        ("indptr", "indices", "data", "low", "within"),
    ),
    "Repairs": (lambda: _core.repairs(cells()), ("operation", "at", "to", "gain")),
    "RepairSteps": (
        lambda: _core.repair_steps(cells()),
        ("operation", "true", "gain", "indptr", "cell", "source", "target"),
    ),
    "ExpectedInformation": (
        lambda: _core.expected_information(SIZES, COUNTS, SIZES, COUNTS),
        ("mutual", "split_info", "merge_info", "split_loss", "merge_loss"),
    ),
    "ExpectedS": (lambda: _core.expected_s_h(SIZES, COUNTS, SIZES, COUNTS, False), ("value", "terms")),
}


@cases("name", RESULTS)
def test_a_result_has_named_fields_unpacks_and_pickles(name: str) -> None:
    """Fields are read by name or in order, and the type is one of the module's own."""
    make, fields = RESULTS[name]
    result = make()
    assert type(result) is getattr(_core, name)
    assert result._fields == fields
    assert all(getattr(result, field) is part for field, part in zip(fields, result, strict=True))
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is type(result)


def same_cells(a: _core.Cells, b: _core.Cells) -> None:
    """The same table, bit for bit."""
    assert (a.n, a.k_true, a.k_pred) == (b.n, b.k_true, b.k_pred)
    for name in ("indptr", "cols", "sizes", "true_labels", "pred_labels", "true_sizes", "pred_sizes"):
        x, y = getattr(a, name), getattr(b, name)
        assert (x is None) == (y is None)
        if x is not None:
            assert x.dtype == y.dtype
            assert x.tolist() == y.tolist()


@cases("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
@cases(
    "labels",
    [
        lambda rng: rng.integers(0, 9, (2, 100)),
        lambda rng: rng.integers(-(2**62), 2**62, 9)[rng.integers(0, 9, (2, 100))],
        lambda rng: rng.integers(2**63, 2**64 - 1, 9, dtype=np.uint64)[rng.integers(0, 9, (2, 100))],
        lambda rng: rng.integers(0, 3_000, (2, 20_000)),
        lambda rng: rng.integers(-(2**62), 2**62, 9_000)[rng.integers(0, 9_000, (2, 20_000))],
    ],
)
def test_cells_and_sums_survive_a_copy(labels: Any, copied: Any) -> None:
    """A table that has been pickled or copied still knows its labels, and so where each point lies."""
    true, pred = labels(np.random.default_rng(3))
    table = _core.meet(true, pred)
    again = copied(table)
    same_cells(again, table)
    assert again.locate(true, pred).tolist() == table.locate(true, pred).tolist()
    sums = copied(table.sums())
    assert (sums.s_h, sums.mutual, sums.mm) == (table.sums().s_h, table.sums().mutual, table.sums().mm)
    by_hand = _core.Cells(table.indptr, table.cols, table.sizes, table.k_pred)
    same_cells(copied(by_hand), by_hand)


def test_labels_of_cells_made_by_hand_are_checked() -> None:
    """One label for each cluster, no two alike, of 64 bits, and for both sides or none."""
    made = cells()
    table = (made.indptr, made.cols, made.sizes, made.k_pred)
    true, pred = np.array([7, -3, 5]), np.array([0, 1])
    assert _core.Cells(*table, true, pred).true_labels.tolist() == [7, -3, 5]  # type: ignore[union-attr]
    for labels, text in {
        (None,): "given together",
        (7, -3): "true_labels must have one entry per cluster",
        (7, -3, 7): "true_labels must not name two clusters alike",
    }.items():
        with pytest.raises(ValueError, match=text):
            _core.Cells(*table, None if labels[0] is None else np.array(labels), pred)
    with pytest.raises(TypeError, match="true_labels must be int64 or uint64"):
        _core.Cells(*table, true.astype(np.int32), pred)


def test_sizes_that_do_not_fit_are_refused() -> None:
    """Sizes that are fine one by one may still be too many points together."""
    sizes = np.array([2**62, 2**62], np.int64)
    with pytest.raises(ValueError, match=r"the sizes add up to 2\^63 or more"):
        _core.Cells(np.array([0, 2]), np.array([0, 1], np.int32), sizes, 2)


@cases("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4"])
def test_numbers_of_any_type_count_as_their_float64(dtype: str) -> None:
    """Features and distances of integers give the very bits that the same numbers give as float64."""
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2 if dtype == "?" else 120, (300, 7)).astype(dtype)
    d = rng.integers(0, 2 if dtype == "?" else 120, (300, 300)).astype(dtype)
    groups = rng.integers(0, 20, 300)
    members = _core.group_members(groups, 20)
    rows = sparse.csr_array(x)
    condensed = d[np.triu_indices(300, 1)]
    for w in (None, rng.random(300)):
        for given in (x, np.asfortranarray(x), x[:, ::-1]):
            found, expected = (_core.moments_dense(groups, 20, m, w) for m in (given, given.astype(float)))
            assert found.centres.tolist() == expected.centres.tolist()
            assert found.within.tolist() == expected.within.tolist()
        for kind in (np.int32, np.int64, np.uint16):
            place = rows.indptr.astype(kind), rows.indices.astype(kind)
            data = rows.data.astype(dtype), rows.data.astype(float)
            narrow, wide = (_core.moments_sparse(groups, 20, *place, values, 7, w) for values in data)
            assert all(a.tolist() == b.tolist() for a, b in zip(narrow, wide, strict=True))
        for matrix in (d, d.T):
            links = [_core.link_sums_square(*members, m, w).tolist() for m in (matrix, matrix.astype(float))]
            assert links[0] == links[1]
        links = [
            _core.link_sums_condensed(*members, m, 300, w).tolist()
            for m in (condensed, condensed.astype(float))
        ]
        assert links[0] == links[1]
