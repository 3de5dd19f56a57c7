"""The options of a comparison, and what all kinds of input have in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

from clusterdiff.diff.build import compare_aligned
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import compare_within
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.messages import Message
from clusterdiff.points.alignment import apply_policy, match_points
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.corpus import Singletons
from clusterdiff.points.keys import Key
from clusterdiff.points.labels import kind
from clusterdiff.points.missing import Missing
from clusterdiff.points.noise import NoiseAs, NoiseLabels
from clusterdiff.points.policy import Policy

#: A column's name on both sides, or its name on either.
Column: TypeAlias = str | tuple[str, str]
#: The same for points, which several columns may name together: a list of them.
PointColumn: TypeAlias = Key | tuple[Key, Key]
#: What reads files of tables; the command passes an open session instead.
EngineName: TypeAlias = Literal["memory", "duckdb", "polars", "spark"]

#: What every clustering takes that is not a corpus: what is known of its points, and what becomes of some.
POINTWISE = frozenset(
    {
        "documents",
        "weights",
        "features",
        "distances",
        "missing",
        "noise",
        "noise_true",
        "noise_pred",
        "noise_as",
    }
)
#: Options that name columns: they may be given for one side, and then count for that side.
COLUMNS = ("point", "cluster")
#: What options are if nothing is said.
USUAL = {"noise_as": "singleton", "singletons": "keep"}


@dataclass(slots=True)
class Asked:
    """The options of :func:`clusterdiff.compare`."""

    point: PointColumn | None = None
    cluster: Column | None = None
    documents: object = None
    weights: object = None
    features: object = None
    distances: object = None
    missing: Missing | None = None
    noise: NoiseLabels | None = None
    noise_true: NoiseLabels | None = None
    noise_pred: NoiseLabels | None = None
    noise_as: NoiseAs = "singleton"
    singletons: Singletons = "keep"
    budget: int | str | None = None
    engine: Any = None

    @property
    def passed(self) -> list[str]:
        """The options about which something was said."""
        said = [name for name in self.__slots__ if getattr(self, name) is not None]
        return [name for name in said if name not in USUAL or getattr(self, name) != USUAL[name]]

    def column(self, option: str, place: int) -> Any:
        """The column that an option names on a side: for both, or in a pair."""
        column = getattr(self, option)
        if column is None or isinstance(column, str | list):
            return column
        if not isinstance(column, tuple) or len(column) != 2:
            raise ArgumentError.must(
                option, Message("be a column, or a pair of columns of `true` and `pred`"), column
            )
        return column[place]

    @property
    def pointwise(self) -> dict[str, Any]:
        """What is known of the points, where documents keep them apart."""
        return {"weights": self.weights, "features": self.features, "documents": self.documents}

    @property
    def by_name(self) -> bool:
        """Whether all of that is given as columns of the tables."""
        return self.distances is None and all(map(_names_columns, self.pointwise.values()))


class Input:
    """One side of a comparison; a subclass for each kind, and its place in ``KINDS``."""

    #: What inputs of this kind are, for messages.
    kind: ClassVar[str]
    #: The options that have a meaning for them.
    takes: ClassVar[frozenset[str]] = POINTWISE
    #: What becomes of points that one side lacks, if nobody says.
    missing: Missing = "error"
    #: Whether points and clusters are known as text only, so that "7" may be a number.
    untyped = False
    #: Whether columns of a table can be named here as what is known of the points.
    tabular = False

    def __init__(self, data: Any, argument: str) -> None:
        self.data = data
        self.argument = argument
        self.point: Key | None = None
        self.cluster: str | None = None

    @classmethod
    def holds(cls, data: object) -> bool:
        """Whether something is of this kind."""
        raise NotImplementedError

    def accepts(self, option: str, asked: Asked) -> bool:
        """Whether an option has a meaning here."""
        return option in self.takes

    def column(self, option: str) -> Any:
        """The column that the input itself names."""
        return None

    def told(self, point: Key | None, cluster: str | None) -> Input:
        """The same with the columns of points and clusters that the user named."""
        self.point, self.cluster = point, cluster
        return self

    @property
    def noise(self) -> int | None:
        """The label that means noise by the input's own documentation."""
        return None

    def read(self) -> Any:
        """What can be laid over points in memory."""
        return self.data

    def clustering(self) -> Clustering:
        """The same as a clustering."""
        return Clustering.reading(self.read(), self.argument)

    def values(self, columns: Any, option: str) -> Any:
        """Columns of its table as values of its points; None if it does not have them."""
        return None

    def spelling(self, read: object) -> Callable[[Hashable], Hashable] | None:
        """How labels that the user names stand here; in memory they are given as they are."""
        return None

    def meet(self, pred: Input, asked: Asked, policy: Policy) -> Comparison:
        """Compare this, the true side, with the other: in memory, unless a subclass knows better."""
        for option in ("budget", "engine"):
            if getattr(asked, option) is not None:
                raise ArgumentError.about(
                    option,
                    "has no meaning here, since these points are compared in memory.",
                    Message(
                        "leave it out; tables with one column of points, and without `distances=`, take it."
                    ),
                )
        sides = self, pred
        read = _as_written([side.read() for side in sides], sides)
        if policy.noise:
            spelt = (side.spelling(got) for side, got in zip(sides, read, strict=True))
            policy = replace(policy, noise=policy.noise.spelt(*spelt))
        data = asked.pointwise
        if self.tabular or pred.tabular:
            data = {option: _of_table(value, option, sides) for option, value in data.items()}
        data["distances"] = asked.distances
        documents = data.pop("documents")
        aligned = match_points(read[0], read[1], empty=policy.rule.loses)
        if documents is not None:
            return compare_within(aligned, documents, policy, asked.singletons, **data)
        return compare_aligned(apply_policy(aligned, policy), **data)


def _names_columns(value: object) -> bool:
    """Whether what is known about the points is given as columns of their table."""
    return (
        value is None
        or isinstance(value, str)
        or (isinstance(value, list | tuple) and all(isinstance(name, str) for name in value))
    )


def _of_table(value: object, option: str, sides: Sequence[Input]) -> object:
    """What is given as the name of a column (or several), read from the table that has it; `true` comes first."""
    if value is None or not _names_columns(value):
        return value
    tables = [side for side in sides if side.tabular]
    found = [values for side in tables if (values := side.values(value, option)) is not None]
    if not found:
        from clusterdiff.tables.frames import column_names

        wanted = column_names(value, option)
        raise ArgumentError.about(option, f"names columns that no table has: {listed(wanted)}.")
    if len(found) == 2 and all(isinstance(values, dict) for values in found):
        return found[1] | found[0]  # for points that `true` lacks, what `pred` has
    return found[0]


def _as_written(read: list[Any], sides: Sequence[Input]) -> list[Any]:
    """Where one side comes from a file that knows only text, the other side's integers are matched as text."""
    untyped = [side.untyped for side in sides]
    if untyped[0] == untyped[1]:
        return read
    if not all(isinstance(side, Clustering) and side.points is not None for side in read):
        return read
    kinds = {kind(side.points[0]) for side in read}
    if kinds != {"tuple"} and kinds != {"str", "int"}:
        return read
    return [side if untyped[i] else with_text(side) for i, side in enumerate(read)]


def with_text(clustering: Clustering) -> Clustering:
    """The same, its points called by text, as files that know nothing else call theirs."""

    def text(name: Any) -> Hashable:
        return tuple(map(str, name)) if isinstance(name, tuple) else str(name)

    return Clustering.of(clustering.labels, list(map(text, clustering.point_names())), clustering.ordered)
