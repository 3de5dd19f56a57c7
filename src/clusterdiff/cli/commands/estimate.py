"""clusterdiff estimate: measures of a whole run from a sample of its truth, and the difference of two runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, json_option, point_option, seed_option, split_names
from clusterdiff.cli.output import console, print_data, print_json, refuse_several
from clusterdiff.cli.spelling import call
from clusterdiff.diff.interval import METHODS
from clusterdiff.errors import ArgumentError
from clusterdiff.files import read_lines
from clusterdiff.formats.source import Source, parse
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.difference import Difference
from clusterdiff.judgements.estimate import DESIGNS, estimate, read_if_judged
from clusterdiff.judgements.estimates import Estimates
from clusterdiff.wording import count


@click.command(name="estimate")
@click.argument("files", metavar="SAMPLE [PRED]", nargs=-1, required=True)
@click.option(
    "--old",
    metavar="FILE",
    help="With --new: estimate the difference of two runs; the files are its reviews.",
)
@click.option("--new", metavar="FILE", help="With --old: the new run.")
@click.option("--measures", metavar="NAMES", help="Measures to estimate, separated by commas; default: all.")
@click.option(
    "--design",
    type=click.Choice(DESIGNS),
    help=(
        "How the sample was drawn: clusters with equal probability, through points, or (with --drawn) points in "
        "strata."
    ),
)
@click.option(
    "--drawn",
    type=click.Path(),
    metavar="FILE",
    help="Drawn points whose clusters are complete, one per line.",
)
@click.option("--population", type=int, metavar="K", help="The number of all true clusters, if it is known.")
@click.option(
    "--missing",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="Points of the sample that the run lacks.",
)
@click.option("--level", default=0.95, show_default=True, help="Confidence level.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="jackknife",
    show_default=True,
    help="How intervals are computed; percentile and basic resample the drawn clusters.",
)
@click.option("--resamples", default=10_000, show_default=True, help="How many resamples.")
@seed_option
@point_option
@cluster_option
@json_option
@click.option("--markdown", is_flag=True, help="Print a Markdown table.")
@click.option("--latex", is_flag=True, help="Print a LaTeX table for booktabs.")
def command(
    files: tuple[str, ...],
    old: str | None,
    new: str | None,
    measures: str | None,
    design: Any,
    drawn: str | None,
    population: int | None,
    missing: Any,
    level: float,
    method: Any,
    resamples: int,
    seed: int,
    point: str | None,
    cluster: str | None,
    as_json: bool,
    markdown: bool,
    latex: bool,
) -> None:
    """Estimate measures of PRED, which has all points, from SAMPLE, which has the true clusters of some.

    SAMPLE is a table of points and true clusters, a file of judgements whose groups are complete, judged pairs that
    were drawn with a probability, or a review that `clusterdiff plan` drew. With --old and --new, the files are reviews
    of their changed components, batches drawn with different seeds, and the difference of the two is estimated.
    """
    refuse_several({"--json": as_json, "--markdown": markdown, "--latex": latex})

    def source(text: str) -> Source:
        named = parse(text)
        return replace(named, point=point, cluster=named.cluster or cluster)

    if (old is None) != (new is None):
        raise ArgumentError("--old and --new go together.")
    call(sample="SAMPLE", pred="PRED", judgements="SAMPLE")
    how: Any = {"method": method, "resamples": resamples, "seed": seed}
    with told():
        if old is not None and new is not None:
            reviews = [Judgements.read(file) for file in files]
            found: Estimates | Difference = estimate(
                old=source(old), new=source(new), judgements=reviews, level=level, **how
            )
        else:
            if len(files) != 2:
                raise ArgumentError(
                    f"an estimate needs a sample and the run; got {count(len(files), 'file')}.",
                    "pass SAMPLE PRED, or --old A --new B REVIEW…",
                )
            sample, pred = files
            found = estimate(
                read_if_judged(sample) or source(sample),
                source(pred),
                split_names(measures) if measures else None,
                design=design,
                drawn=None if drawn is None else read_lines(drawn),
                population=population,
                missing=missing,
                level=level,
                **how,
            )
    if as_json:
        print_json(found.to_dict())
    elif markdown:
        print_data(found.to_markdown())
    elif latex:
        if isinstance(found, Difference):
            raise ArgumentError("--latex is for estimates of one run.", "--markdown prints a difference.")
        print_data(found.to_latex())
    else:
        console().print(repr(found), markup=False, soft_wrap=True)
