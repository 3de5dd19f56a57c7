"""Waiting for what other processes do: by what they say or write, never by the clock.

Every wait blocks until the thing happens. The time limits are there for hangs alone, and far beyond what a slow
machine needs.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import queue
import select
import threading
from pathlib import Path
from typing import IO

#: Seconds after which something hangs.
HANGS = 300.0

CREATED = 0x100  # IN_CREATE of inotify(7)


class Output:
    """The lines that a process writes, read as they come."""

    def __init__(self, stream: IO[str]) -> None:
        self.seen: list[str] = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._reader.start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self._lines.put(line)
        self._lines.put(None)

    def line(self) -> str:
        """The next line."""
        try:
            line = self._lines.get(timeout=HANGS)
        except queue.Empty:
            raise TimeoutError(f"it hangs; so far it has said:\n{''.join(self.seen)}") from None
        if line is None:
            raise EOFError(f"it ended; it has said:\n{''.join(self.seen)}")
        self.seen.append(line)
        return line

    def until(self, text: str) -> str:
        """The next line that holds a text."""
        while text not in (line := self.line()):
            pass
        return line

    def end(self) -> None:
        """Read to the end."""
        with contextlib.suppress(EOFError):
            while True:
                self.line()
        self._reader.join()


def first_file(place: Path) -> Path:
    """The first file that somebody makes in a folder that somebody makes in this one (needs Linux)."""
    libc = ctypes.CDLL(None, use_errno=True)
    events = libc.inotify_init()
    try:
        while True:
            # A folder may have been made, and filled, before it was watched: so watch first, then look.
            for folder in (place, *filter(Path.is_dir, place.iterdir())):
                if libc.inotify_add_watch(events, os.fsencode(folder), CREATED) < 0:
                    raise OSError(ctypes.get_errno(), f"{folder} cannot be watched")
            if found := next(filter(Path.is_file, place.glob("*/*")), None):
                return found
            if not select.select([events], [], [], HANGS)[0]:
                raise TimeoutError(f"nobody makes a file in a folder of {place}")
            os.read(events, 1 << 16)
    finally:
        os.close(events)
