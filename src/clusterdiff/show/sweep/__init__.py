"""The page of a sweep: one HTML file with a slider over the thresholds, without a network.

What the page shows may come in here as plain values; how it looks and moves, in its template, style and script.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from clusterdiff.decide.sweep import Sweep
from clusterdiff.files import write_text
from clusterdiff.show.pages import render_page, visible

ROOM = "clusterdiff.show.sweep"
#: So many thresholds and merges are on the page, which stays small.
MOST, MERGES = 1000, 20
#: What the thresholds are, and what a cluster is at one of them.
CALLED = {
    "height": ("height", "Merges up to this height have happened."),
    "score": ("pair score", "Pairs with at least this score are connected."),
    "resolution": ("resolution", "Each resolution is a clustering of its own."),
    "column": ("column", "Each column is a clustering of its own."),
}


def write_page(
    swept: Sweep, path: str | PathLike[str], title: str | None = None, pages: Mapping[int, str] | None = None
) -> None:
    """Write the page of a sweep to a file; see :meth:`Sweep.report`."""
    write_text(path, render(swept, title, pages))


def render(swept: Sweep, title: str | None = None, pages: Mapping[int, str] | None = None) -> str:
    """The page as the text of an HTML file; ``pages`` has the addresses of diffs by the place of their threshold."""
    over, means = CALLED[swept.over]
    shown = _shown(swept, pages or {})
    return render_page(
        ROOM,
        _data(swept, shown, pages or {}),
        ["page.css"],
        ["page.js"],
        swept=swept,
        over=over,
        means=means,
        what=swept.what,
        some=len(shown) < swept.total,
        shown=len(shown),
        best=[(name, swept.best_place(name)) for name in swept.valued],
        worst=list(swept.worst_merges()[:MERGES]) if swept.what == "threshold" and swept.valued else [],
        notices=[visible(notice, 1_000) for notice in swept.notices],
        title=visible(title or f"Scores at every {swept.what}"),
    )


def _shown(swept: Sweep, pages: Mapping[int, str]) -> Any:
    """The thresholds on the page: evenly spaced if there are very many, with the best ones and those of diffs."""
    best = [swept.best_place(name) for name in swept.valued]
    even = np.linspace(0, len(swept) - 1, min(len(swept), MOST)).astype(np.int64)
    return np.unique(np.concatenate([even, np.array([*best, *pages], dtype=np.int64)]))


def _data(swept: Sweep, shown: Any, pages: Mapping[int, str]) -> dict[str, Any]:
    places = {int(place): i for i, place in enumerate(shown)}
    return {
        "over": CALLED[swept.over][0],
        "down": swept.over == "score",
        "thresholds": swept.thresholds[shown].tolist(),
        "called": [visible(swept.called(place), 60) for place in shown.tolist()],
        "pages": {str(places[place]): address for place, address in pages.items()},
        "steps": swept.what == "threshold",
        "clusters": swept.clusters[shown].tolist(),
        "split": np.round(swept.parts.split[shown], 9).tolist(),
        "merge": np.round(swept.parts.merge[shown], 9).tolist(),
        "measures": [
            {
                "name": visible(name, 60),
                "similarity": swept.measures[name].similarity,
                "values": [None if np.isnan(x) else round(float(x), 9) for x in swept.scores[name][shown]],
                "best": places[swept.best_place(name)],
            }
            for name in swept.valued
        ],
    }
