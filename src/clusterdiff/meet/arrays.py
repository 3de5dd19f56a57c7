"""The functions of formulas on arrays, and what there is to lose between weighted points."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.meet.terms import CONTENTS
from clusterdiff.points.labels import FloatArray, IntArray


class ArrayFunctions:
    """What formulas use, on arrays: see :class:`clusterdiff.meet.terms.Functions`."""

    N: Any
    weighted: bool
    beta: float

    def others(self, mass: Any) -> Any:
        """N less each of these masses; what is left beside the heaviest, if it outweighs all others, is added up."""
        left = self.N - mass
        if not self.weighted or not len(mass):
            return left
        heaviest = int(np.argmax(mass))
        if 2 * mass[heaviest] > self.N:
            left[heaviest] = self.outside(heaviest)
        return left

    def outside(self, place: int) -> Any:
        """The mass of all rows outside of the row, or the cluster, in this place: added up, not subtracted."""
        raise NotImplementedError

    @staticmethod
    def f(x: Any) -> Any:
        """As floats, so that products cannot overflow."""
        return np.asarray(x, dtype=np.float64)

    @staticmethod
    def flag(condition: Any) -> Any:
        """1 where a condition holds, otherwise 0."""
        return np.asarray(condition, dtype=np.int64)

    @staticmethod
    def where(condition: Any, then: Any, otherwise: Any) -> Any:
        """One column or the other."""
        return np.where(condition, then, otherwise)

    @staticmethod
    def larger(x: Any, y: Any) -> Any:
        """The larger of the two."""
        return np.maximum(x, y)

    @staticmethod
    def log(x: Any) -> Any:
        """The logarithm, 0 at 0."""
        return np.log(np.where(x > 0, x, 1))

    @staticmethod
    def log1p(x: Any) -> Any:
        """log(1 + x), exact for small x."""
        return np.log1p(x)

    @staticmethod
    def share(part: Any, whole: Any, none: float = 1.0) -> Any:
        """Part of whole, at most 1; ``none`` where the whole is 0."""
        out = np.full(np.shape(whole), none)
        np.divide(part, whole, out=out, where=whole > 0)
        return np.minimum(out, 1.0)

    def beta_mean(self, x: Any, y: Any) -> Any:
        """(β²x + y)/(1 + β²); exactly x where the two are equal."""
        if self.beta == 1:
            return (x + y) / 2
        if self.beta > 1:
            return x + 1 / (1 + self.beta * self.beta) * (y - x)
        return y + self.beta * self.beta / (1 + self.beta * self.beta) * (x - y)


def held(content: str, groups: IntArray, k: int, mass: npt.NDArray[Any]) -> FloatArray:
    """What there is to lose in each of ``k`` groups of masses, between these; what weighs nothing adds nothing."""
    whole, heavy = _core.group_sum(groups, k, mass)[groups], np.flatnonzero(mass > 0)
    outweighs = 2 * mass > whole  # all others of its group together: beside it they are added up
    light = _core.group_sum(groups, k, np.where(outweighs, 0, mass))[groups]
    rest = np.where(outweighs, light, whole - mass)
    between = CONTENTS[content](ArrayFunctions(), mass[heavy], rest[heavy])
    return np.asarray(_core.group_sum(groups[heavy], k, between), dtype=np.float64)
