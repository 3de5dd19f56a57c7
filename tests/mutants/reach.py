"""A plugin of pytest that notes which lines each test reaches: one line of JSON per test that passed.

Lines are the bits of a number for each module. Tests that were noted before are left out, so that a run which was
interrupted goes on where it ended. Other processes and code that runs when a module is imported are not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import IO, Any

import pytest

#: The rooms that are watched.
ROOMS = ("diff", "judgements", "measures", "meet", "points", "releases", "tables")
#: So many of the tests that differ in parameters alone are asked: more take longer than they find.
EACH = 1
#: Where the package is, and the file that is written.
PACKAGE, NOTES = "CLUSTERDIFF_PACKAGE", "CLUSTERDIFF_REACH"


def noted(path: Path) -> list[dict[str, Any]]:
    """What a file of notes holds so far; a last line that was cut short is not yet there."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


class Reach:
    """Traces one test after the other."""

    def __init__(self, package: str, notes: Path) -> None:
        self.package, self.watched = f"{package}/", tuple(f"{package}/{room}/" for room in ROOMS)
        self.known = {note["test"] for note in noted(notes)}
        self.notes: IO[str] = notes.open("a")
        self.lines: set[tuple[CodeType, int]] = set()
        self.mine: dict[CodeType, bool] = {}

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        mine = self.mine.get(code)
        if mine is None:
            mine = self.mine[code] = code.co_filename.startswith(self.watched)
        return self._line if mine else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "line":
            self.lines.add((frame.f_code, frame.f_lineno))
        return self._line

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """A few of each function, and only those that are not known yet."""
        functions: dict[str, list[pytest.Item]] = {}
        for item in items:
            functions.setdefault(item.nodeid.partition("[")[0], []).append(item)
        few = [part for some in functions.values() for part in some[:: -(-len(some) // EACH)]]
        items[:] = [item for item in few if item.nodeid not in self.known]

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Trace a test with what it needs."""
        self.lines, start = set(), time.monotonic()
        self.passed = False
        threading.settrace(self._call)
        sys.settrace(self._call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if self.passed:
                self._note(item.nodeid, time.monotonic() - start)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether it passed."""
        if report.when == "call":
            self.passed = report.passed

    def _note(self, test: str, seconds: float) -> None:
        masks: dict[str, int] = {}
        for code, line in self.lines:
            name = code.co_filename.removeprefix(self.package)
            masks[name] = masks.get(name, 0) | 1 << line
        reached = {name: f"{mask:x}" for name, mask in masks.items()}
        if reached:
            print(
                json.dumps({"test": test, "seconds": seconds, "reached": reached}),
                file=self.notes,
                flush=True,
            )


def pytest_configure(config: pytest.Config) -> None:
    """Watch, if the environment says what."""
    if PACKAGE in os.environ:
        config.pluginmanager.register(Reach(os.environ[PACKAGE], Path(os.environ[NOTES])), "reach")
