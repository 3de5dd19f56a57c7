"""Small pieces of English that explanations, repairs and reports share."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from clusterdiff.table import shown


def name(label: object) -> str:
    """A user's label inside a sentence: text from right to left does not change the order of the words around it.

    >>> name("ann"), [hex(ord(sign)) for sign in name("\u05d0")]
    ('ann', ['0x2068', '0x5d0', '0x2069'])
    """
    text = shown(str(label))
    leftward = any(unicodedata.bidirectional(letter) in {"R", "AL", "AN"} for letter in text)
    return f"\u2068{text}\u2069" if leftward else text


def count(number: int, noun: str = "point") -> str:
    """A number of things.

    >>> count(1), count(1200, "cluster")
    ('1 point', '1,200 clusters')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def and_list(items: Sequence[str], limit: int = 4) -> str:
    """Items joined as in a sentence; the first ``limit`` of them, and how many more.

    >>> and_list(["a", "b", "c"]), and_list(["a", "b", "c", "d"], limit=2)
    ('a, b and c', 'a, b and 2 more')
    """
    if len(items) > limit:
        return f"{', '.join(items[:limit])} and {len(items) - limit:,} more"
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def percent(share: float) -> str:
    """A share as a percentage, without claiming all or nothing by rounding.

    >>> percent(0.5), percent(0.9999), percent(0.0001), percent(1.0), percent(0.0)
    ('50%', 'over 99%', 'under 1%', '100%', '0%')
    """
    if 0 < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1:
        return "over 99%"
    return f"{share:.0%}"


#: What LaTeX would take for a command.
ESCAPES = str.maketrans(
    {c: f"\\{c}" for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "\\": r"\textbackslash{}"}
)


def latex(text: str) -> str:
    r"""Text as LaTeX prints it.

    >>> print(latex("S_H"))
    S\_H
    """
    return text.translate(ESCAPES)
