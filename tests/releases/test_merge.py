"""Three-way merges: every flip of either side is in the result, or in a listed conflict."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli.main import main
from clusterdiff.releases.regions import CHAIN, CLASH, MERGED, Regions
from tests.cases import cases
from tests.conftest import clusterings
from tests.releases import oracle

SIDES = ("base", "ours", "theirs")
#: Some of seven points in up to four clusters.
CLUSTERINGS = st.dictionaries(st.integers(0, 6), st.integers(0, 3), min_size=1)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_regions_of_all_triples_of_five_points_are_those_of_the_pairs() -> None:
    """All 52³ triples at once, each with points of its own; the pairs are looked at as arrays."""
    every = np.array(list(clusterings(5)))
    triples = np.array(list(product(range(len(every)), repeat=3)))
    b, o, t = (every[triples[:, side]] for side in range(3))
    start = 5 * np.arange(len(triples))[:, None]
    found = Regions(*((side + start).ravel() for side in (b, o, t)))
    of_point = found.of_point.reshape(-1, 5)
    wanted = np.zeros((len(triples), 5, 5), dtype=bool)
    linked = np.zeros_like(wanted)
    same = np.zeros_like(wanted)
    for i, j in product(range(5), repeat=2):
        was, by_o, by_t = (side[:, i] == side[:, j] for side in (b, o, t))
        wanted[:, i, j] = was ^ ((by_o != was) | (by_t != was))
        linked[:, i, j] = wanted[:, i, j] & ~was | (was & by_o & by_t)
        same[:, i, j] = was
    for _ in range(3):  # paths of up to eight links
        linked = np.einsum("nij,njk->nik", linked.astype(np.int8), linked.astype(np.int8)) > 0
    assert ((of_point[:, :, None] == of_point[:, None, :]) == linked).all()
    apart = linked & ~wanted
    clash, chain = (apart & same).any(axis=2), apart.any(axis=2)
    clash = (linked & clash[:, None, :]).any(axis=2)
    chain = (linked & chain[:, None, :]).any(axis=2)
    kind = np.where(clash, CLASH, np.where(chain, CHAIN, MERGED))
    assert (found.kind[of_point] == kind).all()
    assert len(triples) == 140_608


@given(CLUSTERINGS, CLUSTERINGS, CLUSTERINGS)
def test_every_flip_is_in_the_result_or_in_a_listed_conflict(
    base: dict[int, int], ours: dict[int, int], theirs: dict[int, int]
) -> None:
    """Outside conflicts each pair is what base had, unless a side flipped it."""
    found = cd.merge(base, ours, theirs, prefer="ours")
    merged = found.clustering.to_dict()
    disputed = {point for conflict in found.conflicts for point in conflict.points}
    removed = {point for c in found.conflicts if c.kind == "removed" for point in c.points}
    assert oracle.inside(base, ours, theirs) <= merged.keys() | removed
    for one, other in combinations(sorted(merged.keys() - disputed), 2):
        assert (merged[one] == merged[other]) == oracle.wanted(base, ours, theirs, one, other)
    regions = {
        frozenset(region): oracle.kind(base, ours, theirs, region)
        for region in oracle.regions(base, ours, theirs)
    }
    told = {frozenset(c.points): c.kind for c in found.conflicts if c.kind != "removed"}
    assert told == {region: kind for region, kind in regions.items() if kind != "merged"}


@given(CLUSTERINGS, CLUSTERINGS, CLUSTERINGS)
def test_laws(base: dict[int, int], ours: dict[int, int], theirs: dict[int, int]) -> None:
    """One side alone is taken, both alike are taken once, sides can be exchanged, merging again changes nothing."""
    assert cd.merge(base, base, theirs).clustering == cd.Clustering(theirs)
    assert cd.merge(base, ours, base).clustering == cd.Clustering(ours)
    assert cd.merge(base, ours, ours).clustering == cd.Clustering(ours)
    one, other = cd.merge(base, ours, theirs), cd.merge(base, theirs, ours)
    assert [(c.kind, sorted(c.points)) for c in one.conflicts if c.kind != "removed"] == [
        (c.kind, sorted(c.points)) for c in other.conflicts if c.kind != "removed"
    ] or {frozenset(c.points) for c in one.conflicts} == {frozenset(c.points) for c in other.conflicts}
    if not one.conflicts:
        assert one.clustering == other.clustering
        again = cd.merge(base, one.clustering, theirs)
        assert again.clustering == one.clustering
    else:
        with pytest.raises(cd.ConflictError, match="the two sides conflict"):
            one.clustering  # noqa: B018


@given(CLUSTERINGS, CLUSTERINGS, CLUSTERINGS)
def test_conflicts_can_be_decided(base: dict[int, int], ours: dict[int, int], theirs: dict[int, int]) -> None:
    """Given back with a side each, or with the clusters of a side, they come to what preferring that side does."""
    found = cd.merge(base, ours, theirs)
    for side in SIDES:
        wanted = cd.merge(base, ours, theirs, prefer=side).clustering  # type: ignore[arg-type]
        told = json.loads(json.dumps(found.to_dict()))
        for conflict in told["conflicts"]:
            conflict["decision"] = side
        assert cd.merge(base, ours, theirs, decisions=told).clustering == wanted
        for conflict in told["conflicts"]:
            if conflict["kind"] != "removed":
                listed = {p for part in conflict[side] for p in part}
                conflict["decision"] = [
                    *conflict[side],
                    *([p] for p in conflict["points"] if p not in listed),
                ]
        assert cd.merge(base, ours, theirs, decisions=told).clustering == wanted


def test_a_chain_can_be_merged_and_is_still_listed() -> None:
    """It keeps what both sides did."""
    base, ours, theirs = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 3}, {"a": 1, "b": 3, "c": 3}
    found = cd.merge(base, ours, theirs, chain="merge")
    assert [c.kind for c in found.conflicts] == ["chain"]
    assert found.clustering == cd.Clustering([{"a", "b", "c"}])
    assert str(found.conflicts[0]).splitlines()[1:] == [
        "  base    {a} {b} {c}",
        "  ours    {a and b} {c}",
        "  theirs  {a} {b and c}",
    ]


def test_clusters_are_called_as_in_base_then_as_in_ours_then_as_in_theirs() -> None:
    """No name of base comes to mean another cluster."""
    base = {"a": "x", "b": "x", "c": "y"}
    ours = {"a": "x", "b": "mine", "c": "y"}
    theirs = {"a": "x", "b": "x", "c": "y", "d": "yours"}
    assert cd.merge(base, ours, theirs).clustering.to_dict() == {
        "a": "x",
        "b": "mine",
        "c": "y",
        "d": "yours",
    }


@cases(
    ("decisions", "message"),
    [
        ([], "hold the conflicts of a merge"),
        ({"format": "clusterdiff conflicts", "version": 9, "conflicts": []}, "must have version 1"),
        ({"decision": "mine"}, "must decide about conflict 1 with 'base', 'ours', 'theirs', 'merge'"),
        ({"decision": [["a"]]}, "a list of clusters that has every point of it once"),
        ({"decision": "ours", "points": ["q"]}, "which this merge does not have: chain of 'q'"),
    ],
)
def test_decisions_are_checked(decisions: Any, message: str) -> None:
    """Nothing is decided by mistake."""
    sides = {"a": 1, "b": 2, "c": 3}, {"a": 1, "b": 1, "c": 3}, {"a": 1, "b": 3, "c": 3}
    if isinstance(decisions, dict) and "decision" in decisions:
        told = cd.merge(*sides).to_dict()
        told["conflicts"][0] |= decisions
        decisions = told
    with pytest.raises(cd.ArgumentError, match=message):
        cd.merge(*sides, decisions=decisions)


def test_what_is_no_clustering_is_refused() -> None:
    """Points of different types are never matched silently, nor labels by position if they are not equally many."""
    with pytest.raises(cd.LabelError, match="equally many: base has 2, ours has 2, theirs has 3"):
        cd.merge([1, 1], [1, 2], [1, 2, 3])
    with pytest.raises(cd.LabelError, match=r"one type; got int \(`ours`\) and str \(`theirs`\)"):
        cd.merge({1: 1}, {1: 1}, {"1": 1})
    with pytest.raises(cd.ArgumentError, match="not documents"):
        cd.merge(cd.Corpus({"d": [{1}]}), [1], [1])
    with pytest.raises(cd.ArgumentError, match="prefer"):
        cd.merge([1], [1], [1], prefer="mine")  # type: ignore[arg-type]


# ---- the command

BASE = "record,note,cluster\na,1,x\nb,2,x\nc,3,y\nd,4,z\n"
CORRECTED = "record,note,cluster\nd,4,z\na,1,x\nb,2,w\nc,3,y\n"
NEXT_RUN = "record,note,cluster\na,1,1\nb,2,1\nc,3,2\nd,4,2\ne,5,3\n"


def three(folder: Path, *texts: str) -> list[Path]:
    paths = [folder / f"{side}.csv" for side in SIDES]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return paths


def test_the_command_writes_what_both_sides_changed(tmp_path: Path) -> None:
    """In the order and with the columns of ours; rows that only theirs has come with theirs."""
    files = three(tmp_path, BASE, CORRECTED, NEXT_RUN)
    result = run("merge", *files, "-o", tmp_path / "out.csv")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "out.csv").read_text() == "record,note,cluster\nd,4,y\na,1,x\nb,2,w\nc,3,y\ne,5,3\n"


def test_the_command_lists_conflicts_and_writes_nothing(tmp_path: Path) -> None:
    """Exit code 1; a side can be preferred, and decisions given back."""
    files = three(tmp_path, BASE, BASE.replace("c,3,y", "c,3,x"), BASE.replace("c,3,y", "c,3,z"))
    out = tmp_path / "out.csv"
    result = run("merge", *files, "-o", out)
    assert result.exit_code == 1
    assert "chain: 4 points" in result.stderr
    assert "1 conflict; nothing was written" in result.stderr
    assert not out.exists()
    assert run("merge", *files, "-o", out, "--prefer", "theirs").exit_code == 0
    assert cd.read(out) == cd.Clustering([{"a", "b"}, {"c", "d"}])
    told = json.loads(run("merge", *files, "--json").stdout)
    told["conflicts"][0]["decision"] = "ours"
    (tmp_path / "decisions.json").write_text(json.dumps(told))
    assert run("merge", *files, "-o", out, "--decisions", tmp_path / "decisions.json").exit_code == 0
    assert cd.read(out) == cd.Clustering([{"a", "b", "c"}, {"d"}])
    assert run("merge", *files, "--chain", "merge").exit_code == 0
    assert run("merge", *files, "--driver").exit_code == 2


def git(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """git in a repository of its own, which finds this clusterdiff."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    for role in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{role}_NAME": "Ann", f"GIT_{role}_EMAIL": "ann@example.org"}
    return subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=check
    )


def test_git_merges_and_shows_clusterings(tmp_path: Path) -> None:
    """The recipe of the documents, in a real repository: a merge driver and a diff driver."""
    if shutil.which("git") is None:
        pytest.skip("NO GIT: merges in a repository are not tested on this machine; install git to test them")
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "config", "merge.clusterdiff.driver", "clusterdiff merge --driver %O %A %B %P")
    compare = """sh -c 'clusterdiff compare --format csv --old "$1" --new "$4"'"""
    git(tmp_path, "config", "diff.clusterdiff.command", compare)
    (tmp_path / ".gitattributes").write_text("*.csv merge=clusterdiff diff=clusterdiff\n")
    file = tmp_path / "catalogue.csv"
    file.write_text(BASE)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "release")
    git(tmp_path, "checkout", "-qb", "run")
    file.write_text(NEXT_RUN)
    git(tmp_path, "commit", "-qam", "next run")
    git(tmp_path, "checkout", "-q", "main")
    file.write_text(CORRECTED)
    shown = git(tmp_path, "diff").stdout
    assert "split off to w: b" in shown
    git(tmp_path, "commit", "-qam", "corrections")
    git(tmp_path, "merge", "-q", "run", "-m", "both")
    assert file.read_text() == "record,note,cluster\nd,4,y\na,1,x\nb,2,w\nc,3,y\ne,5,3\n"
    git(tmp_path, "checkout", "-qb", "other", "main~1")
    file.write_text(BASE.replace("c,3,y", "c,3,x"))
    git(tmp_path, "commit", "-qam", "another correction")
    result = git(tmp_path, "merge", "main", check=False)
    assert result.returncode == 1
    conflicts = json.loads((tmp_path / "catalogue.csv.conflicts.json").read_text())
    assert [one["kind"] for one in conflicts["conflicts"]] == ["chain"]
