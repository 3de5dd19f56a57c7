"""Groups of measures, as lists show them."""

from __future__ import annotations

from collections.abc import Iterable

from clusterdiff.measures.registry import Measure

#: What lists call measures that repeat others.
REPEATED = "for other libraries' numbers"


def grouped(chosen: Iterable[Measure]) -> dict[str, list[Measure]]:
    """Measures by family, of which some have several modules; those that repeat others come last."""
    out: dict[str, list[Measure]] = {}
    for measure in sorted(chosen, key=lambda measure: measure.repeats is not None):
        out.setdefault(REPEATED if measure.repeats else measure.family, []).append(measure)
    return out
