"""clusterdiff: a diff for clusterings.

>>> import clusterdiff as cd
>>> diff = cd.compare(["a", "a", "a", "b"], ["x", "x", "y", "y"])
>>> round(diff.score(), 4)
0.2103
"""

from clusterdiff import lattice
from clusterdiff._version import __version__
from clusterdiff.check import Check, check
from clusterdiff.clustering import Clustering
from clusterdiff.comparison import Comparison, Component, Merge, Split, compare, score
from clusterdiff.corpus import Corpus, CorpusComparison, Mention, compare_corpora
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
from clusterdiff.explain import Explanation
from clusterdiff.export import write
from clusterdiff.formats import compare_files, read
from clusterdiff.frames import compare_columns, compare_tables
from clusterdiff.loss import Loss
from clusterdiff.measures import Measure, measure, measures
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.meet import Meet
from clusterdiff.normalise import Extremes, extremes
from clusterdiff.patch import Patch
from clusterdiff.properties import Counterexample
from clusterdiff.repairs import Repair, Repairs
from clusterdiff.scorer import scorer
from clusterdiff.series import Series, worsen
from clusterdiff.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.table import Table

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
