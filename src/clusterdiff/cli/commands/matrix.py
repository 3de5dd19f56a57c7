"""clusterdiff matrix: many clusterings of the same points, each against each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
from rich.text import Text

from clusterdiff.cli.inputs import named_columns, told
from clusterdiff.cli.options import (
    AT_LEAST_NONE,
    cluster_option,
    json_option,
    noise_as_option,
    noise_option,
    point_option,
    together,
)
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.pictures import picture_options, refuse_sizes, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.systems import files_of, named
from clusterdiff.cli.writing import check_outputs
from clusterdiff.decide.matrix import Matrix, matrix
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.formats.source import parse
from clusterdiff.points.policy import MISSING
from clusterdiff.table import shown

#: The matrix is printed up to so many clusterings.
PRINTED = 12

writing = together(
    click.option("--csv", "csv_file", metavar="FILE", help="Write the matrix."),
    click.option("--plot", "picture", metavar="FILE", help="Draw it as a heat map: .svg, .png or .pdf."),
    click.option("--tree", metavar="FILE", help="Draw the tree from each clustering to the next."),
)


@click.command(name="matrix")
@click.argument("files", nargs=-1, required=True)
@click.option("--columns", metavar="NAMES", help="Columns of one file: A,B or a pattern such as 'leiden_*'.")
@click.option("--true", metavar="FILE", help="The true clustering: a file, or FILE:COLUMN.")
@point_option
@cluster_option
@click.option("--measure", default="S_H", show_default=True, help="Measure to compare each pair by.")
@click.option(
    "--missing", type=click.Choice(MISSING), help="How to treat points on one side only.  [default: error]"
)
@noise_option
@noise_as_option
@click.option(
    "--top",
    type=AT_LEAST_NONE,
    default=10,
    show_default=True,
    help="How many of the most stable clusters to show.",
)
@writing
@picture_options
@json_option
def command(
    files: tuple[str, ...],
    columns: str | None,
    true: str | None,
    point: str | None,
    cluster: str | None,
    measure: str,
    missing: Any,
    noise: tuple[str, ...],
    noise_as: Any,
    top: int,
    csv_file: str | None,
    picture: str | None,
    tree: str | None,
    width: float | None,
    dpi: float | None,
    as_json: bool,
) -> None:
    """Compare many clusterings pairwise: seeds, resolutions, parameters.

    FILES hold one clustering each, and a folder means all its files; with --columns, one file holds them all. Prints
    the matrix, the mean similarity, the medoid, and the clusters that recur.
    """
    refuse_sizes(width, dpi, [picture, tree])
    check_outputs([csv_file, picture, tree], *files, *([] if true is None else [true]))
    if columns is None:
        texts = [text for file in files for text in files_of(file, true)]
        read = [parse(text) for text in texts]
        sides = {
            name: replace(source, point=point, cluster=source.cluster or cluster)
            for name, source in zip(named(texts), read, strict=True)
        }
    elif len(files) == 1:
        sides = named_columns(files[0], columns, point)
    else:
        raise ArgumentError(f"--columns names columns of one file; got {len(files)} files.")
    reference = None if true is None else replace(parse(true), point=point)
    with told(), progress() as say:
        say("comparing")
        labels = frozenset(noise) or None
        found = matrix(sides, measure, true=reference, missing=missing, noise=labels, noise_as=noise_as)
    if csv_file:
        write_text(csv_file, found.to_csv())
    for file, kind in ((picture, "matrix"), (tree, "tree")):
        if file:
            save_picture(found.plot(kind, width=width, dpi=dpi), file)
    if as_json:
        print_json(found.to_dict())
    else:
        _show(found, top)


def _show(found: Matrix, top: int) -> None:
    out = console()
    out.print(found.extent)
    if len(found) <= PRINTED:
        table = plain_table(found.measure.name, right=[shown(found.names[i], 16) for i in found.order])
        for i in found.order:
            table.add_row(
                Text(shown(found.names[i], 24), "bold"), *(f"{found.values[i, j]:.4f}" for j in found.order)
            )
        out.print(table)
    mean, spread, least, greatest = found.stability
    medoid = shown(found.medoid)
    out.print(
        f"mean {mean:.4f} ± {spread:.4f}, from {least:.4f} to {greatest:.4f}; medoid {medoid}", markup=False
    )
    if top > 0:
        table = plain_table("cluster", right=("points", "kept", "jaccard", "least", "there"))
        for row in found.clusters[:top]:
            numbers = (f"{value:.4f}" for value in (row.kept, row.jaccard, row.least))
            table.add_row(Text(shown(str(row.cluster), 24)), f"{row.size:,}", *numbers, f"{row.there:.0%}")
        out.print(f"\nthe clusters of {found.reference or medoid}, most stable first", markup=False)
        out.print(table)
    out.print(f"\n{found.signature}", style="dim", markup=False, soft_wrap=True)
