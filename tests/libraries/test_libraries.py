"""Results of other libraries, and the recipes of the documentation."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import ibis
import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from clusim.clustering import Clustering as ClusimClustering
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clusterdiff as cd
from tests.cases import cases

RECIPES = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"


def recipe(heading: str) -> str:
    """The code of a recipe whose library is not installed for the tests."""
    section = RECIPES.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    (code,) = re.findall(r"^```py\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    return str(code)


# ---- shapes of results


def test_networkx_communities_of_any_container() -> None:
    """Lists of frozensets, generators, views and tuples of sets are all lists of clusters."""
    graph = nx.barbell_graph(4, 0)
    halves = cd.Clustering([{0, 1, 2, 3}, {4, 5, 6, 7}])
    assert cd.Clustering(nx.community.greedy_modularity_communities(graph)) == halves
    assert cd.Clustering(nx.community.label_propagation_communities(graph)) == halves
    assert cd.Clustering(next(nx.community.girvan_newman(graph))) == halves
    assert cd.Clustering(frozenset(c) for c in ({0, 1, 2, 3}, {4, 5, 6, 7})) == halves


def test_igraph_vertices_are_matched_by_name() -> None:
    """Names where the graph has them, numbers where it has not; a cover that overlaps is no clustering."""
    graph = ig.Graph.TupleList([("a", "b"), ("b", "c"), ("x", "y")])
    found = graph.connected_components()
    assert cd.Clustering(found).to_dict() == {"a": 0, "b": 0, "c": 0, "x": 1, "y": 1}
    assert cd.compare({"y": 1, "x": 1, "c": 2, "b": 2, "a": 2}, found).score() == 1.0
    plain = ig.Graph(4, [(0, 1)])
    assert cd.Clustering(plain.connected_components()).to_sets() == [{0, 1}, {2}, {3}]
    cover = ig.VertexCover(plain, [[0, 1], [2]])
    assert cd.Clustering(cover).to_dict() == {0: 0, 1: 0, 2: 1}
    assert cd.Clustering(cover).labels.absent.tolist() == [False, False, False, True]  # type: ignore[union-attr]
    named = ig.VertexCover(graph, [[4, 0], [1, 2, 3]])
    assert cd.Clustering(named) == cd.Clustering([["a", "y"], ["b", "c", "x"]])
    with pytest.raises(
        cd.LabelError, match=r"VertexCover of igraph that overlaps .*: 1 point in several clusters: 1"
    ):
        cd.Clustering(ig.VertexCover(plain, [[0, 1], [1, 2]]))


class NodeClustering:
    """What is read of CDlib's class of this name."""

    def __init__(self, communities: list[list[int]]) -> None:
        self.communities = communities

    def to_node_community_map(self) -> dict[int, list[int]]:
        """All communities of each node."""
        found: dict[int, list[int]] = {}
        for place, community in enumerate(self.communities):
            for node in community:
                found.setdefault(node, []).append(place)
        return found


def test_communities_of_cdlib_and_clusim() -> None:
    """Partitions are read, with the names of their points; what overlaps or is a hierarchy is refused."""
    true = {0: "x", 1: "x", 2: "y", 3: "y", 4: "z"}
    parts, shared = [[3, 2], [0, 1], [4]], [[3, 2], [0, 1, 2], [4]]
    found = [NodeClustering(parts), ClusimClustering().from_cluster_list(parts)]
    for same in found:
        assert cd.compare(true, same).score() == 1.0
    for kind, overlapping in (
        ("NodeClustering of CDlib", NodeClustering(shared)),
        ("Clustering of CluSim", ClusimClustering().from_cluster_list(shared)),
    ):
        with pytest.raises(
            cd.LabelError, match=rf"{kind} that overlaps .*: 1 point in several clusters: 2\."
        ):
            cd.compare(true, overlapping)
    merges = np.array([[0, 1, 1.0, 2], [2, 3, 2.0, 3]])
    with pytest.raises(cd.LabelError, match="hierarchical Clustering of CluSim has clusters within clusters"):
        cd.Clustering(ClusimClustering().from_scipy_linkage(merges))


def test_a_dict_of_nodes_with_one_community_each() -> None:
    """As `to_node_community_map` and `elm2clu_dict` have it: clusters do not share points, so these are no clusters."""
    wanted = cd.Clustering({"a": 0, "b": 0, "c": 1})
    assert cd.Clustering({"a": [0], "b": [0], "c": [1]}) == wanted
    assert cd.Clustering({"a": {0}, "b": {0}, "c": {1}}) == wanted
    assert cd.compare({0: [1], 1: [1], 2: [0], 3: [2]}, [5, 5, 6, 7]).score() == 1.0
    assert cd.Clustering({"x": ["a"], "y": ["b"]}).to_dict() == {
        "a": "x",
        "b": "y",
    }  # clusters of one point each
    with pytest.raises(cd.LabelError, match="must name each point once"):
        cd.Clustering({"x": ["a"], "y": ["a", "b"]})


def test_igraph_names_that_repeat_are_refused() -> None:
    """Two vertices of one name were one point."""
    graph = ig.Graph(3, [(0, 1)])
    graph.vs["name"] = ["a", "a", "b"]
    with pytest.raises(cd.LabelError, match="2 names for 3 vertices"):
        cd.Clustering(graph.connected_components())


def test_dedupe_has_records_and_scores() -> None:
    """Pairs of records and scores are clusters; other tuples stay labels."""
    clustered = [((1, 2, 3), (0.79, 0.86, 0.79)), ((4, 5), (0.72, 0.72))]
    assert cd.Clustering(clustered).to_sets() == [{1, 2, 3}, {4, 5}]
    arrays = [(records, np.array(scores)) for records, scores in clustered]
    assert cd.Clustering(arrays).to_sets() == [{1, 2, 3}, {4, 5}]
    assert cd.Clustering(iter(arrays)).to_sets() == [{1, 2, 3}, {4, 5}]
    assert cd.Clustering([(1, 2), (1, 2), (3, 4)]).to_sets() == [{0, 1}, {2}]


class Splink:
    """The part of splink's SplinkDataFrame that is used."""

    def __init__(self, **columns: Any) -> None:
        self.columns = columns

    def as_pandas_dataframe(self) -> pd.DataFrame:
        return pd.DataFrame(self.columns)


def test_splink_clusters() -> None:
    """Records by id, or by source and id where there are several sources."""
    one = Splink(cluster_id=["x", "x", "y"], unique_id=[1, 2, 3], name=["?", "?", "?"])
    assert cd.Clustering(one).to_dict() == {1: "x", 2: "x", 3: "y"}
    two = Splink(cluster_id=["x", "x"], unique_id=[1, 1], source_dataset=["left", "right"])
    assert cd.Clustering(two).to_sets() == [{("left", 1), ("right", 1)}]
    with pytest.raises(cd.LabelError, match="must have the columns cluster_id and unique_id"):
        cd.Clustering(Splink(cluster=[1]))


def test_nothing_is_imported_for_objects_of_no_library() -> None:
    """Comparing lists imports none of the libraries whose results are known."""
    code = (
        "import sys, clusterdiff as cd; cd.compare([{1}, {2}], iter([{1, 2}])).score(); "
        "print([m for m in ('sklearn', 'networkx', 'igraph', 'pandas', 'anndata', 'splink') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


# ---- the scorer


@pytest.fixture(scope="module")
def blobs() -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat(["a", "b", "c"], 30))
    centres = {"a": (0, 0), "b": (9, 0), "c": (0, 9)}
    return rng.normal(size=(90, 2)) + np.array([centres[label] for label in y]), y


def test_grid_search_finds_the_right_number_of_clusters(blobs: tuple[Any, Any]) -> None:
    """Estimators that predict, alone and at the end of a pipeline, on several processes."""
    data, y = blobs
    search = GridSearchCV(
        KMeans(n_init=2, random_state=0), {"n_clusters": [2, 3, 5]}, scoring=cd.scorer(), cv=3, n_jobs=1
    )
    assert search.fit(data, y).best_params_ == {"n_clusters": 3}
    pipeline = make_pipeline(StandardScaler(), KMeans(3, n_init=2, random_state=0))
    assert cross_validate(pipeline, data, y, scoring=cd.scorer("ari"), cv=3)["test_score"].min() == 1.0


def test_grid_search_with_worker_processes_and_measures_of_ones_own(blobs: tuple[Any, Any]) -> None:
    """Registered ones, functions and lambdas reach the workers, which do not know them."""
    data, y = blobs

    @cd.measure("whole_clusters", family="own")
    def whole_clusters(meet: cd.Meet) -> float:
        """Share of the clusters on either side that are whole."""
        return float(np.mean(np.diff(meet.indptr) == 1) * np.mean(np.diff(meet.transpose().indptr) == 1))

    try:
        scoring = {
            "name": cd.scorer("whole_clusters"),
            "lambda": cd.scorer(lambda meet: -len(meet)),
            "VI": cd.scorer("VI"),
        }
    finally:
        cd.measures.remove("whole_clusters")
    search = GridSearchCV(
        KMeans(n_init=2, random_state=0),
        {"n_clusters": [2, 3]},
        scoring=scoring,
        refit="name",
        cv=2,
        n_jobs=2,
    )
    search.fit(data, y)
    assert search.best_params_ == {"n_clusters": 3}
    assert search.cv_results_["mean_test_lambda"].tolist() == [-3.0, -3.0]
    assert search.cv_results_["mean_test_VI"].tolist()[1] == 0.0


def test_estimators_that_cannot_predict_cluster_what_is_scored(blobs: tuple[Any, Any]) -> None:
    """With two folds of one size, labels of the training points would have the right length and be wrong."""
    data, y = blobs
    for estimator in (
        DBSCAN(eps=3),
        AgglomerativeClustering(3),
        make_pipeline(StandardScaler(), DBSCAN(eps=0.8)),
    ):
        found = cross_validate(estimator, data, y, scoring=cd.scorer(), cv=2)["test_score"]
        assert found.min() > 0.99, estimator


class OnlyLabels(BaseEstimator, ClusterMixin):  # type: ignore[misc]
    """An estimator with labels_ and nothing else."""

    def fit(self, data: Any, y: Any = None) -> OnlyLabels:
        self.labels_ = KMeans(3, n_init=2, random_state=0).fit(data).labels_
        return self


def test_labels_are_enough(blobs: tuple[Any, Any]) -> None:
    """An estimator that only has labels_ after fit can be scored, and stands for its labels."""
    data, y = blobs
    assert cd.scorer()(OnlyLabels(), data, y) == 1.0
    assert cd.compare(y, OnlyLabels().fit(data)).score() == 1.0


def test_noise_is_what_the_scorer_is_told(blobs: tuple[Any, Any]) -> None:
    """DBSCAN's -1: singletons, one cluster, or left out; true labels may be of another type."""
    data, y = blobs
    model = DBSCAN(eps=0.7)
    labels = model.fit_predict(data)
    noisy = labels == -1
    assert 0 < noisy.sum() < len(y)
    alone = np.where(noisy, 1000 + np.arange(len(y)), labels)
    assert cd.scorer()(model, data, y) == cd.score(y, alone)
    assert (
        cd.scorer(noise_as="cluster")(model, data, y)
        == cd.scorer(noise=None)(model, data, y)
        == cd.score(y, labels)
    )
    assert cd.scorer(noise_as="drop")(model, data, y) == cd.score(y[~noisy], labels[~noisy])
    assert cd.scorer("VI")(model, data, y) == -cd.score(y, alone, "VI")


def test_scorers_are_values(blobs: tuple[Any, Any]) -> None:
    """They pickle, compare, and refuse what they cannot use at once."""
    scorer = cd.scorer("ari", noise_as="drop")
    assert pickle.loads(pickle.dumps(scorer)) == scorer
    with pytest.raises(cd.MeasureError, match="unknown measure 'S_Q'"):
        cd.scorer("S_Q")
    with pytest.raises(cd.ArgumentError, match="`noise_as` must be one of"):
        cd.scorer(noise_as="gone")  # type: ignore[arg-type]
    with pytest.raises(cd.ArgumentError, match="`y` must hold the true clusters"):
        cd.scorer()(KMeans(2), blobs[0], None)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # ibis asks DuckDB for it
@cases("missing", ["drop", "singleton", "lost"])
def test_tables_of_ibis_are_compared_in_their_database(missing: Any) -> None:
    """A null is no cluster, and every policy gives what the same tables give as frames."""
    raw = duckdb.connect()
    raw.execute("create table old as values (1, 'x'), (2, 'x'), (3, 'y'), (4, 'y'), (6, null)")
    raw.execute("create table new as values (1, 7), (2, 7), (3, 7), (4, 8), (5, 8), (6, 8)")
    warehouse = ibis.duckdb.from_connection(raw)
    columns = {"point": "col0", "cluster": "col1", "missing": missing}
    diff = cd.compare(warehouse.table("old"), warehouse.table("new"), **columns)
    frames = cd.compare(raw.table("old").df(), raw.table("new").df(), **columns)
    assert diff.signature == frames.signature
    assert diff.scores(["S_H", "pairs.f1", "b3.recall"]) == frames.scores(["S_H", "pairs.f1", "b3.recall"])
    assert diff.components.to_dict() == frames.components.to_dict()


# ---- recipes of libraries that the tests do without


def test_the_recipe_for_anndata() -> None:
    """Columns of obs and features of obsm, as AnnData has them (its pandas columns and NumPy arrays)."""
    rng = np.random.default_rng(0)
    obs = pd.DataFrame(
        {"cell_type": pd.Categorical(list("aabbcc")), "leiden": pd.Categorical(list("001122"))},
        index=[f"cell{i}" for i in range(6)],
    )
    adata: Any = SimpleNamespace(obs=obs, obsm={"X_pca": rng.normal(size=(6, 3))})
    try:
        import anndata
    except ImportError:
        pass
    else:
        adata = anndata.AnnData(np.zeros((6, 1)), obs=obs, obsm=adata.obsm)
    names = {"cd": cd, "adata": adata}
    exec(recipe("AnnData"), names)
    assert names["scores"]["S_H"] == cd.score(list("aabbcc"), list("001122"))  # type: ignore[index]


def test_the_recipe_for_splink() -> None:
    """The linker's clusters are compared as they are."""
    result = Splink(cluster_id=["x", "x", "y"], unique_id=[1, 2, 3])
    clustering = SimpleNamespace(
        cluster_pairwise_predictions_at_threshold=lambda predictions, threshold: result
    )
    names: dict[str, Any] = {
        "cd": cd,
        "linker": SimpleNamespace(clustering=clustering),
        "predictions": None,
        "true_entity_of_record": {1: "a", 2: "a", 3: "b", 4: "c"},
    }
    exec(recipe("splink"), names)
    assert names["diff"].score() == 1.0


def test_the_recipe_for_dedupe() -> None:
    """What partition returns is compared as it is."""
    clustered = [((1, 2), (0.9, 0.9)), ((3,), (1.0,))]
    names: dict[str, Any] = {
        "cd": cd,
        "deduper": SimpleNamespace(partition=lambda records, threshold: clustered),
        "records": {},
        "true_entity_of_record": {1: "a", 2: "a", 3: "b"},
    }
    exec(recipe("dedupe"), names)
    assert names["diff"].score() == 1.0
