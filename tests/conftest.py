"""What all tests share: who runs what, enumeration of clusterings and Hypothesis strategies."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import re
import signal
import sys
import time
from collections.abc import Generator, Iterator
from itertools import cycle, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from xdist.scheduler import LoadFileScheduling

TESTS = Path(__file__).parent


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


def pytest_configure(config: pytest.Config) -> None:
    """Quiet on success: DuckDB's bindings report what pytest still holds when it ends, and nobody can act on it.

    They do so at the very end, when pytest has long given standard error back.
    """
    atexit.register(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), 2))
    # A shell has what it starts in the background ignore Ctrl-C, and so would every process that tests stop with it.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are looked for in the package alone: tests have none."""
    found = yield
    ours = file_path.is_relative_to(TESTS)
    return [one for one in found if not ours or type(one) is pytest.Module]


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """What is collected stays to the end: a tenth of the time went into looking through it for garbage."""
    gc.disable()
    try:
        import_from_the_end(session.config)
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        # Of what tests make, most is gone soon without any search.
        gc.set_threshold(10_000, 10, 10)
        gc.enable()


def import_from_the_end(config: pytest.Config) -> None:
    """Every other worker begins with the last tests: what is not compiled yet, two would compile at the same time."""
    number = int(getattr(config, "workerinput", {}).get("workerid", "gw0").removeprefix("gw"))
    if number % 2 and config.args == config.getini("testpaths"):
        for path in sorted(TESTS.rglob("test_*.py"), reverse=True):
            name = ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
            with contextlib.suppress(Exception, pytest.skip.Exception):  # who collects it tells what is wrong
                importlib.import_module(name)


#: What takes longest starts first; the rest follows in the order in which it was found.
LONGEST = ("spark", "tests/browser/test_pages.py")


def group(nodeid: str) -> str:
    """What one worker takes at a time: a file, and one of them everything on Spark.

    Most of what such a test takes is a Java machine that has just started: the one that stays is several times as
    quick.
    """
    return "spark" if re.search(r"[\[-]spark\b|/test_cluster", nodeid) else nodeid.partition("::")[0]


class Groups(LoadFileScheduling):
    """Hands groups of tests to workers, in the order of the tests."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Groups:
    """Distribute by groups."""
    return Groups(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The longest groups come first, so that one worker does not end on Spark alone; a cluster wants it warm."""
    if hasattr(config, "workerinput"):
        rank = {name: place for place, name in enumerate(LONGEST)}
        items.sort(key=lambda item: (rank.get(group(item.nodeid), len(rank)), "/test_cluster" in item.nodeid))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say what this machine lacks: a quiet run shows no reasons of skipped tests, but these begin in capitals."""
    reasons = {report.longrepr[2] for report in terminalreporter.stats.get("skipped", ())}
    for reason in sorted(reasons):
        if loud := re.fullmatch("Skipped: ([A-Z]+ [A-Z]+.*)", reason, re.DOTALL):
            terminalreporter.write_line(f"!!! {loud[1]}", yellow=True, bold=True)


#: Seconds for which properties are tried again and again, each time with other examples: `make fuzz`.
FUZZ = float(os.environ.get("CLUSTERDIFF_FUZZ", 0))
#: Otherwise the same examples every time, so that what passed passes again.
settings.register_profile("clusterdiff", deadline=None, max_examples=60 if FUZZ else 15, derandomize=not FUZZ)
settings.load_profile("clusterdiff")


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """For `make fuzz`: all tests in turn, until the time is over or one fails."""
    if not FUZZ or session.config.option.collectonly:
        return None
    end = time.monotonic() + FUZZ
    for item, following in pairwise(cycle(session.items)):
        last = time.monotonic() > end
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None if last else following)
        if session.testsfailed:
            raise session.Failed("a property does not hold")
        if last:
            return True
    return None


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
