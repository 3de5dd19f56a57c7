"""Best one-to-one matchings of clusters: which cells are in them, and what these are worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.meet import Meet
from clusterdiff.meet.parts import Overlap
from clusterdiff.meet.sums import Summed
from clusterdiff.points.labels import FloatArray


def matched_cells(meet: Meet, value: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The cells of a one-to-one matching of clusters with the greatest total ``value`` (all ≥ 0)."""
    exact: Any = np.ascontiguousarray(value, dtype=np.int64 if value.dtype.kind in "iu" else np.float64)
    return meet.cells.assign(exact)


def _alike(overlap: Overlap) -> FloatArray:
    """2m/(a + b) of each cell."""
    return 2 * overlap.size / (overlap.true_size[overlap.true] + overlap.pred_size[overlap.pred])


#: What each cell is worth in a best one-to-one matching of clusters, which is one of whole components.
MATCHINGS: dict[str, Callable[[Any], npt.NDArray[Any]]] = {
    "matched": lambda meet: meet.mass,
    "ceaf_m": lambda meet: meet.overlap.size,
    "ceaf_e": lambda meet: _alike(meet.overlap),
}


def _matched(meet: Any, name: str, value: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """The cells in the matching."""
    return matched_cells(meet, value) if name == "matched" else meet.overlap.matched(value)


def matched_column(meet: Meet, name: str) -> FloatArray:
    """What each cell adds to the value of a matching."""
    value = MATCHINGS[name](meet)
    chosen, out = _matched(meet, name, value), np.zeros(len(value))
    out[chosen] = value[chosen]
    return out


def matched_in(meet: Summed, name: str) -> int | float:
    """The value of a matching, known or found."""
    if name in meet.known:
        known: int | float = getattr(meet.sums, name)
        return known
    value = MATCHINGS[name](meet)
    total: int | float = value[_matched(meet, name, value)].sum().item()
    return total
