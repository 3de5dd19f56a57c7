"""Values that are computed when they are first asked for, also by several threads at once; and values that are kept."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar, overload

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

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type[Any] | None = None) -> Self | Value:
        if instance is None:
            return self
        # Once it is there, attributes of the instance are found before this is asked.
        value: Value = vars(instance).setdefault(str(self.attrname), self.func(instance))
        return value


@contextmanager
def all_kept() -> Iterator[None]:
    """Where very many objects are made that stay: looking among them for garbage takes longer than to make them."""
    if not gc.isenabled():  # by an outer block, which enables it again
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
