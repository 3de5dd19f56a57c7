"""Being stopped: a signal that asks for an end gets it at once, with all cleared up and the exit code of shells."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import Any

#: Whoever passes signals on sends them twice: so many seconds after one, no other breaks into the clearing up.
DEAF = 1.0
SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class _Stop:
    """Which signal has asked the command to end, if one has."""

    def __init__(self) -> None:
        self.signal = 0
        self._heard = -inf

    def hear(self, number: int, _: object) -> None:
        """Stop whatever is going on in the main thread."""
        now = monotonic()
        if now - self._heard >= DEAF:
            self.signal, self._heard = number, now
            raise KeyboardInterrupt

    def insist(self) -> None:
        """Stop it once more, a little later: it was just then where nothing can be raised."""
        self._heard = -inf
        again = threading.Timer(0.01, _send, (self.signal,))
        again.daemon = True
        again.start()


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
        for number, handler in heard.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook
