"""Which predicted cluster continues which true one, which were born and which vanished."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.analysis import Analysis
from clusterdiff.table import Table, record_html

#: What may become of a cluster from one clustering to the other.
STATUS = ("same", "continues", "born", "vanished")


class Continuation(NamedTuple):
    """A cluster's fate: "same", "continues" (with other points), "born" (no `true`) or "vanished" (no `pred`)."""

    status: str
    true: Any
    pred: Any
    shared: int
    true_size: int
    pred_size: int

    def _repr_html_(self) -> str:
        return record_html("Continuation", self._asdict())


def mapping(analysis: Analysis) -> Table[Continuation]:
    """A row for every cluster on either side; see :attr:`Comparison.mapping`."""
    meet, cells = analysis.meet, analysis.matched
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
        "true": _named(analysis.true, left),
        "pred": _named(analysis.pred, right),
        "shared": shared,
        "true_size": a,
        "pred_size": b,
    }
    return Table(columns, Continuation)


def _named(names: list[Any], codes: npt.NDArray[np.integer[Any]]) -> npt.NDArray[Any]:
    out = np.empty(len(codes), dtype=object)
    out[:] = [None if code < 0 else names[code] for code in codes.tolist()]
    return out
