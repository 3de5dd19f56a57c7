"""clusterdiff demo: the bundled example, a de-duplicated list of customers."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import click

from clusterdiff.cli.examples import customers
from clusterdiff.cli.options import every, json_option, measures_option, top_option, with_first
from clusterdiff.cli.presentation import How, explain_options, show
from clusterdiff.cli.report import Report, report_options
from clusterdiff.cli.writing import check_outputs
from clusterdiff.errors import FileError
from clusterdiff.files import replacing

#: What is known about a customer apart from the two clusters.
ATTRIBUTES = ("name", "email", "city", "source")
#: What the tutorials begin with: the customers, and a text with its entities by hand and by a program.
FILES = ("customers.csv", "key.conll", "response.conll")


@click.command(name="demo")
@measures_option(["S_H"])
@top_option
@explain_options
@report_options
@json_option
@click.option(
    "--files",
    "folder",
    metavar="FOLDER",
    help=f"Only write the bundled files there, to try other commands on: {', '.join(FILES)}.",
)
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
    folder: str | None,
) -> None:
    """Compare the bundled example: a list of customers, de-duplicated by hand and by a program."""
    if folder is not None:
        write_files(Path(folder))
        return
    check_outputs([report.path])
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


def write_files(folder: Path) -> None:
    """Copy the bundled files into a folder, all of them or none, and over nothing but themselves."""
    ours = {folder / name: files("clusterdiff.cli.examples").joinpath(name).read_bytes() for name in FILES}
    for path, data in ours.items():
        if path.exists() and (not path.is_file() or path.read_bytes() != data):
            raise FileError(f"{path} is there already, and differs.", "name another folder.")
    for path, data in ours.items():
        with replacing(path) as whole:
            Path(whole).write_bytes(data)
        click.echo(path)
