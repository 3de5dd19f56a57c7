"""The review speaks judgements: they leave the page, come into another's, and bring what the page promised."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.show.report import data, embed
from tests.browser.test_review import downloaded, few_measures, now, records, run, table, to_decide

__all__ = ["few_measures"]


def decided(page: Any) -> list[str]:
    if not page.locator("#decided").get_attribute("open"):
        page.evaluate("document.getElementById('decided').open = true")
    return [
        re.sub(" by .*| Undo| Put back", "", text)
        for text in page.locator("#decisions > li").all_inner_texts()
    ]


def pick(page: Any, path: Path) -> str:
    """Load a file with the page's picker; what the page says then."""
    before = page.locator("#judgements-said").inner_text()
    page.locator("#judgements-file").set_input_files(path)
    page.wait_for_function(
        "before => document.getElementById('judgements-said').textContent !== before", arg=before
    )
    return str(page.locator("#judgements-said").inner_text())


def claims(path: Path) -> list[tuple[Any, str]]:
    return [
        (one.get("groups"), one["why"].split(":")[0])
        for one in map(json.loads, path.read_text().splitlines())
    ]


def test_a_colleague_goes_on_where_one_stopped(tmp_path: Path, open_page: Any) -> None:
    """Decisions leave as judgements; a page that gets them, by picker or option, stands where the other did."""
    true, pred = records("text", "text")
    sides = [table(tmp_path / "true.csv", true), table(tmp_path / "pred.csv", pred)]
    page_file, said_file = tmp_path / "diff.html", tmp_path / "ann.jsonl"
    run("compare", *sides, "--html", page_file)
    with open_page(page_file) as page:
        page.goto(page.url + "#repairs")
        for key in "aararaaraa":
            page.keyboard.press(key)
        page.locator("#reviewer").fill("ann")
        promised, left, before = now(page), to_decide(page), decided(page)
        downloaded(page, "#as-judgements", said_file)
    said = cd.Judgements.read(said_file)
    assert said.contradictions == ()
    assert {one.by for one in said} == {"ann"}
    # What was accepted and what was rejected is told, and applying it brings the score of the page.
    assert cd.compare(true, said.apply(pred)).score() == pytest.approx(promised, abs=1e-12)
    assert said.judge(said.apply(pred)).violated == 0
    run("compare", *sides, "--html", tmp_path / "bob.html", "--judgements", said_file)
    with open_page(tmp_path / "bob.html") as page:
        page.goto(page.url + "#repairs")
        assert now(page) == pytest.approx(promised, abs=1e-12)
        assert to_decide(page) == left
        assert sorted(decided(page)) == sorted(before)
        # Dates are moments there, too: half past nine in Berlin is before eight in UTC, so that x contradicts y.
        lines = [("x", "2026-11-02T09:30+02:00", [["a", "b"]]), ("x", "2026-11-02T08:00", [["a"], ["b"]])]
        lines += [("y", "2026-11-01", [["a", "b"]])]
        dated = [{"by": by, "at": at, "groups": groups} for by, at, groups in lines]
        assert cd.Judgements(dated).contradictions
        (tmp_path / "dated.jsonl").write_text("".join(json.dumps(one) + "\n" for one in dated))
        assert "contradicts other judgements" in pick(page, tmp_path / "dated.jsonl")
        # Another's decision can be taken back: it is withdrawn, and proposed again.
        page.get_by_role("button", name="Put back").first.click()
        assert len(decided(page)) == len(before) - 1
        assert len(to_decide(page)) == len(left) + 1
        page.reload()
        assert len(decided(page)) == len(before) - 1
        file = downloaded(page, "#as-judgements", tmp_path / "b.jsonl")
        changed = list(map(json.loads, file.read_text().splitlines()))
        assert sum(one.get("withdrawn", False) for one in changed) == 1
        assert len(changed) == len(said)
    with open_page(page_file) as page:
        page.goto(page.url + "#repairs")
        assert "loaded" in pick(page, said_file)
        assert now(page) == pytest.approx(promised, abs=1e-12)
        assert to_decide(page) == left
        # Undo of any decision, not only the last; the rest stays as it was.
        assert sorted(decided(page)) == sorted(before)
        page.get_by_role("button", name="Undo:").first.click()
        assert now(page) < promised
        # What contradicts is not loaded.
        two = next(group for one in said for group in one.groups if len(group) > 1)[:2]
        bad = [{"id": "x1", "groups": [[point] for point in two]}, {"id": "x2", "groups": [two]}]
        (tmp_path / "bad.jsonl").write_text("\n".join(map(json.dumps, bad)))
        assert "contradicts other judgements" in pick(page, tmp_path / "bad.jsonl")
        (tmp_path / "bad.jsonl").write_text("a,b,verdict\n")
        assert "line 1 is not JSON" in pick(page, tmp_path / "bad.jsonl")
    # In the next run: what was accepted is done, what was rejected is not proposed again.
    fixed = said.apply(pred)
    cd.compare(true, fixed).report(tmp_path / "next.html", judgements=said)
    with open_page(tmp_path / "next.html") as page:
        page.goto(page.url + "#repairs")
        rejected = [text.removeprefix("rejected ") for text in before if text.startswith("rejected")]
        assert not {text.split(":")[0] for text in rejected} & {
            text.split(":")[0] for text in to_decide(page)
        }
        assert now(page) == pytest.approx(promised, abs=1e-12)


def test_what_each_decision_claims(tmp_path: Path, open_page: Any) -> None:
    """A decided repair claims what it flips and no more; the truth may cover a part of the run."""
    true = {"a": 1, "b": 1, "c": 1, "d": 2, "e": 2, "f": 3, "g": 4, "h": 4, "i": 5, "j": 5, "k": 5, "l": 6}
    pred = {
        "a": 1,
        "b": 1,
        "c": 2,
        "d": 2,
        "e": 2,
        "f": 2,
        "g": 7,
        "h": 8,
        "i": 9,
        "j": 9,
        "k": 9,
        "l": 9,
        "more": 9,
    }
    path = tmp_path / "diff.html"
    cd.compare(true, pred, missing="drop").report(path)
    accepted = [
        ([["c", "a", "b"], ["d", "e"]], "accepted"),  # a move, from two others that nothing is said about
        ([["c", "a", "b"], ["f"]], "accepted"),
    ]
    with open_page(path) as page:
        page.goto(page.url + "#repairs")
        assert page.locator("#as-patch").is_disabled()
        found = {}
        for key, verdict in (("a", "Accept"), ("r", "Reject")):
            for operation in ("move 1 point of true cluster 1", "split 9", "merge 7"):
                page.get_by_role("button", name=f"{verdict}: {operation}").first.click()
            found[key] = claims(downloaded(page, "#as-judgements", tmp_path / f"{key}.jsonl"))
            for _ in range(3):
                page.keyboard.press("u")
    sort = lambda groups: [sorted(group) for group in groups]  # noqa: E731
    assert [(sort(groups), why) for groups, why in found["a"]] == [
        *((sort(groups), why) for groups, why in accepted),
        ([["i", "j", "k"], ["l"]], "accepted"),
        ([["g", "h"]], "accepted"),
    ]
    assert [(sort(groups), why) for groups, why in found["r"]] == [
        ([["c"], ["a", "b"]], "rejected"),
        ([["i", "j", "k", "l"]], "rejected"),
        ([["g"], ["h"]], "rejected"),
    ]
    fixed = cd.Judgements.read(tmp_path / "a.jsonl").apply(pred)
    assert (
        cd.compare(true, fixed, missing="drop").score()
        == cd.compare(true, {**true, "f": 2, "d": 2, "e": 2}).score()
    )


def test_points_that_the_page_does_not_hold_are_referred_to(
    tmp_path: Path, open_page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cells stand for their points, until --expand names them; the page itself knows what it meant."""
    monkeypatch.setattr(data, "USUAL", data.USUAL._replace(points=20, names=30, cells=20, excerpt=60))
    monkeypatch.setattr(embed, "LARGE_REPAIRS", 8)
    rng = np.random.default_rng(3)
    true = rng.integers(0, 12, 600)
    pred = np.where(rng.random(600) < 0.1, rng.integers(0, 12, 600), true)
    sides = [
        table(tmp_path / f"{name}.csv", {f"r{i}": int(label) for i, label in enumerate(side)})
        for name, side in (("true", true), ("pred", pred))
    ]
    run("compare", *sides, "--html", tmp_path / "diff.html")
    with open_page(tmp_path / "diff.html") as page:
        page.goto(page.url + "#repairs")
        for key in "aaraa":
            page.keyboard.press(key)
        assert "--expand" in page.locator("#judgements-said").inner_text()
        promised, left = now(page), to_decide(page)
        file = downloaded(page, "#as-judgements", tmp_path / "refs.jsonl")
    assert any("cells" in line and "groups" not in line for line in file.read_text().splitlines())
    with pytest.raises(cd.errors.FileError, match="refers to cells"):
        cd.Judgements.read(file)
    run("judgements", "--expand", *sides, file, "--cluster", "cluster", "-o", tmp_path / "whole.jsonl")
    said = cd.Judgements.read(tmp_path / "whole.jsonl")
    named = [{f"r{i}": int(label) for i, label in enumerate(side)} for side in (true, pred)]
    assert cd.compare(named[0], said.apply(named[1])).score() == pytest.approx(promised, abs=1e-12)
    with pytest.raises(cd.errors.FileError, match="another comparison"):
        cd.Judgements.read(file, comparison=cd.compare(named[1], named[0]))
    run("compare", *sides, "--html", tmp_path / "next.html", "--judgements", tmp_path / "whole.jsonl")
    for written, loads in (("diff.html", file), ("next.html", None)):
        with open_page(tmp_path / written) as page:
            page.goto(page.url + "#repairs")
            if loads is not None:
                pick(page, loads)
            assert now(page) == pytest.approx(promised, abs=1e-12)
            assert to_decide(page) == left
