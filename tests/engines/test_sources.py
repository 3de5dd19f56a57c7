"""Comparisons of tables have points: by name, with their other columns, fetched when asked for, and free to travel."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest

import clusterdiff as cd
from clusterdiff.tables.engines.comparison import EngineComparison, TableComparison
from clusterdiff.tables.engines.source import EngineSource
from clusterdiff.tables.frames import is_table
from tests.engines.conftest import maker
from tests.engines.test_pipeline import data, shuffled

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")

POINTS, TRUE, PRED = data(60, 12)
CITY = {point: ("rome", "oslo", None)[i % 3] for i, point in enumerate(POINTS)}
COREFERENCE = [
    "b3.f1", "b3.recall", "muc.f1", "ceaf_e.f1", "ceaf_m.f1", "lea.f1", "blanc.f1", "mentions.f1", "conll", "S_H",
]  # fmt: skip


def tables(frame: Any) -> tuple[Any, Any]:
    """The true clusters with the city of each point, and the predicted ones in another order."""
    left = {"id": POINTS, "cluster": TRUE, "city": list(CITY.values())}
    return frame(shuffled(left, 2)), frame(shuffled({"id": POINTS, "cluster": PRED}))


def expected() -> cd.types.Comparison:
    """The same from dicts."""
    return cd.compare(dict(zip(POINTS, TRUE, strict=True)), dict(zip(POINTS, PRED, strict=True)))


def rows(table: Any) -> set[tuple[Any, ...]]:
    """Slices without their order among equals."""
    return {tuple(round(x, 9) if isinstance(x, float) else x for x in row) for row in table}


def test_tables_slice_by_their_own_columns_and_by_others(frame: Any, engine: str, tmp_path: Path) -> None:
    """by("city"), by a dict and, where rows have an order, by a list give what the core gives; so does the report."""
    left, right = tables(frame)
    diff = cd.compare(left, right, point="id")
    wanted = rows(expected().by(CITY))
    assert diff.source.columns == ("city",)
    assert rows(diff.by("city")) == rows(diff.by(CITY)) == wanted
    in_order = shuffled({"city": list(CITY.values())}, 2)["city"]
    if engine in ("duckdb", "spark", "dask"):
        with pytest.raises(cd.ArgumentError, match=r"a dict from point to value .* no order"):
            diff.by(in_order)
    else:
        assert rows(diff.by(in_order)) == wanted
    with pytest.raises(cd.ArgumentError, match='or be "city" or "size" or "kind"; got the string \'town\''):
        diff.by("town")
    diff.report(tmp_path / "diff.html")
    assert '"attributes":["city"]' in (tmp_path / "diff.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("engine", ["duckdb", "polars", "dask", "spark"])
def test_a_component_fetches_its_own_points_only(frame: Any) -> None:
    """Asking a component for its points brings no others; asking for all does, and gives the same."""
    diff = cd.compare(*tables(frame), point="id", missing="drop", budget=10_000)  # enough for the cells alone
    assert isinstance(diff.source, EngineSource)
    few = [component.points for component in diff.components[:2]]
    assert "brought" not in vars(diff.source)
    assert len(diff.points) == 60
    assert few == [component.points for component in diff.components[:2]]
    slow = {frozenset(c.points) for c in expected().components}
    assert {frozenset(points) for points in few} <= slow


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow", "duckdb"])
def test_points_that_one_side_lacks_are_found_in_their_components(frame: Any) -> None:
    """Points in clusters of their own are told like all others, fetched few at a time or together."""
    left = {**dict(zip(POINTS[5:], TRUE[5:], strict=True)), 9001: None, 9002: "noise"}
    right = {**dict(zip(POINTS[:-5], map(str, PRED[:-5]), strict=True)), 9001: "noise", 9002: "noise"}
    sides = [frame(shuffled({"id": list(x), "cluster": list(x.values())})) for x in (left, right)]
    choice: Any = {"missing": "singleton", "noise": "noise"}
    diff, slow = cd.compare(*sides, point="id", **choice), cd.compare(left, right, **choice)
    found = {frozenset(c.points) for c in diff.components}
    assert "brought" not in vars(diff.source)
    assert found == {frozenset(c.points) for c in slow.components}
    assert diff.true == slow.true
    assert {frozenset(c.points) for c in diff.components} == found
    assert set(diff.meet.pred_names.tolist()) == set(slow.meet.pred_names.tolist())
    assert rows(diff.by(dict.fromkeys(POINTS, "x"))) == rows(slow.by(dict.fromkeys(POINTS, "x")))


@pytest.mark.parametrize("engine", ["pandas", "polars", "pyarrow"])
def test_rows_without_names_are_told_by_their_place(frame: Any) -> None:
    """Two columns without points: places are those of the table, also where rows are left out."""
    pred = [None if i % 7 == 0 else p for i, p in enumerate(PRED)]
    diff = cd.compare_columns(
        frame({"a": TRUE, "b": pred, "city": list(CITY.values())}), true="a", pred="b", missing="drop"
    )
    slow = cd.compare(TRUE, pred, missing="drop")
    assert list(diff.points) == list(slow.points)
    assert {frozenset(c.points) for c in diff.components} == {frozenset(c.points) for c in slow.components}
    assert rows(diff.by("city")) == rows(slow.by(list(CITY.values())))
    with pytest.raises(cd.LabelError) as told:
        cd.compare(TRUE, pred)
    with pytest.raises(cd.LabelError) as caught:
        cd.compare_columns(frame({"a": TRUE, "b": pred}), true="a", pred="b")
    assert str(caught.value) == str(told.value)


@pytest.mark.parametrize("engine", ["duckdb", "spark"])
def test_points_that_nothing_tells_apart_are_only_counted(frame: Any) -> None:
    """Without names or an order there are scores, slices and an explanation, and one clear error for points."""
    diff = cd.compare_columns(frame({"a": TRUE, "b": PRED, "city": list(CITY.values())}), true="a", pred="b")
    assert diff.source.columns == ("city",)
    assert rows(diff.by("city")) == rows(expected().by(CITY))
    assert rows(pickle.loads(pickle.dumps(diff)).by("city")) == rows(diff.by("city"))
    assert "points" in str(diff.explain(top=1))
    for ask in (lambda d: d.points, lambda d: d.components[0].points, lambda d: d.true):
        for one in (diff, pickle.loads(pickle.dumps(diff))):
            with pytest.raises(cd.ArgumentError, match="the points have no names, and rows have no order"):
                ask(one)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "spark"])
def test_weights_reach_slices(frame: Any) -> None:
    """The loss by a column is weighted as the score is."""
    weights = [0.5 + i % 4 for i in range(len(POINTS))]
    left = frame({"id": POINTS, "cluster": TRUE, "city": list(CITY.values()), "w": weights})
    diff = cd.compare(left, tables(frame)[1], point="id", weights="w")
    slow = cd.compare(*expected_sides(), weights=dict(zip(POINTS, weights, strict=True)))
    assert rows(diff.by("city")) == rows(slow.by(CITY))


def expected_sides() -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Both clusterings by point."""
    return dict(zip(POINTS, TRUE, strict=True)), dict(zip(POINTS, PRED, strict=True))


def test_comparisons_travel(frame: Any) -> None:
    """A pickled comparison of tables has its points, clusters and the columns that were read, and needs no engine."""
    diff = cd.compare(*tables(frame), point="id")
    diff.by("city")
    for other in (pickle.loads(pickle.dumps(diff)), copy.deepcopy(diff)):
        assert isinstance(other, TableComparison)
        assert not isinstance(other.source, EngineSource)
        assert other.scores() == diff.scores()
        assert other.points == diff.points
        assert rows(other.by("city")) == rows(diff.by("city"))
        assert other.components[0].points == diff.components[0].points
        assert other.score("b3.f1") == diff.score("b3.f1")
        assert str(other.explain()) == str(diff.explain())


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_what_reads_cells_or_points_is_refused_where_the_meet_stays(frame: Any, tmp_path: Path) -> None:
    """One clear error that says what to do, and never one about attributes; the costliest components have it all."""
    diff = cd.compare(*tables(frame), point="id", budget=6_000)
    assert isinstance(diff, EngineComparison)
    asks: list[Any] = [
        lambda d: d.meet,
        lambda d: d.analysis,
        lambda d: d.source,
        lambda d: d.repairs(),
        lambda d: d.gains("ari"),
        lambda d: d.explain("ari"),
        lambda d: d.patch(),
        lambda d: d.events,
        lambda d: d.points,
        lambda d: d.true,
        lambda d: d.pred,
        lambda d: d.plot(),
        lambda d: d.report(tmp_path / "diff.html"),
        lambda d: d.normalised("R"),
        lambda d: d.score("A"),
    ]
    for ask in asks:
        with pytest.raises(cd.MeasureError, match=r"were left in .*\n.*costliest"):
            ask(diff)
    for send in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(cd.EngineError, match=r"cannot be copied or pickled.*\n.*costliest"):
            send(diff)
    part = diff.costliest
    assert isinstance(part, TableComparison)
    assert pickle.loads(pickle.dumps(part)).points == part.points
    assert part.by("city")["points"].sum() == part.n
    assert repr(diff).startswith("S_H = ")
    assert diff._repr_html_()


@pytest.mark.parametrize("budget", [None, 0])
def test_threads_wait_for_their_turn(request: pytest.FixtureRequest, budget: int | None) -> None:
    """A connection of DuckDB refuses a second question; eight threads that ask at once get what one gets."""
    asks: list[Any] = [
        lambda d: d.kinds,
        lambda d: d.components[0].points,
        lambda d: d.components[1].points,
        lambda d: len(d.splits),
        lambda d: rows(d.by("city")),
        lambda d: round(d.score("ari"), 9),
        lambda d: round(d.score("mari"), 9),
        lambda d: round(d.loss.total, 9),
    ]
    alone, diff = (cd.compare(*tables(maker("duckdb", request)), point="id", budget=budget) for _ in range(2))
    expected = [ask(alone) for ask in asks]
    with ThreadPoolExecutor(len(asks)) as pool:
        assert list(pool.map(lambda ask: ask(diff), asks)) == expected


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_the_costliest_components_know_points_that_one_side_lacks(frame: Any) -> None:
    """Clusters that were made for single points are called and found as in memory."""
    left, right = dict(zip(POINTS[6:], TRUE[6:], strict=True)), dict(zip(POINTS[:-6], PRED[:-6], strict=True))
    sides = [frame({"id": list(x), "cluster": list(x.values())}) for x in (left, right)]
    slow = {frozenset(c.points): c for c in cd.compare(left, right, missing="singleton").components}
    for budget in (0, 10_000):
        diff = cd.compare(*sides, point="id", missing="singleton", budget=budget)
        assert diff.where == "engine"  # type: ignore[attr-defined]
        for component in diff.components[:12]:
            same = slow[frozenset(component.points)]
            assert set(component.true) == set(same.true)
            assert set(component.pred) == set(same.pred)
            assert component.meet.n == component.size == same.size


def corpora(missing: bool) -> tuple[dict[str, list[Any]], dict[str, list[Any]], cd.Corpus, cd.Corpus]:
    """Rows of two documents with the same points, and the same as corpora."""
    sides: list[Any] = []
    for side, labels in (("true", TRUE), ("pred", PRED)):
        left_out = {"true": 7, "pred": 5}[side] if missing else 10**9
        documents = {
            d: {p: c for i, (p, c) in enumerate(zip(POINTS, labels, strict=True)) if (i + k) % left_out}
            for k, d in enumerate(["one", "two"])
        }
        found = [(d, p, c) for d, points in documents.items() for p, c in points.items()]
        sides.append(
            (dict(zip(("doc", "id", "cluster"), map(list, zip(*found, strict=True)), strict=True)), documents)
        )
    return sides[0][0], sides[1][0], cd.Corpus(sides[0][1]), cd.Corpus(sides[1][1])


@pytest.mark.parametrize("missing", [False, True], ids=["even", "uneven"])
def test_documents_of_a_column_are_those_of_a_corpus(frame: Any, missing: bool) -> None:
    """Where points are missing too, every measure, pooled and by document, is that of the same data as a corpus."""
    left, right, true, pred = corpora(missing)
    got = cd.compare(frame(shuffled(left)), frame(shuffled(right, 3)), point="id", documents="doc")
    slow = cd.compare(true, pred)
    assert isinstance(got, cd.types.CorpusComparison)
    assert got.signature == slow.signature
    assert got.scores(COREFERENCE) == pytest.approx(slow.scores(COREFERENCE), abs=1e-12)
    assert set(got.documents) == {"one", "two"}
    for name, document in got.documents.items():
        assert document.scores(COREFERENCE) == pytest.approx(
            slow.documents[name].scores(COREFERENCE), abs=1e-12
        )
    dropped = cd.compare(frame(left), frame(right), point="id", documents="doc", singletons="drop")
    again = cd.compare(true, pred, singletons="drop")
    assert dropped.scores(COREFERENCE) == pytest.approx(again.scores(COREFERENCE), abs=1e-12)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "pyarrow"])
def test_documents_within_one_table(frame: Any) -> None:
    """Two columns with documents, named points or none, weights and other columns; and they travel."""
    doc = ["one" if i % 2 else "two" for i in range(60)]
    pred = [None if i % 9 == 0 else p for i, p in enumerate(PRED)]
    columns = {"doc": doc, "id": POINTS, "a": TRUE, "b": pred, "city": list(CITY.values()), "w": [1.5] * 60}
    corpus = [
        cd.Corpus(
            {
                d: {p: c for p, c, e in zip(POINTS, labels, doc, strict=True) if e == d and c is not None}
                for d in ("one", "two")
            }
        )
        for labels in (TRUE, pred)
    ]
    slow = cd.compare(*corpus)
    named = cd.compare_columns(frame(columns), true="a", pred="b", point="id", documents="doc")
    bare = cd.compare_columns(frame(columns), true="a", pred="b", documents="doc", weights="w")
    assert named.scores(COREFERENCE) == pytest.approx(slow.scores(COREFERENCE), abs=1e-12)
    assert bare.score() == pytest.approx(slow.score())
    assert named.by("city")["points"].sum() == 60
    other = pickle.loads(pickle.dumps(named))
    assert other.documents["one"].score() == slow.documents["one"].score()
    assert rows(other.by("city")) == rows(named.by("city"))
    with pytest.raises(cd.ArgumentError, match="`documents` needs the points in memory"):
        cd.compare_columns(frame(columns), true="a", pred="b", documents="doc", budget=100)
    with pytest.raises(cd.ArgumentError, match="`singletons` is for documents"):
        cd.compare_columns(frame(columns), true="a", pred="b", singletons="drop")


def test_columns_are_recognised_by_their_names(frame: Any) -> None:
    """As in files: known names are taken, and where there are two ways the user has to say."""
    left, right = frame({"id": POINTS, "entity": TRUE}), frame({"id": POINTS, "label": PRED})
    assert cd.compare(left, right).score() == expected().score()
    with pytest.raises(
        cd.ArgumentError,
        match="has the columns 'x', 'y', 'z', and none of them names the clusters",
    ):
        cd.compare(frame({"x": [1], "y": [1], "z": [1]}), right)


@pytest.mark.parametrize("engine", ["duckdb", "polars", "pandas", "pyarrow"])
def test_a_table_against_labels_of_another_kind(frame: Any) -> None:
    """A frame on one side only is read, and its points are matched by name."""
    left, right = tables(frame)
    assert cd.compare(left, expected_sides()[1], point="id").score() == expected().score()
    assert cd.compare(expected_sides()[0], right, point="id").score() == expected().score()


def test_tables_are_told_from_other_data(frame: Any) -> None:
    """Frames and relations are tables; columns, dicts and arrays are not."""
    table = frame({"id": [1], "cluster": [1]})
    assert is_table(table)
    series: list[Any] = [pd.Series([1]), pl.Series([1]), {"id": [1]}, [1], "path.csv", None]
    assert not any(is_table(one) for one in series)


def test_tables_of_two_connections_are_compared_if_they_fit() -> None:
    """The core needs no connection that has both; where DuckDB has to join them, its complaint is an error of ours."""
    one, two = (duckdb.connect().sql("SELECT 1 AS id, 1 AS cluster") for _ in range(2))
    assert cd.compare(one, two, point="id").score() == 1
    with pytest.raises(cd.EngineError, match="duckdb stopped"):
        cd.compare(one, two, point="id", budget=1)


def test_weights_of_tables_are_columns() -> None:
    """Values that are not in the table are refused, with what to do."""
    table = pl.DataFrame({"id": [1, 2], "cluster": [1, 1]})
    with pytest.raises(cd.ArgumentError, match="`weights` must name a column of the tables; got list"):
        cd.compare(table, table, weights=[1.0, 2.0])


def test_components_of_cells_that_stay_do_not_travel() -> None:
    """They say so, and what to copy instead."""
    left, right = tables(pl.DataFrame)
    diff = cd.compare(left, right, point="id", budget=500)
    assert isinstance(diff, EngineComparison)
    for result in (diff, diff.components, diff.components[0]):
        for copied in (pickle.dumps, copy.deepcopy):
            with pytest.raises(cd.EngineError, match="are in polars"):
                copied(result)


def test_tables_that_changed_since_are_not_read() -> None:
    """A table of a database can be written to by others: points that stayed there are not those that were compared."""
    with duckdb.connect() as connection:
        for name, k in (("left", 3), ("right", 4)):
            connection.execute(
                f'CREATE TABLE "{name}" AS SELECT i AS id, i // {k} AS cluster FROM range(60) t(i)'
            )
        sides = connection.table("left"), connection.table("right")
        held, diff = (cd.compare(*sides, point="id", budget=budget) for budget in (None, 10_000))
        connection.execute('UPDATE "left" SET cluster = 0 WHERE cluster = 1')
        assert [sorted(points) for points in held.true.to_sets()] == [
            [i, i + 1, i + 2] for i in range(0, 60, 3)
        ]
        for ask in (lambda: diff.true, lambda: [component.points for component in diff.components]):
            with pytest.raises(cd.EngineError, match="the tables changed since they were compared"):
                ask()


def test_noise_of_both_sides_is_found_and_told_by_its_order() -> None:
    """A cell of one point in no cluster on either side is that point; tables with an order take a value per row."""
    table = pl.DataFrame({"x": [0, 0, 1, 1, -1, -1, 2, -1], "y": [0, 1, 1, 1, -1, -1, -1, 5]})
    table = table.with_row_index("id")
    ordered = cd.compare_columns(table, true="x", pred="y", point="id", noise=-1)
    kept = cd.compare_columns(duckdb.from_arrow(table.to_arrow()), true="x", pred="y", point="id", noise=-1)
    for diff in (ordered, kept):
        points = [row.points for row in diff.components]
        assert points[0] == [0, 1, 2, 3]
        assert sorted(points[1:]) == [[4], [5], [6], [7]]
    assert [row.points for row in ordered.by([0, 1] * 4)] == [4, 4]
    with pytest.raises(cd.ArgumentError, match="rows have no order in duckdb"):
        kept.by([0, 1] * 4)


def test_documents_must_be_of_one_type() -> None:
    """Numbers and texts are never matched silently."""
    table = pl.DataFrame({"id": [1, 2, 3], "page": [1, 1, 2], "cluster": [0, 0, 1]})
    other = table.with_columns(page=pl.col("page").cast(pl.String))
    with pytest.raises(cd.LabelError, match="the documents of `true` and `pred` must be of one type"):
        cd.compare(table, other, documents="page")
