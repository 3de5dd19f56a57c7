"""The page of a ranking: the table, intervals as dots, differences from the best, and links to every system's diff.

What the page shows may come in here as plain values; how it looks, in its template and style.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import NamedTuple

from clusterdiff.decide.leaderboard import Boards
from clusterdiff.decide.ranking import Ranking
from clusterdiff.show.pages import render_page, visible
from clusterdiff.show.ranking.where import Where

ROOM = "clusterdiff.show.ranking"
#: So many systems are drawn.
DRAWN = 40


class Dot(NamedTuple):
    """A system on an axis: its value and interval, also as shares of the axis, and p against the best."""

    name: str
    value: float
    low: float | None
    high: float | None
    at: float
    reach: tuple[float, float] | None
    p: float | None = None


class Axis(NamedTuple):
    """Dots, and the values at both ends of their axis; ``zero`` is where 0 is on it, if it is."""

    dots: list[Dot]
    low: float
    high: float
    zero: float | None = None


def render(found: Boards, pages: Mapping[str, str] | None = None, where: Sequence[Where] = ()) -> str:
    """The page as the text of an HTML file.

    ``pages`` has the address of a system's own page by its name, and ``where`` what systems lost by shape and slice.
    """
    single = found if isinstance(found, Ranking) else None
    tested = single if single is not None and single.has_intervals and len(single.names) > 1 else None
    return render_page(
        ROOM,
        {},
        ["page.css"],
        [],
        found=found,
        boards=found.boards(),
        scores=None if single is None else _axis(_scores(single)),
        differences=None if tested is None else _axis(_differences(tested), 0.0),
        pages=pages or {},
        where=where,
        title=visible(found.title),
    )


def _scores(found: Ranking) -> Iterator[Dot]:
    for name in found.names[:DRAWN]:
        low, high = found.interval(name) if found.has_intervals else (None, None)
        yield Dot(name, found.score(name), low, high, 0.0, None)


def _differences(found: Ranking) -> Iterator[Dot]:
    best, *others = found.names[:DRAWN]
    for name in others:
        pair = found.paired(name, best)
        yield Dot(name, pair.difference, pair.low, pair.high, 0.0, None, pair.p_value)


def _axis(dots: Iterator[Dot], *also: float) -> Axis | None:
    """An axis that reaches as far as the dots do, and to some other values."""
    found = [dot for dot in dots if isfinite(dot.value)]
    ends = [value for dot in found for value in (dot.value, dot.low, dot.high) if value is not None]
    if not ends:
        return None
    low, high = min(*ends, *also), max(*ends, *also)
    span = high - low or 1.0
    low, high = low - 0.04 * span, high + 0.04 * span

    def place(value: float) -> float:
        return (value - low) / (high - low)

    placed = [
        dot._replace(
            at=place(dot.value),
            reach=None if dot.low is None or dot.high is None else (place(dot.low), place(dot.high)),
        )
        for dot in found
    ]
    return Axis(placed, low, high, place(0.0) if low < 0 < high else None)
