"""Which measures order all clusterings of given sizes alike: what one of them says of chance, all of them say.

While clusters keep their sizes, whatever counts pairs of points rises with the pairs that are together in both
clusterings, whatever weighs information rises with I, and ``as_h`` rises with S_H. So a family has one p-value, and a
bound on the tail of one sum holds for all measures of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, sqrt

from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure, measures
from clusterdiff.measures.chance import information, s_h
from clusterdiff.measures.splitmerge import adjusted_s_h
from clusterdiff.measures.tables import Tables
from clusterdiff.measures.variance import mutual_variance, pair_variance, small_clusters
from clusterdiff.meet.sums import Sized, Summed
from clusterdiff.points.labels import FloatArray

#: How far the mean of an expansion may be from the exact one for its variance to be used.
AGREES = 0.01


@dataclass(frozen=True)
class ChanceMoments:
    """The mean of a sum over all permutations, and its variance; whether that one is exact."""

    mean: float
    variance: float | None
    exact: bool = True


@dataclass(frozen=True)
class OrderingSum:
    """A sum that a family of measures rises with, in a meet and in many tables, and its moments by chance."""

    name: str
    value: Callable[[Summed], float]
    values: Callable[[Tables], FloatArray]
    moments: Callable[[Sized], ChanceMoments]


def _pair_moments(sized: Sized) -> ChanceMoments:
    margins = sized.margins
    every = margins.n * (margins.n - 1) // 2
    return ChanceMoments(margins.true.pairs * margins.pred.pairs / every, float(pair_variance(margins)))


def _information_moments(sized: Sized) -> ChanceMoments:
    mean = information(sized).mutual
    try:
        variance = mutual_variance(sized)
    except MeasureError:  # it would take too long
        return ChanceMoments(mean, None)
    # A difference of squares, of which nothing is left where it is next to nothing.
    return ChanceMoments(mean, variance if variance > 1e-9 * mean * mean else None)


def _s_h_moments(sized: Sized) -> ChanceMoments:
    mean = s_h(sized.margins)
    found = small_clusters(sized.margins)
    if found is None or abs(found.mean - mean) > AGREES * mean:
        return ChanceMoments(mean, None)
    return ChanceMoments(mean, found.variance, exact=False)


PAIRS = OrderingSum("pairs", lambda meet: float(meet.pairs.both), lambda tables: tables.pairs, _pair_moments)
INFORMATION = OrderingSum(
    "information", lambda meet: meet.sums.mutual, lambda tables: tables.information, _information_moments
)
S_H = OrderingSum("S_H", lambda meet: float(measures["S_H"](meet)), lambda tables: tables.s_h, _s_h_moments)

_NAMES = {
    PAIRS: (
        *("rand", "ari", "pairs.precision", "pairs.recall", "pairs.f1", "adapted_rand_error", "jaccard"),
        *("fowlkes_mallows", "afm", "mirkin", "rogers_tanimoto", "pairs.correlation", "correlation_distance"),
        *(
            "sokal_sneath_1",
            "sokal_sneath_2",
            "kulczynski",
            "russel_rao",
            "gamma",
            "g_plus",
            "tau",
            "overlap",
        ),
        *("tversky", "partition_difference", "sri", "pmi2", "blanc.precision", "blanc.recall", "blanc.f1"),
    ),
    INFORMATION: (
        *("I", "nmi_max", "nmi", "nid", "nvi", "homogeneity", "completeness", "v_measure", "vi", "vi.split"),
        *("vi.merge", "V", "K", "ami", "smi", "entropy_score"),
    ),
}
_BY_FUNCTION = {measures[name].function: order for order, names in _NAMES.items() for name in names}


def order_of(measure: Measure) -> OrderingSum | None:
    """The sum that a measure rises with (a distance: falls), while clusters keep their sizes; None if none is known.

    >>> import clusterdiff as cd
    >>> [order_of(cd.measures[name]).name for name in ("ari", "vi", "as_h")]
    ['pairs', 'information', 'S_H']
    """
    if "s_h" in measure.terms or measure.function is adjusted_s_h:
        return S_H
    return _BY_FUNCTION.get(measure.function)


def deviations(moments: ChanceMoments, value: float) -> float | None:
    """How many standard deviations a value is above the mean; None if the variance is not known."""
    if moments.variance is None:
        return None
    above = value - moments.mean
    return above / sqrt(moments.variance) if moments.variance > 0 else inf if above > 0 else 0.0
