"""How fast a sweep is: S_H and all sums at every merge of trees of different shapes, and at 200 thresholds.

python benchmarks/sweeps.py [n]    a million points unless told otherwise

Seconds as a clock shows them, the best of three rounds; of the whole call, cd.sweep(true, Z, thresholds=200) with a
linkage as scipy has it, also those of processor time over all threads.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import clusterdiff as cd
from clusterdiff.decide.levels import Levels
from clusterdiff.decide.trees import Tree, spanning_tree

Pair = tuple[np.ndarray, np.ndarray]


def seconds(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> float:
    """The least of three rounds."""
    taken = []
    for _ in range(3):
        start = clock()
        work()
        taken.append(clock() - start)
    return min(taken)


def linkage(tree: Tree) -> np.ndarray:
    """A tree as scipy has it; what it leaves apart is joined above all else, one after the other."""
    nodes = tree.points + len(tree)
    roots = np.setdiff1d(np.arange(nodes), np.concatenate([tree.left, tree.right]))
    heights = tree.height[0] - tree.height if tree.down else tree.height
    left = np.concatenate([tree.left, roots[:1], np.arange(nodes, nodes + len(roots))])
    right = np.concatenate([tree.right, roots[1:]])
    height = np.concatenate([heights, np.full(len(roots) - 1, heights[-1] + 1)])
    return np.column_stack([left[: len(right)], right, height, np.zeros(len(right))])


def linked(true: np.ndarray, rng: np.random.Generator) -> Tree:
    """Scored pairs: a chain through every true cluster, and twice as many pairs at random with lower scores."""
    n = len(true)
    order = np.argsort(true, kind="stable")
    left, right = (
        np.concatenate([chain, rng.integers(0, n, 2 * n)]).astype(np.int32)
        for chain in (order[:-1], order[1:])
    )
    return spanning_tree(left, right, np.concatenate([rng.random(n - 1), 0.7 * rng.random(2 * n)]), n)


def of_rounds(rounds: list[Pair], n: int) -> Tree:
    """The tree of merges, a round of them after the other."""
    left, right = (np.concatenate(side).astype(np.int32) for side in zip(*rounds, strict=True))
    return Tree(n, left, right, np.arange(len(left), dtype=float), np.arange(len(left)))


def two_by_two(n: int, rng: np.random.Generator) -> Tree:
    """All clusters grow alike, whatever the truth: any two are merged, then any two of those."""
    nodes, rounds, new = rng.permutation(n), [], n
    while len(nodes) > 1:
        half = len(nodes) // 2
        rounds.append((nodes[:half], nodes[half : 2 * half]))
        nodes = rng.permutation(np.concatenate([np.arange(new, new + half), nodes[2 * half :]]))
        new += half
    return of_rounds(rounds, n)


def in_turns(n: int, clusters: int, rng: np.random.Generator) -> Tree:
    """Some clusters grow point by point, each in its turn, before they are merged: the hardest shape known."""
    points = rng.permutation(n)
    growing, rounds, new = points[:clusters], [], n
    for at in range(clusters, n - clusters + 1, clusters):
        rounds.append((growing, points[at : at + clusters]))
        growing = np.arange(new, new + clusters)
        new += clusters
    rest = [*points[clusters * (len(rounds) + 1) :], *growing]
    while len(rest) > 1:
        rounds.append((np.array([rest.pop(0)]), np.array([rest.pop(0)])))
        rest.append(new)
        new += 1
    return of_rounds(rounds, n)


def cases(n: int) -> Iterator[tuple[str, np.ndarray, Tree]]:
    """Trees and truths of different shapes."""
    rng = np.random.default_rng(0)
    for k in (10, 1000, n // 3):
        true = rng.integers(0, k, n)
        yield f"linked records, {k:,} true clusters", true, linked(true, rng)
    skewed = np.minimum((n ** rng.random(n)).astype(int), n)
    yield "linked records, sizes of a power law", skewed, linked(skewed, rng)
    tree = two_by_two(n, rng)
    for k in (100, 10_000):
        yield f"two by two, {k:,} unrelated true clusters", rng.integers(0, k, n), tree
    yield "1,000 in turns, 1,000 unrelated true clusters", rng.integers(0, 1000, n), in_turns(n, 1000, rng)


def main() -> None:
    """Print a table."""
    n = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    print(
        f"{n:,} points                                     every merge   200 thresholds   the whole call   processor"
    )
    for name, true, tree in cases(n):
        codes = cd.Clustering(true).codes
        every, some = tree.ends, np.linspace(0, len(tree), 200).astype(np.int64)
        times = [seconds(partial(Levels, codes, tree, ends)) for ends in (every, some)]
        whole = partial(cd.sweep, true, linkage(tree), thresholds=200)
        times += [seconds(whole), seconds(whole, time.process_time)]
        shown = [f"{taken:>{width}.2f} s" for taken, width in zip(times, (9, 12, 14, 9), strict=True)]
        print(f"{name:<50} {' '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
