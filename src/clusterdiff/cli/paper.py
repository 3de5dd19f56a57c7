"""clusterdiff paper: every claim of the paper, tried again."""

from __future__ import annotations

from pathlib import Path

import click

from clusterdiff.cli.output import console, error_console, print_json
from clusterdiff.paper.reproduction import reproduce


@click.command(name="paper")
@click.option(
    "--points", type=click.IntRange(5, 7), default=6, show_default=True, help="Largest number of points."
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the page (Markdown) to FILE instead of printing it."
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(points: int, output: str | None, as_json: bool) -> None:
    """Try every claim of the paper and say which stand, with counterexamples for those that do not."""
    err = error_console()
    with err.status("") as status:
        found = reproduce(points, lambda text: status.update(text) if err.is_terminal else None)
    if as_json:
        print_json(found.to_dict())
    elif output:
        Path(output).write_text(found.to_markdown(), encoding="utf-8")
        failed = sum(not claim.holds for claim in found.claims)
        console().print(f"{len(found.claims)} claims, {failed} of them fail: wrote {output}", markup=False)
    else:
        click.echo(found.to_markdown(), nl=False)
