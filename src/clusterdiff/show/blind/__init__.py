"""The page of a review: both versions of every changed component, side by side and blind, answered by keyboard.

What reviewers see may come in here as plain values; how it looks and works, in its template, style and script.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.judgements.collection import Judgements
from clusterdiff.show.pages import render_page, table_of
from clusterdiff.wording import count

ROOM = "clusterdiff.show.blind"


def write_page(
    review: Judgements, path: str | PathLike[str], records: Mapping[str, Mapping[str, Any]] | None = None
) -> None:
    """Write the page of a review to a file; ``records`` has the other columns of points, by name of the point."""
    write_text(path, render(review, records or {}))


def render(review: Judgements, records: Mapping[str, Mapping[str, Any]]) -> str:
    """The page as the text of an HTML file."""
    if review.header is None or "sides" not in review.header:
        raise ArgumentError.about("review", "must be one of a difference, which shows two versions.")
    return render_page(
        ROOM,
        {"header": dict(review.header), "lines": [one.to_dict() for one in review]} | table_of(records),
        ["deciding.css"],
        ["deciding.js", "page.js"],
        title=f"Review of {count(len(review), 'change')}",
    )
