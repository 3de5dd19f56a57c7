"""Repairs: what to fix first. Operations on predicted clusters, and the score that each would regain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from clusterdiff import _core, notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.operations import (
    ADD,
    MERGE,
    MOVE,
    NO_CELLS,
    OPERATIONS,
    REMOVE,
    SPLIT,
    Candidates,
    in_order,
    operations,
    steps,
    valued,
)
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.worth import Worth
from clusterdiff.errors import ArgumentError, whole_number
from clusterdiff.points.clustering import FreshNames
from clusterdiff.table import plain, record_html
from clusterdiff.wording import and_list, change, count, name

#: What is shown of a repair.
FIELDS = ("operation", "gain", "score", "clusters", "into", "true", "component", "sentence", "points")
#: Gains below this are rounding.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Repair:
    """One operation on predicted clusters, and what it gains.

    ``operation`` is "split" (break up ``clusters[0]``, a part for each of the ``true`` clusters in it), "merge"
    (make one of ``clusters``) or "move" (take some points of ``true[0]`` from ``clusters[0]`` to ``clusters[1]``).
    Where points count as lost also "add" (put the missing points of ``true[0]`` into ``into[0]``) or "remove" (take
    the spurious points out of ``clusters[0]``).
    ``into`` names what comes out: the parts of a split, or the one cluster. ``gain`` is by how much the measure in
    question (S_H, unless another was named) would come closer to its best value, and ``score`` its value then.
    """

    operation: str
    gain: float
    score: float
    clusters: list[Any]
    into: list[Any]
    true: list[Any]
    component: int
    _cells: list[npt.NDArray[Any]] = field(repr=False, compare=False)
    _source: PointSource = field(repr=False, compare=False)
    _lost: tuple[str, list[list[int]]] | None = field(default=None, repr=False, compare=False)

    @property
    def cells(self) -> list[npt.NDArray[Any]]:
        """The cells of the meet that make up each of the ``parts``."""
        return self._cells

    @property
    def lost(self) -> tuple[str, int] | None:
        """Whose lost points come or go: the side, and the code of its cluster; None for other operations."""
        if self._lost is None or self.operation not in ("add", "remove"):
            return None
        side, (codes,) = self._lost
        return side, codes[0]

    @property
    def affected(self) -> int:
        """How many points come into another cluster, are added or are removed.

        >>> import clusterdiff as cd
        >>> [repair.affected for repair in cd.compare([0, 0, 0, 1, 1], ["x", "x", "y", "z", "z"]).repairs()]
        [1]
        """
        sizes = self.sizes
        if self.operation == "split":
            return sum(sizes[1:])
        stays = int(self._source.meet.size[self._cells[0][0]]) if self.operation == "merge" else 0
        return sizes[0] - stays

    @property
    def sizes(self) -> list[int]:
        """The number of points of each part of a split; otherwise one number, of the points merged or moved."""
        if self._lost is not None:
            return [len(part) for part in self.parts]
        size = self._source.meet.size
        return [int(np.add.reduce(size[cells])) for cells in self._cells]

    @property
    def parts(self) -> list[list[Any]]:
        """The points of each part of a split, as ``true`` lists them; otherwise one list, the points in question."""
        if self._lost is None:
            return [self._source.points(cells) for cells in self._cells]
        side, clusters = self._lost
        lost = [(codes, []) if side == "true" else ([], codes) for codes in clusters]
        return [
            self._source.points_of(cells, *map(np.array, codes))
            for cells, codes in zip(self._cells, lost, strict=True)
        ]

    @property
    def points(self) -> list[Any]:
        """The points in question, by name: those of the cluster to be split, those to be merged or to be moved."""
        return [point for part in self.parts for point in part]

    @property
    def sentence(self) -> str:
        """What to do, in words."""
        return self.describe()

    def describe(self, points: int = 5) -> str:
        """What to do, in words, naming up to ``points`` of the points to be moved."""
        clusters, true = [name(c) for c in self.clusters], [self._true_name(t) for t in self.true]
        if self.operation == "split":
            parts = [f"{name} ({self._counted(size)})" for name, size in zip(true, self.sizes, strict=True)]
            return f"split {clusters[0]} into {len(parts):,} parts: {and_list(parts)}"
        if self.operation == "merge":
            return f"merge {and_list(clusters)}: {self._counted(self.sizes[0])} of {true[0]}"
        if self.operation in ("add", "remove"):
            what = (
                f"{self._counted(self.sizes[0])} ({and_list([name(point) for point in self.points], points)})"
            )
            if self.operation == "remove":
                return f"remove {what} from {clusters[0]}"
            whose = "its" if self.sizes[0] == 1 else "their"
            target = clusters[0] if clusters else f"{self._source.nouns.a_cluster} of {whose} own"
            return f"add {what} of {true[0]} to {target}"
        named = ""
        if self._source.known:
            first = self.points[:points] if self._lost else self._source.points(self._cells[0], points)
            more = self.sizes[0] - len(first)
            named = f" ({', '.join(name(point) for point in first)}{f' and {more:,} more' if more else ''})"
        return f"move {self._counted(self.sizes[0])} of {true[0]}{named} from {clusters[0]} to {clusters[1]}"

    def _true_name(self, cluster: Any) -> str:
        """The name of a true cluster beside those of predicted ones: a number does not say whose it is."""
        text = name(cluster)
        return text if any(map(str.isalpha, text)) else f"true {self._source.nouns.cluster} {text}"

    def _counted(self, size: int) -> str:
        return count(size, self._source.nouns.point)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        values = {name: getattr(self, name) for name in FIELDS}
        return {name: [plain(x) for x in v] if isinstance(v, list) else v for name, v in values.items()}

    def __str__(self) -> str:
        return f"{self.sentence}: {change(self.gain, 6)}"

    def _repr_html_(self) -> str:
        return record_html(self.sentence, {"gain": self.gain, "score": self.score})


class _Listed(Sequence[Repair]):
    """Repairs, each made when it is looked at: there may be a million, or none."""

    fields = FIELDS
    analysis: Analysis
    source: PointSource
    gain: npt.NDArray[np.float64]
    score: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.gain)

    @overload
    def __getitem__(self, index: int) -> Repair: ...
    @overload
    def __getitem__(self, index: slice) -> list[Repair]: ...
    def __getitem__(self, index: int | slice) -> Repair | list[Repair]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no repair {index}; there are {len(self):,}")
        return self._make(index % len(self))

    def __iter__(self) -> Iterator[Repair]:
        return (self._make(i) for i in range(len(self)))

    def _make(self, i: int) -> Repair:
        raise NotImplementedError

    def __repr__(self) -> str:
        if not len(self):
            return "nothing to repair"
        lines = [f"{change(repair.gain, 6)}  {repair.describe()}" for repair in self[:10]]
        return "\n".join([*lines, *([f"… {len(self) - 10:,} more"] if len(self) > 10 else [])])

    def _repr_html_(self) -> str:
        rows = [[change(repair.gain), repair.describe()] for repair in self[:10]]
        more = f"… {len(self) - 10:,} more" if len(self) > 10 else "" if rows else "nothing to repair"
        found = notebook.table(["gain", "repair"], rows, [True, False]) if rows else ""
        return notebook.view(found, notebook.line(more, quiet=True))

    def to_dict(self, top: int | None = None) -> list[dict[str, Any]]:
        """The first ``top`` as plain values (None: all)."""
        if top is not None:
            whole_number("top", top)
        return [repair.to_dict() for repair in self[:top]]


class Repairs(_Listed):
    """The single operations that would raise a measure, best first; see :meth:`Comparison.repairs`.

    The greatest gain comes first, and of gains within 10% of it the operation that moves fewest points.
    ``measure`` is its name, and ``left_out`` says for how many operations it was not computed. ``sequence`` is the
    greedy sequence of operations that ends when pred equals true.

    Where points count as lost, "add" puts the missing points of a true cluster to one of its parts (or in a cluster of
    their own), and "remove" takes spurious points out. A split also leaves the spurious points of its cluster by
    themselves.
    """

    measure = "S_H"
    left_out = 0

    def __init__(self, analysis: Analysis, source: PointSource, worth: Worth | None = None) -> None:
        self.analysis, self.source = analysis, source
        found = Candidates(*operations(analysis.meet))
        gain, score = found.gain, analysis.score + found.gain
        if worth is not None:
            self.measure = worth.measure.name
            found, score, self.left_out = valued(worth, found)
            gain = worth.gains(score)
        best = found.best(gain)
        best = best[gain[best] > ROUNDING * max(1.0, abs(worth.score if worth else 1.0))]
        best = best[in_order(gain[best], found.take(best).affected(analysis))]
        self._operation, self._at, self._to = found.operation[best], found.at[best], found.to[best]
        self.gain = gain[best]
        self.score = score[best] if worth is not None else np.minimum(score[best], 1.0)

    @cached_property
    def sequence(self) -> Sequence[Repair]:
        """The best operation, then the best after it, and so on until pred equals true; ``score`` is that after each.

        A true cluster in more than 64 parts, or mixed with more than 256 others, is put together in one merge after the
        predicted clusters that hold its parts have been split. Where points count as lost, missing ones are added on
        the way and spurious ones removed; a split leaves the spurious points of its cluster there by themselves.
        """
        if self.measure != "S_H":
            raise ArgumentError(
                f"the sequence of repairs is the one that raises S_H fastest, and is not known for {self.measure}.",
                "call repairs() without a measure.",
            )
        return Steps(self.analysis, self.source)

    @cached_property
    def _fresh(self) -> FreshNames:
        return FreshNames(self.analysis.meet.pred_names)

    @cached_property
    def _spurious(self) -> npt.NDArray[np.int64]:
        return self.analysis.meet.spurious.count(self.analysis.meet.k_pred)

    @cached_property
    def components(self) -> npt.NDArray[np.int32]:
        """The component of each repair."""
        found = self.analysis.join
        of = np.empty(len(self), dtype=np.int32)
        for operation, component in enumerate(
            (found.of_pred, found.of_true, found.of_cell, found.of_true, found.of_pred)
        ):
            chosen = self._operation == operation
            of[chosen] = component[self._at[chosen]]
        return of

    @cached_property
    def of_component(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The places in this list of each component's repairs, best first, as (indptr, places)."""
        return _core.group_members(self.components, len(self.analysis.join))

    def cells_of(self, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """How many cells the repairs at some places of this list concern, at most."""
        operation, at = self._operation[places], self._at[places]
        number = np.ones(len(places), dtype=np.int64)
        for which, parts in ((SPLIT, self.analysis.parts_of_pred), (MERGE, self.analysis.parts_of_true)):
            number[operation == which] = parts[at[operation == which]]
        return number

    def target(self, place: int) -> int:
        """The cell that a move unites its points with."""
        return int(self._to[place])

    def _make(self, i: int) -> Repair:
        meet, names = self.analysis.meet, self.analysis
        operation, at, to = (int(column[i]) for column in (self._operation, self._at, self._to))
        lost: tuple[str, list[list[int]]] | None = None
        if operation == SPLIT:
            cells = self._largest_first(names.cells_of_pred(at))
            clusters, parts = [at], list(cells[:, None])
        elif operation == MERGE:
            cells = names.cells_of_true(at)
            cells = self._largest_first(cells[names.parts_of_pred[meet.pred[cells]] == 1])
            if to >= 0:
                cells = np.concatenate([[to], cells])
            clusters, parts = meet.pred[cells].tolist(), [cells]
        elif operation == MOVE:
            clusters, parts = meet.pred[[at, to]].tolist(), [np.array([at])]
        elif operation == ADD:
            clusters, parts, lost = [int(meet.pred[to])] if to >= 0 else [], [NO_CELLS], ("true", [[at]])
        else:
            clusters, parts, lost = [at], [NO_CELLS], ("pred", [[at]])
        called = [names.pred[c] for c in clusters]
        if operation == SPLIT and self._spurious[at]:
            into = self._fresh(called * len(parts))  # spurious points stay
        elif operation == SPLIT:
            into = [called[0], *self._fresh(called * (len(parts) - 1))]
        elif operation == ADD and not called:
            into = self._fresh([names.true[at]])
        else:
            into = [called[1 if operation == MOVE else 0]]
        if operation == REMOVE:
            whose = meet.true[self._largest_first(names.cells_of_pred(at))[:1]].tolist()
        else:
            whose = [at] if operation == ADD else [int(meet.true[part[0]]) for part in parts]
        join = names.join
        return Repair(
            OPERATIONS[operation],
            float(self.gain[i]),
            float(self.score[i]),
            called,
            into,
            [names.true[t] for t in whose],
            int(join.of_true[whose[0]] if whose else join.of_pred[at]),
            parts,
            self.source,
            lost,
        )

    def _largest_first(self, cells: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return cells if len(cells) < 2 else cells[(-self.analysis.meet.mass[cells]).argsort(kind="stable")]


class Steps(_Listed):
    """The greedy sequence."""

    def __init__(self, analysis: Analysis, source: PointSource) -> None:
        self.analysis, self.source = analysis, source
        self._steps = steps(analysis.meet)
        self.gain = self._steps.gain
        # What is still lost after a step is what later steps gain, so the last score is exactly 1.
        later = np.cumsum(self.gain[::-1])[::-1]
        self.score = 1.0 - np.append(later[1:], 0.0) if len(later) else later

    @cached_property
    def _first(self) -> npt.NDArray[np.int64]:
        """The entry in which each new predicted cluster is seen first: that of its origin, for parts move on."""
        before, after, k = self._steps.source, self._steps.target, self.analysis.meet.k_pred
        first = np.zeros(int(after.max(initial=k - 1)) + 1 - k, dtype=np.int64)
        where = np.flatnonzero((after >= k) & (before != after))[::-1]
        first[after[where] - k] = where
        return first

    @cached_property
    def _names(self) -> list[Any]:
        """The predicted clusters by name; new ones are called after the cluster that their points are from."""
        meet, steps = self.analysis.meet, self._steps
        origin = steps.source[self._first]
        every = [*meet.pred_names.tolist(), None]
        called = [every[i] for i in origin.tolist()]
        for i in np.flatnonzero(origin < 0).tolist():  # missing points that make a cluster of their own
            called[i] = self.analysis.true[int(self._true[steps.cell[self._first[i]]])]
        return [*every[:-1], *FreshNames(meet.pred_names)(called)]

    @cached_property
    def _true(self) -> npt.NDArray[np.int64]:
        """The true cluster of each cell, and of the lost points that stand after the cells."""
        meet = self.analysis.meet
        return np.concatenate([meet.true, np.arange(meet.k_true), np.full(meet.k_pred, -1)])

    @cached_property
    def _mass(self) -> npt.NDArray[Any]:
        """What they weigh."""
        meet = self.analysis.meet
        return np.concatenate([meet.mass, meet.missing.mass(meet.k_true), meet.spurious.mass(meet.k_pred)])

    def _make(self, i: int) -> Repair:
        meet, names, steps = self.analysis.meet, self._names, self._steps
        entries = slice(steps.indptr[i], steps.indptr[i + 1])
        cells, origin, target = steps.cell[entries], steps.source[entries], steps.target[entries]
        operation = OPERATIONS[steps.operation[i]]
        if operation == "split":
            made, group = np.unique(target, return_inverse=True)
            largest_first = np.argsort(-np.bincount(group, self._mass[cells]), kind="stable")
            by_group = np.split(cells[np.argsort(group, kind="stable")], np.cumsum(np.bincount(group))[:-1])
            parts = [by_group[g] for g in largest_first.tolist()]
            clusters, into = [int(origin[0])], made[largest_first].tolist()
        else:
            parts = [cells]
            clusters = [c for c in dict.fromkeys(origin.tolist() + target.tolist()) if c >= 0]
            into = clusters if operation == "remove" else [int(target[0])]
            if operation == "add" and entries.start in self._first:
                clusters = []  # they make a cluster of their own
        whose = [int(self._true[part[0]]) for part in parts]
        if operation == "remove":
            lost = [(cells - len(meet) - meet.k_true).tolist()]
            side, component = "pred", int(self.analysis.join.of_pred[lost[0][0]])
        else:
            lost = [(part[part >= len(meet)] - len(meet)).tolist() for part in parts]
            side, component = "true", int(self.analysis.join.of_true[whose[0]])
        return Repair(
            operation,
            float(self.gain[i]),
            float(self.score[i]),
            [names[c] for c in clusters],
            [names[c] for c in into],
            [self.analysis.true[t] for t in whose if t >= 0],
            component,
            [part[part < len(meet)] for part in parts],
            self.source,
            (side, lost) if any(lost) else None,
        )
