"""Notices come first in every form in which numbers are written: nobody passes them on without."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::clusterdiff.ClusterdiffWarning")

TOLD = "has 10 of the 100 points"
TRUE, PRED = ({f"p{i}": i % 3 for i in range(n)} for n in (10, 100))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A truth that is a sample of what was clustered."""
    monkeypatch.chdir(tmp_path)
    for name, side in (("true", TRUE), ("pred", PRED)):
        rows = "".join(f"{point},{cluster},one\n" for point, cluster in side.items())
        (tmp_path / f"{name}.csv").write_text(f"id,cluster,doc\n{rows}")
    return tmp_path


def printed(*arguments: str) -> str:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_what_is_written_to_files(folder: Path) -> None:
    """Scores begin with them, Parquet has them as metadata, and other tables have a file of them beside."""
    files = {
        "scores": ("s.json", "s.md", "s.tex"),
        "splits": ("t.csv", "t.tsv", "t.jsonl", "t.json", "t.parquet"),
    }
    wanted = [f"--write={part}={name}" for part, names in files.items() for name in names]
    printed("compare", "true.csv", "pred.csv", "--missing", "drop", *wanted)
    diff = cd.compare(TRUE, PRED, missing="drop")
    assert TOLD in diff.notices[1]
    scores = json.loads((folder / "s.json").read_text())
    assert next(iter(scores)) == "notices"
    assert len(scores["notices"]) == 2
    assert TOLD in (folder / "s.md").read_text().splitlines()[2]
    assert TOLD in (folder / "s.tex").read_text().splitlines()[1]
    assert TOLD in pq.read_schema(folder / "t.parquet").metadata[b"clusterdiff.notices"].decode()
    for name in files["splits"][:-1]:
        assert TOLD in (folder / f"{name}.notices.txt").read_text().splitlines()[1]
    assert not (folder / "t.parquet.notices.txt").exists()
    # A table that has none any more has no file of them either.
    cd.write(diff.splits, folder / "t.csv")
    assert not (folder / "t.csv.notices.txt").exists()
    assert "notices" not in json.loads((folder / "t.json").read_text())
    cd.write({"S_H": 1.0}, folder / "s.json")
    assert json.loads((folder / "s.json").read_text()) == {"S_H": 1.0}


def test_rankings(folder: Path) -> None:
    """As Markdown, LaTeX and HTML."""
    (folder / "other.csv").write_text((folder / "pred.csv").read_text())
    given = ("rank", "true.csv", "pred.csv", "other.csv", "--missing", "drop")
    markdown = printed(*given, "--markdown").splitlines()
    assert markdown[0].startswith("> **Notice:** ")
    assert TOLD in "".join(markdown[: markdown.index(next(x for x in markdown if x.startswith("|")))])
    latex = printed(*given, "--latex").splitlines()
    assert latex[0].startswith("% Notice: ")
    assert TOLD in "".join(latex[: latex.index(r"\noindent")])
    view = cd.rank(TRUE, {"a": PRED, "b": PRED}, missing="drop")._repr_html_()
    assert view.index(TOLD) < view.index("<table")
    several = cd.rank({"x": (TRUE, {"a": PRED, "b": PRED})}, missing="drop")
    assert several.to_markdown().index(TOLD) < several.to_markdown().index("\n|")


def test_the_table_of_papers(folder: Path) -> None:
    """compare --latex, for documents."""
    how = {"documents": "doc", "missing": "lost"}
    notices = cd.compare("true.csv", "pred.csv", **how).notices  # type: ignore[call-overload]
    latex = printed("compare", "true.csv", "pred.csv", "--documents", "doc", "--missing", "lost", "--latex")
    latex = latex.splitlines()
    assert notices
    assert latex[: len(notices)] == [f"% Notice: {' '.join(notice.split())}" for notice in notices]
    assert latex[len(notices)].startswith(r"\begin{tabular}")


def test_a_notebook() -> None:
    """Before the score."""
    view = cd.compare(TRUE, PRED, missing="drop")._repr_html_()
    assert view.index(TOLD) < view.index("S_H")
    assert "Notice" not in cd.compare([0, 1], [0, 1])._repr_html_()


def test_the_page_of_the_command_names_its_options(folder: Path) -> None:
    """What Python calls missing="drop" is --missing drop in a page that the command wrote."""
    printed("compare", "true.csv", "pred.csv", "--missing", "drop", "--html", "page.html")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert ": --missing drop leaves them out" in page
    assert "missing=&#34;drop" not in page
