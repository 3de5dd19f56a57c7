"""Which cluster continues which: the rule, carried out cell by cell."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import clusterdiff as cd
from clusterdiff.diff.hunks import hunks
from tests.conftest import label_pairs


def partners(true: list[Any], pred: list[Any]) -> set[tuple[Any, Any]]:
    """Pairs: what shares most comes first, then what has fewer points in all, then what has the least point."""
    shared, a, b = Counter(zip(true, pred, strict=True)), Counter(true), Counter(pred)
    least = {cell: i for i, cell in reversed(list(enumerate(zip(true, pred, strict=True))))}
    cells = sorted(shared, key=lambda c: (-shared[c], a[c[0]] + b[c[1]], least[c]))
    taken: tuple[set[Any], set[Any]] = set(), set()
    chosen = set()
    for cell in cells:
        if cell[0] not in taken[0] and cell[1] not in taken[1]:
            chosen.add(cell)
            taken[0].add(cell[0])
            taken[1].add(cell[1])
    return chosen


def paired(diff: cd.types.Comparison) -> set[tuple[Any, Any]]:
    """The pairs of clusters that continue each other."""
    found, meet = diff.succession, diff.succession.meet
    return {(meet.true_names[meet.true[q]], meet.pred_names[meet.pred[q]]) for q in found.matched}


@given(label_pairs(max_points=30))
def test_clusters_are_paired_by_their_rule(pair: tuple[list[int], list[int]]) -> None:
    """What shares most, then what has fewer points in all, then what has the least point: taken one by one."""
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


def test_of_clusters_that_are_alike_that_of_the_least_point_is_taken() -> None:
    """Nothing else tells them apart; rows do not count, and 9 comes before 10."""
    assert paired(cd.compare([*"tt"], [*"xy"])) == {("t", "x")}
    assert paired(cd.compare([*"tu"], [*"xx"])) == {("t", "x")}
    assert paired(cd.compare({10: "t", 9: "t"}, {10: "x", 9: "y"})) == {("t", "y")}
    assert paired(cd.compare({"10": "t", "9": "t"}, {"10": "x", "9": "y"})) == {("t", "x")}


@given(label_pairs(max_points=12))
def test_hunks_pair_clusters_as_fates_do(pair: tuple[list[int], list[int]]) -> None:
    """One matching serves what is told and what is named."""
    diff = cd.compare(*pair)
    told = {
        (block.true, block.pred)
        for hunk in hunks(diff.components)
        for block in hunk.blocks
        if block.true_size and block.pred_size
    }
    assert told <= paired(diff)


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


def test_a_long_chain_of_equals_is_paired_quickly() -> None:
    """A clustering against itself shifted by one point: one component, all shares equal, settled from its end on."""
    i = np.arange(200_000)
    assert len(cd.compare(i // 2, (i + 1) // 2).succession.matched) == 100_000
