"""--pages: a diff of its own for every system or threshold, for the page that links to it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import FileError


def pages_option(what: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """--pages DIR."""
    return click.option(
        "--pages",
        type=click.Path(file_okay=False),
        metavar="DIR",
        help=f"Write {what} to this folder, and link to it.",
    )


def make_folder(folder: str | None) -> None:
    """Make the folder that --pages names, if it does: pages may be written to it, and the page that links to them."""
    if folder is None:
        return
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror}.") from error


def write_diffs(
    folder: str, beside: str, diffs: Iterable[tuple[str, Comparison]], then: Callable[[str, Comparison], None]
) -> dict[str, str]:
    """Write the page of each comparison to a folder; their addresses by name, as seen from a page ``beside`` them.

    ``then`` is called with each, so that no two have to be in memory.
    """
    addresses: dict[str, str] = {}
    for name, diff in diffs:
        stem = re.sub(r"[^\w.-]+", "_", name).strip("._") or "system"
        taken = {Path(address).name for address in addresses.values()}
        file = next(file for file in _numbered(stem) if file not in taken)
        diff.report(os.path.join(folder, file), title=name)
        addresses[name] = Path(
            os.path.relpath(os.path.join(folder, file), os.path.dirname(beside) or ".")
        ).as_posix()
        then(name, diff)
    return addresses


def _numbered(stem: str) -> Iterable[str]:
    yield f"{stem}.html"
    number = 2
    while True:
        yield f"{stem}-{number}.html"
        number += 1
