"""Predicates: yes-or-no questions about points, derived from columns of values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.attributes import Attribute
from clusterdiff.diff.features import features, numbers
from clusterdiff.points.labels import AnyArray, BoolArray, Int64Array, IntArray
from clusterdiff.wording import name

#: A column with at most this many values has all of them as predicates; of others the commonest are taken.
VALUES, COMMONEST, COMMON = 50, 20, 0.005
#: Text with at most this many values is told by value alone; from more than that many on also by its first letter.
FEW_TEXTS = 12
#: Columns with at most this many values: "a, in a cluster with b".
PAIRED = 8
#: Among more distinct values than this share of the points, no value and no cluster's majority says anything.
UNIQUE = 0.9
#: At most this many first letters.
LETTERS = 40
#: The classes of the sizes of true clusters: the smallest and the greatest of each.
SIZES = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 32), (33, None))
LENGTHS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)


@dataclass(frozen=True, eq=False)
class Predicate:
    """Points for whose code ``holds`` is true.

    ``kind`` is "null", "value", "range", "text", "cluster", "pair", "size" or "and".
    """

    column: str
    text: str
    kind: str
    coding: Coding
    holds: BoolArray

    @property
    def points(self) -> BoolArray:
        """For which points it holds."""
        found: BoolArray = self.holds[self.coding.codes]
        return found

    @property
    def example(self) -> Any:
        """The commonest of their values, where that helps."""
        if self.kind != "text":
            return None
        return self.coding.values[int(np.argmax(np.where(self.holds, self.coding.counts, -1)))]


@dataclass(frozen=True, eq=False)
class Coding:
    """A code for each point, from 0 to ``k`` − 1; predicates are sets of codes, so sums are made once per code.

    ``values`` has the values of the codes, where they stand for some.
    """

    codes: IntArray
    k: int
    values: AnyArray = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def counts(self) -> Int64Array:
        """How many points have each code."""
        return np.bincount(self.codes, minlength=self.k)


class TrueClusters:
    """The true cluster of each point (``k`` for points without one), and the points of each."""

    def __init__(self, true: Int64Array) -> None:
        """``true`` has codes of true clusters, -1 for points without one."""
        self.k = int(true.max(initial=-1)) + 1
        self.of = np.where(true < 0, self.k, true)

    @cached_property
    def sizes(self) -> Int64Array:
        """The size of each true cluster; the last is none, and has no points."""
        return np.append(np.diff(self._members[0]), 0)

    @cached_property
    def _members(self) -> tuple[Int64Array, Int64Array]:
        """Where each cluster begins and ends among its points, and these; points without one are left out."""
        indptr, members = _core.group_members(self.of, self.k + 1)
        return indptr[:-1], members[: indptr[-2]]

    def agreement(self, codes: IntArray, none: int) -> Int64Array:
        """By point: 1 if another value is commoner in its cluster, 2 if that has several; code ``none`` is no value."""
        return _core.agreement(*self._members, codes, none).astype(np.int64)

    def united(self, sets: Int64Array) -> Int64Array:
        """The union of some sets, one per point and given as bits, over the points of each cluster."""
        (indptr, members), out = self._members, np.zeros(self.k + 1, dtype=np.int64)
        filled = np.flatnonzero(self.sizes)
        out[filled] = np.bitwise_or.reduceat(sets[members], indptr[filled])
        return out


class Questions:
    """The questions that an attribute gives rise to: its predicates."""

    def __init__(self, name: str, values: Attribute, clusters: TrueClusters) -> None:
        self.name = name
        self.clusters = clusters
        self.values = values.distinct
        self.k = len(values.distinct)
        # Code k is no value.
        codes = np.where(values.codes < 0, values.codes.dtype.type(self.k), values.codes)
        self.coding = Coding(codes, self.k + 1, values.distinct)
        self.counts = self.coding.counts
        self.unique = self.k > UNIQUE * int(self.counts[: self.k].sum())

    def predicates(self) -> Iterator[list[Predicate]]:
        """Its predicates, those of one coding at a time."""
        null = np.zeros(self.k + 1, dtype=bool)
        null[self.k] = True
        found = [self._asked(null, "is missing", "null")]
        if self.k >= 2:
            found += self._by_value()
            ordered = numbers(self.values) if self.k > 2 else None
            if ordered is not None:
                found += self._by_range(*ordered)
            elif self.k > FEW_TEXTS:
                found += self._by_text()
        yield found
        if self.k >= 2 and not self.unique and self.clusters.k:
            yield from self._by_cluster()

    def _asked(self, holds: BoolArray, text: str, kind: str) -> Predicate:
        if len(holds) == self.k:
            holds = np.append(holds, False)
        return Predicate(self.name, text, kind, self.coding, holds)

    def _by_value(self) -> Iterator[Predicate]:
        few = self.k <= VALUES
        if self.unique and not few:
            return
        counts = self.counts[: self.k]
        common = np.argsort(-counts, kind="stable")[: VALUES if few else COMMONEST]
        for code in common.tolist():
            if few or counts[code] >= COMMON * len(self.coding.codes):
                yield self._asked(np.arange(self.k) == code, f"is {name(self.values[code])}", "value")

    def _by_range(self, value: Any, say: Any) -> Iterator[Predicate]:
        """Up to and beyond quantiles."""
        quantiles = np.arange(1, 20) / 20 if self.k <= 60 else np.arange(1, 10) / 10
        known = np.flatnonzero(~np.isnan(value))
        order = known[np.argsort(value[known], kind="stable")]
        rising, weight = value[order], np.cumsum(self.counts[order])
        cuts = rising[np.minimum(np.searchsorted(weight, quantiles * weight[-1]), len(order) - 1)]
        for cut in np.unique(cuts[cuts < rising[-1]]).tolist():
            after = rising[np.searchsorted(rising, cut, side="right")]
            yield self._asked(value <= cut, f"up to {say(cut)}", "range")
            yield self._asked(value > cut, f"from {say(after)} on", "range")

    def _by_text(self) -> Iterator[Predicate]:
        flags, length, first = features(self.values)
        for text, holds in flags.items():
            if holds.any():
                yield self._asked(holds, text, "text")
        order = np.argsort(length, kind="stable")
        weight = np.cumsum(self.counts[order])
        at = np.searchsorted(weight, np.array(LENGTHS) * weight[-1])
        for cut in np.unique(length[order[np.minimum(at, self.k - 1)]]).tolist():
            signs = f"{cut} character{'s' if cut != 1 else ''}"
            yield self._asked(length <= cut, f"has up to {signs}", "text")
            yield self._asked(length > cut, f"has more than {signs}", "text")
        letters = np.unique(first[first > 0])
        if self.k > VALUES and len(letters) <= LETTERS:
            for letter in letters.tolist():
                yield self._asked(first == letter, f"starts with {name(chr(letter))}", "text")

    def _by_cluster(self) -> Iterator[list[Predicate]]:
        """Against the other points of its true cluster, from codes that tell all that is asked for."""
        clusters, k = self.clusters, self.k
        # Bit 0: it differs from most of its cluster; bit 1: there are several values in the cluster.
        bits = clusters.agreement(self.coding.codes, k)
        code, coding = np.arange(4), Coding(bits, 4)
        yield [
            Predicate(self.name, "differs from most of its cluster", "cluster", coding, code % 2 == 1),
            Predicate(self.name, "has several values in the cluster", "cluster", coding, code >= 2),
        ]
        if k > PAIRED:
            return
        # The set of the values of its cluster, where there are several, and its own value.
        own = np.where(self.coding.codes < k, 1 << self.coding.codes.astype(np.int64), 0)
        sets = (1 + self.coding.codes.astype(np.int64)) << k | clusters.united(own)[clusters.of]
        coding = Coding(np.where((bits >= 2) & (own > 0), sets, 0), (k + 1) << k)
        code = np.arange(coding.k)
        yield [
            Predicate(
                self.name,
                f"is {name(self.values[a])}, in a cluster with {name(self.values[b])}",
                "pair",
                coding,
                (code >> k == a + 1) & (code >> b & 1 > 0),
            )
            for a, b in permutations(range(k), 2)
        ]


def by_cluster_size(clusters: TrueClusters) -> list[Predicate]:
    """Predicates about the size of the true cluster."""
    classes = np.searchsorted([low for low, _ in SIZES], clusters.sizes[clusters.of], side="right")
    coding = Coding(classes, len(SIZES) + 1)  # 0 for points without a cluster
    found = []
    for i, (low, high) in enumerate(SIZES, 1):
        text = f"is {low} or more" if high is None else f"is {low}" if low == high else f"is {low}-{high}"
        found.append(Predicate("cluster size", text, "size", coding, np.arange(coding.k) == i))
    return found
