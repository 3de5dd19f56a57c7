"""Whether a measure is a sum over parts: over components (equations 1 and 2) or over cells (equation 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from clusterdiff.measures.registry import Decomposition
from clusterdiff.paper.findings import CLOSE, Counterexample, Finding, example
from clusterdiff.paper.trial import Trial

#: Solving for an unknown combination is cubic in the number of pairs; this many points decide it.
MOST_UNKNOWN = 6


def decomposed(trial: Trial, by: Decomposition, word: str) -> Iterator[Counterexample]:
    """Pairs whose value is not the sum over their components that ``by`` makes of them."""
    for n, found in trial.parts.items():
        for pair, parts in found:
            sizes = np.array([size for size, _ in parts])
            scores = np.array([score for _, score in parts])
            sum_ = float(by.weight(sizes, n) @ scores) + by.rest(sizes, n)
            if abs(sum_ - pair.value) > CLOSE:
                yield example(pair.true, pair.pred, f"{trial.name} = {pair.value:.4g}, but {word} {sum_:.4g}")


def convex_additive(trial: Trial) -> Iterator[Counterexample]:
    """Refinements whose value is not the mean over the true clusters."""
    for n, found in trial.parts.items():
        for pair, parts in found:
            if len(pair.meet) == pair.meet.k_pred and len(parts) == pair.meet.k_true:
                mean = sum(size * score for size, score in parts) / n
                if abs(mean - pair.value) > CLOSE:
                    text = f"{trial.name} = {pair.value:.4g}, but the mean over true clusters is {mean:.4g}"
                    yield example(pair.true, pair.pred, text)


class _Unknowns:
    """Linear equations in unknowns that are named as they come; finds the first that contradicts the others."""

    def __init__(self) -> None:
        self._solved: dict[Any, tuple[dict[Any, float], float]] = {}

    def add(self, terms: Mapping[Any, float], value: float) -> float | None:
        """Add Σ terms = value; the value that the earlier equations force instead, or None."""
        row, right = dict(terms), value
        # An equation holds no unknown that an earlier one was solved for, so this comes to an end.
        while known := [name for name in row if name in self._solved]:
            for name in known:
                factor = row.pop(name)
                rest, constant = self._solved[name]
                right -= factor * constant
                for other, coefficient in rest.items():
                    row[other] = row.get(other, 0.0) - factor * coefficient
        row = {name: x for name, x in row.items() if abs(x) > CLOSE}
        if not row:
            return None if abs(right) <= CLOSE * 100 else value - right
        name = max(row, key=lambda x: abs(row[x]))
        scale = row.pop(name)
        self._solved[name] = ({other: x / scale for other, x in row.items()}, right / scale)
        return None


def decomposable(trial: Trial) -> Finding:
    """Whether any w(|J|, n) and b(𝕁, n) satisfy equation 1: the equations are linear in w and b."""
    for n, found in trial.parts.items():
        unknowns = _Unknowns()
        for pair, parts in found if n <= MOST_UNKNOWN else ():
            terms: dict[Any, float] = {("b", tuple(sorted(size for size, _ in parts))): 1.0}
            for size, score in parts:
                terms["w", size] = terms.get(("w", size), 0.0) + score
            forced = unknowns.add(terms, pair.value)
            if forced is not None:
                text = (
                    f"{trial.name} = {pair.value:.4g}, but w and b that fit the other pairs give {forced:.4g}"
                )
                return Finding(False, example(pair.true, pair.pred, text))
    return Finding(True)


def meet_weighted(trial: Trial) -> Finding:
    """Whether any σ satisfies equation 3, σ being free for each shape of the two subcomponents and the cell."""
    unknowns = _Unknowns()
    for pair in trial.pairs(1, MOST_UNKNOWN):
        meet = pair.meet
        split = [tuple(sorted(x.tolist())) for x in np.split(meet.size, meet.indptr[1:-1])]
        other = meet.transpose()
        merge = [tuple(sorted(x.tolist())) for x in np.split(other.size, other.indptr[1:-1])]
        terms: dict[Any, float] = {}
        for t, p, m in zip(meet.true.tolist(), meet.pred.tolist(), meet.size.tolist(), strict=True):
            key = (split[t], merge[p], m)
            terms[key] = terms.get(key, 0.0) + m
        forced = unknowns.add(terms, pair.value * pair.n)
        if forced is not None:
            text = f"{trial.name} = {pair.value:.4g}, but a σ that fits smaller pairs gives {forced / pair.n:.4g}"
            return Finding(False, example(pair.true, pair.pred, text))
    return Finding(True)
