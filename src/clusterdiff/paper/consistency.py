"""Property 4.4: whether a measure gives a single split or merge the score of the s that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.measures import Measure
from clusterdiff.measures.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.paper.findings import CLOSE, Counterexample, Finding, example, first, not_asked
from clusterdiff.paper.trial import Trial


def largest_share(sizes: npt.NDArray[Any]) -> float:
    """The share of the largest part."""
    return float(sizes.max() / sizes.sum())


def entropy_over(most: float) -> Callable[..., float]:
    """One minus the entropy of the parts as a share of ``most``, but never below 0."""

    def s(sizes: npt.NDArray[Any]) -> float:
        share = sizes / sizes.sum()
        return max(0.0, 1 + float(np.sum(share * np.log(share))) / most)

    return s


def made_of(measure: Measure) -> Subcomponent | None:
    """The subcomponent measure that one of the paper's measures is made of.

    N and K are S' with these (for K the paper prints log k², which gives half of K's slope); A equals the
    largest share on a split or a merge.
    """
    symbol, given = measure.symbol, measure.parameters
    if symbol in ("S_H", "S_MSE"):
        return subcomponents["entropy" if symbol == "S_H" else "mse"]
    if symbol in ("S*", "S'"):
        return subcomponent(given.get("s", "entropy"))
    if symbol in ("N", "A"):
        return subcomponent(largest_share, "sizes", "largest share")
    if symbol == "K" and "k" in given:
        return subcomponent(entropy_over(log(given["k"])), "sizes", "1 - H/log k")
    return None


def consistent(trial: Trial) -> Finding:
    """Whether the measure has the value of its s for every split and every merge."""
    s = made_of(trial.measure) if trial.s is None else trial.s
    if s is None:
        return not_asked("it is not made of subcomponent scores")
    return first(_inconsistent(trial, s))


def _inconsistent(trial: Trial, s: Subcomponent) -> Iterator[Counterexample]:
    for pair in trial.pairs():
        for meet, what in ((pair.meet, "split"), (pair.meet.transpose(), "merge")):
            if meet.k_true == 1:
                score = float(s(meet)[0])
                if abs(score - pair.value) > CLOSE:
                    text = f"{trial.name} = {pair.value:.4g} for this {what}, but s = {score:.4g}"
                    yield example(pair.true, pair.pred, text)
