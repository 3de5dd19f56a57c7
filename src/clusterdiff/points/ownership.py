"""Copies that nobody else can change."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from clusterdiff import _core
from clusterdiff.points.labels import changeable

Made = TypeVar("Made")

#: So many labels or features are copied in two threads.
MANY = 1_000_000


def side_by_side(one: Callable[[], Made], other: Callable[[], Made], size: int) -> tuple[Made, Made]:
    """What two functions return; in two threads if there is much to copy."""
    if size < MANY or _core.threads() == 1:
        return one(), other()
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(one)
        second = other()
        return first.result(), second


def owned(matrix: npt.NDArray[Any], given: object) -> npt.NDArray[Any]:
    """A matrix that does not change with the one that the caller gave."""
    base = given if isinstance(given, np.ndarray) else matrix.base
    if not changeable(matrix) or (
        matrix is not given and (base is None or not np.shares_memory(matrix, base))
    ):
        return matrix
    copy, half = np.empty_like(matrix), len(matrix) // 2
    parts = [partial(np.copyto, copy[part], matrix[part]) for part in (slice(half), slice(half, None))]
    side_by_side(parts[0], parts[1], matrix.size)
    return copy
