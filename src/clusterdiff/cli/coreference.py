"""Documents of mentions, scored the way coreference scorers show them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.cli.explaining import print_slices, sliced, slices_as_data
from clusterdiff.cli.output import console, plain_table, print_json
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.table import shown
from clusterdiff.wording import count

#: Measures with a recall, a precision and an F1, and what they are called in tables.
ROWS = {"muc": "MUC", "b3": "B³", "ceaf_e": "CEAF-e", "lea": "LEA"}
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


class Words(NamedTuple):
    """What points and clusters are called."""

    point: str
    cluster: str
    clusters: str


#: In documents of a text, and in documents that a column of a table names.
MENTIONS, POINTS = Words("mention", "an entity", "entities"), Words("point", "a cluster", "clusters")


def show_corpus(
    diff: CorpusComparison,
    measures: list[str],
    by: Sequence[str],
    top: int,
    as_json: bool,
    words: Words = MENTIONS,
) -> None:
    """Print a comparison of documents for people or for programs, with the loss by columns or scores by document."""
    slices = sliced(diff, [name for name in by if name != "document"])
    wanted = list(dict.fromkeys([*COREFERENCE, *measures, "S_H"]))
    if as_json:
        data = diff.to_dict(wanted, top)
        if slices:
            data["slices"] = slices_as_data(slices)
        if "document" in by:
            data["documents"] = {
                str(name): {"n": document.n, "scores": document.scores(wanted)}
                for name, document in diff.documents.items()
            }
        print_json(data)
        return
    out = console()
    scores = diff.scores(wanted)
    table = plain_table("", right=PARTS)
    for row, name in ROWS.items():
        table.add_row(Text(name, "bold"), *(f"{100 * scores[f'{row}.{part}']:.2f}" for part in PARTS))
    table.add_row(Text("CoNLL", "bold"), "", "", f"{100 * scores['conll']:.2f}")
    for name in wanted:
        if name not in COREFERENCE:
            table.add_row(Text(name, "bold cyan"), "", "", Text(f"{100 * scores[name]:.2f}", "bold cyan"))
    out.print(table)
    out.print(
        f"\n{count(diff.n, words.point)} in {count(len(diff.documents), 'document')} · "
        f"{diff.meet.k_true:,} true and {diff.meet.k_pred:,} predicted "
        + (words.clusters if diff.meet.k_pred != 1 else words.cluster.split()[1])
    )
    loss = diff.loss
    out.print(f"S_H lost {loss.total:.6f} = {loss.split:.6f} to splits + {loss.merge:.6f} to merges")
    if diff.policy.missing_points:
        have = "has" if diff.policy.missing_points == 1 else "have"
        out.print(
            f"{count(diff.policy.missing_points, words.point)} {have} no {words.cluster.split()[1]} on one side: "
            + MEANING[diff.policy.missing].format(words.cluster)
        )
    if "document" in by:
        out.print()
        out.print(_by_document(diff, measures, words))
    for name, table_of_slices in slices.items():
        print_slices(name, table_of_slices)
    out.print(f"\n{diff.signature}", style="dim", markup=False, soft_wrap=True)


MEANING = {
    "singleton": "for S_H each has {} of its own there (--missing)",
    "drop": "S_H leaves them out (--missing)",
    "error": "",
}


def _by_document(diff: CorpusComparison, measures: list[str], words: Words) -> RichTable:
    names: dict[str, str] = {**BRIEF, **{name: name for name in measures if name not in BRIEF}}
    table = plain_table("document", right=(f"{words.point}s", *names.values()))
    rows: dict[str, Any] = diff.by_document(names).to_dict()
    for row in zip(*rows.values(), strict=True):
        table.add_row(
            Text(shown(str(row[0]), 60)), f"{row[1]:,}", *(f"{100 * value:.2f}" for value in row[2:])
        )
    return table
