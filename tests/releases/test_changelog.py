"""What became of every cluster: laws for random releases, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli.main import main

#: A release: some of ten points, each in one of five clusters.
RELEASES = st.dictionaries(st.integers(0, 9), st.integers(0, 4), min_size=1)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def compared(old: dict[int, Any], new: dict[int, Any]) -> cd.types.Comparison:
    return cd.compare(old, new, missing="lost")


@given(RELEASES, RELEASES)
def test_fates_and_origins_follow_from_their_definitions(old: dict[int, int], new: dict[int, int]) -> None:
    """Cluster by cluster, from sets of points."""
    diff = compared(old, new)
    found, meet = diff.succession, diff.succession.meet
    continues = {
        meet.true_names[i]: meet.pred_names[j] for i, j in enumerate(found.continuation.tolist()) if j >= 0
    }
    for row in diff.fates:
        into = {new[p] for p in old if old[p] == row.old and p in new}
        kept = row.old in continues
        assert row.fate == (
            "gone" if not into else "split" if len(into) > 1 else "kept" if kept else "absorbed"
        )
        assert (set(row.into), row.parts) == (into, len(into))
        assert row.renamed == (kept and continues[row.old] != row.old)
    for origin in diff.origins:
        out_of = {old[p] for p in new if new[p] == origin.new and p in old}
        kept = origin.new in continues.values()
        assert origin.origin == (
            "born" if not out_of else "merged" if len(out_of) > 1 else "kept" if kept else "split off"
        )
    assert len(diff.fates) == len(set(old.values()))
    assert len(diff.origins) == len(set(new.values()))


@given(RELEASES, RELEASES, st.permutations(range(5)))
def test_a_renumbering_changes_names_only(old: dict[int, int], new: dict[int, int], to: list[int]) -> None:
    """Fates, redirects and cases stay; so does every event but for same and renamed."""
    one, other = compared(old, new), compared(old, {p: to[c] for p, c in new.items()})
    assert one.fates["fate"].tolist() == other.fates["fate"].tolist()
    assert one.cases["case"].tolist() == other.cases["case"].tolist()
    for mine, theirs in zip(one.redirects, other.redirects, strict=True):
        assert mine.share == theirs.share
        assert theirs.new == (None if mine.new is None else to[mine.new])
    renumbered = [{"renamed": "same"}.get(event.kind, event.kind) for event in other.events]
    assert sorted(renumbered) == sorted({"renamed": "same"}.get(e.kind, e.kind) for e in one.events)


@given(RELEASES, RELEASES)
def test_the_crosswalk_has_every_shared_point_once(old: dict[int, int], new: dict[int, int]) -> None:
    """And every cluster; rows of changes say the same point by point."""
    diff = compared(old, new)
    assert diff.crosswalk["shared"].sum() == len(old.keys() & new.keys())
    assert {row.old for row in diff.crosswalk} - {None} == set(old.values())
    assert {row.new for row in diff.crosswalk} - {None} == set(new.values())
    rows = {row.point: (row.old, row.new) for row in diff.changes}
    assert rows == {p: (old.get(p), new.get(p)) for p in old.keys() | new.keys()}


@given(RELEASES, RELEASES)
def test_a_name_is_reused_if_it_means_another_entity(old: dict[int, int], new: dict[int, int]) -> None:
    """Neither redirect nor continuation of its old self; nothing is reused by a release against itself."""
    diff = compared(old, new)
    redirect = {row.old: row.new for row in diff.redirects}
    into = {row.old: row.new for row in diff.fates if row.fate in ("kept", "split")}
    for row in diff.reused:
        assert row.name in new.values()
        assert redirect[row.name] != row.name
        assert row.now == redirect[row.name]
        assert row.shared == sum(old[p] == new[p] == row.name for p in old.keys() & new.keys())
        if diff.succession.continuation[list(dict.fromkeys(old.values())).index(row.name)] >= 0:
            assert into.get(row.name) != row.name
    assert not len(compared(old, old).reused)


def files(folder: Path) -> tuple[Path, Path]:
    """Two releases with a column of countries; c2 went, and c3 came."""
    old, new = folder / "old.csv", folder / "new.csv"
    old.write_text("id,cluster,country\na1,7,DE\na2,7,DE\nc1,8,FR\nc2,8,FR\n")
    new.write_text("id,cluster,country\nc1,7,FR\nc3,7,PL\na1,8,AT\na2,8,AT\n")
    return old, new


def test_the_command_tells_first_which_names_mean_another_entity(tmp_path: Path) -> None:
    """Then what came and went; the scores are of what both have."""
    old, new = files(tmp_path)
    result = run("compare", "--old", old, "--new", new)
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "2 names now mean another cluster: 7 (its points are now in 8) and 8 (now in 7)\n"
    )
    assert "points: 3 in both · 1 removed · 1 added" in result.stdout
    assert "missing:drop(2)" in result.stdout
    told = json.loads(run("compare", "--old", old, "--new", new, "--json").stdout)["releases"]
    assert told["events"] == {"continues": 1, "renamed": 1}
    assert told["reused"]["first"][0] == {"name": "7", "now": "8", "shared": 0, "old_size": 2, "new_size": 2}
    assert "another cluster" in run("compare", "--old", old, "--new", new, "--markdown").stdout


def test_an_error_speaks_of_old_and_new(tmp_path: Path) -> None:
    """Not of TRUE and PRED, which nobody typed."""
    result = run("compare", "--old", *(files(tmp_path)[0], "--new", files(tmp_path)[1], "--missing", "error"))
    assert result.exit_code == 2
    assert "--new lacks 1 of the 4 points of --old" in result.stderr


@pytest.mark.parametrize("end", [".csv", ".parquet", ".jsonl"])
def test_tables_are_written(tmp_path: Path, end: str) -> None:
    """Numbers stay numbers beside nulls, wherever types are kept."""
    old, new = {"a": 1, "b": 2}, {"a": 1, "c": 3}
    paths = []
    for name, release in (("old", old), ("new", new)):
        paths.append(tmp_path / f"{name}{end}")
        cd.write(cd.Clustering(release), paths[-1])
    parts = ("events", "crosswalk", "redirects", "points", "fates", "origins", "reused", "cases")
    writes = [option for part in parts for option in ("--write", f"{part}={tmp_path / part}{end}")]
    assert run("compare", "--old", paths[0], "--new", paths[1], *writes).exit_code == 0
    if end == ".parquet":
        import pyarrow.parquet as pq

        rows = pq.read_table(tmp_path / "crosswalk.parquet").to_pylist()
        assert [(row["old"], row["new"]) for row in rows] == [(1, 1), (2, None), (None, 3)]
        redirects = pq.read_table(tmp_path / "redirects.parquet").to_pylist()
        assert redirects == [{"old": 1, "new": 1, "share": 1.0}, {"old": 2, "new": None, "share": None}]
    elif end == ".csv":
        assert (tmp_path / "points.csv").read_text() == (
            "point,old,new,event\na,1,1,same\nb,2,,vanished\nc,,3,born\n"
        )
        assert (tmp_path / "cases.csv").read_text() == "old,case\n1,unchanged\n2,\n"
        assert '1,vanished,0,1,0,"[""2""]",[]\n' in (tmp_path / "events.csv").read_text()


def test_values_of_other_columns_change_by_point_and_by_cluster(tmp_path: Path) -> None:
    """Records that one release lacks do not count; what only one table has is refused."""
    diff = cd.compare(*files(tmp_path), missing="drop")
    assert [tuple(row) for row in diff.changed_values("country")] == [("DE", "AT", 2, 1)]
    with pytest.raises(cd.ArgumentError, match="both have 'country'"):
        diff.changed_values("city")
    with pytest.raises(cd.ArgumentError, match="name of a column of both tables"):
        diff.changed_values({"a1": "DE"})


def test_names_of_different_types_are_compared_by_their_text() -> None:
    """A release in CSV has text where one in Parquet has numbers."""
    diff = cd.compare({"a": 1, "b": 2}, {"a": "1", "b": "2"})
    assert diff.succession.event_counts == {"same": 2}
