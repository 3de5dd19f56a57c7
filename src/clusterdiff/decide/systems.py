"""A system in a ranking: its scores, its losses and its cells, which are all that is kept of its prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import nan
from types import SimpleNamespace
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.documents import CorpusComparison
from clusterdiff.diff.interval import Resampling
from clusterdiff.diff.jackknife import without_points
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.paths import loss_of
from clusterdiff.diff.statistic import statistic
from clusterdiff.diff.units import Sampled, units_of
from clusterdiff.errors import ClusterdiffError, ClusterdiffWarning, MeasureError
from clusterdiff.measures import Measure, resolve
from clusterdiff.measures.splitmerge import adjusted_s_h
from clusterdiff.meet.cell_table import LabelPlaces
from clusterdiff.meet.margins import Margins, SizeCounts
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Measured
from clusterdiff.points.labels import AnyArray, FloatArray
from clusterdiff.verbs.compare import compare, integers_in_order, plain_labels

#: What a ranking shows unless measures are named: S_H, and its adjusted form where that has a meaning.
USUAL = ("S_H", "as_h")
#: So many predictions are met at a time, if they have so few points: each larger one uses all threads by itself.
MANY, SMALL = 100, 100_000


class Outline(Measured):
    """What the adjusted S_H reads: S_H, the sizes of the clusters, and whether the two clusterings are the same.

    Its mean by chance takes a hundred times as long as a score. Where there are thousands of systems, only those that
    somebody looks at should pay for it, so this is kept of each.
    """

    known = frozenset({"s_h"})

    def __init__(self, meet: Meet, true: SizeCounts) -> None:
        self.margins = Margins(true, SizeCounts.of(meet.pred_size))
        self.same = meet.same
        sums: Any = meet.sums
        self.sums = SimpleNamespace(s_h=sums.s_h)
        self._made = {}


#: What a measure lost whose way from truth to prediction cannot be had where the cells are.
UNKNOWN = Loss(*[nan] * 5)


@dataclass
class System:
    """One system: its scores by measure, what the first lost, and the meet that the first is computed from.

    ``units`` are the names of its true clusters, or of its documents. Both are None where the cells stay in an engine,
    or nothing is tested. ``points`` is the first measure without each group of points, if these are the units.
    """

    name: str
    n: int
    loss: Loss
    scores: dict[str, float]
    meet: Meet | None
    units: AnyArray | None
    signature: str
    notices: list[str]
    outline: Outline | None = None
    points: FloatArray | None = None

    def score(self, measure: str) -> float:
        """One of its scores; what was put off is computed now."""
        if measure not in self.scores:
            outline: Any = self.outline
            self.scores[measure] = adjusted_s_h(outline)
        return self.scores[measure]


class Judge:
    """Compares one prediction after the other with the same truth, and keeps of each what a ranking needs."""

    def __init__(
        self,
        true: object,
        measures: Mapping[str, Measure] | None,
        unit: Sampled | None,
        options: Mapping[str, Any],
        how: Resampling | None,
    ) -> None:
        # What can be gone through once is read for the first prediction, and wanted for all of them.
        self.true = list(true) if isinstance(true, Iterator) else true
        self.measures = {USUAL[0]: resolve(USUAL[0])} if measures is None else dict(measures)
        self.unit = unit
        self.unit_of_systems: Sampled = unit or "component"
        self.options = options
        self.how = how
        #: Why the first measure is not known without some units, if so: systems are ranked without intervals and tests.
        self.refused: MeasureError | None = None
        self._truth: tuple[AnyArray, SizeCounts] | None = None
        self._units: AnyArray | None = None

    def systems(self, preds: Mapping[str, object]) -> list[System]:
        """All of them, read one after the other; small arrays that are in memory already are met side by side."""
        true = None if self.options or type(preds) is not dict else plain_labels(self.true)
        if true is None or len(true) > SMALL:
            return [self.system(str(name), pred) for name, pred in preds.items()]
        named, made = list(preds.items()), list[System]()
        for at in range(0, len(named), MANY):
            stretch = named[at : at + MANY]
            labels = [read for _, pred in stretch if (read := plain_labels(pred)) and len(read) == len(true)]
            if len(labels) == len(stretch):
                cells = _core.meets(true.values, [read.values for read in labels])
                for (name, _), pred, met in zip(stretch, labels, cells, strict=True):
                    locate = LabelPlaces(met, true.values, pred.values)
                    meet = Meet(met, true.lexicon, pred.lexicon, locate=locate)
                    with _named(str(name)):
                        made.append(self._of_integers(str(name), meet))
            else:
                made += [self.system(str(name), pred) for name, pred in stretch]
        return made

    def system(self, name: str, pred: object) -> System:
        """What there is to know about one prediction."""
        with _named(name):
            if not self.options and integers_in_order(self.true, pred):
                true: Any = self.true
                return self._of_integers(name, Meet.from_labels(true, pred))  # type: ignore[arg-type]
            with warnings.catch_warnings():
                # What it has to say stands in the notices of the ranking.
                warnings.simplefilter("ignore", ClusterdiffWarning)
                diff = compare(self.true, pred, **self.options)
            return self._of_comparison(name, diff)

    def _scores(self, score: Callable[[Measure], float], outlined: bool) -> dict[str, float]:
        """All scores but the adjusted one, which can wait if an outline is kept."""
        return {name: score(m) for name, m in self.measures.items() if not outlined or m.name != USUAL[1]}

    def _of_integers(self, name: str, meet: Meet) -> System:
        """Two plain arrays: nothing but the meet is made of them, and the truth is the same for all."""
        if self._truth is None:
            self._truth = np.array(meet.true_names), SizeCounts.of(meet.true_size)
            self._try(meet)
        units, sizes = self._truth
        _, split, merge = meet.cells.kept_by_true()
        n = meet.n
        return System(
            name,
            n,
            loss_of(self._first, meet, lambda: Loss.of(split / n, merge / n)),
            self._scores(lambda measure: float(measure(meet)), outlined=True),
            meet.with_points(None) if self._tested else None,
            units,
            f"n:{n}|missing:error|noise:-|weights:-",
            [],
            Outline(meet, sizes),
            self._points(meet),
        )

    def _of_comparison(self, name: str, diff: Comparison) -> System:
        summed = diff.summed
        meet = units = outline = points = None
        default: Sampled = "document" if isinstance(diff, CorpusComparison) else "component"
        self.unit_of_systems = self.unit or default
        if self.how is not None:
            self.how.check(self.unit_of_systems)
        if "cells" in summed.known:
            if self.how is not None:
                meet = diff.meet_for(self._first)
                self._try(meet)
                points = self._points(meet)
                meet = meet.with_points(None) if self._tested else None
            if self.unit_of_systems != "point":
                units = self._same(_names(diff, self.unit_of_systems, self._first))
            if not summed.weighted and "margins" in summed.known:
                outline = Outline(diff.meet, SizeCounts.of(diff.meet.true_size))
        signature = diff.signature.partition("|")[2].rpartition("|v:")[0]
        scores = self._scores(diff.score, outlined=outline is not None)
        try:
            loss = diff.loss_of(self._first)
        except MeasureError:  # the score itself is known, or there would be none
            loss = UNKNOWN
        return System(name, diff.n, loss, scores, meet, units, signature, list(diff.notices), outline, points)

    @property
    def _first(self) -> Measure:
        return next(iter(self.measures.values()))

    @property
    def _tested(self) -> bool:
        """Whether cells are kept for intervals and tests."""
        return self.how is not None and self.refused is None and self.unit_of_systems != "point"

    def _try(self, meet: Meet) -> None:
        """Find out whether the first measure is known without some units."""
        unit = self.unit_of_systems
        if self.how is not None and unit != "point":
            try:
                statistic(meet, self._first, units_of(meet, unit))
            except MeasureError as error:
                self.refused = error

    def _points(self, meet: Meet) -> FloatArray | None:
        """The first measure without each group of points, if points are the units."""
        if self.how is None or self.unit_of_systems != "point" or self.refused is not None:
            return None
        try:
            return without_points(meet, self._first, self.how.seed)
        except MeasureError as error:
            self.refused = error
            return None

    def _same(self, units: AnyArray) -> AnyArray:
        """Names of units that most systems share are kept once."""
        if self._units is None or not np.array_equal(self._units, units):
            self._units = units
        return self._units


@contextmanager
def _named(system: str) -> Iterator[None]:
    """Errors within tell which system they are about."""
    try:
        yield
    except ClusterdiffError as error:
        error.locate(system)
        raise


def _names(diff: Comparison, unit: Sampled, measure: Measure) -> AnyArray:
    """The names of what systems have in common, in order: of true clusters, or of documents."""
    meet = diff.meet_for(measure)
    if unit == "document" and isinstance(diff, CorpusComparison):
        units = units_of(meet, "document")
        name_of = {place: name for name, place in diff.documents.places.items()}
        names = np.full(units.count, None, dtype=object)
        names[:] = [
            name_of.get(place) for place in (() if units.documents is None else units.documents.tolist())
        ]
        return names
    return np.array(meet.true_names)
