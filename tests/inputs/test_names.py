"""Names that come along: when an index names the points, when position counts, and what stands in the results."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.cli import main
from tests.cases import cases

NAMES = ["a", "b", "c", "d", "e", "f"]
TRUE = [0, 0, 0, 1, 1, 2]
PRED = [7, 7, 8, 8, 8, 9]
#: The points of the second side in another order.
SHUFFLED = [3, 0, 5, 2, 4, 1]
EXPECTED = cd.score(TRUE, PRED)


def shuffled(values: list[Any]) -> list[Any]:
    """The values of the points in the other order."""
    return [values[i] for i in SHUFFLED]


#: Containers that name their points, from names and labels.
NAMED: dict[str, Callable[[list[Any], list[Any]], Any]] = {
    "dict": lambda names, labels: dict(zip(names, labels, strict=True)),
    "sets": lambda names, labels: [
        {n for n, x in zip(names, labels, strict=True) if x == label} for label in set(labels)
    ],
    "dict of lists": lambda names, labels: {
        label: [n for n, x in zip(names, labels, strict=True) if x == label] for label in set(labels)
    },
    "groups of pandas": lambda names, labels: pd.Series(labels, index=names).groupby(labels).groups,
    "arrays": lambda names, labels: [np.array(names)[np.array(labels) == label] for label in set(labels)],
    "Clustering": lambda names, labels: cd.Clustering(labels, points=names),
    "Series": lambda names, labels: pd.Series(labels, index=names),
    "Series of categories": lambda names, labels: pd.Series(labels, index=names).astype("category"),
    "Clustering of a Series": lambda names, labels: cd.Clustering(pd.Series(labels, index=names)),
    "pandas": lambda names, labels: pd.DataFrame({"id": names, "cluster": labels}),
    "pandas by its index": lambda names, labels: pd.DataFrame({"cluster": labels}, index=names),
    "pandas with other columns": lambda names, labels: pd.DataFrame(
        {"cluster": labels, "age": labels, "sex": labels}, index=names
    ),
    "polars": lambda names, labels: pl.DataFrame({"uuid": names, "cluster": labels}),
    "pyarrow": lambda names, labels: pa.table({"rec_id": names, "cluster": labels}),
    "duckdb": lambda names, labels: duckdb.from_arrow(pa.table({"key": names, "cluster": labels})),
}


#: Tables of two libraries are refused with a way out.
LIBRARIES = {"pandas", "polars", "pyarrow", "duckdb"}


@cases(("left", "right"), [(x, y) for x in NAMED for y in NAMED if x == y or not {x, y} <= LIBRARIES])
def test_named_points_are_matched_by_name(left: str, right: str) -> None:
    """Whatever names the points on either side, their order does not matter."""
    true, pred = NAMED[left](NAMES, TRUE), NAMED[right](shuffled(NAMES), shuffled(PRED))
    diff = cd.compare(true, pred)
    assert diff.score() == pytest.approx(EXPECTED)
    assert set(diff.points) == set(NAMES)
    assert all(set(component.points) <= set(NAMES) for component in diff.components)


@cases("other", [list, np.array, tuple, pl.Series, pa.array, pd.array])
def test_a_series_against_labels_in_order(other: Any) -> None:
    """Position counts, as in scikit-learn, and the index names the points in the results."""
    series = pd.Series(TRUE, index=NAMES)
    assert cd.score(series, other(PRED)) == EXPECTED
    for diff in (cd.compare(series, other(PRED)), cd.compare(other(PRED), series)):
        assert list(diff.points) == NAMES
    assert list(cd.compare(pd.Series(TRUE), other(PRED)).points) == list(range(6))


def test_a_release_against_itself_shuffled() -> None:
    """It scores 1.0: the index names the points."""
    rng = np.random.default_rng(0)
    release = pd.Series(rng.integers(0, 300, 1000), index=[f"r{i}" for i in range(1000)])
    assert cd.score(release, release.sample(frac=1, random_state=1)) == 1.0


def test_identical_indexes_are_compared_by_position() -> None:
    """Even if names repeat, since nothing has to be looked up."""
    index = ["a", "a", "b", "b", "c", "c"]
    assert cd.score(pd.Series(TRUE, index), pd.Series(PRED, index)) == EXPECTED
    assert cd.score(pd.Series(TRUE), pd.Series(PRED)) == EXPECTED


def test_what_cannot_be_matched_is_an_error() -> None:
    """One index of two, repeats among names to match, no name in common: each says what to do."""
    named = pd.Series(TRUE, index=NAMES)
    for sides in ((named, pd.Series(PRED)), (pd.Series(TRUE), pd.Series(PRED, index=[5, 4, 3, 2, 1, 0]))):
        with pytest.raises(
            cd.LabelError, match=r"it is not clear whether .*\nHint: pass \.to_numpy\(\) of both"
        ):
            cd.compare(*sides)
    with pytest.raises(cd.LabelError, match="`pred` must name each point once; 1 name repeated: 'a'"):
        cd.compare(named, pd.Series(PRED, index=list("aabcde")))
    with pytest.raises(cd.LabelError, match="`pred` lacks 6 of the 6 points of `true`"):
        cd.compare(named, pd.Series(PRED, index=list("uvwxyz")))
    with pytest.raises(cd.LabelError, match="must be of one type"):
        cd.compare(named, pd.Series(PRED, index=range(1, 7)))


INDEX = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8, unique=True)


@given(left=INDEX, right=INDEX, data=st.data())
def test_pandas_own_alignment_is_the_witness(left: list[str], right: list[str], data: st.DataObject) -> None:
    """Dropped points are those that an inner alignment drops; the others are scored as pandas lays them."""
    labels = st.integers(0, 2)
    true = pd.Series([data.draw(labels) for _ in left], index=left)
    pred = pd.Series([data.draw(labels) for _ in right], index=right)
    a, b = true.align(pred, join="inner")
    if not len(a):
        with pytest.raises(cd.LabelError, match="no point is left"):
            cd.compare(true, pred, missing="drop")
        return
    diff = cd.compare(true, pred, missing="drop")
    assert diff.n == len(a)
    assert set(diff.points) == set(a.index)
    assert diff.score() == pytest.approx(cd.score(a.to_numpy(), b.to_numpy()))
    outer = cd.compare(true, pred, missing="singleton")
    assert set(outer.points) == set(true.align(pred, join="outer")[0].index)
    weights = pd.Series(range(1, 9), index=list("hgfedcba"))
    heavy = cd.compare(true, pred, missing="drop", weights=weights)
    by_hand = cd.compare(a.to_numpy(), b.to_numpy(), weights=weights[a.index].to_numpy())
    assert heavy.score() == pytest.approx(by_hand.score())


@cases("left", ["Series", "dict", "sets", "pandas by its index"])
def test_weights_features_and_columns_follow_names(left: str) -> None:
    """Series and frames are looked up by name where points have names, whatever their order."""
    true, pred = NAMED[left](NAMES, TRUE), NAMED["dict"](shuffled(NAMES), shuffled(PRED))
    weights, group = [1.0, 2, 3, 4, 5, 6], list("xxyyxy")
    measured = pd.DataFrame({"x": [0.0, 1, 2, 5, 6, 9], "y": [0.0, 0, 1, 1, 0, 0]}, index=NAMES)
    plain = cd.compare(TRUE, PRED, weights=weights, features=measured.to_numpy())
    series = pd.Series(weights, index=NAMES).iloc[SHUFFLED]
    diff = cd.compare(true, pred, weights=series, features=measured.iloc[SHUFFLED])
    assert diff.score() == pytest.approx(plain.score())
    assert diff.score("S_MSE") == pytest.approx(plain.score("S_MSE"))
    by = diff.by(pd.Series(group, index=NAMES).iloc[SHUFFLED])
    assert {row.value: round(row.loss, 9) for row in by} == {
        row.value: round(row.loss, 9) for row in plain.by(group)
    }
    documents = pd.Series(group, index=NAMES).iloc[SHUFFLED]
    within = cd.compare(true, pred, documents=documents)
    assert within.score() == pytest.approx(cd.compare(TRUE, PRED, documents=group).score())


def test_weights_of_points_without_names_go_by_position() -> None:
    """An index says nothing about points that have no names; it must cover those that have."""
    weights = pd.Series([1.0, 2, 3, 4, 5, 6], index=NAMES)
    expected = cd.compare(TRUE, PRED, weights=weights.to_numpy()).score()
    assert cd.compare(TRUE, PRED, weights=weights).score() == expected
    named = pd.Series(TRUE, index=NAMES)
    with pytest.raises(cd.ArgumentError, match="the index of `weights` lacks 6 of the 6 points: 'a'"):
        cd.compare(named, PRED, weights=weights.reset_index(drop=True))
    with pytest.raises(
        cd.ArgumentError, match="the index of `weights` must name each point once; 1 name repeated"
    ):
        cd.compare(named, PRED, weights=pd.concat([weights, weights[:1]]))


def test_the_report_lists_attributes_by_name() -> None:
    """A frame of attributes is looked up by its index."""
    named = pd.Series(TRUE, index=NAMES)
    attributes = pd.DataFrame({"colour": [f"colour-of-{name}" for name in NAMES]}, index=NAMES)
    diff = cd.compare(named, named.iloc[SHUFFLED].replace({0: 5}).where(lambda x: x != 1, 5))
    from clusterdiff.show.report.data import read_attributes

    for frame in (attributes, attributes.iloc[SHUFFLED]):
        names, columns = read_attributes(frame, diff)
        assert names == ["colour"]
        assert columns[0] == [f"colour-of-{name}" for name in diff.points]


def test_barcodes_name_the_cells() -> None:
    """Columns of adata.obs, a frame of pandas, name the points by its index, in one table or in two."""
    barcodes = ["AAAC-1", "AAAG-1", "AACC-1", "AAGT-1", "ACAA-1", "ACCG-1"]
    obs = pd.DataFrame({"cell_type": TRUE, "leiden": PRED}, index=barcodes).astype("category")
    for diff in (
        cd.compare(obs["cell_type"], obs["leiden"]),
        cd.compare(obs["cell_type"], obs["leiden"].iloc[SHUFFLED]),
        cd.compare_columns(obs, true="cell_type", pred="leiden"),
    ):
        assert diff.score() == pytest.approx(EXPECTED)
        assert {point for component in diff.components for point in component.points} == set(barcodes)


def test_several_columns_name_a_point() -> None:
    """A list of columns; the names are tuples, and match tuples of a dict."""
    source, number = ["x", "x", "y", "y", "z", "z"], [1, 2, 1, 2, 1, 2]
    names = list(zip(source, number, strict=True))
    for make in (pd.DataFrame, pl.DataFrame, pa.table, lambda c: duckdb.from_arrow(pa.table(c))):
        left: Any = make({"source": source, "number": number, "cluster": TRUE, "w": [1.0, 2, 3, 4, 5, 6]})
        right: Any = make({"s": shuffled(source), "n": shuffled(number), "cluster": shuffled(PRED)})
        diff = cd.compare(left, right, point=(["source", "number"], ["s", "n"]), weights="w")
        assert set(diff.points) == set(names)
        assert diff.score() == pytest.approx(cd.compare(TRUE, PRED, weights=[1, 2, 3, 4, 5, 6]).score())
        assert set(diff.by("source")["value"]) == set(source)
        told = diff.patterns(columns=["source"]).hits
        assert told is not None
        assert told.columns == 1
        pred = dict(zip(names, PRED, strict=True))
        assert cd.compare(left, pred, point=["source", "number"]).score() == pytest.approx(EXPECTED)
    multi = pd.Series(TRUE, index=pd.MultiIndex.from_tuples(names))
    assert cd.compare(multi, pred).score() == pytest.approx(EXPECTED)
    indexed = pd.DataFrame({"source": source, "number": number, "cluster": TRUE}).set_index(
        ["source", "number"]
    )
    assert cd.compare(indexed, pred, point=["source", "number"]).score() == pytest.approx(EXPECTED)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("engine", [None, "duckdb", "polars"])
@pytest.mark.parametrize("missing", ["singleton", "lost"])
def test_names_of_several_columns_are_the_same_by_every_route(
    tmp_path: Path, suffix: str, engine: str | None, missing: Any
) -> None:
    """Tuples of the values, whether they come from frames, files or engines; a CSV file has text."""
    source, number = ["x,1", "x", "y", "y", "z", "z"], [1, 2, 1, 2, 1, 2]
    left = pl.DataFrame({"source": source, "number": number, "cluster": TRUE, "shop": list("aabbcc")})
    right = left.with_columns(cluster=pl.Series(PRED)).sample(5, shuffle=True, seed=0)
    typed = {*zip(source, number, strict=True)}
    expected = typed if suffix == "parquet" else {(a, str(b)) for a, b in typed}
    files = [str(tmp_path / f"{name}.{suffix}") for name in ("true", "pred")]
    for frame, file in zip((left, right), files, strict=True):
        frame.write_csv(file) if suffix == "csv" else frame.write_parquet(file)
    key = ["source", "number"]
    options: Any = {"point": key, "missing": missing, "cluster": "cluster"}
    frames = cd.compare(left, right, **options)
    assert set(frames.points) == typed
    if engine is None:
        diff = cd.compare(*files, **options)
        assert set(diff.points) == expected
        assert {point for component in diff.components for point in component.points} == expected
        assert diff.score() == pytest.approx(frames.score())
        other = dict(zip(zip(source, number, strict=True), PRED, strict=True))
        if suffix == "parquet":
            assert cd.compare(files[0], other, point=key, cluster="cluster").n == 6
        else:
            with pytest.raises(
                cd.LabelError, match=r"must be of one type; got \(str, str\).*and \(str, int\)"
            ):
                cd.compare(files[0], other, point=key, cluster="cluster")
    command = ["compare", *files, "--point", "source,number", "--cluster", "cluster", "--missing", missing]
    command += ["--explain", "--json", "--by", "shop", *(["--engine", engine] if engine else [])]
    run = CliRunner().invoke(main, command)
    assert run.exit_code == 0, run.output
    data = json.loads(run.stdout)
    assert data["scores"]["S_H"] == pytest.approx(frames.score())
    assert {row["value"]: row["points"] for row in data["slices"]["shop"]} == {"a": 2, "b": 2, "c": 2}
    points = {point for repair in data["repairs"] for point in repair["points"]}
    assert points <= set(map(str, expected))
    assert points


def test_names_of_different_numbers_of_columns_are_refused(tmp_path: Path) -> None:
    """Two columns on one side and one on the other cannot be matched."""
    for name in ("true", "pred"):
        (tmp_path / f"{name}.csv").write_text("a,b,cluster\n1,2,3\n", encoding="utf-8")
    files = [str(tmp_path / "true.csv"), str(tmp_path / "pred.csv")]
    for engine in ([], ["--engine", "duckdb"]):
        command = [
            "compare",
            *files,
            "--true-point",
            "a,b",
            "--pred-point",
            "a",
            "--cluster",
            "cluster",
            *engine,
        ]
        run = CliRunner().invoke(main, command)
        assert run.exit_code == 2
        assert "the same number of columns" in run.stderr


#: Names of every type that columns have, as the core reads them or not.
IDS: dict[str, list[Any]] = {
    "int": [7, -3, 2**40, 0, 12, 5],
    "text": ["a", "", "ü" * 20, "d", "🙂", "a b"],
    "large": [2**63 + i for i in range(6)],
    "bool": [True, False],
    "date": [date(2020, 1, day) for day in range(1, 7)],
}
FRAMES: dict[str, Callable[..., Any]] = {
    "pandas": pd.DataFrame,
    "objects": lambda columns: pd.DataFrame(columns, dtype=object).astype({"cluster": "int64"}),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "Series": lambda columns: pd.Series(columns["cluster"], index=columns["id"]),
    "Series of objects": lambda columns: pd.Series(
        columns["cluster"], index=pd.Index(columns["id"], dtype=object)
    ),
}
#: Columns of Python objects that are not text are refused; pyarrow has no such integers without a type.
NO_NAMES = {("pandas", "date"), ("pyarrow", "large"), *(("objects", kind) for kind in IDS if kind != "text")}


@cases(
    ("library", "kind"),
    [(x, y) for x in FRAMES for y in IDS if (x, y) not in NO_NAMES],
)
def test_names_in_columns_are_those_of_dicts(library: str, kind: str) -> None:
    """Points, their order, scores and what is said of lost ones are what dicts give."""
    make, names = FRAMES[library], IDS[kind]
    left, right = dict(zip(names[:-1], TRUE, strict=False)), dict(zip(names[:0:-1], PRED, strict=False))
    if len(names) == 2:
        left = right = dict(zip(names, [0, 1], strict=True))
    sides = [make({"id": list(side), "cluster": list(side.values())}) for side in (left, right)]
    diff, slow = cd.compare(*sides, missing="lost"), cd.compare(left, right, missing="lost")
    assert diff.scores() == slow.scores()
    assert (diff.points, diff.notices, diff.signature) == (slow.points, slow.notices, slow.signature)
    assert [type(point) for point in diff.points] == [type(point) for point in slow.points]
    assert diff.patch().to_json() == slow.patch().to_json()


@cases("library", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize("one", [False, True], ids=["two tables", "one table"])
@pytest.mark.parametrize("bad", [3, None])
def test_repeated_and_lacking_names_of_columns_are_told(library: str, one: bool, bad: int | None) -> None:
    """As those of other inputs are: which side, how many, and which."""
    names = [1, 2, 3, bad]
    table: Any = FRAMES[library]({"id": names, "cluster": [0, 0, 1, 1], "other": [0, 0, 1, 2]})
    with pytest.raises(cd.LabelError) as told:
        cd.compare([{1, 2, 3}], cd.Clustering([0, 0, 1, 1], points=names))
    fine = FRAMES[library]({"id": [1, 2, 3, 4], "cluster": [0, 0, 1, 1]})
    asked: Any = {"true": "cluster", "pred": "other"} if one else {"cluster": "cluster"}
    verb, tables = (cd.compare_columns, [table]) if one else (cd.compare, [fine, table])
    with pytest.raises(cd.LabelError) as caught:
        verb(*tables, point="id", **asked)
    expected = str(told.value).replace("`points`", "`table`" if one else "`pred`")
    assert str(caught.value) == expected.replace("`data`", "`table`" if one else "`pred`")


def test_text_that_no_column_holds_names_points_too() -> None:
    """Half a pair of surrogates cannot be written as UTF-8; it is matched as an object."""
    names = ["\ud800", "b", "c"]
    index = pd.Index(names, dtype=object)
    diff = cd.compare(pd.Series([0, 0, 1], index), pd.Series([0, 0, 1], index[::-1]))
    assert diff.points == names
    assert diff.score() == pytest.approx(cd.score([0, 0, 1], [1, 0, 0]))
