"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import click

from clusterdiff.cli import engine as engines
from clusterdiff.cli.coreference import MENTIONS, POINTS, show_corpus
from clusterdiff.cli.explaining import SIDES, explain_options, report, show
from clusterdiff.cli.inputs import input_options, sources, told
from clusterdiff.cli.options import json_option, measures_option, top_option
from clusterdiff.cli.output import error_console
from clusterdiff.cli.writing import write_option, write_parts
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.errors import ArgumentError
from clusterdiff.measures import measures as registry
from clusterdiff.points.corpus import SINGLETONS
from clusterdiff.points.policy import MISSING, NOISE_AS, Policy
from clusterdiff.verbs.compare import compare


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
    help="Points on one side only.  [default: error; singleton for documents]",
)
@click.option("--noise", metavar="LABEL", help="Label that means “in no cluster”.")
@click.option(
    "--noise-as",
    type=click.Choice(NOISE_AS),
    default="singleton",
    show_default=True,
    help="What noise becomes.",
)
@click.option(
    "--singletons",
    type=click.Choice(SINGLETONS),
    default="keep",
    show_default=True,
    help="Clusters of one point, within documents.",
)
@click.option("--documents", metavar="COLUMN", help="Compare within documents, which this column names.")
@explain_options
@engines.options
@write_option
@json_option
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
    noise: str | None,
    noise_as: Any,
    singletons: Any,
    documents: str | None,
    explain: bool,
    by: tuple[str, ...],
    html: str | None,
    engine: str | None,
    master: str | None,
    memory: str | None,
    writes: tuple[str, ...],
    as_json: bool,
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
    left, right = sources(true, pred, **inputs)
    with ExitStack() as stack:
        chosen = engines.chosen(engine, (left, right))
        with told():
            if chosen is not None:
                policy = Policy(missing or ("singleton" if documents else "error"), noise, noise_as)
                asked = engines.Asked(policy, documents, singletons, others=bool(html or by))
                diff = stack.enter_context(engines.compared(left, right, asked, chosen, master, memory))
            else:
                diff = compare(
                    left,
                    right,
                    missing=missing,
                    noise=noise,
                    noise_as=noise_as,
                    singletons=singletons,
                    documents=documents,
                )
        if isinstance(diff, CorpusComparison):
            show_corpus(diff, measures, by, top, as_json, MENTIONS if documents is None else POINTS)
            if html:
                sliced = {name: name for name in by if name != "document"}
                report(diff, html, quiet=as_json, by=sliced, sides=sides)
        else:
            show(diff, measures, top, as_json, explain=explain, by=by, html=html, sides=sides)
        write_parts(diff, writes, measures)
        if fail_under is not None and _below(diff, measures[0], fail_under):
            error_console().print(f"{measures[0]} is worse than {fail_under}", style="red")
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


def _below(diff: Comparison, name: str, limit: float) -> bool:
    value = diff.score(name)
    return value < limit if registry[name].similarity else value > limit
