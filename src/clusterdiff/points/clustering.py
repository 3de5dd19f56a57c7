"""Clustering: what users hand in, as codes and names; and how two of them are laid over the same points."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.errors import ArgumentError, LabelError, listed, one_of
from clusterdiff.points.labels import (
    CLUSTER_TYPES,
    AnyArray,
    BoolArray,
    IntArray,
    Labels,
    LazyNames,
    encode_objects,
    kind,
    read_labels,
)
from clusterdiff.points.libraries import from_library

Points: TypeAlias = Sequence[Hashable]
Missing: TypeAlias = Literal["error", "drop", "singleton"]
NoiseAs: TypeAlias = Literal["singleton", "cluster", "drop"]

MISSING = ("error", "drop", "singleton")
NOISE_AS = ("singleton", "cluster", "drop")


class Clustering:
    """A set of points divided into clusters.

    Parameters
    ----------
    data
        One label a point (list, tuple, NumPy array, pandas, polars or pyarrow column); or a list of sets or
        lists of points; or a dict from point to cluster, or from cluster to a set or list of points.
    points
        Names of the points, for labels given in order. Without names the points are 0, 1, 2, …

    Examples
    --------
    >>> Clustering(["x", "x", "y"]).to_sets()
    [{0, 1}, {2}]
    >>> Clustering({"anna": 1, "ann": 1, "bob": 2}) == Clustering([{"bob"}, {"ann", "anna"}])
    True
    """

    _labels: Labels
    points: Points | None
    ordered: bool

    def __init__(self, data: object, points: Points | None = None) -> None:
        self._read(data, "data", points)
        self.settle()

    @classmethod
    def reading(cls, data: object, argument: str) -> Clustering:
        """The clustering of an argument, whose names may still be read from what the caller passed."""
        new = cls.__new__(cls)
        new._read(data, argument)
        return new

    def _read(self, data: object, argument: str, points: Points | None = None) -> None:
        if isinstance(data, Clustering):
            self._labels, self.points, self.ordered = data._labels, data.points, data.ordered
            return
        # `ordered`: whether the user can know the order of the points, which sets do not have.
        self._labels, self.points, self.ordered = _parse(from_library(data), argument)
        if points is not None:
            if len(points) != len(self):
                raise LabelError(
                    f"`points` must name every point: {len(self):,} labels, {len(points):,} names."
                )
            self.points = points
        if len(self) == 0:
            raise LabelError(f"`{argument}` is empty; a clustering needs at least one point.")
        if self.points is not None:
            _refuse_twice(self.points, argument)

    @classmethod
    def _of(cls, labels: Labels, points: Points | None) -> Clustering:
        new = cls.__new__(cls)
        new._labels, new.points, new.ordered = labels, points, True
        return new

    def settle(self) -> None:
        """Make independent of later changes to names that the caller passed."""
        if isinstance(self.lexicon, LazyNames):
            self.lexicon.settle()

    def __len__(self) -> int:
        return len(self._labels.values)

    @property
    def labels(self) -> IntArray:
        """An integer a point; points with the same integer share a cluster."""
        return self._labels.values

    @property
    def lexicon(self) -> AnyArray | LazyNames | None:
        """What each integer of ``labels`` stands for, or None when the integers are the labels themselves."""
        return self._labels.lexicon

    @property
    def absent(self) -> BoolArray | None:
        """Which points have no cluster (null labels), or None when all have one."""
        return self._labels.absent

    @cached_property
    def _encoded(self) -> tuple[npt.NDArray[np.int32], AnyArray]:
        codes, first = _core.encode_integers(self.labels)
        return codes, self.named(self.labels[first])

    @property
    def codes(self) -> npt.NDArray[np.int32]:
        """The cluster of each point as 0, 1, 2, … in order of appearance."""
        return self._encoded[0]

    @property
    def names(self) -> AnyArray:
        """The name of each cluster, by code."""
        return self._encoded[1]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of points of each cluster, by code."""
        return np.bincount(self.codes, minlength=len(self.names))

    @property
    def present(self) -> BoolArray:
        """Which points have a cluster."""
        return np.ones(len(self), dtype=bool) if self.absent is None else ~self.absent

    def named(self, labels: IntArray) -> AnyArray:
        """The users' labels behind integers of ``labels``."""
        return labels if self.lexicon is None else self.lexicon[labels]

    def point_names(self) -> Points:
        """The names of the points: the given ones, or their positions."""
        return range(len(self)) if self.points is None else self.points

    def __iter__(self) -> Iterator[set[Hashable]]:
        return iter(self.to_sets())

    def to_sets(self) -> list[set[Hashable]]:
        """The clusters as sets of points, in order of appearance."""
        points = self.point_names()
        indptr, members = _core.group_members(self.codes, len(self.names))
        bounds = indptr.tolist()
        order = members.tolist()
        return [{points[i] for i in order[a:b]} for a, b in pairwise(bounds)]

    def to_dict(self) -> dict[Hashable, Any]:
        """The cluster's name by point."""
        return dict(zip(self.point_names(), self.names[self.codes].tolist(), strict=True))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Clustering):
            return NotImplemented
        return {frozenset(c) for c in self} == {frozenset(c) for c in other}

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Clustering of {len(self):,} points in {len(self.names):,} clusters>"


def _parse(data: object, argument: str) -> tuple[Labels, Points | None, bool]:
    """Labels, points, and whether the points have an order that the user can know."""
    if isinstance(data, Mapping):
        values = list(data.values())
        if values and isinstance(values[0], CLUSTER_TYPES):
            names = np.empty(len(values), dtype=object)
            names[:] = list(data)
            labels, points, ordered = _from_clusters(values, argument)
            return labels._replace(lexicon=names), points, ordered
        return read_labels(values, argument), list(data), True
    if isinstance(data, set | frozenset):
        if not all(isinstance(x, frozenset) for x in data):
            raise LabelError(
                f"`{argument}` is a set, which has no order and so cannot hold one label a point.",
                "pass a list of labels, or a list of sets of points.",
            )
        data = list(data)
    if isinstance(data, list | tuple) and data and isinstance(data[0], CLUSTER_TYPES):
        return _from_clusters(data, argument)
    return read_labels(data, argument), None, True


def _from_clusters(clusters: Sequence[Any], argument: str) -> tuple[Labels, Points, bool]:
    odd = next((i for i, c in enumerate(clusters) if not isinstance(c, CLUSTER_TYPES)), None)
    if odd is not None:
        raise LabelError(
            f"`{argument}` starts as a list of clusters, but holds {type(clusters[odd]).__name__} "
            f"{clusters[odd]!r} at position {odd}.",
            "pass either one label a point, or only sets or lists of points.",
        )
    sizes = np.fromiter(map(len, clusters), dtype=np.int64, count=len(clusters))
    if not sizes.all():
        raise LabelError(
            f"`{argument}` has {int((sizes == 0).sum()):,} empty clusters, the first at position "
            f"{int(sizes.argmin())}.",
            "a cluster has at least one point; leave the empty ones out.",
        )
    points = list(chain.from_iterable(clusters))
    ordered = not any(isinstance(c, set | frozenset) for c in clusters)
    return Labels(np.repeat(np.arange(len(clusters)), sizes), None, None), points, ordered


def _refuse_twice(points: Points, argument: str) -> None:
    if isinstance(points, range):
        return
    encoded = encode_objects(
        points if isinstance(points, list | np.ndarray) else list(points), argument, "points"
    )
    if encoded.absent is not None:
        at = np.flatnonzero(encoded.absent)
        raise LabelError(
            f"`{argument}` has {at.size:,} points without a name (null), the first at position {at[0]}."
        )
    assert encoded.lexicon is not None
    if len(encoded.lexicon) < len(points):
        counts = np.bincount(encoded.values)
        twice = np.flatnonzero(counts > 1)
        raise LabelError(
            f"`{argument}` must name each point once; {twice.size:,} stand more than once: "
            f"{listed(encoded.lexicon[twice[:5]], twice.size)}.",
            "a point belongs to one cluster; remove the repeats, or resolve the overlap between clusters.",
        )


# ---- two clusterings over the same points


@dataclass(frozen=True)
class Alignment:
    """Two clusterings over the same points in the same order, and what was done to get there.

    ``rows`` gives for each point its position in the caller's order of the points (that of `true`), or is
    None when nothing moved; -1 stands for a point that only `pred` has. ``ordered`` is False when the caller
    cannot know that order, because the points came in sets. ``given`` counts the points in that order.
    ``uneven`` holds the two as they were before points without a cluster on one side were dealt with.
    """

    true: Clustering
    pred: Clustering
    given: int
    rows: npt.NDArray[np.int64] | None = None
    ordered: bool = True
    missing: Missing = "error"
    noise: Hashable | None = None
    noise_as: NoiseAs = "singleton"
    missing_points: int = 0
    noise_points: int = 0
    uneven: tuple[Clustering, Clustering] | None = None

    @property
    def points(self) -> Points:
        """The names of the points, in order."""
        return self.true.point_names()


def align(
    true: object,
    pred: object,
    missing: Missing = "error",
    noise: Hashable | None = None,
    noise_as: NoiseAs = "singleton",
) -> Alignment:
    """Lay two clusterings over the same points; points are matched by name if either side names them."""
    left, right = Clustering.reading(true, "true"), Clustering.reading(pred, "pred")
    if left.points is None and right.points is None:
        if len(left) != len(right):
            raise LabelError(
                f"`true` and `pred` must label the same points: `true` has {len(left):,} labels, "
                f"`pred` has {len(right):,}.",
                "if the points have names, pass dicts from point to cluster, and missing= says what to do.",
            )
        aligned = Alignment(left, right, len(left))
    else:
        aligned = _by_point(left, right)
    return settled(aligned, missing, noise, noise_as)


def settled(aligned: Alignment, missing: Missing, noise: Hashable | None, noise_as: NoiseAs) -> Alignment:
    """An alignment in which noise, and then points that one side lacks, are dealt with as wanted."""
    one_of("missing", missing, MISSING)
    one_of("noise_as", noise_as, NOISE_AS)
    aligned = replace(aligned, missing=missing, noise=noise, noise_as=noise_as)
    return _apply_missing(_apply_noise(aligned))


def _by_point(left: Clustering, right: Clustering) -> Alignment:
    """Match points by name; the order is that of `true`, then the points that only `pred` has."""
    a, b = left.point_names(), right.point_names()
    if kind(a[0]) != kind(b[0]):
        raise LabelError(
            f"the points of `true` and `pred` must be of one type; got {kind(a[0])} ({a[0]!r}) "
            f"and {kind(b[0])} ({b[0]!r}).",
            "convert one side, for example with str(): 1 and '1' are never matched silently.",
        )
    encoded = encode_objects([*a, *b], "true` and `pred", "points")
    assert encoded.lexicon is not None
    total = len(encoded.lexicon)
    codes_a, codes_b = encoded.values[: len(a)], encoded.values[len(a) :]
    where_a, where_b = np.full(total, -1), np.full(total, -1)
    where_a[codes_a] = np.arange(len(a))
    where_b[codes_b] = np.arange(len(b))
    # Codes are numbered by first appearance: `true` first, then what only `pred` has.
    points = encoded.lexicon[:].tolist()
    return Alignment(
        reordered(left, where_a, points), reordered(right, where_b, points), len(a), where_a, left.ordered
    )


def reordered(clustering: Clustering, where: npt.NDArray[np.int64], points: Points) -> Clustering:
    """The clustering over other points: ``where`` gives each its old position, or -1 if it was not there."""
    absent = where < 0
    if clustering.absent is not None:
        absent |= clustering.absent[where]
    labels = Labels(clustering.labels[where], clustering.lexicon, absent if absent.any() else None)
    return Clustering._of(labels, points)


def _apply_missing(aligned: Alignment) -> Alignment:
    lost = {"true": aligned.true.absent, "pred": aligned.pred.absent}
    if lost["true"] is None and lost["pred"] is None:
        return aligned
    if aligned.missing == "error":
        raise LabelError(
            " ".join(_lacking(aligned, side) for side in ("true", "pred") if lost[side] is not None),
            'pass missing="drop" to leave them out, or missing="singleton" to give each a cluster of its own.',
        )
    either = np.zeros(len(aligned.true), dtype=bool)
    for mask in lost.values():
        if mask is not None:
            either |= mask
    aligned = replace(aligned, missing_points=int(either.sum()), uneven=(aligned.true, aligned.pred))
    if aligned.missing == "drop":
        return _keep(aligned, ~either, "missing")
    return replace(
        aligned,
        true=_alone(aligned.true, lost["true"], "missing"),
        pred=_alone(aligned.pred, lost["pred"], "missing"),
    )


def _lacking(aligned: Alignment, side: str) -> str:
    mask = getattr(aligned, side).absent
    at = np.flatnonzero(mask)
    if aligned.true.points is None:
        return (
            f"`{side}` has no label (null or NaN) for {at.size:,} of {len(mask):,} points, at positions "
            f"{listed(at[:5], at.size)}."
        )
    other = "pred" if side == "true" else "true"
    points = aligned.points
    return (
        f"`{side}` lacks {at.size:,} of the {len(mask) - int(_absent_count(aligned, other)):,} points of `{other}`: "
        f"{listed([points[i] for i in at[:5].tolist()], at.size)}."
    )


def _absent_count(aligned: Alignment, side: str) -> int:
    mask = getattr(aligned, side).absent
    return 0 if mask is None else int(mask.sum())


def _apply_noise(aligned: Alignment) -> Alignment:
    if aligned.noise is None:
        return aligned
    masks = {side: _noise_mask(getattr(aligned, side), aligned.noise, side) for side in ("true", "pred")}
    aligned = replace(aligned, noise_points=int((masks["true"] | masks["pred"]).sum()))
    if aligned.noise_as == "drop":
        return _keep(aligned, ~(masks["true"] | masks["pred"]), "noise")
    if aligned.noise_as == "singleton":
        return replace(
            aligned,
            true=_alone(aligned.true, masks["true"], "noise"),
            pred=_alone(aligned.pred, masks["pred"], "noise"),
        )
    return aligned


def _noise_mask(clustering: Clustering, noise: Hashable, side: str) -> BoolArray:
    lexicon = clustering.lexicon
    if lexicon is not None and not len(lexicon):  # all labels are null
        return np.zeros(len(clustering), dtype=bool)
    sample = clustering.labels[0] if lexicon is None else lexicon[clustering.labels[0]]
    if kind(sample) != kind(noise) and {kind(sample), kind(noise)} != {"int", "float"}:
        raise ArgumentError(
            f"`noise` must be a label of `{side}`, whose labels are {kind(sample)} such as {_plain(sample)!r}; "
            f"got {kind(noise)} {noise!r}.",
            "give the noise label as it stands among the labels.",
        )
    if lexicon is None:
        mask = np.asarray(clustering.labels == noise)
    else:
        mask = np.isin(clustering.labels, np.flatnonzero(lexicon[:] == noise))
    return mask if clustering.absent is None else mask & ~clustering.absent


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _keep(aligned: Alignment, keep: BoolArray, why: str) -> Alignment:
    if keep.all():
        return aligned
    if not keep.any():
        raise LabelError(
            f'no point is left: {why}="drop" left out all {len(keep):,}.'
            if why == "missing"
            else f'no point is left: noise_as="drop" left out all {len(keep):,}.',
            "check that both sides name their points in the same way.",
        )
    kept = np.flatnonzero(keep)
    points = _chosen(aligned.points, kept)
    rows = kept if aligned.rows is None else aligned.rows[kept]
    return replace(
        aligned, true=_subset(aligned.true, kept, points), pred=_subset(aligned.pred, kept, points), rows=rows
    )


def _chosen(points: Points, kept: npt.NDArray[np.int64]) -> Points:
    if isinstance(points, LazyNames):
        return LazyNames(len(kept), lambda: _chosen(list(points), kept))
    return [points[i] for i in kept.tolist()]


def _subset(clustering: Clustering, kept: npt.NDArray[np.int64], points: Points) -> Clustering:
    absent = None if clustering.absent is None else clustering.absent[kept]
    if absent is not None and not absent.any():
        absent = None
    return Clustering._of(Labels(clustering.labels[kept], clustering.lexicon, absent), points)


def _alone(clustering: Clustering, mask: BoolArray | None, why: str) -> Clustering:
    """Give each point of ``mask`` a cluster of its own."""
    if mask is None or not mask.any():
        return clustering
    at = np.flatnonzero(mask)
    points = clustering.point_names()
    # Points that have no label may carry any code: encode only those that keep theirs.
    codes, first = _core.encode_integers(clustering.labels[~mask])
    old = clustering.named(clustering.labels[~mask][first])
    labels = np.empty(len(mask), dtype=np.int64)
    labels[~mask] = codes
    labels[at] = np.arange(len(old), len(old) + at.size)
    lexicon = np.empty(len(old) + at.size, dtype=object)
    lexicon[: len(old)] = old
    lexicon[len(old) :] = [f"{why}: {points[i]}" for i in at.tolist()]
    absent = None if clustering.absent is None else clustering.absent & ~mask
    if absent is not None and not absent.any():
        absent = None
    return Clustering._of(Labels(labels, lexicon, absent), clustering.points)
