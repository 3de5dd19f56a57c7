"""Where one system beats another: what each lost, by shape, by size of the true cluster and by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clusterdiff.diff.attributes import read_values
from clusterdiff.diff.comparison import Comparison

#: So many rows of a table are shown, those in which systems differ most.
ROWS = 12
#: Columns with more values than this are no slices.
VALUES = 50


class PlaceLost(NamedTuple):
    """What each system lost in one place, and the least of it; None if all lost the same."""

    label: str
    lost: list[float]
    least: float | None


class Where(NamedTuple):
    """What systems lost by something: ``left`` rows are not here."""

    heading: str
    systems: Sequence[str]
    rows: list[PlaceLost]
    left: int


def losses(diff: Comparison) -> dict[str, dict[str, float]]:
    """What S_H lost by shape, by size of the true cluster, and by each column of few values.

    >>> import clusterdiff as cd
    >>> losses(cd.compare(["A", "A", "A"], [1, 1, 2]))["shape"]
    {'one true cluster in two': 0.579...}
    """
    found = diff.patterns(())
    shapes: dict[str, float] = {}
    for row in found.shapes:
        words = found.words_of_shape(row)
        shapes[words] = shapes.get(words, 0.0) + row.loss.total
    lost = {"shape": shapes, f"size of the true {diff.source.nouns.cluster}": _by(diff, "size")}
    for column in diff.columns:
        values = read_values(diff.source.column(column))
        if column not in lost and values is not None and 1 < len(values.distinct) <= VALUES:
            lost[column] = _by(diff, column)
    return lost


def _by(diff: Comparison, column: str) -> dict[str, float]:
    return {"none" if row.value is None else str(row.value): row.loss for row in diff.by(column)}


def compared(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Where]:
    """Tables of what systems lost, each row with the system that lost least; where they differ most comes first.

    Columns that only some systems have, such as a score of their own, are left out.
    """
    systems, every = list(found), list(found.values())
    headings = [heading for heading in every[0] if all(heading in one for one in every)] if every else []
    return [_table(heading, systems, [one[heading] for one in every]) for heading in headings]


def _table(heading: str, systems: Sequence[str], lost: Sequence[Mapping[str, float]]) -> Where:
    labels = list(dict.fromkeys(label for one in lost for label in one))
    rows = [[one.get(label, 0.0) for one in lost] for label in labels]
    order = sorted(range(len(rows)), key=lambda i: min(rows[i]) - max(rows[i]))
    told = [
        PlaceLost(labels[i], rows[i], min(rows[i]) if min(rows[i]) < max(rows[i]) else None) for i in order
    ]
    return Where(heading, systems, told[:ROWS], max(0, len(told) - ROWS))
