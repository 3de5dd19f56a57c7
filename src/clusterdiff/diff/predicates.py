"""Predicates: yes-or-no questions about points, derived from columns of values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.attributes import Attribute
from clusterdiff.diff.features import features, numbers
from clusterdiff.points.labels import BoolArray, Int64Array, IntArray
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
    """Points for whose code ``holds`` is true. ``example`` is the commonest of their values, where that helps.

    ``kind`` is "null", "value", "range", "text", "cluster", "pair", "size" or "and".
    """

    column: str
    text: str
    kind: str
    coding: Coding
    holds: BoolArray
    example: Any = None

    @property
    def points(self) -> BoolArray:
        """For which points it holds."""
        found: BoolArray = self.holds[self.coding.codes]
        return found


@dataclass(frozen=True, eq=False)
class Coding:
    """A code for each point, from 0 to ``k`` − 1; predicates are sets of codes, so sums are made once per code."""

    codes: IntArray
    k: int


@dataclass(frozen=True, eq=False)
class TrueClusters:
    """The true cluster of each point (``k`` for points without one), and which of the points count at least."""

    of: Int64Array
    k: int
    least: int

    @classmethod
    def of_points(cls, true: Int64Array, least: int) -> TrueClusters:
        """From the codes of true clusters, -1 for points without one."""
        k = int(true.max(initial=-1)) + 1
        return cls(np.where(true < 0, k, true), k, least)

    @cached_property
    def sizes(self) -> Int64Array:
        """The size of each true cluster; the last is none, and has no points."""
        return np.append(np.bincount(self.of, minlength=self.k)[: self.k], 0)

    @cached_property
    def _sorted(self) -> tuple[Int64Array, Int64Array]:
        """The points by cluster, and where each cluster begins; those without one come last."""
        return np.argsort(self.of, kind="stable"), np.cumsum(self.sizes) - self.sizes

    def several(self, codes: IntArray, k: int) -> BoolArray:
        """Which clusters have several values; code ``k`` is none."""
        order, starts = self._sorted
        filled = np.flatnonzero(self.sizes)
        mine = codes[order[: len(order) - np.count_nonzero(self.of == self.k)]]
        least = np.minimum.reduceat(mine, starts[filled])
        greatest = np.maximum.reduceat(np.where(mine == k, -1, mine), starts[filled])
        several = np.zeros(self.k + 1, dtype=bool)
        several[filled] = greatest > least
        return several


class Questions:
    """The questions that an attribute gives rise to: its predicates."""

    def __init__(self, name: str, values: Attribute, clusters: TrueClusters) -> None:
        self.name = name
        self.clusters = clusters
        self.values = values.distinct
        self.k = len(values.distinct)
        # Code k is no value.
        self.coding = Coding(np.where(values.codes < 0, self.k, values.codes), self.k + 1)
        self.counts = np.bincount(self.coding.codes, minlength=self.k + 1)
        self.unique = self.k > UNIQUE * int(self.counts[: self.k].sum())

    def predicates(self) -> Iterator[list[Predicate]]:
        """Its predicates, those of one coding at a time."""
        null = np.zeros(self.k + 1, dtype=bool)
        null[self.k] = True
        found = [*self._kept(null, "is missing", "null")]
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

    def _kept(self, holds: BoolArray, text: str, kind: str, example: bool = False) -> Iterator[Predicate]:
        """A predicate, if enough points have it and enough have not."""
        if len(holds) == self.k:
            holds = np.append(holds, False)
        n = int(self.counts[holds].sum())
        if self.clusters.least <= n <= len(self.coding.codes) - self.clusters.least:
            most = int(np.argmax(np.where(holds, self.counts, -1)))
            value = self.values[most] if example else None
            yield Predicate(self.name, text, kind, self.coding, holds, value)

    def _by_value(self) -> Iterator[Predicate]:
        few = self.k <= VALUES
        if self.unique and not few:
            return
        counts = self.counts[: self.k]
        common = np.argsort(-counts, kind="stable")[: VALUES if few else COMMONEST]
        for code in common.tolist():
            if few or counts[code] >= COMMON * len(self.coding.codes):
                yield from self._kept(np.arange(self.k) == code, f"is {name(self.values[code])}", "value")

    def _by_range(self, value: Any, say: Any) -> Iterator[Predicate]:
        """Up to and beyond quantiles."""
        quantiles = np.arange(1, 20) / 20 if self.k <= 60 else np.arange(1, 10) / 10
        known = np.flatnonzero(~np.isnan(value))
        order = known[np.argsort(value[known], kind="stable")]
        rising, weight = value[order], np.cumsum(self.counts[order])
        cuts = rising[np.minimum(np.searchsorted(weight, quantiles * weight[-1]), len(order) - 1)]
        for cut in np.unique(cuts[cuts < rising[-1]]).tolist():
            after = rising[np.searchsorted(rising, cut, side="right")]
            yield from self._kept(value <= cut, f"up to {say(cut)}", "range")
            yield from self._kept(value > cut, f"from {say(after)} on", "range")

    def _by_text(self) -> Iterator[Predicate]:
        flags, length, first = features(self.values)
        for text, holds in flags.items():
            yield from self._kept(holds, text, "text", True)
        order = np.argsort(length, kind="stable")
        weight = np.cumsum(self.counts[order])
        at = np.searchsorted(weight, np.array(LENGTHS) * weight[-1])
        for cut in np.unique(length[order[np.minimum(at, self.k - 1)]]).tolist():
            signs = f"{cut} character{'s' if cut != 1 else ''}"
            yield from self._kept(length <= cut, f"has up to {signs}", "text", True)
            yield from self._kept(length > cut, f"has more than {signs}", "text", True)
        letters = np.unique(first[first > 0])
        if self.k > VALUES and len(letters) <= LETTERS:
            for letter in letters.tolist():
                yield from self._kept(first == letter, f"starts with {name(chr(letter))}", "text", True)

    def _by_cluster(self) -> Iterator[list[Predicate]]:
        """Against the other points of its true cluster, from codes that tell all that is asked for."""
        clusters, k = self.clusters, self.k
        several = clusters.several(self.coding.codes, k)
        use = np.flatnonzero(several[clusters.of] & (self.coding.codes < k))
        code = self.coding.codes[use].astype(np.int64)
        pair, first = _core.encode_integers(clusters.of[use] * k + code)  # beyond 32 bits
        number, of = np.bincount(pair), clusters.of[use][first]
        most = np.zeros(clusters.k + 1, dtype=np.int64)
        np.maximum.at(most, of, number)
        # Bit 0: it differs from most of its cluster; bit 1: there are several values in the cluster.
        bits = 2 * several[clusters.of].astype(np.int64)
        bits[use] += (number < most[of])[pair]
        coding = _Bits(self, bits, 4)
        yield [
            *coding.kept(lambda bits: bits % 2 == 1, "differs from most of its cluster", "cluster"),
            *coding.kept(lambda bits: bits >= 2, "has several values in the cluster", "cluster"),
        ]
        if k > PAIRED:
            return
        # The set of the values of its cluster, where there are several, and its own value.
        present = np.bincount(of, 2.0 ** code[first], minlength=clusters.k + 1).astype(np.int64)
        sets = np.zeros(len(clusters.of), dtype=np.int64)
        sets[use] = (1 + code) << k | present[clusters.of[use]]
        coding = _Bits(self, sets, (k + 1) << k)
        yield [
            predicate
            for a, b in permutations(range(k), 2)
            for predicate in coding.kept(
                lambda sets, a=a, b=b: (sets >> k == a + 1) & (sets >> b & 1 > 0),
                f"is {name(self.values[a])}, in a cluster with {name(self.values[b])}",
                "pair",
            )
        ]


class _Bits:
    """A coding by what is known of a point in a few bits."""

    def __init__(self, column: Questions, bits: Int64Array, k: int) -> None:
        self.column = column
        self.coding = Coding(bits, k)
        self.counts = np.bincount(bits, minlength=k)

    def kept(self, holds: Any, text: str, kind: str) -> Iterator[Predicate]:
        """A predicate about the bits, if enough points have it and enough have not."""
        mine = holds(np.arange(self.coding.k))
        least, n = self.column.clusters.least, int(self.counts[mine].sum())
        if least <= n <= len(self.coding.codes) - least:
            yield Predicate(self.column.name, text, kind, self.coding, mine)


def by_cluster_size(clusters: TrueClusters) -> list[Predicate]:
    """Predicates about the size of the true cluster."""
    sizes = clusters.sizes[clusters.of]
    classes = np.searchsorted(
        [low for low, _ in SIZES], sizes, side="right"
    )  # 0 for points without a cluster
    coding, counts = Coding(classes, len(SIZES) + 1), np.bincount(classes, minlength=len(SIZES) + 1)
    found = []
    for i, (low, high) in enumerate(SIZES, 1):
        if clusters.least <= counts[i] <= len(sizes) - clusters.least:
            text = f"is {low} or more" if high is None else f"is {low}" if low == high else f"is {low}-{high}"
            found.append(Predicate("cluster size", text, "size", coding, np.arange(coding.k) == i))
    return found
