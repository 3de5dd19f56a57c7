"""One pipeline on every engine: the same numbers as the core, whether the meet comes to memory or stays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff.comparison import Comparison
from clusterdiff.tables.engines.comparison import EngineComparison, TableComparison
from tests.engines.conftest import QUICKEST, SLOW

# pyspark 4.3 warns about pandas 3 whenever it converts a table.
pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

#: Measures that are sums over cells.
SUMS = [
    "S_H", "S'", "S*(pairs)", "S'(pairs)", "S*(largest)", "S'(largest)", "R", "ari", "I", "nmi_max", "nmi", "vi",
    "vi.split", "vi.merge", "V", "v_measure", "homogeneity", "completeness", "N", "purity", "inverse_purity",
    "b3.precision", "b3.recall", "b3.f1", "element_centric", "fowlkes_mallows", "pairs.precision", "pairs.recall",
    "split_join", "edits", "mentions.f1", "muc.precision", "muc.recall", "blanc.f1", "lea.precision", "lea.recall",
    "clusters.f1", "closest.precision", "closest.recall", "chi2", "frobenius", "mari",
]  # fmt: skip
#: Of every query that the others are computed from, one: test_semantics has every measure in every engine
#: but slow ones.
QUERIES = frozenset({"S_H", "S*(pairs)", "ari", "vi", "purity", "b3.f1"})


def asked(engine: str) -> frozenset[str]:
    """What engines are asked for in most tests; test_one_table_gives_the_numbers_of_the_core asks Spark for all."""
    if engine in SLOW:
        return frozenset({"S_H"})
    return frozenset(SUMS) if engine == QUICKEST else QUERIES


WHERE = pytest.mark.parametrize("budget", [None, 0], ids=["memory", "engine"])


def measures(diff: Comparison) -> list[str]:
    """The sums over cells that this comparison can have."""
    known = [cd.measures[name] for name in SUMS]
    if diff.summed.uneven:  # where points are lost, some measures have no meaning
        known = [measure for measure in known if measure.lost is True or callable(measure.lost)]
    return [measure.name for measure in known if measure.weighted or not diff.summed.weighted]


def data(n: int = 400, k: int = 60, seed: int = 0) -> tuple[list[Any], list[Any], list[Any]]:
    """Points, and two clusterings of them: strings and integers, with same, split, merged and mixed components."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    pred = np.where(true < k // 3, true, np.where(true < k // 2, true // 2, true + k * rng.integers(0, 2, n)))
    pred = np.where(rng.random(n) < 0.05, rng.integers(0, k, n), pred)
    return list(range(1000, 1000 + n)), [f"c{x}" for x in true], [int(x) - 7 for x in pred]


def shuffled(columns: dict[str, list[Any]], seed: int = 1) -> dict[str, list[Any]]:
    """The same rows in another order."""
    order = np.random.default_rng(seed).permutation(len(next(iter(columns.values())))).tolist()
    return {name: [values[i] for i in order] for name, values in columns.items()}


def check(got: Any, expected: Comparison, budget: int | None, names: frozenset[str]) -> None:
    """Everything that an engine can tell is what the core tells, and so are these scores."""
    assert type(got) is (EngineComparison if budget == 0 else TableComparison)
    assert got.where == ("engine" if budget == 0 else "memory")
    assert got.signature == expected.signature
    assert (got.n, got.summed.k_true, got.summed.k_pred, len(got.summed)) == (
        expected.n, expected.meet.k_true, expected.meet.k_pred, len(expected.meet)
    )  # fmt: skip
    wanted = [name for name in measures(expected) if name in names]
    assert got.scores(wanted) == pytest.approx(expected.scores(wanted), abs=1e-9)
    assert got.loss == pytest.approx(expected.loss, abs=1e-9)


def check_components(got: Any, expected: Comparison, tables: tuple[str, ...] = ("splits", "merges")) -> None:
    """The components are the core's, and so are the costliest clusters in these tables."""
    assert got.kinds == expected.kinds
    losses = ("loss", "split_loss", "merge_loss", "missing_loss", "spurious_loss")
    columns = ("kind", "size", "true_clusters", "pred_clusters", *losses, "score")

    def rows(diff: Comparison) -> list[tuple[Any, ...]]:
        # Lost points that are noise on the other side are counted, and not listed, beyond memory.
        differ = [c for c in diff.components if c.kind != "same" and c.true_clusters + c.pred_clusters]
        return sorted(
            tuple(round(v, 9) if isinstance(v, float) else v for v in (getattr(c, x) for x in columns))
            for c in differ
        )

    assert rows(got) == rows(expected)
    assert rows(got)
    for table in tables:
        one, other = getattr(got, table), getattr(expected, table)
        assert len(one) > 0
        assert one["loss"][:20] == pytest.approx(other["loss"][:20], abs=1e-9)
        told = {str(row.cluster): (row.size, row.parts, row.largest, *row[5:]) for row in other}
        for row in one[:20]:
            assert (row.size, row.parts, row.largest, *row[5:]) == pytest.approx(
                told[str(row.cluster)], abs=1e-9
            )


@WHERE
def test_two_tables_give_the_numbers_of_the_core(frame: Any, engine: str, budget: int | None) -> None:
    """Scores, losses, counts and components agree with the core to 1e-9 on every engine."""
    points, true, pred = data()
    left = frame({"id": points, "cluster": true})
    right = frame(shuffled({"id": points, "found": pred}))
    got = cd.compare(left, right, point="id", cluster=("cluster", "found"), budget=budget)
    expected = cd.compare(true, pred)
    check(got, expected, budget, asked(engine))
    # Slow engines are asked for their costliest clusters where points are lost, too.
    check_components(got, expected, () if engine in SLOW else ("splits", "merges"))
    worst = got.components[0]
    same = next(
        c
        for c in expected.components
        if c.loss == pytest.approx(worst.loss) and set(c.true) == set(worst.true)
    )
    assert set(worst.pred) == set(same.pred)
    assert worst.points == sorted(points[i] for i in same.points)
    assert len(worst.meet) == len(same.meet)


@WHERE
def test_one_table_gives_the_numbers_of_the_core(frame: Any, engine: str, budget: int | None) -> None:
    """Two columns of one table need neither names of points nor a join; Spark has all measures here."""
    _, true, pred = data(seed=3)
    check(
        cd.compare_columns(frame({"a": true, "b": pred}), true="a", pred="b", budget=budget),
        cd.compare(true, pred),
        budget,
        frozenset(SUMS) if engine in (QUICKEST, "spark") else QUERIES,
    )


@WHERE
@pytest.mark.parametrize("missing", ["drop", "singleton", "lost"])
def test_missing_points_and_noise_by_choice(
    frame: Any, engine: str, budget: int | None, missing: Any
) -> None:
    """Points on one side only, null labels and noise are treated and counted as in the core, in slices too.

    Slow engines have weights besides where cells stay there: every query is asked once. None of them is zero, since
    points without weight are left out by the same steps everywhere, which double all that follows.
    """
    points, true, pred = data(200, 30, seed=5)
    left = dict(zip(points[:-20], true, strict=False)) | {5000: "c1", 5001: None, 5002: None}
    right = dict(zip(points[10:], pred[10:], strict=True)) | {5002: None, 5003: 4, 5004: None}
    for place in (30, 31, 32):
        left[points[place]] = None
        right[points[place + 1]] = None
    noise_as = "drop" if missing == "singleton" else "singleton"
    right = {k: None if v is None else str(v) for k, v in right.items()}
    left[points[50]] = left[points[51]] = right[points[51]] = right[points[52]] = "noise"
    left[points[5]] = "noise"
    more: dict[str, Any] = {}
    if engine in SLOW and budget == 0:
        more = {"weights": {point: 1.0 + point % 3 for point in left | right}}
    tables = [
        frame({"id": list(x), "cluster": list(x.values())} | {y: [more[y][i] for i in x] for y in more})
        for x in (left, right)
    ]
    choice: dict[str, Any] = {"missing": missing, "noise": "noise", "noise_as": noise_as}
    expected = cd.compare(left, right, **choice, **more)
    got = cd.compare(*tables, point="id", budget=budget, **choice, **{y: y for y in more})
    check(
        got, expected, budget, asked(engine) | ({"b3.f1"} if engine not in SLOW or budget is None else set())
    )
    check_components(got, expected, ("splits",) if engine in SLOW else ("splits", "merges"))
    for column in ("kind",) if engine in SLOW else ("size", "kind"):
        slices = {row.value: row[1:] for row in expected.by(column)}
        assert {row.value: row[1:] for row in got.by(column)} == {
            value: pytest.approx(row, abs=1e-9) for value, row in slices.items()
        }


@WHERE
@pytest.mark.parametrize("missing", ["singleton", "lost"])
def test_weights_and_features(frame: Any, engine: str, budget: int | None, missing: Any) -> None:
    """Weighted scores and S_MSE agree, with points alone or without weight, and with features far from the origin."""
    points, true, pred = data(150, 60, seed=7)
    rng = np.random.default_rng(2)
    # Of a cluster with one point that weighs anything nothing can be split, however sums round.
    weights = np.where(rng.random(len(points)) < 0.3, 0.0, rng.random(len(points)) * 3).tolist()
    x = (1e8 + rng.standard_normal((len(points), 2))).tolist()
    pred = [None if i % 37 == 0 else label for i, label in enumerate(pred)]
    columns = {"id": points, "gold": true, "w": weights, "x": [r[0] for r in x], "y": [r[1] for r in x]}
    left, right = (
        frame(columns),
        frame(shuffled({"id": points, "found": [None if p is None else str(p) for p in pred]})),
    )
    named = {"point": "id", "cluster": ("gold", "found"), "missing": missing, "budget": budget}
    sides = (
        dict(zip(points, true, strict=True)),
        {i: p if p is None else str(p) for i, p in zip(points, pred, strict=True)},
    )

    def features(rows: list[list[float]]) -> dict[int, list[float]]:
        return dict(zip(points, rows, strict=True))

    got = cd.compare(left, right, weights="w", features=["x", "y"], **named)
    expected = cd.compare(
        *sides, weights=dict(zip(points, weights, strict=True)), features=features(x), missing=missing
    )
    check(got, expected, budget, asked(engine))
    assert got.score("S_MSE") == pytest.approx(expected.score("S_MSE"), abs=1e-9)
    assert got.kinds == expected.kinds
    if engine in SLOW and budget == 0:
        return
    got = cd.compare(left, right, features=["x", "y"], **named)
    expected = cd.compare(*sides, features=features(x), missing=missing)
    assert got.score("S_MSE") == pytest.approx(expected.score("S_MSE"), abs=1e-9)
    assert got.score("S'(mse)") == pytest.approx(expected.score("S'(mse)"), abs=1e-9)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "pyarrow"])
def test_lost_points_of_several_weights_are_one_cluster(frame: Any) -> None:
    """What happened to a cluster that the other side lacks does not depend on what its points weigh."""
    left, right = {1: "a", 2: "a", 3: "gone", 4: "gone"}, {1: "a", 2: "a", 5: "new", 6: "new", 7: "new"}
    weights = {point: float(point) for point in left | right}
    tables = [
        frame({"id": list(x), "cluster": list(x.values()), "w": [weights[i] for i in x]})
        for x in (left, right)
    ]
    got = cd.compare(*tables, point="id", weights="w", missing="lost", budget=0)
    expected = cd.compare(left, right, weights=weights, missing="lost")
    assert got.kinds == expected.kinds
    assert (expected.kinds["missing"], expected.kinds["spurious"]) == (1, 1)
    check_components(got, expected, ())


@pytest.mark.parametrize("far", [1e20, -1e308])
def test_points_without_weight_change_nothing_wherever_they_are(frame: Any, far: float) -> None:
    """They set neither the scale nor the origin of the others' features."""
    true, pred = [0, 0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 2, 2, 0]
    weights = [1.0, 0.0, 2.0, 1.0, 1.0, 0.0, 3.0, 1.0]
    near = [1e8 + x for x in (0.0, 0.0, 1.5, 5.0, 6.0, 0.0, 3.0, -1.0)]
    x = [there if w else far for there, w in zip(near, weights, strict=True)]
    table = frame({"a": true, "b": pred, "w": weights, "x": x})
    diff = cd.compare_columns(table, true="a", pred="b", weights="w", features="x", budget=0)
    expected = cd.compare(true, pred, weights=weights, features=near)
    assert diff.score("S_MSE") == pytest.approx(expected.score("S_MSE"), abs=1e-9)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "pyarrow"])
def test_points_in_one_place_have_no_spread(frame: Any) -> None:
    """However sums round, nothing is split where features are the same; a hair's breadth is a distance."""
    true, pred = [0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 0, 1, 2, 2, 3, 4, 4, 5]
    weights = [1.0, 2.0, 3.0, 0.1, 0.7, 0.3, 1.0, 1.0, 1.0]
    x = [0.1, 0.1, 0.1, 7.3, 7.3, 7.3, -4.0, -4.0, -4.0 - 1e-9]
    table = frame({"a": true, "b": pred, "w": weights, "x": x})
    diff = cd.compare_columns(table, true="a", pred="b", weights="w", features="x", budget=0)
    expected = cd.compare(true, pred, weights=weights, features=x).score("S_MSE")
    assert expected == pytest.approx(sum(weights[:6]) / sum(weights), abs=1e-9)
    assert diff.score("S_MSE") == pytest.approx(expected, abs=1e-9)


@WHERE
def test_identical_clusterings_score_exactly_one(frame: Any, engine: str, budget: int | None) -> None:
    """Similarities of a clustering with itself are exactly 1, distances exactly 0."""
    _, true, _ = data(90, 13)
    diff = cd.compare_columns(frame({"a": true, "b": true}), true="a", pred="b", budget=budget)
    for name in measures(diff):
        if cd.measures[name].best in (0.0, 1.0) and (engine == QUICKEST or name in QUERIES):
            assert diff.score(name) == cd.measures[name].best, name
    assert diff.loss == (0.0, 0.0, 0.0, 0.0, 0.0)
    assert diff.kinds == {"same": 13, "split": 0, "merge": 0, "mixed": 0}


def test_a_meet_in_memory_has_everything_that_a_comparison_has(frame: Any) -> None:
    """Points come back when they are asked for: matching, explanation, repairs and patch work as in the core."""
    points, true, pred = data(80, 12)
    names = dict(zip(points, true, strict=True)), dict(zip(points[:-3], pred, strict=False))
    tables = [frame(shuffled({"id": list(x), "cluster": list(x.values())})) for x in names]
    got = cd.compare(*tables, point="id", missing="singleton")
    expected = cd.compare(*names, missing="singleton")
    assert got.score("A") == expected.score("A")
    assert got.true == expected.true
    assert got.pred == expected.pred
    assert got.repairs()[0].gain == pytest.approx(expected.repairs()[0].gain)
    assert got.patch().to_json() == expected.patch().to_json()
    assert sorted(got.changes) == sorted(expected.changes)
    lost = cd.compare(*tables, point="id", missing="lost")
    assert lost.patch().apply(names[1]) == cd.Clustering(names[0])
    assert str(got.explain(top=1)).splitlines()[:2] == str(expected.explain(top=1)).splitlines()[:2]


def test_large_integers_survive_an_outer_join(frame: Any) -> None:
    """Labels and ids that differ only beyond the 53 bits of a float stay apart, also beside missing points."""
    big = 2**53
    left = frame({"id": [big, big + 1, big + 2, big + 3], "cluster": [big, big + 1, big + 2, big + 2]})
    right = frame({"id": [big, big + 1, big + 2, 7], "cluster": [big, big + 1, big + 1, 8]})
    diff = cd.compare(left, right, point="id", missing="drop")
    assert (diff.n, diff.meet.k_true, diff.meet.k_pred) == (3, 3, 2)
    assert sorted(diff.meet.true_names.tolist()) == [big, big + 1, big + 2]


def test_points_that_stand_twice_are_refused_with_the_first_five(frame: Any) -> None:
    """Repeated ids are counted and the first five named, whether or not they match."""
    left = frame({"id": [1, 2, 3, 4, 5, 6, 7], "cluster": list("aabbccc")})
    right = frame({"id": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7], "cluster": list("xyxyxyxyxyxyx")})
    with pytest.raises(
        cd.LabelError, match=r"`pred` must name each point once; 6 names repeated: 1, 2, 3, 4, 5 and 1 more"
    ):
        cd.compare(left, right, point="id")
    lone = frame({"id": [1, 2, 3, 4, 5, 6, 7, 8, 8], "cluster": list("xyxyxyxxx")})
    with pytest.raises(cd.LabelError, match=r"`pred` must name each point once; 1 name repeated: 8"):
        cd.compare(left, lone, point="id", missing="drop")


def test_repeats_beyond_the_first_rows_are_found_by_counting(
    frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Repeats that the look at the first rows misses are found after the join, even when they balance out."""
    monkeypatch.setattr("clusterdiff.tables.engines.points.SAMPLE", 1)
    left = frame({"id": [1, 2, 2, 5], "cluster": ["a", "a", "b", "b"]})
    right = frame({"id": [2, 2, 3, 4], "cluster": ["x", "x", "y", "y"]})
    with pytest.raises(cd.LabelError, match=r"`true` must name each point once; 1 name repeated: 2"):
        cd.compare(left, right, point="id")


def test_missing_points_are_refused_by_default(frame: Any) -> None:
    """The message says how many points which side lacks and names the first, in the words of the core."""
    true = {"a": "1", "b": "1", "c": "2", "d": None}
    pred = {"a": "1", "b": "1", "c": "2", "e": "2"}
    tables = [frame({"id": list(side), "cluster": list(side.values())}) for side in (true, pred)]
    with pytest.raises(cd.LabelError) as expected:
        cd.compare(true, pred)
    with pytest.raises(cd.LabelError) as caught:
        cd.compare(*tables, point="id")
    assert str(caught.value) == str(expected.value)


def test_names_of_different_types_are_never_matched(frame: Any) -> None:
    """1 and "1" are not the same point."""
    left, right = frame({"id": [1, 2], "cluster": [1, 1]}), frame({"id": ["1", "2"], "cluster": [1, 1]})
    with pytest.raises(cd.LabelError, match=r"must be of one type; got Int64 and String"):
        cd.compare(left, right, point="id")


def test_points_without_a_name_are_refused(frame: Any) -> None:
    """A null id is nobody's id."""
    left, right = frame({"id": ["a", None], "cluster": [1, 1]}), frame({"id": ["a", "b"], "cluster": [1, 1]})
    with pytest.raises(cd.LabelError, match=r"`true` has 1 point without a name"):
        cd.compare(left, right, point="id")


def test_nulls_on_both_sides_are_not_one_point(frame: Any) -> None:
    """Two points without a name are not matched with each other, whatever the engine's join does."""
    left, right = (frame({"id": ["a", None], "cluster": [1, 1]}) for _ in range(2))
    with pytest.raises(cd.LabelError, match=r"points? without a name"):
        cd.compare(left, right, point="id")


def test_bad_weights_and_features_are_refused(frame: Any) -> None:
    """Negative weights and features that are not finite are errors, not numbers."""
    table = frame({"a": [1, 1, 2], "b": [1, 2, 2], "w": [1.0, -1.0, 2.0], "x": [0.0, float("inf"), 1.0]})
    with pytest.raises(
        cd.ArgumentError,
        match=r"`weights` must be finite and not negative(; got -1\.0 at| for every point; it is not for 1 point)",
    ):
        cd.compare_columns(table, true="a", pred="b", weights="w")
    with pytest.raises(cd.ArgumentError, match=r"`features` must be finite; got .* (for 1 point|in 1 row)"):
        cd.compare_columns(table, true="a", pred="b", features="x")


def test_no_scale_changes_a_score(frame: Any, engine: str) -> None:
    """Weights and features of any size are brought to one that can be squared, by a power of two, as in memory."""
    columns: dict[str, list[Any]] = {
        "i": list(range(8)),
        "a": [1, 1, 1, 2, 2, 3, 3, 3],
        "b": [1, 1, 2, 2, 3, 3, 3, 1],
        "w": [1.0, 0.5, 3.0, 0.75, 2.0, 1.25, 0.0, 4.0],
        "x": [0.0, 1.0, 1.5, 5.0, 6.0, 2.0, 3.0, -1.0],
    }
    names: Any = {"true": "a", "pred": "b", "point": "i", "weights": "w", "features": "x"}
    measures = ["S_H", "ari", "nmi", "S_MSE", "b3.f1"]
    memory = cd.compare(columns["a"], columns["b"], weights=columns["w"], features=columns["x"])
    plain = memory.scores(measures)
    for power in (-900, 505, 1000) if engine == QUICKEST else (-900,):
        w, x = ([math.ldexp(value, by) for value in columns[y]] for y, by in (("w", power), ("x", -power)))
        table = frame(columns | {"w": w, "x": x})
        for budget in (None, 0):  # cells in memory, and in the engine
            diff = cd.compare_columns(table, **names, budget=budget)
            assert diff.scores(measures) == pytest.approx(plain, rel=1e-12)
            assert diff.signature == cd.compare(columns["a"], columns["b"], weights=w).signature
            if abs(power) < 600:
                assert diff.score("mirkin") == pytest.approx(math.ldexp(memory.score("mirkin"), 2 * power))
            else:
                with pytest.raises(cd.MeasureError, match="mirkin grows with the square of the weights"):
                    diff.score("mirkin")
    # Both tables may know weights of points that the other lacks: they have one unit.
    left = frame({y: columns[y][:6] for y in ("i", "a")} | {"w": [math.ldexp(1.0, 900)] * 6})
    right = frame({y: columns[y][2:] for y in ("i", "b")} | {"w": [math.ldexp(1.0, 898)] * 6})
    for missing in ("singleton", "lost"):
        diff = cd.compare(left, right, point="i", cluster=("a", "b"), weights="w", missing=missing)  # type: ignore[call-overload]
        assert diff.signature.endswith(f"sum={math.ldexp(6.5, 900):.12g}|v:{cd.__version__}")


def test_documents_keep_points_and_clusters_apart(frame: Any) -> None:
    """With documents=, ids and labels may repeat between documents; S_H of the whole is the mean weighted by points."""
    documents = {"x": ([1, 1, 2, 2], [1, 1, 2, 3]), "y": ([1, 2, 2], [1, 1, 1])}
    rows = [
        (d, i, t, p)
        for d, (true, pred) in documents.items()
        for i, (t, p) in enumerate(zip(true, pred, strict=True))
    ]
    left = frame({"doc": [r[0] for r in rows], "id": [r[1] for r in rows], "cluster": [r[2] for r in rows]})
    right = frame({"doc": [r[0] for r in rows], "id": [r[1] for r in rows], "cluster": [r[3] for r in rows]})
    got = cd.compare(left, right, point="id", documents="doc")
    assert isinstance(got, cd.types.CorpusComparison)
    assert set(got.documents) == {"x", "y"}
    for name, (true, pred) in documents.items():
        assert got.documents[name].score() == pytest.approx(cd.score(true, pred))
        assert set(got.documents[name].meet.true_names.tolist()) == set(true)
    pooled = sum(len(t) * cd.score(t, p) for t, p in documents.values()) / 7
    assert got.score() == pytest.approx(pooled)


def test_slices_in_the_engine_are_those_of_memory(frame: Any, engine: str) -> None:
    """By a column of the table, with weights, noise, points without a value, and points that one table lacks."""
    import polars as pl

    points, true, pred = data(60, 9)
    area = ["north", "south", "south", "east", None, "west"] * 10
    weight = [0.5 + i % 5 for i in range(60)]
    left = {"id": points[:-4], "cluster": true[:-4], "area": area[:-4], "w": weight[:-4]}
    right = {"id": points[3:], "cluster": pred[3:], "w": weight[3:]}
    how: Any = {
        "point": "id",
        "weights": "w",
        "missing": "singleton",
        "noise_pred": pred[5],
    }
    near, far = (
        cd.compare(*(made(shuffled(side)) for side in (left, right)), **how, budget=budget)
        # Slices in memory of what slow engines brought there are in test_sources.
        for made, budget in ((pl.LazyFrame if engine in SLOW else frame, None), (frame, 0))
    )
    assert (near.where, far.where) == ("memory", "engine")
    expected = {row.value: row for row in near.by("area")}
    found = far.by("area")
    assert {row.value for row in found} == expected.keys() >= {"north", None}
    for row in found:
        assert row[1:] == pytest.approx(expected[row.value][1:])
    assert sum(row.loss for row in found) == pytest.approx(far.loss.total)
    assert list(found["loss"]) == sorted(found["loss"], reverse=True)
    with pytest.raises(cd.ArgumentError, match="`column` must name a column of the tables"):
        far.by("aera")
    if engine == "spark":
        assert far.kinds == near.kinds
        assert far.components[0].loss == pytest.approx(near.components[0].loss)
        assert set(far.components[0].points) == set(near.components[0].points)
    if engine in SLOW:
        return
    whole = frame({"a": true, "b": pred, "area": area})
    near, far = (cd.compare_columns(whole, true="a", pred="b", budget=budget) for budget in (None, 0))
    found, told = ({row.value: row.score for row in diff.by("area")} for diff in (far, near))
    assert found == pytest.approx(told)
