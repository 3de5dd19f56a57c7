"""Results of other libraries, recognised by their shape: none of them is imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clusterdiff.errors import LabelError
from clusterdiff.points.reading import is_column


def from_library(data: object) -> object:
    """What a clustering can be made of, from another library's result; anything else is returned as it is.

    Known are igraph's ``VertexClustering`` (by the names of the vertices, if they have any), fitted scikit-learn
    estimators with ``labels_``, splink's clusters, dedupe's pairs of records and scores, and iterators of
    communities, as networkx returns them.
    """
    if isinstance(data, list | tuple):
        return _from_dedupe(data) if _is_dedupe(data) else data
    if isinstance(data, np.ndarray | Mapping | str | bytes | set | frozenset) or is_column(data):
        return data
    if hasattr(data, "membership"):
        return _from_igraph(data)
    if hasattr(data, "as_pandas_dataframe"):
        return _from_splink(data.as_pandas_dataframe())
    if hasattr(data, "labels_"):
        return data.labels_
    return from_library(list(data)) if isinstance(data, Iterable) else data


def _from_igraph(communities: Any) -> object:
    membership = list(communities.membership)
    if membership and isinstance(membership[0], list | tuple):
        raise LabelError(
            "an igraph VertexCover may put a vertex in several clusters.",
            "a clustering puts each point in one.",
        )
    vertices = communities.graph.vs
    if "name" not in vertices.attributes():
        return membership
    return dict(zip(vertices["name"], membership, strict=True))


def _from_splink(frame: Any) -> dict[Any, Any]:
    """Splink's table of clusters; if there are several sources, ids are unique only within each."""
    if not {"cluster_id", "unique_id"} <= set(frame.columns):
        raise LabelError(
            f"splink's clusters must have the columns cluster_id and unique_id; got {list(frame.columns)}.",
            "pass what cluster_pairwise_predictions_at_threshold returns.",
        )
    points = frame["unique_id"].tolist()
    if "source_dataset" in frame.columns:
        points = list(zip(frame["source_dataset"].tolist(), points, strict=True))
    return dict(zip(points, frame["cluster_id"].tolist(), strict=True))


def _is_dedupe(data: Sequence[Any]) -> bool:
    """Whether this is a list of records and their scores, as dedupe's ``cluster`` and ``partition`` return."""
    if not data or not isinstance(data[0], tuple) or len(data[0]) != 2:
        return False
    records, scores = data[0]
    return (
        isinstance(records, tuple)
        and isinstance(scores, tuple | np.ndarray)
        and len(records) == len(scores) > 0
        and isinstance(scores[0], float | np.floating)
    )


def _from_dedupe(data: Sequence[Any]) -> list[list[Any]]:
    return [list(records) for records, _ in data]
