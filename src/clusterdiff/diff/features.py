"""Features of distinct values: numbers and dates in their order, and what texts look like, from their bytes at once."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.points.labels import AnyArray, BoolArray, FloatArray, Int64Array

#: A column of text is one of numbers or dates if so many of some values look like it, and at most so many are none.
LOOK, LIKE, UNLIKE = 200, 0.95, 0.02
DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Features(NamedTuple):
    """What texts look like: yes or no by question, their lengths in characters, and their first letters (0: none)."""

    flags: dict[str, BoolArray]
    length: Int64Array
    first: Int64Array


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
    texts = list(map(str, values.tolist()))
    look = [text for text in texts[:: max(1, len(texts) // LOOK)] if text]
    if sum(DATE.match(text) is not None for text in look) >= LIKE * len(look) > 0:
        try:
            return _days(np.array([text[:10] for text in texts], dtype="datetime64[D]")), _day
        except ValueError:
            return _tried(texts, _day_of, _day)
    if sum(not np.isnan(_number_of(text)) for text in look) >= LIKE * len(look) > 0:
        return _tried(texts, _number_of, _number)
    return None


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


def features(values: AnyArray) -> Features:
    """What texts look like.

    >>> looks = features(np.array(["A. Silva", "Ana Silva", "ANA"]))
    >>> looks.flags["has an initial"].tolist(), looks.flags["is all capitals"].tolist()
    ([True, False, False], [False, False, True])
    >>> looks.length.tolist(), [chr(letter) for letter in looks.first]
    ([8, 9, 3], ['A', 'A', 'A'])
    """
    texts = list(map(str, values.tolist()))
    joined = "\n".join(texts)
    if joined.count("\n") != len(texts) - 1:  # a line break inside a text counts as a space
        joined = "\n".join([text.replace("\n", " ") for text in texts])
    signs = np.frombuffer(f"{joined}\n".encode("utf-8", "surrogatepass"), np.uint8)
    end = signs == 10
    ends = np.flatnonzero(end)
    starts = np.concatenate([[0], ends[:-1] + 1])
    length = ends - starts

    text = np.repeat(np.arange(len(starts), dtype=np.int32), length + 1)

    def number(mask: BoolArray) -> Int64Array:
        at = np.flatnonzero(mask)
        if len(at) < len(mask) // 4:
            return np.bincount(text[at], minlength=len(starts))
        return np.add.reduceat(mask.view(np.uint8), starts, dtype=np.int64)

    def before(mask: BoolArray) -> BoolArray:
        return np.concatenate([[False], mask[:-1]])

    def after(mask: BoolArray) -> BoolArray:
        return np.concatenate([mask[1:], [False]])

    def has(*wanted: str) -> BoolArray:
        found = np.zeros(len(starts), dtype=bool)
        for sign in wanted:
            found[text[signs == ord(sign)]] = True
        return found

    upper, lower = (signs >= 65) & (signs <= 90), (signs >= 97) & (signs <= 122)
    digit, space, other = (signs >= 48) & (signs <= 57), signs == 32, signs >= 128
    letter = upper | lower | other
    close = letter | digit | (signs == ord("'"))
    initial = (upper | lower) & ~before(close) & ~after(close)
    inside = ~space & ~end
    words = number(inside & ~before(inside))
    letters, uppers, lowers, digits = map(number, (letter, upper, lower, digit))
    characters = length - number((signs & 0xC0) == 0x80)
    filled = length > 0
    edge = filled & (space[starts] | space[np.maximum(ends - 1, 0)])
    first = signs[starts].astype(np.int64)
    first = np.where(filled & (first < 128), np.where((first >= 97) & (first <= 122), first - 32, first), 0)
    flags = {
        "has an initial": (number(initial) > 0) & (words > 1),
        "is one letter": (length - number(signs == ord(".")) == 1) & (letters == 1),
        "has a digit": digits > 0,
        "is only digits": (digits == length) & filled,
        "is not ASCII": number(other) > 0,
        "is all capitals": (uppers > 1) & (lowers == 0),
        "is all lower case": (lowers > 1) & (uppers == 0),
        "is one word": words == 1,
        "has three words or more": words >= 3,
        "has a hyphen": has("-"),
        "has a full stop": has("."),
        "has a comma": has(","),
        "has an apostrophe": has("'"),
        "has a bracket": has("(", "["),
        "has a slash": has("/"),
        "has an ampersand": has("&"),
        "has extra spaces": edge | (number(space & before(space)) > 0),
        "is empty": words == 0,
    }
    return Features(flags, characters, first)
