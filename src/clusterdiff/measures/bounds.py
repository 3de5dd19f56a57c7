"""Bounds that depend on the number of points, for the measures of several families."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, log

from clusterdiff.measures.formulas import beta_mean


def one_in_n(n: int) -> float:
    """1/n: one point always counts."""
    return 1 / n


def all_but_one(n: int) -> float:
    """n − 1: one point always stays."""
    return n - 1


def ceil_root(x: int) -> int:
    """⌈√x⌉, exactly."""
    return isqrt(x - 1) + 1 if x > 0 else 0


@dataclass(frozen=True)
class LogN:
    """log n, the entropy of n singletons, in nats or to another base."""

    base: float | None = None

    def __call__(self, n: int) -> float:
        """The bound for n points."""
        return log(n) if self.base is None else log(n) / log(self.base)


@dataclass(frozen=True)
class LeastF:
    """The least F of n points: one cluster against all singletons, or the other way round."""

    beta: float = 1.0

    def __call__(self, n: int) -> float:
        """The bound for n points."""
        return 1 / float(max(beta_mean(n, 1, self.beta), beta_mean(1, n, self.beta)))
