"""Where one system beats another: what each lost, by shape and by size of the true cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clusterdiff.diff.comparison import Comparison

#: So many rows of a table are shown, those in which systems differ most.
ROWS = 12


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
    """What S_H lost by shape and by size of the true cluster.

    >>> import clusterdiff as cd
    >>> losses(cd.compare(["A", "A", "A"], [1, 1, 2]))["shape"]
    {'one true cluster in two': 0.579...}
    """
    found = diff.patterns(())
    shapes: dict[str, float] = {}
    for row in found.shapes:
        words = found.words_of_shape(row)
        shapes[words] = shapes.get(words, 0.0) + row.loss.total
    return {
        "shape": shapes,
        f"size of the true {diff.source.nouns.cluster}": {
            str(row.value): row.loss for row in diff.by("size")
        },
    }


def compared(found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> list[Where]:
    """Tables of what systems lost, each row with the system that lost least; where they differ most comes first."""
    systems = list(found)
    headings = list(dict.fromkeys(heading for one in found.values() for heading in one))
    return [
        _table(heading, systems, [found[name].get(heading, {}) for name in systems]) for heading in headings
    ]


def _table(heading: str, systems: Sequence[str], lost: Sequence[Mapping[str, float]]) -> Where:
    labels = list(dict.fromkeys(label for one in lost for label in one))
    rows = [[one.get(label, 0.0) for one in lost] for label in labels]
    order = sorted(range(len(rows)), key=lambda i: min(rows[i]) - max(rows[i]))
    told = [
        PlaceLost(labels[i], rows[i], min(rows[i]) if min(rows[i]) < max(rows[i]) else None) for i in order
    ]
    return Where(heading, systems, told[:ROWS], max(0, len(told) - ROWS))
