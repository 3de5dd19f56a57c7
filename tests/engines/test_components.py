"""Components by relational operations: right on every shape of graph, in a number of rounds that grows like log n."""

from __future__ import annotations

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import clusterdiff as cd
from clusterdiff.tables.engines.components import PRIME, components
from clusterdiff.tables.engines.native import Engine, Polars, engine_of


class Counting(Polars):
    """Polars, counting the frames that are kept."""

    kept = 0

    def keep(self, frame: Any) -> Any:
        """Count."""
        self.kept += 1
        return super().keep(frame)


def found(u: Any, v: Any, engine: Engine | None = None) -> dict[int, int]:
    """Vertex → component."""
    frame = nw.from_native(
        pl.LazyFrame({"u": np.asarray(u, dtype=np.int64), "v": np.asarray(v, dtype=np.int64)})
    )
    vertices = int(max(*u, *v)) + 1 if len(u) else 1
    got = components(engine or engine_of(frame), frame, vertices).collect()
    return dict(zip(got["vertex"].to_list(), got["component"].to_list(), strict=True))


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(31, 60)), max_size=60))
def test_components_are_those_of_scipy(edges: list[tuple[int, int]]) -> None:
    """Two vertices share a component exactly if a path joins them; a component is called like one of its vertices."""
    u, v = [e[0] for e in edges], [e[1] for e in edges]
    got = found(u, v)
    assert set(got) == {*u, *v}
    _, label = connected_components(coo_array((np.ones(len(u)), (u, v)), shape=(61, 61)), directed=False)
    pairs = {(int(label[x]), component) for x, component in got.items()}
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
    assert all(got[component] == component for component in got.values())


def test_rounds_grow_like_the_logarithm_on_long_chains() -> None:
    """Ten times longer chains take a few rounds more, not ten times as many."""
    kept = {}
    for n in (1_000, 10_000, 100_000):
        engine = Counting("polars")
        order = np.random.default_rng(1).permutation(n + 1)
        assert len(set(found(order[:-1], order[1:], engine).values())) == 1
        kept[n] = engine.kept
    # 39, 51 and 67 frames when this was written.
    assert kept[1_000] < kept[10_000] < kept[100_000] < 2 * kept[1_000]


def test_too_many_clusters_are_refused() -> None:
    """Beyond the prime that orders the vertices there is an error, not a wrong answer."""
    frame = nw.from_native(pl.LazyFrame({"u": [0], "v": [1]}))
    with pytest.raises(cd.EngineError, match="the limit"):
        components(engine_of(frame), frame, PRIME)


def test_a_component_larger_than_the_budget_is_listed_and_refused_in_full() -> None:
    """One long chain has its size and loss in the list; bringing it back is what the budget forbids."""
    n = 4000
    table = pl.DataFrame({"a": np.arange(n) // 4, "b": (np.arange(n) + 2) // 4})
    diff = cd.compare_columns(table, true="a", pred="b", budget=1000)
    expected = cd.compare(table["a"], table["b"])
    assert diff.kinds == expected.kinds == {"same": 0, "split": 0, "merge": 0, "mixed": 1}
    assert diff.components[0].size == n
    assert diff.components[0].loss == pytest.approx(expected.loss.total)
    with pytest.raises(cd.ArgumentError, match="larger than the budget"):
        diff.costliest  # noqa: B018
    with pytest.raises(cd.MeasureError, match="left in polars"):
        diff.score("A")


def test_the_costliest_components_come_back_in_full() -> None:
    """As many of the costliest components as the budget allows are a comparison of their own."""
    rng = np.random.default_rng(0)
    true = np.repeat(np.arange(3000), rng.integers(1, 6, 3000))
    pred = np.where(rng.random(len(true)) < 0.3, true + 10_000, true)
    table = pl.DataFrame({"id": np.arange(len(true)), "a": true, "b": pred})
    whole = cd.compare(table["a"], table["b"])
    for budget in (5_000, 400_000):  # a part of them; all that differ
        diff = cd.compare_columns(table, true="a", pred="b", point="id", budget=budget)
        assert diff.where == "engine"
        part = diff.costliest
        assert part.where == "memory"
        lost = sorted((c.loss for c in whole.components), reverse=True)[: len(part.components)]
        share = part.n / diff.n
        assert sorted((c.loss * share for c in part.components), reverse=True) == pytest.approx(lost)
        worst = diff.components[0]
        assert worst.points == np.flatnonzero(np.isin(true, worst.true)).tolist()
        assert worst.meet.n == worst.size
    told, expected = diff.explain(top=5), whole.explain(top=5)
    assert told.sentences == expected.sentences
    assert [story.share for story in told.stories] == pytest.approx(
        [story.share for story in expected.stories]
    )
    assert {kind: tuple(loss) for kind, loss in told.kinds.items() if loss.total} == {
        kind: pytest.approx(tuple(loss)) for kind, loss in expected.kinds.items() if loss.total
    }
    patterns, in_memory = diff.patterns(), whole.patterns()
    assert str(patterns) == str(in_memory)
    assert [row.loss.total for row in patterns.shapes] == pytest.approx(
        [row.loss.total for row in in_memory.shapes]
    )
    with pytest.raises(cd.MeasureError, match="left in polars"):
        diff.patterns(attributes={"x": true})
    assert "A" not in diff.to_dict()["scores"]
    with pytest.raises(cd.MeasureError, match="left in polars"):
        diff.repairs()


def test_clusters_that_stand_for_points_in_none_are_not_counted() -> None:
    """Under "singleton" a point that a side lacks gets a cluster there, which components do not count as anybody's."""
    true = pl.DataFrame({"id": range(10), "cluster": [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]})
    pred = pl.DataFrame({"id": range(2, 13), "cluster": [0, 1, 1, 2, 3, 4, 4, 5, 6, 6, 6]})
    there, here = (
        cd.compare(true, pred, point="id", cluster="cluster", missing="singleton", budget=budget)
        for budget in (1, None)
    )
    assert (there.where, here.where) == ("engine", "memory")
    counted = [
        sorted(
            (row.size, row.kind, row.true_clusters, row.pred_clusters)
            for row in diff.components
            if row.kind != "same"
        )
        for diff in (there, here)
    ]
    assert counted[0] == counted[1]
    assert any(pred < 2 for _, kind, _, pred in counted[0] if kind == "split")
