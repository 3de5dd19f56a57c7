"""--write: parts of a comparison, each to a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, nearest
from clusterdiff.show.export import write

PARTS: dict[str, Callable[[Comparison, list[str]], Any]] = {
    "meet": lambda diff, measures: diff.meet,
    "components": lambda diff, measures: diff.components,
    "splits": lambda diff, measures: diff.splits,
    "merges": lambda diff, measures: diff.merges,
    "repairs": lambda diff, measures: diff.repairs(),
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


def write_parts(diff: Comparison, writes: Sequence[str], measures: list[str]) -> None:
    """Write what --write asks for."""
    for wanted in writes:
        part, equals, path = wanted.partition("=")
        if not equals or part not in PARTS:
            raise ArgumentError(
                f"--write takes PART=FILE, where PART is {', '.join(PARTS)}; got {wanted!r}.",
                nearest(part, PARTS),
            )
        write(PARTS[part](diff, measures), path)
