"""The pictures of the report in docs/: the bundled example and the digits, as a browser shows them.

python examples/screens.py docs/images    (needs playwright, a chromium, and scikit-learn)
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from scipy.cluster.hierarchy import linkage
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clusterdiff as cd
from clusterdiff.cli import main as command

PROGRAMS = ("chromium", "chromium-headless-shell", "google-chrome")


def pages(folder: Path) -> None:
    """Write the reports, and the page of a sweep."""
    with contextlib.chdir(folder), contextlib.suppress(SystemExit):  # which is how a command ends
        command(["demo", "--html", "demo.html"])
    data, target = load_digits(return_X_y=True)
    diff = cd.compare(target, KMeans(10, n_init=4, random_state=0).fit_predict(data))
    diff.report(folder / "digits.html", title="Handwritten digits and k-means")
    true, pred, columns = linked(24_000)
    cd.compare(true, pred).report(folder / "many.html", attributes=columns, title="Linked records")
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(c, 0.9, (40, 2)) for c in ((0, 0), (4, 0), (0, 4), (5, 5))])
    swept = cd.sweep(np.repeat(range(4), 40), linkage(points, "average"), measures=["S_H", "ari"])
    swept.report(folder / "sweep.html", title="Average linkage of four groups of points")


def linked(n: int) -> tuple[Any, Any, dict[str, Any]]:
    """Records of people: those with an initial are split off nearly always, others seldom; some clusters are merged."""
    rng = np.random.default_rng(1)
    true = rng.integers(0, n // 3, n)
    initial = rng.random(n) < 0.05
    name = np.where(initial, "A. Silva", np.array(["Ana Silva", "Bo Chen", "Eve Berg"])[true % 3])
    pred = np.where(true % 50 == 1, true - 1, true)
    left = rng.random(n) < np.where(initial, 0.9, 0.01)
    pred[left] = n + np.arange(left.sum())
    return true, pred, {"name": name, "town": np.array(["Norwich", "Leeds", "York"])[rng.integers(0, 3, n)]}


def shoot(browser: Any, folder: Path, out: Path) -> None:
    """Take the pictures."""

    def opened(name: str, place: str = "", **options: Any) -> Any:
        page = browser.new_page(**{"viewport": {"width": 1120, "height": 900}, **options})
        page.goto((folder / f"{name}.html").as_uri() + place)
        return page

    opened("demo").screenshot(path=out / "report.png")
    opened("demo", color_scheme="dark").screenshot(path=out / "report-dark.png")
    phone = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
    opened("demo", **phone).screenshot(path=out / "report-phone.png")
    page = opened("demo", viewport={"width": 1120, "height": 2000})
    page.locator("#list .row button").first.click()
    page.locator(".detail").first.screenshot(path=out / "component.png")
    page = opened("demo", "#repairs")
    page.keyboard.press("a")
    for bar in ("nav", "#strip"):
        page.locator(bar).evaluate("(bar) => bar.remove()")
    page.locator("#review").screenshot(path=out / "review.png")
    page = opened("digits", "#heat")
    page.screenshot(path=out / "report-heat.png")
    opened("many").screenshot(path=out / "report-patterns.png")
    opened("sweep").screenshot(path=out / "sweep.png")


def main() -> None:
    """Write the reports to a folder of their own, and the pictures to the folder that is named."""
    out = Path(sys.argv[1])
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shoot(browser, Path(folder), out)
        browser.close()


if __name__ == "__main__":
    main()
