"""Who is hit: the predicates whose points go wrong more often than others, tested, corrected and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.attributes import Attribute, read_values
from clusterdiff.diff.blame import PointBlame
from clusterdiff.diff.features import numbers
from clusterdiff.diff.harms import ALPHA, Harm, harms
from clusterdiff.diff.patterns import BaseRate, Excess, Hit, Hits
from clusterdiff.diff.predicates import Coding, Predicate, Questions, TrueClusters, by_cluster_size
from clusterdiff.diff.shapes import Shapes
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array
from clusterdiff.wording import name

#: What is shown: rates at least this many times as high, and at least this share of the loss.
RATIO, COVER = 1.5, 0.01
#: A predicate must hold, and not hold, for this many points, and for this share of them.
POINTS, SHARE = 10, 0.0005
#: How many rows are shown, and how many of those that tell the same points otherwise.
ROWS, ALSO = 8, 52
#: How many columns conjunctions are made of, and by how much one must explain more than its better half.
COLUMNS, BETTER = 8, 1.1


class Candidate(NamedTuple):
    """A predicate that passed for an harm; ``rank`` is what it explains, times the harm's share of the loss."""

    predicate: Predicate
    harm: Harm
    excess: Excess
    cover: float
    rank: float
    holm: float = 1.0

    @property
    def inside(self) -> BoolArray:
        """For which of the eligible points the predicate holds."""
        holds: BoolArray = self.predicate.holds[self.predicate.coding.codes[self.harm.at]]
        return holds

    @property
    def strata(self) -> bool:
        """Whether true clusters are compared with others of their size."""
        return self.predicate.kind != "size"


def who(
    shapes: Shapes, points: PointBlame, columns: Mapping[str, Callable[[], Any]], weights: Any = None
) -> Hits:
    """Which points are hit, by columns of values, which are read one after the other.

    The weights themselves are no column: a heavy point stays by definition, as the largest part of its cluster.
    """
    whole = shapes.analysis.loss.total
    found = harms(points, shapes) if whole > 0 else []
    clusters = TrueClusters(points.true)
    search = Search(found, whole, len(points.true))
    search.look(by_cluster_size(clusters))
    unusable, used = [], 0
    for column, read in columns.items():
        values = read_values(read())
        if values is None:
            unusable.append(column)
            continue
        if weights is not None and _are(values, weights):
            continue
        used += 1
        for predicates in Questions(column, values, clusters).predicates():
            search.look(predicates)
    rows, also = search.rows()
    base = {o.name: BaseRate(o.n, o.hits, o.hits / o.n, float(o.blame.sum()) / whole) for o in found}
    return Hits(rows, also, search.tests, base, used, tuple(unusable))


def _are(values: Attribute, weights: Any) -> bool:
    """Whether values are these numbers, wherever there is a value."""
    found = numbers(values.distinct)
    known = values.codes >= 0
    return found is not None and np.array_equal(found[0][values.codes[known]], weights[known])


class Search:
    """Predicates that are looked at one coding after the other, and those that passed."""

    def __init__(self, harms: list[Harm], whole: float, n: int) -> None:
        self.harms = harms
        self.whole = whole
        self.n = n
        self.least = max(POINTS, int(SHARE * n))
        self.tests = 0
        self.passed: list[Candidate] = []
        #: The share of the loss of each harm.
        self.shares = {o.name: float(o.blame.sum()) / whole for o in harms}

    @cached_property
    def _sums(self) -> HarmSums:
        return HarmSums(self.harms, self.n)

    def look(self, predicates: list[Predicate]) -> None:
        """Test the predicates of one coding for every harm; sums are made once per code."""
        if not self.harms:
            return
        points, sums = self._sums.of(predicates)
        enough = np.flatnonzero((points >= self.least) & (points <= self.n - self.least))
        predicates, sums = [predicates[i] for i in enough.tolist()], sums[:, enough]
        for harm, columns in zip(self.harms, sums, strict=True):
            for predicate, (number, hits, expected, blame) in zip(predicates, columns.tolist(), strict=True):
                n, sized = int(number), predicate.kind == "size"
                if not POINTS <= n <= harm.n - POINTS or (sized and harm.name != "left"):
                    continue  # among merged clusters the smaller is hit by definition
                self.tests += 1
                due = harm.hits * n / harm.n if sized else expected
                # A design effect of 1 is the least that there can be.
                if blame >= COVER * self.whole and _passes(harm.excess(n, hits, due)):
                    self._test(predicate, harm, blame / self.whole)

    def _test(self, predicate: Predicate, harm: Harm, cover: float) -> None:
        candidate = Candidate(predicate, harm, Excess(0, 0, 0, 0, 0, 0, 0, 0, 1), cover, 0.0)
        excess = harm.test(candidate.inside, strata=candidate.strata)
        if excess is not None and _passes(excess):
            rank = harm.explained(excess.hits, excess.expected) * self.shares[harm.name]
            self.passed.append(candidate._replace(excess=excess, rank=rank))

    def corrected(self) -> list[Candidate]:
        """Those that pass after Holm's correction, in the order in which they were looked at."""
        order = sorted(range(len(self.passed)), key=lambda i: self.passed[i].excess.p)
        worst, found = 0.0, {}
        for place, i in enumerate(order):
            worst = max(worst, min(1.0, self.passed[i].excess.p * (self.tests - place)))
            if worst <= ALPHA:
                found[i] = self.passed[i]._replace(holm=worst)
        return [found[i] for i in sorted(found)]

    def rows(self) -> tuple[list[Hit], list[Hit]]:
        """The rows, each of which adds to those above, and what tells the same points otherwise."""
        singles = self.corrected()
        ranked = sorted([*singles, *self._conjunctions(singles)], key=lambda c: -c.rank)
        covered: dict[str, _Covered] = {}
        rows: list[Hit] = []
        also: list[Hit] = []
        for candidate in ranked:
            if len(rows) == ROWS or len(also) == ALSO:
                break
            above = covered.setdefault(candidate.harm.name, _Covered(candidate.harm))
            adds, new = self._adding(candidate, above)
            if new:
                above.cover(candidate)
            (rows if new else also).append(_hit(candidate, adds, self.shares))
        return rows, also

    def _adding(self, candidate: Candidate, above: _Covered) -> tuple[float, bool]:
        """What it adds to the rows above, and whether it passes without their points and the clusters they struck."""
        if not above.keys:
            return candidate.cover, True
        rest, left = above.rest, candidate.inside[above.left]
        adds = float(rest.blame[left].sum()) / self.whole
        if _key(candidate) in above.keys or adds < COVER:
            return adds, False
        excess = rest.test(left, strata=candidate.strata)
        return adds, excess is not None and _passes(excess, self.tests)

    def _conjunctions(self, singles: list[Candidate]) -> Iterator[Candidate]:
        """Two predicates at a time, of the best of each column."""
        for harm in self.harms:
            best: dict[str, Candidate] = {}
            for c in sorted(singles, key=lambda c: -c.rank):
                if c.harm is harm and c.predicate.kind not in ("size", "cluster", "pair"):
                    best.setdefault(c.predicate.column, c)
            top = list(best.values())[:COLUMNS]
            for i, second in enumerate(top):
                for first in top[:i]:
                    both = self._both(first, second, self.tests + len(top) ** 2)
                    if both is not None:
                        yield both

    def _both(self, first: Candidate, second: Candidate, tests: int) -> Candidate | None:
        harm, a, b = first.harm, first.inside, second.inside
        both = a & b
        if np.count_nonzero(both) < POINTS:
            return None
        either = max(_mean(harm.hit[a & ~b]), _mean(harm.hit[b & ~a]))
        cover = float(harm.blame[both].sum()) / self.whole
        if cover < COVER or _mean(harm.hit[both]) < RATIO * either:
            return None
        excess = harm.test(both)
        if excess is None or excess.p * tests > ALPHA:
            return None
        rank = harm.explained(excess.hits, excess.expected) * self.shares[harm.name]
        if rank < BETTER * max(first.rank, second.rank):
            return None
        p, q = first.predicate, second.predicate
        coding = Coding((p.points & q.points).astype(np.int64), 2)
        text = f"{name(p.column)} {p.text} and {name(q.column)} {q.text}"
        joint = Predicate(f"{p.column} & {q.column}", text, "and", coding, np.array([False, True]))
        return Candidate(joint, harm, excess, cover, rank, min(1.0, excess.p * tests))


class _Covered:
    """The points of the rows above and of the clusters that they struck, for one harm."""

    def __init__(self, harm: Harm) -> None:
        self.harm = harm
        self.done = np.zeros(harm.n, dtype=bool)
        self.keys: set[tuple[str, bool]] = set()

    def cover(self, candidate: Candidate) -> None:
        """Add a row."""
        inside, unit = candidate.inside, self.harm.unit
        struck = np.zeros(int(unit.max(initial=-1)) + 1, dtype=bool)
        struck[unit[inside & (self.harm.hit > 0)]] = True
        self.done |= inside | struck[unit]
        self.keys.add(_key(candidate))
        self.left = np.flatnonzero(~self.done)
        self.rest = self.harm.without(self.done)


def _key(candidate: Candidate) -> tuple[str, bool]:
    """There is one row per column and harm, and one for its nulls."""
    return candidate.predicate.column, candidate.predicate.kind == "null"


def _passes(excess: Excess, tests: int = 1) -> bool:
    return excess.adjusted >= RATIO and excess.hits > excess.expected and excess.p * tests <= ALPHA


class HarmSums:
    """What befell the points of a predicate, from sums by code.

    All points of a stratum are expected to suffer the same, so there are few different rows of what is expected; and
    most points suffered nothing, so what happened is summed over the others alone.
    """

    def __init__(self, harms: list[Harm], n: int) -> None:
        self.harms = harms
        stratum, eligible, struck = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n, dtype=bool)
        for bit, harm in enumerate(harms):
            stratum[harm.at] = harm.stratum
            eligible[harm.at] |= 1 << bit
            struck[harm.at] |= (harm.hit != 0) | (harm.blame != 0)
        self._class, first = _core.encode_integers(stratum << len(harms) | eligible)
        self._struck = np.flatnonzero(struck)
        #: By class of point: 1; whether it is eligible for each harm, and what is expected of that.
        self._due = _rows(
            first, [np.ones(n), *(v for h in harms for v in _laid(n, h.at, np.ones(h.n), h.expected))]
        )
        self._done = _rows(self._struck, [v for h in harms for v in _laid(n, h.at, h.hit, h.blame)])

    def of(self, predicates: list[Predicate]) -> tuple[FloatArray, FloatArray]:
        """For each predicate of one coding: its points; and by harm: eligible points, hits, expected hits, blame."""
        coding, each = predicates[0].coding, np.arange(len(self._struck), dtype=np.int32)
        due = _core.code_sums(coding.codes, coding.k, self._class, self._due.ravel(), self._due.shape[1])
        done = _core.code_sums(
            coding.codes[self._struck], coding.k, each, self._done.ravel(), self._done.shape[1]
        )
        holds = np.stack([predicate.holds for predicate in predicates]).astype(np.float64)
        sums = holds @ np.hstack([due, done])
        by_harm = sums[:, 1:].reshape(len(predicates), 2, len(self.harms), 2)
        return sums[:, 0], np.ascontiguousarray(by_harm.transpose(2, 0, 3, 1)).reshape(len(self.harms), -1, 4)


def _laid(n: int, at: Int64Array, *values: FloatArray) -> Iterator[FloatArray]:
    """Numbers of some points, laid out over all."""
    for mine in values:
        out = np.zeros(n)
        out[at] = mine
        yield out


def _rows(at: Int64Array, columns: list[FloatArray]) -> FloatArray:
    return np.stack([column[at] for column in columns], axis=1)


def _mean(values: Iterable[float]) -> float:
    array = np.asarray(values)
    return float(array.mean()) if len(array) else 0.0


def _hit(candidate: Candidate, adds: float, shares: Mapping[str, float]) -> Hit:
    predicate, harm = candidate.predicate, candidate.harm
    share = shares[harm.name]
    return Hit(
        harm.name,
        predicate.column,
        predicate.text,
        predicate.kind,
        candidate.excess,
        candidate.holm,
        candidate.cover,
        candidate.rank / share if share else 0.0,
        adds,
        harm.n,
        predicate.example,
        predicate.points,
    )
