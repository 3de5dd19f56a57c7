"""A component that is too large for the page: the excerpt has what its repairs are about."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.show.report import data, judging


def page_of(diff: cd.Comparison, path: Path) -> dict[str, Any]:
    """The data of a page."""
    diff.report(path)
    text = path.read_text(encoding="utf-8")
    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', text, re.DOTALL)
    assert found
    return dict(json.loads(found[1]))


@pytest.mark.parametrize("lost", [False, True])
def test_an_excerpt_has_the_cells_of_its_repairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: bool
) -> None:
    """Every repair of a large component is listed, with all its cells, though most of the component is left out."""
    rng = np.random.default_rng(0)
    true, pred = (dict(enumerate(rng.integers(0, 40, 400).tolist())) for _ in range(2))
    if lost:
        for point in range(0, 400, 9):
            del (true if point % 2 else pred)[point]
    diff = cd.compare(true, pred, missing="lost") if lost else cd.compare(true, pred)
    assert len(diff.components) == 1
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(cells=50, excerpt=60))
    page = page_of(diff, tmp_path / "diff.html")
    (component,) = page["components"]
    assert not component["whole"]
    assert len(component["cells"]) < component["counts"][2]
    best = diff.repairs()[:60]
    assert [repair["sentence"] for repair in page["repairs"]] == [
        sentence if len(sentence := repair.describe()) <= 400 else sentence[:399] + "…" for repair in best
    ]
    for repair, entry in zip(best, page["repairs"], strict=True):
        sizes = [sum(component["cells"][cell][2] for cell in part) for part in entry["cells"]]
        if repair.lost is None:
            assert sizes == repair.sizes
        names = [component["pred"][place][0] for place in entry["clusters"]]
        assert names == repair.clusters


def test_a_giant_cluster_is_not_written_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best repair splits a predicted cluster in 200 parts, which the page leaves out: it has sixty others."""
    true = np.repeat(np.arange(200), 3)
    pred = np.where(np.arange(600) % 3, true, -1)
    diff = cd.compare(true, pred)
    assert (diff.repairs()[0].operation, len(diff.repairs()[0].cells)) == ("split", 200)
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(cells=50, excerpt=60))
    page = page_of(diff, tmp_path / "diff.html")
    (component,) = page["components"]
    assert len(component["cells"]) == 120  # two for each of sixty moves, of 400
    assert page["repairs"]
    assert {repair["operation"] for repair in page["repairs"]} == {"move"}
    assert "merged with 1, 2, 3 and 196 more" in str(diff.explain(top=1))


def test_measures_by_matchings_are_left_out_of_large_tangles(monkeypatch: pytest.MonkeyPatch) -> None:
    """A best one-to-one matching takes too long there: the page says that they were not computed."""
    diff = cd.compare([0, 0, 1, 1], [0, 1, 1, 0])
    for most, left in ((4, False), (3, True)):
        monkeypatch.setattr(data, "TANGLED", most)
        page = data.Page(diff, None, {}, ("true", "predicted"), {})
        page.scores = partial(list, page.measured())
        assert ("conll" in page.left_out) is left
        assert "A" not in page.left_out


def test_judgements_have_their_share_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those about points of the page come first, whatever hangs together with them after, in the order of the file."""
    diff = cd.compare({"a": 1, "b": 1, "c": 2, "d": 3}, {"a": 1, "b": 2, "c": 3, "d": 4})
    listed = [
        {"id": "far", "groups": [["c", "d"]]},
        {"id": "chained", "groups": [["b"], ["c"]]},
        {"id": "own", "groups": [["a", "b"]]},
        {"id": "other", "groups": [["x", "y"]]},
    ]
    given = cd.Judgements(listed)
    components = [{"points": [[0, "a"], [1, "b"]], "names": {}, "cells": [[0], [1]]}]

    def held() -> tuple[list[str], int]:
        found = judging.judging(diff, given, components)
        return [one["id"] for one in found["judgements"]], found["left"]

    assert held() == (["far", "chained", "own"], 0)
    sizes = {
        one["id"]: len(json.dumps(one)) for one in judging.judging(diff, given, components)["judgements"]
    }
    monkeypatch.setattr(judging, "JUDGED", sizes["chained"] + sizes["own"])
    assert held() == (["chained", "own"], 1)
    monkeypatch.setattr(judging, "JUDGED", sizes["chained"] + sizes["own"] - 1)
    assert held() == (["own"], 2)  # of short ones there is room for more
    # Of a whole cluster nothing can be proposed: what is known of it comes later.
    components.append({"points": [[2, "x"], [3, "y"]], "names": {}, "cells": [[2]]})
    assert held() == (["own"], 3)
    monkeypatch.setattr(judging, "JUDGED", sizes["chained"] + sizes["own"])
    assert held() == (["chained", "own"], 2)
