"""Hunks tell of every point of a component what became of it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.diff.hunks import BLOCKS, NAMED, PARTS, Block, Hunk, hunks
from clusterdiff.tables.engines.source import EngineSource

Named = dict[Hashable, Hashable]
#: Few clusters, so that no hunk leaves out any.
labels = st.lists(st.integers(0, 2), min_size=10, max_size=10)
present = st.lists(st.booleans(), min_size=10, max_size=10)


def sets(side: Named) -> dict[Hashable, set[Hashable]]:
    """Cluster → its points."""
    return {
        name: {point for point, cluster in side.items() if cluster == name} for name in set(side.values())
    }


def lines(block: Block, fate: str) -> dict[Any, set[Hashable]]:
    """The points of each cluster that the lines of a fate are about."""
    found = {line.other: set(line.points) for line in block.lines if line.fate == fate}
    assert len(found) == sum(line.fate == fate for line in block.lines)
    return found


def whole(block: Block) -> None:
    """The lines of a block add up to its two clusters."""
    size = {
        fate: sum(line.size for line in block.lines if line.fate == fate)
        for fate in ("stayed", "split off", "not found", "merged in", "spurious")
    }
    assert size["stayed"] + size["split off"] + size["not found"] == block.true_size
    assert size["stayed"] + size["merged in"] + size["spurious"] == block.pred_size
    assert all(line.size > 0 for line in block.lines)


def check(hunk: Hunk, true: Named, pred: Named) -> None:
    """Lines are what the sets say; every point is in some line; nobody who could be paired is left alone."""
    left, right = sets(true), sets(pred)
    told: set[Hashable] = set()
    for block in hunk.blocks:
        whole(block)
        mine = left[block.true] if block.true_size else set()
        theirs = right[block.pred] if block.pred_size else set()
        stayed = lines(block, "stayed")
        assert stayed == ({None: mine & theirs} if mine & theirs else {})
        off = {
            pred.get(point): mine & right.get(pred.get(point), set())
            for point in mine - theirs
            if point in pred
        }
        assert lines(block, "split off") == off
        into = {
            true.get(point): theirs & left.get(true.get(point), set())
            for point in theirs - mine
            if point in true
        }
        assert lines(block, "merged in") == into
        assert lines(block, "not found").get(None, set()) == mine - set(pred)
        assert lines(block, "spurious").get(None, set()) == theirs - set(true)
        told |= mine | theirs
    assert told == set(hunk.component.points)
    pairs = [(block.true, block.pred) for block in hunk.blocks if block.true_size and block.pred_size]
    for side in (0, 1):
        assert len({pair[side] for pair in pairs}) == len(pairs)
    with_partner = [{pair[side] for pair in pairs} for side in (0, 1)]
    for point in set(hunk.component.points) & set(true) & set(pred):
        assert true[point] in with_partner[0] or pred[point] in with_partner[1]


@given(labels, labels)
def test_every_point_has_a_fate(true: list[int], pred: list[int]) -> None:
    """It stayed, was split off or merged in, and all lines are what the sets say."""
    a: Named = {f"p{i}": f"t{label}" for i, label in enumerate(true)}
    b: Named = {f"p{i}": f"c{label}" for i, label in enumerate(pred)}
    diff = cd.compare(a, b)
    for hunk in hunks(diff.components):
        assert hunk.more == 0
        check(hunk, a, b)


@given(labels, labels, present, present)
def test_lost_points_are_not_found_or_spurious(
    true: list[int], pred: list[int], in_true: list[bool], in_pred: list[bool]
) -> None:
    """Points that one side lacks are told where they are missed, or where they are too many."""
    a: Named = {f"p{i}": f"t{label}" for i, label in enumerate(true) if in_true[i] or i == 0}
    b: Named = {f"p{i}": f"c{label}" for i, label in enumerate(pred) if in_pred[i] or i == 0}
    for hunk in hunks(cd.compare(a, b, missing="lost").components):
        check(hunk, a, b)


@given(labels, labels, present, present)
def test_points_in_no_cluster_are_told_as_such(
    true: list[int], pred: list[int], in_true: list[bool], in_pred: list[bool]
) -> None:
    """Clusters that were made for single points are nobody's continuation, and have no name."""
    a: Named = {f"p{i}": f"t{label}" for i, label in enumerate(true) if in_true[i] or i == 0}
    b: Named = {f"p{i}": f"c{label}" for i, label in enumerate(pred) if in_pred[i] or i == 0}
    for hunk in hunks(cd.compare(a, b, missing="singleton").components):
        for block in hunk.blocks:
            whole(block)
            mine = sets(a).get(block.true, set())
            none = [line for line in block.lines if line.fate == "split off" and not line.others]
            assert {point for line in none for point in line.points} == mine - set(b)


def test_large_components_are_cut_and_what_is_left_out_is_counted() -> None:
    """Sizes still add up: parts that are not told apart are one line, and further clusters are counted."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 40, (2, 50_000))
    (hunk,) = hunks(cd.compare(true, pred).components)
    assert len(hunk.blocks) == BLOCKS
    assert hunk.more >= 40 - BLOCKS
    for block in hunk.blocks:
        whole(block)
        for fate in ("split off", "merged in"):
            parts = [line for line in block.lines if line.fate == fate]
            assert len(parts) == PARTS + 1
            assert parts[-1].others == 39 - PARTS
            assert [line.size for line in parts[:-1]] == sorted((p.size for p in parts[:-1]), reverse=True)
        assert all(len(line.points) <= NAMED for line in block.lines)


def test_components_that_stay_in_an_engine_have_hunks_too() -> None:
    """With the same lines as in memory, whether the cells were brought or not."""
    import duckdb

    true = [f"t{i // 4}" for i in range(40)]
    pred = [f"c{i // 5}" for i in range(40)]
    con = duckdb.connect()
    tables = [
        con.sql(f"SELECT 'p' || i AS point, '{name}' || (i // {size}) AS cluster FROM range(40) AS t(i)")
        for name, size in (("t", 4), ("c", 5))
    ]
    brought = cd.compare(*tables, budget=7000)  # enough for the cells alone
    assert isinstance(brought.source, EngineSource)
    near = hunks(brought.components)
    far = cd.compare(*tables, budget=64)
    assert far.where == "engine"  # type: ignore[attr-defined]
    points = [f"p{i}" for i in range(40)]
    here = hunks(
        cd.compare(dict(zip(points, true, strict=True)), dict(zip(points, pred, strict=True))).components
    )

    def spelt(found: list[Hunk]) -> Any:
        return [
            sorted(
                (b.true, b.pred, sorted((x.fate, x.size, x.other, tuple(sorted(x.points))) for x in b.lines))
                for b in hunk.blocks
            )
            for hunk in found
        ]

    assert spelt(near) == spelt(here)
    one = hunks(far.components[:1])
    assert spelt(one)[0] in spelt(here)
    con.close()


def test_an_engine_is_not_asked_for_the_points_of_huge_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are told; for names, half of the table would have to be fetched."""
    import duckdb

    from clusterdiff.tables.engines import loading

    monkeypatch.setattr(loading, "NEAR", 10)
    con = duckdb.connect()
    tables = [
        con.sql(f"SELECT i AS point, i // {size} AS cluster FROM range(40) AS t(i)") for size in (20, 8)
    ]
    diff = cd.compare(*tables, budget=5000)  # enough for the cells alone
    assert isinstance(diff.source, EngineSource)
    for hunk in hunks(diff.components):
        for block in hunk.blocks:
            whole(block)
            assert not any(line.points for line in block.lines)
    con.close()
