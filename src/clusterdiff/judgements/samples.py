"""Samples of a truth, laid over a whole run: the cells of the drawn clusters, and the sizes of the run's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.errors import ArgumentError, LabelError, listed
from clusterdiff.judgements.collection import Judgements
from clusterdiff.judgements.ratios import variation
from clusterdiff.judgements.runs import PointFinder, read_run
from clusterdiff.messages import Message
from clusterdiff.points.labels import CLUSTER_TYPES, FloatArray, Int64Array
from clusterdiff.points.texts import texts
from clusterdiff.wording import count

Design: TypeAlias = Literal["clusters", "points", "strata"]
MissingPoints: TypeAlias = Literal["error", "drop"]


@dataclass(frozen=True)
class Sample:
    """True clusters that were drawn, and their cells with the clusters of a run.

    ``size`` is of each draw; ``draw``, ``cluster`` and ``m`` are of its cells. ``same`` is equal for draws of the same
    true cluster. ``sizes`` are those of the run's clusters, at least of those with drawn points; ``histogram`` has the
    sizes of all, and how many there are of each. ``dropped`` points of the sample are not in the run.
    """

    size: FloatArray
    draw: Int64Array
    cluster: Int64Array
    m: FloatArray
    same: Int64Array
    sizes: Int64Array
    histogram: tuple[Int64Array, Int64Array]
    dropped: int
    place: Int64Array
    of_point: Int64Array
    #: Which of all draws have points in the run, and how many there are in all.
    kept: Int64Array
    draws: int
    probabilities: FloatArray | None = None

    def __len__(self) -> int:
        return len(self.size)

    @cached_property
    def spread(self) -> dict[str, float]:
        """How much the run's clusters vary, as squared coefficients of variation: of points, of pairs, by point."""
        b, counts = (column.astype(float) for column in self.histogram)
        return {
            "points": variation(b, counts),
            "pairs": variation(b * (b - 1) / 2, counts),
            "by point": variation(b - 1, b * counts),
        }

    @cached_property
    def clusters(self) -> int:
        """How many clusters the run has."""
        return int(self.histogram[1].sum())

    @cached_property
    def n(self) -> int:
        """How many points the run has."""
        sizes, times = self.histogram
        return int((sizes * times).sum())

    @property
    def b(self) -> FloatArray:
        """The size of the run's cluster, by cell."""
        return self.sizes[self.cluster].astype(float)

    def by_draw(self, of_cells: FloatArray) -> FloatArray:
        """Values of cells, added up by draw."""
        return np.bincount(self.draw, np.asarray(of_cells, dtype=float), minlength=len(self)).astype(float)


def lay_sample(sample: object, run: PointFinder, missing: MissingPoints) -> Sample:
    """The draws of a sample, against a run that has all points."""
    draws, probabilities = _draws(sample)
    flat = [point for draw in draws for point in draw]
    sizes = np.array([len(draw) for draw in draws], dtype=np.int64)
    names = sorted(set(flat))
    number = {name: i for i, name in enumerate(names)}
    code = np.fromiter((number[point] for point in flat), np.int64, len(flat))
    of_draw = np.repeat(np.arange(len(draws)), sizes)
    _refuse_overlap(code, of_draw, sizes, names)
    place = run.find(names)[code]
    here = place >= 0
    if missing == "error" and not here.all():
        absent = [names[i] for i in np.unique(code[~here]).tolist()]
        raise LabelError(
            Message(
                "`pred` lacks {n} of the sample: {which}.",
                n=count(len(absent)),
                which=listed(absent[:5], len(absent)),
            ),
            Message('`pred` must have all points; pass `missing="drop"` to leave them out of the sample.'),
        )
    left = np.bincount(of_draw[here], minlength=len(draws))
    kept = np.flatnonzero(left > 0)
    if not len(kept):
        raise LabelError(
            Message("`sample` and `pred` have no points in common."), "check the names of the points."
        )
    again = np.full(len(draws), -1)
    again[kept] = np.arange(len(kept))
    draw, place = again[of_draw[here]], place[here]
    clusters = len(run.sizes)
    keys, m = np.unique(draw * clusters + run.cluster[place].astype(np.int64), return_counts=True)
    first = np.full(len(kept), np.iinfo(np.int64).max)
    np.minimum.at(first, draw, place)
    return Sample(
        left[kept].astype(float),
        keys // clusters,
        keys % clusters,
        m.astype(float),
        first,
        run.sizes,
        run.histogram,
        int((~here).sum()),
        place,
        draw,
        kept,
        len(draws),
        None if probabilities is None else probabilities[kept],
    )


def placed(drawn: Sequence[Any], run: PointFinder) -> tuple[list[str], Int64Array]:
    """Points that were drawn, by text, and where they stand in a run."""
    names = texts(drawn)
    place = run.find(names)
    if not names or (place < 0).any():
        absent = [name for name, at in zip(names, place.tolist(), strict=True) if at < 0]
        got = f"; it lacks {listed(absent)}" if absent else ""
        raise ArgumentError.about("drawn", f"must name points that the run has{got}.")
    return names, place


def _draws(sample: object) -> tuple[list[Sequence[str]], FloatArray | None]:
    """The points of each draw, by text; and inclusion probabilities, if the sample has them."""
    if isinstance(sample, Judgements):
        drawn = [
            (group, one.probability) for one in sample if one.claims and one.complete for group in one.groups
        ]
        if not drawn:
            raise ArgumentError.about(
                "sample",
                "has no judgement with whole clusters.",
                'a judgement whose groups are whole clusters has "complete": true.',
            )
        known = [probability for _, probability in drawn if probability is not None]
        if known and len(known) < len(drawn):
            raise ArgumentError.about(
                "sample",
                f"has a probability for {len(known):,} of {count(len(drawn), 'cluster')}; all or none must have one.",
            )
        return [group for group, _ in drawn], np.array(known) if known else None
    if isinstance(sample, list | tuple) and sample and isinstance(sample[0], (*CLUSTER_TYPES, tuple)):
        odd = next(
            (i for i, draw in enumerate(sample) if not isinstance(draw, (*CLUSTER_TYPES, tuple)) or not draw),
            None,
        )
        if odd is not None:
            raise ArgumentError.must(
                "sample", "be a list of draws, each of them the points of a cluster", got=repr(sample[odd])
            )
        return [texts(draw) for draw in sample], None
    clustering = read_run(sample, "sample")
    return [sorted(texts(cluster)) for cluster in clustering.to_sets()], None


def _refuse_overlap(code: Int64Array, draw: Int64Array, sizes: Int64Array, names: list[str]) -> None:
    """Raise if a point is in two true clusters, or twice in one; the same cluster may be drawn twice."""
    first = np.full(len(sizes), np.iinfo(np.int64).max)
    np.minimum.at(first, draw, code)
    pairs = np.unique(np.stack([code, first[draw], sizes[draw]], axis=1), axis=0)
    points, times = np.unique(pairs[:, 0], return_counts=True)
    twice = points[times > 1]
    within = np.unique(np.stack([draw, code], axis=1), axis=0)
    if not len(twice) and len(within) < len(code):
        _, times = np.unique(np.stack([draw, code], axis=1), axis=0, return_counts=True)
        twice = within[times > 1, 1]
    if len(twice):
        wrong: list[Any] = [names[i] for i in twice.tolist()]
        raise ArgumentError.about(
            "sample",
            f"has {count(len(wrong))} in several clusters: {listed(wrong)}.",
            "a point belongs to one true cluster; a cluster drawn twice is listed twice, with the same points.",
        )
