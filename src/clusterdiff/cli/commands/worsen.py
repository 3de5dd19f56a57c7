"""clusterdiff worsen: the paper's experiment, on a clustering of your own."""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from rich.text import Text

from clusterdiff.cli.options import cluster_option, json_option, measures_option, point_option, seed_option
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.pictures import picture_options, refuse_sizes, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import check_outputs
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.paper import story
from clusterdiff.paper.series import FIGURE_3, HOW, Series, worsen
from clusterdiff.points.corpus import Corpus
from clusterdiff.verbs.read import read
from clusterdiff.wording import count


@click.command(name="worsen")
@click.argument("file", required=False)
@point_option
@cluster_option
@measures_option(FIGURE_3, "Measures, separated by commas.")
@click.option("--how", type=click.Choice(HOW), default="paper", show_default=True, help="How to worsen it.")
@click.option(
    "--steps",
    type=click.IntRange(1),
    help="How many clusterings to score.  [default: for paper all, or fewer if that takes too long; else 100]",
)
@seed_option
@click.option("--csv", "csv_file", metavar="FILE", help="Write the scores of every step.")
@click.option("--plot", "picture", metavar="FILE", help="Draw them: .svg, .png or .pdf.")
@picture_options
@json_option
def command(
    file: str | None,
    point: str | None,
    cluster: str | None,
    measures: list[str],
    how: Any,
    steps: int | None,
    seed: int,
    csv_file: str | None,
    picture: str | None,
    width: float | None,
    dpi: float | None,
    as_json: bool,
) -> None:
    """Worsen a clustering step by step and score each step against the original.

    Without FILE, the bundled story is worsened, as in section 6 of the paper with another document.
    """
    refuse_sizes(width, dpi, [picture])
    check_outputs([csv_file, picture], *([] if file is None else [file]))
    true = story.true() if file is None else read(file, point=point, cluster=cluster)
    if isinstance(true, Corpus):
        raise ArgumentError(
            f"{file} holds documents of mentions, and only a single clustering can be worsened.",
            "write one document as a table of points and clusters.",
        )
    with progress("worsening"):
        series = worsen(true, measures, how=how, steps=steps, seed=seed)
    if csv_file:
        write_text(csv_file, series.to_csv())
    if picture:
        save_picture(series.plot(width=width, dpi=dpi), picture)
    if as_json:
        print_json(series.to_dict())
    else:
        _show(series)


def _show(series: Series) -> None:
    out = console()
    operation = series.operations["operation"].tolist()
    counts = ", ".join(f"{operation.count(word):,} × {word}" for word in dict.fromkeys(operation))
    points, clusters = count(len(series.true)), count(len(series.true.names), "cluster")
    out.print(f"{points} in {clusters}; operations: {counts or 'none'}")
    bottom = operation.count("split") if series.how == "paper" else None
    places = ["first", *(["at ⊥"] if bottom is not None else []), "last"]
    table = plain_table("measure", right=places)
    table.add_column("steps")
    at = int(np.searchsorted(series.steps, bottom)) if bottom is not None else None
    for name, values in series.scores.items():
        middle = [f"{values[min(at, len(values) - 1)]:.4f}"] if at is not None else []
        table.add_row(Text(name, "bold"), f"{values[0]:.4f}", *middle, f"{values[-1]:.4f}", _steps(values))
    out.print(table)


def _steps(values: Any) -> str:
    change = np.diff(values)
    down, up = int((change < 0).sum()), int((change > 0).sum())
    flat = len(change) - down - up
    if not flat and not up:
        return "falls at every step"
    return ", ".join(
        f"{number:,} {word}" for number, word in ((down, "down"), (flat, "flat"), (up, "up")) if number
    )
