"""clusterdiff worsen: the paper's experiment, on a clustering of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.table import Table
from rich.text import Text

from clusterdiff.cli.compare import split_names
from clusterdiff.cli.output import console, print_json
from clusterdiff.errors import ArgumentError
from clusterdiff.paper import story
from clusterdiff.paper.series import FIGURE_3, HOW, Series, worsen
from clusterdiff.points.corpus import Corpus
from clusterdiff.verbs.read import read


@click.command(name="worsen")
@click.argument("file", required=False)
@click.option("--point", metavar="COLUMN", help="Column that names the points.")
@click.option("--cluster", metavar="COLUMN", help="Column of clusters.")
@click.option(
    "--measures", default=",".join(FIGURE_3), show_default=True, help="Measures, separated by commas."
)
@click.option("--how", type=click.Choice(HOW), default="paper", show_default=True, help="How to worsen it.")
@click.option(
    "--steps", type=click.IntRange(1), help="How many clusterings to score; all, or 100 of a random way."
)
@click.option("--seed", default=0, show_default=True, help="For all that is left to chance.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write the scores of every step.")
@click.option("--plot", "picture", metavar="FILE", help="Draw them: .svg, .png or .pdf.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def command(
    file: str | None,
    point: str | None,
    cluster: str | None,
    measures: str,
    how: Any,
    steps: int | None,
    seed: int,
    csv_file: str | None,
    picture: str | None,
    as_json: bool,
) -> None:
    """Worsen a clustering step by step and score each step against the original.

    Without FILE the bundled story is worsened, as the paper's section 6 does with a document of its own.
    """
    true = story.true() if file is None else read(file, point=point, cluster=cluster)
    if isinstance(true, Corpus):
        raise ArgumentError(
            f"{file} holds several documents, and one clustering is worsened.", "pass one of them."
        )
    series = worsen(true, split_names(measures), how=how, steps=steps, seed=seed)
    if csv_file:
        Path(csv_file).write_text(series.to_csv(), encoding="utf-8")
    if picture:
        series.plot().figure.savefig(picture)
    if as_json:
        print_json(series.to_dict())
    else:
        _show(series)


def _show(series: Series) -> None:
    out = console()
    operation = series.operations["operation"].tolist()
    counts = ", ".join(f"{operation.count(word):,} × {word}" for word in dict.fromkeys(operation))
    out.print(
        f"{len(series.true):,} points in {len(series.true.names):,} clusters; operations: {counts or 'none'}"
    )
    bottom = operation.count("split") if series.how == "paper" else None
    table = Table(
        "measure",
        "first",
        *(["at ⊥"] if bottom is not None else []),
        "last",
        "steps",
        box=None,
        pad_edge=False,
    )
    for column in table.columns[1:-1]:
        column.justify = "right"
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
        f"{count:,} {word}" for count, word in ((down, "down"), (flat, "flat"), (up, "up")) if count
    )
