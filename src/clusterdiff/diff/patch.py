"""Patch: operations that turn one clustering into another, which can be written down, read and applied."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeAlias

from clusterdiff import notebook
from clusterdiff.errors import PatchError
from clusterdiff.files import from_json, read_text, write_text
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Int64Array
from clusterdiff.table import SHOWN
from clusterdiff.wording import and_list, count, name

FORMAT, VERSION = "clusterdiff patch", 2
#: What stands between the operations of a file.
SEPARATOR = ",\n    "
#: How many points a line of text names.
NAMED = 6


@dataclass(frozen=True)
class Named:
    """A cluster by its points, whatever it is called: the least of them by text, their number, and their digest."""

    member: str
    size: int
    digest: str

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {"member": self.member, "size": self.size, "digest": self.digest}

    def __str__(self) -> str:
        return f"the cluster of {name(self.member)} ({count(self.size)})"


@dataclass(frozen=True)
class Remove:
    """Take points out of the clustering."""

    points: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {"remove": list(self.points)}

    def __str__(self) -> str:
        return f"remove {_points(self.points)}"


@dataclass(frozen=True)
class SplitOff:
    """Take parts out of a cluster: each of ``off`` becomes a cluster of its own."""

    cluster: Named
    off: tuple[tuple[str, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {"split": self.cluster.to_dict(), "off": [list(part) for part in self.off]}

    def __str__(self) -> str:
        return f"split {self.cluster}: off {' | '.join(map(_points, self.off))}"


@dataclass(frozen=True)
class Unite:
    """Make one cluster of several."""

    clusters: tuple[Named, ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {"merge": [cluster.to_dict() for cluster in self.clusters]}

    def __str__(self) -> str:
        return f"merge {and_list(list(map(str, self.clusters)), NAMED)}"


@dataclass(frozen=True)
class Add:
    """Put new points into a cluster, or into one of their own if ``to`` is None."""

    points: tuple[str, ...]
    to: Named | None

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file."""
        return {"add": list(self.points), "to": None if self.to is None else self.to.to_dict()}

    def __str__(self) -> str:
        return f"add {_points(self.points)} {'as a new cluster' if self.to is None else f'to {self.to}'}"


Operation: TypeAlias = Remove | SplitOff | Unite | Add


def _points(points: tuple[str, ...]) -> str:
    return and_list(list(map(name, points)), NAMED)


class WrittenOperations(Sequence[Operation]):
    """Operations as they are written to a file, each read when it is asked for."""

    def __init__(self, text: str, start: Int64Array, end: Int64Array) -> None:
        self.text = text
        self._start, self._end = start, end

    def __len__(self) -> int:
        return len(self._start)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        number = range(len(self))[index]
        line = self.text[self._start[number] : self._end[number]]
        return _parse(json.loads(line), number + 1, "the patch")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


def _written(operations: Sequence[Operation]) -> str:
    """Operations as JSON, one per line."""
    if isinstance(operations, WrittenOperations):
        return operations.text
    return SEPARATOR.join(json.dumps(operation.to_dict()) for operation in operations)


@dataclass(frozen=True)
class Patch:
    """Operations that turn one clustering into another; see docs/patch-format.md.

    Clusters are known by their points and points by their text, so that neither numbers of clusters, nor the order of
    rows, nor what happens in other clusters matters. ``one + other`` does what one does and then what the other does.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> patch = cd.patch({"a": "x", "b": "y", "c": "y"}, {"a": 1, "b": 1, "c": 2})
    >>> print(patch)
    split the cluster of b (2 points): off c
    merge the cluster of a (1 point) and the cluster of b (1 point)
    >>> patch.apply({"a": 7, "b": 8, "c": 8, "d": 9}).to_dict()
    {'a': 7, 'b': 7, 'c': 8, 'd': 9}
    """

    operations: Sequence[Operation]

    # ---- files

    def to_dict(self) -> dict[str, Any]:
        """The patch as plain values, as in a file."""
        return self._head() | {"operations": [operation.to_dict() for operation in self.operations]}

    def _head(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION}

    def to_json(self) -> str:
        """The patch as the text of a file, one operation per line."""
        body = _written(self.operations)
        start = SEPARATOR.lstrip(",") if body else "\n"
        end = "\n" if body else ""
        return f'{json.dumps(self._head())[:-1]}, "operations": [{start}{body}{end}]}}\n'

    def write(self, path: str | PathLike[str]) -> None:
        """Write the patch to a file, which appears whole or not at all."""
        write_text(path, self.to_json())

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Patch:
        """A patch from a file."""
        called = str(path)
        return cls.from_dict(from_json(read_text(called), called), called)

    @classmethod
    def from_dict(cls, data: Any, source: str = "the patch") -> Patch:
        """A patch from plain values, as they are read from a file; ``source`` names it in messages."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise PatchError(f'{source} is not a patch: "format" must be {FORMAT!r}.')
        if data.get("version") != VERSION:
            raise PatchError(
                f"{source} has version {data.get('version')!r} of the patch format; this release knows {VERSION}.",
                "make the patch again, or look for a release of clusterdiff that reads it.",
            )
        operations = data.get("operations")
        if not isinstance(operations, list):
            raise PatchError(f'{source} must have "operations", a list.')
        return cls(tuple(_parse(entry, i, source) for i, entry in enumerate(operations, 1)))

    # ---- use

    def apply(self, clustering: object, *, skip_stale: bool = False) -> Clustering:
        """The clustering after all operations; ``clustering`` itself is not changed.

        Clusters that continue one of before keep its name. A patch that does not fit is refused whole: a
        :class:`PatchError` names the first operation that fails. With ``skip_stale`` such operations are left out, and
        :meth:`stale` lists them.
        """
        from clusterdiff.diff.patching import Patched

        found = Patched(Clustering.reading(clustering, "clustering", empty=True), self.operations, skip_stale)
        return found.clustering

    def stale(self, clustering: object) -> list[Operation]:
        """The operations that do not fit a clustering, when all others are carried out."""
        from clusterdiff.diff.patching import Patched

        found = Patched(Clustering.reading(clustering, "clustering", empty=True), self.operations, True)
        return [self.operations[i] for i in found.skipped]

    def inverse(self, clustering: object) -> Patch:
        """What undoes the patch after it was applied to ``clustering``: it turns the result back into that.

        >>> import clusterdiff as cd
        >>> before = {"a": 1, "b": 1}
        >>> patch = cd.patch(before, {"a": 1, "b": 2})
        >>> print(patch.inverse(before))
        merge the cluster of a (1 point) and the cluster of b (1 point)
        """
        from clusterdiff.diff.derivation import derive

        before = Clustering.reading(clustering, "clustering", empty=True)
        return derive(self.apply(before), before)

    def __add__(self, other: Patch) -> Patch:
        return Patch((*self.operations, *other.operations))

    def __len__(self) -> int:
        return len(self.operations)

    def __str__(self) -> str:
        return "\n".join(map(str, self.operations)) or "nothing to change"

    def _repr_html_(self) -> str:
        lines = [count(len(self.operations), "operation"), *map(str, self.operations[:SHOWN])]
        left = len(self.operations) - SHOWN
        more = f"… {count(left, 'more operation')}" if left > 0 else ""
        first, *rest = map(notebook.line, lines)
        return notebook.view(first, *rest, notebook.line(more, quiet=True))


# ---- reading

WANTED = {
    "remove": '"remove", a list of points',
    "split": '"split", a cluster, and "off", lists of points',
    "merge": '"merge", a list of two or more clusters',
    "add": '"add", a list of points, and "to", a cluster or null',
}


def _parse(entry: Any, number: int, source: str) -> Operation:
    kind = next((word for word in WANTED if isinstance(entry, dict) and word in entry), None)
    if kind is None:
        raise PatchError(
            f'operation {number:,} of {source} must be a "remove", "split", "merge" or "add"; got {_short(entry)}.'
        )
    found: Operation | None = None
    if kind == "remove" and _are_points(entry["remove"]):
        found = Remove(tuple(entry["remove"]))
    elif kind == "split" and (whole := _named(entry["split"])) and isinstance(off := entry.get("off"), list):
        if off and all(map(_are_points, off)):
            found = SplitOff(whole, tuple(map(tuple, off)))
    elif kind == "merge" and isinstance(entry["merge"], list) and len(entry["merge"]) > 1:
        clusters = [cluster for cluster in map(_named, entry["merge"]) if cluster is not None]
        if len(clusters) == len(entry["merge"]):
            found = Unite(tuple(clusters))
    elif kind == "add" and _are_points(entry["add"]) and "to" in entry:
        to = _named(entry["to"])
        if to is not None or entry["to"] is None:
            found = Add(tuple(entry["add"]), to)
    if found is None:
        cluster = '; a cluster has "member", "size" and "digest"'
        raise PatchError(f"operation {number:,} of {source} ({kind}) must have {WANTED[kind]}{cluster}.")
    return found


def _named(value: Any) -> Named | None:
    """A cluster of a file, or None if it is none."""
    match value:
        case {"member": str(member), "size": int(size), "digest": str(digest)} if (
            size >= 1 and size is not True
        ):
            return Named(member, size, digest)
    return None


def _are_points(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(point, str) for point in value)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def named_points(operations: Iterable[Operation]) -> set[str]:
    """All points that operations name, by text."""
    out: set[str] = set()
    for operation in operations:
        match operation:
            case Remove(points):
                out.update(points)
            case SplitOff(cluster, off):
                out.add(cluster.member)
                out.update(*off)
            case Unite(clusters):
                out.update(cluster.member for cluster in clusters)
            case Add(points, to):
                out.update(points)
                out.update(() if to is None else (to.member,))
    return out
