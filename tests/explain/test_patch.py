"""A patch turns pred into true, on paper and in fact, or is refused whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from tests.conftest import label_pairs, random_pair

TRUE = {"a": "A", "b": "A", "c": "A", "d": "B", "e": "C"}
PRED = {"a": "x", "b": "x", "c": "y", "d": "y", "e": "z"}


@given(label_pairs(), st.sampled_from(["numbers", "words", "tuples"]))
def test_applying_the_whole_patch_gives_back_the_true_clustering(
    pair: tuple[list[int], list[int]], kind: str
) -> None:
    """For every pair of clusterings, whatever clusters are called; and an untouched cluster keeps its name."""
    name = {"numbers": int, "words": lambda c: f"c{c}", "tuples": lambda c: (c, c)}[kind]
    true, pred = pair[0], [name(c) for c in pair[1]]
    diff = cd.compare(true, pred)
    patch = diff.patch()
    fixed = patch.apply(pred)
    assert fixed == cd.Clustering(true)
    kept = {name for event in diff.events if event.kind in ("same", "renamed") for name in event.new}
    assert kept <= set(fixed.names.tolist())
    if kind != "tuples":
        assert cd.Patch.from_dict(json.loads(patch.to_json())).apply(pred) == cd.Clustering(true)


def test_clusters_that_continue_keep_their_names() -> None:
    """After the patch, a predicted cluster that continues a true one holds exactly that one's points."""
    true, pred = random_pair(400, 60, seed=2)
    diff = cd.compare(dict(enumerate(true.tolist())), dict(enumerate(pred.tolist())))
    fixed = diff.patch().apply(dict(enumerate(pred.tolist()))).to_dict()
    found, meet = diff.succession, diff.meet
    members = {
        meet.true_names[i]: meet.pred_names[j] for i, j in enumerate(found.continuation.tolist()) if j >= 0
    }
    kept = [point for point, label in enumerate(true.tolist()) if label in members]
    assert len(kept) > 300
    assert {point: fixed[point] for point in kept} == {point: members[true[point]] for point in kept}


def test_a_patch_reads_like_the_documented_format() -> None:
    """The file's exact form: what leaves a cluster is listed, what stays is not; sizes guard against misuse."""
    patch = cd.compare(TRUE, PRED).patch()
    assert json.loads(patch.to_json()) == {
        "format": "clusterdiff patch",
        "version": 1,
        "points": 5,
        "operations": [
            {"operation": "split", "cluster": "y", "size": 2, "parts": [{"cluster": "y.2", "points": ["c"]}]},
            {"operation": "merge", "clusters": ["x", "y.2"], "sizes": [2, 1], "into": "x"},
        ],
    }
    assert str(patch) == "split 'y'\nmerge 'x', 'y.2'"
    assert str(cd.compare(TRUE, TRUE).patch()) == "nothing to change"


def test_a_patch_survives_a_file(tmp_path: Path) -> None:
    """Written and read again it is the same, whatever the labels hold."""
    hostile = [
        "</script>",
        '"',
        "\U0001f468‍\U0001f469",
        "אב",
        "x" * 10_000,
        "\x00\x1b",
        "=cmd()",
        "\ud800",
        "\u2028",
    ]
    true = {f"{label}{i}": label for label in hostile for i in range(2)}
    pred = {point: hostile[i % len(hostile)] for i, point in enumerate(true)}
    patch = cd.compare(true, pred).patch()
    patch.write(tmp_path / "fix.json")
    again = cd.Patch.read(tmp_path / "fix.json")
    assert again == patch
    assert again.apply(pred) == cd.Clustering(true)
    assert [file.name for file in tmp_path.iterdir()] == ["fix.json"]


def operations(*entries: dict[str, Any]) -> cd.Patch:
    return cd.Patch.from_dict(
        {"format": "clusterdiff patch", "version": 1, "points": 5, "operations": list(entries)}
    )


SPLIT = {"operation": "split", "cluster": "y", "size": 2, "parts": [{"cluster": "w", "points": ["c"]}]}
MERGE = {"operation": "merge", "clusters": ["x", "z"], "sizes": [2, 1], "into": "x"}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (SPLIT | {"cluster": "q"}, "there is no cluster 'q'"),
        (SPLIT | {"size": 3}, "cluster 'y' has 2 points; the patch expects 3"),
        (SPLIT | {"parts": [{"cluster": "x", "points": ["c"]}]}, "there is a cluster 'x' already"),
        (SPLIT | {"parts": [{"cluster": "w", "points": ["a"]}]}, "point 'a' is not in cluster 'y'"),
        (SPLIT | {"parts": [{"cluster": "w", "points": ["nobody"]}]}, "there is no point 'nobody'"),
        (SPLIT | {"parts": [{"cluster": "w", "points": ["c", "c"]}]}, "point 'c' is not in cluster 'y'"),
        (SPLIT | {"parts": [{"cluster": "w", "points": ["c", "d"]}]}, "no point is left in cluster 'y'"),
        (MERGE | {"clusters": ["x", "q"]}, "there is no cluster 'q'"),
        (MERGE | {"sizes": [2, 2]}, "cluster 'z' has 1 point; the patch expects 2"),
        (MERGE | {"clusters": ["x", "x"], "sizes": [2, 2]}, "a merge needs at least two clusters"),
        (MERGE | {"clusters": ["x"], "sizes": [2]}, "a merge needs at least two clusters"),
        (MERGE | {"into": "y"}, "there is a cluster 'y' already"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_whole(bad: dict[str, Any], message: str) -> None:
    """The first operation that fails is named, and the clustering is as it was."""
    pred = dict(PRED)
    good = {"operation": "merge", "clusters": ["x", "y"], "sizes": [2, 2], "into": "xy"}
    with pytest.raises(cd.PatchError, match=rf"operation 1 of 2 .*{message}"):
        operations(bad, good).apply(pred)
    assert pred == PRED


def test_the_failing_operation_is_counted_from_one() -> None:
    """A later operation sees what the earlier ones did."""
    assert operations(SPLIT, MERGE).apply(PRED) == cd.Clustering([{"a", "b", "e"}, {"c"}, {"d"}])
    with pytest.raises(
        cd.PatchError, match=r"operation 3 of 3 \(split 'y'\) does not fit: cluster 'y' has 1 point"
    ):
        operations(SPLIT, MERGE, SPLIT).apply(PRED)
    again = {
        "operation": "split",
        "cluster": "x",
        "size": 3,
        "parts": [{"cluster": "v", "points": ["e", "a"]}],
    }
    assert operations(SPLIT, MERGE, again).apply(PRED) == cd.Clustering([{"b"}, {"a", "e"}, {"c"}, {"d"}])


def test_a_patch_for_other_points_is_refused() -> None:
    """The number of points is checked before anything else."""
    with pytest.raises(cd.PatchError, match="the patch is for 5 points; the clustering has 2"):
        operations(SPLIT).apply([0, 1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "\"format\" must be 'clusterdiff patch'"),
        (
            {"format": "clusterdiff patch", "version": 2},
            "version 2 of the patch format; this release knows 1",
        ),
        ({"format": "clusterdiff patch", "version": 1, "points": 5}, 'must have "points"'),
        ({"format": "clusterdiff patch", "version": 1, "points": 0, "operations": []}, 'must have "points"'),
    ],
)
def test_what_is_not_a_patch_is_refused(data: object, message: str) -> None:
    """The header is checked."""
    with pytest.raises(cd.PatchError, match=message):
        cd.Patch.from_dict(data)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("split", 'operation 1 of the patch must be a "split" or a "merge"; got None'),
        ({"operation": "explode"}, "got 'explode'"),
        (SPLIT | {"parts": []}, r"operation 1 of the patch \(split\) must have"),
        (SPLIT | {"parts": [{"cluster": "w", "points": []}]}, r"\(split\) must have"),
        (SPLIT | {"size": True}, r"\(split\) must have"),
        (SPLIT | {"cluster": ["y"]}, r"\(split\) must have"),
        (MERGE | {"sizes": [1]}, r"\(merge\) must have"),
        (MERGE | {"into": None}, r"\(merge\) must have"),
    ],
)
def test_malformed_operations_are_refused(entry: Any, message: str) -> None:
    """Every field is checked before anything is applied."""
    with pytest.raises(cd.PatchError, match=message):
        operations(entry)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1, column 2: Expecting property name"),
        (b"\xff\xfe", "is not UTF-8 text"),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"points": %b}' % (b"9" * 5000), "a number of more than 4,300 digits"),
    ],
)
def test_unreadable_files_are_refused(content: bytes, message: str, tmp_path: Path) -> None:
    """A message names the file and what is wrong with it."""
    path = tmp_path / "fix.json"
    path.write_bytes(content)
    with pytest.raises((cd.FileError, cd.PatchError), match=message):
        cd.Patch.read(path)
    with pytest.raises(cd.FileError, match="does not exist"):
        cd.Patch.read(tmp_path / "none.json")


def test_labels_that_json_cannot_hold_are_refused_only_on_file() -> None:
    """Tuples and the like work in memory."""
    patch = cd.compare([0, 0], [(1,), (2,)]).patch()
    assert patch.apply([(1,), (2,)]) == cd.Clustering([0, 0])
    dates = np.array(["2020-01-01", "2020-01-02"], dtype="datetime64[D]").tolist()
    with pytest.raises(cd.PatchError, match="cannot be written as JSON"):
        cd.compare([0, 0], dates).patch().to_json()


def test_writing_where_nothing_can_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    """A missing folder is an error that names the file."""
    with pytest.raises(cd.FileError, match="cannot be written"):
        cd.compare(TRUE, PRED).patch().write(tmp_path / "none" / "fix.json")
    assert list(tmp_path.iterdir()) == []


def test_points_of_one_name_cannot_be_patched() -> None:
    """Two series of one index are compared row by row, but a patch would move all rows of a name."""
    names = ["a", "a", "b", "b", "c", "c", "d", "d", "e", "e", "f", "f", "g"]
    diff = cd.compare(pd.Series([0] * 6 + [1] * 7, names), pd.Series([0, 1] * 6 + [1], names))
    with pytest.raises(
        cd.PatchError, match="names points, and 6 names repeated: 'a', 'b', 'c', 'd', 'e' and 1 more"
    ):
        diff.patch()
