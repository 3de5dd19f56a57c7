"""Measures that match clusters with clusters."""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np
import numpy.typing as npt

from clusterdiff.lattice import Components
from clusterdiff.measures.registry import JOIN_WEIGHTED, measure
from clusterdiff.meet import Meet


@measure(
    "N",
    family="matching",
    bounds=(lambda n: ceil(2 * sqrt(n)) / (2 * n), 1.0),
    normalised=False,
    conditionally_normalised=False,
    subcomponent_consistent=False,
    decomposition=JOIN_WEIGHTED,
    reference="van Dongen, S. (2000). Performance criteria for graph clustering and Markov cluster experiments. CWI.",
)
def n_van_dongen(meet: Meet) -> float:
    r"""Share of the points that need not move, if every cluster keeps its largest part.

    .. math:: N = \frac{1}{2n} \Bigl(\sum_L \max_C m_{LC} + \sum_C \max_L m_{LC}\Bigr)

    Identical clusterings give 1. The largest part always stays, so N never reaches 0; its least value is
    ⌈2√n⌉/2n (the paper's Table 2 has a smaller one, which is not attained at n = 3, 7, 8, …).

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "N")
    0.875
    """
    sums = meet.sums
    return float((sums.true_max + sums.pred_max) / (2 * meet.total))


@measure(
    "A",
    family="matching",
    bounds=(lambda n: 1 / n, 1.0),
    normalised=False,
    conditionally_normalised=False,
    subcomponent_consistent=True,
    decomposition=JOIN_WEIGHTED,
    aliases=("classification_accuracy", "accuracy"),
    reference="Meilă, M. & Heckerman, D. (2001). An experimental comparison of model-based clustering methods. "
    "Machine Learning 42.",
)
def accuracy(meet: Meet) -> float:
    r"""Share of the points in the best one-to-one matching of true with predicted clusters.

    .. math:: A = \max_W \sum_{LC} W_{LC} \frac{m_{LC}}{n}, \quad W \text{ a matching}

    Identical clusterings give 1. One pair can always be matched, so A is at least 1/n. Solved component by
    component, which is exact since A is join-weighted.

    >>> import clusterdiff as cd
    >>> cd.score([0, 0, 1, 1], [0, 0, 1, 2], "A")
    0.75
    """
    return float(meet.mass[matched_cells(meet, meet.mass)].sum() / meet.total)


def matched_cells(meet: Meet, value: npt.NDArray[np.number]) -> npt.NDArray[np.int64]:
    """The cells of a one-to-one matching of clusters with the greatest total ``value`` (all values ≥ 0).

    A component with a single cluster on one side takes its best cell; only the others need a solver, and
    they are independent of each other, so one sparse problem holds them all.
    """
    components = Components(meet)
    star = (components.true_count == 1) | (components.pred_count == 1)
    of_cell = components.of_cell
    in_star = star[of_cell]
    cells = np.flatnonzero(in_star)
    best = np.lexsort((-value[cells], of_cell[cells]))
    first = np.flatnonzero(np.diff(of_cell[cells][best], prepend=-1))
    return np.concatenate([cells[best[first]], _solved(meet, value, np.flatnonzero(~in_star))])


def _solved(meet: Meet, value: npt.NDArray[np.number], cells: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    if cells.size == 0:
        return cells
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    _, rows = np.unique(meet.true[cells], return_inverse=True)
    _, columns = np.unique(meet.pred[cells], return_inverse=True)
    k, width = int(rows.max()) + 1, int(columns.max()) + 1
    # Each row may also stay unmatched: a column of its own, worth nothing. Costs are shifted to be positive,
    # which changes nothing since every row is matched exactly once.
    shift = float(value[cells].max()) + 1.0
    cost = np.concatenate([shift - value[cells], np.full(k, shift)])
    row = np.concatenate([rows, np.arange(k)])
    column = np.concatenate([columns, width + np.arange(k)])
    number = np.concatenate([cells, np.full(k, -1)])
    graph = csr_array((cost, (row, column)), shape=(k, width + k))
    chosen_rows, chosen_columns = min_weight_full_bipartite_matching(graph)
    cell_of = csr_array((number + 2, (row, column)), shape=(k, width + k))
    chosen = np.asarray(cell_of[chosen_rows, chosen_columns]).ravel() - 2
    return chosen[chosen >= 0].astype(np.int64)
