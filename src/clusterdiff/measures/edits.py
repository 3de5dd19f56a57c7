"""Distances that count operations: what it takes to turn one clustering into the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from clusterdiff.errors import MeasureError, nearest
from clusterdiff.measures.matching import matched_mass
from clusterdiff.measures.registry import SUMMED, measure
from clusterdiff.measures.subcomponents import x_log_x
from clusterdiff.meet.meet import Meet

MENESTRINA = (
    "Menestrina, D., Whang, S. E. & Garcia-Molina, H. (2010). Evaluating entity resolution results. VLDB 3."
)
#: What an operation costs, as a function of the sizes x and y of the two parts (arrays).
Cost: TypeAlias = Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]]


def _cost(given: float | str | Cost, side: str, n: int) -> Cost:
    named: dict[str, Cost] = {
        "product": lambda x, y: x.astype(float) * y,
        "entropy": lambda x, y: (x_log_x(x + y) - x_log_x(x) - x_log_x(y)) / n,
    }
    if isinstance(given, str):
        if given not in named:
            raise MeasureError(
                f"`{side}` must be a number, {' or '.join(named)}, or a function of two sizes; got {given!r}.",
                nearest(given, named),
            )
        return named[given]
    if callable(given):
        return given
    if not isinstance(given, int | float) or isinstance(given, bool) or not given >= 0:
        raise MeasureError(f"`{side}` must be a number of at least 0, a name or a function; got {given!r}.")
    return lambda x, y: np.full(len(x), float(given))


def _taken_apart(meet: Meet, cost: Cost) -> float:
    """The cost of taking every true cluster apart into its cells, one cell after the other."""
    cells = np.diff(meet.indptr)
    passed = np.cumsum(meet.size)
    start = np.repeat(np.concatenate([[0], passed])[meet.indptr[:-1]], cells)
    rest = np.repeat(meet.true_size, cells) - (passed - start)
    more = rest > 0
    return float(np.sum(cost(meet.size[more], rest[more])))


@measure(
    "gmd",
    family="edits",
    best=0.0,
    bounds=(0.0, lambda n: 2 * (n - 1)),
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    decomposition=SUMMED,
    aliases=("generalized_merge_distance",),
    reference=MENESTRINA,
)
def generalised_merge_distance(meet: Meet, split: Any = 1, merge: Any = 1) -> float:
    r"""Cost of turning the true clustering into the predicted one by splits and merges; a distance.

    .. math:: GMD = \sum_L \text{cost of splitting it into its cells} + \sum_C \text{cost of merging its cells}

    ``split`` and ``merge`` say what dividing x + y points into x and y costs, or uniting them: a number, ``product``
    (x·y, the pairs that are cut or tied), ``entropy`` (both together give VI), or a function of two arrays. The
    order of the operations must not matter to their cost. Identical clusterings give 0; with unequal costs it is not
    symmetric.

    >>> import clusterdiff as cd
    >>> diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 2])
    >>> diff.scores(["gmd", "gmd(split=2, merge=1)", "gmd(split=product, merge=product)"])
    {'gmd': 1.0, 'gmd(split=2, merge=1)': 2.0, 'gmd(split=product, merge=product)': 1.0}
    >>> diff.score(cd.measures["gmd"].bind({"split": lambda x, y: np.minimum(x, y), "merge": 0}))
    1.0
    """
    return _taken_apart(meet, _cost(split, "split", meet.n)) + _taken_apart(
        meet.transpose(), _cost(merge, "merge", meet.n)
    )


@measure(
    "edits",
    family="edits",
    best=0.0,
    bounds=(0.0, lambda n: 2 * (n - 1)),
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    decomposition=SUMMED,
    aliases=("basic_merge_distance",),
    reference=MENESTRINA,
)
def edits(meet: Meet) -> float:
    r"""Number of splits, then merges, of clusters that turn one clustering into the other; a distance.

    .. math:: d = 2\, |M| - |L| - |C|, \quad M \text{ the meet}

    Identical clusterings give 0; one cluster against all singletons gives n − 1. Whole clusters count, not points.
    The way leads through the meet: merging first and splitting later can be shorter, so that the triangle inequality
    does not hold.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits")
    2.0
    """
    return splits(meet) + merges(meet)


@measure(
    "edits.splits",
    family="edits",
    best=0.0,
    bounds=(0.0, lambda n: n - 1),
    symmetric=False,
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    decomposition=SUMMED,
    reference=MENESTRINA,
)
def splits(meet: Meet) -> float:
    r"""Number of splits on the way from the true clustering through the meet to the predicted one.

    .. math:: d = |M| - |L|, \quad M \text{ the meet}

    0 if and only if no true cluster is split.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.splits")
    1.0
    """
    return float(len(meet) - meet.k_true)


@measure(
    "edits.merges",
    family="edits",
    best=0.0,
    bounds=(0.0, lambda n: n - 1),
    symmetric=False,
    normalised=False,
    conditionally_normalised=False,
    weighted=False,
    decomposition=SUMMED,
    reference=MENESTRINA,
)
def merges(meet: Meet) -> float:
    r"""Number of merges on the way from the true clustering through the meet to the predicted one.

    .. math:: d = |M| - |C|, \quad M \text{ the meet}

    0 if and only if no predicted cluster mixes true clusters.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.merges")
    1.0
    """
    return float(len(meet) - meet.k_pred)


@measure(
    "edits.moves",
    family="edits",
    best=0.0,
    bounds=(0.0, lambda n: n - 1),
    normalised=False,
    conditionally_normalised=False,
    decomposition=SUMMED,
    degree=1,
    aliases=("transfer_distance", "partition_distance"),
    reference="Gusfield, D. (2002). Partition-distance: a problem and class of perfect graphs arising in clustering. "
    "Information Processing Letters 82.",
)
def moves(meet: Meet) -> float:
    r"""Fewest points to move from cluster to cluster until the two clusterings are the same; a metric.

    .. math:: d = n\, (1 - A)

    Identical clusterings give 0; one cluster against all singletons gives n − 1.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1, 2], [0, 0, 1, 2, 2], "edits.moves")
    1.0
    """
    return float(max(0, meet.total - meet.once(matched_mass)))
