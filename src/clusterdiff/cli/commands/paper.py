"""clusterdiff paper: every claim of the paper, tested again."""

from __future__ import annotations

import click

from clusterdiff.cli.options import json_option, output_option
from clusterdiff.cli.output import console, print_data, print_json
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import check_outputs
from clusterdiff.files import write_text
from clusterdiff.paper.reproduction import reproduce
from clusterdiff.wording import count


@click.command(name="paper")
@click.option(
    "--points", type=click.IntRange(5, 7), default=6, show_default=True, help="Largest number of points."
)
@output_option("Write the page (Markdown) to FILE instead of printing it.")
@json_option
def command(points: int, output: str | None, as_json: bool) -> None:
    """Test every claim of the paper, with counterexamples for those that do not hold."""
    check_outputs([output])
    with progress() as say:
        found = reproduce(points, say)
    if as_json:
        print_json(found.to_dict())
    elif output:
        write_text(output, found.to_markdown())
        failed = sum(not claim.holds for claim in found.claims)
        fails = "fails" if failed == 1 else "fail"
        console().print(
            f"{count(len(found.claims), 'claim')}, {failed} of them {fails}: wrote {output}", markup=False
        )
    else:
        print_data(found.to_markdown())
