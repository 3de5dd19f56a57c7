"""Measures: one file a family, each measure one function of the meet."""

from clusterdiff.measures import information, matching, pairs, splitmerge, transport  # noqa: F401  (they register themselves)
from clusterdiff.measures.registry import Measure, measure, measures, resolve

__all__ = ["Measure", "measure", "measures", "resolve"]
