"""Weighted measures by their definitions, in 170 digits: slow, obvious, and far more exact than a double."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from itertools import combinations
from typing import Any

Number = Decimal


class Weighed:
    """Two clusterings of weighted points: the masses of cells and clusters, exactly."""

    def __init__(self, true: Sequence[Any], pred: Sequence[Any], weights: Sequence[float]) -> None:
        self.points = [
            (t, p, Decimal(float(w))) for t, p, w in zip(true, pred, weights, strict=True) if w > 0
        ]
        self.m, self.a, self.b = (
            self.sums(key) for key in (lambda t, p: (t, p), lambda t, p: t, lambda t, p: p)
        )
        self.total = sum(self.m.values())

    def sums(self, key: Callable[[Any, Any], Any]) -> dict[Any, Number]:
        out: dict[Any, Number] = defaultdict(Decimal)
        for t, p, w in self.points:
            out[key(t, p)] += w
        return out

    def entropy(self, masses: Any) -> Number:
        return sum((m / self.total * (self.total / m).ln() for m in masses), Decimal(0))

    def pairs(self, together: Callable[[Any, Any], bool]) -> Number:
        return sum((x[2] * y[2] for x, y in combinations(self.points, 2) if together(x, y)), Decimal(0))

    @property
    def counts(self) -> tuple[Number, Number, Number, Number]:
        return (
            self.pairs(lambda x, y: x[:2] == y[:2]),
            self.pairs(lambda x, y: x[0] == y[0]),
            self.pairs(lambda x, y: x[1] == y[1]),
            self.pairs(lambda x, y: True),
        )

    def split(self, side: int, kind: str) -> dict[Any, Number]:
        """The score of each cluster of one side by the share of its content that is inside its cells."""
        out = {}
        for cluster, mass in (self.a, self.b)[side].items():
            points = [x for x in self.points if x[side] == cluster]
            if kind == "entropy":
                inside = sum((w * (self.m[t, p] / w).ln() for t, p, w in points), Decimal(0))
                whole = sum((w * (mass / w).ln() for _, _, w in points), Decimal(0))
            else:
                pairs = list(combinations(points, 2))
                inside = sum((x[2] * y[2] for x, y in pairs if x[:2] == y[:2]), Decimal(0))
                whole = sum((x[2] * y[2] for x, y in pairs), Decimal(0))
            out[cluster] = inside / whole if whole else Decimal(1)
        return out

    def product(self, kind: str) -> Number:
        s, t = self.split(0, kind), self.split(1, kind)
        return sum((m * s[c[0]] * t[c[1]] for c, m in self.m.items()), Decimal(0)) / self.total


def ratio(x: Number, y: Number, empty: int = 1) -> Number:
    return x / y if y else Decimal(empty)


def _values(x: Weighed) -> dict[str, Number]:
    joint, true, pred = (x.entropy(sizes.values()) for sizes in (x.m, x.a, x.b))
    bottom = x.entropy([w for _, _, w in x.points])
    mutual, both_ways = true + pred - joint, 2 * joint - true - pred
    p, t, c, every = x.counts
    rows = sum(max(m for (r, _), m in x.m.items() if r == row) for row in x.a)
    return {
        "S_H": x.product("entropy"),
        "S*(pairs)": x.product("pairs"),
        "I": mutual,
        "vi": both_ways,
        "nmi": ratio(mutual, (true + pred) / 2),
        "nmi_max": ratio(mutual, max(true, pred)),
        "nid": 1 - ratio(mutual, max(true, pred)),
        "nvi": 1 - ratio(mutual, joint),
        "V": 1 - ratio(both_ways, bottom, 0),
        "homogeneity": ratio(mutual, true),
        "completeness": ratio(mutual, pred),
        "entropy.joint": joint,
        "rand": ratio(every - t - c + 2 * p, every),
        "jaccard": ratio(p, t + c - p),
        "ari": ratio(2 * (p * every - t * c), (t + c) * every - 2 * t * c),
        "fowlkes_mallows": ratio(p, (t * c).sqrt(), int(t == c)),
        "b3.recall": sum((m * m / x.a[r] for (r, _), m in x.m.items()), Decimal(0)) / x.total,
        "inverse_purity": rows / x.total,
    }


def exact(true: Sequence[Any], pred: Sequence[Any], weights: Sequence[float]) -> dict[str, float]:
    """The values of many weighted measures, right to the last digit."""
    with localcontext() as context:
        context.prec = 170  # products of pairs of pairs are exact
        return {name: float(value) for name, value in _values(Weighed(true, pred, weights)).items()}
