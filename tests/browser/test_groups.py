"""Groups are accepted whole: the page's score is Python's after each, and what leaves it brings that score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.show.report import data, embed
from tests.browser.test_review import downloaded, few_measures, now

__all__ = ["few_measures"]


def people(seed: int, n: int = 600) -> tuple[Any, ...]:
    """Records of which those with an initial are split off, some in pairs; some clusters are merged or tangled."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n // 4, n)
    initial = rng.random(n) < 0.2
    pred = np.where(true % 9 == 1, true - 1, true)
    left = rng.random(n) < np.where(initial, 0.9, 0.05)
    pred[left] = n + rng.integers(0, n // 5, int(left.sum()))
    points = [f"r{i}" for i in range(n)]
    names = np.where(initial, "A. Silva", "Ana Silva")
    sides = [{point: f"c{label}" for point, label in zip(points, side, strict=True)} for side in (true, pred)]
    return *sides, {point: {"name": name} for point, name in zip(points, names.tolist(), strict=True)}


def shares(page: Any) -> float:
    """What the patterns say is left, as a share of the loss."""
    told = page.locator(".shapes b.n").evaluate_all("all => all.map(one => Number(one.dataset.value))")
    return float(sum(told))


def groups_of(diff: cd.types.Comparison, attributes: Any, measure: str) -> list[Any]:
    return diff.patterns(attributes=attributes, measure=measure).groups


@pytest.mark.parametrize("measure", ["S_H", "ari"])
def test_groups_and_repairs_together_bring_what_the_page_promised(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    """Repairs, two groups and repairs again; the page holds few components, so groups leave as references."""
    monkeypatch.setattr(data, "USUAL", embed.USUAL._replace(components=12, budget=30_000))
    true, pred, attributes = people(1)
    diff = cd.compare(true, pred)
    found = groups_of(diff, attributes, measure)
    diff.report(tmp_path / "diff.html", attributes=attributes, measure=measure)
    with open_page(tmp_path / "diff.html") as page:
        page.goto(page.url + "#repairs")
        accept = page.locator("#review .accept-group")
        accept.first.click()
        assert now(page) == pytest.approx(found[0].score, abs=1e-11)
        assert shares(page) == pytest.approx(1 - found[0].share, abs=1e-9)
        page.locator("#undo").click()
        assert now(page) == pytest.approx(diff.score(measure), abs=1e-11)
        for _ in range(2):
            page.locator("#to-decide .accept").first.click()
        accept.nth(1).click()
        page.locator("#to-decide .accept").first.click()
        promised = now(page)
        assert shares(page) == pytest.approx((1 - promised) / (1 - diff.score(measure)), abs=1e-9)
        downloaded(page, "#as-judgements", tmp_path / "said.jsonl")
        accept.last.click()
        assert now(page) == pytest.approx(1, abs=1e-11)
        assert shares(page) == pytest.approx(0, abs=1e-9)
        assert page.locator(".shapes li:not(.settled)").count() == 0
        lost = page.locator("#list .row td.loss data").evaluate_all(
            "all => all.map(one => Number(one.value))"
        )
        assert max(lost) == pytest.approx(0, abs=1e-12)
        costs = page.locator("#list .row td.cost").all_inner_texts()
        assert set(costs) == (set() if measure == "S_H" else {"0.0000"})
        assert "nothing is left to fix" in page.locator("#after-review").inner_text()
        for tab, lost in (
            ("true-clusters", "#true-list td.loss data"),
            ("pred-clusters", "#pred-list td.loss data"),
            ("slices", "#slices td data"),
        ):
            page.locator(f"#tab-{tab}").click()
            assert set(page.locator(lost).all_inner_texts()) <= {"0%", "0"}
        page.locator("#tab-repairs").click()
        downloaded(page, "#as-judgements", tmp_path / "all.jsonl")
        page.reload()
        page.wait_for_function("Math.abs(document.querySelector('#score-now').dataset.value - 1) < 1e-11")
        assert page.locator("#to-decide > li").count() == 0
    for file, score in (("said.jsonl", promised), ("all.jsonl", 1)):
        lines = (tmp_path / file).read_text()
        assert '"group":' in lines
        said = cd.Judgements.read(tmp_path / file, comparison=diff, attributes=attributes)
        assert cd.compare(true, said.apply(pred)).score(measure) == pytest.approx(score, abs=1e-11)
    odd = {"group": 9, "digest": "0", "comparison": json.loads(lines.splitlines()[-1])["comparison"]}
    (tmp_path / "odd.jsonl").write_text(json.dumps(odd))
    with pytest.raises(cd.FileError, match="a group of points that this comparison does not have"):
        cd.Judgements.read(tmp_path / "odd.jsonl", comparison=diff, attributes=attributes)


@pytest.mark.parametrize("weighed", [False, True], ids=["plain", "weighed"])
def test_groups_of_lost_points(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch, weighed: bool
) -> None:
    """Missing points are added and spurious ones removed; half of the components are not on the page."""
    monkeypatch.setattr(data, "USUAL", embed.USUAL._replace(components=15, budget=60_000))
    true, pred, attributes = people(2, 300)
    for i, point in enumerate(list(true)):
        (true if i % 17 == 0 else pred if i % 13 == 0 else {}).pop(point, None)
    weights = {point: 1.0 + i % 5 for i, point in enumerate({**true, **pred})} if weighed else None
    diff = cd.compare(true, pred, missing="lost", weights=weights)
    found = groups_of(diff, attributes, "S_H")
    diff.report(tmp_path / "diff.html", attributes=attributes)
    with open_page(tmp_path / "diff.html") as page:
        page.goto(page.url + "#patterns")
        for group in found:
            page.locator("#patterns .accept-group").first.click()
            shown = page.evaluate("Number(document.getElementById('score-now').dataset.value)")
            assert shown == pytest.approx(group.score, abs=1e-11), group
