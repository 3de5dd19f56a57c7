"""clusterdiff: a diff for clusterings.

>>> import clusterdiff as cd
>>> diff = cd.compare(["a", "a", "a", "b"], ["x", "x", "y", "y"])
>>> round(diff.score(), 4)
0.2103
"""

import typing as _typing

from clusterdiff import types
from clusterdiff._version import __version__
from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.decide.matrix import Matrix, Stability, StableCluster, matrix
from clusterdiff.decide.paired import Paired
from clusterdiff.decide.rank import rank
from clusterdiff.decide.ranking import Ranking
from clusterdiff.decide.resolutions import Edge
from clusterdiff.decide.scorer import Scorer, scorer
from clusterdiff.decide.sweep import Sweep, SweepLoss, sweep
from clusterdiff.decide.worst import WorstMerge
from clusterdiff.diff.analysis import Analysis, Cell, Merge, Split
from clusterdiff.diff.chance import Chance
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.documents import CorpusComparison, Counts, Documents
from clusterdiff.diff.explain import Explanation, Story
from clusterdiff.diff.gains import ClusterGain, ComponentGain, Gains
from clusterdiff.diff.interval import Interval
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.mapping import Continuation
from clusterdiff.diff.patch import Patch
from clusterdiff.diff.repairs import Repair, Repairs
from clusterdiff.diff.slices import PointLoss, Slice
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import (
    ArgumentError,
    ClusterdiffError,
    ClusterdiffWarning,
    EngineError,
    FileError,
    LabelError,
    MeasureError,
    MissingExtraError,
    PatchError,
)
from clusterdiff.measures import Measure, measure, measures
from clusterdiff.measures.normalise import Extremes, extremes
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.measures.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.meet import lattice
from clusterdiff.meet.meet import Meet
from clusterdiff.paper.check import Check, check
from clusterdiff.paper.findings import Counterexample
from clusterdiff.paper.series import Series, worsen
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Corpus, InDocument, Mention
from clusterdiff.points.policy import Policy
from clusterdiff.show.export import write
from clusterdiff.table import Row, Table
from clusterdiff.verbs.chance import chance
from clusterdiff.verbs.compare import compare, score
from clusterdiff.verbs.read import read
from clusterdiff.verbs.tables import compare_columns

if _typing.TYPE_CHECKING:
    from clusterdiff.tables.engines.comparison import EngineComparison, TableComparison

__all__ = [
    "Analysis",
    "ArgumentError",
    "Cell",
    "Chance",
    "Check",
    "ClusterGain",
    "ClusterdiffError",
    "ClusterdiffWarning",
    "Clustering",
    "Comparison",
    "Component",
    "ComponentGain",
    "Continuation",
    "Corpus",
    "CorpusComparison",
    "Counterexample",
    "Counts",
    "DatasetRanking",
    "Documents",
    "Edge",
    "EngineComparison",
    "EngineError",
    "Explanation",
    "Extremes",
    "FileError",
    "Gains",
    "InDocument",
    "Interval",
    "LabelError",
    "Loss",
    "Matrix",
    "Measure",
    "MeasureError",
    "Meet",
    "Mention",
    "Merge",
    "MissingExtraError",
    "Paired",
    "Patch",
    "PatchError",
    "PointLoss",
    "PointSource",
    "Policy",
    "Ranking",
    "Repair",
    "Repairs",
    "Row",
    "Scorer",
    "Series",
    "Slice",
    "Split",
    "Stability",
    "StableCluster",
    "Story",
    "Subcomponent",
    "Sweep",
    "SweepLoss",
    "Table",
    "TableComparison",
    "WorstMerge",
    "__version__",
    "chance",
    "check",
    "compare",
    "compare_columns",
    "extremes",
    "lattice",
    "matrix",
    "measure",
    "measures",
    "rank",
    "read",
    "score",
    "scorer",
    "split_merge",
    "subcomponent",
    "subcomponents",
    "sweep",
    "types",
    "worsen",
    "write",
]


def __getattr__(name: str) -> _typing.Any:
    """What compare() returns for tables, imported with narwhals when somebody asks for it by name."""
    if name in {"EngineComparison", "TableComparison"}:
        from clusterdiff.tables.engines import comparison

        return getattr(comparison, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
