"""--write: parts of a comparison, each to a file of its own; what it warns of, and what it may not replace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from clusterdiff.cli.output import error_console
from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, ClusterdiffError, nearest
from clusterdiff.files import STDIN, find, refuse_unwritable
from clusterdiff.formats.source import Source
from clusterdiff.show.export import refuse_suffix, write_guarded
from clusterdiff.wording import count

PARTS: dict[str, Callable[[Comparison, list[str]], Any]] = {
    "meet": lambda diff, measures: diff.meet,
    "components": lambda diff, measures: diff.components,
    "splits": lambda diff, measures: diff.splits,
    "merges": lambda diff, measures: diff.merges,
    "repairs": lambda diff, measures: diff.repairs(),
    "points": lambda diff, measures: diff.changes,
    "events": lambda diff, measures: diff.events,
    "crosswalk": lambda diff, measures: diff.crosswalk,
    "redirects": lambda diff, measures: diff.redirects,
    "fates": lambda diff, measures: diff.fates,
    "origins": lambda diff, measures: diff.origins,
    "reused": lambda diff, measures: diff.reused,
    "cases": lambda diff, measures: diff.cases,
    "scores": lambda diff, measures: diff.scores(measures),
}

write_option = click.option(
    "--write",
    "writes",
    multiple=True,
    metavar="PART=FILE",
    help=f"Write a part ({', '.join(PARTS)}) to a .csv, .tsv, .jsonl, .json or .parquet file, scores to .json, .md "
    "or .tex. May be repeated.",
)


spreadsheet_option = click.option(
    "--for-spreadsheet",
    "safe",
    is_flag=True,
    help="Put ' before values that a spreadsheet would run as formulas: =, +, -, @.",
)


def parted(writes: Sequence[str]) -> list[tuple[str, str]]:
    """What --write asks for: parts, and the file of each."""
    out = []
    for wanted in writes:
        part, equals, path = wanted.partition("=")
        if not equals or part not in PARTS:
            raise ArgumentError(
                f"--write takes PART=FILE, where PART is {', '.join(PARTS)}; got {wanted!r}.",
                nearest(part, PARTS),
            )
        refuse_suffix(path, scores=part == "scores")  # before anything is computed for it
        out.append((part, path))
    return out


def write_parts(diff: Comparison, writes: Sequence[str], measures: list[str], safe: bool) -> None:
    """Write what --write asks for."""
    for part, path in parted(writes):
        done = write_guarded(PARTS[part](diff, measures), path, safe=safe, notices=diff.notices)
        note_formulas(done, safe, path)


def note_formulas(formulas: int, safe: bool, path: str | None) -> None:
    """Say that a file for spreadsheets has what they would run, unless that was made text."""
    if formulas and not safe:
        error_console().print(
            f"notice: {count(formulas, 'value')} of {path or 'the output'} {'starts' if formulas == 1 else 'start'} "
            "like a formula; for use in a spreadsheet, --for-spreadsheet turns such values into text",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )


def check_outputs(outputs: Iterable[str | None], *inputs: Source | str) -> None:
    """Raise if a file cannot be written, is also read, or is to be written twice; inputs may be FILE:COLUMN."""
    paths = [one.path if isinstance(one, Source) else one for one in inputs]
    paths += [path.rpartition(":")[0] for path in paths if ":" in path and not os.path.exists(path)]
    read = {os.path.realpath(file) for path in paths if path != STDIN for file in _files(path)}
    written: set[str] = set()
    for output in outputs:
        if output is None:
            continue
        place = os.path.realpath(output)
        if place in read:
            raise ArgumentError(f"{output} is read, and would be overwritten.", "write to another file.")
        if place in written and not (os.path.exists(place) and not os.path.isfile(place)):
            raise ArgumentError(f"{output} would be written twice.", "name a file for each.")
        refuse_unwritable(output)
        written.add(place)


def _files(path: str) -> list[str]:
    try:
        return find(path)
    except ClusterdiffError:  # reading it will tell
        return []
