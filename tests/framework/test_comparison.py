"""Comparison: tables, views, signatures; and a user's own subcomponent measures."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.measures.subcomponents import subcomponents
from clusterdiff.table import Table
from tests.conftest import random_pair

TRUE = ["a", "a", "a", "b", "b", "c"]
PRED = [1, 1, 2, 2, 2, 3]


def test_splits_and_merges_tell_what_became_of_each_cluster() -> None:
    """A row per cluster, with its parts, score and losses, costliest first."""
    diff = cd.compare(TRUE, PRED)
    first = diff.splits[0]
    assert (first.cluster, first.size, first.parts, first.largest) == ("a", 3, 2, 2)
    assert first.score == pytest.approx(2 * np.log(2) / (3 * np.log(3)))
    assert [row.cluster for row in diff.merges] == [2, 1, 3]
    assert diff.splits["cluster"].tolist()[-1] == "c"
    assert diff.splits[-1].loss == 0.0


def test_tables_become_frames_of_any_library() -> None:
    """to_frame gives pandas, polars and pyarrow tables with the same content; to_dict plain lists."""
    diff = cd.compare(TRUE, PRED)
    for table in (diff.splits, diff.merges, diff.components, diff.meet):
        frame = table.to_frame("pandas")
        assert isinstance(frame, pd.DataFrame)
        assert isinstance(table.to_frame("polars"), pl.DataFrame)
        assert isinstance(table.to_frame("pyarrow"), pa.Table)
        columns = table.to_dict()
        assert frame.to_dict("list") == columns == table.to_frame("polars").to_dict(as_series=False)
        assert columns == table.to_frame("pyarrow").to_pydict()
        json.dumps(columns)


def test_names_of_mixed_types_become_strings_in_frames() -> None:
    """A column of mixed names is exported as text; what is in no cluster stays null."""
    diff = cd.compare({"x": 1, "y": 1}, {"x": 1, "z": 1}, missing="singleton")
    for library in ("pandas", "polars", "pyarrow"):
        column = diff.merges.to_frame(library)["cluster"]
        assert {
            None if x != x else x for x in getattr(column, "to_list", getattr(column, "to_pylist", None))()
        } == {1, None}
    mixed = Table({"cluster": np.array([1, "a", None], dtype=object)})
    assert mixed.to_frame("polars")["cluster"].to_list() == ["1", "a", None]


def test_views_for_people_are_short_and_escaped() -> None:
    """repr says the score and where it went; the notebook view escapes labels."""
    hostile = "<script>alert(1)</script>"
    diff = cd.compare([hostile, hostile, "b"], [1, 2, 2])
    text = repr(diff)
    assert text.startswith("S_H = ")
    assert "to splits" in text
    assert diff.signature in text
    for view in (diff, diff.components, diff.splits, diff.meet):
        page = view._repr_html_()
        assert "<script>" not in page
    assert "&lt;script&gt;" in diff._repr_html_()
    assert "\x1b" not in repr(cd.compare(["\x1b[31m", "b"], [1, 1]).splits)
    assert "… 90 more rows" in repr(cd.compare(range(100), range(100)).splits)


def test_the_signature_tells_numbers_apart() -> None:
    """It holds n, the policies with what they touched, the weights and the version."""
    assert cd.compare(TRUE, PRED).signature == f"S_H|n:6|missing:error|noise:-|weights:-|v:{cd.__version__}"
    weighted = cd.compare(TRUE, PRED, weights=[1, 2, 3, 4, 5, 6])
    assert "|weights:sum=21|" in weighted.signature


def test_to_dict_is_plain_and_complete() -> None:
    """Everything the shell prints as JSON, with plain values only."""
    diff = cd.compare(TRUE, PRED)
    data = json.loads(json.dumps(diff.to_dict(["S_H", "VI"], top=1)))
    assert data["n"] == 6
    assert data["clusters"] == {"true": 3, "pred": 3}
    assert data["scores"] == {"S_H": diff.score(), "VI": diff.score("VI")}
    assert data["loss"] == diff.loss._asdict()
    assert data["kinds"] == {"same": 1, "split": 0, "merge": 0, "mixed": 1}
    (component,) = data["components"]
    assert component["true"] == ["a", "b"]
    assert component["pred"] == [1, 2]
    assert component["kind"] == "mixed"
    assert len(diff.to_dict(top=None)["components"]) == 2


def test_own_subcomponent_measures_in_all_three_forms() -> None:
    """A function of sizes, of members, or of the meet gives the same score as the built-in it imitates."""
    true, pred = random_pair(80, 9, 2)
    diff = cd.compare(true, pred)
    asked: list[int] = []

    def by_sizes(sizes: np.ndarray) -> float:
        whole = sizes.sum()
        return (sizes.max() - 1) / (whole - 1) if whole > 1 else 1.0

    def by_members(members: list[np.ndarray]) -> float:
        whole = [int(i) for part in members for i in part]
        assert 1 in (len(set(true[whole].tolist())), len(set(pred[whole].tolist())))
        asked.append(len(whole))
        return by_sizes(np.array([len(part) for part in members]))

    def whole(meet: cd.Meet) -> np.ndarray:
        return subcomponents["largest"].function(meet)

    expected = diff.score("S*(largest)")
    for own in (by_sizes, by_members, cd.subcomponent(whole, takes="meet")):
        assert diff.score(cd.split_merge(own)) == pytest.approx(expected, abs=1e-12)
    # Every cluster of either side is shown once, with all its points.
    assert sorted(asked) == sorted([*diff.meet.true_size.tolist(), *diff.meet.pred_size.tolist()])
    assert cd.split_merge(by_sizes).name == "S(by_sizes, product)"


def test_a_registered_subcomponent_measure_can_be_named() -> None:
    """Put into `subcomponents`, a user's own s works in the measure syntax."""
    cd.subcomponents["kept"] = cd.subcomponent(lambda sizes: sizes.max() / sizes.sum(), name="kept")
    try:
        diff = cd.compare(TRUE, PRED)
        assert diff.score("S'(kept)") == pytest.approx(diff.score("N"), abs=1e-12)
    finally:
        del cd.subcomponents["kept"]


def test_k_is_an_instance_of_the_mean() -> None:
    """S' with 1 − H/log k is K (section 4.4 has log k², which gives 1 − VI/4·log k, halfway to 1)."""
    true, pred = random_pair(100, 8, 4)
    diff = cd.compare(true, pred)

    def by_entropy(sizes: np.ndarray) -> float:
        share = sizes / sizes.sum()
        return 1 + float((share * np.log(share)).sum()) / np.log(8)

    from clusterdiff.measures.subcomponents import mean

    assert diff.score(cd.split_merge(by_entropy, mean)) == pytest.approx(diff.score("K(k=8)"), abs=1e-12)


def test_scores_of_a_lone_string_and_of_the_usual() -> None:
    """scores() is always a mapping; without arguments it gives the usual measures."""
    diff = cd.compare(TRUE, PRED)
    assert diff.scores("S_H") == {"S_H": diff.score()}
    assert list(diff.scores()) == ["S_H", "S'", "R", "N", "A", "I", "nmi_max", "VI", "V"]
    assert all(type(value) is float for value in diff.scores().values())
