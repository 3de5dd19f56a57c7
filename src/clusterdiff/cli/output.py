"""What the commands share when they print: consoles, JSON, data, tables and pictures."""

from __future__ import annotations

import codecs
import io
import json
import math
import os
import select
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.errors import ArgumentError, FileError
from clusterdiff.files import replacing

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


class _Console(Console):
    """A console for which a closed pipe is no failure: the rest of the work is done, unheard."""

    def on_broken_pipe(self) -> None:
        if not hush():
            raise


def console() -> Console:
    """Standard output; plain, and wide enough, when it is not a terminal."""
    out = _Console(highlight=False)
    return out if out.is_terminal else _Console(highlight=False, width=120)


def error_console() -> Console:
    """Standard error."""
    return _Console(stderr=True, highlight=False)


def print_data(text: str) -> None:
    """Data for programs, always in UTF-8; a reader that has seen enough does not stop the rest of the work."""
    data = text.encode()
    with heard():
        click.echo(data, nl=False)


def print_json(data: Any) -> None:
    """Data for programs, strict JSON: what is not finite becomes null."""
    try:
        print_data(json_text(data) + "\n")
    except UnicodeEncodeError:  # half of a character in a label, which only JSON's escapes can hold
        print_data(json.dumps(_finite(data), indent=2, allow_nan=False) + "\n")


def json_text(data: Any) -> str:
    """The same as text."""
    return json.dumps(_finite(data), ensure_ascii=False, indent=2, allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def refuse_several(given: dict[str, bool]) -> None:
    """Raise if several ways to print the same were asked for."""
    chosen = [option for option, is_given in given.items() if is_given]
    if len(chosen) > 1:
        raise ArgumentError(f"{' and '.join(chosen)} are two ways to print the same; choose one.")


def plain_table(*left: str, right: Iterable[str] = (), header: bool = True) -> RichTable:
    """A table without lines: columns aligned left, then columns of numbers; headings are shown literally."""
    table = RichTable(box=None, pad_edge=False, show_header=header)
    for heading in left:
        table.add_column(Text(heading))
    for heading in right:
        table.add_column(Text(heading), justify="right")
    return table


def save_picture(ax: Any, path: str) -> None:
    """Write the picture that Axes are part of; the suffix says how."""
    try:
        with replacing(path) as name:
            ax.figure.savefig(name, format=Path(path).suffix[1:].lower() or None)
    except FileError:
        raise
    except ValueError as error:  # matplotlib knows which formats there are
        raise FileError(f"{path} cannot be drawn: {error}.") from None
