"""Bad input gets a message that names the argument, what was expected, what came, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.cluster.hierarchy import linkage

import clusterdiff as cd
from tests.cases import cases

FOUR = [0, 0, 1, 1]
BAD: dict[str, tuple[Callable[[], object], type[Exception], str, str | None]] = {
    "lengths differ": (
        lambda: cd.compare([0, 0, 1], FOUR),
        cd.LabelError,
        "`true` and `pred` must label the same points: `true` has 3 labels, `pred` has 4.",
        "if the points have names, give them with the labels, and missing= says what to do.",
    ),
    "two-dimensional": (
        lambda: cd.compare(np.zeros((2, 2)), FOUR),
        cd.LabelError,
        "`true` must be one-dimensional, one label per point; got an array of shape (2, 2).",
        "flatten a label image with .ravel(); turn a one-hot or score matrix into labels with .argmax(axis=1).",
    ),
    "fractions": (
        lambda: cd.compare(FOUR, [0.5, 1.0, 2.25, 3.0]),
        cd.LabelError,
        "`pred` must hold whole numbers if it holds floats; got 0.5, 2.25.",
        "cluster labels are names, not measurements; round them or convert them to strings first.",
    ),
    "infinite label": (
        lambda: cd.compare(FOUR, np.array([0.0, np.inf, 1.0, 1.0])),
        cd.LabelError,
        "`pred` must hold whole numbers if it holds floats; got inf.",
        "cluster labels are names, not measurements; round them or convert them to strings first.",
    ),
    "null labels": (
        lambda: cd.compare([0, None, None, 1], FOUR),
        cd.LabelError,
        "`true` has no label (null or NaN) for 2 of 4 points, at positions 1, 2.",
        'pass missing="drop" to leave them out, missing="singleton" to give each a cluster of its own, or',
    ),
    "mixed labels": (
        lambda: cd.compare([0, 0, "1", 1], FOUR),
        cd.LabelError,
        "`true` mixes labels of different types: int (0 at position 0) and str ('1' at position 2).",
        "give all labels of `true` one type, for example with str().",
    ),
    "bools among integers": (
        lambda: cd.compare([1, True, 0, 0], FOUR),
        cd.LabelError,
        "`true` mixes labels of different types: int (1 at position 0) and bool (True at position 1).",
        "give all labels of `true` one type, for example with str().",
    ),
    "unhashable labels": (
        lambda: cd.compare([{"a": 1}, {"b": 2}], [0, 1]),
        cd.LabelError,
        "`true` holds labels that cannot be compared: ",
        "labels and points must be hashable: numbers, strings, bools, tuples and the like.",
    ),
    "no labels at all": (
        lambda: cd.compare(7, FOUR),
        cd.LabelError,
        "`true` must hold one label per point (a list, array or column), a list of sets of points, "
        "or a dict from point to cluster; got int.",
        None,
    ),
    "a string": (
        lambda: cd.compare("aabb", FOUR),
        cd.FileError,
        "aabb does not exist.",
        "text is the path of a file; labels are a list, array or column.",
    ),
    "complex": (
        lambda: cd.compare(np.array(FOUR, dtype=complex), FOUR),
        cd.LabelError,
        "`true` must hold labels (integers, strings, bools or objects); got an array of complex128.",
        None,
    ),
    "nested column": (
        lambda: cd.compare(FOUR, pl.Series([[0], [0], [1], [1]])),
        cd.LabelError,
        "`pred` must hold one label per point; got a column of List(Int64).",
        "for clusters given as lists of points, pass a list of lists.",
    ),
    "a whole frame": (
        lambda: cd.compare(FOUR, pl.DataFrame({"a": FOUR, "b": FOUR})),
        cd.ArgumentError,
        "`pred` has the columns 'a', 'b', and none of them names the clusters.",
        "name it with cluster=.",
    ),
    "a set of labels": (
        lambda: cd.compare({"a", "b"}, FOUR),
        cd.LabelError,
        "`true` is a set, which has no order and so cannot hold one label per point.",
        "pass a list of labels, or a list of sets of points.",
    ),
    "clusters and labels": (
        lambda: cd.compare([{1, 2}, 3], FOUR),
        cd.LabelError,
        "`true` starts as a list of clusters, but holds int 3 at position 1.",
        "pass either one label per point, or only sets or lists of points.",
    ),
    "empty cluster": (
        lambda: cd.compare([{1, 2}, set()], FOUR),
        cd.LabelError,
        "`true` has 1 empty cluster, the first at position 1.",
        "a cluster has at least one point; leave the empty ones out.",
    ),
    "point in two clusters": (
        lambda: cd.compare([{"a", "b"}, {"b", "c"}], {"a": 1, "b": 1, "c": 1}),
        cd.LabelError,
        "`true` must name each point once; 1 name repeated: 'b'.",
        "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
    ),
    "empty": (
        lambda: cd.compare([], []),
        cd.LabelError,
        "`true` is empty; a clustering needs at least one point.",
        None,
    ),
    "empty array": (
        lambda: cd.score(np.array([], dtype=int), np.array([], dtype=int)),
        cd.LabelError,
        "`true` is empty; a clustering needs at least one point.",
        None,
    ),
    "empty frame": (
        lambda: cd.compare(
            pl.DataFrame(schema={"id": pl.Int64, "cluster": pl.Int64}), {1: 2}, missing="lost"
        ),
        cd.LabelError,
        "`true` is empty; a clustering needs at least one point.",
        None,
    ),
    "points on one side": (
        lambda: cd.compare(dict.fromkeys("abcdef", 0), dict.fromkeys("abcd", 0)),
        cd.LabelError,
        "`pred` lacks 2 of the 6 points of `true`: 'e', 'f'.",
        'pass missing="drop" to leave them out, missing="singleton" to give each a cluster of its own, or',
    ),
    "points on either side": (
        lambda: cd.compare(dict.fromkeys("abc", 0), dict.fromkeys("bcdx", 0)),
        cd.LabelError,
        "`true` lacks 2 of the 4 points of `pred`: 'd', 'x'. `pred` lacks 1 of the 3 points of `true`: 'a'.",
        'pass missing="drop" to leave them out, missing="singleton" to give each a cluster of its own, or',
    ),
    "points of two types": (
        lambda: cd.compare({1: 0, 2: 0}, {"1": 0, "2": 0}),
        cd.LabelError,
        "the points of `true` and `pred` must be of one type; got int (1) and str ('1').",
        "convert one side, for example with str(): 1 and '1' are never matched silently.",
    ),
    "nothing left": (
        lambda: cd.compare({"a": 0}, {"b": 0}, missing="drop"),
        cd.LabelError,
        'no point is left: missing="drop" left out all 2.',
        "check that both sides name their points in the same way.",
    ),
    "unknown policy": (
        lambda: cd.compare(FOUR, FOUR, missing="dropp"),  # type: ignore[arg-type]
        cd.ArgumentError,
        '`missing` must be one of "error", "drop", "singleton", "lost"; got \'dropp\'.',
        "did you mean 'drop'?",
    ),
    "noise of another type": (
        lambda: cd.compare(FOUR, FOUR, noise="-1"),
        cd.ArgumentError,
        "`noise` must be a label of `true` or `pred`, whose labels are int such as 0; got str '-1'.",
        "give the noise label as it appears among the labels.",
    ),
    "negative weights": (
        lambda: cd.compare(FOUR, FOUR, weights=[1, -2, 1, float("nan")]),
        cd.ArgumentError,
        "`weights` must be finite and not negative; got -2.0, nan at positions 1, 3.",
        "a weight says how much a point counts; 0 leaves it out of the score.",
    ),
    "no weight at all": (
        lambda: cd.compare(FOUR, FOUR, weights=[0, 0, 0, 0]),
        cd.ArgumentError,
        "`weights` must not all be zero.",
        None,
    ),
    "too few weights": (
        lambda: cd.compare(FOUR, FOUR, weights=[1, 2]),
        cd.ArgumentError,
        "`weights` must have a row for each of the 4 points; got 2.",
        None,
    ),
    "weights by name lack a point": (
        lambda: cd.compare(FOUR, FOUR, weights={0: 1, 1: 1, 2: 1}),
        cd.ArgumentError,
        "`weights` lacks 1 of the 4 points: 3.",
        None,
    ),
    "weights of points in sets": (
        lambda: cd.compare([{"a", "b"}, {"c"}], {"a": 1, "b": 1, "c": 2}, weights=[1, 1, 1]),
        cd.ArgumentError,
        "`weights` must be a dict from point to value here, since the points of `true` have no order.",
        None,
    ),
    "features with NaN": (
        lambda: cd.compare(FOUR, FOUR, features=[[0.0], [np.nan], [1.0], [2.0]]),
        cd.ArgumentError,
        "`features` must be finite; got NaN or infinity in 1 row: 1.",
        "impute or drop those points first.",
    ),
    "too few features": (
        lambda: cd.compare(FOUR, FOUR, features=np.zeros((3, 2))),
        cd.ArgumentError,
        "`features` must have a row for each of the 4 points; got 3.",
        None,
    ),
    "features of text": (
        lambda: cd.compare(FOUR, FOUR, features=[["a"], ["b"], ["c"], ["d"]]),
        cd.ArgumentError,
        "`features` must be a matrix of numbers with one row per point; got <U1 of shape (4, 1).",
        None,
    ),
    "distances not square": (
        lambda: cd.compare(FOUR, FOUR, distances=np.ones((4, 3))),
        cd.ArgumentError,
        "`distances` must be square with a row for each of the 4 points; got shape (4, 3).",
        None,
    ),
    "negative distances": (
        lambda: cd.compare(FOUR, FOUR, distances=-np.ones((4, 4))),
        cd.ArgumentError,
        "`distances` must not be negative; got 16 entries below 0, the smallest -1.0.",
        None,
    ),
    "distances not symmetric": (
        lambda: cd.compare(FOUR, FOUR, distances=np.triu(np.ones((4, 4)))),
        cd.ArgumentError,
        "`distances` must be symmetric; d[i, j] and d[j, i] differ by up to 1.",
        "take the mean of both directions: (d + d.T) / 2.",
    ),
    "condensed of the wrong length": (
        lambda: cd.compare(FOUR, FOUR, distances=np.ones(5)),
        cd.ArgumentError,
        "`distances` as a condensed vector must have n(n-1)/2 = 6 entries for 4 points; got 5.",
        "see scipy.spatial.distance.pdist.",
    ),
    "distance function of the wrong shape": (
        lambda: cd.compare(FOUR, FOUR, distances=lambda i, j: 1.0).score("S*(distance)"),
        cd.ArgumentError,
        "`distances` must return a finite number ≥ 0 for each of the 2 pairs it was given; got an array of shape ()",
        "it takes two equally long arrays of points.",
    ),
    "unknown measure": (
        lambda: cd.score(FOUR, FOUR, "rnad"),
        cd.MeasureError,
        "unknown measure 'rnad'.",
        "did you mean 'rand'",
    ),
    "unknown parameter": (
        lambda: cd.score(FOUR, FOUR, "K(q=3)"),
        cd.MeasureError,
        "K does not take 'q=3'; its parameters are k.",
        None,
    ),
    "unknown subcomponent measure": (
        lambda: cd.score(FOUR, FOUR, "S*(entrpy)"),
        cd.MeasureError,
        "unknown subcomponent measure 'entrpy'; there are entropy, pairs, largest, mse, distance.",
        "did you mean 'entropy'?",
    ),
    "no k": (
        lambda: cd.score(FOUR, FOUR, "K"),
        cd.MeasureError,
        "K needs k, the largest number of clusters on either side; got None.",
        "for these clusterings k must be at least 2: ask for K(k=2).",
    ),
    "k too small": (
        lambda: cd.score([0, 1, 2, 2], FOUR, "K(k=2)"),
        cd.MeasureError,
        "K(k=2) needs k ≥ 2 and k ≥ the number of clusters; there are 3 true and 2 predicted clusters.",
        "ask for K(k=3) or more.",
    ),
    "no features": (
        lambda: cd.score(FOUR, FOUR, "S_MSE"),
        cd.MeasureError,
        "`mse` scores clusters by the points' features, and the comparison has none.",
        "pass features= to compare().",
    ),
    "own score out of range": (
        lambda: cd.score(FOUR, FOUR, cd.split_merge(lambda sizes: 7.0)),
        cd.MeasureError,
        "`<lambda>` must return scores from 0 to 1; it gave 7.0 for a cluster of 2 points in 1 part.",
        None,
    ),
    "own sigma of the wrong shape": (
        lambda: cd.score(FOUR, FOUR, cd.split_merge("pairs", lambda s, t: 1.0)),  # type: ignore[arg-type,return-value]
        cd.ArgumentError,
        "`sigma` must return one value per cell, 2 in all; got an array of shape ().",
        "it takes two arrays, the split and the merge score of each cell.",
    ),
    "unknown frame": (
        lambda: cd.compare(FOUR, FOUR).splits.to_frame("panda"),
        cd.ArgumentError,
        '`library` must be one of "pandas", "polars", "pyarrow"; got \'panda\'.',
        "did you mean 'pandas'?",
    ),
}


@cases("case", BAD)
def test_bad_input_says_what_is_wrong_and_what_to_do(case: str) -> None:
    """The message and the hint are pinned, word by word."""
    call, error, message, hint = BAD[case]
    with pytest.raises(error, match="^" + re.escape(message)) as caught:
        call()
    assert isinstance(caught.value, cd.ClusterdiffError)
    if hint is None:
        assert caught.value.hint is None
    else:
        assert caught.value.hint is not None
        assert caught.value.hint.startswith(hint)
        assert f"\nHint: {hint}" in str(caught.value)


def test_k_beyond_the_square_root_of_n_warns() -> None:
    """K's bound holds for k ≤ √n; beyond it the number comes with a warning."""
    with pytest.warns(cd.ClusterdiffWarning, match=r"K\(k=3\): its bounds hold for k ≤ √n only, and √n is 2"):
        cd.score(FOUR, FOUR, "K(k=3)")


def test_long_lists_of_offenders_are_cut() -> None:
    """At most five offenders are named, and the rest counted."""
    with pytest.raises(cd.LabelError, match="0, 1, 2, 3, 4 and 95 more"):
        cd.compare(dict.fromkeys(range(200), 0), dict.fromkeys(range(100, 200), 0))


def test_slices_by_keys_that_are_no_points() -> None:
    """One slice of everything says nothing: the keys are of another kind than the points."""
    diff = cd.compare({"1": "x", "2": "x", "3": "y"}, {"1": 0, "2": 1, "3": 1})
    with pytest.raises(
        cd.ArgumentError,
        match="has none of the 3 points as a key: its first key is 1, and the first point is '1'",
    ):
        diff.by({1: "old", 2: "new"})
    with pytest.raises(cd.ArgumentError, match="as a key: it is empty"):
        diff.by({})
    assert [row.value for row in diff.by({"2": "new"})] == [None, "new"]


def test_similarities_are_no_distances() -> None:
    """A point is not apart from itself; by rounding it may be so by a little."""
    similar = np.array([[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]])
    for given in (similar, sparse.csr_array(similar)):
        with pytest.raises(
            cd.ArgumentError, match=r"must be 0 between a point and itself; .* for 3 points: the first is 1"
        ):
            cd.compare([0, 0, 1], [0, 1, 1], distances=given)
    apart = 1 - similar + np.eye(3) * 1e-5
    exact = cd.compare([0, 0, 1], [0, 1, 1], distances=1 - similar)
    assert cd.compare([0, 0, 1], [0, 1, 1], distances=apart).score("S*(distance)") == exact.score(
        "S*(distance)"
    )


def test_a_dendrogram_is_no_clustering() -> None:
    """It is many: cut it, or sweep over its cuts; an image of four columns is still an image."""
    tree = linkage(np.array([[0.0], [1.0], [5.0], [7.0]]))
    with pytest.raises(
        cd.LabelError, match="`true` must be one clustering; got a dendrogram of 4 points"
    ) as caught:
        cd.compare(tree, tree)
    assert caught.value.hint is not None
    assert "fcluster" in caught.value.hint
    assert "sweep()" in caught.value.hint
    with pytest.raises(cd.LabelError, match="must be one-dimensional"):
        cd.compare(np.zeros((3, 4)), np.zeros((3, 4)))


def test_tversky_weighs_something() -> None:
    """Without weights it is 1 for whatever shares a pair."""
    with pytest.raises(cd.MeasureError, match=r"tversky\(alpha=0, beta=0\) is 1 for all"):
        cd.score([0, 0, 1], [0, 0, 0], "tversky(alpha=0, beta=0)")
    assert cd.score([0, 0, 1], [0, 0, 0], "tversky(alpha=0, beta=1)") == pytest.approx(1 / 3)


@pytest.mark.parametrize("nameless", ["true", "pred"])
def test_frames_are_not_matched_by_order_if_one_names_its_points(nameless: str) -> None:
    """The rows of the other may stand in any order."""
    named = pl.DataFrame({"id": [3, 2, 1], "cluster": [0, 0, 1]})
    sides = {"true": named, "pred": named, nameless: named[["cluster"]]}
    with pytest.raises(cd.ArgumentError, match=f"`{nameless}` does not name its points"):
        cd.compare(sides["true"], sides["pred"])


def test_a_table_of_sqlframe_is_refused_with_what_to_pass() -> None:
    """It has items without an end: reading it as labels would never stop."""

    class DuckDBDataFrame:
        __module__ = "sqlframe.duckdb.dataframe"

        def __getitem__(self, item: object) -> object:
            raise AssertionError("it was read")

    table = DuckDBDataFrame()
    for argument, read in {
        "true": lambda: cd.compare(table, [0, 1]),
        "pred": lambda: cd.compare([0, 1], table),
        "table": lambda: cd.compare_columns(table, true="a", pred="b"),
    }.items():
        with pytest.raises(cd.ArgumentError, match=f"`?{argument}`? is a table of sqlframe") as found:
            read()
        assert f"{argument}.toArrow()" in str(found.value)
