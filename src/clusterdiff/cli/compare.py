"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from clusterdiff.cli.columns import other_columns
from clusterdiff.cli.explaining import SIDES, explain_options, show
from clusterdiff.cli.output import error_console
from clusterdiff.clustering import MISSING, NOISE_AS, Clustering
from clusterdiff.comparison import Comparison, compare
from clusterdiff.errors import ArgumentError
from clusterdiff.formats import read_clustering, read_columns
from clusterdiff.measures import measures as registry

Command = TypeVar("Command", bound=Callable[..., Any])

INPUTS = (
    click.option(
        "--true", "true_column", metavar="COLUMN", help="Column of true clusters, when both are in one file."
    ),
    click.option("--pred", "pred_column", metavar="COLUMN", help="Column of predicted clusters, likewise."),
    click.option("--point", metavar="COLUMN", help="Column that names the points."),
    click.option("--cluster", metavar="COLUMN", help="Column of clusters in both files."),
    click.option(
        "--missing",
        type=click.Choice(MISSING),
        default="error",
        show_default=True,
        help="Points on one side only.",
    ),
    click.option("--noise", metavar="LABEL", help="Label that means “in no cluster”."),
    click.option(
        "--noise-as",
        type=click.Choice(NOISE_AS),
        default="singleton",
        show_default=True,
        help="What noise becomes.",
    ),
)


def input_options(command: Command) -> Command:
    """Add the options that say how two clusterings are read."""
    for option in reversed(INPUTS):
        command = option(command)
    return command


@click.command(name="compare")
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@click.option("--old", metavar="FILE", help="Instead of TRUE, with --new: the old release of a catalogue.")
@click.option("--new", metavar="FILE", help="Instead of PRED, with --old: the new release.")
@input_options
@click.option("--measures", default="S_H", show_default=True, help="Measures to print, separated by commas.")
@click.option("--top", default=10, show_default=True, help="How many of the costliest components to show.")
@explain_options
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--fail-under", type=float, metavar="SCORE", help="Exit with 1 if the first measure is below SCORE."
)
def command(
    true: str | None,
    pred: str | None,
    old: str | None,
    new: str | None,
    measures: str,
    top: int,
    explain: bool,
    by: tuple[str, ...],
    html: str | None,
    as_json: bool,
    fail_under: float | None,
    **inputs: Any,
) -> None:
    """Compare two clusterings.

    TRUE and PRED are files with one label a line, or tables (.csv, .tsv, .parquet) with a column of clusters
    and maybe one of points. With one file, --true and --pred name its two columns. Two releases of the same
    catalogue are compared with --old and --new, which also tell which clusters continue, were born or vanished.
    """
    true, pred, sides = _sides(true, pred, old, new)
    diff = read_comparison(true, pred, **inputs)
    columns = other_columns(true, diff) if html or by else None
    wanted = split_names(measures)
    show(diff, wanted, top, as_json, explain=explain, by=by, html=html, columns=columns, sides=sides)
    if fail_under is not None and _below(diff, wanted[0], fail_under):
        error_console().print(f"{wanted[0]} is worse than {fail_under}", style="red")
        sys.exit(1)


def _sides(
    true: str | None, pred: str | None, old: str | None, new: str | None
) -> tuple[str, str | None, tuple[str, str]]:
    if old is not None and new is not None and true is None:
        return old, new, ("old", "new")
    if old is not None or new is not None:
        raise ArgumentError("--old and --new go together, and take the place of TRUE and PRED.")
    if true is None:
        raise ArgumentError(
            "there is nothing to compare.", "pass two files: TRUE PRED, or --old FILE --new FILE."
        )
    return true, pred, SIDES


def read_comparison(
    true: str, pred: str | None, *, missing: Any, noise: str | None, noise_as: Any, **columns: Any
) -> Comparison:
    """The comparison of the two clusterings that the arguments of a command name."""
    left, right = read_pair(true, pred, **columns)
    return compare(left, right, missing=missing, noise=_label(noise, left, right), noise_as=noise_as)


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
