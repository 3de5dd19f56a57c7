"""The short form of `make fuzz`: the same attacks every time, a few of each kind; and arguments of any kind."""

from __future__ import annotations

import json
import logging
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.decide.guard import Baseline
from tests.fuzz.attack import attack, damaged
from tests.fuzz.corpus import CORPUS

ATTACKS = 6

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=5)
    | st.binary(max_size=3)
    | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner, max_size=2)
    ),
    max_leaves=4,
)


@pytest.mark.parametrize("name", CORPUS)
def test_the_corpus_is_read(name: str, tmp_path: Path) -> None:
    """Undamaged, every file is read: attacks start from what is right."""
    path = tmp_path / name
    path.write_bytes(CORPUS[name])
    if name not in ("t.json", "u.json"):  # these hold what no clustering has, to be near to what is refused
        assert attack(path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CORPUS)
def test_damaged_files_are_read_or_refused(name: str, tmp_path: Path) -> None:
    """A clustering or an error of ours: no other exception, whatever the bytes are."""
    logging.getLogger("tifffile").setLevel(logging.CRITICAL)
    path = tmp_path / name
    outcomes = []
    for i in range(ATTACKS):
        path.write_bytes(damaged(CORPUS[name], random.Random(f"{name}/{i}")))
        outcomes.append(attack(path))
    assert not all(outcomes), "nothing was refused: are files damaged at all?"


@settings(max_examples=30)
@given(st.lists(anything, max_size=4), st.lists(anything, max_size=4))
def test_labels_are_compared_or_refused(true: list[Any], pred: list[Any]) -> None:
    """Labels of any kind, in any mixture."""
    try:
        diff = cd.compare(true, pred, missing="drop")
    except cd.ClusterdiffError:
        return
    assert 0 <= diff.score() <= 1
    assert diff.explain().to_dict()
    assert repr(diff.meet)


@given(anything)
def test_patches_are_read_or_refused(data: Any) -> None:
    """Whatever stands where a patch has its fields."""
    whole = {"format": "clusterdiff patch", "version": 2, "operations": data}
    for tried in (
        data,
        whole,
        whole | {"operations": [{"split": data, "off": data}, {"merge": data}, {"add": data, "to": data}]},
        whole | {"operations": [{"remove": data}]},
    ):
        try:
            assert len(cd.Patch.from_dict(tried).apply(["x", "x"])) >= 0
        except cd.ClusterdiffError:
            continue


node = st.integers(-1, 7) | st.floats() | anything
height = st.integers(0, 3) | st.floats()


@given(
    st.lists(st.tuples(node, node, height, st.just(2)), max_size=4) | st.tuples(anything, anything) | anything
)
def test_trees_are_swept_or_refused(tree: Any) -> None:
    """Linkages that are nearly right, and whatever else is no dendrogram."""
    swept_or_refused(tree=tree)


@given(st.lists(st.tuples(anything, anything, height), max_size=4) | st.lists(anything, max_size=4))
def test_pairs_are_swept_or_refused(pairs: Any) -> None:
    """Ends of any kind, scores that may be none, rows of any length."""
    swept_or_refused(pairs=pairs)


def swept_or_refused(**given: Any) -> None:
    """Every threshold of a tree or of pairs has a score, or there is an error of ours."""
    try:
        swept = cd.sweep([0, 0, 1, 1], missing="drop", **given)
    except cd.ClusterdiffError:
        return
    assert ((swept.scores["S_H"] >= 0) & (swept.scores["S_H"] <= 1)).all()
    assert swept.to_dict()


RANKING = cd.rank([0, 0, 1, 1], {"one": [0, 0, 1, 2]}, measures="S_H", resamples=0)
#: A value of JSON in the place of another.
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("one"),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["S_H", "scores"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(values, st.integers(0, 6))
def test_baselines_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, value: Any, place: int
) -> None:
    """Whatever stands where a baseline has its scores."""
    score, row, told = {"S_H": value}, {"system": "one", "scores": {"S_H": 0.5}}, {"signature": "n:4"}
    forms: list[Any] = [
        value,
        told | {"scores": value},
        told | {"scores": score},
        told | {"systems": value},
        told | {"systems": [value, row]},
        told | {"systems": [row | {"scores": score}, row | {"system": value}]},
        told | {"systems": [row], "data": {"d": value}},
    ]
    path = tmp_path_factory.getbasetemp() / "baseline.json"
    path.write_text(json.dumps(forms[place]))
    try:
        assert all(isinstance(change.worse, bool) for change in Baseline.read(path).changes(RANKING))
    except cd.ClusterdiffError:
        return
