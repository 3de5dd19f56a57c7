"""What the commands share when they print: consoles, JSON, data, tables and pictures."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import click
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from clusterdiff.cli.streams import heard, hush
from clusterdiff.errors import ArgumentError


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
