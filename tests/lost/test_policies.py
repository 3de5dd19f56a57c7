"""missing= is obeyed by every measure: what each policy says is what doing it by hand gives."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli.main import main
from tests.cases import cases

NAMES = [name for name, m in cd.measures.items() if m.needs is None and name != "K"]


def sides(seed: int) -> tuple[dict[int, int], dict[int, int]]:
    """Two clusterings that share some of their points."""
    rng = np.random.default_rng(seed)
    while True:
        true, pred = ({p: int(rng.integers(4)) for p in range(12) if rng.random() < 0.75} for _ in range(2))
        if true.keys() & pred.keys():
            return true, pred


def outcome(diff: cd.types.Comparison, name: str) -> Any:
    try:
        return pytest.approx(diff.score(name), abs=1e-12, nan_ok=True)
    except cd.MeasureError as error:
        return error.message


@cases("seed", range(25))
def test_policies_are_what_one_would_do_by_hand(seed: int) -> None:
    """Dropped points have never been there; singletons are clusters of their own on the side that lacks them."""
    true, pred = sides(seed)
    both = true.keys() & pred.keys()
    by_hand = cd.compare({p: true[p] for p in true if p in both}, {p: pred[p] for p in pred if p in both})
    dropped = cd.compare(true, pred, missing="drop")
    alone = [
        side | {p: 100 + p for p in other if p not in side} for side, other in ((true, pred), (pred, true))
    ]
    single, given = cd.compare(*alone), cd.compare(true, pred, missing="singleton")
    for name in NAMES:
        assert dropped.score(name) == outcome(by_hand, name), name
        assert given.score(name) == outcome(single, name), name
    assert dropped.loss == pytest.approx(by_hand.loss)


@cases("name", list(cd.measures))
def test_every_measure_says_what_it_means_where_points_are_lost(name: str) -> None:
    """A number that depends on the lost points, or the reason why there is none."""
    measure = cd.measures[name]
    features = {p: [float(p)] for p in range(13)}
    diff = cd.compare({0: 0, 1: 0, 2: 1, 3: 1}, {0: 0, 1: 0, 2: 1, 12: 1}, missing="lost", features=features)
    assert measure.lost is not False
    if isinstance(measure.lost, str):
        with pytest.raises(cd.MeasureError, match="count as lost"):
            diff.score(name)
    else:
        assert np.isfinite(diff.score(name))


def test_adjusted_and_information_measures_refuse() -> None:
    """The chance model needs one set of points, and an absent point has infinite information."""
    diff = cd.compare({"a": 0, "b": 0}, {"a": 0, "c": 1}, missing="lost")
    for name in (
        "ari",
        "ami",
        "afm",
        "pairs.correlation",
        "psi",
        "nca",
        "I",
        "nmi",
        "vi",
        "V",
        "v_measure",
        "K(k=3)",
    ):
        with pytest.raises(cd.MeasureError, match="count as lost"):
            diff.score(name)
    with pytest.raises(cd.MeasureError, match="extremes"):
        diff.normalised("S_H")
    with pytest.raises(cd.MeasureError, match="its meaning there is not defined"):
        diff.score(lambda meet: float(meet.n))


# ---- what was wrong


def test_drop_reaches_b_cubed() -> None:
    """A truth that is a sample: dropping the rest gave the precision of keeping it."""
    true = {p: p // 3 for p in range(9)}
    pred = {p: p // 3 for p in range(90)}
    assert cd.compare(true, pred, missing="drop").score("b3.precision") == 1.0
    assert cd.compare(true, pred, missing="lost").score("b3.precision") == pytest.approx(0.1)


def test_documents_score_what_was_found() -> None:
    """Finding no correct mention, leaving out the singletons, and answering nothing are not rewarded."""
    key = cd.Corpus({"d": {"a": [1, 2, 3], "b": [4], "c": [5]}})
    nothing_right = cd.Corpus({"d": {"x": [11, 12, 13], "y": [14], "z": [15]}})
    assert cd.compare(key, nothing_right).score() == 0.0
    without = cd.compare(key, cd.Corpus({"d": {"a": [1, 2, 3]}}))
    assert without.score() == pytest.approx(3 / 5)
    assert without.loss == pytest.approx((0.4, 0.0, 0.0, 0.4, 0.0))
    assert cd.compare(key, cd.Corpus({"d": {}})).score() == 0.0
    assert "missing:lost(2 missing, 0 spurious)" in without.signature
    column = cd.compare({1: 0, 2: 0, 3: 1}, {1: 0, 2: 0}, documents={1: "d", 2: "d", 3: "d"})
    assert column.score() == pytest.approx(2 / 3)


@pytest.mark.parametrize("missing", ["drop", "singleton", "lost"])
def test_fates_are_about_the_clusters_as_they_were_given(missing: Any) -> None:
    """Born and vanished are those of the releases, under every policy, and no cluster is invented."""
    old, new = {"a": 1, "b": 1, "c": 2, "gone": 3}, {"a": 1, "b": 1, "c": 2, "x": 4, "y": 4}
    rows = [tuple(row) for row in cd.compare(old, new, missing=missing).crosswalk]
    assert rows == [
        (1, 1, "same", 2, 2, 2),
        (2, 2, "same", 1, 1, 1),
        (3, None, "vanished", 0, 1, 0),
        (None, 4, "born", 0, 0, 2),
    ]


def test_no_cluster_is_invented_where_points_are_lost() -> None:
    """Counts, names and kinds are of real clusters."""
    diff = cd.compare([{"a", "b"}, {"c"}], [{"a"}, {"x"}], missing="lost")
    assert (diff.meet.k_true, diff.meet.k_pred) == (2, 2)
    names = [*diff.meet.true_names.tolist(), *diff.meet.pred_names.tolist()]
    assert sorted(names) == [0, 0, 1, 1]
    assert diff.kinds == {"same": 0, "split": 0, "merge": 0, "mixed": 0, "missing": 2, "spurious": 1}
    text = str(diff.explain())
    assert "2 points were not found: b, c." in text
    assert "1 point is spurious: x." in text
    assert "1 point of true cluster 0 was not found: b." in text


# ---- notices


def test_a_policy_that_touches_many_points_says_so() -> None:
    """Once per call, as a warning and in the result; and what it does if a side has less than half of the points."""
    true, pred = dict.fromkeys(range(4), 0), dict.fromkeys(range(10), 0)
    with pytest.warns(cd.ClusterdiffWarning) as caught:
        diff = cd.compare(true, pred, missing="drop")
    assert [str(warning.message) for warning in caught] == diff.notices
    assert len(diff.notices) == 2
    assert "6 of the 10 points (60%)" in diff.notices[0]
    assert "`true` has 4 of the 10 points of `pred`" in diff.notices[1]
    assert "precision looks too high and the loss to merges too low" in diff.notices[1]
    assert Path(caught[0].filename).name == Path(__file__).name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cd.compare(dict.fromkeys(range(20), 0), dict.fromkeys(range(19), 0), missing="drop")
        # Points that count as lost are counted, and none is left out.
        cd.compare(dict.fromkeys(range(20), 0), dict.fromkeys(range(11), 0), missing="lost")
    with pytest.warns(cd.ClusterdiffWarning, match="`pred` has 9 of the 20 points of `true`"):
        cd.compare(dict.fromkeys(range(20), 0), dict.fromkeys(range(9), 0), missing="lost")


def test_the_command_prints_notices_on_standard_error(tmp_path: Path) -> None:
    """Standard output stays what it was."""
    for name, rows in (("t.csv", "a,1\nb,1\n"), ("p.csv", "a,1\nb,1\nc,1\nd,2\ne,2\n")):
        (tmp_path / name).write_text("id,cluster\n" + rows, encoding="utf-8")
    command = ["compare", str(tmp_path / "t.csv"), str(tmp_path / "p.csv"), "--missing", "lost"]
    result = CliRunner().invoke(main, command)
    assert "notice: TRUE has 2 of the 5 points of PRED" in result.stderr
    assert "to spurious points" in result.stdout
    assert "notice:" not in result.stdout


def test_tables_count_lost_points_as_memory_does() -> None:
    """A frame's points come into memory, or stay where they are if the budget is too small."""
    pd = pytest.importorskip("pandas")
    true, pred = sides(3)
    tables = [pd.DataFrame({"id": list(side), "cluster": list(side.values())}) for side in (true, pred)]
    got, expected = cd.compare(*tables, missing="lost"), cd.compare(true, pred, missing="lost")
    assert got.score() == expected.score()
    assert got.loss == expected.loss
    assert got.signature == expected.signature
    assert {row.point: row[1:] for row in got.by_point} == {row.point: row[1:] for row in expected.by_point}
    far = cd.compare(*tables, missing="lost", budget=10)
    assert far.where == "engine"
    assert far.loss == pytest.approx(expected.loss)
    assert far.score("b3.f1") == pytest.approx(expected.score("b3.f1"))


def test_the_usual_scores_are_those_that_apply() -> None:
    """What nobody asked for by name is left out where it has no meaning, and refused where somebody did."""
    diff = cd.compare({"a": 0, "b": 0, "c": 1}, {"a": 7, "c": 8}, missing="lost")
    assert diff.to_dict()["scores"] == diff.scores()
    assert {"S_H", "R", "A"} <= diff.scores().keys()
    assert "VI" not in diff.scores()
    with pytest.raises(cd.MeasureError, match="vi is not defined where a clustering lacks points"):
        diff.scores(["VI"])


def test_rules_that_there_are_not_are_refused() -> None:
    """With those that there are."""
    with pytest.raises(cd.ArgumentError, match='`missing` must be one of "error", "drop"'):
        cd.compare([0, 1], [0, 1], missing="singletons")  # type: ignore[arg-type]
