"""Alignment: two clusterings laid over the same points, and what the user's policy made of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError, LabelError, listed, positions
from clusterdiff.messages import Message, joined
from clusterdiff.points.clustering import Clustering, Points
from clusterdiff.points.corpus import InDocument
from clusterdiff.points.index import Index, index_of, refuse_half_named
from clusterdiff.points.labels import BoolArray, Labels, LazyNames, kind, names_at
from clusterdiff.points.missing import missing_hint
from clusterdiff.points.policy import Policy
from clusterdiff.wording import count

SIDES = ("true", "pred")


@dataclass(frozen=True)
class Laid:
    """One value or row for each point of both sides as they were first laid over each other."""

    values: npt.NDArray[Any]


#: What to do where noise takes all points.
NOISE_HINT = [
    "check which labels mean noise on which side",
    Message('pass `noise_as="singleton"`'),
]


@dataclass(frozen=True)
class Order:
    """The points compared, in order, and how that order follows from the caller's.

    ``rows`` gives for each point its position in the caller's order of the points (that of `true`), or is None when
    nothing moved; -1 stands for a point that only `pred` has. ``passed`` counts the points in the caller's order.
    ``known`` is False when the caller cannot know that order, because the points came in sets or from an engine.
    ``named`` is False when the points are called by their positions, and ``index`` is the index that named them in the
    caller's order. ``at`` gives for each point its place among all those that the two sides had at first, or is None
    when none was left out.
    """

    names: Points
    passed: int
    rows: npt.NDArray[np.int64] | None = None
    known: bool = True
    named: bool = True
    index: Index | None = None
    at: npt.NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def refuse_unordered(self, argument: str) -> None:
        """Raise unless the caller can know the order of the points."""
        if not self.known:
            raise ArgumentError.about(
                argument,
                Message("must be a dict from point to value here, since the points of `true` have no order."),
            )

    def refuse_unplaced(self, argument: str) -> None:
        """Raise if some points are not in the caller's order at all."""
        self.refuse_unordered(argument)
        if self.rows is not None and (self.rows < 0).any():
            only = [self.names[i] for i in np.flatnonzero(self.rows < 0)[:5].tolist()]
            raise ArgumentError.about(
                argument,
                Message(
                    "must be a dict from point to value here, since some points are in `pred` only: {points}.",
                    points=listed(only, int((self.rows < 0).sum())),
                ),
            )

    def arrange(self, values: Any, argument: str) -> Any:
        """One value (or row) for every point, from a dict by point or a sequence in the caller's order."""
        if isinstance(values, Laid):
            return values.values if self.at is None else values.values[self.at]
        if isinstance(values, Mapping):
            lacking = [point for point in self.names if point not in values]
            if lacking:
                raise ArgumentError.about(
                    argument, f"lacks {len(lacking):,} of the {len(self):,} points: {listed(lacking)}."
                )
            return np.asarray([values[point] for point in self.names])
        at = self._places_in(values, argument)
        if at is not None:
            if (at < 0).any():
                raise self._lacking(at, argument)
            return values.iloc[at]
        self.refuse_unplaced(argument)
        rows = values.shape[0] if hasattr(values, "shape") and values.shape else len(values)
        if rows != self.passed:
            raise ArgumentError.must(
                argument, f"have a row for each of the {self.passed:,} points", got=f"{rows:,}"
            )
        if self.rows is None:
            return values
        if hasattr(values, "iloc"):
            return values.iloc[self.rows]
        values = values.tocsr() if hasattr(values, "tocsr") else np.asanyarray(values)
        return values[self.rows]

    def _places_in(self, values: object, argument: str) -> npt.NDArray[np.int64] | None:
        """Where the points stand in the index of ``values``, -1 for those that it lacks; None if their order counts.

        It does if they have no names, or theirs from the same index; and where keys name them, a default index that has
        none of these is just what rows are called if nobody names them.
        """
        index = index_of(values) if self.named else None
        if index is None or (self.index is not None and self.index.same(index)):
            return None
        at = index.places(self.names, argument)
        return None if self.index is None and index.default and (at < 0).all() else at

    def _lacking(self, at: npt.NDArray[np.int64], argument: str) -> ArgumentError:
        lacking = [self.names[i] for i in np.flatnonzero(at < 0)[:5].tolist()]
        total = int((at < 0).sum())
        return ArgumentError(
            Message(
                "the index of `{argument}` lacks {lacking:,} of the {points:,} points: {names}.",
                argument=argument,
                lacking=total,
                points=len(self),
                names=listed(lacking, total),
            ),
            Message(
                "points that have names are looked up by name; pass `.to_numpy()` for the order of `true`."
            ),
        )

    def _strange(self, values: Mapping[Any, Any], argument: str) -> ArgumentError:
        key = next(iter(values), None)
        told = (
            f"its first key is {key!r}, and the first point is {self.names[0]!r}" if values else "it is empty"
        )
        return ArgumentError.about(
            argument,
            f"has none of the {len(self):,} points as a key: {told}.",
            "pass a dict from point to value; 1 and '1' are never matched silently.",
        )

    def describe(self, values: Any, argument: str) -> Any:
        """The same, but not every value need be known: points that ``values`` lacks get None."""
        if isinstance(values, Mapping):
            if not any(point in values for point in self.names):
                raise self._strange(values, argument)
            return [values.get(point) for point in self.names]
        at = self._places_in(values, argument)
        if at is not None:
            if (at < 0).all():
                raise self._lacking(at, argument)
            listing = [*values.tolist(), None]  # place -1 is the last
            return [listing[i] for i in at.tolist()]
        if not hasattr(values, "__len__") or isinstance(values, set | frozenset):
            raise ArgumentError.must(argument, "hold one value per point", got=type(values).__name__)
        if len(values) != self.passed:
            raise ArgumentError.must(
                argument,
                Message("have a value for each of the {points:,} points of `true`", points=self.passed),
                got=f"{len(values):,}",
                hint="pass a dict from point to value if it names its points.",
            )
        self.refuse_unordered(argument)
        if self.rows is None:
            return values
        listing = values.tolist() if hasattr(values, "tolist") else list(values)
        return [None if i < 0 else listing[i] for i in self.rows.tolist()]

    def chosen(self, kept: npt.NDArray[np.int64], names: Points | None = None) -> Order:
        """The order of some of the points, under their own names or others."""
        rows = kept if self.rows is None else self.rows[kept]
        at = kept if self.at is None else self.at[kept]
        return replace(self, names=_chosen(self.names, kept) if names is None else names, rows=rows, at=at)


@dataclass(frozen=True)
class Originals:
    """Two clusterings as they were given, over the points that either has; noise is in no cluster.

    ``at`` has the places of the points among those that the two sides had at first, or is None for all of them.
    """

    true: Labels
    pred: Labels
    names: Points
    at: npt.NDArray[np.int64] | None

    def detach(self) -> Originals:
        """The same, independent of arrays that their owner may change."""
        return replace(self, true=self.true.detach(), pred=self.pred.detach())


@dataclass(frozen=True)
class Alignment:
    """Two clusterings over the same points in the same order, and what was done to get there.

    ``originals`` holds the two as they were before points in no cluster of a side were dealt with, if there were any.
    ``kept`` has the places of the points among those that there were at first, if some were left out. Under
    ``missing="lost"`` the labels of a side are absent for points that it lacks.
    """

    true: Labels
    pred: Labels
    order: Order
    named: bool
    policy: Policy = field(default_factory=Policy)
    originals: Originals | None = None
    kept: npt.NDArray[np.int64] | None = None

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
    policy = policy or Policy()
    return apply_policy(match_points(true, pred, empty=policy.rule.loses), policy)


def match_points(true: object, pred: object, empty: bool = False) -> Alignment:
    """Lay two clusterings over the points of either; points are matched by name if one side names them.

    ``empty``: one of them may have no points at all.
    """
    left, right = Clustering.reading(true, "true", empty=empty), Clustering.reading(pred, "pred", empty=empty)
    if not len(left) and not len(right):
        raise LabelError(Message("`true` and `pred` are both empty; there is nothing to compare."))
    if left.points is None and right.points is None and len(left) and len(right):
        named = [side.index for side in (left, right) if side.index is not None]
        if len(named) < 2 or named[0].same(named[1]) or all(index.default for index in named):
            return _by_position(left, right)
        refuse_half_named(*named)
    from clusterdiff.points.matching import by_name  # numbers alone do not need it

    return by_name(left, right)


def _by_position(left: Clustering, right: Clustering) -> Alignment:
    """Points in one order; they are called as an index says that is not the default one."""
    if len(left) != len(right):
        raise LabelError(
            Message(
                "`true` and `pred` must label the same points: `true` has {true}, `pred` has {pred:,}.",
                true=count(len(left), "label"),
                pred=len(right),
            ),
            Message("if the points have names, give them with the labels, and `missing=` says what to do."),
        )
    index = next((s.index for s in (left, right) if s.index is not None and not s.index.default), None)
    if index is None:
        return in_order(left.labels, right.labels)
    aligned = in_order(left.labels, right.labels, index.names)
    return replace(aligned, order=replace(aligned.order, index=index))


def in_order(true: Labels, pred: Labels, names: Points | None = None) -> Alignment:
    """Two clusterings whose points are in the same order already."""
    order = Order(range(len(true)) if names is None else names, len(true), named=names is not None)
    return Alignment(true, pred, order, names is not None)


def apply_policy(aligned: Alignment, policy: Policy) -> Alignment:
    """An alignment after noise, and then points that one side lacks, have been dealt with as the policy says."""
    return _apply_missing(_apply_noise(replace(aligned, policy=policy)))


# ---- points that one side lacks


def _apply_missing(aligned: Alignment) -> Alignment:
    if all(aligned.side(side).absent is None for side in SIDES):
        return aligned
    rule = aligned.policy.rule
    if rule.refuses:
        raise LabelError(
            joined(_lacking(aligned, side) for side in SIDES if aligned.side(side).absent is not None),
            missing_hint(int((~aligned.true.present).sum()), int(aligned.pred.present.sum())),
        )
    there = _present(aligned)
    known = _keep(aligned, rule.known(*there), "missing")
    if known is not aligned:
        aligned, there = known, _present(known)
    policy = _counted(aligned.policy, *there)
    aligned = replace(aligned, policy=policy, originals=aligned.originals or _originals(aligned))
    aligned = _keep(aligned, rule.compared(*there), "missing")
    del there
    return _separate(aligned, [aligned.side(side).absent for side in SIDES]) if rule.separates else aligned


def _originals(aligned: Alignment, noise: Sequence[BoolArray | None] = (None, None)) -> Originals:
    """The two sides as they are, without noise; a point in no cluster of either is no point of theirs."""
    true, pred = aligned.true.hidden(noise[0]), aligned.pred.hidden(noise[1])
    order = aligned.order
    if true.absent is None or pred.absent is None or (present := true.present | pred.present).all():
        return Originals(true, pred, order.names, order.at)
    kept = np.flatnonzero(present)
    order = order.chosen(kept)
    return Originals(true.take(kept), pred.take(kept), order.names, order.at)


def _present(aligned: Alignment) -> list[BoolArray]:
    """Which points either side has a cluster for."""
    return [aligned.side(side).present for side in SIDES]


def _counted(policy: Policy, true: BoolArray, pred: BoolArray) -> Policy:
    """The policy, having been applied to the points that one side lacks."""
    found, shared = (int(np.count_nonzero(which)) for which in (pred, true & pred))
    return policy.counted(len(pred), len(pred) - found, found - shared)


def _lacking(aligned: Alignment, side: str) -> Message:
    mask = aligned.side(side).absent
    assert mask is not None
    at = np.flatnonzero(mask)
    if not aligned.named:
        where = positions(at, at.size)
        return lacks_labels(side, f"{at.size:,} of {len(mask):,} points, {where}")
    other = "pred" if side == "true" else "true"
    present = int(aligned.side(other).present.sum())
    points = names_at(aligned.order.names, at[:5])
    return lacks_points(side, at.size, present, other, listed(points, at.size))


def lacks_labels(side: str, where: str) -> Message:
    """What is said of a side that has points without a label."""
    return Message("`{side}` has no label (null or NaN) for {where}.", side=side, where=where)


def lacks_points(side: str, number: int, total: int, other: str, names: str) -> Message:
    """What is said of a side that lacks points of the other."""
    return Message(
        "`{side}` lacks {number:,} of the {total:,} points of `{other}`: {names}.",
        side=side,
        number=number,
        total=total,
        other=other,
        names=names,
    )


def nothing_left(why: str, points: int) -> LabelError:
    """What to raise where all points were left out, because they are noise or ``"missing"`` on a side."""
    option, hint = (
        ("missing", "check that both sides name their points in the same way.")
        if why == "missing"
        else ("noise_as", NOISE_HINT)
    )
    told = 'no point is left: `{option}="drop"` left out all {points:,}.'
    return LabelError(Message(told, option=option, points=points), hint)


def _keep(aligned: Alignment, keep: BoolArray | None, why: str) -> Alignment:
    if keep is None or keep.all():
        return aligned
    if not keep.any():
        raise nothing_left(why, len(keep))
    kept = np.flatnonzero(keep)
    # Points without names keep their old positions as names.
    return replace(
        aligned,
        true=aligned.true.take(kept),
        pred=aligned.pred.take(kept),
        order=aligned.order.chosen(kept),
        named=True,
        kept=kept if aligned.kept is None else aligned.kept[kept],
    )


def _chosen(points: Points, kept: npt.NDArray[np.int64]) -> Points:
    if isinstance(points, LazyNames):
        return LazyNames(
            len(kept),
            lambda: _chosen(list(points), kept),
            some=lambda at: points.at(kept[at]),
            kind=points.kind,
        )
    return [points[i] for i in kept.tolist()]


def _separate(aligned: Alignment, masks: Sequence[BoolArray | None]) -> Alignment:
    """Give each point of a side's mask a cluster of its own there."""
    names = aligned.order.names
    sides = [
        labels if mask is None or not mask.any() else labels.apart(mask, names)
        for labels, mask in zip((aligned.true, aligned.pred), masks, strict=True)
    ]
    return replace(aligned, true=sides[0], pred=sides[1])


# ---- noise


def _apply_noise(aligned: Alignment) -> Alignment:
    policy = aligned.policy
    if not policy.noise:
        return aligned
    noise = policy.noise.possible(_example(aligned.true), _example(aligned.pred))
    masks = [aligned.side(side).among(noise.labels(side), bare) for side in SIDES]
    either = masks[0] | masks[1]
    noise = noise.counted(int(masks[0].sum()), int(masks[1].sum()), int(either.sum()), len(aligned))
    aligned = replace(aligned, policy=replace(policy, noise=noise))
    if noise.drops:
        return _keep(aligned, ~either, "noise")
    if not noise.separates or not either.any():
        return aligned
    return _separate(replace(aligned, originals=_originals(aligned, masks)), masks)


def bare(name: Any) -> Any:
    """What a point or a cluster is called within its document."""
    return name.name if isinstance(name, InDocument) else name


def _example(labels: Labels) -> tuple[str, str] | None:
    """What a side's labels are, and one of them; None if all are null."""
    example = bare(labels.example)
    return None if example is None else (kind(example), repr(example))
