"""Noise: labels that mean "in no cluster", on either side, in memory, in files and in engines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli import main
from tests.cases import cases

#: Truth whose noise is 0, and predictions that are numbered from 0.
TRUE = [0, 0, 0, 1, 1, 2, 2, 0]
PRED = [5, 5, 6, 0, 0, 1, 2, 3]


def by_hand(labels: list[Any], noise: set[Any], side: str) -> list[Any]:
    """Each noisy point called after itself."""
    return [(side, i) if label in noise else label for i, label in enumerate(labels)]


@given(
    labels=st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), min_size=1, max_size=12),
    true=st.sets(st.integers(-1, 2), max_size=2),
    pred=st.sets(st.integers(-1, 2), max_size=2),
    treated=st.sampled_from(["singleton", "cluster", "drop"]),
)
def test_noise_is_what_it_is_by_hand(
    labels: list[tuple[int, int]], true: set[int], pred: set[int], treated: Any
) -> None:
    """Whatever is noise on either side, the score is that of the labels changed by hand."""
    left, right = map(list, zip(*labels, strict=True))
    if treated == "drop":
        kept = [i for i in range(len(labels)) if left[i] not in true and right[i] not in pred]
        if not kept:
            with pytest.raises(cd.LabelError, match="no point is left"):
                cd.compare(left, right, noise_true=true, noise_pred=pred, noise_as="drop")
            return
        expected = cd.score([left[i] for i in kept], [right[i] for i in kept])
    elif treated == "singleton":
        a, b = (
            by_hand(list(map(str, left)), set(map(str, true)), "t"),
            by_hand(list(map(str, right)), set(map(str, pred)), "p"),
        )
        expected = cd.score(list(map(str, a)), list(map(str, b)))
    else:
        expected = cd.score(left, right)
    diff = cd.compare(left, right, noise_true=true, noise_pred=pred, noise_as=treated)
    assert diff.score() == pytest.approx(expected, abs=1e-12)


def test_noise_of_one_side_leaves_the_other_alone() -> None:
    """0 is noise in the truth and an ordinary cluster in the prediction."""
    diff = cd.compare(TRUE, PRED, noise_true=0, noise_as="drop")
    assert diff.n == 4
    assert diff.score() == cd.score([1, 1, 2, 2], [0, 0, 1, 2])
    assert "|noise:true=0→drop(4),pred=-|" in diff.signature
    assert cd.compare(TRUE, PRED, noise=0, noise_pred=(), noise_as="drop").score() == diff.score()
    assert cd.compare(TRUE, PRED, noise=7, noise_true=0, noise_as="drop").n == 4
    both = cd.compare(TRUE, PRED, noise=0, noise_as="drop")
    assert "|noise:true=0→drop(4),pred=0→drop(2)|" in both.signature


def test_only_a_set_means_several_labels() -> None:
    """Tuples and bytes are labels; lists are refused with the way out."""
    pairs = [("a", 1), ("a", 1), ("b", 2), ("b", 2)]
    assert cd.compare(pairs, pairs, noise=("b", 2), noise_as="drop").n == 2
    raw = np.array([b"x", b"x", b"-", b"-"])
    assert cd.compare(raw, raw, noise=b"-", noise_as="drop").n == 2
    assert cd.compare(list(raw), [1, 1, 2, 3], noise=frozenset({b"-"}), noise_as="drop").n == 2
    assert cd.compare(TRUE, PRED, noise_true={0, 2}, noise_as="drop").n == 2
    with pytest.raises(cd.ArgumentError, match="a set, such as"):
        cd.compare(TRUE, PRED, noise=[0, 1])
    assert cd.compare(TRUE, PRED, noise=np.int64(0), noise_as="drop").n == 2


def test_a_label_must_be_possible_on_some_side() -> None:
    """Words have no -1 and are left alone; where neither side could have it, it is an error."""
    words = ["a", "a", "b", "b"]
    diff = cd.compare(words, [0, 0, -1, -1], noise=-1)
    assert "noise:true=-,pred=-1→singleton(2)" in diff.signature
    with pytest.raises(
        cd.ArgumentError, match="`noise` must be a label of `true` or `pred`, whose labels are str"
    ):
        cd.compare(words, words, noise=-1)
    with pytest.raises(
        cd.ArgumentError, match="`noise_true` must be a label of `true`, whose labels are str"
    ):
        cd.compare(words, [0, 0, -1, -1], noise_true=-1)
    with pytest.raises(
        cd.ArgumentError, match=r"`true`, whose labels are str.* or `pred`, whose labels are int"
    ):
        cd.compare(words, [0, 0, -1, -1], noise=b"-")
    assert cd.compare(words, words, noise="never").score() == 1.0


@pytest.mark.parametrize("name", ["DBSCAN", "HDBSCAN", "OPTICS"])
def test_an_estimators_own_noise(name: str) -> None:
    """A fitted DBSCAN has -1 as noise, however it is given; noise_pred=() switches that off."""
    import sklearn.cluster
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    data = np.concatenate(
        [rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8, rng.uniform(-20, 20, (20, 2))]
    )
    true = np.repeat(["a", "b", "c"], [30, 30, 20])
    options: Any = {"DBSCAN": {"eps": 1.0}, "HDBSCAN": {"copy": True}, "OPTICS": {}}[name]
    model = getattr(sklearn.cluster, name)(**options).fit(data)
    assert (model.labels_ == -1).sum() > 1
    expected = cd.compare(true, model.labels_, noise_pred=-1).score()
    assert cd.score(true, model) == cd.compare(true, model).score() == expected
    assert cd.compare(model, true).score() == cd.compare(model.labels_, true, noise_true=-1).score()
    assert cd.score(true, model, noise_pred=()) == cd.score(true, model.labels_) != expected
    assert cd.compare(true, model, noise="c").signature.count("→singleton") == 2
    pipeline = make_pipeline(StandardScaler(), getattr(sklearn.cluster, name)(**options)).fit(data)
    assert "pred=-1" in cd.compare(true, pipeline).signature
    if name == "DBSCAN":
        search = GridSearchCV(sklearn.cluster.DBSCAN(), {"eps": [1.0]}, scoring=cd.scorer(), cv=2).fit(
            data, true
        )
        assert cd.score(true, search) == expected


FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": pa.table,
    "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@cases("library", FRAMES)
@cases("treated", ["singleton", "cluster", "drop"])
def test_noise_in_tables(library: str, treated: Any) -> None:
    """Engines apply noise to either side as memory does, and sign it alike."""
    ids = [f"p{i}" for i in range(len(TRUE))]
    make = FRAMES[library]
    left, right = make({"id": ids, "cluster": TRUE}), make({"id": ids, "cluster": list(map(str, PRED))})
    options: Any = {"noise": {0, "1"}, "noise_as": treated}
    expected = cd.compare(TRUE, list(map(str, PRED)), **options)
    diff = cd.compare(left, right, **options)
    assert (diff.n, diff.score()) == (expected.n, pytest.approx(expected.score()))
    assert diff.signature == expected.signature
    one = make({"id": ids, "a": TRUE, "b": PRED})
    sided: Any = {"noise_true": {0, 7}, "noise_pred": 1, "noise_as": treated}
    got, wanted = (
        cd.compare_columns(one, true="a", pred="b", point="id", **sided),
        cd.compare(TRUE, PRED, **sided),
    )
    assert (got.score(), got.signature) == (pytest.approx(wanted.score()), wanted.signature)
    with pytest.raises(
        cd.ArgumentError, match="`noise_pred` must be a label of `pred`, whose labels are str"
    ):
        cd.compare(left, right, noise_pred=0)


def test_noise_within_documents() -> None:
    """Noise labels are those of the clusters, whatever document they are in."""
    documents = ["x"] * 4 + ["y"] * 4
    diff = cd.compare(TRUE, PRED, documents=documents, noise_true=0, noise_as="drop")
    assert diff.n == 4
    assert "noise:true=0→drop(4),pred=-" in diff.signature
    assert isinstance(diff, cd.types.CorpusComparison)
    assert (diff.counts.true_clusters, diff.counts.pred_clusters) == (3, 7)  # type: ignore[union-attr]
    single = cd.compare(TRUE, PRED, documents=documents, noise_true=0)
    assert single.clusters == (3, 7)
    whole = cd.compare(TRUE, PRED, documents=documents, noise_true=0, noise_as="cluster")
    assert whole.clusters == (5, 7)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars"])
def test_noise_on_the_command_line(tmp_path: Path, engine: str) -> None:
    """--noise, --noise-true and --noise-pred may be repeated; numbers are found where a file has numbers."""
    ids = [f"p{i}" for i in range(len(TRUE))]
    pl.DataFrame({"id": ids, "cluster": list(map(str, TRUE))}).write_csv(tmp_path / "t.csv")
    pl.DataFrame({"id": ids, "cluster": PRED}).write_parquet(tmp_path / "p.parquet")
    files = [str(tmp_path / "t.csv"), str(tmp_path / "p.parquet")]

    def n(*options: str) -> tuple[int, str]:
        run = CliRunner().invoke(
            main, ["compare", *files, "--json", "--noise-as", "drop", "--engine", engine, *options]
        )
        assert run.exit_code == 0, run.output
        told = json.loads(run.stdout)
        return told["n"], told["signature"]

    assert n("--noise-true", "0")[0] == 4
    assert n("--noise-true", "0", "--noise-true", "1")[0] == 2
    assert n("--noise", "0")[0] == 2
    assert n("--noise-pred", "5", "--noise-pred", "6")[0] == 5
    assert "noise:true=-,pred={5,6}→drop(3)" in n("--noise-pred", "5", "--noise-pred", "6")[1]
    if engine == "memory":
        assert cd.compare(*files, noise=0, noise_as="drop").n == 2


@cases("library", ["pyarrow", "categories", "duckdb", "pandas", "polars"])
@cases("side", [0, 1])
def test_one_side_is_all_noise(library: str, side: int) -> None:
    """No label is left to read on that side: its points stand alone, or none is left, as for labels in memory."""
    labels = ["a", "a", "b", "b"], ["none"] * 4
    make: dict[str, Any] = {
        "pyarrow": pa.table,
        "categories": lambda columns: pa.table(
            columns | {"cluster": pa.array(columns["cluster"]).dictionary_encode()}
        ),
        "duckdb": lambda columns: duckdb.from_arrow(pa.table(columns)),
        "pandas": pd.DataFrame,
        "polars": pl.DataFrame,
    }
    true, pred = (make[library]({"id": [1, 2, 3, 4], "cluster": labels[i]}) for i in (side, 1 - side))
    known = cd.compare(labels[side], labels[1 - side], noise="none")
    diff = cd.compare(true, pred, noise="none")
    assert diff.scores(["S_H", "ari", "pairs.recall"]) == known.scores(["S_H", "ari", "pairs.recall"])
    assert diff.loss == known.loss
    with pytest.raises(cd.LabelError, match='no point is left: noise_as="drop" left out all 4'):
        cd.compare(true, pred, noise="none", noise_as="drop")


def test_noise_of_another_type_is_refused_beside_points_without_label() -> None:
    """A label that could never occur is a slip, also where some points have none."""
    with pytest.raises(cd.ArgumentError, match="`noise` must be a label of `true` or `pred`"):
        cd.compare(["a", None, "b"], ["a", "a", None], missing="lost", noise=-1)
