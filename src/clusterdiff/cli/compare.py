"""clusterdiff compare: two files, or two columns of one."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from typing import Any

import click

from clusterdiff.cli import engine as engines
from clusterdiff.cli.coreference import show_corpus
from clusterdiff.cli.inputs import input_options, sources, told
from clusterdiff.cli.output import error_console, print_diff, print_json
from clusterdiff.cli.writing import write_option, write_parts
from clusterdiff.clustering import MISSING, NOISE_AS
from clusterdiff.comparison import Comparison
from clusterdiff.corpus import SINGLETONS, CorpusComparison
from clusterdiff.formats import compare_files
from clusterdiff.measures import measures as registry


@click.command(name="compare")
@click.argument("true", metavar="TRUE")
@click.argument("pred", metavar="[PRED]", required=False)
@input_options
@click.option("--measures", default="S_H", show_default=True, help="Measures to print, separated by commas.")
@click.option("--top", default=10, show_default=True, help="How many of the costliest components to show.")
@click.option(
    "--missing",
    type=click.Choice(MISSING),
    help="Points on one side only.  [default: error; singleton for documents of mentions]",
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
    help="Entities with one mention, in documents.",
)
@click.option(
    "--by", metavar="COLUMN", help="“document” shows every document of mentions on a line of its own."
)
@engines.options
@write_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.option(
    "--fail-under", type=float, metavar="SCORE", help="Exit with 1 if the first measure is below SCORE."
)
def command(
    true: str,
    pred: str | None,
    measures: str,
    top: int,
    missing: Any,
    noise: str | None,
    noise_as: Any,
    singletons: Any,
    by: str | None,
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
    file, --true and --pred name its two columns.
    """
    with ExitStack() as stack:
        with told():
            pair = sources(true, pred, **inputs)
            chosen = engines.chosen(engine, pair)
            if chosen is not None:
                asked = engines.Choices(missing or "error", noise, noise_as)
                diff = stack.enter_context(engines.compared(*pair, asked, chosen, master, memory))
            else:
                diff = compare_files(
                    *pair, missing=missing, noise=noise, noise_as=noise_as, singletons=singletons
                )
        if isinstance(diff, CorpusComparison):
            show_corpus(diff, split_names(measures), by, top, as_json)
        else:
            show(diff, measures, top, as_json)
        write_parts(diff, writes, split_names(measures))
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
