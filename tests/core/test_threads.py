"""Threads that wait for work: started once, shared by all callers, and nobody's after a fork."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

from clusterdiff import _core

TASKS = Path("/proc/self/task")
needs_proc = pytest.mark.skipif(not TASKS.exists(), reason="needs /proc")

#: Enough points for several threads, and who else there is in the process.
BEGIN = """
import os, threading
import numpy as np
from clusterdiff import _core
true = np.random.default_rng(0).integers(0, 10**4, 10**5)
def call(threads):
    os.environ["CLUSTERDIFF_THREADS"] = str(threads)
    return _core.meet(true, true[::-1]).sizes.tobytes()
def others():
    return set(os.listdir("/proc/self/task")) - before
before = set(os.listdir("/proc/self/task"))
"""


def run(script: str) -> None:
    """In a process of its own, which has to end well."""
    command = [sys.executable, "-W", "ignore", "-c", BEGIN + textwrap.dedent(script)]
    subprocess.run(command, check=True, timeout=60)


@needs_proc
def test_threads_are_started_once_and_stay() -> None:
    run("""
        call(1)
        assert not others()
        call(3)
        first = others()
        assert len(first) == 2
        for _ in range(20):
            call(3), call(2), call(1)
        assert others() == first
        call(4)
        assert others() > first and len(others()) == 3
    """)


@needs_proc
def test_signals_are_for_the_threads_of_the_program() -> None:
    run("""
        import signal, time
        def blocked(task, *numbers):
            lines = open(f"/proc/self/task/{task}/status").read().splitlines()
            mask = int(next(line.split()[1] for line in lines if line.startswith("SigBlk")), 16)
            return [bool(mask >> (number - 1) & 1) for number in numbers]
        call(3)
        for task in others():
            while any(blocked(task, signal.SIGSEGV, signal.SIGBUS)):  # a thread begins with all of them blocked
                time.sleep(0.001)
            assert all(blocked(task, signal.SIGINT, signal.SIGTERM, signal.SIGALRM))
        assert not signal.pthread_sigmask(signal.SIG_BLOCK, [])
    """)


@needs_proc
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="its allocator may be locked in the child"
)
def test_a_forked_child_starts_its_own() -> None:
    """Also one that is born while others are at work."""
    run("""
        expected = call(2)
        stop = threading.Event()
        def work():
            while not stop.is_set():
                call(2)
        busy = [threading.Thread(target=work) for _ in range(3)]
        for thread in busy:
            thread.start()
        for _ in range(20):
            if not (child := os.fork()):
                before = set(os.listdir("/proc/self/task"))
                os._exit(call(2) != expected or len(others()) != 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for thread in busy:
            thread.join()
        assert call(2) == expected
    """)


def test_many_callers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    inputs = [tuple(rng.integers(0, 10 ** (1 + i % 5), (2, 60_000))) for i in range(6)]

    def answer(i: int) -> list[bytes]:
        cells = _core.meet(*inputs[i])
        return [getattr(cells, name).tobytes() for name in ("indptr", "cols", "sizes", "pred_sizes")]

    monkeypatch.setenv("CLUSTERDIFF_THREADS", "1")
    expected = [answer(i) for i in range(6)]
    monkeypatch.setenv("CLUSTERDIFF_THREADS", "3")
    found: list[list[list[bytes]]] = [[] for _ in range(6)]

    def calls(i: int) -> None:
        found[i] += [answer(i) for _ in range(30)]

    threads = [threading.Thread(target=calls, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[i] == [expected[i]] * 30 for i in range(6))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")
def test_whoever_does_the_share_of_others_asks_for_signals_too() -> None:
    """While another caller keeps the only waiting thread busy."""
    run("""
        import signal, time
        os.environ["CLUSTERDIFF_THREADS"] = "2"
        _core.set_pause(0)
        ones = lambda n: np.broadcast_to(np.int64(1), n)
        long = threading.Thread(target=_core.stream, args=(ones(10**9), ones(10)))
        long.start()
        time.sleep(0.1)
        asked = [time.thread_time()]
        signal.signal(signal.SIGALRM, lambda *_: asked.append(time.thread_time()))
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
        _core.stream(ones(2 * 10**7), ones(10))
        signal.setitimer(signal.ITIMER_REAL, 0)
        asked.append(time.thread_time())
        assert long.is_alive()
        assert max(np.diff(asked)) < 0.4 * (asked[-1] - asked[0])
        long.join()
    """)
