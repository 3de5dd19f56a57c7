"""Users' labels and values as the page's data has them: exact where JSON can say them, else as text."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from clusterdiff.wording import number

#: A text is embedded up to so many characters.
LONG = 2_000
#: Beyond this JavaScript does not know all whole numbers.
EXACT = 2**53


def value(given: Any, long: int = LONG) -> Any:
    """A value as plain JSON that is just this value; if there is none, ``[text]``, which is only shown.

    ``[text, 1]`` is a whole number too large for JavaScript: the text is its JSON. ``[text, 0, length]`` is the
    beginning of a text of that length.

    >>> value("a"), value(3), value(0.5), value(None), value(2**60), value((1, 2))
    ('a', 3, 0.5, None, ['1152921504606846976', 1], ['(1, 2)'])
    """
    if type(given) is int:  # as most are
        return given if abs(given) < EXACT else [str(given), 1]
    if isinstance(given, np.generic):
        given = given.item()
    spoken = getattr(
        given, "spoken", None
    )  # what people call it, as mentions of a text are called by their words
    if isinstance(spoken, str):
        return [spoken[:long]]
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str):
        return given if len(given) <= long else [given[:long], 0, len(given)]
    if isinstance(given, int):
        return given if abs(given) < EXACT else [str(given), 1]
    if isinstance(given, float) and isfinite(given):
        return given
    return [str(given)[:long]]


def amount(number_of_points: float) -> str:
    """So many points, which need not be whole: as the page's script writes them.

    >>> amount(7.72), amount(0.0), amount(12.34), amount(123.4), amount(0.0005)
    ('7.7', '0', '12.3', '123', '0.0005')
    """
    size = abs(number_of_points)
    if size >= 9.995:
        return f"{number_of_points:,.{1 if size < 99.95 else 0}f}".removesuffix(".0")
    if size >= 0.01 or not size:
        return f"{number_of_points:.2g}"
    return number(number_of_points)
