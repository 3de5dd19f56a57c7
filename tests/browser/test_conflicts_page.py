"""The page of a merge in a real browser: conflicts decided by keyboard, exported, and merged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe

import clusterdiff as cd
from clusterdiff.show.conflicts import write_page


def test_decisions_by_keyboard_are_what_merge_takes(tmp_path: Path, open_page: Any) -> None:
    """A side, one cluster or clusters of one's own; undone, kept, downloaded, loaded again."""
    base = {f"{k}{i}": f"{k}{i // 2}" for k in "xyz" for i in range(4)}
    ours = base | {f"{k}{i}": f"{k}0" for k in "xyz" for i in range(3)}
    theirs = base | {f"{k}1": f"{k}9" for k in "xyz"}
    found = cd.merge(base, ours, theirs)
    assert [conflict.kind for conflict in found.conflicts] == ["clash"] * 3
    path = tmp_path / "merge.html"
    write_page(found, path, {"x0": {"name": "<b>Ann</b>"}})
    with open_page(path) as page:
        assert page.locator("#place").inner_text() == "1 of 3"
        assert "<b>Ann</b>" in page.locator("#versions").inner_text()
        page.keyboard.press("2")
        page.keyboard.press("m")
        page.keyboard.press("z")
        page.keyboard.press("k")
        page.keyboard.press("m")
        page.keyboard.press("o")
        page.locator("#groups input").first.fill("7")
        page.locator("#groups input").first.press("Tab")
        assert page.locator("#done").inner_text() == "3 of 3 conflicts decided."
        assert Axe().run(page).response["violations"] == []
        page.reload()
        page.locator("#done", has_text="3 of 3 conflicts decided.").wait_for()
        assert page.locator("#place").inner_text() == "3 of 3"
        with page.expect_download() as download:
            page.locator("#download").click()
        download.value.save_as(tmp_path / "decisions.json")
    decisions = json.loads((tmp_path / "decisions.json").read_text(encoding="utf-8"))
    first, second, third = (one["decision"] for one in decisions["conflicts"])
    assert (first, second) == ("ours", "merge")
    points = set(found.conflicts[2].points)
    assert {point for group in third for point in group} == points
    merged = cd.merge(base, ours, theirs, decisions=decisions)
    assert merged.clean
    groups = [set(group) & points for group in merged.clustering.to_sets()]
    assert sorted(map(sorted, third)) == sorted(sorted(group) for group in groups if group)
    with open_page(path, viewport={"width": 390, "height": 844}) as page:
        page.locator("#load").set_input_files(tmp_path / "decisions.json")
        page.locator("#loaded", has_text="3 decisions").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
