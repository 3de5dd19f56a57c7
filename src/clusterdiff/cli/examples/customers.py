"""A list of customers, de-duplicated by hand (true) and by a program (pred)."""

from __future__ import annotations

import csv
from importlib.resources import files

from clusterdiff.diff.comparison import Comparison
from clusterdiff.verbs.compare import compare as compare_clusterings


def rows() -> list[dict[str, str]]:
    """The 48 records, one dict each: record, name, email, city, source, true and pred."""
    text = files("clusterdiff.cli.examples").joinpath("customers.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def compare() -> Comparison:
    """The program's clusters compared with those made by hand.

    >>> compare().kinds
    {'same': 12, 'split': 2, 'merge': 2, 'mixed': 1}
    """
    records = rows()
    return compare_clusterings(
        {row["record"]: row["true"] for row in records}, {row["record"]: row["pred"] for row in records}
    )
