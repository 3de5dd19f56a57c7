"""What notebooks show of a result: small pieces of HTML without a colour of their own.

Text, lines and shades come from the notebook, light or dark, and styles stand on the elements themselves: nothing here
can change what else is on the page, however many results it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

#: Digits of one width, and a wide table scrolls instead of the page.
_VIEW = "overflow-x:auto;font-variant-numeric:tabular-nums;text-align:left"
_TABLE = "border-collapse:collapse;margin:.4em 0"
_LINE = "border-bottom:1px solid rgba(128,128,128,.4)"
_NUMBER = "text-align:right;white-space:nowrap;padding:.15em .8em;vertical-align:top"
_WORD = "text-align:left;max-width:60ch;overflow-wrap:break-word;padding:.15em .8em;vertical-align:top"
_QUIET = "margin:.3em 0;opacity:.7"


def view(*parts: str) -> str:
    """A result as a notebook shows it, from its parts."""
    return f'<div style="{_VIEW}">{"".join(parts)}</div>'


def line(text: str, strong: bool = False, quiet: bool = False) -> str:
    """A line of text.

    >>> line("a < b", strong=True)
    '<p style="margin:.3em 0"><b>a &lt; b</b></p>'
    """
    said = escape(text)
    style = _QUIET if quiet else "margin:.3em 0"
    return f'<p style="{style}">{f"<b>{said}</b>" if strong else said}</p>' if text else ""


def notice(text: str) -> str:
    """What one should know before one reads the numbers.

    >>> notice("`true` is a sample.")
    '<p style="margin:.3em 0"><b>Notice:</b> `true` is a sample.</p>'
    """
    return f'<p style="margin:.3em 0"><b>Notice:</b> {escape(text)}</p>'


def signature(text: str) -> str:
    """How a number came about."""
    return f'<p style="{_QUIET}"><code style="background:none;color:inherit">{escape(text)}</code></p>'


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    right: Sequence[bool],
    bold: Iterable[tuple[int, int]] = (),
) -> str:
    """A table of texts: columns of numbers on the right, words from either side as they are read; cells in bold.

    >>> table(["name", "size"], [["x", "3"]], [False, True]).count("text-align:right")
    2
    """
    strong = set(bold)

    def cell(tag: str, text: str, number: bool, strong: bool) -> str:
        said = f"<b>{escape(text)}</b>" if strong else escape(text)
        shape = f'style="{_NUMBER};{_LINE}"' if number else f'dir="auto" style="{_WORD};{_LINE}"'
        return f"<{tag} {shape}>{said}</{tag}>"

    top = "".join(cell("th", text, number, False) for text, number in zip(head, right, strict=True))
    body = "".join(
        "<tr>"
        + "".join(
            cell("td", text, number, (i, j) in strong)
            for j, (text, number) in enumerate(zip(row, right, strict=True))
        )
        + "</tr>"
        for i, row in enumerate(rows)
    )
    named = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    return f'<table style="{_TABLE}">{named}<tbody>{body}</tbody></table>'


def facts(named: Iterable[tuple[str, str, bool]]) -> str:
    """Names and what they stand for, one below the other; numbers are aligned."""
    rows = "".join(
        f'<tr><th style="{_WORD};{_LINE};font-weight:normal;opacity:.7">{escape(name)}</th>'
        + (f'<td style="{_NUMBER};{_LINE}">' if number else f'<td dir="auto" style="{_WORD};{_LINE}">')
        + f"{escape(text)}</td></tr>"
        for name, text, number in named
    )
    return f'<table style="{_TABLE}"><tbody>{rows}</tbody></table>'
