"""What chance alone reaches: means over all ways to lay the two clusterings over the points, exactly.

The sizes of the clusters are kept and the labels permuted. Measures that are linear in sums have the mean of those sums
as their own mean; the sums' means are here.
"""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.measures.largest import MOST_POINTS, expected_largest
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.parts import Pairs
from clusterdiff.meet.sums import Even, Sized
from clusterdiff.points.labels import FloatArray


class Information(NamedTuple):
    """What information measures come to on average, and how far S' stays below 1."""

    mutual: float
    split_info: float
    merge_info: float
    split_loss: float
    merge_loss: float


def _arrays(margins: Margins) -> tuple[Any, Any, Any, Any]:
    true, pred = margins.true, margins.pred
    return true.sizes, true.counts, pred.sizes, pred.counts


def information(meet: Sized) -> Information:
    """The mean mutual information, and what is made like it, for clusters of these sizes."""
    return Information(*_core.expected_information(*_arrays(meet.margins)))


def s_h(margins: Margins) -> float:
    """E[S_H]."""
    return _core.expected_s_h(*_arrays(margins), lost=False).value


def s_h_lost(meet: Sized) -> float:
    """E[1 − S_H], summed on its own: where S_H is near 1, one minus its mean would have lost its digits."""
    return _core.expected_s_h(*_arrays(meet.margins), lost=True).value


# ---- S*(pairs): products of falling factorials, of which every one is a number of ways to choose points


def _falling(x: FloatArray | np.float64, k: int) -> Any:
    out: Any = np.ones_like(x)
    for i in range(k):
        out = out * (x - i)
    return out


class _PairTerms:
    """One side of E[S*(pairs)]: sums over its clusters of ways to choose points inside and outside."""

    def __init__(self, side: SizeCounts, n: int) -> None:
        self.size, self.count = side.sizes.astype(float), side.counts.astype(float)
        self.n = float(n)
        outside = self.n - self.size
        # Pairs that are together in the other clusters, as a share of the pairs outside this one.
        together = (self.count * self.size * (self.size - 1)).sum() - self.size * (self.size - 1)
        self.elsewhere = np.divide(
            np.maximum(together, 0.0), outside * (outside - 1), out=np.zeros(len(outside)), where=outside > 1
        )

    def ways(self, inside: int, outside: int) -> float:
        """Over the clusters of several points, per ordered pair of their points."""
        pairs = self.size * (self.size - 1)
        per_pair = np.divide(1.0, pairs, out=np.zeros(len(pairs)), where=pairs > 0)
        return self._sum(per_pair * _falling(self.size, inside), outside)

    def lone(self, outside: int) -> float:
        """Over the clusters of one point."""
        return self._sum(self.size == 1, outside)

    def _sum(self, inside: FloatArray | npt.NDArray[np.bool_], outside: int) -> float:
        ways = self.count * inside * _falling(self.n - self.size, outside)
        return float((ways * (self.elsewhere if outside == 2 else 1.0)).sum())


def s_pairs(margins: Margins) -> float:
    r"""E[S*(pairs)] in closed form, as a sum of terms ≥ 0.

    With i points in both L and C, j in L alone and k in C alone, chosen in order, a cell has
    :math:`M_{ijk} = [a]_{i+j} [n-a]_k [b]_{i+k} [n-b]_j / [n]_{i+j+k}` of them on average.
    """
    n = margins.n
    true, pred = _PairTerms(margins.true, n), _PairTerms(margins.pred, n)

    def chosen(i: int, j: int, k: int, true_one: bool = False, pred_one: bool = False) -> float:
        if n < i + j + k:
            return 0.0
        a = true.lone(k) if true_one else true.ways(i + j, k)
        b = pred.lone(j) if pred_one else pred.ways(i + k, j)
        return float(a * (b / _falling(np.float64(n), i + j + k)))

    total = chosen(5, 0, 0) + 8 * chosen(4, 0, 0) + 14 * chosen(3, 0, 0) + 4 * chosen(2, 0, 0)
    total += chosen(3, 0, 2) + 2 * chosen(2, 0, 2) + chosen(3, 2, 0) + 2 * chosen(2, 2, 0) + chosen(1, 2, 2)
    total += chosen(1, 0, 2, true_one=True) + chosen(1, 2, 0, pred_one=True)
    return (total + chosen(1, 0, 0, true_one=True, pred_one=True)) / n


def s_pairs_mean(margins: Margins) -> float:
    """E[S'(pairs)]: a pair of points that is together on one side is so on the other with the same chance."""
    n = margins.n

    def side(own: SizeCounts, other: SizeCounts) -> float:
        singletons = own.counts[own.sizes == 1].sum() / n
        return float(singletons + (1 - singletons) * (2 * other.pairs / (n * (n - 1))))

    return (side(margins.true, margins.pred) + side(margins.pred, margins.true)) / 2


# ---- all sums on average


class AverageSums:
    """The means of those sums over cells and clusters whose means are known."""

    def __init__(self, average: OnAverage) -> None:
        self._average = average
        self._margins = average.margins

    @cached_property
    def _information(self) -> Information:
        return self._average.once(information)

    @property
    def mutual(self) -> float:
        """E[I]."""
        return self._information.mutual

    @property
    def split_info(self) -> float:
        """E[H(ℂ|𝕃)]."""
        return self._information.split_info

    @property
    def merge_info(self) -> float:
        """E[H(𝕃|ℂ)]."""
        return self._information.merge_info

    @cached_property
    def h_true(self) -> float:
        """H(𝕃), which is the same for all."""
        return _entropy(self._margins.true)

    @cached_property
    def h_pred(self) -> float:
        """H(ℂ), which is the same for all."""
        return _entropy(self._margins.pred)

    @property
    def h_joint(self) -> float:
        """E[H(𝕃, ℂ)]."""
        return self.h_true + self.split_info

    @property
    def aa(self) -> int:
        """Σ a²."""
        return 2 * self._margins.true.pairs + self._margins.n

    @property
    def bb(self) -> int:
        """Σ b²."""
        return 2 * self._margins.pred.pairs + self._margins.n

    @property
    def mm(self) -> Fraction:
        """E[Σ m²]."""
        both: Fraction = self._average.pairs.both
        return 2 * both + self._margins.n

    @property
    def b3_recall(self) -> float:
        """E[Σ m²/a] / n."""
        return _kept_share(self._margins.true, self._margins.pred)

    @property
    def b3_precision(self) -> float:
        """E[Σ m²/b] / n."""
        return _kept_share(self._margins.pred, self._margins.true)

    @cached_property
    def element(self) -> float:
        """E[Σ m²/max(a, b)] / n."""
        true, pred, n = self._margins.true, self._margins.pred, self._margins.n
        b, times = pred.sizes.astype(float), pred.counts.astype(float)
        total = 0.0
        for a, count in zip(true.sizes.tolist(), true.counts.tolist(), strict=True):
            square = a * b / n * (1 + (a - 1) * ((b - 1) / (n - 1)))
            total += count * float(np.sum(times * square / np.maximum(a, b)))
        return total / n

    @property
    def s_h(self) -> float:
        """E[S_H]."""
        return s_h(self._margins)

    @property
    def s_h_mean(self) -> float:
        """E[S'(entropy)]."""
        lost = self._information
        return 1.0 - (lost.split_loss + lost.merge_loss) / 2

    @property
    def s_pairs(self) -> float:
        """E[S*(pairs)]."""
        return s_pairs(self._margins)

    @property
    def s_pairs_mean(self) -> float:
        """E[S'(pairs)]."""
        return s_pairs_mean(self._margins)

    @property
    def s_largest(self) -> float:
        """E[S*(largest)]."""
        return expected_largest(self._margins)


def _entropy(side: SizeCounts) -> float:
    n = side.n
    share = side.sizes / n
    return float(-np.sum(side.counts * share * np.log(share))) + 0.0


def _kept_share(own: SizeCounts, other: SizeCounts) -> float:
    """E[Σ m²/a] / n: each point keeps itself, and any other point of its cluster with the same chance."""
    n = own.n
    return (own.k + (n - own.k) * (2 * other.pairs / (n * (n - 1)))) / n


class OnAverage(Even):
    """The sums of two clusterings that are laid over the points by chance, on average; n is at least 2.

    It is a :class:`clusterdiff.meet.sums.Summed` of which only linear measures make sense.
    """

    weighted = same = False
    scale = 0

    def __init__(self, margins: Margins) -> None:
        self.margins = margins
        self.n = self.total = margins.n
        self.k_true, self.k_pred = margins.true.k, margins.pred.k
        self.sums: Any = AverageSums(self)
        self._made = {}

    @property
    def known(self) -> frozenset[str]:
        """Sums, and the scores of the framework whose means are known."""
        known = {"sums", "margins", "s_h", "s_h_mean", "s_pairs", "s_pairs_mean"}
        largest = max(int(side.sizes[-1]) for side in (self.margins.true, self.margins.pred))
        return frozenset(known | {"s_largest"} if largest <= MOST_POINTS else known)

    @property
    def lacking(self) -> tuple[str, str | None]:
        """Why there is no more."""
        return "only the means of sums are known", "sample instead."

    def __len__(self) -> int:
        raise TypeError("the number of cells is not the same for all")

    @cached_property
    def pairs(self) -> Any:
        """Pairs of points that are together; in both by chance."""
        true, pred = self.margins.true.pairs, self.margins.pred.pairs
        every = self.n * (self.n - 1) // 2
        return Pairs(Fraction(true * pred, every), true, pred, every)

    @property
    def bottom_entropy(self) -> float:
        """H(⊥)."""
        return log(self.n)
