"""clusterdiff plot: a picture of a comparison."""

from __future__ import annotations

from typing import Any

import click

from clusterdiff.cli.examples import customers
from clusterdiff.cli.inputs import input_options, policy_options, sources, told
from clusterdiff.cli.options import output_option
from clusterdiff.cli.output import console
from clusterdiff.cli.pictures import picture_options, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import check_outputs
from clusterdiff.show.plots import PLOTS, plot
from clusterdiff.verbs.compare import compare


@click.command(name="plot")
@click.argument("kind", metavar="KIND", type=click.Choice(list(PLOTS)))
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@policy_options
@output_option("Picture to write: .svg, .png or .pdf.  [default: KIND.svg]")
@picture_options
def command(
    kind: str,
    true: str | None,
    pred: str | None,
    policy: dict[str, Any],
    output: str | None,
    width: float | None,
    dpi: float | None,
    **inputs: Any,
) -> None:
    """Draw a comparison as a picture.

    KIND is flow, bipartite, derivation, loss, clusters, patterns, slices, sizes or heatmap. Files are given as for
    `clusterdiff compare`; without any, the bundled list of customers is drawn.
    """
    target = output or f"{kind}.svg"
    if true is None:
        check_outputs([target])
        diff = customers.compare()
    else:
        both = sources(true, pred, **inputs)
        check_outputs([target], *both)
        with told(), progress("comparing"):
            diff = compare(*both, **policy)
    with progress("drawing"):
        save_picture(plot(diff, kind, width=width, dpi=dpi), target)
    console().print(f"wrote {target}", markup=False)
