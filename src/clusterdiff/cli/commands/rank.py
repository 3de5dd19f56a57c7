"""clusterdiff rank: several predictions of the same truth, best first; and whether one is worse than it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from itertools import accumulate, takewhile
from pathlib import Path
from typing import Any

import click

from clusterdiff.cli.inputs import input_options, policy_options, told
from clusterdiff.cli.options import json_option, seed_option, split_names
from clusterdiff.cli.output import (
    console,
    error_console,
    json_text,
    print_data,
    refuse_several,
)
from clusterdiff.cli.pages import make_folder, pages_option, write_diffs
from clusterdiff.cli.pictures import picture_options, refuse_sizes, save_picture
from clusterdiff.cli.progress import progress
from clusterdiff.cli.sampled import print_sampled
from clusterdiff.cli.streams import visible
from clusterdiff.cli.systems import Watched, runs_of, systems_of
from clusterdiff.cli.writing import check_outputs
from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.decide.guard import Baseline, Change
from clusterdiff.decide.leaderboard import MARKDOWN, escaped
from clusterdiff.decide.rank import rank
from clusterdiff.decide.ranking import Ranking
from clusterdiff.diff.interval import METHODS
from clusterdiff.diff.units import SAMPLED
from clusterdiff.errors import ArgumentError
from clusterdiff.files import read_lines, write_text
from clusterdiff.formats.source import Source
from clusterdiff.judgements.estimate import read_if_judged
from clusterdiff.show.ranking import render
from clusterdiff.show.ranking.where import compared, losses
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import count


@click.command(name="rank")
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("preds", metavar="[PRED]...", nargs=-1)
@click.option(
    "--table",
    metavar="FILE",
    help="Instead of TRUE and PRED, several data sets: a table with the columns data, system and file.",
)
@input_options
@click.option("--measures", help="Measures, separated by commas; the first one ranks.  [default: S_H,as_h]")
@policy_options
@click.option("--documents", metavar="COLUMN", help="Compare within documents, which this column names.")
@click.option("--weight", "weights", metavar="COLUMN", help="Column of weights: how much each point counts.")
@click.option(
    "--unit",
    type=click.Choice(tuple(SAMPLED)),
    help="Resampling unit: components, documents, or points that were drawn independently.  [default: "
    "component; document for documents]",
)
@click.option("--level", default=0.95, show_default=True, help="Confidence level.")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="jackknife",
    show_default=True,
    help="How intervals are computed; percentile and basic resample documents.",
)
@click.option(
    "--resamples",
    default=10_000,
    show_default=True,
    help="Random permutations of a test; 0: no intervals, no tests.",
)
@click.option(
    "--design",
    type=click.Choice(["clusters", "points"]),
    help="TRUE is a sample of whole clusters, drawn with equal probability or through points: rank estimates of b3.f1.",
)
@click.option(
    "--drawn",
    type=click.Path(),
    metavar="FILE",
    help="With --design: drawn points whose clusters are complete, one per line; rank by S_H.",
)
@seed_option
@json_option
@click.option("--markdown", is_flag=True, help="Print a Markdown table of under 60,000 characters.")
@click.option("--latex", is_flag=True, help="Print a LaTeX table for booktabs.")
@click.option("--csv", "as_csv", is_flag=True, help="Print comma-separated values, with all digits.")
@click.option("--html", type=click.Path(), metavar="FILE", help="Write the table as a page.")
@pages_option("every system's diff and the table")
@click.option(
    "--plot",
    type=click.Path(),
    metavar="FILE",
    help="With --table: draw the mean ranks to a .png, .svg or .pdf.",
)
@picture_options
@click.option(
    "--baseline", metavar="FILE", help="Compare with earlier output of `compare --json` or `rank --json`."
)
@click.option("--fail-if-worse", is_flag=True, help="Exit with 1 if a system is worse than in the baseline.")
@click.option(
    "--significant", is_flag=True, help="With --fail-if-worse: only if the difference is significant."
)
def command(
    true: str | None,
    preds: tuple[str, ...],
    table: str | None,
    measures: str | None,
    policy: dict[str, Any],
    documents: str | None,
    weights: str | None,
    unit: Any,
    level: float,
    method: Any,
    resamples: int,
    design: str | None,
    drawn: str | None,
    seed: int,
    as_json: bool,
    markdown: bool,
    latex: bool,
    as_csv: bool,
    html: str | None,
    pages: str | None,
    plot: str | None,
    width: float | None,
    dpi: float | None,
    baseline: str | None,
    fail_if_worse: bool,
    significant: bool,
    **inputs: Any,
) -> None:
    """Rank predictions of the same true clustering, with intervals and tests between them.

    PRED are files in any format that `compare` takes, FILE:COLUMN, or folders, all files of which are ranked; each
    system is named after its file or column. With one table, --true names its column of true clusters, and the others
    (or those that --pred names: A,B,C) are ranked.
    """
    if (true is None) == (table is None):
        raise ArgumentError(
            "there is nothing to rank." if true is None else "--table takes the place of TRUE and PRED.",
            "pass TRUE PRED…, or --table FILE.",
        )
    if (fail_if_worse and baseline is None) or (significant and not fail_if_worse):
        needs = "--baseline FILE" if fail_if_worse else "--fail-if-worse"
        raise ArgumentError(f"{'--fail-if-worse' if fail_if_worse else '--significant'} needs {needs}.")
    if plot and table is None:
        raise ArgumentError("--plot draws mean ranks over data sets.", "pass several data sets with --table.")
    forms = {"--json": as_json, "--markdown": markdown, "--latex": latex, "--csv": as_csv}
    refuse_several(forms)
    form = next((option for option, given in forms.items() if given), "text")
    refuse_sizes(width, dpi, [plot])
    if pages and table is not None:
        raise ArgumentError("--pages is for systems on one data set.", "pass TRUE PRED… instead of --table.")
    make_folder(pages)
    check_outputs([html, plot], *(name for name in (true, *preds, table, baseline) if name is not None))
    before = None if baseline is None else Baseline.read(baseline)
    options = policy | {"documents": documents, "weights": weights}
    how: dict[str, Any] = {
        "measures": split_names(measures) if measures else None,
        "unit": unit,
        "level": level,
        "method": method,
        "resamples": resamples,
        "seed": seed,
        **{name: value for name, value in options.items() if value is not None},
    }
    if drawn is not None and design is None:
        raise ArgumentError("--drawn is for a sample, and needs --design.")
    if design is not None:
        if true is None or html or baseline or pages:
            raise ArgumentError(
                "--design ranks PRED… on one sample, without --table, --html, --pages or --baseline."
            )
        for option, given in (("--unit", unit is not None), ("--method", method != "jackknife")):
            if given:
                raise ArgumentError(f"{option} has no meaning for a ranking on a sample.", "leave it out.")
        with told():
            sample, systems = systems_of(true, preds, inputs)
            points = None if drawn is None else read_lines(drawn)
            print_sampled(
                read_if_judged(true) or sample, systems, how["measures"], design, points, level, form
            )
        return
    with told(), progress() as tell:
        if table is not None:
            runs = {data: (t, Watched(p, tell)) for data, (t, p) in runs_of(table, inputs).items()}
            found: Ranking | DatasetRanking = rank(runs, **how)
        else:
            assert true is not None
            truth, systems = systems_of(true, preds, inputs)
            found = rank(truth, Watched(systems, tell), **how)
        tell("intervals and tests")
        changes = [] if before is None else before.changes(found)
        text = written(found, changes, form)
    print_data(text)
    if form == "text":
        console().print(f"\n{found.signature}", style="dim", markup=False, soft_wrap=True)
    if pages and true is not None:
        with told(), progress() as tell:
            _write_pages(pages, html, found, (truth, Watched(systems, tell)), options)
    elif html:
        write_text(Path(html), found.to_html())
    if plot and isinstance(found, DatasetRanking):
        save_picture(found.plot(width=width, dpi=dpi), plot)
    if before is not None:
        _judge(found, before, changes, fail_if_worse, significant)


def _write_pages(
    folder: str,
    html: str | None,
    found: Ranking | DatasetRanking,
    ranked: tuple[Source, Mapping[str, Source]],
    options: Mapping[str, Any],
) -> None:
    """Every system's diff, best first, and the ranking with links to them: index.html, unless --html names a file."""
    truth, systems = ranked
    index = html or os.path.join(folder, "index.html")
    given = {name: value for name, value in options.items() if value is not None}
    lost: dict[str, dict[str, dict[str, float]]] = {}
    diffs = ((name, compare(truth, systems[name], **given)) for name in found.names)
    addresses = write_diffs(folder, index, diffs, lambda name, diff: lost.update({name: losses(diff)}))
    write_text(Path(index), render(found, addresses, compared(lost)))


def written(found: Ranking | DatasetRanking, changes: list[Change], form: str) -> str:
    """The ranking in one of the forms, with what changed against the baseline where that has room."""
    match form:
        case "--json":
            told = {"changes": [change.to_dict() for change in changes]} if changes else {}
            return json_text(found.to_dict() | told) + "\n"
        case "--markdown":
            changed = _listed(changes)
            return found.to_markdown(MARKDOWN - len(changed)) + changed
        case "--latex":
            return found.to_latex()
        case "--csv":
            return found.to_csv()
    return visible("\n".join([found.to_text(), *map(str, changes)]) + "\n")  # notices were told before


def _listed(changes: list[Change]) -> str:
    """What changed as a list in Markdown, what got worse first; as many as a third of a comment holds."""
    lines = [
        f"\n- {escaped(str(change))}\n" for change in sorted(changes, key=lambda change: not change.worse)
    ]
    room = MARKDOWN // 3
    kept = list(takewhile(lambda length: length <= room, accumulate(map(len, lines))))
    left = len(lines) - len(kept)
    return "".join([*lines[: len(kept)], *([f"\n… and {count(left, 'more change')}\n"] if left else [])])


def _judge(
    found: Ranking | DatasetRanking, before: Baseline, changes: list[Change], fail: bool, significant: bool
) -> None:
    """Say what makes the baseline a poor one, and exit with 1 if a system is worse than in it."""
    out = error_console()
    for notice in before.notices(found):
        out.print(f"notice: {notice}", markup=False, style="yellow", soft_wrap=True)
    if significant and any(change.worse and change.significant is None for change in changes):
        why = next(change.why for change in changes if change.worse and change.significant is None)
        raise ArgumentError(
            f"cannot tell whether the difference is significant{f'; {why}' if why else '.'}",
            "rank by a measure that has intervals, such as S_H, and with resamples; for several data sets the baseline "
            "must have the same ones.",
        )
    bad = [change for change in changes if change.worse and (change.significant or not significant)]
    if fail and bad:
        for change in bad:
            out.print(f"worse than {before.path}: {change}", markup=False, style="red", soft_wrap=True)
        sys.exit(1)
