"""The order of rows by several columns; the functions of formulas on arrays, and what weighted points have to lose."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.meet.terms import CONTENTS
from clusterdiff.points.labels import FloatArray, Int64Array, IntArray


def order_by(*keys: IntArray) -> Int64Array:
    """The places of rows in the order of whole numbers, the most important first; equal rows stay in their order.

    As ``np.lexsort``, but one sort of single numbers, where all that tells rows apart fits in 63 bits.

    >>> order_by(np.array([2, 1, 2, 1]), np.array([5, 7, -5, 7])).tolist()
    [1, 3, 2, 0]
    """
    count = len(keys[0])
    if not count:
        return np.empty(0, dtype=np.int64)
    lows = [int(key.min()) for key in keys]
    bits = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    place = (count - 1).bit_length()
    if sum(bits) + place > 63:
        return np.lexsort(keys[::-1])
    packed = np.zeros(count, dtype=np.int64)
    for key, low, width in zip(keys, lows, bits, strict=True):
        packed <<= width
        packed |= key.astype(np.int64) - low
    packed <<= place
    packed |= np.arange(count)
    packed.sort()
    packed &= (1 << place) - 1
    return packed


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
