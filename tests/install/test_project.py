"""What surrounds the package: versions that agree, links that lead somewhere, workflows that run commands of `make`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

import clusterdiff as cd
from tests.cases import cases

TOP = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((TOP / ".github" / "workflows").glob("*.yml"))


def read(name: str) -> str:
    return (TOP / name).read_text(encoding="utf-8")


def test_versions_agree() -> None:
    """The package, the citation, the recipe and the newest entry of the changelog; a date is in two of them or none."""
    citation = yaml.safe_load(read("CITATION.cff"))
    newest = re.search(r"^## (?P<version>\S+) \((?P<date>[^)]+)\)", read("CHANGELOG.md"), re.MULTILINE)
    assert newest is not None
    recipe = re.search(r'set version = "([^"]+)"', read("recipe/meta.yaml"))
    assert recipe is not None
    assert {cd.__version__, citation["version"], newest["version"], recipe[1]} == {cd.__version__}
    assert str(citation.get("date-released", "unreleased")) == newest["date"]


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    """conda calls one package otherwise."""
    wanted = {
        re.sub("[<>=].*", "", need).replace("duckdb", "python-duckdb"): re.sub("^[^<>=]*", "", need)
        for need in PROJECT["project"]["dependencies"]
    }
    run = read("recipe/meta.yaml").partition("\n  run:\n")[2].partition("\n\n")[0]
    asked = dict(re.findall(r"^    - (\S+) (\S+)$", run, re.MULTILINE))
    assert asked == wanted


#: Files that may have an address, and folders whose files are not ours or were made by a command.
SUFFIXES = {".md", ".toml", ".yml", ".yaml", ".cff", ".py", ".html"}
MADE = {".git", ".venv", "build", "dist", "node_modules", "__pycache__"}


def texts() -> Iterator[Path]:
    """The files of the project that may have an address, in a clone or in an unpacked sdist."""
    for folder, inside, names in os.walk(TOP):
        inside[:] = [
            name for name in inside if name not in MADE and not (Path(folder) / name / "pyvenv.cfg").exists()
        ]
        ours = (Path(folder) / name for name in names)
        yield from (path for path in ours if path.suffix in SUFFIXES)


def test_one_place_says_whose_repository_it_is() -> None:
    """Every address of the repository is that of `[project.urls]`."""
    home = PROJECT["project"]["urls"]["Homepage"]
    organisation = home.split("/")[-2]
    found = {
        (path, name)
        for path in texts()
        for name in re.findall(
            r"(?:github(?:usercontent)?\.com/|//)([\w-]+)(?:\.github\.io)?/clusterdiff\b",
            path.read_text(encoding="utf-8", errors="replace"),
        )
    }
    assert (TOP / "pyproject.toml", organisation) in found
    assert {(path, name) for path, name in found if name != organisation} == set()


def test_the_description_on_pypi_has_no_relative_links() -> None:
    """PyPI shows README.md alone."""
    found = metadata.metadata("clusterdiff")
    # The importlib_metadata that other libraries bring replaces Python's own, and makes a header of the text.
    text = found.get_payload() or found["Description"]
    assert isinstance(text, str)
    assert "A diff for clusterings" in text
    assert re.findall(r"\]\((?!https?:|#)[^)]*\)", text) == []


def steps(path: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def commands(path: Path) -> list[str]:
    """What a workflow runs, with each value of a matrix of commands."""
    text = path.read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"].values()
    listed = [
        command for job in jobs for command in job.get("strategy", {}).get("matrix", {}).get("command", ())
    ]
    return listed + [
        step["run"] for step in steps(path) if "run" in step and "matrix.command" not in step["run"]
    ]


#: What workflows run besides `make`: the script of CI, and what builds and tests where there is no make.
OTHERS = (
    "sudo --preserve-env=PATH bash .ci/run",
    "python -m pip install ",
    "python -m pytest tests/",
    "pipx run cibuildwheel",
)


@cases("path", WORKFLOWS)
def test_workflows_run_commands_that_are_known(path: Path) -> None:
    """Each step is a target of the Makefile, which people and CI use, or one of a few others."""
    targets = set(re.findall(r"^([\w-]+):", read("Makefile"), re.MULTILINE))
    for command in commands(path):
        if command.startswith("make "):
            assert command.split()[1] in targets, command
        else:
            assert command.startswith(OTHERS), command
        for folder in re.findall(r"\btests/\w+", command):
            assert (TOP / folder).is_dir(), folder


def test_workflows_ask_for_no_more_than_they_need() -> None:
    """Whatever runs code of others may read and no more; no input is pasted into a shell."""
    for path in [*WORKFLOWS, TOP / "action.yml"]:
        text = path.read_text(encoding="utf-8")
        if path.name != "action.yml":
            assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
        runs = re.findall(r"^\s*(?:- )?run: (.*(?:\n {8,}.*)*)", text, re.MULTILINE)
        assert runs or path.name == "action.yml"
        assert not [run for run in runs if re.search(r"\$\{\{(?!\s*matrix\.)", run)]


def test_the_action_asks_for_options_that_exist() -> None:
    """Every long option in it is one of `clusterdiff compare`."""
    from clusterdiff.cli.commands.compare import command

    known = {name for parameter in command.params for name in parameter.opts}
    run = yaml.safe_load(read("action.yml"))["runs"]["steps"][-1]["run"]
    assert set(re.findall(r"--[\w-]+", run)) <= known


@cases("limit", ["0.5", "0.9", ""])
def test_the_action_compares_and_reports(limit: str, tmp_path: Path) -> None:
    """With any option of the command, below a limit and above it: the diff in the summary, the page kept."""
    here = tmp_path / f"limit {limit}"
    here.mkdir()
    summary, output = here / "summary", here / "output"
    example = files("clusterdiff.cli.examples") / "customers.csv"
    run = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", yaml.safe_load(read("action.yml"))["runs"]["steps"][-1]["run"]],
        env={
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(here),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "TRUE_FILE": f"{example}:true",
            "PRED_FILE": f"{example}:pred",
            "LIMIT": limit,
            "OPTIONS": "--point record --measure ari --by source",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == (limit == "0.9"), run.stderr
    assert summary.read_text(encoding="utf-8").startswith("~~~~~~diff\nari  0.7054\n")
    assert Path(output.read_text(encoding="utf-8").strip().removeprefix("report=")).is_file()


def test_the_paper_has_the_sections_that_joss_requires() -> None:
    """In this order and at its length, but for the disclosure that only the submitting authors can write."""
    text = read("paper/paper.md").split("---\n", 2)[2]
    assert re.findall(r"^# (.*)", text, re.MULTILINE) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "References",
    ]
    assert 750 <= len(text.split()) <= 1750
    keys = set(re.findall(r"^@\w+\{(\w+),", read("paper/paper.bib"), re.MULTILINE))
    assert set(re.findall(r"@(\w+)", text)) == keys


def test_every_extra_is_on_the_page_of_extras() -> None:
    """docs/install.md has a row for each, with what it brings."""
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", read("docs/install.md"), re.MULTILINE))
    for extra, needs in PROJECT["project"]["optional-dependencies"].items():
        assert {re.split(r"[\[<>=]", need)[0] for need in needs} == set(rows[extra].strip().split(", ")), (
            extra
        )
    assert rows.keys() == PROJECT["project"]["optional-dependencies"].keys()


@cases("name", ["CODE_OF_CONDUCT.md", "SECURITY.md", "SUPPORT.md", "LICENSE"])
def test_files_that_hosts_look_for_are_there(name: str) -> None:
    """And no link in them leads nowhere."""
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", read(name)):
        assert (TOP / target).exists(), target
