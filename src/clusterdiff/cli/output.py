"""What the commands share when they print: consoles, JSON, data, tables and pictures."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.cli.streams import heard, hush, visible
from clusterdiff.errors import ArgumentError


class _Console(Console):
    """A console that text can do nothing to, and for which a closed pipe is no failure: the rest is done, unheard."""

    def on_broken_pipe(self) -> None:
        if not hush():
            raise

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed; colours are ours, and whatever else is no letter is spelt out."""
        for part in super().render(renderable, options):
            yield part if part.control else part._replace(text=visible(part.text))


class _Table(RichTable):
    """A table whose columns are as wide as what is printed in them."""

    def add_row(self, *cells: RenderableType | None, **how: Any) -> None:
        super().add_row(*map(_cell, cells), **how)


def _cell(cell: RenderableType | None) -> RenderableType | None:
    if isinstance(cell, Text) and visible(cell.plain) != cell.plain:
        return Text(visible(cell.plain), cell.style)
    return cell


def console() -> Console:
    """Standard output; plain, and wide enough, when it is not a terminal."""
    out = _Console(highlight=False)
    return out if out.is_terminal else _Console(highlight=False, width=120)


def error_console() -> Console:
    """Standard error."""
    return _Console(stderr=True, highlight=False)


def print_data(text: str) -> None:
    """Data for programs, always in UTF-8, and as they are unless a terminal shows them.

    A reader that has seen enough does not stop the rest of the work.
    """
    data = (visible(text) if sys.stdout is not None and sys.stdout.isatty() else text).encode()
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
    table = _Table(box=None, pad_edge=False, show_header=header)
    for heading in left:
        table.add_column(Text(visible(heading)))
    for heading in right:
        table.add_column(Text(visible(heading)), justify="right")
    return table
