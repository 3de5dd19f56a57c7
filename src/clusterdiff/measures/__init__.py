"""Measures: one file per family, each measure one function of the meet."""

# They register themselves, in the order in which the catalogue shows them.
# isort: off
from clusterdiff.measures import (  # noqa: F401
    splitmerge,
    pairs,
    indices,
    matching,
    closest,
    information,
    adjusted,
    association,
    reduced,
    elements,
    edits,
    coreference,
    transport,
)

# isort: on
from clusterdiff.measures.registry import Measure, applicable, measure, measures, resolve, resolve_all

__all__ = ["Measure", "applicable", "measure", "measures", "resolve", "resolve_all"]
