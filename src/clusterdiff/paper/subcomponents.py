"""What is asked of a subcomponent measure, and what speaks against it (properties 4.2 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.measures.subcomponents import Subcomponent
from clusterdiff.meet.enumeration import as_sets, halves, levelled, partitions, universe
from clusterdiff.paper.findings import CLOSE, Counterexample, Finding
from clusterdiff.paper.trial import PointData, labels_of
from clusterdiff.wording import count

#: What is asked of a subcomponent measure.
SUBCOMPONENT_PROPERTIES = {
    "one_if_whole": "s = 1 if and only if the cluster is whole (property 4.3, clause 1)",
    "zero_if_singletons": "s = 0 if and only if a cluster of several points is in singletons (property 4.3, clause 2)",
    "between": "0 < s < 1 otherwise (property 4.3, clause 3)",
    "falls_with_parts": "splitting a part further never raises s (property 4.2)",
    "falls_with_evenness": "parts of more even sizes never raise s (property 4.2)",
}


def subcomponent_findings(s: Subcomponent, points: int, data: PointData) -> tuple[int, dict[str, Finding]]:
    """How many ways to part a cluster were tried, and what speaks for and against each property."""
    tried = 0

    def score(parts: npt.NDArray[Any]) -> float:
        return float(s(data.meet(np.zeros(len(parts), dtype=int), parts))[0])

    def example(parts: Any, text: str, **more: Any) -> Counterexample:
        return Counterexample(text, {"cluster": (tuple(range(len(parts))),), "parts": as_sets(parts), **more})

    found: dict[str, Counterexample] = {}
    for n in range(1, points + 1):
        # With features or distances it matters which points are together: all clusterings, else all sizes.
        every = universe(n).labels if data else [labels_of(sizes) for sizes in partitions(n)]
        for parts in every:
            tried += 1
            value = score(parts)
            number = int(parts.max()) + 1
            rounded = 1.0 if abs(value - 1) <= CLOSE else 0.0 if abs(value) <= CLOSE else value
            expected = 1.0 if number == 1 else 0.0 if number == n else None
            for name, bad in (
                ("one_if_whole", (rounded == 1.0) != (expected == 1.0)),
                ("zero_if_singletons", (rounded == 0.0) != (expected == 0.0)),
                ("between", expected is None and not 0.0 < rounded < 1.0),
            ):
                if bad:
                    found.setdefault(
                        name,
                        example(parts, f"{s.name} = {value:.4g} for {count(n)} in {count(number, 'part')}"),
                    )
            for name, others in (
                ("falls_with_parts", _finer(parts, data)),
                ("falls_with_evenness", _more_even(parts, data)),
            ):
                if name in found:
                    continue
                for other in others:
                    after = score(other)
                    if after > value + CLOSE:
                        text = f"{s.name} rises from {value:.4g} for parts to {after:.4g} for parts'"
                        found[name] = example(parts, text, **{"parts'": as_sets(other)})
                        break
    findings = {name: Finding(name not in found, found.get(name)) for name in SUBCOMPONENT_PROPERTIES}
    return tried, findings


def _finer(parts: npt.NDArray[Any], data: PointData) -> Iterator[npt.NDArray[Any]]:
    if not data:
        sizes = tuple(np.bincount(parts).tolist())
        yield from map(labels_of, sorted(set(halves(sizes))))
        return
    new = parts.max() + 1
    for part in range(new):
        inside = np.flatnonzero(parts == part)
        for bits in range(1, 2 ** (len(inside) - 1)):
            chosen = inside[[i for i in range(len(inside)) if bits >> i & 1]]
            after = parts.copy()
            after[chosen] = new
            yield after


def _more_even(parts: npt.NDArray[Any], data: PointData) -> Iterator[npt.NDArray[Any]]:
    sizes = np.bincount(parts)
    if not data:
        yield from map(labels_of, sorted(set(levelled(tuple(sizes.tolist())))))
        return
    for point in range(len(parts)):
        for to in np.flatnonzero(sizes[parts[point]] - sizes >= 2):
            after = parts.copy()
            after[point] = to
            yield after
