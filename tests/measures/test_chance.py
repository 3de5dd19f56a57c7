"""Chance: exact means against enumeration and against 40 digits, draws, and what cd.chance tells of them."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

import clusterdiff as cd
from clusterdiff import _core
from clusterdiff.diff.chance import expected
from clusterdiff.measures.chance import s_h, s_h_lost, s_pairs
from clusterdiff.measures.largest import MOST_POINTS, expected_largest
from clusterdiff.measures.sampling import drawn_as, random_meets
from clusterdiff.measures.variance import pair_variance
from clusterdiff.meet.margins import Margins, SizeCounts
from tests.cases import cases
from tests.conftest import clusterings

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "chance.json").read_text())
BOUND = {"K": "K(k=6)"}
NAMES = [BOUND.get(name, name) for name, measure in cd.measures.items() if measure.needs is None]
VARIANTS = [
    *(
        "S*(pairs)",
        "S*(largest)",
        "S'(pairs)",
        "nmi(average=max)",
        "nmi(average=min)",
        "nmi(average=geometric)",
    ),
    *("v_measure(beta=2)", "I(base=2)", "vi(base=2)", "pairs.f(beta=2)", "adapted_rand_error(alpha=0.2)"),
    *("ami(average=max)", "ami(average=min)", "ami(average=geometric)"),
]


def margins(true: Iterable[int], pred: Iterable[int]) -> Margins:
    return Margins(*(SizeCounts.of(np.array(list(sizes), dtype=np.int64)) for sizes in (true, pred)))


class Holds:
    """What has margins."""

    def __init__(self, held: Margins) -> None:
        self.margins = held


def close(found: float, wanted: str | float, tolerance: float = 1e-12) -> bool:
    return abs(found - float(wanted)) <= tolerance * abs(float(wanted))


@cases("case", GOLDEN)
def test_golden_means(case: dict[str, object]) -> None:
    """Means agree with sums of 40 digits and with rationals to 12 digits, the loss's as well."""
    held = margins(case["true"], case["pred"])  # type: ignore[arg-type]
    assert close(s_h(held), case["S_H"])  # type: ignore[arg-type]
    assert close(s_h_lost(Holds(held)), case["1-S_H"])  # type: ignore[arg-type]
    assert close(s_pairs(held), case["S*(pairs)"])  # type: ignore[arg-type]
    largest = max(held.true.sizes[-1], held.pred.sizes[-1])
    if case["S*(largest)"] is not None and largest <= MOST_POINTS:
        assert close(expected_largest(held), case["S*(largest)"])  # type: ignore[arg-type]


@cache
def enumerated(n: int) -> dict[tuple[tuple[int, ...], tuple[int, ...]], list[cd.Meet]]:
    """All meets of n points by the sizes on both sides: one truth for each, every prediction."""
    by_sizes: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    for labels in clusterings(n):
        by_sizes.setdefault(tuple(sorted(np.bincount(labels))), []).append(labels)
    return {
        (one, other): [cd.Meet.from_labels(np.array(truths[0]), np.array(pred)) for pred in preds]
        for one, truths in by_sizes.items()
        for other, preds in by_sizes.items()
    }


@pytest.mark.filterwarnings("ignore:K")
@cases("name", [*NAMES, *VARIANTS])
def test_means_are_those_over_all_permutations(name: str) -> None:
    """What a measure says of its mean is what trying all clusterings of these sizes gives."""
    measure = cd.measures[name]
    known = 0
    for n in (2, 3, 4, 5, 6):
        for sizes, meets in enumerated(n).items():
            held = margins(*sizes)
            mean = None if held.fixed else expected(measure, held)
            if mean is not None:
                known += 1
                assert mean == pytest.approx(float(np.mean([measure(meet) for meet in meets])), abs=1e-12)
    assert bool(known) == (measure.linear or measure.baseline is not None)


def reference(true: list[int], pred: list[int]) -> tuple[float, float]:
    """E[S_H] and E[1 − S_H] from the definition: a sum over cells, in long doubles, with every weight that counts."""
    held = margins(true, pred)
    n = held.n
    high = np.longdouble

    def g(x: np.ndarray) -> np.ndarray:
        x = np.asarray(x, dtype=high)
        return np.where(x > 0, x * np.log(np.maximum(x, 1)), high(0))

    def weights(n: int, k: int, r: int) -> tuple[np.ndarray, np.ndarray]:
        x = np.arange(max(0, r + k - n), min(k, r) + 1)
        y = x[:-1].astype(high)
        logs = np.concatenate(
            [[high(0)], np.cumsum(np.log((k - y) * (r - y) / ((y + 1) * (n - k - r + y + 1))))]
        )
        w = np.exp(logs - logs.max())
        return x, w / w.sum()

    @cache
    def others(own: SizeCounts, b: int, r: int) -> np.longdouble:
        total = high(0)
        for other, count in zip(own.sizes.tolist(), own.counts.tolist(), strict=True):
            if times := count - (other == b):
                x, w = weights(n - b, other, r)
                total += times * (w * g(x)).sum()
        return total

    def rest(own: SizeCounts, b: int, asked: np.ndarray) -> np.ndarray:
        return np.array([others(own, b, r) for r in asked.tolist()], dtype=high)

    kept = lost = high(0)
    for a, ca in zip(held.true.sizes.tolist(), held.true.counts.tolist(), strict=True):
        for b, cb in zip(held.pred.sizes.tolist(), held.pred.counts.tolist(), strict=True):
            x, w = weights(n, a, b)
            x, w = x[w > 1e-25], w[w > 1e-25]
            s = (g(x) + rest(held.pred, b, a - x)) / g(a) if a > 1 else np.ones(len(x), dtype=high)
            t = (g(x) + rest(held.true, a, b - x)) / g(b) if b > 1 else np.ones(len(x), dtype=high)
            kept += ca * cb * (w * x * s * t).sum()
            lost += ca * cb * (w * x * (1 - s * t)).sum()
    return float(kept / n), float(lost / n)


@cases(
    ("true", "pred"),
    [
        (list(range(1, 27)), list(range(1, 27))),  # more than 24 sizes: small clusters share their sums
        ([*range(60, 72), 150], [*range(50, 62), *[100] * 4, *[1] * 50]),  # beyond 64 points: series
        ([300, 200, 100, 50, 25], [400, 275]),
        ([2] * 100 + [90] * 3, [470]),
        ([2] * 100 + [90] * 3, [235, 235]),
        # More than 24 sizes, more than 18 of them between two powers of 2, and nearly everything in one cluster of the
        # other side: sizes that are no longer whole, and nearly all points drawn.
        (list(range(64, 90)), [2, 1987]),
        (list(range(64, 90)), [60, 1929]),
        ([*range(64, 90), 2000], [1, 3, 3985]),
    ],
)
def test_means_against_long_doubles(true: list[int], pred: list[int]) -> None:
    """The shortcuts (shared sums, interpolation, few places of a bell) cost no digits."""
    rest = sum(true) - sum(pred)
    pred = [*pred, *[1] * rest] if rest > 0 else pred
    true = [*true, *[1] * -rest] if rest < 0 else true
    held = margins(true, pred)
    kept, lost = reference(true, pred)
    assert close(s_h(held), kept)
    assert close(s_h_lost(Holds(held)), lost)  # type: ignore[arg-type]


def test_the_mean_and_the_loss_add_up_at_any_size() -> None:
    """E[S_H] + E[1 − S_H] = 1, though the two share no term; sizes up to 10^12."""
    rng = np.random.default_rng(0)
    for n, k in ((1000, 30), (10**5, 300), (10**6, 1000), (10**9, 50), (10**12, 7)):
        sides = []
        for _ in range(2):
            cuts = np.unique(rng.integers(1, n, k - 1))
            sides.append(np.diff(np.concatenate([[0], cuts, [n]])))
        held = margins(*sides)
        assert s_h(held) + s_h_lost(Holds(held)) == pytest.approx(1.0, abs=1e-13)  # type: ignore[arg-type]


def drawn_sizes(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct sizes of a clustering of n points and their counts: with or without a giant, few or many sizes."""
    giant = int(n * rng.choice([0, 0, 0.1, 0.5, 0.9, 0.99, 0.99999]))
    rest = n - giant
    match rng.integers(5):
        case 0:  # nearly equal
            sizes = rng.multinomial(rest, np.full(k := int(rng.integers(1, 120)), 1 / k))
        case 1:  # of every order of magnitude
            sizes = np.floor(rest * rng.dirichlet(np.full(int(rng.integers(2, 400)), rng.choice([0.1, 1.0]))))
        case 2:  # all different
            sizes = np.arange(1, min(400, int(np.sqrt(2 * rest)) + 1))
        case 3:  # most are tiny
            sizes = rng.zipf(1.8, 1000)
            sizes = sizes[np.cumsum(sizes) <= rest]
        case _:  # pairs
            sizes = np.full(min(rest // 2, 1000), 2)
    sizes = sizes[np.cumsum(sizes) <= rest].astype(np.int64)
    sizes = np.concatenate([sizes, [giant, rest - sizes.sum()]])
    return np.unique(sizes[sizes > 0], return_counts=True)


@cases("seed", range(4))
def test_the_work_is_bounded_whatever_the_sizes(seed: int) -> None:
    """No sizes take more terms than stated, from 10^2 to 10^7 points, and the mean and the loss add up."""
    rng = np.random.default_rng(seed)
    for _ in range(8):
        n = int(10 ** rng.uniform(2, 7))
        true, pred = drawn_sizes(rng, n), drawn_sizes(rng, n)
        kept, lost = (_core.expected_s_h(*true, *pred, side) for side in (False, True))
        sizes = len(true[0]) + len(pred[0])
        # The sums over other clusters are found at so many places of one size, and sizes are condensed to as many.
        places = 64 + 18 * max(1, np.ceil(np.log2(n / 32)))
        bound = 100 * (
            len(true[0]) * len(pred[0]) + places * (24 * min(sizes, 48) + 9 * sizes + 36 * min(sizes, places))
        )
        assert max(kept.terms, lost.terms) <= bound, (n, true, pred)
        assert kept.value + lost.value == pytest.approx(1.0, abs=1e-14), (n, true, pred)


def test_ordinary_data_with_one_giant_cluster_ends() -> None:
    """Thirty classes against a clustering that found nearly nothing."""
    true = np.random.default_rng(0).integers(0, 30, 30_000)
    for few in (2, 3000, 12_000):
        pred = np.zeros(30_000, dtype=np.int64)
        pred[:few] = 1
        assert abs(cd.score(true, pred, "as_h")) < 0.01


def test_the_same_bits_for_any_number_of_threads() -> None:
    """Threads change neither means nor draws."""
    code = (
        "import numpy as np\n"
        "from clusterdiff import _core\n"
        "a = np.arange(100, 400)\n"
        "one = np.ones(300, dtype=np.int64)\n"
        "print([repr(_core.expected_s_h(a, one, a, one, lost).value) for lost in (False, True)])\n"
        "print([c.sizes.tolist()[:9] for c in _core.sample_cells(a[:60], a[:60], 7, 0, 40)])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "CLUSTERDIFF_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2", "5")
    }
    assert len(runs) == 1


# ---- draws


def test_tables_are_drawn_as_often_as_they_should() -> None:
    """Each of the tables with these margins comes as often as permuted labels make it."""
    true, pred = np.array([3, 2, 2]), np.array([4, 3])
    tables = [
        tuple(map(tuple, dense(cells).tolist())) for cells in _core.sample_cells(true, pred, 3, 0, 20000)
    ]
    found = {table: tables.count(table) for table in set(tables)}
    rows, columns = np.repeat(range(3), true), np.repeat(range(2), pred)
    rng = np.random.default_rng(1)
    other = [
        tuple(map(tuple, dense(_core.meet(rows, rng.permutation(columns))).tolist())) for _ in range(20000)
    ]
    wanted = {table: other.count(table) for table in set(other)}
    assert found.keys() == wanted.keys()
    table = np.array([[found[key], wanted[key]] for key in found])
    assert stats.chi2_contingency(table).pvalue > 1e-4


def dense(cells: _core.Cells) -> np.ndarray:
    out = np.zeros((cells.k_true, cells.k_pred), dtype=np.int64)
    out[np.repeat(range(cells.k_true), np.diff(cells.indptr)), cells.cols] = cells.sizes
    return out


@pytest.mark.parametrize(("n", "k"), [(10**5, 3), (10**6, 20), (3 * 10**6, 2)])
def test_large_cells_have_the_hypergeometric_mean_and_spread(n: int, k: int) -> None:
    """Cells too large to be counted up to, by the method for those."""
    sizes = np.full(k, n // k)
    sizes[0] += n - sizes.sum()
    drawn = np.array([dense(cells)[0, -1] for cells in _core.sample_cells(sizes, sizes, 5, 0, 3000)])
    right = stats.hypergeom(n, int(sizes[0]), int(sizes[-1]))
    assert abs(drawn.mean() - right.mean()) < 5 * right.std() / 3000**0.5
    assert abs(drawn.std() / right.std() - 1) < 0.07
    assert (
        stats.kstest(drawn + np.random.default_rng(0).random(3000), lambda x: right.cdf(np.floor(x))).pvalue
        > 1e-6
    )


def test_margins_of_draws_are_kept() -> None:
    """Whichever way meets are drawn, the clusters keep their sizes."""
    for true, pred, way in (([50, 30, 20], [60, 40], "tables"), ([2] * 10, [3] * 6 + [2], "points")):
        held = margins(true, pred)
        assert drawn_as(held) == way
        drawn = list(random_meets(held, seed=1, draws=5))
        assert len(drawn) == 5
        for meet in drawn:
            assert sorted(meet.true_size) == sorted(true)
            assert sorted(meet.pred_size) == sorted(pred)
        again = list(random_meets(held, seed=1, draws=3))
        assert [m.size.tolist() for m in again] == [m.size.tolist() for m in drawn[:3]]


# ---- adjusted S_H


def test_adjusted_s_h_is_exact_where_it_should_be() -> None:
    """Exactly 1 for identical clusterings and no others, exactly 0 against one cluster or all singletons."""
    for n in (1, 2, 3, 4, 5):
        every = [np.array(labels) for labels in clusterings(n)]
        for true in every:
            for pred in every:
                meet = cd.Meet.from_labels(true, pred)
                value = cd.measures["as_h"](meet)
                assert (value == 1.0) == meet.same
                if not meet.same and {1, n} & {meet.k_true, meet.k_pred}:
                    assert value == 0.0
    assert cd.score(np.zeros(10**6, int), np.zeros(10**6, int), "as_h") == 1.0


def test_coin_flips() -> None:
    """Two equal clusters against coin flips: S_H rises with n, adjusted S_H stays near 0."""
    for n, level in ((1000, 0.7895), (10**6, 0.8971)):
        held = margins([n // 2] * 2, [n // 2] * 2)
        assert s_h(held) == pytest.approx(level, abs=1e-4)
        flips = np.random.default_rng(0).integers(0, 2, n)
        assert abs(cd.score(np.arange(n) % 2, flips, "as_h")) < 0.02


# ---- standardised and reduced


def spread(measure: str, meets: list[cd.Meet]) -> tuple[float, float]:
    values = [cd.measures[measure](meet) for meet in meets]
    return float(np.mean(values)), float(np.std(values))


@cases("n", [2, 3, 4, 5, 6])
def test_standardised_measures_against_enumeration(n: int) -> None:
    """SRI and SMI are z-scores with the mean and deviation over all clusterings of these sizes; PMI₂ is their Φ."""
    for (true, pred), meets in enumerated(n).items():
        for name, base in (("sri", "rand"), ("smi", "I")):
            mean, std = spread(base, meets)
            for meet in meets[:7]:
                wanted = (cd.measures[base](meet) - mean) / std if std > 1e-9 else 0.0
                assert cd.measures[name](meet) == pytest.approx(wanted, abs=1e-9), (true, pred)
        assert cd.measures["pmi2"](meets[0]) == pytest.approx(stats.norm.cdf(cd.measures["sri"](meets[0])))


def test_the_exact_deviation_of_pairs_holds_beyond_64_bits() -> None:
    """Whole numbers stay whole: two halves of 10^12 points."""
    held = margins([5 * 10**11] * 2, [5 * 10**11] * 2)
    cell = stats.hypergeom(1000, 500, 500)
    small = margins([500] * 2, [500] * 2)
    x = np.arange(501)
    both = x * (x - 1) + (500 - x) * (499 - x)
    mean = float(np.sum(cell.pmf(x) * both))
    assert float(pair_variance(small)) == pytest.approx(
        float(np.sum(cell.pmf(x) * (both - mean) ** 2)), rel=1e-9
    )
    assert float(pair_variance(held)) == pytest.approx(10**24 / 32, rel=1e-9)


def test_smi_refuses_what_takes_too_long() -> None:
    """Many large sizes are left to draws, and the error says so."""
    sizes = np.repeat(range(60), range(1, 61))
    with pytest.raises(cd.MeasureError, match="the exact variance of mutual information would take"):
        cd.score(sizes, np.random.default_rng(0).permutation(sizes), "smi")


def rmi_directly(table: np.ndarray) -> float:
    """From binomial coefficients of real numbers, the least cost found on a fine grid."""
    n, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    alphas = np.exp(np.linspace(np.log(1e-4), np.log(1e4), 20001))

    def log_binomial(size: float, parts: np.ndarray) -> np.ndarray:
        return special.gammaln(size + parts) - special.gammaln(size + 1) - special.gammaln(parts)

    k = len(rows)
    sizes = log_binomial(n, k * alphas) - sum(log_binomial(a, alphas) for a in rows)
    cells = sum(log_binomial(b, k * alphas) for b in columns) - sum(
        log_binomial(m, alphas) for m in table.ravel()
    )
    labels = special.gammaln(n + 1) - special.gammaln(rows + 1).sum()
    given = special.gammaln(columns + 1).sum() - special.gammaln(table + 1).sum()
    return float((sizes.min() + labels - cells.min() - given) / np.log(2))


@cases(
    "table",
    [
        [[3, 1, 0], [0, 2, 2]],
        [[5, 0], [0, 7]],
        [[10, 2, 3], [1, 20, 4], [0, 1, 30]],
        [[3, 3, 3, 0, 0, 0], [0, 0, 0, 3, 3, 3]],
        [[4, 4], [4, 4]],
    ],
)
def test_reduced_mutual_information(table: list[list[int]]) -> None:
    """RMI is the formula of Jerdee, Kirkley and Newman; NRMI its share of the truth's own."""
    found = np.array(table)
    rows, columns = np.nonzero(found)
    meet = cd.Meet.from_cells(rows, columns, found[rows, columns])
    own = np.diag(found.sum(axis=1))
    assert cd.measures["rmi"](meet) == pytest.approx(rmi_directly(found), abs=1e-5)
    assert cd.measures["nrmi"](meet) == pytest.approx(rmi_directly(found) / rmi_directly(own), abs=1e-5)


def test_reduced_mutual_information_of_many_clusters() -> None:
    """10^4 clusters of 10^5 points, where a dense table has 10^8 cells."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 10**4, 10**5)
    pred = np.where(rng.random(10**5) < 0.3, rng.integers(0, 10**4, 10**5), true)
    assert 0.5 < cd.score(true, pred, "nrmi") < 0.7
    assert cd.score(true, rng.permutation(pred), "nrmi") < 0.01


# ---- what is told


def test_chance_tells_all() -> None:
    """Mean, spread, z, p and adjusted value; the result is a value that pickles."""
    true = np.repeat(range(4), 25)
    pred = np.where(np.arange(100) % 5 == 0, (true + 1) % 4, true)
    found = cd.chance(true, pred, seed=3, draws=500)
    assert isinstance(found, cd.types.Chance)
    assert found.exact
    assert found.draws == 500
    assert found.value == cd.score(true, pred)
    assert found.adjusted == cd.score(true, pred, "as_h")
    assert found.mean == pytest.approx(s_h(margins([25] * 4, np.bincount(pred))), rel=1e-14)
    assert found.z == pytest.approx((found.value - found.mean) / found.std)
    assert 0 < found.std_error < 0.1 * found.std
    assert (found.p_kind, found.p_value, found.reached) == ("drawn", 1 / 501, 0)
    assert found.p_log10 == pytest.approx(np.log10(1 / 501))
    assert pickle.loads(pickle.dumps(found)) == found == cd.compare(true, pred).chance(seed=3, draws=500)
    assert found.to_dict()["signature"].startswith("chance:S_H|model:permutation|draws:500|seed:3|n:100|")
    assert cd.chance(true, pred, seed=4, draws=500).std != found.std


def test_means_that_are_not_known_are_drawn_and_said_to_be() -> None:
    """Jaccard's mean is that of the draws; without draws there is an error."""
    true, pred = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    values = [cd.measures["jaccard"](meet) for meet in enumerated(6)[(3, 3), (2, 2, 2)]]
    few = cd.chance(true, pred, "jaccard", draws=0)
    assert (few.exact, few.mean, few.std) == (
        True,
        pytest.approx(np.mean(values)),
        pytest.approx(np.std(values)),
    )
    many = (np.arange(60) // 6, np.arange(3, 63) // 6 % 10)
    found = cd.chance(*many, "jaccard", draws=400)
    assert not found.exact
    assert found.mean == pytest.approx(cd.chance(*many, "jaccard", seed=1).mean, abs=6 * found.std / 20)
    with pytest.raises(cd.MeasureError, match="not known in closed form"):
        cd.chance(*many, "jaccard", draws=0)
    unknown = cd.chance(*many, draws=0)
    assert np.isnan([unknown.std, unknown.p_value]).all()
    assert unknown.p_kind is None
    assert np.isnan(cd.chance(true, pred, "smi", draws=10).adjusted)


def test_nothing_left_to_chance() -> None:
    """Against one cluster every permutation scores the same: exact for any measure, p = 1."""
    found = cd.chance([0, 0, 1, 1], [0, 0, 0, 0], "jaccard")
    assert (found.mean, found.std, found.p_value, found.adjusted) == (found.value, 0.0, 1.0, 0.0)
    assert found.exact
    assert found.p_kind == "certain"
    assert cd.chance([0], [0]).adjusted == 1.0


def test_progress_is_told() -> None:
    """How many draws there were, every now and then."""
    told: list[str] = []
    true = np.repeat(range(10), 10)
    cd.chance(true, np.where(np.arange(100) % 10 == 0, 0, true), draws=50, progress=told.append)
    assert told == [f"S_H: {draws} of at most 50 draws" for draws in (0, 20, 40)]


def test_own_functions_have_a_chance_too() -> None:
    """Any function of the meet is drawn."""
    few = cd.chance([0, 0, 1, 1], [0, 1, 1, 1], lambda meet: len(meet) / 4)
    assert (few.p_kind, few.exact) == ("exact", True)
    true = np.repeat(range(10), 10)
    found = cd.chance(true, np.roll(true, 5), lambda meet: -len(meet) / 4, draws=50)
    assert (found.p_kind, found.exact) == ("drawn", False)
    assert found.p_value == 1 / 51


@cases(
    ("measure", "options", "message"),
    [
        ("S_H", {"weights": [1, 2, 3]}, "has no meaning for weighted points"),
        ("S_MSE", {"features": [[1.0], [2.0], [3.0]]}, "reads the points themselves"),
        ("S_H", {"draws": 1}, "`draws` must be a whole number"),
        ("S_H", {"draws": -1}, "`draws` must be a whole number"),
        ("S_H", {"seed": -1}, "`seed` must be a whole number"),
    ],
)
def test_refusals(measure: str, options: dict[str, object], message: str) -> None:
    """What has no chance level says why."""
    with pytest.raises(cd.ClusterdiffError, match=message):
        cd.chance([0, 0, 1], [0, 1, 1], measure, **options)  # type: ignore[arg-type]


def test_the_level_stands_beside_the_score() -> None:
    """A comparison knows what shuffled labels would score; with weights there is no such thing."""
    diff = cd.compare([0, 0, 1, 1], [0, 0, 1, 1])
    assert diff.chance_level == pytest.approx(1 / 3)
    assert diff.to_dict()["chance"] == {
        "S_H": diff.chance_level,
        "p_value": pytest.approx(1 / 3),
        "p_kind": "exact",
        "p_log10": pytest.approx(np.log10(1 / 3)),
    }
    assert cd.compare([0, 0, 1, 1], [0, 0, 0, 0]).chance_level == cd.score([0, 0, 1, 1], [0, 0, 0, 0])
    assert cd.compare([0, 0, 1], [0, 0, 1], weights=[1, 2, 3]).chance_level is None
