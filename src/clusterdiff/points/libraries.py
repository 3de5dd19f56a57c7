"""Results of other libraries, recognised by their shape: none of them is imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clusterdiff.errors import LabelError, listed
from clusterdiff.messages import Message
from clusterdiff.points.reading import is_array, is_column
from clusterdiff.wording import count


def from_library(data: object) -> object:
    """What a clustering can be made of, from another library's result; anything else is returned as it is.

    Known are igraph's ``VertexClustering`` and ``VertexCover`` (by the names of the vertices, if they have any),
    CDlib's ``NodeClustering`` and CluSim's ``Clustering``, fitted scikit-learn estimators with ``labels_``, splink's
    clusters, dedupe's pairs of records and scores, and iterators of communities, as networkx returns them. Those that
    may overlap must not do so.
    """
    if isinstance(data, list | tuple):
        return _from_dedupe(data) if _is_dedupe(data) else data
    if isinstance(data, np.ndarray | Mapping | str | bytes | set | frozenset) or is_column(data):
        return data
    if hasattr(data, "membership"):
        return _from_igraph(data)
    if hasattr(data, "to_node_community_map"):
        return _one_each("a NodeClustering of CDlib", data.to_node_community_map())
    if hasattr(data, "elm2clu_dict"):
        return _from_clusim(data)
    if hasattr(data, "as_pandas_dataframe"):
        return _from_splink(data.as_pandas_dataframe())
    if is_estimator(data):
        return _fitted_labels(data)
    if is_array(data):
        return data
    return from_library(list(data)) if isinstance(data, Iterable) else data


def _from_igraph(communities: Any) -> object:
    membership = list(communities.membership)
    vertices = communities.graph.vs
    named = "name" in vertices.attributes()
    by_vertex = dict(zip(vertices["name"] if named else range(len(membership)), membership, strict=True))
    if len(by_vertex) < len(membership):
        raise LabelError(
            f"the graph of igraph has {count(len(by_vertex), 'name')} for {len(membership):,} vertices.",
            "give each vertex a name of its own, or none to any.",
        )
    if membership and isinstance(membership[0], list | tuple):
        by_vertex = _one_each("a VertexCover of igraph", by_vertex)
    return by_vertex if named else list(by_vertex.values())


def _from_clusim(clustering: Any) -> dict[Any, Any]:
    if getattr(clustering, "is_hierarchical", False):
        raise LabelError(
            "a hierarchical Clustering of CluSim has clusters within clusters; a clustering puts each point in one.",
            Message("cut it first: pass `clustering.cut_at_depth(…)`."),
        )
    return _one_each("a Clustering of CluSim", clustering.elm2clu_dict)


def _one_each(kind: str, clusters: Mapping[Any, Any]) -> dict[Any, Any]:
    """The cluster of each point, from all that it is in; None if that is none."""
    several = [point for point, found in clusters.items() if len(found) > 1]
    if several:
        raise LabelError(
            f"{kind} that overlaps is no clustering: {count(len(several))} in several clusters: {listed(several)}.",
            "a clustering puts each point in one; keep one cluster of each.",
        )
    return {point: next(iter(found), None) for point, found in clusters.items()}


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


#: Estimators whose documentation says that -1 is noise, by the libraries that have them.
NOISY = {"DBSCAN", "HDBSCAN", "OPTICS"}
NOISY_LIBRARIES = {"sklearn", "hdbscan", "cuml", "fast_hdbscan", "dbscan"}


def is_estimator(data: object) -> bool:
    """Whether this is a model with scikit-learn's interface, fitted or not."""
    return hasattr(data, "labels_") or (hasattr(data, "fit") and hasattr(data, "get_params"))


def fitted(model: object) -> Any:
    """The model that did the work: the last step of a pipeline, the best of a search."""
    while True:
        try:
            best, steps = getattr(model, "best_estimator_", None), getattr(model, "steps", None)
        except Exception:  # a relation of DuckDB looks among its columns, and its table may be gone
            return model
        if best is not None:
            model = best
        elif isinstance(steps, list) and steps:
            model = steps[-1][1]
        else:
            return model


def _fitted_labels(model: object) -> object:
    last = fitted(model)
    if hasattr(last, "labels_"):
        return last.labels_
    name = type(model).__name__ + ("" if last is model else f" of {type(last).__name__}")
    learned = any(known.endswith("_") and not known.startswith("_") for known in vars(last))
    if not learned:
        raise LabelError(f"the {name} has not been fitted, so it has no clusters.", "fit it first.")
    raise LabelError(
        f"the {name} keeps no labels of the points it was fitted to.",
        Message("use its predictions: pass `model.predict(X)`."),
    )


def own_noise(data: object) -> int | None:
    """The label that means noise by an estimator's own documentation, or None if there is none."""
    if isinstance(data, np.ndarray | list | tuple | dict):  # the common cases, and quick to tell
        return None
    kinds = type(fitted(data)).__mro__
    known = any(k.__name__ in NOISY and k.__module__.partition(".")[0] in NOISY_LIBRARIES for k in kinds)
    return -1 if known else None
