"""Patch: the derivation from pred to true as split and merge operations, which can be written down and applied."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import notebook
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.continuation import continued
from clusterdiff.diff.source import PointSource
from clusterdiff.errors import ArgumentError, PatchError, listed
from clusterdiff.files import from_json, read_text, write_text
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering, named_twice
from clusterdiff.points.labels import Labels, Single
from clusterdiff.table import SHOWN
from clusterdiff.wording import count

FORMAT, VERSION = "clusterdiff patch", 1


@dataclass(frozen=True)
class SplitOff:
    """Take parts out of a cluster: each of ``into`` becomes a cluster of its own, with the ``points`` at its place.

    ``size`` is the number of points of the cluster before.
    """

    cluster: Hashable
    size: int
    into: tuple[Hashable, ...]
    points: tuple[tuple[Hashable, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        parts = [{"cluster": c, "points": list(p)} for c, p in zip(self.into, self.points, strict=True)]
        return {"operation": "split", "cluster": self.cluster, "size": self.size, "parts": parts}

    def __str__(self) -> str:
        return f"split {self.cluster!r}"


@dataclass(frozen=True)
class Unite:
    """Make one cluster, called ``into``, of several; ``sizes`` are their numbers of points before."""

    clusters: tuple[Hashable, ...]
    sizes: tuple[int, ...]
    into: Hashable

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {
            "operation": "merge",
            "clusters": list(self.clusters),
            "sizes": list(self.sizes),
            "into": self.into,
        }

    def __str__(self) -> str:
        return f"merge {listed(self.clusters)}"


Operation: TypeAlias = SplitOff | Unite


@dataclass(frozen=True)
class Patch:
    """Operations that turn one clustering of ``n`` points into another; see docs/patch-format.md.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> true, pred = {"a": 1, "b": 1, "c": 2}, {"a": "x", "b": "y", "c": "y"}
    >>> patch = cd.compare(true, pred).patch()
    >>> print(patch)
    split 'y'
    merge 'x', 'y.2'
    >>> patch.apply(pred) == cd.Clustering(true)
    True
    """

    n: int
    operations: tuple[Operation, ...]

    # ---- files

    def to_dict(self) -> dict[str, Any]:
        """The patch as plain values, as in a file."""
        return self._head() | {"operations": [operation.to_dict() for operation in self.operations]}

    def _head(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION, "points": self.n}

    def to_json(self) -> str:
        """The patch as the text of a file, one operation per line."""
        try:
            lines = [json.dumps(operation.to_dict(), allow_nan=False) for operation in self.operations]
        except (TypeError, ValueError) as error:
            raise PatchError(
                f"the patch cannot be written as JSON: {error}.",
                "points and clusters of a patch on file must be called by strings or whole numbers.",
            ) from None
        body = ",".join(f"\n    {line}" for line in lines)
        return f'{json.dumps(self._head())[:-1]}, "operations": [{body}\n]}}\n'

    def write(self, path: str | PathLike[str]) -> None:
        """Write the patch to a file, which appears whole or not at all."""
        write_text(path, self.to_json())

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Patch:
        """A patch from a file."""
        name = str(path)
        return cls.from_dict(from_json(read_text(name), name), name)

    @classmethod
    def from_dict(cls, data: Any, source: str = "the patch") -> Patch:
        """A patch from plain values, as they are read from a file; ``source`` names it in messages."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise PatchError(f'{source} is not a patch: "format" must be {FORMAT!r}.')
        if data.get("version") != VERSION:
            raise PatchError(
                f"{source} has version {data.get('version')!r} of the patch format; this release knows {VERSION}.",
                "a newer release of clusterdiff may read it.",
            )
        operations = data.get("operations")
        if not _is_count(data.get("points")) or not isinstance(operations, list):
            raise PatchError(f'{source} must have "points", a number, and "operations", a list.')
        return cls(data["points"], tuple(_parse(entry, i, source) for i, entry in enumerate(operations, 1)))

    # ---- use

    def apply(self, clustering: object) -> Clustering:
        """The clustering after all operations; ``clustering`` itself is not changed.

        A patch that does not fit is refused whole: a :class:`PatchError` names the first operation that fails.
        """
        state = _State(Clustering.reading(clustering, "clustering"))
        if len(state.clustering) != self.n:
            raise PatchError(
                f"the patch is for {count(self.n)}; the clustering has {len(state.clustering):,}.",
                "apply it to the very clustering that it was made from.",
            )
        for number, operation in enumerate(self.operations, 1):
            try:
                state.split(operation) if isinstance(operation, SplitOff) else state.unite(operation)
            except PatchError as error:
                raise PatchError(
                    f"operation {number:,} of {len(self.operations):,} ({operation}) does not fit: {error.message}",
                    "nothing was changed; apply the patch to the very clustering that it was made from.",
                ) from None
        return state.result()

    def __len__(self) -> int:
        return len(self.operations)

    def __str__(self) -> str:
        return "\n".join(map(str, self.operations)) or "nothing to change"

    def _repr_html_(self) -> str:
        lines = [
            f"{count(len(self.operations), 'operation')} on {count(self.n)}",
            *map(str, self.operations[:SHOWN]),
        ]
        left = len(self.operations) - SHOWN
        more = f"… {count(left, 'more operation')}" if left > 0 else ""
        first, *rest = map(notebook.line, lines)
        return notebook.view(first, *rest, notebook.line(more, quiet=True))


class _State:
    """A clustering while operations are applied to it."""

    def __init__(self, clustering: Clustering) -> None:
        if clustering.labels.absent is not None:
            raise PatchError("the clustering has points without a cluster (null labels).")
        self.clustering = clustering
        self.cluster = clustering.codes.tolist()
        self.names: list[Any] = clustering.names.tolist()
        self.code = {name: code for code, name in enumerate(self.names)}
        self.size = clustering.sizes.tolist()
        # A merged cluster points to the one it became part of.
        self.parent = list(range(len(self.names)))
        points = clustering.point_names()
        self.place = None if isinstance(points, range) else {p: i for i, p in enumerate(points)}

    def split(self, operation: SplitOff) -> None:
        code = self._known(operation.cluster, operation.size)
        for name, points in zip(operation.into, operation.points, strict=True):
            if name in self.code:
                raise PatchError(f"there is a cluster {name!r} already.")
            new = self._add(name)
            for point in points:
                i = self._position(point)
                if self._find(self.cluster[i]) != code:
                    raise PatchError(f"point {point!r} is not in cluster {operation.cluster!r}.")
                self.cluster[i] = new
            self.size[new] = len(points)
            self.size[code] -= len(points)
        if self.size[code] < 1:
            raise PatchError(f"no point is left in cluster {operation.cluster!r}.")

    def unite(self, operation: Unite) -> None:
        codes = [self._known(c, s) for c, s in zip(operation.clusters, operation.sizes, strict=True)]
        if len(set(codes)) < max(len(codes), 2):
            raise PatchError("a merge needs at least two clusters, each named once.")
        for name in operation.clusters:
            del self.code[name]
        if operation.into in self.code:
            raise PatchError(f"there is a cluster {operation.into!r} already.")
        target = codes[0]
        for other in codes[1:]:
            self.parent[other] = target
            self.size[target] += self.size[other]
        self.names[target] = operation.into
        self.code[operation.into] = target

    def result(self) -> Clustering:
        roots = np.fromiter(
            (self._find(c) for c in range(len(self.parent))), dtype=np.int64, count=len(self.parent)
        )
        names = np.empty(len(self.names), dtype=object)
        names[:] = self.names
        labels = roots[np.asarray(self.cluster, dtype=np.int64)]
        return Clustering.of(Labels(labels, names), self.clustering.points)

    def _known(self, name: Hashable, size: int) -> int:
        code = self.code.get(name)
        if code is None:
            raise PatchError(f"there is no cluster {name!r}.")
        if self.size[code] != size:
            raise PatchError(f"cluster {name!r} has {count(self.size[code])}; the patch expects {size:,}.")
        return code

    def _position(self, point: Hashable) -> int:
        if self.place is None:
            known = isinstance(point, int) and not isinstance(point, bool) and 0 <= point < len(self.cluster)
            i = point if known else None
        else:
            i = self.place.get(point)
        if i is None:
            raise PatchError(f"there is no point {point!r}.")
        return int(i)  # type: ignore[call-overload, no-any-return]

    def _add(self, name: Hashable) -> int:
        code = len(self.names)
        self.names.append(name)
        self.code[name] = code
        self.size.append(0)
        self.parent.append(code)
        return code

    def _find(self, code: int) -> int:
        while self.parent[code] != code:
            self.parent[code] = self.parent[self.parent[code]]
            code = self.parent[code]
        return code


# ---- reading


def _parse(entry: Any, number: int, source: str) -> Operation:
    kind = entry.get("operation") if isinstance(entry, dict) else None
    if kind == "split":
        parts = entry.get("parts")
        if (
            _is_name(entry.get("cluster"))
            and _is_count(entry.get("size"))
            and isinstance(parts, list)
            and parts
            and all(_is_part(part) for part in parts)
        ):
            into = tuple(part["cluster"] for part in parts)
            return SplitOff(
                entry["cluster"], entry["size"], into, tuple(tuple(part["points"]) for part in parts)
            )
    elif kind == "merge":
        clusters, sizes = entry.get("clusters"), entry.get("sizes")
        if (
            _are(_is_name, clusters)
            and _are(_is_count, sizes)
            and len(clusters) == len(sizes)
            and _is_name(entry.get("into"))
        ):
            return Unite(tuple(clusters), tuple(sizes), entry["into"])
    else:
        raise PatchError(
            f'operation {number:,} of {source} must be a "split" or a "merge"; got {_short(kind)}.'
        )
    wanted = {
        "split": '"cluster", "size" and "parts", each with its "cluster" and a list of "points"',
        "merge": '"clusters", as many "sizes", and "into"',
    }
    raise PatchError(f"operation {number:,} of {source} ({kind}) must have {wanted[kind]}.")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _is_name(value: object) -> bool:
    return isinstance(value, str | int | float)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _are(is_one: Any, value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(is_one, value))


def _is_part(value: object) -> bool:
    return isinstance(value, dict) and _is_name(value.get("cluster")) and _are(_is_name, value.get("points"))


# ---- making


def patch(analysis: Analysis, source: PointSource) -> Patch:
    """The derivation from pred to true; see :meth:`Comparison.patch`."""
    meet, alone = analysis.meet, int(analysis.unclustered[1].sum())
    if alone:
        raise ArgumentError(
            Message(
                "a patch splits and merges clusters of `pred`, which has none for {points}.",
                points=count(alone),
            ),
            Message(
                'pass `missing="drop"` for the points that both have, and `noise_as="cluster"` or '
                '`noise_as="drop"` for noise.'
            ),
        )
    twice = named_twice(source.names, "true")
    if len(twice):
        raise PatchError(
            f"a patch names points, and {count(len(twice), 'name')} repeated: {listed(twice[:5], len(twice))}.",
            Message("give each point an index of its own, or pass `.to_numpy()` of both sides."),
        )
    impure = np.flatnonzero(analysis.parts_of_pred > 1).tolist()
    broken = np.flatnonzero(analysis.parts_of_true > 1).tolist()
    continuing = np.zeros(len(meet), dtype=bool)
    continuing[continued(meet, np.ones(len(meet), dtype=bool), source.least)] = True
    # If a predicted cluster continues a true one, that part keeps its name; otherwise the largest part does.
    stays = np.zeros(len(meet), dtype=bool)
    stays[_first_of_each(meet.pred, continuing, meet.size)] = True
    target_of = _first_of_each(meet.true, continuing, meet.size)
    leaving = np.flatnonzero(~stays)
    name = dict(enumerate([analysis.pred[c] for c in meet.pred.tolist()]))
    name.update(
        zip(leaving.tolist(), FreshNames(analysis.pred)(name[c] for c in leaving.tolist()), strict=True)
    )
    points = dict(zip(leaving.tolist(), map(tuple, source.points_of_each(leaving)), strict=True))

    operations: list[Operation] = []
    for pred in impure:
        cells = [c for c in analysis.cells_of_pred(pred).tolist() if c in points]
        parts = tuple(points[c] for c in cells)
        operations.append(
            SplitOff(analysis.pred[pred], int(meet.pred_size[pred]), tuple(name[c] for c in cells), parts)
        )
    for true in broken:
        target = int(target_of[true])
        united = [target, *(c for c in analysis.cells_of_true(true).tolist() if c != target)]
        sizes = tuple(meet.size[united].tolist())
        operations.append(Unite(tuple(name[c] for c in united), sizes, name[target]))
    return Patch(meet.n, tuple(operations))


def _first_of_each(group: Any, continuing: Any, size: Any) -> npt.NDArray[np.int64]:
    """For each cluster, the cell that continues it, or else its largest cell."""
    order = np.lexsort((-size, ~continuing, group))
    return order[np.flatnonzero(np.diff(group[order], prepend=-1))]


class FreshNames:
    """New cluster names: whole numbers go on after the largest, others get a number after their origin's name.

    >>> FreshNames([3, 7])([3, 3]), FreshNames(["x", "x.2"])(["x", "x"])
    ([8, 9], ['x.3', 'x.4'])
    """

    def __init__(self, names: Sequence[Any]) -> None:
        names = [name for name in names if not isinstance(name, Single)]
        self._taken = set(names)
        numbers = all(isinstance(name, int) and not isinstance(name, bool) for name in names)
        self._next = max(names, default=-1) + 1 if numbers else None

    def __call__(self, origins: Iterable[Any]) -> list[Any]:
        """A name for a part of each of ``origins``, all different."""
        if self._next is not None:
            return [self._next + i for i, _ in enumerate(origins)]
        counter: dict[Any, int] = {}
        made: dict[str, None] = {}
        for origin in origins:
            number = counter.get(origin, 1) + 1
            while (name := f"{origin}.{number}") in self._taken or name in made:
                number += 1
            counter[origin] = number
            made[name] = None
        return list(made)
