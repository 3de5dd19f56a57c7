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

from playwright.sync_api import sync_playwright
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits

import clusterdiff as cd
from clusterdiff.cli import main as command


def pages(folder: Path) -> None:
    """Write the two reports."""
    with contextlib.chdir(folder), contextlib.suppress(SystemExit):  # which is how a command ends
        command(["demo", "--html", "demo.html"])
    data, target = load_digits(return_X_y=True)
    diff = cd.compare(target, KMeans(10, n_init=4, random_state=0).fit_predict(data))
    diff.report(folder / "digits.html", title="Handwritten digits and k-means")


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
    page = opened("demo")
    page.locator("#list .row button").first.click()
    page.locator("nav").evaluate("(nav) => nav.remove()")  # it stays in sight, and in the picture
    page.locator("#list .detail").screenshot(path=out / "component.png")
    page = opened("demo", "#repairs")
    page.keyboard.press("a")
    page.locator("nav").evaluate("(nav) => nav.remove()")
    page.locator("#review").screenshot(path=out / "review.png")
    page = opened("digits", "#heat")
    page.locator("nav").evaluate("(nav) => nav.remove()")
    page.locator("#heat").screenshot(path=out / "report-heat.png")


def main() -> None:
    """Write the reports to a folder of their own, and the pictures to the folder that is named."""
    out = Path(sys.argv[1])
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        pages(Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        shoot(browser, Path(folder), out)
        browser.close()


if __name__ == "__main__":
    main()
