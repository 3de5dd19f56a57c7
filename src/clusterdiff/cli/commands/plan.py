"""clusterdiff plan: how much to review, and what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, json_option, output_option, point_option, seed_option
from clusterdiff.cli.output import console, error_console, print_json
from clusterdiff.cli.spelling import call
from clusterdiff.cli.writing import check_outputs
from clusterdiff.errors import ArgumentError
from clusterdiff.formats.source import Source, parse
from clusterdiff.judgements.estimate import estimate, read_if_judged
from clusterdiff.judgements.plan import plan
from clusterdiff.show.blind import write_page
from clusterdiff.wording import count


@click.command(name="plan")
@click.argument("pred", metavar="[PRED]", required=False)
@click.option("--old", metavar="FILE", help="With --new: plan a review of the changes between two runs.")
@click.option("--new", metavar="FILE", help="With --old: the new run.")
@click.option("--error", default=0.01, show_default=True, help="Desired half-width of the 95% interval.")
@click.option("--measure", default="S_H", show_default=True, help="Measure to estimate.")
@click.option(
    "--pilot",
    metavar="SAMPLE",
    help="A small sample, as `clusterdiff estimate` takes it, to estimate how much draws vary; by default, the "
    "worst case is assumed.",
)
@click.option(
    "--design",
    type=click.Choice(["clusters", "points"]),
    help="With --pilot: how it was drawn, unless it is a review of points or has probabilities.",
)
@click.option(
    "--draw", type=int, metavar="K", help="Draw this many points, or changed components, for review."
)
@output_option("Where to write the review, as JSON lines.")
@click.option(
    "--html", type=click.Path(), metavar="FILE", help="With --old and --new: write a page for the review."
)
@seed_option
@point_option
@cluster_option
@json_option
def command(
    pred: str | None,
    old: str | None,
    new: str | None,
    error: float,
    measure: str,
    pilot: str | None,
    design: Any,
    draw: int | None,
    output: str | None,
    html: str | None,
    seed: int,
    point: str | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Plan a review: how much to label for an estimate of a given precision, and which points.

    For one run, points are drawn; a reviewer completes the true cluster of each. With --old and --new, components that
    changed are drawn, large changes with a higher probability, and both versions of each are shown in random order as
    "1" and "2"; a reviewer answers with 1, 2, own (and groups), neither or unsure, in the file or on the page that
    --html writes. `clusterdiff estimate` takes the answered file.
    """
    if (draw is None) != (output is None and html is None):
        raise ArgumentError(
            "--draw says how much to review, and -o or --html where to write it: they go together."
        )
    if html is not None and old is None:
        raise ArgumentError("--html shows two versions, and needs --old and --new.")

    def source(text: str | None) -> Source | None:
        if text is None:
            return None
        named = parse(text)
        return replace(named, point=point, cluster=named.cluster or cluster)

    if design is not None and pilot is None:
        raise ArgumentError("--design says how --pilot was drawn, and needs it.")
    check_outputs([output, html], *(name for name in (pred, old, new, pilot) if name is not None))
    with told():
        known = None
        if pilot is not None and pred is not None:
            call(sample="--pilot")
            known = estimate(read_if_judged(pilot) or source(pilot), source(pred), [measure], design=design)
        elif pilot is not None:
            raise ArgumentError("--pilot is for one run: pass PRED, without --old and --new.")
        found = plan(
            source(pred),
            old=source(old),
            new=source(new),
            error=error,
            measure=measure,
            pilot=known,
            draw=draw,
            seed=seed,
        )
    if as_json:
        print_json(found.to_dict())
    else:
        console().print(str(found), markup=False, soft_wrap=True)
    if output is not None and found.review is not None:
        found.review.write(output)
        error_console().print(
            f"{output}: {count(len(found.review), 'draw')} to review", markup=False, soft_wrap=True
        )
    if html is not None and found.review is not None:
        write_page(found.review, html, found.columns)
        error_console().print(f"{html}: open it in a browser", markup=False, soft_wrap=True)
