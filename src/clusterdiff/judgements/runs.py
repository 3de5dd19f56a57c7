"""Indexed: a clustering that judgements are held against, and where their points stand in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError
from clusterdiff.inputs.base import Asked, Column, PointColumn
from clusterdiff.inputs.choice import CORPORA, recognise
from clusterdiff.inputs.files import TableFile
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.index import ColumnNames
from clusterdiff.points.labels import Int64Array
from clusterdiff.points.ordering import rank_texts
from clusterdiff.points.texts import places_of, positions, refuse_ambiguous, texts


def read_run(data: object, argument: str) -> Clustering:
    """A clustering from whatever :func:`clusterdiff.compare` takes, but for documents."""
    if isinstance(data, Clustering):
        return data
    side = recognise(data, argument)
    if isinstance(side, CORPORA):
        raise ArgumentError.about(
            argument,
            "holds documents of mentions, and judgements are about the points of one clustering.",
            "take one document of the corpus.",
        )
    return side.told(None, None).clustering()


def named_columns(
    data: object, argument: str, point: PointColumn | None, cluster: Column | None, place: int = 0
) -> object:
    """A run whose columns the user named, for it alone or in a pair; the same run if nothing was named."""
    asked = Asked(point=point, cluster=cluster)
    if not asked.passed:
        return data
    from clusterdiff.tables import neighbourhood

    of_point, of_cluster = asked.column("point", place), asked.column("cluster", place)
    if neighbourhood.stays_in_engine(data):
        if isinstance(of_point, list):
            raise ArgumentError.must("point", "be one column of a table in an engine", of_point)
        return neighbourhood.named_columns(data, argument, of_point, of_cluster)
    side = None if isinstance(data, Clustering) else recognise(data, argument)
    for option in asked.passed:
        if side is None or option not in side.takes:
            raise ArgumentError.about(
                option, f"names a column, and {argument} is no table.", Message("leave it out.")
            )
    told = side.told(of_point, of_cluster)  # type: ignore[union-attr]
    return told.data if isinstance(told, TableFile) else told.clustering()


class PointFinder(Protocol):
    """What an estimate asks of a run: where points stand, their clusters, and how large all clusters are."""

    @property
    def cluster(self) -> Any:
        """The cluster of each point, by its place."""

    @property
    def sizes(self) -> Int64Array:
        """The number of points of each cluster that points were found in."""

    @property
    def histogram(self) -> tuple[Int64Array, Int64Array]:
        """The sizes of all clusters, and how many there are of each."""

    def find(self, names: Sequence[str]) -> Int64Array:
        """Where points stand, by their text; -1 for those that the run has not."""


def open_run(data: object, argument: str) -> PointFinder:
    """A run to estimate: in memory, or where its table is, from which only what is asked for comes."""
    from clusterdiff.tables.neighbourhood import LoadedPoints, Neighbourhood, load_points, stays_in_engine

    if stays_in_engine(data):
        return Neighbourhood(data, argument)
    side = None if isinstance(data, Clustering) else recognise(data, argument)
    if type(side) is not TableFile:
        return Indexed(data, argument)
    found = load_points(side.data)
    return found if isinstance(found, LoadedPoints) else Indexed(found)


class Indexed:
    """A clustering whose points are asked for by their text."""

    def __init__(self, data: object, argument: str = "run") -> None:
        self.clustering = read_run(data, argument)
        self.cluster = self.clustering.codes

    @cached_property
    def sizes(self) -> Int64Array:
        """The number of points of each cluster."""
        return self.clustering.sizes

    @cached_property
    def histogram(self) -> tuple[Int64Array, Int64Array]:
        """The sizes of all clusters, and how many there are of each."""
        times = np.bincount(self.sizes)
        found = np.flatnonzero(times[1:]) + 1
        return found, times[found]

    @cached_property
    def points(self) -> Sequence[Any]:
        """The names of the points, as they are."""
        return self.clustering.point_names()

    def find(self, names: Sequence[str]) -> Int64Array:
        """Where points stand, by their text; -1 for those that the run has not, or has in no cluster."""
        points = self.points
        integers = points.integers if isinstance(points, ColumnNames) else None
        if isinstance(points, range):
            found = positions(names, len(points))
        elif integers is not None:
            found = places_of(names, integers)
        else:
            refuse_ambiguous(points)
            codes, first, _ = _core.encode_lists([list(names), texts(points)])
            place = np.full(len(first), -1)
            place[codes[len(names) :]] = np.arange(len(points))
            found = place[codes[: len(names)]]
        present = found >= 0
        present[present] = self.cluster[found[present]] >= 0
        return np.where(present, found, -1)

    def members(self, clusters: Int64Array) -> dict[int, list[int]]:
        """The positions of the points of some clusters."""
        wanted = np.zeros(len(self.sizes) + 1, dtype=bool)
        wanted[clusters] = True
        wanted[-1] = False  # code -1: in no cluster
        at = np.flatnonzero(wanted[self.cluster])
        at = at[np.argsort(self.cluster[at], kind="stable")]
        codes, starts = np.unique(self.cluster[at], return_index=True)
        parts = np.split(at, starts[1:]) if len(codes) else []
        return {code: part.tolist() for code, part in zip(codes.tolist(), parts, strict=True)}

    def text_ranks(self, at: Int64Array) -> Int64Array:
        """Where the points at some places stand in the order of their texts."""
        if isinstance(self.points, range):
            return _core.text_ranks(at)
        return rank_texts(list(map(self.text, at.tolist())))

    @cached_property
    def text(self) -> Callable[[int], str]:
        """What the point at a place is called, as text."""
        return str if isinstance(self.points, range) else texts(self.points).__getitem__
