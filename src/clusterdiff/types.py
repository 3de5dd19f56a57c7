"""The classes of what people get and never make, for annotations and ``isinstance``.

What a public function, method or field gives may come in, if the front door does not have it.
"""

import typing as _typing

from clusterdiff import lazy as _lazy

if _typing.TYPE_CHECKING:
    from clusterdiff._core import Members as Members
    from clusterdiff._core import Weighed as Weighed
    from clusterdiff.decide.cuts import Cuts as Cuts
    from clusterdiff.decide.datasets import DatasetRanking as DatasetRanking
    from clusterdiff.decide.leaderboard import Board as Board
    from clusterdiff.decide.matrix import Matrix as Matrix
    from clusterdiff.decide.matrix import Pool as Pool
    from clusterdiff.decide.matrix import Stability as Stability
    from clusterdiff.decide.matrix import StableCluster as StableCluster
    from clusterdiff.decide.paired import Paired as Paired
    from clusterdiff.decide.rank_tests import Friedman as Friedman
    from clusterdiff.decide.ranking import Ranking as Ranking
    from clusterdiff.decide.resolutions import Edge as Edge
    from clusterdiff.decide.resolutions import Resolutions as Resolutions
    from clusterdiff.decide.scorer import Scorer as Scorer
    from clusterdiff.decide.sweep import Sweep as Sweep
    from clusterdiff.decide.sweep import SweepLoss as SweepLoss
    from clusterdiff.decide.worst import WorstMerge as WorstMerge
    from clusterdiff.diff.analysis import Analysis as Analysis
    from clusterdiff.diff.analysis import Cell as Cell
    from clusterdiff.diff.analysis import Merge as Merge
    from clusterdiff.diff.analysis import Split as Split
    from clusterdiff.diff.chance import Chance as Chance
    from clusterdiff.diff.changelog import ChangedValue as ChangedValue
    from clusterdiff.diff.changelog import ClusterCase as ClusterCase
    from clusterdiff.diff.changelog import ClusterOrigin as ClusterOrigin
    from clusterdiff.diff.changelog import Crossing as Crossing
    from clusterdiff.diff.changelog import Event as Event
    from clusterdiff.diff.changelog import Fate as Fate
    from clusterdiff.diff.changelog import PointChange as PointChange
    from clusterdiff.diff.changelog import Redirect as Redirect
    from clusterdiff.diff.changelog import Reuse as Reuse
    from clusterdiff.diff.comparison import Comparison as Comparison
    from clusterdiff.diff.components import Component as Component
    from clusterdiff.diff.components import Place as Place
    from clusterdiff.diff.documents import CorpusComparison as CorpusComparison
    from clusterdiff.diff.documents import Counts as Counts
    from clusterdiff.diff.documents import Documents as Documents
    from clusterdiff.diff.explain import Explanation as Explanation
    from clusterdiff.diff.explain import Story as Story
    from clusterdiff.diff.gains import ClusterGain as ClusterGain
    from clusterdiff.diff.gains import ComponentGain as ComponentGain
    from clusterdiff.diff.gains import Gains as Gains
    from clusterdiff.diff.interval import Interval as Interval
    from clusterdiff.diff.loss import CellLoss as CellLoss
    from clusterdiff.diff.loss import Loss as Loss
    from clusterdiff.diff.loss import Losses as Losses
    from clusterdiff.diff.patch import Add as Add
    from clusterdiff.diff.patch import Named as Named
    from clusterdiff.diff.patch import Remove as Remove
    from clusterdiff.diff.patch import SplitOff as SplitOff
    from clusterdiff.diff.patch import Unite as Unite
    from clusterdiff.diff.patterns import BaseRate as BaseRate
    from clusterdiff.diff.patterns import Confusion as Confusion
    from clusterdiff.diff.patterns import Excess as Excess
    from clusterdiff.diff.patterns import Group as Group
    from clusterdiff.diff.patterns import Hit as Hit
    from clusterdiff.diff.patterns import Hits as Hits
    from clusterdiff.diff.patterns import Patterns as Patterns
    from clusterdiff.diff.patterns import Shape as Shape
    from clusterdiff.diff.patterns import SizeShare as SizeShare
    from clusterdiff.diff.repairs import Repair as Repair
    from clusterdiff.diff.repairs import Repairs as Repairs
    from clusterdiff.diff.repairs import Steps as Steps
    from clusterdiff.diff.slices import PointLoss as PointLoss
    from clusterdiff.diff.slices import Slice as Slice
    from clusterdiff.diff.source import PointSource as PointSource
    from clusterdiff.diff.succession import Succession as Succession
    from clusterdiff.judgements.collection import Settled as Settled
    from clusterdiff.judgements.contradictions import Contradiction as Contradiction
    from clusterdiff.judgements.corrections import Choices as Choices
    from clusterdiff.judgements.corrections import Corrected as Corrected
    from clusterdiff.judgements.corrections import Torn as Torn
    from clusterdiff.judgements.difference import Difference as Difference
    from clusterdiff.judgements.difference import Shift as Shift
    from clusterdiff.judgements.estimates import Estimate as Estimate
    from clusterdiff.judgements.estimates import Estimates as Estimates
    from clusterdiff.judgements.facts import Facts as Facts
    from clusterdiff.judgements.plan import Plan as Plan
    from clusterdiff.judgements.precedence import Aside as Aside
    from clusterdiff.judgements.ranks import Lead as Lead
    from clusterdiff.judgements.ranks import SampleRanking as SampleRanking
    from clusterdiff.judgements.totals import Anchor as Anchor
    from clusterdiff.judgements.verdicts import Outcome as Outcome
    from clusterdiff.judgements.verdicts import Verdicts as Verdicts
    from clusterdiff.measures import Measure as Measure
    from clusterdiff.measures.normalise import Extremes as Extremes
    from clusterdiff.measures.registry import Decomposition as Decomposition
    from clusterdiff.measures.registry import Registry as Registry
    from clusterdiff.measures.subcomponents import Scored as Scored
    from clusterdiff.measures.subcomponents import Subcomponent as Subcomponent
    from clusterdiff.meet.lattice import Components as Components
    from clusterdiff.meet.margins import Margins as Margins
    from clusterdiff.meet.parts import Overlap as Overlap
    from clusterdiff.meet.parts import Pairs as Pairs
    from clusterdiff.meet.sums import Summed as Summed
    from clusterdiff.meet.sums import Sums as Sums
    from clusterdiff.meet.uneven import UnevenMeet as UnevenMeet
    from clusterdiff.paper.check import Check as Check
    from clusterdiff.paper.findings import Counterexample as Counterexample
    from clusterdiff.paper.findings import Finding as Finding
    from clusterdiff.paper.series import Series as Series
    from clusterdiff.points.corpus import InDocument as InDocument
    from clusterdiff.points.corpus import Mention as Mention
    from clusterdiff.points.corpus import Text as Text
    from clusterdiff.points.index import Index as Index
    from clusterdiff.points.labels import Labels as Labels
    from clusterdiff.points.labels import LazyNames as LazyNames
    from clusterdiff.points.missing import MissingRule as MissingRule
    from clusterdiff.points.noise import Noise as Noise
    from clusterdiff.points.policy import Policy as Policy
    from clusterdiff.releases.conflicts import Conflict as Conflict
    from clusterdiff.releases.history import History as History
    from clusterdiff.releases.history import ReleaseStep as ReleaseStep
    from clusterdiff.releases.history import Sighting as Sighting
    from clusterdiff.releases.history import Stage as Stage
    from clusterdiff.releases.history import Trace as Trace
    from clusterdiff.releases.lineage import Handed as Handed
    from clusterdiff.releases.lineage import Lineage as Lineage
    from clusterdiff.releases.merge import ThreeWay as ThreeWay
    from clusterdiff.releases.statistics import ReleaseStatistics as ReleaseStatistics
    from clusterdiff.table import Row as Row
    from clusterdiff.table import Table as Table
    from clusterdiff.tables.engines.comparison import EngineComparison as EngineComparison
    from clusterdiff.tables.engines.comparison import TableComparison as TableComparison
    from clusterdiff.wording import Nouns as Nouns

#: Where each class is; it is imported when it is first used.
_PLACES = {
    "Add": "diff.patch",
    "Analysis": "diff.analysis",
    "Anchor": "judgements.totals",
    "Aside": "judgements.precedence",
    "BaseRate": "diff.patterns",
    "Board": "decide.leaderboard",
    "Cell": "diff.analysis",
    "CellLoss": "diff.loss",
    "Chance": "diff.chance",
    "ChangedValue": "diff.changelog",
    "Check": "paper.check",
    "Choices": "judgements.corrections",
    "ClusterCase": "diff.changelog",
    "ClusterGain": "diff.gains",
    "ClusterOrigin": "diff.changelog",
    "Comparison": "diff.comparison",
    "Component": "diff.components",
    "ComponentGain": "diff.gains",
    "Components": "meet.lattice",
    "Conflict": "releases.conflicts",
    "Confusion": "diff.patterns",
    "Contradiction": "judgements.contradictions",
    "CorpusComparison": "diff.documents",
    "Corrected": "judgements.corrections",
    "Counterexample": "paper.findings",
    "Counts": "diff.documents",
    "Crossing": "diff.changelog",
    "Cuts": "decide.cuts",
    "DatasetRanking": "decide.datasets",
    "Decomposition": "measures.registry",
    "Difference": "judgements.difference",
    "Documents": "diff.documents",
    "Edge": "decide.resolutions",
    "EngineComparison": "tables.engines.comparison",
    "Estimate": "judgements.estimates",
    "Estimates": "judgements.estimates",
    "Event": "diff.changelog",
    "Excess": "diff.patterns",
    "Explanation": "diff.explain",
    "Extremes": "measures.normalise",
    "Facts": "judgements.facts",
    "Fate": "diff.changelog",
    "Finding": "paper.findings",
    "Friedman": "decide.rank_tests",
    "Gains": "diff.gains",
    "Group": "diff.patterns",
    "Handed": "releases.lineage",
    "History": "releases.history",
    "Hit": "diff.patterns",
    "Hits": "diff.patterns",
    "InDocument": "points.corpus",
    "Index": "points.index",
    "Interval": "diff.interval",
    "Labels": "points.labels",
    "LazyNames": "points.labels",
    "Lead": "judgements.ranks",
    "Lineage": "releases.lineage",
    "Loss": "diff.loss",
    "Losses": "diff.loss",
    "Margins": "meet.margins",
    "Matrix": "decide.matrix",
    "Measure": "measures",
    "Members": "_core",
    "Mention": "points.corpus",
    "Merge": "diff.analysis",
    "MissingRule": "points.missing",
    "Named": "diff.patch",
    "Noise": "points.noise",
    "Nouns": "wording",
    "Outcome": "judgements.verdicts",
    "Overlap": "meet.parts",
    "Paired": "decide.paired",
    "Pairs": "meet.parts",
    "Patterns": "diff.patterns",
    "Place": "diff.components",
    "Plan": "judgements.plan",
    "PointChange": "diff.changelog",
    "PointLoss": "diff.slices",
    "PointSource": "diff.source",
    "Policy": "points.policy",
    "Pool": "decide.matrix",
    "Ranking": "decide.ranking",
    "Redirect": "diff.changelog",
    "Registry": "measures.registry",
    "ReleaseStatistics": "releases.statistics",
    "ReleaseStep": "releases.history",
    "Remove": "diff.patch",
    "Repair": "diff.repairs",
    "Repairs": "diff.repairs",
    "Resolutions": "decide.resolutions",
    "Reuse": "diff.changelog",
    "Row": "table",
    "SampleRanking": "judgements.ranks",
    "Scored": "measures.subcomponents",
    "Scorer": "decide.scorer",
    "Series": "paper.series",
    "Settled": "judgements.collection",
    "Shape": "diff.patterns",
    "Shift": "judgements.difference",
    "Sighting": "releases.history",
    "SizeShare": "diff.patterns",
    "Slice": "diff.slices",
    "Split": "diff.analysis",
    "SplitOff": "diff.patch",
    "Stability": "decide.matrix",
    "StableCluster": "decide.matrix",
    "Stage": "releases.history",
    "Steps": "diff.repairs",
    "Story": "diff.explain",
    "Subcomponent": "measures.subcomponents",
    "Succession": "diff.succession",
    "Summed": "meet.sums",
    "Sums": "meet.sums",
    "Sweep": "decide.sweep",
    "SweepLoss": "decide.sweep",
    "Table": "table",
    "TableComparison": "tables.engines.comparison",
    "Text": "points.corpus",
    "ThreeWay": "releases.merge",
    "Torn": "judgements.corrections",
    "Trace": "releases.history",
    "UnevenMeet": "meet.uneven",
    "Unite": "diff.patch",
    "Verdicts": "judgements.verdicts",
    "Weighed": "_core",
    "WorstMerge": "decide.worst",
}

__all__ = sorted(_PLACES)


def __dir__() -> list[str]:
    return __all__


if not _typing.TYPE_CHECKING:  # to a type checker, a name that is not here is a mistake
    __getattr__ = _lazy.attribute_of(__name__, _PLACES)
