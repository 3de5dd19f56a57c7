"""Trees of merges in the core, and the sums at every one of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from clusterdiff import _core
from clusterdiff.meet.meet import Meet
from tests.cases import cases


def grown(kind: str, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Trees that grow in different ways: two by two, one giant, or several giants in turn."""
    nodes, left, right = list(rng.permutation(n)), [], []
    while len(nodes) > 1:
        if kind == "pairs":
            a, b = nodes.pop(0), nodes.pop(0)
        elif kind == "giant":
            a, b = nodes.pop(), nodes.pop(0)
        else:
            a, b = nodes.pop(), nodes.pop(0 if len(nodes) < 12 else int(rng.integers(len(nodes) - 10)))
        left.append(a)
        right.append(b)
        new = n + len(left) - 1
        if kind == "turns":
            nodes.insert(max(0, len(nodes) - 8), new)
        else:
            nodes.append(new)
    return np.array(left, dtype=np.int32), np.array(right, dtype=np.int32)


@cases("kind", ["pairs", "giant", "turns"])
@cases("clusters", [2, 40, 300, 1500])
def test_the_bits_do_not_depend_on_what_is_asked_for(kind: str, clusters: int) -> None:
    """All levels, few levels and the change of each merge are made in different ways, with equal results."""
    rng = np.random.default_rng(clusters)
    n = 3000
    left, right = grown(kind, n, rng)
    true = _core.encode_integers(np.where(rng.random(n) < 0.3, 0, rng.integers(0, clusters, n))).codes
    k = int(true.max()) + 1
    every = _core.sweep(true, k, left, right, np.arange(n), changes=True)
    at = np.array([0, 1, 700, 1500, 2400, 2900, 2999])
    few = _core.sweep(true, k, left, right, at)
    for name in _core.Levels._fields[:-1]:
        assert (getattr(every, name)[at] == getattr(few, name)).all(), name
    for i, j in enumerate(at):
        meet = Meet.from_labels(true, _core.cut(left, right, n, int(j)))
        assert few.s_h[i] == pytest.approx(meet.sums.s_h, abs=1e-12)
        assert few.mm[i] == meet.sums.mm
        assert few.pred_max[i] == meet.sums.pred_max
        assert few.b3_precision[i] == pytest.approx(meet.sums.b3_precision, abs=1e-12)
    assert np.diff(every.s_h) == pytest.approx(every.change, abs=1e-12)


@pytest.mark.parametrize("clusters", [3, 500, 50_000])
def test_the_bits_do_not_depend_on_threads(clusters: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread begins with the clusters after some merges, and tells of its levels what one thread tells of all."""
    rng = np.random.default_rng(clusters)
    n = 150_000
    true = _core.encode_integers(rng.integers(0, clusters, n)).codes
    k = int(true.max()) + 1
    order = np.argsort(true, kind="stable")
    chains = np.concatenate([order, rng.permutation(n)])
    pairs = [chains[:-1].astype(np.int32), chains[1:].astype(np.int32)]
    tree = _core.spanning(*pairs, rng.random(len(pairs[0])), n)
    merges = len(tree.left)
    for ends, changes in (
        (np.arange(merges + 1), True),
        (np.linspace(0, merges, 40).astype(np.int64), False),
    ):
        found = []
        for threads in ("1", "2", "4"):
            monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
            found.append(_core.sweep(true, k, tree.left, tree.right, ends, changes))
        for name in _core.Levels._fields:
            one, *others = (getattr(levels, name) for levels in found)
            assert all((one == other).all() for other in others), name


def test_every_node_is_a_run_of_the_leaves() -> None:
    """Of a forest too: the runs of two parts make that of the whole, and roots share no point."""
    rng = np.random.default_rng(0)
    left, right = grown("turns", 200, rng)
    left, right = left[:150], right[:150]
    order, start, size = _core.leaves(left, right, 200)
    assert sorted(order.tolist()) == list(range(200))

    def run(x: int) -> set[int]:
        return set(order[start[x] : start[x] + size[x]].tolist())

    for k in range(150):
        assert run(200 + k) == run(int(left[k])) | run(int(right[k]))
    labels = _core.cut(left, right, 200, 150)
    roots = set(range(350)) - set(left.tolist()) - set(right.tolist())
    assert {frozenset(run(x)) for x in roots} == {
        frozenset(np.flatnonzero(labels == c).tolist()) for c in set(labels.tolist())
    }


def test_pruning_keeps_what_is_connected() -> None:
    """Cut after any number of merges, the kept points lie together as they do in the whole tree."""
    rng = np.random.default_rng(1)
    left, right = grown("giant", 100, rng)
    keep = rng.random(100) < 0.4
    less_left, less_right, merges = _core.pruned(left, right, keep)
    for count in (0, 20, 60, 99):
        whole = _core.cut(left, right, 100, count)[keep]
        pruned = _core.cut(less_left, less_right, int(keep.sum()), int((merges < count).sum()))
        assert len(set(zip(whole.tolist(), pruned.tolist(), strict=True))) == len(set(whole.tolist()))
        assert len(set(pruned.tolist())) == len(set(whole.tolist()))


def test_equal_scores_come_in_their_order() -> None:
    """Of pairs with one score the first that joins two clusters is the one; zeros of either sign are one score."""
    made = _core.spanning(
        np.array([0, 1, 0, 2], dtype=np.int32),
        np.array([1, 0, 2, 3], dtype=np.int32),
        np.array([0.0, -0.0, 0.5, -np.inf]),
        4,
    )
    assert made.link.tolist() == [2, 0, 3]
    assert made.height.tolist() == [0.5, 0.0, -np.inf]


TWO = np.array([0, 1], dtype=np.int32)


@cases(
    "call",
    [
        lambda: _core.cut(TWO, TWO, 3, 1),
        lambda: _core.cut(TWO, TWO[:1], 3, 1),
        lambda: _core.cut(TWO[:1], TWO[1:], 2, 2),
        lambda: _core.leaves(TWO[:1], TWO[1:], 1),
        lambda: _core.spanning(TWO, TWO, np.array([1.0, 2.0]), 1),
        lambda: _core.pruned(TWO[:1], TWO[1:], np.ones(2)),
        lambda: _core.sweep(TWO, 1, TWO[:1], TWO[1:], np.array([0])),
        lambda: _core.sweep(TWO, 3, TWO[:1], TWO[1:], np.array([0])),
        lambda: _core.sweep(TWO, 2, TWO[:1], TWO[1:], np.array([1, 0])),
        lambda: _core.sweep(TWO, 2, TWO[:1], TWO[1:], np.array([2])),
    ],
)
def test_what_is_no_tree_is_refused(call: Callable[[], Any]) -> None:
    """Nodes that are not there, are merged twice, or do not fit the points: an error, never a crash."""
    with pytest.raises(ValueError, match=r".+"):
        call()
