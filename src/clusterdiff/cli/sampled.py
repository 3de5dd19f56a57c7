"""rank --design: runs ranked on a sample of the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clusterdiff.cli.output import console, error_console, plain_table, print_json
from clusterdiff.cli.spelling import call
from clusterdiff.decide.rank import rank
from clusterdiff.errors import ArgumentError
from clusterdiff.judgements.ranks import SampleRanking


def print_sampled(
    truth: object,
    systems: Mapping[str, Any],
    measures: list[str] | None,
    design: Any,
    drawn: list[str] | None,
    level: float,
    form: str,
) -> None:
    """Rank systems on a sample, and print them as a table or as JSON."""
    if form not in ("text", "--json"):
        raise ArgumentError(f"{form} is not for a ranking on a sample.", "leave it out, or pass --json.")
    if measures is not None and len(measures) > 1:
        raise ArgumentError("a ranking on a sample is by one measure.", "name one with --measures.")
    call(sample="TRUE")
    found = rank(truth, systems, measures=measures, design=design, drawn=drawn, level=level)
    print_json(found.to_dict()) if form == "--json" else _print(found)


def _print(found: SampleRanking) -> None:
    table = plain_table(found.heads[0], right=found.heads[1:])
    for row in found.rows():
        table.add_row(*row)
    out = console()
    out.print(table)
    out.print(f"\n{found.signature}", style="dim", markup=False)
    for warning in found.warnings:
        error_console().print(f"warning: {warning}", style="yellow", markup=False, soft_wrap=True)
