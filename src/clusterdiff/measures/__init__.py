"""Measures: the registry, and one module per family with one function of the meet per measure.

What gives one number for two clusterings may come in, with what is known about it; it says what it reads of the meet.
"""

# They register themselves, in the order in which the catalogue shows the families and what each has.
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
from clusterdiff.measures.registry import (
    Measure,
    applicable,
    measure,
    measures,
    resolve,
    resolve_all,
)

__all__ = ["Measure", "applicable", "measure", "measures", "resolve", "resolve_all"]
