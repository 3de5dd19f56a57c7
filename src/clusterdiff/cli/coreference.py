"""Documents of mentions, scored the way coreference scorers show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click
from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.cli.explaining import (
    explanation_as_data,
    print_explanation,
    print_slices,
    sliced,
    slices_as_data,
)
from clusterdiff.cli.gains import gains_as_data, print_gains
from clusterdiff.cli.options import together
from clusterdiff.cli.output import console, plain_table, print_data, print_json
from clusterdiff.diff.documents import CorpusComparison, Counts
from clusterdiff.errors import ArgumentError, LabelError, listed, nearest
from clusterdiff.formats.catalogue import DOCUMENTS
from clusterdiff.formats.mentions import REPEATED, Repeated
from clusterdiff.formats.source import Source
from clusterdiff.measures import resolve
from clusterdiff.points.corpus import Corpus
from clusterdiff.show.coreference import coreference_table
from clusterdiff.table import shown
from clusterdiff.verbs.read import read_documents
from clusterdiff.wording import count

#: Measures with a recall, a precision and an F1, and what they are called in tables.
ROWS = {
    "mentions": "mentions",
    "muc": "MUC",
    "b3": "B³",
    "ceaf_m": "CEAF-m",
    "ceaf_e": "CEAF-e",
    "blanc": "BLANC",
    "lea": "LEA",
}
#: The measures shown for each document.
BRIEF = {
    "muc.f1": "MUC",
    "b3.f1": "B³",
    "ceaf_e.f1": "CEAF-e",
    "lea.f1": "LEA",
    "conll": "CoNLL",
    "S_H": "S_H",
}
PARTS = ("recall", "precision", "f1")
COREFERENCE = (*(f"{row}.{part}" for row in ROWS for part in PARTS), "conll")

#: The options that are about documents of mentions.
document_options = together(
    click.option(
        "--document",
        "chosen_documents",
        multiple=True,
        metavar="NAME",
        help="Compare this document of mentions only. May be repeated.",
    ),
    click.option(
        "--repeated",
        type=click.Choice(REPEATED),
        help="A mention in several entities: an error, or it stays in the first.  [default: error]",
    ),
    click.option("--latex", is_flag=True, help="Print scores of mentions as the table that papers print."),
)


class Words(NamedTuple):
    """What the two sides, their points and their clusters are called."""

    true: str
    pred: str
    point: str
    cluster: str
    clusters: str


#: In documents of a text, and in documents that a column of a table names.
MENTIONS = Words("key", "response", "mention", "entity", "entities")
POINTS = Words("true", "predicted", "point", "cluster", "clusters")


class Shown(NamedTuple):
    """How a comparison of documents is to be shown."""

    measures: list[str]
    by: Sequence[str]
    top: int
    explain: bool
    as_json: bool
    system: str | None = None
    words: Words = MENTIONS
    measure: str | None = None

    @property
    def all_measures(self) -> list[str]:
        """Those that are always there, those asked for, and S_H."""
        return list(dict.fromkeys([*COREFERENCE, *self.measures, "S_H"]))


def documents_of(
    true: Source, pred: Source, names: Sequence[str], repeated: Repeated | None
) -> tuple[Source | Corpus, Source | Corpus]:
    """The two sides with what is to become of repeated mentions; with --document, those documents of them."""
    if repeated is not None:
        true, pred = replace(true, repeated=repeated), replace(pred, repeated=repeated)
        true.resolved(), pred.resolved()  # which refuse it for anything but documents
    if not names:
        return true, pred
    for side in (true.resolved(), pred.resolved()):
        if side.format not in DOCUMENTS:
            raise ArgumentError(f"--document is for documents of mentions; {side.path} is {side.format}.")
    corpora = read_documents(true.resolved()), read_documents(pred.resolved())
    known = list(dict.fromkeys([*corpora[0], *corpora[1]]))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ArgumentError(
            f"--document must name documents of the files; none has {listed(unknown)}.",
            nearest(unknown[0], known) or f"there are {listed(known)}.",
        )
    for corpus in corpora:
        if not any(name in corpus for name in names):
            raise LabelError(f"{corpus.origin} has no document {' or '.join(map(repr, names))}.")
    return corpora[0].only(names), corpora[1].only(names)


def show_corpus(diff: CorpusComparison, how: Shown) -> None:
    """Print a comparison of documents for people, for papers or for programs."""
    if how.system is not None:
        scores = diff.scores(how.all_measures)
        further = [name for name in how.measures if name != "S_H"]
        print_data(coreference_table({how.system: scores}, further))
        return
    slices = sliced(diff, [name for name in how.by if name != "document"])
    if how.as_json:
        data = diff.to_dict(how.all_measures, how.top)
        if how.explain:
            data |= explanation_as_data(diff, how.top)
        if how.measure is not None:
            data["gains"] = gains_as_data(diff, how.measure, how.top)
        if slices:
            data["slices"] = slices_as_data(slices)
        if "document" in how.by:
            data["documents"] = {
                str(name): {"n": document.n, "scores": document.scores(how.all_measures)}
                for name, document in diff.documents.items()
            }
        print_json(data)
        return
    out = console()
    out.print(_scores(diff, how))
    out.print()
    for line in _told(diff, how.words):
        out.print(line, soft_wrap=True)
    if how.explain:
        print_explanation(diff, how.top, (how.words.true, how.words.pred))
    if how.measure is not None:
        print_gains(diff, how.measure, how.top)
    if "document" in how.by:
        out.print()
        out.print(_by_document(diff, how))
    for name, table_of_slices in slices.items():
        print_slices(name, table_of_slices)
    out.print(f"\n{diff.signature}", style="dim", markup=False, soft_wrap=True)


def _scores(diff: CorpusComparison, how: Shown) -> RichTable:
    scores = diff.scores(how.all_measures)
    table = plain_table("", right=PARTS)
    for row, name in ROWS.items():
        heading = f"{how.words.point}s" if row == "mentions" else name
        table.add_row(Text(heading, "bold"), *(f"{100 * scores[f'{row}.{part}']:.2f}" for part in PARTS))
    table.add_row(Text("CoNLL", "bold"), "", "", f"{100 * scores['conll']:.2f}")
    for name, score in scores.items():
        if name not in COREFERENCE:
            table.add_row(Text(name, "bold cyan"), "", "", Text(_number(name, score, diff.n), "bold cyan"))
    return table


def _number(name: str, score: float, n: int) -> str:
    """In percent, if it is a share."""
    return f"{100 * score:.2f}" if resolve(name).bounds_at(n)[1] <= 1 else f"{score:.6g}"


#: What each part of the loss is lost to.
LOST = {
    "split": "to splits",
    "merge": "to merges",
    "missing": "to missing {}s",
    "spurious": "to spurious {}s",
}
#: What becomes of points that one side lacks.
MEANING = {
    "singleton": "each of these has {} {} of its own on the side that lacks it (--missing)",
    "drop": "these are left out (--missing)",
}


def _told(diff: CorpusComparison, words: Words) -> list[str]:
    """What the two files have, and what S_H lost."""
    lines = [count(len(diff.documents), "document")]
    if diff.counts is not None:
        lines = [f"{lines[0]} · {_side(diff.counts, words, 'true')} · {_side(diff.counts, words, 'pred')}"]
        found = (
            f"{diff.counts.found:,} found, {diff.counts.missing:,} missing, {diff.counts.spurious:,} spurious"
        )
        meaning = MEANING.get(diff.policy.missing, "") if diff.policy.unshared else ""
        article = "an" if words.cluster[0] in "aeiou" else "a"
        lines.append(
            f"{words.point}s: {found}" + (f": {meaning.format(article, words.cluster)}" if meaning else "")
        )
    loss = diff.loss._asdict()
    total = loss.pop("total")
    told = LOST if diff.policy.missing == "lost" else ("split", "merge")
    parts = " + ".join(f"{loss[part]:.6f} {LOST[part].format(words.point)}" for part in told)
    return [*lines, f"S_H lost {total:.6f} = {parts}"]


def _side(counts: Counts, words: Words, side: str) -> str:
    points, clusters = getattr(counts, f"{side}_points"), getattr(counts, f"{side}_clusters")
    noun = words.cluster if clusters == 1 else words.clusters
    return f"{getattr(words, side)}: {count(points, words.point)} in {clusters:,} {noun}"


def _by_document(diff: CorpusComparison, how: Shown) -> RichTable:
    names: dict[str, str] = {**BRIEF, **{name: name for name in how.measures if name not in BRIEF}}
    table = plain_table("document", right=(f"{how.words.point}s", *names.values()))
    rows: dict[str, Any] = diff.by_document(names).to_dict()
    for row in zip(*rows.values(), strict=True):
        table.add_row(
            Text(shown(str(row[0]), 60)),
            f"{row[1]:,}",
            *(_number(name, value, row[1]) for name, value in zip(names, row[2:], strict=True)),
        )
    return table
