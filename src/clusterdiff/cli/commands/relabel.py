"""clusterdiff relabel: a new release under the names of the old one."""

from __future__ import annotations

import click

from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, output_option, point_option
from clusterdiff.cli.rewriting import Release, check_output
from clusterdiff.cli.writing import check_outputs, spreadsheet_option
from clusterdiff.formats.source import parse
from clusterdiff.releases.relabel import relabel


@click.command(name="relabel")
@click.argument("new", metavar="NEW")
@click.option(
    "--like",
    multiple=True,
    required=True,
    metavar="OLD",
    help="The old release. May be repeated, oldest first: no name of an earlier one comes back.",
)
@point_option
@cluster_option
@output_option("Where to write: .csv, .tsv, .jsonl or .parquet; CSV to standard output if not given.")
@spreadsheet_option
def command(
    new: str, like: tuple[str, ...], point: str | None, cluster: str | None, output: str | None, safe: bool
) -> None:
    """Write NEW with the names that its clusters had in OLD.

    A cluster that shares more than half of its points with an old one, and has more than half of that one's, keeps its
    name; fresh names never reuse an old one. A table keeps its other columns and the order of its rows.
    """
    check_output(output)
    check_outputs([output], parse(new), *like)
    with told():
        found = Release.named(new, point, cluster)
        releases = [Release.named(one, point, cluster).clustering for one in like]
    found.write(relabel(found.clustering, like=releases), output, safe)
