"""docs/paper.md: the paper's claims and what became of them, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, sqrt

import numpy as np

from clusterdiff.paper.check import Check
from clusterdiff.paper.claims import Claim, least_n
from clusterdiff.paper.contents import CONTENTS
from clusterdiff.paper.findings import CLOSE, Finding, inline
from clusterdiff.paper.least import paper_bound_n
from clusterdiff.paper.properties import PROPERTIES
from clusterdiff.paper.series import Series


def page(
    points: int, checks: Mapping[str, Check], claims: Sequence[Claim], experiment: Series
) -> Iterator[str]:
    """The lines of docs/paper.md."""
    refuted = [claim for claim in claims if not claim.holds]
    s_h = checks["S_H"]
    yield "# The paper, reproduced and checked"
    yield ""
    yield "<!-- Written by `clusterdiff paper -o docs/paper.md`; do not edit. -->"
    yield ""
    yield (
        "Xiang, Q., Mao, Q., Chai, K. M. A., Chieu, H. L., Tsang, I. W. & Zhao, Z. (2012), “A split-merge framework "
        "for comparing clusterings”, ICML. Every claim that can be tested was tested on all "
        f"{s_h.tried:,} pairs of clusterings of up to {points} points, and the paper's experiment was run again. "
        f"Of {len(claims)} claims, {len(claims) - len(refuted)} hold and {len(refuted)} do not. "
        "`clusterdiff paper` prints this page; `clusterdiff check NAME` says which properties a measure has, and "
        "`cd.check` which one of your own has."
    )
    yield from ("", "## What does not hold", "")
    yield from _claims(refuted)
    yield ""
    yield from _remarks(checks)
    for title, where in (
        (
            "Propositions 4.1 to 4.3: components, cells and pairs",
            ("proposition 4.1", "proposition 4.2", "proposition 4.3"),
        ),
        ("Table 1: decomposition over components", ("table 1",)),
        ("Table 2: where measures are least", ("table 2", "table 2 amended")),
        ("Proposition 5.1: normalisation", ("proposition 5.1", "proof of proposition 5.1", "conclusion")),
        ("Proposition 5.2: join-weighted, subcomponent-consistent", ("proposition 5.2",)),
        ("Sections 3 and 4", ("3.3", "4.2, 4.5", "4.3, 4.5", "4.4", "4.4 amended")),
    ):
        yield from ("", f"## {title}", "")
        yield from _claims([claim for claim in claims if claim.where in where])
        if title.startswith("Table 2"):
            yield ""
            yield from _bounds_table(points)
    yield from ("", "## All properties of all measures", "")
    yield from _matrix(checks)
    yield from ("", "## The experiment of section 6", "")
    yield from _experiment(experiment, claims)
    yield from ("", "## Where everything is", "")
    yield from _contents()


def _claims(claims: Sequence[Claim]) -> Iterator[str]:
    yield "| where | what it says | | evidence |"
    yield "| --- | --- | --- | --- |"
    for claim in claims:
        mark = "holds" if claim.holds else "**fails**"
        yield f"| {claim.where} | {_cell(claim.says)} | {mark} | {_cell(claim.evidence)} |"


def _plain(text: str) -> str:
    return text.replace("S*", "S\\*")


def _cell(text: str) -> str:
    """Text in a table, where a bar would end the cell."""
    return _plain(text).replace("|", "\\|")


def _remarks(checks: Mapping[str, Check]) -> Iterator[str]:
    bad = checks["S_H"].counterexamples["triangle"]
    yield "Also found, though the paper does not claim it:"
    yield ""
    yield f"- 1 − S_H is not a metric: {_plain(inline(bad))}."
    yield (
        "- The least value of N is ⌈2√n⌉/2n for every n. With k predicted clusters a true cluster has at most k cells, "
        "so its points are at most k times its largest cell: the true clusters' largest cells sum to at least n/k, the "
        "predicted clusters' to at least k, and n/k + k ≥ 2√n. The sum is a whole number, and a grid of single points "
        "attains the bound."
    )
    yield (
        "- K reaches 0 only where k² divides n: its condition asks for k² cells of equal size. Elsewhere the least "
        "value is above 0, so K is not normalised for every n."
    )
    yield (
        "- Property 4.4 is about a measure together with its s. Read off the measure itself, s(ℂ|L) = S({L}, ℂ_L) is "
        "always consistent: N with (1 + max share)/2, R with `pairs`, V with `entropy`. So it is checked only for "
        "measures that are made of an s, with that s; A's s, the largest share, violates property 4.3 "
        "(⊥ scores 1/|L|, not 0)."
    )
    yield (
        "- A is join-weighted, but no σ makes it meet-weighted (property 4.5): "
        f"{_plain(inline(checks['A'].counterexamples['meet_weighted']))}."
    )
    yield (
        "- The constraints on A's W (section 3.2) are printed as equations, which can only be met by clusterings with "
        "the same number of clusters; they are meant as ≤ 1."
    )
    yield (
        "- Meilă's property 8, additivity of composition, holds for S\\*, N, A and K: where both clusterings refine a "
        "third, the measure is the mean over its clusters."
    )
    yield (
        "- Conditional normalisation fixes the ends of the scale, not the level of chance: shuffled labels do not "
        "score the same for all sizes of clusters ("
        f"{_plain(inline(checks['S_H'].counterexamples['constant_baseline']))}). [How good is good](chance.md) has the "
        "exact level, and adjusted S_H, for which it is 0."
    )
    yield (
        "- S_H is not n-invariant, since log|L| is not; S_MSE is. S_H does not satisfy Amigó's homogeneity strictly: "
        "from a score of 0 no split helps."
    )


def _bounds_table(points: int) -> Iterator[str]:
    least = {n: least_n(n) for n in range(2, max(points, 8) + 1)}
    yield "The least value of N, by trying all pairs:"
    yield ""
    yield "| n | " + " | ".join(map(str, least)) + " |"
    yield "| --- |" + " --- |" * len(least)
    yield "| attained | " + " | ".join(f"{x:.4f}" for x in least.values()) + " |"
    yield "| table 2 | " + " | ".join(_compared(paper_bound_n(n), x) for n, x in least.items()) + " |"
    amended = (_compared(ceil(2 * sqrt(n)) / (2 * n), x) for n, x in least.items())
    yield "| ⌈2√n⌉/2n | " + " | ".join(amended) + " |"


def _compared(value: float, truth: float) -> str:
    return f"{value:.4f}" if abs(value - truth) <= CLOSE else f"**{value:.4f}**"


def _matrix(checks: Mapping[str, Check]) -> Iterator[str]:
    names = [name for name, one in checks.items() if one.described is PROPERTIES]
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
            yield f"- {_plain(measure)}, {name}: {_plain(inline(example))}"


def _mark(finding: Finding) -> str:
    return {True: "✓", False: "✗", None: "–"}[finding.holds]


def _experiment(series: Series, claims: Sequence[Claim]) -> Iterator[str]:
    mentions, entities = len(series.true), len(series.true.names)
    splits = int((series.operations["operation"] == "split").sum())
    yield (
        f"The ACE-2005 document of the paper is not free. A short story takes its place, with {mentions} mentions "
        f"of {entities} entities (`clusterdiff.paper.story`), so that ⊥ is reached with operation {splits}, as "
        "in the paper. `clusterdiff worsen` runs the experiment on it, `clusterdiff worsen FILE` on a file of yours."
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
    yield from _claims([claim for claim in claims if claim.where.startswith("6")])


def _contents() -> Iterator[str]:
    yield "| in the paper | what | in the code | shown by |"
    yield "| --- | --- | --- | --- |"
    for item, what, code, test in CONTENTS:
        file, _, function = test.partition("::")
        names = ", ".join(f"`{name}`" for name in code.split(", "))
        yield f"| {item} | {_cell(what)} | {names} | [`{function}`](../tests/{file}) |"
