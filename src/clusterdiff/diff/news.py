"""A changelog in sentences and as plain values: what became of records, names and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterdiff.diff.changelog import Changelog
from clusterdiff.diff.succession import FATES, ORIGINS
from clusterdiff.points.labels import Int64Array
from clusterdiff.table import plain
from clusterdiff.wording import and_list, count, name

#: How many reused names a sentence lists.
NAMED = 5
#: Events with another name in sentences.
CALLED = {"continues": "shrunk and grown"}


def news(diff: Changelog, top: int = 10) -> dict[str, Any]:
    """Counts of points, names, events, fates and origins, and the ``top`` reused names."""
    found = diff.succession
    reused = diff.reused
    return {
        "reused": {
            "names": len(reused),
            "first": [{key: plain(value) for key, value in row._asdict().items()} for row in reused[:top]],
        },
        "points": {
            "shared": int(found.remaining.sum()),
            "removed": int(found.removed.sum()),
            "added": int(found.added.sum()),
        },
        "events": found.event_counts,
        "fates": _counts(FATES, found.fate),
        "renamed": int(found.renamed.sum()),
        "origins": _counts(ORIGINS, found.origin),
    }


def sentences(diff: Changelog) -> list[str]:
    """The same for people; names that now mean another entity come first.

    >>> import clusterdiff as cd
    >>> diff = cd.compare({"a": 1, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 1, "d": 1}, missing="drop")
    >>> for line in sentences(diff):
    ...     print(line)
    2 names now mean another cluster: 1 (its points are now in 2) and 2 (now in 1)
    points: 3 in both · 0 removed · 1 added
    events: 1 grown · 1 renamed
    old clusters: 2 kept; 2 continued under another name
    new clusters: 2 kept
    """
    told = news(diff, NAMED)
    points, lines = told["points"], []
    if number := told["reused"]["names"]:
        now = [_now(row) for row in told["reused"]["first"]]
        now[0] = now[0].replace("(now in", "(its points are now in")
        more = f" and {number - len(now):,} more" if number > len(now) else ""
        listed = ", ".join(now) + more if more else and_list(now, NAMED)
        means = "means" if number == 1 else "mean"
        lines.append(f"{count(number, 'name')} now {means} another cluster: {listed}")
    renamed = f"; {told['renamed']:,} continued under another name" if told["renamed"] else ""
    lines += [
        f"points: {points['shared']:,} in both · {points['removed']:,} removed · {points['added']:,} added",
        f"events: {_listed({CALLED.get(event, event): number for event, number in told['events'].items()})}",
        f"old clusters: {_listed(told['fates'])}{renamed}",
        f"new clusters: {_listed(told['origins'])}",
    ]
    return lines


def _now(row: dict[str, Any]) -> str:
    where = "gone" if row["now"] is None else f"now in {name(row['now'])}"
    return f"{name(row['name'])} ({where})"


def _counts(words: Sequence[str], codes: Int64Array) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(words)).tolist()
    return {word: number for word, number in zip(words, counts, strict=True) if number}


def _listed(counts: dict[str, int]) -> str:
    return " · ".join(f"{number:,} {word}" for word, number in counts.items()) or "none"
