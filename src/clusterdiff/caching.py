"""Values that are computed when they are first asked for, also by several threads at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

Value = TypeVar("Value")


class Once:
    """Keeps what several callers share: computed the first time, by whichever thread comes first."""

    _made: dict[Callable[[Any], Any], Any]

    def once(self, make: Callable[[Any], Value]) -> Value:
        """``make(self)``, computed the first time and kept."""
        made = self._made
        if make not in made:
            made.setdefault(make, make(self))
        kept: Value = made[make]
        return kept


class cached_property(functools.cached_property[Value]):  # noqa: N801 - called as it is in functools
    """As in :mod:`functools`, but without the lock that Python 3.11 holds there while it computes a value.

    That lock is shared by all instances of a class. A thread that computes a value in an engine would hold it and wait
    for the engine, while another one holds the engine and waits for the lock. Python 3.12 has none. Two threads may
    then compute a value twice, which is the same both times.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        super().__init__(function)
        self.lock = nullcontext()
