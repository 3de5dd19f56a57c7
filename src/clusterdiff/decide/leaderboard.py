"""Leaderboards as text, Markdown, LaTeX, HTML and comma-separated values: one table of cells, written five ways."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan
from typing import Any, NamedTuple

from clusterdiff.table import Table, shown
from clusterdiff.wording import count, latex

#: Systems that a text shows unless told otherwise.
SHOWN = 20
#: Characters that a comment on a pull request may have, with room for what stands around the table.
MARKDOWN = 60_000


class Cell(NamedTuple):
    """A cell of a leaderboard."""

    text: str
    best: bool = False


@dataclass(frozen=True)
class Board:
    """A leaderboard: headings, rows of cells, how many rows are left out, and what stands under the table.

    The first ``names`` columns are words, the others numbers.
    """

    head: list[str]
    rows: list[list[Cell]]
    left: int
    footnotes: list[str]
    names: int = 2


def board(ranking: Any, rows: int | None = None) -> Board:
    """The leaderboard of a ranking, or its first rows."""
    names = ranking.names[:rows]
    told = [ranking.row(name) for name in names]
    first, *others = ranking.measures
    intervals = any(row["interval"] for row in told)
    parts = ["split", "merge"]
    if any(row["loss"]["missing"] or row["loss"]["spurious"] for row in told):
        parts += ["missing", "spurious"]
    head = ["", "system", first, *(["interval"] if intervals else []), *others, *parts]
    tested = any(row["p_value"] is not None for row in told)
    best = {
        measure: best_of([row["scores"][measure] for row in told], ranking.similar(measure))
        for measure in ranking.measures
    }
    out = []
    for row in told:
        cells = [Cell(str(row["rank"])), Cell(row["system"], best=row["scores"][first] == best[first])]
        cells.append(number(row["scores"][first], best[first]))
        if intervals:
            cells.append(
                Cell(f"{row['interval'][0]:.4f}–{row['interval'][1]:.4f}" if row["interval"] else "")
            )
        cells += [number(row["scores"][measure], best[measure]) for measure in others]
        cells += [Cell(f"{row['loss'][part]:.4f}") for part in parts]
        if tested:
            cells.append(Cell(p_text(row["p_value"])))
        out.append(cells)
    return Board([*head, *(["p"] if tested else [])], out, len(ranking) - len(names), ranking.footnotes)


def best_of(values: Sequence[float], similar: bool) -> float:
    """The best of some scores."""
    known = [value for value in values if not isnan(value)]
    return (max if similar else min)(known) if known else float("nan")


def number(value: float, best: float) -> Cell:
    """A score, marked if none is better."""
    return Cell("–" if isnan(value) else f"{value:.4f}", best=value == best)


def p_text(p: float | None) -> str:
    """A p-value, starred where it is below 0.05.

    >>> p_text(0.3), p_text(0.012), p_text(0.00001), p_text(None)
    ('0.300', '0.012*', '<0.001*', '')
    """
    if p is None or isnan(p):
        return ""
    return ("<0.001" if p < 0.001 else f"{p:.3f}") + ("*" if p < 0.05 else "")


def _more(board: Board) -> str:
    return f"… and {count(board.left, 'more system')}"


def text(board: Board) -> str:
    """For a terminal."""
    rows = [board.head, *([shown(cell.text) for cell in row] for row in board.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            cell.ljust(width) if 0 < i < board.names else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, *([_more(board)] if board.left else []), *board.footnotes])


def markdown(board: Board, limit: int = MARKDOWN) -> str:
    """For a page or a comment: as many rows as fit into so many characters."""
    tail = "".join(f"\n{_safe(line)}\n" for line in board.footnotes)
    lines = [
        _bar(map(_safe, board.head)),
        _bar("---" if 0 < i < board.names else "---:" for i in range(len(board.head))),
    ]
    room = limit - sum(map(len, lines)) - len(tail) - 100
    left = board.left + len(board.rows)
    for row in board.rows:
        line = _bar(f"**{_safe(cell.text)}**" if cell.best else _safe(cell.text) for cell in row)
        room -= len(line)
        if room < 0:
            break
        lines.append(line)
        left -= 1
    more = f"\n… and {count(left, 'more system')}\n" if left else ""
    return "".join(lines) + more + tail


def _bar(cells: Iterator[str] | map[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _safe(text: str) -> str:
    """Text that means nothing else in Markdown; stars and bars above all."""
    out = shown(text, 2000)
    for sign in "\\`*_|[]<>":
        out = out.replace(sign, f"\\{sign}")
    return out


def latex_table(board: Board) -> str:
    """For a paper: booktabs, the best in bold."""
    aligned = "r" + "l" * (board.names - 1) + "r" * (len(board.head) - board.names)
    lines = [f"\\begin{{tabular}}{{{aligned}}}", "\\toprule", _row(map(latex, board.head)), "\\midrule"]
    lines += [
        _row(f"\\textbf{{{_dashes(cell.text)}}}" if cell.best else _dashes(cell.text) for cell in row)
        for row in board.rows
    ]
    lines += ["\\bottomrule", "\\end{tabular}", *(f"% {' '.join(line.split())}" for line in board.footnotes)]
    return "\n".join(lines) + "\n"


def _dashes(text: str) -> str:
    return latex(shown(text, 200)).replace("–", "--").replace("<", "$<$")


def _row(cells: Iterator[str] | map[str]) -> str:
    return " & ".join(cells) + r" \\"


def html(board: Board) -> str:
    """For a notebook."""
    head = "".join(f"<th>{escape(name)}</th>" for name in board.head)
    body = "".join(
        "<tr>"
        + "".join(
            f"<td>{f'<b>{escape(shown(cell.text))}</b>' if cell.best else escape(shown(cell.text))}</td>"
            for cell in row
        )
        + "</tr>"
        for row in board.rows
    )
    more = f"<p>{_more(board)}</p>" if board.left else ""
    notes = "".join(f"<p>{escape(line)}</p>" for line in board.footnotes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{notes}"


STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f;"
    "background:#fff}table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.25rem .8rem;"
    "text-align:right;border-bottom:1px solid #ddd}th:nth-child(2),td:nth-child(2){text-align:left}"
    "p{color:#555;max-width:50rem}@media(prefers-color-scheme:dark){body{color:#e6e6ea;background:#17171b}"
    "th,td{border-color:#3a3a42}p{color:#a9a9b3}}"
)


def page(board: Board) -> str:
    """As a page of its own, which needs no network."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>clusterdiff rank</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body>{html(board)}</body></html>\n"
    )


def csv_text(table: Table[Any]) -> str:
    """A table as comma-separated values with all digits; what has no value is left empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    for row in zip(*table.to_dict().values(), strict=True):
        writer.writerow("" if isinstance(value, float) and isnan(value) else value for value in row)
    return out.getvalue()
