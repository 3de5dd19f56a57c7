"""What `compare` and `demo` share beyond the score: sentences, repairs, slices and the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.text import Text

from clusterdiff.cli.gains import gains_as_data, print_gains
from clusterdiff.cli.options import together
from clusterdiff.cli.output import console, plain_table, print_diff, print_json
from clusterdiff.cli.reporting import NONE, Report, report_options
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.mapping import STATUS
from clusterdiff.diff.slices import BUILT_IN, Slice
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.formats.source import Source
from clusterdiff.table import Table, plain, shown
from clusterdiff.wording import count

Columns = Mapping[str, Sequence[Any]]
SIDES = ("true", "predicted")

#: The options that explain a comparison.
explain_options = together(
    click.option("--explain", is_flag=True, help="Tell where the score was lost, and what to fix first."),
    click.option(
        "--measure",
        metavar="NAME",
        help="List what components, clusters and repairs are worth in this measure.",
    ),
    click.option(
        "--by",
        multiple=True,
        metavar="COLUMN",
        help="Loss by a column of TRUE, by size or by kind; scores by document, for mentions. May be repeated.",
    ),
    report_options,
)


def show(
    diff: Comparison,
    measures: list[str],
    top: int,
    as_json: bool,
    *,
    explain: bool = False,
    measure: str | None = None,
    by: Sequence[str] = (),
    report: Report = NONE,
    columns: Columns | None = None,
    sides: tuple[str, str] = SIDES,
    title: str | None = None,
    files: tuple[Source, Source] | None = None,
    report_by: Sequence[str] = (),
) -> None:
    """Print a comparison for people or programs, and write its report; ``report_by`` are slices for the report only."""
    slices = sliced(diff, by, columns)
    if as_json:
        data = diff.to_dict(measures, top)
        if explain:
            data |= explanation_as_data(diff, top, sides)
        if measure is not None:
            data["gains"] = gains_as_data(diff, measure, top)
        if slices:
            data["slices"] = slices_as_data(slices)
        if sides != SIDES:
            data["mapping"] = _fates(diff)
        print_json(data)
    else:
        print_diff(diff, diff.scores(measures), top, sides)
        if sides != SIDES:
            told = ", ".join(f"{number:,} {status}" for status, number in _fates(diff).items())
            console().print("clusters: " + told.replace("continues", "continue"))
        if explain:
            print_explanation(diff, top, sides)
        if measure is not None:
            print_gains(diff, measure, top)
        for name, table in slices.items():
            print_slices(name, table)
    wanted = {name: _column(name, diff, columns or {}) for name in dict.fromkeys([*by, *report_by])}
    report.write(
        diff,
        quiet=as_json,
        attributes=columns,
        by=wanted,
        title=title,
        sides=sides,
        files=files,
        measure=measure,
    )


def sliced(diff: Comparison, names: Sequence[str], columns: Columns | None = None) -> dict[str, Table[Slice]]:
    """The loss by each of some columns: of those given, of the table that was compared, or built in."""
    return {name: diff.by(_column(name, diff, columns or {})) for name in names}


def explanation_as_data(diff: Comparison, top: int, sides: tuple[str, str] = SIDES) -> dict[str, Any]:
    """Where the score was lost and what to fix first, as plain values."""
    repairs = diff.repairs().to_dict(top)
    return {"explanation": diff.explain(top=top, sides=sides).to_dict(), "repairs": repairs}


def slices_as_data(slices: Mapping[str, Table[Slice]]) -> dict[str, Any]:
    """Slices as plain values."""
    return {
        name: [row._asdict() | {"value": plain(row.value)} for row in table] for name, table in slices.items()
    }


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


def print_explanation(diff: Comparison, top: int, sides: tuple[str, str]) -> None:
    """Where the score was lost, and what to fix first."""
    out = console()
    out.print(f"\n{diff.explain(top=top, sides=sides)}", markup=False, soft_wrap=True)
    repairs = diff.repairs()
    if not len(repairs):
        return
    out.print("\nwhat to fix first", style="bold")
    for repair in repairs[:top]:
        out.print(Text.assemble((f"{repair.gain:+.6f}", "green"), f"  {repair.describe()}"), soft_wrap=True)
    left = len(repairs) - top
    if left > 0:
        out.print(f"… and {count(left, 'more operation')} that would raise the score", style="dim")
    if diff.summed.uneven:
        return  # where points are lost only single operations are known
    steps = len(repairs.sequence)
    out.print(
        f"restoring the {sides[0]} clusters takes {count(steps, 'operation')}, "
        "always doing next the one that gains most"
    )


def print_slices(name: str, slices: Table[Slice]) -> None:
    """The loss by a column, as a table."""
    parts = ("to splits", "to merges", "to missing", "to spurious")
    lost = any(row.missing_loss or row.spurious_loss for row in slices)
    table = plain_table(shown(name), right=("points", "score", "loss", *parts[: 4 if lost else 2]))
    for row in slices:
        value = "(none)" if row.value is None else shown(str(row.value))
        numbers = row[3 : 8 if lost else 6]  # the loss and its parts
        table.add_row(Text(value), f"{row.points:,}", f"{row.score:.4f}", *(f"{x:.6f}" for x in numbers))
    console().print()
    console().print(table)
