"""Repairs where points that one side lacks count as lost: besides splits, merges and moves, points come and go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.anew import NOWHERE, Operation
from clusterdiff.diff.patch import FreshNames
from clusterdiff.diff.repairs import ROUNDING, Repair, Repairs
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.worth import Worth
from clusterdiff.errors import ArgumentError
from clusterdiff.measures.terms import x_log_x
from clusterdiff.meet.alone import Alone
from clusterdiff.meet.uneven import UnevenMeet

NOTHING = np.empty(0, dtype=np.int64)
#: Where all points but one weigh nothing, there is nothing to split; rounding must not say otherwise.
NO_CONTENT = 1e-12
#: So many of the largest parts of a true cluster are tried as places for the others.
TARGETS = 4


class Bag(NamedTuple):
    """What some points come to: their mass, Σ w·log(w/unit), and their number."""

    mass: float
    entropy: float
    points: int

    def plus(self, other: Bag) -> Bag:
        """Both together."""
        return Bag(self.mass + other.mass, self.entropy + other.entropy, self.points + other.points)

    def minus(self, other: Bag) -> Bag:
        """Without the points of the other, which are all in it."""
        return Bag(self.mass - other.mass, self.entropy - other.entropy, self.points - other.points)


class Found(NamedTuple):
    """An operation: its gain, the codes of its clusters and of true clusters, its cells, and whose lost points move."""

    operation: str
    gain: float
    clusters: list[int]
    true: list[int]
    cells: list[Any]
    lost: tuple[str, int] | None = None


class LostRepairs(Repairs):
    """The single operations that would raise S_H, best first.

    "add" puts the missing points of a true cluster where most of it is (or in a cluster of their own), "remove" takes
    spurious points out. A split also leaves the spurious points of its cluster by themselves.
    """

    def __init__(self, analysis: Analysis, source: PointSource, worth: Worth | None = None) -> None:
        self.analysis, self.source = analysis, source
        found = list(_Gains(analysis).all())
        gain = np.array([one.gain for one in found], dtype=np.float64)
        score = np.minimum(analysis.score + gain, 1.0)
        order = np.argsort(-gain, kind="stable")
        least = ROUNDING
        if worth is not None:  # no function of sums: points come and go
            self.measure = worth.measure.name
            order, self.left_out = order[: worth.limit], len(order[worth.limit :])
            score[order] = worth.anew(self._done(found[i]) for i in order.tolist())
            gain = worth.gains(score)
            self.left_out += int(np.isnan(gain[order]).sum())
            order = order[np.argsort(-gain[order], kind="stable")]
            least = ROUNDING * max(1.0, abs(worth.score))
        order = order[gain[order] > least]
        self._found = [found[i] for i in order.tolist()]
        self.gain, self.score = gain[order], score[order]

    def _done(self, one: Found) -> Operation:
        """What an operation does to the cells and to the points that a side lacks."""
        new = self.analysis.meet.k_pred
        target = one.clusters[1 if one.operation == "move" else 0] if one.clusters else new
        match one.operation:
            case "split":
                cells = np.concatenate(one.cells)
                return Operation(cells, new + np.arange(len(cells)))
            case "merge":
                spurious = dict.fromkeys(one.clusters, target)
                return Operation(one.cells[0], np.full(len(one.cells[0]), target), spurious=spurious)
            case "move":
                return Operation(one.cells[0], np.array([target]))
            case "add":
                return Operation(NOTHING, NOTHING, missing={one.true[0]: target})
            case _:
                return Operation(NOTHING, NOTHING, spurious={one.clusters[0]: NOWHERE})

    @property
    def sequence(self) -> Sequence[Repair]:
        """Refused: only single operations are known here."""
        raise ArgumentError(
            "the sequence of repairs is not known where points that one side lacks count as lost.",
            'pass missing="drop" for the points that both have.',
        )

    @cached_property
    def of_component(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The places in this list of each component's repairs, best first, as (indptr, places)."""
        of = np.array([self._component(one) for one in self._found], dtype=np.int32)
        return _core.group_members(of, len(self.analysis.join))

    def _component(self, one: Found) -> int:
        join = self.analysis.join
        return int(join.of_true[one.true[0]] if one.true else join.of_pred[one.clusters[0]])

    def _make(self, i: int) -> Repair:
        one, names = self._found[i], self.analysis
        called = [names.pred[code] for code in one.clusters]
        fresh = FreshNames(names.pred)
        if one.operation == "split":
            into = [called[0], *fresh(called * (len(one.cells) - 1))]
        elif one.operation == "add" and not called:
            into = fresh([names.true[one.true[0]]])
        else:
            into = [called[1 if one.operation == "move" else 0]]
        return Repair(
            one.operation,
            float(self.gain[i]),
            float(self.score[i]),
            called,
            into,
            [names.true[code] for code in one.true],
            self._component(one),
            one.cells,
            self.source,
            one.lost,
        )


class _Gains:
    """What each operation alone would gain, exactly: the scores of the clusters that it touches are made anew."""

    def __init__(self, analysis: Analysis) -> None:
        meet = analysis.meet
        assert isinstance(meet, UnevenMeet)
        self.analysis, self.meet = analysis, meet
        weights = meet.weights
        self.unit = 1.0 if weights is None else float(meet.total) / meet.n
        entropy = np.zeros(len(meet))
        if weights is not None:
            entropy = x_log_x(meet.mass / self.unit) * self.unit - weights.entropy
        self.cell = [
            Bag(*row) for row in zip(meet.mass.tolist(), entropy.tolist(), meet.size.tolist(), strict=True)
        ]
        self.missing = self._bags(meet.missing, meet.k_true)
        self.spurious = self._bags(meet.spurious, meet.k_pred)
        self.true, self.pred = list(self.missing), list(self.spurious)
        for cell, (t, p) in enumerate(zip(meet.true.tolist(), meet.pred.tolist(), strict=True)):
            self.true[t] = self.true[t].plus(self.cell[cell])
            self.pred[p] = self.pred[p].plus(self.cell[cell])
        self.s, self.t = analysis.scored.split.tolist(), analysis.scored.merge.tolist()
        s, t = analysis.scored.pair
        #: What each true cluster's cells weigh by their merge scores, and the other way round.
        self.v = np.bincount(meet.true, meet.mass * t, meet.k_true).tolist()
        self.w = np.bincount(meet.pred, meet.mass * s, meet.k_pred).tolist()
        content = [self.content(bag) for bag in self.cell]
        self.inside_true = np.bincount(meet.true, content, meet.k_true).tolist()
        self.inside_pred = np.bincount(meet.pred, content, meet.k_pred).tolist()

    def _bags(self, alone: Alone, k: int) -> list[Bag]:
        """The lost points of each cluster."""
        own = np.zeros(len(alone))
        if alone.weights is not None:
            w = alone.weights.astype(float)
            own = w * np.log(w / self.unit, out=np.zeros(len(w)), where=w > 0)
        entropy = np.bincount(alone.cluster, own, k).tolist()
        columns = alone.mass(k).tolist(), entropy, alone.count(k).tolist()
        return [Bag(*row) for row in zip(*columns, strict=True)]

    def content(self, bag: Bag) -> float:
        """κ: what there is to lose in splitting some points."""
        if bag.points < 2 or bag.mass <= 0:
            return 0.0
        content = bag.mass * log(bag.mass / self.unit) - bag.entropy
        return content if content > NO_CONTENT * bag.mass else 0.0

    def ratio(self, inside: float, whole: Bag) -> float:
        """A score: what is kept of the content of a cluster."""
        content = self.content(whole)
        return min(1.0, max(0.0, inside / content)) if content > 0 else 1.0

    # ---- operations

    def all(self) -> Iterator[Found]:
        """Every operation that may gain something."""
        meet, total = self.meet, self.meet.total
        for pred in range(meet.k_pred):
            cells = self.analysis.cells_of_pred(pred)
            if len(cells) > 1:
                cells = cells[np.argsort(-meet.mass[cells], kind="stable")]
                gain = self.w[pred] * (1 - self.t[pred]) / total
                yield Found("split", gain, [pred], meet.true[cells].tolist(), list(cells[:, None]))
            if self.spurious[pred].points:
                yield self._removal(pred, meet.true[cells].tolist())
        for true in range(meet.k_true):
            cells = self.analysis.cells_of_true(true)
            if not len(cells):
                yield Found("add", self.true[true].mass / total, [], [true], [NOTHING], ("true", true))
                continue
            pure = self.analysis.parts_of_pred[meet.pred[cells]] == 1
            rank = np.lexsort((cells, ~pure, -meet.mass[cells]))
            cells, pure = cells[rank], pure[rank]
            if self.missing[true].points:
                gain = self._united(true, [int(cells[0])], self.missing[true])
                yield Found("add", gain, [int(meet.pred[cells[0]])], [true], [NOTHING], ("true", true))
            yield from self._gathered(true, cells, pure)

    def _gathered(self, true: int, cells: Any, pure: Any) -> Iterator[Found]:
        """Merges and moves of the parts of a true cluster, the largest first."""
        united, found = cells[pure], []
        if len(united) > 1:
            gain = self._united(true, united.tolist())
            found.append(Found("merge", gain, self.meet.pred[united].tolist(), [true], [united]))
        if len(cells) > 1:
            found += self._moves(true, cells.tolist(), pure.tolist())
        if len(united):
            hosts = [np.append(host, united) for host in cells[~pure][:TARGETS]]
            merges = [
                Found(
                    "merge", self._united(true, some.tolist()), self.meet.pred[some].tolist(), [true], [some]
                )
                for some in hosts
            ]
            at_home = merges[:1] if not pure[0] else []
            most = max((one.gain for one in (*found, *at_home)), default=0.0)
            # With its home, unless another gains more than anything else.
            least = most + NO_CONTENT * self.true[true].mass / self.meet.total
            better = [one for one in merges if one.gain > least]
            found += [max(better, key=lambda one: one.gain)] if better else at_home
        yield from found

    def _moves(self, true: int, cells: list[int], pure: list[bool]) -> Iterator[Found]:
        """Every part that lies among others put to another part, where it gains most; the largest come first."""
        for cell, all_of_it in zip(cells, pure, strict=True):
            source = int(self.meet.pred[cell])
            if all_of_it and not self.spurious[source].points:
                continue
            others = [other for other in cells[: TARGETS + 1] if other != cell][:TARGETS]
            gain, best = max((self._move(true, cell, other), -i) for i, other in enumerate(others))
            clusters = [source, int(self.meet.pred[others[-best]])]
            yield Found("move", gain, clusters, [true], [np.array([cell])])

    def _removal(self, pred: int, true: list[int]) -> Found:
        """Spurious points taken out of a cluster: there are fewer points in all then."""
        gone, total = self.spurious[pred], self.meet.total
        left = self.pred[pred].minus(gone)
        after = self.ratio(self.inside_pred[pred], left) if left.points else 0.0
        kept = self.analysis.score * total + self.w[pred] * (after - self.t[pred])
        rest = total - gone.mass
        gain = (kept / rest if rest > 0 else 1.0) - self.analysis.score
        return Found("remove", gain, [pred], true[:1], [NOTHING], ("pred", pred))

    def _united(self, true: int, cells: list[int], more: Bag | None = None) -> float:
        """The predicted clusters of some cells of a true cluster made one, ``more`` of its points added to them."""
        more = more or Bag(0.0, 0.0, 0)
        part, whole, inside, before, others = more, more, 0.0, 0.0, 0.0
        rest, apart = self.v[true], self.inside_true[true]
        s = self.s[true]
        weighed = []
        for cell in cells:
            pred, bag = int(self.meet.pred[cell]), self.cell[cell]
            content = self.content(bag)
            part, whole = part.plus(bag), whole.plus(self.pred[pred])
            inside += self.inside_pred[pred] - content
            rest -= bag.mass * self.t[pred]
            apart -= content
            before += bag.mass * s * self.t[pred]
            weighed.append((self.w[pred] - bag.mass * s, self.t[pred]))
        content = self.content(part)
        after_s, after_t = self.ratio(apart + content, self.true[true]), self.ratio(inside + content, whole)
        others = sum(weight * (after_t - t) for weight, t in weighed)
        return float(
            (rest * (after_s - s) + others + part.mass * after_s * after_t - before) / self.meet.total
        )

    def _move(self, true: int, cell: int, home: int) -> float:
        """A stray cell of a true cluster put to the cluster that has most of it."""
        source, target = int(self.meet.pred[cell]), int(self.meet.pred[home])
        bag, at, s = self.cell[cell], self.cell[home], self.s[true]
        together = bag.plus(at)
        change = self.content(together) - self.content(at)
        own = self.content(bag)
        after_s = self.ratio(self.inside_true[true] + change - own, self.true[true])
        after_source = self.ratio(self.inside_pred[source] - own, self.pred[source].minus(bag))
        after_target = self.ratio(self.inside_pred[target] + change, self.pred[target].plus(bag))
        t_source, t_target = self.t[source], self.t[target]
        rest = self.v[true] - bag.mass * t_source - at.mass * t_target
        gain = rest * (after_s - s)
        gain += (self.w[source] - bag.mass * s) * (after_source - t_source)
        gain += (self.w[target] - at.mass * s) * (after_target - t_target)
        gain += together.mass * after_s * after_target - s * (at.mass * t_target + bag.mass * t_source)
        return float(gain / self.meet.total)
