"""Installs without extras, and with each alone: everything works, or names the extra that brings what it needs."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.install import trial
from tests.install.overlay import distributions, lay, run

EXTRAS = metadata.metadata("clusterdiff").get_all("Provides-Extra") or []


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a Python without any extra has to say, and one with each."""
    folder = tmp_path_factory.mktemp("install")
    base = lay(folder / "base")
    more = [f"{extra}={lay(folder / extra, extra)}" for extra in EXTRAS]
    (folder / "here").mkdir()
    done = run(base, Path(trial.__file__), *more, folder=folder / "here")
    assert done.returncode == 0, done.stderr
    out: dict[str, Any] = json.loads(done.stdout)
    return out


def test_an_install_without_extras_lacks_them() -> None:
    """What the tests below stand on: an extra brings packages that the base does not have."""
    for extra in EXTRAS:
        assert distributions(extra) > distributions(), extra
    assert not distributions() & {"pandas", "polars", "pyarrow", "matplotlib"}


def test_everything_works_without_extras_or_names_one(told: dict[str, Any]) -> None:
    """Every command, the examples of every module, and what can be asked of results without further arguments."""
    assert told["wrong"] == []
    assert told["tried"] > 500
    assert told["walked"] > 1500


def test_the_extras_that_are_named_are_those_that_bring_it(told: dict[str, Any]) -> None:
    """Each extra is named by somebody who misses it, but for one: tables of dask come from whoever has it."""
    named = {name for hint in told["named"] for name in re.findall(r"clusterdiff\[(\w+)\]", hint)}
    assert named == set(EXTRAS) - {"dask"}


def test_each_extra_alone_brings_what_it_is_for(told: dict[str, Any]) -> None:
    """What it is for works with it, and no other."""
    assert told["alone"] == dict.fromkeys(EXTRAS, "works")
