"""What results are made of: classes that people read and never make, for annotations and ``isinstance``.

What a public function, method or field gives may come in, if the front door does not have it.
"""

from clusterdiff._core import Members, Weighed
from clusterdiff.decide.leaderboard import Board
from clusterdiff.decide.matrix import Pool
from clusterdiff.decide.resolutions import Resolutions
from clusterdiff.decide.sweep import Cuts
from clusterdiff.diff.components import Place
from clusterdiff.diff.loss import CellLoss, Losses
from clusterdiff.diff.patch import SplitOff, Unite
from clusterdiff.diff.repairs import Steps
from clusterdiff.measures.registry import Decomposition, Registry
from clusterdiff.measures.subcomponents import Scored
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.parts import Overlap, Pairs
from clusterdiff.meet.sums import Summed, Sums
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.paper.findings import Finding
from clusterdiff.points.corpus import Text
from clusterdiff.points.index import Index
from clusterdiff.points.labels import Labels, LazyNames
from clusterdiff.points.missing import MissingRule
from clusterdiff.points.noise import Noise
from clusterdiff.wording import Nouns

__all__ = [
    "Board",
    "CellLoss",
    "Components",
    "Cuts",
    "Decomposition",
    "Finding",
    "Index",
    "Labels",
    "LazyNames",
    "Losses",
    "Margins",
    "Members",
    "MissingRule",
    "Noise",
    "Nouns",
    "Overlap",
    "Pairs",
    "Place",
    "Pool",
    "Registry",
    "Resolutions",
    "Scored",
    "SplitOff",
    "Steps",
    "Summed",
    "Sums",
    "Text",
    "UnevenMeet",
    "Unite",
    "Weighed",
]
