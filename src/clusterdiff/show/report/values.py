"""Users' labels and values as the page's data has them: exact where JSON can say them, else as text."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

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
