"""clusterdiff apply: carry out a patch, or what judgements ask for."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

import click

from clusterdiff.cli.corrections import corrected, is_patch
from clusterdiff.cli.inputs import told
from clusterdiff.cli.options import cluster_option, output_option, point_option
from clusterdiff.cli.output import print_data
from clusterdiff.cli.writing import note_formulas, refuse_overwriting, spreadsheet_option
from clusterdiff.diff.patch import Patch
from clusterdiff.errors import ArgumentError
from clusterdiff.files import write_text
from clusterdiff.formats.catalogue import TABLES
from clusterdiff.formats.source import Source, parse
from clusterdiff.points.clustering import Clustering
from clusterdiff.tables.copying import COPY, Rewritable, copy, is_formula, registered
from clusterdiff.tables.duck import connect
from clusterdiff.verbs.read import read_source

#: Names that say nothing of a format.
PLAIN = ("", ".txt")


@click.command(name="apply")
@click.argument("pred", metavar="PRED")
@click.argument("patch", metavar="PATCH", type=click.Path())
@point_option
@cluster_option
@output_option("Where to write: .csv, .tsv, .jsonl or .parquet; CSV to standard output if not given.")
@spreadsheet_option
def command(
    pred: str, patch: str, point: str | None, cluster: str | None, output: str | None, safe: bool
) -> None:
    """Apply a patch or judgements to PRED, and write the result.

    PATCH is a patch, or a file of judgements: then the result is the least change that satisfies them, and what they
    leave undetermined is listed. Apply the whole file of judgements to each new run.

    A table keeps its other columns and their names. Other formats become a table with the columns point and cluster;
    if the points have no names, one label per line, in order. A patch that does not fit is refused as a whole.
    """
    end = "" if output is None else Path(output).suffix.lower()
    if end not in (*PLAIN, *COPY):
        raise ArgumentError(f"--output must end in {', '.join(COPY)}; got {output!r}.")
    named = parse(pred)
    refuse_overwriting([output], named, patch)
    with told():
        source = replace(named, point=point, cluster=named.cluster or cluster).resolved()
        table = Rewritable(source) if source.format in TABLES else None
        clustering = table.clustering if table is not None else _clustering(source)
    fixed = Patch.read(patch).apply(clustering) if is_patch(patch) else corrected(patch, clustering)
    if table is None and fixed.points is None and end in PLAIN:
        formulas = _write_labels(fixed, output, safe)
    else:
        with tempfile.TemporaryDirectory(prefix="clusterdiff-") as folder:
            place = output or os.path.join(folder, "out.csv")
            formulas = _write_table(fixed, table, place, end if end in COPY else ".csv", safe)
            if output is None:
                print_data(Path(place).read_text(encoding="utf-8"))
    note_formulas(formulas, safe, output)


def _clustering(source: Source) -> Clustering:
    found = read_source(source)
    if not isinstance(found, Clustering):
        raise ArgumentError("a patch is for one clustering, not for documents of mentions.")
    return found


def _write_labels(clustering: Clustering, output: str | None, safe: bool) -> int:
    """One label per line; returns how many a spreadsheet would take for formulas."""
    labels = [str(label) for label in clustering.labels.to_list()]
    risky = [is_formula(label) for label in labels]
    text = "".join(f"{chr(39) * (safe and bad)}{label}\n" for label, bad in zip(labels, risky, strict=True))
    print_data(text) if output is None else write_text(output, text)
    return sum(risky)


def _write_table(clustering: Clustering, table: Rewritable | None, path: str, end: str, safe: bool) -> int:
    if table is not None:
        return table.copy(clustering, path, end=end, safe=safe)
    points = {} if clustering.points is None else {"point": list(clustering.points)}
    con = connect()
    columns = points | {"cluster": clustering.labels.to_list()}
    return copy(con, registered(con, columns), path, end=end, safe=safe)
