"""Other ideas of chance: clusterings drawn from all with as many clusters, or from all there are (Gates & Ahn 2017).

Whatever the sizes of the clusters come to, the labels are permuted. So a model is a distribution of sizes on each side:
how many clusters have each size on average, and how to draw them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp, expm1, floor, log, sqrt
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.measures.chance import OnAverage
from clusterdiff.measures.information import mutual_information, vi
from clusterdiff.measures.pairs import rand
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.parts import Pairs
from clusterdiff.points.labels import FloatArray, Int64Array

Model: TypeAlias = Literal["permutation", "num", "num1", "all", "all1"]
MODELS: tuple[Model, ...] = get_args(Model)
#: The measures whose mean is known for every model: their sums are linear in the numbers of clusters of each size.
KNOWN = (rand, mutual_information, vi)
#: From this standard deviation on every h-th size does, h = sd/1.5: a trapezoid rule, off by 1 in 10^19.
WIDE = 24.0


@dataclass(frozen=True, eq=False)
class MeanCounts(SizeCounts):
    """Sizes, and how many clusters have each on average."""

    points: int

    @property
    def n(self) -> int:
        """Number of points."""
        return self.points

    @property
    def pairs(self) -> Any:
        """Pairs of points that are together, on average."""
        return float(self.counts @ (self.sizes * (self.sizes - 1.0) / 2))


class SizeModel(Protocol):
    """The sizes of the clusters of one side, as a model has them."""

    @property
    def fixed(self) -> bool:
        """Whether they are always the same, and it does not matter which points are in which cluster."""

    @property
    def highest_entropy(self) -> float:
        """The highest entropy there is among such clusterings."""

    def mean(self) -> SizeCounts:
        """How many clusters of each size there are on average."""

    def draw(self, random: np.random.Generator) -> Int64Array:
        """The size of each cluster."""


@dataclass(frozen=True)
class ObservedSizes:
    """The sizes at hand."""

    side: SizeCounts

    @property
    def fixed(self) -> bool:
        """Only with one cluster or all singletons."""
        return self.side.k in (1, self.side.n)

    @property
    def highest_entropy(self) -> float:
        """Its own."""
        share = self.side.sizes / self.side.n
        return float(-(self.side.counts @ (share * np.log(share))))

    def mean(self) -> SizeCounts:
        """The same."""
        return self.side

    def draw(self, random: np.random.Generator) -> Int64Array:
        """The same."""
        return self.side.each


@dataclass(frozen=True)
class OfNumber:
    """All clusterings of n points in k clusters, equally likely.

    Their sizes are k Poisson numbers that are not 0, given that they add up to n. The rate λ does not matter; the one
    that makes n the mean of the sum makes that sum likely.
    """

    n: int
    k: int

    @property
    def fixed(self) -> bool:
        """Only with one cluster or all singletons."""
        return self.k in (1, self.n)

    @property
    def highest_entropy(self) -> float:
        """log k."""
        return log(self.k)

    @cached_property
    def rate(self) -> float:
        """λ with λ/(1 − exp(−λ)) = n/k."""
        from scipy import special

        mean = self.n / self.k
        return float(mean + special.lambertw(-mean * exp(-mean)).real)

    @cached_property
    def spread(self) -> float:
        """The standard deviation of a size, by E[a] = n/k and E[a(a − 1)] = λ·n/k."""
        return sqrt(max(0.0, self.n / self.k * (1 + self.rate - self.n / self.k)))

    def weights(self, reach: float, step: int = 1) -> tuple[Int64Array, FloatArray]:
        """Sizes up to ``reach`` from their mean, and the Poisson weight of each."""
        from scipy import special

        mean, rate = self.n / self.k, self.rate
        size = np.arange(max(1, floor(mean - reach)), min(self.n - self.k + 1, ceil(mean + reach)) + 1, step)
        return size, np.exp(size * log(rate) - special.gammaln(size + 1.0) - rate - log(-expm1(-rate)))

    def mean(self) -> SizeCounts:
        """k·f(a)·P(the k − 1 others add up to n − a)/P(all add up to n), with f the Poisson weights beyond 0."""
        n, k = self.n, self.k
        if self.fixed:
            return SizeCounts(np.array([n // k]), np.array([k]))
        rate, own = self.rate, self.spread * sqrt(1 - 1 / k)  # given the sum, a size varies less
        step = floor(own / 1.5) if own >= WIDE else 1
        size, weight = self.weights(10 * own if own >= WIDE else 40 + 15 * own, step)
        # Sums of sizes, counted from n and modulo a length beyond which there is nothing, from powers of f's transform.
        length = 1 << ceil(log(256 + 40 * self.spread * sqrt(k), 2))
        angle = 2j * np.pi * np.fft.rfftfreq(length)
        turned = np.exp(rate * np.expm1(-angle))
        # 1 − exp(−λ z) has all its digits for a small λ, and is beyond all numbers for a large one.
        transform = turned * -np.expm1(-rate * np.exp(-angle)) if rate < 1 else turned - exp(-rate)
        transform /= -expm1(-rate)

        def sums(count: int) -> FloatArray:
            return np.fft.irfft(transform**count * np.exp((n % length) * angle), length)

        others, whole = sums(k - 1)[-size % length], float(sums(k)[0])
        return _counted(size, step * k * weight * np.maximum(others, 0.0) / whole, n)

    @cached_property
    def choices(self) -> tuple[Int64Array, FloatArray, FloatArray]:
        """All sizes that matter, how likely they are, and the weight of each against the largest."""
        size, weight = self.weights(40 + 15 * self.spread)
        return size, weight / weight.sum(), weight / weight.max()

    def draw(self, random: np.random.Generator) -> Int64Array:
        """How many of k − 1 clusters have each size; what is left is a size too, if it is drawn (Devroye 2012)."""
        if self.fixed:
            return np.full(self.k, self.n // self.k)
        size, likely, against = self.choices
        while True:
            counts = random.multinomial(self.k - 1, likely)
            rest = self.n - int(counts @ size) - int(size[0])
            if 0 <= rest < len(size) and random.random() < against[rest]:
                counts[rest] += 1
                return np.repeat(size, counts)


@dataclass(frozen=True)
class OfAny:
    """All clusterings of n points, equally likely: points are thrown into M boxes, M with weight M^n/M! (Stam 1983)."""

    n: int

    @property
    def fixed(self) -> bool:
        """Only with a single point."""
        return self.n == 1

    @property
    def highest_entropy(self) -> float:
        """log n."""
        return log(self.n)

    @cached_property
    def boxes(self) -> tuple[Int64Array, FloatArray]:
        """The numbers of boxes that matter, and how likely they are."""
        from scipy import special

        likely = max(1.0, self.n / float(special.lambertw(self.n).real))
        reach = 60 + 15 * sqrt(1 / (self.n / likely**2 + 1 / likely))
        number = np.arange(max(1, floor(likely - reach)), ceil(likely + reach) + 1)
        logs = self.n * np.log(number) - special.gammaln(number + 1.0)
        weight = np.exp(logs - logs.max())
        return number, weight / weight.sum()

    def mean(self) -> SizeCounts:
        """Over M, M boxes of which each has a binomial number of points."""
        from scipy import special

        n = self.n
        number, weight = self.boxes
        size = np.arange(1, min(n, ceil(100 + 10 * log(n))) + 1)
        counts = np.zeros(len(size))
        ways = special.gammaln(n + 1.0) - special.gammaln(size + 1.0) - special.gammaln(n - size + 1.0)
        # C(n, a)·M^(−a)·(1 − 1/M)^(n − a); nothing is left over for a box that is the only one.
        for boxes, share in zip(number.tolist(), weight.tolist(), strict=True):
            if boxes == 1:
                counts[size == n] += share
            else:
                counts += share * boxes * np.exp(ways - size * log(boxes) + (n - size) * np.log1p(-1 / boxes))
        return _counted(size, counts, n)

    def draw(self, random: np.random.Generator) -> Int64Array:
        """The boxes that are not empty."""
        number, weight = self.boxes
        boxes = int(random.choice(number, p=weight))
        sizes = np.bincount(random.integers(0, boxes, self.n), minlength=boxes)
        return sizes[sizes > 0]


def _counted(size: Int64Array, counts: FloatArray, n: int) -> MeanCounts:
    counts = counts * (n / float(counts @ size))  # but for rounding it is 1
    some = counts * size > 1e-19 * n
    return MeanCounts(size[some], counts[some], n)  # type: ignore[arg-type]  # counts on average


def sides(model: Model, margins: Margins) -> tuple[SizeModel, SizeModel]:
    """The sizes of the true and of the predicted clusters; "1" draws one side, the predicted one."""
    n = margins.n

    def drawn(side: SizeCounts) -> SizeModel:
        return OfNumber(n, side.k) if model.startswith("num") else OfAny(n)

    if model == "permutation":
        return ObservedSizes(margins.true), ObservedSizes(margins.pred)
    return ObservedSizes(margins.true) if model.endswith("1") else drawn(margins.true), drawn(margins.pred)


class OverSizes(OnAverage):
    """The sums of two clusterings whose sizes are left to chance as well, on average."""

    def __init__(self, true: SizeModel, pred: SizeModel) -> None:
        super().__init__(Margins(true.mean(), pred.mean()))

    @cached_property
    def pairs(self) -> Any:
        """Pairs of points that are together; in both by chance."""
        true, pred = self.margins.true.pairs, self.margins.pred.pairs
        every = self.n * (self.n - 1) // 2
        return Pairs(true * pred / every, true, pred, every)
