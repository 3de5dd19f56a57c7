"""What other libraries take for the nearest thing they have. Preparation that a user could keep is not timed.

Every entry makes, from two label arrays, a function to be timed. scikit-learn, genieclust, igraph, NetworKit and CluSim
compute one score; pandas, polars and DuckDB only count the cells, the first half of any score.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Work = Callable[[], Any]


def scikit_learn(true: Any, pred: Any) -> Work:
    """Adjusted Rand index."""
    from sklearn.metrics import adjusted_rand_score

    return lambda: adjusted_rand_score(true, pred)


def genieclust(true: np.ndarray, pred: np.ndarray) -> Work:
    """Adjusted Rand index from a dense table."""
    from genieclust.compare_partitions import adjusted_rand_score

    return lambda: adjusted_rand_score(true, pred)


def igraph(true: np.ndarray, pred: np.ndarray) -> Work:
    """Adjusted Rand index; it wants small labels in lists, made beforehand."""
    from igraph import compare_communities

    left, right = (np.unique(x, return_inverse=True)[1].tolist() for x in (true, pred))
    return lambda: compare_communities(left, right, method="adjusted_rand")


def networkit(true: np.ndarray, pred: np.ndarray) -> Work:
    """Adjusted Rand dissimilarity of two partitions of a graph's nodes, made beforehand."""
    import networkit

    graph = networkit.Graph(len(true))
    sides = []
    for labels in (true, pred):
        codes = np.unique(labels, return_inverse=True)[1]
        partition = networkit.Partition(len(codes), data=codes.tolist())
        partition.setUpperBound(int(codes.max()) + 1)
        sides.append(partition)
    return lambda: networkit.community.AdjustedRandMeasure().getDissimilarity(graph, *sides)


def clusim(true: np.ndarray, pred: np.ndarray) -> Work:
    """Adjusted Rand index of two Clustering objects, made beforehand."""
    from clusim.clustering import Clustering
    from clusim.sim import adjrand_index

    left, right = (Clustering().from_membership_list(x.tolist()) for x in (true, pred))
    return lambda: adjrand_index(left, right)


def pandas(true: Any, pred: Any) -> Work:
    """Counts of the cells."""
    import pandas as pd

    frame = pd.DataFrame({"true": true, "pred": pred})
    return lambda: frame.groupby(["true", "pred"], sort=False).size()


def polars(true: Any, pred: Any) -> Work:
    """Counts of the cells."""
    import polars as pl

    frame = pl.DataFrame({"true": true, "pred": pred})
    return lambda: frame.group_by("true", "pred").len()


def duckdb(true: Any, pred: Any) -> Work:
    """Counts of the cells, from Arrow columns."""
    import duckdb
    import pyarrow as pa

    connection = duckdb.connect()
    connection.register("points", pa.table({"true": pa.array(true), "pred": pa.array(pred)}))
    query = (
        'CREATE OR REPLACE TEMP TABLE cells AS SELECT "true", pred, count(*) AS m FROM points GROUP BY ALL'
    )
    return lambda: connection.execute(query)


def arrow_dictionary(true: Any, pred: Any) -> Work:
    """Codes of both columns, nothing more."""
    import pyarrow as pa

    left, right = pa.array(true), pa.array(pred)
    return lambda: (left.dictionary_encode(), right.dictionary_encode())


PEERS: dict[str, Callable[[Any, Any], Work]] = {
    "scikit-learn": scikit_learn,
    "genieclust": genieclust,
    "igraph": igraph,
    "NetworKit": networkit,
    "CluSim": clusim,
    "pandas": pandas,
    "polars": polars,
    "DuckDB": duckdb,
}

TEXT_PEERS: dict[str, Callable[[Any, Any], Work]] = {
    "scikit-learn": scikit_learn,
    "Arrow dictionary": arrow_dictionary,
    "pandas": pandas,
    "polars": polars,
    "DuckDB": duckdb,
}
