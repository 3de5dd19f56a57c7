"""Terms: every sum that measures are made of, declared once.

A comparison is a table of **rows**. A row is a part of a true and of a predicted cluster: a *cell*, or a point that
only one side has, whose other cluster is *nobody*. A row has a mass ``m`` and ``n`` points.

A declaration is a formula over columns, whatever columns are: arrays in memory, expressions in an engine. ``x`` is a
row; ``x.L`` and ``x.C`` are its two clusters; ``N`` is the mass of all rows and ``N0`` that of the cells. Two names
declare the mirror image as well: the same formula with the two sides exchanged.

==========================  ====================================================================================
``@column("sum", "rows")``  a value per cluster: its rows (or ``"cells"``, or ``"unmatched"`` rows) added up
``@column("max", "cells")`` a value per cluster: the largest
``cells("mm", of=…)``       a sum over the cells
``clusters("aa", "bb", …)`` a sum over the clusters of a side
``rows("total", of=…)``     a sum over all rows
``unmatched("…", "…", …)``  a sum over the rows of a side whose other cluster is nobody
``@content``                what there is to lose between parts; S*, S' and the four losses follow
==========================  ====================================================================================

A term that returns a pair of columns is the sum of their products, exact for integers. Nothing else multiplies two
integer columns: sizes of 5·10⁹ would overflow, so one factor goes through ``x.f`` first. A formula never branches on
data, only on ``x.weighted``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log
from typing import Any, Literal

from clusterdiff.meet.declarations import (
    COLUMNS,
    Cluster,
    Column,
    Over,
    TermRow,
    cells,
    clusters,
    column,
    rows,
    unmatched,
)

#: What there is to lose between a part and the rest of its whole: ``between(x, part, rest)``, by name.
CONTENTS: dict[str, Callable[[Any, Any, Any], Any]] = {}
#: The subcomponent measures that have terms: contents, and those that give their scores directly.
SCORES: list[str] = []
#: S* and S' by them, as shares of the mass: what imperfect cells score, and the mass of the perfect ones.
SCORE_SUMS: dict[str, tuple[str, str]] = {}

# ---- values of clusters


@column("sum")
def mass(x: TermRow) -> Any:
    """The mass of the cluster, a or b."""
    return x.m


@column("sum")
def count(x: TermRow) -> Any:
    """Its number of points."""
    return x.n


@column("sum", "cells")
def shared(x: TermRow) -> Any:
    """The mass of the points that the other side has too, a' or b'."""
    return x.m


@column("sum", "cells")
def shared_count(x: TermRow) -> Any:
    """Their number."""
    return x.n


@column("sum", "unmatched")
def unmatched_mass(x: TermRow) -> Any:
    """The mass of the points that the other side lacks."""
    return x.m


@column("sum", "unmatched")
def unmatched_count(x: TermRow) -> Any:
    """Their number."""
    return x.n


@column("sum", "cells")
def parts(x: TermRow) -> Any:
    """The number of cells."""
    return x.one


# What the rest of a cluster weighs beside a part, without a difference of nearly equal sums: one part at most outweighs
# all others together, and beside that one the others are added up.


@column("sum")
def light(x: TermRow) -> Any:
    """The mass of all rows but the one that outweighs all others together."""
    return x.where(2 * x.m > x.L.mass, 0, x.m)


@column("sum", "cells")
def shared_light(x: TermRow) -> Any:
    """The same among the cells."""
    return x.where(2 * x.m > x.L.shared, 0, x.m)


def rest(x: TermRow) -> Any:
    """The mass of the other rows of the cluster."""
    return beside(x, x.L)


def beside(x: TermRow, cluster: Cluster) -> Any:
    """The mass of the other rows of one of its two clusters."""
    others = cluster.mass - x.m
    return x.where(2 * x.m > cluster.mass, cluster.light, others) if x.weighted else others


def shared_rest(x: TermRow) -> Any:
    """The mass of its other cells."""
    others = x.L.shared - x.m
    return x.where(2 * x.m > x.L.shared, x.L.shared_light, others) if x.weighted else others


@column("max", "cells")
def largest_mass(x: TermRow) -> Any:
    """The mass of the heaviest cell."""
    return x.m


@column("max", "cells")
def largest_count(x: TermRow) -> Any:
    """The number of points of the largest cell."""
    return x.n


@column("max", "cells")
def jaccard(x: TermRow) -> Any:
    """How alike the most similar cluster of the other side is: m/(a + b − m)."""
    return x.m / (x.L.mass + x.C.mass - x.m)


@column("max", "cells")
def f_score(x: TermRow) -> Any:
    """The best F of the cluster with one of the other side."""
    return x.m / x.beta_mean(x.L.mass, x.C.mass)


@column("max", "cells")
def chosen(x: TermRow) -> Any:
    """Whether a cluster of the other side shares more points with it than with any other."""
    return x.flag(x.m == x.C.largest_mass)


# ---- counts and masses

rows("total", of=lambda x: x.m)
rows("points", of=lambda x: x.n)
rows("lost", of=lambda x: x.flag(x.nobody) * x.n)
unmatched("missing_mass", "spurious_mass", of=lambda x: x.m)
unmatched("missing", "spurious", of=lambda x: x.n)
cells("both_mass", of=lambda x: x.m)
cells("both_points", of=lambda x: x.n)
cells("cells", of=lambda x: x.one)
# cells that are not all of both their clusters
cells("unlike", of=lambda x: x.flag((x.m < x.L.mass) | (x.m < x.C.mass)))
# clusters that both sides have
cells("exact", of=lambda x: x.flag((x.m == x.L.mass) & (x.m == x.C.mass)))
clusters("k_true", "k_pred", of=lambda c: c.flag(c.mass > 0))
# those with a cell
clusters("k_true_shared", "k_pred_shared", of=lambda c: c.flag(c.shared_count > 0))
clusters("mass_true", "mass_pred", of=lambda c: c.mass)


# ---- squares, and ordered pairs of points of kinds that add up: nothing is subtracted

cells("mm", of=lambda x: (x.m, x.m))
clusters("aa", "bb", of=lambda c: (c.mass, c.mass))
cells("products", of=lambda x: x.m * x.f(x.L.mass) * x.C.mass)
cells("pairs_both", of=lambda x: x.inside("pairs") if x.weighted else (x.m, x.m - 1))
cells("pairs_true_only", "pairs_pred_only", of=lambda x: (x.m, shared_rest(x)))
# shared points that are apart on both sides
cells("apart", of=lambda x: (x.m, x.larger(x.N0 - x.L.shared - x.C.shared + x.m, 0)))
# a lost point with the others of its cluster …
unmatched("pairs_missing", "pairs_spurious", of=lambda x: (x.m, rest(x)))
# … and the shared ones with the lost
clusters("pairs_with_missing", "pairs_with_spurious", of=lambda c: (c.shared, c.unmatched_mass))
# a lost point with all others
unmatched("pairs_lost_missing", "pairs_lost_spurious", of=lambda x: (x.m, x.others(x.m)))


# ---- largest parts

clusters("true_max", "pred_max", of=lambda c: c.largest_mass)
clusters("closest_true", "closest_pred", of=lambda c: c.jaccard)
clusters("f_true", "f_pred", of=lambda c: c.mass * c.f_score)
cells("chosen", of=lambda x: x.flag(x.m == x.C.largest_mass))
cells("chosen_f1", of=lambda x: x.flag(x.m == x.C.largest_mass) * (2 * x.m / (x.L.mass + x.C.mass)))
clusters("chosen_true", "chosen_pred", of=lambda c: c.chosen)


# ---- information: summands of one sign, so that nothing cancels

cells("split_info", "merge_info", of=lambda x: x.m * x.log1p(rest(x) / x.m))
clusters("h_true", "h_pred", of=lambda c: c.mass * c.log1p(c.others(c.mass) / c.where(c.mass > 0, c.mass, 1)))
cells("h_joint", of=lambda x: x.m * x.log1p(x.others(x.m) / x.m))
rows("inside_entropy", of=lambda x: x.inside("entropy"))


def _gain(x: TermRow) -> Any:
    """e·φ(m/e − 1) with φ(y) = (1 + y)·log(1 + y) − y and e = ab/N."""
    e = x.f(x.L.mass) * x.C.mass / x.N
    y = (x.m - e) / e
    return e * ((1 + y) * x.log1p(y) - y)


cells("gain", of=_gain)
cells("covered", of=lambda x: (x.L.mass, x.C.mass))


# ---- points and links

cells("b3_recall", "b3_precision", of=lambda x: x.m * (x.m / x.L.mass))
cells("element", of=lambda x: x.m * (x.m / x.larger(x.L.mass, x.C.mass)))


def _lea(x: TermRow) -> Any:
    """The links kept; a singleton's one link is kept if it is a singleton on the other side."""
    a = x.L.mass
    return x.where(a > 1, x.m * ((x.m - 1) / x.larger(a - 1, 1)), x.flag(x.C.mass == 1) * 1.0)


cells("lea_recall", "lea_precision", of=_lea)


# ---- the table of cells


def _chi2(x: TermRow) -> Any:
    """(m − e)²/e with e = ab/N."""
    e = x.f(x.L.mass) * x.C.mass / x.N
    return (x.m - e) * ((x.m - e) / e)


cells("chi2_cells", of=_chi2)


def _frobenius(x: TermRow) -> Any:
    """What the two projections differ by: (m/a)(1 − m/b) + (m/b)(1 − m/a)."""
    a, b = x.L.mass, x.C.mass
    return x.m / a * (beside(x, x.C) / b) + x.m / b * (beside(x, x.L) / a)


cells("frobenius", of=_frobenius)


# ---- S*: a subcomponent measure is a content


def content(between: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """Declare what there is to lose between a part and the rest of its whole; S*, S' and the losses follow.

    A whole of several parts holds what its parts hold and what lies between each of them and the rest; a single point
    holds nothing. The score of a cluster is s0·r: of what its shared points hold, what its cells still hold, times
    what the shared points are of the whole cluster. ``between(x, part, rest)`` must not depend on the order in which
    parts are united.
    """
    name = between.__name__

    def lies(x: Any, part: Any, rest: Any) -> Any:
        return between(x, x.f(part), x.f(rest))

    CONTENTS[name] = lies

    def add(label: str, reduce: Literal["sum"] | None, over: Over, formula: Callable[[Any], Any]) -> None:
        COLUMNS[label] = Column(label, reduce, over, formula)

    def value(c: Any, label: str) -> Any:
        return getattr(c, f"{label}_{name}")

    add(f"cells_{name}", "sum", "cells", lambda x: x.inside(name))
    add(f"cut_{name}", "sum", "cells", lambda x: lies(x, x.m, shared_rest(x)))
    add(f"unmatched_{name}", "sum", "unmatched", lambda x: lies(x, x.m, rest(x)))

    def of_shared(c: Any) -> Any:
        return value(c, "cells") + value(c, "cut") if c.weighted else inside(c, name, c.shared)

    def of_all(c: Any) -> Any:
        if not c.weighted:
            return inside(c, name, c.mass)
        beside = lies(c, c.where(c.shared > 0, c.shared, 1), c.unmatched_mass)
        return value(c, "shared") + value(c, "unmatched") + c.where(c.shared > 0, beside, 0.0)

    add(f"shared_{name}", None, "clusters", of_shared)
    add(f"whole_{name}", None, "clusters", of_all)
    scores(
        name,
        lambda c: c.share(value(c, "cells"), value(c, "shared")),
        lambda c: c.share(value(c, "shared"), value(c, "whole")),
    )
    return between


def inside(x: Any, content: str, size: Any) -> Any:
    """What there is to lose in so many points of equal weight: between each of them and the rest."""
    some = x.where(size > 0, size, 1)
    return some * CONTENTS[content](x, 1, some - 1)


def score_sum(name: str) -> str:
    """What the sum is called that is S* by a subcomponent measure; S' ends in "_mean".

    >>> score_sum("entropy"), score_sum("pairs")
    ('s_h', 's_pairs')
    """
    return "s_h" if name == "entropy" else f"s_{name}"


def scores(name: str, inner: Callable[[Any], Any], kept: Callable[[Any], Any]) -> None:
    """Declare the scores of clusters, ``inner · kept``, and the terms of S*, S' and the four losses."""
    SCORES.append(name)
    for label, ending in (("product", ""), ("mean", "_mean")):
        SCORE_SUMS[score_sum(name) + ending] = f"{label}_{name}", f"{label}_perfect_{name}"

    def add(label: str, formula: Callable[[Any], Any]) -> None:
        COLUMNS[f"{label}_{name}"] = Column(f"{label}_{name}", None, "clusters", formula)

    def of(cluster: Any, label: str) -> Any:
        return getattr(cluster, f"{label}_{name}")

    add("inner", lambda c: c.where(c.shared > 0, inner(c), 1.0))
    add("kept", lambda c: c.where(c.shared > 0, kept(c), c.flag(c.mass == 0) * 1.0))
    add("score", lambda c: of(c, "inner") * of(c, "kept"))

    def product(x: Any) -> Any:
        return of(x.L, "score") * of(x.C, "score")

    def mean(x: Any) -> Any:
        return (of(x.L, "score") + of(x.C, "score")) / 2

    # Cells that score 1 are summed apart, so that identical clusterings give exactly 1.
    for label, sigma in (("product", product), ("mean", mean)):
        cells(f"{label}_{name}", of=partial(_imperfect, sigma))
        cells(f"{label}_perfect_{name}", of=partial(_perfect, sigma))

    def torn(x: Any) -> Any:
        lost, other = (1 - of(x.L, "inner")) * (1 + of(x.L, "kept")) / 2, (1 + of(x.C, "score")) / 2
        return x.m * lost * other

    def lacking(x: Any) -> Any:
        lost, other = (1 - of(x.L, "kept")) * (1 + of(x.L, "inner")) / 2, (1 + of(x.C, "score")) / 2
        return x.m * lost * other

    cells(f"loss_split_{name}", f"loss_merge_{name}", of=torn)
    cells(f"loss_missing_{name}", f"loss_spurious_{name}", of=lacking)


def _imperfect(sigma: Callable[[TermRow], Any], x: TermRow) -> Any:
    score = sigma(x)
    return x.m * score * x.flag(score < 1)


def _perfect(sigma: Callable[[TermRow], Any], x: TermRow) -> Any:
    return x.m * x.flag(sigma(x) >= 1)


@content
def entropy(x: Any, part: Any, rest: Any) -> Any:
    """Σ w·log(W/w): S_H."""
    return part * x.log1p(rest / part)


@content
def pairs(x: Any, part: Any, rest: Any) -> Any:
    """Σ w·w' over ordered pairs of points."""
    return part * rest


scores(
    "largest",
    lambda c: c.share(c.largest_count - 1, c.shared_count - 1),
    lambda c: c.share(c.shared_count - 1, c.count - 1),
)

# ---- sums over units
# A formula that reads N or N0 does not add up over units. The term then has a second form, of sums that do: less exact
# near 0, and all that is known of a choice of units.
clusters("a_log_a", "b_log_b", of=lambda c: c.mass * c.log(c.mass))
cells("m_log_m", of=lambda x: x.m * x.log(x.m))
cells("mm_over_ab", of=lambda x: (x.m / x.L.mass) * (x.m / x.C.mass))
clusters("shared_squares_true", "shared_squares_pred", of=lambda c: (c.shared, c.shared))
unmatched("squares_missing", "squares_spurious", of=lambda x: (x.m, x.m))


def _x_log_x(x: float) -> float:
    return x * log(x) if x > 0 else 0.0


#: The terms that read N or N0, as functions of terms that add up over units.
UNIT_SUMS: dict[str, Callable[[Any], float]] = {
    "h_true": lambda v: max(0.0, _x_log_x(v.total) - v.a_log_a),
    "h_pred": lambda v: max(0.0, _x_log_x(v.total) - v.b_log_b),
    "h_joint": lambda v: max(0.0, _x_log_x(v.total) - v.m_log_m),
    "gain": lambda v: max(0.0, v.h_pred - v.split_info),
    "covered": lambda v: v.total**2,
    "apart": lambda v: max(0.0, v.both_mass**2 - v.shared_squares_true - v.shared_squares_pred + v.mm),
    "pairs_lost_missing": lambda v: v.missing_mass * v.total - v.squares_missing,
    "pairs_lost_spurious": lambda v: v.spurious_mass * v.total - v.squares_spurious,
    "chi2_cells": lambda v: max(0.0, v.total * (v.mm_over_ab - 1)),
}
