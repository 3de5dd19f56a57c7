"""The page of a blind review in a real browser: answers by keyboard, downloaded and estimated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.show.blind import write_page
from tests.hostile import HOSTILE


def test_answers_by_keyboard_are_downloaded_and_estimated(tmp_path: Path, open_page: Any) -> None:
    """Which side is old is nowhere to be seen; own groups are typed; a colleague continues from the file."""
    old, new = np.arange(40) // 2, np.arange(40) // 4
    plan = cd.plan(old=old, new=new, draw=6)
    assert plan.review is not None
    points = [point for one in plan.review for group in one.shown["1"] for point in group]
    columns = {point: {"name": HOSTILE[i % len(HOSTILE)]} for i, point in enumerate(points)}
    write_page(plan.review, tmp_path / "review.html", columns)
    with open_page(tmp_path / "review.html") as page:
        assert page.locator("#place").inner_text() == "1 of 6"
        text = page.locator("body").inner_text().lower()
        assert "old" not in text.split()
        page.keyboard.press("1")
        assert page.locator("#place").inner_text() == "2 of 6"
        page.keyboard.press("2")
        page.keyboard.press("u")
        page.keyboard.press("o")
        page.locator("#groups input").first.fill("9")
        page.locator("#groups input").first.press("Tab")
        assert page.locator("#done").inner_text() == "4 of 6 answered."
        page.locator("#next").click()
        page.keyboard.press("n")
        page.keyboard.press("k")
        page.keyboard.press("z")
        assert page.locator("#done").inner_text() == "4 of 6 answered."
        page.keyboard.press("1")
        with page.expect_download() as download:
            page.locator("#download").click()
        download.value.save_as(tmp_path / "back.jsonl")
    back = cd.Judgements.read(tmp_path / "back.jsonl")
    assert [one.answer for one in back] == ["1", "2", "unsure", "own", "1", None]
    assert [list(group) for group in back[0].groups] == sorted(sorted(g) for g in back[0].shown["1"])
    assert len(back[3].groups) == len(back[3].shown["1"]) + (len(back[3].shown["1"][0]) > 1)
    found = cd.estimate(old=old, new=new, judgements=back)
    assert found.answers["answered"] == 4
    with open_page(tmp_path / "review.html") as page:
        page.locator("#load").set_input_files(tmp_path / "back.jsonl")
        page.locator("#loaded", has_text="5 answers").wait_for()
        assert page.locator("#done").inner_text() == "5 of 6 answered."
        other = tmp_path / "other.jsonl"
        other.write_text(json.dumps({"review": 1, "seed": 9, "digests": []}) + "\n", encoding="utf-8")
        page.locator("#load").set_input_files(other)
        page.locator("#loaded", has_text="it is of another review").wait_for()
