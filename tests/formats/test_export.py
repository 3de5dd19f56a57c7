"""Writing back: what is written is what is read, in full or not at all."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import clusterdiff as cd
from tests.formats.conftest import run

TRUE = ["x", "x", "x", 'y"; DROP', "y\n2", "żółć"]
PRED = [1, 1, 2, 2, 3, 3]


def load(path: Path) -> list[dict[str, Any]]:
    """Rows of a written table, read by other means."""
    match path.suffix:
        case ".csv" | ".tsv":
            with path.open(newline="", encoding="utf-8") as file:
                return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))
        case ".parquet":
            return pl.read_parquet(path).to_dicts()
        case ".jsonl":
            return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".jsonl", ".json"])
def test_tables_come_back(tmp_path: Path, suffix: str) -> None:
    """Meet, splits, merges, components and clusterings, whatever their labels hold."""
    diff = cd.compare(TRUE, PRED)
    for name in ("meet", "splits", "merges", "components"):
        path = tmp_path / f"{name}{suffix}"
        result = getattr(diff, name)
        cd.write(result, path)
        rows, table = load(path), result.to_dict()
        assert len(rows) == len(next(iter(table.values())))
        for column, values in table.items():
            assert [str(row[column]) for row in rows] == [str(value) for value in values]
    written = load(tmp_path / f"components{suffix}")[0]["true"]
    found = json.loads(written) if isinstance(written, str) else written
    assert found == diff.components[0].true
    clustering = cd.Clustering({"a": "x", "b": "x", "c": "y"})
    cd.write(clustering, tmp_path / f"clusters{suffix}")
    if suffix != ".json":
        assert cd.read(tmp_path / f"clusters{suffix}") == clustering
    assert not list(tmp_path.glob(".*"))


def test_scores_as_json_markdown_and_latex(tmp_path: Path) -> None:
    """One column of scores, or one for each system; names are escaped."""
    scores = cd.compare(TRUE, PRED).scores(["S_H", "ari"])
    cd.write(scores, tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text()) == scores
    cd.write({"a|b": scores, "c_d": {"S_H": 0.5}}, tmp_path / "s.md")
    lines = (tmp_path / "s.md").read_text().splitlines()
    assert lines[0] == r"| measure | a\|b | c_d |"
    assert lines[2] == f"| S_H | {scores['S_H']:.4f} | 0.5000 |"
    assert lines[3].endswith("|  |")
    cd.write({"50% & #1": {"S_H": 0.5}}, tmp_path / "s.tex")
    assert r"measure & 50\% \& \#1 \\" in (tmp_path / "s.tex").read_text()


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing half-written: the old file stays, and no other is left."""
    path = tmp_path / "meet.json"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    diff = cd.compare(TRUE, PRED)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fail)
        with pytest.raises(cd.FileError, match=r"meet.json cannot be written: No space left on device."):
            cd.write(diff.meet, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["meet.json"]
    with pytest.raises(cd.FileError, match=r"cannot be written: the folder .*none does not exist"):
        cd.write(diff.meet, tmp_path / "none" / "meet.csv")
    with pytest.raises(cd.FileError, match="cannot be written: it is a folder"):
        cd.write(diff.meet, make_folder(tmp_path / "folder.csv"))
    assert [p.name for p in sorted(tmp_path.iterdir())] == ["folder.csv", "meet.json"]


def make_folder(path: Path) -> Path:
    path.mkdir()
    return path


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Unknown suffixes, and things that are neither tables nor scores."""
    diff = cd.compare(TRUE, PRED)
    with pytest.raises(
        cd.ArgumentError, match=r"a file of a table must end in .csv, .tsv, .jsonl, .parquet or .json; got"
    ):
        cd.write(diff.meet, tmp_path / "meet.xlsx")
    with pytest.raises(cd.ArgumentError, match=r"a file of scores must end in .json, .md, .tex; got 's.csv'"):
        cd.write(diff.scores(), tmp_path / "s.csv")
    with pytest.raises(cd.ArgumentError, match="`result` must be a table, a meet, a clustering"):
        cd.write(7, tmp_path / "x.csv")
    with pytest.raises(
        cd.ArgumentError, match=r"`result` is an empty list, and a .parquet file must have columns"
    ):
        cd.write([], tmp_path / "x.parquet")


def test_nothing_to_repair_is_a_table_without_rows(tmp_path: Path) -> None:
    """It has the columns that it would have, in every format that has any."""
    diff = cd.compare(TRUE, TRUE)
    assert not diff.repairs()
    for end in ("csv", "parquet"):
        cd.write(diff.repairs(), tmp_path / f"none.{end}")
    cd.write(cd.compare(TRUE, PRED).repairs(), tmp_path / "some.csv")
    columns = (tmp_path / "some.csv").read_text().splitlines()[0].split(",")
    assert (tmp_path / "none.csv").read_text().splitlines() == [",".join(columns)]
    assert (pl.read_parquet(tmp_path / "none.parquet").columns, columns[0]) == (columns, "operation")


def test_a_suffix_that_is_none_is_refused_before_anything_is_computed(tmp_path: Path) -> None:
    """Nothing but the error is printed."""
    side = tmp_path / "side.csv"
    side.write_text("id,cluster\na,1\n")
    result = run("compare", str(side), str(side), "--write", f"meet={tmp_path / 'meet.xlsx'}")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: a file of a table must end in")


def test_write_on_the_command_line(tmp_path: Path) -> None:
    """--write PART=FILE, as often as wanted."""
    (tmp_path / "t").write_text("a\na\nb\n")
    (tmp_path / "p").write_text("1\n2\n2\n")
    arguments = ("compare", tmp_path / "t", tmp_path / "p")
    result = run(*arguments, "--write", f"meet={tmp_path}/m.csv", "--write", f"scores={tmp_path}/s.tex")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "m.csv").read_text() == "true,pred,size\na,1,1\na,2,1\nb,2,1\n"
    assert (tmp_path / "s.tex").exists()
    failed = run(*arguments, "--write", "met=x.csv")
    assert failed.exit_code == 2
    assert "did you mean 'meet'" in failed.stderr


def test_repairs_are_rows(tmp_path: Path) -> None:
    """A repair a row, lists inside being JSON; no repairs are no rows."""
    repairs = cd.compare(TRUE, PRED).repairs()
    cd.write(repairs, tmp_path / "r.csv")
    rows = load(tmp_path / "r.csv")
    assert [float(row["gain"]) for row in rows] == [repair.gain for repair in repairs]
    assert json.loads(rows[0]["clusters"]) == repairs[0].clusters
    cd.write(repairs, tmp_path / "r.json")
    assert [row["sentence"] for row in load(tmp_path / "r.json")] == [repair.sentence for repair in repairs]
    for suffix in (".json", ".csv", ".jsonl"):
        cd.write(cd.compare(TRUE, TRUE).repairs(), tmp_path / f"none{suffix}")
        assert load(tmp_path / f"none{suffix}") == []
