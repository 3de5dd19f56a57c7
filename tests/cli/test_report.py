"""--html in the shell: the title, the files and the command on the page, and no password."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import pytest

from clusterdiff.cli import main
from clusterdiff.cli.report import Report


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, labels in (("true", "AABB"), ("pred", "xxxy")):
        rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels))
        (tmp_path / f"{name}.csv").write_text(f"point,cluster\n{rows}", encoding="utf-8")
    return str(tmp_path / "true.csv"), str(tmp_path / "pred.csv")


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    return int(ended.value.code or 0)


def test_the_page_says_what_was_compared_and_how(files: tuple[str, str], tmp_path: Path) -> None:
    """Both files, the command as it was typed, the title, and costs in the measure that was named."""
    out = str(tmp_path / "diff.html")
    assert run("compare", *files, "--html", out, "--title", "Mine & yours", "--measure", "ari") == 0
    page = unescape(Path(out).read_text(encoding="utf-8"))
    assert "<bdi>Mine & yours</bdi></h1>" in page
    for file in files:
        assert f"<bdi>{file}</bdi>" in page
    assert (
        f"<bdi>clusterdiff compare {files[0]} {files[1]} --html {out} --title 'Mine & yours' --measure ari</bdi>"
        in page
    )
    assert '<span class="label">ari</span> <output id="score"' in page
    assert '"measure":{"name":"ari"' in page


@pytest.mark.parametrize("option", [["--title", "x"], ["--full"]])
def test_what_is_about_the_report_needs_one(
    files: tuple[str, str], option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without --html there is nothing that could have a title."""
    assert run("compare", *files, *option) == 2
    assert f"{option[0]} is for the report." in capsys.readouterr().err


def test_passwords_stay_out_of_the_page(files: tuple[str, str], tmp_path: Path) -> None:
    """The address of a database is named without what opens it."""
    from clusterdiff.verbs.compare import compare

    address = "postgres://ann:se%40cret@db.example:5432/people:matches"
    out = tmp_path / "diff.html"
    Report(str(out)).write(compare(*files), quiet=True, by={}, files=(address, files[1]))
    page = unescape(out.read_text(encoding="utf-8"))
    assert "<bdi>postgres://ann@db.example:5432/people:matches</bdi>" in page
    assert "cret" not in page.partition("<style>")[0] + page.partition("</style>")[2].partition("<script")[0]
