"""clusterdiff: a diff for clusterings.

>>> import clusterdiff as cd
>>> diff = cd.compare(["a", "a", "a", "b"], ["x", "x", "y", "y"])
>>> round(diff.score(), 4)
0.2103
"""

from clusterdiff import lattice
from clusterdiff._version import __version__
from clusterdiff.clustering import Clustering
from clusterdiff.comparison import Comparison, Component, Merge, Split, compare, score
from clusterdiff.corpus import Corpus, CorpusComparison, Mention, compare_corpora
from clusterdiff.errors import (
    ArgumentError,
    ClusterdiffError,
    FileError,
    LabelError,
    MeasureError,
    MissingExtraError,
)
from clusterdiff.export import write
from clusterdiff.formats import compare_files, read
from clusterdiff.loss import Loss
from clusterdiff.measures import Measure, measure, measures
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.meet import Meet
from clusterdiff.scorer import scorer
from clusterdiff.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.table import Table

__all__ = [
    "ArgumentError",
    "ClusterdiffError",
    "Clustering",
    "Comparison",
    "Component",
    "Corpus",
    "CorpusComparison",
    "FileError",
    "LabelError",
    "Loss",
    "Measure",
    "MeasureError",
    "Meet",
    "Mention",
    "Merge",
    "MissingExtraError",
    "Split",
    "Subcomponent",
    "Table",
    "__version__",
    "compare",
    "compare_corpora",
    "compare_files",
    "lattice",
    "measure",
    "measures",
    "read",
    "score",
    "scorer",
    "split_merge",
    "subcomponent",
    "subcomponents",
    "write",
]
