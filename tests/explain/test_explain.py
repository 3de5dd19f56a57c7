"""The explanation says what a colleague would say."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import clusterdiff as cd
from clusterdiff.cli.examples import customers
from tests.conftest import label_pairs


def test_splits_merges_and_mixtures_are_told_with_their_points() -> None:
    """Each kind of component has its sentences, naming clusters, sizes and points."""
    true = {
        **dict.fromkeys("abcdefghijkl", "A"),
        **dict.fromkeys("mn", "B"),
        **dict.fromkeys("op", "C"),
        "q": "D",
        "r": "E",
    }
    pred = {
        **dict.fromkeys("abcdefg", 1),
        **dict.fromkeys("mn", 1),
        **dict.fromkeys("hijk", 2),
        "l": 3,
        "o": 4,
        "p": 5,
        "q": 6,
        "r": 6,
    }
    stories = [" ".join(story.sentences) for story in cd.compare(true, pred).explain().stories]
    assert stories == [
        "true cluster A (12 points) was split into 3 parts; the largest, 7 points (a, b, c, d, e and 2 more), was "
        "merged with B in cluster 1; 4 points (h, i, j, k) are cluster 2; 1 point (l) is cluster 3. "
        "true cluster B (2 points: m, n) was merged with A in cluster 1.",
        "true cluster C (2 points) was split into 2 parts: 4 (1 point: o) and 5 (1 point: p).",
        "true clusters D (1 point: q) and E (1 point: r) were merged into cluster 6 (2 points).",
    ]


def test_the_overview_says_how_much_and_how_concentrated() -> None:
    """Shares lost to splits and merges, the number of components, and what the costliest make up."""
    true = np.repeat(np.arange(40), 4)
    pred = true.copy()
    pred[:60:4] += 100
    explanation = cd.compare(true, pred).explain(top=10)
    assert explanation.damaged == 15
    assert explanation.half == 8
    assert explanation.concentration == pytest.approx(10 / 15)
    assert explanation.sentences[1] == (
        "It was lost in 15 of 40 components; 8 components make up half of it, the 10 costliest 67%."
    )
    assert len(explanation.stories) == 10
    assert "100%) to splits and 0.0000 (0%) to merges" in explanation.sentences[0]


def test_two_releases_are_told_in_their_own_words() -> None:
    """`sides` replaces true and predicted throughout."""
    text = str(customers.compare().explain(sides=("old", "new")))
    assert "old cluster Maria Garcia (5 points) was split into 2 parts: " in text
    assert "true" not in text
    assert "predicted" not in text


def test_identical_clusterings_lost_nothing() -> None:
    """There is nothing to tell, and it says so."""
    explanation = cd.compare([0, 1], [0, 1]).explain()
    assert explanation.sentences == ["S_H = 1.0000: nothing was lost, the clusterings are the same."]
    assert explanation.stories == []


def test_clusterings_that_differ_are_not_called_the_same() -> None:
    """Purity is perfect after any split; it says so, and no more."""
    explanation = cd.compare([0, 0, 1], [0, 1, 2]).explain("purity")
    assert explanation.sentences == ["purity = 1.0000: correcting a single component would not improve it."]
    assert explanation.stories == []


@given(label_pairs())
def test_an_explanation_is_data_too(pair: tuple[list[int], list[int]]) -> None:
    """It turns into JSON, and its shares are those of the loss."""
    diff = cd.compare(*pair)
    explanation = diff.explain(top=1000)
    data = json.loads(json.dumps(explanation.to_dict()))
    assert data["loss"]["total"] == diff.loss.total
    assert sum(story["share"] for story in data["stories"]) == pytest.approx(1.0 if diff.loss.total else 0.0)
    assert sum(loss["total"] for loss in data["kinds"].values()) == pytest.approx(diff.loss.total)


def test_labels_that_run_from_right_to_left_leave_the_sentence_in_order() -> None:
    """They are isolated, and control characters are spelt out."""
    text = str(cd.compare(["\u05d0\u05d1"] * 2 + ["x\x1b[31m\u202e"], [1, 2, 2]).explain())
    assert "\u2068\u05d0\u05d1\u2069 (2 points)" in text
    assert "\x1b" not in text
    assert "x\\x1b[31m\\u202e" in text
