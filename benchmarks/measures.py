"""Measures that are slow elsewhere: chance and matching, against the peers in the same run.

python benchmarks/measures.py [--full]

Every line times both sides on the same data, ours from the labels, and gives the ratio; the minimum of a few rounds.
--full adds the cases where a peer needs minutes.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from sklearn.metrics import adjusted_mutual_info_score

sys.path.insert(0, str(Path(__file__).parent))
import data

import clusterdiff as cd
from clusterdiff.measures.chance import information, s_h, s_h_lost


def noisy(n: int, k: int, seed: int = 0, share: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Random labels, and the same with a share of them redrawn."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, k, n)
    return true, np.where(rng.random(n) < share, rng.integers(0, k, n), true)


def records(n: int, seed: int = 0) -> data.Pair:
    """Linked records, as benchmarks/data.py makes them."""
    return data.records(n, np.random.default_rng(seed))


def timed(compute: Callable[[], Any], rounds: int = 3) -> tuple[Any, float]:
    """The result, and the shortest time of a few rounds."""
    best, result = float("inf"), None
    for _ in range(rounds):
        start = time.perf_counter()
        result = compute()
        best = min(best, time.perf_counter() - start)
    return result, best


def line(name: str, ours: float, peer: str, theirs: float | None, note: str = "") -> None:
    """One comparison."""
    ratio = "" if theirs is None else f"{peer} {theirs:9.4f} s   {theirs / ours:8.1f} times"
    print(f"{name:<44} {ours:9.4f} s   {ratio:<46} {note}", flush=True)


def chance(full: bool) -> None:
    """Adjusted mutual information."""
    for n, k in ((10**4, 100), (10**5, 100), (10**5, 1000), (10**6, 100), (10**6, 1000)):
        true, pred = noisy(n, k)
        value, ours = timed(lambda t=true, p=pred: cd.score(t, p, "ami"))
        if n * k > 10**8 and not full:
            line(f"ami, n = {n:.0e}, k = {k:,}", ours, "", None, "scikit-learn only with --full")
            continue
        expected, theirs = timed(lambda t=true, p=pred: adjusted_mutual_info_score(t, p), rounds=1)
        line(
            f"ami, n = {n:.0e}, k = {k:,}",
            ours,
            "scikit-learn",
            theirs,
            f"differ by {abs(value - expected):.0e}",
        )
    true, pred = records(10**7)
    _, ours = timed(lambda: cd.score(true, pred, "ami"))
    line("ami, n = 1e+07, linked records", ours, "", None, f"{len(np.unique(true)):,} true clusters")


def expected_s_h() -> None:
    """The exact chance level of S_H and of its loss, beside AMI's expectation; and draws, beside NumPy's own."""
    sizes = np.arange(500, 1500)
    sizes[-1] += 10**6 - sizes.sum()
    true = np.repeat(np.arange(1000), sizes)
    wide = cd.Meet.from_labels(true, np.random.default_rng(0).permutation(true))
    many = cd.Meet.from_labels(*records(10**7))
    for name, meet in (("n = 1e+06, 1,000 x 1,000 sizes", wide), ("n = 1e+07, linked records", many)):
        _, mutual = timed(lambda m=meet: information(m))
        for what, compute in (
            ("E[S_H]", lambda m=meet: s_h(m.margins)),
            ("E[1 - S_H]", lambda m=meet: s_h_lost(m)),
        ):
            value, ours = timed(compute)
            line(f"{what}, {name}", ours, "E[I] here", mutual, f"{value:.6f}")
    equal = cd.compare(*(np.repeat(np.arange(100), 10**4) for _ in range(2)))
    rng = np.random.default_rng(0)
    _, numpys = timed(lambda: rng.hypergeometric(10**4, 99 * 10**4, 10**4, 10**6), rounds=1)
    found, ours = timed(lambda: equal.chance(draws=1000), rounds=1)
    line(
        "1,000 tables, n = 1e+06, k = 100, with S_H",
        ours,
        "NumPy, cells alone",
        10 * numpys,
        f"sd {found.std:.1e}",
    )


def solve_sparse(meet: cd.Meet, value: np.ndarray) -> float:
    """The best matching by SciPy's sparse solver; a column of its own lets every row stay unmatched."""
    k, width, shift = meet.k_true, meet.k_pred, float(value.max()) + 1
    rows, own = np.arange(k), np.full(k, shift)
    costs = np.concatenate([shift - value, own])
    places = np.concatenate([meet.true, rows]), np.concatenate([meet.pred, width + rows])
    graph = csr_array((costs, places), shape=(k, width + k))
    chosen = min_weight_full_bipartite_matching(graph)
    return float(k * shift - graph[chosen].sum())


def solve_dense(meet: cd.Meet, value: np.ndarray) -> float:
    """The best matching by SciPy's dense solver."""
    dense = np.zeros((meet.k_true, meet.k_pred))
    dense[meet.true, meet.pred] = value
    return float(dense[linear_sum_assignment(dense, maximize=True)].sum())


def matching(full: bool) -> None:
    """A (counts) and CEAF-e (fractions), from the meet."""
    cases = {
        "k = 1,000, 20 % noise": noisy(10**5, 1000),
        "k = 10,000, 20 % noise": noisy(10**6, 10**4),
        "k = 10,000, 80 % noise": noisy(10**6, 10**4, share=0.8),
        "k = 2,000, independent": noisy(10**5, 2000, share=1.0),
        "k = 300, independent": noisy(10**5, 300, share=1.0),
    }
    for name, (true, pred) in cases.items():
        meet = cd.Meet.from_labels(true, pred)
        counts = meet.size
        fractions = 2 * meet.size / (meet.true_size[meet.true] + meet.pred_size[meet.pred])
        for kind, value in (("counts", counts), ("fractions", fractions)):
            cells, ours = timed(lambda m=meet, v=value: m.cells.assign(v))
            best, theirs = timed(lambda m=meet, v=value: solve_sparse(m, v), rounds=1)
            line(
                f"{kind}, {name}",
                ours,
                "SciPy sparse",
                theirs,
                f"differ by {abs(value[cells].sum() - best):.0e}",
            )
            if meet.k_true <= 1000 or full:
                best, theirs = timed(lambda m=meet, v=value: solve_dense(m, v), rounds=1)
                line(
                    f"{kind}, {name}",
                    ours,
                    "SciPy dense",
                    theirs,
                    f"differ by {abs(value[cells].sum() - best):.0e}",
                )
    true, pred = records(10**7)
    meet = cd.Meet.from_labels(true, pred)
    for name in ("A", "ceaf_e.f1", "nca", "psi"):
        _, ours = timed(lambda m=meet, name=name: cd.measures[name](cd.Meet(m.cells)))
        line(
            f"{name}, n = 1e+07, linked records, from the meet",
            ours,
            "",
            None,
            f"{meet.k_true:,} true clusters",
        )


def together() -> None:
    """What all cell-based measures cost beyond S_H."""
    read = [
        *(
            "ari",
            "rand",
            "jaccard",
            "fowlkes_mallows",
            "mirkin",
            "pairs.f1",
            "N",
            "purity",
            "split_join",
            "I",
            "nmi",
        ),
        *(
            "nmi_max",
            "vi",
            "V",
            "homogeneity",
            "completeness",
            "v_measure",
            "nid",
            "b3.f1",
            "element_centric",
            "muc.f1",
        ),
        *("S_H", "S'", "S*(pairs)", "S*(largest)", "edits"),
    ]
    for name, (true, pred) in {
        "n = 1e+06, k = 100": noisy(10**6, 100),
        "n = 1e+06, k = 10,000": noisy(10**6, 10**4),
        "n = 1e+06, linked records": records(10**6),
    }.items():
        _, alone = timed(lambda t=true, p=pred: cd.compare(t, p).score(), rounds=7)
        _, every = timed(lambda t=true, p=pred: cd.compare(t, p).scores(read), rounds=7)
        label, more = f"S_H, {name}", f"with {len(read) - 1} more measures"
        print(f"{label:<44} {alone:9.4f} s   {more} {every:9.4f} s: {every / alone:.1f} times")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--full", action="store_true", help="also where a peer needs minutes")
    arguments = parser.parse_args()
    chance(arguments.full)
    expected_s_h()
    matching(arguments.full)
    together()
