"""clusterdiff apply: carry out a patch."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import click

from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, output_option, point_option
from clusterdiff.cli.output import error_console, print_data
from clusterdiff.diff.patch import Patch
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.formats.source import parse
from clusterdiff.points.clustering import Clustering
from clusterdiff.verbs.read import read_source
from clusterdiff.wording import count

#: Spreadsheets run text that starts with one of these as a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


@click.command(name="apply")
@click.argument("pred", metavar="PRED")
@click.argument("patch", metavar="PATCH", type=click.Path())
@point_option
@cluster_option
@output_option()
@click.option(
    "--for-spreadsheet",
    is_flag=True,
    help="Put ' before what a spreadsheet would run as a formula: =, +, -, @.",
)
def command(
    pred: str, patch: str, point: str | None, cluster: str | None, output: str | None, for_spreadsheet: bool
) -> None:
    """Apply a patch to PRED, and write the result as CSV with the columns point and cluster.

    If the points have no names, there is no column for them: one label per line, in order. A patch that does not fit
    is refused as a whole.
    """
    named = parse(pred)
    with told():
        source = replace(named, point=point, cluster=named.cluster or cluster).resolved()
        clustering = read_source(source)
    if not isinstance(clustering, Clustering):
        raise ArgumentError("a patch is for one clustering, not for documents of mentions.")
    fixed = Patch.read(patch).apply(clustering)
    text, formulas = _csv(fixed, for_spreadsheet)
    if formulas and not for_spreadsheet:
        error_console().print(
            f"note: {count(formulas, 'value')} {'starts' if formulas == 1 else 'start'} like a formula; if people will "
            "open this in a spreadsheet, --for-spreadsheet turns such values into text",
            style="yellow",
            soft_wrap=True,
        )
    if output is None:
        print_data(text)
    else:
        write_text(output, text)


def _csv(clustering: Clustering, safe: bool) -> tuple[str, int]:
    """The clustering as CSV, and how many values a spreadsheet would take for formulas."""
    names = clustering.names.tolist()
    clusters: list[Any] = [names[code] for code in clustering.codes.tolist()]
    rows: list[tuple[Any, ...]]
    if clustering.points is None:
        rows = [(cluster,) for cluster in clusters]
    else:
        rows = [("point", "cluster"), *zip(clustering.points, clusters, strict=True)]
    formulas = 0
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        risky = [isinstance(value, str) and value.startswith(FORMULA) for value in row]
        formulas += sum(risky)
        writer.writerow(f"'{v}" if safe and bad else v for v, bad in zip(row, risky, strict=True))
    return out.getvalue(), formulas
