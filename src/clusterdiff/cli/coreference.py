"""Documents of mentions, scored the way coreference scorers show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import click
from rich.console import Console, RenderableType
from rich.text import Text

from clusterdiff.cli.hunks import Voice
from clusterdiff.cli.options import together
from clusterdiff.cli.output import console, plain_table, print_data, print_json
from clusterdiff.cli.presentation import (
    How,
    costliest,
    explanation_as_data,
    print_all,
    sliced,
    slices_as_data,
    slices_as_text,
)
from clusterdiff.cli.progress import progress
from clusterdiff.cli.screen import DIM, fitting, flowing, lost
from clusterdiff.diff.documents import CorpusComparison, Counts
from clusterdiff.errors import ArgumentError, LabelError, listed, nearest
from clusterdiff.formats.mentions import REPEATED, Repeated
from clusterdiff.formats.source import Source
from clusterdiff.inputs.choice import CORPORA, recognise
from clusterdiff.meet.sums import LOST_TO
from clusterdiff.points.corpus import Corpus
from clusterdiff.show.coreference import ROWS, coreference_table, told_score
from clusterdiff.table import shown as spelt
from clusterdiff.wording import Nouns, count

#: The measures shown for each document.
BRIEF = {
    "muc.f1": "MUC",
    "b3.f1": "B³",
    "ceaf_e.f1": "CEAF-e",
    "lea.f1": "LEA",
    "conll": "CoNLL",
    "S_H": "S_H",
}
#: Those of them that can be missed first.
LESS = ("lea.f1", "ceaf_e.f1", "b3.f1", "muc.f1")
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
)
latex_option = click.option(
    "--latex", is_flag=True, help="Print scores of mentions as the table that papers print."
)


#: What people say of documents of a text, and of documents that a column of a table names.
MENTIONS = Voice(("key", "response"), Nouns("mention", "entity"))
POINTS = Voice()


class Shown(NamedTuple):
    """How a comparison of documents is to be shown: ``system`` names it in a table for papers."""

    how: How
    voice: Voice = MENTIONS
    system: str | None = None

    @property
    def all_measures(self) -> list[str]:
        """Those that are always there, those asked for, and S_H."""
        return list(dict.fromkeys([*COREFERENCE, *self.how.measures, "S_H"]))


def documents_of(
    true: Source, pred: Source, names: Sequence[str], repeated: Repeated | None
) -> tuple[Source | Corpus, Source | Corpus]:
    """The two sides with what is to become of repeated mentions; with --document, those documents of them."""
    if repeated is not None:
        true, pred = replace(true, repeated=repeated), replace(pred, repeated=repeated)
        true.resolved(), pred.resolved()  # which refuse it for anything but documents
    if not names:
        return true, pred
    sides = recognise(true, "true"), recognise(pred, "pred")
    for side in sides:
        if not isinstance(side, CORPORA):
            source = side.data
            raise ArgumentError(f"--document is for documents of mentions; {source.path} is {source.format}.")
    corpora = sides[0].read(), sides[1].read()
    known = list(dict.fromkeys([*corpora[0], *corpora[1]]))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ArgumentError(
            f"--document must name documents of the files; none has {listed(unknown)}.",
            nearest(unknown[0], known) or f"they have {listed(known)}.",
        )
    for corpus in corpora:
        if not any(name in corpus for name in names):
            raise LabelError(f"{corpus.origin} has no document {' or '.join(map(repr, names))}.")
    return corpora[0].only(names), corpora[1].only(names)


def show_corpus(diff: CorpusComparison, shown: Shown) -> None:
    """Print a comparison of documents for people, for papers or for programs."""
    how = shown.how
    if shown.system is not None:
        scores = diff.scores(shown.all_measures)
        further = [name for name in how.measures if name != "S_H"]
        print_data(coreference_table({shown.system: scores}, further, diff.n, diff.notices))
        return
    with progress("comparing"):
        data = _as_data(diff, shown) if how.as_json else None
        told = [] if how.as_json else list(_as_text(diff, shown, console()))
    if data is not None:
        print_json(data)
    else:
        print_all(told)


def _as_data(diff: CorpusComparison, shown: Shown) -> dict[str, Any]:
    how = shown.how
    data = diff.to_dict(shown.all_measures, how.top)
    data |= explanation_as_data(diff, how)
    slices = sliced(diff, [name for name in how.by if name != "document"])
    if slices:
        data["slices"] = slices_as_data(slices)
    if "document" in how.by:
        data["documents"] = {
            str(name): {"n": document.n, "scores": document.scores(shown.all_measures)}
            for name, document in diff.documents.items()
        }
    return data


def _as_text(diff: CorpusComparison, shown: Shown, out: Console) -> Iterator[RenderableType]:
    how, voice = shown.how, shown.voice._replace(texts=diff.texts)
    slices = sliced(diff, [name for name in how.by if name != "document"])
    yield from _scores(diff, shown)
    yield Text()
    yield from flowing(_told(diff, voice, shown.how.measure), out)
    yield from costliest(diff, how, voice, out)
    if "document" in how.by:
        yield Text()
        yield from _by_document(diff, shown, out)
    for name, table in slices.items():
        yield from slices_as_text(name, table, how.top, out)
    yield Text()
    yield Text(diff.signature, DIM)


def _scores(diff: CorpusComparison, shown: Shown) -> Iterator[RenderableType]:
    """The measures of coreference by their parts, then those that have one value."""
    scores = diff.scores(shown.all_measures)
    others = [name for name in scores if name not in COREFERENCE]
    width = max(map(len, [*ROWS.values(), f"{shown.voice.nouns.point}s", *others]))
    table = plain_table(" " * width, right=PARTS)
    for row, name in ROWS.items():
        heading = f"{shown.voice.nouns.point}s" if row == "mentions" else name
        table.add_row(Text(heading, "bold"), *(f"{100 * scores[f'{row}.{part}']:.2f}" for part in PARTS))
    table.add_row(Text("CoNLL", "bold"), "", "", f"{100 * scores['conll']:.2f}")
    yield table
    single = plain_table(" " * width, right=("",), header=False)
    for name in others:
        score = Text(told_score(name, scores[name], diff.n), "bold")
        single.add_row(Text(f"{name:<{width}}", "bold"), score)
    yield single


def _told(diff: CorpusComparison, voice: Voice, measure: str) -> list[str]:
    """What the two files have, and what S_H and the measure that is explained lost."""
    lines = [count(len(diff.documents), "document")]
    if diff.counts is not None:
        sides = " · ".join(_side(diff.counts, voice, side) for side in (0, 1))
        lines = [f"{lines[0]} · {sides}"]
        counts, nouns = diff.counts, voice.nouns
        found = f"{counts.found:,} found, {counts.missing:,} not found, {counts.spurious:,} spurious"
        meaning = diff.policy.rule.brief if diff.policy.unshared else ""
        lines.append(f"{nouns.point}s: {found}" + (f"; {meaning.format(nouns.a_cluster)}" if meaning else ""))
    parts = LOST_TO if diff.policy.rule.loses else LOST_TO[:2]
    told = dict.fromkeys(["S_H", measure])
    return [
        *lines,
        *(f"{name} {lost(diff.loss_of(name), voice, parts, not diff.loss.total)}" for name in told),
    ]


def _side(counts: Counts, voice: Voice, side: int) -> str:
    points = (counts.true_points, counts.pred_points)[side]
    clusters = (counts.true_clusters, counts.pred_clusters)[side]
    return (
        f"{voice.sides[side]}: {count(points, voice.nouns.point)} in {count(clusters, voice.nouns.cluster)}"
    )


def _by_document(diff: CorpusComparison, shown: Shown, out: Console) -> Iterator[RenderableType]:
    names: dict[str, str] = {**BRIEF, **{name: name for name in shown.how.measures if name not in BRIEF}}
    head = ["document", f"{shown.voice.nouns.point}s", *names.values()]
    columns: dict[str, Any] = diff.by_document(names).to_dict()
    rows = [
        [
            spelt(str(row[0]), 60),
            f"{row[1]:,}",
            *(told_score(name, value, row[1]) for name, value in zip(names, row[2:], strict=True)),
        ]
        for row in zip(*columns.values(), strict=True)
    ]
    yield from fitting(head, rows, out, [*(BRIEF[name] for name in LESS), head[1]])
