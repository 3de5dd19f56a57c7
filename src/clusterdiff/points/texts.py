"""Points by their text, which is the same whatever their type in memory: 7 and "7" are written alike."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from hashlib import sha256
from json.encoder import encode_basestring_ascii
from typing import Any

import numpy as np

from clusterdiff.errors import PatchError, listed
from clusterdiff.points.labels import Int64Array, LazyNames
from clusterdiff.table import python


def text(point: Any) -> str:
    """A point as text.

    >>> text(7), text(7.0), text("7"), text(("a", 7))
    ('7', '7', '7', '["a", "7"]')
    """
    if type(point) is str:
        return point
    if type(point) is int:
        return str(point)
    point = python(point)
    if isinstance(point, float) and point.is_integer():
        point = int(point)
    return (
        json.dumps([text(part) for part in point], ensure_ascii=False)
        if isinstance(point, tuple)
        else str(point)
    )


def texts(points: Iterable[Hashable]) -> list[str]:
    """Points as text, in their order.

    >>> texts(["a", 7])
    ['a', '7']
    """
    named: list[Any] = list(points)
    types = set(map(type, named))
    return named if types == {str} else list(map(str if types == {int} else text, named))


def digest(points: Sequence[str]) -> str:
    """What tells a cluster from others: 16 hexadecimal digits of a hash of its points, which are sorted.

    >>> digest(["0", "1"])
    'b35800e69f8197d4'
    """
    # As json.dumps writes it, in half of the time.
    written = f"[{', '.join(map(encode_basestring_ascii, points))}]"
    return sha256(written.encode()).hexdigest()[:16]


def refuse_ambiguous(points: Sequence[Hashable]) -> None:
    """Raise if two points have one text; different texts cannot, nor can different whole numbers."""
    known = points.kind if isinstance(points, LazyNames) else int if isinstance(points, range) else None
    if known in (str, int) or set(map(type, points)) in ({str}, {int}, set()):
        return
    written = texts(points)
    if len(set(written)) < len(written):
        seen: set[str] = set()
        twice = [word for word in written if word in seen or seen.add(word)]  # type: ignore[func-returns-value]
        raise PatchError(f"points are named by their text, and several are written {listed(twice[:5])}.")


def positions(names: Sequence[str], n: int) -> Int64Array:
    """Where points stand that are called by their positions; -1 for those that there are not.

    >>> positions(["1", "01", "7", "x"], 5)
    array([ 1, -1, -1, -1])
    """
    places = (int(name) if is_whole(name) else -1 for name in names)
    return np.array([place if 0 <= place < n else -1 for place in places], dtype=np.int64)


def places_of(names: Sequence[str], integers: Int64Array) -> Int64Array:
    """Where points stand that are called by integers; -1 for those that there are not.

    >>> places_of(["7", "3", "07", "5"], np.array([3, 7]))
    array([ 1,  0, -1, -1])
    """
    asked = np.array(sorted({int(name) for name in names if is_whole(name)}), dtype=np.int64)
    if not len(asked):
        return np.full(len(names), -1)
    at = np.searchsorted(asked, integers)
    at[at == len(asked)] = 0
    here = np.flatnonzero(asked[at] == integers)
    place = dict(zip(asked[at[here]].tolist(), here.tolist(), strict=True))
    return np.array([place.get(int(name), -1) if is_whole(name) else -1 for name in names], dtype=np.int64)


def is_whole(name: str) -> bool:
    """Whether a name is a whole number of 64 bits, as it is written.

    >>> is_whole("-7"), is_whole("07"), is_whole("7.0")
    (True, False, False)
    """
    digits = name.removeprefix("-")
    whole = digits.isascii() and digits.isdigit() and len(digits) < 20
    return whole and str(int(name)) == name and -(2**63) <= int(name) < 2**63
