"""Which predicted cluster continues which true one, which were born and which vanished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.table import Table

if TYPE_CHECKING:
    from clusterdiff.diff.comparison import Comparison

#: What may become of a cluster from one clustering to the other.
STATUS = ("same", "continues", "born", "vanished")

#: Cells of a component from which on equals are not matched in order.
LARGE = 1000


class Continuation(NamedTuple):
    """A cluster's fate: "same", "continues" (with other points), "born" (no `true`) or "vanished" (no `pred`)."""

    status: str
    true: Any
    pred: Any
    shared: int
    true_size: int
    pred_size: int


def matched(comparison: Comparison) -> npt.NDArray[np.int64]:
    """The cells that pair a true cluster with the predicted one that continues it, by true cluster.

    The matching is stable: no two clusters share more points with each other than either does with its partner.
    """
    meet = comparison.meet
    size, true, pred = meet.size, meet.true, meet.pred
    # Of equal shares the one of smaller clusters goes first, then the first. But in a large component what is equal
    # is shuffled, always in the same way: in order, equal cells along a chain would be settled one a round.
    together = meet.true_size[true] + meet.pred_size[pred]
    turn = np.arange(len(meet), dtype=np.uint64)
    of_cell = comparison._components.of_cell
    turn = np.where(np.bincount(of_cell)[of_cell] > LARGE, turn * np.uint64(0x9E3779B97F4A7C15), turn)
    rank = np.empty(len(meet), dtype=np.int64)
    rank[np.lexsort((turn, together, -size))] = np.arange(len(meet))
    found = []
    rest = np.arange(len(meet))
    while rest.size:
        # A cell that comes first on both its sides is settled; all others of its two clusters are out.
        first_true, first_pred = np.full(meet.k_true, len(meet)), np.full(meet.k_pred, len(meet))
        np.minimum.at(first_true, true[rest], rank[rest])
        np.minimum.at(first_pred, pred[rest], rank[rest])
        settled = rest[(first_true[true[rest]] == rank[rest]) & (first_pred[pred[rest]] == rank[rest])]
        found.append(settled)
        done_true, done_pred = np.zeros(meet.k_true, dtype=bool), np.zeros(meet.k_pred, dtype=bool)
        done_true[true[settled]] = True
        done_pred[pred[settled]] = True
        rest = rest[~(done_true[true[rest]] | done_pred[pred[rest]])]
    return np.sort(np.concatenate(found))


def mapping(comparison: Comparison) -> Table[Continuation]:
    """A row for every cluster on either side; see :attr:`Comparison.mapping`."""
    meet, lookup = comparison.meet, comparison._lookup
    cells = comparison._matched
    true, pred = meet.true[cells], meet.pred[cells]
    born = np.setdiff1d(np.arange(meet.k_pred), pred)
    gone = np.setdiff1d(np.arange(meet.k_true), true)
    none, nobody = np.full(len(born), -1), np.full(len(gone), -1)
    left, right = np.concatenate([true, none, gone]), np.concatenate([pred, born, nobody])
    shared = np.concatenate([meet.size[cells], np.zeros(len(born) + len(gone), dtype=np.int64)])
    a = np.where(left < 0, 0, meet.true_size[left])
    b = np.where(right < 0, 0, meet.pred_size[right])
    status = np.where(left < 0, 2, np.where(right < 0, 3, np.where((shared == a) & (shared == b), 0, 1)))
    columns = {
        "status": np.asarray(STATUS, dtype=object)[status],
        "true": _named(lookup.true, left),
        "pred": _named(lookup.pred, right),
        "shared": shared,
        "true_size": a,
        "pred_size": b,
    }
    return Table(columns, Continuation)


def _named(names: list[Any], codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
    out = np.empty(len(codes), dtype=object)
    out[:] = [None if code < 0 else names[code] for code in codes.tolist()]
    return out
