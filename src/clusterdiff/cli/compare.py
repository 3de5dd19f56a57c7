"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import click

from clusterdiff.cli import engine as engines
from clusterdiff.cli.output import error_console, print_diff, print_json
from clusterdiff.clustering import MISSING, NOISE_AS, Clustering
from clusterdiff.comparison import Comparison, compare
from clusterdiff.errors import ArgumentError
from clusterdiff.formats import read_clustering, read_columns
from clusterdiff.measures import measures as registry


@click.command(name="compare")
@click.argument("true", metavar="TRUE")
@click.argument("pred", metavar="[PRED]", required=False)
@click.option(
    "--true", "true_column", metavar="COLUMN", help="Column of true clusters, when both are in one file."
)
@click.option("--pred", "pred_column", metavar="COLUMN", help="Column of predicted clusters, likewise.")
@click.option("--point", metavar="COLUMN", help="Column that names the points.")
@click.option("--cluster", metavar="COLUMN", help="Column of clusters in both files.")
@click.option("--measures", default="S_H", show_default=True, help="Measures to print, separated by commas.")
@click.option("--top", default=10, show_default=True, help="How many of the costliest components to show.")
@click.option(
    "--missing",
    type=click.Choice(MISSING),
    default="error",
    show_default=True,
    help="Points on one side only.",
)
@click.option("--noise", metavar="LABEL", help="Label that means “in no cluster”.")
@click.option(
    "--noise-as",
    type=click.Choice(NOISE_AS),
    default="singleton",
    show_default=True,
    help="What noise becomes.",
)
@engines.options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--fail-under", type=float, metavar="SCORE", help="Exit with 1 if the first measure is below SCORE."
)
def command(
    true: str,
    pred: str | None,
    true_column: str | None,
    pred_column: str | None,
    point: str | None,
    cluster: str | None,
    measures: str,
    top: int,
    missing: Any,
    noise: str | None,
    noise_as: Any,
    engine: str | None,
    master: str | None,
    memory: str | None,
    as_json: bool,
    fail_under: float | None,
) -> None:
    """Compare two clusterings.

    TRUE and PRED are files with one label a line, or tables (.csv, .tsv, .parquet) with a column of clusters
    and maybe one of points. With one file, --true and --pred name its two columns.
    """
    question = engines.Question(
        true, pred, true_column, pred_column, point, cluster, missing, noise, noise_as
    )
    with ExitStack() as stack:
        chosen = engines.chosen(engine, question)
        if chosen == "memory":
            left, right = read_pair(true, pred, true_column, pred_column, point, cluster)
            diff = compare(left, right, missing=missing, noise=_label(noise, left, right), noise_as=noise_as)
        else:
            diff = stack.enter_context(engines.compared(question, chosen, master, memory))
        show(diff, measures, top, as_json)
        wanted = split_names(measures)[0]
        if fail_under is not None and _below(diff, wanted, fail_under):
            error_console().print(f"{wanted} is worse than {fail_under}", style="red")
            sys.exit(1)


def show(diff: Comparison, measures: str, top: int, as_json: bool) -> None:
    """Print a comparison for people or for programs."""
    wanted = split_names(measures)
    if as_json:
        print_json(diff.to_dict(wanted, top))
    else:
        print_diff(diff, diff.scores(wanted), top)


def split_names(text: str) -> list[str]:
    """Measure names separated by commas, where commas inside brackets do not count.

    >>> split_names("S_H, K(k=5), f(a=1, b=2)")
    ['S_H', 'K(k=5)', 'f(a=1, b=2)']
    """
    out, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            out.append("")
        else:
            out[-1] += letter
    return [name.strip() for name in out if name.strip()]


def _below(diff: Comparison, name: str, limit: float) -> bool:
    value = diff.score(name)
    return value < limit if registry[name].similarity else value > limit


def read_pair(
    true: str,
    pred: str | None,
    true_column: str | None,
    pred_column: str | None,
    point: str | None,
    cluster: str | None,
) -> tuple[Clustering, Clustering]:
    """The two clusterings that the arguments of a command name."""
    if pred is not None:
        return (
            read_clustering(true, point, true_column or cluster),
            read_clustering(pred, point, pred_column or cluster),
        )
    if true_column is None or pred_column is None:
        raise ArgumentError(
            "one file needs --true and --pred to name its two columns.", "or pass two files: TRUE PRED."
        )
    data = read_columns(true, [true_column, pred_column, *([point] if point else [])])
    points = None if point is None else data[point].tolist()
    return (
        Clustering(data[true_column], points, argument=f"{true}:{true_column}"),
        Clustering(data[pred_column], points, argument=f"{true}:{pred_column}"),
    )


def _label(noise: str | None, *sides: Clustering) -> Any:
    """The noise label as it stands among the labels: a number where they are numbers."""
    if noise is None or any(side.lexicon is not None for side in sides):
        return noise
    try:
        return int(noise)
    except ValueError:
        raise ArgumentError(f"--noise must be a whole number, as the labels are; got {noise!r}.") from None
