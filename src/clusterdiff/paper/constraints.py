"""The constraints of Amigó et al. (2009): which of two predicted clusterings should score better."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.meet.enumeration import as_sets
from clusterdiff.paper.findings import Counterexample, Finding, example, not_asked
from clusterdiff.paper.trial import Pair, Trial


def homogeneity(trial: Trial) -> Iterator[Counterexample]:
    """Clusters of two true clusters whose split is not rewarded."""
    for pair in trial.pairs():
        for cluster in range(pair.pred.max() + 1):
            inside = pair.pred == cluster
            mixed = np.unique(pair.true[inside])
            if len(mixed) == 2:
                after = np.where(inside & (pair.true == mixed[1]), pair.pred.max() + 1, pair.pred)
                yield from _compared(
                    trial, pair, after, "no better once that cluster is split by its true clusters"
                )


def completeness(trial: Trial) -> Iterator[Counterexample]:
    """Two parts of one true cluster whose merger is not rewarded."""
    for pair in trial.pairs():
        pure = [
            (int(pair.true[pair.pred == c][0]), c)
            for c in range(pair.pred.max() + 1)
            if len(np.unique(pair.true[pair.pred == c])) == 1
        ]
        for i, (true, one) in enumerate(pure):
            for other_true, other in pure[i + 1 :]:
                if true == other_true:
                    after = np.where(pair.pred == other, one, pair.pred)
                    yield from _compared(
                        trial, pair, after, "no better once two parts of one true cluster are merged"
                    )


def _compared(trial: Trial, pair: Pair, after: npt.NDArray[Any], text: str) -> Iterator[Counterexample]:
    value = trial.value(pair.true, after)
    if not np.isnan(value) and not trial.better(pair.value, value):
        told = f"{trial.name} = {pair.value:.4g} for pred and {value:.4g} for pred': {text}"
        yield example(pair.true, pair.pred, told, **{"pred'": as_sets(after)})


class _Contrast(NamedTuple):
    """A true clustering with two predicted ones, of which the second should score better."""

    true: npt.NDArray[Any]
    worse: npt.NDArray[Any]
    better: npt.NDArray[Any]
    text: str


def rag_bag(trial: Trial) -> Finding:
    """Whether a stray point does less harm in a mixed cluster than in a clean one."""
    return _contrasted(trial, _stray_points(trial.points))


def _stray_points(points: int) -> Iterator[_Contrast]:
    for k in range(2, points + 1):
        # k points of one true cluster, k points that are true clusters of their own, and a stray one
        yield _Contrast(
            np.concatenate([np.zeros(k, dtype=int), 1 + np.arange(k + 1)]),
            np.repeat([0, 1, 0], [k, k, 1]),
            np.repeat([0, 1, 1], [k, k, 1]),
            "the stray point does no less harm in the mixed cluster",
        )


def size_quantity(trial: Trial) -> Finding:
    """Whether losing one point of a large cluster is better than breaking many small clusters."""
    return _contrasted(trial, _large_or_many(trial.points))


def _large_or_many(points: int) -> Iterator[_Contrast]:
    for k in range(2, points + 1):
        # a true cluster of k + 1 points, and k true clusters of two
        small = 1 + np.repeat(np.arange(k), 2)
        yield _Contrast(
            np.concatenate([np.zeros(k + 1, dtype=int), small]),
            np.concatenate([np.zeros(k + 1, dtype=int), 1 + np.arange(2 * k)]),
            np.concatenate([np.zeros(k, dtype=int), [k + 1], small]),
            f"{k} broken pairs are no worse than one lost point",
        )


def _contrasted(trial: Trial, contrasts: Iterable[_Contrast]) -> Finding:
    tried = 0
    for true, worse, better, text in contrasts:
        if trial.data.most is not None and trial.data.most < len(true):
            continue
        low, high = trial.value(true, worse), trial.value(true, better)
        if np.isnan(low) or np.isnan(high):
            continue
        tried += 1
        if not trial.better(low, high):
            told = f"{trial.name} = {low:.4g} for pred and {high:.4g} for pred': {text}"
            return Finding(False, example(true, worse, told, **{"pred'": as_sets(better)}))
    return Finding(True) if tried else not_asked("the clusterings in question are outside its domain")
