"""Several clusterings laid over the points that any of them has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clusterdiff.errors import ArgumentError, LabelError
from clusterdiff.inputs.choice import CORPORA, recognise
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import Int64Array, Labels, encode_lists, kind


@dataclass(frozen=True)
class Overlay:
    """Labels of several clusterings over the same points; those of points that a clustering lacks are absent.

    ``places`` has for each clustering the position of each of its own points among all of them.
    """

    points: Points
    labels: tuple[Labels, ...]
    places: tuple[Int64Array, ...]
    named: bool

    def clustering(self, labels: Labels) -> Clustering:
        """A clustering of these points; those without a label are none of its points."""
        here = np.flatnonzero(labels.present)
        if len(here) == len(labels):
            return Clustering.of(labels, self.points if self.named else None)
        return Clustering.of(labels.take(here), [self.points[i] for i in here.tolist()])


def read_side(data: object, argument: str) -> Clustering:
    """One clustering, in whatever form it comes; nothing of the caller's is shared."""
    side = recognise(data, argument)
    if isinstance(side, CORPORA):
        raise ArgumentError.about(argument, "must be one clustering, not documents of mentions.")
    found = side.clustering()
    fresh = Clustering.of(found.labels.detach(), found.points, found.ordered)
    fresh.index = found.index
    return fresh


def lay(sides: Sequence[Clustering], arguments: Sequence[str]) -> Overlay:
    """Lay clusterings over the points that any has: by name, or by position if none of them names its points."""
    if all(side.points is None and (side.index is None or side.index.default) for side in sides):
        lengths = dict(zip(arguments, map(len, sides), strict=True))
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{argument} has {length:,}" for argument, length in lengths.items())
            raise LabelError(
                f"labels without names of points must be equally many: {told}.",
                "name the points, with a dict from point to cluster or a table, if records come and go.",
            )
        every = np.arange(len(sides[0]))
        return Overlay(
            range(len(sides[0])), tuple(side.labels for side in sides), (every,) * len(sides), False
        )
    names = [side.point_names() for side in sides]
    kinds = {kind(side[0]): argument for side, argument in zip(names, arguments, strict=True) if side}
    if len(kinds) > 1:
        told = " and ".join(f"{found} (`{argument}`)" for found, argument in kinds.items())
        raise LabelError(
            f"the points must be of one type; got {told}.",
            "convert one side, for example with str(): 1 and '1' are never matched silently.",
        )
    lists = [side if isinstance(side, list) else list(side) for side in names]
    codes = encode_lists(lists, "points", "points").values.astype(np.int64)
    # Points of a side are all different: those of the first side have the first codes.
    known = len(names[0])
    highest = np.maximum.accumulate(np.append(known - 1, codes[known:]))
    new = known + np.flatnonzero(np.diff(highest))
    starts = np.cumsum([0, *map(len, names)])
    of = np.searchsorted(starts, new, "right") - 1
    more = (names[k][i] for k, i in zip(of.tolist(), (new - starts[of]).tolist(), strict=True))
    points = [*names[0], *more] if len(new) else names[0]
    labels, places = [], np.split(codes, starts[1:-1])
    for side, at in zip(sides, places, strict=True):
        row = np.full(len(points), -1)
        row[at] = np.arange(len(at))
        labels.append(side.labels.take(row))
    return Overlay(points, tuple(labels), tuple(places), True)
