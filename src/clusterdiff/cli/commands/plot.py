"""clusterdiff plot: a picture of a comparison."""

from __future__ import annotations

from typing import Any

import click

from clusterdiff.cli.examples import customers
from clusterdiff.cli.inputs import input_options, noise_labels, noise_options, sources, told
from clusterdiff.cli.options import output_option
from clusterdiff.cli.output import console
from clusterdiff.cli.pictures import picture_options, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import refuse_overwriting
from clusterdiff.points.policy import MISSING
from clusterdiff.show.plots import PLOTS, plot
from clusterdiff.verbs.compare import compare


@click.command(name="plot")
@click.argument("kind", type=click.Choice(list(PLOTS)))
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@click.option(
    "--missing",
    type=click.Choice(MISSING),
    help="Points on one side only.  [default: error; lost for documents]",
)
@noise_options
@output_option("Picture to write: .svg, .png or .pdf.  [default: KIND.svg]")
@picture_options
def command(
    kind: str,
    true: str | None,
    pred: str | None,
    missing: Any,
    noise: tuple[str, ...],
    noise_true: tuple[str, ...],
    noise_pred: tuple[str, ...],
    noise_as: Any,
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
        either, true_alone, pred_alone = noise_labels(noise, noise_true, noise_pred)
        with told(), progress("comparing"):
            diff = compare(
                *both,
                missing=missing,
                noise=either,
                noise_true=true_alone,
                noise_pred=pred_alone,
                noise_as=noise_as,
            )
    with progress("drawing"):
        save_picture(plot(diff, kind, width=width, dpi=dpi), target)
    console().print(f"wrote {target}", markup=False)
