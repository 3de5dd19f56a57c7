"""Every kind of input gives the same comparison, and nothing of the user's is modified."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from tests.cases import cases

TRUE = [0, 0, 0, 1, 1, 2, 2, 2]
PRED = [5, 5, 6, 6, 6, 7, 7, 8]
WORDS = ["zero", "one", "two — ö", "", "four", "five", "six", "seven", "eight"]
EXPECTED = cd.score(TRUE, PRED)
STRINGS = [WORDS[i] for i in PRED]


def forms(values: list[object]) -> dict[str, object]:
    """The same labels in many containers."""
    return {
        "list": values,
        "tuple": tuple(values),
        "array": np.array(values),
        "objects": np.array(values, dtype=object),
        "reversed view": np.array(values[::-1])[::-1],
        "strided": np.repeat(np.array(values), 2)[::2],
        "pandas": pd.Series(values, index=range(100, 100 + len(values))),
        "pandas category": pd.Series(values).astype("category"),
        "pandas index": pd.Index(values),
        "pandas categorical": pd.Categorical(values),
        "polars": pl.Series(values),
        "pyarrow": pa.array(values),
        "pyarrow chunks": pa.chunked_array([values[:3], values[3:]]),
        "pyarrow dictionary": pa.array(values).dictionary_encode(),
        "pyarrow slice": pa.array([values[0], *values])[1:],
        "iterator": iter(values),
        "dict values": dict(enumerate(values)).values(),
    }


@cases("name", forms(PRED))
def test_integers_in_any_container(name: str) -> None:
    """Integer labels score the same from a list, an array or any library's column."""
    assert cd.score(TRUE, forms(PRED)[name]) == EXPECTED


@cases("name", [*forms(STRINGS), "pandas object", "polars categorical", "polars enum", "large", "view"])
def test_strings_in_any_container(name: str) -> None:
    """String labels, empty and unicode ones among them, score the same from any container."""
    more = {
        "pandas object": pd.Series(STRINGS, dtype=object),
        "polars categorical": pl.Series(STRINGS, dtype=pl.Categorical),
        "polars enum": pl.Series(STRINGS, dtype=pl.Enum(sorted(WORDS))),
        "large": pa.array(STRINGS, type=pa.large_string()),
        "view": pa.array(STRINGS, type=pa.string_view()),
    }
    diff = cd.compare(TRUE, {**forms(STRINGS), **more}[name])
    assert diff.score() == EXPECTED
    assert set(diff.meet.pred_names.tolist()) == set(STRINGS)


@cases("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", ">i4", "S1", "U3"])
def test_any_dtype(dtype: str) -> None:
    """Labels of any integer width, whole floats, foreign byte order and fixed-width strings."""
    assert cd.score(np.array(TRUE).astype(dtype), np.array(PRED).astype(dtype)) == EXPECTED


def test_bools_dates_and_objects() -> None:
    """Bools, dates, tuples and any other hashable objects are labels too."""
    import datetime as dt

    flags = [label == 5 for label in PRED]
    assert cd.score(TRUE, flags) == cd.score(TRUE, [int(flag) for flag in flags])
    assert cd.score(TRUE, np.array(flags)) == cd.score(TRUE, pl.Series(flags)) == cd.score(TRUE, flags)
    days = [dt.date(2024, 1, 1 + label) for label in PRED]
    assert cd.score(TRUE, days) == cd.score(TRUE, np.array(days, dtype="M8[D]")) == EXPECTED
    assert cd.score(TRUE, [("doc", label) for label in PRED]) == EXPECTED


def test_extreme_integers() -> None:
    """Labels at the ends of int64 and uint64 are told apart, and keep their values as names."""
    low, high = -(2**63), 2**63 - 1
    diff = cd.compare(
        np.array([low, low, high, high]), np.array([0, 2**64 - 1, 2**64 - 1, 5], dtype=np.uint64)
    )
    assert diff.meet.n == 4
    assert sorted(diff.meet.true_names.tolist()) == [low, high]
    assert sorted(diff.meet.pred_names.tolist()) == [0, 5, 2**64 - 1]
    assert cd.score([low, high, low], [1, 2, 1]) == 1.0
    assert cd.score([10**30, 10**30, 7], [1, 1, 2]) == 1.0


def test_sets_lists_and_dicts_are_aligned_by_point() -> None:
    """Clusters given as sets, lists or dicts in any order of points give the same comparison."""
    names = "abcdefgh"
    labels = dict(zip(names, TRUE, strict=True))
    as_sets = [{p for p in names if labels[p] == k} for k in (2, 0, 1)]
    pred = dict(zip(names[::-1], PRED[::-1], strict=True))
    by_cluster = {k: [p for p in names if pred[p] == k] for k in (7, 5, 8, 6)}
    for true_form in (labels, as_sets, [sorted(s) for s in as_sets], [frozenset(s) for s in as_sets]):
        for pred_form in (pred, by_cluster):
            diff = cd.compare(true_form, pred_form)
            assert diff.score() == EXPECTED
            assert set(diff.points) == set(names)
    assert set(cd.compare(labels, by_cluster).meet.pred_names.tolist()) == {5, 6, 7, 8}
    assert cd.score(frozenset(map(frozenset, as_sets)), pred) == EXPECTED


def test_labels_in_order_have_positions_as_points() -> None:
    """A list of labels can be compared with sets of positions."""
    assert cd.score(TRUE, [{0, 1}, {2, 3, 4}, {5, 6}, {7}]) == EXPECTED


def test_nothing_of_the_users_is_modified() -> None:
    """Arrays, dicts, weights, features and distances are as they were after a comparison; read-only ones work."""
    true, pred = np.array(TRUE), np.array(PRED)
    weights, features = np.arange(1.0, 9.0), np.arange(16.0).reshape(8, 2)
    distances = np.ones((8, 8)) - np.eye(8)
    given = [true, pred, weights, features, distances]
    before = [x.copy() for x in given]
    for x in given:
        x.flags.writeable = False
    diff = cd.compare(true, pred, weights=weights, features=features, distances=distances)
    diff.scores(["S_H", "S_MSE", "S*(distance)", "A", "R"])
    assert diff.components[0].points
    for x, y in zip(given, before, strict=True):
        assert np.array_equal(x, y)


def test_missing_points_are_dropped_or_made_singletons_on_request() -> None:
    """missing= decides what becomes of points on one side only, and the signature says so."""
    true, pred = {"a": 1, "b": 1, "c": 2}, {"b": 9, "c": 8, "d": 8}
    dropped = cd.compare(true, pred, missing="drop")
    assert (dropped.n, dropped.score()) == (2, 1.0)
    assert list(dropped.points) == ["b", "c"]
    assert "missing:drop(2)" in dropped.signature
    alone = cd.compare(true, pred, missing="singleton")
    assert alone.n == 4
    assert alone.score() == cd.score([1, 1, 2, 3], [1, 2, 3, 3])
    assert "missing:singleton(2)" in alone.signature
    assert alone.clusters == (2, 2)


@cases(
    "labels",
    [
        [0, 0, None, 1],
        [0.0, 0.0, float("nan"), 1.0],
        np.array([0, 0, np.nan, 1]),
        np.ma.masked_array([0, 0, 7, 1], [False, False, True, False]),
        pd.Series([0, 0, None, 1], dtype="Int64"),
        pd.Series(["x", "x", None, "y"]),
        pd.Series(["x", "x", None, "y"]).astype("category"),
        pl.Series([0, 0, None, 1]),
        pl.Series(["x", "x", None, "y"]),
        pl.Series(["x", "x", None, "y"], dtype=pl.Categorical),
        pa.array(["x", "x", None, "y"]),
        pa.array(["x", "x", None, "y"]).dictionary_encode(),
        pd.Series(["x", "x", pd.NA, "y"], dtype=object),
        np.array(["2020", "2020", "NaT", "2021"], dtype="M8[Y]"),
    ],
)
def test_null_labels_follow_the_policy_for_missing_points(labels: object) -> None:
    """None, NaN, NA, NaT, masked and null labels all mean: this point has no cluster here."""
    with pytest.raises(
        cd.LabelError, match=r"`pred` has no label \(null or NaN\) for 1 of 4 points, at position 2\."
    ):
        cd.compare([0, 0, 1, 1], labels)
    assert cd.compare([0, 0, 1, 1], labels, missing="drop").n == 3
    assert cd.compare([0, 0, 1, 1], labels, missing="drop").score() == 1.0
    assert cd.compare([0, 0, 1, 1], labels, missing="singleton").meet.k_pred == 3


def test_noise_is_singletons_a_cluster_or_dropped() -> None:
    """noise= names the label, noise_as= what it means; the default makes singletons."""
    true, pred = [0, 0, 1, 1, -1], [0, 0, -1, -1, 1]
    assert cd.score(true, pred) == 1.0
    alone = cd.compare(true, pred, noise=-1)
    assert alone.score() == cd.score([0, 0, 1, 1, 2], [0, 0, 3, 4, 1])
    assert "noise:true=-1→singleton(1),pred=-1→singleton(2)" in alone.signature
    dropped = cd.compare(true, pred, noise=-1, noise_as="drop")
    assert (dropped.n, dropped.score()) == (2, 1.0)
    assert list(dropped.points) == [0, 1]
    assert cd.compare(true, pred, noise=-1, noise_as="cluster").score() == 1.0
    words = [str(label) for label in pred]
    assert cd.compare([str(label) for label in true], words, noise="-1").score() == alone.score()
    both = cd.compare({1: 0, 2: 0, 3: -1}, {1: 0, 2: 0, 4: 1}, noise=-1, missing="singleton")
    assert both.n == 4


def test_weights_and_features_follow_the_points() -> None:
    """Weights and features go with the points when these are reordered, dropped or named."""
    true, pred = {"a": 1, "b": 1, "c": 2, "d": 2}, {"d": 5, "c": 6, "b": 6, "e": 5}
    expected = cd.compare([1, 2, 2], [6, 6, 5], weights=[2, 3, 4]).score("VI")
    for weights in ([1, 2, 3, 4], {"a": 1, "b": 2, "c": 3, "d": 4, "e": 9}):
        assert cd.compare(true, pred, weights=weights, missing="drop").score("VI") == expected
    features = {"a": [0.0], "b": [1.0], "c": [2.0], "d": [4.0], "e": [0.0]}
    by_name = cd.compare(true, pred, features=features, missing="drop").score("S_MSE")
    in_order = cd.compare(true, pred, features=[[0.0], [1.0], [2.0], [4.0]], missing="drop").score("S_MSE")
    assert (
        by_name == in_order == cd.compare([1, 2, 2], [6, 6, 5], features=[[1.0], [2.0], [4.0]]).score("S_MSE")
    )


def test_a_distance_function_gets_points_by_name() -> None:
    """The function sees the points' names, or their positions when they have none."""
    place = {"a": 0.0, "b": 1.0, "c": 5.0, "d": 5.5}
    true, pred = {"a": 1, "b": 1, "c": 1, "d": 1}, {"d": 1, "c": 1, "b": 2, "a": 2}

    def apart(left: np.ndarray, right: np.ndarray) -> np.ndarray:
        return np.array([abs(place[str(i)] - place[str(j)]) for i, j in zip(left, right, strict=True)])

    x = np.array(list(place.values()))
    expected = cd.compare([1, 1, 1, 1], [2, 2, 1, 1], distances=np.abs(x[:, None] - x)).score("S*(distance)")
    assert cd.compare(true, pred, distances=apart).score("S*(distance)") == pytest.approx(expected, abs=1e-12)
    assert 0 < expected < 1


def test_a_clustering_can_be_read_and_compared() -> None:
    """Clustering gives sets, dicts, names and sizes, and equals any clustering with the same sets of points."""
    clustering = cd.Clustering(["x", "y", "x"], points=["a", "b", "c"])
    assert clustering.to_dict() == {"a": "x", "b": "y", "c": "x"}
    assert clustering.to_sets() == [{"a", "c"}, {"b"}]
    assert clustering.names.tolist() == ["x", "y"]
    assert clustering.sizes.tolist() == [2, 1]
    assert clustering == cd.Clustering([{"b"}, {"c", "a"}])
    assert clustering != cd.Clustering(["x", "y", "x"])
    assert repr(clustering) == "<Clustering of 3 points in 2 clusters>"
    assert cd.score(clustering, clustering) == 1.0


@pytest.mark.parametrize("kind", ["list", "text", "objects"])
def test_names_are_those_of_the_time_of_the_comparison(kind: str) -> None:
    """Names are read late where that is safe; what the caller can change is read at once."""
    labels: Any = ["ann", "ann", "bob"]
    labels = {"list": list, "text": np.array, "objects": lambda x: np.array(x, dtype=object)}[kind](labels)
    diff, clustering = cd.compare(labels, labels), cd.Clustering(labels)
    labels[0] = labels[2] = "eve"
    assert diff.meet.true_names.tolist() == clustering.names.tolist() == ["ann", "bob"]


def test_columns_in_several_pieces_and_cut_out_of_others() -> None:
    long = [f"a name that is too long for a view, {x}" for x in "xyzx"]
    values = ["a", *long, None, "a", long[0], "b"]
    whole = pl.Series(values)
    pieces = pl.concat([pl.Series(values[:4]), pl.Series(values[4:])], rechunk=False)
    expected = [x for x in values[2:] if x is not None]
    for column in (whole[2:], pieces[2:], pa.chunked_array([values[:3], values[3:]])[2:]):
        found = cd.compare(column, column, missing="drop").true
        assert found.names[found.codes].tolist() == expected
