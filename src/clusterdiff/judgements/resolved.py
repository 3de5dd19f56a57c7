"""Estimates from true clusters that were drawn and fully resolved (every measure), and from points (S_H)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.interval import Resampling
from clusterdiff.errors import ArgumentError, listed
from clusterdiff.judgements.estimates import Estimate
from clusterdiff.judgements.ratios import DrawWeights, Estimated, any_below, bounded
from clusterdiff.judgements.samples import Design, Sample
from clusterdiff.measures import resolve
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array
from clusterdiff.wording import count

#: Fewer draws with an error than this make an interval rough.
FEW = 20
#: More of cv²(x)/k than this, and the draws may miss what matters most.
SPREAD = 0.02
#: Strata of points by the size of their predicted cluster: from these sizes on.
STRATA = (1, 2, 4, 10)


@dataclass(frozen=True)
class RatioTerms:
    """What each draw adds above and below the line of a ratio, and what its denominators vary with.

    ``kind`` is "pairs", "points" or "clusters": what the denominator counts. ``plain``: a draw may add more above than
    below, so the interval is on the plain scale.
    """

    y: FloatArray
    x: FloatArray
    kind: str
    plain: bool = False


def _entropy(values: FloatArray) -> FloatArray:
    return np.where(values > 1, values * np.log(np.maximum(values, 1)), 0.0)


def split_scores(sample: Sample) -> FloatArray:
    """s(L) of each draw, by entropy: 1 for a single point."""
    kept, whole = sample.by_draw(_entropy(sample.m)), _entropy(sample.size)
    return np.where(whole > 0, kept / np.where(whole > 0, whole, 1), 1.0)


def _pairs(sample: Sample) -> tuple[FloatArray, FloatArray, FloatArray]:
    m, b, a = sample.m, sample.b, sample.size
    return sample.by_draw(m * (m - 1) / 2), a * (a - 1) / 2, sample.by_draw(m * (b - 1) / 2)


def _exact(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Whether a draw is a cluster of the run; and how many of the run's clusters it stands for."""
    hit = sample.by_draw((sample.m == sample.b) & (sample.m == sample.size[sample.draw])) * 1.0
    return hit, sample.size * sample.clusters / sample.n


def _pair_f(sample: Sample, beta: float = 1.0) -> RatioTerms:
    both, true, pred = _pairs(sample)
    square = beta * beta
    return RatioTerms((1 + square) * both, square * true + pred, "pairs")


def _exact_f(sample: Sample, beta: float = 1.0) -> RatioTerms:
    hit, stands_for = _exact(sample)
    square = beta * beta
    return RatioTerms((1 + square) * hit, square + stands_for, "points", plain=True)


#: F measures that are one ratio, whatever their beta.
F_TERMS: dict[str, Callable[[Sample, float], RatioTerms]] = {"pairs.f1": _pair_f, "clusters.f1": _exact_f}
TERMS: dict[str, Callable[[Sample], RatioTerms]] = {
    "pairs.precision": lambda s: RatioTerms(_pairs(s)[0], _pairs(s)[2], "pairs"),
    "pairs.recall": lambda s: RatioTerms(_pairs(s)[0], _pairs(s)[1], "pairs"),
    "pairs.f1": _pair_f,
    "b3.precision": lambda s: RatioTerms(s.by_draw(s.m**2 / s.b), s.size, "points"),
    "b3.recall": lambda s: RatioTerms(s.by_draw(s.m**2) / s.size, s.size, "points"),
    "clusters.precision": lambda s: RatioTerms(_exact(s)[0], _exact(s)[1], "points", plain=True),
    "clusters.recall": lambda s: RatioTerms(_exact(s)[0], np.ones(len(s)), "clusters"),
    "clusters.f1": _exact_f,
    "S_H.split": lambda s: RatioTerms(s.size * split_scores(s), s.size, "points"),
}
#: All that can be estimated from true clusters, in the order in which it is shown; S_H within bounds.
MEASURES = (*list(TERMS)[:5], "b3.f1", *list(TERMS)[5:], "S_H")


def parsed(measure: str) -> tuple[str, float] | None:
    """The name of a measure that can be estimated, and its beta; None if it cannot.

    >>> parsed("pairs.f(beta=2)"), parsed("b3.recall"), parsed("ari")
    (('pairs.f1', 2.0), ('b3.recall', 1.0), None)
    """
    if measure in MEASURES:
        return measure, 1.0
    if "(" not in measure:
        return None
    found = resolve(measure)
    base = found.name.partition("(")[0].removesuffix("1") + "1"  # F1 is called F where it has a beta
    if base not in (*F_TERMS, "b3.f1") or set(found.parameters) - {"beta"}:
        return None
    return base, float(found.parameters["beta"])


def weigh(
    sample: Sample, design: Design | None, probabilities: FloatArray | None, population: int | None
) -> DrawWeights:
    """How much each draw counts."""
    if probabilities is not None:
        return DrawWeights(1 / probabilities, 0.0, probabilities)
    if design == "points":
        return DrawWeights(1 / sample.size)
    k = len(sample)
    fraction = 0.0 if population is None or len(np.unique(sample.same)) < k else k / population
    return DrawWeights(np.ones(k), fraction)


def estimated(sample: Sample, weights: DrawWeights, measure: str) -> tuple[Estimated, bool]:
    """A measure from draws, and whether its interval is on the plain scale."""
    base, beta = parsed(measure) or (measure, 1.0)
    if base == "b3.f1":
        precision, recall = TERMS["b3.precision"](sample), TERMS["b3.recall"](sample)
        return weights.harmonic((precision.y, recall.y), sample.size, beta), False
    terms = F_TERMS[base](sample, beta) if base in F_TERMS else TERMS[base](sample)
    return weights.ratio(terms.y, terms.x), terms.plain


def bounds_of_s_h(sample: Sample, weights: DrawWeights) -> tuple[Estimated, Estimated]:
    """The least and the greatest S_H that fit: in each predicted cluster, unlabelled points are all single, or one."""
    inside, held, places = _labelled(sample)
    b = sample.sizes[np.unique(sample.cluster)].astype(float)
    whole = _entropy(b)
    below = np.where(whole > 0, whole, 1)
    low = np.where(whole > 0, inside / below, 1.0)
    high = np.where(whole > 0, (inside + _entropy(b - held)) / below, 1.0)
    s = split_scores(sample)
    sides = [s * sample.by_draw(sample.m * t[places]) for t in (low, high)]
    return weights.ratio(sides[0], sample.size), weights.ratio(sides[1], sample.size)


def _labelled(sample: Sample) -> tuple[FloatArray, FloatArray, Int64Array]:
    """For the run's clusters with drawn points: entropy and number of those points; and the cluster of each cell.

    A true cluster that is drawn twice is in a cluster of the run once.
    """
    touched, places = np.unique(sample.cluster, return_inverse=True)
    _, first = np.unique(sample.same, return_index=True)
    once = np.isin(sample.draw, first)
    inside = np.bincount(places[once], _entropy(sample.m[once]), minlength=len(touched))
    held = np.bincount(places[once], sample.m[once], minlength=len(touched))
    return inside.astype(float), held.astype(float), places.ravel()


def estimate_clusters(
    sample: Sample, weights: DrawWeights, measures: list[str], how: Resampling, by_points: bool
) -> tuple[dict[str, Estimate], list[str]]:
    """Every measure that was asked for, and what to be warned of."""
    linear = weights.probabilities is not None
    out: dict[str, Estimate] = {}
    warnings: dict[str, list[str]] = {}
    census = weights.fraction >= 1
    for measure in measures:
        if measure == "S_H":
            low, high = bounds_of_s_h(sample, DrawWeights(weights.w, 0.0, weights.probabilities))
            ends = bounded(low, high, how.level, linear)
            between = (low.value, high.value)
            wrong = any_below(high.totals[:, 0], high.totals[:, 1])
            for told in [] if census else _warnings(sample, measure, wrong, "points", by_points, linear):
                warnings.setdefault(told, []).append(measure)
            out[measure] = Estimate(
                measure, None, None, *ends, len(sample), min(low.effective, high.effective), between
            )
            continue
        found, plain = estimated(sample, weights, measure)
        if math.isnan(found.value):
            warnings.setdefault("no value: nothing in the sample could be counted.", []).append(measure)
            out[measure] = Estimate(measure, None, None, None, None, len(sample), 0.0)
            continue
        error = found.linear if linear else found.jackknife
        if census:
            ends = found.value, found.value
        elif how.method == "jackknife":
            ends = found.interval(how.level, plain, linear)
        else:
            error, low_end, high_end = found.resampled(how, weights.fraction)
            ends = low_end, high_end
        out[measure] = Estimate(
            measure, found.value, error, *ends, len(sample), found.effective, adjusted=found.adjusted
        )
        for told in [] if census else _warnings(sample, measure, *_wrong(sample, measure), by_points, linear):
            warnings.setdefault(told, []).append(measure)
    return out, [f"{', '.join(about)}: {told}" for told, about in warnings.items()]


def _wrong(sample: Sample, measure: str) -> tuple[BoolArray, str]:
    """Which draws show an error, and what the denominators of a measure count."""
    base, _ = parsed(measure) or (measure, 1.0)
    terms = TERMS["b3.precision" if base == "b3.f1" else base](sample)
    wrong = terms.y <= 0 if base.startswith("clusters.") else any_below(terms.y, terms.x)
    if base == "b3.f1":
        recall = TERMS["b3.recall"](sample)
        wrong |= any_below(recall.y, recall.x)
    return wrong, terms.kind


def _warnings(
    sample: Sample, measure: str, wrong: BoolArray, kind: str, by_points: bool, given: bool
) -> list[str]:
    out, k = _few(wrong), len(sample)
    cv = 0.0
    if not given and kind == "pairs":
        cv = sample.spread["by point" if by_points else "pairs"]
    elif not given and kind == "points" and not by_points:
        cv = sample.spread["points"]
    if cv / k > SPREAD:
        largest = " For pair precision, draw predicted pairs." if measure == "pairs.precision" else ""
        ways = "" if by_points else "draw through points, and "
        out.append(
            f"the run's clusters differ so much in size that {count(k, 'draw')} may miss the largest "
            f"(cv²/k is {cv / k:.2g}, above {SPREAD}): {ways}resolve the largest predicted clusters with certainty."
            f"{largest}"
        )
    return out


def _few(wrong: BoolArray) -> list[str]:
    """A warning, if too few draws show an error."""
    errors = int(wrong.sum())
    if errors >= FEW:
        return []
    told = f"{errors} of {count(len(wrong), 'draw')} show an error, fewer than {FEW}: the interval is rough. Draw more."
    return [told]


def estimate_points(
    sample: Sample,
    drawn: Int64Array,
    cluster: npt.NDArray[Any],
    names: list[str],
    design: Design,
    level: float,
) -> tuple[Estimate, list[str]]:
    """S_H from points that were drawn, each with its true and its predicted cluster complete: the mean of s·t.

    And what to be warned of.
    """
    z = values_of_points(sample, drawn, cluster, names)
    found = _mean(z, sample.sizes[cluster[drawn]], sample.histogram, design, level)
    return found, [] if len(z) == sample.n else [
        f"S_H: {told}" for told in _few(any_below(z, np.ones(len(z))))
    ]


def mean_of(z: FloatArray) -> Estimated:
    """The mean of a value over points that were drawn, and without each of them."""
    k, value = len(z), float(z.mean())
    error = math.sqrt(float(z.var(ddof=1)) / k) if k > 1 else math.nan
    left = (z.sum() - z) / max(1, k - 1)
    return Estimated(value, error, error, max(1, k - 1), float(k), float(k), left, (z - value) / k)


def values_of_points(
    sample: Sample, drawn: Int64Array, cluster: npt.NDArray[Any], names: list[str]
) -> FloatArray:
    """s·t of points that were drawn."""
    draw_of = np.full(int(max(sample.place.max(initial=0), drawn.max(initial=0))) + 1, -1)
    draw_of[sample.place] = sample.of_point
    lacking = [name for name, place in zip(names, drawn.tolist(), strict=True) if draw_of[place] < 0]
    if lacking:
        raise ArgumentError.about(
            "drawn", f"names {count(len(lacking))} without a true cluster in the sample: {listed(lacking)}."
        )
    clusters = cluster[drawn]
    inside, labelled, _ = _labelled(sample)
    touched = np.unique(sample.cluster)
    at = np.searchsorted(touched, clusters)
    held = labelled[at]
    open_clusters = held < sample.sizes[clusters]
    if open_clusters.any():
        which = [names[i] for i in np.flatnonzero(open_clusters).tolist()]
        raise ArgumentError.about(
            "drawn",
            f"names {count(len(which))} whose predicted cluster is not completed: {listed(which)}.",
            "the sample must have the true cluster of every point of a drawn point's predicted cluster; without that, "
            "leave drawn out, and S_H is estimated within bounds.",
        )
    whole = _entropy(sample.sizes[touched].astype(float))
    t = np.where(whole > 0, inside / np.where(whole > 0, whole, 1), 1.0)
    return np.asarray(split_scores(sample)[draw_of[drawn]] * t[at])


def _mean(
    z: FloatArray, b: Int64Array, histogram: tuple[Int64Array, Int64Array], design: Design, level: float
) -> Estimate:
    """The mean of a value over all points, from points that were drawn, in strata by predicted size or not."""
    sizes, points = histogram[0], histogram[0] * histogram[1]
    n, k = int(points.sum()), len(z)
    stratum, in_all = np.zeros(k, dtype=np.int64), np.zeros(len(sizes), dtype=np.int64)
    if design == "strata":
        stratum, in_all = (np.searchsorted(STRATA, each, side="right") for each in (b, sizes))
    value = variance = 0.0
    for h in np.unique(in_all).tolist():
        mine, total = z[stratum == h], int(points[in_all == h].sum())
        if len(mine) < min(2, total):
            if design != "strata":
                raise ArgumentError.about("drawn", f"has {count(len(mine))}; a standard error needs two.")
            least = STRATA[h - 1]
            raise ArgumentError.about(
                "drawn",
                f"has {count(len(mine))} in predicted clusters of {least} points or more; each stratum needs two.",
            )
        share = total / n
        value += share * float(mine.mean())
        if len(mine) > 1:
            variance += share**2 * (1 - len(mine) / total) * float(mine.var(ddof=1)) / len(mine)
    error = math.sqrt(max(0.0, variance))
    ends = Estimated(value, error, error, max(1, k - 1), float(k), float(k)).interval(level)
    return Estimate("S_H", value, error, *ends, k, float(k))
