"""A Python that has this package and what some of its extras bring, and really nothing else.

Environments take minutes to make. A folder of links to the installed packages takes none: a Python that does not look
into site-packages (``-S``) finds what is linked there, and for the rest says ModuleNotFoundError by itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import clusterdiff
from clusterdiff import _core

#: A requirement of a distribution: its name, its extras, and whatever else is said of it.
REQUIREMENT = re.compile(r"^(?P<name>[\w.-]+)\s*(?:\[(?P<extras>[^\]]*)\])?[^;]*(?:;(?P<marker>.*))?$")


def required(name: str, extras: frozenset[str] = frozenset()) -> dict[str, frozenset[str]]:
    """The distributions that one asks for directly, with the extras of each; other systems' are left out."""
    found: dict[str, frozenset[str]] = {}
    for text in metadata.requires(name) or ():
        match = REQUIREMENT.match(text)
        assert match, text
        asked = re.search(r"""extra\s*==\s*["']([^"']+)["']""", match["marker"] or "")
        if asked and asked[1] not in extras:
            continue
        found[match["name"]] = frozenset(filter(None, re.split(r"\s*,\s*", match["extras"] or "")))
    return found


def distributions(*extras: str) -> set[str]:
    """Whatever an install of the package with these extras brings along, by its name."""
    waiting = [*required("clusterdiff", frozenset(extras)).items()]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, wanted = waiting.pop()
        try:
            metadata.distribution(name)
        except metadata.PackageNotFoundError:  # for another system or version of Python
            continue
        if (name, wanted) not in seen:
            seen.add((name, wanted))
            waiting += required(name, wanted).items()
    return {name for name, _ in seen}


def lay(folder: Path, *extras: str) -> Path:
    """Link the package, and what an install with these extras brings along, into a folder."""
    package = Path(clusterdiff.__file__).parent
    (folder / "clusterdiff").mkdir(parents=True)
    for path in [*package.iterdir(), Path(_core.__file__)]:
        if path.name not in {"_core", "__pycache__"}:
            (folder / "clusterdiff" / path.name).symlink_to(path)
    (folder / "clusterdiff_command").symlink_to(package.parent / "clusterdiff_command")
    for name in [*distributions(*extras), "clusterdiff"]:
        distribution = metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or ()}:
            own = name == "clusterdiff" and not top.endswith(".dist-info")
            if top not in {"..", "__pycache__"} and not own and not (folder / top).exists():
                (folder / top).symlink_to(distribution.locate_file(top))
    return folder


def run(site: Path, script: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script in a Python that finds the standard library and one folder of packages, and no other."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [sys.executable, "-S", script, *arguments],
        env=environment | {"PYTHONPATH": str(site), "MPLBACKEND": "agg"},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
