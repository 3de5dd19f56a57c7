"""clusterdiff doctor: what is installed, what is not, and what brings it."""

from __future__ import annotations

import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

import click
from rich.text import Text

from clusterdiff import _core
from clusterdiff._version import __version__
from clusterdiff.cli.options import json_option
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.errors import ClusterdiffError

#: What engines compute with, and what that needs beyond Python: a program, and what it is called.
ENGINES = {
    "memory": ("numpy", None, None),
    "duckdb": ("duckdb", None, None),
    "polars": ("polars", None, None),
    "spark": ("pyspark", "java", "a Java runtime"),
}
#: A requirement as metadata spell it: a name, versions, and the extra that asks for it.
REQUIREMENT = re.compile(
    r"""(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?P<versions>[^;]*)(?:;.*extra\s*==\s*["'](?P<extra>[^"']+)["'])?"""
)


class Need(NamedTuple):
    """A package that the install, or one of its extras, asks for."""

    package: str
    versions: str
    extra: str | None
    installed: str | None

    @property
    def met(self) -> bool:
        """Whether it is there, and none of the versions that are refused."""
        return self.installed is not None and all(
            _holds(self.installed, bound.strip()) for bound in self.versions.split(",") if bound.strip()
        )


@click.command(name="doctor")
@json_option
def command(as_json: bool) -> None:
    """List what is installed, which engines work, and which extra provides what is missing.

    Exits with 1 if something is missing that every install needs, or is older than it must be.
    """
    needs = list(_needs())
    base = [need for need in needs if need.extra is None]
    if as_json:
        print_json(
            {
                "clusterdiff": __version__,
                "python": platform.python_version(),
                "platform": platform.platform(),
                "threads": _core.threads(),
                "packages": [need._asdict() | {"met": need.met} for need in needs],
                "engines": {name: _lack(name) is None for name in ENGINES},
            }
        )
    else:
        _show(needs)
    sys.exit(not all(need.met for need in base))


def _show(needs: list[Need]) -> None:
    out = console()
    system = f"{platform.system()} {platform.machine()}"
    out.print(
        f"clusterdiff {__version__} · Python {platform.python_version()} · {system} · threads: {_core.threads()}",
        markup=False,
    )
    table = plain_table("", "package", "installed", "wanted", "")
    for need in needs:
        how = "" if need.met else f"pip install '{_wanted(need)}'"
        # What is needed by everybody comes first, without an extra.
        table.add_row(
            Text(need.extra or "base", "bold" if need.extra is None else ""),
            Text(need.package, "cyan"),
            Text(need.installed or "–", "" if need.met else "yellow"),
            Text(need.versions, "dim"),
            Text(how),
        )
    out.print(table)
    for name in ENGINES:
        lack = _lack(name)
        out.print(Text(f"engine {name}: {'found' if lack is None else f'lacks {lack}'}"))


def _wanted(need: Need) -> str:
    """What to tell pip."""
    if need.extra is not None and need.installed is None:
        return f"clusterdiff[{need.extra}]"
    return f"{need.package}{need.versions}"


def _needs() -> Iterator[Need]:
    """Everything that the distribution asks for, the base first, then by extra."""
    found = []
    try:
        asked = metadata.requires("clusterdiff") or ()
    except metadata.PackageNotFoundError:
        raise ClusterdiffError(
            "clusterdiff is on Python's path without being installed: its requirements are unknown.",
            "pip install clusterdiff",
        ) from None
    for text in asked:
        match = REQUIREMENT.match(text)
        if match is not None:
            found.append(
                Need(match["name"], match["versions"].strip(), match["extra"], _installed(match["name"]))
            )
    yield from sorted(found, key=lambda need: (need.extra or "", need.package.casefold()))


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _lack(engine: str) -> str | None:
    """What an engine lacks, or None if it has everything."""
    package, program, words = ENGINES[engine]
    if _installed(package) is None:
        return package
    return words if program is not None and shutil.which(program) is None else None


def _holds(version: str, bound: str) -> bool:
    """Whether a version keeps to a bound.

    >>> _holds("2.4.6", ">=1.26"), _holds("1.3", ">=1.26"), _holds("3.0.0rc1", "<3")
    (True, False, False)
    """
    sign, _, limit = bound.rpartition("=") if "=" in bound else (bound[0], "", bound[1:])
    left, right = _numbers(version), _numbers(limit)
    return {">": left >= right, "<": left < right, "!": left != right, "=": left == right}[sign[0]]


def _numbers(version: str) -> tuple[int, ...]:
    """The parts of a release, without trailing zeros: 2.0 is 2."""
    release = re.match(r"[\d.]*", version.strip())
    parts = [int(part) for part in (release[0] if release else "").split(".") if part]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
