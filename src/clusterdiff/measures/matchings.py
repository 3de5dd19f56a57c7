"""Best one-to-one matchings of clusters: which cells are in them, and what these are worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray, Int64Array


def matched_cells(meet: Meet, value: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The cells of a one-to-one matching of clusters with the greatest total ``value`` (all ≥ 0)."""
    exact: Any = np.ascontiguousarray(value, dtype=np.int64 if value.dtype.kind in "iu" else np.float64)
    return meet.cells.assign(exact)


def sizes_of_cells(meet: Meet) -> tuple[Int64Array, Int64Array]:
    """The sizes of the true and of the predicted cluster of each cell."""
    return meet.true_size[meet.true], meet.pred_size[meet.pred]


def _alike(meet: Any) -> FloatArray:
    """2m/(a + b) of each cell."""
    if meet.once(_plain):
        size, (a, b) = meet.size, meet.once(sizes_of_cells)
    else:
        over = meet.overlap
        size, a, b = over.size, over.true_size[over.true], over.pred_size[over.pred]
    alike: FloatArray = 2 * size / (a + b)
    return alike


def _plain(meet: Any) -> bool:
    """Whether the overlap is the meet, whose cells may come in another order."""
    if not isinstance(meet, Meet) or meet.weights is not None:
        return False
    over = meet.overlap
    sizes = (over.true_size, meet.true_size), (over.pred_size, meet.pred_size)
    return all(np.array_equal(one, other) for one, other in sizes)


#: What each cell is worth in a best one-to-one matching of clusters, which is one of whole components.
MATCHINGS: dict[str, Callable[[Any], npt.NDArray[Any]]] = {
    "matched": lambda meet: meet.mass,
    "ceaf_m": lambda meet: meet.size if meet.once(_plain) else meet.overlap.size,
    "ceaf_e": _alike,
}


def _matched(meet: Any, name: str, value: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The cells in the matching."""
    of_cells = name == "matched" or meet.once(_plain)
    return matched_cells(meet, value) if of_cells else meet.overlap.matched(value)


def matched_column(meet: Meet, name: str) -> FloatArray:
    """What each cell adds to the value of a matching."""
    value = MATCHINGS[name](meet)
    chosen, out = _matched(meet, name, value), np.zeros(len(value))
    out[chosen] = value[chosen]
    return out


def matched_mass(meet: Summed) -> int | float:
    """The weight of the points in the best one-to-one matching: their number, unless they are weighted."""
    if isinstance(meet, Meet):
        mass = meet.mass
        matched: int | float = np.add.reduce(mass[matched_cells(meet, mass)]).item()
        return matched
    return matched_in(meet, "matched")


def matched_in(meet: Summed, name: str) -> int | float:
    """The value of a matching, known or found."""
    if name in meet.known:
        known: int | float = getattr(meet.sums, name)
        return known
    if name == "ceaf_m" and meet.once(_plain):
        return meet.once(matched_mass)
    value = MATCHINGS[name](meet)
    total: int | float = np.add.reduce(value[_matched(meet, name, value)]).item()
    return total
