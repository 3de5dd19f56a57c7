"""clusterdiff demo: the bundled example, a de-duplicated list of customers."""

from __future__ import annotations

import click

from clusterdiff.cli.compare import split_names
from clusterdiff.cli.examples import customers
from clusterdiff.cli.explaining import explain_options, show

#: What is known of a customer besides the two clusters.
ATTRIBUTES = ("name", "email", "city", "source")


@click.command(name="demo")
@click.option("--measures", default="S_H", show_default=True, help="Measures to print, separated by commas.")
@click.option("--top", default=10, show_default=True, help="How many of the costliest components to show.")
@explain_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    measures: str, top: int, explain: bool, by: tuple[str, ...], html: str | None, as_json: bool
) -> None:
    """Compare the bundled example: a list of customers, de-duplicated by hand and by a program."""
    rows = customers.rows()
    columns = {name: [row[name] for row in rows] for name in ATTRIBUTES}
    show(
        customers.compare(),
        split_names(measures),
        top,
        as_json,
        explain=explain,
        by=by,
        html=html,
        columns=columns,
        report_by=("source",),
        title="A list of customers, de-duplicated by hand and by a program",
    )
