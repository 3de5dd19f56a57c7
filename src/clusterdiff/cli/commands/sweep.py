"""clusterdiff sweep: every threshold of scored pairs or of a dendrogram, or every resolution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import click
import numpy as np
from rich.text import Text

from clusterdiff.cli.inputs import named_columns, told
from clusterdiff.cli.options import (
    AT_LEAST_NONE,
    json_option,
    measures_option,
    noise_as_option,
    noise_option,
    together,
)
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.cli.pages import make_folder, pages_option, write_diffs
from clusterdiff.cli.pictures import picture_options, refuse_sizes, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.writing import check_outputs
from clusterdiff.decide.sweep import Sweep, sweep
from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.files import read_lines, write_text
from clusterdiff.formats.arrays import load_numpy
from clusterdiff.formats.source import Source, parse
from clusterdiff.inputs.choice import recognise
from clusterdiff.points.clustering import Clustering
from clusterdiff.show.sweep import write_page
from clusterdiff.table import shown
from clusterdiff.wording import count, number

#: What a file of a linkage may be called.
LINKAGES = (".npy", ".npz", ".txt")

writing = together(
    click.option("--csv", "csv_file", metavar="FILE", help="Write the scores at every threshold."),
    click.option("--plot", "picture", metavar="FILE", help="Draw the scores: .svg, .png or .pdf."),
    click.option("--tradeoff", metavar="FILE", help="Draw split loss against merge loss."),
    click.option("--html", metavar="FILE", help="Write a page with a slider over the thresholds."),
    pages_option("the diff at the best threshold of each measure, and at --at,"),
)


@click.command(name="sweep")
@click.argument("true")
@click.argument("pred")
@click.option("--true", "true_column", metavar="COLUMN", help="Column of true clusters.")
@click.option("--point", metavar="COLUMN", help="Column that names the points.")
@click.option(
    "--pred-point", metavar="A,B,SCORE", help="Columns of PRED, if it holds pairs: both ends, and the score."
)
@click.option(
    "--columns",
    metavar="NAMES",
    help="Columns of PRED that are resolutions: A,B or a pattern such as 'leiden_*'.",
)
@measures_option(["S_H"], "Measures, separated by commas.")
@click.option(
    "--thresholds",
    metavar="N",
    help='How many to score, "all", or which: 0.5,0.9.  [default: all; of more than 10,000 the best, and 200 to show]',
)
@click.option(
    "--missing", type=click.Choice(["error", "drop", "singleton"]), default="error", show_default=True,
    help="Points of PRED without a true cluster.",
)  # fmt: skip
@noise_option
@noise_as_option
@click.option(
    "--top",
    type=AT_LEAST_NONE,
    default=10,
    show_default=True,
    help="How many of the costliest merges to show.",
)
@click.option("--at", type=float, metavar="T", help="Show those up to this threshold.  [default: the best]")
@writing
@picture_options
@json_option
def command(
    true: str,
    pred: str,
    true_column: str | None,
    point: str | None,
    pred_point: str | None,
    columns: str | None,
    measures: list[str],
    thresholds: str | None,
    missing: Any,
    noise: tuple[str, ...],
    noise_as: Any,
    top: int,
    at: float | None,
    csv_file: str | None,
    picture: str | None,
    tradeoff: str | None,
    width: float | None,
    dpi: float | None,
    html: str | None,
    pages: str | None,
    as_json: bool,
) -> None:
    """Score every threshold of PRED against the clusters of TRUE, and find the best.

    PRED is a table of scored pairs: points are in one cluster if pairs that score at least the threshold connect them.
    Or it is a dendrogram: a linkage of scipy, saved with numpy.save (.npy, .npz) or numpy.savetxt (.txt), whose leaves
    are the rows of TRUE. Or, with --columns, a table with one clustering per column.
    """
    refuse_sizes(width, dpi, [picture, tradeoff])
    if pages and not html:
        raise ArgumentError("--pages writes diffs for the page of a sweep.", "pass --html FILE as well.")
    make_folder(pages)
    check_outputs([csv_file, picture, tradeoff, html], true, pred)
    left = parse(true)
    left = replace(left, point=point or left.point, cluster=left.cluster or true_column)
    options = {
        "measures": measures,
        "missing": missing,
        "noise": frozenset(noise) or None,
        "noise_as": noise_as,
    }
    with told(), progress() as say:
        say("sweeping")
        if columns is not None:
            if thresholds is not None:
                raise ArgumentError("--thresholds has no meaning for --columns, which are all scored.")
            if at is not None:
                raise ArgumentError("--at has no meaning for --columns, which have no merges.")
            swept = sweep(left, columns=named_columns(pred, columns, point), **options)
        elif pred.endswith(LINKAGES):
            clustering = _read(left)
            told_thresholds = _thresholds(thresholds)
            swept = sweep(
                clustering, _linkage(pred), points=clustering.points, thresholds=told_thresholds, **options
            )
        else:
            pairs = replace(parse(pred), pairs=True, point=pred_point)
            swept = sweep(left, pairs=pairs, thresholds=_thresholds(thresholds), **options)
        if html:
            write_page(swept, html, pages=_pages(swept, pages, html, at, say))
    if csv_file:
        write_text(csv_file, swept.to_csv())
    for file, kind in ((picture, "thresholds"), (tradeoff, "tradeoff")):
        if file:
            save_picture(swept.plot(kind, width=width, dpi=dpi), file)
    if as_json:
        print_json(swept.to_dict(at))
    else:
        _show(swept, top, at)


def _pages(
    swept: Sweep, folder: str | None, html: str, at: float | None, say: Callable[[str], None]
) -> dict[int, str]:
    """The diffs at the best threshold of each measure and at a threshold asked for: their addresses by place."""
    if folder is None:
        return {}
    places = dict.fromkeys(swept.best_place(name) for name in swept.valued)
    if at is not None:
        places[int(np.abs(swept.thresholds - at).argmin())] = None
    called = {swept.called(place): place for place in places}

    def diffs() -> Iterator[tuple[str, Comparison]]:
        for name, place in called.items():
            say(f"writing the diff at {name}")
            yield name, swept.compare(swept.thresholds[place])

    addresses = write_diffs(folder, html, diffs(), lambda name, diff: None)
    return {called[name]: address for name, address in addresses.items()}


def _thresholds(text: str | None) -> Any:
    """A number of thresholds, "all", or thresholds separated by commas."""
    if text is None or text == "all":
        return text
    try:
        return int(text) if text.isdecimal() else [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError(
            f'--thresholds takes a whole number, "all", or thresholds separated by commas; got {text!r}.'
        ) from None


def _read(source: Source) -> Clustering:
    return recognise(source, "true").clustering()


def _linkage(path: str) -> Any:
    if not path.endswith(".txt"):
        return load_numpy(path)
    try:
        return np.loadtxt(read_lines(path), ndmin=2)
    except FileError:
        raise
    except ValueError as error:
        raise FileError(f"{path} holds no linkage: {error}.") from None


def _show(swept: Sweep, top: int, threshold: float | None) -> None:
    out = console()
    scored = f", {len(swept):,} of them scored" if not swept.exhaustive and len(swept) < swept.total else ""
    out.print(f"{count(swept.n)} · {count(swept.total, swept.what)}{scored}")
    table = plain_table("measure", right=("best", swept.over, "clusters", "lost to splits", "lost to merges"))
    for name in swept.valued:
        values, at = swept.scores[name], swept.best_place(name)
        table.add_row(
            Text(name, "bold"),
            number(values[at], 6),
            Text(shown(swept.called(at), 24)),
            f"{swept.clusters[at]:,}",
            number(swept.parts.split[at], 6),
            number(swept.parts.merge[at], 6),
        )
    out.print(table)
    partly = [name for name in swept.valued if swept.exhaustive and name not in swept.exhaustive]
    if partly:
        out.print(f"{', '.join(partly)}: the best of {count(len(swept), 'threshold')} scored", markup=False)
    if swept.advice is not None:
        out.print(f"\n{swept.advice}", markup=False, soft_wrap=True)
    if top > 0 and swept.what == "threshold" and (threshold is not None or swept.valued):
        _show_worst(swept, top, threshold)
    out.print(f"\n{swept.signature}", style="dim", markup=False, soft_wrap=True)


def _show_worst(swept: Sweep, top: int, threshold: float | None) -> None:
    worst = swept.worst_merges(threshold)
    if not len(worst):
        return
    out = console()
    best = swept.best() if threshold is None else threshold
    out.print(f"\nthe costliest merges, up to {swept.over} {best:.6g}")
    table = plain_table(right=("cost", swept.over, "sizes"))
    for heading in ("points", "true clusters"):
        table.add_column(heading)
    for row in worst[:top]:
        table.add_row(
            number(row.cost, 6),
            f"{row.threshold:.6g}",
            f"{row.left_size:,} + {row.right_size:,}",
            Text(f"{shown(str(row.left), 24)} – {shown(str(row.right), 24)}"),
            Text(f"{shown(str(row.true_left), 24)} – {shown(str(row.true_right), 24)}"),
        )
    out.print(table)
