"""Measures that are a glance at the core's sums: what scores small arrays, without anything in between."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from clusterdiff import _core
from clusterdiff.measures.pairs import beyond_chance


def _s_h(sums: _core.Sums) -> float:
    return sums.s_h


class Squares(NamedTuple):
    """How many points there are, and the sums of the squares of cells, of true and of predicted clusters."""

    n: int
    mm: int
    aa: int
    bb: int


def _ari(sums: Squares | _core.Sums) -> float:
    n, both, true, pred = sums.n, sums.mm, sums.aa, sums.bb
    # Ordered pairs: twice as many everywhere, which no ratio of them shows.
    return 1.0 if both == true == pred else beyond_chance(both - n, true - n, pred - n, n * n - n)


#: What needs no more than squares.
OF_SQUARES: dict[str, Callable[[Squares], float]] = {"ari": _ari}
#: By the names that they have in the catalogue; of points without weights, all of which are on both sides.
OF_SUMS: dict[str, Callable[[_core.Sums], float]] = {"S_H": _s_h, "ari": _ari}
