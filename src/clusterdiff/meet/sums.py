"""What measures read: the sums over cells and clusters, and the protocol of whatever has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import Once, cached_property
from clusterdiff.errors import Hint, MeasureError
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.parts import Count, Overlap, Pairs

Made = TypeVar("Made")
#: Something that exists already, or is made when it is asked for.
Lazy: TypeAlias = Made | Callable[[], Made]


def made(lazy: Lazy[Made]) -> Made:
    """What exists already, or is made now."""
    return lazy() if callable(lazy) else lazy


#: What a measure may read: sums over cells and clusters; those, S_H and the sizes of all clusters; the cells; both
#: clusterings with the points that one of them lacks; the points.
Reads: TypeAlias = Literal["sums", "margins", "cells", "overlap", "points"]
READS: tuple[Reads, ...] = ("sums", "margins", "cells", "overlap", "points")


class Sums(Protocol):
    """Sums over cells (m), true clusters (a) and predicted clusters (b); masses where points have weights."""

    @property
    def mm(self) -> Any:
        """Σ m², exact for integers."""

    @property
    def aa(self) -> Any:
        """Σ a², exact for integers."""

    @property
    def bb(self) -> Any:
        """Σ b², exact for integers."""

    @property
    def true_max(self) -> Any:
        """Σ over true clusters of their largest cell."""

    @property
    def pred_max(self) -> Any:
        """Σ over predicted clusters of their largest cell."""

    @property
    def h_true(self) -> float:
        """H(𝕃)."""

    @property
    def h_pred(self) -> float:
        """H(ℂ)."""

    @property
    def h_joint(self) -> float:
        """H(𝕃, ℂ)."""

    @property
    def split_info(self) -> float:
        """H(ℂ|𝕃), what splitting costs."""

    @property
    def merge_info(self) -> float:
        """H(𝕃|ℂ), what merging costs."""

    @property
    def mutual(self) -> float:
        """I(𝕃, ℂ)."""

    @property
    def b3_recall(self) -> float:
        """Σ m²/a over the points of the true clustering."""

    @property
    def b3_precision(self) -> float:
        """Σ m²/b over the points of the predicted clustering."""

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""


class Measured(Once):
    """What measures read, and keep what several of them share in."""

    #: What is there of :attr:`positive` if that is something else: nothing keeps itself.
    _positive: Any = None

    @property
    def positive(self) -> Any:
        """The same without points that weigh nothing, which no measure counts."""
        return self if self._positive is None else self._positive


class Even(Measured):
    """What holds wherever both sides have the same points; where they have not, points count as lost."""

    #: Whether a clustering has points that the other lacks, and they count as lost.
    uneven = False
    #: What a score may be lost to.
    losses: tuple[str, ...] = ("split", "merge")
    total: Any
    k_true: Any
    k_pred: Any
    pairs: Any

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""
        return 0

    @property
    def masses(self) -> tuple[Any, Any]:
        """What the points of the true, and those of the predicted clustering weigh."""
        return self.total, self.total

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""
        return self.k_true, self.k_pred

    @property
    def agreed(self) -> Count:
        """Pairs of points on which the two agree, together or apart."""
        both, true, pred, every = self.pairs
        agreed: Count = every - (true - both) - (pred - both)
        return agreed

    @property
    def disagreed(self) -> Count:
        """Pairs of points on which the two disagree, or of which one side lacks a point."""
        both, true, pred, _ = self.pairs
        disagreed: Count = true + pred - 2 * both
        return disagreed


#: The same where points are lost.
LOST_TO = (*Even.losses, "missing", "spurious")


class Sizes(Even):
    """What knows the size of each cluster, and so the margins."""

    @property
    def true_size(self) -> npt.NDArray[np.int64]:
        """The number of points of each true cluster."""
        raise NotImplementedError

    @property
    def pred_size(self) -> npt.NDArray[np.int64]:
        """The number of points of each predicted cluster."""
        raise NotImplementedError

    @cached_property
    def margins(self) -> Margins:
        """The sizes of the clusters on both sides."""
        return Margins(SizeCounts.of(self.true_size), SizeCounts.of(self.pred_size))


class Summed(Protocol):
    """What has the sums of a meet: a meet in memory, cells that stay in an engine, a step of a series.

    ``known`` names what can be read here: what a measure may read (``READS``), and the terms that spare a measure the
    cells: members of ``terms``, or of ``sums`` if they are scores and matchings. Whoever knows no more than sums has
    the members below and no others.
    """

    @property
    def known(self) -> frozenset[str]:
        """What can be read here: some of ``READS``, and of the terms."""

    @property
    def lacking(self) -> tuple[str, Hint]:
        """Why no more than that can be read, and what to do about it: for the message of an error."""

    @property
    def n(self) -> int:
        """Number of points."""

    @property
    def total(self) -> int | float:
        """The weight of all points: n, unless the points are weighted."""

    @property
    def weighted(self) -> bool:
        """Whether the points have weights."""

    @property
    def scale(self) -> int:
        """Weights, and what is summed up of them, are in units of 2 to this power."""

    @property
    def uneven(self) -> bool:
        """Whether a clustering has points that the other lacks, and they count as lost."""

    @property
    def k_true(self) -> int:
        """Number of true clusters."""

    @property
    def k_pred(self) -> int:
        """Number of predicted clusters."""

    def __len__(self) -> int:
        """Number of cells."""

    @property
    def same(self) -> bool:
        """Whether the two clusterings are the same."""

    @property
    def positive(self) -> Summed:
        """The same without points that weigh nothing: no measure counts them."""

    @property
    def sums(self) -> Sums:
        """The sums over cells and clusters."""

    @property
    def pairs(self) -> Pairs:
        """Pairs of points that the clusterings put together."""

    @property
    def losses(self) -> tuple[str, ...]:
        """What a score may be lost to: splits and merges, and points that one side lacks."""

    @property
    def lost(self) -> int:
        """How many points only one of the two has."""

    @property
    def masses(self) -> tuple[Any, Any]:
        """What the points of the true, and those of the predicted clustering weigh."""

    @property
    def shared_clusters(self) -> tuple[int, int]:
        """How many true, and how many predicted clusters share points with the other side."""

    @property
    def agreed(self) -> Count:
        """Pairs of points on which the two agree, together or apart."""

    @property
    def disagreed(self) -> Count:
        """Pairs of points on which the two disagree, or of which one side lacks a point."""

    @property
    def bottom_entropy(self) -> float:
        """H(⊥): log n, or with weights the entropy of the points' shares of the total."""

    def once(self, make: Callable[[Any], Made]) -> Made:
        """``make(self)``, computed the first time and kept: for what several measures share."""


#: What may be read, in words.
WHAT: dict[Reads, str] = {
    "sums": "sums over cells",
    "margins": "the sizes of all clusters",
    "cells": "the cells of the meet",
    "overlap": "both clusterings with the points that one of them lacks",
    "points": "the points",
}


def refusal(what: str, reads: Reads, source: Summed) -> MeasureError:
    """The error for something that reads what ``source`` does not know."""
    why, hint = source.lacking
    return MeasureError(f"{what} reads {WHAT[reads]}, and {why}.", hint)


class Termed(Summed, Protocol):
    """What also knows terms beyond its sums."""

    @property
    def terms(self) -> Any:
        """The terms by name; ``known`` says which."""


class Sized(Summed, Protocol):
    """What also has the sizes of all clusters."""

    @property
    def margins(self) -> Margins:
        """The sizes of the clusters on both sides."""


class Overlapping(Termed, Protocol):
    """What also has both clusterings as they were given, with the points that only one of them has."""

    @property
    def overlap(self) -> Overlap:
        """The clusterings as they were given."""
