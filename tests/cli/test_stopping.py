"""Being stopped, whatever is going on: what swallows a stop is stopped again, and what clears up is left alone."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from typing import Any

import pytest

from clusterdiff.cli.stopping import AGAIN, DEAF, exit_code, stoppable, stopped
from tests.waiting import HANGS


def work(seconds: float) -> int:
    """Something that takes a while, in many steps."""
    end, steps = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        steps += 1
    return steps


def swallow_a_stop() -> None:
    """As some libraries do when they look for something optional; and go on."""
    with suppress(BaseException):
        os.kill(os.getpid(), signal.SIGINT)
        work(HANGS)
    work(HANGS)


def test_a_stop_that_a_library_swallows_comes_again() -> None:
    """And soon: the work that follows does not end by itself."""
    with pytest.raises(KeyboardInterrupt), stoppable():
        swallow_a_stop()
    assert stopped()
    assert exit_code() == 130


class Folder:
    """Something with a lot to clear up."""

    cleared = 0

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *_: Any) -> None:
        self.cleared = work(20 * AGAIN)


def stop_and_clear_up(folder: Folder, done: list[int]) -> None:
    """Stop in the middle of work that clears up after itself, and says in the end that something else went wrong."""
    try:
        with folder:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                work(HANGS)
            finally:
                done.append(work(20 * AGAIN))
    except KeyboardInterrupt:
        done.append(work(20 * AGAIN))
        raise ValueError("instead") from None


def test_clearing_up_is_left_alone() -> None:
    """In `finally`, in `with`, and where another exception has taken the place of the stop."""
    folder, done = Folder(), list[int]()
    with pytest.raises(ValueError, match="instead"), stoppable():
        stop_and_clear_up(folder, done)
    assert folder.cleared
    assert len(done) == 2
    assert 20 * AGAIN < DEAF


class ExtensionFileLoader:
    """As Python's own loader of compiled modules, in whose name it stands in the stack."""

    def exec_module(self, done: list[int]) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        done.append(work(4 * AGAIN))


def load_and_work(done: list[int]) -> None:
    """Load a module, and then work."""
    ExtensionFileLoader().exec_module(done)
    work(HANGS)


def test_compiled_modules_are_loaded_to_the_end() -> None:
    """DuckDB's aborts the process if anything is raised in the meantime."""
    done = list[int]()
    with pytest.raises(KeyboardInterrupt), stoppable():
        load_and_work(done)
    assert len(done) == 1


def test_nobody_is_watched_who_was_not_stopped() -> None:
    """Nor afterwards: the handlers of before are back."""
    before = signal.getsignal(signal.SIGINT)
    with stoppable():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before
    assert not stopped()
