"""The paper's definitions, written from sets, slowly: what the library is measured against."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations, permutations

Cluster = frozenset[int]
Partition = frozenset[Cluster]


def partition(labels: Sequence[object]) -> Partition:
    """A clustering as a set of sets of points."""
    clusters: dict[object, set[int]] = {}
    for point, label in enumerate(labels):
        clusters.setdefault(label, set()).add(point)
    return frozenset(frozenset(c) for c in clusters.values())


def points(clustering: Partition) -> Cluster:
    return frozenset().union(*clustering)


def meet(true: Partition, pred: Partition) -> Partition:
    return frozenset(L & C for L in true for C in pred if L & C)


def join(true: Partition, pred: Partition) -> Partition:
    """Unite overlapping clusters until none overlap."""
    found: list[set[int]] = []
    for cluster in [*true, *pred]:
        united = set(cluster)
        apart = []
        for other in found:
            if other & united:
                united |= other
            else:
                apart.append(other)
        found = [*apart, united]
    return frozenset(frozenset(c) for c in found)


def induced(clustering: Partition, by: Cluster) -> Partition:
    return frozenset(c & by for c in clustering if c & by)


def refines(fine: Partition, coarse: Partition) -> bool:
    return all(any(f <= c for c in coarse) for f in fine)


def entropy(clustering: Partition) -> float:
    n = len(points(clustering))
    return -math.fsum(len(c) / n * math.log(len(c) / n) for c in clustering)


def same_cluster(clustering: Partition, i: int, j: int) -> bool:
    return any(i in c and j in c for c in clustering)


def R(true: Partition, pred: Partition) -> float:
    pairs = list(combinations(sorted(points(true)), 2))
    if not pairs:
        return 1.0
    return sum(same_cluster(true, i, j) == same_cluster(pred, i, j) for i, j in pairs) / len(pairs)


def N(true: Partition, pred: Partition) -> float:
    n = len(points(true))
    kept = sum(max(len(L & C) for C in pred) for L in true) + sum(max(len(L & C) for L in true) for C in pred)
    return kept / (2 * n)


def A(true: Partition, pred: Partition) -> float:
    """Best one-to-one matching, by trying all of them, component by component to keep it feasible."""
    total = 0
    for J in join(true, pred):  # noqa: N806
        few, many = sorted((list(induced(true, J)), list(induced(pred, J))), key=len)
        if len(many) > 7:
            raise ValueError("too large for the oracle")
        total += max(
            sum(len(a & b) for a, b in zip(few, order, strict=False)) for order in permutations(many)
        )
    return total / len(points(true))


def I(true: Partition, pred: Partition) -> float:  # noqa: E743
    return entropy(true) + entropy(pred) - entropy(meet(true, pred))


def NMI(true: Partition, pred: Partition) -> float:
    largest = max(entropy(true), entropy(pred))
    return I(true, pred) / largest if largest > 0 else 1.0


def VI(true: Partition, pred: Partition) -> float:
    return 2 * entropy(meet(true, pred)) - entropy(true) - entropy(pred)


def V(true: Partition, pred: Partition) -> float:
    n = len(points(true))
    return 1 - VI(true, pred) / math.log(n) if n > 1 else 1.0


def K(true: Partition, pred: Partition, k: int) -> float:
    return 1 - VI(true, pred) / (2 * math.log(k))


def s_entropy(parts: Partition, whole: Cluster) -> float:
    return 1 - entropy(parts) / math.log(len(whole)) if len(whole) > 1 else 1.0


def s_pairs(parts: Partition, whole: Cluster) -> float:
    if len(whole) == 1:
        return 1.0
    return sum(math.comb(len(p), 2) for p in parts) / math.comb(len(whole), 2)


def s_largest(parts: Partition, whole: Cluster) -> float:
    return (max(map(len, parts)) - 1) / (len(whole) - 1) if len(whole) > 1 else 1.0


def s_mse(features: Sequence[Sequence[float]]) -> Callable[[Partition, Cluster], float]:
    def spread(cluster: Cluster) -> float:
        rows = [features[i] for i in cluster]
        centre = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
        return math.fsum((x - c) ** 2 for row in rows for x, c in zip(row, centre, strict=True))

    def s(parts: Partition, whole: Cluster) -> float:
        total = spread(whole)
        return math.fsum(spread(p) for p in parts) / total if total > 0 else 1.0

    return s


def s_distance(d: Sequence[Sequence[float]]) -> Callable[[Partition, Cluster], float]:
    def links(cluster: Cluster) -> float:
        return math.fsum(d[i][j] for i, j in combinations(sorted(cluster), 2))

    def s(parts: Partition, whole: Cluster) -> float:
        total = links(whole)
        return math.fsum(links(p) for p in parts) / total if total > 0 else 1.0

    return s


def S(
    true: Partition,
    pred: Partition,
    s: Callable[[Partition, Cluster], float],
    sigma: Callable[[float, float], float] = lambda x, y: x * y,
) -> float:
    """Equation 3: the framework with any subcomponent measure and any combination."""
    n = len(points(true))
    return math.fsum(
        len(L & C) / n * sigma(s(induced(pred, L), L), s(induced(true, C), C))
        for L in true
        for C in pred
        if L & C
    )


def mean(x: float, y: float) -> float:
    return (x + y) / 2
