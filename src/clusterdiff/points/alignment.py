"""Alignment: two clusterings laid over the same points, and what the user's policy made of the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError, LabelError, listed
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.labels import BoolArray, Labels, LazyNames, encode_objects, kind
from clusterdiff.points.policy import MISSING_HINT, Policy
from clusterdiff.wording import count

SIDES = ("true", "pred")


@dataclass(frozen=True)
class Order:
    """The points compared, in order, and how that order follows from the caller's.

    ``rows`` gives for each point its position in the caller's order of the points (that of `true`), or is None when
    nothing moved; -1 stands for a point that only `pred` has. ``given`` counts the points in the caller's order.
    ``known`` is False when the caller cannot know that order, because the points came in sets.
    """

    names: Points
    given: int
    rows: npt.NDArray[np.int64] | None = None
    known: bool = True

    def __len__(self) -> int:
        return len(self.names)

    def refuse_unordered(self, argument: str) -> None:
        """Raise unless the caller can know the order of the points."""
        if not self.known:
            raise ArgumentError(
                f"`{argument}` must be a dict by point here, since the points of `true` came in sets, without order."
            )

    def refuse_unplaced(self, argument: str) -> None:
        """Raise if some points are not in the caller's order at all."""
        self.refuse_unordered(argument)
        if self.rows is not None and (self.rows < 0).any():
            only = [self.names[i] for i in np.flatnonzero(self.rows < 0)[:5].tolist()]
            raise ArgumentError(
                f"`{argument}` must be a dict by point here, since some points are in `pred` only: "
                f"{listed(only, int((self.rows < 0).sum()))}."
            )

    def arrange(self, values: Any, argument: str) -> Any:
        """One value (or row) for every point, from a dict by point or a sequence in the caller's order."""
        if isinstance(values, Mapping):
            lacking = [point for point in self.names if point not in values]
            if lacking:
                raise ArgumentError(
                    f"`{argument}` lacks {len(lacking):,} of the {len(self):,} points: {listed(lacking)}."
                )
            return np.asarray([values[point] for point in self.names])
        self.refuse_unplaced(argument)
        rows = values.shape[0] if hasattr(values, "shape") and values.shape else len(values)
        if rows != self.given:
            raise ArgumentError(
                f"`{argument}` must have a row for each of the {self.given:,} points; got {rows:,}.",
            )
        if self.rows is None:
            return values
        values = values.tocsr() if hasattr(values, "tocsr") else np.asarray(values)
        return values[self.rows]

    def describe(self, values: Any, argument: str) -> Any:
        """The same, but not every value need be known: points that ``values`` lacks get None."""
        if isinstance(values, Mapping):
            return [values.get(point) for point in self.names]
        if not hasattr(values, "__len__") or isinstance(values, set | frozenset):
            raise ArgumentError(f"`{argument}` must hold one value per point; got {type(values).__name__}.")
        if len(values) != self.given:
            raise ArgumentError(
                f"`{argument}` must have a value for each of the {self.given:,} points of `true`; "
                f"got {len(values):,}.",
                "pass a dict from point to value if it names its points.",
            )
        self.refuse_unordered(argument)
        if self.rows is None:
            return values
        listing = values.tolist() if hasattr(values, "tolist") else list(values)
        return [None if i < 0 else listing[i] for i in self.rows.tolist()]

    def chosen(self, kept: npt.NDArray[np.int64], names: Points | None = None) -> Order:
        """The order of some of the points, under their own names or others."""
        rows = kept if self.rows is None else self.rows[kept]
        return replace(self, names=_chosen(self.names, kept) if names is None else names, rows=rows)


@dataclass(frozen=True)
class Alignment:
    """Two clusterings over the same points in the same order, and what was done to get there.

    ``uneven`` holds the two as they were before points without a cluster on one side were dealt with.
    """

    true: Labels
    pred: Labels
    order: Order
    named: bool
    policy: Policy = field(default_factory=Policy)
    uneven: tuple[Labels, Labels] | None = None

    def __len__(self) -> int:
        return len(self.true)

    def side(self, side: str) -> Labels:
        """The labels of a side by its name."""
        return self.true if side == "true" else self.pred

    def clustering(self, side: str) -> Clustering:
        """The clustering of a side, over the points compared."""
        return Clustering.of(self.side(side), self.order.names if self.named else None)


def align(true: object, pred: object, policy: Policy | None = None) -> Alignment:
    """Lay two clusterings over the same points, and deal with the others as the policy says."""
    return settled(aligned_as_given(true, pred), policy or Policy())


def aligned_as_given(true: object, pred: object) -> Alignment:
    """Lay two clusterings over the points of either; points are matched by name if one side names them."""
    left, right = Clustering.reading(true, "true"), Clustering.reading(pred, "pred")
    if left.points is None and right.points is None:
        if len(left) != len(right):
            raise LabelError(
                f"`true` and `pred` must label the same points: `true` has {count(len(left), 'label')}, "
                f"`pred` has {len(right):,}.",
                "if the points have names, pass dicts from point to cluster, and missing= says what to do.",
            )
        return in_order(left.labels, right.labels)
    return by_name(left, right)


def in_order(true: Labels, pred: Labels, names: Points | None = None) -> Alignment:
    """Two clusterings whose points are in the same order already."""
    order = Order(range(len(true)) if names is None else names, len(true))
    return Alignment(true, pred, order, names is not None)


def settled(aligned: Alignment, policy: Policy) -> Alignment:
    """An alignment after noise, and then points that one side lacks, have been dealt with as the policy says."""
    return _apply_missing(_apply_noise(replace(aligned, policy=policy)))


def by_name(left: Clustering, right: Clustering) -> Alignment:
    """Match points by name; the order is that of `true`, then the points that only `pred` has."""
    a, b = left.point_names(), right.point_names()
    if a and b and kind(a[0]) != kind(b[0]):
        raise LabelError(
            f"the points of `true` and `pred` must be of one type; got {kind(a[0])} ({a[0]!r}) "
            f"and {kind(b[0])} ({b[0]!r}).",
            "convert one side, for example with str(): 1 and '1' are never matched silently.",
        )
    encoded = encode_objects([*a, *b], "true` and `pred", "points")
    assert encoded.lexicon is not None
    total = len(encoded.lexicon)
    where_a, where_b = np.full(total, -1), np.full(total, -1)
    where_a[encoded.values[: len(a)]] = np.arange(len(a))
    where_b[encoded.values[len(a) :]] = np.arange(len(b))
    # Codes are numbered by first appearance: `true` first, then what only `pred` has.
    order = Order(encoded.lexicon[:].tolist(), len(a), where_a, left.ordered)
    return Alignment(left.labels.take(where_a), right.labels.take(where_b), order, named=True)


# ---- points that one side lacks


def _apply_missing(aligned: Alignment) -> Alignment:
    lost = [aligned.side(side).absent for side in SIDES]
    if all(mask is None for mask in lost):
        return aligned
    policy = aligned.policy
    if policy.missing == "error":
        raise LabelError(
            " ".join(_lacking(aligned, side) for side in SIDES if aligned.side(side).absent is not None),
            MISSING_HINT,
        )
    either = np.zeros(len(aligned), dtype=bool)
    for mask in lost:
        if mask is not None:
            either |= mask
    counted = policy.counted(int(either.sum()), policy.noise_points)
    aligned = replace(aligned, policy=counted, uneven=(aligned.true, aligned.pred))
    return (
        _keep(aligned, ~either, "missing") if policy.missing == "drop" else _alone(aligned, lost, "missing")
    )


def _lacking(aligned: Alignment, side: str) -> str:
    mask = aligned.side(side).absent
    assert mask is not None
    at = np.flatnonzero(mask)
    if not aligned.named:
        return (
            f"`{side}` has no label (null or NaN) for {at.size:,} of {len(mask):,} points, at positions "
            f"{listed(at[:5], at.size)}."
        )
    other = "pred" if side == "true" else "true"
    present = int(aligned.side(other).present.sum())
    points = [aligned.order.names[i] for i in at[:5].tolist()]
    return f"`{side}` lacks {at.size:,} of the {present:,} points of `{other}`: {listed(points, at.size)}."


def _keep(aligned: Alignment, keep: BoolArray, why: str) -> Alignment:
    if keep.all():
        return aligned
    if not keep.any():
        option = "missing" if why == "missing" else "noise_as"
        raise LabelError(
            f'no point is left: {option}="drop" left out all {len(keep):,}.',
            "check that both sides name their points in the same way.",
        )
    kept = np.flatnonzero(keep)
    # Points without names keep their old positions as names.
    return replace(
        aligned,
        true=aligned.true.take(kept),
        pred=aligned.pred.take(kept),
        order=aligned.order.chosen(kept),
        named=True,
    )


def _chosen(points: Points, kept: npt.NDArray[np.int64]) -> Points:
    if isinstance(points, LazyNames):
        return LazyNames(len(kept), lambda: _chosen(list(points), kept))
    return [points[i] for i in kept.tolist()]


def _alone(aligned: Alignment, masks: list[BoolArray | None], why: str) -> Alignment:
    """Give each point of a side's mask a cluster of its own there."""
    names = aligned.order.names
    sides = []
    for labels, mask in zip((aligned.true, aligned.pred), masks, strict=True):
        if mask is None or not mask.any():
            sides.append(labels)
        else:
            own = [f"{why}: {names[i]}" for i in np.flatnonzero(mask).tolist()]
            sides.append(labels.apart(mask, own))
    return replace(aligned, true=sides[0], pred=sides[1])


# ---- noise


def _apply_noise(aligned: Alignment) -> Alignment:
    policy = aligned.policy
    if policy.noise is None:
        return aligned
    masks: list[BoolArray | None] = [_noise(aligned.side(side), policy, side) for side in SIDES]
    assert masks[0] is not None
    assert masks[1] is not None
    either = masks[0] | masks[1]
    aligned = replace(aligned, policy=policy.counted(noise=int(either.sum())))
    if policy.noise_as == "drop":
        return _keep(aligned, ~either, "noise")
    return _alone(aligned, masks, "noise") if policy.noise_as == "singleton" else aligned


def _noise(labels: Labels, policy: Policy, side: str) -> BoolArray:
    noise, example = policy.noise, labels.example
    if example is None:  # all labels are null
        return np.zeros(len(labels), dtype=bool)
    if kind(example) != kind(noise) and {kind(example), kind(noise)} != {"int", "float"}:
        raise ArgumentError(
            f"`noise` must be a label of `{side}`, whose labels are {kind(example)} such as {example!r}; "
            f"got {kind(noise)} {noise!r}.",
            "give the noise label as it appears among the labels.",
        )
    assert noise is not None
    return labels.where(noise)
