"""Which nodes of a graph hang together."""

from __future__ import annotations

import numpy as np

from clusterdiff.points.labels import Int64Array, IntArray


def linked(nodes: int, one: IntArray, other: IntArray) -> Int64Array:
    """For each node a number, the same for those that edges link, directly or through others.

    >>> linked(4, np.array([0, 1]), np.array([3, 1])).tolist()
    [0, 1, 2, 0]
    """
    # SciPy takes longer to load than most pages and commands take, and few of them have such a graph.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(one), dtype=np.int8), (one, other)), shape=(nodes, nodes))
    found: Int64Array = connected_components(graph, directed=False)[1].astype(np.int64)
    return found
