"""Every kind of label is read for what it stands for, or refused with what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import clusterdiff as cd
from tests.cases import cases

TRUE = [0, 0, 1, 1, 2]
DAYS = ["2020-01-01", "2020-01-01", "2021-01-01", "2021-01-01", "2022-01-01"]


class Dlpack:
    """An array of another library that has DLPack's interface and nothing else, as on the CPU."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Foreign:
    """An array of another library that NumPy can convert."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.array


class Elsewhere(Dlpack):
    """An array on a device that NumPy cannot read."""

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the array is on a GPU")


def dictionary(names: list[Any], codes: list[int | None]) -> Any:
    """An Arrow array of codes into a dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(names))


REPEATED = dictionary(["a", "a", "b", "c"], [0, 1, 2, 2, 3])

SAME: dict[str, Any] = {
    "an Arrow dictionary with repeats": REPEATED,
    "its chunks": pa.chunked_array([REPEATED[:2], REPEATED[2:]]),
    "pandas' Arrow dictionary": pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([REPEATED]))),
    "pandas' plain Arrow dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([dictionary(["a", "b", "c"], [0, 0, 1, 1, 2])]))
    ),
    "nullable integers": pd.array(TRUE, dtype="Int64"),
    "strings of pandas": pd.array(list("aabbc"), dtype="string"),
    "sparse": pd.arrays.SparseArray(TRUE),
    "days": pd.DatetimeIndex(DAYS),
    "periods": pd.PeriodIndex(DAYS, freq="D"),
    "spans of time": pd.to_timedelta(TRUE, unit="D"),
    "tuples": pd.MultiIndex.from_tuples([(x, x) for x in TRUE]),
    "intervals": pd.cut(TRUE, 3),
    "128 bits": pl.Series([0, 0, 1 << 70, 1 << 70, 2], dtype=pl.Int128),
    "decimals": pa.array(TRUE).cast(pa.decimal128(20, 0)),
    "DLPack": Dlpack(np.array(TRUE)),
    "foreign": Foreign(np.array(TRUE)),
}


@cases("name", SAME)
def test_labels_are_what_they_stand_for(name: str) -> None:
    """The same clusters from any library's type."""
    assert cd.score(TRUE, SAME[name]) == 1.0
    assert cd.compare(SAME[name], TRUE).score() == 1.0


WITH_NULLS: dict[str, Any] = {
    "a null in the dictionary": dictionary(["a", None, "b", "c"], [0, 0, 1, 2, 3]),
    "a null among the codes": dictionary(["a", "b", "c"], [0, 0, None, 1, 2]),
    "pandas' Arrow dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([dictionary(["a", None, "b", "c"], [0, 0, 1, 2, 3])]))
    ),
    "nullable integers": pd.array([0, 0, None, 1, 2], dtype="Int64"),
    "nullable bools": pd.array([True, True, None, False, False], dtype="boolean"),
    "days": pd.DatetimeIndex([*DAYS[:2], None, *DAYS[3:]]),
    "a category": pd.Categorical(["a", "a", None, "b", "c"]),
    "polars' category": pl.Series(["a", "a", None, "b", "c"], dtype=pl.Categorical),
    "128 bits": pl.Series([0, 0, None, 1, 2], dtype=pl.Int128),
}


@cases("name", WITH_NULLS)
def test_null_labels_are_missing_points(name: str) -> None:
    """Wherever the null stands, its point is missing and makes no cluster."""
    with pytest.raises(
        cd.LabelError, match=r"has no label \(null or NaN\) for 1 of 5 points, at position 2\."
    ):
        cd.compare(TRUE, WITH_NULLS[name])
    assert cd.compare(TRUE, WITH_NULLS[name], missing="drop").n == 4
    assert None not in cd.Clustering(WITH_NULLS[name]).names.tolist()


def test_arrays_on_a_device_say_how_to_copy_them() -> None:
    """A GPU's memory is not read behind the user's back."""
    with pytest.raises(
        cd.LabelError, match=r"the array is on a GPU\nHint: pass a NumPy array: .detach\(\).cpu"
    ):
        cd.compare(TRUE, Elsewhere(np.array(TRUE)))


def test_masked_numbers_are_refused() -> None:
    """What a mask hides is not taken for a number."""
    mask = [0, 0, 1, 0, 1]
    with pytest.raises(
        cd.ArgumentError,
        match="`weights` must be known for every point; it is masked for 2 points, at positions 2, 4",
    ):
        cd.compare(TRUE, TRUE, weights=np.ma.array([1, 2, 3, 4, 5], mask=mask))
    with pytest.raises(
        cd.ArgumentError, match="`features` must be known for every point; it is masked for 2 points"
    ):
        cd.compare(
            TRUE, TRUE, features=np.ma.array(np.ones((5, 2)), mask=np.column_stack([mask, np.zeros(5)]))
        )
    whole = np.ma.array([1, 2, 3, 4, 5])
    assert cd.compare(TRUE, TRUE, weights=whole).score() == 1.0
    with pytest.raises(
        cd.ArgumentError, match=r"`weights` must be finite and not negative; got nan at position 4\."
    ):
        cd.compare(TRUE, TRUE, weights=pd.array([1, 2, 3, 4, None], dtype="Int64"))


def test_numbers_of_other_libraries() -> None:
    """Weights and features come through DLPack too."""
    weights, features = np.arange(1.0, 6), np.arange(10.0).reshape(5, 2) ** 2
    pred = [0, 0, 1, 1, 1]
    expected = cd.compare(TRUE, pred, weights=weights, features=features)
    diff = cd.compare(TRUE, pred, weights=Dlpack(weights), features=Dlpack(features))
    assert diff.scores(["S_H", "S_MSE"]) == expected.scores(["S_H", "S_MSE"])


def test_sparse_distances() -> None:
    """Pairs that are not stored have no link; the rest is as with a dense matrix."""
    rng = np.random.default_rng(0)
    dense = np.triu(rng.uniform(size=(30, 30)) * (rng.uniform(size=(30, 30)) < 0.2), 1)
    dense += dense.T
    true, pred = rng.integers(0, 4, 30), rng.integers(0, 4, 30)
    for weights in (None, rng.uniform(size=30)):
        expected = cd.compare(true, pred, distances=dense, weights=weights).score("S*(distance)")
        for kind in (scipy.sparse.csr_array, scipy.sparse.coo_matrix):
            diff = cd.compare(true, pred, distances=kind(dense), weights=weights)
            assert diff.score("S*(distance)") == pytest.approx(expected)
    named = dict(zip(range(30), true, strict=True)), dict(zip(range(29, 4, -1), pred[:4:-1], strict=True))
    options: Any = {"missing": "drop"}
    assert cd.compare(*named, distances=scipy.sparse.csr_array(dense), **options).score(
        "S*(distance)"
    ) == pytest.approx(cd.compare(*named, distances=dense, **options).score("S*(distance)"))
    lopsided = dense.copy()
    lopsided[0, 1] += 1
    for bad, message in (
        (lopsided, "symmetric"),
        (-dense, "negative"),
        (dense[:, :9], "square"),
        (np.where(dense > 0, np.inf, 0), "finite"),
    ):
        with pytest.raises(cd.ArgumentError, match=message):
            cd.compare(true, pred, distances=scipy.sparse.csr_array(bad))


def test_fitted_models() -> None:
    """The last step of a pipeline and the best of a search stand for their labels; what keeps none says so."""
    from sklearn.cluster import KMeans
    from sklearn.mixture import GaussianMixture
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    data = rng.normal(size=(40, 2)) + np.repeat([[0, 0], [9, 9]], 20, axis=0)
    true = np.repeat(["a", "b"], 20)
    means = KMeans(2, n_init=1, random_state=0)
    assert cd.score(true, make_pipeline(StandardScaler(), means).fit(data)) == 1.0
    order = rng.permutation(40)
    search = GridSearchCV(means, {"n_clusters": [2]}, scoring=cd.scorer(), cv=2).fit(data[order], true[order])
    assert cd.score(true[order], search) == 1.0
    with pytest.raises(
        cd.LabelError,
        match=r"GaussianMixture keeps no labels .*\nHint: use its predictions: pass model.predict",
    ):
        cd.compare(true, GaussianMixture(2, random_state=0).fit(data))
    with pytest.raises(cd.LabelError, match="Pipeline of GaussianMixture keeps no labels"):
        cd.compare(true, make_pipeline(StandardScaler(), GaussianMixture(2, random_state=0)).fit(data))
    with pytest.raises(cd.LabelError, match="KMeans has not been fitted"):
        cd.compare(true, KMeans(2))
    model = KMeans(3, n_init=1, random_state=0).fit(data)
    expected = cd.compare(true, model.labels_, features=data).score("S_MSE")
    assert cd.scorer("S_MSE")(model, data, true) == pytest.approx(expected)
    frame = pd.DataFrame(data, index=order)
    assert cd.scorer("S_MSE")(
        KMeans(3, n_init=1, random_state=0).fit(frame), frame, pd.Series(true)
    ) == pytest.approx(expected)


class Number:
    """A number of another library: without a dimension, and equal to itself only."""

    ndim = 0

    def __init__(self, value: int) -> None:
        self.value = value

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("never asked for")

    def item(self) -> int:
        return self.value


def test_numbers_of_other_libraries_count_by_value() -> None:
    """list(tensor) holds tensors that hash by identity: each would be a cluster of its own."""
    numbers = [Number(x) for x in TRUE]
    assert cd.score(numbers, TRUE) == 1.0
    assert cd.score(dict(enumerate(numbers)), TRUE) == 1.0
    with pytest.raises(cd.LabelError, match="points of type Number, which compare by identity"):
        cd.compare({Number(0): 1, Number(1): 1}, {0: 1, 1: 1})


def test_clusters_of_arrays_of_other_libraries() -> None:
    """A list of arrays is a list of clusters, whatever library they come from."""

    class Members(Foreign):
        ndim = 1

        def tolist(self) -> list[Any]:
            return list(self.array.tolist())

    clusters = [Members(np.array([0, 1])), Members(np.array([2, 3])), Members(np.array([4]))]
    assert cd.score(clusters, TRUE) == 1.0


def test_annotated_data_says_where_its_labels_are() -> None:
    """AnnData holds many columns; the hint names one."""

    class Annotated:
        obs = None

    with pytest.raises(cd.LabelError, match=r'adata.obs\["leiden"\]'):
        cd.compare(Annotated(), [0, 1])
