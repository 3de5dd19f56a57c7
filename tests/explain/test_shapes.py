"""Laws of blame and shapes: everything adds up to the loss, and no order of the input decides."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.loss import PARTS
from clusterdiff.diff.shapes import EDITS, SHAPES, TANGLE, Shapes
from tests.cases import cases


def partitions(n: int) -> list[list[int]]:
    """All clusterings of n points."""
    found: list[list[int]] = [[]]
    for _ in range(n):
        found = [[*labels, label] for labels in found for label in range(max(labels, default=-1) + 2)]
    return found


def by_sets(true: list[Any], pred: list[Any]) -> str:
    """The shape of one component, from its definition."""
    cells = Counter(zip(true, pred, strict=True))
    k_true, k_pred = len(set(true)), len(set(pred))
    if k_true == k_pred == 1:
        return "same"
    if k_true == 1 or k_pred == 1:
        kind, k = ("split", k_pred) if k_true == 1 else ("merge", k_true)
        return f"{kind}-{k}" if k < 4 else f"{kind}-4+"
    if k_true == k_pred == 2 and len(cells) == 4:
        return "exchange"
    central = [cell for cell in cells if all(cell[0] == t or cell[1] == p for t, p in cells)]
    if central and k_true == k_pred == 2 and cells[central[0]] <= min(cells.values()):
        return "sides"
    return "hub" if central else "tangle-s"


def transposed(shape: str) -> str:
    """What a shape is called when the sides are swapped."""
    swap = {"split": "merge", "merge": "split", "missing": "spurious", "spurious": "missing"}
    return "-".join(swap.get(part, part) for part in shape.split("-"))


def assert_adds_up(diff: Any, shapes: Shapes) -> None:
    """Rows add up to the loss in each part; blame is not negative, adds up, and spares whoever stayed."""
    points = shapes.blame.points(diff.source)
    for part in PARTS:
        lost = getattr(diff.loss, part)
        assert sum(getattr(row.loss, part) for row in shapes.rows) == pytest.approx(lost, abs=1e-12)
        assert getattr(points.lost, part).sum() == pytest.approx(lost, abs=1e-12)
        assert (getattr(points.lost, part) >= 0).all()
    assert not points.lost.split[points.off_true == 0].any()
    assert not points.lost.merge[points.off_pred == 0].any()
    if diff.loss.total > 0:
        assert sum(row.share for row in shapes.rows) == pytest.approx(1)


@cases("n", range(1, 6))
def test_shapes_and_blame_of_all_small_clusterings(n: int) -> None:
    """Shapes by their definition; transposing swaps split with merge; all of it adds up."""
    every = partitions(n)
    # True clusters stand together: other orders only rename points.
    for true, pred in product((labels for labels in every if labels == sorted(labels)), every):
        diff = cd.compare(true, pred)
        shapes = Shapes(Blame(diff.analysis))
        component = diff.analysis.join.of_cell[diff.meet.cell_of_point]
        for code in range(len(diff.analysis.join)):
            mine = np.flatnonzero(component == code)
            expected = by_sets([true[i] for i in mine], [pred[i] for i in mine])
            assert SHAPES[shapes.codes[code]] == expected, (true, pred)
        assert_adds_up(diff, shapes)
        back = Shapes(Blame(cd.compare(pred, true).analysis))
        assert {transposed(row.shape): row.share for row in shapes.rows} == pytest.approx(
            {row.shape: row.share for row in back.rows}
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_shapes_of_uneven_clusterings_add_up(weighted: bool) -> None:
    """Random pairs with missing and spurious points, also of different weights, some of which are 0."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(150):
        true = {i: int(rng.integers(0, 8)) for i in range(40) if rng.random() < 0.85}
        pred = {
            i: int(rng.integers(0, 8)) if rng.random() < 0.3 else true.get(i, 0)
            for i in range(40)
            if rng.random() < 0.85
        }
        weights = {i: int(rng.integers(0, 4)) for i in range(40)} if weighted else None
        diff = cd.compare(true, pred, missing="lost", weights=weights)
        shapes = Shapes(Blame(diff.analysis))
        assert_adds_up(diff, shapes)
        seen |= {row.shape for row in shapes.rows}
    assert {*EDITS, "e-missing", "e-spurious"} <= seen


def test_tangles_are_told_edit_by_edit() -> None:
    """A chain of clusters is one component, a tangle from ten clusters on; its edits are counted by size."""
    k = TANGLE // 2
    true = [i for i in range(k) for _ in range(10)]
    pred = [(i + 1) % k if j == 0 else i for i in range(k) for j in range(10)]
    (row,) = Shapes(Blame(cd.compare(true, pred).analysis)).rows
    assert (row.shape, row.unit, row.count, row.moved, row.ones) == ("e-sides", "edit", k, k, 1.0)
    assert [(of.size, of.count, round(of.share, 9)) for of in row.by_size] == [("1", k, 1.0)]
    (small,) = Shapes(Blame(cd.compare(true[10:], pred[10:]).analysis)).rows
    assert (small.shape, small.unit, small.sizes) == ("tangle-s", "component", (40, 40))


def test_confusions_name_what_the_other_cluster_mostly_is() -> None:
    """Costliest first; of equally large parts the first is what a cluster mostly is."""
    true = [*"a" * 6, *"b" * 6]
    pred = [1, 1, 1, 1, 2, 2, *[2] * 5, 3]
    found = Shapes(Blame(cd.compare(true, pred).analysis)).confusions
    assert [(c.true, c.pred, c.mostly, c.points, c.of) for c in found] == [
        ("a", 2, "b", 2, 6),
        ("b", 3, "b", 1, 6),
    ]
    assert sum(c.share for c in found) == pytest.approx(1)


def test_identical_clusterings_have_no_shapes() -> None:
    """Nothing was lost, so there is nothing to tell."""
    shapes = Shapes(Blame(cd.compare([0, 0, 1], [5, 5, 7]).analysis))
    assert (shapes.rows, shapes.confusions) == ([], [])


def test_details_say_how_many_points_moved() -> None:
    """One in at least half of the components is "mostly 1"; else the median is told."""
    true = np.repeat(np.arange(4), 8)
    pred = true.copy()
    for cluster, moved in enumerate((1, 1, 3, 3)):
        pred[8 * cluster : 8 * cluster + moved] = 10 + cluster
    for first, words in ((0, "mostly 1 split off"), (1, "in half of them 3 or fewer split off")):
        chosen = true >= first
        assert f" of 8 points, {words}\n" in str(cd.compare(true[chosen], pred[chosen]).patterns())
