"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from typing import Any

import click

from clusterdiff.cli.coreference import (
    MENTIONS,
    POINTS,
    Shown,
    document_options,
    documents_of,
    latex_option,
    show_corpus,
)
from clusterdiff.cli.help import Headed, under
from clusterdiff.cli.inputs import (
    EngineOptions,
    attribute_options,
    engine_options,
    input_options,
    policy_options,
    read_columns,
    read_distances,
    sources,
    told,
)
from clusterdiff.cli.options import every, json_option, measures_option, top_option, with_first
from clusterdiff.cli.output import error_console, print_data, refuse_several
from clusterdiff.cli.presentation import SIDES, Columns, How, explain_options, hunks_as_lines, show
from clusterdiff.cli.progress import progress
from clusterdiff.cli.report import Report, file_name, report_options
from clusterdiff.cli.spelling import call
from clusterdiff.cli.writing import check_outputs, parted, spreadsheet_option, write_option, write_parts
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError
from clusterdiff.formats.source import Source
from clusterdiff.measures import measures as registry
from clusterdiff.points.corpus import SINGLETONS
from clusterdiff.show.markdown import comparison_markdown
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import number


@click.command(name="compare", cls=Headed)
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@under(
    "Points and clusters",
    click.option(
        "--old", metavar="FILE", help="Instead of TRUE, with --new: the old release of a catalogue."
    ),
    click.option("--new", metavar="FILE", help="Instead of PRED, with --old: the new release."),
    input_options,
    click.option(
        "--weight", "weights", metavar="COLUMN", help="Column of weights: how much each point counts."
    ),
    click.option("--features", metavar="COLUMNS", help="Columns of numbers, separated by commas, for S_MSE."),
    click.option(
        "--distances",
        metavar="FILE",
        help="Link weights of points for S*(distance): .npy or sparse .npz, rows in the order of TRUE.",
    ),
    attribute_options,
)
@under("Missing points and noise", policy_options)
@under(
    "Documents of mentions",
    click.option("--documents", metavar="COLUMN", help="Compare within documents, which this column names."),
    document_options,
    click.option(
        "--singletons",
        type=click.Choice(SINGLETONS),
        default="keep",
        show_default=True,
        help="Clusters of one point, within documents.",
    ),
)
@under(
    "What to print",
    measures_option(["S_H"]),
    top_option,
    explain_options,
    json_option,
    click.option(
        "--markdown",
        is_flag=True,
        help="Print Markdown for a comment on a pull request: under 60,000 characters.",
    ),
    latex_option,
    click.option(
        "--fail-under", type=float, metavar="SCORE", help="Exit with 1 if the first measure is below SCORE."
    ),
)
@under("What to write", report_options, write_option, spreadsheet_option)
@under("Engine", engine_options)
def command(
    true: str | None,
    pred: str | None,
    old: str | None,
    new: str | None,
    measures: list[str],
    top: int,
    policy: dict[str, Any],
    singletons: Any,
    documents: str | None,
    weights: str | None,
    features: str | None,
    distances: str | None,
    chosen_documents: tuple[str, ...],
    repeated: Any,
    latex: bool,
    explain: bool,
    measure: str,
    stat: bool,
    by: tuple[str, ...],
    beside: list[str],
    report: Report,
    attributes: str | None,
    key: str | None,
    engine: EngineOptions,
    writes: tuple[str, ...],
    safe: bool,
    as_json: bool,
    markdown: bool,
    fail_under: float | None,
    **inputs: Any,
) -> None:
    """Compare two clusterings.

    TRUE and PRED are tables (.csv, .tsv, .jsonl, .parquet, .arrow), tables of databases (.sqlite, .duckdb,
    postgres://…:table), lists of labels or clusters, JSON, label arrays and images (.npy, .tif), or documents of
    mentions (.conll, .conllu, .jsonl). FILE:COLUMN names the column of clusters, and - is standard input. With one
    file, --true and --pred name its two columns. Two releases of the same catalogue are compared with --old and --new,
    which also report the fate of every cluster; records in only one of them are not scored.
    """
    true, pred, sides = _sides(true, pred, old, new)
    if sides != SIDES:
        call(true="--old", pred="--new")
        policy["missing"] = policy["missing"] or "drop"  # records come and go
    refuse_several({"--json": as_json, "--latex": latex, "--markdown": markdown})
    if fail_under is not None and isnan(fail_under):
        raise ArgumentError("--fail-under must be a number that a score can be compared with; got nan.")
    left, right = sources(true, pred, **inputs)
    check_outputs([report.path, *(path for _, path in parted(writes))], left, right)
    columns = {"--weight": weights, "--features": features, "--documents": documents}
    options = policy | {"singletons": singletons, "weights": weights, "documents": documents}
    options["features"] = [name.strip() for name in (features or "").split(",") if name.strip()] or None
    with ExitStack() as stack:
        with told(), progress("reading"):
            both = documents_of(left, right, chosen_documents, repeated)
            if distances is None:
                others = bool(report.path or by)
                detail = others or explain or any(columns.values())
                session = engine.session(left, right, others, detail)
                options["engine"] = None if session is None else stack.enter_context(session)
            else:
                _refuse_beside_distances(columns | {"--engine": engine.name})
                options["distances"] = read_distances(distances)
            diff = compare(*both, **options)
            more = read_columns(attributes, key, left, right)
        measures = with_first(measure, every(measures, diff))
        how = How(measures, top, as_json, explain, stat, by, sides, _names(left, right), measure, beside)
        within = isinstance(diff, CorpusComparison)
        if latex and not within:
            raise ArgumentError("--latex is for documents.", "--write scores=FILE.tex writes any scores.")
        if markdown:
            _print_markdown(diff, how, report, more)
        elif isinstance(diff, CorpusComparison):
            if documents is None:
                given = {"--memory": engine.memory, "--attributes": attributes}
                _refuse_for_documents({option: value is not None for option, value in given.items()})
            voice = MENTIONS if documents is None else POINTS
            measures = _print_documents(diff, Shown(how, voice, _system(right) if latex else None), report)
        else:
            show(diff, how, report=report, columns=more)
        with progress("writing"):
            write_parts(diff, writes, measures, safe)
        if fail_under is not None and (worse := _worse(diff, how.measures[0], fail_under)):
            error_console().print(worse, style="red")
            sys.exit(1)


def _refuse_beside_distances(others: dict[str, str | None]) -> None:
    for option, given in others.items():
        if given not in (None, "memory"):
            raise ArgumentError(
                f"{option} and --distances cannot be combined.", "compare in Python to have both."
            )


def _print_markdown(diff: Comparison, how: How, report: Report, columns: Columns | None) -> None:
    if how.explain or how.stat or how.by or how.measure != "S_H":
        raise ArgumentError("--markdown has no room for --explain, --stat, --by or --measure; --html has.")
    hunks = hunks_as_lines(diff, how, columns)
    print_data(comparison_markdown(diff, how.measures, how.top, how.sides, hunks))
    report.write(
        diff, quiet=True, by={}, sides=how.sides, files=how.files, measure=how.measure, attributes=columns
    )


def _print_documents(diff: CorpusComparison, shown: Shown, report: Report) -> list[str]:
    """Print a comparison of documents; returns its measures."""
    how = shown.how
    _refuse_for_documents({"--old/--new": how.sides != SIDES})
    show_corpus(diff, shown)
    by = {name: name for name in how.by if name != "document"}
    report.write(
        diff, quiet=how.as_json, by=by, sides=shown.voice.sides, files=how.files, measure=how.measure
    )
    return shown.all_measures


def _names(left: Source, right: Source) -> tuple[str, str]:
    return file_name(left), file_name(right)


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


def _refuse_for_documents(given: dict[str, bool]) -> None:
    for option, is_given in given.items():
        if is_given:
            raise ArgumentError(f"{option} has no meaning for documents; leave it out.")


def _system(response: Source) -> str:
    """What a line of the table calls the system: its file."""
    return Path(response.path).name.partition(".")[0]


def _worse(diff: Comparison, measure: str, limit: float) -> str:
    """In which way a score misses a limit, if it does."""
    value, similarity = diff.score(measure), registry[measure].similarity
    if value >= limit if similarity else value <= limit:
        return ""
    digits = next((d for d in range(4, 17) if number(value, d) != number(limit, d)), 17)
    return f"{measure} is {number(value, digits)}, {'below' if similarity else 'above'} {limit:g}"
