"""A measure's values for all pairs of clusterings of a few points: what the properties are read from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, ClusterdiffWarning, MeasureError
from clusterdiff.measures import Measure
from clusterdiff.measures.subcomponents import subcomponent
from clusterdiff.meet.enumeration import Universe, as_sets, universe
from clusterdiff.meet.lattice import Components
from clusterdiff.meet.meet import Meet
from clusterdiff.messages import Message
from clusterdiff.paper.findings import CLOSE, Finding, example, same
from clusterdiff.points.alignment import align
from clusterdiff.points.data import Distances
from clusterdiff.points.labels import FloatArray


def labels_of(sizes: Sequence[int]) -> npt.NDArray[np.int64]:
    """The labels of a clustering with clusters of these sizes.

    >>> labels_of((2, 1)).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(sizes)), sizes)


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
                Message(
                    "`features` and `distances` must have a row for each of the {points} points; got {rows}.",
                    points=points,
                    rows=min(given),
                )
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
        self.s = None if s is None else subcomponent(s)
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
        self.outside = any(issubclass(warning.category, ClusterdiffWarning) for warning in said)
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
            if not same(one, other):
                text = f"{self.name} = {one:.4g}, but {other:.4g} when points and clusters are renamed"
                renamed = {"true'": as_sets(other_true), "pred'": as_sets(other_pred)}
                return Finding(False, example(true, pred, text, **renamed))
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

    def extreme(self, n: int, *, largest: bool) -> Pair | None:
        """The pair of n points with the greatest or the least value; None if the measure refuses them all."""
        pairs = list(self.pairs(n, n))
        if not pairs:
            return None
        return (max if largest else min)(pairs, key=lambda pair: pair.value)

    def better(self, worse: float, better: float) -> bool:
        """Whether the second value says "more alike" than the first."""
        return bool(better > worse + CLOSE if self.measure.similarity else better < worse - CLOSE)

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
                    (int(components.size[j]), self.part(pair.meet, components.of_true == j, memo))
                    for j in range(len(components))
                ]
                out.setdefault(pair.n, []).append((pair, scores))
        return out

    def part(self, meet: Meet, chosen: npt.NDArray[np.bool_], memo: dict[bytes, float]) -> float:
        """The measure for the points of some true clusters; ``memo`` keeps what was found."""
        part = meet.restrict(chosen)
        if self.data:
            return self.of(part)
        key = np.concatenate([part.indptr, part.pred, part.size]).tobytes()
        if key not in memo:
            memo[key] = self.of(part)
        return memo[key]
