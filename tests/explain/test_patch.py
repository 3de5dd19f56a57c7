"""A patch turns pred into true, on paper and in fact, or is refused whole."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from tests.cases import cases
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
    """The file's exact form: what leaves a cluster is listed, what stays is not; digests guard against misuse."""
    patch = cd.compare(TRUE, PRED).patch()
    assert json.loads(patch.to_json()) == {
        "format": "clusterdiff patch",
        "version": 2,
        "operations": [
            {"split": {"member": "c", "size": 2, "digest": "56a09ea07553e4a0"}, "off": [["d"]]},
            {
                "merge": [
                    {"member": "a", "size": 2, "digest": "3554d2b8a1e34099"},
                    {"member": "c", "size": 1, "digest": "fd2079a3096d5abb"},
                ]
            },
        ],
    }
    assert str(patch).splitlines() == [
        "split the cluster of c (2 points): off d",
        "merge the cluster of a (2 points) and the cluster of c (1 point)",
    ]
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
    return cd.Patch.from_dict({"format": "clusterdiff patch", "version": 2, "operations": list(entries)})


def named(*points: str) -> dict[str, Any]:
    """A cluster as a file names it, written from the definition."""
    text = json.dumps(sorted(points))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"member": min(points), "size": len(points), "digest": digest}


SPLIT = {"split": named("c", "d"), "off": [["c"]]}
MERGE = {"merge": [named("a", "b"), named("e")]}
ADD = {"add": ["f"], "to": named("e")}
REMOVE = {"remove": ["e"]}


@cases(
    ("bad", "message"),
    [
        (SPLIT | {"split": named("q", "r")}, "there is no point 'q'"),
        (SPLIT | {"split": named("c", "d", "e")}, "the cluster of 'c' has 2 points; the patch expects 3"),
        (SPLIT | {"split": named("c", "e")}, "the cluster of 'c' has other points than the patch expects"),
        (SPLIT | {"off": [["a"]]}, "the parts must be different points of the cluster"),
        (SPLIT | {"off": [["nobody"]]}, "there is no point 'nobody'"),
        (SPLIT | {"off": [["c", "c"]]}, "the parts must be different points of the cluster"),
        (SPLIT | {"off": [["c", "d"]]}, "and leave some of them"),
        ({"merge": [named("a", "b"), named("q")]}, "there is no point 'q'"),
        ({"merge": [named("a", "b"), named("a", "b")]}, "it names a cluster twice"),
        (ADD | {"add": ["a"]}, "the points are there already: 'a'"),
        (ADD | {"add": ["f", "f"]}, "the points are there already"),
        (ADD | {"to": named("e", "f")}, "the cluster of 'e' has 1 point; the patch expects 2"),
        ({"remove": ["nobody"]}, "there is no point 'nobody'"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused_whole(bad: dict[str, Any], message: str) -> None:
    """The first operation that fails is named, and the clustering is as it was; others can be carried out alone."""
    pred = dict(PRED)
    good = {"merge": [named("a", "b"), named("c", "d")]}
    with pytest.raises(cd.PatchError, match=rf"operation 1 of 2 .*{message}"):
        operations(bad, good).apply(pred)
    assert pred == PRED
    patch = operations(bad, good)
    assert patch.apply(pred, skip_stale=True) == cd.Clustering([{"a", "b", "c", "d"}, {"e"}])
    assert patch.stale(pred) == [patch.operations[0]]


def test_a_later_operation_sees_what_the_earlier_ones_did() -> None:
    """The failing operation is counted from one."""
    done = operations(SPLIT, MERGE, ADD | {"to": named("a", "b", "e")}, {"remove": ["c"]})
    assert done.apply(PRED) == cd.Clustering([{"a", "b", "e", "f"}, {"d"}])
    with pytest.raises(cd.PatchError, match=r"operation 3 of 3 \(split .*\) does not fit: .* has 1 point"):
        operations(SPLIT, MERGE, SPLIT).apply(PRED)
    assert operations(REMOVE, ADD | {"add": ["e"], "to": None}).apply(PRED) == cd.Clustering(PRED)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "\"format\" must be 'clusterdiff patch'"),
        (
            {"format": "clusterdiff patch", "version": 1},
            "version 1 of the patch format; this release knows 2",
        ),
        ({"format": "clusterdiff patch", "version": 2}, 'must have "operations"'),
    ],
)
def test_what_is_not_a_patch_is_refused(data: object, message: str) -> None:
    """The header is checked."""
    with pytest.raises(cd.PatchError, match=message):
        cd.Patch.from_dict(data)


@cases(
    ("entry", "message"),
    [
        ("split", 'operation 1 of the patch must be a "remove", "split", "merge" or "add"; got'),
        ({"operation": "explode"}, "explode"),
        (SPLIT | {"off": []}, r"operation 1 of the patch \(split\) must have"),
        (SPLIT | {"off": [[]]}, r"\(split\) must have"),
        (SPLIT | {"split": named("c", "d") | {"size": True}}, r"\(split\) must have"),
        (SPLIT | {"split": ["c"]}, r"\(split\) must have"),
        ({"merge": [named("a", "b")]}, r"\(merge\) must have"),
        ({"merge": [named("a", "b"), None]}, r"\(merge\) must have"),
        ({"add": ["f"]}, r"\(add\) must have"),
        (ADD | {"to": 7}, r"\(add\) must have"),
        ({"remove": [7]}, r"\(remove\) must have"),
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


def test_points_are_named_by_their_text() -> None:
    """A patch made on whole numbers fits text, and the other way round; two points of one text are refused."""
    numbers, texts = {1: "x", 10: "x", 2: "y"}, {"1": "x", "10": "x", "2": "y"}
    patch = cd.patch(numbers, {1: "x", 10: "y", 2: "y"})
    assert patch.apply(texts) == cd.Clustering([{"1"}, {"10", "2"}])
    assert cd.patch(texts, {"1": 0, "10": 1, "2": 1}) == patch
    with pytest.raises(cd.PatchError, match="several are written"):
        cd.patch({("a", 1): 0, ("a", "1"): 0}, {("a", 1): 0, ("a", "1"): 1})


#: A clustering of some of seven points.
CLUSTERINGS = st.dictionaries(st.integers(0, 6), st.integers(0, 3), min_size=1)


@given(CLUSTERINGS, CLUSTERINGS, st.permutations(range(4)))
def test_a_patch_turns_one_clustering_into_another_whatever_they_are_called(
    before: dict[int, int], after: dict[int, int], to: list[int]
) -> None:
    """Also renumbered, in another order and beside other points; its inverse leads back, and sums do both."""
    patch = cd.patch(before, after)
    assert patch.apply(before) == cd.Clustering(after)
    renumbered = {point: to[cluster] for point, cluster in reversed(before.items())}
    assert cd.patch(renumbered, after) == patch
    beside = renumbered | {100: 9, 101: 9}
    assert patch.apply(beside) == cd.Clustering(after | {100: 9, 101: 9})
    assert patch.inverse(before).apply(after) == cd.Clustering(before)
    assert (patch + patch.inverse(before)).apply(before) == cd.Clustering(before)
    assert len(cd.patch(before, renumbered)) == 0


@given(CLUSTERINGS, CLUSTERINGS, CLUSTERINGS)
def test_a_patch_changes_what_it_was_made_for_or_is_refused(
    before: dict[int, int], after: dict[int, int], other: dict[int, int]
) -> None:
    """On any other clustering each operation that is carried out names clusters that have just these points."""
    patch = cd.patch(before, after)
    stale = patch.stale(other)
    if stale:
        with pytest.raises(cd.PatchError, match="does not fit"):
            patch.apply(other)
    else:
        found = {frozenset(cluster) for cluster in patch.apply(other)}
        touched = {frozenset(c) for c in cd.Clustering(after)} - {frozenset(c) for c in cd.Clustering(before)}
        named_by_add_alone = all(len(cluster) and cluster <= set().union(*found) for cluster in touched)
        assert touched <= found or named_by_add_alone


@pytest.mark.parametrize(
    ("missing", "wanted"),
    [
        ("drop", [{"a", "x"}, {"b", "c"}, {"y"}]),
        ("lost", [{"a"}, {"b", "c"}, {"d"}]),
        ("singleton", [{"a"}, {"b", "c"}, {"d"}, {"x"}, {"y"}]),
    ],
)
def test_a_truth_that_is_a_sample_patches_the_whole_run(missing: Any, wanted: list[set[str]]) -> None:
    """Points that one side lacks stay, come and go, or become single, as the policy says."""
    true = {"a": 1, "b": 2, "c": 2, "d": 3}
    run = {"a": 5, "x": 5, "b": 5, "c": 6, "y": 7}
    diff = cd.compare(true, run, missing=missing)
    assert diff.patch().apply(run) == cd.Clustering(wanted)


def test_noise_is_in_no_cluster_that_a_patch_could_name() -> None:
    """As a cluster it can be patched."""
    with pytest.raises(cd.ArgumentError, match="where noise is in none: 2 points"):
        cd.compare([0, 0, 1, 1], [0, 0, -1, -1], noise=-1).patch()
    patch = cd.compare([0, 0, 1, 2], [0, 0, -1, -1], noise=-1, noise_as="cluster").patch()
    assert patch.apply([0, 0, -1, -1]) == cd.Clustering([0, 0, 1, 2])


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
