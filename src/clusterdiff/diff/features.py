"""Features of distinct values: numbers and dates in their order, and what texts look like, from their bytes at once."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clusterdiff import _core
from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array, IntArray

#: A column of text is one of numbers or dates if so many of some values look like it, and at most so many are none.
LOOK, LIKE, UNLIKE = 200, 0.95, 0.02
DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Features(NamedTuple):
    """What texts look like: answers as bits, the one for ``LOOKS[i]`` being bit i; lengths; first letters (0: none)."""

    looks: IntArray
    length: Int64Array
    first: AnyArray

    def holds(self, look: str) -> BoolArray:
        """Which texts look like this."""
        found: BoolArray = self.looks >> LOOKS.index(look) & 1 > 0
        return found


def numbers(values: AnyArray) -> tuple[FloatArray, Callable[[float], str]] | None:
    """Values as numbers, or as days for dates, NaN where one is neither; and how to write one. None if they are not.

    >>> days, say = numbers(np.array(["2020-02-29", "2021-01-01", ""]))
    >>> [None if np.isnan(day) else say(day) for day in days]
    ['2020-02-29', '2021-01-01', None]
    >>> numbers(np.array(["ann", "bob"])) is None
    True
    """
    if values.dtype.kind == "b":
        return None
    if values.dtype.kind in "iuf":
        return values.astype(np.float64), _number
    if values.dtype.kind == "M":
        return _days(values), _day
    look = values[:: max(1, len(values) // LOOK)].tolist()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in look):
        return _tried(values.tolist(), _number_of, _number)
    look = [text for text in map(str, look) if text]
    dates = sum(DATE.match(text) is not None for text in look)
    if max(dates, sum(not np.isnan(_number_of(text)) for text in look)) < LIKE * len(look) or not look:
        return None
    texts = list(map(str, values.tolist()))
    if dates >= LIKE * len(look):
        try:
            return _days(np.array([text[:10] for text in texts], dtype="datetime64[D]")), _day
        except ValueError:
            return _tried(texts, _day_of, _day)
    return _tried(texts, _number_of, _number)


def _tried(
    values: list[Any], read: Callable[[Any], float], say: Callable[[float], str]
) -> tuple[FloatArray, Callable[[float], str]] | None:
    """Each value by itself; None if too many are unlike. There is one for each distinct value, not for each point."""
    found = np.fromiter(map(read, values), np.float64, len(values))
    bad = int(np.isnan(found).sum()) - values.count("")
    return (found, say) if bad <= UNLIKE * len(values) and not np.isnan(found).all() else None


def _number_of(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan
    return number if np.isfinite(number) else np.nan


def _day_of(text: str) -> float:
    try:
        return float(datetime.date.fromisoformat(text[:10]).toordinal() - EPOCH)
    except ValueError:
        return np.nan


EPOCH = datetime.date(1970, 1, 1).toordinal()


def _days(values: AnyArray) -> FloatArray:
    days = values.astype("datetime64[D]")
    return np.where(np.isnat(days), np.nan, days.astype(np.int64).astype(np.float64))


def _day(day: float) -> str:
    return str(np.datetime64(int(day), "D"))


def _number(number: float) -> str:
    return f"{int(number)}" if number.is_integer() else f"{number:.4g}"


#: The questions about texts, in the order of the bits in which the core answers them.
LOOKS = (
    "has an initial",
    "is one letter",
    "has a digit",
    "is only digits",
    "is not ASCII",
    "is all capitals",
    "is all lower case",
    "is one word",
    "has three words or more",
    "has a hyphen",
    "has a full stop",
    "has a comma",
    "has an apostrophe",
    "has a bracket",
    "has a slash",
    "has an ampersand",
    "has extra spaces",
    "is empty",
)


def features(values: AnyArray) -> Features:
    """What texts look like.

    >>> looks = features(np.array(["A. Silva", "Ana Silva", "ANA"]))
    >>> looks.holds("has an initial").tolist(), looks.holds("is all capitals").tolist()
    ([True, False, False], [False, False, True])
    >>> looks.length.tolist(), [chr(letter) for letter in looks.first]
    ([8, 9, 3], ['A', 'A', 'A'])
    """
    texts = values.tolist()
    try:
        joined = "\n".join(texts)
    except TypeError:  # other values, as they are written
        texts = list(map(str, texts))
        joined = "\n".join(texts)
    if joined.count("\n") != len(texts) - 1:  # a line break inside a text counts as a space
        joined = "\n".join([text.replace("\n", " ") for text in texts])
    signs = np.frombuffer(f"{joined}\n".encode("utf-8", "surrogatepass"), np.uint8)
    found = _core.looks(signs, len(texts))
    return Features(found.flags, found.length, found.first)
