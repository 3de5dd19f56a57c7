"""Weighted measures by their definitions, in 170 digits: slow, obvious, and far more exact than a double."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from itertools import combinations, permutations
from typing import Any

Number = Decimal
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")


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
        self.same = len(self.m) == len(self.a) == len(self.b)

    def sums(self, key: Callable[[Any, Any], Any]) -> dict[Any, Number]:
        out: dict[Any, Number] = defaultdict(Decimal)
        for t, p, w in self.points:
            out[key(t, p)] += w
        return out

    def mean(self, term: Callable[[Number, Number, Number], Number]) -> Number:
        """The sum over cells of a function of their mass and those of their two clusters, over the total."""
        return sum((term(m, self.a[t], self.b[p]) for (t, p), m in self.m.items()), Decimal(0)) / self.total

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

    def largest(self, side: int) -> Number:
        """The largest part of each cluster of one side, added up."""
        return sum(
            (
                max(m for cell, m in self.m.items() if cell[side] == cluster)
                for cluster in (self.a, self.b)[side]
            ),
            Decimal(0),
        )

    @property
    def matched(self) -> Number:
        """The best one-to-one matching, by trying them all."""
        few, many = sorted((list(self.a), list(self.b)), key=len)
        flip = len(self.a) > len(self.b)
        parts = {(p, t) if flip else (t, p): m for (t, p), m in self.m.items()}
        return max(
            sum((parts.get(pair, Decimal(0)) for pair in zip(few, chosen, strict=True)), Decimal(0))
            for chosen in permutations(many, len(few))
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

    def combined(self, kind: str, sigma: Callable[[Number, Number], Number]) -> Number:
        s, t = self.split(0, kind), self.split(1, kind)
        return sum((m * sigma(s[c[0]], t[c[1]]) for c, m in self.m.items()), Decimal(0)) / self.total


def ratio(x: Number, y: Number, empty: Number | int = 1) -> Number:
    return x / y if y else Decimal(empty)


def product(x: Number, y: Number) -> Number:
    return x * y


def average(x: Number, y: Number) -> Number:
    return (x + y) / 2


def f(x: Number, y: Number) -> Number:
    return ratio(2 * x * y, x + y, 0)


def angle(cosine: Number) -> Number:
    """The angle of a cosine, as a share of the half turn: halved until its sine is the angle, and doubled back."""
    halvings = 0
    while 1 - cosine > Decimal("1e-40"):
        cosine, halvings = ((1 + cosine) / 2).sqrt(), halvings + 1
    return (2 * (1 - cosine)).sqrt() * 2**halvings / PI


def _pairs(x: Weighed) -> dict[str, Number]:
    p, t, c, every = x.counts
    precision, recall, agreement = ratio(p, c), ratio(p, t), ratio(every - t - c + 2 * p, every)
    root, spread = (t * c).sqrt(), (t * (every - t) * c * (every - c)).sqrt()
    correlation = Decimal(1) if x.same else ratio(p * every - t * c, spread, 0)
    afm = ratio(p * every - t * c, root * every - t * c) if t and c else Decimal(0)
    ari = ratio(2 * (p * every - t * c), (t + c) * every - 2 * t * c)
    return {
        "rand": agreement,
        "rogers_tanimoto": agreement / (2 - agreement),
        "sokal_sneath_2": 2 * agreement / (1 + agreement),
        "g_plus": 1 - agreement,
        "gamma": 2 * agreement - 1,
        "mirkin": 2 * (t + c - 2 * p),
        "partition_difference": every - t - c + p,
        "pairs.precision": precision,
        "pairs.recall": recall,
        "pairs.f1": f(precision, recall),
        "adapted_rand_error": 1 - ratio(2 * p, t + c),
        "kulczynski": (precision + recall) / 2,
        "overlap": ratio(p, min(t, c)),
        "russel_rao": ratio(p, every),
        "jaccard": ratio(p, t + c - p),
        "tversky": ratio(p, t + c - p),
        "sokal_sneath_1": ratio(p, 2 * t + 2 * c - 3 * p),
        "fowlkes_mallows": Decimal(1) if x.same else ratio(p, root, 0),
        "ari": Decimal(1) if x.same else ari,
        "afm": Decimal(1) if x.same else afm,
        "pairs.correlation": correlation,
        "correlation_distance": angle(correlation),
    }


def _information(x: Weighed) -> dict[str, Number]:
    joint, true, pred = (x.entropy(sizes.values()) for sizes in (x.m, x.a, x.b))
    bottom = x.entropy([w for _, _, w in x.points])
    mutual, both_ways = true + pred - joint, 2 * joint - true - pred
    homogeneity, completeness = ratio(mutual, true), ratio(mutual, pred)
    common = x.mean(lambda m, a, b: x.total * m * m / (a * b))
    return {
        "I": mutual,
        "vi": both_ways,
        "vi.split": joint - true,
        "vi.merge": joint - pred,
        "entropy_score": (joint - pred) / Decimal(2).ln(),
        "entropy.true": true,
        "entropy.pred": pred,
        "entropy.joint": joint,
        "nmi": ratio(mutual, (true + pred) / 2, x.same),
        "nmi_max": ratio(mutual, max(true, pred), x.same),
        "nid": 1 - ratio(mutual, max(true, pred), x.same),
        "nvi": 1 - ratio(mutual, joint, x.same),
        "V": 1 - ratio(both_ways, bottom, 0),
        "K(k=60)": 1 - both_ways / (2 * Decimal(60).ln()),
        "homogeneity": homogeneity,
        "completeness": completeness,
        "v_measure": ratio(2 * homogeneity * completeness, homogeneity + completeness, 0),
        "chi2": x.total * (common - 1),
        "frobenius": len(x.a) + len(x.b) - 2 * common,
    }


def _others(x: Weighed) -> dict[str, Number]:
    rows, columns, matched = x.largest(0), x.largest(1), x.matched
    recall, precision = x.mean(lambda m, a, b: m * m / a), x.mean(lambda m, a, b: m * m / b)
    k = max(len(x.a), len(x.b))
    fits = {t: max(2 * m / (x.a[t] + x.b[p]) for (r, p), m in x.m.items() if r == t) for t in x.a}
    return {
        "S_H": x.combined("entropy", product),
        "S'": x.combined("entropy", average),
        "S*(pairs)": x.combined("pairs", product),
        "S'(pairs)": x.combined("pairs", average),
        "b3.recall": recall,
        "b3.precision": precision,
        "b3.f1": f(precision, recall),
        "element_centric": x.mean(lambda m, a, b: m * m / max(a, b)),
        "inverse_purity": rows / x.total,
        "purity": columns / x.total,
        "geometric_accuracy": (rows * columns).sqrt() / x.total,
        "N": (rows + columns) / (2 * x.total),
        "split_join.true": x.total - rows,
        "split_join.pred": x.total - columns,
        "split_join": 2 * x.total - rows - columns,
        "f_measure": sum((x.a[t] * fit for t, fit in fits.items()), Decimal(0)) / x.total,
        "A": matched / x.total,
        "classification_error": 1 - matched / x.total,
        "edits.moves": x.total - matched,
        "npa": max(Decimal(0), ratio(k * matched / x.total - 1, Decimal(k - 1))),
    }


def exact(
    true: Sequence[Any], pred: Sequence[Any], weights: Sequence[float], digits: int = 170
) -> dict[str, float]:
    """The values of all weighted measures, right to the last digit if products of pairs of pairs are exact."""
    with localcontext() as context:
        context.prec = digits
        x = Weighed(true, pred, weights)
        return {name: float(value) for name, value in (_pairs(x) | _information(x) | _others(x)).items()}
