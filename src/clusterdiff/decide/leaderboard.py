"""Leaderboards as text, Markdown, HTML and comma-separated values: one table of cells, written in several ways."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any, NamedTuple

from clusterdiff import notebook, views
from clusterdiff.table import Table, shown
from clusterdiff.wording import count, name

#: Rows and columns of systems that a text shows, and columns that Markdown does.
SHOWN, ACROSS, WIDE = 20, 8, 30
#: No name of a system needs more letters than this.
LONGEST = 200
#: No line below a table needs more than this.
NOTE = 2_000
#: So many notices of single systems stand under a table.
NOTICES = 5
#: Characters that a comment on a pull request may have, with room for what stands around the table.
MARKDOWN = 60_000


class Entry(NamedTuple):
    """A cell of a leaderboard."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Board:
    """A leaderboard: headings, rows of cells, how many rows are left out, and what stands under the table.

    The columns ``words`` hold words, the others numbers; ``noun`` says what a row is. ``notices`` stand where people do
    not see them as warnings.
    """

    head: list[str]
    rows: list[list[Entry]]
    left: int
    footnotes: list[str]
    notices: Sequence[str] = ()
    words: tuple[int, ...] = (1,)
    noun: str = "system"


def best_of(values: Sequence[float], similar: bool) -> float:
    """The best of some scores."""
    known = [value for value in values if not isnan(value)]
    return (max if similar else min)(known) if known else float("nan")


def number(value: float, best: float) -> Entry:
    """A score, marked if none is better."""
    return Entry("–" if isnan(value) else f"{value:.4f}", best=value == best)


def p_text(p: float | None) -> str:
    """A p-value, starred where it is below 0.05.

    >>> p_text(0.3), p_text(0.012), p_text(0.00001), p_text(None)
    ('0.300', '0.012*', '<0.001*', '')
    """
    if p is None or isnan(p):
        return ""
    return ("<0.001" if p < 0.001 else f"{p:.3f}") + ("*" if p < 0.05 else "")


class Boards:
    """What can be shown as leaderboards: as text, Markdown, LaTeX and HTML."""

    @property
    def title(self) -> str:
        """What is ranked, and by what."""
        raise NotImplementedError

    @property
    def signature(self) -> str:
        """How the numbers came about."""
        raise NotImplementedError

    def boards(self, rows: int | None = None, across: int | None = None) -> list[Board]:
        """The tables, with as many rows each, and systems side by side, at most."""
        raise NotImplementedError

    def to_markdown(self, limit: int = MARKDOWN) -> str:
        """For a page or a comment, the best in bold: under 60,000 characters, however many rows there are."""
        tables = self.boards(across=WIDE)
        return "\n".join(markdown(board, limit // len(tables)) for board in tables)

    def to_latex(self) -> str:
        """For a paper: tables for booktabs, the best in bold, each as wide and as high as a page at most."""
        from clusterdiff.decide.typesetting import latex_tables

        return latex_tables(self.boards())

    def to_html(self) -> str:
        """As a page of its own: the tables, and for systems on one data set their intervals and differences drawn."""
        return views.ranking_page(self)

    def _repr_html_(self) -> str:
        return "".join(map(html, self.boards(SHOWN, ACROSS))) + notebook.signature(self.signature)

    def to_text(self) -> str:
        """The table for a terminal."""
        return "\n\n".join(map(text, self.boards(SHOWN, ACROSS)))

    def __repr__(self) -> str:
        return self.to_text()


def some(notices: Sequence[str]) -> list[str]:
    """The first few notices of single systems or data sets, and how many there are like them.

    >>> some(["a", "b", "c", "d", "e", "f", "g"])[-1]
    '… and 2 more notices of this kind.'
    """
    left = len(notices) - NOTICES
    return [*notices[:NOTICES], *([f"… and {count(left, 'more notice')} of this kind."] if left > 0 else [])]


def more(board: Board, left: int) -> list[str]:
    """How many rows are left out, if any."""
    return [f"… and {count(left, f'more {board.noun}')}"] if left else []


def text(board: Board) -> str:
    """For a terminal."""
    rows = [[name(text) for text in board.head], *([name(cell.text) for cell in row] for row in board.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if i in board.words else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *more(board, board.left), *board.footnotes])


def markdown(board: Board, limit: int = MARKDOWN) -> str:
    """For a page or a comment: as many rows as fit into so many characters."""
    tail = "".join(f"\n{escaped(line, NOTE)}\n" for line in board.footnotes)
    lines = [
        markdown_notices(board.notices),
        _bar(map(escaped, board.head)),
        _bar("---" if i in board.words else "---:" for i in range(len(board.head))),
    ]
    room = limit - sum(map(len, lines)) - len(tail) - 100
    left = board.left + len(board.rows)
    for row in board.rows:
        line = _bar(f"**{escaped(cell.text)}**" if cell.best else escaped(cell.text) for cell in row)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
        left -= 1
    return "".join([*lines, *(f"\n{line}\n" for line in more(board, left)), tail])


def markdown_notices(notices: Sequence[str]) -> str:
    r"""What readers should know first: quoted, before anything else.

    >>> print(markdown_notices(["`true` is a sample."]), end="")
    > **Notice:** \`true\` is a sample.
    <BLANKLINE>
    """
    return "".join(f"> **Notice:** {escaped(notice, NOTE)}\n\n" for notice in notices)


def _bar(cells: Iterator[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def escaped(text: str, most: int = LONGEST) -> str:
    """Text that means nothing else in Markdown; stars and bars above all."""
    out = shown(text, most)
    for sign in "\\`*_|[]<>":
        out = out.replace(sign, f"\\{sign}")
    return out


def html(board: Board) -> str:
    """For a notebook."""
    rows = [[shown(cell.text, LONGEST) for cell in row] for row in board.rows]
    best = [(i, j) for i, row in enumerate(board.rows) for j, cell in enumerate(row) if cell.best]
    right = [i not in board.words for i in range(len(board.head))]
    quiet = (notebook.line(line, quiet=True) for line in [*more(board, board.left), *board.footnotes])
    head = [shown(text, LONGEST) for text in board.head]
    return notebook.view(
        *map(notebook.notice, board.notices), notebook.table(head, rows, right, best), *quiet
    )


def csv_text(table: Table[Any]) -> str:
    """A table as comma-separated values with all digits; what has no value is left empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in zip(*table.to_dict().values(), strict=True):
        writer.writerow("" if isinstance(value, float) and isnan(value) else value for value in row)
    return out.getvalue()
