"""S* and S' where points may be lost, from sets and the definitions; slow and obvious."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb, log

Cluster = frozenset[object]
Clustering = list[Cluster]


def content(points: Cluster, s: str) -> float:
    """κ of a set of points."""
    n = len(points)
    if s == "entropy":
        return n * log(n) if n else 0.0
    return float(comb(n, 2) if s == "pairs" else max(n - 1, 0))


def over(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def side(cluster: Cluster, others: Clustering, s: str) -> tuple[float, float]:
    """s0 and r of a cluster."""
    cells = [cluster & other for other in others if cluster & other]
    shared = frozenset[object]().union(*cells)
    if not shared:
        return 1.0, 0.0
    together = max if s == "largest" else sum
    inner = together(content(cell, s) for cell in cells)  # type: ignore[operator]
    return over(inner, content(shared, s)), over(content(shared, s), content(cluster, s))


def score(true: Clustering, pred: Clustering, s: str = "entropy", mean: bool = False) -> float:
    """S*, or S' for ``mean``."""
    union = frozenset[object]().union(*true, *pred)
    total = 0.0
    for one in true:
        for other in pred:
            split, found = side(one, pred, s)
            merge, right = side(other, true, s)
            both = (split * found, merge * right)
            total += len(one & other) * (sum(both) / 2 if mean else both[0] * both[1])
    return total / len(union)


def partitions(points: list[object]) -> Iterator[Clustering]:
    """All clusterings of some points."""
    if not points:
        yield []
        return
    first, *rest = points
    for smaller in partitions(rest):
        yield [frozenset([first]), *smaller]
        for i, cluster in enumerate(smaller):
            yield [*smaller[:i], cluster | {first}, *smaller[i + 1 :]]


def of_subsets(points: list[object]) -> Iterator[Clustering]:
    """All clusterings of all subsets of some points."""
    for mask in range(2 ** len(points)):
        yield from partitions([point for i, point in enumerate(points) if mask >> i & 1])


Oracle = Callable[[Clustering, Clustering], float]
