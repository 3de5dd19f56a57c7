"""Points as the command takes them: keys of several columns, different columns per side, weights, labels to ignore."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main

SOURCE, NUMBER = ["x", "x", "y", "y", "z,z", "z"], ["1", "2", "1", "2", "1", "z,1"]
TRUE, PRED = [0, 0, 0, 1, 1, 2], [7, 7, 8, 8, 8, 9]


def run(*args: object) -> Result:
    """The command with some arguments."""
    return CliRunner().invoke(main, [str(arg) for arg in args])


def scored(*args: object) -> dict[str, Any]:
    """What `compare --json` prints."""
    result = run("compare", *args, "--json")
    assert result.exit_code == 0, result.output
    told: dict[str, Any] = json.loads(result.stdout)
    return told


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Two tables whose points two columns name together."""
    left = pl.DataFrame(
        {"DATA_SOURCE": SOURCE, "RECORD_ID": NUMBER, "cluster": TRUE, "w": [1, 2, 3, 4, 5, 6]}
    )
    right = pl.DataFrame({"src": SOURCE, "rec": NUMBER, "cluster": PRED})
    left.write_csv(tmp_path / "t.csv")
    right[::-1].write_parquet(tmp_path / "p.parquet")
    return tmp_path / "t.csv", tmp_path / "p.parquet"


@pytest.mark.parametrize("engine", ["memory", "duckdb", "polars"])
def test_several_columns_make_a_name(files: tuple[Path, Path], engine: str) -> None:
    """Columns separated by commas; each side may call its own differently, and no two names look alike."""
    columns = ["--true-point", "DATA_SOURCE,RECORD_ID", "--pred-point", "src,rec", "--engine", engine]
    assert scored(*files, *columns)["scores"]["S_H"] == pytest.approx(cd.score(TRUE, PRED))
    same = scored(files[0], files[0], "--point", "DATA_SOURCE,RECORD_ID", "--engine", engine)
    assert (same["n"], same["scores"]["S_H"]) == (6, 1.0)
    one = scored(
        files[0], "--true", "cluster", "--pred", "w", "--point", "DATA_SOURCE,RECORD_ID", "--engine", engine
    )
    assert one["n"] == 6
    weighty = scored(*files, *columns, "--weight", "w", "--features", "w", "--measures", "S_H,S_MSE")
    diff = cd.compare(TRUE, PRED, weights=[1, 2, 3, 4, 5, 6], features=[[1], [2], [3], [4], [5], [6]])
    assert weighty["scores"] == pytest.approx(diff.scores(["S_H", "S_MSE"]))


def test_names_of_several_columns_are_tuples(files: tuple[Path, Path]) -> None:
    """In Python a list of columns does the same, a pair of lists for either side."""
    key = ["DATA_SOURCE", "RECORD_ID"]
    diff = cd.compare(*files, point=(key, ["src", "rec"]))
    assert list(diff.points) == list(zip(SOURCE, NUMBER, strict=True))
    read = cd.read(files[0], point=key, cluster="cluster")
    assert isinstance(read, cd.Clustering)
    assert read.to_dict() == dict(zip(zip(SOURCE, NUMBER, strict=True), map(str, TRUE), strict=True))
    bad = run("compare", *files, "--point", "DATA_SOURCE,RECORD")
    assert bad.exit_code == 2
    assert "t.csv has no column 'RECORD'" in bad.stderr


@pytest.mark.parametrize("name", ["rec_id", "record_id", "UUID", "guid", "key", "pk", "uid", "barcode"])
def test_common_names_of_ids(tmp_path: Path, name: str) -> None:
    """They are recognised beside columns that are not."""
    pl.DataFrame({"age": PRED, name: list("abcdef"), "cluster": TRUE}).write_csv(tmp_path / "t.csv")
    assert scored(tmp_path / "t.csv", tmp_path / "t.csv")["n"] == 6


def test_an_id_comes_before_a_key(tmp_path: Path) -> None:
    """A table with an id and a uuid names its points by the id, as it always did."""
    pl.DataFrame({"uuid": ["u"] * 6, "id": list("abcdef"), "cluster": TRUE}).write_csv(tmp_path / "t.csv")
    assert scored(tmp_path / "t.csv", tmp_path / "t.csv")["n"] == 6


def test_pairs_beside_a_table_with_a_column_of_its_own(tmp_path: Path) -> None:
    """--true-point is the table's, --pred-point the ends of the pairs."""
    pl.DataFrame({"nr": list("abcd"), "who": [1, 1, 2, 2]}).write_csv(tmp_path / "t.csv")
    pl.DataFrame({"p": ["a", "c"], "q": ["b", "d"], "s": [0.9, 0.1], "t": [0, 0]}).write_csv(
        tmp_path / "p.csv"
    )
    options = [
        "--pairs",
        "--true-point",
        "nr",
        "--pred-point",
        "p,q,s",
        "--cluster",
        "who",
        "--threshold",
        "0.5",
    ]
    assert scored(tmp_path / "t.csv", tmp_path / "p.csv", *options)["scores"]["S_H"] == 0.5


@pytest.mark.parametrize("option", ["--point", "--cluster", "--noise-as", "--measures", "--top"])
def test_an_option_that_takes_one_value_stands_once(files: tuple[Path, Path], option: str) -> None:
    """The first of two would be forgotten silently."""
    value = {"--noise-as": "drop", "--measures": "S_H", "--top": "1"}.get(option, "cluster")
    result = run("compare", *files, option, value, option, value)
    assert result.exit_code == 2
    assert f"{option} takes one value, and was given 2 times." in result.stderr


def test_labels_of_images_to_ignore(tmp_path: Path) -> None:
    """Several, on either side."""
    true, pred = np.array([[0, 1, 1, 2], [255, 1, 2, 2]]), np.array([[1, 1, 1, 9], [3, 3, 0, 2]])
    np.save(tmp_path / "t.npy", true)
    np.save(tmp_path / "p.npy", pred)
    files = tmp_path / "t.npy", tmp_path / "p.npy"
    assert scored(*files, "--ignore", 0)["n"] == 7
    assert scored(*files, "--ignore", 0, "--ignore", 255)["n"] == 6
    assert scored(*files, "--ignore", 0, "--ignore-pred", 9, "--ignore-pred", 0)["n"] == 5
    read = cd.read(files[0], ignore={0, 255})
    assert cd.compare(read, cd.read(files[1], ignore=9), missing="drop").n == 5
    pl.DataFrame({"id": ["a"], "cluster": [0]}).write_csv(tmp_path / "t.csv")
    refused = run("compare", tmp_path / "t.csv", tmp_path / "t.csv", "--ignore", 0)
    assert refused.exit_code == 2
    assert "--ignore names labels of arrays and images" in refused.stderr


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_part_of_a_name_is_a_column(files: tuple[Path, Path], engine: str) -> None:
    """--by takes each of the columns that name the points together."""
    columns = ["--true-point", "DATA_SOURCE,RECORD_ID", "--pred-point", "src,rec", "--engine", engine]
    slices = scored(*files, *columns, "--by", "DATA_SOURCE")["slices"]["DATA_SOURCE"]
    assert {row["value"]: row["points"] for row in slices} == {"x": 2, "y": 2, "z,z": 1, "z": 1}


def test_attributes_in_a_table_of_their_own(tmp_path: Path) -> None:
    """--attributes with --key: points are looked up, in any order; whoever is not there has no value."""
    true, pred = tmp_path / "t.csv", tmp_path / "p.csv"
    pl.DataFrame({"id": [1, 2, 3, 4], "cluster": [0, 0, 1, 1]}).write_csv(true)
    pl.DataFrame({"id": [1, 2, 3, 4], "cluster": [0, 0, 1, 2]}).write_csv(pred)
    more = tmp_path / "more.parquet"
    table = pl.DataFrame({"who": [4, 3, 2, 9], "city": ["Bonn", "Bonn", "Graz", "Riga"]})
    table.write_parquet(more)
    given = [true, pred, "--attributes", more, "--key", "who", "--by", "city"]
    slices = scored(*given)["slices"]["city"]
    assert [(row["value"], row["points"], row["loss"]) for row in slices] == [
        ("Bonn", 2, 0.5), ("Graz", 1, 0.0), (None, 1, 0.0)
    ]  # fmt: skip
    assert "who" not in scored(*given, "--explain")["patterns"]["groups"][0]["group"]
    pl.concat([table, table]).write_parquet(more)
    repeated = run("compare", *given)
    assert repeated.exit_code == 2
    assert "'who' must name each point once" in repeated.output
    alone = run("compare", true, pred, "--key", "who")
    assert "--key names a column of --attributes" in alone.output
    unknown = run("compare", true, pred, "--attributes", more)
    assert "no column is known to name the points" in unknown.output
    assert "--key" in unknown.output


def test_attributes_by_a_key_of_two_columns(files: tuple[Path, Path], tmp_path: Path) -> None:
    """Names of several columns are looked up part by part."""
    columns = ["--true-point", "DATA_SOURCE,RECORD_ID", "--pred-point", "src,rec"]
    more = tmp_path / "more.csv"
    pl.DataFrame({"a": SOURCE, "b": NUMBER, "city": ["Bonn"] * 3 + ["Graz"] * 3}).write_csv(more)
    found = scored(*files, *columns, "--attributes", more, "--key", "a,b", "--by", "city")
    assert {row["value"]: row["points"] for row in found["slices"]["city"]} == {"Bonn": 3, "Graz": 3}
