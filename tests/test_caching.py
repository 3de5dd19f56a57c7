"""Lists that another thread makes ahead, objects that stay, and meets whose sums nobody keeps."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

import clusterdiff as cd
from clusterdiff.caching import MANY, ahead, all_kept


def threads_of(count: int) -> Iterator[int]:
    """The thread that asks, so many times."""
    for _ in range(count):
        yield threading.get_ident()


@pytest.mark.parametrize(
    ("much", "threads", "elsewhere"), [(True, "2", True), (False, "2", False), (True, "1", False)]
)
def test_a_list_is_made_elsewhere_if_that_pays(
    much: bool, threads: str, elsewhere: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By one other thread, if there is much to do and a core for it."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
    with ahead(threads_of(3), much) as made:
        assert len(made()) == 3
        assert made() == made()
        assert {thread != threading.get_ident() for thread in made()} == {elsewhere}


def test_an_error_reaches_whoever_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not somebody who does not."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", "2")
    with ahead((1 // number for number in (1, 0)), much=True) as made, pytest.raises(ZeroDivisionError):
        made()
    with ahead((1 // number for number in (1, 0)), much=True):
        pass


def test_nothing_is_begun_once_the_block_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """An interrupt waits for one item, not for all."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", "2")
    begun, left, made = threading.Event(), threading.Event(), []

    def items() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            begun.set()
            left.wait(60)
            yield number

    def leave() -> None:
        with ahead(items(), much=True):
            begun.wait(60)
            threading.Timer(0.05, left.set).start()  # while the block is being left
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        leave()
    assert made == [0]


def test_what_is_computed_on_a_scratch_copy_is_not_kept() -> None:
    """The same sums, points and clusters; the meet itself has none of them afterwards."""
    for diff in (
        cd.compare([0, 0, 1, 1], [0, 0, 1, 2]),
        cd.compare({1: 1, 2: 1}, {2: 1, 3: 2}, missing="lost"),
    ):
        scratch, kept = diff.meet.scratch(), list(vars(diff.meet))
        found = scratch.pairs, cd.measures["A"](scratch)
        assert list(vars(diff.meet)) == kept
        assert not diff.meet._made
        assert found == (diff.meet.pairs, diff.score("A"))


@pytest.fixture
def unfrozen() -> Iterator[None]:
    """The tests freeze what they begin with."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    yield
    gc.unfreeze()
    if frozen:
        gc.freeze()


def test_what_was_made_to_stay_is_not_looked_at_at_once(unfrozen: None) -> None:
    with all_kept():
        made = [[i] for i in range(MANY + 1000)]
    young = {id(item) for generation in (0, 1) for item in gc.get_objects(generation=generation)}
    assert not any(id(item) in young for item in made)


def test_what_a_program_froze_stays_frozen(unfrozen: None) -> None:
    gc.freeze()
    with all_kept():
        made = [[i] for i in range(MANY + 1000)]
    assert gc.get_freeze_count() > 0
    assert len(made) > MANY


def test_what_a_program_froze_is_not_counted_for_a_few_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """To count takes longer the more there is: a program that froze a million objects read small files slowly."""
    monkeypatch.setattr(gc, "get_freeze_count", lambda: pytest.fail("counted"))
    with all_kept():
        made = [[i] for i in range(100)]
    assert len(made) == 100
