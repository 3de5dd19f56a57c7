"""clusterdiff: a diff for clusterings.

>>> import clusterdiff as cd
>>> diff = cd.compare(["a", "a", "a", "b"], ["x", "x", "y", "y"])
>>> round(diff.score(), 4)
0.2103

Here is what people call, make or catch; ``clusterdiff.types`` has the classes of what they get.
"""

import typing as _typing

from clusterdiff import lazy as _lazy
from clusterdiff._version import __version__

# Now, and not when somebody asks: the room has the same name, and would be found in its place.
from clusterdiff.measures import measures

if _typing.TYPE_CHECKING:
    from clusterdiff import types as types
    from clusterdiff.decide.matrix import matrix as matrix
    from clusterdiff.decide.rank import rank as rank
    from clusterdiff.decide.scorer import scorer as scorer
    from clusterdiff.decide.sweep import sweep as sweep
    from clusterdiff.diff.patch import Patch as Patch
    from clusterdiff.errors import ArgumentError as ArgumentError
    from clusterdiff.errors import ClusterdiffError as ClusterdiffError
    from clusterdiff.errors import ClusterdiffWarning as ClusterdiffWarning
    from clusterdiff.errors import ConflictError as ConflictError
    from clusterdiff.errors import EngineError as EngineError
    from clusterdiff.errors import FileError as FileError
    from clusterdiff.errors import LabelError as LabelError
    from clusterdiff.errors import MeasureError as MeasureError
    from clusterdiff.errors import MissingExtraError as MissingExtraError
    from clusterdiff.errors import PatchError as PatchError
    from clusterdiff.judgements.collection import Judgements as Judgements
    from clusterdiff.judgements.contradictions import ContradictionError as ContradictionError
    from clusterdiff.judgements.estimate import estimate as estimate
    from clusterdiff.judgements.judgement import Judgement as Judgement
    from clusterdiff.judgements.plan import plan as plan
    from clusterdiff.measures import measure as measure
    from clusterdiff.measures.normalise import extremes as extremes
    from clusterdiff.measures.splitmerge import split_merge as split_merge
    from clusterdiff.measures.subcomponents import subcomponent as subcomponent
    from clusterdiff.measures.subcomponents import subcomponents as subcomponents
    from clusterdiff.meet import lattice as lattice
    from clusterdiff.meet.meet import Meet as Meet
    from clusterdiff.paper.check import check as check
    from clusterdiff.paper.series import worsen as worsen
    from clusterdiff.points.clustering import Clustering as Clustering
    from clusterdiff.points.corpus import Corpus as Corpus
    from clusterdiff.releases.history import history as history
    from clusterdiff.releases.merge import merge as merge
    from clusterdiff.releases.patch import patch as patch
    from clusterdiff.releases.relabel import relabel as relabel
    from clusterdiff.show.export import write as write
    from clusterdiff.verbs.chance import chance as chance
    from clusterdiff.verbs.compare import compare as compare
    from clusterdiff.verbs.compare import score as score
    from clusterdiff.verbs.read import read as read
    from clusterdiff.verbs.tables import compare_columns as compare_columns

#: Where each name is; it is imported when it is first used.
_PLACES = {
    "ArgumentError": "errors",
    "ClusterdiffError": "errors",
    "ClusterdiffWarning": "errors",
    "Clustering": "points.clustering",
    "ConflictError": "errors",
    "ContradictionError": "judgements.contradictions",
    "Corpus": "points.corpus",
    "EngineError": "errors",
    "FileError": "errors",
    "Judgement": "judgements.judgement",
    "Judgements": "judgements.collection",
    "LabelError": "errors",
    "MeasureError": "errors",
    "Meet": "meet.meet",
    "MissingExtraError": "errors",
    "Patch": "diff.patch",
    "PatchError": "errors",
    "chance": "verbs.chance",
    "check": "paper.check",
    "compare": "verbs.compare",
    "compare_columns": "verbs.tables",
    "estimate": "judgements.estimate",
    "extremes": "measures.normalise",
    "history": "releases.history",
    "lattice": "meet.lattice",
    "matrix": "decide.matrix",
    "measure": "measures",
    "merge": "releases.merge",
    "patch": "releases.patch",
    "plan": "judgements.plan",
    "rank": "decide.rank",
    "read": "verbs.read",
    "relabel": "releases.relabel",
    "score": "verbs.compare",
    "scorer": "decide.scorer",
    "split_merge": "measures.splitmerge",
    "subcomponent": "measures.subcomponents",
    "subcomponents": "measures.subcomponents",
    "sweep": "decide.sweep",
    "types": "types",
    "worsen": "paper.series",
    "write": "show.export",
}

__all__ = ["__version__", "measures", *_PLACES]
__all__.sort()


def __dir__() -> list[str]:
    return __all__


if not _typing.TYPE_CHECKING:  # to a type checker, a name that is not here is a mistake
    _attribute = _lazy.attribute_of(__name__, _PLACES)

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            from clusterdiff.types import __all__ as types

            if name in types:
                raise AttributeError(f"clusterdiff.{name} is now clusterdiff.types.{name}", name=name)
        return _attribute(name)
