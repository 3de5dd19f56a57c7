"""The law of terms in engines: every term is there what the same points in memory give, whole ones to the bit."""

from __future__ import annotations

from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.meet.declarations import TERMS
from clusterdiff.meet.rows import Rows
from clusterdiff.meet.terms import SCORES, score_sum
from clusterdiff.tables.engines.terms import EngineRows
from tests.engines.conftest import maker
from tests.engines.test_semantics import CHOICES, FEW, Choice, compared, options, sides, weights
from tests.test_terms import OF_COUNTS

#: Everything in the engine that is quickest; where queries are planned for long, weights, lost points and neither.
#: Measures of these are in test_semantics.
TRIED = [
    *(("polars", choice) for choice in CHOICES),
    *(("duckdb", choice) for choice in (CHOICES[0], FEW[0])),
    *(("pandas", choice) for choice in (CHOICES[2], FEW[1])),
]


@pytest.mark.parametrize(
    ("engine", "choice"), TRIED, ids=lambda it: it if isinstance(it, str) else "-".join(map(str, it))
)
def test_every_term_is_what_it_is_in_memory(
    engine: str, choice: Choice, request: pytest.FixtureRequest
) -> None:
    """Counted or weighed, lost, noise or singletons: whoever declares a term has it in every engine."""
    meet = cd.compare(*sides(), weights=weights(choice[0]), **options(choice)).meet
    summed: Any = compared(maker(engine, request), choice, 0).summed
    assert summed.scale == meet.scale
    wanted, found = Rows.of(meet), summed.positive.rows
    assert found.weighted == wanted.weighted
    off = 1e-14 * wanted["total"]
    # What there is to lose between weighted points is not summed there for every content.
    unknown = [s for s in SCORES if score_sum(s) not in summed.known]
    left_out = {name for name in TERMS for s in unknown if name.endswith(f"_{s}")}
    for name in TERMS.keys() - left_out - (OF_COUNTS if wanted.weighted else set()):
        want = wanted[name]
        if isinstance(want, int):
            assert found[name] == want, name
        else:
            assert found[name] == pytest.approx(want, rel=1e-12, abs=off), name


def test_what_most_scores_read_is_kept_where_several_are_wanted(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """One score is one query that keeps nothing; before several, it would be asked in vain."""
    made: list[bool] = []

    class Noted(EngineRows):
        def __init__(self, cells: Any, weighted: bool, lean: bool = False) -> None:
            made.append(lean)
            super().__init__(cells, weighted, lean)

    monkeypatch.setattr("clusterdiff.tables.engines.sums.EngineRows", Noted)
    monkeypatch.setattr("clusterdiff.tables.engines.terms.EngineRows", Noted)
    frame = maker("duckdb", request)
    one, listed, several = (compared(frame, CHOICES[0], 0) for _ in range(3))
    assert one.score("S_H") == listed.scores(["S_H"])["S_H"] == several.scores(["S_H", "ari"])["S_H"]
    assert made == [*[False, True] * 2, False]
