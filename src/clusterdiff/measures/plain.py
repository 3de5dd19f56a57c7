"""Measures that are a glance at the core's sums: what scores small arrays, without anything in between."""

from __future__ import annotations

from collections.abc import Callable

from clusterdiff import _core
from clusterdiff.measures.pairs import beyond_chance


def _ari(true: object, pred: object) -> float | None:
    sums = _core.sums(true, pred)
    return None if sums is None else _ari_of(*sums.squares)


def _ari_of(n: int, both: int, true: int, pred: int) -> float:
    # Ordered pairs: twice as many everywhere, which no ratio of them shows.
    return beyond_chance(both - n, true - n, pred - n, n * n - n)


#: What needs no more than the number of points and the sums of squares: of cells, of true and of predicted clusters.
OF_SQUARES: dict[str, Callable[[int, int, int, int], float]] = {"ari": _ari_of}
#: By the names that they have in the catalogue, of two plain arrays of labels; None for anything else.
OF_ARRAYS: dict[str, Callable[[object, object], float | None]] = {"S_H": _core.s_h, "ari": _ari}
