"""What components and clusters cost in a measure of the reader's choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import AnyMeasure, Comparison
from clusterdiff.diff.gains import By, valued
from clusterdiff.diff.worth import Worth
from clusterdiff.errors import ArgumentError
from clusterdiff.measures import resolve
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray

#: The measures that the page's script can recompute (``measured.js``), where points weigh alike and none is lost.
RECOMPUTED = frozenset(
    {
        "ari",
        "b3.f1",
        "b3.precision",
        "b3.recall",
        "completeness",
        "fowlkes_mallows",
        "homogeneity",
        "jaccard",
        "nmi",
        "pairs.f1",
        "pairs.precision",
        "pairs.recall",
        "rand",
        "v_measure",
        "vi",
        "vi.merge",
        "vi.split",
    }
)


def sums_of(meet: Meet) -> dict[str, float]:
    """The sums that an operation changes, by which the page's script knows a measure."""
    m, a, b = (np.asarray(x, dtype=np.float64) for x in (meet.size, meet.true_size, meet.pred_size))
    squares = m * m
    found = {
        "pred": (b * (b - 1)).sum() / 2,
        "both": (m * (m - 1)).sum() / 2,
        "pred_log": x_log_x(b).sum(),
        "both_log": x_log_x(m).sum(),
        "recall": (squares / a[meet.true]).sum(),
        "precision": (squares / b[meet.pred]).sum(),
    }
    return {name: float(value) for name, value in found.items()}


class Costs:
    """What a measure would gain with each component and each cluster set right; see :meth:`Comparison.gains`."""

    def __init__(self, comparison: Comparison, measure: AnyMeasure) -> None:
        self.measure = resolve(measure)
        if comparison.comparison_for(self.measure) is not comparison:
            raise ArgumentError(
                Message(
                    "`measure` must see all that the report shows; {name} leaves out the documents that `true` lacks.",
                    name=self.measure.name,
                ),
                "compare the documents that both have.",
            )
        self._worth = Worth(self.measure, comparison.analysis, comparison.source)
        self._counts = {
            "component": len(comparison.analysis.join),
            "true": comparison.meet.k_true,
            "pred": comparison.meet.k_pred,
        }
        self.score = self._worth.score
        self.loss = comparison.loss_of(self.measure)

    @cached_property
    def of(self) -> dict[str, FloatArray]:
        """By number of component, and by code of true and of predicted cluster; not a number if it is not known."""
        return {by: gains for by, (gains, _) in self._found.items()}

    @property
    def left_out(self) -> dict[str, int]:
        """Of how many components and clusters it is not known."""
        return {by: left for by, (_, left) in self._found.items()}

    @cached_property
    def _found(self) -> dict[str, tuple[FloatArray, int]]:
        return {by: self._gains(by) for by in ("component", "true", "pred")}

    def _gains(self, by: By) -> tuple[FloatArray, int]:
        chosen, values, left_out = valued(self._worth, by)
        # What is right already has nothing to gain; what was not computed is unknown.
        gains = np.full(self._counts[by], np.nan if left_out else 0.0)
        gains[chosen] = self._worth.gains(values)
        return gains, left_out

    def data(self) -> dict[str, Any]:
        """What the page's script needs to know of the measure."""
        return {
            "name": self.measure.name,
            "score": self.score,
            "loss": self.loss.to_dict(),
            "left": self.left_out,
            "similarity": self.measure.similarity,
            "sums": self.sums,
        }

    @cached_property
    def sums(self) -> dict[str, float] | None:
        """The sums that the page's script recomputes the measure from; None if it does not know how."""
        meet = self._worth.meet
        plain = self.measure.name in RECOMPUTED and self.measure == resolve(self.measure.name)
        if not plain or meet.weights is not None or meet.lost:
            return None
        a = meet.true_size.astype(np.float64)
        constant = {"n": meet.n, "all": meet.n * (meet.n - 1) / 2, "true": float((a * (a - 1)).sum() / 2)}
        return constant | {"true_log": float(x_log_x(a).sum())} | sums_of(meet)
