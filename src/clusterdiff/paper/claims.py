"""The paper's claims, each tried: its tables, propositions and experiment, beside what enumeration finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import Any

import numpy as np

from clusterdiff.measures import measures
from clusterdiff.measures.normalise import extremes
from clusterdiff.measures.splitmerge import split_merge
from clusterdiff.measures.subcomponents import mean, subcomponent
from clusterdiff.meet.enumeration import as_sets, partitions, universe
from clusterdiff.meet.meet import Meet
from clusterdiff.paper import story
from clusterdiff.paper.check import Check, check
from clusterdiff.paper.properties import PROPERTIES, Counterexample, Finding, draw, paper_bound_n
from clusterdiff.paper.series import FIGURE_3, Series, worsen

#: The paper's measures; K needs a k, and 2 is the only one with k ≤ √n for the n that can be enumerated.
MEASURES = (
    "R",
    "N",
    "A",
    "I",
    "nmi_max",
    "VI",
    "V",
    "K(k=2)",
    "S_H",
    "S*(pairs)",
    "S*(largest)",
    "S'(entropy)",
)
S_STAR = ("S_H", "S*(pairs)", "S*(largest)")
#: Four points on a line in two pairs with one centre: splitting them so leaves all their spread.
CONCENTRIC = [[-1.0], [1.0], [-2.0], [2.0]]

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Claim:
    """Something the paper says, and whether it stands."""

    where: str
    says: str
    holds: bool
    evidence: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The claim as plain values."""
        return {"where": self.where, "says": self.says, "holds": self.holds, "evidence": self.evidence}


@dataclass(frozen=True)
class Reproduction:
    """All that :func:`reproduce` found."""

    points: int
    checks: dict[str, Check]
    claims: list[Claim]
    experiment: Series

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "points": self.points,
            "claims": [claim.to_dict() for claim in self.claims],
            "checks": {name: one.to_dict() for name, one in self.checks.items()},
            "experiment": self.experiment.to_dict(),
        }

    def to_markdown(self) -> str:
        """The page docs/paper.md."""
        return "\n".join(_page(self)) + "\n"


def reproduce(points: int = 6, progress: Progress | None = None) -> Reproduction:
    """Try every claim of the paper on all pairs of clusterings of up to ``points`` points (at least 5)."""
    say = progress or (lambda _: None)
    checks = {name: check(name, points, progress=say) for name in MEASURES}
    checks |= {name: check(name) for name in ("entropy", "mse")}
    say("the experiment")
    experiment = worsen(story.true(), FIGURE_3, seed=0)
    claims = [
        *_sections_3_and_4(checks, points),
        *_table_1(checks),
        *_table_2(checks, points),
        *_proposition_5_1(checks, points),
        *_proposition_5_2(checks),
        *_section_6(experiment),
    ]
    return Reproduction(points, checks, claims, experiment)


# ---- claims


def _inline(example: Counterexample | None) -> str:
    if example is None:
        return ""
    drawn = "; ".join(f"{name} `{draw(sets)}`" for name, sets in example.clusterings.items())
    return f"{drawn}: {example.text}" if drawn else example.text


def _of(one: Check, name: str) -> tuple[bool, str]:
    finding = one.findings[name]
    return bool(finding.holds), _inline(finding.counterexample)


def _sections_3_and_4(checks: dict[str, Check], points: int) -> Iterator[Claim]:
    holds, why = _of(checks["VI"], "triangle")
    yield Claim("3.3", "VI is a metric (Meilă, 2007)", holds and bool(checks["VI"].holds["identity"]), why)
    holds, why = _of(checks["V"], "bounds")
    yield Claim("3.3", "VI is at most log n", holds, why)
    yield Claim(
        "3.3",
        "VI is at most 2·log k for at most k ≤ √n clusters",
        bool(min(_values("K(k=2)", points)) >= -1e-9),
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
    yield Claim("4.4", "S' becomes N with s = max |L ∩ C| / |L|", *_instance("N", _largest_share, points))
    yield Claim(
        "4.4", "S' becomes K with s = 1 − H/log k²", *_instance("K(k=2)", _entropy_over(2 * log(2)), points)
    )
    yield Claim(
        "4.4 amended",
        "S' becomes K with s = 1 − H/log k",
        *_instance("K(k=2)", _entropy_over(log(2)), points),
    )
    holds, why = _of(checks["mse"], "falls_with_evenness")
    yield Claim("4.2, 4.5", "implied: the mean squared error falls as sizes get less skewed", holds, why)
    centred = check("mse", 4, features=CONCENTRIC)
    holds, why = _of(centred, "one_if_whole")
    yield Claim(
        "4.3, 4.5",
        "implied: the mean squared error is 1 if and only if the cluster is whole",
        holds,
        why + " if the points are at −1, 1, −2 and 2: the parts have one centre" if why else "",
    )


def _values(name: str, points: int) -> Iterator[float]:
    measure = measures[name]
    k = measure.parameters["k"]
    for n in range(k * k, points + 1):
        omega = universe(n)
        for t, p in zip(*omega.pairs[:2], strict=True):
            if max(omega.labels[t].max(), omega.labels[p].max()) < k:
                yield float(
                    measure(Meet.from_labels(omega.labels[t].astype(int), omega.labels[p].astype(int)))
                )


def _largest_share(sizes: Any) -> float:
    return float(sizes.max() / sizes.sum())


def _entropy_over(most: float) -> Callable[..., float]:
    def s(sizes: Any) -> float:
        share = sizes / sizes.sum()
        return float(max(0.0, 1 + np.sum(share * np.log(share)) / most))

    return s


def _instance(name: str, s: Callable[..., float], points: int) -> tuple[bool, str]:
    """Whether a measure is S' with a subcomponent measure, for all pairs in its domain."""
    measure, other = measures[name], split_merge(subcomponent(s, "sizes"), mean)
    k = measure.parameters.get("k", points)
    for n in range(k * k if "k" in measure.parameters else 1, points + 1):
        omega = universe(n)
        for t, p in zip(*omega.pairs[:2], strict=True):
            true, pred = omega.labels[t], omega.labels[p]
            if max(true.max(), pred.max()) >= k:
                continue
            meet = Meet.from_labels(true.astype(int), pred.astype(int))
            one, two = float(measure(meet)), float(other(meet))
            if abs(one - two) > 1e-9:
                sets = {"true": as_sets(true), "pred": as_sets(pred)}
                return False, _inline(Counterexample(f"{name} = {one:.4g}, but S' = {two:.4g}", sets))
    return True, ""


def _table_1(checks: dict[str, Check]) -> Iterator[Claim]:
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
        "“we were unable to obtain a decomposition” for NMI: there is none, whatever w(|J|, n) and b(𝕁, n)",
        finding.holds is False,
        _inline(finding.counterexample),
    )


def _table_2(checks: dict[str, Check], points: int) -> Iterator[Claim]:
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
        all(abs(least - ceil(2 * sqrt(n)) / (2 * n)) <= 1e-9 for n, least in bounds),
    )


def least_n(n: int) -> float:
    """The least value of N for n points, by trying them all."""
    omega = universe(n)
    pairs = zip(*omega.pairs[:2], strict=True)
    measure = measures["N"]
    return min(
        float(measure(Meet.from_labels(omega.labels[t].astype(int), omega.labels[p].astype(int))))
        for t, p in pairs
    )


def _proposition_5_1(checks: dict[str, Check], points: int) -> Iterator[Claim]:
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
        "V has no worst clustering for 𝕃 = {{1, 2}, {3}}",
        extremes([0, 0, 1], "V").worst > 1e-9,
        f"the least V is {extremes([0, 0, 1], 'V').worst:.4f}",
    )


def _against_bottom(points: int) -> tuple[bool, str]:
    measure = measures["S_H"]
    for n in range(2, points + 1):
        for sizes in partitions(n):
            if len(sizes) < n:
                true = np.repeat(np.arange(len(sizes)), sizes)
                value = float(measure(Meet.from_labels(true, np.arange(n))))
                singletons = sizes.count(1) / n
                assert abs(value - singletons) <= 1e-12  # it is the share of the points that are singletons
                if not 0 < value < 1:
                    return (
                        False,
                        f"true `{draw(as_sets(true))}`: S_H = {value:g}, the share of true singletons",
                    )
    return True, ""


def _proposition_5_2(checks: dict[str, Check]) -> Iterator[Claim]:
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


def _section_6(series: Series) -> Iterator[Claim]:
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
    every = [np.repeat(np.arange(len(sizes)), sizes) for n in range(2, 9) for sizes in partitions(n)]
    made = [(true, worsen(true, ("S_H", "R", "nmi_max", "V"))) for true in every]
    for name in ("S_H", "R", "nmi_max", "V"):
        bad = next((true for true, one in made if not strictly(name, one)), None)
        yield Claim(
            "6, generalised",
            f"{name} falls strictly, whatever the true clustering (all cluster sizes up to n = 8)",
            bad is None,
            "" if bad is None else f"true `{draw(as_sets(bad))}`",
        )


# ---- the page


def _page(found: Reproduction) -> Iterator[str]:
    refuted = [claim for claim in found.claims if not claim.holds]
    s_h = found.checks["S_H"]
    yield "# The paper, reproduced and checked"
    yield ""
    yield "<!-- Written by `clusterdiff paper -o docs/paper.md`; do not edit. -->"
    yield ""
    yield (
        "Xiang, Q., Mao, Q., Chai, K. M. A., Chieu, H. L., Tsang, I. W. & Zhao, Z. (2012), “A split-merge framework "
        "for comparing clusterings”, ICML. Every claim that can be tried was tried on all "
        f"{s_h.tried:,} pairs of clusterings of up to {found.points} points, and its experiment was run again. "
        f"Of {len(found.claims)} claims, {len(found.claims) - len(refuted)} stand and {len(refuted)} do not. "
        "`clusterdiff paper` prints this page, `clusterdiff check NAME` does the same for any measure of yours."
    )
    yield from ("", "## What does not stand", "")
    yield from _claims(refuted)
    yield ""
    yield from _remarks(found)
    for title, where in (
        ("Table 1: decomposition over components", ("table 1",)),
        ("Table 2: where measures are least", ("table 2", "table 2 amended")),
        ("Proposition 5.1: normalisation", ("proposition 5.1", "proof of proposition 5.1")),
        ("Proposition 5.2: join-weighted, subcomponent-consistent", ("proposition 5.2",)),
        ("Sections 3 and 4", ("3.3", "4.2, 4.5", "4.3, 4.5", "4.4", "4.4 amended")),
    ):
        yield from ("", f"## {title}", "")
        yield from _claims([claim for claim in found.claims if claim.where in where])
        if title.startswith("Table 2"):
            yield ""
            yield from _bounds_table(found.points)
    yield from ("", "## All properties of all measures", "")
    yield from _matrix(found.checks)
    yield from ("", "## The experiment of section 6", "")
    yield from _experiment(found)
    yield from ("", "## Where everything is", "")
    yield from _map()


def _claims(claims: list[Claim]) -> Iterator[str]:
    yield "| where | what it says | | evidence |"
    yield "| --- | --- | --- | --- |"
    for claim in claims:
        mark = "stands" if claim.holds else "**fails**"
        yield f"| {claim.where} | {_cell(claim.says)} | {mark} | {_cell(claim.evidence)} |"


def _plain(text: str) -> str:
    return text.replace("S*", "S\\*")


def _cell(text: str) -> str:
    """Text in a table, where a bar would end the cell."""
    return _plain(text).replace("|", "\\|")


def _remarks(found: Reproduction) -> Iterator[str]:
    bad = found.checks["S_H"].counterexamples["triangle"]
    yield "Besides, and not claimed by the paper:"
    yield ""
    yield f"- 1 − S_H is not a metric: {_plain(_inline(bad))}."
    yield (
        "- The least value of N is ⌈2√n⌉/2n for every n. With k predicted clusters a true cluster has at most k cells, "
        "so its points are at most k times its largest cell: the true clusters' largest cells sum to at least n/k, the "
        "predicted clusters' to at least k, and n/k + k ≥ 2√n. The sum is a whole number, and a grid of single points "
        "attains it."
    )
    yield (
        "- K reaches 0 only where k² divides n: its condition asks for k² cells of equal size. Elsewhere the least "
        "value is above 0, so K is not normalised for every n."
    )
    yield (
        "- Property 4.4 is about a measure together with its s. Read off the measure itself, s(ℂ|L) = S({L}, ℂ_L) is "
        "always consistent: N with (1 + max share)/2, R with `pairs`, V with `entropy`. So the check asks it only of "
        "measures that are made of an s, with that s; A's s, the largest share, violates property 4.3 "
        "(⊥ scores 1/|L|, not 0)."
    )
    yield (
        "- A is join-weighted, but no σ makes it meet-weighted (property 4.5): "
        f"{_plain(_inline(found.checks['A'].counterexamples['meet_weighted']))}."
    )
    yield (
        "- The constraints on A's W (section 3.2) are printed as equations, which can only be met by clusterings with "
        "the same number of clusters; they are meant as ≤ 1."
    )
    yield (
        "- S_H is not n-invariant, since log|L| is not; S_MSE is. S_H does not satisfy Amigó's homogeneity strictly: "
        "from a score of 0 no split helps."
    )


def _bounds_table(points: int) -> Iterator[str]:
    most = max(points, 8)
    yield "The least value of N, by trying all pairs:"
    yield ""
    yield "| n | " + " | ".join(str(n) for n in range(2, most + 1)) + " |"
    yield "| --- |" + " --- |" * (most - 1)
    yield "| attained | " + " | ".join(f"{least_n(n):.4f}" for n in range(2, most + 1)) + " |"
    yield (
        "| table 2 | "
        + " | ".join(_compared(paper_bound_n(n), least_n(n)) for n in range(2, most + 1))
        + " |"
    )
    yield (
        "| ⌈2√n⌉/2n | "
        + " | ".join(_compared(ceil(2 * sqrt(n)) / (2 * n), least_n(n)) for n in range(2, most + 1))
        + " |"
    )


def _compared(value: float, truth: float) -> str:
    return f"{value:.4f}" if abs(value - truth) <= 1e-9 else f"**{value:.4f}**"


def _matrix(checks: dict[str, Check]) -> Iterator[str]:
    names = MEASURES
    yield "| | " + " | ".join(_cell(name) for name in names) + " |"
    yield "| --- |" + " :-: |" * len(names)
    for name in PROPERTIES:
        marks = [_mark(checks[measure].findings[name]) for measure in names]
        yield f"| {name} | " + " | ".join(marks) + " |"
    yield ""
    yield "✓ holds for all pairs tried, ✗ fails, – does not apply. What each means:"
    yield ""
    for name, meaning in PROPERTIES.items():
        yield f"- **{name}**: {_plain(meaning)}"
    yield ""
    yield "The smallest counterexamples:"
    yield ""
    for measure in names:
        for name, example in checks[measure].counterexamples.items():
            yield f"- {_plain(measure)}, {name}: {_plain(_inline(example))}"


def _mark(finding: Finding) -> str:
    return {True: "✓", False: "✗", None: "–"}[finding.holds]


def _experiment(found: Reproduction) -> Iterator[str]:
    series = found.experiment
    mentions, entities = len(series.true), len(series.true.names)
    splits = int((series.operations["operation"] == "split").sum())
    yield (
        f"The ACE-2005 document of the paper is not free. In its place stands a short story with {mentions} mentions "
        f"of {entities} entities (`clusterdiff.paper.story`), so that ⊥ comes with operation {splits} as it "
        "does there. `clusterdiff worsen` runs it, `clusterdiff worsen FILE` runs yours."
    )
    yield ""
    yield "![Scores of six measures as the clustering worsens](images/series.png)"
    yield ""
    yield "| measure | first | at ⊥ | last | flat steps |"
    yield "| --- | --- | --- | --- | --- |"
    for name, values in series.scores.items():
        flat = int((np.diff(values) == 0).sum())
        yield f"| {name} | {values[0]:.4f} | {values[splits]:.4f} | {values[-1]:.4f} | {flat} |"
    yield ""
    yield from _claims([claim for claim in found.claims if claim.where.startswith("6")])


ORACLE = "framework/test_oracle.py::test_every_pair_of_clusterings_scores_as_the_definitions_say"
LATTICE, LAWS, COMPARISON = (f"framework/test_{name}.py::" for name in ("lattice", "laws", "comparison"))
CLAIMS = "paper/test_claims.py::"
#: Item of the paper, what it is, where it is in the code, and the test that shows it (file::function).
MAP = (
    (
        "section 2",
        "⊤, ⊥, refines, meet, join",
        "lattice.top, lattice.bottom, lattice.refines, lattice.meet, lattice.join",
        LATTICE + "test_meet_join_and_refinement_are_those_of_the_definitions",
    ),
    ("section 3.1", "R", 'measures["R"]', ORACLE),
    ("section 3.2", "N, A", 'measures["N"], measures["A"]', ORACLE),
    (
        "section 3.3",
        "I, NMI, VI, V, K",
        'measures["I"], measures["nmi_max"], measures["VI"], measures["V"], measures["K"]',
        ORACLE,
    ),
    (
        "definition 4.1",
        "bipartite graph",
        "lattice.bipartite, lattice.to_networkx",
        LATTICE + "test_the_graphs_have_the_papers_edges",
    ),
    (
        "definitions 4.2, 4.3",
        "induced clustering, induced subgraph",
        "lattice.induced, Meet.restrict",
        LATTICE + "test_induced_clusterings_keep_only_the_chosen_points",
    ),
    (
        "proposition 4.1",
        "components are the clusters of the join",
        "lattice.Components, Comparison.components",
        LATTICE + "test_components_are_the_join",
    ),
    (
        "equation 1, table 1",
        "decomposition over components",
        "measures.registry.Decomposition, check: decomposition",
        CLAIMS + "test_table_1",
    ),
    ("property 4.1, equation 2", "join-weighted", "check: join_weighted", CLAIMS + "test_proposition_5_2"),
    (
        "definitions 4.4, 4.5",
        "split and merge subcomponents",
        "Comparison.splits, Comparison.merges",
        COMPARISON + "test_splits_and_merges_tell_what_became_of_each_cluster",
    ),
    (
        "proposition 4.2, definition 4.6",
        "derivation graph",
        "lattice.derivation, lattice.to_networkx",
        LATTICE + "test_the_graphs_have_the_papers_edges",
    ),
    (
        "property 4.2",
        "monotonically decreasing",
        "check: falls_with_parts, falls_with_evenness",
        "paper/test_check.py::test_subcomponent_measures",
    ),
    (
        "property 4.3",
        "subcomponent-normalisation",
        "check: one_if_whole, zero_if_singletons, between",
        LAWS + "test_subcomponent_measures_are_normalised",
    ),
    (
        "property 4.4",
        "subcomponent-consistency",
        "check: subcomponent_consistent",
        LAWS + "test_subcomponents_score_the_same_as_clusterings",
    ),
    (
        "definition 4.7, proposition 4.3",
        "subcomponent pairs: one a cell",
        "measures.subcomponents.Scored.pair",
        LAWS + "test_meet_weighted_decomposition",
    ),
    (
        "property 4.5, equation 3",
        "meet-weighted",
        "measures.subcomponents.Scored.combine, check: meet_weighted",
        LAWS + "test_meet_weighted_decomposition",
    ),
    ("equation 4", "S*", 'measures["S*"], split_merge', ORACLE),
    ("equation 5", "S'; N and K as instances", 'measures["S\'"]', CLAIMS + "test_instances_of_the_mean"),
    ("section 4.5", "S_H", 'measures["S_H"]', ORACLE),
    (
        "section 4.5",
        "S_MSE",
        'measures["S_MSE"]',
        "framework/test_oracle.py::test_features_score_as_the_mean_squared_error_says",
    ),
    (
        "section 4.5",
        "the hybrid of Coen et al. and its cost",
        'measures["cdistance"], examples/transport.py',
        "paper/test_transport.py::test_cdistance_by_hand",
    ),
    (
        "property 5.1",
        "conditional normalisation",
        "check: conditionally_normalised",
        CLAIMS + "test_proposition_5_1",
    ),
    (
        "section 5.1",
        "normalisation given the truth (Luo et al.)",
        "extremes, Comparison.normalised",
        "paper/test_normalise.py::test_closed_forms_are_what_search_finds",
    ),
    ("table 2", "where measures are least", "check: lower_bound", CLAIMS + "test_table_2"),
    ("proposition 5.1", "who is normalised", "paper.reproduce", CLAIMS + "test_proposition_5_1"),
    (
        "proposition 5.2",
        "who is join-weighted and consistent",
        "paper.reproduce",
        CLAIMS + "test_proposition_5_2",
    ),
    (
        "section 6",
        "the series",
        "worsen",
        "paper/test_series.py::test_the_story_behaves_as_the_papers_document",
    ),
    (
        "figure 1",
        "bipartite graph, drawn",
        "plots.bipartite",
        "plots/test_plots.py::test_every_plot_of_every_comparison",
    ),
    (
        "figure 2",
        "derivation graph, drawn",
        "plots.derivation",
        "plots/test_plots.py::test_every_plot_of_every_comparison",
    ),
    ("figure 3", "scores as the clustering worsens", "plots.series", "plots/test_plots.py::test_series"),
)


def _map() -> Iterator[str]:
    yield "| in the paper | what | in the code | shown by |"
    yield "| --- | --- | --- | --- |"
    for item, what, code, test in MAP:
        file, _, function = test.partition("::")
        names = ", ".join(f"`{name}`" for name in code.split(", "))
        yield f"| {item} | {_cell(what)} | {names} | [`{function}`](../tests/{file}) |"
