"""What formulas of terms see of rows in an engine: expressions, or arrays of what was counted; and what they read."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

import narwhals.stable.v2 as nw
import numpy as np

from clusterdiff.meet import terms
from clusterdiff.meet.arrays import ArrayFunctions
from clusterdiff.meet.declarations import Column, Term

c = nw.col
OTHER = {"t": "p", "p": "t"}


class Known(Protocol):
    """What is known of all rows."""

    weighted: bool
    near: bool
    unit: float
    total: Any

    @property
    def shared_total(self) -> Any:
        """The mass of the points that both sides have."""

    def light(self, place: str) -> float:
        """The mass of all rows, or clusters of a side, but what outweighs all others together."""

    def called(self, name: str) -> str | None:
        """Which column has the values of a column of clusters."""


def if_else(condition: Any, yes: Any, no: Any) -> Any:
    """An expression for either case."""
    return nw.when(condition).then(_column(yes)).otherwise(_column(no))


def _column(x: Any) -> Any:
    return x if isinstance(x, nw.Expr) else nw.lit(float(x))


def shared_row() -> Any:
    """Whether both sides have the points of a row."""
    return (c("t_nobody") + c("p_nobody")) == 0


class ColumnFunctions:
    """What formulas use of columns in an engine: see :class:`clusterdiff.meet.declarations.Functions`."""

    def __init__(self, weighted: bool) -> None:
        self.weighted = weighted

    def f(self, x: Any) -> Any:
        """Columns are floats here already."""
        return x

    def flag(self, condition: Any) -> Any:
        """1 where a condition holds, otherwise 0."""
        return if_else(condition, 1.0, 0.0)

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """One column or the other."""
        return if_else(condition, then, otherwise)

    def larger(self, x: Any, y: Any) -> Any:
        """The larger of the two."""
        return nw.max_horizontal(_column(x), _column(y))

    def log(self, x: Any) -> Any:
        """The logarithm, 0 at 0; engines may compute both branches of a case, so neither must fail."""
        return if_else(x > 0, x, 1.0).log()

    def log1p(self, x: Any) -> Any:
        """log(1 + x) without loss for small x: the rounding of 1 + x is divided out again."""
        u = 1.0 + x
        if not self.weighted:  # of counts that is exact
            return u.log()
        return if_else(u == 1.0, x, self.log(u) * x / if_else(u == 1.0, 1.0, u - 1.0))

    def share(self, part: Any, whole: Any, none: float = 1.0) -> Any:
        """Part of whole, at most 1; ``none`` where the whole is 0."""
        return if_else(whole > 0, (part / if_else(whole > 0, whole, 1.0)).clip(0.0, 1.0), none)

    def beta_mean(self, x: Any, y: Any) -> Any:
        """The mean of both: F with another β is not asked for here."""
        return (x + y) / 2


class Expressions(ColumnFunctions):
    """The same, and what is known of all rows. ``place``: what is looked at, rows or the clusters of a side."""

    def __init__(self, rows: Known, place: str = "rows") -> None:
        super().__init__(rows.weighted)
        self.N, self.N0, self.unit = rows.total, rows.shared_total, rows.unit
        self._rows, self._place = rows, place

    def others(self, mass: Any) -> Any:
        """N less a mass; what is left beside one that outweighs all others is added up."""
        if not self.weighted or self._rows.near:
            return self.N - mass
        return if_else(2 * mass > self.N, self._rows.light(self._place), self.N - mass)


class RowExpressions(Expressions):
    """A row as a formula sees it whose own side is ``key``."""

    def __init__(self, rows: Known, key: str) -> None:
        super().__init__(rows)
        self.m, self.n, self.one = c("part_mass"), c("part_points"), nw.lit(1.0)
        self.L, self.C = ClusterExpressions(rows, key), ClusterExpressions(rows, OTHER[key])
        self.nobody = ~shared_row()

    def inside(self, content: str) -> Any:
        """What there is to lose between the points of each row."""
        return c(f"inside_{content}") if self.weighted else terms.inside(self, content, self.m)

    def own(self, content: str) -> Any:
        """What the points of each row have by themselves: the whole holds as much less than if it were one point."""
        return c(f"own_{content}")


class ClusterExpressions(Expressions):
    """The clusters of a side, or that of each row, as a formula sees them."""

    def __init__(self, rows: Known, key: str) -> None:
        super().__init__(rows, key)
        self._key = key

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        known = self._rows.called(name)
        if known in ("light", "shared_light") and self._rows.near:
            return c(f"{self._key}_{'mass' if known == 'light' else 'shared'}") - c("part_mass")
        if known is None:
            return nw.lit(1.0 if name.startswith("kept") else 0.0)
        return c(f"{self._key}_{known}")


class CountedRows(ArrayFunctions):
    """Different rows, or clusters, that were counted, as a formula sees them whose own side is ``key``."""

    def __init__(self, rows: Known, found: dict[str, Any], key: str) -> None:
        self.N, self.N0, self.weighted, self.beta = rows.total, rows.shared_total, False, 1.0
        self._rows, self._found, self._key = rows, found, key

    def inside(self, content: str) -> Any:
        """What there is to lose between the points of each row."""
        return terms.inside(self, content, self.m)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("m", "n"):
            return self._found["part_mass"]
        if name == "nobody":
            return (self._found["t_nobody"] + self._found["p_nobody"]) > 0
        if name == "one":
            return np.ones_like(self._found["copies"])
        if name in ("L", "C"):
            return CountedRows(self._rows, self._found, self._key if name == "L" else OTHER[self._key])
        known = self._rows.called(name)
        return self._found[f"{self._key}_{known}"] if known else np.zeros_like(self._found["copies"])


class Traced(ArrayFunctions):
    """Notes what a formula reads of its own clusters, and of those of the other side."""

    unit = 1.0

    def __init__(self, weighted: bool, found: set[tuple[bool, str]], own: bool = True) -> None:
        self.weighted, self.beta, self.N, self.N0 = weighted, 1.0, 100.0, 90.0
        self._found, self._own = found, own

    def others(self, mass: Any) -> Any:
        """N less each of these masses."""
        return self.N - mass

    def inside(self, content: str) -> Any:
        """Any numbers."""
        return np.array([1.0, 2.0])

    own = inside

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("L", "C"):
            return Traced(self.weighted, self._found, name == "L")
        if name == "nobody":
            return np.array([False, True])
        if name not in ("m", "n", "one"):
            self._found.add((self._own, name))
        return np.array([2.0, 3.0])


@cache
def reads(declared: Column | Term, weighted: bool) -> frozenset[tuple[bool, str]]:
    """The columns of clusters that a formula reads: whether of its own side, and which."""
    found: set[tuple[bool, str]] = set()
    with np.errstate(all="ignore"):
        declared.formula(Traced(weighted, found))
    return frozenset(found)
