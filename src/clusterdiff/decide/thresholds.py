"""Which thresholds of a tree are scored, and which of them a sweep keeps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clusterdiff.decide.levels import Levels
from clusterdiff.decide.trees import Int32Array, Tree
from clusterdiff.errors import ArgumentError
from clusterdiff.measures import Measure
from clusterdiff.points.labels import FloatArray, Int64Array

#: Up to so many thresholds all are kept; of more, so many that are evenly spread, and the best ones.
ALL, SOME = 10_000, 200
#: A measure that looks at the points is scored at so many more thresholds around its best, again and again.
AROUND = 40


class Kept(NamedTuple):
    """The thresholds that a sweep keeps, in the order of merging, with their sums and scores.

    ``total`` is how many there are in all. ``exhaustive`` are the measures that were scored at each of them.
    """

    thresholds: FloatArray
    levels: Levels
    scores: dict[str, FloatArray]
    total: int
    exhaustive: frozenset[str]


def score_thresholds(codes: Int32Array, tree: Tree, measures: dict[str, Measure], thresholds: Any) -> Kept:
    """The thresholds that are wanted; where nothing is said, all or, of very many, some and the best of all."""
    every = tree.ends
    if thresholds is None and len(every) > ALL:
        return _searched(Levels(codes, tree, every), measures)
    at, ends = chosen(tree, every, "all" if thresholds is None else thresholds)
    levels = Levels(codes, tree, ends)
    exhaustive = frozenset(measures if np.isin(every, ends).all() else ())
    return Kept(at, levels, levels.scores(measures), len(every), exhaustive)


def chosen(tree: Tree, every: Int64Array, thresholds: Any) -> tuple[FloatArray, Int64Array]:
    """The thresholds to be scored, in the order of merging, and how many merges have happened at each."""
    if isinstance(thresholds, str) and thresholds == "all":
        return tree.thresholds(every), every
    if isinstance(thresholds, int | np.integer) and not isinstance(thresholds, bool):
        if thresholds < 1:
            raise ArgumentError.must("thresholds", "be at least 1", thresholds)
        ends = every[_spread(every, int(thresholds))]
        return tree.thresholds(ends), ends
    try:
        at = np.asarray(thresholds, dtype=np.float64)
    except (TypeError, ValueError):
        at = np.empty((0, 0))
    if at.ndim != 1 or not len(at) or not np.isfinite(at).all():
        raise ArgumentError.must(
            "thresholds", 'be a number of thresholds, "all", or a list of numbers', thresholds
        )
    at = np.unique(at)[::-1] if tree.down else np.unique(at)
    return at.copy(), tree.merged(at)


def best_place(values: FloatArray, measure: Measure) -> int | None:
    """The place of the best value, the first of several; None if there is no value at all."""
    if np.isnan(values).all():
        return None
    return int(np.nanargmax(values) if measure.similarity else np.nanargmin(values))


def _spread(every: Int64Array, count: int) -> Int64Array:
    """The places of so many levels, evenly spaced over the merges, each at the end of its tie."""
    wanted = np.linspace(0, every[-1], count) if count > 1 else every[-1:]
    return np.unique(np.searchsorted(every, np.floor(wanted)))


def _searched(levels: Levels, measures: dict[str, Measure]) -> Kept:
    """Some levels of very many, and the best by each measure: of all levels, if it is made of sums."""
    spread = _spread(levels.ends, SOME)
    summed = {name: measure for name, measure in measures.items() if not levels.looks_at_points(measure)}
    values = levels.scores(summed)
    some = {name: _around(levels, name, measures[name], spread) for name in measures if name not in summed}
    best = [best_place(values[name], measure) for name, measure in summed.items()]
    for name, found in some.items():
        places = np.array(sorted(found))
        best_some = best_place(np.array([found[place] for place in places.tolist()]), measures[name])
        best.append(None if best_some is None else int(places[best_some]))
    kept = np.unique(np.concatenate([spread, np.array([x for x in best if x is not None], dtype=np.int64)]))
    for name, found in some.items():
        _score(levels, name, measures[name], kept, found)
        values[name] = np.full(len(levels), np.nan)
        values[name][kept] = [found[place] for place in kept.tolist()]
    at = levels.at(kept)
    return Kept(
        levels.tree.thresholds(at.ends),
        at,
        {name: values[name][kept] for name in measures},
        len(levels),
        frozenset(summed),
    )


def _around(levels: Levels, name: str, measure: Measure, spread: Int64Array) -> dict[int, float]:
    """A measure at some levels, and at more of them around the best, until all of its neighbours are known."""
    found: dict[int, float] = {}
    wanted = spread
    while len(wanted):
        _score(levels, name, measure, wanted, found)
        known = np.array(sorted(found))
        best = best_place(np.array([found[place] for place in known.tolist()]), measure)
        if best is None:
            break
        low, high = known[max(best - 1, 0)], known[min(best + 1, len(known) - 1)]
        between = np.linspace(low, high, min(AROUND, int(high - low) + 1)).astype(np.int64)
        wanted = np.setdiff1d(between, known)
    return found


def _score(levels: Levels, name: str, measure: Measure, places: Int64Array, found: dict[int, float]) -> None:
    """Score the levels that have not been scored."""
    new = np.array([place for place in places.tolist() if place not in found], dtype=np.int64)
    found.update(zip(new.tolist(), levels.at(new).scores({name: measure})[name].tolist(), strict=True))
