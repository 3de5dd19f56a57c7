"""Documents that cannot lie: their Python examples are run, their shell examples too, and the output compared.

A ``python`` block with prompts is a doctest. In a ``console`` block every line that starts with "$ " is run in an
empty folder, and what follows must be its output; "…" stands for any text, and a block of commands alone must
merely succeed. Blocks marked ``sh`` are not run.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from clusterdiff.cli import main
from clusterdiff.formats.catalogue import FORMATS

TOP = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([TOP / "README.md", *(TOP / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)(?P<target>[^)#\s]+)")


#: The files that shell examples find where they run.
EXAMPLES = sorted(
    path
    for path in (TOP / "src" / "clusterdiff" / "cli" / "examples").iterdir()
    if path.is_file() and path.suffix != ".py"
)


def blocks(kind: str) -> list[tuple[Path, str]]:
    return [
        (path, match["body"])
        for path in DOCUMENTS
        for match in BLOCK.finditer(path.read_text(encoding="utf-8"))
        if match["kind"] == kind
    ]


def test_there_are_examples_to_run() -> None:
    """The bundled files are where they are looked for, and blocks of both kinds are found."""
    assert {path.name for path in EXAMPLES} >= {"customers.csv", "key.conll", "response.conll"}
    assert TOP / "README.md" in PYTHON
    assert {path for path, _ in blocks("console")} >= {TOP / "README.md", TOP / "docs" / "guide.md"}


#: The documents with Python examples.
PYTHON = list(dict.fromkeys(path for path, body in blocks("python") if ">>>" in body))


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.name)
def test_python_examples_give_what_they_show(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All Python examples of a document, in order, in one namespace."""
    monkeypatch.chdir(tmp_path)
    examples = "\n".join(body for where, body in blocks("python") if where == path and ">>>" in body)
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=report.append)
    assert not runner.failures, "".join(report)
    assert runner.tries == examples.count(">>>") > 0


@pytest.mark.parametrize(
    ("path", "body"), blocks("console"), ids=lambda value: value.name if isinstance(value, Path) else ""
)
def test_shell_examples_give_what_they_show(
    path: Path,
    body: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Each command of a block, run where only the bundled examples lie."""
    for file in EXAMPLES:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "120")
    commands = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    assert commands, f"{path.name}: a console block without a command"
    for command in commands:
        line, _, expected = command.partition("\n")
        code = run(line)
        printed = "".join(capfd.readouterr())
        if expected.strip():
            pattern = ".*".join(re.escape(part) for part in squeezed(expected).split("…"))
            assert re.fullmatch(pattern, squeezed(printed), re.DOTALL), printed
        else:
            assert code == 0, printed


def run(line: str) -> object:
    """Run a line as a shell does, and give its exit code; our own command alone needs neither it nor a process."""
    program, *arguments = shlex.split(line)
    if program != "clusterdiff" or re.search("[|<>;&$`*]", line):
        return subprocess.run(line, shell=True, timeout=120, check=False).returncode
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code


def squeezed(text: str) -> str:
    """Text without trailing blanks and outer empty lines, which documents do not keep."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_listed(name: str) -> None:
    """The table of docs/files.md has each format, under its name, with all suffixes but those of a task's own."""
    rows = [
        line for line in (TOP / "docs" / "files.md").read_text(encoding="utf-8").splitlines() if "|" in line
    ]
    (row,) = (line for line in rows if f"`{name}`" in line.split("|")[2])
    assert {end for end in FORMATS[name].suffixes if "_" not in end} <= set(re.findall(r"`([^`]+)`", row))


def test_the_security_page_names_tests_that_exist() -> None:
    """Every line says by which test it is held."""
    named = set(re.findall(r"`(test_\w+)`", (TOP / "docs" / "security.md").read_text(encoding="utf-8")))
    there = {
        name
        for path in (TOP / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 20
    assert named <= there, named - there


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, TOP / "CONTRIBUTING.md", TOP / "CHANGELOG.md"], ids=lambda path: path.name
)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link and picture of a document exists."""
    for match in LINK.finditer(path.read_text(encoding="utf-8")):
        assert (path.parent / match["target"]).exists(), match["target"]
