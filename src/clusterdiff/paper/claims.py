"""The paper's claims, each tested: its tables, propositions and experiment, next to what enumeration finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.measures import Measure, measures
from clusterdiff.measures.normalise import extremes
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.measures.subcomponents import mean, subcomponent
from clusterdiff.meet.enumeration import as_sets, partitions, universe
from clusterdiff.meet.meet import Meet
from clusterdiff.paper.check import Check, check
from clusterdiff.paper.consistency import entropy_over, largest_share
from clusterdiff.paper.findings import CLOSE, draw, example, inline
from clusterdiff.paper.graphs import (
    cells_are_sinks_and_sources,
    cells_have_one_pair_each,
    components_are_the_join,
)
from clusterdiff.paper.series import Series, worsen
from clusterdiff.paper.trial import labels_of

S_STAR = ("S_H", "S*(pairs)", "S*(largest)")
#: Four points on a line in two pairs with one centre: splitting them so leaves all their spread.
CONCENTRIC = [[-1.0], [1.0], [-2.0], [2.0]]
#: Four points in two places: the two halves have no spread.
REPEATED = [[0.0], [0.0], [1.0], [1.0]]


@dataclass(frozen=True)
class Claim:
    """Something the paper says, and whether it holds."""

    where: str
    says: str
    holds: bool
    evidence: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The claim as plain values."""
        return {"where": self.where, "says": self.says, "holds": self.holds, "evidence": self.evidence}


def _of(one: Check, name: str) -> tuple[bool, str]:
    finding = one.findings[name]
    return bool(finding.holds), inline(finding.counterexample)


def sections_3_and_4(checks: dict[str, Check], points: int) -> Iterator[Claim]:
    """What sections 3 and 4 say about VI, entropy, the mean squared error, and S' and its instances."""
    holds, why = _of(checks["VI"], "triangle")
    yield Claim("3.3", "VI is a metric (Meilă, 2007)", holds and bool(checks["VI"].holds["identity"]), why)
    holds, why = _of(checks["V"], "bounds")
    yield Claim("3.3", "VI is at most log n", holds, why)
    k_2 = measures["K(k=2)"]
    yield Claim(
        "3.3",
        "VI is at most 2·log k for at most k ≤ √n clusters",
        all(float(k_2(pair.meet)) >= -CLOSE for pair in _domain(k_2, points)),
    )
    for name, says in (
        ("one_if_whole", "entropy: s = 1 if and only if the cluster is whole"),
        ("zero_if_singletons", "entropy: s = 0 if and only if only singletons are left"),
        ("falls_with_parts", "entropy: s falls with the number of clusters"),
        ("falls_with_evenness", "entropy: s falls as sizes get less skewed"),
    ):
        holds, why = _of(checks["entropy"], name)
        yield Claim("4.2, 4.5", says, holds, why)
    holds, why = _of(checks["S_H"], "subcomponent_consistent")
    yield Claim("4.4", "S* is subcomponent-consistent", holds, why)
    holds, why = _of(checks["S'(entropy)"], "subcomponent_consistent")
    yield Claim("4.4", "S' is not subcomponent-consistent", not holds, why)
    yield Claim("4.4", "S' becomes N with s = max |L ∩ C| / |L|", *_instance("N", largest_share, points))
    yield Claim(
        "4.4", "S' becomes K with s = 1 − H/log k²", *_instance("K(k=2)", entropy_over(2 * log(2)), points)
    )
    yield Claim(
        "4.4 amended",
        "S' becomes K with s = 1 − H/log k",
        *_instance("K(k=2)", entropy_over(log(2)), points),
    )
    holds, why = _of(checks["mse"], "falls_with_evenness")
    yield Claim("4.2, 4.5", "implied: the mean squared error falls as sizes get less skewed", holds, why)
    centred = check("mse", 4, features=CONCENTRIC)
    holds, why = _of(centred, "one_if_whole")
    yield Claim(
        "4.3, 4.5",
        "implied: the mean squared error is 1 if and only if the cluster is whole",
        holds,
        why + " if points 0 to 3 are at −1, 1, −2 and 2: the parts have the same centre" if why else "",
    )
    holds, why = _of(check("mse", 4, features=REPEATED), "zero_if_singletons")
    yield Claim(
        "4.3, 4.5",
        "implied: the mean squared error is 0 if and only if only singletons are left",
        holds,
        why + " if both points are in one place: they have no spread to lose" if why else "",
    )


def propositions_4(points: int) -> Iterator[Claim]:
    """What propositions 4.1 to 4.3 say of components, cells and pairs of subcomponents."""
    for number, says, test in (
        (1, "components are the clusters of the join", components_are_the_join),
        (
            2,
            "sinks of splits are sources of merges: the meet, within the component",
            cells_are_sinks_and_sources,
        ),
        (3, "every cell has one pair of subcomponents, and only one", cells_have_one_pair_each),
    ):
        tried = (pair for n in range(1, points + 1) for pair in _pairs(n))
        bad = next((pair for pair in tried if not test(*pair)), None)
        why = "" if bad is None else inline(example(bad.true, bad.pred, "it does not hold"))
        yield Claim(f"proposition 4.{number}", says, bad is None, why)


class _Tried(NamedTuple):
    """Two clusterings, and their meet."""

    true: npt.NDArray[Any]
    pred: npt.NDArray[Any]
    meet: Meet


def _pairs(n: int) -> Iterator[_Tried]:
    """Pairs of clusterings of n points that stand for all of them."""
    omega = universe(n)
    for t, p in zip(*omega.pairs[:2], strict=True):
        true, pred = omega.labels[t].astype(int), omega.labels[p].astype(int)
        yield _Tried(true, pred, Meet.from_labels(true, pred))


def _domain(measure: Measure, points: int) -> Iterator[_Tried]:
    """Those pairs of up to so many points for which a measure is defined: for K, at most k ≤ √n clusters."""
    k = measure.parameters.get("k")
    for n in range(1 if k is None else k * k, points + 1):
        for pair in _pairs(n):
            if k is None or max(pair.true.max(), pair.pred.max()) < k:
                yield pair


def _instance(name: str, s: Callable[..., float], points: int) -> tuple[bool, str]:
    """Whether a measure is S' with a subcomponent measure, for all pairs in its domain."""
    measure, other = measures[name], split_merge(subcomponent(s, "sizes"), mean)
    for true, pred, meet in _domain(measure, points):
        one, two = float(measure(meet)), float(other(meet))
        if abs(one - two) > CLOSE:
            return False, inline(example(true, pred, f"{name} = {one:.4g}, but S' = {two:.4g}"))
    return True, ""


def table_1(checks: dict[str, Check]) -> Iterator[Claim]:
    """The decompositions of table 1."""
    for name, says in (
        ("R", "R: w = |J|(|J|−1)/n(n−1), b = 1 − Σ w"),
        ("I", "I: w = |J|/n, b = log n − Σ |J|/n · log|J|"),
        ("V", "V: w = |J|·log|J| / n·log n, b = 1 − Σ w"),
        ("N", "N: w = |J|/n, b = 0"),
        ("A", "A: w = |J|/n, b = 0"),
        ("K(k=2)", "K: w = |J|/n, b = 0"),
        ("S_H", "S*: w = |J|/n, b = 0"),
    ):
        yield Claim("table 1", says, *_of(checks[name], "decomposition"))
    finding = checks["nmi_max"].findings["decomposable"]
    yield Claim(
        "table 1",
        "“we were unable to obtain a decomposition” for NMI: there is none, for any w(|J|, n) and b(𝕁, n)",
        finding.holds is False,
        inline(finding.counterexample),
    )


def table_2(checks: dict[str, Check], points: int) -> Iterator[Claim]:
    """The conditions of table 2, and the bound of N as it should be."""
    for name, says in (
        ("R", "R: H(𝕃, ℂ) = log n and H(𝕃)·H(ℂ) = 0"),
        ("A", "A: the same"),
        ("N", "N: 𝕄 = ⊥ and N = (⌊√n⌋ + ⌈√n⌉)/2n"),
        ("I", "I: H(𝕃) + H(ℂ) = H(𝕃, ℂ)"),
        ("nmi_max", "NMI: H(𝕃, ℂ) > 0 and H(𝕃) + H(ℂ) = H(𝕃, ℂ)"),
        ("V", "V: H(𝕃, ℂ) = log n and H(𝕃) + H(ℂ) = H(𝕃, ℂ)"),
        ("K(k=2)", "K: H(𝕃, ℂ) = 2·log k and H(𝕃) + H(ℂ) = H(𝕃, ℂ)"),
        ("S_H", "S*: 𝕄 = ⊥ and no common cluster"),
    ):
        yield Claim("table 2", says, *_of(checks[name], "lower_bound"))
    bounds = [(n, least_n(n)) for n in range(2, points + 1)]
    yield Claim(
        "table 2 amended",
        "N: the least value is ⌈2√n⌉/2n",
        all(abs(least - ceil(2 * sqrt(n)) / (2 * n)) <= CLOSE for n, least in bounds),
    )


def least_n(n: int) -> float:
    """The least value of N for n points, by trying them all."""
    measure = measures["N"]
    return min(float(measure(pair.meet)) for pair in _pairs(n))


def proposition_5_1(checks: dict[str, Check], points: int) -> Iterator[Claim]:
    """Who is normalised, who conditionally so, and what the proof says on the way."""
    where = "proposition 5.1"
    for name in ("N", "A", "I"):
        holds, why = _of(checks[name], "normalised")
        yield Claim(where, f"{name} is not normalised", not holds, why)
    for name in ("R", "nmi_max", "V", "K(k=2)"):
        symbol = name.partition("(")[0]
        yield Claim(where, f"{symbol} is normalised", *_of(checks[name], "normalised"))
        holds, why = _of(checks[name], "conditionally_normalised")
        yield Claim(where, f"{symbol} is not conditionally normalised", not holds, why)
    for name in S_STAR:
        yield Claim(
            where, f"S* is conditionally normalised ({name})", *_of(checks[name], "conditionally_normalised")
        )
    proof = "proof of proposition 5.1"
    yield Claim(proof, "R is 0 only if 𝕃 is ⊤ or ⊥", *_of(checks["R"], "lower_bound"))
    yield Claim(proof, "S*(𝕃, ⊥) ∈ (0, 1) for every 𝕃 ≠ ⊥", *_against_bottom(points))
    yield Claim(
        proof,
        "K has no worst clustering for 𝕃 = {{1, 2}, {3}}, for which it is defined",
        sqrt(3) >= 2,
        "two clusters are more than k = √3 allows",
    )
    yield Claim(
        proof,
        "V has no worst clustering for 𝕃 = {{1, 2}, {3}}",
        extremes([0, 0, 1], "V").worst > CLOSE,
        f"the least V is {extremes([0, 0, 1], 'V').worst:.4f}",
    )


def conclusion() -> Iterator[Claim]:
    """What section 7 says of the framework as a whole."""
    holds, why = _of(check("S_MSE", 4, features=CONCENTRIC), "conditionally_normalised")
    yield Claim(
        "conclusion",
        "any measure obtained via the framework is conditionally normalised: S_MSE, the paper's second instance",
        holds,
        why + " if points 0 to 3 are at −1, 1, −2 and 2" if why else "",
    )


def _against_bottom(points: int) -> tuple[bool, str]:
    measure = measures["S_H"]
    for n in range(2, points + 1):
        for sizes in partitions(n):
            if len(sizes) < n:
                true = labels_of(sizes)
                value = float(measure(Meet.from_labels(true, np.arange(n))))
                singletons = sizes.count(1) / n
                assert abs(value - singletons) <= 1e-12  # it is the share of the points that are singletons
                if not 0 < value < 1:
                    return (
                        False,
                        f"true `{draw(as_sets(true))}`: S_H = {value:g}, the share of true singletons",
                    )
    return True, ""


def proposition_5_2(checks: dict[str, Check]) -> Iterator[Claim]:
    """Who is join-weighted, and who is subcomponent-consistent."""
    where = "proposition 5.2"
    for name in ("N", "A", "K(k=2)", *S_STAR):
        yield Claim(where, f"{name} is join-weighted", *_of(checks[name], "join_weighted"))
    for name in ("R", "I", "nmi_max", "V"):
        holds, why = _of(checks[name], "join_weighted")
        yield Claim(where, f"{name} is not join-weighted", not holds, why)
    for name in ("A", *S_STAR):
        yield Claim(
            where, f"{name} is subcomponent-consistent", *_of(checks[name], "subcomponent_consistent")
        )
    for name in ("N", "K(k=2)"):
        holds, why = _of(checks[name], "subcomponent_consistent")
        yield Claim(where, f"{name} is not subcomponent-consistent", not holds, why)


def section_6(series: Series) -> Iterator[Claim]:
    """What the paper's figure 3 shows, for our story and for all cluster sizes of a few points."""
    splits = int((series.operations["operation"] == "split").sum())
    yield Claim("6", "⊥ is reached with the 33rd operation", splits == 33)

    def strictly(name: str, one: Series = series) -> bool:
        return bool((np.diff(one.scores[name]) < 0).all())

    first, last = series.scores["S_H"][[0, -1]].tolist()
    yield Claim("6", "S_H falls strictly from 1 to 0", strictly("S_H") and first == 1 and last == 0)
    for name in ("R", "nmi_max", "V"):
        end = float(series.scores[name][-1])
        yield Claim(
            "6",
            f"{name} falls strictly, and stays far from 0",
            strictly(name) and end > 0.1,
            f"it ends at {end:.4f}",
        )
    for name in ("A", "N"):
        flat = int((np.diff(series.scores[name]) == 0).sum())
        yield Claim("6", f"{name} does not fall strictly", not strictly(name), f"{flat} flat steps")
    every = [labels_of(sizes) for n in range(2, 9) for sizes in partitions(n)]
    made = [(true, worsen(true, ("S_H", "R", "nmi_max", "V"))) for true in every]
    for name in ("S_H", "R", "nmi_max", "V"):
        bad = next((true for true, one in made if not strictly(name, one)), None)
        yield Claim(
            "6, generalised",
            f"{name} falls strictly, for every true clustering (all cluster sizes up to n = 8)",
            bad is None,
            "" if bad is None else f"true `{draw(as_sets(bad))}`",
        )
