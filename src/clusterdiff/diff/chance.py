"""How good is good: what a measure comes to for shuffled labels, and how far the prediction is from that."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import e, inf, isfinite, log, nan, sqrt
from typing import Any

import numpy as np

from clusterdiff import notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.orders import ChanceMoments, OrderingSum, deviations, order_of
from clusterdiff.diff.tails import CERTAIN, Count, P, PKind, among, bound, identical, slack, told
from clusterdiff.errors import ArgumentError, MeasureError, nearest
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.chance import OnAverage
from clusterdiff.measures.information import mutual_information
from clusterdiff.measures.models import KNOWN, MODELS, Model, OverSizes, sides
from clusterdiff.measures.sampling import POINTS_PER_CELL, random_meets
from clusterdiff.measures.splitmerge import adjusted_s_h
from clusterdiff.measures.tables import Tables, tables
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Sized, Summed, refusal
from clusterdiff.messages import Message
from clusterdiff.points.labels import FloatArray
from clusterdiff.table import record_html

#: Draws, unless their number is given: no more than the most, no fewer than the least, and as many as take this many
#: points. A count and not a clock: a seed gives the same draws everywhere.
MOST_DRAWS, LEAST_DRAWS, DRAWN_POINTS = 9_999, 99, 200_000_000
#: The spread takes at least this many of them.
FOR_SPREAD = 200
#: Pairs of distinct sizes from which on the mean takes longer than a comparison should, unasked.
UNASKED = 4_000_000


@dataclass(frozen=True)
class Chance:
    """What a measure comes to by chance, and how the value at hand stands against that. Made by :func:`chance`.

    With the ``model`` ``"permutation"`` the clusters keep their sizes, and the labels are permuted. ``"num"`` draws
    both sides from all clusterings with as many clusters, ``"all"`` from all clusterings; ``"num1"`` and ``"all1"``
    draw the prediction alone.

    ``mean`` is exact if ``exact`` says so, else the mean of the draws. ``std`` is the standard deviation, and
    ``std_error`` how far off that may be: 0 if it is exact, not a number if it is that of an expansion.
    ``adjusted`` is (value − mean)/(best − mean): 0 by chance, 1 for the best value; not a number if no value is best or
    all are. For mutual information, best is the mean of the highest entropies that the model allows on the two sides.
    ``z`` is (value − mean)/std.

    ``p_value`` says how often chance is at least as good (for distances: at most as large), and ``p_kind`` what that
    is worth:

    - ``"certain"``: nothing is left to chance, and p is 1;
    - ``"exact"``: from all tables with these margins, or the closed form for identical clusterings;
    - ``"bound"``: p is no larger than this, by Markov's or Cantelli's inequality;
    - ``"approximate"``: the same with a variance that is known about;
    - ``"drawn"``: when 20 draws have ``reached`` the value, the share of the draws that this took; otherwise
      (1 + reached)/(1 + draws);
    - None: nothing was drawn, and nothing else is known.

    ``p_log10`` is its logarithm to base 10, which tells where an exact p is too small for a float. ``draws`` says how
    many draws there were.
    """

    measure: str
    value: float
    mean: float
    exact: bool
    std: float
    std_error: float
    adjusted: float
    z: float
    p_value: float
    p_kind: PKind | None
    p_log10: float
    draws: int
    reached: int
    seed: int
    model: Model
    signature: str = field(repr=False)

    @property
    def p_text(self) -> str:
        """p with its kind, in words: p = 1/280 (exact), p ≤ 2.6e-8 (approximate)."""
        return told(self.p_value, self.p_kind, self.p_log10)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def __repr__(self) -> str:
        how = "exactly" if self.exact else f"in {self.draws:,} draws"
        model = "" if self.model == "permutation" else f", model {self.model}"
        first = f"{self.measure} = {self.value:.4f}; by chance {self.mean:.4f} ({how}{model})"
        spread, z = "", ""
        draws = f" ({self.draws:,} draws)" if self.draws else ""
        if isfinite(self.std) and self.p_kind != "certain":
            spread, z = f" ± {self.std:.2g}", f"z = {self.z:.3g}, "
        if self.p_kind != "drawn":
            spread, draws = f"{spread}{draws if self.exact else ''}", ""
        return f"{first}{spread}; adjusted {self.adjusted:.4f}; {z}{self.p_text}{draws}"

    def _repr_html_(self) -> str:
        facts = {name: value for name, value in self.to_dict().items() if name != "signature"}
        return record_html(f"{self.measure} by chance", facts, notebook.signature(self.signature))


def chances(
    summed: Summed,
    measures: Sequence[Measure],
    *,
    draws: int | None = None,
    seed: int = 0,
    model: Model = "permutation",
    progress: Callable[[str], None] | None = None,
    signature: str,
) -> list[Chance]:
    """What measures come to by chance for clusters of the sizes that ``summed`` has, or that a model gives them.

    All of them look at the same draws.
    """
    if model not in MODELS:
        raise ArgumentError.must(
            "model", f"be one of {', '.join(MODELS)}", model, nearest(str(model), MODELS)
        )
    if draws is not None and (
        not isinstance(draws, int) or isinstance(draws, bool) or draws < 0 or draws == 1
    ):
        raise ArgumentError.must(
            "draws",
            "be a whole number, 0 or at least 2",
            draws,
            "0 draws give only what is known without draws; leave it out to draw as many as needed.",
        )
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ArgumentError.must("seed", "be a whole number from 0 to 2^64 - 1", seed)
    for measure in measures:
        _check(summed, measure)
    sized: Any = summed  # whoever knows margins has them
    situation = Situation(sized, model)
    most = _draws(sized.margins, model) if draws is None else draws
    cases = [Case(situation, measure, most) for measure in measures]
    _draw([case for case in cases if not case.done], situation, seed, most, progress or (lambda told: None))
    return [case.chance(seed, signature) for case in cases]


def chance(summed: Summed, measure: Measure, **options: Any) -> Chance:
    """The same for one measure."""
    return chances(summed, [measure], **options)[0]


def unasked(summed: Summed, signature: str) -> Chance | None:
    """S_H by chance as far as it takes no draws, to stand beside S_H.

    None with weights or lost points, where it has no meaning, or if it takes long.
    """
    if summed.weighted or "margins" not in summed.known:
        return None
    sized: Any = summed
    margins: Margins = sized.margins
    if not margins.fixed and len(margins.true.sizes) * len(margins.pred.sizes) > UNASKED:
        return None
    return chance(summed, resolve("S_H"), draws=0, signature=signature)


def worth_saying(found: Chance | None) -> Chance | None:
    """What stands beside S_H where the mean exceeds 0.01; below, S_H means what it says."""
    return found if found is not None and found.mean > 0.01 else None


def expected(measure: Measure, margins: Margins, model: Model = "permutation") -> float | None:
    """The exact mean of a measure over all that a model draws from, where it is known."""
    if model != "permutation":
        known = measure.linear and measure.function in KNOWN
        return float(measure(OverSizes(*sides(model, margins)))) if known else None
    if measure.baseline is not None:
        return measure.baseline
    average = OnAverage(margins)
    if not measure.linear or measure.needs is not None or measure.lacks(average) is not None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(measure(average))


def _check(summed: Summed, measure: Measure) -> None:
    """An error that says why chance has no meaning here, if it has none."""
    if summed.weighted:
        raise MeasureError(
            "chance permutes the labels of the points, which has no meaning for weighted points.",
            Message("leave out `weights=`."),
        )
    if measure.needs is not None or measure.reads == "points":
        raise MeasureError(
            f"{measure.name} reads the points themselves, and chance only knows the sizes of clusters.",
            "choose a measure that reads only the clusterings.",
        )
    if summed.uneven:
        raise MeasureError(
            "chance needs two clusterings of the same points, but here unmatched points count as lost.",
            Message('pass `missing="drop"` or `missing="singleton"`.'),
        )
    if "margins" not in summed.known:
        raise refusal("chance()", "margins", summed)


def _draws(margins: Margins, model: Model) -> int:
    """How many draws there may be: fewer where each takes long."""
    cells = POINTS_PER_CELL * margins.true.k * margins.pred.k
    cost = min(margins.n, cells) if model == "permutation" else margins.n
    return min(MOST_DRAWS, max(LEAST_DRAWS, DRAWN_POINTS // cost))


class Situation:
    """What all measures have in common: the clusters' sizes, what is left to chance, and all tables if they are few."""

    def __init__(self, sized: Sized, model: Model) -> None:
        self.sized, self.model = sized, model
        self.margins = sized.margins
        self._moments: dict[str, ChanceMoments] = {}

    @cached_property
    def certain(self) -> bool:
        """One side that is fixed fixes the other, if its sizes are given: every meet looks alike then."""
        if self.model == "permutation":
            return self.margins.fixed
        true, pred = sides(self.model, self.margins)
        return pred.fixed and (true.fixed or self.model == "num1")

    @property
    def open(self) -> bool:
        """Whether the labels are permuted, and it matters how."""
        return self.model == "permutation" and not self.certain

    @cached_property
    def tables(self) -> Tables | None:
        """All tables with these margins."""
        return tables(self.margins) if self.open else None

    def moments(self, order: OrderingSum) -> ChanceMoments:
        """The moments of a sum, found once."""
        if order.name not in self._moments:
            self._moments[order.name] = order.moments(self.sized)
        return self._moments[order.name]


class Case:
    """A measure by chance: what is known of it at once, and what draws add."""

    def __init__(self, situation: Situation, measure: Measure, most: int) -> None:
        self.situation, self.measure, self.most = situation, measure, most
        self.value = float(measure(situation.sized))
        self.order = order_of(measure) if situation.open else None
        self.sign = 1.0 if measure.similarity else -1.0
        #: The sum that decides which of two clusterings is better.
        self.sum = self.order.value(situation.sized) if self.order else self.sign * self.value
        self.p: P | None = None
        self.mean: float | None = None
        self.std: float | None = None
        self.count = Count()
        self.sample: list[float] = []
        self.slope: float | None = None
        self._know()
        if self.mean is None and not most:
            raise MeasureError(
                f"the mean of {measure.name} by chance (model {situation.model}) is not known in closed form, and "
                "no draws were allowed.",
                Message("leave out `draws=`, or pass `draws=1000`."),
            )

    def _know(self) -> None:
        """What takes no draws."""
        situation, order = self.situation, self.order
        if situation.certain:
            self.p, self.mean, self.std = CERTAIN, self.value, 0.0
            return
        if order and situation.sized.same:
            self.p = identical(situation.margins)
        if (every := situation.tables) is not None:
            self._enumerate(every)
            return
        self.mean = expected(self.measure, situation.margins, situation.model)
        if order is None:
            low, _ = self.measure.bounds_at(situation.margins.n)
            if self.mean is not None and self.measure.similarity and low >= 0:
                self.p = bound(ChanceMoments(self.mean, None), self.value)
            return
        moments = situation.moments(order)
        self.p = self.p or bound(moments, self.sum)
        # A measure whose mean is known is a straight line in its sum: both are as many deviations from their means.
        z = deviations(moments, self.sum)
        if self.mean is not None and z and isfinite(z) and (moments.exact or self.p):
            self.std = abs((self.value - self.mean) / z)

    def _enumerate(self, every: Tables) -> None:
        """All from the tables and how likely they are."""
        sums, values = self._over(every)
        self.p = self.p or among(every, sums, self.sum)
        mean = expected(self.measure, self.situation.margins)
        self.mean = float(np.sum(every.weights * values)) if mean is None else mean
        self.std = sqrt(float(np.sum(every.weights * (values - self.mean) ** 2)))

    def _over(self, every: Tables) -> tuple[FloatArray, FloatArray]:
        """The sum that decides, and the measure, for each of the tables."""
        if self.order is None:
            values = self._of(every, None)
            return self.sign * values, values
        sums = self.order.values(every)
        _, first, which = np.unique(np.round(sums, 12), return_index=True, return_inverse=True)
        if expected(self.measure, self.situation.margins) is None:
            return sums, self._of(every, first)[which.ravel()]
        # A straight line, of which two points are enough.
        ends = self._of(every, first[[0, -1]])
        return sums, np.interp(sums, sums[first[[0, -1]]], ends) if len(first) > 1 else np.full(
            len(sums), ends[0]
        )

    def _of(self, every: Tables, which: Any) -> FloatArray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array([float(self.measure(meet)) for meet in every.meets(which)])

    @property
    def done(self) -> bool:
        """Whether more draws would add nothing that is asked for."""
        if self.p is None and not self.count.enough:
            return len(self.sample) >= self.most
        known = self.mean is not None and self.std is not None
        return known or len(self.sample) >= min(FOR_SPREAD, self.most)

    def see(self, meet: Meet) -> None:
        """One more draw."""
        if self.order is None:
            value = float(self.measure(meet))
            found = self.sign * value
        else:
            found = self.order.value(meet)
            value = self._at(found, meet)
        self.sample.append(value)
        if self.p is None:
            self.count.add(found >= self.sum - slack(self.sum))

    def _at(self, found: float, meet: Meet) -> float:
        """The measure where its sum is this: on a straight line, if its mean is known, which spares its own sums."""
        if self.mean is None:
            return float(self.measure(meet))
        if self.slope is None:
            value = float(self.measure(meet))
            if abs(found - self.sum) > 1e-6 * max(1.0, abs(self.sum)):
                self.slope = (value - self.value) / (found - self.sum)
            return value
        return self.value + self.slope * (found - self.sum)

    def chance(self, seed: int, signature: str) -> Chance:
        """All of it."""
        situation, sample, model = self.situation, np.array(self.sample), self.situation.model
        mean = float(sample.mean()) if self.mean is None else self.mean
        std, error = self._spread(sample)
        p = self.p or (self.count.p if len(sample) else None)
        most = self.most if len(sample) else 0
        return Chance(
            measure=self.measure.name,
            value=self.value,
            mean=mean,
            exact=self.mean is not None,
            std=std,
            std_error=error,
            adjusted=_adjusted(self.measure, situation, self.value, mean),
            z=(self.value - mean) / std if std and isfinite(std) else nan,
            p_value=p.value if p else nan,
            p_kind=p.kind if p else None,
            p_log10=p.log10 if p else nan,
            draws=len(sample),
            reached=self.count.reached,
            seed=seed,
            model=model,
            signature=f"chance:{self.measure.name}|model:{model}|draws:{most}|seed:{seed}|{signature}",
        )

    def _spread(self, sample: FloatArray) -> tuple[float, float]:
        """The standard deviation, and how far off it may be."""
        if self.std is not None:
            about = self.order and not self.situation.tables and not self.situation.moments(self.order).exact
            return self.std, nan if about else 0.0
        if not len(sample):
            return nan, nan
        std = float(sample.std(ddof=1))
        away = sample - sample.mean()
        second = float(np.mean(away**2))
        fourth = float(np.mean(away**4)) / second**2 if second else 1.0
        return std, std * sqrt(max(0.0, fourth - 1) / (4 * len(sample)))


def _draw(
    cases: list[Case], situation: Situation, seed: int, most: int, progress: Callable[[str], None]
) -> None:
    """Draw until nobody needs more."""
    if not cases or not most:
        return
    names = ", ".join(case.measure.name for case in cases)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there was to say has been said of the value
        for draw, meet in enumerate(random_meets(situation.margins, seed, most, situation.model)):
            if draw % 20 == 0:
                progress(f"{names}: {draw:,} of at most {most:,} draws")
            for case in cases:
                case.see(meet)
            cases = [case for case in cases if not case.done]
            if not cases:
                return


def _adjusted(measure: Measure, situation: Situation, value: float, mean: float) -> float:
    sized, model = situation.sized, situation.model
    if situation.certain:
        # Every permutation scores the same: there is nothing to be gained, unless it is the best there is.
        return 1.0 if sized.same else 0.0
    if measure.name in ("S_H", "S*", "S*(entropy)") and model == "permutation":
        return adjusted_s_h(sized)  # which keeps all its digits
    best = measure.best
    if measure.function is mutual_information:
        both = sum(side.highest_entropy for side in sides(model, sized.margins)) / 2
        best = both / log(measure.parameters.get("base") or e)
    if best in (inf, -inf) or best == mean:
        return nan
    return (value - mean) / (best - mean)
