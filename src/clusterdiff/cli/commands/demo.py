"""clusterdiff demo: the bundled example, a de-duplicated list of customers."""

from __future__ import annotations

import click

from clusterdiff.cli.examples import customers
from clusterdiff.cli.options import every, json_option, measures_option, top_option, with_first
from clusterdiff.cli.presentation import How, explain_options, show
from clusterdiff.cli.report import Report, report_options

#: What is known about a customer apart from the two clusters.
ATTRIBUTES = ("name", "email", "city", "source")


@click.command(name="demo")
@measures_option(["S_H"])
@top_option
@explain_options
@report_options
@json_option
def command(
    measures: list[str],
    top: int,
    explain: bool,
    measure: str,
    stat: bool,
    by: tuple[str, ...],
    beside: list[str],
    report: Report,
    as_json: bool,
) -> None:
    """Compare the bundled example: a list of customers, de-duplicated by hand and by a program."""
    rows = customers.rows()
    columns = {name: [row[name] for row in rows] for name in ATTRIBUTES}
    diff = customers.compare()
    show(
        diff,
        How(
            with_first(measure, every(measures, diff)),
            top,
            as_json,
            explain,
            stat,
            by,
            files=("by hand", "by a program"),
            measure=measure,
            beside=beside,
        ),
        report=report,
        columns=columns,
        report_by=("source",),
        title="A list of customers, de-duplicated by hand and by a program",
    )
