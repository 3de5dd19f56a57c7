"""Clustering: what users hand in, as labels and the names of the points."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core, notebook
from clusterdiff.errors import LabelError, changed, listed
from clusterdiff.points.index import ColumnNames, Index, index_of
from clusterdiff.points.labels import CLUSTER_TYPES, AnyArray, Labels, Single, encode_objects
from clusterdiff.points.libraries import from_library
from clusterdiff.points.reading import is_array, is_column, read_labels
from clusterdiff.table import Table
from clusterdiff.wording import count

Points: TypeAlias = Sequence[Hashable]


class Clustering:
    """A set of points divided into clusters.

    A point whose label is null (None, NaN, …) is in no cluster: it is neither in ``to_dict`` nor in ``to_sets``, and
    its code is -1.

    Parameters
    ----------
    data
        One label per point (list, tuple, NumPy array, pandas, polars or pyarrow column); or a list of sets or
        lists of points; or a dict from point to cluster, or from cluster to a set or list of points. A dict of lists
        of one element each, some of them the same, is from point to cluster too.
    points
        Names of the points, for labels given in order. Without names the points are called as the index of a Series
        says, or 0, 1, 2, …

    Examples
    --------
    >>> Clustering(["x", "x", "y"]).to_sets()
    [{0, 1}, {2}]
    >>> Clustering({"anna": 1, "ann": 1, "bob": 2}) == Clustering([{"bob"}, {"ann", "anna"}])
    True
    >>> Clustering([None, "a", "b"]).to_dict()
    {1: 'a', 2: 'b'}
    """

    labels: Labels
    points: Points | None
    ordered: bool
    #: The names that came along with a Series; they name the points if the other side names its own.
    index: Index | None

    def __init__(self, data: object, points: Points | AnyArray | None = None) -> None:
        if points is not None:
            points = points.tolist() if isinstance(points, np.ndarray) else list(points)
        read = Clustering.reading(data, "data", points)
        self.labels, self.points, self.ordered = read.labels.detach(), read.points, read.ordered
        self.index = read.index

    @classmethod
    def of(cls, labels: Labels, points: Points | None, ordered: bool = True) -> Clustering:
        """A clustering from labels that have been read; ``ordered``: whether the user can know the points' order."""
        new = cls.__new__(cls)
        new.labels, new.points, new.ordered, new.index = labels, points, ordered, None
        return new

    @classmethod
    def reading(
        cls, data: object, argument: str, points: Points | None = None, empty: bool = False
    ) -> Clustering:
        """The clustering of an argument, which may still share memory with what the caller passed.

        ``empty``: it may have no points at all.
        """
        if isinstance(data, Clustering):
            return data
        new = cls.of(*_parse(from_library(data), argument))
        new.index = index_of(data) if points is None else None
        if points is not None:
            if len(points) != len(new):
                raise LabelError.must(
                    "points",
                    "name every point",
                    got=f"{count(len(points), 'name')} for {count(len(new), 'label')}",
                )
            new.points = points
        return new.checked(argument, empty)

    def checked(self, argument: str, empty: bool = False) -> Clustering:
        """The same; raises if it has no points, unless it may be ``empty``, or if names do not tell them apart."""
        if len(self) == 0 and not empty:
            raise LabelError.about(argument, "is empty; a clustering needs at least one point.")
        if self.points is not None:
            refuse_twice(self.points, argument)
        return self

    def __len__(self) -> int:
        """Number of points, including those in no cluster."""
        return len(self.labels)

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """The cluster of each point as 0, 1, 2, … in order of appearance; -1 for points in no cluster."""
        return self.labels.codes

    @property
    def names(self) -> AnyArray:
        """The name of each cluster, by code."""
        return self.labels.names

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of points of each cluster, by code."""
        placed = self.codes if self.labels.absent is None else self.codes[self.codes >= 0]
        return np.bincount(placed, minlength=len(self.names))

    def point_names(self) -> Points:
        """The names of the points: the given ones, those of an index, or their positions."""
        if self.points is not None:
            return self.points
        return range(len(self)) if self.index is None or self.index.default else self.index.names

    def __iter__(self) -> Iterator[set[Hashable]]:
        return iter(self.to_sets())

    def to_sets(self) -> list[set[Hashable]]:
        """The clusters as sets of points, in order of appearance."""
        points = self.point_names()
        placed = np.flatnonzero(self.codes >= 0)
        indptr, members = _core.group_members(self.codes[placed], len(self.names))
        order = placed[members].tolist()
        return [{points[i] for i in order[a:b]} for a, b in pairwise(indptr.tolist())]

    def to_dict(self) -> dict[Hashable, Any]:
        """The cluster's name by point."""
        names = self.names.tolist()
        pairs = zip(self.point_names(), self.codes.tolist(), strict=True)
        return {point: names[code] for point, code in pairs if code >= 0}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return {frozenset(c) for c in self} == {frozenset(c) for c in other}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        nowhere = 0 if self.labels.absent is None else int(self.labels.absent.sum())
        rest = f", {count(nowhere)} in no cluster" if nowhere else ""
        return f"<Clustering of {count(len(self))} in {count(len(self.names), 'cluster')}{rest}>"

    def _repr_html_(self) -> str:
        sizes = self.sizes
        order = np.argsort(-sizes, kind="stable")
        clusters: Table[Any] = Table(
            {"cluster": np.asarray(self.names, dtype=object)[order], "points": sizes[order]}
        )
        return notebook.view(notebook.line(repr(self).strip("<>"), strong=True), clusters.html())


def _parse(data: object, argument: str) -> tuple[Labels, Points | None, bool]:
    """Labels, points, and whether the points have an order that the user can know."""
    if isinstance(data, Mapping):
        values, keys = list(data.values()), list(data)
        if len(values) != len(keys):  # another thread writes to it
            raise changed()
        if values and _is_cluster(values[0]) and (communities := _communities(values)) is not None:
            return read_labels(communities, argument), keys, True
        if values and _is_cluster(values[0]):
            names = np.empty(len(values), dtype=object)
            names[:] = keys
            labels, points, ordered = _from_clusters(values, argument)
            return labels.renamed(names), points, ordered
        return read_labels(values, argument), keys, True
    if isinstance(data, set | frozenset):
        if not all(isinstance(x, frozenset) for x in data):
            raise LabelError.about(
                argument,
                "is a set, which has no order and so cannot hold one label per point.",
                "pass a list of labels, or a list of sets of points.",
            )
        data = list(data)
    if isinstance(data, list | tuple) and data and _is_cluster(data[0]):
        return _from_clusters(data, argument)
    return read_labels(data, argument), None, True


def _communities(values: Sequence[Any]) -> list[Any] | None:
    """The one community of each node, if this is what a dict of nodes holds: clusters do not share their points."""
    if not all(isinstance(value, CLUSTER_TYPES) and len(value) == 1 for value in values):
        return None
    single = [element for value in values for element in value]
    try:
        return single if len(set(single)) < len(values) else None
    except TypeError:  # no names at all: whoever reads them says so
        return None


def _is_cluster(data: object) -> bool:
    """Whether this holds the points of a cluster: arrays and columns do so too, as a group by of pandas has them."""
    return (
        isinstance(data, CLUSTER_TYPES)
        or is_column(data)
        or ((isinstance(data, np.ndarray) or is_array(data)) and getattr(data, "ndim", 0) > 0)
    )


def _members(cluster: Any) -> Any:
    if isinstance(cluster, CLUSTER_TYPES):
        return cluster
    return cluster.tolist() if hasattr(cluster, "tolist") else cluster.to_list()


def _from_clusters(clusters: Sequence[Any], argument: str) -> tuple[Labels, Points, bool]:
    clusters = [_members(c) if _is_cluster(c) else c for c in clusters]
    odd = next((i for i, c in enumerate(clusters) if not isinstance(c, CLUSTER_TYPES)), None)
    if odd is not None:
        raise LabelError.about(
            argument,
            f"starts as a list of clusters, but holds {type(clusters[odd]).__name__} "
            f"{clusters[odd]!r} at position {odd}.",
            "pass either one label per point, or only sets or lists of points.",
        )
    sizes = np.fromiter(map(len, clusters), dtype=np.int64, count=len(clusters))
    if not sizes.all():
        raise LabelError.about(
            argument,
            f"has {count(int((sizes == 0).sum()), 'empty cluster')}, the first at position "
            f"{int(sizes.argmin())}.",
            "a cluster has at least one point; leave the empty ones out.",
        )
    try:
        points = list(chain.from_iterable(clusters))
    except RuntimeError:  # a set that another thread writes to
        raise changed() from None
    if len(points) != sizes.sum():
        raise changed()
    ordered = not any(isinstance(c, set | frozenset) for c in clusters)
    return Labels(np.repeat(np.arange(len(clusters)), sizes)), points, ordered


def refuse_twice(points: Points, argument: str) -> None:
    """Raise if a point has no name, or stands twice."""
    twice = named_twice(points, argument)
    if len(twice):
        raise LabelError.about(
            argument,
            f"must name each point once; {count(len(twice), 'name')} repeated: "
            f"{listed(twice[:5], len(twice))}.",
            "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
        )


def named_twice(points: Points, argument: str) -> AnyArray:
    """The names that stand twice or more often; raise if a point has no name."""
    if isinstance(points, range) or (isinstance(points, ColumnNames) and points.unique):
        return np.empty(0, dtype=object)
    encoded = encode_objects(
        points if isinstance(points, list | np.ndarray) else list(points), argument, "points"
    )
    if encoded.absent is not None:
        at = np.flatnonzero(encoded.absent)
        raise LabelError.about(
            argument, f"has {count(at.size)} without a name (null), the first at position {at[0]}."
        )
    assert encoded.lexicon is not None
    if len(encoded.lexicon) == len(points):
        return np.empty(0, dtype=object)
    return encoded.lexicon[np.flatnonzero(np.bincount(encoded.values) > 1)]


class FreshNames:
    """New cluster names: whole numbers go on after the largest, others get a number after their origin's name.

    >>> FreshNames([3, 7])([3, 3]), FreshNames(["x", "x.2"])(["x", "x"]), FreshNames([3, "x"])(["x"])
    ([8, 9], ['x.3', 'x.4'], ['x.2'])
    """

    def __init__(self, names: Iterable[Any]) -> None:
        self._taken: set[Any] = set()
        if isinstance(names, np.ndarray) and names.dtype.kind in "iu" and len(names):
            self._next: int | None = int(names.max()) + 1
            return
        names = names.tolist() if isinstance(names, np.ndarray) else names
        self._taken = {name for name in names if type(name) is not Single}
        types = set(map(type, self._taken))
        numbers = all(issubclass(found, int) and found is not bool for found in types)
        self._next = max(self._taken, default=-1) + 1 if numbers else None

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
