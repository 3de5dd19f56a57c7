"""How terms are declared: values of clusters, sums, and what a formula sees of a row and of a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

Over: TypeAlias = Literal["rows", "cells", "unmatched", "clusters"]


class Functions(Protocol):
    """What formulas may use besides arithmetic and comparisons, on columns of any kind."""

    #: The mass of all rows, and of the cells.
    N: Any
    N0: Any
    #: Whether points have weights; masses are then no counts.
    weighted: bool

    def f(self, x: Any) -> Any:
        """The column as floats, so that products cannot overflow."""

    def flag(self, condition: Any) -> Any:
        """1 where a condition holds, otherwise 0."""

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """One column or the other."""

    def larger(self, x: Any, y: Any) -> Any:
        """The larger of the two."""

    def log(self, x: Any) -> Any:
        """The logarithm, 0 at 0."""

    def log1p(self, x: Any) -> Any:
        """log(1 + x), exact for small x."""

    def others(self, mass: Any) -> Any:
        """N less each of these masses, without a difference of nearly equal numbers where one outweighs all others."""

    def share(self, part: Any, whole: Any, none: float = 1.0) -> Any:
        """Part of whole, at most 1; ``none`` where the whole is 0."""

    def beta_mean(self, x: Any, y: Any) -> Any:
        """(β²x + y)/(1 + β²); the β of F is the one parameter, bound by whoever evaluates."""


class Cluster(Functions, Protocol):
    """A cluster, with all values of ``COLUMNS`` by name."""

    def __getattr__(self, name: str) -> Any: ...


class TermRow(Functions, Protocol):
    """A row: its mass ``m``, its points ``n``, and its two clusters."""

    m: Any
    n: Any
    L: Cluster
    C: Cluster
    #: 1 for every row, and whether either cluster is nobody.
    one: Any
    nobody: Any

    def inside(self, content: str) -> Any:
        """What there is to lose inside each row: between its points."""


@dataclass(frozen=True)
class Column:
    """A value per cluster: ``formula`` of its rows, reduced; or of other values of the cluster (``reduce`` None)."""

    name: str
    reduce: Literal["sum", "max"] | None
    over: Over
    formula: Callable[[Any], Any]


@dataclass(frozen=True)
class Term:
    """A sum over rows or clusters; ``mirrored``: the formula sees the predicted side as its own (``L``)."""

    name: str
    over: Over
    mirrored: bool
    formula: Callable[[Any], Any]


#: Everything declared, by name.
COLUMNS: dict[str, Column] = {}
TERMS: dict[str, Term] = {}


def column(reduce: Literal["sum", "max"], over: Over = "rows") -> Callable[[Any], Any]:
    """Declare a value per cluster, called as the function is."""

    def declare(formula: Callable[[Any], Any]) -> Callable[[Any], Any]:
        COLUMNS[formula.__name__] = Column(formula.__name__, reduce, over, formula)
        return formula

    return declare


def rows(name: str, *, of: Callable[[TermRow], Any]) -> None:
    """Declare a sum over all rows."""
    TERMS[name] = Term(name, "rows", False, of)


def cells(name: str, mirror: str | None = None, *, of: Callable[[TermRow], Any]) -> None:
    """Declare a sum over the cells, and the same with the two sides exchanged."""
    _declare("cells", name, mirror, of)


def unmatched(name: str, mirror: str, *, of: Callable[[TermRow], Any]) -> None:
    """Declare a sum over the rows of a side whose other cluster is nobody."""
    _declare("unmatched", name, mirror, of)


def clusters(name: str, mirror: str, *, of: Callable[[Cluster], Any]) -> None:
    """Declare a sum over the clusters of a side."""
    _declare("clusters", name, mirror, of)


def _declare(over: Over, name: str, mirror: str | None, of: Callable[[Any], Any]) -> None:
    TERMS[name] = Term(name, over, False, of)
    if mirror is not None:
        TERMS[mirror] = Term(mirror, over, True, of)
