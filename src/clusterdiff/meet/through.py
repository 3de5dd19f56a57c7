"""Clusterings on the way from truth to prediction: the pairs of the two and their meet, and what is shared.

Splits lead from the true clustering to the meet, merges from the meet to the predicted one. All pairs of the three are
made of what is known of the two: of sums alone, or of cells. Points are not looked at again.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import Hint
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Overlap, Pairs
from clusterdiff.meet.sums import Even, Summed
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.meet.unmatched import Unmatched

#: The true clustering, the meet, the predicted clustering.
Stop: TypeAlias = Literal["true", "meet", "pred"]
NOBODY: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)


class Way(NamedTuple):
    """The pairs of the way: truth with itself and with the meet, the meet and the prediction with the prediction."""

    true_true: Any
    true_meet: Any
    meet_pred: Any
    pred_pred: Any


def way_of_sums(summed: Summed) -> Way:
    """The pairs as sums, which follow from those of truth and prediction."""
    positive = summed.positive if summed.weighted else summed
    stops: tuple[tuple[Stop, Stop], ...] = (
        ("true", "true"),
        ("true", "meet"),
        ("meet", "pred"),
        ("pred", "pred"),
    )
    return Way(*(StopSums(positive, *pair) for pair in stops))


def way_of_cells(meet: Meet) -> Way:
    """The pairs as meets, of the cells of truth and prediction."""
    other = meet.transpose()
    return Way(
        meet.regroup(meet.true),
        meet.regroup(np.arange(len(meet))),
        other.regroup(np.arange(len(other))).transpose(),
        other.regroup(other.true),
    )


class StopSums(Even):
    """The sums of two stops of the way, the second of which is the first, or one stop away from it."""

    known = frozenset({"sums"})

    def __init__(self, summed: Summed, true: Stop, pred: Stop) -> None:
        self._base, self._true, self._pred = summed, true, pred
        self.n, self.total = summed.n, summed.total
        self.weighted, self.scale = summed.weighted, summed.scale
        self.same = true == pred
        self._made = {}

    @property
    def lacking(self) -> tuple[str, Hint]:
        """Why there are no cells: as for the two clusterings themselves."""
        return self._base.lacking

    @property
    def joint(self) -> Stop:
        """The meet of the two."""
        return self._true if self.same else "meet"

    def _count(self, stop: Stop) -> int:
        return {"true": self._base.k_true, "pred": self._base.k_pred}.get(stop) or len(self._base)

    @property
    def k_true(self) -> int:
        """Number of clusters of the first."""
        return self._count(self._true)

    @property
    def k_pred(self) -> int:
        """Number of clusters of the second."""
        return self._count(self._pred)

    def __len__(self) -> int:
        return self._count(self.joint)

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that they put together."""
        known = self._base.pairs
        together = {"true": known.true, "meet": known.both, "pred": known.pred}
        return Pairs(together[self.joint], together[self._true], together[self._pred], known.all)

    @property
    def sums(self) -> StopSums:
        """The sums over cells and clusters: they are here."""
        return self

    @property
    def bottom_entropy(self) -> float:
        """H(⊥), which is the same for all."""
        return self._base.bottom_entropy

    # ---- sums

    def _square(self, stop: Stop) -> Any:
        return getattr(self._base.sums, {"true": "aa", "meet": "mm", "pred": "bb"}[stop])

    def _entropy(self, stop: Stop) -> float:
        names = {"true": "h_true", "meet": "h_joint", "pred": "h_pred"}
        return float(getattr(self._base.sums, names[stop]))

    def _if_split(self, name: str, otherwise: Any) -> Any:
        """A sum that the first alone decides: of clusters that stay whole it is known."""
        return getattr(self._base.sums, name) if self._true != self.joint else otherwise

    def _if_merged(self, name: str, otherwise: Any) -> Any:
        return getattr(self._base.sums, name) if self._pred != self.joint else otherwise

    @property
    def mm(self) -> Any:
        """Σ m²."""
        return self._square(self.joint)

    @property
    def aa(self) -> Any:
        """Σ a²."""
        return self._square(self._true)

    @property
    def bb(self) -> Any:
        """Σ b²."""
        return self._square(self._pred)

    @property
    def true_max(self) -> Any:
        """Σ over the clusters of the first of their largest cell."""
        return self._if_split("true_max", self.total)

    @property
    def pred_max(self) -> Any:
        """Σ over the clusters of the second of their largest cell."""
        return self._if_merged("pred_max", self.total)

    @property
    def h_true(self) -> float:
        """The entropy of the first."""
        return self._entropy(self._true)

    @property
    def h_pred(self) -> float:
        """The entropy of the second."""
        return self._entropy(self._pred)

    @property
    def h_joint(self) -> float:
        """The entropy of their meet."""
        return self._entropy(self.joint)

    @property
    def split_info(self) -> float:
        """What splitting costs."""
        return float(self._if_split("split_info", 0.0))

    @property
    def merge_info(self) -> float:
        """What merging costs."""
        return float(self._if_merged("merge_info", 0.0))

    @property
    def mutual(self) -> float:
        """Their mutual information: the entropy of the coarser one."""
        return self._entropy(self._pred if self._true == self.joint else self._true)

    @property
    def b3_recall(self) -> float:
        """Σ m²/a over all points."""
        return float(self._if_split("b3_recall", 1.0))

    @property
    def b3_precision(self) -> float:
        """Σ m²/b over all points."""
        return float(self._if_merged("b3_precision", 1.0))

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n: the coarser one has the larger clusters."""
        return self.b3_recall * self.b3_precision  # one of them is 1


# ---- where a side lacks points


class Shared(NamedTuple):
    """The points that both have, by themselves, with those that are missing, and with those that are spurious."""

    both: Meet
    missing: Meet
    spurious: Meet


def shared_of(meet: UnevenMeet) -> Shared | None:
    """The meets of what both have, and of that with what one lacks; None if they have no point in common."""
    shared = meet.shared
    if shared is None:
        return None
    groups = meet.groups and (meet.groups[0][: shared.k_true], meet.groups[1][: shared.k_pred])
    both = Meet(
        shared.cells,
        meet.true_names[: shared.k_true],
        meet.pred_names[: shared.k_pred],
        weights=shared.weights,
        moments=shared.moments,
        links=shared.links,
        features=shared.features,
        locate=shared.cell_of_point if shared.knows_points else None,
        overlap=None if groups is None else _overlap(shared, groups),
    )
    missing = spurious = both
    if len(meet.missing):
        missing = _beside(
            meet, (meet.k_true, shared.k_pred), meet.missing, _nobody(meet.spurious, shared, "pred")
        )
    if len(meet.spurious):
        spurious = _beside(
            meet, (shared.k_true, meet.k_pred), _nobody(meet.missing, shared, "true"), meet.spurious
        )
    return Shared(both, missing, spurious)


def _overlap(shared: Meet, groups: tuple[Any, Any]) -> Overlap:
    return Overlap(shared.true, shared.pred, shared.size, shared.true_size, shared.pred_size, *groups)


def _beside(meet: UnevenMeet, k: tuple[int, int], missing: Unmatched, spurious: Unmatched) -> Meet:
    """The meet of the shared points and some of those that one side lacks: of its first so many clusters."""
    return UnevenMeet(
        meet.shared,
        (meet.true_names[: k[0]], meet.pred_names[: k[1]]),
        missing,
        spurious,
        scale=meet.scale if meet.weighted else None,
        locate=meet.cell_of_point if meet.knows_points else None,
        groups=meet.groups and (meet.groups[0][: k[0]], meet.groups[1][: k[1]]),
        features=meet.features,
    )


def _nobody(lost: Unmatched, shared: Meet, side: Literal["true", "pred"]) -> Unmatched:
    """Nobody, where points such as those that are lost would be."""
    return Unmatched(
        NOBODY,
        None if lost.at is None else NOBODY,
        None if lost.weights is None else lost.weights[:0],
        None if lost.features is None else lost.features[:0],
        None if shared.links is None else getattr(shared.links, side),
    )
