"""The page of a sweep in a real browser, opened from disk with the network off."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage

import clusterdiff as cd
from tests.hostile import HOSTILE


def swept() -> cd.types.Sweep:
    """Four groups that touch, and their dendrogram."""
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(c, 0.9, (40, 2)) for c in ((0, 0), (4, 0), (0, 4), (5, 5))])
    return cd.sweep(np.repeat(range(4), 40), linkage(data, "average"), measures=["S_H", "ari", "vi"])


def test_the_slider_shows_the_scores_of_each_threshold(tmp_path: Path, open_page: Any) -> None:
    """It starts at the best, moves by keyboard, and the numbers are those of the sweep."""
    made = swept()
    made.report(tmp_path / "sweep.html")
    assert (tmp_path / "sweep.html").stat().st_size < 200_000
    with open_page(tmp_path / "sweep.html") as page:
        best = made.best_place()
        assert page.locator("#now .first output").inner_text() == f"{made.scores['S_H'][best]:.4f}"
        assert page.locator("#threshold").inner_text() == f"{float(f'{made.best():.6g}'):g}"
        page.locator("#slider").focus()
        page.keyboard.press("ArrowRight")
        assert page.locator("#now .first output").inner_text() == f"{made.scores['S_H'][best + 1]:.4f}"
        assert page.locator("#now .merge output").inner_text() == f"{made.parts.merge[best + 1]:.4f}"
        page.keyboard.press("Home")
        assert page.locator("#now .split output").inner_text() == "1.0000"
        page.get_by_role("button", name="best vi").click()
        at = made.best_place("vi")
        assert page.locator("#now output").nth(2).inner_text() == f"{made.scores['vi'][at]:.4f}"
        assert page.locator("#worst tbody tr").count() == len(made.worst_merges())


def test_curves_stay_inside_their_charts(tmp_path: Path, open_page: Any) -> None:
    """Mutual information exceeds 1 and is drawn as a share; grey lines end where the chart does."""
    columns = {"r1": np.arange(160) // 4, "r2": np.arange(160) // 50}
    cd.sweep(np.repeat(range(4), 40), columns=columns, measures=["S_H", "mi"]).report(tmp_path / "sweep.html")
    with open_page(tmp_path / "sweep.html") as page:
        assert "mi (share of its largest)" in page.locator(".legend").inner_text()
        for box in page.locator("svg.chart path").evaluate_all(
            "paths => paths.map(p => [p.getBBox(), p.ownerSVGElement.viewBox.baseVal])"
            ".map(([b, v]) => [b.x, b.y, v.width - b.x - b.width, v.height - b.y - b.height])"
        ):
            assert min(box) >= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_it_all(tmp_path: Path, open_page: Any, scheme: str) -> None:
    """Nothing is wider than the screen, and the theme can be changed."""
    swept().report(tmp_path / "sweep.html")
    with open_page(
        tmp_path / "sweep.html", color_scheme=scheme, viewport={"width": 360, "height": 700}
    ) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.locator("#theme").click()
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_hostile_labels_are_text(tmp_path: Path, open_page: Any) -> None:
    """Points and clusters that look like markup are shown as they are."""
    names = list(dict.fromkeys(HOSTILE))
    # Two and two belong together; before all of them do, two and two others are linked.
    true = {name: names[-1 - i // 2] for i, name in enumerate(names)}
    right = [
        (a, b, 0.5 if i > 1 else 0.9) for i, (a, b) in enumerate(zip(names[::2], names[1::2], strict=False))
    ]
    pairs = [*right, (names[0], names[2], 0.8)]
    cd.sweep(true, pairs=pairs).report(tmp_path / "sweep.html", title=names[0])
    with open_page(tmp_path / "sweep.html") as page:
        assert page.locator("#worst tbody tr").count() > 0
