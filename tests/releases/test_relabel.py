"""Names that stay: a new release under the names of the old one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli.main import main
from tests.cases import cases

#: A release: some of ten points, each in one of five clusters.
RELEASES = st.dictionaries(st.integers(0, 9), st.integers(0, 4), min_size=1)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


@given(RELEASES, RELEASES)
def test_who_keeps_more_than_half_of_both_keeps_the_name(old: dict[int, int], new: dict[int, int]) -> None:
    """Clusters are the same as before, and no old name means another entity."""
    named = cd.relabel(new, like=old)
    assert named == cd.Clustering(new)
    called = named.to_dict()
    assert list(called) == list(new)
    shared = Counter((old[p], new[p]) for p in old.keys() & new.keys())
    before, after = (
        Counter(old[p] for p in old.keys() & new.keys()),
        Counter(new[p] for p in old.keys() & new.keys()),
    )
    for (a, b), size in shared.items():
        if 2 * size > before[a] and 2 * size > after[b]:
            assert {called[p] for p in new if new[p] == b} == {a}
    assert not len(cd.compare(old, called, missing="lost").reused)


@given(RELEASES, RELEASES, st.permutations(range(5)))
def test_numbers_and_rows_of_the_new_run_do_not_matter(
    old: dict[int, int], new: dict[int, int], to: list[int]
) -> None:
    """Clusters that continue one have its name; only what is fresh may depend on the run's own names."""
    again = {p: to[c] for p, c in reversed(new.items())}
    one, other = (cd.relabel(run, like=old).to_dict() for run in (new, again))
    kept = set(old.values())
    assert {p: c for p, c in one.items() if c in kept} == {p: c for p, c in other.items() if c in kept}


@cases(
    ("new", "old", "wanted"),
    [
        ({"a": 5, "b": 6}, {"a": 1}, {"a": 1, "b": 6}),
        ({"a": 5, "b": 1}, {"a": 1}, {"a": 1, "b": 2}),
        ({"a": "x", "b": "k"}, {"a": "k"}, {"a": "k", "b": "k.2"}),
        ({"a": 5, "b": 6}, {"a": "k"}, {"a": "k", "b": "6"}),
        ({"a": "x", "b": "y"}, {"a": 1}, {"a": 1, "b": 2}),
    ],
)
def test_fresh_names_are_of_the_kind_of_the_old_ones(
    new: dict[str, Any], old: dict[str, Any], wanted: dict[str, Any]
) -> None:
    """Its own name if no old cluster has it, the next whole number, or the name with a number."""
    assert cd.relabel(new, like=old).to_dict() == wanted


def test_names_of_the_dead_do_not_come_back() -> None:
    """Over a history neither a fresh number nor a run's own name is one that was used before."""
    history = [{"a": 1, "b": 2, "c": 7}, {"a": 1, "b": 1}]
    assert cd.relabel({"a": 1, "b": 1, "c": 7}, like=history[-1]).to_dict()["c"] == 7
    assert cd.relabel({"a": 1, "b": 1, "c": 7}, like=history).to_dict()["c"] == 8
    with pytest.raises(cd.ArgumentError, match="an old release, or a list"):
        cd.relabel({"a": 1}, like=[])


def test_a_file_keeps_its_columns_types_and_order(tmp_path: Path) -> None:
    """Only the names of clusters change."""
    old, new, out = (tmp_path / f"{name}.parquet" for name in ("old", "new", "out"))
    pq.write_table(pa.table({"id": [1, 2, 3], "cluster": ["x", "x", "y"]}), old)
    table = pa.table({"size": pa.array([1, 2, 3], pa.int8()), "id": [3, 2, 1], "cluster": [7, 8, 8]})
    pq.write_table(table, new)
    assert run("relabel", new, "--like", old, "-o", out).exit_code == 0
    found = pq.read_table(out)
    assert found.column_names == ["size", "id", "cluster"]
    assert found.schema.field("size").type == pa.int8()
    assert found["cluster"].to_pylist() == ["y", "x", "x"]
    assert "clusterdiff relabel" not in run("relabel", new, "--like", old).stdout
    assert run("relabel", new, "--like", old, "-o", new).exit_code == 2
