"""Normalisation given the truth: a measure rescaled by the extremes it takes for the true clustering at hand."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError, MeasureError
from clusterdiff.measures import Measure, measures, resolve
from clusterdiff.measures.formulas import entropy
from clusterdiff.measures.subcomponents import Own, subcomponent
from clusterdiff.meet.enumeration import universe
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering
from clusterdiff.points.labels import IntArray
from clusterdiff.table import record_html
from clusterdiff.wording import count

#: All 21,147 clusterings of this many points can be tried; of one more, 115,975.
MOST_POINTS = 9

Sizes = npt.NDArray[np.int64]


class Extremes(NamedTuple):
    """The worst and the best value a measure takes for a true clustering, and how they are known."""

    worst: float
    best: float
    how: str

    def _repr_html_(self) -> str:
        return record_html("Extremes", self._asdict())


def _least_n(sizes: Sizes) -> float:
    # Every true cluster keeps a point, and the largest one's parts are at most the predicted clusters' largest.
    return float((len(sizes) + sizes.max()) / (2 * sizes.sum()))


def _least_a(sizes: Sizes) -> float:
    # By duality of the matching: i clusters pay at least one point each, the (i + 1)-th largest pays in full.
    rest = np.append(np.sort(sizes)[::-1], 0)
    return float(np.min(np.arange(len(rest)) + rest) / sizes.sum())


def _information(sizes: Sizes, base: float | None = None) -> tuple[float, float]:
    most = entropy(sizes) / (1.0 if base is None else log(base))
    return 0.0, most  # to a base below 1 it is negative, and so is the value of identical clusterings


def _split_merge(sizes: Sizes, s: Any = "entropy") -> tuple[float, float] | None:
    # Property 4.3 gives the extremes; nobody has shown that a user's own s has it, and one that reads features has not.
    known = subcomponent(s)
    return None if known.needs is not None or isinstance(known.function, Own) else (0.0, 1.0)


#: Name → the worst and best value by the sizes of the true clusters and the parameters, for n ≥ 2; None where these
#: leave them open. N and A are worst, like S*, when predicted cluster j takes one point of every true cluster with
#: more than j.
CLOSED_FORM: dict[str, Callable[..., tuple[float, float] | None]] = {
    "I": _information,
    "nmi_max": lambda sizes: (0.0, 1.0),
    "N": lambda sizes: (_least_n(sizes), 1.0),
    "A": lambda sizes: (_least_a(sizes), 1.0),
    "S*": _split_merge,
    "S_H": lambda sizes: (0.0, 1.0),
}


def _closed_form(sizes: Sizes, measure: Measure) -> tuple[float, float] | None:
    """The extremes of a measure of the registry, with whatever parameters, if they are known."""
    name = measure.name.partition("(")[0]
    known = name in CLOSED_FORM and name in measures and measures[name].function == measure.function
    return CLOSED_FORM[name](sizes, **measure.parameters) if known else None


def extremes(true: object, measure: str | Measure | Callable[[Meet], float]) -> Extremes:
    """The worst and the best value that a measure takes for a true clustering, over all predicted ones.

    Known in closed form for I (to any base), nmi_max, N, A, S_H and S* (with a built-in s that reads sizes alone); for
    other measures, and for an s of your own, all clusterings are tried, for up to 9 points.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> cd.extremes([0, 0, 0, 1], "A")
    Extremes(worst=0.5, best=1.0, how='closed form')
    >>> cd.extremes([0, 0, 1], "R").how
    'search'
    """
    clustering = read_true(true)
    return _extremes(clustering.sizes, resolve(measure), lambda: clustering.codes)


def read_true(true: object) -> Clustering:
    """A true clustering to start from, in which every point has a label."""
    clustering = Clustering.reading(true, "true")
    if clustering.labels.absent is not None:
        raise ArgumentError.about(
            "true",
            f"has no label for {count(int(clustering.labels.absent.sum()))}.",
            "leave out the points without a label first.",
        )
    return clustering


def _extremes(sizes: Sizes, measure: Measure, codes: Callable[[], IntArray]) -> Extremes:
    """The same, given the sizes of the true clusters; ``codes`` has the cluster of each point."""
    n = int(sizes.sum())
    known = _closed_form(sizes, measure) if n > 1 else None
    if known is not None:
        return Extremes(*known, "closed form")
    if measure.needs is not None or n > MOST_POINTS:
        raise MeasureError(
            f"the extremes of {measure.name} for a true clustering of {count(n)} are not known in closed form, "
            f"and all clusterings can be tried up to {MOST_POINTS} points only.",
            f"they are known for {', '.join(CLOSED_FORM)} (S* with a built-in s that reads only sizes).",
        )
    omega = universe(n)
    if measure.reads == "points":  # which point is where matters, not only how many
        true, tried = codes().astype(np.int64), omega.labels.astype(np.int64)
    else:
        position = omega.sizes.index(tuple(sorted(sizes.tolist(), reverse=True)))
        true = omega.labels[omega.representatives[position]].astype(np.int64)
        tried = omega.labels[omega.classes[position][0]].astype(np.int64)
    values = [float(measure(Meet.from_labels(true, pred))) for pred in tried]
    low, high = min(values), max(values)
    return Extremes(low, high, "search") if measure.similarity else Extremes(high, low, "search")


def normalised(meet: Meet, measure: Measure) -> float:
    r"""The measure rescaled so that its worst value for this true clustering is 0 and its best 1.

    .. math:: \frac{S(L, C) - \min_{C'} S(L, C')}{\max_{C'} S(L, C') - \min_{C'} S(L, C')}

    References
    ----------
    Luo, P., Xiong, H., Zhan, G., Wu, J. & Shi, Z. (2009). Information-theoretic distance measures for clustering
    validation: generalization and normalization. IEEE TKDE 21.
    """
    if meet.uneven:
        raise MeasureError(
            "normalisation given the truth is not defined where a clustering lacks points that count as lost: the "
            "extremes are those of clusterings of the same points.",
            Message('pass `missing="drop"` or `missing="singleton"`.'),
        )
    if meet.weighted:
        raise MeasureError(
            "normalisation given the truth is not defined for weighted points.",
            Message("leave out `weights=`."),
        )
    worst, best, _ = _extremes(meet.true_size, measure, lambda: meet.true[meet.cell_of_point])
    value: Any = measure(meet)
    if worst == best:
        raise MeasureError(
            f"{measure.name} is {best:g} for this true clustering and any other, so it cannot be rescaled."
        )
    return float((value - worst) / (best - worst))
