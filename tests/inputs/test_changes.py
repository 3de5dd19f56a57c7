"""What was passed may be changed afterwards: no answer changes with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

import clusterdiff as cd
from clusterdiff.points import data
from tests.cases import cases

N = 300


def labels(kind: str, values: np.ndarray) -> Any:
    """Labels in a container that its owner can write to."""
    match kind:
        case "list":
            return [f"c{v}" for v in values.tolist()]
        case "text":
            return np.array([f"c{v}" for v in values.tolist()])
        case "objects":
            return np.array([f"c{v}" for v in values.tolist()], dtype=object)
        case "view":
            return np.repeat(values, 2)[::2]
        case "spread":
            return values.astype(np.int64) * 10**15
        case "masked":
            return np.ma.MaskedArray(values.copy(), mask=values == 0)
        case "pandas":
            return pd.Series(values.copy())
        case _:
            return values.astype(kind)


def spoil(data: Any) -> None:
    """Change every label in place."""
    if isinstance(data, list):
        data[:] = ["spoilt"] * len(data)
    elif isinstance(data, pd.Series):
        data.iloc[:] = 0
    elif data.dtype.kind in "UO":
        data[:] = "x"
    else:
        data[:] = 0


def arrow_text(values: np.ndarray) -> tuple[Any, np.ndarray]:
    """An Arrow column of text in memory that its owner can write to, and that memory."""
    column = pa.array([f"c{v % 10}" for v in values.tolist()])
    places, text = (bytearray(part) for part in column.buffers()[1:])
    made = pa.Array.from_buffers(column.type, len(column), [None, pa.py_buffer(places), pa.py_buffer(text)])
    return made, np.frombuffer(text, np.uint8)


def read_only(values: np.ndarray) -> tuple[Any, np.ndarray]:
    """An array that cannot be written to, of memory that can."""
    memory = bytearray(values.tobytes())
    view = np.frombuffer(memory, values.dtype)
    view.flags.writeable = False
    return view, np.frombuffer(memory, values.dtype)


#: Columns of other libraries that are views of memory that somebody else can write to; and that memory.
VIEWS: dict[str, Any] = {
    "polars": lambda values: (pl.Series(values), values),
    "arrow": lambda values: (pa.array(values), values),
    "polars of arrow": lambda values: (pl.from_arrow(pa.array(values)), values),
    "arrow text": arrow_text,
    "read-only": read_only,
}


def answers(diff: cd.types.Comparison) -> list[Any]:
    """Everything that is read late."""
    return [
        diff.scores(["S_H", "ari", "A", "b3.f1"]),
        diff.true.to_dict(),
        diff.pred.to_dict(),
        [(c.true, c.pred, c.points) for c in diff.components],
        diff.by([i % 3 for i in range(N)]).to_dict(),
        diff.repairs().to_dict(),
        diff.patch().to_dict(),
        diff.events.to_dict(),
        diff.meet.cell_of_point.tolist(),
    ]


@cases(
    "kind",
    ["int64", "uint8", "list", "text", "objects", "view", "spread", "masked", "pandas"],
)
def test_changed_labels_change_nothing(kind: str) -> None:
    """Whatever is asked for the first time after the change is what it was before."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 9, N), rng.integers(0, 12, N)
    made = [labels(kind, side) for side in (true, pred)]
    expected = answers(cd.compare(*(labels(kind, side) for side in (true, pred)), missing="singleton"))
    diff = cd.compare(*made, missing="singleton")
    for side in made:
        spoil(side)
    assert answers(diff) == expected


@pytest.mark.parametrize("kind", ["int64", "pandas"])
def test_changed_labels_beside_noise_change_nothing(kind: str) -> None:
    """Clusters as they were before noise was parted are read late too."""
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 9, N), rng.integers(1, 12, N)
    expected = answers(cd.compare(labels(kind, true), labels(kind, pred), noise=0))
    made = [labels(kind, side) for side in (true, pred)]
    diff = cd.compare(*made, noise=0)
    for side in made:
        spoil(side)
    assert answers(diff) == expected


@cases("kind", VIEWS)
def test_columns_over_changed_memory_change_nothing(kind: str) -> None:
    """A column that cannot be written to itself may share its memory with an array that can."""
    rng = np.random.default_rng(2)
    sides = rng.integers(0, 9, N), rng.integers(0, 12, N)
    expected = answers(cd.compare(*(VIEWS[kind](side.copy())[0] for side in sides)))
    made, memory = zip(*(VIEWS[kind](side.copy()) for side in sides), strict=True)
    diff, clustering = cd.compare(*made), cd.Clustering(made[0])
    for part in memory:
        part[:] = part[0]
    assert answers(diff) == expected
    assert clustering == diff.true


def test_values_that_are_replaced_in_a_column_change_nothing() -> None:
    """Polars lets its users do so, and names of categories are read late."""
    column = pl.Series(["a", "b", "a"], dtype=pl.Enum(["a", "b", "c"]))
    diff = cd.compare(column, column)
    column[0] = column[1] = column[2] = "c"
    assert diff.true.to_dict() == {0: "a", 1: "b", 2: "a"}


@pytest.mark.parametrize("kind", [list, np.array])
def test_changed_names_of_points_change_nothing(kind: Any) -> None:
    """Names may also be an array."""
    names = kind(["p", "q", "r"])
    clustering = cd.Clustering([0, 0, 1], names)
    names[0] = "z"
    assert clustering.to_dict() == {"p": 0, "q": 0, "r": 1}


def test_what_nobody_can_change_is_not_copied() -> None:
    """Features may be most of what there is in memory."""
    features = np.random.default_rng(0).normal(size=(6, 2))
    view = features.view()
    view.flags.writeable = False  # but whoever has the array below can write to it
    for x in (features, view):
        diff = cd.compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], features=x)
        assert not np.shares_memory(diff.meet.features, features)
    features.flags.writeable = False
    diff = cd.compare([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], features=features)
    assert np.shares_memory(diff.meet.features, features)


def test_changed_weights_and_features_change_nothing() -> None:
    """Nor do the numbers of the points."""
    pytest.importorskip("ot")
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 4, 40), rng.integers(0, 4, 40)
    weights, features = rng.random(40), rng.normal(size=(40, 2))

    def asked(diff: cd.types.Comparison) -> list[Any]:
        return [diff.score(), diff.score("S_MSE"), diff.score("cdistance"), diff.by([0, 1] * 20).to_dict()]

    expected = asked(cd.compare(true, pred, features=features.copy()))
    diff = cd.compare(true, pred, features=features)
    features[:] = 0.0
    assert asked(diff) == expected
    heavy = cd.compare(true, pred, weights=weights)
    before = heavy.by([0, 1] * 20).to_dict(), heavy.score()
    again = cd.compare(true, pred, weights=weights)
    weights[:] = 1.0
    assert (again.by([0, 1] * 20).to_dict(), again.score()) == before


def test_labels_that_are_copied_side_by_side_are_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are many points two threads copy the labels; that changes no answer either."""
    monkeypatch.setattr("clusterdiff.points.ownership.MANY", 1)
    true, pred = np.arange(400) % 7, np.arange(400) % 5
    expected = cd.compare(true.tolist(), pred.tolist())
    diff = cd.compare(true, pred)
    true[:] = pred[:] = 0
    assert diff.components[0].points == expected.components[0].points
    assert (diff.true, diff.pred) == (expected.true, expected.pred)


@cases("kind", ["polars", "arrow", "arrow text", "pandas"])
def test_names_that_were_compared_stay(kind: str) -> None:
    """Columns of names may be views of memory that somebody else can write to."""
    values = np.arange(N)
    made, memory = (pd.Series(values), values) if kind == "pandas" else VIEWS[kind](values)
    names = made.tolist() if kind == "pandas" else made.to_pylist() if kind != "polars" else made.to_list()
    if kind == "arrow text":
        names = [f"{name}-{i}" for i, name in enumerate(names)]
        column = pa.array(names)
        places, text = (bytearray(part) for part in column.buffers()[1:])
        made = pa.Array.from_buffers(column.type, N, [None, pa.py_buffer(places), pa.py_buffer(text)])
        memory = np.frombuffer(text, np.uint8)
    frame = {"polars": pl.DataFrame, "pandas": pd.DataFrame}.get(kind, pa.table)
    left = frame({"id": made, "cluster": values % 7})
    right = frame({"id": names[::-1], "cluster": values[::-1] % 5})
    diff = cd.compare(left, right)
    memory[:] = memory[0]
    if kind == "pandas":
        left.iloc[:, 0] = 0
    assert diff.points == names
    assert diff.points[5] == names[5]


@cases("make", [np.array, csr_array])
def test_features_that_change_after_they_were_checked(monkeypatch: pytest.MonkeyPatch, make: Any) -> None:
    """What was checked is what is used: another thread that writes to them then changes no answer."""
    true, pred, values = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [[1.0], [2.0], [4.0], [9.0], [7.0]]
    expected, features = cd.compare(true, pred, features=make(values)).score("S_MSE"), make(values)
    finite = data._all_finite

    def then_change(checked: Any) -> bool:
        found = finite(checked)
        (features if make is np.array else features.data)[:] = 1e300
        return found

    monkeypatch.setattr(data, "_all_finite", then_change)
    assert cd.compare(true, pred, features=features).score("S_MSE") == expected
    monkeypatch.undo()
