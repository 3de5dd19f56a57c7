"""clusterdiff plot: a picture of a comparison."""

from __future__ import annotations

from typing import Any

import click

from clusterdiff.cli.examples import customers
from clusterdiff.cli.inputs import input_options, sources, told
from clusterdiff.cli.options import output_option
from clusterdiff.cli.output import console
from clusterdiff.cli.pictures import picture_options, save_picture
from clusterdiff.cli.writing import refuse_overwriting
from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError
from clusterdiff.show.plots import PLOTS, plot
from clusterdiff.verbs.compare import compare


@click.command(name="plot")
@click.argument("kind", type=click.Choice(list(PLOTS)))
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@output_option("Picture to write: .svg, .png or .pdf.  [default: KIND.svg]")
@picture_options
def command(
    kind: str,
    true: str | None,
    pred: str | None,
    output: str | None,
    width: float | None,
    dpi: float | None,
    **inputs: Any,
) -> None:
    """Draw a comparison as a picture.

    Files are given as for `clusterdiff compare`; without any, the bundled list of customers is drawn.
    """
    target = output or f"{kind}.svg"
    if true is None:
        diff = customers.compare()
    else:
        both = sources(true, pred, **inputs)
        refuse_overwriting([target], *both)
        with told():
            compared = compare(*both)
        if not isinstance(compared, Comparison):
            raise ArgumentError(
                "documents of mentions cannot be drawn as one picture.", "compare one document."
            )
        diff = compared
    save_picture(plot(diff, kind, width=width, dpi=dpi), target)
    console().print(f"wrote {target}", markup=False)
