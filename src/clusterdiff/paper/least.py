"""Table 2: under which condition a measure attains its least value."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor, log, sqrt
from typing import Any

import numpy as np

from clusterdiff.meet.meet import Meet
from clusterdiff.paper.findings import CLOSE, Counterexample, Finding, example, first, not_asked
from clusterdiff.paper.trial import Trial


def _is_bottom(meet: Meet) -> bool:
    return len(meet) == meet.n


def _independent(meet: Meet) -> bool:
    sums = meet.sums
    return abs(sums.h_true + sums.h_pred - sums.h_joint) <= CLOSE


def _common_cluster(meet: Meet) -> bool:
    isolated = (np.diff(meet.indptr)[meet.true] == 1) & (np.bincount(meet.pred)[meet.pred] == 1)
    return bool(isolated.any())


def paper_bound_n(n: int) -> float:
    """The least value of N by table 2 and proposition 5.1."""
    return (floor(sqrt(n)) + ceil(sqrt(n))) / (2 * n)


Condition = Callable[[Meet, float, Mapping[str, Any]], bool]

#: Measure → the condition under which it attains its least value, by table 2.
TABLE_2: dict[str, Condition] = {
    "R": lambda meet, value, _: _is_bottom(meet) and meet.sums.h_true * meet.sums.h_pred <= CLOSE,
    "A": lambda meet, value, _: _is_bottom(meet) and meet.sums.h_true * meet.sums.h_pred <= CLOSE,
    "N": lambda meet, value, _: _is_bottom(meet) and abs(value - paper_bound_n(meet.n)) <= CLOSE,
    "I": lambda meet, value, _: _independent(meet),
    "NMI": lambda meet, value, _: meet.sums.h_joint > CLOSE and _independent(meet),
    "V": lambda meet, value, _: _is_bottom(meet) and _independent(meet),
    "K": lambda meet, value, given: (
        abs(meet.sums.h_joint - 2 * log(given["k"])) <= CLOSE and _independent(meet)
    ),
    **dict.fromkeys(
        ("S*", "S_H", "S_MSE"), lambda meet, value, _: _is_bottom(meet) and not _common_cluster(meet)
    ),
}


def lower_bound(trial: Trial) -> Finding:
    """Whether the least value is attained where the condition of table 2 holds, and only there."""
    condition = TABLE_2.get(trial.measure.symbol)
    if condition is None:
        return not_asked("table 2 does not have it")
    return first(_misplaced(trial, condition))


def _misplaced(trial: Trial, condition: Condition) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        least = trial.extreme(n, largest=False)
        if least is None:
            continue
        for pair in trial.pairs(n, n):
            attained = pair.value - least.value <= CLOSE
            if attained != condition(pair.meet, pair.value, trial.measure.parameters):
                so = "is the least" if attained else f"is not the least, {least.value:.4g},"
                but = "but the condition does not hold" if attained else "but the condition holds"
                yield example(
                    pair.true, pair.pred, f"{trial.name} = {pair.value:.4g} {so} for n = {n}, {but}"
                )
