"""Sweeps: at every threshold the very clusters that other libraries cut, and the very scores that compare gives."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import clusterdiff as cd
from clusterdiff.measures import applicable
from tests.cases import cases

METHODS = ("single", "complete", "average", "weighted", "centroid", "median", "ward")


@st.composite
def trees(draw: st.DrawFn) -> tuple[Any, np.ndarray, np.ndarray]:
    """Random points with a linkage, whose heights may tie or be inverted, and true clusters of them."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n = draw(st.integers(2, 60))
    data = rng.random((n, 2)).round(draw(st.integers(1, 6)))
    true = rng.integers(0, draw(st.integers(1, n)), n)
    return linkage(data, draw(st.sampled_from(METHODS))), true, rng.random(5)


@settings(max_examples=25, deadline=None)
@given(trees())
def test_the_clusters_at_every_threshold_are_those_of_fcluster(made: tuple[Any, Any, Any]) -> None:
    """At every height, just below it and anywhere between, inversions and ties included."""
    tree, true, between = made
    swept = cd.sweep(true, tree)
    heights = tree[:, 2]
    for t in [*heights, *np.nextafter(heights, -np.inf), *(between * heights.max())]:
        assert swept.clustering(t) == cd.Clustering(fcluster(tree, t, "distance"))
    assert len(swept) == len(np.unique(swept.thresholds)) == swept.total
    for t, clusters in zip(swept.thresholds, swept.clusters, strict=True):
        assert len(np.unique(fcluster(tree, t, "distance"))) == clusters


@settings(max_examples=15, deadline=None)
@given(trees())
def test_every_score_is_that_of_compare(made: tuple[Any, Any, Any]) -> None:
    """S_H, the losses and measures that read sums or more agree at each threshold with a comparison made there."""
    tree, true, _ = made
    names = ["S_H", "S'", "ari", "vi", "nmi", "b3.f1", "N", "A", "element_centric", "S*(pairs)", "as_h", "I"]
    swept = cd.sweep(true, tree, measures=names)
    for i, t in enumerate(swept.thresholds):
        diff = cd.compare(true, fcluster(tree, t, "distance"))
        for name, value in diff.scores(names).items():
            assert swept.scores[name][i] == pytest.approx(value, abs=1e-11), name
        row = swept.losses[i]
        assert row[2:5] == pytest.approx(diff.loss[:3], abs=1e-12)
        assert swept.compare(t).score() == pytest.approx(diff.score())


def test_every_measure_can_be_swept() -> None:
    """All measures that a comparison offers, at all thresholds of a small tree."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 4, 30)
    tree = linkage(rng.random((30, 2)), "average")
    every = [measure.name for measure in applicable(cd.compare(true, true[::-1]).meet)]
    assert len(every) > 75
    swept = cd.sweep(true, tree, measures=every)
    for i in (0, 7, 25, 29):
        expected = swept.compare(swept.thresholds[i]).scores(every)
        for name in every:
            assert swept.scores[name][i] == pytest.approx(expected[name], rel=1e-9, abs=1e-9, nan_ok=True), (
                name
            )


def test_identical_clusters_score_exactly_one() -> None:
    """At the height where the cut is the truth S_H is 1.0, not nearly so, and nothing is lost."""
    rng = np.random.default_rng(1)
    tree = linkage(rng.random((500, 2)), "average")
    true = fcluster(tree, np.median(tree[:, 2]), "distance")
    swept = cd.sweep(true, tree)
    at = swept.best_place()
    assert swept.scores["S_H"][at] == 1.0
    assert swept.losses[at].loss == 0.0
    assert swept.clustering() == cd.Clustering(true)


# ---- pairs


@st.composite
def scored_pairs(draw: st.DrawFn) -> tuple[Any, ...]:
    """Random pairs of points, with scores that tie, and true clusters."""
    n = draw(st.integers(1, 25))
    ends = st.integers(0, n - 1)
    pairs = draw(
        st.lists(st.tuples(ends, ends, st.sampled_from([0.1, 0.2, 0.5, 0.5, 0.9, -1.0])), min_size=1)
    )
    true = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    return true, pairs


@settings(max_examples=20, deadline=None)
@given(scored_pairs())
def test_pairs_connect_at_their_score(made: tuple[Any, ...]) -> None:
    """The clusters at t are the connected components of the pairs with scores of at least t; ties come together."""
    true, pairs = made
    left, right, score = (np.array(column) for column in zip(*pairs, strict=True))
    swept = cd.sweep(true, pairs=(left, right, score), measures=["S_H", "R"])
    for t in [*np.unique(score), -2.0, 0.3, 1.0]:
        chosen = score >= t
        graph = coo_array((np.ones(chosen.sum()), (left[chosen], right[chosen])), shape=(len(true),) * 2)
        expected = connected_components(graph, directed=False)[1]
        assert swept.clustering(t) == cd.Clustering(expected)
        if t in swept.thresholds:
            at = int(np.flatnonzero(swept.thresholds == t)[0])
            assert swept.scores["R"][at] == pytest.approx(cd.score(true, expected, "R"))
    assert (np.diff(swept.thresholds) < 0).all()


def test_pairs_come_in_many_forms(tmp_path: Path) -> None:
    """Columns, triples, frames and files of pairs give the same sweep."""
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    true = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 3}
    columns = {"id_l": ["a", "c", "b"], "id_r": ["b", "d", "c"], "score": [0.9, 0.7, 0.4]}
    frame = pandas.DataFrame(columns)
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    frame.to_parquet(tmp_path / "pairs.parquet")
    forms = [
        tuple(columns.values()),
        list(zip(*columns.values(), strict=True)),
        frame,
        polars.DataFrame(columns),
        tmp_path / "pairs.csv",
        str(tmp_path / "pairs.parquet"),
    ]
    numbers = np.array([[0, 1, 0.9], [2, 3, 0.7], [1, 2, 0.4]])
    assert cd.sweep([1, 1, 2, 2, 3], pairs=numbers).worst_merges(0.4)[0][2:6] == (1, 2, 1, 2)
    for form in forms:
        swept = cd.sweep(true, pairs=form)
        assert swept.best() == 0.7
        assert swept.thresholds[1:].tolist() == [0.9, 0.7, 0.4]
        assert swept.worst_merges(0.4)[0][2:6] == ("b", "c", 1, 2)


def test_points_that_one_side_lacks() -> None:
    """A point without a true cluster still connects others; dropped it does not count, or it is a cluster."""
    true = {"x": 1, "y": 1, "z": 2}
    pairs = [("x", "q", 0.9), ("q", "y", 0.8), ("q", "z", 0.2)]
    with pytest.raises(cd.LabelError, match="`true` has no cluster for 1 point of `pairs`: 'q'") as caught:
        cd.sweep(true, pairs=pairs)
    assert 'missing="drop"' in str(caught.value.hint)
    dropped = cd.sweep(true, pairs=pairs, missing="drop")
    assert dropped.n == 3
    assert dropped.best() == 0.8
    assert dropped.clustering().to_sets() == [{"x", "y"}, {"z"}]
    assert "missing:drop(1)" in dropped.signature
    single = cd.sweep(true, pairs=pairs, missing="singleton")
    for t in (0.9, 0.8, 0.2):
        at = int(np.flatnonzero(single.thresholds == t)[0])
        expected = cd.compare({**true, "q": 9}, single.clustering(t)).score()
        assert single.scores["S_H"][at] == pytest.approx(expected)
    with pytest.warns(cd.ClusterdiffWarning, match="only one side has 1 of the"):
        cd.sweep(true, pairs=pairs, missing="drop")
    with pytest.raises(cd.ArgumentError, match='missing="lost" has no meaning for a sweep'):
        cd.sweep(true, pairs=pairs, missing="lost")


def test_null_labels_and_noise_of_the_truth() -> None:
    """Null labels obey missing=, noise labels obey noise=, and both are counted in the signature."""
    tree = linkage([[0.0], [1.0], [2.5], [9.0], [9.5]])
    true = ["a", "a", None, "noise", "noise"]
    with pytest.raises(cd.LabelError, match="`true` has no cluster for 1 point of `tree`: 2"):
        cd.sweep(true, tree)
    swept = cd.sweep(true, tree, missing="drop", noise="noise")
    assert swept.n == 4
    assert "noise:true=noise→singleton(2)" in swept.signature
    for t, s_h in zip(swept.thresholds, swept.scores["S_H"], strict=True):
        pred = [x for i, x in enumerate(fcluster(tree, t, "distance")) if i != 2]
        assert s_h == pytest.approx(cd.score(["a", "a", "n1", "n2"], pred))
    assert cd.sweep(true, tree, missing="drop", noise="noise", noise_as="drop").n == 2


def test_leaves_can_be_named() -> None:
    """A truth by name is laid over the leaves that points= names, whatever its order."""
    tree = linkage([[0.0], [1.0], [5.0]])
    named = cd.sweep({"z": 2, "x": 1, "y": 1}, tree, points=["x", "y", "z"])
    assert named.scores["S_H"].tolist() == cd.sweep([1, 1, 2], tree).scores["S_H"].tolist()
    assert named.clustering(1.0).to_sets() == [{"x", "y"}, {"z"}]
    with pytest.raises(cd.LabelError, match="`tree` lacks 1 point of `true`: 'w'"):
        cd.sweep({"x": 1, "y": 1, "z": 2, "w": 3}, tree, points=["x", "y", "z"])
    with pytest.raises(cd.ArgumentError, match="the leaves of `tree` have no names"):
        cd.sweep({"x": 1, "y": 1, "z": 2}, tree)
    with pytest.raises(cd.ArgumentError, match="`points` must name the 3 leaves"):
        cd.sweep([1, 1, 2], tree, points=["x"])


# ---- trees of other libraries


@pytest.mark.parametrize("method", ["ward", "complete", "average", "single"])
def test_scikit_learn_cuts_the_same_clusters(method: str) -> None:
    """distance_threshold cuts below t, fcluster and this at t: one step further it is the same."""
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(3)
    data, true = rng.random((60, 3)), rng.integers(0, 5, 60)
    model = cluster.AgglomerativeClustering(n_clusters=None, distance_threshold=0, linkage=method).fit(data)
    swept = cd.sweep(true, model)
    for t in swept.thresholds[[1, 20, 40, 58]]:
        cut = cluster.AgglomerativeClustering(
            n_clusters=None, distance_threshold=np.nextafter(t, np.inf), linkage=method
        ).fit(data)
        assert swept.clustering(t) == cd.Clustering(cut.labels_)
    same = cd.sweep(true, (model.children_, model.distances_))
    assert same.scores["S_H"].tolist() == swept.scores["S_H"].tolist()
    with pytest.raises(cd.ArgumentError, match="has merges without distances") as caught:
        cd.sweep(true, cluster.AgglomerativeClustering().fit(data))
    assert "compute_distances=True" in str(caught.value.hint)


def test_hdbscans_single_linkage_tree() -> None:
    """scikit-learn's HDBSCAN keeps a tree of mutual reachability; hdbscan's own object offers it as a linkage."""
    cluster = pytest.importorskip("sklearn.cluster")
    rng = np.random.default_rng(4)
    data = np.concatenate([rng.normal(0, 0.1, (40, 2)), rng.normal(3, 0.1, (40, 2))])
    true = np.repeat([0, 1], 40)
    model = cluster.HDBSCAN(min_cluster_size=5, copy=True).fit(data)
    swept = cd.sweep(true, model)
    assert swept.scores["S_H"][swept.best_place()] == 1.0
    assert swept.clustering() == cd.Clustering(true)

    class SingleLinkageTree:
        """What hdbscan has."""

        def to_numpy(self) -> np.ndarray:
            return linkage(data, "single")

    class Model:
        """A fitted HDBSCAN of the package hdbscan."""

        single_linkage_tree_ = SingleLinkageTree()

    assert cd.sweep(true, Model()).scores["S_H"].max() == 1.0
    assert cd.sweep(true, SingleLinkageTree()).scores["S_H"].max() == 1.0


# ---- resolutions


def test_columns_are_resolutions() -> None:
    """Each is scored as compare does, in the order of the numbers at the ends of their names."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 50)
    frame = pandas.DataFrame(
        {f"leiden_{r}": rng.integers(0, k, 50) for r, k in ((1.5, 9), (0.5, 3), (1.0, 5))}
    )
    swept = cd.sweep(true, columns=frame, measures=["S_H", "vi"])
    assert swept.thresholds.tolist() == [0.5, 1.0, 1.5]
    assert swept.scores["vi"].tolist() == [
        cd.score(true, frame[f"leiden_{r}"], "vi") for r in (0.5, 1.0, 1.5)
    ]
    assert swept.best("vi") == swept.thresholds[np.argmin(swept.scores["vi"])]
    assert cd.sweep(true, columns=frame, measures=["vi"]).best() == swept.best("vi")
    assert swept.compare(1.0).score() == cd.score(true, frame["leiden_1.0"])
    with pytest.raises(cd.ArgumentError, match="no merges"):
        swept.worst_merges()
    with pytest.raises(cd.ArgumentError, match="no column of resolution 7"):
        swept.clustering(7)


@pytest.mark.parametrize(
    "names",
    [
        [(3, 0), (3, 1), (5, 0)],
        ["kmeans_3_0", "kmeans_5_1", "kmeans_8_2"],
        ["leiden_0.5", "louvain_0.6", "other_0.1"],
        ["coarse", "fine", "finest"],
    ],
)
def test_names_that_differ_in_more_than_a_number_are_no_resolutions(names: list[Any], tmp_path: Path) -> None:
    """They keep their order, and are called by their names wherever people read."""
    rng = np.random.default_rng(5)
    true = rng.integers(0, 3, 50)
    labels = [rng.integers(0, 9, 50), true, rng.integers(0, 4, 50)]
    swept = cd.sweep(true, columns=dict(zip(names, labels, strict=True)))
    assert swept.over == "column"
    assert swept.thresholds.tolist() == [0, 1, 2]
    assert swept.best() == 1
    assert swept.clustering() == cd.Clustering(true)
    assert f"at column {names[1]} (3 clusters)" in repr(swept)
    assert str(names[1]) in swept._repr_html_()
    assert swept.to_dict()["columns"] == list(map(str, names))
    swept.report(tmp_path / "sweep.html")
    assert str(names[1]) in (tmp_path / "sweep.html").read_text()
    assert "".join(tick.get_text() for tick in swept.plot().get_xticklabels()[1:2]).replace("\n", "")
    with pytest.raises(cd.ArgumentError, match=r"no column 7; there are 0.0, 1.0, 2.0"):
        swept.clustering(7)


def test_small_numbers_are_resolutions() -> None:
    """As Python writes them, with an exponent."""
    swept = cd.sweep([0, 0, 1], columns={1e-05: [0, 0, 1], 0.5: [0, 1, 2], 1e-07: [0, 0, 0]})
    assert swept.over == "resolution"
    assert swept.thresholds.tolist() == [1e-07, 1e-05, 0.5]


# ---- thresholds, results, errors


def test_which_thresholds_are_scored() -> None:
    """A number spreads them over the merges, a list is taken as it is, and the default is all of a small tree."""
    rng = np.random.default_rng(6)
    tree = linkage(rng.random((300, 2)))
    true = rng.integers(0, 9, 300)
    every = cd.sweep(true, tree)
    assert len(every) == every.total == 300
    some = cd.sweep(true, tree, thresholds=20)
    assert 15 < len(some) <= 20
    assert some.total == 300
    assert some.thresholds[0] == 0.0
    assert some.thresholds[-1] == tree[-1, 2]
    at = np.searchsorted(every.thresholds, some.thresholds)
    assert (every.scores["S_H"][at] == some.scores["S_H"]).all()
    told = cd.sweep(true, tree, thresholds=[0.05, 0.01, 9.0])
    assert told.thresholds.tolist() == [0.01, 0.05, 9.0]
    assert told.clusters.tolist() == [
        len(np.unique(fcluster(tree, t, "distance"))) for t in (0.01, 0.05, 9.0)
    ]
    assert len(cd.sweep(true, tree, thresholds=1)) == 1


def test_the_costs_of_merges_add_up() -> None:
    """What merges lose and win leads from the score of singletons to that of one cluster; the costliest come first."""
    rng = np.random.default_rng(7)
    true = rng.integers(0, 6, 80)
    tree = linkage(rng.random((80, 2)), "average")
    swept = cd.sweep(true, tree)
    worst = swept.worst_merges(np.inf)
    change = np.diff(swept.scores["S_H"])
    expected = np.sort(-change[change < -1e-15])[::-1]
    assert worst["cost"] == pytest.approx(expected[:100])
    for row in worst:
        assert row.true_left != row.true_right
        assert (true[row.left], true[row.right]) == (row.true_left, row.true_right)
        assert tree[row.link, 2] == row.threshold
        assert tree[row.link, 3] == row.left_size + row.right_size
    assert len(cd.sweep([0, 0], linkage([[0.0], [1.0]])).worst_merges()) == 0


def test_the_merges_that_are_listed_have_happened() -> None:
    """At the best threshold, or at a chosen one: what merges beyond it would cost is no flaw of that run."""
    rng = np.random.default_rng(7)
    true = rng.integers(0, 6, 80)
    swept = cd.sweep(true, linkage(rng.random((80, 2)), "average"))
    change = np.diff(swept.scores["S_H"])
    for threshold in (None, swept.thresholds[20], swept.thresholds[60], swept.thresholds[60] + 1e-9):
        at = swept.best() if threshold is None else threshold
        worst = swept.worst_merges(threshold)
        assert len(worst)
        assert (worst["threshold"] <= at).all()
        happened = change[swept.thresholds[1:] <= at]
        assert worst["cost"] == pytest.approx(np.sort(-happened[happened < -1e-15])[::-1][:100])
    assert len(swept.worst_merges(-1.0)) == 0
    assert max(swept.to_dict()["worst_merges"]["threshold"]) <= swept.best()


def jagged(n: int = 12_000) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """True clusters of three, and pairs: true links and others, mixed so that the best threshold is a narrow one."""
    rng = np.random.default_rng(11)
    true = np.arange(n) // 3
    ends = np.flatnonzero(np.arange(n) % 3)
    chain, wrong = (ends - 1, ends), (rng.integers(0, n, n), rng.integers(0, n, n))
    left, right = (np.concatenate([a, b]) for a, b in zip(chain, wrong, strict=True))
    score = np.concatenate([rng.uniform(0.45, 1, len(ends)), rng.uniform(0, 0.6, n)])
    return true, (left, right, score)


def test_the_best_of_very_many_thresholds_is_the_best_of_all() -> None:
    """Also where only some of them are kept, by every measure that is made of sums; others say of how many."""
    true, pairs = jagged()
    measures = ["S_H", "ari", "vi"]
    every = cd.sweep(true, pairs=pairs, measures=measures, thresholds="all")
    assert every.total > 10_000
    swept = cd.sweep(true, pairs=pairs, measures=[*measures, "A"])
    assert len(swept) < 210
    assert swept.total == every.total
    for name in measures:
        assert swept.best(name) == every.best(name)
        assert swept.scores[name][swept.best_place(name)] == every.scores[name][every.best_place(name)]
    assert swept.exhaustive == set(measures)
    assert f"; best of {len(swept)} scored)" in repr(swept).splitlines()[3]
    assert f"levels:{len(swept)}|" in swept.signature
    assert f"levels:{every.total}|" in cd.sweep(true, pairs=pairs, measures=measures).signature
    some = cd.sweep(true, pairs=pairs, thresholds=200)
    assert some.best() != every.best()
    assert repr(some).startswith(f"200 of {every.total:,} thresholds of 12,000 points")
    # What looks at the points has no better neighbour among all thresholds, and no kept threshold is better.
    at, values = swept.best("A"), swept.scores["A"]
    place = int(np.flatnonzero(every.thresholds == at)[0])
    near = every.thresholds[place - 1 : place + 2]
    assert cd.sweep(true, pairs=pairs, measures="A", thresholds=near).scores["A"].max() == np.max(values)


def test_s_h_alone_is_told_what_chance_correction_would_choose() -> None:
    """Where ari and as_h are best with many more clusters; not where the user swept such a measure."""
    rng = np.random.default_rng(0)
    centres = rng.normal(0, 1.6, (9, 2))
    data = np.concatenate([rng.normal(centre, 0.45, (80, 2)) for centre in centres])
    true = np.repeat(np.arange(9), 80)
    tree = linkage(data, "average")
    swept, both = cd.sweep(true, tree), cd.sweep(true, tree, measures=["S_H", "ari", "as_h"])
    few, many = (both.clusters[both.best_place(name)] for name in ("S_H", "ari"))
    assert many > 1.2 * few
    at = both.best_place("ari")
    assert f"{both.scores['as_h'][at]:.4f} at height {both.best('ari'):.6g} ({many} clusters)" in swept.advice
    assert swept.notices == [swept.advice] == swept.to_dict()["notices"]
    assert swept.advice in repr(swept)
    assert "S_H favours few clusters" in swept._repr_html_()
    assert both.advice is None
    columns = {f"k_{k}": fcluster(tree, k, "maxclust") for k in range(2, 20)}
    assert f"({few} clusters)" in cd.sweep(true, columns=columns).advice
    assert cd.sweep(fcluster(tree, 4, "maxclust"), tree).advice is None


def test_a_sweep_is_a_value() -> None:
    """It pickles, prints, and becomes plain JSON and CSV."""
    swept = cd.sweep(["a", "a", "b"], pairs=([0, 1], [1, 2], [0.9, 0.3]), measures=["S_H", "vi"])
    again = pickle.loads(pickle.dumps(swept))
    assert again.to_dict() == swept.to_dict()
    assert again.clustering(0.3) == swept.clustering(0.3)
    assert json.loads(json.dumps(swept.to_dict()))["best"] == {"S_H": 0.9, "vi": 0.9}
    assert "best S_H = 1.0000 at score 0.9 (2 clusters)" in repr(swept)
    assert ">S_H</td>" in swept._repr_html_()
    assert swept.to_csv().splitlines()[0] == "threshold,clusters,S_H,vi,split_loss,merge_loss"
    assert len(swept.to_csv().splitlines()) == 4


def test_a_measure_without_any_value_does_not_hide_the_others(tmp_path: Path) -> None:
    """It has no best threshold; text, JSON, pictures and the page show the rest."""
    swept = cd.sweep([0, 0, 1], TREE, measures=["S_H", lambda meet: float("nan")])
    assert "<lambda> has no value at any height" in repr(swept)
    assert swept.to_dict()["best"] == {"S_H": 1.0, "<lambda>": None}
    assert swept.plot().get_xlabel() == "height of the cut"
    swept.report(tmp_path / "sweep.html")
    assert "S_H" in swept._repr_html_()
    with pytest.raises(cd.ArgumentError, match="<lambda> has no value at any threshold"):
        swept.best("<lambda>")


def test_a_single_point() -> None:
    """One point has one threshold, at which nothing is lost."""
    swept = cd.sweep(["x"], (np.empty((0, 2), dtype=int), []))
    assert swept.thresholds.tolist() == [0.0]
    assert swept.scores["S_H"].tolist() == [1.0]


TREE = linkage([[0.0], [1.0], [5.0]])


@cases(
    ("call", "message"),
    [
        (lambda: cd.sweep([0, 0, 1]), "takes one of `tree`, `pairs` and `columns`; got none"),
        (lambda: cd.sweep([0, 0, 1], TREE, pairs=[(0, 1, 1.0)]), "got tree and pairs"),
        (lambda: cd.sweep([0, 0, 1], TREE, measures=[]), "at least one measure"),
        (lambda: cd.sweep([0, 0, 1], TREE, thresholds="many"), "`thresholds` must be a number of thresholds"),
        (lambda: cd.sweep([0, 0, 1], TREE, thresholds=0), "`thresholds` must be at least 1"),
        (lambda: cd.sweep([0, 0, 1], TREE, thresholds=[np.nan]), "`thresholds` must be"),
        (lambda: cd.sweep([0, 0, 1], np.zeros((2, 3))), "`tree` must be a linkage of scipy"),
        (lambda: cd.sweep([0, 0], TREE), "`true` has 2 labels, `tree` has 3"),
        (
            lambda: cd.sweep([0, 0, 1], ([[0, 1], [3, 3]], [1, 2])),
            "merge 1 joins node 3, which has been merged",
        ),
        (lambda: cd.sweep([0, 0, 1], ([[0, 1], [2, 9]], [1, 2])), "merge 1 joins node 9"),
        (
            lambda: cd.sweep([0, 0, 1], ([[0, 1], [2, 3]], [1, np.nan])),
            "must have a height for every merge; it has 1 merge without one",
        ),
        (lambda: cd.sweep([0, 0, 1], ([[0, 1], [2, 3.5]], [1, 2])), "whole numbers"),
        (lambda: cd.sweep([0, 0, 1], ([0, 1], [1, 2])), "two nodes and a height for each merge"),
        (lambda: cd.sweep([0, 0, 1], pairs=([0], [1])), "`pairs` must have three columns"),
        (lambda: cd.sweep([0, 0, 1], pairs=np.zeros((4, 2))), "`pairs` must have three columns"),
        (lambda: cd.sweep([0, 0, 1], "tree"), "`tree` must be .* got str.\nHint"),
        (lambda: cd.sweep([0, 0, 1], pairs=([0], [1], [np.nan])), "1 pair without a score"),
        (lambda: cd.sweep([0, 0, 1], pairs=object()), "`pairs` must be \\(left, right, score\\)"),
        (lambda: cd.sweep([0, 0, 1], pairs=[(0, 1, 1.0)], points=[1]), "`points` has no meaning for `pairs`"),
        (lambda: cd.sweep([0, 0, 1], columns=3), "`columns` must be a dict"),
        (lambda: cd.sweep([0, 0, 1], columns={}), "`columns` has no clusterings"),
        (lambda: cd.sweep([0, 0, 1], columns={"a": [0, 1, 1]}, thresholds=3), "no meaning for `columns`"),
        (lambda: cd.sweep([0, 0, 1], TREE).best("ari"), "one of those that were swept: 'S_H'"),
        (lambda: cd.sweep(cd.Corpus({"d": [["a"]]}), TREE), "`true` holds documents"),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    """Each error says which argument, what was expected and what came."""
    with pytest.raises(cd.ClusterdiffError, match=message):
        call()


def test_measures_that_would_take_days_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A measure that reads the cells is refused at very many thresholds of very many points, with a way out."""
    monkeypatch.setattr("clusterdiff.decide.levels.MOST_READ", 8)
    with pytest.raises(cd.MeasureError, match="A reads more than sums") as caught:
        cd.sweep([0, 0, 1], TREE, measures=["S_H", "A"])
    assert "thresholds=200" in str(caught.value.hint)
    cd.sweep([0, 0, 1], TREE, measures=["S_H", "ari"])
