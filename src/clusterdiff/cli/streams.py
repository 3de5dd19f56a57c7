"""Standard output and error: letters that they lack, signs that they must not get, and readers that have seen enough.

Nothing here needs rich, which takes longer to load than ``clusterdiff --version`` takes.
"""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
import unicodedata
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


#: What may stand in a text though it shows nothing: breaks, what joins letters, and what keeps a name from changing the
#: order of the words around it.
HARMLESS = frozenset("\n\t\u200c\u200d\u2068\u2069")


def visible(text: str) -> str:
    r"""Text that does nothing to a terminal: what controls it, or changes the order of letters, is spelt out.

    Whatever is printed goes through here, since names of files, columns, points and words may hold anything.

    >>> print(visible("a" + chr(27) + "[2J" + chr(0x202E) + "b\n"), end="")
    a\x1b[2J\u202eb
    """
    if text.isprintable():
        return text
    return "".join(letter if _shows(letter) else letter.encode("unicode_escape").decode() for letter in text)


def _shows(letter: str) -> bool:
    kind = unicodedata.category(letter)  # half of a character is spelt when it is written
    return letter.isprintable() or letter in HARMLESS or kind in ("Zs", "Cs")


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
