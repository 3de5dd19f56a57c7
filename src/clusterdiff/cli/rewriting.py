"""What `apply`, `relabel` and `merge` share: read a clustering, and write it as the file that it came from."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clusterdiff.cli.output import print_data
from clusterdiff.cli.writing import note_formulas
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


class Release:
    """A clustering from a file, and the table that it came from, if it came from one."""

    def __init__(self, source: Source, beside: Release | None = None) -> None:
        self.table: Rewritable | None = None
        self.source = source.resolved()
        table = None if beside is None else beside.table
        self.table = (
            Rewritable(self.source, table) if self.source.format in TABLES and not source.pairs else None
        )
        self.clustering = self.table.clustering if self.table is not None else _clustering(self.source)

    @classmethod
    def named(
        cls,
        file: str,
        point: str | None,
        cluster: str | None,
        beside: Release | None = None,
        format: str | None = None,  # noqa: A002
    ) -> Release:
        """The clustering of a command's argument, which may be FILE:COLUMN."""
        named = parse(file)
        source = replace(named, point=point, cluster=named.cluster or cluster, format=format or named.format)
        return cls(source, beside)

    def write(
        self,
        clustering: Clustering,
        output: str | None,
        safe: bool = False,
        others: Sequence[Release] = (),
        end: str | None = None,
    ) -> None:
        """Write a clustering as this file is written; CSV to standard output if ``output`` is None.

        ``end`` is the format, if the name of ``output`` does not tell.
        """
        end = check_output(output) if end is None else end
        if self.table is None and clustering.points is None and end in PLAIN:
            formulas = _write_labels(clustering, output, safe)
        else:
            with tempfile.TemporaryDirectory(prefix="clusterdiff-") as folder:
                place = output or os.path.join(folder, "out.csv")
                tables = [other.table for other in others if other.table is not None]
                formulas = self._write_table(clustering, place, end if end in COPY else ".csv", safe, tables)
                if output is None:
                    print_data(Path(place).read_text(encoding="utf-8"))
        note_formulas(formulas, safe, output)

    def _write_table(
        self, clustering: Clustering, path: str, end: str, safe: bool, others: Sequence[Rewritable]
    ) -> int:
        if self.table is not None:
            return self.table.copy(clustering, path, others, end=end, safe=safe)
        points = {} if clustering.points is None else {"point": list(clustering.points)}
        con = connect()
        columns = points | {"cluster": clustering.labels.to_list()}
        return copy(con, registered(con, columns), path, end=end, safe=safe)


def check_output(output: str | None) -> str:
    """The suffix of a file that is to be written; an error if no table can be written to it."""
    end = "" if output is None else Path(output).suffix.lower()
    if end not in (*PLAIN, *COPY):
        raise ArgumentError(f"--output must end in {', '.join(COPY)}; got {output!r}.")
    return end


def _clustering(source: Source) -> Clustering:
    found = read_source(source)
    if not isinstance(found, Clustering):
        raise ArgumentError("this is for one clustering, not for documents of mentions.")
    return found


def _write_labels(clustering: Clustering, output: str | None, safe: bool) -> int:
    """One label per line; returns how many a spreadsheet would take for formulas."""
    labels = [str(label) for label in clustering.labels.to_list()]
    risky = [is_formula(label) for label in labels]
    text = "".join(f"{chr(39) * (safe and bad)}{label}\n" for label, bad in zip(labels, risky, strict=True))
    print_data(text) if output is None else write_text(output, text)
    return sum(risky)
