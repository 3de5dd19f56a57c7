"""Distances that count operations: what it takes to turn one clustering into the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf, log, sqrt
from typing import Annotated, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff.measures.bounds import all_but_one, ceil_root
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.measures.matching import unmatched_mass
from clusterdiff.measures.parameters import Allowed, is_number
from clusterdiff.measures.registry import JOIN_WEIGHTED, SUMMED, measure
from clusterdiff.meet.meet import Meet
from clusterdiff.meet.sums import Summed

MENESTRINA = (
    "Menestrina, D., Whang, S. E. & Garcia-Molina, H. (2010). Evaluating entity resolution results. VLDB 3."
)
#: Counts of operations: the whole is the sum over the components.
counted = partial(
    measure,
    family="edits",
    best=0.0,
    normalised=False,
    conditionally_normalised=False,
    decomposition=SUMMED,
)
operations = partial(counted, weighted=False, reference=MENESTRINA)
#: What an operation costs, as a function of the sizes x and y of the two parts (arrays).
Cost: TypeAlias = Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]


def _most_edits(n: int) -> float:
    return 2 * n - ceil_root(4 * n)


@dataclass(frozen=True)
class MostCost:
    """The most that the splits and the merges of n points can cost together, at given costs."""

    split: Any
    merge: Any

    def __call__(self, n: int) -> float:
        """The bound for n points."""
        costs = self.split, self.merge
        if _counts(*costs):
            return self._most_of_counts(n)
        most = [self._most(cost, n) for cost in costs]
        # A pair of points is cut or tied but not both; and VI is at most log n.
        return most[0] if costs[0] == costs[1] else sum(most)

    def _most_of_counts(self, n: int) -> float:
        # With n cells in a grid of k true and l predicted clusters there are n − k splits and n − l merges; the least
        # k and l with room for n cells cost least, and one of them is at most √n.
        few = np.arange(1, ceil_root(n) + 1)
        many = -(-n // few)
        left = min(np.min(self.split * few + self.merge * many), np.min(self.split * many + self.merge * few))
        return float(n * (self.split + self.merge) - left)

    @staticmethod
    def _most(cost: Any, n: int) -> float:
        if isinstance(cost, int | float):
            return float(cost * (n - 1))
        known = {"product": n * (n - 1) / 2, "entropy": log(n)}
        return known.get(cost, inf) if isinstance(cost, str) else inf


def _cost_facts(split: Any = 1, merge: Any = 1) -> dict[str, Any]:
    whole = {JOIN_WEIGHTED if cost == "entropy" else SUMMED for cost in (split, merge)}
    return {
        "symmetric": split == merge,
        "bounds": (0.0, MostCost(split, merge)),
        # Entropy is a share of n, the other costs are counts.
        "decomposition": whole.pop() if len(whole) == 1 else None,
        "reads": "sums" if _counts(split, merge) else "cells",
    }


def _counts(*costs: Any) -> bool:
    """Whether operations are counted: each costs the same, whatever it divides or unites."""
    return all(isinstance(cost, int | float) for cost in costs)


def _product(x: npt.NDArray[Any], y: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    cost: npt.NDArray[Any] = x.astype(float) * y
    return cost


def _entropy(x: npt.NDArray[Any], y: npt.NDArray[Any], n: int) -> npt.NDArray[Any]:
    return (x_log_x(x + y) - x_log_x(x) - x_log_x(y)) / n


NAMED = {"product": _product, "entropy": _entropy}


#: Sums of what operations cost have to stay within a double.
MOST_COST = 1e100


def _costs(given: Any) -> bool:
    if isinstance(given, str):
        return given in NAMED
    return callable(given) or (is_number(given) and 0 <= given <= MOST_COST)


#: What splits, or merges, cost.
Costs: TypeAlias = Annotated[
    Any,
    Allowed(
        f"a number from 0 to {MOST_COST:g}, {' or '.join(NAMED)}, or a function of two sizes",
        _costs,
        words=tuple(NAMED),
    ),
]


def _cost(given: float | str | Cost, n: int) -> Cost:
    if isinstance(given, str):
        return partial(NAMED[given], n=n)
    return given if callable(given) else lambda x, y: np.full(len(x), float(given))


def _taken_apart(meet: Meet, cost: Cost) -> float:
    """The cost of taking every true cluster apart into its cells, one cell after the other."""
    cells = np.diff(meet.indptr)
    passed = np.cumsum(meet.size)
    start = np.repeat(np.concatenate([[0], passed])[meet.indptr[:-1]], cells)
    rest = np.repeat(meet.true_size, cells) - (passed - start)
    more = rest > 0
    return float(np.sum(cost(meet.size[more], rest[more])))


@operations(
    "gmd",
    lost="adding and removing points has no cost among those of splits and merges",
    facts=_cost_facts,
    reads="sums",
    bounds=(0.0, MostCost(1, 1)),
    aliases=("generalized_merge_distance",),
)
def generalised_merge_distance(meet: Summed, split: Costs = 1, merge: Costs = 1) -> float:
    r"""Cost of turning the true clustering into the predicted one by splits and merges; a distance.

    .. math:: GMD = \sum_L \text{cost of splitting it into its cells} + \sum_C \text{cost of merging its cells}

    ``split`` and ``merge`` say what it costs to divide x + y points into x and y, or to unite them: a number,
    ``product`` (x·y, the pairs that are cut or tied), ``entropy`` (both together give VI), or a function of two arrays.
    The order of the operations must not matter to their cost. Identical clusterings give 0; with unequal costs it is
    not symmetric.

    >>> import clusterdiff as cd
    >>> diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    >>> diff.scores(["gmd", "gmd(split=2, merge=1)", "gmd(split=product, merge=product)"])
    {'gmd': 1.0, 'gmd(split=2, merge=1)': 2.0, 'gmd(split=product, merge=product)': 1.0}
    >>> diff.score(cd.measures["gmd"].bind({"split": lambda x, y: np.minimum(x, y), "merge": 0}))
    1.0
    """
    if _counts(split, merge):  # every operation costs the same
        return float(split * splits(meet) + merge * merges(meet))
    assert isinstance(meet, Meet)  # it reads cells, and the measure has checked
    return _taken_apart(meet, _cost(split, meet.n)) + _taken_apart(meet.transpose(), _cost(merge, meet.n))


@operations(
    "edits",
    reads="sums",
    lost=True,
    bounds=(0.0, _most_edits),
    aliases=("basic_merge_distance",),
)
def edits(meet: Summed) -> float:
    r"""Number of splits, then merges, of clusters that turn one clustering into the other; a distance.

    .. math:: d = 2\, |M| - |L| - |C|, \quad M \text{ the meet}

    Identical clusterings give 0; one cluster against all singletons gives n − 1, and the largest value, 2n − ⌈2√n⌉, is
    that of rows against columns of a square grid of points. Whole clusters count, not points. The way leads through the
    meet: merging first and splitting later can be shorter, so the triangle inequality does not hold. Points that one
    side lacks (``missing="lost"``) are removed, or added, one by one.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits")
    2.0
    """
    return splits(meet) + merges(meet) + meet.lost


@operations("edits.splits", lost=True, reads="sums", bounds=(0.0, all_but_one), symmetric=False)
def splits(meet: Summed) -> float:
    r"""Number of splits on the way from the true clustering through the meet to the predicted one.

    .. math:: d = |M| - |L|, \quad M \text{ the meet}

    0 if and only if no true cluster is split.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.splits")
    1.0
    """
    return float(len(meet) - meet.shared_clusters[0])


@operations("edits.merges", lost=True, reads="sums", bounds=(0.0, all_but_one), symmetric=False)
def merges(meet: Summed) -> float:
    r"""Number of merges on the way from the true clustering through the meet to the predicted one.

    .. math:: d = |M| - |C|, \quad M \text{ the meet}

    0 if and only if no predicted cluster mixes true clusters.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.merges")
    1.0
    """
    return float(len(meet) - meet.shared_clusters[1])


@counted(
    "edits.moves",
    lost=True,
    terms=("matched",),
    bounds=(0.0, all_but_one),
    degree=1,
    aliases=("transfer_distance", "partition_distance"),
    reference="Gusfield, D. (2002). Partition-distance: a problem and class of perfect graphs arising in clustering. "
    "Information Processing Letters 82.",
)
def moves(meet: Summed) -> float:
    r"""Fewest points to move from cluster to cluster until the two clusterings are the same; a metric.

    .. math:: d = n\, (1 - A)

    Identical clusterings give 0; one cluster against all singletons gives n − 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.moves")
    1.0
    """
    return unmatched_mass(meet)


def _least_talburt_wang(n: int) -> float:
    return 1 / sqrt(n)


@measure(
    "talburt_wang",
    family="edits",
    symbol="TWI",
    reads="sums",
    lost="it counts clusters and overlaps of the points that both clusterings have",
    bounds=(_least_talburt_wang, 1.0),
    weighted=False,
    normalised=False,
    conditionally_normalised=False,
    aliases=("talburt_wang_index", "twi"),
    reference="Talburt, J., Wang, R., Hess, K. & Kuo, E. (2007). An algebraic approach to data quality metrics for "
    "entity resolution over large datasets. In: Information Quality Management, IGI Global.",
)
def talburt_wang(meet: Summed) -> float:
    r"""Geometric mean of the numbers of clusters, as a share of the number of their overlaps.

    .. math:: TWI = \frac{\sqrt{|L|\, |C|}}{|M|}, \quad M \text{ the meet}

    Identical clusterings give exactly 1, and only those. One cluster against all singletons gives 1/√n, the least
    value. Clusters and overlaps count alike, whatever their sizes.

    >>> import clusterdiff as cd
    >>> round(cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "talburt_wang"), 12)
    0.75
    """
    true, pred = meet.shared_clusters
    return sqrt(true * pred) / len(meet)
