"""Scores: what measures say of two clusterings, with what they come to by chance and how far they can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TypeAlias

from clusterdiff.caching import cached_property
from clusterdiff.diff.chance import Chance, chance, unasked
from clusterdiff.diff.interval import Interval, Method, Resampling, interval
from clusterdiff.diff.units import Sampled
from clusterdiff.errors import MeasureError
from clusterdiff.measures import Measure, applicable, resolve, resolve_all
from clusterdiff.measures.models import Model
from clusterdiff.measures.normalise import normalised
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed

AnyMeasure: TypeAlias = str | Measure | Callable[[Meet], float]

#: What scores() gives if no measures are named, where they have a value.
USUAL = ("S_H", "S'", "R", "N", "A", "I", "nmi_max", "VI", "V")


class Scores:
    """The numbers of a comparison, which measures read from its meet or from the sums of it."""

    #: What is left out for an interval, unless another unit is named.
    unit: Sampled = "component"

    meet: Meet

    @property
    def summed(self) -> Summed:
        """What has the sums of the meet, which most measures read: the meet itself, if it is in memory."""
        return self.meet

    @property
    def signature(self) -> str:
        """How the score came about."""
        raise NotImplementedError

    def score(self, measure: AnyMeasure = "S_H") -> float:
        """One measure, by name (see ``cd.measures``) or as a function of the meet.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).score()
        0.5
        """
        return float(resolve(measure)(self.summed))

    def scores(self, measures: Iterable[AnyMeasure] | None = None) -> dict[str, float]:
        """Several measures, by name: the usual ones unless others are named; ``"all"``: every one there is.

        Of the usual ones and of all, those that apply here. A measure applies if it has a value: K needs a parameter,
        some are not defined for weights or for lost points, and ``smi`` would take too long for many large clusters.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores(["S_H", "R"])
        {'S_H': 0.5, 'R': 0.8333333333333334}
        >>> len(cd.compare([0, 0, 1, 1], [0, 0, 1, 2]).scores("all")) > 75
        True
        """
        if measures is None:
            wanted = resolve_all(USUAL)
        elif isinstance(measures, str) and measures == "all":
            wanted = {measure.name: measure for measure in applicable(self.summed)}
        else:
            return {name: self.score(measure) for name, measure in resolve_all(measures).items()}
        found = {}
        for name, measure in wanted.items():
            # Which says that it has no value here, or not in reasonable time.
            with suppress(MeasureError):
                found[name] = self.score(measure)
        return found

    def chance(
        self,
        measure: AnyMeasure = "S_H",
        *,
        model: Model = "permutation",
        draws: int | None = None,
        seed: int = 0,
        progress: Callable[[str], None] | None = None,
    ) -> Chance:
        """What a measure comes to for shuffled labels, and how the value at hand stands against that.

        The clusters keep their sizes on both sides, and the labels are permuted. The mean is exact for S_H, S*(pairs),
        S', Rand, VI and all other measures that are linear in sums; ``exact`` says so. So is p for few or identical
        clusterings, and a bound may do where p is very small; otherwise labels are shuffled. ``p_kind`` says which.

        Parameters
        ----------
        measure
            A measure's name, or a function of the meet. Weighted points are refused.
        model
            What is left to chance (Gates & Ahn 2017). ``"permutation"`` keeps the sizes of the clusters on both sides.
            ``"num"`` draws both sides from all clusterings with as many clusters, ``"all"`` from all clusterings;
            ``"num1"`` and ``"all1"`` draw the prediction and keep the truth. With these four the mean is exact for
            Rand, I and VI.
        draws
            How many random meets to look at, at most. By default 9,999; fewer, but at least 99, where they would take
            long. There are none if all is known without, and no more than it takes to tell p and the spread. 0: none.
        seed
            Where random numbers start: the same seed, the same draws.
        progress
            A function that is given how many draws have been made.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]).chance()
        S_H = 0.2804; by chance 0.1682 (exactly) ± 0.14; adjusted 0.1349; z = 0.816, p = 0.6 (exact)
        """
        return chance(
            self.summed,
            resolve(measure),
            draws=draws,
            seed=seed,
            model=model,
            progress=progress,
            signature=self.signature.partition("|")[2],
        )

    def interval(
        self,
        measure: AnyMeasure = "S_H",
        *,
        unit: Sampled | None = None,
        level: float = 0.95,
        method: Method = "jackknife",
        resamples: int = 10_000,
        seed: int = 0,
    ) -> Interval:
        """Between which values a measure would have come out, had other clusters of the same kind been drawn.

        The jackknife leaves out one unit at a time: a component, with all that errors tie together. One that holds more
        than a fifteenth of the points falls into its true clusters. Where units are too few to tell, there is no
        interval, and ``reason`` says so.

        Parameters
        ----------
        measure
            S_H and all of S* and S'; whatever reads sums, such as ``ari``, ``vi``, ``b3.f1``; ``as_h`` and ``ami``,
            whose chance level is held fixed.
        unit
            ``"component"`` (the default), ``"document"`` (the default for a corpus), or ``"point"``, if the points
            themselves were drawn independently of each other, as in machine learning.
        level
            How often the interval should hold the score.
        method, resamples, seed
            ``"jackknife"``; for documents also ``"percentile"`` or ``"basic"``, which draw them again: how often, and
            where random numbers start.

        Examples
        --------
        >>> import clusterdiff as cd
        >>> true = [i // 4 for i in range(400)]
        >>> pred = [2 * (i // 4) + (i % 4 == 3 and i % 20 < 8) for i in range(400)]
        >>> cd.compare(true, pred).interval()
        S_H = 0.8377, 95% interval 0.7940 to 0.8737 (jackknife over 100 components)
        """
        how, wanted = Resampling(level, method, resamples, seed), resolve(measure)
        chosen = self.unit if unit is None else unit
        return interval(self.meet_for(wanted), wanted, chosen, how, self.signature.partition("|")[2])

    def meet_for(self, measure: Measure) -> Meet:
        """The meet that a measure is computed from."""
        raise NotImplementedError

    @cached_property
    def by_chance(self) -> Chance | None:
        """S_H by chance, as far as it takes no draws; None with weights, or if it would take long.

        >>> import clusterdiff as cd
        >>> cd.compare([0, 0, 1, 1], [0, 0, 1, 1]).by_chance.p_text
        'p = 1/3 (exact)'
        """
        return unasked(self.summed, self.signature.partition("|")[2])

    @property
    def chance_level(self) -> float | None:
        """What S_H comes to on average for shuffled labels, exactly; None with weights, or if it would take long.

        >>> import clusterdiff as cd
        >>> round(cd.compare([0, 0, 1, 1], [0, 0, 1, 1]).chance_level, 12)
        0.333333333333
        """
        return None if self.by_chance is None else self.by_chance.mean

    def normalised(self, measure: AnyMeasure) -> float:
        """A measure rescaled by the extremes it takes for this true clustering (Luo et al., 2009).

        See :func:`clusterdiff.extremes` for the measures whose extremes are known.

        >>> import clusterdiff as cd
        >>> diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
        >>> diff.score("A"), diff.normalised("A")
        (0.75, 0.5)
        """
        return normalised(self.meet, resolve(measure))
