"""clusterdiff check, worsen, plot and paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.paper.reproduction import reproduce
from tests.cases import cases
from tests.schemas import misfit


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


def test_check_one_measure_shows_counterexamples() -> None:
    """A table of properties, then the smallest pairs that break them."""
    out = run("check", "S_H", "--points", 5).stdout
    assert "conditionally_normalised" in out
    assert "S_H fails triangle:" in out
    assert "between  0 1 2 3 4" in out
    assert "0.0929" in out


def test_check_several_measures_side_by_side() -> None:
    """One column per measure, and JSON for programs."""
    out = run("check", "R", "A", "--points", 4)
    assert out.stdout.splitlines()[0].split()[:3] == ["property", "R", "A"]
    data = json.loads(run("check", "R", "A", "--points", 5, "--json").stdout)
    assert [one["name"] for one in data] == ["R", "A"]
    assert data[0]["holds"] == cd.check("R", points=4).holds


def test_check_of_unknown_names_is_refused() -> None:
    """Exit code 2 and the nearest name."""
    result = run("check", "nmi_mx")
    assert result.exit_code == 2
    assert "did you mean 'nmi_max'" in result.stderr


def test_worsen_a_file(tmp_path: Path) -> None:
    """The summary for people, CSV and a picture in files, everything as JSON."""
    labels = tmp_path / "labels.txt"
    labels.write_text("a\na\na\nb\nb\nc\n", encoding="utf-8")
    out = run("worsen", labels, "--csv", tmp_path / "steps.csv", "--plot", tmp_path / "steps.svg")
    assert "6 points in 3 clusters; operations: 3 × split, 1 × merge" in out.stdout
    assert "falls at every step" in out.stdout
    series = cd.worsen(list("aaabbc"))
    assert (tmp_path / "steps.csv").read_text(encoding="utf-8") == series.to_csv()
    assert "<svg" in (tmp_path / "steps.svg").read_text(encoding="utf-8")
    data = json.loads(run("worsen", labels, "--measures", "S_H,K(k=6)", "--how", "merges", "--json").stdout)
    assert list(data["scores"]) == ["S_H", "K(k=6)"]


def test_worsen_without_a_file_takes_the_story() -> None:
    """Sixty mentions, ⊥ after 33 splits."""
    assert "60 points in 27 clusters; operations: 33 × split" in run("worsen").stdout


def test_plot_writes_a_picture(tmp_path: Path) -> None:
    """Of two files, or of the bundled example."""
    for name, text in (("true", "a\na\nb\n"), ("pred", "1\n2\n2\n")):
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    target = tmp_path / "flow.png"
    assert run("plot", "flow", tmp_path / "true.txt", tmp_path / "pred.txt", "-o", target).exit_code == 0
    assert target.read_bytes()[:4] == b"\x89PNG"
    assert run("plot", "loss", "-o", tmp_path / "loss.svg").exit_code == 0


def test_paper_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To a file, to the terminal, or as JSON: the same claims, which take seconds to try."""
    found = {5: reproduce(5)}
    monkeypatch.setattr("clusterdiff.cli.commands.paper.reproduce", lambda points, say: found[points])
    target = tmp_path / "paper.md"
    out = run("paper", "--points", 5, "-o", target).stdout
    assert target.read_text(encoding="utf-8") == run("paper", "--points", 5).stdout == found[5].to_markdown()
    assert "claims" in out
    data = json.loads(run("paper", "--points", 5, "--json").stdout)
    assert misfit("paper", data) is None
    assert {claim["where"] for claim in data["claims"]} >= {"table 1", "table 2", "proposition 5.1", "6"}


@cases("command", ["check", "worsen", "plot", "paper"])
def test_help(command: str) -> None:
    """Every command explains itself."""
    assert run(command, "--help").stdout.startswith("Usage:")
