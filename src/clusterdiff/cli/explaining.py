"""What `compare` and `demo` share beyond the score: sentences, repairs, slices and the report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click
from rich.console import Console, RenderableType
from rich.text import Text

from clusterdiff.cli.hunks import Voice, hanging
from clusterdiff.cli.options import together
from clusterdiff.cli.output import console, error_console, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.cli.telling import as_hunks, as_table, fitting, flowing, left_out, summary, worst
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.mapping import STATUS
from clusterdiff.diff.slices import BUILT_IN, Slice
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.palette import SAME
from clusterdiff.table import Table, plain, shown
from clusterdiff.wording import change, count, number, percent, plural

Columns = Mapping[str, Sequence[Any]]
SIDES = ("true", "predicted")
#: Sentences narrower than this are hard to read; they go below what they belong to.
NARROW = 30

#: The options that explain a comparison.
explain_options = together(
    click.option("--explain", is_flag=True, help="Tell where the score was lost, and what to fix first."),
    click.option("--stat", is_flag=True, help="Print the costliest components as a table, not as a diff."),
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Loss by a column of TRUE, by size or by kind; scores by document, for mentions. May be repeated.",
    ),
    click.option("--html", type=click.Path(), metavar="FILE", help="Write a report to explore in a browser."),
)


class How(NamedTuple):
    """How a comparison is to be shown: which measures and how many components, and what else."""

    measures: list[str]
    top: int
    as_json: bool
    explain: bool = False
    stat: bool = False
    by: Sequence[str] = ()
    sides: tuple[str, str] = SIDES
    files: Sequence[str] = ()


def show(
    diff: Comparison,
    how: How,
    *,
    html: str | None = None,
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
    if html is not None:
        wanted = {name: _column(name, diff, columns or {}) for name in dict.fromkeys([*how.by, *report_by])}
        report(diff, html, quiet=how.as_json, attributes=columns, by=wanted, title=title, sides=how.sides)


def as_data(diff: Comparison, how: How, columns: Columns | None) -> dict[str, Any]:
    """A comparison as plain values."""
    data = diff.to_dict(how.measures, how.top)
    if how.explain:
        data |= explanation_as_data(diff, how.top, how.sides)
    if how.by:
        data["slices"] = slices_as_data(sliced(diff, how.by, columns))
    if how.sides != SIDES:
        data["mapping"] = _fates(diff)
    return data


def as_text(diff: Comparison, how: How, columns: Columns | None, out: Console) -> Iterator[RenderableType]:
    """A comparison for people: sentences or a table if they are asked for, otherwise hunks."""
    slices = sliced(diff, how.by, columns)
    voice = Voice(how.sides)
    yield from summary(diff, diff.scores(how.measures), voice)
    if how.sides != SIDES:
        fates = ", ".join(f"{number:,} {status}" for status, number in _fates(diff).items())
        yield Text("clusters: " + fates.replace("continues", "continue"))
    yield from costliest(diff, how, voice, out)
    for name, table in slices.items():
        yield from slices_as_text(name, table, out)
    yield from flowing(["", diff.signature], out)


def costliest(diff: Comparison, how: How, voice: Voice, out: Console) -> Iterator[RenderableType]:
    """The costliest components, in the form that was asked for."""
    if how.stat or not how.explain:
        components = worst(diff, how.top)
        form = (
            as_table(diff, components, voice, out)
            if how.stat
            else as_hunks(diff, components, voice, out, how.files)
        )
        shown_so = [*form, *left_out(diff, components)]
        yield from [Text(), *shown_so] if shown_so else []
    if how.explain:
        yield Text()
        yield from explanation_as_text(diff, how.top, voice, out)


def print_all(told: Iterable[RenderableType]) -> None:
    """Print what is told, line by line; text in a pipe is not wrapped."""
    out = console()
    for line in told:
        out.print(line, soft_wrap=isinstance(line, Text) and not out.is_terminal)


def sliced(diff: Comparison, names: Sequence[str], columns: Columns | None = None) -> dict[str, Table[Slice]]:
    """The loss by each of some columns: of those given, of the table that was compared, or built in."""
    return {name: diff.by(_column(name, diff, columns or {})) for name in names}


def explanation_as_data(diff: Comparison, top: int, sides: tuple[str, str] = SIDES) -> dict[str, Any]:
    """Where the score was lost and what to fix first, as plain values."""
    repairs = diff.repairs().to_dict(top)
    return {"explanation": diff.explain(top, sides).to_dict(), "repairs": repairs}


def slices_as_data(slices: Mapping[str, Table[Slice]]) -> dict[str, Any]:
    """Slices as plain values."""
    return {
        name: [row._asdict() | {"value": plain(row.value)} for row in table] for name, table in slices.items()
    }


def report(diff: Comparison, path: str, *, quiet: bool, by: Mapping[str, object], **options: Any) -> None:
    """Write the report, and say where unless the output is for programs; it always has the built-in slices."""
    by = {name: column for name, column in by.items() if name not in BUILT_IN}
    with progress(f"writing {path}"):
        diff.report(path, by=by, **options)
    if not quiet:
        error_console().print(f"report: {path}", markup=False, soft_wrap=True)


def _column(name: str, diff: Comparison, columns: Columns) -> object:
    if name in columns:
        return columns[name]
    have = [*columns, *diff.source.columns, *BUILT_IN]
    if name in have:
        return name
    raise ArgumentError(
        f"--by must name a column of TRUE, size or kind; got {name!r}, and there are {', '.join(map(repr, have))}.",
        nearest(name, have),
    )


def _fates(diff: Comparison) -> dict[str, int]:
    status = diff.mapping["status"].tolist()
    return {name: status.count(name) for name in STATUS}


def explanation_as_text(diff: Comparison, top: int, voice: Voice, out: Console) -> Iterator[RenderableType]:
    """Where the score was lost, and what to fix first: by how much, and which share of the loss that is."""
    yield from flowing(str(diff.explain(top, voice.sides)).splitlines(), out)
    repairs = diff.repairs()
    if not len(repairs):
        return
    yield Text("\nwhat to fix first", "bold")
    whole = diff.loss.total
    gains = [(change(repair.gain), f"{percent(repair.gain / whole)} of the loss") for repair in repairs[:top]]
    widths = [max(map(len, column)) for column in zip(*gains, strict=True)]
    for repair, (gain, share) in zip(repairs[:top], gains, strict=True):
        first = Text.assemble((gain.rjust(widths[0]), SAME.terminal), f"  {share.rjust(widths[1])}  ")
        told = Text(repair.describe())
        if not out.is_terminal:
            yield Text.assemble(first, told)
        elif first.cell_len + NARROW > out.width:
            yield first
            yield from hanging(told, "  ", "    ", out)
        else:
            lines = told.wrap(out, out.width - first.cell_len)
            yield from (
                Text.assemble(first if i == 0 else " " * first.cell_len, line) for i, line in enumerate(lines)
            )
    left = len(repairs) - top
    if left > 0:
        yield Text(f"… and {count(left, 'more operation')} that would raise the score", "dim")
    if diff.summed.uneven:
        return  # where points are lost only single operations are known
    steps = len(repairs.sequence)
    yield from flowing(
        [
            f"restoring the {voice.sides[0]} {plural(voice.nouns.cluster)} takes {count(steps, 'operation')}, "
            "always doing next the one that gains most"
        ],
        out,
    )


def slices_as_text(name: str, slices: Table[Slice], out: Console) -> Iterator[RenderableType]:
    """The loss by a column, as a table."""
    parts = ("to splits", "to merges", "to missing", "to spurious")
    uneven = any(row.missing_loss or row.spurious_loss for row in slices)
    head = [shown(name), "points", *parts[: 4 if uneven else 2], "loss", "score"]
    rows = []
    for row in slices:
        value = "(none)" if row.value is None else shown(str(row.value))
        loss, *lost = row[3 : 8 if uneven else 6]  # the loss and its parts
        rows.append([value, f"{row.points:,}", *map(number, lost), number(loss), number(row.score)])
    yield Text()
    yield from fitting(head, rows, 1, out)
