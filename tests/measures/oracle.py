"""What every measure means, written from sets of points, slowly: the library's sums are held against this.

Clusterings are lists of sets. Where only one side has a point, coreference measures count it; the others are asked
about clusterings of the same points only. Rational measures are exact fractions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations

Clustering = list[frozenset[object]]
Value = float | Fraction


def sets(labels: list[object] | tuple[object, ...]) -> Clustering:
    """A list of labels as a list of sets of positions."""
    clusters: dict[object, set[object]] = {}
    for point, label in enumerate(labels):
        clusters.setdefault(label, set()).add(point)
    return [frozenset(c) for c in clusters.values()]


def points(x: Clustering) -> frozenset[object]:
    return frozenset().union(*x)


def together(x: Clustering) -> set[frozenset[object]]:
    return {frozenset(pair) for cluster in x for pair in combinations(cluster, 2)}


def apart(x: Clustering) -> set[frozenset[object]]:
    return {frozenset(pair) for pair in combinations(points(x), 2)} - together(x)


def ratio(above: Value, below: Value, otherwise: Value) -> Value:
    return Fraction(above) / below if below else Fraction(otherwise)


def same(t: Clustering, p: Clustering) -> bool:
    return set(t) == set(p)


def f(precision: Value, recall: Value, beta: Value = 1) -> Value:
    return ratio((1 + beta**2) * precision * recall, beta**2 * precision + recall, 0)


# ---- pairs


def pair_counts(t: Clustering, p: Clustering) -> tuple[int, int, int, int]:
    """Pairs together in both, in true only, in pred only, and in neither."""
    a, b = together(t), together(p)
    return len(a & b), len(a - b), len(b - a), math.comb(len(points(t)), 2) - len(a | b)


def rand(t: Clustering, p: Clustering) -> Value:
    both, true, pred, none = pair_counts(t, p)
    return ratio(both + none, both + true + pred + none, 1)


def ari(t: Clustering, p: Clustering) -> Value:
    both, true, pred, none = pair_counts(t, p)
    expected = ratio((both + true) * (both + pred), both + true + pred + none, 0)
    return ratio(both - expected, Fraction(2 * both + true + pred, 2) - expected, 1)


def pair_precision(t: Clustering, p: Clustering) -> Value:
    both, _, pred, _ = pair_counts(t, p)
    return ratio(both, both + pred, 1)


def jaccard(t: Clustering, p: Clustering) -> Value:
    both, true, pred, _ = pair_counts(t, p)
    return ratio(both, both + true + pred, 1)


def fowlkes_mallows(t: Clustering, p: Clustering) -> Value:
    return 1 if same(t, p) else math.sqrt(pair_precision(t, p) * pair_precision(p, t))


def fowlkes_mallows_zero(t: Clustering, p: Clustering) -> Value:
    """Fowlkes-Mallows where a side without pairs counts as 0."""
    if same(t, p):
        return 1
    return 0 if not together(t) or not together(p) else fowlkes_mallows(t, p)


def afm(t: Clustering, p: Clustering) -> Value:
    if same(t, p):
        return 1
    a, b, every = len(together(t)), len(together(p)), math.comb(len(points(t)), 2)
    if not a or not b:
        return 0
    expected = math.sqrt(a * b) / every
    return (fowlkes_mallows(t, p) - expected) / (1 - expected)


def mirkin(t: Clustering, p: Clustering) -> Value:
    return 2 * len(together(t) ^ together(p))


def correlation(t: Clustering, p: Clustering) -> Value:
    """Pearson's correlation of two lists of zeros and ones."""
    if same(t, p):
        return 1
    every = [frozenset(pair) for pair in combinations(points(t), 2)]
    x, y = ([float(pair in together(side)) for pair in every] for side in (t, p))
    mean_x, mean_y = math.fsum(x) / len(x), math.fsum(y) / len(y)
    cov = math.fsum((i - mean_x) * (j - mean_y) for i, j in zip(x, y, strict=True))
    spread = [math.fsum((i - m) ** 2 for i in side) for side, m in ((x, mean_x), (y, mean_y))]
    return cov / math.sqrt(spread[0] * spread[1]) if min(spread) > 1e-12 else 0


# ---- matching


def best_parts(t: Clustering, p: Clustering) -> int:
    """Σ over the clusters of t of the largest part that a cluster of p holds."""
    return sum(max(len(x & y) for y in p) for x in t)


def best_matching(
    t: Clustering, p: Clustering, value: Callable[[frozenset[object], frozenset[object]], Value]
) -> Value:
    """The greatest total value of a one-to-one matching, by trying them all."""
    few, many = (t, p) if len(t) <= len(p) else (p, t)
    flip = few is not t
    return max(
        sum((value(y, x) if flip else value(x, y)) for x, y in zip(few, chosen, strict=True))
        for chosen in permutations(many, len(few))
    )


def overlap(x: frozenset[object], y: frozenset[object]) -> Value:
    return Fraction(len(x & y), len(x | y))


def accuracy(t: Clustering, p: Clustering) -> Value:
    return Fraction(best_matching(t, p, lambda x, y: len(x & y))) / len(points(t))


def f_measure(t: Clustering, p: Clustering, beta: Value = 1) -> Value:
    def fit(x: frozenset[object], y: frozenset[object]) -> Value:
        return f(Fraction(len(x & y), len(y)), Fraction(len(x & y), len(x)), beta)

    return sum(Fraction(len(x), len(points(t))) * max(fit(x, y) for y in p) for x in t)


def closest(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall."""
    return sum(max(overlap(x, y) for x in t) for y in p) / Fraction(len(p))


def exact(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall."""
    return Fraction(len(set(t) & set(p)), len(p))


def npa(t: Clustering, p: Clustering) -> Value:
    k = max(len(t), len(p))
    return ratio(accuracy(t, p) - Fraction(1, k), 1 - Fraction(1, k), 1)


def nca(t: Clustering, p: Clustering) -> Value:
    k = max(len(t), len(p))
    share = best_matching(t, p, lambda x, y: Fraction(len(x & y), len(x))) / Fraction(len(t))
    return ratio(share - Fraction(1, k), 1 - Fraction(1, k), 1)


def psi(t: Clustering, p: Clustering, expected: Value | None = None) -> Value:
    n, k = len(points(t)), max(len(t), len(p))
    fit = best_matching(t, p, lambda x, y: Fraction(len(x & y), max(len(x), len(y))))
    if expected is None:
        ranked = (sorted(map(len, side), reverse=True) for side in (t, p))
        expected = sum(Fraction(a * b, n * max(a, b)) for a, b in zip(*ranked, strict=False))
    return 1 if same(t, p) else max(Fraction(0), (fit - expected) / (k - expected))


# ---- information


def entropy(x: Clustering) -> float:
    n = len(points(x))
    return math.fsum(len(c) / n * math.log(n / len(c)) for c in x)


def meet(t: Clustering, p: Clustering) -> Clustering:
    return [x & y for x in t for y in p if x & y]


def mutual(t: Clustering, p: Clustering) -> float:
    return entropy(t) + entropy(p) - entropy(meet(t, p))


def given(x: Clustering, y: Clustering) -> float:
    """H(x | y)."""
    return entropy(meet(x, y)) - entropy(y)


AVERAGES: dict[str, Callable[[Clustering, Clustering], float]] = {
    "arithmetic": lambda t, p: (entropy(t) + entropy(p)) / 2,
    "max": lambda t, p: max(entropy(t), entropy(p)),
    "min": lambda t, p: min(entropy(t), entropy(p)),
    "geometric": lambda t, p: math.sqrt(entropy(t) * entropy(p)),
    "joint": lambda t, p: entropy(meet(t, p)),
}


def nmi(t: Clustering, p: Clustering, average: str = "arithmetic") -> float:
    norm = AVERAGES[average](t, p)
    return 1.0 if same(t, p) else (mutual(t, p) / norm if norm > 1e-12 else 0.0)


def expected_mutual(t: Clustering, p: Clustering) -> float:
    """Mean mutual information over all permutations of the points, from the hypergeometric distribution."""
    n = len(points(t))
    terms = []
    for a in map(len, t):
        for b in map(len, p):
            for m in range(max(1, a + b - n), min(a, b) + 1):
                chance = Fraction(math.comb(a, m) * math.comb(n - a, b - m), math.comb(n, b))
                terms.append(float(chance) * m / n * math.log(n * m / (a * b)))
    return math.fsum(terms)


def ami(t: Clustering, p: Clustering, average: str = "arithmetic") -> float:
    expected = expected_mutual(t, p)
    below = AVERAGES[average](t, p) - expected
    if same(t, p):
        return 1.0
    return (mutual(t, p) - expected) / below if abs(below) > 1e-12 else 0.0


def homogeneity(t: Clustering, p: Clustering) -> float:
    return 1.0 if entropy(t) < 1e-12 else 1 - given(t, p) / entropy(t)


def v_measure(t: Clustering, p: Clustering, beta: float = 1.0) -> float:
    h, c = homogeneity(t, p), homogeneity(p, t)
    return (1 + beta) * h * c / (beta * h + c) if beta * h + c > 1e-12 else 0.0


def distance_share(t: Clustering, p: Clustering, above: float, below: float) -> float:
    return 0.0 if same(t, p) else above / below


# ---- points one by one


def of(x: Clustering, point: object) -> frozenset[object]:
    return next((c for c in x if point in c), frozenset())


def b_cubed(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall."""
    shares = [Fraction(len(of(t, i) & of(p, i)), len(of(p, i))) for i in points(p)]
    return sum(shares) / Fraction(len(shares))


def element_centric(t: Clustering, p: Clustering) -> Value:
    return sum(
        Fraction(len(of(t, i) & of(p, i)), max(len(of(t, i)), len(of(p, i)))) for i in points(t)
    ) / Fraction(len(points(t)))


# ---- coreference, where either side may lack mentions


def mentions(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall."""
    return Fraction(len(points(t) & points(p)), len(points(p)))


def muc(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall. A cluster falls into as many parts as the other side makes of it."""
    right = links = 0
    for y in p:
        parts = sum(1 for x in t if x & y) + len(y - points(t))
        right += len(y) - parts
        links += len(y) - 1
    return ratio(right, links, 0)


def ceaf_m(t: Clustering, p: Clustering) -> Value:
    return Fraction(best_matching(t, p, lambda x, y: len(x & y))) / len(points(p))


def ceaf_e(t: Clustering, p: Clustering) -> Value:
    return best_matching(t, p, lambda x, y: Fraction(2 * len(x & y), len(x) + len(y))) / Fraction(len(p))


def blanc(t: Clustering, p: Clustering) -> tuple[Value, Value, Value]:
    """Precision, recall and F1."""
    kinds = []
    for links in (together, apart):
        true, pred = links(t), links(p)
        if true:
            precision, recall = ratio(len(true & pred), len(pred), 0), Fraction(len(true & pred), len(true))
            kinds.append((precision, recall, f(precision, recall)))
    if not kinds:
        return Fraction(0), Fraction(0), Fraction(0)
    precision, recall, harmonic = (sum(column) / Fraction(len(kinds)) for column in zip(*kinds, strict=True))
    return precision, recall, harmonic


def lea(t: Clustering, p: Clustering) -> Value:
    """Precision; the other way round recall."""
    total = Fraction(0)
    for y in p:
        if len(y) == 1:
            total += 1 if y in t else 0
        else:
            kept = sum(math.comb(len(x & y), 2) for x in t)
            total += len(y) * Fraction(kept, math.comb(len(y), 2))
    return total / len(points(p))


def conll(t: Clustering, p: Clustering) -> Value:
    return sum(f(m(t, p), m(p, t)) for m in (muc, b_cubed, ceaf_e)) / Fraction(3)


# ---- edits


def edit_distance(t: Clustering, p: Clustering) -> int:
    """Fewest splits followed by merges, by trying all splits of both (a merge is a split backwards)."""
    from_true, from_pred = _splits(frozenset(t)), _splits(frozenset(p))
    return min(from_true[x] + from_pred[x] for x in from_true.keys() & from_pred.keys())


def _splits(x: frozenset[frozenset[object]]) -> dict[frozenset[frozenset[object]], int]:
    """All clusterings that splits make of x, and the fewest splits it takes."""
    found, now, steps = {x: 0}, {x}, 0
    while now:
        steps += 1
        now = {after for before in now for after in _one_split(before)} - found.keys()
        found |= dict.fromkeys(now, steps)
    return found


def _one_split(x: frozenset[frozenset[object]]) -> set[frozenset[frozenset[object]]]:
    out = set()
    for cluster in x:
        first, *rest = cluster
        for size in range(len(rest)):
            for chosen in combinations(rest, size):
                part = frozenset([first, *chosen])
                out.add(x - {cluster} | {part, cluster - part})
    return out


def split_count(t: Clustering, p: Clustering) -> int:
    return sum(sum(1 for y in p if x & y) - 1 for x in t)


Oracle = Callable[[Clustering, Clustering], Value]


def _family(name: str, precision: Oracle) -> dict[str, Oracle]:
    return {
        f"{name}.precision": precision,
        f"{name}.recall": lambda t, p: precision(p, t),
        f"{name}.f1": lambda t, p: f(precision(t, p), precision(p, t)),
        f"{name}.f(beta=2)": lambda t, p: f(precision(t, p), precision(p, t), 2),
    }


#: Those that also take clusterings of different points.
COREFERENCE: dict[str, Oracle] = {
    **_family("mentions", mentions),
    **_family("muc", muc),
    **_family("b3", b_cubed),
    **_family("ceaf_m", ceaf_m),
    **_family("ceaf_e", ceaf_e),
    **_family("lea", lea),
    "blanc.precision": lambda t, p: blanc(t, p)[0],
    "blanc.recall": lambda t, p: blanc(t, p)[1],
    "blanc.f1": lambda t, p: blanc(t, p)[2],
    "conll": conll,
}


# ---- indices of pairs under other names


def _indices() -> dict[str, Oracle]:
    """Formulas as their sources have them: pairs together in both, in one only, in neither."""

    def of(formula: Callable[[int, int, int, int], Value]) -> Oracle:
        return lambda t, p: formula(*pair_counts(t, p))

    def tau(yy: int, yn: int, ny: int, nn: int) -> Value:
        every = yy + yn + ny + nn
        below = (every - yy) * every
        return (yy + nn - yn - ny) / math.sqrt(below) if below else 1

    return {
        "sokal_sneath_1": of(lambda yy, yn, ny, nn: ratio(yy, yy + 2 * (yn + ny), 1)),
        "sokal_sneath_2": of(lambda yy, yn, ny, nn: ratio(yy + nn, yy + nn + Fraction(yn + ny, 2), 1)),
        "kulczynski": of(lambda yy, yn, ny, nn: (ratio(yy, yy + yn, 1) + ratio(yy, yy + ny, 1)) / 2),
        "mcnemar": of(lambda yy, yn, ny, nn: (yn - ny) / math.sqrt(yn + ny) if yn + ny else 0),
        "russel_rao": of(lambda yy, yn, ny, nn: ratio(yy, yy + yn + ny + nn, 1)),
        "gamma": of(lambda yy, yn, ny, nn: ratio(yy + nn - yn - ny, yy + yn + ny + nn, 1)),
        "g_plus": of(lambda yy, yn, ny, nn: ratio(yn + ny, yy + yn + ny + nn, 0)),
        "tau": of(tau),
        "overlap": of(lambda yy, yn, ny, nn: ratio(yy, min(yy + yn, yy + ny), 1)),
        "tversky": of(lambda yy, yn, ny, nn: ratio(yy, yy + yn + ny, 1)),
        "tversky(alpha=0.25, beta=2)": of(lambda yy, yn, ny, nn: ratio(yy, yy + Fraction(yn, 4) + 2 * ny, 1)),
        "partition_difference": of(lambda yy, yn, ny, nn: nn),
        "correlation_distance": lambda t, p: (
            0 if same(t, p) else math.acos(max(-1.0, min(1.0, float(correlation(t, p))))) / math.pi
        ),
    }


def mari(t: Clustering, p: Clustering) -> Value:
    """Chance from every choice of two pairs without a common point."""
    if same(t, p):
        return 1
    first, second = together(t), together(p)
    pairs = [frozenset(pair) for pair in combinations(points(t), 2)]
    if len(points(t)) < 4:
        return 0
    apart = 3 * math.comb(len(points(t)), 4) * 2
    hits = sum(not one & other for one in first for other in second)
    expected = Fraction(hits, apart) * len(pairs)
    return ratio(len(first & second) - expected, Fraction(len(first) + len(second), 2) - expected, 0)


def squared_shares(t: Clustering, p: Clustering) -> Fraction:
    return sum((Fraction(len(a & b) ** 2, len(a) * len(b)) for a in t for b in p), Fraction(0))


def matches(t: Clustering, p: Clustering) -> tuple[Value, Value]:
    """The mean F1 of each predicted cluster with the true clusters it shares most with; the share of those matched."""
    chosen = [(a, b) for b in p for a in t if len(a & b) == max(len(x & b) for x in t)]
    fits = [Fraction(2 * len(a & b), len(a) + len(b)) for a, b in chosen]
    return sum(fits, Fraction(0)) / len(fits), Fraction(len({a for a, _ in chosen}), len(t))


ORACLE: dict[str, Oracle] = {
    **_indices(),
    "mari": mari,
    "chi2": lambda t, p: len(points(t)) * (squared_shares(t, p) - 1),
    "frobenius": lambda t, p: len(t) + len(p) - 2 * squared_shares(t, p),
    "entropy_score": lambda t, p: given(t, p) / math.log(2),
    "nf1": lambda t, p: matches(t, p)[0] * matches(t, p)[1] ** 2 * Fraction(len(t), len(p)),
    "nf1.f1": lambda t, p: matches(t, p)[0],
    "nf1.coverage": lambda t, p: matches(t, p)[1],
    "rand": rand,
    "ari": ari,
    **_family("pairs", pair_precision),
    "adapted_rand_error": lambda t, p: (
        1 - ratio(pair_counts(t, p)[0], Fraction(len(together(t)) + len(together(p)), 2), 1)
    ),
    "jaccard": jaccard,
    "fowlkes_mallows": fowlkes_mallows_zero,
    "afm": afm,
    "mirkin": mirkin,
    "rogers_tanimoto": lambda t, p: rand(t, p) / (2 - rand(t, p)),
    "pairs.correlation": correlation,
    "N": lambda t, p: Fraction(best_parts(t, p) + best_parts(p, t), 2 * len(points(t))),
    "split_join": lambda t, p: 2 * len(points(t)) - best_parts(t, p) - best_parts(p, t),
    "split_join.true": lambda t, p: len(points(t)) - best_parts(t, p),
    "split_join.pred": lambda t, p: len(points(t)) - best_parts(p, t),
    "purity": lambda t, p: Fraction(best_parts(p, t), len(points(t))),
    "inverse_purity": lambda t, p: Fraction(best_parts(t, p), len(points(t))),
    "geometric_accuracy": lambda t, p: math.sqrt(best_parts(t, p) * best_parts(p, t)) / len(points(t)),
    "f_measure": f_measure,
    "f_measure(beta=2)": lambda t, p: f_measure(t, p, 2),
    **_family("closest", closest),
    **_family("clusters", exact),
    "A": accuracy,
    "classification_error": lambda t, p: 1 - accuracy(t, p),
    "npa": npa,
    "nca": nca,
    "psi": psi,
    "spsi": lambda t, p: psi(t, p, Fraction(1)),
    "I": mutual,
    "I(base=2)": lambda t, p: mutual(t, p) / math.log(2),
    "entropy.true": lambda t, p: entropy(t),
    "entropy.pred": lambda t, p: entropy(p),
    "entropy.joint": lambda t, p: entropy(meet(t, p)),
    "nmi_max": lambda t, p: nmi(t, p, "max"),
    **{f"nmi(average={name})": (lambda t, p, name=name: nmi(t, p, name)) for name in AVERAGES},  # type: ignore[misc]
    "nmi": nmi,
    "nid": lambda t, p: 1 - nmi(t, p, "max"),
    "nvi": lambda t, p: 1 - nmi(t, p, "joint"),
    **{f"ami(average={name})": (lambda t, p, name=name: ami(t, p, name)) for name in AVERAGES},  # type: ignore[misc]
    "ami": ami,
    "homogeneity": homogeneity,
    "completeness": lambda t, p: homogeneity(p, t),
    "v_measure": v_measure,
    "v_measure(beta=2)": lambda t, p: v_measure(t, p, 2),
    "vi": lambda t, p: given(t, p) + given(p, t),
    "vi(base=2)": lambda t, p: (given(t, p) + given(p, t)) / math.log(2),
    "vi.split": lambda t, p: given(p, t),
    "vi.merge": lambda t, p: given(t, p),
    "V": lambda t, p: (
        1 - (given(t, p) + given(p, t)) / math.log(len(points(t))) if len(points(t)) > 1 else 1.0
    ),
    "element_centric": element_centric,
    "gmd": lambda t, p: split_count(t, p) + split_count(p, t),
    "gmd(split=2, merge=3)": lambda t, p: 2 * split_count(t, p) + 3 * split_count(p, t),
    "gmd(split=product, merge=product)": lambda t, p: len(together(t) ^ together(p)),
    "gmd(split=entropy, merge=entropy)": lambda t, p: given(t, p) + given(p, t),
    "edits": lambda t, p: split_count(t, p) + split_count(p, t),
    "edits.splits": split_count,
    "edits.merges": lambda t, p: split_count(p, t),
    "talburt_wang": lambda t, p: (
        math.sqrt(len(t) * len(p)) / sum(bool(one & other) for one in t for other in p)
    ),
    "edits.moves": lambda t, p: len(points(t)) * (1 - accuracy(t, p)),
    **COREFERENCE,
}
