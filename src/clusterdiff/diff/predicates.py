"""Predicates: yes-or-no questions about points, derived from columns of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.caching import cached_property
from clusterdiff.diff.attributes import Attribute
from clusterdiff.diff.features import LOOKS, features, numbers
from clusterdiff.points.labels import BoolArray, FloatArray, Int64Array, IntArray
from clusterdiff.wording import name

#: A column with at most this many values has all of them as predicates; of others the commonest are taken.
VALUES, COMMONEST, COMMON = 50, 20, 0.005
#: Text with at most this many values is described by value alone; from more than that many on also by its first letter.
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
        return self.coding.example(self.holds) if self.kind == "text" and self.coding.example else None


@dataclass(frozen=True, eq=False)
class Coding:
    """A code for each point, from 0 to ``k`` − 1; predicates are sets of codes, so sums are made once per code.

    ``example`` tells a value that has one of some codes.
    """

    codes: IntArray
    k: int
    example: Callable[[BoolArray], Any] | None = None


class Aspect(NamedTuple):
    """Values in classes, and questions about these: the text and the kind of each, and which classes it holds for."""

    classes: IntArray
    questions: list[tuple[str, str, Callable[[IntArray], BoolArray]]]


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
        self.codes = np.where(values.codes < 0, values.codes.dtype.type(self.k), values.codes)
        self.counts = np.bincount(self.codes, minlength=self.k + 1)
        self.unique = self.k > UNIQUE * int(self.counts[: self.k].sum())

    def predicates(self) -> Iterator[list[Predicate]]:
        """Its predicates, those of one coding at a time."""
        yield self._by_aspect(list(self._aspects()) if self.k >= 2 else [])
        if self.k >= 2 and not self.unique and self.clusters.k:
            yield from self._by_cluster()

    def _by_aspect(self, aspects: list[Aspect]) -> list[Predicate]:
        """Values that no question tells apart have one code, so there are few; the last stands for no value."""
        together = np.zeros(self.k, dtype=np.int64)
        for classes, _ in aspects:
            together *= int(classes.max()) + 1
            together += classes
        of_value, first = _core.encode_integers(together)
        k = len(first)

        def example(holds: BoolArray) -> Any:
            """The commonest of the values."""
            return self.values[int(np.argmax(np.where(holds[of_value], self.counts[: self.k], -1)))]

        coding = Coding(np.append(of_value, np.int32(k))[self.codes], k + 1, example)
        found = [Predicate(self.name, "is missing", "null", coding, np.arange(k + 1) == k)]
        for classes, questions in aspects:
            mine = classes[first]
            found += [
                Predicate(self.name, text, kind, coding, np.append(holds(mine), False))
                for text, kind, holds in questions
            ]
        return found

    def _aspects(self) -> Iterator[Aspect]:
        if self.k <= VALUES or not self.unique:
            yield self._by_value()
        ordered = numbers(self.values) if self.k > 2 else None
        if ordered is not None:
            yield self._by_range(*ordered)
        elif self.k > FEW_TEXTS:
            yield from self._by_text()

    def _by_value(self) -> Aspect:
        """All values if there are few, or the commonest."""
        few, counts = self.k <= VALUES, self.counts[: self.k]
        common = np.flatnonzero(counts >= (0 if few else COMMON * len(self.codes)))
        common = common[np.argsort(-counts[common], kind="stable")[: VALUES if few else COMMONEST]]
        rank = np.zeros(self.k, dtype=np.int64)
        rank[common] = np.arange(1, len(common) + 1)
        return Aspect(
            rank,
            [
                (f"is {name(self.values[code])}", "value", partial(np.equal, place))
                for place, code in enumerate(common.tolist(), 1)
            ],
        )

    def _by_range(self, value: FloatArray, say: Callable[[float], str]) -> Aspect:
        """Up to and beyond quantiles."""
        quantiles = np.arange(1, 20) / 20 if self.k <= 60 else np.arange(1, 10) / 10
        order = np.argsort(value, kind="stable")[: np.count_nonzero(~np.isnan(value))]
        rising, weight = value[order], np.cumsum(self.counts[order])
        cuts = rising[np.minimum(np.searchsorted(weight, quantiles * weight[-1]), len(order) - 1)]
        cuts = np.unique(cuts[cuts < rising[-1]])
        after = rising[np.searchsorted(rising, cuts, side="right")]
        return _ranges(
            np.where(np.isnan(value), -1, np.searchsorted(cuts, value)),
            [
                (f"≤ {say(cut)}", f"≥ {say(low)}")
                for cut, low in zip(cuts.tolist(), after.tolist(), strict=True)
            ],
            "range",
        )

    def _by_text(self) -> Iterator[Aspect]:
        looks, length, first = features(self.values)
        some = int(np.bitwise_or.reduce(looks))
        yield Aspect(
            looks.astype(np.int64),
            [(text, "text", partial(_has_bit, bit)) for bit, text in enumerate(LOOKS) if some >> bit & 1],
        )
        weight = np.cumsum(np.bincount(length, self.counts[: self.k]))
        cuts = np.unique(np.searchsorted(weight, np.array(LENGTHS) * weight[-1]))
        signs = [f"{cut} character{'s' if cut != 1 else ''}" for cut in cuts.tolist()]
        yield _ranges(
            np.searchsorted(cuts, length),
            [(f"has at most {sign}", f"has more than {sign}") for sign in signs],
            "text",
        )
        letters = np.unique(first[first > 0])
        if self.k > VALUES and len(letters) <= LETTERS:
            yield Aspect(
                first.astype(np.int64),
                [
                    (f"starts with {name(chr(letter))}", "text", partial(np.equal, letter))
                    for letter in letters.tolist()
                ],
            )

    def _by_cluster(self) -> Iterator[list[Predicate]]:
        """Against the other points of its true cluster, from codes that tell all that is asked for."""
        clusters, k = self.clusters, self.k
        # Bit 0: it differs from most of its cluster; bit 1: there are several values in the cluster.
        bits = clusters.agreement(self.codes, k)
        code, coding = np.arange(4), Coding(bits, 4)
        yield [
            Predicate(self.name, "differs from most of its cluster", "cluster", coding, code % 2 == 1),
            Predicate(self.name, "has several values in the cluster", "cluster", coding, code >= 2),
        ]
        if k > PAIRED:
            return
        # The set of the values of its cluster, where there are several, and its own value.
        codes = self.codes.astype(np.int64)
        own = np.where(codes < k, 1 << codes, 0)
        sets = (1 + codes) << k | clusters.united(own)[clusters.of]
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


def _ranges(classes: Int64Array, told: list[tuple[str, str]], kind: str) -> Aspect:
    """Up to each of some cuts, and beyond it, in words: class 0 is up to the first one, and -1 is neither."""
    questions: list[tuple[str, str, Callable[[IntArray], BoolArray]]] = []
    for cut, (below, beyond) in enumerate(told, 1):
        questions += [(below, kind, partial(_up_to, cut)), (beyond, kind, partial(np.less, cut))]
    return Aspect(classes + 1, questions)


def _up_to(cut: int, classes: IntArray) -> BoolArray:
    return (classes > 0) & (classes <= cut)


def _has_bit(bit: int, classes: IntArray) -> BoolArray:
    return classes >> bit & 1 > 0


def by_cluster_size(clusters: TrueClusters) -> list[Predicate]:
    """Predicates about the size of the true cluster."""
    classes = np.searchsorted([low for low, _ in SIZES], clusters.sizes[clusters.of], side="right")
    coding = Coding(classes, len(SIZES) + 1)  # 0 for points without a cluster
    found = []
    for i, (low, high) in enumerate(SIZES, 1):
        text = f"is {low} or more" if high is None else f"is {low}" if low == high else f"is {low}-{high}"
        found.append(Predicate("cluster size", text, "size", coding, np.arange(coding.k) == i))
    return found
