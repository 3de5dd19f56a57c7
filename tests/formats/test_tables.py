"""Tables of every kind give the same clustering, by themselves and joined in DuckDB."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.formats.source import Source, parse
from tests.formats.conftest import (
    PRED,
    TRUE,
    WRITERS,
    as_dict,
    csv_text,
    run,
    write_duckdb,
    write_parquet,
    write_sqlite,
)


def test_every_format_reads_the_same_clustering(written: tuple[Path, Path]) -> None:
    """Labels and points come out as they went in, whatever stands in them."""
    found = cd.read(written[0])
    assert isinstance(found, cd.Clustering)
    assert found.to_dict() == as_dict(TRUE)


def test_files_compare_as_their_clusterings_do(written: tuple[Path, Path]) -> None:
    """Joining in DuckDB and comparing in memory give the same cells, scores and points."""
    quick = cd.compare(*written)
    slow = cd.compare(as_dict(TRUE), as_dict(PRED))
    assert quick.meet.to_dict() == slow.meet.to_dict()
    assert quick.scores() == pytest.approx(slow.scores(), abs=1e-15)
    assert quick.signature == slow.signature
    worst = quick.components[0]
    assert set(worst.points) == set(slow.components[0].points) == {"e\nf", "żółć"}


def cells(diff: cd.types.Comparison) -> set[tuple[Any, ...]]:
    return set(zip(*diff.meet.to_dict().values(), strict=True))


def outcome(compare: Callable[[], cd.types.Comparison]) -> cd.types.Comparison | str:
    """A comparison, or how the error's message begins."""
    try:
        return compare()
    except cd.LabelError as error:
        return error.message.partition(":")[0]


labels = st.sampled_from(["a", "b", "c", "-1", None])


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    true=st.dictionaries(st.sampled_from("stuvwxyz"), labels, min_size=1),
    pred=st.dictionaries(st.sampled_from("stuvwxyz"), labels, min_size=1),
    missing=st.sampled_from(["error", "drop", "singleton"]),
    noise=st.sampled_from([None, "-1"]),
    noise_as=st.sampled_from(["singleton", "cluster", "drop"]),
)
def test_policies_mean_the_same_in_duckdb(
    tmp_path: Path, true: Any, pred: Any, missing: Any, noise: Any, noise_as: Any
) -> None:
    """missing, noise and noise_as give the same cells, counts, points and errors as in memory."""
    paths = tmp_path / "t.csv", tmp_path / "p.csv"
    for data, path in zip((true, pred), paths, strict=True):
        path.write_text(csv_text([{"id": i, "cluster": c} for i, c in data.items()]))
    options = {"missing": missing}
    if noise is not None:
        options |= {"noise": noise, "noise_as": noise_as}
    slow = outcome(lambda: cd.compare(true, pred, **options))
    quick = outcome(lambda: cd.compare(*paths, **options))
    if isinstance(slow, str) or isinstance(quick, str):
        assert quick == slow
        return
    assert cells(quick) == cells(slow)
    assert quick.signature == slow.signature
    for measure in ("S_H", "b3.f1", "muc.f1", "ari"):
        assert quick.score(measure) == pytest.approx(slow.score(measure), abs=1e-14)
    for component in quick.components:
        (same,) = [c for c in slow.components if set(c.points) & set(component.points)]
        assert set(component.points) == set(same.points)
        assert set(component.true) == set(same.true)


def test_columns_are_named_after_a_colon_or_told(tmp_path: Path) -> None:
    """`file:column` chooses the clusters; a file whose name has a colon is that file."""
    path = tmp_path / "t.csv"
    path.write_text("id,gold,system,note\na,1,x,?\nb,1,y,?\n")
    result = run("compare", f"{path}:gold", f"{path}:system", "--point", "id", "--json")
    assert result.exit_code == 0, result.stderr
    assert '"S_H": 0.0' in result.stdout
    odd = tmp_path / "a:b.csv"
    odd.write_text("id,cluster\na,1\n")
    assert parse(str(odd)) == Source(str(odd))
    assert parse("none.csv:x") == Source("none.csv", cluster="x")
    assert parse("d.sqlite:t:x") == Source("d.sqlite", table="t", cluster="x")


def test_guesses_are_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where columns are told by their names, the log and standard error say which."""
    path = tmp_path / "t.csv"
    path.write_text("record,name,entity_id\na,Ann,1\nb,Bob,2\n")
    with caplog.at_level(logging.INFO, "clusterdiff"):
        cd.read(path)
    assert f"{path}: points from the column 'record', clusters from 'entity_id'" in caplog.messages
    other = tmp_path / "p.csv"
    other.write_text(path.read_text())
    result = run("compare", path, other, "--json")
    for file in (path, other):
        assert result.stderr.count(f"{file}: points from the column 'record'") == 1
    assert result.stdout.startswith("{")
    silent = run("compare", path, path, "--point", "record", "--cluster", "entity_id")
    assert silent.stderr == ""


@pytest.mark.parametrize(
    ("header", "lacks", "why"),
    [
        ("a,b", "clusters", "none of them names the clusters."),
        ("id,record,cluster", "points", "several may name the points: 'id', 'record'."),
        ("id,cluster,entity", "clusters", "several may name the clusters: 'cluster', 'entity'."),
        ("x,y,cluster", "points", "none of them names the points."),
    ],
)
def test_nothing_is_guessed_where_there_are_two_ways(
    tmp_path: Path, header: str, lacks: str, why: str
) -> None:
    """Unknown or several known names: the columns are listed and have to be named."""
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{','.join('12345'[: header.count(',') + 1])}\n")
    with pytest.raises(cd.FileError, match=re.escape(why)) as caught:
        cd.read(path)
    assert caught.value.hint == f"name it with {lacks.removesuffix('s')}=."


def test_globs_are_one_table(tmp_path: Path) -> None:
    """Files of a glob are read one after the other, and must agree on their columns."""
    for i, row in enumerate(TRUE):
        (tmp_path / f"part{i}.csv").write_text(csv_text([row]), encoding="utf-8")
    found = cd.read(tmp_path / "part*.csv")
    assert found == cd.Clustering(as_dict(TRUE))
    (tmp_path / "part9.csv").write_text("id,clutser\nz,1\n")
    with pytest.raises(cd.FileError, match=r"part9.csv has the columns 'id', 'clutser', but .*part0.csv has"):
        cd.read(tmp_path / "part*.csv")
    with pytest.raises(cd.FileError, match="no file matches"):
        cd.read(tmp_path / "none*.csv")


@pytest.mark.parametrize("name", ["all*.{}", "some?.{}", "one[1].{}"])
@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl"])
def test_a_file_called_like_a_glob_is_that_file(tmp_path: Path, name: str, suffix: str) -> None:
    """Stars and brackets in the name of a file that is there match nothing else."""
    for rows, path in ((TRUE, name), (PRED, name.replace("*", "x").replace("?", "x").replace("[1]", "1"))):
        WRITERS[f"t.{suffix}"](rows, tmp_path / path.format(suffix))
    assert cd.read(tmp_path / name.format(suffix)) == cd.Clustering(as_dict(TRUE))


def test_standard_input_is_a_file_called_dash(tmp_path: Path) -> None:
    """`-` reads standard input, whose format has to be given."""
    path = tmp_path / "t.csv"
    path.write_text(csv_text(TRUE), encoding="utf-8")
    result = run("compare", path, "-", "--format", "csv", "--json", stdin=csv_text(PRED).encode())
    assert result.exit_code == 0, result.stderr
    assert '"n": 6' in result.stdout
    assert "must be given" in run("compare", path, "-", stdin=b"x").stderr
    assert "only once" in run("compare", "-", "-", "--format", "csv", stdin=b"x").stderr
    assert "standard input is empty" in run("compare", path, "-", "--format", "csv", stdin=b"").stderr


def test_text_lies_over_integers_only_where_the_file_knows_text_only(tmp_path: Path) -> None:
    """CSV ids match another file's integers as written; strings of Parquet never match integers."""
    write_parquet([{"id": 1, "cluster": 5}, {"id": 2, "cluster": 5}], tmp_path / "int.parquet")
    write_parquet([{"id": "1", "cluster": 5}, {"id": "2", "cluster": 5}], tmp_path / "text.parquet")
    (tmp_path / "t.csv").write_text("id,cluster\n1,a\n2,a\n")
    (tmp_path / "padded.csv").write_text("id,cluster\n01,a\n2,a\n")
    diff = cd.compare(tmp_path / "t.csv", tmp_path / "int.parquet")
    assert diff.score() == 1.0
    assert set(diff.points) == {"1", "2"}
    with pytest.raises(cd.LabelError, match="`pred` lacks 1 of the 2 points of `true`: '01'"):
        cd.compare(tmp_path / "padded.csv", tmp_path / "int.parquet")
    with pytest.raises(cd.FileError, match="must be of one type; got int and text"):
        cd.compare(tmp_path / "int.parquet", tmp_path / "text.parquet")


def test_tables_without_points_go_by_their_rows(tmp_path: Path) -> None:
    """A table with one column has one cluster per row; lengths must agree, and so must the kind of table."""
    (tmp_path / "t.csv").write_text("cluster\na\na\nb\n")
    (tmp_path / "p.csv").write_text("label\n1\n2\n2\n")
    (tmp_path / "short.csv").write_text("label\n1\n2\n")
    (tmp_path / "named.csv").write_text("id,cluster\nx,1\n")
    diff = cd.compare(tmp_path / "t.csv", tmp_path / "p.csv")
    assert diff.meet.to_dict() == cd.compare(["a", "a", "b"], ["1", "2", "2"]).meet.to_dict()
    assert list(diff.points) == [0, 1, 2]
    with pytest.raises(cd.FileError, match="they have 3 and 2 rows"):
        cd.compare(tmp_path / "t.csv", tmp_path / "short.csv")
    with pytest.raises(cd.FileError, match=r"names its points and .* does not"):
        cd.compare(tmp_path / "named.csv", tmp_path / "t.csv")


def test_two_columns_of_one_table_are_read_once(tmp_path: Path) -> None:
    """Two sources with one path compare two columns, with or without points."""
    rows: Any = [
        {"id": f"r{i}", "gold": t, "system": p} for i, (t, p) in enumerate(zip("aabbc", "xyyzz", strict=True))
    ]
    (tmp_path / "t.csv").write_text(csv_text(rows))
    sources = [Source(str(tmp_path / "t.csv"), point="id", cluster=c) for c in ("gold", "system")]
    diff = cd.compare(*sources)
    slow = cd.compare(list("aabbc"), list("xyyzz"))
    assert cells(diff) == cells(slow)
    assert set(diff.components[0].points) == {f"r{i}" for i in range(5)}
    (tmp_path / "t.csv").write_text(csv_text([*rows, rows[0]]))
    with pytest.raises(cd.FileError, match=r"'r0', is in rows 1 and 6"):
        cd.compare(*sources)


def test_types_that_cannot_be_labels_are_refused(tmp_path: Path) -> None:
    """Nested columns and fractions are refused by name; whole floats, dates and categories are labels."""
    path = tmp_path / "t.parquet"
    for values, message in (
        ([[1], [2]], r"the column 'cluster' holds BIGINT\[\], which cannot name points or clusters"),
        ([0.5, 1.0], "must hold whole numbers if it holds floats; got 0.5"),
        ([float("inf"), 1.0], "must hold whole numbers if it holds floats; got inf"),
    ):
        write_parquet([{"id": i, "cluster": v} for i, v in enumerate(values)], path)
        with pytest.raises(cd.FileError, match=message):
            cd.read(path)
    write_parquet([{"id": i, "cluster": v} for i, v in enumerate([1.0, None, 1.0])], path)
    found = cd.read(path)
    assert isinstance(found, cd.Clustering)
    assert found.labels.absent is not None
    assert found.labels.absent.tolist() == [False, True, False]
    write_parquet([{"id": i, "cluster": v} for i, v in enumerate([True, False])], path)
    assert cd.read(path).to_dict() == {0: True, 1: False}  # type: ignore[union-attr]
    write_parquet([{"id": i, "cluster": v} for i, v in enumerate([date(2020, 1, 1), date(2020, 1, 2)])], path)
    assert len(cd.read(path)) == 2


def test_databases_have_tables(tmp_path: Path) -> None:
    """The only table is taken and others have to be named; columns of mixed types are refused."""
    for write, name in ((write_sqlite, "d.sqlite"), (write_duckdb, "d.duckdb")):
        path = tmp_path / name
        write(TRUE, path)
        write(PRED, path, 'pr"ed; DROP TABLE gold')
        with pytest.raises(cd.FileError, match="has 2 tables: 'gold', 'pr\"ed; DROP TABLE gold'"):
            cd.read(path)
        with pytest.raises(cd.FileError, match="has no table 'golf'; it has 'gold'") as caught:
            cd.read(path, table="golf")
        assert caught.value.hint == "did you mean 'gold'?"
        assert cd.read(path, table='pr"ed; DROP TABLE gold') == cd.Clustering(as_dict(PRED))
        result = run("compare", f"{path}:gold", f"{path}:gold:cluster", "--json")
        assert result.exit_code == 0, result.stderr
        assert '"S_H": 1.0' in result.stdout
    write_sqlite([{"id": 1, "cluster": "a"}, {"id": "1", "cluster": "a"}], tmp_path / "mixed.db")
    with pytest.raises(cd.FileError, match=r"the column 'id' mixes values of the types 'integer', 'text'"):
        cd.read(tmp_path / "mixed.db")
    (tmp_path / "t.csv").write_text("id,cluster\na,1\n")
    with pytest.raises(cd.ArgumentError, match="`table` names a table of a database"):
        cd.read(tmp_path / "t.csv", table="gold")


def test_names_of_columns_and_files_are_never_sql(tmp_path: Path) -> None:
    """Quotes, semicolons and comments in names reach SQL as names."""
    folder = tmp_path / "it's; DROP TABLE loaded_0; --"
    folder.mkdir()
    for column in (
        'x"; DROP TABLE loaded_0; --',
        "y'); --",
        "z', ''); ATTACH 'gone.duckdb'; --",
        "{a}",
        "$1",
        "?",
    ):
        for writer in ("csv", "parquet", "sqlite"):
            path = folder / f"f';--.{writer}"
            path.unlink(missing_ok=True)
            rows: Any = [
                {'i"d': "'; --", column: "a"},
                {'i"d': 'b"; --', column: "'; DELETE FROM loaded_0; --"},
            ]
            if writer == "csv":
                path.write_text(csv_text(rows))
            elif writer == "parquet":
                write_parquet(rows, path)
            else:
                write_sqlite(rows, path)
            source = Source(str(path), point='i"d', cluster=column)
            diff = cd.compare(source, source, noise="'; --")
            assert diff.n == 2, (column, writer)
            assert diff.score() == 1.0
    assert not (Path.cwd() / "gone.duckdb").exists()
