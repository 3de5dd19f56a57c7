"""Plain lists: one label per line, one cluster per line, and JSON that says which points are together."""

from __future__ import annotations

import re
from typing import Any

from clusterdiff.errors import FileError, LabelError
from clusterdiff.files import from_json, read_lines, read_text, shown
from clusterdiff.points.clustering import Clustering

#: The name of a cluster before its points.
NAMED = re.compile(r"\s*(\S+):(?:\s+|$)")


def read_labels_by_line(path: str) -> Clustering:
    """One label per line, in the order of the points; an empty line is a point without a cluster."""
    labels = [line or None for line in read_lines(path)]
    return _clustering(labels, path)


def read_clusters_by_line(path: str) -> Clustering:
    """One cluster per line, its points between tabs, or between blanks if no line has a tab (as MCL and others write).

    Clusters are named 1, 2, … after their lines; or by what stands before a colon, if every line begins with such a
    name (``OG0000000: gene1 gene2``, as OrthoFinder and OrthoMCL write).
    """
    lines = read_lines(path)
    named = [NAMED.match(line) for line in lines]
    naming = any(named) and all(name or not line.strip() for name, line in zip(named, lines, strict=True))
    if naming:
        lines = [line[name.end() :] if name else line for name, line in zip(named, lines, strict=True)]
    separator = "\t" if any("\t" in line for line in lines) else None
    clusters: dict[int | str, list[str]] = {}
    seen: dict[str, int] = {}
    for number, (name, line) in enumerate(zip(named, lines, strict=True), start=1):
        points = line.split(separator)
        if not points or points == [""]:
            continue
        cluster = name[1] if naming and name else number
        if cluster in clusters:
            raise FileError(f"{shown(path)}, line {number:,}: the cluster {cluster!r} is listed twice.")
        for point in points:
            if not point:
                raise FileError(f"{shown(path)}, line {number:,}: there is nothing between two tabs.")
            if point in seen:
                where = f"and in line {seen[point]:,}" if seen[point] != number else "twice"
                raise FileError(
                    f"{shown(path)}, line {number:,}: the point {point!r} is listed here {where}.",
                    "a point belongs to one cluster.",
                )
            seen[point] = number
        clusters[cluster] = points
    return _clustering(clusters, path)


def read_json(path: str) -> Clustering:
    """JSON: cluster → points, point → cluster, a list of clusters, or a list of labels."""
    data = from_json(read_text(path), path, object_pairs_hook=lambda pairs: _unique(pairs, path))
    if not isinstance(data, dict | list):
        raise FileError(f"{shown(path)} must hold an object or a list; it holds {type(data).__name__}.")
    if isinstance(data, list) and data and isinstance(data[0], dict):
        raise FileError(
            f"{shown(path)} holds a list of objects, which is a table.",
            "write one object per line and call it .jsonl.",
        )
    return _clustering(data, path)


def _unique(pairs: list[tuple[str, Any]], path: str) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise FileError(f"{shown(path)}: the key {twice!r} is repeated in one object.")
    return out


def _clustering(data: Any, path: str) -> Clustering:
    try:
        return Clustering.reading(data, shown(path))
    except LabelError as error:
        raise FileError(str(error.message), error.ways) from None  # a file is no argument
