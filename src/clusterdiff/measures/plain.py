"""Measures that are a glance at the core's sums: what scores small arrays, without anything in between."""

from __future__ import annotations

from collections.abc import Callable

from clusterdiff import _core
from clusterdiff.measures.pairs import beyond_chance


def _s_h(sums: _core.Sums) -> float:
    return sums.s_h


def _ari(sums: _core.Sums) -> float:
    return _ari_of(*sums.squares)


def _ari_of(n: int, both: int, true: int, pred: int) -> float:
    # Ordered pairs: twice as many everywhere, which no ratio of them shows.
    return beyond_chance(both - n, true - n, pred - n, n * n - n)


#: What needs no more than the number of points and the sums of squares: of cells, of true and of predicted clusters.
OF_SQUARES: dict[str, Callable[[int, int, int, int], float]] = {"ari": _ari_of}
#: By the names that they have in the catalogue; of points without weights, all of which are on both sides.
OF_SUMS: dict[str, Callable[[_core.Sums], float]] = {"S_H": _s_h, "ari": _ari}
