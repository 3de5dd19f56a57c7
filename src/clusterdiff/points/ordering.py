"""The points' own order, which depends neither on rows nor on the numbers of clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from clusterdiff import _core
from clusterdiff.points.labels import Int64Array, IntArray, names_at


def order_by(*keys: IntArray) -> Int64Array:
    """The places of rows in the order of whole numbers, the most important first; equal rows stay in their order.

    As ``np.lexsort``, but one sort of single numbers, where all that tells rows apart fits in 63 bits.

    >>> order_by(np.array([2, 1, 2, 1]), np.array([5, 7, -5, 7])).tolist()
    [1, 3, 2, 0]
    """
    count = len(keys[0])
    if not count:
        return np.empty(0, dtype=np.int64)
    lows = [int(key.min()) for key in keys]
    bits = [(int(key.max()) - low).bit_length() for key, low in zip(keys, lows, strict=True)]
    place = (count - 1).bit_length()
    if sum(bits) + place > 63:
        return np.lexsort(keys[::-1])
    packed = np.zeros(count, dtype=np.int64)
    for key, low, width in zip(keys, lows, bits, strict=True):
        packed <<= width
        packed |= key.astype(np.int64) - low
    packed <<= place
    packed |= np.arange(count)
    packed.sort()
    packed &= (1 << place) - 1
    return packed


def ranks(points: Sequence[Hashable], at: Int64Array) -> Int64Array:
    """Where the points at some positions stand in the order of all of these: by value, or by text if values have none.

    >>> ranks(["b", "c", "a"], np.array([1, 2])).tolist(), ranks(range(9), np.array([7, 3])).tolist()
    ([1, 0], [7, 3])
    """
    if isinstance(points, range):
        return at
    chosen = names_at(points, at)
    if set(map(type, chosen)) == {str}:
        return rank_texts(chosen)
    try:
        order = sorted(range(len(chosen)), key=chosen.__getitem__)
    except TypeError:
        return rank_texts(list(map(str, chosen)))
    out = np.empty(len(chosen), dtype=np.int64)
    out[order] = np.arange(len(chosen))
    return out


def rank_texts(texts: list[str]) -> Int64Array:
    """Where each text stands in the order of all of them, equal ones as they come.

    >>> rank_texts(["b", "é", "a"]).tolist()
    [1, 2, 0]
    """
    try:
        return _core.text_ranks(texts)
    except UnicodeEncodeError:  # single surrogates, which UTF-8 lacks
        return _core.text_ranks([text.encode("utf-8", "surrogatepass") for text in texts])


def least_of_each(points: Sequence[Hashable], indptr: Int64Array, members: Int64Array) -> Int64Array:
    """The rank of the least point of each group, none of which is empty; see :func:`ranks`.

    >>> least_of_each(["b", "c", "a"], np.array([0, 2, 3]), np.array([0, 2, 1])).tolist()
    [0, 2]
    """
    if not len(members):
        return np.empty(0, dtype=np.int64)
    found: Int64Array = np.minimum.reduceat(ranks(points, members), indptr[:-1])
    return found
