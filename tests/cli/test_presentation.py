"""The commands that explain, patch and apply."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.cli.examples import customers
from tests.hostile import HOSTILE, hostile_clusterings


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def table(path: Path, clusters: dict[str, str], **columns: dict[str, str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["point", "cluster", *columns])
        writer.writerows([p, c, *(column[p] for column in columns.values())] for p, c in clusters.items())
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rows = customers.rows()
    true = {row["record"]: row["true"] for row in rows}
    pred = {row["record"]: row["pred"] for row in reversed(rows)}
    source = {row["record"]: row["source"] for row in rows}
    return table(tmp_path / "true.csv", true, source=source), table(tmp_path / "pred.csv", pred)


def test_explain_tells_and_lists_repairs(files: tuple[Path, Path]) -> None:
    """--explain prints the sentences, the repairs with their gains, and how many restore the true clustering."""
    out = run("compare", *files, "--explain").stdout
    assert "true cluster Maria Garcia (5 points) was split into 2 parts: C01 (3 points: r01, r02, r03)" in out
    assert "+0.0511   20% of the loss  move 1 point of Robert Miller (r14) from C05 to C04" in out
    assert "@@" not in out  # sentences instead of hunks
    assert "restoring the true clusters takes 6 operations, choosing the one that gains most each time" in out
    data = json.loads(run("compare", *files, "--explain", "--json").stdout)
    # The second gains a little more, but the first moves fewer points.
    assert [repair["points"] for repair in data["repairs"][:2]] == [["r14"], ["r15", "r16"]]
    assert data["explanation"]["damaged"] == 5


def test_explain_begins_with_patterns(tmp_path: Path) -> None:
    """What goes wrong, who is hit by which column of TRUE, groups to fix, and only then components; also as JSON."""
    points = [f"r{i}" for i in range(1200)]
    short = {point: "A. Silva" if i % 12 == 0 else f"Ana{i % 30} Silva" for i, point in enumerate(points)}
    true = {point: f"p{i // 3}" for i, point in enumerate(points)}
    pred = {point: f"c{point}" if i % 24 == 0 else f"c{i // 3}" for i, point in enumerate(points)}
    files = table(tmp_path / "true.csv", true, name=short), table(tmp_path / "pred.csv", pred)
    out = run("compare", *files, "--explain", "--top", 1).stdout
    first = (
        "what goes wrong\n  100%  one true cluster in two: 50 components of 3 points, mostly 1 split off\n"
    )
    hit = "who is hit\n  split off: name is A. Silva: 50% against 0%, 100% of the loss\n"
    fixed = "what to fix first\n  +0.0724  100% of the loss  name is A. Silva: 50 points, then S_H = 1.0000\n"
    assert f"{first}\n{hit}\n{fixed}\n1. split" in out
    assert "\nsingle repairs\n" in out
    data = json.loads(run("compare", *files, "--explain", "--json").stdout)["patterns"]
    assert (data["regime"], data["shapes"][0]["shape"], data["who"]["rows"][0]["ratio"]) == (
        "many",
        "split-2",
        None,
    )
    assert [(group["group"], group["records"]) for group in data["groups"]] == [("name is A. Silva", 50)]
    ours = json.loads(run("compare", *files, "--explain", "--measure", "ari", "--json").stdout)["patterns"]
    assert (ours["measure"], ours["groups"][0]["score"]) == ("ari", 1.0)
    assert ours["groups"][0]["gain"] == pytest.approx(1 - cd.score(true, pred, "ari"))


def test_what_things_are_worth_in_a_measure(files: tuple[Path, Path]) -> None:
    """--measure tells components, clusters and repairs by what they gain there; --top says how many."""
    diff = customers.compare()
    out = run("compare", *files, "--measure", "ari", "--top", "2", "--stat", "--explain").stdout
    assert out.startswith(f"ari  {diff.score('ari'):.4f}\nS_H  {diff.score():.4f}")
    assert "Maria Garcia        5      2  +0.0813" in out
    assert "… and 1 more predicted cluster (--top shows more)" in out
    assert "what to fix first\n+0.0813  28% of the loss  merge C01 and C02: 5 points of Maria Garcia\n" in out
    data = json.loads(run("compare", *files, "--measure", "vi", "--top", "2", "--json").stdout)["gains"]
    assert (data["measure"], data["score"]) == ("vi", diff.score("vi"))
    for by in ("component", "true", "pred"):
        expected = diff.gains("vi", by).to_dict(2)["gains"]
        assert [row["gain"] for row in data[by]["rows"]] == [row["gain"] for row in expected]
    assert data["repairs"]["rows"][0]["sentence"] == diff.repairs("vi")[0].sentence
    wrong = run("compare", *files, "--measure", "arii")
    assert (wrong.exit_code, "unknown measure 'arii'" in wrong.stderr) == (2, True)


def test_measures_that_are_recomputed_say_for_how_many_they_were_not(tmp_path: Path) -> None:
    """Two hundred components that differ, of which a hundred are looked at."""
    true = table(tmp_path / "true.csv", {f"r{i}": str(i // 2) for i in range(400)})
    pred = table(tmp_path / "pred.csv", {f"r{i}": str(i) for i in range(400)})
    out = run("compare", true, pred, "--measure", "ami", "--top", "1").stdout
    assert "… and 99 more components with " in out
    assert "… and 100 components with smaller losses, whose gain was not computed" in out


def test_by_slices_by_columns_of_true_whatever_the_order_of_pred(files: tuple[Path, Path]) -> None:
    """--by takes a column of the table, size or kind; the losses are the library's."""
    rows = customers.rows()
    data = json.loads(run("compare", *files, "--by", "source", "--by", "size", "--json").stdout)
    expected = customers.compare().by([row["source"] for row in rows])
    assert data["slices"]["source"] == [row._asdict() for row in expected]
    assert [row["value"] for row in data["slices"]["size"]] == ["1", "2", "3–4", "5–8"]
    assert "newsletter" in run("compare", *files, "--by", "source").stdout
    wrong = run("compare", *files, "--by", "sauce")
    assert wrong.exit_code == 2
    assert (
        "--by must name a column of TRUE, size or kind; got 'sauce', and there are 'source', 'size'"
        in wrong.stderr
    )
    assert "did you mean 'source'" in wrong.stderr


def test_html_writes_the_report_with_the_tables_other_columns(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    """The points are shown with what the table of TRUE has besides points and clusters."""
    path = tmp_path / "diff.html"
    result = run("compare", *files, "--html", path)
    assert result.exit_code == 0
    assert f"report: {path}" in result.stderr.replace("\n", "")
    page = path.read_text(encoding="utf-8")
    assert '"attributes":["source"]' in page
    assert run("demo", "--html", path, "--json").exit_code == 0


def test_old_and_new_have_their_own_words(files: tuple[Path, Path]) -> None:
    """Two releases: old and new instead of true and predicted, and what became of every cluster."""
    out = run("compare", "--old", files[0], "--new", files[1], "--explain").stdout
    assert "20 old clusters · 21 new clusters" in out
    assert "points: 48 in both · 0 removed · 0 added" in out
    assert "old clusters: 14 kept · 2 absorbed · 4 split" in out
    assert "old cluster Maria Garcia" in out
    assert "predicted" not in out
    assert "to fix" not in out
    assert "operation" not in out
    assert "0.2499 changed, 0.1379 (55%) to splits" in out
    for said in (out, run("compare", "--old", files[0], "--new", files[1], "--top", "1").stdout):
        assert "changed 0.2499" in said
        assert "lost" not in said
        assert "loss" not in said
    told = json.loads(run("compare", "--old", files[0], "--new", files[1], "--json").stdout)["releases"]
    assert told["points"] == {"shared": 48, "removed": 0, "added": 0}
    assert sum(told["fates"].values()) == 20
    assert sum(told["origins"].values()) == 21
    for arguments in (["--old", files[0]], [files[0], "--old", files[0], "--new", files[1]]):
        result = run("compare", *arguments)
        assert result.exit_code == 2
        assert "--old and --new go together" in result.stderr
    assert "there is nothing to compare" in run("compare").stderr


def test_patch_and_apply_give_back_the_true_clustering(files: tuple[Path, Path], tmp_path: Path) -> None:
    """PRED patched is TRUE, in files as in memory."""
    fix, fixed = tmp_path / "fix.json", tmp_path / "fixed.csv"
    result = run("patch", *files, "-o", fix)
    assert result.exit_code == 0
    assert "3 splits, 4 merges" in result.stderr
    assert run("patch", *files, "--text").stdout.count("\n") == 7
    assert json.loads(run("patch", *files).stdout) == json.loads(fix.read_text())
    assert run("apply", files[1], fix, "-o", fixed).exit_code == 0
    assert "S_H  1.0000" in run("compare", files[0], fixed).stdout
    with fixed.open(newline="") as file:
        rows = {row["point"]: row["cluster"] for row in csv.DictReader(file)}
    assert cd.Clustering(rows) == customers.compare().true
    refused = run("apply", files[0], fix)
    assert refused.exit_code == 2
    assert re.search(
        r"operation 1 of 7 \(split the cluster of r\d+ .*\) does not fit: the cluster of 'r\d+'",
        refused.stderr,
    )
    assert refused.stdout == ""


def test_labels_in_order_are_patched_in_order(tmp_path: Path) -> None:
    """One label per line in, one label per line out."""
    (tmp_path / "true.txt").write_text("a\na\nb\n")
    (tmp_path / "pred.txt").write_text("x\ny\ny\n")
    run("patch", tmp_path / "true.txt", tmp_path / "pred.txt", "-o", tmp_path / "fix.json")
    out = run("apply", tmp_path / "pred.txt", tmp_path / "fix.json").stdout
    assert out.splitlines() == ["x", "x", "y"]


def test_hostile_labels_do_nothing_to_the_terminal(tmp_path: Path) -> None:
    """No control character is printed, and rich's markup in labels is text."""
    true, pred = hostile_clusterings()
    left, right = tmp_path / "true.txt", tmp_path / "pred.txt"
    whole = [label for label in HOSTILE if label and label.isprintable() and len(label) < 100]
    left.write_text("".join(f"{label}\n" * 2 for label in whole), encoding="utf-8")
    right.write_text(
        "".join(f"{label}\n" for label in whole for label in (label, whole[0])), encoding="utf-8"
    )
    result = run("compare", left, right, "--format", "labels", "--explain", "--top", "50")
    assert result.exit_code == 0, result.stderr
    assert "[bold red]markup[/bold red]" in result.stdout
    for side in (true, pred):
        assert not any(ord(c) < 32 and c != "\n" for c in str(cd.compare(side, true).explain()))
        assert not any(ord(c) < 32 and c != "\n" for c in repr(cd.compare(true, side).repairs()))


def test_formulas_are_noted_and_can_be_made_text(tmp_path: Path) -> None:
    """Data are written as they are, with a note; --for-spreadsheet puts an apostrophe before what would be run."""
    true = table(tmp_path / "true.csv", {"=1+1": "A", "-2": "A", "@x": "A", "b": "B"})
    pred = table(tmp_path / "pred.csv", {"=1+1": "=cmd()", "-2": "=cmd()", "@x": "y", "b": "z"})
    run("patch", true, pred, "-o", tmp_path / "fix.json")
    plain = run("apply", pred, tmp_path / "fix.json")
    assert plain.stdout.splitlines() == ["point,cluster", "=1+1,=cmd()", "-2,=cmd()", "@x,=cmd()", "b,z"]
    assert "6 values of the output start like a formula" in plain.stderr.replace("\n", " ")
    safe = run("apply", pred, tmp_path / "fix.json", "--for-spreadsheet")
    assert safe.stdout.splitlines() == [
        "point,cluster",
        "'=1+1,'=cmd()",
        "'-2,'=cmd()",
        "'@x,'=cmd()",
        "b,z",
    ]
    assert "start like a formula" not in safe.stderr


def test_columns_are_shown_beside_points(tmp_path: Path) -> None:
    """--show, of TRUE and of --attributes; values of one point stand in brackets, and none is left out."""
    true, pred, more = (tmp_path / name for name in ("t.csv", "p.csv", "m.csv"))
    true.write_text("id,cluster,city\na,1,Bonn\nb,1,\nc,2,Graz\n")
    pred.write_text("id,cluster\na,1\nb,2\nc,2\n")
    more.write_text("id,name\na,Ann\nc,Cy\n")
    given = ["compare", str(true), str(pred), "--attributes", str(more)]
    told = CliRunner().invoke(main, [*given, "--show", "name,city"]).stdout
    assert "a (Ann, Bonn)" in told
    assert "c (Cy, Graz)" in told
    assert "b (" not in told
    wrong = CliRunner().invoke(main, [*given, "--show", "nam"])
    assert (wrong.exit_code, "--show must name a column of TRUE or of --attributes" in wrong.output) == (
        2,
        True,
    )
    assert "did you mean 'name'" in wrong.output


def test_slices_honour_top() -> None:
    """--by shows as many values as --top says, and how much of the loss the others have."""
    told = CliRunner().invoke(main, ["demo", "--by", "city", "--top", "2"]).stdout
    rows = told.partition("city ")[2].splitlines()
    assert "more values with" in rows[3]
    assert "(--top shows more)" in rows[3]


def test_markdown_has_the_hunks_of_a_diff(tmp_path: Path) -> None:
    """As a block of code, whose fence no label can close."""
    true, pred = tmp_path / "t.csv", tmp_path / "p.csv"
    true.write_text("id,cluster\n```,1\nb,1\nc,1\n")
    pred.write_text("id,cluster\n```,1\nb,1\nc,2\n")
    told = CliRunner().invoke(main, ["compare", str(true), str(pred), "--markdown"]).stdout
    block = told.partition("````diff\n")[2].partition("\n````\n")[0].splitlines()
    assert block[2].startswith("@@ split · 3 points")
    assert [line[0] for line in block[4:]] == [" ", "-"]
    assert "```" in block[4]
