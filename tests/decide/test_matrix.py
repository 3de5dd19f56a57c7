"""Many clusterings: each against each, how stable they are, and the tree from each to the next."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

import clusterdiff as cd
from clusterdiff.formats.source import Source
from tests.cases import cases

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    yield
    plt.close("all")


def labels(n: int) -> st.SearchStrategy[list[int]]:
    """Labels of n points."""
    return st.lists(st.integers(0, 4), min_size=n, max_size=n)


several = st.integers(1, 9).flatmap(lambda n: st.lists(labels(n), min_size=2, max_size=5))


@settings(max_examples=20, deadline=None)
@given(several, st.sampled_from(["S_H", "vi", "b3.recall", "ari"]))
def test_each_value_is_that_of_score(clusterings: list[list[int]], measure: str) -> None:
    """values[i, j] has i as the true clustering, also where the measure is not symmetric."""
    found = cd.matrix(clusterings, measure)
    for i, one in enumerate(clusterings):
        for j, other in enumerate(clusterings):
            assert found.values[i, j] == pytest.approx(cd.score(one, other, measure), nan_ok=True, abs=1e-12)
    assert sorted(found.order.tolist()) == list(range(len(clusterings)))


@settings(max_examples=20, deadline=None)
@given(several)
def test_what_the_others_make_of_each_cluster(clusterings: list[list[int]]) -> None:
    """Jaccard indices, and whether the very cluster is there, against sets of points."""
    true, *others = clusterings
    found = cd.matrix(others, true=true) if len(others) > 1 else cd.matrix(clusterings)
    reference = true if found.reference else clusterings[int(found.medoid)]
    rest = others if found.reference else [c for i, c in enumerate(clusterings) if i != int(found.medoid)]

    def sets(clustering: list[int]) -> dict[int, set[int]]:
        return {c: {i for i, x in enumerate(clustering) if x == c} for c in set(clustering)}

    for row in found.clusters:
        mine = sets(reference)[row.cluster]
        best = [max(len(mine & other) / len(mine | other) for other in sets(c).values()) for c in rest]
        assert row.size == len(mine)
        assert row.jaccard == pytest.approx(np.mean(best))
        assert row.least == pytest.approx(min(best))
        assert row.there == pytest.approx(np.mean([b == 1 for b in best]))
        lost = [
            sum(p.loss for p in cd.compare(reference, c).by_point if p.true == row.cluster) * len(true)
            for c in rest
        ]
        assert row.kept == pytest.approx(1 - np.mean(lost) / len(mine), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(several)
def test_the_edges_of_the_tree_are_the_cells(clusterings: list[list[int]]) -> None:
    """From each clustering to the next: sizes, shares, and losses that add up to 1 - S_H of the step."""
    tree = cd.matrix(clusterings).tree
    for step in range(len(clusterings) - 1):
        one, other = clusterings[step], clusterings[step + 1]
        edges = [edge for edge in tree if edge.step == step]
        lost = sum(edge.split_loss + edge.merge_loss for edge in edges)
        assert lost == pytest.approx(1 - cd.score(one, other), abs=1e-12)
        for edge in edges:
            shared = sum(a == edge.source and b == edge.target for a, b in zip(one, other, strict=True))
            assert edge.size == shared > 0
            assert edge.out_share == pytest.approx(shared / one.count(edge.source))
            assert edge.in_share == pytest.approx(shared / other.count(edge.target))


def test_clusterings_that_are_alike_stand_together() -> None:
    """Two families of runs, shuffled, come apart in the order of the heat map; the medoid is of the larger one."""
    rng = np.random.default_rng(0)
    bases = rng.integers(0, 5, (2, 300))
    family = [0, 1, 0, 0, 1, 0]
    runs = [np.where(rng.random(300) < 0.05, rng.integers(0, 5, 300), bases[f]) for f in family]
    found = cd.matrix(runs)
    ordered = [family[i] for i in found.order]
    assert ordered in ([0] * 4 + [1] * 2, [1] * 2 + [0] * 4)
    assert family[int(found.medoid)] == 0
    stable = cd.matrix([runs[i] for i in range(6) if family[i] == 0]).stability
    assert stable.least > 0.5 > found.stability.least


def test_names_and_missing_points() -> None:
    """Clusterings that name their points are matched by name, under the policies of compare."""
    pandas = pytest.importorskip("pandas")
    runs = {"a": {"x": 1, "y": 1, "z": 2}, "b": {"z": 5, "y": 4, "x": 4}, "c": {"x": 1, "y": 2}}
    with pytest.raises(cd.LabelError, match="lacks 1 of the 3 points"):
        cd.matrix(runs)
    with pytest.warns(
        cd.ClusterdiffWarning, match=r"a and c: only one side has 1 of the|b and c: only one side"
    ):
        found = cd.matrix(runs, missing="drop")
    assert found.values[0].tolist() == [1.0, 1.0, 0.0]
    assert (
        cd.matrix(runs, missing="lost").values[0, 2]
        == cd.compare(runs["a"], runs["c"], missing="lost").score()
    )
    frame = pandas.DataFrame({"r1": [0, 0, 1], "r2": [0, 1, 1]})
    assert cd.matrix(frame).names == ["r1", "r2"]
    assert cd.matrix(frame).values[0, 1] == cd.score([0, 0, 1], [0, 1, 1])
    noisy = cd.matrix([[0, 0, -1, -1], [0, 0, 1, 1]], noise=-1)
    assert noisy.values[0, 1] == cd.compare([0, 0, -1, -1], [0, 0, 1, 1], noise=-1).score()
    assert [row.cluster for row in noisy.clusters] == [0]


def test_pairs_share_different_points() -> None:
    """What is dropped depends on the pair: the words tell the range, and the table each pair."""
    runs = {"a": dict.fromkeys("wxyz", 0), "b": dict.fromkeys("wxy", 0), "c": dict.fromkeys("xyz", 0)}
    with pytest.warns(cd.ClusterdiffWarning):
        found = cd.matrix(runs, missing="drop")
    assert found.points.tolist() == [[4, 3, 3], [3, 3, 2], [3, 2, 3]]
    assert repr(found).startswith("3 clusterings of 2 to 3 points by pair, each against each")
    assert "|n:2–3|" in found.signature
    assert found.to_dict()["points"][1] == [3, 3, 2]
    assert found.table["points"].tolist() == [4, 3, 3, 3, 3, 2, 3, 2, 3]
    assert repr(cd.matrix([[0, 0], [0, 1]])).startswith("2 clusterings of 2 points, each against each")


def test_noise_of_fitted_models_and_of_files(tmp_path: Path) -> None:
    """A fitted DBSCAN has its own noise, as in compare; a file's noise is told as text, whatever its labels are."""
    cluster = pytest.importorskip("sklearn.cluster")
    pandas = pytest.importorskip("pandas")
    points = np.random.default_rng(0).random((60, 2))
    models = {f"r{r}": cluster.DBSCAN(eps=r, min_samples=3).fit(points) for r in (0.08, 0.12)}
    found = cd.matrix(models)
    expected = cd.score(*models.values())
    assert found.values[0, 1] == expected != cd.score(*(model.labels_ for model in models.values()))
    assert "|noise:-1→singleton|" in found.signature
    frame = pandas.DataFrame({name: model.labels_ for name, model in models.items()})
    frame.to_csv(tmp_path / "runs.csv", index_label="id")
    frame.rename_axis("id").reset_index().to_parquet(tmp_path / "runs.parquet")
    for kinds in (("csv", "csv"), ("parquet", "parquet"), ("csv", "parquet")):
        sides = {
            name: Source(str(tmp_path / f"runs.{kind}"), point="id", cluster=name)
            for name, kind in zip(models, kinds, strict=True)
        }
        assert cd.matrix(sides, noise="-1").values[0, 1] == expected
    with pytest.raises(cd.ArgumentError, match="none can have x"):
        cd.matrix(models, noise="x")


def test_changing_the_input_afterwards_changes_no_answer() -> None:
    """What is computed later reads nothing of the caller's."""
    runs = [np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])]
    names = ["a", "b", "c", "d"]
    found, swept = cd.matrix(runs), cd.sweep(dict(zip(names, runs[0], strict=True)), CHAIN, points=names)
    for run in runs:
        run[:] = 7
    names[:] = "wxyz"
    assert found.clusters["cluster"].tolist() == [0, 1]
    assert len(found.tree) == 3
    assert swept.clustering(1.0).to_sets() == [{"a", "b"}, {"c"}, {"d"}]


def test_a_matrix_is_a_value() -> None:
    """It pickles, prints, and becomes plain JSON and CSV."""
    found = cd.matrix({"a": [0, 0, 1], "b": [0, 1, 1]}, true=["x", "x", "y"])
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict()
    assert json.loads(json.dumps(found.to_dict()))["medoid"] == "a"
    assert "3 clusterings of 3 points, each against each by S_H" in repr(found)
    assert ">true</th>" in found._repr_html_()
    assert found.to_csv().splitlines()[0] == ",true,a,b"
    assert len(found.table) == 9


@cases(
    ("call", "message"),
    [
        (lambda: cd.matrix([[0, 1]]), "at least two clusterings"),
        (lambda: cd.matrix(3), "`clusterings` must be a dict"),
        (lambda: cd.matrix(np.zeros((2, 5))), "whether its rows or its columns are clusterings"),
        (lambda: cd.matrix({"true": [0, 1], "b": [0, 1]}, true=[0, 1]), 'one that is called "true"'),
        (lambda: cd.matrix({1: [0, 1], "1": [0, 1]}), "names that look the same"),
        (lambda: cd.matrix([[0, 1], [0, 1, 2]]), "must label the same points"),
        (lambda: cd.matrix([[0, 1], [1, 1]]).plot("pie"), '"matrix", "tree"'),
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    """Each error says which argument, what was expected and what came."""
    with pytest.raises(cd.ClusterdiffError, match=message):
        call()


CHAIN = ([[0, 1], [2, 4], [3, 5]], [1.0, 2.0, 3.0])
HOSTILE = ["$x_1$", "</script>", "a\nb", "日本語" * 20, "x" * 1000, "\x1b[31m"]


@cases("kind", ["matrix", "tree"])
@cases("case", ["two", "many", "hostile", "large"])
def test_pictures_of_many_clusterings(kind: str, case: str) -> None:
    """Drawn without a warning, with few enough marks, and with labels as text."""
    rng = np.random.default_rng(1)
    runs: dict[str, Any] = {
        "two": [[0, 0, 1], [0, 1, 1]],
        "many": {f"seed {i}": rng.integers(0, 4, 50) for i in range(70)},
        "hostile": {name: HOSTILE[i:] + HOSTILE[:i] for i, name in enumerate(HOSTILE)},
        "large": [rng.integers(0, k, 5000) for k in (2, 40, 400)],
    }[case]
    ax = cd.matrix(runs).plot(kind)
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in ax.figure.findobj(matplotlib.text.Text) if text.get_text()]
    assert shown
    assert all(line.isprintable() for text in shown for line in text.splitlines())
    if kind == "tree" and case == "large":
        assert any("smaller clusters" in text for text in shown)


def test_names_of_the_tradeoff_do_not_cover_each_other() -> None:
    """Thresholds along the curve, its ends included, and the scores of the grey lines."""
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(c, 0.9, (60, 2)) for c in ((0, 0), (4, 0), (0, 4), (5, 5))])
    ax = cd.sweep(np.repeat(range(4), 60), linkage(data, "average")).plot("tradeoff")
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) > 10
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert {"0", "5.872"} <= {text.get_text() for text in ax.texts}


@cases("kind", ["thresholds", "tradeoff"])
@cases("case", ["pairs", "one", "columns", "many", "same"])
def test_pictures_of_sweeps(kind: str, case: str) -> None:
    """Drawn without a warning for pairs, a single point, resolutions and many thresholds; the best is named."""
    rng = np.random.default_rng(2)
    n = 4000
    chain = (np.arange(n - 1), np.arange(1, n), rng.random(n - 1))
    swept = {
        "pairs": lambda: cd.sweep(
            [0, 0, 1], pairs=([0, 1], [1, 2], [0.9, 0.3]), measures=["S_H", "vi", "ari"]
        ),
        "one": lambda: cd.sweep(["x"], (np.empty((0, 2), dtype=int), [])),
        "columns": lambda: cd.sweep(
            [0, 0, 1], columns={"$r_1$": [0, 1, 1], "r2": [0, 1, 2]}, measures=["ari", "vi"]
        ),
        "many": lambda: cd.sweep(np.arange(n) // 5, pairs=chain),
        "same": lambda: cd.sweep([0, 1], pairs=([0], [0], [0.5])),
    }[case]()
    ax = swept.plot(kind)
    ax.figure.canvas.draw()
    shown = [text.get_text() for text in ax.figure.findobj(matplotlib.text.Text) if text.get_text()]
    if kind == "thresholds":
        assert any("best at" in text for text in shown)
        assert ax.xaxis_inverted() == (swept.over == "score")
    else:
        assert any(text.startswith("best: ") for text in shown)
    with pytest.raises(cd.ArgumentError, match='"thresholds", "tradeoff"'):
        swept.plot("pie")
