"""The command, as a person and as a program would use it."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import polars as pl
import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main

TRUE = ["a", "a", "a", "b", "b", "c"]
PRED = ["1", "1", "2", "2", "2", "3"]
SCORE = cd.score(TRUE, PRED)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def labels(tmp_path: Path) -> tuple[Path, Path]:
    """Two files with one label per line."""
    for name, values in (("true", TRUE), ("pred", PRED)):
        (tmp_path / f"{name}.txt").write_text("\n".join(values) + "\n", encoding="utf-8")
    return tmp_path / "true.txt", tmp_path / "pred.txt"


def write_rows(path: Path, rows: list[dict[str, str]]) -> Path:
    """A table in the format that the file's name says."""
    if path.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            writer.writerows(rows)
    return path


def test_two_files_of_labels(labels: tuple[Path, Path]) -> None:
    """People see the score, what was lost, the kinds and the costliest components with their clusters."""
    result = run("compare", *labels)
    assert result.exit_code == 0
    assert f"S_H  {SCORE:.4f}" in result.stdout
    assert "6 points · 3 true clusters · 3 predicted clusters" in result.stdout
    loss = cd.compare(TRUE, PRED).loss
    parts = [f"{part:.4f} ({part / loss.total:.0%})" for part in (loss.split, loss.merge)]
    assert f"lost {loss.total:.4f}: {parts[0]} to splits, {parts[1]} to merges" in result.stdout
    assert "components: 1 same · 0 split · 0 merge · 1 mixed" in result.stdout
    assert f"--- true: {labels[0]}\n+++ predicted: {labels[1]}\n" in result.stdout
    hunk = [
        "@@ mixed · 5 points · 100% of the loss @@",
        "  a (3) → 1 (2)",
        "    2 stayed: 0, 1",
        "-   1 split off to 2: 2",
        "  b (2) → 2 (3)",
        "    2 stayed: 3, 4",
        "+   1 merged in from a: 2",
    ]
    assert "\n".join(hunk) in result.stdout
    assert f"|v:{cd.__version__}" in result.stdout


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet"])
def test_two_tables_of_points_and_clusters(tmp_path: Path, suffix: str) -> None:
    """Rows of point and cluster are matched by point, in whatever order they stand."""
    ids = [f"r{i}" for i in range(6)]
    true = [{"id": i, "cluster": c} for i, c in zip(ids, TRUE, strict=True)]
    pred = [{"id": i, "cluster": c} for i, c in zip(ids, PRED, strict=True)][::-1]
    data = as_json(
        "compare", write_rows(tmp_path / f"t{suffix}", true), write_rows(tmp_path / f"p{suffix}", pred)
    )
    assert data["scores"] == {"S_H": SCORE}
    assert data["components"][0]["true"] == ["a", "b"]


def test_one_table_with_two_columns(tmp_path: Path) -> None:
    """--true and --pred name two columns of one file."""
    rows = [{"gold": t, "system": p, "text": "x"} for t, p in zip(TRUE, PRED, strict=True)]
    path = write_rows(tmp_path / "both.csv", rows)
    data = as_json("compare", path, "--true", "gold", "--pred", "system", "--measures", "S_H,R,K(k=3)")
    assert list(data["scores"]) == ["S_H", "R", "K(k=3)"]
    assert data["scores"]["S_H"] == SCORE
    assert data["n"] == 6


def test_all_measures_that_apply(labels: tuple[Path, Path]) -> None:
    """The name "all" stands for every measure that has a value here, and S_H is the first of them."""
    found = as_json("compare", *labels, "--measures", "all,S_H,v_measure(beta=2)")["scores"]
    assert next(iter(found)) == "S_H"
    assert found == {**cd.compare(TRUE, PRED).scores("all"), "v_measure(beta=2)": found["v_measure(beta=2)"]}
    assert len(found) > 75
    assert run("compare", *labels, "--measures", "all", "--fail-under", "0.99").exit_code == 1


def test_chance_of_random_models(labels: tuple[Path, Path]) -> None:
    """The model is an option, and part of what comes out."""
    found = as_json("chance", *labels, "--measure", "rand", "--model", "num1", "--draws", "0")
    assert (found["model"], found["exact"]) == ("num1", True)
    assert found["mean"] == cd.chance(TRUE, PRED, "rand", model="num1", draws=0).mean
    assert run("chance", *labels, "--model", "perm").exit_code == 2


def test_warnings_are_one_line_on_standard_error(labels: tuple[Path, Path]) -> None:
    """What a measure warns of reaches people without a line of source."""
    result = run("compare", *labels, "--measures", "K(k=3)")
    assert result.exit_code == 0
    assert result.stderr == "notice: K(k=3): its bounds hold for k ≤ √n only, and √n is 2.449.\n"


def test_columns_are_chosen_by_name_or_asked_for(tmp_path: Path) -> None:
    """With more than two columns of unknown names the user has to say which."""
    rows = [{"x": str(i), "y": c, "z": "?"} for i, c in enumerate(TRUE)]
    path = write_rows(tmp_path / "t.csv", rows)
    result = run("compare", path, path)
    assert result.exit_code == 2
    assert "has the columns 'x', 'y', 'z', and none of them names the clusters." in result.stderr
    assert as_json("compare", path, path, "--point", "x", "--cluster", "y")["scores"]["S_H"] == 1.0
    result = run("compare", path, path, "--point", "x", "--cluster", "yy")
    assert "has no column 'yy'; it has 'y', 'x', 'z'." in result.stderr
    assert "did you mean 'y'?" in result.stderr


def test_policies_reach_the_comparison(tmp_path: Path) -> None:
    """--missing, --noise and --noise-as do what their Python namesakes do."""
    true = write_rows(
        tmp_path / "t.csv", [{"id": i, "cluster": c} for i, c in zip("abcd", "xxyn", strict=True)]
    )
    pred = write_rows(
        tmp_path / "p.csv", [{"id": i, "cluster": c} for i, c in zip("abce", "xxyn", strict=True)]
    )
    failed = run("compare", true, pred)
    assert failed.exit_code == 2
    assert "PRED lacks 1 of the 4 points of TRUE: 'd'." in failed.stderr
    assert as_json("compare", true, pred, "--missing", "drop")["n"] == 3
    assert as_json("compare", true, pred, "--missing", "singleton")["n"] == 5
    noisy = as_json("compare", true, true, "--noise", "n", "--noise-as", "drop")
    assert noisy["n"] == 3
    assert "noise:true=n→drop(1),pred=n→drop(1)" in noisy["signature"]


def test_top_limits_the_components(tmp_path: Path) -> None:
    """--top chooses how many components are shown, and what is left out is said."""
    true, pred = tmp_path / "t", tmp_path / "p"
    true.write_text("".join(f"{i // 2}\n" for i in range(40)))
    pred.write_text("".join(f"{i}\n" for i in range(40)))
    assert len(as_json("compare", true, pred, "--top", 3)["components"]) == 3
    shown = run("compare", true, pred, "--top", 3).stdout
    assert shown.count("@@ split · 2 points · 5.0% of the loss @@") == 3
    assert "… and 17 more components with 85% of the loss (--top shows more)" in shown
    assert "@@" not in run("compare", true, pred, "--top", 0).stdout
    refused = run("compare", true, pred, "--top", -3, "--explain")
    assert (refused.exit_code, "'--top': -3 is not in the range x>=0" in refused.stderr) == (2, True)
    diff = cd.compare([0, 0, 1], [0, 1, 1])
    calls: tuple[Callable[..., object], ...] = (
        diff.explain,
        diff.to_dict,
        diff.gains().to_dict,
        diff.repairs().to_dict,
    )
    for call in calls:
        for top in (-3, 1.5, "3"):
            with pytest.raises(cd.ArgumentError, match="`top` must be a whole number of at least 0; got"):
                call(top=top)


def test_a_column_of_words_is_none_of_numbers(tmp_path: Path) -> None:
    """The value and the column are named, as they stand in the file."""
    table = tmp_path / "t.csv"
    table.write_text("id,gold,found,`{kind}\na,1,1,=x\nb,1,2,--y\n")
    for option in ("--weight", "--features"):
        told = run("compare", table, "--true", "gold", "--pred", "found", option, "`{kind}").stderr
        assert "t.csv: '=x' in the column '`{kind}' is not a number." in told


def test_fail_under_sets_the_exit_code(labels: tuple[Path, Path]) -> None:
    """Exit 1 below the wanted score, 0 at or above it; for a distance, above is worse."""
    assert run("compare", *labels, "--fail-under", SCORE).exit_code == 0
    failed = run("compare", *labels, "--fail-under", SCORE + 1e-6)
    assert failed.exit_code == 1
    told = re.search(r"S_H is (\S+), below (\S+)$", failed.stderr.strip())
    assert told is not None
    assert float(told[1]) == pytest.approx(SCORE, abs=1e-5)
    assert told[1] != f"{SCORE:.4f}"  # as many digits as it takes to see the difference
    assert run("compare", *labels, "--measures", "VI", "--fail-under", 100).exit_code == 0
    failed = run("compare", *labels, "--measures", "VI", "--fail-under", 0)
    assert failed.exit_code == 1
    assert f"VI is {cd.score(TRUE, PRED, 'VI'):.4f}, above 0" in failed.stderr


def test_errors_are_one_message_with_a_hint_and_exit_2(labels: tuple[Path, Path], tmp_path: Path) -> None:
    """No traceback, nothing on standard output, exit 2."""
    (tmp_path / "empty").write_text("")
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    cases = {
        ("compare", labels[0], tmp_path / "nope"): "nope does not exist.",
        ("compare", labels[0], tmp_path): "is a folder, not a file.",
        ("compare", labels[0], tmp_path / "empty"): "is empty.",
        ("compare", labels[0], tmp_path / "latin"): "is not UTF-8 text",
        ("compare", labels[0]): "one file needs --true and --pred",
        ("compare", *labels, "--measures", "S_Q"): "unknown measure 'S_Q'.",
        ("measures", "rnd"): "unknown measure 'rnd'.",
    }
    for arguments, message in cases.items():
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert message in result.stderr
        assert result.stderr.startswith("error: ")
        assert "Traceback" not in result.output
        assert result.stdout == ""


def test_measures_lists_the_registry_and_describes_one() -> None:
    """`clusterdiff measures` names every measure; with a name it shows the entry."""
    listing = run("measures").stdout
    named = re.findall(
        r"^  (\S+)  ", listing, re.MULTILINE
    )  # a long summary goes on in a line with a larger indent
    assert sorted(named) == sorted(cd.measures)
    assert listing.splitlines()[-1].startswith(f"{len(cd.measures)} measures.")
    entry = run("measures", "K(k=5)").stdout
    assert "Variation of information" in entry
    assert "Meilă" in entry
    (facts,) = json.loads(run("measures", "S_H", "--json").stdout)
    assert facts["conditionally_normalised"] is True
    assert len(json.loads(run("measures", "--json").stdout)) == len(cd.measures)


def test_the_demo_shows_the_bundled_example() -> None:
    """`clusterdiff demo` compares 48 customer records with a few splits and merges."""
    data = as_json("demo")
    assert data["n"] == 48
    assert data["kinds"] == {"same": 12, "split": 2, "merge": 2, "mixed": 1}
    assert "Maria Garcia" in run("demo").stdout


def test_the_demo_writes_its_files_for_the_tutorials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them, again if they are the same, and none over a file of somebody else's."""
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert run("demo", "--files", ".").stdout.split() == ["customers.csv", "key.conll", "response.conll"]
    assert as_json("compare", "key.conll", "response.conll")["n"] > 0
    Path("customers.csv").unlink()
    Path("key.conll").write_text("mine")
    refused = run("demo", "--files", ".")
    assert refused.exit_code == 2
    assert "key.conll is there already" in refused.stderr
    assert Path("key.conll").read_text() == "mine"
    assert not Path("customers.csv").exists()


def test_hostile_labels_are_shown_as_text(tmp_path: Path) -> None:
    """Control characters and markup in labels reach the terminal as text."""
    (tmp_path / "t").write_text("\x1b[31mred[bold]\n\x1b[31mred[bold]\nb\n", encoding="utf-8")
    (tmp_path / "p").write_text("1\n2\n2\n", encoding="utf-8")
    out = run("compare", tmp_path / "t", tmp_path / "p").stdout
    assert "\x1b[31m" not in out
    assert r"\x1b[31mred[bold]" in out


def test_the_installed_command_runs() -> None:
    """The console script itself, with --version and --help."""
    command = Path(sys.executable).with_name("clusterdiff")
    version = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert version.stdout.strip() == f"clusterdiff, version {cd.__version__}"
    help_text = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
    assert "compare" in help_text
    assert "A diff for clusterings" in help_text


def test_a_command_is_a_module_of_its_name() -> None:
    """The group finds every module of `cli/commands`, and each defines the command that it is called after."""
    context = click.Context(main)
    names = main.list_commands(context)
    assert names == sorted(names)
    for name in names:
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
    assert main.get_command(context, "output") is None
