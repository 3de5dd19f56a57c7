"""The report: one HTML file to explore a comparison, without a network.

What the page shows may come in as plain values in `data`; how it looks and moves, in its template, style and script.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from os import PathLike
from typing import Any

from clusterdiff.caching import ahead, shared_memory
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.files import write_text
from clusterdiff.show.pages import render_page, visible
from clusterdiff.show.report.data import Page
from clusterdiff.wording import plural

__all__ = ["render", "write_report"]

ROOM = "clusterdiff.show.report"
#: Of so many cells the measures are computed by a thread of their own; of fewer, its memory costs more than it saves.
MANY = 2_000_000
#: The page's style and script, one file for each concern, in the order in which they are joined.
STYLES = (
    "strip.css",
    "tabs.css",
    "patterns.css",
    "texts.css",
    "search.css",
    "list.css",
    "component.css",
    "points.css",
    "review.css",
    "heat.css",
    "sections.css",
)
SCRIPTS = (
    "costs.js",
    "state.js",
    "address.js",
    "tabs.js",
    "whatif.js",
    "measured.js",
    "words.js",
    "facts.js",
    "claims.js",
    "groups.js",
    "review.js",
    "now.js",
    "digest.js",
    "patch.js",
    "export.js",
    "judgements.js",
    "table.js",
    "list.js",
    "left.js",
    "search.js",
    "component.js",
    "points.js",
    "graph.js",
    "clusters.js",
    "heat.js",
    "panel.js",
    "texts.js",
    "keys.js",
    "main.js",
)


def write_report(comparison: Comparison, path: str | PathLike[str], **options: Any) -> None:
    """Write the report of a comparison to a file; see :meth:`Comparison.report`."""
    write_text(path, render(comparison, **options))


@shared_memory()
def render(
    comparison: Comparison,
    *,
    attributes: object = None,
    by: Mapping[str, object] | None = None,
    title: str | None = None,
    sides: tuple[str, str] = ("true", "predicted"),
    about: Mapping[str, str] | None = None,
    measure: AnyMeasure = "S_H",
    full: bool = False,
    judgements: object = None,
    spell: Callable[[str], str] = str,
) -> str:
    """The report as the text of an HTML file; ``spell`` writes notices as whoever asked for it says what to do."""
    written = {"date": f"{date.today():%-d %B %Y}"}
    page = Page(
        comparison,
        attributes,
        by or {},
        sides,
        {**(about or {}), **written},
        measure,
        full,
        judgements,
        spell,
    )
    heading = title or f"{sides[0][:1].upper()}{sides[0][1:]} and {sides[1]} {plural(page.nouns.cluster)}"
    with ahead(page.measured(), much=len(comparison.meet) > MANY) as page.scores:
        return render_page(ROOM, page.data, STYLES, SCRIPTS, page=page, title=visible(heading))
