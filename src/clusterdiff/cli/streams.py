"""Standard output and error: letters that they lack, and readers that have seen enough.

Nothing here needs rich, which takes longer to load than ``clusterdiff --version`` takes.
"""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager

#: Under which name the command line is kept while a command runs.
LINE = "clusterdiff.line"

#: How our own signs are spelt where a terminal has only ASCII; any other letter is written as its number.
SPELLINGS = {
    "·": "-", "…": "...", "→": "->", "×": "x", "✓": "yes", "✗": "no", "–": "-", "−": "-", "“": '"', "”": '"', "’": "'",
    "≤": "<=", "≥": ">=", "∞": "inf",
}  # fmt: skip


def _spelt(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for letters that a terminal lacks."""
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    return "".join(
        SPELLINGS.get(letter) or letter.encode("ascii", "backslashreplace").decode() for letter in letters
    ), error.end


def spell_out() -> None:
    """From now on, letters that standard output and error cannot show are spelt in those that they can."""
    codecs.register_error("clusterdiff", _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="clusterdiff")


def hush(always: bool = False) -> bool:
    """Write standard output to nowhere from now on if nobody reads it any more; whether that is so."""
    try:
        place = sys.stdout.fileno()
        poll = select.poll()
        poll.register(place, select.POLLOUT)
        closed = always or any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (AttributeError, OSError, ValueError):  # no file of the system
        return False
    if closed:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, place)
        os.close(nowhere)
    return closed


@contextmanager
def heard() -> Iterator[None]:
    """Print within; a reader of standard output that has seen enough, as head has, does not stop what follows."""
    try:
        yield
    except BrokenPipeError:
        if not hush():
            raise
