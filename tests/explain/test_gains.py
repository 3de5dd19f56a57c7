"""Gains: what a measure comes to with something set right is what a new comparison says."""

from __future__ import annotations

import pickle
import warnings
from math import isfinite
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from tests.cases import cases
from tests.conftest import label_pairs, random_pair

Labels = dict[int, Any]
#: Those that need features, or a parameter, get them here.
PARAMETERS = {"K": "K(k=40)"}
NAMES = [PARAMETERS.get(name, name) for name in cd.measures if name not in ("S_MSE", "cdistance", "smi")]


def right(diff: cd.types.Comparison, true: Labels, pred: Labels, by: str, row: Any, missing: str) -> Labels:
    """The prediction with a component or cluster set right, point by point."""
    if by == "component":
        place = diff.components["component"].tolist().index(row.component)
        points = set(diff.components[place].points)
    else:
        side = true if by == "true" else pred
        points = {point for point, cluster in side.items() if cluster == row.cluster}
    if missing == "drop":  # what a side lacks is not compared, and stays so
        points &= true.keys() & pred.keys()
    after = dict(pred)
    for point in points:
        if point in true:
            after[point] = f"right {true[point]}"
        elif missing == "lost":
            del after[point]
        else:  # a cluster of its own on the side that lacks it
            after[point] = f"alone {point}"
    return after


def check(
    true: Labels, pred: Labels, measure: str, by: Any, how: dict[str, Any], close: float = 1e-9
) -> None:
    diff = cd.compare(true, pred, **how)
    try:
        score = diff.score(measure)
    except cd.MeasureError:
        return
    found = diff.gains(measure, by)
    assert found.measure == cd.measures[measure].name
    assert found.score == pytest.approx(score, rel=1e-12, abs=1e-12, nan_ok=True)
    if not isfinite(score):
        return
    assert found["gain"].tolist() == sorted(found["gain"].tolist(), reverse=True)
    better = 1 if cd.measures[measure].similarity else -1
    for row in found:
        if by != "component" and row.cluster is None:
            continue  # a point that is in no cluster of this side
        after = right(diff, true, pred, by, row, how.get("missing", "error"))
        if not true and not after:
            continue  # no point is left, and nothing to compare
        fresh = cd.compare(true, after, **how).score(measure)
        assert row.score == pytest.approx(fresh, rel=close, abs=close, nan_ok=True), (measure, row)
        assert row.gain == pytest.approx(better * (fresh - score), rel=close, abs=close, nan_ok=True)


def labelled(labels: list[int], side: str) -> Labels:
    return {point: f"{side}{label}" for point, label in enumerate(labels)}


@pytest.mark.parametrize("by", ["component", "true", "pred"])
@given(label_pairs(max_points=14), st.sampled_from(NAMES), st.booleans())
@settings(max_examples=40)
def test_gains_are_those_of_a_comparison_anew(
    by: str, pair: tuple[list[int], list[int]], measure: str, weighted: bool
) -> None:
    """Every measure, with and without weights, whatever is set right."""
    true, pred = labelled(pair[0], "t"), labelled(pair[1], "p")
    weights = {point: [0.5, 1.0, 3.0, 2.25][point % 4] for point in true} if weighted else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)  # K: its bounds
        check(true, pred, measure, by, {"weights": weights})


@pytest.mark.parametrize("by", ["component", "true", "pred"])
@pytest.mark.parametrize("missing", ["lost", "singleton", "drop"])
@given(
    label_pairs(max_points=12), st.sampled_from(NAMES), st.integers(0, 2**12 - 1), st.integers(0, 2**12 - 1)
)
@settings(max_examples=20)
def test_gains_where_a_side_lacks_points(
    by: str, missing: str, pair: tuple[list[int], list[int]], measure: str, left: int, other: int
) -> None:
    """Points that were lost are found, spurious ones go."""
    true = {p: c for p, c in labelled(pair[0], "t").items() if not left >> p & 1}
    pred = {p: c for p, c in labelled(pair[1], "p").items() if not other >> p & 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        try:
            cd.compare(true, pred, missing=missing)
        except cd.ClusterdiffError:
            return  # nothing in common
        check(true, pred, measure, by, {"missing": missing})


@pytest.mark.parametrize("measure", ["pairs.precision", "pairs.recall", "pairs.f1"])
def test_where_no_pair_is_left_all_are_right(measure: str) -> None:
    """The one spurious point goes, and no pair is left to judge: 0/0 is 1, as in a new comparison."""
    check({1: "t"}, {0: "p", 1: "p"}, measure, "component", {"missing": "lost"})


def documents(labels: Labels) -> cd.Corpus:
    """Four points each make a document; a cluster is what a label means within one."""
    parts: dict[str, dict[Any, set[Any]]] = {}
    for point, label in labels.items():
        parts.setdefault(f"d{point // 4}", {}).setdefault(label, set()).add(point)
    return cd.Corpus({name: list(clusters.values()) for name, clusters in parts.items()})


@pytest.mark.parametrize(
    "measure", ["conll", "muc.f1", "lea.f1", "blanc.f1", "S_H", "rand", "pairs.precision"]
)
@given(pair=label_pairs(max_points=12), left=st.integers(0, 2**12 - 1), other=st.integers(0, 2**12 - 1))
@settings(max_examples=15)
def test_gains_of_a_corpus(measure: str, pair: tuple[list[int], list[int]], left: int, other: int) -> None:
    """Documents are pooled; each component lies in one of them."""
    true = {p: c for p, c in labelled(pair[0], "t").items() if not left >> p & 1}
    pred = {p: c for p, c in labelled(pair[1], "p").items() if not other >> p & 1}

    def comparable(after: Labels) -> bool:
        return not {point // 4 for point in true}.isdisjoint(point // 4 for point in after)

    if not comparable(pred):
        return  # no document in common
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        diff = cd.compare(documents(true), documents(pred))
        seen = diff.comparison_for(cd.measures[measure])
        for row in diff.gains(measure):
            place = seen.components["component"].tolist().index(row.component)
            points = {point.name for point in seen.components[place].points}
            after = {p: c for p, c in pred.items() if p not in points}
            after |= {p: f"right {true[p]}" for p in points & true.keys()}
            if not comparable(after):
                continue
            fresh = cd.compare(documents(true), documents(after)).score(measure)
            assert row.score == pytest.approx(fresh, abs=1e-9)


def test_features_and_functions_of_ones_own() -> None:
    """Measures that look at features, and functions of the meet, are recomputed, and for no more than was asked."""
    true, pred = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 3, 3]
    x = [[0.0], [1.0], [5.0], [5.5], [9.0], [20.0], [21.0]]
    diff = cd.compare(true, pred, features=x)
    right = [0, 0, 0, 1, 1, 3, 3]
    for measure in ("S_MSE", "cdistance", lambda meet: float(meet.k_pred)):
        found = diff.gains(measure)
        fresh = cd.compare(true, right, features=x).score(measure)
        assert found["score"].tolist() == pytest.approx([fresh])
    fresh = cd.compare(true, [9, 9, 9, 1, 2, 3, 3], features=x).score("cdistance")
    assert diff.gains("cdistance", "true")[0].score == pytest.approx(fresh)
    few = cd.compare(true, pred).gains("f_measure", "true", recompute=1)
    assert (len(few), few.left_out) == (1, 1)
    assert "1 true cluster not computed" in repr(few)


def test_distances_are_known_for_components_alone() -> None:
    """Link weights within united cells would have to be summed up again: the error says what is known."""
    diff = cd.compare([0, 0, 1, 1], [0, 0, 0, 1], distances=1.0 - np.eye(4))
    score = diff.score("S*(distance)")
    assert diff.gains("S*(distance)")["gain"].tolist() == pytest.approx([1 - score])
    for ask in (lambda: diff.gains("S*(distance)", "true"), lambda: diff.repairs("S*(distance)")):
        with pytest.raises(cd.MeasureError, match="computed from distances") as caught:
            ask()
        assert 'by="component"' in str(caught.value.hint)
    assert diff.repairs("ari")[0].score == 1.0


@cases("measure", ["ari", "pairs.f1", "vi", "rand"])
def test_a_heavy_point_hides_no_gain(measure: str) -> None:
    """Where squares of weights would lose the light points, the measure is recomputed."""
    true, pred = [0, 1, 1, 1, 2, 2, 2], [0, 1, 1, 2, 2, 3, 3]
    weights = [1e9, 1.0, 2.0, 1.0, 3.0, 1.0, 2.0]
    diff = cd.compare(true, pred, weights=weights)
    for row in diff.gains(measure, "true"):
        right = [9 if t == row.cluster else p for t, p in zip(true, pred, strict=True)]
        fresh = cd.compare(true, right, weights=weights).score(measure)
        assert row.score == pytest.approx(fresh, rel=1e-9, abs=1e-12)


def test_gains_in_s_h_are_losses() -> None:
    """Where both sides have the same points, a component gains what it lost."""
    true, pred = random_pair(300, 40, seed=1)
    diff = cd.compare(true, pred)
    lost = dict(zip(diff.components["component"].tolist(), diff.components["loss"].tolist(), strict=True))
    for row in diff.gains():
        assert row.gain == pytest.approx(lost[row.component], abs=1e-12)


def test_what_is_right_is_not_listed() -> None:
    """Identical clusterings gain nothing, in no measure, and no clusters that are alike do."""
    same = cd.compare(["a", "b", "b"], [1, 2, 2])
    for by in ("component", "true", "pred"):
        assert len(same.gains("ari", by)) == 0
        assert len(same.gains("f_measure", by)) == 0
    diff = cd.compare(["a", "b", "b", "c"], [1, 2, 3, 3])
    assert diff.gains("ari", "true")["cluster"].tolist() == ["b", "c"]
    assert diff.gains("ari", "pred")["cluster"].tolist() == [3]


def test_bad_questions_are_refused() -> None:
    """Unknown measures, unknown things to set right, and numbers that are none."""
    diff = cd.compare([0, 0, 1], [0, 1, 1])
    with pytest.raises(cd.MeasureError, match="unknown measure 'arii'"):
        diff.gains("arii")
    with pytest.raises(cd.ArgumentError, match="`by` must be"):
        diff.gains("ari", "point")  # type: ignore[arg-type]
    with pytest.raises(cd.ArgumentError, match="`recompute` must be a whole number of at least 0; got -1"):
        diff.gains("ari", recompute=-1)
    with pytest.raises(cd.ArgumentError, match="`recompute` must be a whole number"):
        diff.repairs("A", recompute=1.5)  # type: ignore[arg-type]
    with pytest.raises(cd.ArgumentError, match="is not known for ari"):
        diff.repairs("ari").sequence  # noqa: B018
    with pytest.raises(cd.MeasureError, match="not defined where a clustering lacks points"):
        cd.compare({1: 0, 2: 0}, {2: 0, 3: 0}, missing="lost").gains("ari")


def test_gains_are_values() -> None:
    """They pickle, and come as plain values, as frames and as a table for notebooks."""
    found = cd.compare([0, 0, 1], ["x", "y", "y"]).gains("vi", "true")
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found)
    assert found.to_dict(1) == {
        "measure": "vi",
        "score": found.score,
        "by": "true",
        "left_out": 0,
        "gains": [dict(zip(found.table.columns, found[0], strict=True))],
    }
    assert found.to_frame()["gain"].tolist() == found["gain"].tolist()
    assert "<b>vi = 0.9242; gain from correcting each" in found._repr_html_()
    assert "<td" in found._repr_html_()


def test_an_explanation_in_another_measure() -> None:
    """The components that gain most come first; what they make up is what setting them right together gains."""
    true, pred = random_pair(200, 60, seed=3)
    diff = cd.compare(true, pred)
    for measure in ("ari", "vi", "f_measure"):
        told = diff.explain(measure, top=2)
        assert told.measure == cd.measures[measure].name
        assert told.score == diff.score(measure)
        assert told.lost == pytest.approx(abs(told.score - cd.measures[measure].best))
        best = diff.gains(measure)
        assert [story.gain for story in told.stories] == pytest.approx(best["gain"][:2].tolist(), rel=1e-14)
        assert [story.component.component for story in told.stories] == best["component"][:2].tolist()
        together = set().union(*(story.component.points for story in told.stories))
        right = [1000 + t if i in together else p for i, (t, p) in enumerate(zip(true, pred, strict=True))]
        gained = abs(cd.score(true, right, measure) - told.score)
        assert told.concentration == pytest.approx(gained / told.lost)
        assert 1 <= told.half <= told.damaged
        assert str(told).startswith(f"{measure} = ")
        assert told.to_dict()["stories"][0]["gain"] == told.stories[0].gain
    assert "nothing was lost" in str(cd.compare([0, 1], [0, 1]).explain("ari"))
