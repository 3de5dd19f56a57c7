"""Measures of coreference as functions of sums over documents or components, where either side may lack points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.diff.units import Units
from clusterdiff.measures import Measure
from clusterdiff.measures.terms import f_beta, found, kept
from clusterdiff.meet.parts import Overlap
from clusterdiff.points.labels import FloatArray

Values = npt.NDArray[Any]

#: What each cell adds to a numerator.
CELLS: dict[str, Callable[[Overlap], Values]] = {
    "common": lambda o: o.size,
    "links": lambda o: o.size - 1,
    "pairs": lambda o: o.size * (o.size - 1) / 2,
    "by_mention": lambda o: _matched(o, o.size),
    "by_entity": lambda o: _matched(o, 2 * o.size / (o.true_size[o.true] + o.pred_size[o.pred])),
    "b3_recall": lambda o: o.size**2 / o.true_size[o.true],
    "b3_precision": lambda o: o.size**2 / o.pred_size[o.pred],
    "lea_recall": lambda o: _links_kept(o),
    "lea_precision": lambda o: _links_kept(o.transpose()),
}
#: What each cluster, of this size, adds to a denominator.
CLUSTERS: dict[str, Callable[[Values], Values]] = {
    "points": lambda size: size,
    "links": lambda size: size - 1,
    "pairs": lambda size: size * (size - 1) / 2,
    "clusters": np.ones_like,
}
#: The numerators of precision and of recall, and the denominator, which is a sum over the clusters of either side.
SHARES = {
    "mentions": ("common", "common", "points"),
    "muc": ("links", "links", "links"),
    "b3": ("b3_precision", "b3_recall", "points"),
    "ceaf_m": ("by_mention", "by_mention", "points"),
    "ceaf_e": ("by_entity", "by_entity", "clusters"),
    "lea": ("lea_precision", "lea_recall", "points"),
    "pairs": ("pairs", "pairs", "pairs"),
}
#: The score of the shared tasks is the mean F1 of these.
CONLL = ("muc", "b3", "ceaf_e")


def _matched(overlap: Overlap, alike: Values) -> FloatArray:
    out = np.zeros(len(alike))
    chosen = overlap.matched(alike)
    out[chosen] = alike[chosen]
    return out


def _links_kept(overlap: Overlap) -> Values:
    """a · C(m, 2) / C(a, 2); the one link of a singleton is kept if it is one on the other side too."""
    a, b = overlap.true_size[overlap.true], overlap.pred_size[overlap.pred]
    return np.where(a > 1, overlap.size * ((overlap.size - 1) / np.maximum(a - 1, 1)), b == 1)


@dataclass(frozen=True)
class Shares:
    """A precision, recall or F of one or several measures, from rows of sums: four columns for each measure.

    A fifth column is for pairs: how many points a side lacks. Where none does, a share of no pairs is 1, otherwise 0.
    """

    part: str
    beta: float = 1.0

    def __call__(self, rows: FloatArray) -> FloatArray:
        """The value of each row."""
        return np.array([self._value(row) for row in rows.tolist()])

    def _value(self, row: list[float]) -> float:
        values = []
        share = kept if row[4 * (len(row) // 4) :] == [0.0] else found
        for at in range(0, len(row) - 3, 4):
            precision, recall = share(row[at], row[at + 1]), share(row[at + 2], row[at + 3])
            whole = {"precision": precision, "recall": recall}
            values.append(whole[self.part] if self.part in whole else f_beta(precision, recall, self.beta))
        return sum(values) / len(values)


def shares(overlap: Overlap, measure: Measure, units: Units) -> tuple[tuple[FloatArray, ...], Shares] | None:
    """The columns of sums over units that a measure is made of, and how; None if it is no such measure.

    True clusters are no units here: predicted clusters, whose sizes are summed up too, lie across them.
    """
    name, _, part = measure.name.partition(".")
    names = CONLL if name == "conll" else (name,)
    if units.kind == "true" or not set(names) <= SHARES.keys():
        return None
    columns: list[FloatArray] = []

    def summed(of: Values, sizes: Values) -> FloatArray:
        return np.asarray(_core.group_sum(of, units.count, sizes), dtype=np.float64)

    for precision, recall, whole in (SHARES[name] for name in names):
        for cells, of, sizes in (
            (precision, units.of_pred, overlap.pred_size),
            (recall, units.of_true, overlap.true_size),
        ):
            columns.append(units.sums(CELLS[cells](overlap)))
            columns.append(summed(of, CLUSTERS[whole](sizes)))
    if name == "pairs":
        points = summed(units.of_true, overlap.true_size) + summed(units.of_pred, overlap.pred_size)
        columns.append(points - 2 * units.sums(overlap.size))
    return tuple(columns), Shares(part, measure.parameters.get("beta", 1.0))
