"""clusterdiff plot: a picture of a comparison."""

from __future__ import annotations

import click

from clusterdiff.cli.compare import read_pair
from clusterdiff.cli.output import console
from clusterdiff.comparison import compare
from clusterdiff.examples import customers
from clusterdiff.plots import PLOTS, plot


@click.command(name="plot")
@click.argument("kind", type=click.Choice(list(PLOTS)))
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@click.option(
    "--true", "true_column", metavar="COLUMN", help="Column of true clusters, when both are in one file."
)
@click.option("--pred", "pred_column", metavar="COLUMN", help="Column of predicted clusters, likewise.")
@click.option("--point", metavar="COLUMN", help="Column that names the points.")
@click.option("--cluster", metavar="COLUMN", help="Column of clusters in both files.")
@click.option(
    "-o", "--output", metavar="FILE", help="Picture to write: .svg, .png or .pdf.  [default: KIND.svg]"
)
def command(
    kind: str,
    true: str | None,
    pred: str | None,
    true_column: str | None,
    pred_column: str | None,
    point: str | None,
    cluster: str | None,
    output: str | None,
) -> None:
    """Draw a comparison as a picture.

    Files are given as for `clusterdiff compare`; without any, the bundled list of customers is drawn.
    """
    if true is None:
        diff = customers.compare()
    else:
        diff = compare(*read_pair(true, pred, true_column, pred_column, point, cluster))
    target = output or f"{kind}.svg"
    plot(diff, kind).figure.savefig(target)
    console().print(f"wrote {target}", markup=False)
