"""A comparison as Markdown, for a page or a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from clusterdiff.decide.leaderboard import MARKDOWN, Board, Entry, escaped, markdown, markdown_notices
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.news import sentences
from clusterdiff.table import shown
from clusterdiff.wording import count, number

#: Clusters of a component that are named.
NAMED = 4
#: What else a block of code takes: its language, line breaks, and a sign that there is more.
FENCED = 40


def comparison_markdown(
    diff: Comparison,
    measures: Iterable[AnyMeasure] = ("S_H",),
    top: int = 10,
    sides: tuple[str, str] = ("true", "predicted"),
    hunks: Sequence[str] = (),
) -> str:
    r"""Scores, what was lost, and the costliest components, after the notices: under 60,000 characters.

    ``hunks`` are the lines of a diff, of which as many are shown as there is room for.

    >>> import clusterdiff as cd
    >>> print(comparison_markdown(cd.compare(["a", "a", "b", "b"], [1, 1, 2, 3])).splitlines()[0])
    **S\_H 0.500000** · 4 points · 2 true clusters · 3 predicted clusters
    """
    scores = " · ".join(
        f"**{escaped(name)} {number(value, 6)}**" for name, value in diff.scores(measures).items()
    )
    sizes = [count(diff.n)]
    sizes += [
        count(k, f"{side} cluster")
        for k, side in zip((diff.summed.k_true, diff.summed.k_pred), sides, strict=True)
    ]
    loss, kinds = diff.loss, diff.kinds
    releases = sides == ("old", "new")
    lines = [
        *([markdown_notices(diff.notices).rstrip()] if diff.notices else []),
        *(map(escaped, sentences(diff)) if releases else ()),
        f"{scores} · {' · '.join(sizes)}",
        f"{'Changed' if releases else 'Lost'} {number(loss.total, 6)}: {', '.join(loss.words(6, diff.summed.losses))}.",
        f"Components: {', '.join(f'{number:,} {kind}' for kind, number in kinds.items())}.",
    ]
    worst = [component for component in diff.components[:top] if component.loss > 0]
    rest = f"<sub>{escaped(diff.signature)}</sub>\n"
    if not worst:
        return "\n\n".join([*lines, rest])
    rows = [
        [
            Entry(c.kind),
            Entry(f"{c.size:,}"),
            Entry(number(c.loss, 6)),
            Entry(number(c.score)),
            Entry(_names(c.true)),
            Entry(_names(c.pred)),
        ]
        for c in worst
    ]
    left = sum(kinds.values()) - kinds["same"] - len(worst)
    head = ["kind", "points", "change" if releases else "loss", "score", *sides]
    table = markdown(
        Board(head, rows, left, [], words=(0, 4, 5), noun="component"),
        MARKDOWN - sum(map(len, lines)) - len(rest),
    )
    room = MARKDOWN - sum(map(len, (*lines, table, rest))) - 2 * len(lines)
    return "\n\n".join([*lines, table.rstrip(), *_diff(hunks, room), rest])


def _diff(lines: Sequence[str], room: int) -> list[str]:
    """Lines of a diff as a block of code; its fence is longer than any that they hold."""
    fence = "`" * max([3, *(len(ticks) + 1 for line in lines for ticks in re.findall("`+", line))])
    room -= 2 * len(fence) + FENCED
    kept: list[str] = []
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            kept.append("…")
            break
        kept.append(line)
    return ["\n".join([f"{fence}diff", *kept, fence])] if kept else []


def _names(clusters: Sequence[Any]) -> str:
    more = f" +{len(clusters) - NAMED:,}" if len(clusters) > NAMED else ""
    return ", ".join(shown(str(name), 24) for name in clusters[:NAMED]) + more
