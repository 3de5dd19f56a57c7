"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from math import isnan
from pathlib import Path
from typing import Any

import click

from clusterdiff.cli import engine as engines
from clusterdiff.cli.coreference import MENTIONS, POINTS, Shown, document_options, documents_of, show_corpus
from clusterdiff.cli.explaining import SIDES, How, explain_options, show
from clusterdiff.cli.inputs import input_options, noise_labels, noise_options, read_distances, sources, told
from clusterdiff.cli.options import every, json_option, measures_option, top_option, with_first
from clusterdiff.cli.output import error_console, print_data, refuse_several
from clusterdiff.cli.progress import progress
from clusterdiff.cli.reporting import Report, file_name
from clusterdiff.cli.writing import parted, refuse_overwriting, spreadsheet_option, write_option, write_parts
from clusterdiff.diff.comparison import Comparison, noticed
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError
from clusterdiff.formats.source import Source
from clusterdiff.measures import measures as registry
from clusterdiff.points.corpus import SINGLETONS
from clusterdiff.points.noise import Noise
from clusterdiff.points.policy import MISSING, Policy
from clusterdiff.show.markdown import comparison_markdown
from clusterdiff.verbs.compare import compare
from clusterdiff.wording import number


@click.command(name="compare")
@click.argument("true", metavar="[TRUE]", required=False)
@click.argument("pred", metavar="[PRED]", required=False)
@click.option("--old", metavar="FILE", help="Instead of TRUE, with --new: the old release of a catalogue.")
@click.option("--new", metavar="FILE", help="Instead of PRED, with --old: the new release.")
@input_options
@measures_option(["S_H"])
@top_option
@click.option(
    "--missing",
    type=click.Choice(MISSING),
    help="Points on one side only.  [default: error; lost for documents]",
)
@noise_options
@click.option(
    "--singletons",
    type=click.Choice(SINGLETONS),
    default="keep",
    show_default=True,
    help="Clusters of one point, within documents.",
)
@click.option("--documents", metavar="COLUMN", help="Compare within documents, which this column names.")
@document_options
@click.option("--weight", "weights", metavar="COLUMN", help="How much each point counts.")
@click.option("--features", metavar="COLUMNS", help="Columns of numbers, separated by commas, for S_MSE.")
@click.option(
    "--distances",
    metavar="FILE",
    help="Link weights of points for S*(distance): .npy or sparse .npz, rows in the order of TRUE.",
)
@explain_options
@engines.options
@write_option
@spreadsheet_option
@json_option
@click.option(
    "--markdown", is_flag=True, help="Print it for a comment on a pull request: under 60,000 characters."
)
@click.option(
    "--fail-under", type=float, metavar="SCORE", help="Exit with 1 if the first measure is below SCORE."
)
def command(
    true: str | None,
    pred: str | None,
    old: str | None,
    new: str | None,
    measures: list[str],
    top: int,
    missing: Any,
    noise: tuple[str, ...],
    noise_true: tuple[str, ...],
    noise_pred: tuple[str, ...],
    noise_as: Any,
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
    report: Report,
    engine: str | None,
    master: str | None,
    memory: str | None,
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
    which also tell which clusters continue, were born or vanished.
    """
    true, pred, sides = _sides(true, pred, old, new)
    refuse_several({"--json": as_json, "--latex": latex, "--markdown": markdown})
    if fail_under is not None and isnan(fail_under):
        raise ArgumentError("--fail-under must be a number that a score can be compared with; got nan.")
    left, right = sources(true, pred, **inputs)
    refuse_overwriting([report.path, *(path for _, path in parted(writes))], left, right)
    files = (file_name(left), file_name(right))
    columns = tuple(name.strip() for name in (features or "").split(",") if name.strip())
    labels = noise_labels(noise, noise_true, noise_pred)
    others = {"--engine": engine, "--weight": weights, "--features": features, "--documents": documents}
    for option, given in others.items() if distances is not None else ():
        if given not in (None, "memory"):
            raise ArgumentError(
                f"{option} and --distances cannot be combined.", "compare in Python to have both."
            )
    with ExitStack() as stack:
        chosen = engines.chosen(engine, (left, right)) if distances is None else None
        with told(), progress("reading"):
            both = documents_of(left, right, chosen_documents, repeated)
            if chosen is not None:
                if documents is None and singletons != "keep":
                    raise ArgumentError("--singletons is for documents; leave it out, or pass --documents.")
                policy = Policy(
                    missing or ("lost" if documents else "error"),
                    Noise.told(labels[0], labels[1], labels[2], noise_as),
                )
                asked = engines.Asked(
                    policy,
                    documents,
                    singletons,
                    others=bool(report.path or by),
                    weights=weights,
                    features=columns,
                )
                diff = noticed(
                    stack.enter_context(engines.compared(left, right, asked, chosen, master, memory))
                )
            else:
                diff = compare(
                    *both,
                    missing=missing,
                    noise=labels[0],
                    noise_true=labels[1],
                    noise_pred=labels[2],
                    noise_as=noise_as,
                    singletons=singletons,
                    documents=documents,
                    weights=weights,
                    features=list(columns) or None,
                    distances=None if distances is None else read_distances(distances),
                )
        measures = with_first(measure, every(measures, diff))
        first = measures[0]
        if markdown:
            if explain or stat or by or measure != "S_H":
                raise ArgumentError(
                    "--markdown has no room for --explain, --stat, --by or --measure; --html has."
                )
            print_data(comparison_markdown(diff, measures, top, sides))
            report.write(diff, quiet=True, by={}, sides=sides, files=files, measure=measure)
        elif isinstance(diff, CorpusComparison):
            _refuse_for_documents({"--old/--new": sides != SIDES})
            if documents is None:
                _refuse_for_documents({"--master": master is not None, "--memory": memory is not None})
            how = How(measures, top, as_json, explain, stat, by, files=files, measure=measure)
            voice = MENTIONS if documents is None else POINTS
            shown = Shown(how, voice, _system(right) if latex else None)
            show_corpus(diff, shown)
            measures = shown.all_measures
            sliced = {name: name for name in by if name != "document"}
            report.write(diff, quiet=as_json, by=sliced, sides=voice.sides, files=files, measure=measure)
        else:
            if latex:
                raise ArgumentError("--latex is for documents.", "--write scores=FILE.tex writes any scores.")
            how = How(measures, top, as_json, explain, stat, by, sides, files, measure)
            show(diff, how, report=report)
        with progress("writing"):
            write_parts(diff, writes, measures, safe)
        if fail_under is not None and (worse := _worse(diff, first, fail_under)):
            error_console().print(worse, style="red")
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
