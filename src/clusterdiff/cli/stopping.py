"""Being stopped: a signal that asks for an end gets it at once, with all cleared up and the exit code of shells."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic, sleep
from types import FrameType
from typing import Any

#: Whoever passes signals on sends them twice: so many seconds after one, no other breaks into the clearing up.
DEAF = 1.0
#: So often somebody looks whether the command is ending, once it was asked to.
LOOK = 0.025
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Stop:
    """Which signal has asked the command to end, if one has; and whether it is ``over``."""

    def __init__(self) -> None:
        self.signal = 0
        self.over = False
        self._heard = -inf
        self._watched = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        """Stop whatever is going on in the main thread."""
        now = monotonic()
        if now - self._heard >= DEAF:
            self.signal, self._heard = number, now
            if _begins_a_library(frame):
                self.insist()
                return
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, daemon=True).start()
            raise KeyboardInterrupt

    def insist(self) -> None:
        """Stop it once more, a little later: it was just then where nothing can be raised."""
        self._heard = -inf
        again = threading.Timer(0.01, _send, (self.signal,))
        again.daemon = True
        again.start()

    def _watch(self) -> None:
        """Insist if the command goes on as if nothing had been raised: some libraries take any failure for another.

        Whoever clears up does so while an exception is dealt with. What is not that, and moves on, is work.
        """
        before = None
        while not self.over:
            sleep(LOOK)
            place = _place_of_work()
            if before is not None and place not in (None, before):
                self._heard = -inf
                _send(self.signal)
                place = None
            before = place


def _begins_a_library(frame: FrameType | None) -> bool:
    """Whether a compiled module is being loaded: some abort if anything is raised before they are complete."""
    while frame is not None:
        if frame.f_code.co_qualname.startswith("ExtensionFileLoader."):
            return True
        frame = frame.f_back
    return False


def _place_of_work() -> tuple[int, int] | None:
    """Where the main thread is, unless it deals with an exception."""
    main = threading.main_thread().ident or 0
    dealt_with = sys._current_exceptions().get(main)
    frame = sys._current_frames().get(main)
    if frame is None or dealt_with not in (None, (None, None, None)):
        return None
    return id(frame), frame.f_lasti


def _send(number: int) -> None:
    """Send the main thread a signal, also if it waits for something."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)


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
    hook = sys.unraisablehook

    def unraisable(failed: Any) -> None:
        if stopped() and issubclass(failed.exc_type, KeyboardInterrupt):
            _stop.insist()
        else:
            hook(failed)

    sys.unraisablehook = unraisable
    for number in heard:
        signal.signal(number, _stop.hear)
    try:
        yield
    finally:
        _stop.over = True
        for number, handler in heard.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
