"""What later work asks of a measure: a constant baseline, monotonicity, and additivity (Meilă, Gösgens et al.)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from clusterdiff.meet.enumeration import Universe, as_sets, universe
from clusterdiff.meet.lattice import Components
from clusterdiff.paper.findings import CLOSE, Counterexample, example, same
from clusterdiff.paper.trial import Trial


def constant_baseline(trial: Trial) -> Iterator[Counterexample]:
    """Sizes of clusters for which shuffled labels score otherwise than for the first: exact, by enumeration."""
    level: tuple[float, str] | None = None
    for n in trial.values:
        omega = universe(n)
        for row, true in enumerate(trial.trues(omega).tolist()):
            for kind, pred in enumerate(omega.representatives.tolist()):
                mean = _mean(trial, omega, row, kind)
                if _fixed(omega, true) or _fixed(omega, pred) or np.isnan(mean):
                    continue
                told = f"{mean:.4g} on average for clusters of these sizes"
                if level is None:
                    level = mean, f"{_sizes(omega, true)} against {_sizes(omega, pred)}"
                elif not same(mean, level[0]):
                    text = f"shuffled labels score {told}, and {level[0]:.4g} for {level[1]}"
                    yield example(omega.labels[true], omega.labels[pred], text)


def _mean(trial: Trial, omega: Universe, row: int, kind: int) -> float:
    return float(np.mean(trial.values[omega.n][row][omega.kind == kind]))


def _fixed(omega: Universe, clustering: int) -> bool:
    """Whether it is one cluster or all singletons, which leave nothing to chance."""
    return int(omega.labels[clustering].max()) + 1 in (1, omega.n)


def _sizes(omega: Universe, clustering: int) -> str:
    return " + ".join(map(str, omega.sizes[omega.kind[clustering]]))


def monotonous(trial: Trial) -> Iterator[Counterexample]:
    """Predictions that a perfect split or a perfect merge does not improve.

    A perfect split parts a predicted cluster and no true one; a perfect merge unites parts of one true cluster. A truth
    of one cluster, or of all singletons, is left out: measures that correct for chance are 0 against anything else.
    """
    for pair in trial.pairs():
        if pair.meet.k_true in (1, pair.n):
            continue
        count = int(pair.pred.max()) + 1
        inside = [np.unique(pair.true[pair.pred == cluster]) for cluster in range(count)]
        for cluster, parts in enumerate(inside):
            for chosen in _proper(parts.tolist()):
                moved = (pair.pred == cluster) & np.isin(pair.true, chosen)
                yield from _improved(
                    trial, pair.true, pair.pred, np.where(moved, count, pair.pred), pair.value, "split"
                )
        for one, other in combinations(range(count), 2):
            if len(inside[one]) == len(inside[other]) == 1 and inside[one][0] == inside[other][0]:
                after = np.where(pair.pred == other, one, pair.pred)
                yield from _improved(trial, pair.true, pair.pred, after, pair.value, "merge")


def _proper(parts: list[int]) -> Iterator[tuple[int, ...]]:
    """The ways to choose some parts and not all, each with its rest once."""
    for size in range(1, len(parts)):
        yield from (chosen for chosen in combinations(parts, size) if parts[0] not in chosen)


def _improved(
    trial: Trial, true: np.ndarray, pred: np.ndarray, after: np.ndarray, before: float, word: str
) -> Iterator[Counterexample]:
    value = trial.value(true, after)
    if not np.isnan(value) and not trial.better(before, value):
        text = f"{trial.name} = {before:.4g} for pred and {value:.4g} for pred': no better after a perfect {word}"
        yield example(true, pred, text, **{"pred'": as_sets(after)})


def refinement_additive(trial: Trial) -> Iterator[Counterexample]:
    """Clusterings that are not on the way from ⊤ to ⊥: d(⊤, ℂ) + d(ℂ, ⊥) = d(⊤, ⊥) fails (Meilă's axiom A2)."""
    for n in trial.values:
        if n < 2:
            continue
        top, bottom = np.zeros(n, dtype=np.int64), np.arange(n)
        whole = _distance(trial, top, bottom)
        omega = universe(n)
        for clustering in omega.representatives.tolist():
            middle = omega.labels[clustering]
            first, second = _distance(trial, top, middle), _distance(trial, middle, bottom)
            if not same(first + second, whole) and not np.isnan(first + second + whole):
                text = f"from ⊤ to ⊥ the distance is {whole:.4g}, but through this one it is {first:.4g} + {second:.4g}"
                yield Counterexample(text, {"between": as_sets(middle)})


def meet_collinear(trial: Trial) -> Iterator[Counterexample]:
    """Pairs whose meet is not between them: d(𝕃, 𝕄) + d(𝕄, ℂ) = d(𝕃, ℂ) fails (Meilă's collinearity of the meet)."""
    for pair in trial.pairs(2):
        cells = np.unique(np.stack([pair.true, pair.pred]), axis=1, return_inverse=True)[1].ravel()
        whole = _distance(trial, pair.true, pair.pred)
        first, second = _distance(trial, pair.true, cells), _distance(trial, cells, pair.pred)
        if not same(first + second, whole) and not np.isnan(first + second + whole):
            text = f"the distance is {whole:.4g}, but through the meet it is {first:.4g} + {second:.4g}"
            yield example(pair.true, pair.pred, text)


def _distance(trial: Trial, one: np.ndarray, other: np.ndarray) -> float:
    value = trial.value(one, other)
    return trial.measure.best - value if trial.measure.similarity else value


def composition_additive(trial: Trial) -> Iterator[Counterexample]:
    """Pairs that refine a third clustering, and are not the mean over its clusters (Meilă's property 8)."""
    memo: dict[bytes, float] = {}
    for pair in trial.pairs(2):
        components = Components(pair.meet)
        parts = list(range(len(components)))
        for chosen in _proper(parts):
            mean = 0.0
            for group in (chosen, tuple(part for part in parts if part not in chosen)):
                inside = np.isin(components.of_true, group)
                size = int(pair.meet.true_size[inside].sum())
                mean += size / pair.n * trial.part(pair.meet, inside, memo)
            if abs(mean - pair.value) > CLOSE:
                text = (
                    f"{trial.name} = {pair.value:.4g}, but the mean over the two clusters of a clustering that both "
                    f"refine is {mean:.4g}"
                )
                yield example(pair.true, pair.pred, text)
