"""What all tests share: who runs what, enumeration of clusterings and Hypothesis strategies."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Quiet on success: dots are for people who watch a terminal."""
    if report.when == "call" and report.passed and not sys.stdout.isatty():
        return "passed", "", ""
    return None


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Quiet on success: that workers are started is for people who watch a terminal, too."""
    workers = session.config.pluginmanager.getplugin("terminaldistreporter")
    if workers is not None and not sys.stdout.isatty():
        workers.write_line = lambda _: None


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Quiet on success: bindings report whatever pytest still holds when a worker ends, and nobody can act on it."""
    if hasattr(config, "workerinput"):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


#: What takes longest starts first; the rest follows in the order in which it was found.
LONGEST = ("tests/engines/test_pipeline.py", "tests/engines/test_cluster.py", "tests/browser/test_browser.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Workers take whole files (``--dist loadfile``) in the order of the tests, so that one does not end on Spark."""
    if hasattr(config, "workerinput"):
        files = [item.nodeid.partition("::")[0] for item in items]
        rank = {file: LONGEST.index(file) if file in LONGEST else len(LONGEST) for file in files}
        items.sort(key=lambda item: rank[item.nodeid.partition("::")[0]])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what this machine lacks: a quiet run shows no reasons of skipped tests, but these begin in capitals."""
    reasons = {report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())}
    for reason in sorted(reasons):
        if loud := re.fullmatch("Skipped: ([A-Z]+ [A-Z]+.*)", reason, re.DOTALL):
            terminalreporter.write_line(f"!!! {loud[1]}", yellow=True, bold=True)


#: The same examples every time, so that what passed passes again; `make fuzz` looks longer, and for others.
settings.register_profile("clusterdiff", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "clusterdiff"))


def clusterings(n: int) -> Iterator[tuple[int, ...]]:
    """Every clustering of n points, as labels numbered by first appearance (restricted growth strings)."""

    def grow(labels: tuple[int, ...], used: int) -> Iterator[tuple[int, ...]]:
        if len(labels) == n:
            yield labels
            return
        for label in range(used + 1):
            yield from grow((*labels, label), max(used, label + 1))

    yield from grow((), 0)


@st.composite
def label_pairs(draw: st.DrawFn, max_points: int = 40) -> tuple[list[int], list[int]]:
    """Two lists of labels of the same points."""
    n = draw(st.integers(1, max_points))
    labels = st.lists(st.integers(0, draw(st.integers(0, n))), min_size=n, max_size=n)
    return draw(labels), draw(labels)


def random_pair(n: int, k: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A true clustering of n points in about k clusters, and one with a fifth of the labels redrawn."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.2, rng.integers(0, k, n), true)
    return true, pred
