"""What is asked of a measure: its properties, each with what speaks against it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clusterdiff.measures.registry import JOIN_WEIGHTED
from clusterdiff.meet.enumeration import as_sets, universe
from clusterdiff.paper.baseline import (
    composition_additive,
    constant_baseline,
    meet_collinear,
    monotonous,
    refinement_additive,
)
from clusterdiff.paper.consistency import consistent
from clusterdiff.paper.constraints import completeness, homogeneity, rag_bag, size_quantity
from clusterdiff.paper.decompositions import convex_additive, decomposable, decomposed, meet_weighted
from clusterdiff.paper.findings import CLOSE, Counterexample, Finding, example, first, not_asked, same
from clusterdiff.paper.least import lower_bound
from clusterdiff.paper.trial import Trial

#: What is asked of a measure, in the order of the paper and then of others.
PROPERTIES = {
    "invariant": "the names of points and clusters do not matter",
    "symmetric": "S(𝕃, ℂ) = S(ℂ, 𝕃)",
    "identity": "the best value for 𝕃 = ℂ and for nothing else",
    "bounds": "within its stated bounds, and attains them",
    "normalised": "from 0 to 1, both attained for every n ≥ 2",
    "conditionally_normalised": "from 0 to 1, both attained for every 𝕃 (property 5.1)",
    "lower_bound": "attains its least value under the condition of table 2, and only there",
    "decomposable": "some w and b make it a sum over components (equation 1)",
    "decomposition": "its stated w and b make it such a sum (table 1)",
    "join_weighted": "the mean over components (property 4.1)",
    "meet_weighted": "the mean of some σ over cells (property 4.5)",
    "subcomponent_consistent": "S({L}, ℂ_L) = s(ℂ|L) (property 4.4)",
    "convex_additive": "the mean over true clusters where ℂ refines 𝕃 (Meilă's axiom A3)",
    "refinement_additive": "d(⊤, ℂ) + d(ℂ, ⊥) = d(⊤, ⊥) (Meilă's axiom A2)",
    "composition_additive": "the mean over the clusters of any clustering that both refine (Meilă's property 8)",
    "meet_collinear": "d(𝕃, 𝕄) + d(𝕄, ℂ) = d(𝕃, ℂ), 𝕄 the meet (Meilă's collinearity of the meet)",
    "triangle": "1 − S, or the distance, obeys the triangle inequality",
    "n_invariant": "doubling every point changes nothing (Meilă)",
    "constant_baseline": "shuffled labels score the same on average for all sizes of clusters (Vinh)",
    "monotonous": "a perfect split or a perfect merge is better, unless 𝕃 is ⊤ or ⊥ (Gösgens)",
    "homogeneity": "splitting a cluster by its two true clusters is better (Amigó)",
    "completeness": "merging two clusters of one true cluster is better (Amigó)",
    "rag_bag": "a stray point does less harm in a mixed cluster than in a clean one (Amigó)",
    "size_quantity": "losing one point of a large cluster is better than breaking many small clusters (Amigó)",
}


def measure_findings(trial: Trial) -> dict[str, Finding]:
    """What speaks for and against each property of ``PROPERTIES``."""
    measure = trial.measure
    scaled = np.isfinite(measure.best)
    return {
        "invariant": trial.invariance,
        "symmetric": first(_symmetric(trial)),
        "identity": first(_identity(trial))
        if scaled
        else not_asked("its value for 𝕃 = ℂ differs from 𝕃 to 𝕃"),
        "bounds": not_asked("it states none") if measure.family == "own" else first(_bounds(trial)),
        "normalised": first(_normalised(trial)),
        "conditionally_normalised": first(_conditionally_normalised(trial)),
        "lower_bound": lower_bound(trial),
        "decomposable": not_asked("it looks at the points themselves") if trial.data else decomposable(trial),
        "decomposition": not_asked("it states none")
        if measure.decomposition is None
        else first(decomposed(trial, measure.decomposition, "its decomposition gives")),
        "join_weighted": first(decomposed(trial, JOIN_WEIGHTED, "the mean over components is")),
        "meet_weighted": not_asked("it looks at the points themselves")
        if trial.data
        else meet_weighted(trial),
        "subcomponent_consistent": consistent(trial),
        "convex_additive": first(convex_additive(trial)),
        "refinement_additive": first(refinement_additive(trial))
        if scaled
        else not_asked("it is not a distance from 𝕃 = ℂ"),
        "composition_additive": first(composition_additive(trial)),
        "meet_collinear": first(meet_collinear(trial))
        if scaled
        else not_asked("it is not a distance from 𝕃 = ℂ"),
        "triangle": first(_triangle(trial)) if scaled else not_asked("it is not a distance from 𝕃 = ℂ"),
        "n_invariant": first(_n_invariant(trial)),
        "constant_baseline": first(constant_baseline(trial)),
        "monotonous": first(monotonous(trial)),
        "homogeneity": first(homogeneity(trial)),
        "completeness": first(completeness(trial)),
        "rag_bag": rag_bag(trial),
        "size_quantity": size_quantity(trial),
    }


def _symmetric(trial: Trial) -> Iterator[Counterexample]:
    for n, values in trial.values.items():
        omega = universe(n)
        rows = trial.trues(omega)
        other = trial.full(omega)[:, rows].T
        bad = np.argwhere(~(np.isclose(values, other, rtol=0, atol=CLOSE, equal_nan=True)))
        for t, p in bad:
            text = f"{trial.name} = {values[t, p]:.4g}, but {other[t, p]:.4g} with true and pred exchanged"
            yield example(omega.labels[rows[t]], omega.labels[p], text)


def _identity(trial: Trial) -> Iterator[Counterexample]:
    best = trial.measure.best
    for pair in trial.pairs():
        if pair.meet.same != (abs(pair.value - best) <= CLOSE):
            so = f"although they are the same, and not {best:g}" if pair.meet.same else "although they differ"
            yield example(pair.true, pair.pred, f"{trial.name} = {pair.value:.4g}, {so}")


def _bounds(trial: Trial) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        stated = trial.measure.bounds_at(n)
        yield from _range(trial, n, stated, "its stated bound")


def _normalised(trial: Trial) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        yield from _range(trial, n, (0.0, 1.0), "the bound")


def _range(trial: Trial, n: int, bounds: tuple[float, float], what: str) -> Iterator[Counterexample]:
    for largest, bound in enumerate(bounds):
        pair = trial.extreme(n, largest=bool(largest))
        if pair is not None and np.isfinite(bound) and abs(pair.value - bound) > CLOSE:
            word = "greatest" if largest else "least"
            text = f"the {word} {trial.name} is {pair.value:.4g} for n = {n}, and {what} is {bound:.4g}"
            yield example(pair.true, pair.pred, text)


def _conditionally_normalised(trial: Trial) -> Iterator[Counterexample]:
    name = trial.name if trial.measure.similarity else f"1 − {trial.name}"
    for n, values in trial.values.items():
        omega = universe(n)
        rows = trial.trues(omega)
        for t, row in zip(rows.tolist(), trial.similar(values), strict=True):
            defined = np.flatnonzero(~np.isnan(row))
            if not len(defined):
                continue
            true, score = omega.labels[t], row[defined]
            one, zero = np.abs(score - 1) <= CLOSE, np.abs(score) <= CLOSE
            odd = np.flatnonzero((score < -CLOSE) | (score > 1 + CLOSE) | (one != (defined == t)))
            if len(odd):
                pred = omega.labels[defined[odd[0]]]
                yield example(true, pred, f"clause 1: {name} = {row[defined[odd[0]]]:.4g} for this ℂ")
            elif not zero.any() and n > 1:
                worst = int(np.argmin(score))
                text = f"clause 2: this 𝕃 has no worst clustering; the least {name} is {score[worst]:.4g}"
                yield example(true, omega.labels[defined[worst]], text)
            elif n > 2 and not (~one & ~zero).any():
                text = f"clause 3: {name} is 0 for this 𝕃 and every other clustering"
                yield Counterexample(text, {"true": as_sets(true)})


def _triangle(trial: Trial) -> Iterator[Counterexample]:
    for n in trial.values:
        omega = universe(n)
        distance = trial.full(omega)
        if trial.measure.similarity:
            distance = trial.measure.best - distance
        distance = np.where(np.isnan(distance), np.inf, distance)
        worst: tuple[float, Any] = (CLOSE, None)
        for middle in trial.trues(omega).tolist():
            with np.errstate(invalid="ignore"):
                gap = distance - (distance[:, middle][:, None] + distance[middle][None, :])
            gap[~np.isfinite(distance)] = 0.0
            at = int(np.argmax(gap))
            if gap.flat[at] > worst[0] + CLOSE:
                worst = (float(gap.flat[at]), (*divmod(at, len(omega)), middle))
        if worst[1] is not None:
            a, c, b = worst[1]
            text = (
                f"the distance is {distance[a, c]:.4g}, but through the one between it is "
                f"{distance[a, b]:.4g} + {distance[b, c]:.4g}, which is {worst[0]:.4g} less"
            )
            sets = {"true": omega.labels[a], "between": omega.labels[b], "pred": omega.labels[c]}
            yield Counterexample(text, {name: as_sets(labels) for name, labels in sets.items()})


def _n_invariant(trial: Trial) -> Iterator[Counterexample]:
    for pair in trial.pairs():
        twice = trial.value(np.tile(pair.true, 2), np.tile(pair.pred, 2), copies=2)
        if not same(twice, pair.value) and not np.isnan(twice):
            text = f"{trial.name} = {pair.value:.4g}, but {twice:.4g} with every point doubled"
            yield example(pair.true, pair.pred, text)
