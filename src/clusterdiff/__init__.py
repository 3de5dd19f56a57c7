"""clusterdiff: a diff for clusterings.

>>> import clusterdiff as cd
>>> diff = cd.compare(["a", "a", "a", "b"], ["x", "x", "y", "y"])
>>> round(diff.score(), 4)
0.2103
"""

from clusterdiff._version import __version__
from clusterdiff.decide.scorer import scorer
from clusterdiff.diff.analysis import Merge, Split
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.documents import CorpusComparison, compare_corpora
from clusterdiff.diff.explain import Explanation
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patch import Patch
from clusterdiff.diff.repairs import Repair, Repairs
from clusterdiff.errors import (
    ArgumentError,
    ClusterdiffError,
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
from clusterdiff.points.corpus import Corpus, Mention
from clusterdiff.show.export import write
from clusterdiff.table import Table
from clusterdiff.verbs.compare import compare, score
from clusterdiff.verbs.files import compare_files, read
from clusterdiff.verbs.tables import compare_columns, compare_tables

__all__ = [
    "ArgumentError",
    "Check",
    "ClusterdiffError",
    "Clustering",
    "Comparison",
    "Component",
    "Corpus",
    "CorpusComparison",
    "Counterexample",
    "EngineError",
    "Explanation",
    "Extremes",
    "FileError",
    "LabelError",
    "Loss",
    "Measure",
    "MeasureError",
    "Meet",
    "Mention",
    "Merge",
    "MissingExtraError",
    "Patch",
    "PatchError",
    "Repair",
    "Repairs",
    "Series",
    "Split",
    "Subcomponent",
    "Table",
    "__version__",
    "check",
    "compare",
    "compare_columns",
    "compare_corpora",
    "compare_files",
    "compare_tables",
    "extremes",
    "lattice",
    "measure",
    "measures",
    "read",
    "score",
    "scorer",
    "split_merge",
    "subcomponent",
    "subcomponents",
    "worsen",
    "write",
]
