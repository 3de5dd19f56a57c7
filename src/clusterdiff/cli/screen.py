"""A comparison shown on a screen of any width: its scores, its costliest components as hunks or as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.console import Console, RenderableType
from rich.text import Text

from clusterdiff.cli.hunks import Voice, hanging, hunk_text
from clusterdiff.cli.output import plain_table
from clusterdiff.diff.chance import worth_saying
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.explain import Explanation
from clusterdiff.diff.hunks import hunks
from clusterdiff.diff.loss import Loss
from clusterdiff.palette import KINDS, PALETTE
from clusterdiff.wording import and_list, change, count, name, number, percent

DIM = PALETTE["muted"].terminal
#: Where the names of clusters need more than this many columns of a table, they get lines of their own.
NAMES = 40
#: What a column of words needs to be readable; longer ones are wrapped.
WORD = 14


def summary(
    diff: Comparison, scores: dict[str, float], voice: Voice, measure: str = "S_H"
) -> Iterator[RenderableType]:
    """Scores, sizes, what S_H and the measure that is explained lost, and how many components are of each kind."""
    width = max(map(len, scores), default=0)
    for label, value in scores.items():
        score = (number(value), "bold")
        yield Text.assemble((f"{label:<{width}}  ", "bold"), score, (_by_chance(diff, label), DIM))
    told = (count(k, voice.cluster(side)) for side, k in enumerate(diff.clusters))
    yield Text(" · ".join([count(diff.n, voice.nouns.point), *told]))
    whose = "" if {*scores, measure} == {"S_H"} else "S_H "
    parts, same = diff.summed.losses, not diff.loss.total
    yield Text(whose + lost(diff.loss, voice, parts, same))
    if measure != "S_H":
        yield Text(f"{measure} {lost(diff.loss_of(measure), voice, parts, same)}")
    kinds: list[Any] = []
    for kind, k in diff.kinds.items():
        kinds += [" · " if kinds else "components: ", (f"{k:,} {kind}", KINDS[kind].terminal)]
    yield Text.assemble(*kinds)


def _by_chance(diff: Comparison, measure: str) -> str:
    """What shuffled labels would score, where that is not next to nothing, and p where it takes no draws."""
    found = worth_saying(diff.by_chance) if measure == "S_H" else None
    if found is None:
        return ""
    return f"  (shuffled labels: {number(found.mean)}{f'; {found.p_text}' if found.p_kind else ''})"


def lost(loss: Loss, voice: Voice, parts: Sequence[str], same: bool) -> str:
    """What a measure lost, and to what."""
    if same or not loss.total:
        return f"{voice.nouns.lost} nothing{': the clusterings are the same' if same else ''}"
    return f"{voice.nouns.lost} {number(loss.total)}: {', '.join(loss.words(4, parts, voice.nouns.point, shares=True))}"


class Cost(NamedTuple):
    """A component, its share of the whole loss, and what a measure would gain if it were set right; S_H if None."""

    component: Component
    share: float
    gain: float | None = None


def worst(diff: Comparison, top: int) -> list[Cost]:
    """The costliest components that lost anything of S_H."""
    whole = diff.loss.total
    return [Cost(c, c.loss / whole) for c in diff.components[:top] if c.loss > 0]


def worst_for(told: Explanation) -> list[Cost]:
    """The components that are worth most in any measure, as an explanation lists them."""
    return [Cost(story.component, story.share, story.gain) for story in told.stories]


def as_hunks(
    costs: Sequence[Cost], measure: str, voice: Voice, out: Console, files: Sequence[str] = ()
) -> Iterator[RenderableType]:
    """Components as a diff; ``files`` are what the two sides are called."""
    if not costs:
        return
    for sign, side, file in zip(("---", "+++"), voice.sides, files or ("", ""), strict=True):
        yield Text(f"{sign} {side}{f': {file}' if file else ''}", "bold")
    for hunk, (_, share, gain) in zip(hunks(cost.component for cost in costs), costs, strict=True):
        worth = "" if gain is None else f"{measure} {change(gain)}, "
        yield from hunk_text(hunk, f"{worth}{percent(share)} of the {voice.nouns.loss}", voice, out)


def as_table(costs: Sequence[Cost], voice: Voice, out: Console) -> Iterator[RenderableType]:
    """Components as a table, with the names of clusters below each where there is no room beside it."""
    if not costs:
        return
    named = [[_names(clusters) for clusters in (c.true, c.pred)] for c, _, _ in costs]
    wide = out.width >= NAMES + 2 * NAMES
    loss = "loss" if costs[0].gain is None else "gain"
    table = plain_table("kind", right=(f"{voice.nouns.point}s", loss, "share", "S_H"))
    for side in voice.sides if wide else ():
        table.add_column(side)
    for (c, share, gain), names in zip(costs, named, strict=True):
        numbers = (number(c.loss) if gain is None else change(gain), percent(share), number(c.score))
        kind = Text(c.kind, KINDS[c.kind].terminal)
        table.add_row(kind, f"{c.size:,}", *numbers, *(map(Text, names) if wide else ()))
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


def left_out(number_of: int, share: float, unknown: int, loss: str) -> Iterator[RenderableType]:
    """How many components that lost something are not shown, their share of the loss, and how many are unknown."""
    if number_of > 0:
        more = f"… and {count(number_of, 'more component')} with {percent(share)} of the {loss}"
        yield Text(f"{more} (--top shows more)", DIM)
    if unknown:
        yield Text(
            f"… and {count(unknown, 'component')} with smaller losses, whose gain was not computed", DIM
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
    head: Sequence[str], rows: Sequence[Sequence[str]], out: Console, less: Sequence[str]
) -> Iterator[RenderableType]:
    """A table of words in the first column and numbers in all others.

    Where there is no room for all of them, the columns ``less`` go, one by one, and a line says which.
    """
    widths = [max(map(len, column)) + 2 for column in zip(head, *rows, strict=True)]
    gone: list[int] = []
    for heading in less:
        if sum(widths[1:]) - sum(widths[i] for i in gone) + min(widths[0], WORD) <= out.width:
            break
        gone.append(head.index(heading))
    kept = [i for i in range(len(head)) if i not in gone]
    table = plain_table(head[0], right=[head[i] for i in kept[1:]])
    for row in rows:
        table.add_row(*(Text(row[i]) for i in kept))
    yield table
    if gone:
        yield Text(f"(no room for {and_list([head[i] for i in sorted(gone)], len(gone))})", DIM)
