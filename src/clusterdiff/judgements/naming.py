"""Names for the clusters of a corrected run: a cluster keeps the name of the old one with which it shares most."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.judgements.runs import Indexed
from clusterdiff.points.labels import Int64Array, Labels


def named_like(codes: Int64Array, run: Indexed) -> Labels:
    """Labels of new codes, which are the run's own below their number, called as the run calls its clusters.

    A cell is a new cluster's part of an old one. The largest cells come first; ties go to the cell of smaller clusters,
    then to that of the least point. What is left gets a new name.
    """
    first = len(run.sizes)
    changed = np.flatnonzero(codes >= first)
    old: list[Any] = run.clustering.names.tolist()
    if not len(changed):
        return _labels(codes, old)
    cells, inverse, size = np.unique(
        codes[changed] * (first + 1) + run.cluster[changed], return_inverse=True, return_counts=True
    )
    new, was = cells // (first + 1), cells % (first + 1)
    fresh, places = np.unique(new, return_inverse=True)
    total = np.bincount(np.searchsorted(fresh, codes[changed]))[places] + run.sizes[was]
    least: list[str | None] = [None] * len(cells)
    for cell, place in zip(inverse.ravel().tolist(), changed.tolist(), strict=True):
        text, known = run.text(place), least[cell]
        if known is None or text < known:
            least[cell] = text
    order = sorted(range(len(cells)), key=lambda i: (-int(size[i]), int(total[i]), least[i]))
    names: dict[int, Any] = {}
    taken: set[int] = set()
    for i in order:
        code, cluster = int(new[i]), int(was[i])
        if code not in names and cluster not in taken:
            names[code] = old[cluster]
            taken.add(cluster)
    left: dict[int, tuple[str, Any]] = {}
    for i in order:
        code = int(new[i])
        if code not in names:
            known = left.get(code, (least[i], old[int(was[i])]))
            left[code] = (min(str(known[0]), str(least[i])), known[1])
    used, numbered = set(old), all(map(_whole, old))
    highest = max(old) if numbered else 0
    number: dict[Any, int] = {}
    for code, (_, name) in sorted(left.items(), key=lambda item: item[1][0]):
        if numbered:
            highest += 1
            names[code] = highest
        else:
            k = number.get(name, 2)
            while f"{name}.{k}" in used:
                k += 1
            names[code] = f"{name}.{k}"
            number[name] = k + 1
            used.add(names[code])
    every = old + [names[code] for code in fresh.tolist()]
    compact = codes.copy()
    compact[changed] = first + np.searchsorted(fresh, codes[changed])
    return _labels(compact, every)


def _whole(name: object) -> bool:
    return isinstance(name, int) and not isinstance(name, bool)


def _labels(codes: Int64Array, names: list[Any]) -> Labels:
    """Labels whose lexicon has no name twice: clusters that are gone are left out."""
    used, values = np.unique(codes[codes >= 0], return_inverse=True)
    lexicon = np.empty(len(used), dtype=object)
    lexicon[:] = [names[code] for code in used.tolist()]
    out = np.zeros(len(codes), dtype=np.int64)
    out[codes >= 0] = values
    return Labels(out, lexicon, codes < 0)
