"""The page of a ranking in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import clusterdiff as cd
from clusterdiff.show.ranking import render
from clusterdiff.show.ranking.where import compared, losses


def test_a_ranking_draws_intervals_and_differences(tmp_path: Path, open_page: Any) -> None:
    """A dot and an interval for each system, differences from the best; for everybody, on a phone, in the dark."""
    rng = np.random.default_rng(0)
    true = np.arange(400) // 4
    runs = {
        f"<b>{share}</b>": np.where(rng.random(400) < share, rng.integers(0, 100, 400), true)
        for share in (0.05, 0.1, 0.3)
    }
    found = cd.rank(true, runs, seed=0)
    path = tmp_path / "rank.html"
    where = compared({name: losses(cd.compare(true, run)) for name, run in runs.items()})
    path.write_text(render(found, {found.names[0]: "rank.html#"}, where), encoding="utf-8")
    with open_page(path) as page:
        assert page.locator("section").first.locator("tbody tr").count() == 3
        shapes = page.locator("section").filter(has_text="Where systems differ: by shape")
        lost = np.array(
            [
                [float(text) for text in row.locator("td").all_inner_texts()]
                for row in shapes.locator("tbody tr").all()
            ]
        )
        assert lost.sum(axis=0) == pytest.approx([1 - found.score(name) for name in runs], abs=1e-3)
        assert page.locator("td a").inner_text() == found.names[0]
        dots, differences = page.locator(".dots").all()
        assert dots.locator("circle").count() == 3
        assert dots.locator(".reach").count() == 3
        assert differences.locator("circle").count() == 2
        places = [float(dot.get_attribute("cx")) for dot in dots.locator("circle").all()]
        assert places == sorted(places, reverse=True)
        assert Axe().run(page).response["violations"] == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        # Every value is in sight, with its heading beside it.
        tables = page.locator(".scroll")
        assert tables.evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
        assert page.locator("td.n .head").first.is_visible()
        page.locator("#theme").click()
        assert Axe().run(page).response["violations"] == []
