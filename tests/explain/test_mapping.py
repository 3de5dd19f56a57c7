"""Which cluster continues which: the rule, carried out cell by cell."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import clusterdiff as cd
from tests.conftest import label_pairs


def partners(true: list[Any], pred: list[Any]) -> set[tuple[Any, Any]]:
    """Pairs of clusters: those that share most come first, then those with fewer points in all, then the earlier."""
    shared, a, b = Counter(zip(true, pred, strict=True)), Counter(true), Counter(pred)
    order = {label: i for i, label in enumerate(dict.fromkeys(true))}
    other = {label: i for i, label in enumerate(dict.fromkeys(pred))}
    cells = sorted(shared, key=lambda c: (-shared[c], a[c[0]] + b[c[1]], order[c[0]], other[c[1]]))
    taken: tuple[set[Any], set[Any]] = set(), set()
    chosen = set()
    for cell in cells:
        if cell[0] not in taken[0] and cell[1] not in taken[1]:
            chosen.add(cell)
            taken[0].add(cell[0])
            taken[1].add(cell[1])
    return chosen


def paired(diff: cd.Comparison) -> set[tuple[Any, Any]]:
    """The pairs of the mapping."""
    return {(row.true, row.pred) for row in diff.mapping if row.status in ("same", "continues")}


@given(label_pairs(max_points=30))
def test_clusters_are_paired_by_their_rule(pair: tuple[list[int], list[int]]) -> None:
    """What shares most, then what has fewer points in all, then what comes first: taken one by one."""
    true, pred = ([f"{side}{label}" for label in labels] for side, labels in zip("tp", pair, strict=True))
    assert paired(cd.compare(true, pred)) == partners(true, pred)


@pytest.mark.parametrize("swapped", [False, True])
def test_of_equal_shares_that_of_smaller_clusters_is_taken(swapped: bool) -> None:
    """Two points of t are in x, which has two more, and two in y, which has none: y continues t."""
    true, pred = [*"tttt", *"uu"], [*"xx", *"yy", *"xx"]
    if swapped:
        assert ("y", "t") in paired(cd.compare(pred, true))
    else:
        assert ("t", "y") in paired(cd.compare(true, pred))


def test_of_clusters_that_are_alike_the_earlier_is_taken() -> None:
    """Nothing else tells them apart."""
    assert paired(cd.compare([*"tt"], [*"xy"])) == {("t", "x")}
    assert paired(cd.compare([*"tu"], [*"xx"])) == {("t", "x")}


def test_pairs_are_stable_in_large_components() -> None:
    """Of a chain of clusters that share one point each, no two that are left could still be paired."""
    i = np.arange(6_000)
    shares = cd.compare(i // 2, (i + 1) // 2)
    assert len(shares.components) == 1
    pairs = paired(shares)
    left, right = {true for true, _ in pairs}, {pred for _, pred in pairs}
    for true, pred in zip((i // 2).tolist(), ((i + 1) // 2).tolist(), strict=True):
        assert true in left or pred in right
    assert len(left) == len(right) == len(pairs)
