"""cd.worsen: the paper's experiment and other ways to worsen a clustering."""

from __future__ import annotations

import csv
import io
import json
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff.files import STAGE
from clusterdiff.meet.meet import Meet
from clusterdiff.paper import series as paper_series
from clusterdiff.paper import story
from clusterdiff.paper.series import FIGURE_3, HOW
from tests.cases import cases

NAMES = [
    *FIGURE_3,
    "b3.f1",
    "b3.precision",
    "element_centric",
    "VI",
    "I",
    "S'",
    "S*(pairs)",
    "S*(largest)",
    "S'(pairs)",
    "S'(largest)",
]
labellings = st.lists(st.integers(0, 6), min_size=1, max_size=14)


@given(labellings, st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_every_step_is_scored_as_a_comparison(labels: list[int], seed: int) -> None:
    """Running totals give at each step what comparing the clustering of that step afresh gives."""
    series = cd.worsen(labels, NAMES, seed=seed)
    assert len(series) == len(series.operations) + 1
    for i, step in enumerate(series.steps.tolist()):
        diff = cd.compare(labels, series.clustering(step))
        assert diff.meet.k_pred == (series.operations["clusters"][i - 1] if i else diff.meet.k_true)
        for name, value in diff.scores(NAMES).items():
            assert series.scores[name][i] == pytest.approx(value, abs=1e-12), (name, step)


@given(labellings.filter(lambda labels: len(labels) > 1), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_s_h_falls_strictly_from_one_to_zero(labels: list[int], seed: int) -> None:
    """Exactly 1 at first, less at every step, exactly 0 at the end, for any true clustering."""
    values = cd.worsen(labels, ["S_H"], seed=seed).scores["S_H"]
    assert values[0] == 1.0
    assert values[-1] == 0.0
    assert (np.diff(values) < 0).all()


def test_the_story_behaves_as_the_papers_document() -> None:
    """⊥ at the 33rd operation; S_H to 0; R, NMI and V fall strictly but stay up; A and N have flat steps."""
    true = story.true()
    assert (len(true), len(set(true.values()))) == (60, 27)
    series = cd.worsen(true)
    assert series.operations["operation"].tolist().index("merge") == 33
    assert series.clustering(33) == cd.Clustering({point: point for point in true})
    change = {name: np.diff(values) for name, values in series.scores.items()}
    assert all((change[name] < 0).all() for name in ("S_H", "R", "nmi_max", "V"))
    assert all((change[name] <= 0).all() and (change[name] == 0).any() for name in ("A", "N"))
    assert series.scores["S_H"][-1] == 0.0
    assert all(series.scores[name][-1] > 0.3 for name in ("R", "nmi_max", "V", "A", "N"))


def test_splits_take_the_largest_cluster_and_halve_it() -> None:
    """Sizes fall from split to split, and merges at the end join true singletons two by two."""
    series = cd.worsen([0] * 9 + [1] * 5 + [2, 3, 4], seed=5)
    sizes = series.operations["size"][series.operations["operation"] == "split"]
    assert sizes.tolist() == sorted(sizes.tolist(), reverse=True)
    first = series.clustering(1)
    assert sorted(map(len, first.to_sets())) == [1, 1, 1, 4, 5, 5]
    last = series.clustering(len(series.operations))
    joined = [cluster for cluster in last.to_sets() if cluster & {14, 15, 16}]
    assert sorted(map(len, joined)) in ([2, 2], [3])


@cases("how", [how for how in HOW if how != "paper"])
def test_random_ways_worsen_and_can_be_repeated(how: str) -> None:
    """Each starts at 1, ends worse, is the same for the same seed, and its operations tell the clusters left."""
    true = np.repeat(np.arange(12), 5)
    series = cd.worsen(true, ["S_H", "R"], how=how, seed=3)
    again = cd.worsen(true, ["S_H", "R"], how=how, seed=3)
    assert series.scores["S_H"].tolist() == again.scores["S_H"].tolist()
    assert series.scores["S_H"].tolist() != cd.worsen(true, ["S_H"], how=how, seed=4).scores["S_H"].tolist()
    assert series.scores["S_H"][0] == 1.0
    assert series.scores["S_H"][-1] < 0.5
    assert series.operations["operation"][0] == {"splits": "split", "merges": "merge", "moves": "move"}.get(
        how, how
    )
    for step in series.steps[1::7].tolist():
        clustering = series.clustering(step)
        assert len(clustering.names) == series.operations["clusters"][step - 1]
        assert len(clustering) == len(true)


def test_steps_choose_how_many_are_scored() -> None:
    """The first and the last are always among them."""
    series = cd.worsen(np.repeat(np.arange(50), 4), ["S_H"], steps=10)
    assert series.steps.tolist()[0] == 0
    assert series.steps.tolist()[-1] == len(series.operations)
    assert len(series) == 11
    assert cd.worsen([0, 0, 1], ["S_H"], how="shuffle").steps.tolist() == [0, 1, 2, 3]


def test_measures_that_need_more_than_sums_work_too() -> None:
    """A function of cells and points is computed afresh at each step."""

    def singles(meet: cd.Meet) -> float:
        assert len(meet.cell_of_point) == meet.n
        return float((meet.size == 1).sum()) / meet.n

    series = cd.worsen([0, 0, 0, 1, 1, 2], [singles])
    expected = [
        float((Meet.from_labels(np.array([0, 0, 0, 1, 1, 2]), series.clustering(i).codes).size == 1).mean())
        for i in range(len(series))
    ]
    sizes = [len(cd.compare([0, 0, 0, 1, 1, 2], series.clustering(i)).meet) for i in range(len(series))]
    assert series.scores["singles"].tolist() == pytest.approx(
        [e * s / 6 for e, s in zip(expected, sizes, strict=True)]
    )


def test_ten_thousand_points_step_by_step() -> None:
    """Ten thousand steps of six measures are scored, and the last agrees with a comparison."""
    true = np.random.default_rng(0).integers(0, 3000, 10_000)
    series = cd.worsen(true)
    kinds = series.operations["operation"]
    assert len(series) == 1 + len(kinds)
    # As many splits as it takes to come from the clusters to the points.
    assert (kinds == "split").sum() == 10_000 - len(set(true.tolist()))
    end = cd.compare(true, series.clustering(len(series.operations))).scores(FIGURE_3)
    for name, value in end.items():
        assert series.scores[name][-1] == pytest.approx(value, abs=1e-12)


def test_results_as_data() -> None:
    """CSV and JSON hold the same numbers as the arrays."""
    series = cd.worsen({"x": 1, "y": 1, "z": 2}, ["S_H", "VI"], seed=1)
    rows = list(csv.DictReader(io.StringIO(series.to_csv())))
    assert [float(row["S_H"]) for row in rows] == series.scores["S_H"].tolist()
    data = json.loads(json.dumps(series.to_dict()))
    assert data["scores"]["VI"] == series.scores["VI"].tolist()
    assert data["operations"]["operation"] == series.operations["operation"].tolist()
    assert series.scores["VI"][0] == 0.0
    assert series.clustering(0) == cd.Clustering({"x": 1, "y": 1, "z": 2})


def test_arguments_are_checked() -> None:
    """Unknown ways, no steps, points without a label, and moves within a single cluster are refused."""
    with pytest.raises(cd.ArgumentError, match="`how` must be one of"):
        cd.worsen([0, 1], how="badly")
    with pytest.raises(cd.ArgumentError, match="`steps` must be a whole number of at least 1"):
        cd.worsen([0, 1], steps=0)
    with pytest.raises(cd.ArgumentError, match=r"no label for 1 point\."):
        cd.worsen([0.0, float("nan")])
    with pytest.raises(cd.ArgumentError, match="at least two clusters"):
        cd.worsen([0, 0], how="moves")
    with pytest.raises(cd.ArgumentError, match="from 0 to 2"):
        cd.worsen([0, 0, 1]).clustering(3)


def test_too_many_clusterings_are_not_recomputed_unless_somebody_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A measure that reads cells is scored at evenly spaced steps, with a notice; those that read sums at all."""
    monkeypatch.setattr(paper_series, "RECOMPUTED_POINTS", 300 * 150)
    true = np.arange(300) // 3
    told = "ceaf_e.f1 is recomputed .* 151 of 201 were scored; `steps`"
    with pytest.warns(cd.ClusterdiffWarning, match=told):
        some = cd.worsen(true, ["S_H", "ceaf_e.f1"])
    assert len(some) == 151
    assert (some.steps[0], some.steps[-1]) == (0, 200)
    whole = cd.worsen(true, ["S_H", "ceaf_e.f1"], steps=200)
    assert len(whole) == 201
    for name, values in some.scores.items():
        assert values.tolist() == whole.scores[name][some.steps].tolist()
    assert len(cd.worsen(true, ["S_H", "b3.f1", "ari"])) == 201


def test_a_long_series_tells_how_far_it_is(caplog: pytest.LogCaptureFixture) -> None:
    """Whoever listens, as the command does on a terminal, hears which clustering is being scored, not too often."""
    STAGE.addHandler(caplog.handler)
    STAGE.setLevel(logging.DEBUG)
    try:
        cd.worsen(np.arange(3000) // 3, ["S_H"])
    finally:
        STAGE.removeHandler(caplog.handler)
        STAGE.setLevel(logging.NOTSET)
    told = [record.getMessage() for record in caplog.records]
    assert told[0] == "scoring clustering 1 of 2,001"
    assert 100 < len(told) < 300
