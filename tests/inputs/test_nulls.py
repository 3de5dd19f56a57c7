"""A point without a label is in no cluster, whoever asks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.points.reading import read_labels
from tests.cases import cases

NULLS: dict[str, Any] = {
    "list": [None, "a", "b", "a"],
    "NaN in a list": [float("nan"), "a", "b", "a"],
    "objects": np.array([None, "a", "b", "a"], dtype=object),
    "masked": np.ma.MaskedArray([7, 1, 2, 1], mask=[True, False, False, False]),
    "floats": np.array([np.nan, 1, 2, 1]),
    "dates": np.array(["NaT", "2020-01-01", "2020-01-02", "2020-01-01"], dtype="datetime64[D]"),
    "pandas": pd.Series([None, "a", "b", "a"]),
    "pandas Int64": pd.Series([None, 1, 2, 1], dtype="Int64"),
    "pandas categories": pd.Series([None, "a", "b", "a"], dtype="category"),
    "polars": pl.Series([None, "a", "b", "a"]),
    "polars categories": pl.Series([None, "a", "b", "a"], dtype=pl.Categorical),
    "arrow": pa.array([None, "a", "b", "a"]),
    "arrow dictionary": pa.array([None, "a", "b", "a"]).dictionary_encode(),
    "dict": {0: None, 1: "a", 2: "b", 3: "a"},
    "pandas' NA in a list": [pd.NA, "a", "b", "a"],
    "pandas' NaT in a list": [pd.NaT, *map(pd.Timestamp, ("2020-01-01", "2020-01-02", "2020-01-01"))],
    "pandas' NA in a dict": {0: pd.NA, 1: "a", 2: "b", 3: "a"},
    "list of a masked array": list(np.ma.MaskedArray([7, 1, 2, 1], mask=[True, False, False, False])),
    "list of an Arrow column": list(pa.array([None, "a", "b", "a"])),
    "floats, a fraction under the mask": np.ma.MaskedArray([7.5, 1, 2, 1], mask=[True, False, False, False]),
    "objects, a number under the mask": np.ma.MaskedArray(
        np.array([7, "a", "b", "a"], dtype=object), mask=[True, False, False, False]
    ),
}


@cases("kind", NULLS)
def test_a_null_is_in_no_cluster(kind: str) -> None:
    """Neither among the names nor in a set, a dict or a size, and equal to the clustering without the point."""
    found = cd.Clustering(NULLS[kind])
    assert found.codes.tolist() == [-1, 0, 1, 0]
    assert len(found.names) == 2
    assert found.sizes.tolist() == [2, 1]
    assert found.to_sets() == [{1, 3}, {2}]
    assert list(found.to_dict()) == [1, 2, 3]
    assert found == cd.Clustering([{1, 3}, {2}])
    assert repr(found) == "<Clustering of 4 points in 2 clusters, 1 point in no cluster>"


def test_labels_with_nulls_have_no_values_to_read() -> None:
    """What stands in the place of a null cannot be got at, so nobody can forget to leave it out."""
    with pytest.raises(cd.LabelError, match="1 of 4 points without a label"):
        _ = read_labels(NULLS["floats"], "true").values


def test_nulls_are_written_as_nulls(tmp_path: Path) -> None:
    """A clustering read back from its file has the same nulls."""
    path = tmp_path / "c.csv"
    cd.write(cd.Clustering([None, "a", "b", "a"], points=["p", "q", "r", "s"]), path)
    assert path.read_text() == "point,cluster\np,\nq,a\nr,b\ns,a\n"
    back = cd.read(path)
    assert isinstance(back, cd.Clustering)
    assert back.to_dict() == {"q": "a", "r": "b", "s": "a"}


def test_the_scorer_refuses_nulls_in_y() -> None:
    """A point of unknown truth cannot be scored, and NaN is not a cluster."""

    class Same:
        def predict(self, X: Any) -> Any:  # noqa: N803
            return np.zeros(len(X), dtype=int)

    with pytest.raises(
        cd.ArgumentError,
        match=r"`y` must hold a true cluster for every point; it has none .* for 2 points, at positions 0, 2\.",
    ):
        cd.scorer()(Same(), [[0.0]] * 3, [np.nan, 1.0, np.nan])


@cases("label", [pd.Timestamp("2020-01-01"), pd.Period("2020"), pd.Interval(0, 1), pd.Timedelta(1)])
def test_single_values_of_pandas_are_labels(label: Any) -> None:
    """They come from the same library as a column, and are none."""
    assert cd.Clustering([label, label]).to_sets() == [{0, 1}]
    assert cd.Clustering({"p": label}).to_dict() == {"p": label}


def test_the_scorer_refuses_a_dict() -> None:
    """Its keys are points, and were taken for labels."""

    class Same:
        def predict(self, X: Any) -> Any:  # noqa: N803
            return [0, 0]

    with pytest.raises(cd.LabelError, match=r"`y` must hold one label per point .*; got dict"):
        cd.scorer()(Same(), [[0.0], [1.0]], {0: None, 1: "a"})


def test_hand_made_meets_refuse_nulls() -> None:
    """A cell lies in a cluster on either side."""
    with pytest.raises(
        cd.ArgumentError, match="`true` must name the cluster of each cell; cell 0 has a null"
    ):
        cd.Meet.from_cells([None, "a"], [1, 2], [1, 1])


def test_extremes_refuse_nulls() -> None:
    """The extremes of a clustering of which a point is unknown are unknown."""
    with pytest.raises(cd.ArgumentError, match="`true` has no label for 1 point"):
        cd.extremes([None, 0, 0, 1], "A")


def test_induced_clusterings_leave_nulls_out() -> None:
    """A point in no cluster is not among a clustering's points."""
    assert cd.lattice.induced([None, "a", "a", "b"], {1, 2}) == cd.Clustering([{1, 2}])
    with pytest.raises(cd.LabelError, match="`points` names 1 point"):
        cd.lattice.induced([None, "a", "a", "b"], {0, 1})
