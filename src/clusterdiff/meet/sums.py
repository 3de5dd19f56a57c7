"""The sums over cells and clusters that measures are made of: what the core gives, and the same with weights."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from clusterdiff import _core

if TYPE_CHECKING:
    from clusterdiff.meet.meet import Meet


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
        """Σ m²/a / n."""

    @property
    def b3_precision(self) -> float:
        """Σ m²/b / n."""

    @property
    def element(self) -> float:
        """Σ m²/max(a, b) / n."""


class WeightedSums:
    """The same sums over weighted points, where masses take the place of sizes."""

    def __init__(self, meet: Meet) -> None:
        # Cells without mass add nothing to any sum, and would only divide by zero.
        heavy = np.flatnonzero(meet.mass > 0)
        self._m: npt.NDArray[Any] = meet.mass[heavy]
        self._a = meet.true_mass[meet.true[heavy]]
        self._b = meet.pred_mass[meet.pred[heavy]]
        self._meet = meet
        self._total = meet.total

    @cached_property
    def mm(self) -> Any:
        return _squares(self._m)

    @cached_property
    def aa(self) -> Any:
        return _squares(self._meet.true_mass)

    @cached_property
    def bb(self) -> Any:
        return _squares(self._meet.pred_mass)

    @cached_property
    def true_max(self) -> Any:
        return np.maximum.reduceat(self._meet.mass, self._meet.indptr[:-1]).sum().item()

    @cached_property
    def pred_max(self) -> Any:
        other = self._meet.transpose()
        return np.maximum.reduceat(other.mass, other.indptr[:-1]).sum().item()

    @cached_property
    def h_true(self) -> float:
        return _entropy(self._meet.true_mass, self._total)

    @cached_property
    def h_pred(self) -> float:
        return _entropy(self._meet.pred_mass, self._total)

    @cached_property
    def h_joint(self) -> float:
        return _entropy(self._m, self._total)

    @cached_property
    def split_info(self) -> float:
        return float(np.sum(self._m * np.log1p((self._a - self._m) / self._m)) / self._total)

    @cached_property
    def merge_info(self) -> float:
        return float(np.sum(self._m * np.log1p((self._b - self._m) / self._m)) / self._total)

    @cached_property
    def mutual(self) -> float:
        # Only non-negative terms, so that nothing cancels near independence: with x the relative excess of a
        # cell over chance, I = Σ_all ab/W² · ((1 + x)·log(1 + x) − x), and an empty cell (x = −1) adds ab/W².
        expected = self._a.astype(float) * self._b / self._total
        x = (self._m - expected) / expected
        filled = expected / self._total
        empty = max(0.0, 1.0 - float(np.sum(filled)))
        if len(self._m) == np.count_nonzero(self._meet.true_mass) * np.count_nonzero(self._meet.pred_mass):
            empty = 0.0
        return float(np.sum(filled * ((1 + x) * np.log1p(x) - x))) + empty

    @cached_property
    def b3_recall(self) -> float:
        return float(np.sum(self._m * (self._m / self._a)) / self._total)

    @cached_property
    def b3_precision(self) -> float:
        return float(np.sum(self._m * (self._m / self._b)) / self._total)

    @cached_property
    def element(self) -> float:
        return float(np.sum(self._m * (self._m / np.maximum(self._a, self._b))) / self._total)


def _squares(x: npt.NDArray[Any]) -> int | float:
    return _core.sum_squares(x) if x.dtype.kind in "iu" else float(np.dot(x, x))


def _entropy(mass: npt.NDArray[Any], total: float) -> float:
    share = mass[mass > 0] / total
    return float(-np.sum(share * np.log(share))) + 0.0
