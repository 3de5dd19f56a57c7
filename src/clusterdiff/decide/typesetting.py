"""Leaderboards in LaTeX: tables for booktabs that fit a page, however many rows and columns there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from clusterdiff.decide.leaderboard import Board, Entry
from clusterdiff.table import shown
from clusterdiff.wording import latex

#: What the page of LaTeX's own article has room for: its width in points, and rows of a table below each other.
WIDTH, ROWS = 345.0, 40
#: The space around a column, and the longest name that leaves room for a column beside it, in points.
GAP, LONGEST = 12.0, 130.0
#: By how much bold letters are wider.
BOLD = 1.16


def latex_tables(boards: Iterable[Board]) -> str:
    """Tables for booktabs, the best in bold, each split so that it fits the page of an article."""
    return "\n".join(_table(part) for board in boards for part in split(board))


def _shortened(board: Board) -> Board:
    """With names that fit; those that could no longer be distinguished stay whole."""
    texts = {*board.head, *(cell.text for row in board.rows for cell in row)}
    short = {text: _short(text) for text in texts}
    alike = Counter(short.values())
    fit = {text: kept if alike[kept] == 1 else _visible(text) for text, kept in short.items()}
    rows = [[Entry(fit[cell.text], cell.best) for cell in row] for row in board.rows]
    return replace(board, head=[fit[text] for text in board.head], rows=rows)


def _visible(text: str) -> str:
    """With control characters spelt out."""
    return shown(text, len(text) * 10)


def _short(text: str) -> str:
    """A name that fits, without its middle if need be, since names differ in their beginnings and ends.

    >>> _short("kmeans"), _short("a_system_with_very_many_parameters_0.25")
    ('kmeans', 'a_system_with_…ters_0.25')
    """
    kept = _visible(text)
    most = len(kept)
    while sum(map(_wide, kept)) > LONGEST:
        most -= 1
        kept = f"{text[: most * 3 // 5]}…{text[len(text) - most * 2 // 5 :]}"
    return kept


def split(board: Board) -> Iterator[Board]:
    """Parts of a board: columns as far as they fit beside those that name a row, and forty rows each.

    Notices stand before the first part, and what stands below the table follows the last.
    """
    board = _shortened(board)
    keys = list(range(board.words[0] + 1))
    rest = range(len(keys), len(board.head))
    widths = [width(board, i) for i in range(len(board.head))]
    room = WIDTH - sum(widths[i] for i in keys)
    blocks: list[list[int]] = [[]]
    taken = 0.0
    for i in rest:
        if blocks[-1] and taken + widths[i] > room:
            blocks.append([])
            taken = 0.0
        blocks[-1].append(i)
        taken += widths[i]
    starts = range(0, max(1, len(board.rows)), ROWS)
    parts = [(start, [*keys, *block]) for start in starts for block in blocks]
    for start, columns in parts:
        first, last = ((start, columns) == parts[i] for i in (0, -1))
        yield replace(
            board,
            head=[board.head[i] for i in columns],
            rows=[[row[i] for i in columns] for row in board.rows[start : start + ROWS]],
            words=tuple(place for place, i in enumerate(columns) if i in board.words),
            footnotes=board.footnotes if last else [],
            notices=board.notices if first else (),
        )


def width(board: Board, column: int) -> float:
    """At most how wide a column is, in points of Computer Modern at ten points, with the space around it."""
    cells = [Entry(board.head[column]), *(row[column] for row in board.rows)]
    return GAP + max(sum(map(_wide, cell.text)) * (BOLD if cell.best else 1.0) for cell in cells)


def _wide(letter: str) -> float:
    if letter in "MW…":
        return 10.3
    if letter in ".,:;'|!fijlrstI ()[]-_":
        return 4.0
    if letter.isdigit() or letter == "–":
        return 5.0
    return 5.6 if letter.islower() and letter not in "mw" else 8.4


def _table(board: Board) -> str:
    aligned = "".join("l" if i in board.words else "r" for i in range(len(board.head)))
    lines = [
        *latex_notices(board.notices),
        "\\noindent",
        f"\\begin{{tabular}}{{{aligned}}}",
        "\\toprule",
        _row(map(_text, board.head)),
        "\\midrule",
    ]
    lines += [
        _row(f"\\textbf{{{_text(cell.text)}}}" if cell.best else _text(cell.text) for cell in row)
        for row in board.rows
    ]
    lines += [
        "\\bottomrule",
        "\\end{tabular}",
        *(f"% {' '.join(line.split())}" for line in board.footnotes),
    ]
    return "\n".join(lines) + "\n"


def latex_notices(notices: Iterable[str]) -> list[str]:
    """What whoever sets the table should know first, as comments.

    >>> latex_notices(["`true` is a sample."])
    ['% Notice: `true` is a sample.']
    """
    return [f"% Notice: {' '.join(_visible(notice).split())}" for notice in notices]


def _text(text: str) -> str:
    return latex(text).replace("–", "--").replace("±", "$\\pm$").replace("…", "\\ldots{}")


def _row(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"
