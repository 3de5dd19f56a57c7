"""Hunks as text: the costliest components as a diff that fits any width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from clusterdiff.diff.hunks import Block, Hunk, Line
from clusterdiff.palette import KINDS, MERGE, MISSING, PALETTE, SPLIT, SPURIOUS
from clusterdiff.points.corpus import InDocument, Mention
from clusterdiff.points.corpus import Text as Words
from clusterdiff.table import shown
from clusterdiff.wording import Nouns, count, name, plural

#: The sign of a fate, and its colour.
SIGNS = {
    "stayed": (" ", PALETTE["ink"]),
    "split off": ("-", SPLIT),
    "not found": ("-", MISSING),
    "merged in": ("+", MERGE),
    "spurious": ("+", SPURIOUS),
}
#: How many lines the names of points may take, and how many mentions are shown in their sentences.
LINES, SENTENCES = 2, 3


class Voice(NamedTuple):
    """What the two clusterings, their points and their clusters are called, and the words of documents.

    ``beside`` has what is printed next to points.
    """

    sides: tuple[str, str] = ("true", "predicted")
    nouns: Nouns = Nouns()
    texts: Mapping[str, Words] = {}
    beside: Mapping[Any, str] = {}

    def point(self, point: Any) -> str:
        """A point by name, and what is printed next to it."""
        told = self.beside.get(point)
        return f"{name(point)} ({told})" if told else name(point)

    def cluster(self, side: int) -> str:
        """A cluster of a side: "true cluster"."""
        return f"{self.sides[side]} {self.nouns.cluster}"


def hunk_text(hunk: Hunk, cost: str, voice: Voice, out: Console) -> Iterator[Text]:
    """A component: its kind, its size and what it cost, and what happened to its clusters."""
    component = hunk.component
    dim = PALETTE["muted"].terminal
    head = Text.assemble(
        (component.kind, f"bold {KINDS[component.kind].terminal}"),
        f" · {count(component.size, voice.nouns.point)} · {cost}",
    )
    if head.cell_len + 6 <= out.width:
        head.append(" @@", dim)
    yield from hanging(head, "@@ ", "   ", out, dim)
    if component.document:
        yield from hanging(Text(f"in {shown(component.document, 60)}", dim), "  ", "  ", out)
    width = max((len(f"{line.size:,}") for block in hunk.blocks for line in block.lines), default=1)
    for block in hunk.blocks:
        yield from hanging(Text(_heading(block, voice), "bold"), "  ", "  ", out)
        for line in block.lines:
            yield from _line(line, block, width, voice, out)
    if hunk.more:
        more = f"… and {count(hunk.more, f'more {voice.cluster(0)}')}, which cost less"
        yield from hanging(Text(more, dim), "  ", "  ", out)


def _heading(block: Block, voice: Voice) -> str:
    true = (
        f"{name(block.true)} ({block.true_size:,})"
        if block.true_size
        else f"no {voice.cluster(0)} of its own"
    )
    pred = (
        f"{name(block.pred)} ({block.pred_size:,})"
        if block.pred_size
        else f"no {voice.cluster(1)} of its own"
    )
    return f"{true} → {pred}"


def _line(line: Line, block: Block, width: int, voice: Voice, out: Console) -> Iterator[Text]:
    """How many points, what became of them, and which they are."""
    sign, colour = SIGNS[line.fate]
    first = f"{sign}   {line.size:>{width},} "
    rest = " " * len(first)
    fate = _fate(line, block, voice)
    mentions = [point.name for point in line.points if isinstance(point, InDocument)]
    known = [point for point in mentions if isinstance(point, Mention) and point.document in voice.texts]
    if known and len(known) == len(line.points):
        yield from hanging(Text(fate, colour.terminal), first, rest, out, colour.terminal)
        for mention in known[:SENTENCES]:
            yield _in_sentence(mention, voice.texts[mention.document], rest, colour.terminal, out)
        if line.size > SENTENCES:
            yield Text(f"{rest}… {line.size - SENTENCES:,} more", PALETTE["muted"].terminal)
        return
    lines = 1 if line.fate == "stayed" else LINES
    room = lines * (out.width - len(first)) - cell_len(fate) - 2
    listed = _listed([voice.point(point) for point in line.points], line.size, room)
    text = Text(f"{fate}: {listed}" if listed else fate, colour.terminal)
    yield from hanging(text, first, rest, out, colour.terminal)


def _fate(line: Line, block: Block, voice: Voice) -> str:
    if line.fate == "stayed":
        return "stayed"
    if line.fate in ("not found", "spurious"):
        return line.fate
    off = line.fate == "split off"
    if not line.others:
        return f"in no {voice.cluster(1)}" if off else f"in no {voice.cluster(0)}"
    other = name(line.other) if line.others == 1 else f"{line.others:,} more {plural(voice.nouns.cluster)}"
    if off:
        return f"split off to {other}" if block.pred_size else f"merged into {other}"
    return f"merged in from {other}" if block.true_size else f"split off from {other}"


def _listed(names: Sequence[str], number: int, room: int) -> str:
    """As many names as there is room for, and how many more there are."""
    told: list[str] = []
    for one in names:
        left = number - len(told) - 1
        ending = f" and {left:,} more" if left else ""
        if cell_len(", ".join([*told, one]) + ending) > room and told:
            break
        told.append(one)
    left = number - len(told)
    return ", ".join(told) + (f" and {left:,} more" if left and told else "")


def _in_sentence(mention: Mention, words: Words, indent: str, style: str, out: Console) -> Text:
    """A mention in its sentence, of which as much is shown as fits on a line."""
    before, said, after = words.around(mention)
    room = max(8, out.width - len(indent) - 2)
    said = said if cell_len(said) <= room else set_cell_size(said, room - 1).rstrip() + "…"
    sides = max(0, room - cell_len(said) - 2)
    left = min(cell_len(before), max(sides // 2, sides - cell_len(after)))
    before = " ".join(reversed(_fitting(before.split()[::-1], left)))
    after = " ".join(_fitting(after.split(), sides - left))
    return Text.assemble(
        indent,
        f"{before} " if before else "",
        "[",
        (said, f"bold {style}"),
        "]",
        f" {after}" if after else "",
    )


def _fitting(words: Sequence[str], room: int) -> list[str]:
    """The first words, as many as fit, and a sign that there are more."""
    if cell_len(" ".join(words)) <= room:
        return list(words)
    told: list[str] = []
    while len(told) < len(words) and cell_len(" ".join([*told, words[len(told)], "…"])) <= room:
        told.append(words[len(told)])
    return [*told, "…"] if room else []


def hanging(text: Text, first: str, rest: str, out: Console, style: str = "") -> Iterator[Text]:
    """Text wrapped to the width, with what stands before its first line, and before all others."""
    room = max(8, out.width - max(len(first), len(rest)))
    for i, line in enumerate(text.wrap(out, room)):
        line.rstrip()
        yield Text.assemble((first if i == 0 else rest, style), line)
