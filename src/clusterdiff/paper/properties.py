"""The properties of measures: each looks for pairs of clusterings that speak against it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, floor, log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import ArgumentError, MeasureError
from clusterdiff.measures import Measure
from clusterdiff.measures.registry import JOIN_WEIGHTED, Decomposition
from clusterdiff.measures.subcomponents import Subcomponent, subcomponent, subcomponents
from clusterdiff.meet.enumeration import Universe, as_sets, universe
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.points.alignment import align
from clusterdiff.points.data import Distances
from clusterdiff.points.labels import FloatArray

#: Two values closer than this are one: the measures round differently for different pairs.
CLOSE = 1e-9
#: Solving for an unknown combination is cubic in the number of pairs; this many points decide it.
MOST_UNKNOWN = 6

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
    "decomposition": "its stated w and b do (table 1)",
    "join_weighted": "the mean over components (property 4.1)",
    "meet_weighted": "the mean of some σ over cells (property 4.5)",
    "subcomponent_consistent": "S({L}, ℂ_L) = s(ℂ|L) (property 4.4)",
    "convex_additive": "the mean over true clusters where ℂ refines 𝕃 (Meilă's axiom A3)",
    "triangle": "1 − S, or the distance, obeys the triangle inequality",
    "n_invariant": "every point doubled changes nothing (Meilă)",
    "homogeneity": "splitting a cluster by its two true clusters is better (Amigó)",
    "completeness": "merging two clusters of one true cluster is better (Amigó)",
    "rag_bag": "a stray point does less harm in a mixed cluster than in a clean one (Amigó)",
    "size_quantity": "one point off a large cluster is better than many small clusters broken (Amigó)",
}


@dataclass(frozen=True)
class Counterexample:
    """Clusterings for which a property fails: what is wrong, and with which."""

    text: str
    clusterings: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """How many points it takes."""
        return max((sum(map(len, sets)) for sets in self.clusterings.values()), default=0)

    def to_dict(self) -> dict[str, Any]:
        """The clusterings as lists of lists of points, and what is wrong with them."""
        sets = {name: [list(cluster) for cluster in sets] for name, sets in self.clusterings.items()}
        return {"points": self.points, "clusterings": sets, "text": self.text}

    def __str__(self) -> str:
        width = max((len(name) for name in self.clusterings), default=0)
        drawn = [f"{name:<{width}}  {draw(sets)}" for name, sets in self.clusterings.items()]
        return "\n".join([*drawn, self.text])


def draw(sets: Iterable[Iterable[int]]) -> str:
    """A clustering in one line of text.

    >>> draw([[0, 1, 3], [2]])
    '0 1 3 | 2'
    """
    return " | ".join(" ".join(map(str, cluster)) for cluster in sets)


class Finding(NamedTuple):
    """Whether a property holds: True, False, or None where the question does not arise."""

    holds: bool | None
    counterexample: Counterexample | None = None
    note: str = ""


# ---- values


class PointData:
    """The points' features or distances, for measures that need them, cut to the first n points."""

    def __init__(self, needs: str | None, points: int, features: object, distances: object) -> None:
        # More points than are enumerated: the constraints of Amigó et al. need up to 3·points + 1.
        place = np.random.default_rng(0).normal(size=(3 * points + 1, 2))
        self.features = self.distances = None
        if features is not None:
            self.features = np.asarray(features, dtype=np.float64).reshape(len(np.asarray(features)), -1)
        elif needs == "features":
            self.features = place
        if distances is not None:
            self.distances = np.asarray(distances, dtype=np.float64)
        elif needs == "distances":
            self.distances = np.linalg.norm(place[:, None] - place[None], axis=2)
        given = [len(x) for x in (self.features, self.distances) if x is not None]
        if given and min(given) < points:
            raise ArgumentError(
                f"`features` and `distances` must have a row for each of the {points} points; got {min(given)}."
            )
        self.most = min(given, default=None)

    def __bool__(self) -> bool:
        return self.most is not None

    def meet(self, true: npt.NDArray[Any], pred: npt.NDArray[Any], copies: int = 1) -> Meet:
        """The meet of two labellings of the first points, or of copies of them."""
        row = np.arange(len(true)) % (len(true) // copies)
        links = None
        if self.distances is not None:
            links = Distances(self.distances[np.ix_(row, row)], align(true, pred).order).sums
        return Meet.of_points(
            true.astype(np.int64),
            pred.astype(np.int64),
            features=None if self.features is None else self.features[row],
            link_sums=links,
        )


class Pair(NamedTuple):
    """Two clusterings, the measure's value for them, and its values for their components."""

    true: npt.NDArray[np.int8]
    pred: npt.NDArray[np.int8]
    value: float
    meet: Meet

    @property
    def n(self) -> int:
        """Number of points."""
        return len(self.true)


class Trial:
    """A measure's values for all pairs: ``values[n][t, p]`` for true clustering t and predicted clustering p.

    t runs over the representatives if renaming points changes nothing, and else over all clusterings.
    """

    def __init__(
        self, measure: Measure, points: int, data: PointData, s: Any, progress: Callable[[str], None]
    ) -> None:
        self.measure = measure
        self.points = points
        self.data = data
        self.progress = progress
        self.own_s = _made_of(measure) if s is None else subcomponent(s)
        self.outside = False  # whether the last pair was outside the measure's domain
        self.error: MeasureError | None = None
        self.invariance = (
            Finding(None, note="it looks at the points themselves") if data else self._invariance()
        )
        self.renaming = self.invariance.holds is True
        self.values: dict[int, FloatArray] = {}
        self._pairs: dict[int, list[Pair]] = {}
        for n in range(1, points + 1):
            progress(f"{measure.name}: n = {n}")
            self._enumerate(universe(n))
        if all(np.isnan(v).all() for v in self.values.values()):
            raise self.error or MeasureError(f"{measure.name} has no value for any pair of clusterings.")

    def value(self, true: npt.NDArray[Any], pred: npt.NDArray[Any], copies: int = 1) -> float:
        """The measure for one pair, NaN if it refuses it."""
        return self.of(self.data.meet(true, pred, copies))

    def of(self, meet: Meet) -> float:
        """The measure for one meet, NaN if it refuses it; ``outside`` says whether it refuses it or warns."""
        self.outside = False
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                value = float(self.measure(meet))
        except MeasureError as error:
            self.outside, self.error = True, error
            return float("nan")
        self.outside = any(issubclass(warning.category, UserWarning) for warning in said)
        return value

    def _invariance(self) -> Finding:
        """Whether renaming the points and clusters of a pair leaves its value alone, tried on each kind of pair."""
        rng = np.random.default_rng(0)
        n = min(self.points, 5)
        omega = universe(n)
        for t, p in zip(*omega.pairs[:2], strict=True):
            true, pred = omega.labels[t], omega.labels[p]
            order = rng.permutation(n)
            other_true, other_pred = rng.permutation(n)[true][order], rng.permutation(n)[pred][order]
            one, other = self.value(true, pred), self.value(other_true, other_pred)
            if not _same(one, other):
                text = f"{self.name} = {one:.4g}, but {other:.4g} when points and clusters are renamed"
                renamed = {"true'": as_sets(other_true), "pred'": as_sets(other_pred)}
                return Finding(False, _example(true, pred, text, **renamed))
        return Finding(True)

    def _enumerate(self, omega: Universe) -> None:
        n = omega.n
        if self.renaming:
            trues, preds = omega.pairs[:2]
        else:
            trues, preds = (index.ravel() for index in np.indices((len(omega), len(omega))))
        found = np.empty(len(trues))
        pairs = []
        for i, (t, p) in enumerate(zip(trues.tolist(), preds.tolist(), strict=True)):
            meet = self.data.meet(omega.labels[t], omega.labels[p])
            found[i] = self.of(meet)
            if self.outside:
                found[i] = float("nan")
            else:
                pairs.append(Pair(omega.labels[t], omega.labels[p], found[i], meet))
        # Few cells first: the first counterexample is then the smallest.
        self._pairs[n] = sorted(pairs, key=lambda pair: len(pair.meet))
        if not self.renaming:
            self.values[n] = found.reshape(len(omega), len(omega))
            return
        self.values[n] = np.empty((len(omega.representatives), len(omega)))
        start = 0
        for row, (first, inverse) in enumerate(omega.classes):
            self.values[n][row] = found[start : start + len(first)][inverse]
            start += len(first)

    @property
    def name(self) -> str:
        """The measure's name, as it was asked for."""
        return self.measure.name

    @property
    def counted(self) -> int:
        """How many pairs of clusterings the values stand for."""
        return sum(len(universe(n)) ** 2 for n in self.values)

    def pairs(self, least: int = 1, most: int | None = None) -> Iterator[Pair]:
        """The pairs that stand for all, small ones first."""
        for n, pairs in self._pairs.items():
            if least <= n <= (most or self.points):
                yield from pairs

    def trues(self, omega: Universe) -> npt.NDArray[np.int64]:
        """The clusterings that the rows of ``values`` stand for."""
        return omega.representatives if self.renaming else np.arange(len(omega))

    def full(self, omega: Universe) -> FloatArray:
        """The values for all pairs: every row is a representative's, with the points renamed."""
        rows = self.values[omega.n]
        if not self.renaming:
            return rows
        return np.stack([rows[kind][omega.moved(i)] for i, kind in enumerate(omega.kind.tolist())])

    def similar(self, value: Any) -> Any:
        """A value as a similarity: one minus a distance."""
        return value if self.measure.similarity else 1.0 - value

    @cached_property
    def parts(self) -> dict[int, list[tuple[Pair, list[tuple[int, float]]]]]:
        """For each n, the pairs of more than one component, with the size and the value of each component."""
        memo: dict[bytes, float] = {}
        out: dict[int, list[tuple[Pair, list[tuple[int, float]]]]] = {}
        for pair in self.pairs(2):
            components = Components(pair.meet)
            if len(components) > 1:
                scores = [
                    (int(components.size[j]), self._part(pair.meet, components.of_true == j, memo))
                    for j in range(len(components))
                ]
                out.setdefault(pair.n, []).append((pair, scores))
        return out

    def _part(self, meet: Meet, chosen: npt.NDArray[np.bool_], memo: dict[bytes, float]) -> float:
        part = meet.restrict(chosen)
        if self.data:
            return self.of(part)
        key = np.concatenate([part.indptr, part.pred, part.size]).tobytes()
        if key not in memo:
            memo[key] = self.of(part)
        return memo[key]


def _same(one: float, other: float) -> bool:
    return bool(np.isnan(one) and np.isnan(other)) or abs(one - other) <= CLOSE


def _example(true: npt.ArrayLike, pred: npt.ArrayLike, text: str, **more: Any) -> Counterexample:
    return Counterexample(text, {"true": as_sets(true), "pred": as_sets(pred), **more})


def _first(counterexamples: Iterator[Counterexample]) -> Finding:
    found = next(counterexamples, None)
    return Finding(found is None, found)


# ---- the properties of a measure


def measure_findings(trial: Trial) -> dict[str, Finding]:
    """What speaks for and against each property of ``PROPERTIES``."""
    measure = trial.measure
    scaled = np.isfinite(measure.best)
    return {
        "invariant": trial.invariance,
        "symmetric": _first(_symmetric(trial)),
        "identity": _first(_identity(trial)) if scaled else _not("its value for 𝕃 = ℂ differs from 𝕃 to 𝕃"),
        "bounds": _not("it states none") if measure.family == "own" else _first(_bounds(trial)),
        "normalised": _first(_normalised(trial)),
        "conditionally_normalised": _first(_conditionally_normalised(trial)),
        "lower_bound": _lower_bound(trial),
        "decomposable": _not("it looks at the points themselves") if trial.data else _decomposable(trial),
        "decomposition": _not("it states none")
        if measure.decomposition is None
        else _first(_decomposed(trial, measure.decomposition, "its decomposition gives")),
        "join_weighted": _first(_decomposed(trial, JOIN_WEIGHTED, "the mean over components is")),
        "meet_weighted": _not("it looks at the points themselves") if trial.data else _meet_weighted(trial),
        "subcomponent_consistent": _consistent(trial),
        "convex_additive": _first(_convex_additive(trial)),
        "triangle": _first(_triangle(trial)) if scaled else _not("it is not a distance from 𝕃 = ℂ"),
        "n_invariant": _first(_n_invariant(trial)),
        "homogeneity": _first(_homogeneity(trial)),
        "completeness": _first(_completeness(trial)),
        "rag_bag": _contrasted(trial, _rag_bag(trial.points)),
        "size_quantity": _contrasted(trial, _size_quantity(trial.points)),
    }


def _not(why: str) -> Finding:
    return Finding(None, note=why)


def _symmetric(trial: Trial) -> Iterator[Counterexample]:
    for n, values in trial.values.items():
        omega = universe(n)
        rows = trial.trues(omega)
        other = trial.full(omega)[:, rows].T
        bad = np.argwhere(~(np.isclose(values, other, rtol=0, atol=CLOSE, equal_nan=True)))
        for t, p in bad:
            text = f"{trial.name} = {values[t, p]:.4g}, but {other[t, p]:.4g} with true and pred exchanged"
            yield _example(omega.labels[rows[t]], omega.labels[p], text)


def _identity(trial: Trial) -> Iterator[Counterexample]:
    best = trial.measure.best
    for pair in trial.pairs():
        if pair.meet.same != (abs(pair.value - best) <= CLOSE):
            so = f"although they are the same, and not {best:g}" if pair.meet.same else "although they differ"
            yield _example(pair.true, pair.pred, f"{trial.name} = {pair.value:.4g}, {so}")


def _extreme(trial: Trial, n: int, largest: bool) -> Pair | None:
    pairs = list(trial.pairs(n, n))
    if not pairs:
        return None
    return (max if largest else min)(pairs, key=lambda pair: pair.value)


def _bounds(trial: Trial) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        stated = trial.measure.bounds_at(n)
        yield from _range(trial, n, stated, "its stated bound")


def _normalised(trial: Trial) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        yield from _range(trial, n, (0.0, 1.0), "the bound")


def _range(trial: Trial, n: int, bounds: tuple[float, float], what: str) -> Iterator[Counterexample]:
    for largest, bound in enumerate(bounds):
        pair = _extreme(trial, n, bool(largest))
        if pair is not None and np.isfinite(bound) and abs(pair.value - bound) > CLOSE:
            word = "greatest" if largest else "least"
            text = f"the {word} {trial.name} is {pair.value:.4g} for n = {n}, and {what} is {bound:.4g}"
            yield _example(pair.true, pair.pred, text)


def _conditionally_normalised(trial: Trial) -> Iterator[Counterexample]:
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
                yield _example(true, pred, f"clause 1: {trial.name} = {row[defined[odd[0]]]:.4g} for this ℂ")
            elif not zero.any() and n > 1:
                worst = int(np.argmin(score))
                text = (
                    f"clause 2: this 𝕃 has no worst clustering; the least {trial.name} is {score[worst]:.4g}"
                )
                yield _example(true, omega.labels[defined[worst]], text)
            elif n > 2 and not (~one & ~zero).any():
                text = f"clause 3: {trial.name} is 0 for this 𝕃 and every other clustering"
                yield Counterexample(text, {"true": as_sets(true)})


def _decomposed(trial: Trial, by: Decomposition, word: str) -> Iterator[Counterexample]:
    for n, found in trial.parts.items():
        for pair, parts in found:
            sizes = np.array([size for size, _ in parts])
            scores = np.array([score for _, score in parts])
            sum_ = float(by.weight(sizes, n) @ scores) + by.rest(sizes, n)
            if abs(sum_ - pair.value) > CLOSE:
                yield _example(
                    pair.true, pair.pred, f"{trial.name} = {pair.value:.4g}, but {word} {sum_:.4g}"
                )


def _convex_additive(trial: Trial) -> Iterator[Counterexample]:
    for n, found in trial.parts.items():
        for pair, parts in found:
            if len(pair.meet) == pair.meet.k_pred and len(parts) == pair.meet.k_true:
                mean = sum(size * score for size, score in parts) / n
                if abs(mean - pair.value) > CLOSE:
                    text = f"{trial.name} = {pair.value:.4g}, but the mean over true clusters is {mean:.4g}"
                    yield _example(pair.true, pair.pred, text)


class _Unknowns:
    """Linear equations in unknowns that are named as they come; tells the first that contradicts the others."""

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


def _decomposable(trial: Trial) -> Finding:
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
                return Finding(False, _example(pair.true, pair.pred, text))
    return Finding(True)


def _meet_weighted(trial: Trial) -> Finding:
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
            return Finding(False, _example(pair.true, pair.pred, text))
    return Finding(True)


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
                f"the distance is {distance[a, c]:.4g}, but {distance[a, b]:.4g} + {distance[b, c]:.4g} "
                f"by way of the one between: {worst[0]:.4g} less"
            )
            sets = {"true": omega.labels[a], "between": omega.labels[b], "pred": omega.labels[c]}
            yield Counterexample(text, {name: as_sets(labels) for name, labels in sets.items()})


def _n_invariant(trial: Trial) -> Iterator[Counterexample]:
    for pair in trial.pairs():
        twice = trial.value(np.tile(pair.true, 2), np.tile(pair.pred, 2), copies=2)
        if not _same(twice, pair.value) and not np.isnan(twice):
            text = f"{trial.name} = {pair.value:.4g}, but {twice:.4g} with every point doubled"
            yield _example(pair.true, pair.pred, text)


def _better(trial: Trial, worse: float, better: float) -> bool:
    """Whether the second value says "more alike" than the first."""
    return bool(better > worse + CLOSE if trial.measure.similarity else better < worse - CLOSE)


def _homogeneity(trial: Trial) -> Iterator[Counterexample]:
    for pair in trial.pairs():
        for cluster in range(pair.pred.max() + 1):
            inside = pair.pred == cluster
            mixed = np.unique(pair.true[inside])
            if len(mixed) == 2:
                after = np.where(inside & (pair.true == mixed[1]), pair.pred.max() + 1, pair.pred)
                yield from _compared(
                    trial, pair, after, "no better once that cluster is split by its true clusters"
                )


def _completeness(trial: Trial) -> Iterator[Counterexample]:
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
    if not np.isnan(value) and not _better(trial, pair.value, value):
        told = f"{trial.name} = {pair.value:.4g} for pred and {value:.4g} for pred': {text}"
        yield _example(pair.true, pair.pred, told, **{"pred'": as_sets(after)})


def _rag_bag(points: int) -> Iterator[_Contrast]:
    for k in range(2, points + 1):
        # k points of one true cluster, k points that are true clusters of their own, and a stray one
        yield _Contrast(
            np.concatenate([np.zeros(k, dtype=int), 1 + np.arange(k + 1)]),
            np.repeat([0, 1, 0], [k, k, 1]),
            np.repeat([0, 1, 1], [k, k, 1]),
            "the stray point does no less harm in the mixed cluster",
        )


def _size_quantity(points: int) -> Iterator[_Contrast]:
    for k in range(2, points + 1):
        # a true cluster of k + 1 points, and k true clusters of two
        small = 1 + np.repeat(np.arange(k), 2)
        yield _Contrast(
            np.concatenate([np.zeros(k + 1, dtype=int), small]),
            np.concatenate([np.zeros(k + 1, dtype=int), 1 + np.arange(2 * k)]),
            np.concatenate([np.zeros(k, dtype=int), [k + 1], small]),
            f"{k} broken pairs are no worse than one lost point",
        )


class _Contrast(NamedTuple):
    """A true clustering with two predicted ones, of which the second should score better."""

    true: npt.NDArray[Any]
    worse: npt.NDArray[Any]
    better: npt.NDArray[Any]
    text: str


def _contrasted(trial: Trial, contrasts: Iterable[_Contrast]) -> Finding:
    tried = 0
    for true, worse, better, text in contrasts:
        if trial.data.most is not None and trial.data.most < len(true):
            continue
        low, high = trial.value(true, worse), trial.value(true, better)
        if np.isnan(low) or np.isnan(high):
            continue
        tried += 1
        if not _better(trial, low, high):
            told = f"{trial.name} = {low:.4g} for pred and {high:.4g} for pred': {text}"
            return Finding(False, _example(true, worse, told, **{"pred'": as_sets(better)}))
    return Finding(True) if tried else _not("the clusterings in question are outside its domain")


# ---- table 2


def _is_bottom(meet: Meet) -> bool:
    return len(meet) == meet.n


def _independent(meet: Meet) -> bool:
    sums = meet.sums
    return abs(sums.h_true + sums.h_pred - sums.h_joint) <= CLOSE


def _common_cluster(meet: Meet) -> bool:
    alone = (np.diff(meet.indptr)[meet.true] == 1) & (np.bincount(meet.pred)[meet.pred] == 1)
    return bool(alone.any())


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


def _lower_bound(trial: Trial) -> Finding:
    condition = TABLE_2.get(trial.measure.symbol)
    if condition is None:
        return _not("table 2 does not have it")
    return _first(_misplaced(trial, condition))


def _misplaced(trial: Trial, condition: Condition) -> Iterator[Counterexample]:
    for n in range(2, trial.points + 1):
        least = _extreme(trial, n, largest=False)
        if least is None:
            continue
        for pair in trial.pairs(n, n):
            attained = pair.value - least.value <= CLOSE
            if attained != condition(pair.meet, pair.value, trial.measure.parameters):
                so = "is the least" if attained else f"is not the least, {least.value:.4g},"
                but = "but the condition does not hold" if attained else "but the condition holds"
                yield _example(
                    pair.true, pair.pred, f"{trial.name} = {pair.value:.4g} {so} for n = {n}, {but}"
                )


# ---- property 4.4


def _share(sizes: npt.NDArray[Any]) -> float:
    return float(sizes.max() / sizes.sum())


def _entropy_in_log_k(k: int) -> Callable[..., float]:
    def s(sizes: npt.NDArray[Any]) -> float:
        share = sizes / sizes.sum()
        return max(0.0, 1 + float(np.sum(share * np.log(share))) / log(k))

    return s


def _made_of(measure: Measure) -> Subcomponent | None:
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
        return subcomponent(_share, "sizes", "largest share")
    if symbol == "K" and "k" in given:
        return subcomponent(_entropy_in_log_k(given["k"]), "sizes", "1 - H/log k")
    return None


def _consistent(trial: Trial) -> Finding:
    s = trial.own_s
    if s is None:
        return _not("it is not made of subcomponent scores")
    return _first(_inconsistent(trial, s))


def _inconsistent(trial: Trial, s: Subcomponent) -> Iterator[Counterexample]:
    for pair in trial.pairs():
        for meet, what in ((pair.meet, "split"), (pair.meet.transpose(), "merge")):
            if meet.k_true == 1:
                score = float(s(meet)[0])
                if abs(score - pair.value) > CLOSE:
                    text = f"{trial.name} = {pair.value:.4g} for this {what}, but s = {score:.4g}"
                    yield _example(pair.true, pair.pred, text)
