"""The page of a merge: every conflict with its three versions, decided by keyboard, for `merge --decisions`.

What deciders see may come in here as plain values; how it looks and works, in its template, style and script.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from clusterdiff.files import write_text
from clusterdiff.releases.conflicts import WORDS
from clusterdiff.releases.merge import ThreeWay
from clusterdiff.show.pages import render_page, table_of
from clusterdiff.wording import count

ROOM = "clusterdiff.show.conflicts"


def write_page(
    found: ThreeWay, path: str | PathLike[str], records: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Write the page of a merge to a file; ``records`` has the other columns of points, by the text of the point."""
    write_text(path, render(found, records or {}))


def render(found: ThreeWay, records: Mapping[str, Mapping[str, Any]]) -> str:
    """The page as the text of an HTML file."""
    decided = {str(point) for conflict in found.conflicts for point in conflict.points}
    shown = {point: record for point, record in records.items() if point in decided}
    return render_page(
        ROOM,
        found.to_dict() | {"words": WORDS} | table_of(shown),
        ["deciding.css"],
        ["deciding.js", "page.js"],
        title=f"{count(len(found.conflicts), 'conflict')} of a merge",
    )
