"""How good is good: what a measure comes to for shuffled labels, and how far the prediction is from that."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from math import e, inf, isfinite, log, nan, sqrt
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff import notebook
from clusterdiff.errors import ArgumentError, MeasureError, nearest
from clusterdiff.measures import Measure
from clusterdiff.measures.chance import OnAverage, s_h
from clusterdiff.measures.information import mutual_information
from clusterdiff.measures.models import KNOWN, MODELS, Model, OverSizes, sides
from clusterdiff.measures.sampling import random_meets
from clusterdiff.measures.splitmerge import adjusted_s_h
from clusterdiff.meet.margins import Margins
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Sized, Summed, refusal
from clusterdiff.messages import Message
from clusterdiff.table import record_html

Tail: TypeAlias = Literal["counted", "fitted", "certain", "none"]

#: From this many draws on, at least as good as the value, their share is the p-value; below, a curve is fitted.
COUNTED = 10
#: Pairs of distinct sizes from which on the mean takes longer than a comparison should, unasked.
UNASKED = 4_000_000


@dataclass(frozen=True)
class Chance:
    """What a measure comes to by chance, and how the value at hand stands against that. Made by :func:`chance`.

    With the ``model`` ``"permutation"`` the clusters keep their sizes, and the labels are permuted. ``"num"`` draws
    both sides from all clusterings with as many clusters, ``"all"`` from all clusterings; ``"num1"`` and ``"all1"``
    draw the prediction alone.

    ``mean`` is exact if ``exact`` says so, else the mean of the draws. ``std`` is the draws' standard deviation.
    ``adjusted`` is (value − mean)/(best − mean): 0 by chance, 1 for the best value; not a number if no value is best or
    all are. For mutual information, best is the mean of the highest entropies that the model allows on the two sides.
    ``z`` is (value − mean)/std. ``p_value`` says how often chance is at least as good (for distances: at most as
    large): with ``tail`` ``"counted"`` it is (1 + reached)/(1 + draws), with ``"fitted"``, where fewer than 10 draws
    reached the value, the tail of a Pearson III curve with the draws' mean, deviation and skewness (0 if it is
    negative: that errs on the safe side); ``"certain"`` means that nothing is left to chance, and ``"none"`` that there
    were no draws.
    """

    measure: str
    value: float
    mean: float
    exact: bool
    std: float
    adjusted: float
    z: float
    p_value: float
    tail: Tail
    draws: int
    reached: int
    seed: int
    model: Model
    signature: str = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self)

    def __repr__(self) -> str:
        how = "exactly" if self.exact else f"in {self.draws:,} draws"
        model = "" if self.model == "permutation" else f", model {self.model}"
        first = f"{self.measure} = {self.value:.4f}; by chance {self.mean:.4f} ({how}{model})"
        if self.tail in ("none", "certain"):
            rest = "nothing is left to chance" if self.tail == "certain" else "nothing was drawn"
            return f"{first}; adjusted {self.adjusted:.4f}; {rest}"
        about = "about " if self.tail == "fitted" else ""
        return (
            f"{first} ± {self.std:.2g}; adjusted {self.adjusted:.4f}; z = {self.z:.3g}, "
            f"p = {about}{self.p_value:.2g} ({self.draws:,} draws)"
        )

    def _repr_html_(self) -> str:
        facts = {name: value for name, value in self.to_dict().items() if name != "signature"}
        return record_html(f"{self.measure} by chance", facts, notebook.signature(self.signature))


def chance(
    summed: Summed,
    measure: Measure,
    *,
    draws: int,
    seed: int,
    model: Model,
    progress: Callable[[str], None] | None,
    signature: str,
) -> Chance:
    """What ``measure`` comes to by chance for clusters of the sizes that ``summed`` has, or that a model gives them."""
    if model not in MODELS:
        raise ArgumentError.must(
            "model", f"be one of {', '.join(MODELS)}", model, nearest(str(model), MODELS)
        )
    if not isinstance(draws, int) or isinstance(draws, bool) or draws < 0 or draws == 1:
        raise ArgumentError.must(
            "draws", "be a whole number, 0 or at least 2", draws, "0 draws give an exact mean alone."
        )
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ArgumentError.must("seed", "be a whole number from 0 to 2^64 - 1", seed)
    sized = _checked(summed, measure)
    value = float(measure(summed))
    margins = sized.margins
    true, pred = sides(model, margins)
    # One side that is settled settles the other, if its sizes are given: every meet looks alike then.
    certain = (
        margins.settled if model == "permutation" else pred.settled and (true.settled or model == "num1")
    )
    mean = value if certain else expected(measure, margins, model)
    if mean is None and draws == 0:
        raise MeasureError(
            f"the mean of {measure.name} by chance (model {model}) is not known in closed form, and "
            "no draws were allowed.",
            Message("pass `draws=1000`."),
        )
    sample = np.empty(0)
    if draws and not certain:
        meets = random_meets(margins, seed, draws, model)
        sample = _sample(measure, meets, draws, progress or (lambda told: None))
    centre = float(sample.mean()) if mean is None else mean
    std = 0.0 if certain else float(sample.std(ddof=1)) if draws else nan
    reached = _reached(sample, value, measure)
    how, p = _p_value(sample, value, centre, reached, measure, certain)
    return Chance(
        measure=measure.name,
        value=value,
        mean=centre,
        exact=mean is not None,
        std=std,
        adjusted=_adjusted(measure, sized, value, centre, certain, model),
        z=(value - centre) / std if std and isfinite(std) else nan,
        p_value=p,
        tail=how,
        draws=len(sample),
        reached=reached,
        seed=seed,
        model=model,
        signature=f"chance:{measure.name}|model:{model}|draws:{len(sample)}|seed:{seed}|{signature}",
    )


def level(summed: Summed) -> float | None:
    """E[S_H], to stand beside S_H; None with weights or lost points, where it has no meaning, or if it takes long."""
    if summed.weighted or summed.uneven or "margins" not in summed.offers:
        return None
    sized: Any = summed
    margins: Margins = sized.margins
    if margins.settled:
        return float(summed.fused("s_h"))
    if len(margins.true.sizes) * len(margins.pred.sizes) > UNASKED:
        return None
    return s_h(margins)


def worth_saying(level: float | None) -> float | None:
    """The level beside S_H where it exceeds 0.01; below, S_H means what it says."""
    return level if level is not None and level > 0.01 else None


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


def _checked(summed: Summed, measure: Measure) -> Sized:
    """What has margins; or an error that says why chance has no meaning here."""
    if summed.weighted:
        raise MeasureError(
            "chance permutes the labels of the points, which has no meaning for weighted points.",
            Message("leave out `weights=`."),
        )
    if measure.needs is not None or measure.reads == "points":
        raise MeasureError(
            f"{measure.name} looks at the points themselves, and chance knows the sizes of clusters only.",
            "ask for a measure of the clusterings alone.",
        )
    if summed.uneven:
        raise MeasureError(
            "chance needs two clusterings of the same points, and here points that one side lacks count as lost.",
            Message('pass `missing="drop"` or `missing="singleton"`.'),
        )
    if "margins" not in summed.offers:
        raise refusal("chance()", "margins", summed)
    sized: Sized = summed  # type: ignore[assignment]  # whoever offers margins has them
    return sized


def _sample(
    measure: Measure, meets: Iterator[Meet], draws: int, progress: Callable[[str], None]
) -> np.ndarray:
    values = np.empty(draws)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there was to say has been said of the value
        for draw, meet in enumerate(meets):
            if draw % 20 == 0:
                progress(f"{measure.name}: {draw:,} of {draws:,} draws")
            values[draw] = measure(meet)
    return values


def _reached(sample: np.ndarray, value: float, measure: Measure) -> int:
    # Equal values may differ in their last bits, since sums are added up in another order.
    slack = 1e-12 * max(1.0, abs(value))
    if measure.similarity:
        return int(np.count_nonzero(sample >= value - slack))
    return int(np.count_nonzero(sample <= value + slack))


def _p_value(
    sample: np.ndarray, value: float, mean: float, reached: int, measure: Measure, certain: bool
) -> tuple[Tail, float]:
    if certain:
        return "certain", 1.0
    if not len(sample):
        return "none", nan
    counted = (1 + reached) / (1 + len(sample))
    std = float(sample.std(ddof=1))
    if reached >= COUNTED or std == 0:
        return "counted", counted
    sign = 1 if measure.similarity else -1
    skew = sign * float(np.mean(((sample - sample.mean()) / sample.std()) ** 3))
    # A curve that leans the other way ends somewhere; beyond that p would be 0. A normal curve errs on the safe side.
    return "fitted", min(counted, pearson_tail(sign * (value - mean) / std, max(skew, 0.0)))


def pearson_tail(z: float, skew: float) -> float:
    """How likely a Pearson III variable of mean 0, deviation 1 and this skewness is at least z.

    >>> round(pearson_tail(2.0, 0.0), 6), round(pearson_tail(2.0, 1.0), 6)
    (0.02275, 0.04238)
    """
    from scipy import special

    if abs(skew) < 1e-4:
        return float(special.ndtr(-z))
    shape = 4 / skew**2  # a gamma variable, shifted, and turned round for a negative skewness
    if skew > 0:
        return float(special.gammaincc(shape, max(0.0, shape + z * sqrt(shape))))
    return float(special.gammainc(shape, max(0.0, shape - z * sqrt(shape))))


def _adjusted(
    measure: Measure, sized: Sized, value: float, mean: float, certain: bool, model: Model
) -> float:
    if certain:
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
