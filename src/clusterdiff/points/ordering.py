"""The points' own order, which depends neither on rows nor on the numbers of clusters."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from clusterdiff import _core
from clusterdiff.points.labels import Int64Array, names_at


def ranks(points: Sequence[Hashable], at: Int64Array) -> Int64Array:
    """Where the points at some positions stand in the order of all of these: by value, or by text if values have none.

    >>> ranks(["b", "c", "a"], np.array([1, 2])).tolist(), ranks(range(9), np.array([7, 3])).tolist()
    ([1, 0], [7, 3])
    >>> ranks([30, 2**70, -1], np.array([0, 1, 2])).tolist(), ranks([30, 10], np.array([0, 1])).tolist()
    ([1, 2, 0], [1, 0])
    """
    if isinstance(points, range):
        return at
    chosen = names_at(points, at)
    kinds = set(map(type, chosen))
    if kinds == {str}:
        return rank_texts(chosen)
    # Together with numbers beyond 63 bits others are rounded, or not numbers of NumPy's any more.
    if kinds == {int} and (numbers := np.array(chosen)).dtype == np.int64:
        order = np.argsort(numbers, kind="stable")
    else:
        try:
            order = np.array(sorted(range(len(chosen)), key=chosen.__getitem__), dtype=np.int64)
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
