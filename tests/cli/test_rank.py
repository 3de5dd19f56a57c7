"""clusterdiff rank: files, columns, folders and corpora; data sets; and the guard of a pipeline."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.cli.commands.rank import written
from clusterdiff.decide.guard import Baseline
from tests.cases import cases

POINTS = 400
TRUE = [i // 4 for i in range(POINTS)]


def blurred(share: float, seed: int) -> list[int]:
    """A prediction in which this share of the points went anywhere."""
    rng = random.Random(seed)
    return [rng.randrange(100) if rng.random() < share else label for label in TRUE]


PREDS = {"fine": blurred(0.03, 1), "fair": blurred(0.06, 2), "rough": blurred(0.3, 3)}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def write(path: Path, labels: list[int]) -> Path:
    path.write_text("point,cluster\n" + "".join(f"p{i},{label}\n" for i, label in enumerate(labels)))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A truth, and a folder with three predictions."""
    write(tmp_path / "true.csv", TRUE)
    (tmp_path / "preds").mkdir()
    for name, labels in PREDS.items():
        write(tmp_path / "preds" / f"{name}.csv", labels)
    return tmp_path


def test_files_and_folders_are_ranked(folder: Path) -> None:
    """A folder stands for its files; systems are called after them, and the numbers are those of cd.rank."""
    (folder / "preds" / ".hidden").write_text("x")
    listed = [folder / "preds" / f"{name}.csv" for name in PREDS]
    found = as_json("rank", folder / "true.csv", folder / "preds", "--resamples", 200)
    assert [row["system"] for row in found["systems"]] == ["fine", "fair", "rough"]
    assert found["systems"] == as_json("rank", folder / "true.csv", *listed, "--resamples", 200)["systems"]
    expected = cd.rank(TRUE, PREDS, resamples=200).to_dict()["systems"]
    assert [row["scores"]["S_H"] for row in found["systems"]] == pytest.approx(
        [r["scores"]["S_H"] for r in expected]
    )
    text = run("rank", folder / "true.csv", folder / "preds").stdout
    assert "95% intervals (jackknife) over components" in text
    assert text.splitlines()[1].split()[:2] == ["1", "fine"]
    assert "rank:S_H|systems:3|unit:component(100)" in text


def test_every_system_has_a_page(folder: Path) -> None:
    """--pages writes their diffs, and the ranking that links to them and says where they differ."""
    pages = folder / "pages"
    assert run("rank", folder / "true.csv", folder / "preds", "--pages", pages).exit_code == 0
    index = (pages / "index.html").read_text(encoding="utf-8")
    assert "Where systems differ: by <bdi>shape" in index
    for name in PREDS:
        assert f'<a href="{name}.html">' in index
        assert f"<title>{name} · S_H" in (pages / f"{name}.html").read_text(encoding="utf-8")
    beside = "--html", folder / "r.html"
    assert run("rank", folder / "true.csv", folder / "preds", "--pages", pages, *beside).exit_code == 0
    assert '<a href="pages/fine.html">' in (folder / "r.html").read_text(encoding="utf-8")


def test_systems_are_compared_by_the_columns_that_all_have(tmp_path: Path) -> None:
    """One loses where the town is Leeds, the other where it is missing; names and a score are no slices."""
    n = 120
    towns = ["", "Leeds", "<York>"] * 40
    rows = [f"p{i},{i // 6},{towns[i // 6]},name {i}" for i in range(n)]
    (tmp_path / "true.csv").write_text("id,cluster,town,name\n" + "\n".join(rows) + "\n")
    for system, town in (("a", "Leeds"), ("b", "")):
        labels = [1000 + i if towns[i // 6] == town else i // 6 for i in range(n)]
        head = "id,cluster,sure" if system == "a" else "id,cluster"
        lines = [f"p{i},{label}{f',{i % 2}' if system == 'a' else ''}" for i, label in enumerate(labels)]
        (tmp_path / f"{system}.csv").write_text(f"{head}\n" + "\n".join(lines) + "\n")
    files = [tmp_path / f"{name}.csv" for name in ("true", "a", "b")]
    assert run("rank", *files, "--pages", tmp_path / "pages").exit_code == 0
    index = (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    headings = re.findall(r"Where systems differ: by <bdi>(.*?)</bdi>", index)
    assert headings == ["shape", "size of the true cluster", "town"]
    table = index[index.index("by <bdi>town") :]
    lost = {
        label: [number != "0.0000" for number in re.findall(r"(?:</span> |<b>)([\d.]+)", row)]
        for label, row in re.findall(r'<th scope="row"><bdi>(.*?)</bdi></th>(.*?)</tr>', table, re.DOTALL)
    }
    systems = re.findall(r'<a href="(.)\.html"', table)[:2]
    assert {label: dict(zip(systems, found, strict=True)) for label, found in lost.items()} == {
        "Leeds": {"a": True, "b": False},
        "none": {"a": False, "b": True},
        "&lt;York&gt;": {"a": False, "b": False},
    }


def test_columns_of_one_table_are_ranked(folder: Path) -> None:
    """--true names the truth; --pred names the others, which are all but the points otherwise."""
    table = folder / "all.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["point", "gold", *PREDS])
        writer.writerows([f"p{i}", *row] for i, row in enumerate(zip(TRUE, *PREDS.values(), strict=True)))
    every = as_json("rank", table, "--true", "gold", "--resamples", 100)
    assert [row["system"] for row in every["systems"]] == ["fine", "fair", "rough"]
    two = as_json("rank", table, "--true", "gold", "--pred", "rough,fair", "--resamples", 100)
    assert [row["system"] for row in two["systems"]] == ["fair", "rough"]
    by_name = as_json("rank", f"{table}:gold", f"{table}:fine", f"{table}:fair", "--resamples", 100)
    assert [row["system"] for row in by_name["systems"]] == ["fine", "fair"]


def test_systems_are_called_after_their_files(folder: Path) -> None:
    """Only a suffix goes: numbers with a point stay. Files of one name are told apart by their paths, all of them."""
    for name in ("leiden_0.25.csv", "leiden_0.5.csv", "fine.csv"):
        write(folder / name, PREDS["fair"])
    files = [
        folder / "leiden_0.25.csv",
        folder / "leiden_0.5.csv",
        folder / "fine.csv",
        folder / "preds" / "fine.csv",
    ]
    found = as_json("rank", folder / "true.csv", *files, "--resamples", 0)
    names = sorted(row["system"] for row in found["systems"])
    assert names == sorted(["leiden_0.25", "leiden_0.5", str(files[2]), str(files[3])])
    result = run("rank", folder / "true.csv", files[0], files[0])
    assert (result.exit_code, "is named twice" in result.stderr) == (2, True)


def test_every_form_is_printed(folder: Path) -> None:
    """Markdown, LaTeX, CSV and a page; two of them at once are refused."""
    arguments = ("rank", folder / "true.csv", folder / "preds", "--resamples", 100, "--measures", "S_H,ari")
    assert run(*arguments, "--markdown").stdout.startswith(r"|  | system | S\_H | interval | ari |")
    assert "\\toprule" in run(*arguments, "--latex").stdout
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--csv").stdout)))
    assert [row["system"] for row in rows] == ["fine", "fair", "rough"]
    assert run(*arguments, "--html", folder / "rank.html").exit_code == 0
    assert "<td><bdi>fair</bdi></td>" in (folder / "rank.html").read_text()
    result = run(*arguments, "--latex", "--csv")
    assert (result.exit_code, "--latex and --csv are two ways to print the same" in result.stderr) == (
        2,
        True,
    )


@pytest.fixture
def runs(folder: Path) -> Path:
    """A table of seven data sets, each with its truth and two systems."""
    lines = ["data,system,file"]
    for i in range(7):
        lines.append(f"set {i},true,true.csv")
        for name, share in (("good", 0.05), ("bad", 0.3)):
            write(folder / f"{name}{i}.csv", blurred(share, 10 * i + len(name)))
            lines.append(f"set {i},{name},{name}{i}.csv")
    path = folder / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_data_sets_are_ranked_from_a_table(runs: Path) -> None:
    """Files are looked for beside the table; the system called true is the truth."""
    found = as_json("rank", "--table", runs, "--resamples", 50)
    assert [row["system"] for row in found["systems"]] == ["good", "bad"]
    assert found["p_values"][0]["p_value"] == pytest.approx(2 / 2**7)
    assert found["cliques"] == []
    result = run("rank", "--table", runs, "--resamples", 0, "--plot", runs.parent / "ranks.png")
    assert "All differences are significant." in result.stdout
    assert (runs.parent / "ranks.png").stat().st_size > 5000


def test_a_table_of_data_sets_may_be_of_any_kind(runs: Path) -> None:
    """A path, its text, a frame, and files of other formats."""
    two = runs.with_name("two.csv")
    two.write_text("".join(runs.read_text().splitlines(keepends=True)[:7]))
    found = as_json("rank", "--table", two, "--resamples", 0)["scores"]
    rows = list(csv.DictReader(io.StringIO(two.read_text())))
    frame = pl.DataFrame([row | {"file": str(two.parent / row["file"])} for row in rows])
    for table in (two, str(two), frame):
        assert cd.rank(table, resamples=0).to_dict()["scores"] == found
    numbered = frame.with_columns(pl.col("data").str.slice(4).cast(pl.Int64))
    assert cd.rank(numbered, resamples=0).datasets == ["0", "1"]
    assert result_of_tables(two) == [found] * 3


def result_of_tables(runs: Path) -> list[Any]:
    """The matrix of scores from the same table with tabs, as Parquet, and as text with a mark of its encoding."""
    frame = pl.read_csv(runs)
    frame.write_csv(runs.with_suffix(".tsv"), separator="\t")
    frame.write_parquet(runs.with_suffix(".parquet"))
    runs.with_name("marked.csv").write_text("\ufeff" + runs.read_text(), encoding="utf-8")
    tables = [runs.with_suffix(".tsv"), runs.with_suffix(".parquet"), runs.with_name("marked.csv")]
    return [as_json("rank", "--table", table, "--resamples", 0)["scores"] for table in tables]


def test_what_is_guessed_alike_of_many_files_is_counted(folder: Path) -> None:
    """A folder of eight files, which all have the same columns: five lines, and how many more."""
    for i in range(8):
        write(folder / "preds" / f"run {i}.csv", PREDS["fine"])
    told = run("rank", folder / "true.csv", folder / "preds", "--resamples", 0).stderr
    assert told.count("points from the column 'point'") == 6
    assert "… and 7 more files: points from the column 'point', clusters from 'cluster'" in told


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data,system,file\n", "lists no data sets"),
        ("data,system\na,b\n", "it lacks 'file'"),
        ("data,system,file\na,true,t.csv\n", "a has no systems but the truth"),
        ("data,system,file\na,b,t.csv\n", "a has no truth"),
        ("data,system,file\na,b,t.csv\na,b,t.csv\n", "line 3: a already has b."),
        ("data,system,file\na,,t.csv\n", "line 2: data, system and file are required"),
    ],
)
def test_bad_tables_of_runs_are_refused(tmp_path: Path, text: str, message: str) -> None:
    """With what they lack, and where."""
    (tmp_path / "runs.csv").write_text(text)
    result = run("rank", "--table", tmp_path / "runs.csv")
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


# ---- the guard


def baseline(path: Path, command: str, *arguments: object) -> Path:
    """What a command prints as JSON, in a file."""
    path.write_text(json.dumps(as_json(command, *arguments)))
    return path


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_a_worse_system_fails(folder: Path, command: str) -> None:
    """Against the JSON of either command: exit 1, with the reason on standard error."""
    old = baseline(folder / "old.json", command, folder / "true.csv", folder / "preds" / "fine.csv")
    now = ("rank", folder / "true.csv", folder / "preds" / "fine.csv", "--baseline", old)
    assert run(*now, "--fail-if-worse").exit_code == 0
    write(folder / "preds" / "fine.csv", PREDS["rough"])
    result = run(*now)
    assert (result.exit_code, "fine: S_H went from 0." in result.stdout) == (0, True)
    result = run(*now, "--fail-if-worse", "--significant")
    assert result.exit_code == 1
    told = " ".join(result.stderr.split())
    assert f"worse than {old}: fine: S_H went from 0." in told
    assert "the old score is outside the interval" in told


def test_a_difference_within_chance_passes_where_it_must_be_significant(folder: Path) -> None:
    """One point more astray is worse, but not significantly so."""
    labels = PREDS["fine"].copy()
    old = baseline(folder / "old.json", "rank", folder / "true.csv", write(folder / "a.csv", labels))
    labels[0] = 99
    write(folder / "a.csv", labels)
    now = ("rank", folder / "true.csv", folder / "a.csv", "--baseline", old, "--fail-if-worse")
    assert run(*now).exit_code == 1
    result = run(*now, "--significant")
    assert (result.exit_code, "the old score is inside the interval" in result.stdout) == (0, True)
    assert run(*now, "--significant", "--resamples", 0).exit_code == 2


def test_a_distance_gets_worse_upwards(folder: Path) -> None:
    """More VI is worse."""
    arguments = (folder / "true.csv", folder / "a.csv", "--measures", "VI", "--resamples", 100)
    write(folder / "a.csv", PREDS["fine"])
    old = baseline(folder / "old.json", "rank", *arguments)
    write(folder / "a.csv", PREDS["rough"])
    assert run("rank", *arguments, "--baseline", old, "--fail-if-worse", "--significant").exit_code == 1
    worse = baseline(folder / "worse.json", "rank", *arguments)
    write(folder / "a.csv", PREDS["fine"])
    assert run("rank", *arguments, "--baseline", worse, "--fail-if-worse").exit_code == 0


def test_data_sets_are_guarded_by_a_paired_test(runs: Path) -> None:
    """Old and new scores of a system, data set by data set."""
    old = baseline(runs.parent / "old.json", "rank", "--table", runs, "--resamples", 10)
    for i in range(7):
        write(runs.parent / f"good{i}.csv", blurred(0.2, 100 + i))
    result = run(
        "rank", "--table", runs, "--resamples", 10, "--baseline", old, "--fail-if-worse", "--significant"
    )
    assert result.exit_code == 1
    assert "Wilcoxon p = 0.0156 over 7 data sets" in " ".join(result.stderr.split())


def test_a_poor_baseline_is_told(folder: Path) -> None:
    """Other points, other systems, and what is no baseline at all."""
    three = baseline(folder / "three.json", "rank", folder / "true.csv", folder / "preds", "--resamples", 10)
    one = baseline(folder / "one.json", "compare", folder / "true.csv", folder / "preds" / "fine.csv")
    write(folder / "small.csv", TRUE[:80])
    result = run("rank", folder / "small.csv", write(folder / "fine.csv", TRUE[:80]), "--baseline", three)
    assert "was made from 400 points, and now there are 80: not the same test" in " ".join(
        result.stderr.split()
    )
    assert "has systems that are not ranked now: 'fair', 'rough'" in " ".join(result.stderr.split())
    result = run("rank", folder / "true.csv", folder / "preds", "--baseline", one)
    assert (
        result.exit_code,
        "has the score of one comparison, and 3 systems are ranked" in result.stderr,
    ) == (2, True)
    result = run("rank", folder / "small.csv", write(folder / "new.csv", TRUE[:80]), "--baseline", three)
    assert (result.exit_code, "has none of the systems ranked" in result.stderr) == (2, True)
    result = run("rank", folder / "true.csv", folder / "preds", "--measures", "ari", "--baseline", three)
    assert (result.exit_code, "lacks ari; it has S_H, as_h" in result.stderr) == (2, True)
    told = '{{"signature": "", "systems": [{{"system": "fine", "scores": {{"S_H": {}}}}}]}}'
    for text, message in (
        ("{", "bad.json, line 1, column 2"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", "holds no scores"),
        ('{"n": 3}', "holds no scores"),
        ('{"signature": "", "scores": 3}', "holds no scores"),
        ('{"signature": "", "systems": []}', "holds no scores"),
        (told.format('"high"'), "holds no scores"),
        (told.format("null"), "has no value of S_H for fine"),
    ):
        (folder / "bad.json").write_text(text)
        result = run("rank", folder / "true.csv", folder / "preds", "--baseline", folder / "bad.json")
        assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


@pytest.mark.parametrize("value", ["null", "NaN"])
def test_a_baseline_without_a_value_guards_nothing(folder: Path, value: str) -> None:
    """It is refused, and does not let everything pass."""
    old = '{"signature": "S_H|n:400|missing:drop(3)", "scores": {"S_H": VALUE}}'
    (folder / "old.json").write_text(old.replace("VALUE", value))
    now = ("rank", folder / "true.csv", folder / "preds" / "fine.csv", "--baseline", folder / "old.json")
    result = run(*now, "--fail-if-worse", "--resamples", 0)
    assert (result.exit_code, "has no value of S_H for fine" in result.stderr) == (2, True)
    (folder / "old.json").write_text(old.replace("VALUE", "0.1"))
    result = run(*now, "--resamples", 0)
    assert "was made with missing:drop, and now it is missing:error: not the same test" in result.stderr


@cases(
    ("arguments", "message"),
    [
        ((), "there is nothing to rank"),
        (("true.csv", "--table", "x.csv"), "--table takes the place of TRUE and PRED"),
        (("true.csv", "p.csv", "--fail-if-worse"), "--fail-if-worse needs --baseline"),
        (("true.csv", "p.csv", "--significant"), "--significant needs --fail-if-worse"),
        (("true.csv", "p.csv", "--plot", "a.png"), "--plot draws mean ranks over data sets"),
        (("true.csv",), "one file needs --true"),
    ],
)
def test_bad_use_is_refused(arguments: tuple[str, ...], message: str) -> None:
    """Exit 2, and what to do."""
    result = run("rank", *arguments)
    assert (result.exit_code, message in result.stderr) == (2, True), result.stderr


def test_a_new_score_without_a_value_is_worse(tmp_path: Path) -> None:
    """A system that no longer has a score does not pass, significant or not."""

    def odd(meet: Any) -> float:
        return float("nan")

    (tmp_path / "old.json").write_text('{"signature": "", "scores": {"odd": 0.5}}')
    ranking = cd.rank(TRUE, {"a": PREDS["fine"]}, measures=odd, resamples=0)
    (change,) = Baseline.read(tmp_path / "old.json").changes(ranking)
    assert (change.worse, change.significant) == (True, True)
    assert str(change) == "a: odd went from 0.500000 to nan; it has no value now"


def test_thousands_of_changes_fit_into_a_comment(folder: Path) -> None:
    """The table and the changes together stay under the limit; what got worse comes first, the rest is counted."""
    ranking = cd.rank(
        TRUE, {f"system {i:04} with a longer name": PREDS["fine"] for i in range(5000)}, resamples=0
    )
    score = ranking.score(ranking.names[0])
    old = {
        "signature": ranking.signature,
        "systems": [
            {"system": name, "scores": {"S_H": 1.0 if i == 4999 else score}}
            for i, name in enumerate(ranking.names)
        ],
    }
    (folder / "old.json").write_text(json.dumps(old))
    changes = Baseline.read(folder / "old.json").changes(ranking)
    text = written(ranking, changes, "--markdown")
    assert 30_000 < len(text) < 60_000
    assert text.partition("\n- ")[2].startswith(r"system 4999 with a longer name: S\_H went from 1.000000")
    assert text.rstrip().endswith("more changes")


def test_a_comparison_as_a_comment_on_a_pull_request(folder: Path) -> None:
    """Markdown that stays under the limit, however many components there are, and is literal."""
    true = write(folder / "t.csv", [i // 2 for i in range(3000)])
    pred = write(folder / "p.csv", list(range(3000)))
    text = run("compare", true, pred, "--markdown", "--top", 1500).stdout
    assert text.startswith(
        r"**S\_H 0.000000** · 3,000 points · 1,500 true clusters · 3,000 predicted clusters"
    )
    assert 50_000 < len(text) < 60_000
    assert "more components" in text
    result = run("compare", true, pred, "--markdown", "--explain")
    assert (result.exit_code, "--markdown has no room for --explain" in result.stderr) == (2, True)


def test_the_documented_workflow_guards_a_pipeline(folder: Path) -> None:
    """Its steps, run as GitHub runs them: a comment is written either way, and only what is worse fails."""
    page = (Path(__file__).parents[2] / "docs" / "rank.md").read_text(encoding="utf-8")
    workflow = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    guard = next(
        step["run"] for step in workflow["jobs"]["compare"]["steps"] if "--baseline" in step.get("run", "")
    )
    write(folder / "gold.csv", TRUE)
    write(folder / "predicted.csv", PREDS["fine"])
    baseline = run("rank", folder / "gold.csv", folder / "predicted.csv", "--json").stdout
    (folder / "baseline.json").write_text(baseline, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for system, code in (("fine", 0), ("rough", 1)):
        write(folder / "predicted.csv", PREDS[system])
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", guard],
            cwd=folder,
            env=os.environ | {"PATH": path},
            check=False,
        )
        assert done.returncode == code
        assert "**S\\_H" in (folder / "diff.md").read_text(encoding="utf-8")
