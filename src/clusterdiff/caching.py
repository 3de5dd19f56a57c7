"""Values that are computed once, also by several threads; values that are kept; and those that are made ahead."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, Self, TypeVar, overload

from clusterdiff import _core

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

    def scratch(self) -> Self:
        """A copy, on which to compute much that nobody asks for again: here it is not kept."""
        other = object.__new__(type(self))
        vars(other).update(vars(self) | {"_made": self._made.copy()})
        return other


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


#: So many new objects are looked at in a tenth of a millisecond; to count what a program froze can take a hundred times
#: as long.
MANY = 10_000


@contextmanager
def shared_memory() -> Iterator[None]:
    """Where very many large arrays come and go: fresh memory for each would cost more than they do.

    Within, and in what runs in copies of its context, those of NumPy have the memory that the core's arrays leave.
    """
    before = _core.set_array_memory()
    try:
        yield
    finally:
        _core.set_array_memory(before)


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
        # Otherwise the next object that is made has them all looked at. What a program froze itself stays frozen.
        if gc.get_count()[0] > MANY and not gc.get_freeze_count():
            gc.freeze()
            gc.unfreeze()
        gc.enable()


@contextmanager
def ahead(items: Iterator[Value], much: bool) -> Iterator[Callable[[], list[Value]]]:
    """A list that another thread makes within the block, if that is ``much`` work and there is a core for it.

    Where the block is left before anybody asked for the list, no further item is begun.

    >>> with ahead(iter(range(3)), much=True) as made:
    ...     made()
    [0, 1, 2]
    """
    if not much or _core.threads() == 1:
        yield functools.cache(lambda: list(items))
        return
    from concurrent.futures import ThreadPoolExecutor

    left = False

    def work() -> list[Value]:
        made = []
        for item in items:
            made.append(item)
            if left:
                break
        return made

    with ThreadPoolExecutor(1) as pool:
        try:
            yield pool.submit(copy_context().run, work).result
        finally:
            left = True
