"""Meet, join, refinement and the graphs against their definitions."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given

import clusterdiff as cd
from tests import oracle
from tests.cases import cases
from tests.conftest import clusterings, label_pairs


def as_partition(clustering: cd.Clustering) -> oracle.Partition:
    return frozenset(frozenset(c) for c in clustering.to_sets())


@cases("n", [1, 2, 3, 4])
def test_meet_join_and_refinement_are_those_of_the_definitions(n: int) -> None:
    """Meet, join and refines agree with sets on every pair of clusterings."""
    for true in clusterings(n):
        for pred in clusterings(n):
            left, right = oracle.partition(true), oracle.partition(pred)
            assert as_partition(cd.lattice.meet(true, pred)) == oracle.meet(left, right)
            assert as_partition(cd.lattice.join(true, pred)) == oracle.join(left, right)
            assert cd.lattice.refines(true, pred) == oracle.refines(left, right)


@given(label_pairs())
def test_components_are_the_join(pair: tuple[list[int], list[int]]) -> None:
    """Each component holds the points of one cluster of the join, and its clusters are those that it meets."""
    true, pred = pair
    diff = cd.compare(true, pred)
    left, right = oracle.partition(true), oracle.partition(pred)
    assert {frozenset(c.points) for c in diff.components} == oracle.join(left, right)
    for component in diff.components:
        points = frozenset(component.points)
        assert component.size == len(points)
        assert component.true_clusters == len(component.true) == len(oracle.induced(left, points))
        assert component.pred_clusters == len(component.pred) == len(oracle.induced(right, points))


def test_kinds_say_what_happened() -> None:
    """same, split, merge and mixed are told by the number of clusters on either side."""
    true = ["a", "a", "b", "b", "c", "d", "e", "e", "f", "f"]
    pred = [1, 1, 2, 3, 4, 4, 5, 6, 6, 6]
    kinds = {tuple(c.true): c.kind for c in cd.compare(true, pred).components}
    assert kinds == {("a",): "same", ("b",): "split", ("c", "d"): "merge", ("e", "f"): "mixed"}


def test_top_and_bottom_bound_the_lattice() -> None:
    """Every clustering refines ⊤ and is refined by ⊥."""
    for labels in clusterings(4):
        assert cd.lattice.refines(labels, cd.lattice.top(4))
        assert cd.lattice.refines(cd.lattice.bottom(4), labels)


def test_induced_clusterings_keep_only_the_chosen_points() -> None:
    """Definition 4.2, and an error for points that are not there."""
    assert as_partition(cd.lattice.induced([0, 0, 1, 1], {0, 2, 3})) == {frozenset({0}), frozenset({2, 3})}
    with pytest.raises(cd.LabelError, match="names 1 point that `clustering` does not have"):
        cd.lattice.induced([0, 0], {0, 7})


@given(label_pairs())
def test_the_graphs_have_the_papers_edges(pair: tuple[list[int], list[int]]) -> None:
    """Bipartite: an edge a cell. Derivation: a node a cell between its true and its predicted cluster."""
    meet = cd.compare(*pair).meet
    bipartite = cd.lattice.to_networkx(meet)
    assert bipartite.number_of_edges() == len(meet) == len(cd.lattice.bipartite(meet))
    assert nx.number_weakly_connected_components(bipartite) == len(cd.compare(*pair).components)
    derivation = cd.lattice.to_networkx(meet, "derivation")
    cells = [node for node in derivation if node[0] == "cell"]
    assert len(cells) == len(meet)
    assert all(derivation.in_degree(c) == derivation.out_degree(c) == 1 for c in cells)
    table = cd.lattice.derivation(meet)
    assert len(table) == 2 * len(meet)
    assert table["size"].sum() == 2 * meet.n


@given(label_pairs())
def test_transposing_exchanges_the_clusterings(pair: tuple[list[int], list[int]]) -> None:
    """The transposed meet is the meet of pred and true, and transposing twice gives the meet back."""
    true, pred = pair
    meet = cd.compare(true, pred).meet
    assert _cells(meet.transpose()) == _cells(cd.compare(pred, true).meet)
    assert meet.transpose().transpose() is meet


@given(label_pairs())
def test_restricting_keeps_the_points_of_the_chosen_true_clusters(pair: tuple[list[int], list[int]]) -> None:
    """A restricted meet is the meet of the points that remain."""
    true, pred = pair
    diff = cd.compare(true, pred)
    chosen = list(range(0, diff.meet.k_true, 2))
    names = set(diff.meet.true_names[chosen].tolist())
    kept = [i for i, label in enumerate(true) if label in names]
    expected = cd.compare([true[i] for i in kept], [pred[i] for i in kept])
    restricted = diff.meet.restrict(chosen)
    assert _cells(restricted) == _cells(expected.meet)
    assert restricted.sums.mm == expected.meet.sums.mm
    assert sorted(i for i, c in enumerate(restricted.cell_of_point.tolist()) if c >= 0) == kept


@given(label_pairs())
def test_coarsening_merges_predicted_clusters(pair: tuple[list[int], list[int]]) -> None:
    """A coarsened meet is the meet with the merged prediction."""
    true, pred = pair
    meet = cd.compare(true, pred).meet
    groups = [int(name) // 2 for name in meet.pred_names.tolist()]
    expected = cd.compare(true, [label // 2 for label in pred]).meet
    coarse = meet.coarsen(groups)
    assert sorted(coarse.size.tolist()) == sorted(expected.size.tolist())
    assert (coarse.k_true, coarse.k_pred) == (expected.k_true, expected.k_pred)
    assert coarse.sums.s_h == pytest.approx(expected.sums.s_h, abs=1e-12)


def test_derived_meets_keep_weights_and_features() -> None:
    """Restricting and coarsening a meet with weights and features gives what a new comparison would give."""
    import numpy as np

    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 5, 60), rng.integers(0, 6, 60)
    weights, features = rng.random(60), rng.random((60, 3))
    meet = cd.compare(true, pred, weights=weights, features=features).meet
    fresh = cd.compare(true, pred // 2, weights=weights, features=features).meet
    coarse = meet.coarsen(meet.pred_names // 2)
    some = np.isin(true, meet.true_names[[0, 2]])
    part = cd.compare(true[some], pred[some], weights=weights[some], features=features[some]).meet
    for name in ("S_MSE", "VI", "R", "N"):
        assert cd.measures[name](coarse) == pytest.approx(cd.measures[name](fresh), abs=1e-12)
        assert cd.measures[name](meet.restrict([0, 2])) == pytest.approx(cd.measures[name](part), abs=1e-12)


def _cells(meet: cd.Meet) -> dict[tuple[object, object], int]:
    table = meet.to_dict()
    return dict(zip(zip(table["true"], table["pred"], strict=True), table["size"], strict=True))
