"""Applying a patch: every operation is checked against the points that it is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.naming import inherit, objects
from clusterdiff.diff.patch import Add, Named, Operation, Remove, SplitOff, Unite, named_points
from clusterdiff.errors import PatchError, listed
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import Labels, encode_objects, null
from clusterdiff.points.texts import digest, refuse_ambiguous, text, texts
from clusterdiff.wording import count


class Patched:
    """A clustering after operations; ``skipped`` has the numbers of those that did not fit."""

    def __init__(self, clustering: Clustering, operations: Sequence[Operation], skip_stale: bool) -> None:
        operations = tuple(operations)  # those of a new patch are read from its text
        self._before = clustering
        self._points = clustering.point_names()
        refuse_ambiguous(self._points)
        self._codes = clustering.codes.astype(np.int64)
        self._place = _places(self._points, named_points(operations))
        self._of: dict[int, set[int]] = {}  # the points of clusters that have been touched
        self._added: dict[str, int] = {}  # places of points that the clustering did not have
        self._new: list[str] = []  # these points in the order of their places
        self._cluster: dict[int, int] = {}  # the cluster of points that have moved
        self._next = len(clustering.names)
        self.skipped: list[int] = []
        for number, operation in enumerate(operations):
            try:
                self._apply(operation)
            except PatchError as error:
                if not skip_stale:
                    raise PatchError(
                        f"operation {number + 1:,} of {len(operations):,} ({operation}) does not fit: {error.message}",
                        "nothing was changed; the clusters that the patch names must have the points that they had.",
                    ) from None
                self.skipped.append(number)

    # ---- the operations; each is checked before it changes anything

    def _apply(self, operation: Operation) -> None:
        match operation:
            case Remove(points):
                places = [self._position(point) for point in points]
                for place in places:
                    self._members(self._cluster_of(place)).discard(place)
                    self._cluster[place] = -1
            case SplitOff(cluster, off):
                self._split(cluster, off)
            case Unite(clusters):
                self._unite(clusters)
            case Add(points, to):
                self._add(points, to)

    def _split(self, cluster: Named, off: Sequence[Sequence[str]]) -> None:
        _, members = self._known(cluster)
        parts = [[self._position(point) for point in part] for part in off]
        places = [place for part in parts for place in part]
        if len(set(places)) < len(places) or not members > set(places):
            raise PatchError("the parts must be different points of the cluster, and leave some of them.")
        for part in parts:
            self._move(part, self._fresh())
        members.difference_update(places)

    def _unite(self, clusters: Sequence[Named]) -> None:
        found = [self._known(cluster) for cluster in clusters]
        if len({code for code, _ in found}) < len(found):
            raise PatchError("it names a cluster twice.")
        found.sort(key=lambda one: -len(one[1]))
        into = found[0][0]
        for _, members in found[1:]:
            self._move(members, into)

    def _add(self, points: Sequence[str], to: Named | None) -> None:
        there = [point for point in points if self._has(point)]
        if there or len(set(points)) < len(points):
            raise PatchError(f"the points are there already: {listed(there[:5] or points[:5], len(there))}.")
        code = self._fresh() if to is None else self._known(to)[0]
        places = []
        for point in points:
            place = self._place.get(point, self._added.get(point))
            if place is None:
                place = self._added[point] = len(self._points) + len(self._added)
                self._new.append(point)
            places.append(place)
        self._move(places, code)

    # ---- what is where

    def _fresh(self) -> int:
        self._next += 1
        self._of[self._next - 1] = set()
        return self._next - 1

    def _move(self, places: Any, code: int) -> None:
        self._members(code).update(places)
        for place in places:
            self._cluster[place] = code

    def _cluster_of(self, place: int) -> int:
        if place in self._cluster:
            return self._cluster[place]
        return int(self._codes[place]) if place < len(self._codes) else -1

    def _members(self, code: int) -> set[int]:
        if code not in self._of:
            indptr, members = self._groups
            self._of[code] = set(members[indptr[code] : indptr[code + 1]].tolist())
        return self._of[code]

    @cached_property
    def _groups(self) -> tuple[Any, Any]:
        placed = np.flatnonzero(self._codes >= 0)
        indptr, members = _core.group_members(self._codes[placed], len(self._before.names))
        return indptr, placed[members]

    def _has(self, point: str) -> bool:
        place = self._place.get(point, self._added.get(point))
        return place is not None and self._cluster_of(place) >= 0

    def _position(self, point: str) -> int:
        if not self._has(point):
            raise PatchError(f"there is no point {point!r}.")
        return self._place[point] if point in self._place else self._added[point]

    def _known(self, cluster: Named) -> tuple[int, set[int]]:
        code = self._cluster_of(self._position(cluster.member))
        members = self._members(code)
        if len(members) != cluster.size:
            raise PatchError(
                f"the cluster of {cluster.member!r} has {count(len(members))}; the patch expects {cluster.size:,}."
            )
        if digest(sorted(self._texts(members))) != cluster.digest:
            raise PatchError(f"the cluster of {cluster.member!r} has other points than the patch expects.")
        return code, members

    def _texts(self, places: set[int]) -> list[str]:
        points, known = self._points, len(self._points)
        if not self._added:
            return list(map(str, places)) if isinstance(points, range) else texts([points[i] for i in places])
        return [text(points[i]) if i < known else self._new[i - known] for i in places]

    # ---- the result

    @cached_property
    def clustering(self) -> Clustering:
        """The clustering after the operations; clusters that continue one of before keep its name."""
        start = np.concatenate([self._codes, np.full(len(self._added), -1)])
        codes = start.copy()
        if self._cluster:
            codes[list(self._cluster)] = list(self._cluster.values())
        points: Any = self._points
        if self._added:
            example = self._points[0] if len(self._points) else ""
            points = [*self._points, *(_like(example, point) for point in self._added)]
        before, after = Labels(start, self._before.names, null(start)), Labels(codes, None, null(codes))
        labels = Labels(after.codes, self._named(before, after, points), null(after.codes))
        stays = (codes >= 0) | (start < 0)  # a point that was in no cluster may stay so
        if stays.all() and not self._added:
            return Clustering.of(labels, self._before.points, self._before.ordered)
        kept = np.flatnonzero(stays)
        return Clustering.of(labels.take(kept), [points[i] for i in kept.tolist()])

    def _named(self, before: Labels, after: Labels, points: Any) -> Any:
        """Names of before; what was split off is called after the cluster that it left."""
        origin = np.full(len(after.names), -1)
        at = np.flatnonzero((after.codes >= 0) & (before.codes >= 0))
        origin[after.codes[at]] = before.codes[at]
        called = before.names.tolist()
        if (origin < 0).any():  # names are of one type
            called = [*map(str, called), "new"]
        own = objects([called[i] for i in origin.tolist()])
        return inherit(before, Labels(after.codes, own, null(after.codes)), points)


def _like(example: object, point: str) -> Any:
    """A point of a patch as the clustering names its own."""
    if isinstance(example, int) and not isinstance(example, bool):
        try:
            return int(point)
        except ValueError:
            raise PatchError(f"the patch adds {point!r}, and the points are whole numbers.") from None
    return point


def _places(points: Any, wanted: set[str]) -> dict[str, int]:
    """Where the points that a patch names are."""
    if isinstance(points, range):
        numbers = {word: int(word) for word in wanted if word.isdecimal()}
        return {word: i for word, i in numbers.items() if i < len(points) and str(i) == word}
    if not len(points):
        return {}
    if all(type(point) is str for point in points):
        listing = list(wanted)
        codes = encode_objects([*listing, *points], "points", "points").codes[len(listing) :]
        at = np.flatnonzero(codes < len(listing))
        return {listing[code]: place for code, place in zip(codes[at].tolist(), at.tolist(), strict=True)}
    return {word: place for place, point in enumerate(points) if (word := text(point)) in wanted}
