"""Whoever presses Ctrl-C is heard: no function of the core goes on for long without asking."""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from itertools import starmap
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from clusterdiff import _core

#: The part of a call's time, of the processor's alone, that may go by between two questions; and how often that is
#: tried, since whatever else a machine does takes its part, too.
PART, TRIES = 0.4, 4
#: Seconds between two signals: none of the calls below is over so soon.
OFTEN = 1e-4

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX timers")

Call = tuple[Callable[..., Any], tuple[Any, ...]]


def entries() -> set[str]:
    """Everything that the core offers: functions, and what its classes do."""
    found = {name for name in dir(_core) if callable(getattr(_core, name)) and not name.startswith("_")}
    found = {name for name in found if not isinstance(getattr(_core, name), type)}
    for kind in (_core.Cells, _core.Matching, _core.Sums):
        own = [name for name in vars(kind) if not name.startswith("_")]
        found |= {f"{kind.__name__}.{name}" for name in (*own, "__init__")}
    return found


VIEWED = "a view of memory that is there already"
KNOWN = "one number that is known already"
#: What cannot take long for 10⁸ points, and why.
SHORT = {
    "threads": "reads one variable of the environment",
    "set_pause": "sets one number",
    "keep_freed": "sets two numbers",
    "set_array_memory": "sets a variable of the context",
    "Matching.__init__": "notes one number",
    "sha256_heads": "digests one text, for tests",
    **dict.fromkeys(("Cells.indptr", "Cells.cols", "Cells.sizes"), VIEWED),
    **dict.fromkeys(("Cells.n", "Cells.k_true", "Cells.k_pred"), KNOWN),
    **dict.fromkeys(("Sums.n", "Sums.cells", "Sums.k_true", "Sums.k_pred"), KNOWN),
    **dict.fromkeys(("Cells.sums", "Sums.__init__"), "computes nothing yet"),
    **dict.fromkeys(
        [
            f"Sums.{x}"
            for x in ("mm", "aa", "bb", "true_max", "pred_max", "s_h_mean", "b3_recall", "b3_precision")
        ],
        "made by the same pass as Sums.s_h",
    ),
    **dict.fromkeys(
        [
            f"Sums.{x}"
            for x in (
                *("chi2", "element", "frobenius", "h_true", "h_pred", "h_joint", "split_info", "merge_info"),
                *("s_pairs", "s_pairs_mean", "s_largest", "s_largest_mean"),
            )
        ],
        "made by the same pass as Sums.mutual",
    ),
}


def lines(rows: int) -> int:
    """A file of two columns, closed by nobody but the end of the process."""
    with TemporaryFile() as file:
        file.write(b"id,cluster\n" + b"".join(b"%d,x\n" % i for i in range(rows)))
        file.seek(0)
        return os.dup(file.fileno())


def parquet(rows: int) -> int:
    """The same as Parquet."""
    with TemporaryFile() as file:
        table = pa.table({"id": np.arange(rows).astype(str), "cluster": np.arange(rows) // 3})
        pa.parquet.write_table(table, file, row_group_size=rows // 20)
        return os.dup(file.fileno())


def attribute(thing: Any, name: str) -> Call:
    return getattr, (thing, name)


def chain(k: int) -> _core.Cells:
    """Every true cluster shares one predicted cluster with the next: two cells in each row, one component."""
    first = np.arange(k, dtype=np.int32)
    cols = np.column_stack([first, (first + 1) % k]).ravel()
    return _core.Cells(np.arange(0, 2 * k + 1, 2), cols, np.tile([5, 3], k), k)


def one_row(k: int) -> _core.Cells:
    """A single true cluster in so many parts."""
    return _core.Cells(np.array([0, k]), np.arange(k, dtype=np.int32), np.full(k, 3), k)


def table(rows: int, columns: int) -> _core.Cells:
    """Every true cluster meets every predicted one."""
    return _core.Cells(
        np.arange(0, rows * columns + 1, columns),
        np.tile(np.arange(columns, dtype=np.int32), rows),
        np.arange(rows * columns) % 7 + 1,
        columns,
    )


def locate(k: int) -> Call:
    """Random labels that have gaps."""
    true = np.random.default_rng(0).permutation(k) * 7
    return _core.meet(true, true // 3).locate, (true, true // 3)


def spanning(pairs: int) -> Call:
    """Neighbours in a row, by random scores."""
    left = np.arange(pairs, dtype=np.int32)
    return _core.spanning, (left, left + 1, np.random.default_rng(0).random(pairs), pairs + 1)


def dendrogram(points: int) -> Call:
    left, right = (side.astype(np.int64) for side in balanced(points))
    return _core.dendrogram, (left, right, np.random.default_rng(0).random(points - 1))


def resample(units: int, resamples: int) -> Call:
    blocks = -(-units // _core.RESAMPLE_BLOCK)
    return _core.resample, (np.ones(units), 1, np.full(blocks * resamples, units // blocks), 0)


def balanced(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of nodes are merged in turn."""
    nodes = np.arange(2 * points - 2, dtype=np.int32)
    return nodes[::2].copy(), nodes[1::2].copy()


def words(count: int) -> tuple[np.ndarray, np.ndarray]:
    data = np.frombuffer(b"".join(b"%08d" % i for i in range(1000)) * (count // 1000), dtype=np.uint8)
    return np.arange(0, len(data) + 1, 8, dtype=np.int64), data


def views(count: int) -> np.ndarray:
    out = np.zeros((count, 16), dtype=np.uint8)
    out[:, 0] = 4  # four letters, in the view itself
    out[:, 4:8] = np.random.default_rng(0).integers(97, 105, (count, 4))
    return out


def named(ids: np.ndarray) -> Call:
    """Points with labels."""
    return _core.Matching(len(ids)).read, (pa.table({"id": ids, "label": ids}),)


def matched(ids: np.ndarray) -> Call:
    """Points in another order on the other side."""
    matching = _core.Matching(len(ids))
    matching.read(pa.table({"id": ids}))
    matching.read(pa.table({"id": ids[::-1].copy()}))
    return matching.match, ()


def merges(k: int) -> Call:
    """A patch that merges single points, two at a time."""
    at, none, empty = np.arange(k), np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
    cells, pairs = (np.arange(k + 1), at), (np.arange(0, k + 1, 2), at)
    nothing = (none, empty)
    removed, alone = (np.array([0, 0]), empty), np.full(k // 2, -1)
    return _core.write_patch, (at, removed, cells, nothing, pairs, alone, nothing, nothing, ",")


def atoms(k: int) -> tuple[Any, ...]:
    """An atom in each of so many clusters, with a scope, and one that spans each two neighbours."""
    own, both = np.arange(k), np.repeat(np.arange(k - 1), 2) + np.tile([0, 1], k - 1)
    cells = np.r_[own, np.arange(k, 3 * k - 1, 2)], np.r_[own, both], np.full(3 * k - 2, 3)
    return cells, (np.minimum(np.arange(2 * k), k), own // 2), k


def groups(n: int, k: int) -> np.ndarray:
    return np.arange(n, dtype=np.int32) % k


def ones(n: int) -> Any:
    """So many points that take no memory."""
    return np.broadcast_to(np.int64(1), n)


def sparse(n: int, k: int) -> Call:
    starts, columns = np.arange(0, 3 * n + 1, 3), np.tile(np.arange(3), n)
    return _core.moments_sparse, (groups(n, k), k, starts, columns, np.ones(3 * n), 3)


def sizes(k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(10, k + 10), np.ones(k, dtype=np.int64)


CASES: dict[str, Callable[[], Call]] = {
    "meet": lambda: (_core.meet, (ones(10**7), ones(10**7))),
    "meet: many": lambda: (_core.meet, (np.arange(3 * 10**5) * 5, np.arange(3 * 10**5)[::-1] // 2)),
    "sums": lambda: (_core.sums, (ones(10**7), ones(10**7))),
    "s_h": lambda: (_core.s_h, (ones(10**7), ones(10**7))),
    "squares": lambda: (_core.squares, ([ones(5 * 10**6), ones(5 * 10**6)],)),
    "meets": lambda: (_core.meets, (ones(10**7), [ones(10**7)])),
    "stream": lambda: (_core.stream, (ones(10**7), ones(10**7))),
    "sum_squares": lambda: (_core.sum_squares, (ones(10**7),)),
    "counted": lambda: (_core.counted, (np.tile([5, 3, 7], 7 * 10**5),)),
    "counted: large": lambda: (
        _core.counted,
        (np.tile([5, 10**9, 7], 7 * 10**5),),
    ),
    "group_sum": lambda: (_core.group_sum, (ones(5 * 10**6), 3, ones(5 * 10**6))),
    "group_sum: floats": lambda: (_core.group_sum, (ones(2 * 10**6), 3, np.broadcast_to(1.5, 2 * 10**6))),
    "group_max": lambda: (_core.group_max, (ones(5 * 10**6), 3, np.full(5 * 10**6, 1.5))),
    "group_sums": lambda: (_core.group_sums, (ones(10**6), 3, *([np.full(10**6, 1.5)] * 2))),
    "contents": lambda: (_core.contents, (groups(3 * 10**5, 7), 7, np.ones(3 * 10**5))),
    "agreement": lambda: (
        _core.agreement,
        (np.arange(0, 10**6 + 1, 5), np.arange(10**6), groups(10**6, 3).astype(np.int64), 9),
    ),
    "looks": lambda: (_core.looks, (np.tile(np.frombuffer(b"Ab-1\n", np.uint8), 4 * 10**5), 4 * 10**5)),
    "code_sums": lambda: (
        _core.code_sums,
        (groups(10**6, 7).astype(np.int64), 7, np.zeros(10**6, np.int32), np.ones(3), 3),
    ),
    "write_patch": lambda: merges(2 * 10**5),
    "Cells.members": lambda: (
        _core.meet(groups(10**6, 7), ones(10**6)).members,
        (groups(10**6, 7), ones(10**6), np.array([0, 2])),
    ),
    "take": lambda: (_core.take, (np.arange(3 * 10**6), np.arange(3 * 10**6)[::-1].copy())),
    "group_members": lambda: (_core.group_members, (groups(10**6, 7), 7)),
    "moments_dense": lambda: (_core.moments_dense, (groups(10**5, 9), 9, np.ones((10**5, 16)))),
    "moments_sparse": lambda: sparse(3 * 10**5, 9),
    "link_sums_square": lambda: (
        _core.link_sums_square,
        (np.array([0, 6000]), np.arange(6000), np.broadcast_to(1.0, (6000, 6000))),
    ),
    "link_sums_condensed": lambda: (
        _core.link_sums_condensed,
        (np.array([0, 6000]), np.arange(6000), np.broadcast_to(1.0, 6000 * 5999 // 2), 6000),
    ),
    "text_ranks": lambda: (_core.text_ranks, (np.random.default_rng(0).integers(0, 10**9, 4 * 10**5),)),
    "assemble": lambda: (
        _core.assemble,
        (*atoms(40_000), np.arange(79_999), np.arange(40_000), np.full(40_000, 3)),
    ),
    "points_apart": lambda: (_core.points_apart, (*atoms(10**5), 10**5)),
    "encode_integers": lambda: (_core.encode_integers, (ones(5 * 10**6),)),
    "encode_integers: many": lambda: (
        _core.encode_integers,
        (np.random.default_rng(0).integers(0, 10**9, 4 * 10**5),),
    ),
    "encode_fixed": lambda: (_core.encode_fixed, (np.full((10**6, 8), 97, dtype=np.uint8),)),
    "encode_text": lambda: (_core.encode_text, words(5 * 10**5)),
    "encode_views": lambda: (_core.encode_views, (views(5 * 10**5), [])),
    "read_labels": lambda: (
        _core.read_labels,
        (pa.chunked_array([np.arange(5 * 10**5).astype(str)]), 1),
    ),
    "encode_objects": lambda: (_core.encode_objects, (["a", "b", "c"] * (2 * 10**5),)),
    "encode_lists": lambda: (_core.encode_lists, ([["a", "b", "c"] * 10**5, ["c", "d"] * 10**5],)),
    "Matching.read": lambda: named(np.random.default_rng(0).permutation(2 * 10**6)),
    "Matching.read: text": lambda: named(np.arange(3 * 10**5).astype(str)),
    "Matching.read_lines": lambda: (_core.Matching(10**6).read_lines, (lines(10**6), ",", 2, 0, 1)),
    "Matching.read_parquet": lambda: (_core.Matching(10**6).read_parquet, (parquet(2 * 10**6), 2, 0, 1)),
    "Matching.match": lambda: matched(np.random.default_rng(0).permutation(10**6)),
    "Matching.match: text": lambda: matched(np.arange(3 * 10**5).astype(str)),
    "expected_information": lambda: (_core.expected_information, (*sizes(300), *sizes(300))),
    "expected_s_h": lambda: (_core.expected_s_h, (*sizes(200), *sizes(200), False)),
    "sample_cells": lambda: (
        _core.sample_cells,
        (np.full(400, 10**5), np.full(400, 10**5), 0, 0, 2),
    ),
    "resample": lambda: resample(10**5, 200),
    "toss": lambda: (_core.toss, (np.ones(10**5), 1, 300, 0)),
    "charges": lambda: (_core.charges, (np.arange(0, 2 * 10**6 + 1, 2), None, *np.ones((2, 2 * 10**6)))),
    "charges: one cluster": lambda: (
        _core.charges,
        (np.array([0, 10**6]), np.arange(10**6), *np.ones((2, 10**6))),
    ),
    "descending": lambda: (_core.descending, (np.arange(10**6, dtype=np.float64),)),
    "one_to_one": lambda: (
        _core.one_to_one,
        (groups(10**6, 10**5), np.arange(10**6) % 77_777, np.ones(10**6, dtype=np.int64), lambda tied: tied),
    ),
    "one_to_one: one cluster": lambda: (
        _core.one_to_one,
        (np.zeros(10**6, dtype=np.int32), np.arange(10**6), np.arange(10**6), lambda tied: tied),
    ),
    "repairs": lambda: (_core.repairs, (chain(4 * 10**4),)),
    "repairs: one row": lambda: (_core.repairs, (one_row(10**5),)),
    "repair_steps": lambda: (_core.repair_steps, (chain(2 * 10**4),)),
    "repair_steps: wide": lambda: (_core.repair_steps, (table(300, 300),)),
    "dendrogram": lambda: dendrogram(3 * 10**5),
    "spanning": lambda: spanning(3 * 10**5),
    "pruned": lambda: (_core.pruned, (*balanced(10**6), np.ones(10**6, dtype=bool))),
    "cut": lambda: (_core.cut, (*balanced(10**6), 10**6, 10**6 - 1)),
    "leaves": lambda: (_core.leaves, (*balanced(10**6), 10**6)),
    "sweep": lambda: (_core.sweep, (groups(10**5, 5), 5, *balanced(10**5), np.arange(0, 10**5, 1000))),
    "Cells.__init__": lambda: (
        _core.Cells,
        (
            np.arange(10**6 + 1),
            np.arange(10**6, dtype=np.int32),
            np.ones(10**6, dtype=np.int64),
            10**6,
        ),
    ),
    "Cells.rows": lambda: attribute(chain(10**6), "rows"),
    "Cells.true_sizes": lambda: attribute(chain(10**6), "true_sizes"),
    "Cells.pred_sizes": lambda: attribute(chain(10**6), "pred_sizes"),
    "Cells.true_labels": lambda: attribute(
        _core.meet(np.arange(2 * 10**6, dtype=np.int32), ones(2 * 10**6)), "true_labels"
    ),
    "Cells.pred_labels": lambda: attribute(
        _core.meet(ones(2 * 10**6), np.arange(2 * 10**6, dtype=np.int32)), "pred_labels"
    ),
    "Cells.transpose": lambda: (chain(10**6).transpose, ()),
    "Cells.join": lambda: (chain(10**6).join, ()),
    "Cells.join: one row": lambda: (one_row(2 * 10**6).join, ()),
    "Cells.entropy_scores": lambda: (chain(10**6).entropy_scores, ()),
    "Cells.pred_entropy_scores": lambda: (chain(10**6).pred_entropy_scores, ()),
    "Cells.pred_entropy_scores: one column": lambda: (
        one_row(2 * 10**6).transpose().cells.pred_entropy_scores,
        (),
    ),
    "Cells.losses": lambda: (chain(10**6).losses, (np.ones(10**6), np.ones(10**6), 8e6)),
    "Cells.side_losses": lambda: (chain(10**6).side_losses, (np.ones(10**6), None, np.ones(10**6), 8e6)),
    "Cells.assign": lambda: (table(300, 300).assign, (np.arange(9 * 10**4) % 7919,)),
    "Cells.kept_by_true": lambda: (chain(3 * 10**5).kept_by_true, ()),
    "Cells.locate": lambda: locate(3 * 10**5),
    "Cells.weighed": lambda: (chain(2 * 10**5).weighed, (np.full(4 * 10**5, 0.3),)),
    "Sums.s_h": lambda: attribute(chain(4 * 10**5).sums(), "s_h"),
    "Sums.s_h: few columns": lambda: attribute(table(10**5, 8).sums(), "s_h"),
    "Sums.squares": lambda: attribute(chain(4 * 10**5).sums(), "squares"),
    "Sums.exact": lambda: attribute(chain(4 * 10**5).sums(), "exact"),
    "Sums.mutual": lambda: attribute(chain(2 * 10**5).sums(), "mutual"),
    "Sums.mutual: few columns": lambda: attribute(table(10**5, 8).sums(), "mutual"),
}


def test_every_entry_point_is_looked_at() -> None:
    """A new one needs an input here, or a reason why it is never long."""
    assert {name.partition(":")[0] for name in CASES} | set(SHORT) == entries()
    assert not {name.partition(":")[0] for name in CASES} & set(SHORT)


@pytest.fixture
def timer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Calls a function again and again, whenever the core lets Python do so: at every question, however soon."""
    monkeypatch.setenv("CLUSTERDIFF_THREADS", "1")
    _core.set_pause(0)
    before = signal.getsignal(signal.SIGALRM)

    def start(told: Callable[[], None], again: bool = True) -> None:
        signal.signal(signal.SIGALRM, lambda *_: told())
        signal.setitimer(signal.ITIMER_REAL, OFTEN, OFTEN if again else 0)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    _core.set_pause(50)


def longest(call: Call, timer: Callable[..., None]) -> float:
    """The part of a call's time in which it did not ask."""
    function, arguments = call
    asked = [time.process_time()]
    timer(lambda: asked.append(time.process_time()))
    function(*arguments)
    signal.setitimer(signal.ITIMER_REAL, 0)
    asked.append(time.process_time())
    times = asked.copy()  # a signal that is still on its way adds to the other
    return float(max(np.diff(times)) / (times[-1] - times[0]))


@pytest.mark.parametrize("name", CASES)
def test_a_long_call_asks_again_and_again(name: str, timer: Callable[..., None]) -> None:
    """From its beginning to its end; and it stops when it is told to, with nothing to show for it."""
    parts = (longest(CASES[name](), timer) for _ in range(TRIES))
    assert any(part < PART for part in parts)

    def stop() -> None:
        raise KeyboardInterrupt

    function, arguments = CASES[name]()
    # A result that the core hands over is in there before Python looks for signals.
    results: deque[Any] = deque()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - the timer ends with the call
        timer(stop, False)
        results.extend(starmap(function, [arguments]))
    assert not results
