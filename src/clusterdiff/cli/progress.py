"""Progress: what a command is doing, on a terminal, once that takes longer than a second."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.text import Text

from clusterdiff.cli.output import error_console
from clusterdiff.files import STAGE

#: Whoever is done before this many seconds says nothing.
PATIENCE = 1.0


@contextmanager
def progress(first: str = "working", *, stages: bool = True) -> Iterator[Callable[[str], None]]:
    """A function that tells what is going on until the block ends; so does whatever tells its stage by itself.

    Without ``stages``, the line stays as it is: a page that reads columns on the way is still being written.
    Nothing is said where nobody watches: standard error must be a terminal. Nothing may be printed on standard output
    within the block.
    """
    out = error_console()
    if not (out.is_terminal and sys.stderr.isatty()) or out.is_dumb_terminal:
        yield lambda told: None
        return
    status = out.status(Text(f"{first} …"))

    def say(told: str) -> None:
        status.update(Text(f"{told} …"))

    handler = _Handler(say)
    timer = threading.Timer(PATIENCE, status.start)
    timer.daemon = True
    if stages:
        STAGE.addHandler(handler)
        STAGE.setLevel(logging.DEBUG)
    timer.start()
    try:
        yield say
    finally:
        timer.cancel()
        timer.join()
        status.stop()
        STAGE.removeHandler(handler)
        STAGE.setLevel(logging.NOTSET)


class _Handler(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self._say = say

    def emit(self, record: logging.LogRecord) -> None:
        self._say(record.getMessage())
