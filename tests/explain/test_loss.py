"""The loss is shared out exactly: over the whole, components, clusters, cells and slices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.diff.loss import costliest
from tests.conftest import label_pairs, random_pair

EXACT = {"rel": 1e-12, "abs": 1e-14}


@given(label_pairs(), st.booleans())
def test_every_grouping_adds_up_to_the_whole(pair: tuple[list[int], list[int]], weighted: bool) -> None:
    """Losses of components, true clusters, predicted clusters, sizes, kinds and a column sum to 1 − S_H."""
    true, pred = pair
    weights = [1 + (7 * i) % 5 for i in range(len(true))] if weighted else None
    diff = cd.compare(true, pred, weights=weights)
    assert diff.loss.total == pytest.approx(1 - diff.score(), **EXACT)
    assert diff.loss.split + diff.loss.merge == diff.loss.total
    column = [i % 3 for i in range(len(true))]
    for table in (
        diff.components,
        diff.splits,
        diff.merges,
        diff.by("size"),
        diff.by("kind"),
        diff.by(column),
    ):
        assert table["loss"].sum() == pytest.approx(diff.loss.total, **EXACT)
        assert table["split_loss"].sum() == pytest.approx(diff.loss.split, **EXACT)
        assert table["merge_loss"].sum() == pytest.approx(diff.loss.merge, **EXACT)


def test_a_components_loss_is_that_of_its_points_alone() -> None:
    """Restricted to a component, the comparison loses the component's loss, scaled by its share of the points."""
    diff = cd.compare(*random_pair(300, 80, seed=3))
    for component in diff.components[:10]:
        alone = cd.score(
            np.repeat(component.meet.true, component.meet.size),
            np.repeat(component.meet.pred, component.meet.size),
        )
        assert (1 - alone) * component.size / diff.n == pytest.approx(component.loss, **EXACT)
        assert component.score == pytest.approx(alone, **EXACT)


def test_pure_splits_lose_only_to_splitting_and_pure_merges_only_to_merging() -> None:
    """The shares tell the two kinds of error apart, and exchanging the clusterings exchanges them."""
    split = cd.compare([0, 0, 0, 0, 1], [0, 0, 1, 2, 3]).loss
    merge = cd.compare([0, 0, 1, 2, 3], [0, 0, 0, 0, 1]).loss
    assert split.merge == 0 < split.split
    assert merge.split == 0 < merge.merge
    true, pred = random_pair(200, 30, seed=1)
    there, back = cd.compare(true, pred).loss, cd.compare(pred, true).loss
    assert (there.split, there.merge) == pytest.approx((back.merge, back.split), **EXACT)


def test_a_slice_has_the_loss_of_its_points() -> None:
    """A point bears its share of its cell's loss: the slices of one component's points are that component."""
    diff = cd.compare([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2])
    rows = {row.value: row for row in diff.by(["bad"] * 5 + ["good"])}
    assert rows["good"] == ("good", 1, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert rows["bad"].loss == pytest.approx(diff.loss.total)
    assert rows["bad"].score == pytest.approx(diff.components[0].score)


def test_slices_take_columns_in_order_or_by_point_and_keep_what_is_missing() -> None:
    """Lists follow the order of `true`; dicts go by point, and points they lack fall under None."""
    true, pred = {"c": 1, "a": 1, "b": 2}, {"a": 1, "b": 2, "c": 9}
    diff = cd.compare(true, pred)
    by_order = diff.by(["x", "y", "y"]).to_dict()
    by_point = diff.by({"a": "y", "b": "y", "c": "x"}).to_dict()
    assert by_order == by_point
    assert [row[:2] for row in diff.by({"c": "x"})] == [(None, 2), ("x", 1)]
    years = diff.by(np.array([2001, 2002, 2002]))
    assert sorted(years["value"].tolist()) == [2001, 2002]


def test_sizes_are_sliced_by_powers_of_two() -> None:
    """Every true cluster falls into the slice that its size belongs to."""
    sizes = [1, 2, 3, 4, 5, 8, 9, 16, 17]
    true = np.repeat(np.arange(len(sizes)), sizes)
    rows = {row.value: row.points for row in cd.compare(true, true).by("size")}
    assert rows == {"1": 1, "2": 2, "3–4": 7, "5–8": 13, "9–16": 25, "17–32": 17}


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (["x"], r"`column` must have a value for each of the 3 points of `true`; got 1"),
        (
            "source",
            r"`column` must hold one value per point, or be \"size\" or \"kind\"; got the string 'source'",
        ),
        (7, r"`column` must hold one value per point; got int"),
    ],
)
def test_bad_columns_are_refused(column: object, message: str) -> None:
    """A column of the wrong length or kind is named in the error."""
    with pytest.raises(cd.ArgumentError, match=message):
        cd.compare([0, 0, 1], [0, 1, 1]).by(column)


def test_a_component_has_its_clusters_however_many_were_asked_for_before() -> None:
    """The first ones are looked for one by one, then damaged ones are grouped, and others if one is asked for."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 200, 600)
    pred = np.where(rng.random(600) < 0.1, rng.integers(0, 200, 600), true)
    analysis = cd.compare(true, pred).analysis
    of_side = {"true": analysis.join.of_true, "pred": analysis.join.of_pred}
    assert {len(np.flatnonzero(of_side["true"] == c)) for c in range(analysis.join.count)} > {1, 2}
    for component in rng.permutation(analysis.join.count).tolist():
        for side, of in of_side.items():
            found = analysis.codes_of_component(component, side)
            np.testing.assert_array_equal(found, np.flatnonzero(of == component))


def test_points_and_clusters_may_be_called_by_tuples() -> None:
    """They stay tuples in the table of points, where they could be taken for its columns."""
    true = {("a", 1): ("x", 0), ("a", 2): ("x", 0), ("b", 1): ("y", 0)}
    table = cd.compare(true, dict.fromkeys(true, ("z", 9))).by_point
    assert dict(zip(table["point"].tolist(), table["true"].tolist(), strict=True)) == true
    assert set(table["pred"].tolist()) == {("z", 9)}


def test_a_few_of_the_costliest_are_the_first_of_all() -> None:
    """Also where losses are equal, and where some are no number, which come last."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        losses = rng.integers(0, 4, rng.integers(1, 12)) / 4
        losses[rng.random(len(losses)) < rng.choice([0.0, 0.3, 1.0])] = np.nan
        for most in range(1, len(losses) + 1):
            assert costliest(losses, most).tolist() == costliest(losses)[:most].tolist()
