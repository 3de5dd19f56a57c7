"""Being stopped: a signal that asks for an end gets it at once, with all cleared up and the exit code of shells.

A handler that raises KeyboardInterrupt is not enough. Libraries that try something optional swallow it, and the command
would go on: an alarm raises it again until the command ends. What clears up must not be broken into: nothing is raised
where an exception is being dealt with. DuckDB aborts the process if anything is raised while its compiled module loads:
the stack is searched for the loader. ``tests/cli/test_stopping.py`` fails without any of the three.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from types import FrameType
from typing import Any

#: Whoever passes signals on sends them twice: so many seconds after one, no other breaks into the clearing up.
DEAF = 1.0
#: So often the command is stopped once more, as long as it goes on as if nothing had been raised.
AGAIN = 0.025
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Stop:
    """Which signal has asked the command to end, if one has.

    Some libraries take any failure for another, and nothing can be raised while Python collects garbage: an alarm
    therefore stops the command again and again until it ends, but for where an exception is dealt with. Whoever clears
    up does so there.
    """

    def __init__(self) -> None:
        self.signal = 0
        self._raised = -inf

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Stop whatever is going on in the main thread."""
        self.signal = number
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
        self._interrupt(frame, monotonic() - self._raised >= DEAF)

    def insist(self, _: int, frame: FrameType | None) -> None:
        """Stop it once more, unless it is clearing up."""
        self._interrupt(frame, self._raised == -inf)

    def _interrupt(self, frame: FrameType | None, at_any_rate: bool) -> None:
        if (at_any_rate or sys.exc_info()[0] is None) and not _begins_a_library(frame):
            self._raised = monotonic()
            raise KeyboardInterrupt


def _begins_a_library(frame: FrameType | None) -> bool:
    """Whether a compiled module is being loaded: some abort if anything is raised before they are complete."""
    while frame is not None:
        if frame.f_code.co_qualname.startswith("ExtensionFileLoader."):
            return True
        frame = frame.f_back
    return False


_stop = _Stop()


def stopped() -> bool:
    """Whether the command was asked to end. What it raises then means that, whatever some library made of it."""
    return bool(_stop.signal)


def exit_code() -> int:
    """What shells expect of a command that was stopped."""
    return 128 + (_stop.signal or signal.SIGINT)


@contextmanager
def stoppable() -> Iterator[None]:
    """Within, signals that ask for an end raise KeyboardInterrupt; a signal that is ignored stays ignored."""
    global _stop
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _stop = _Stop()
    before = {number: signal.getsignal(number) for number in SIGNALS}
    heard = {number: handler for number, handler in before.items() if handler not in (None, signal.SIG_IGN)}
    alarm, hook = signal.signal(signal.SIGALRM, _stop.insist), sys.unraisablehook
    signal.siginterrupt(signal.SIGALRM, False)  # what is written or read meanwhile is written and read

    def unraisable(failed: Any) -> None:
        if not (stopped() and issubclass(failed.exc_type, KeyboardInterrupt)):  # the alarm comes again
            hook(failed)

    sys.unraisablehook = unraisable
    for number in heard:
        signal.signal(number, _stop.hear)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in (heard | {signal.SIGALRM: alarm}).items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
