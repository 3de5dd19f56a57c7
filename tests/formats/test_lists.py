"""Lists of labels and clusters, JSON, label arrays and images, and pairs."""

from __future__ import annotations

import gzip
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tifffile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.formats.catalogue import FORMATS
from tests.cases import cases
from tests.formats.conftest import csv_text, run, write_parquet


def test_one_label_per_line(tmp_path: Path) -> None:
    """Any name but a known one: one label per line, an empty line being a point without a cluster."""
    (tmp_path / "labels").write_text("a\r\na\r\n\r\nb\r\n")
    found = cd.read(tmp_path / "labels")
    assert isinstance(found, cd.Clustering)
    assert found.labels.absent is not None
    assert found.labels.absent.tolist() == [False, False, True, False]
    (tmp_path / "labels.txt.gz").write_bytes(gzip.compress(b"a\na\nb\n"))
    assert cd.read(tmp_path / "labels.txt.gz") == cd.Clustering(["a", "a", "b"])
    (tmp_path / "spaced.txt").write_text("New York\nParis\n")
    assert cd.read(tmp_path / "spaced.txt", format="labels") == cd.Clustering(["New York", "Paris"])


def test_a_cluster_a_line(tmp_path: Path) -> None:
    """Points between tabs, or between blanks if there are no tabs; clusters are named after their lines."""
    (tmp_path / "out.mcl").write_text("a b\tc\n\nd\n")
    found = cd.read(tmp_path / "out.mcl")
    assert found.to_dict() == {"a b": 1, "c": 1, "d": 3}  # type: ignore[union-attr]
    (tmp_path / "blanks.txt").write_text("a b  c\nd\n")
    assert cd.read(tmp_path / "blanks.txt", format="clusters") == cd.Clustering([["a", "b", "c"], ["d"]])


def test_names_of_clusters_before_a_colon(tmp_path: Path) -> None:
    """As OrthoFinder's Orthogroups.txt has them: they are no points."""
    path = tmp_path / "Orthogroups.txt"
    path.write_text("OG0000000: g1 g2 sp|g:3\n\nOG0000001: g4\nOG0000002:\n")
    found = cd.read(path, format="clusters")
    assert found.to_dict() == {  # type: ignore[union-attr]
        "g1": "OG0000000", "g2": "OG0000000", "sp|g:3": "OG0000000", "g4": "OG0000001",
    }  # fmt: skip
    path.write_text("OG1:\tg1\tg 2\nOG2:\tg3\n")
    assert cd.read(path, format="clusters") == cd.Clustering([["g1", "g 2"], ["g3"]])
    path.write_text("a: b\nc d\n")  # not every line has a name: a point ends in a colon
    assert cd.read(path, format="clusters") == cd.Clustering([["a:", "b"], ["c", "d"]])
    path.write_text("OG1: a\nOG1: b\n")
    with pytest.raises(cd.FileError, match="line 2: the cluster 'OG1' is listed twice"):
        cd.read(path, format="clusters")


@pytest.mark.parametrize(
    "data",
    [
        {"x": ["a", "b"], "y": ["c"]},
        {"a": "x", "b": "x", "c": "y"},
        [["a", "b"], ["c"]],
    ],
)
def test_json_in_three_shapes(tmp_path: Path, data: Any) -> None:
    """Cluster → points, point → cluster, and a list of clusters."""
    (tmp_path / "t.json").write_text(json.dumps(data))
    assert cd.read(tmp_path / "t.json") == cd.Clustering([["a", "b"], ["c"]])


def test_label_arrays(tmp_path: Path) -> None:
    """A .npy file of any shape, and an array of a .npz file."""
    labels = np.array([[1, 1], [2, 3]])
    np.save(tmp_path / "t.npy", labels)
    np.savez(tmp_path / "t.npz", gold=labels, system=labels.T)
    np.savez(tmp_path / "one.npz", labels)
    assert cd.read(tmp_path / "t.npy") == cd.Clustering([1, 1, 2, 3])
    assert cd.read(tmp_path / "one.npz") == cd.Clustering([1, 1, 2, 3])
    assert cd.read(tmp_path / "t.npz", cluster="system") == cd.Clustering([1, 2, 1, 3])
    with pytest.raises(cd.FileError, match="holds 2 arrays: 'gold', 'system'"):
        cd.read(tmp_path / "t.npz")
    with pytest.raises(cd.FileError, match="has no array 'gould'; it has 'gold', 'system'") as caught:
        cd.read(tmp_path / "t.npz", cluster="gould")
    assert caught.value.hint == "did you mean 'gold'?"
    result = run("compare", f"{tmp_path}/t.npz:gold", f"{tmp_path}/t.npz:gold", "--json")
    assert '"S_H": 1.0' in result.stdout


def test_pickles_are_not_opened(tmp_path: Path) -> None:
    """An array of objects could run code when it is read."""
    np.save(tmp_path / "t.npy", np.array([{1}, {2}], dtype=object), allow_pickle=True)
    with pytest.raises(cd.FileError, match="it holds pickled objects, which could run code"):
        cd.read(tmp_path / "t.npy")


@pytest.mark.parametrize("suffix", [".npy", ".tif"])
def test_images_with_a_label_to_ignore(tmp_path: Path, suffix: str) -> None:
    """Pixels whose true label is the ignored one are left out, and the signature says how many."""
    true = np.array([[0, 1, 1], [0, 2, 2]], dtype=np.uint16)
    pred = np.array([[5, 1, 1], [1, 0, 2]], dtype=np.uint16)
    for name, image in (("true", true), ("pred", pred)):
        (np.save if suffix == ".npy" else tifffile.imwrite)(tmp_path / f"{name}{suffix}", image)
    result = run("compare", tmp_path / f"true{suffix}", tmp_path / f"pred{suffix}", "--ignore", 0, "--json")
    data = json.loads(result.stdout)
    assert data["n"] == 4
    assert data["scores"]["S_H"] == cd.score(true[true > 0], pred[true > 0])
    assert "missing:drop(2)" in data["signature"]


def test_images_must_have_the_same_shape(tmp_path: Path) -> None:
    """The same number of pixels is not enough."""
    np.save(tmp_path / "t.npy", np.zeros((2, 3), dtype=int))
    np.save(tmp_path / "p.npy", np.zeros((3, 2), dtype=int))
    with pytest.raises(cd.FileError, match=r"must have the same shape; got \(2, 3\) and \(3, 2\)"):
        cd.compare(tmp_path / "t.npy", tmp_path / "p.npy")


def connected(pairs: list[tuple[str, str]], points: set[str]) -> cd.Clustering:
    """Connected components the slow, obvious way."""
    clusters = [{point} for point in points]
    for a, b in pairs:
        first, second = (next(c for c in clusters if x in c) for x in (a, b))
        if first is not second:
            clusters.remove(second)
            first |= second
    return cd.Clustering(clusters)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"), st.sampled_from([0.1, 0.5, 0.9])),
        min_size=1,
    ),
    st.sampled_from([None, 0.0, 0.5, 0.95]),
)
def test_pairs_become_connected_components(tmp_path: Path, pairs: Any, threshold: float | None) -> None:
    """Pairs that count connect; a point none of whose pairs counts stands alone."""
    rows = [{"left": a, "right": b, "score": s} for a, b, s in pairs]
    (tmp_path / "pairs.csv").write_text(csv_text(rows))
    found = cd.read(tmp_path / "pairs.csv", pairs=True, threshold=threshold)
    counted = [(a, b) for a, b, s in pairs if threshold is None or s >= threshold]
    assert found == connected(counted, {x for a, b, _ in pairs for x in (a, b)})


def test_pairs_on_the_command_line(tmp_path: Path) -> None:
    """--pairs and --threshold are for PRED; records of no pair are missing there."""
    (tmp_path / "gold.csv").write_text("id,cluster\n1,x\n2,x\n3,x\n4,y\n5,z\n")
    rows: Any = [
        {"unique_id_l": 1, "unique_id_r": 2, "match_probability": 0.99, "city_l": "?"},
        {"unique_id_l": 2, "unique_id_r": 3, "match_probability": 0.9, "city_l": "?"},
        {"unique_id_l": 3, "unique_id_r": 4, "match_probability": 0.2, "city_l": "?"},
    ]
    write_parquet(rows, tmp_path / "pairs.parquet")
    arguments = ("compare", tmp_path / "gold.csv", tmp_path / "pairs.parquet", "--pairs")
    assert "PRED lacks 1 of the 5 points of TRUE: '5'." in run(*arguments).stderr
    result = run(*arguments, "--threshold", 0.5, "--missing", "singleton", "--json")
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["scores"]["S_H"] == 1.0
    assert "pairs of 'unique_id_l' and 'unique_id_r', score 'match_probability'" in result.stderr
    merged = run(*arguments, "--missing", "singleton", "--json")
    assert json.loads(merged.stdout)["kinds"]["merge"] == 1


def test_pairs_have_to_be_plain(tmp_path: Path) -> None:
    """Ends that are not known by their names are told, and must be there."""
    path = tmp_path / "p.csv"
    path.write_text("x,y,z,w\na,b,c,0.5\n")
    with pytest.raises(cd.FileError, match="not clear which are the ends of a pair"):
        cd.read(path, pairs=True)
    assert cd.read(path, pairs=True, point="x,z") == cd.Clustering([["a", "c"]])
    assert cd.read(path, pairs=True, point="x,z,w", threshold=0.6) == cd.Clustering([["a"], ["c"]])
    with pytest.raises(cd.FileError, match="has no column of scores for a threshold"):
        cd.read(path, pairs=True, point="x,z", threshold=0.6)
    with pytest.raises(cd.ArgumentError, match="must name the two ends of a pair"):
        cd.read(path, pairs=True, point="x")
    path.write_text("left,right\na,b\n,c\n")
    with pytest.raises(cd.FileError, match="1 pair without both ends"):
        cd.read(path, pairs=True)
    path.write_text("left,right,score\na,b,high\n")
    with pytest.raises(cd.FileError, match="'high' in the column 'score' is not a number"):
        cd.read(path, pairs=True, threshold=0.5)


@pytest.mark.parametrize(
    ("column", "values", "held"),
    [
        ("is_match", ("1", "0"), "0 and 1"),
        ("verdict", ("match", "no match"), "match and no match"),
        ("verdict", ("no match", "no match"), "no match"),
        ("label", ("match", "distinct"), "distinct and match"),
        ("Match", ("True", "False"), "False and True"),
        ("clerical_match_score", ("1.0", "0.3"), "0.3 and 1.0"),
        ("label", ("0", "0"), "0"),
        ("decision", ("1", "0"), "0 and 1"),
        ("reviewed", ("Match", "Not a match"), "Match and Not a match"),
        ("reviewed", ("unsure", "unsure"), "unsure"),
    ],
)
def test_judged_pairs_are_not_links(tmp_path: Path, column: str, values: tuple[str, str], held: str) -> None:
    """A column says that some pairs are no links: reading them as links would merge what was judged apart."""
    path = tmp_path / "labels.csv"
    path.write_text(f"unique_id_l,unique_id_r,{column}\na,b,{values[0]}\nb,c,{values[1]}\n")
    with pytest.raises(
        cd.FileError, match=f"the column '{column}' holds {held}, so not every pair is a link"
    ):
        cd.read(path, pairs=True)
    with pytest.raises(cd.FileError, match=f"the column '{column}'"):
        cd.read(path, pairs=True, point="unique_id_l,unique_id_r")
    (tmp_path / "scored.csv").write_text(
        f"unique_id_l,unique_id_r,score,{column}\na,b,0.9,{values[0]}\nb,c,0.8,{values[1]}\n"
    )
    with pytest.raises(cd.FileError, match=f"the column '{column}'"):
        cd.read(tmp_path / "scored.csv", pairs=True, threshold=0.5)
    named = "unique_id_l,unique_id_r,score"
    assert cd.read(tmp_path / "scored.csv", pairs=True, threshold=0.85, point=named) == cd.Clustering(
        [["a", "b"], ["c"]]
    )


def test_three_verdicts_are_two_too_many(tmp_path: Path) -> None:
    """A label may be of many values, but not if these are verdicts."""
    path = tmp_path / "labels.csv"
    path.write_text("left,right,label\na,b,match\nb,c,no match\nd,e,unsure\n")
    with pytest.raises(
        cd.FileError, match="holds match and no match and unsure, so not every pair is a link"
    ):
        cd.read(path, pairs=True)


def test_columns_that_judge_nothing(tmp_path: Path) -> None:
    """Matches alone are links, and a label with many values is something else."""
    path = tmp_path / "labels.csv"
    path.write_text(
        "left,right,is_match,label,same_town,kind\na,b,1,x,1,match\nb,c,1,y,0,match\nd,e,1,z,1,other\n"
    )
    assert cd.read(path, pairs=True) == cd.Clustering([["a", "b", "c"], ["d", "e"]])


def test_true_pairs_have_a_threshold(tmp_path: Path) -> None:
    """--threshold is for the scores of TRUE if TRUE alone is pairs, and for those of PRED if both are."""
    (tmp_path / "pred.csv").write_text("id,cluster\na,1\nb,1\nc,2\n")
    (tmp_path / "true.csv").write_text("unique_id_l,unique_id_r,clerical_match_score\na,b,1\nb,c,0\n")
    given = ("compare", tmp_path / "true.csv", tmp_path / "pred.csv", "--true-pairs", "--json")
    assert "the column 'clerical_match_score' holds 0 and 1" in run(*given).stderr
    result = run(*given, "--threshold", 0.5)
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["scores"]["S_H"] == 1.0
    (tmp_path / "links.csv").write_text("left,right\na,b\nb,c\n")
    (tmp_path / "scored.csv").write_text("left,right,score\na,b,0.9\nb,c,0.7\n")
    both = run("compare", tmp_path / "links.csv", tmp_path / "scored.csv", "--true-pairs", "--pairs", "--threshold",
               0.8, "--json")  # fmt: skip
    assert json.loads(both.stdout)["kinds"]["split"] == 1


@cases("name", FORMATS)
def test_a_format_has_a_reader(name: str) -> None:
    """Each entry of the catalogue names a function of `formats`; tables are read by DuckDB instead."""
    entry = FORMATS[name]
    module, _, function = entry.reader.partition(":")
    if entry.holds == "table":
        assert not entry.reader
    else:
        assert callable(getattr(import_module(f"clusterdiff.formats.{module}"), function))
