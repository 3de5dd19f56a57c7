"""Cuts: the clusterings that a tree has at its thresholds."""

from __future__ import annotations

from dataclasses import dataclass

from clusterdiff.caching import cached_property
from clusterdiff.decide.levels import Levels
from clusterdiff.decide.truth import LabelledTree
from clusterdiff.decide.worst import PairsOf, WorstMerge, changes_of, worst_merges
from clusterdiff.diff.comparison import Comparison
from clusterdiff.measures import Measure
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import FloatArray, Labels
from clusterdiff.table import Table
from clusterdiff.verbs.compare import compare


@dataclass(frozen=True)
class Cuts:
    """The clusterings of a tree over points whose true clusters are known.

    ``notices`` is what one should know about those points; ``pairs`` are the pairs, if the tree was made of such.
    """

    laid: LabelledTree
    notices: list[str]
    pairs: PairsOf | None = None

    @property
    def true(self) -> Clustering:
        """The true clustering."""
        return self.laid.true

    def clustering(self, threshold: float) -> Clustering:
        """The clusters at any threshold."""
        merges = int(self.laid.tree.merged(threshold))
        return self.laid.clustering(Labels(self.laid.tree.cut(merges)))

    def compare(self, threshold: float) -> Comparison:
        """The comparison at any threshold."""
        return compare(self.true, self.clustering(threshold))

    @cached_property
    def changes(self) -> FloatArray:
        """What each merge changes in S_H."""
        return changes_of(self.laid)

    def worst(self, threshold: float) -> Table[WorstMerge]:
        """The merges up to a threshold that cost most."""
        merges = int(self.laid.tree.merged(threshold))
        return worst_merges(self.laid, self.changes[:merges], self.pairs)

    def scores(self, measure: Measure, thresholds: FloatArray) -> FloatArray:
        """A measure at some thresholds."""
        levels = Levels(self.laid.codes, self.laid.tree, self.laid.tree.merged(thresholds))
        return levels.scores({measure.name: measure})[measure.name]
