"""Every option is known or refused: the table of the documents says which kind of input takes which."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.formats.source import Source
from clusterdiff.inputs import base, choice
from clusterdiff.inputs.base import Asked, Input
from clusterdiff.inputs.choice import KINDS, recognise
from tests.cases import cases

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "points.md"
POINTWISE = {
    "documents", "weights", "features", "distances", "missing", "noise", "noise_true", "noise_pred", "noise_as",
}  # fmt: skip
#: Which kind of input takes which option by itself.
TAKEN = {
    "labels in memory": POINTWISE,
    "sets or dicts": POINTWISE,
    "tables in memory or in an engine": POINTWISE | {"point", "cluster", "budget"},
    "files of tables": POINTWISE | {"point", "cluster", "engine"},
    "tables of pairs": POINTWISE | {"point"},
    "files of labels": POINTWISE,
    "files of arrays": POINTWISE | {"cluster"},
    "documents": {"missing", "singletons"},
    "files of documents": {"missing", "singletons", "cluster"},
}
OPTIONS = {
    "point": "id", "cluster": "cluster", "missing": "drop", "noise": 0, "noise_true": 0, "noise_pred": 0,
    "noise_as": "drop", "singletons": "drop", "budget": "1GB", "engine": "duckdb", "documents": ["x", "x", "y", "y"],
    "weights": [1, 2, 3, 4], "features": [[0.0], [1.0], [2.0], [3.0]], "distances": 1 - np.eye(4),
}  # fmt: skip
NAMED = {"documents": "doc", "weights": "w", "features": ["x"]}
POINTS = "abcd"
TABLE = {
    "id": list(POINTS), "cluster": [0, 0, 1, 1], "doc": ["x", "x", "y", "y"], "w": [1.0, 2, 3, 4], "x": [0.0, 1, 2, 3],
}  # fmt: skip


def example(kind: str, folder: Path) -> Any:
    """An input of a kind: two clusters of two points."""
    path = folder / "input"
    match kind:
        case "labels in memory":
            return np.array(TABLE["cluster"])
        case "sets or dicts":
            return dict(zip(POINTS, TABLE["cluster"], strict=True))
        case "tables in memory or in an engine":
            return pl.DataFrame(TABLE)
        case "files of tables":
            pl.DataFrame(TABLE).write_parquet(path.with_suffix(".parquet"))
            return path.with_suffix(".parquet")
        case "tables of pairs":
            path.with_suffix(".csv").write_text("left,right\na,b\nc,d\n")
            return Source(str(path.with_suffix(".csv")), pairs=True)
        case "files of labels":
            path.with_suffix(".json").write_text("[0, 0, 1, 1]")
            return path.with_suffix(".json")
        case "files of arrays":
            np.savez(path.with_suffix(".npz"), cluster=TABLE["cluster"])
            return path.with_suffix(".npz")
        case "documents":
            return cd.Corpus({"one": [{"a", "b"}, {"c", "d"}, {"e"}]})
        case "files of documents":
            spans = {"doc_key": "one", "clusters": [[[0, 0], [1, 1]], [[2, 2]]]}
            path.with_suffix(".jsonl").write_text(json.dumps(spans) + "\n")
            return path.with_suffix(".jsonl")
    raise AssertionError(kind)


def value(kind: str, option: str) -> Any:
    """A value of an option that suits a kind of input."""
    if kind in ("tables in memory or in an engine", "files of tables") and option in NAMED:
        return NAMED[option]
    if kind in ("sets or dicts", "tables of pairs") and option in NAMED:
        return dict(zip(POINTS, OPTIONS[option], strict=True))
    own = {("tables of pairs", "point"): "left,right", ("files of documents", "cluster"): "clusters"}
    return own.get((kind, option), OPTIONS[option])


def test_the_tables_are_complete() -> None:
    """Every kind and every option of the verb is in it."""
    assert set(TAKEN) == {kind.kind for kind in KINDS}
    assert set(OPTIONS) == set(Asked.__dataclass_fields__)


@pytest.mark.parametrize("kind", TAKEN)
def test_examples_are_of_their_kinds(kind: str, tmp_path: Path) -> None:
    """What follows is about the kinds that it says."""
    side = recognise(example(kind, tmp_path), "true")
    assert side.kind == kind
    assert cd.compare(side.data, side.data).score() == 1.0


@pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")
@cases("option", OPTIONS)
@cases("kind", TAKEN)
def test_an_option_is_taken_or_refused(kind: str, option: str, tmp_path: Path) -> None:
    """An option without a meaning is an error that names it, and the kinds of input that take it."""
    data, given = example(kind, tmp_path), {option: value(kind, option)}
    if option in TAKEN[kind]:
        given |= {"noise": 7} if option == "noise_as" else {}
        # Noise on one side alone is in no cluster there.
        assert cd.compare(data, data, **given).score() == (
            0.5 if option in ("noise_true", "noise_pred") else 1.0
        )
        return
    with pytest.raises(cd.ArgumentError) as caught:
        cd.compare(data, data, **given)
    assert f"`{option}` is for " in caught.value.message
    takers = [name for name, taken in TAKEN.items() if option in taken]
    told = caught.value.message.partition(";")[0]
    assert option == "singletons" or all(name in told for name in takers)
    assert caught.value.hint is not None


def test_what_becomes_of_noise_is_for_those_who_name_it(tmp_path: Path) -> None:
    """Nothing says which label is noise, so nothing could become of it: by any kind of input, and in every verb."""
    labels = np.array([0, 0, 1, 1])
    one = pl.DataFrame(TABLE)
    calls: list[Callable[[], object]] = [
        lambda: cd.compare_columns(one, true="cluster", pred="cluster", noise_as="cluster"),
        lambda: cd.matrix({"a": labels, "b": labels}, noise_as="drop"),
        lambda: cd.sweep(labels, [[0, 1, 1.0, 2], [2, 3, 1.0, 2], [4, 5, 2.0, 4]], noise_as="drop"),
        lambda: cd.scorer("ari", noise=None, noise_as="drop"),
        lambda: cd.rank(labels, {"a": labels}, noise_as="cluster"),
    ]
    for kind in (kind for kind, taken in TAKEN.items() if "noise_as" in taken):
        data = example(kind, tmp_path)
        calls.append(lambda data=data: cd.compare(data, data, noise_as="drop"))  # type: ignore[misc]
    for call in calls:
        with pytest.raises(
            cd.ArgumentError, match=r"`noise_as` says what becomes of noise, and nothing says"
        ):
            call()
    for said in (
        {"noise_true": 1},
        {"noise": set()},
    ):  # one side is enough, and labels that there are none of
        assert cd.compare(labels, labels, noise_as="cluster", **said).score() == 1.0


def test_every_option_is_refused_with_the_first_that_the_verbs_share(tmp_path: Path) -> None:
    """score, chance, rank and sweep hand their options on, and a nonsense value scores nowhere."""
    a, b = [0, 0, 1, 1], [0, 0, 1, 2]
    for call in (
        lambda: cd.score(a, b, budget="nonsense"),
        lambda: cd.chance(a, b, point="id"),
        lambda: cd.rank(a, {"b": b}, engine="duckdb"),
        lambda: cd.score(np.array(a), np.array(b), cluster="x"),
        lambda: cd.score(dict(enumerate(a)), dict(enumerate(b)), cluster="x"),
        lambda: cd.read(example("files of labels", tmp_path), point="id"),
        lambda: cd.read(example("files of labels", tmp_path), cluster="id"),
    ):
        with pytest.raises(cd.ArgumentError, match=r"is for .*; `(true|pred|path)` holds"):
            call()


def test_a_column_may_be_meant_for_one_side(tmp_path: Path) -> None:
    """What is said of both counts for the side that has columns; what is said of a side must have a meaning there."""
    frame, labels = pl.DataFrame(TABLE), dict(zip(POINTS, TABLE["cluster"], strict=True))
    assert cd.score(frame, labels, point="id", cluster="cluster") == 1.0
    assert cd.score(labels, frame, point=(None, "id")) == 1.0  # type: ignore[arg-type]
    with pytest.raises(cd.ArgumentError, match=r"`point` is for .*; `pred` holds sets or dicts"):
        cd.compare(frame, labels, point=("id", "name"))
    with pytest.raises(cd.ArgumentError, match="must be a column, or a pair"):
        cd.compare(frame, frame, point=("id", "id", "id"))  # type: ignore[arg-type]


def test_only_files_with_parts_have_a_cluster_to_name(tmp_path: Path) -> None:
    """An array by its name in .npz, and a field of documents; not the one array of an image."""
    tifffile = pytest.importorskip("tifffile")
    tifffile.imwrite(tmp_path / "a.tif", np.array([[0, 1], [1, 1]], dtype=np.uint8))
    with pytest.raises(cd.ArgumentError, match=r"`cluster` is for .*; `true` holds files of arrays"):
        cd.compare(tmp_path / "a.tif", tmp_path / "a.tif", cluster="x")


def test_a_budget_is_for_what_an_engine_groups(tmp_path: Path) -> None:
    """Where the points come into memory all the same, a budget would be ignored, and is refused."""
    frame, path = pl.DataFrame(TABLE), example("files of tables", tmp_path)
    with pytest.raises(cd.ArgumentError, match="`budget` has no meaning here"):
        cd.compare(frame, frame, budget="1GB", distances=1 - np.eye(4))
    with pytest.raises(cd.ArgumentError, match="`budget` has no meaning here"):
        cd.compare(
            frame.with_columns(pl.col("id").cast(pl.Categorical)), frame, budget="1GB", point=["id", "doc"]
        )
    with pytest.raises(cd.ArgumentError, match="`pred` holds sets or dicts"):
        cd.compare(frame, example("sets or dicts", tmp_path), budget="1GB")
    with pytest.raises(cd.ArgumentError, match="pass engine= as well"):
        cd.compare(path, path, budget="1GB")
    with pytest.raises(cd.ArgumentError, match="pass engine= as well"):
        cd.compare(path, path, budget="1GB", engine="memory")
    assert cd.compare(path, path, budget="1GB", engine="duckdb").score() == 1.0


def test_the_documents_have_the_same_table() -> None:
    """docs/points.md says what TAKEN says."""
    rows = re.findall(
        r"^\| (.+?) \|$", DOCUMENT.read_text(encoding="utf-8").partition("## Options")[2], re.MULTILINE
    )
    head, _, *lines = ([cell.strip() for cell in row.split("|")] for row in rows[: 2 + len(TAKEN)])
    columns = [re.findall(r"`(\w+)=`", cell) for cell in head[1:]]
    assert sorted(name for names in columns for name in names) == sorted(OPTIONS)
    told = {
        kind: {name for names, cell in zip(columns, cells, strict=True) if cell == "yes" for name in names}
        for kind, *cells in lines
    }
    assert told == TAKEN


def test_a_new_kind_of_input_is_one_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recipe of CONTRIBUTING.md, word for word: the verbs know it, with the options that it takes."""
    recipe = (
        (DOCUMENT.parents[1] / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("### A kind of input")[2]
    )
    code = re.search(r"```python\n(.*?)```", recipe, re.DOTALL)
    assert code is not None
    scope: dict[str, Any] = {"Input": Input, "POINTWISE": base.POINTWISE, "Any": Any}
    exec("from __future__ import annotations\n" + dedent("   " + code[1].lstrip()), scope)
    graph = nx.Graph()
    graph.add_nodes_from(
        [("a", {"cluster": 1, "old": 1}), ("b", {"cluster": 1, "old": 2}), ("c", {"cluster": 2, "old": 2})]
    )
    monkeypatch.setattr(choice, "KINDS", (scope["Graph"], *KINDS))
    truth = {"a": 5, "b": 5, "c": 6}
    assert cd.score(graph, truth) == cd.score(truth, graph) == 1.0
    assert cd.score(graph, truth, cluster="old") == cd.score({"a": 1, "b": 2, "c": 2}, truth) < 1
    assert cd.rank(truth, {"new": graph}, resamples=0).score("new") == 1.0
    with pytest.raises(cd.ArgumentError, match=r"`point` is for .*; `true` holds graphs"):
        cd.compare(graph, truth, point="id")
    with pytest.raises(cd.ArgumentError, match="`cluster` is for graphs, tables"):
        cd.compare(truth, truth, cluster="id")
