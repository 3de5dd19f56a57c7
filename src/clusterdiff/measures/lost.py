"""Matching measures where points that a side lacks count as lost: the same formulas, over whole clusters.

Every true cluster counts with all its points, every predicted one with all of its, and so do the points in all: N of
them, if both sides are taken together.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.measures.formulas import beta_mean, found, largest_of_pred, largest_of_true, less
from clusterdiff.measures.registry import PrecisionRecall
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Lossy
from clusterdiff.points.labels import IntArray

#: Why measures of information have no value where points are lost.
INFORMATION = (
    "a point that one side lacks is in none of that side's clusters, so its information would be infinite, and "
    "inventing a cluster for it would make lost singletons cost nothing"
)
#: Why those that are corrected for chance have none.
CHANCE = "what chance reaches is known only for two clusterings of the same points"
#: Why those of the table of cells have none.
TABLE = "a point that one side lacks is in no row, or in no column, of the table of cells"


def _largest(meet: Lossy) -> tuple[Any, Any]:
    """Σ of the largest cells of true, and of predicted clusters."""
    return (0, 0) if meet.shared is None else (meet.shared.sums.true_max, meet.shared.sums.pred_max)


def van_dongen(meet: Lossy) -> float:
    """½ (Σ_L max m + Σ_C max m) / N."""
    return float(sum(_largest(meet)) / (2 * meet.total))


def split_join(meet: Lossy) -> float:
    """2N − Σ_L max m − Σ_C max m: lost points count for both sides."""
    return split_join_true(meet) + split_join_pred(meet)


def split_join_true(meet: Lossy) -> float:
    """N − Σ_L max m."""
    return _moved(meet, largest_of_true, _largest(meet)[0])


def split_join_pred(meet: Lossy) -> float:
    """N − Σ_C max m."""
    return _moved(meet, largest_of_pred, _largest(meet)[1])


def _moved(meet: Lossy, chosen: Callable[[Meet], IntArray], kept: Any) -> float:
    """What lies outside of some shared cells, with all that is lost."""
    outside = 0.0 if meet.shared is None else less(meet.shared, chosen, kept)
    return outside + float(meet.whole.lost)


def purity(meet: Lossy) -> float:
    """Σ_C max m over the points of the predicted clustering."""
    return found(_largest(meet)[1], meet.whole.pred)


def inverse_purity(meet: Lossy) -> float:
    """Σ_L max m over the points of the true clustering."""
    return found(_largest(meet)[0], meet.whole.true)


def geometric_accuracy(meet: Lossy) -> float:
    """The geometric mean of ``purity`` and ``inverse_purity``."""
    return sqrt(purity(meet)) * sqrt(inverse_purity(meet))


def _best(clusters: IntArray, k: int, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The largest value among the cells of each cluster; 0 for those without one."""
    best = np.zeros(k)
    np.maximum.at(best, clusters, value)
    return best


def f_measure(meet: Meet, beta: float = 1.0) -> float:
    """Σ a·max F over the points of the true clustering; a cluster of which nothing was found scores 0."""
    if "f_measure" in meet.offers:
        return found(*meet.fused("f_measure"))
    a, b, m = meet.true_mass[meet.true], meet.pred_mass[meet.pred], meet.mass
    fit = np.divide(m, beta_mean(a, b, beta), out=np.zeros(len(m)), where=m > 0)
    best = _best(meet.true, meet.k_true, fit)
    return found(float(np.sum(meet.true_mass * best)), meet.true_mass.sum().item())


def closest(meet: Meet) -> PrecisionRecall:
    """Means over all clusters of each side; one without shared points overlaps with nothing."""
    if "closest" in meet.offers:
        pred, true = meet.fused("closest")
        return found(pred, meet.k_pred), found(true, meet.k_true)
    overlap = meet.size / (meet.true_size[meet.true] + meet.pred_size[meet.pred] - meet.size)
    columns, rows = _best(meet.pred, meet.k_pred, overlap), _best(meet.true, meet.k_true, overlap)
    return found(float(columns.sum()), meet.k_pred), found(float(rows.sum()), meet.k_true)
