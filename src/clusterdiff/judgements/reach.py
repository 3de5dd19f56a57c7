"""How far a change reaches: what S_H and inverse purity gain, true clusters being followed out of changed components.

A true cluster that lies partly in a changed component changes its split score, and with it the score of its points in
unchanged clusters. What those add is shared among the points of the true cluster that did change.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.judgements.changed import changed_components
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array
from clusterdiff.points.texts import texts


def is_whole(answer: Judgement) -> bool:
    """Whether the groups of an answer are whole true clusters, with every point listed."""
    return answer.complete or (answer.beyond is not None and not any(answer.beyond))


def reached(
    answers: Sequence[Judgement], components: Sequence[Sequence[str]], diff: Comparison
) -> dict[str, FloatArray] | None:
    """What each reviewed component adds to S_H and to inverse purity, new minus old; None if answers reach less far.

    They must list their true clusters whole, and the points of every unchanged cluster that those have points in.
    """
    if not all(map(is_whole, answers)):
        return None
    facts = Facts(Entries(answers))
    place = _places(facts.names, diff)
    here = np.flatnonzero(place >= 0)
    number = {facts.names[i]: k for k, i in enumerate(here.tolist())}
    cell = diff.meet.cell_of_point[place[here]]
    changed = np.zeros(len(diff.analysis.join), dtype=bool)
    changed[changed_components(diff).component] = True
    in_change = changed[diff.analysis.join.of_cell[cell]]
    judged = _Judged(
        np.unique(facts.block[here], return_inverse=True)[1].ravel(),
        (diff.meet.true[cell].astype(np.int64), diff.meet.pred[cell].astype(np.int64)),
        (diff.meet.true_size, diff.meet.pred_size),
        in_change,
    )
    reviewed = [np.array([number[point] for point in points if point in number]) for points in components]
    return judged.gains(reviewed)


def _places(names: Sequence[str], diff: Comparison) -> Int64Array:
    wanted = dict.fromkeys(names, -1)
    points = diff.source.names
    for i, name in enumerate(texts(points)):
        if name in wanted:
            wanted[name] = i
    return np.array([wanted[name] for name in names], dtype=np.int64)


class _Judged:
    """Points with a known true cluster: that one, those of both runs, and whether they lie in a changed component."""

    def __init__(
        self,
        true: Int64Array,
        runs: tuple[Int64Array, Int64Array],
        sizes: tuple[Int64Array, Int64Array],
        in_change: BoolArray,
    ) -> None:
        self.true, self.runs, self.sizes, self.in_change = true, runs, sizes, in_change

    def gains(self, reviewed: list[Int64Array]) -> dict[str, FloatArray] | None:
        """By reviewed component, given the places of its points."""
        concerned = np.zeros(self.true.max(initial=-1) + 1, dtype=bool)
        concerned[self.true[np.concatenate(reviewed)]] = True
        mine = concerned[self.true]
        outside = mine & ~self.in_change
        merge = [self._merge(side) for side in (0, 1)]
        if np.isnan(merge[0][outside]).any():
            return None  # an unchanged cluster is not resolved
        split, purest = zip(*(self._split(side) for side in (0, 1)), strict=True)
        k = len(concerned)
        inside = np.bincount(self.true[self.in_change], minlength=k).astype(float)
        beyond = np.bincount(self.true[outside], merge[0][outside], minlength=k)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(inside > 0, (split[1] - split[0]) * beyond / inside, 0.0)
            pure = np.where(inside > 0, (purest[1] - purest[0]) / inside, 0.0)
        z = [split[side][self.true] * merge[side] for side in (0, 1)]
        by_point = z[1] - z[0] + share[self.true]
        return {
            "S_H": np.array([by_point[at].sum() for at in reviewed]),
            "inverse_purity": np.array([pure[self.true[at]].sum() for at in reviewed]),
        }

    def _cells(self, side: int) -> tuple[Int64Array, Int64Array, FloatArray]:
        k = int(self.runs[side].max(initial=-1)) + 1
        keys, m = np.unique(self.true * k + self.runs[side], return_counts=True)
        return keys // k, keys % k, m.astype(float)

    def _split(self, side: int) -> tuple[FloatArray, FloatArray]:
        """The split score of each true cluster, and its points in the cluster of the run that has most of them."""
        true, _, m = self._cells(side)
        whole = _entropy(np.bincount(self.true).astype(float))
        kept = np.bincount(true, _entropy(m), minlength=len(whole))
        most = np.zeros(len(whole))
        np.maximum.at(most, true, m)
        return np.where(whole > 0, kept / np.where(whole > 0, whole, 1), 1.0), most

    def _merge(self, side: int) -> FloatArray:
        """The merge score of each point's cluster; NaN where not all of the cluster's points are judged."""
        _, cluster, m = self._cells(side)
        sizes = self.sizes[side].astype(float)
        whole = _entropy(sizes)
        kept = np.bincount(cluster, _entropy(m), minlength=len(sizes))
        held = np.bincount(cluster, m, minlength=len(sizes))
        score = np.where(whole > 0, kept / np.where(whole > 0, whole, 1), 1.0)
        found: FloatArray = np.where(held == sizes, score, np.nan)[self.runs[side]]
        return found


def _entropy(values: FloatArray) -> FloatArray:
    return np.where(values > 1, values * np.log(np.maximum(values, 1)), 0.0)
