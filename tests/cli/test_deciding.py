"""clusterdiff sweep and clusterdiff matrix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.cluster.hierarchy import linkage

import clusterdiff as cd
from clusterdiff.cli import main

matplotlib.use("Agg")

TRUE = {"a1": "ann", "a2": "ann", "a3": "ann", "b1": "bob", "b2": "bob", "c1": "cat"}
PAIRS = [("a1", "a2", 0.95), ("a2", "a3", 0.8), ("b1", "b2", 0.9), ("a3", "b1", 0.6), ("b2", "c1", 0.3)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a true clustering, scored pairs, a linkage and columns of resolutions."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{point},{cluster}\n" for point, cluster in TRUE.items())
    (tmp_path / "true.csv").write_text("id,entity\n" + rows)
    (tmp_path / "pairs.csv").write_text(
        "left,right,score\n" + "".join("{},{},{}\n".format(*p) for p in PAIRS)
    )
    (tmp_path / "damaged.npy").write_bytes(b"PK\x03\x04 is no archive")
    np.save(tmp_path / "nodes.npy", [[0, np.nan, 1.0, 2]])
    np.save(tmp_path / "tree.npy", linkage([[0.0], [0.1], [0.3], [5.0], [5.2], [9.0]]))
    columns = "".join(f"{p},{i // 4},{i // 2},{i}\n" for i, p in enumerate(TRUE))
    (tmp_path / "leiden.csv").write_text("id,leiden_0.5,leiden_1.0,leiden_2.0\n" + columns)
    return tmp_path


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def printed(*arguments: str) -> Any:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_pairs_are_swept(folder: Path) -> None:
    """What is printed as JSON is what sweep() gives; CSV, pictures and the page are written."""
    files = {
        "--csv": "s.csv",
        "--plot": "s.svg",
        "--tradeoff": "t.svg",
        "--html": "s.html",
        "--pages": "diffs",
    }
    told = [part for option in files.items() for part in option]
    found = printed("sweep", "true.csv", "pairs.csv", "--measures", "S_H,pairs.f1", "--at", "0.3", *told)
    swept = cd.sweep(TRUE, pairs=PAIRS, measures=["S_H", "pairs.f1"])
    assert found["best"] == {"S_H": 0.8, "pairs.f1": 0.8}
    assert found["S_H"] == swept.scores["S_H"].tolist()
    assert found["worst_merges"]["left"] == ["a3", "b2"]
    assert (folder / "s.csv").read_text() == swept.to_csv()
    assert all((folder / file).stat().st_size > 1000 for file in files.values() if file != "s.csv")
    assert {file.name for file in (folder / "diffs").iterdir()} == {"0.8.html", "0.3.html"}
    assert '"diffs/0.8.html"' in (folder / "s.html").read_text(encoding="utf-8")
    text = run("sweep", "true.csv", "pairs.csv").output
    assert "6 points · 6 thresholds" in text
    assert "cost most" not in text  # none has happened at the best threshold
    text = run("sweep", "true.csv", "pairs.csv", "--at", "0.5").output
    assert "the costliest merges, up to score 0.5" in text
    assert "a3 – b1" in text
    assert "ann – bob" in text
    assert "b2 – c1" not in text


def test_thresholds_can_be_told(folder: Path) -> None:
    """A number of them, or the thresholds themselves, highest first for pairs."""
    assert printed("sweep", "true.csv", "pairs.csv", "--thresholds", "0.5,0.85")["threshold"] == [0.85, 0.5]
    assert len(printed("sweep", "true.csv", "pairs.csv", "--thresholds", "3")["threshold"]) == 3


def test_a_linkage_and_columns_are_swept(folder: Path) -> None:
    """A file of numpy is a dendrogram over the rows of TRUE; --columns names resolutions, by a pattern if need be."""
    assert printed("sweep", "true.csv", "tree.npy")["over"] == "height"
    assert max(printed("sweep", "true.csv", "tree.npy", "--thresholds", "all")["S_H"]) == 1.0
    np.savetxt(folder / "tree.txt", np.load(folder / "tree.npy"))
    assert printed("sweep", "true.csv", "tree.txt")["total"] == 6
    for names in ("leiden_*", "leiden_2.0,leiden_0.5,leiden_1.0"):
        found = printed("sweep", "true.csv", "leiden.csv", "--columns", names)
        assert found["threshold"] == [0.5, 1.0, 2.0]
        assert found["clusters"] == [2, 3, 6]


def test_points_without_a_true_cluster(folder: Path) -> None:
    """They are named, and --missing says what becomes of them."""
    with (folder / "pairs.csv").open("a") as file:
        file.write("x,a1,0.99\n")
    refused = run("sweep", "true.csv", "pairs.csv")
    assert refused.exit_code == 2
    assert "TRUE has no cluster for 1 point of `pairs`: 'x'" in refused.output
    assert printed("sweep", "true.csv", "pairs.csv", "--missing", "drop")["n"] == 6
    assert printed("sweep", "true.csv", "pairs.csv", "--missing", "singleton")["n"] == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sweep", "true.csv", "pairs.csv", "--thresholds", "many"], "--thresholds takes a whole number"),
        (
            ["sweep", "true.csv", "leiden.csv", "--columns", "x_*"],
            "no column of leiden.csv matches 'x_*'",
        ),
        (
            ["sweep", "true.csv", "leiden.csv", "--columns", "leiden_*", "--thresholds", "3"],
            "no meaning for --columns",
        ),
        (
            ["sweep", "true.csv", "leiden.csv", "--columns", "leiden_*", "--at", "1"],
            "--at has no meaning for --columns",
        ),
        (["sweep", "true.csv", "leiden.csv"], "not clear which are the ends"),
        (["sweep", "true.csv", "none.npy"], "none.npy does not exist"),
        (["sweep", "true.csv", "damaged.npy"], "damaged.npy cannot be read"),
        (["sweep", "true.csv", "nodes.npy"], "PRED must join nodes, which are whole numbers"),
        (["matrix", "leiden.csv", "true.csv", "--columns", "leiden_*"], "columns of one file; got 2 files"),
        (["matrix", "true.csv"], "FILES must hold at least two clusterings to be compared; got one."),
    ],
)
def test_bad_use_is_told(folder: Path, arguments: list[str], message: str) -> None:
    """Exit 2 and one message, no traceback."""
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output.replace("\n", " ")


def test_many_clusterings_are_compared(folder: Path) -> None:
    """Columns of one file, or several files, with or without the truth; pictures and CSV are written."""
    found = printed("matrix", "leiden.csv", "--columns", "leiden_*", "--true", "true.csv", "--csv", "m.csv", "--plot",
                    "m.svg", "--tree", "t.svg")  # fmt: skip
    assert found["names"] == ["true", "leiden_0.5", "leiden_1.0", "leiden_2.0"]
    assert found["reference"] == "true"
    assert found["values"][0][0] == 1.0
    assert (folder / "m.csv").read_text().startswith(",true,leiden_0.5")
    assert (folder / "t.svg").stat().st_size > 1000
    text = run("matrix", "true.csv:entity", "leiden.csv:leiden_1.0", "--point", "id").output
    assert "2 clusterings of 6 points" in text
    assert "most stable first" in text
