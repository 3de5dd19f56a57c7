"""clusterdiff demo: the bundled example, a de-duplicated list of customers."""

from __future__ import annotations

import click

from clusterdiff.cli.compare import show
from clusterdiff.examples import customers


@click.command(name="demo")
@click.option("--measures", default="S_H", show_default=True, help="Measures to print, separated by commas.")
@click.option("--top", default=10, show_default=True, help="How many of the costliest components to show.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(measures: str, top: int, as_json: bool) -> None:
    """Compare the bundled example: a list of customers, de-duplicated by hand and by a program."""
    show(customers.compare(), measures, top, as_json)
