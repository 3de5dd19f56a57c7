"""A real browser: Debian's chromium, driven by Playwright, with the network off.

Where no chromium can be had these tests are skipped, and the run says so loudly; ``CLUSTERDIFF_CHROMIUM`` names the
program where it is not found, and ``CLUSTERDIFF_REQUIRE_BROWSER=1`` makes its absence a failure.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

#: The first, where there is one: the same browser without windows, which takes half the time.
PROGRAMS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
REASON = (
    "NO BROWSER TESTS: there is no chromium on this machine, so the report was not opened in a browser. "
    "Install one (apt-get install chromium-headless-shell) or name it in CLUSTERDIFF_CHROMIUM."
)


def chromium() -> str | None:
    """The browser's program, or None."""
    named = os.environ.get("CLUSTERDIFF_CHROMIUM")
    return named or next(filter(None, map(shutil.which, PROGRAMS)), None)


class Watched:
    """An open page, and everything that it complained about or asked the network for."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on(
            "dialog", lambda dialog: (self.complaints.append(f"dialog {dialog.message}"), dialog.dismiss())
        )
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        self.address = address

    def check(self) -> None:
        """Nothing went wrong, and nothing but the file was asked for."""
        assert self.complaints == []
        assert {url.partition("#")[0] for url in self.requests} == {self.address}


Open = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = chromium()
    if program is None:
        if os.environ.get("CLUSTERDIFF_REQUIRE_BROWSER"):
            pytest.fail(REASON)
        pytest.skip(REASON)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any) -> Open:
    """Open a file from disk in a fresh, offline window; at the end it must have been quiet.

    Nothing glides: every step of it would be painted, and clicks wait until it ends.
    """
    usual = {"offline": True, "reduced_motion": "reduce", "viewport": {"width": 1200, "height": 900}}

    @contextmanager
    def opened(path: Path, **options: Any) -> Iterator[Any]:
        context = browser.new_context(**usual | options)
        watched = Watched(context.new_page(), path.resolve().as_uri())
        yield watched.page
        watched.check()
        context.close()

    return opened
