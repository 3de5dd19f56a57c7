"""Points in no cluster of a side, each alone there: no cluster is invented for them in anything that people read."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import clusterdiff as cd
from clusterdiff.cli import main
from clusterdiff.diff.loss import PARTS

TRUE = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": 4}
PRED = {"a": 1, "b": 1, "d": 5, "e": 5, "f": 6, "g": 6, "x": 5, "y": 6, "z": 9, "w": 9}
#: The same with noise in place of points that a side lacks.
EVERY = [*TRUE, "x", "y", "z", "w"]
NOISY = {p: TRUE.get(p, -1) for p in EVERY}, {p: PRED.get(p, -1) for p in EVERY}


def frames(sides: tuple[dict[str, int], dict[str, int]]) -> list[Any]:
    return [pd.DataFrame({"id": list(side), "cluster": list(side.values())}) for side in sides]


CASES: dict[str, Any] = {
    "missing": lambda: cd.compare(TRUE, PRED, missing="singleton"),
    "noise": lambda: cd.compare(*NOISY, noise=-1),
    "missing, in tables": lambda: cd.compare(*frames((TRUE, PRED)), missing="singleton"),
    "noise, in tables": lambda: cd.compare(*frames(NOISY), noise=-1),
    "noise, lost": lambda: cd.compare(*NOISY, noise=-1, missing="lost"),
}


@pytest.fixture(params=CASES)
def diff(request: pytest.FixtureRequest) -> cd.types.Comparison:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        return CASES[request.param]()


def test_tables_and_counts_have_the_users_clusters(diff: cd.types.Comparison) -> None:
    """Points in no cluster are one row without a cluster; the losses still add up, part by part."""
    assert diff.clusters == (4, 4)
    assert diff.to_dict()["clusters"] == {"true": 4, "pred": 4}
    assert "in 4 true and 4 predicted clusters" in repr(diff)
    assert set(diff.splits["cluster"]) == {1, 2, 3, 4, None}
    assert set(diff.merges["cluster"]) == {1, 5, 6, 9, None}
    assert len(diff.splits) == len(diff.merges) == 5
    none = next(row for row in diff.splits if row.cluster is None)
    assert (none.size, none.component) == (4, -1)
    cells = {(row.true, row.pred): row.size for row in diff.cells}
    assert cells == {
        (1, 1): 2, (2, 5): 2, (3, 6): 1, (4, 6): 1, (1, None): 1, (None, 5): 1, (None, 6): 1, (None, 9): 2
    }  # fmt: skip
    assert {row.point: (row.true, row.pred) for row in diff.by_point} == {
        p: (TRUE.get(p), PRED.get(p)) for p in EVERY
    }
    for table in (diff.splits, diff.merges, diff.cells, diff.by_point, diff.components):
        for part in PARTS:
            assert table[f"{part}_loss"].sum() == pytest.approx(getattr(diff.loss, part), abs=1e-12)
    assert {(tuple(c.true), tuple(sorted(c.pred)), c.true_clusters, c.pred_clusters) for c in diff.components} == {
        ((1,), (1,), 1, 1), ((2,), (5,), 1, 1), ((3, 4), (6,), 2, 1), ((), (9,), 0, 1)
    }  # fmt: skip


def test_the_crosswalk_is_about_real_clusters(diff: cd.types.Comparison) -> None:
    """Noise is in no cluster, as a point that one release lacks is."""
    assert set(map(tuple, diff.crosswalk)) == {
        (1, 1, "shrunk", 2, 3, 2),
        (2, 5, "grown", 2, 2, 3),
        (3, 6, "merged", 1, 1, 3),
        (4, 6, "merged", 1, 1, 3),
        (None, 9, "born", 0, 0, 2),
    }


def test_sentences_say_which_points_are_in_no_cluster(diff: cd.types.Comparison) -> None:
    """Never a cluster that is called after its point."""
    text = str(diff.explain())
    assert "missing: c" not in text
    assert "alone" not in text
    told = (
        "true cluster 1 (3 points) was split into 2 parts: 1 (2 points: a, b) and 1 point (c) in no predicted cluster.",
        "true cluster 2 (2 points: d, e) and 1 point (x) in no true cluster were merged into cluster 5 (3 points).",
        "true clusters 3 (1 point: f), 4 (1 point: g) and 1 point (y) in no true cluster were merged into cluster 6",
        "in no true cluster were merged into cluster 9 (2 points).",
    )
    if not diff.meet.uneven:
        assert all(sentence in text for sentence in told)


@pytest.mark.parametrize("case", [case for case in CASES if "noise" in case])
def test_a_patch_is_refused_where_clusters_are_not_known_as_they_are(case: str) -> None:
    """Noise is in no cluster that could be merged."""
    with pytest.raises(cd.ArgumentError, match="a patch splits and merges"):
        CASES[case]().patch()


@pytest.mark.parametrize("case", ["missing", "missing, in tables"])
def test_a_patch_adds_what_pred_lacks_and_separates_what_true_lacks(case: str) -> None:
    """What it makes of `pred` is `true`, with the other points alone; dropping them is another way."""
    found = CASES[case]().patch().apply(PRED)
    assert found == cd.Clustering([{"a", "b", "c"}, {"d", "e"}, *({point} for point in "fgxyzw")])
    assert cd.compare(TRUE, {p: PRED[p] for p in "abdefgxyzw"}, missing="drop").patch().operations


def test_a_patch_leaves_dropped_points_where_they_are() -> None:
    """Points that only `pred` has stay with the largest part of their cluster; those of `true` alone do not come."""
    pred = {"a": 1, "b": 2, "c": 2, "e": 2, "d": 3, "x": 2, "y": 9}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        diff = cd.compare({"a": 1, "b": 1, "c": 2, "e": 2, "d": 2, "z": 2}, pred, missing="drop")
    assert diff.patch().apply(pred) == cd.Clustering([{"a", "b"}, {"c", "e", "d", "x"}, {"y"}])


def test_patches_split_off_what_only_pred_has() -> None:
    """Points that `true` lacks are single there, and a patch can take them out of their clusters."""
    true = {"a": 1, "b": 1}
    pred = {"a": 1, "b": 1, "x": 1}
    diff = cd.compare(true, pred, missing="singleton")
    assert diff.patch().apply(pred) == cd.Clustering([{"a", "b"}, {"x"}])


def test_the_report_and_the_command(tmp_path: Path) -> None:
    """What is written counts the user's clusters."""
    files = []
    for name, side in (("true", TRUE), ("pred", PRED)):
        files.append(str(tmp_path / f"{name}.csv"))
        frames((side, side))[0].to_csv(files[-1], index=False)
    page = tmp_path / "page.html"
    for options in (["--json"], ["--json", "--engine", "duckdb"], ["--html", str(page)]):
        run = CliRunner().invoke(main, ["compare", *files, "--missing", "singleton", "--explain", *options])
        assert run.exit_code == 0, run.output
        assert "missing: c" not in run.output
        if "--json" in options:
            assert json.loads(run.stdout)["clusters"] == {"true": 4, "pred": 4}
        else:
            assert "11 points · 4 true clusters · 4 predicted clusters" in run.stdout
    text = page.read_text(encoding="utf-8")
    assert "True clusters <small>4</small>" in text
    assert "Predicted clusters <small>4</small>" in text
    assert "missing: c" not in text
    run = CliRunner().invoke(
        main, ["compare", "--old", files[0], "--new", files[1], "--missing", "singleton"]
    )
    assert "events: 1 merged · 1 born · 1 shrunk · 1 grown" in run.stdout


def test_documents_too() -> None:
    """Within documents points in no cluster are named by document and point."""
    key = cd.Corpus({"d": {"x": [1, 2, 3], "y": [4]}})
    diff = cd.compare(key, cd.Corpus({"d": {"p": [1, 2], "q": [9]}}), missing="singleton")
    assert diff.clusters == (2, 2)
    assert len(diff.merges) == 3
    assert "(d: 3) in no predicted cluster" in str(diff.explain())


@pytest.mark.parametrize("spread", [40, 255, 10**6])
@pytest.mark.parametrize("end", ["least", "most"])
@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "int64", "uint64"])
def test_integers_at_either_end_of_their_type_stay_what_they_are(kind: str, end: str, spread: int) -> None:
    """Close together or not, beside points that are alone."""
    bounds = np.iinfo(kind)
    spread = min(spread, int(bounds.max) - int(bounds.min))
    least = int(bounds.min) if end == "least" else int(bounds.max) - spread
    rng = np.random.default_rng(spread)
    points = np.arange(400)
    numbers = [
        [least, least + spread, *(least + int(x) for x in rng.integers(0, spread + 1, 398))] for _ in range(2)
    ]
    kept = [rng.random(400) < 0.9 for _ in numbers]
    sides = [
        pd.Series(np.array(side, dtype=object), index=points)[mask].astype(kind)
        for side, mask in zip(numbers, kept, strict=True)
    ]
    diff = cd.compare(*sides, missing="singleton")
    same = cd.compare(*(side.astype(str) for side in sides), missing="singleton")
    assert diff.score() == same.score()
    of_numbers, of_texts = (
        sorted(
            (sorted(map(str, one.true)), sorted(map(str, one.pred)), one.points) for one in found.components
        )
        for found in (diff, same)
    )
    assert of_numbers == of_texts


def test_truth_values_stay_truth_values_beside_points_that_are_alone() -> None:
    sides = [
        pd.Series(found, index=list("abcdef"))
        for found in ([True, True, False] * 2, [True, False, False] * 2)
    ]
    diff = cd.compare(sides[0].drop("f"), sides[1].drop("a"), missing="singleton")
    names = {str(name) for one in diff.components for name in (*one.true, *one.pred)}
    assert names == {"True", "False"}
