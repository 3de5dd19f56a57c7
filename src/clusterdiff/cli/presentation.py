"""What `compare` and `demo` share beyond the score: sentences, repairs, slices and the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click
from rich.console import Console, RenderableType
from rich.text import Text

from clusterdiff.cli.gains import clusters_as_text, gains_as_data
from clusterdiff.cli.hunks import Voice, hanging
from clusterdiff.cli.options import together
from clusterdiff.cli.output import console, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.cli.report import NONE, Report
from clusterdiff.cli.screen import (
    DIM,
    as_hunks,
    as_table,
    fitting,
    flowing,
    left_out,
    summary,
    worst,
    worst_for,
)
from clusterdiff.cli.streams import visible
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.news import news, sentences
from clusterdiff.diff.patterns import Patterns
from clusterdiff.diff.slices import BUILT_IN, Slice
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.files import STAGE
from clusterdiff.measures import resolve
from clusterdiff.palette import SAME
from clusterdiff.table import Table, plain, shown
from clusterdiff.wording import Nouns, change, count, number, percent, plural

Columns = Mapping[str, Sequence[Any] | Mapping[Any, Any]]
SIDES = ("true", "predicted")
#: Sentences narrower than this are hard to read; they go below what they belong to.
NARROW = 30
#: The lines of a diff in Markdown are so wide.
MARKDOWN_WIDTH = 100

#: The options that explain a comparison.
explain_options = together(
    click.option(
        "--explain",
        is_flag=True,
        help="Explain where the score was lost: patterns, who is hit, what to fix first.",
    ),
    click.option(
        "--measure",
        metavar="NAME",
        default="S_H",
        show_default=True,
        callback=lambda context, option, name: resolve(name).name,
        help="Measure that ranks components and repairs, by the gain from correcting each.",
    ),
    click.option("--stat", is_flag=True, help="Print the costliest components as a table, not as a diff."),
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Loss by a column of TRUE, by size or by kind; scores by document, for mentions. May be repeated.",
    ),
    click.option(
        "--show",
        "beside",
        metavar="COLUMNS",
        callback=lambda context, option, names: [
            name.strip() for name in (names or "").split(",") if name.strip()
        ],
        help="Columns of TRUE to print next to the points, separated by commas: name,city.",
    ),
)


class How(NamedTuple):
    """How a comparison is to be shown: which measures and how many components, and what else.

    ``measure`` is the one that components and repairs are ranked by, ``files`` are what the two sides are called, and
    the columns ``beside`` are printed next to the points.
    """

    measures: list[str]
    top: int
    as_json: bool
    explain: bool = False
    stat: bool = False
    by: Sequence[str] = ()
    sides: tuple[str, str] = SIDES
    files: Sequence[str] = ()
    measure: str = "S_H"
    beside: Sequence[str] = ()


def show(
    diff: Comparison,
    how: How,
    *,
    report: Report = NONE,
    columns: Columns | None = None,
    title: str | None = None,
    report_by: Sequence[str] = (),
) -> None:
    """Print a comparison for people or programs, and write its report; ``report_by`` are slices for the report only."""
    with progress("comparing"):
        data = as_data(diff, how, columns) if how.as_json else None
        told = [] if how.as_json else list(as_text(diff, how, columns, console()))
    if data is not None:
        print_json(data)
    else:
        print_all(told)
    wanted = {name: _column(name, diff, columns or {}) for name in dict.fromkeys([*how.by, *report_by])}
    report.write(
        diff,
        quiet=how.as_json,
        attributes=columns,
        by=wanted,
        title=title,
        sides=how.sides,
        files=how.files,
        measure=how.measure,
    )


def as_data(diff: Comparison, how: How, columns: Columns | None) -> dict[str, Any]:
    """A comparison as plain values."""
    data = diff.to_dict(how.measures, how.top)
    data |= explanation_as_data(diff, how, columns)
    if how.by:
        data["slices"] = slices_as_data(sliced(diff, how.by, columns))
    if how.sides != SIDES:
        data["releases"] = news(diff, how.top)
    return data


def as_text(diff: Comparison, how: How, columns: Columns | None, out: Console) -> Iterator[RenderableType]:
    """A comparison for people: sentences or a table if they are asked for, otherwise hunks."""
    slices = sliced(diff, how.by, columns)
    voice = Voice(how.sides, Nouns().between(how.sides), beside=beside(diff, how.beside, columns))
    if how.sides != SIDES:
        first, *rest = sentences(diff)
        yield from flowing([first], out)
        yield from map(Text, rest)
        yield Text()
    yield from summary(diff, diff.scores(how.measures), voice, how.measure)
    yield from costliest(diff, how, voice, out, columns)
    for name, table in slices.items():
        yield from slices_as_text(name, table, how.top, out)
    yield Text()
    yield Text(diff.signature, DIM)


def beside(diff: Comparison, names: Sequence[str], columns: Columns | None = None) -> dict[Any, str]:
    """By point, what some columns say of it; nothing if none is asked for."""
    found = {name: _values(_column(name, diff, columns or {}, "--show"), diff) for name in names}
    told = zip(
        *([None if v is None else shown(str(v)) for v in values] for values in found.values()), strict=True
    )
    texts = (", ".join(value for value in row if value is not None) for row in told)
    return dict(zip(diff.points, texts, strict=True)) if found else {}


def _values(column: object, diff: Comparison) -> Sequence[Any]:
    if isinstance(column, str) and column in diff.columns:
        return diff.source.column(column)
    described: Sequence[Any] = diff.source.describe(column, "show")
    return described


def hunks_as_lines(diff: Comparison, how: How, columns: Columns | None) -> list[str]:
    """The costliest components as the lines of a diff, without colours."""
    out = Console(width=MARKDOWN_WIDTH, color_system=None, force_terminal=False)
    voice = Voice(how.sides, Nouns().between(how.sides), beside=beside(diff, how.beside, columns))
    found = as_hunks(worst(diff, how.top), how.measure, voice, out, how.files)
    return [visible(part.plain).rstrip() for part in found if isinstance(part, Text)]


def costliest(
    diff: Comparison, how: How, voice: Voice, out: Console, columns: Columns | None = None
) -> Iterator[RenderableType]:
    """The costliest components, in the form that was asked for."""
    STAGE.debug("explaining")
    told = None if how.measure == "S_H" else diff.explain(how.measure, top=how.top, sides=how.sides)
    if how.stat or not how.explain:
        if told is None:
            costs, kinds = worst(diff, how.top), diff.kinds
            left = sum(kinds.values()) - kinds["same"] - len(costs), 1 - sum(cost.share for cost in costs)
        else:
            costs = worst_for(told)
            left = told.damaged - told.left_out - len(costs), 1 - told.concentration
        form = (
            as_table(costs, voice, out) if how.stat else as_hunks(costs, how.measure, voice, out, how.files)
        )
        if costs:
            yield from [
                Text(),
                *form,
                *left_out(*left, 0 if told is None else told.left_out, voice.nouns.loss),
            ]
        if how.stat and told is not None:
            yield from clusters_as_text(diff, how.measure, how.top, voice)
    if how.explain:
        yield Text()
        yield from explanation_as_text(diff, how, voice, out, columns)


def print_all(told: Iterable[RenderableType]) -> None:
    """Print what is shown; text is wrapped on a terminal, and stands as it is in a pipe."""
    out = console()
    for part in told:
        if isinstance(part, Text) and out.is_terminal and part.cell_len > out.width:
            for line in hanging(part, "", "  ", out):
                out.print(line)
        else:
            out.print(part, soft_wrap=isinstance(part, Text))


def sliced(diff: Comparison, names: Sequence[str], columns: Columns | None = None) -> dict[str, Table[Slice]]:
    """The loss by each of some columns: of those given, of the table that was compared, or built in."""
    return {name: diff.by(_column(name, diff, columns or {})) for name in names}


def explanation_as_data(diff: Comparison, how: How, columns: Columns | None = None) -> dict[str, Any]:
    """What was asked for of where the score was lost and what to fix first, as plain values."""
    STAGE.debug("explaining")
    data: dict[str, Any] = {}
    if how.measure != "S_H":
        data["gains"] = gains_as_data(diff, how.measure, how.top)
    if how.explain:
        told = diff.explain(how.measure, top=how.top, sides=how.sides)
        found = diff.patterns(attributes=columns, measure=how.measure, sides=how.sides)
        data["patterns"] = found.to_dict()
        data |= {
            "explanation": told.to_dict(),
            "repairs": diff.repairs(how.measure).to_dict(how.top),
        }
    return data


def slices_as_data(slices: Mapping[str, Table[Slice]]) -> dict[str, Any]:
    """Slices as plain values."""
    return {
        name: [row._asdict() | {"value": plain(row.value)} for row in table] for name, table in slices.items()
    }


def _column(name: str, diff: Comparison, columns: Columns, option: str = "--by") -> object:
    if name in columns:
        return columns[name]
    built_in = BUILT_IN if option == "--by" else ()
    have = [*columns, *diff.columns, *built_in]
    if name in have:
        return name
    wanted = "a column of TRUE, size or kind" if built_in else "a column of TRUE or of --attributes"
    there = f"there are {', '.join(map(repr, have))}" if have else "there is none"
    raise ArgumentError(f"{option} must name {wanted}; got {name!r}, and {there}.", nearest(name, have))


def explanation_as_text(
    diff: Comparison, how: How, voice: Voice, out: Console, columns: Columns | None = None
) -> Iterator[RenderableType]:
    """Where the score was lost, and what to fix first: by how much, and which share of the loss that is."""
    told = diff.explain(how.measure, top=how.top, sides=voice.sides)
    yield from flowing(told.sentences, out)
    found = diff.patterns(attributes=columns, measure=how.measure, sides=voice.sides)
    grouped = bool(found.groups) and found.regime != "tiny"
    yield from patterns_as_text(found, out)
    yield from flowing(str(told).splitlines()[len(told.sentences) :], out)
    if found.regime == "releases":
        return  # a new release is no error to be repaired
    repairs = diff.repairs(how.measure)
    if not len(repairs):
        return
    yield Text("\nsingle repairs" if grouped else "\nwhat to fix first", "bold")
    first = repairs[: how.top]
    gains = [(change(repair.gain), f"{percent(repair.gain / told.lost)} of the loss") for repair in first]
    widths = [max(map(len, column)) for column in zip(*gains, strict=True)]
    for repair, (gain, share) in zip(first, gains, strict=True):
        yield from _repair(repair.describe(), gain.rjust(widths[0]), share.rjust(widths[1]), out)
    left = len(repairs) - how.top
    if left > 0:
        yield Text(f"… and {count(left, 'more operation')} that would raise the score", "dim")
    if how.measure != "S_H":
        return  # only single operations are known
    steps = count(len(repairs.sequence), "operation")
    restored = f"restoring the {voice.sides[0]} {plural(voice.nouns.cluster)} takes {steps}"
    order = ", choosing the one that gains most each time" if len(repairs.sequence) > 1 else ""
    yield from flowing([f"{restored}{order}"], out)


def patterns_as_text(found: Patterns, out: Console) -> Iterator[RenderableType]:
    """What goes wrong, who is hit, and groups to fix; in one line where components tell it themselves."""
    if found.regime == "tiny":
        yield from flowing(found.summary, out)
        return
    for heading, lines in found.blocks():
        yield Text(f"\n{heading}", "bold")
        width = max(len(figure) for figure, _ in lines)
        for figure, words in lines:
            indent = f"  {figure.rjust(width)}  " if width else "  "
            if out.is_terminal:
                yield from hanging(Text(words), indent, " " * len(indent), out)
            else:
                yield Text(indent + words)
    if found.shapes:
        yield Text()


def _repair(told: str, gain: str, share: str, out: Console) -> Iterator[RenderableType]:
    """An operation after what it gains, or below that where there is no room."""
    first = Text.assemble((gain, SAME.terminal), f"  {share}  ")
    if not out.is_terminal:
        yield Text.assemble(first, told)
    elif first.cell_len + NARROW > out.width:
        yield first
        yield from hanging(Text(told), "  ", "    ", out)
    else:
        for i, line in enumerate(Text(told).wrap(out, out.width - first.cell_len)):
            line.rstrip()
            yield Text.assemble(first if i == 0 else " " * first.cell_len, line)


def slices_as_text(name: str, slices: Table[Slice], top: int, out: Console) -> Iterator[RenderableType]:
    """The loss by a column, as a table of the ``top`` costliest values; of all, if no component is to be shown."""
    top = top or len(slices)
    parts = ("to splits", "to merges", "to missing", "to spurious")
    uneven = any(row.missing_loss or row.spurious_loss for row in slices)
    head = [shown(name), "points", "score", "loss", *parts[: 4 if uneven else 2]]
    rows = []
    for row in slices[:top]:
        value = "(none)" if row.value is None else shown(str(row.value))
        lost = row[3 : 8 if uneven else 6]  # in all, and by its parts
        rows.append([value, f"{row.points:,}", number(row.score), *map(number, lost)])
    yield Text()
    yield from fitting(head, rows, out, head[:3:-1])
    left, whole = slices[top:], sum(row.loss for row in slices)
    if len(left):
        share = sum(row.loss for row in left) / whole if whole else 0.0
        more = f"… and {count(len(left), 'more value')} with {percent(share)} of the loss"
        yield Text(f"{more} (--top shows more)", DIM)
