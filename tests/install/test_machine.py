"""What a bare machine is told: by `make` before it begins, and by `clusterdiff doctor` afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from clusterdiff.cli.commands import doctor
from clusterdiff.cli.main import main

NEEDS = Path(__file__).resolve().parents[2] / "tools" / "needs"


def needs(folder: Path, python: str, programs: dict[str, str]) -> str:
    """What is missing on a machine that has these programs only."""
    (folder / "bin").mkdir()
    for name, body in programs.items():
        (folder / "bin" / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / "bin" / name).chmod(0o755)
    environment = {"PATH": str(folder / "bin"), **({"CXX": "none"} if "CXX" in programs else {})}
    done = subprocess.run(
        ["/bin/sh", NEEDS, python], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == bool(done.stderr)
    assert done.stderr.count("\n") == done.returncode, "one line"
    return done.stderr


#: A Python that answers every question with yes, or the last two with no.
WHOLE, BARE = "exit 0", 'case "$2" in *ensurepip*|*Python.h*) exit 1;; esac'
OLD = 'case "$2" in *3,\\ 11*) exit 1;; *platform*) echo 3.9.2;; esac'


@pytest.mark.skipif(os.name == "nt", reason="make is for other systems")
@pytest.mark.parametrize(
    ("python", "programs", "told"),
    [
        ("python3", {"python3": WHOLE, "c++": ""}, ""),
        ("python3", {"python3": WHOLE, "clang++": ""}, ""),
        ("python3", {"python3": WHOLE, "apt-get": ""}, "a C++ compiler. Install with: sudo apt install g++"),
        ("python3", {"python3": WHOLE, "dnf": "", "g++": "", "CXX": ""}, "(CXX is none, which is not there)"),
        (
            "python3",
            {"python3": BARE, "g++": "", "apt-get": ""},
            "Python's venv, Python's headers. Install with: sudo apt install python3-venv python3-dev",
        ),
        ("python3", {"python3": BARE, "dnf": ""}, "sudo dnf install python3 python3-devel gcc-c++"),
        (
            "python3",
            {"python3": BARE, "uname": "echo Darwin", "c++": ""},
            "xcode-select --install; brew install",
        ),
        ("python3", {"python3": OLD, "g++": ""}, "Python 3.11 or newer (python3 is 3.9.2)"),
        ("python3", {"python3": OLD, "python3.12": WHOLE}, "make PYTHON=python3.12"),
        ("python3", {"g++": ""}, "Python 3.11 or newer (python3 is not there)"),
    ],
)
def test_make_says_in_one_line_what_to_install(
    python: str, programs: dict[str, str], told: str, tmp_path: Path
) -> None:
    """Whatever only the system can give, before anything is made; nothing is said if it is all there."""
    said = needs(tmp_path, python, programs)
    assert told in said
    assert bool(said) == bool(told)


def test_the_package_runs_as_a_module() -> None:
    """`python -m clusterdiff` is the command."""
    done = subprocess.run(
        [sys.executable, "-m", "clusterdiff", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("clusterdiff, version ")


def test_the_doctor_finds_everything_here() -> None:
    """All that tests need is installed, and new enough."""
    done = CliRunner().invoke(main, ["doctor", "--json"])
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert all(package["met"] for package in told["packages"])
    assert {package["extra"] for package in told["packages"]} == {
        None,
        *(metadata.metadata("clusterdiff").get_all("Provides-Extra") or ()),
    }


def test_the_doctor_says_what_is_missing_or_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its extra, or the version that is wanted; only what everybody needs makes it exit with 1."""
    versions = {"polars": None, "matplotlib": "3.1", "pyspark": "9"}
    there = doctor._installed
    monkeypatch.setattr(
        doctor, "_installed", lambda name: versions[name] if name in versions else there(name)
    )
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 0
    assert "pip install 'clusterdiff[polars]'" in done.stdout
    assert "pip install 'matplotlib>=" in done.stdout
    assert "engine polars: lacks polars" in done.stdout
    assert "engine spark: lacks a Java runtime" in done.stdout
    versions["numpy"] = "1.1"
    done = CliRunner().invoke(main, ["doctor"])
    assert done.exit_code == 1
    assert "pip install 'numpy>=" in done.stdout
