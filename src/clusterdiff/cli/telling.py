"""A comparison told on a screen of any width: its scores, its costliest components as hunks or as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.cli.hunks import Voice, hanging, hunk_text
from clusterdiff.cli.output import plain_table
from clusterdiff.diff.chance import worth_saying
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.hunks import hunks
from clusterdiff.diff.loss import Loss
from clusterdiff.palette import KINDS, PALETTE
from clusterdiff.wording import and_list, count, name, number, percent

DIM = PALETTE["muted"].terminal
#: Where the names of clusters need more than this many columns of a table, they get lines of their own.
NAMES = 40


def summary(diff: Comparison, scores: dict[str, float], voice: Voice) -> Iterator[RenderableType]:
    """Scores, sizes, what was lost, and how many components are of each kind."""
    width = max(map(len, scores), default=0)
    for measure, value in scores.items():
        score = (number(value), "bold")
        yield Text.assemble((f"{measure:<{width}}  ", "bold"), score, (_by_chance(diff, measure), DIM))
    told = (count(k, voice.cluster(side)) for side, k in enumerate(diff.clusters))
    yield Text(" · ".join([count(diff.n, voice.nouns.point), *told]))
    yield Text(lost(diff.loss, voice, diff.summed.uneven))
    kinds: list[Any] = []
    for kind, k in diff.kinds.items():
        kinds += [" · " if kinds else "components: ", (f"{k:,} {kind}", KINDS[kind].terminal)]
    yield Text.assemble(*kinds)


def _by_chance(diff: Comparison, measure: str) -> str:
    """What shuffled labels would score, where that is not next to nothing."""
    level = worth_saying(diff.chance_level) if measure == "S_H" else None
    return "" if level is None else f"  (shuffled labels: {number(level)})"


def lost(loss: Loss, voice: Voice, uneven: bool) -> str:
    """What S_H lost, and to what."""
    total, *parts = loss
    if not total:
        return "nothing was lost: the clusterings are the same"
    point = voice.nouns.point
    to = ("splits", "merges", f"missing {point}s", f"spurious {point}s")[: 4 if uneven else 2]
    told = [
        f"{number(part)} ({percent(part / total)}) to {what}" for part, what in zip(parts, to, strict=False)
    ]
    return f"lost {number(total)}: {', '.join(told)}"


def worst(diff: Comparison, top: int) -> list[Component]:
    """The costliest components that lost anything."""
    return [component for component in diff.components[:top] if component.loss > 0]


def as_hunks(
    diff: Comparison, components: Sequence[Component], voice: Voice, out: Console, files: Sequence[str] = ()
) -> Iterator[RenderableType]:
    """Components as a diff; ``files`` are what the two sides are called."""
    if not components:
        return
    whole = diff.loss.total
    for sign, side, file in zip(("---", "+++"), voice.sides, files or ("", ""), strict=True):
        yield Text(f"{sign} {side}{f': {file}' if file else ''}", "bold")
    for hunk in hunks(components):
        yield from hunk_text(hunk, hunk.component.loss / whole, voice, out)


def as_table(
    diff: Comparison, components: Sequence[Component], voice: Voice, out: Console
) -> Iterator[RenderableType]:
    """Components as a table, with the names of clusters below each where there is no room beside it."""
    if not components:
        return
    whole = diff.loss.total
    named = [[_names(clusters) for clusters in (c.true, c.pred)] for c in components]
    numbers = [
        (Text(c.kind, KINDS[c.kind].terminal), f"{c.size:,}", number(c.loss), percent(c.loss / whole), number(c.score))
        for c in components
    ]  # fmt: skip
    wide = out.width >= NAMES + 2 * NAMES
    table = plain_table("kind", right=(f"{voice.nouns.point}s", "loss", "share", "score"))
    for side in voice.sides if wide else ():
        table.add_column(side)
    for row, names in zip(numbers, named, strict=True):
        table.add_row(*row, *(map(Text, names) if wide else ()))
    if wide:
        yield table
        return
    # The rows of one table, printed one by one.
    lines = out.render_lines(table, out.options.update(width=out.width), pad=False)
    for i, line in enumerate(lines):
        yield Text.assemble(*((segment.text, segment.style or "") for segment in line))
        if i:
            yield from hanging(Text(" → ".join(named[i - 1])), "  ", "    ", out)


def _names(clusters: Sequence[Any], limit: int = 4) -> str:
    """The first few clusters by name."""
    return and_list([name(cluster) for cluster in clusters], limit) if clusters else "none"


def left_out(diff: Comparison, components: Sequence[Component]) -> Iterator[RenderableType]:
    """How many components lost something and are not shown, and how much that is."""
    kinds = diff.kinds
    left = sum(kinds.values()) - kinds["same"] - len(components)
    if left > 0:
        rest = 1 - sum(component.loss for component in components) / diff.loss.total
        yield Text(
            f"… and {count(left, 'more component')} with {percent(rest)} of the loss (--top shows more)", DIM
        )


def flowing(lines: Iterable[str], out: Console) -> Iterator[RenderableType]:
    """Sentences, wrapped on a terminal below where each begins, and as they are in a pipe."""
    for line in lines:
        text = line.lstrip(" ")
        indent = line[: len(line) - len(text)]
        if out.is_terminal:
            yield from hanging(Text(text), indent, indent + "  ", out)
        else:
            yield Text(line)


def fitting(
    head: Sequence[str], rows: Sequence[Sequence[str]], words: int, out: Console
) -> Iterator[RenderableType]:
    """A table of ``words`` columns of text, then numbers, as many of them as there is room for; and a word on the rest.

    The first and the last column of numbers stay, and those before the last go first.
    """
    columns = list(range(len(head)))
    while True:
        table: RichTable = plain_table(
            *(head[i] for i in columns[:words]), right=[head[i] for i in columns[words:]]
        )
        for row in rows:
            table.add_row(*(Text(row[i]) for i in columns))
        needed = sum(max([len(head[i]), *(len(row[i]) for row in rows)]) + 2 for i in columns[words:])
        if needed + 12 <= out.width or len(columns) <= words + 2:
            break
        del columns[-2]
    yield table
    gone = [head[i] for i in range(len(head)) if i not in columns]
    if gone:
        yield Text(f"(no room for {and_list(gone, len(gone))})", DIM)
