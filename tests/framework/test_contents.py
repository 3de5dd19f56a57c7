"""A subcomponent measure is one function, what there is to lose between parts; all else follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import clusterdiff as cd
from clusterdiff.diff.statistic import statistic
from clusterdiff.diff.units import units_of
from clusterdiff.measures.subcomponents import OfContent, Subcomponent, subcomponents
from clusterdiff.meet.arrays import held
from clusterdiff.meet.declarations import COLUMNS, TERMS
from clusterdiff.meet.terms import CONTENTS, SCORE_SUMS, SCORES, content


def triples(x: Any, part: Any, rest: Any) -> Any:
    """The whole cubed, less the cubes of its parts: ordered triples of points that are not all one point."""
    return part * rest * (2 * part + rest)


def counts(x: Any, part: Any, rest: Any) -> Any:
    """It ignores weights: what lies between a part and the rest is 1, if there is a rest."""
    return x.where(rest > 0, 1.0, 0.0) * x.where(part > 0, 1.0, 0.0)


@pytest.fixture
def toy() -> Iterator[None]:
    """The recipe: one function, declared; then as if it had been there from the start."""
    registries: tuple[dict[str, Any], ...] = (COLUMNS, TERMS, CONTENTS, SCORE_SUMS, subcomponents)
    known = [set(names) for names in registries]
    content(triples)
    subcomponents["triples"] = Subcomponent("triples", OfContent("triples"))
    yield
    for names, before in zip(registries, known, strict=True):
        for name in set(names) - before:
            del names[name]
    SCORES.remove("triples")


def points(seed: int, weighted: bool, lost: bool) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    n = 40
    true, pred = rng.integers(0, 10, n).astype(float), rng.integers(0, 10, n).astype(float)
    pred = np.where(rng.random(n) < 0.8, true, pred)
    if lost:
        true[:4], pred[4:9] = np.nan, np.nan
    return true, pred, rng.random(n) + 0.1 if weighted else None


def by_definition(true: Any, pred: Any, weights: Any) -> float:
    """S* from sets: of what the points of each cluster hold, what its parts hold; lost points are single parts."""
    w = np.ones(len(true)) if weights is None else weights

    def whole(inside: Any) -> float:
        return float(w[inside].sum() ** 3 - (w[inside] ** 3).sum())

    def score(own: Any, other: Any, label: float) -> float:
        mine, shared = own == label, (own == label) & ~np.isnan(other)
        if not shared.any():
            return 0.0
        parts = sum(whole(shared & (other == o)) for o in np.unique(other[shared]))
        inner = parts / whole(shared) if whole(shared) else 1.0
        return inner * (whole(shared) / whole(mine) if whole(mine) else 1.0)

    both = ~np.isnan(true) & ~np.isnan(pred)
    total = sum(w[i] * score(true, pred, true[i]) * score(pred, true, pred[i]) for i in np.flatnonzero(both))
    return float(total / w.sum())


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_content_is_all_that_a_subcomponent_measure_needs(weighted: bool, lost: bool) -> None:
    """Scores, losses, intervals, gains and documents, with weights and lost points, from one function."""
    for seed in range(3):
        true, pred, weights = points(seed, weighted, lost)
        diff = cd.compare(true, pred, weights=weights, missing="lost", documents=np.arange(40) // 20)
        want = by_definition(
            *(np.where(np.isnan(x), x, x * 2 + np.arange(40) // 20) for x in (true, pred)), weights
        )
        assert diff.score("S*(triples)") == pytest.approx(want, abs=1e-12)
        measure = cd.measures["S*(triples)"]
        for unit in ("component", "true", "document"):
            found = statistic(diff.meet, measure, units_of(diff.meet, unit))
            assert found.finish(found.sums.sum(axis=0)[None])[0] == pytest.approx(want, abs=1e-12)
        gains = diff.gains("S*(triples)", by="component")
        assert gains.score == pytest.approx(want, abs=1e-12)
        if lost:  # spurious points are then gone, and what is left is a mean over fewer
            assert all(row.gain > 0 for row in gains)
        else:
            assert sum(row.gain for row in gains) == pytest.approx(1 - want, abs=1e-12)


@pytest.mark.usefixtures("toy")
@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_a_content_is_summed_in_engines(engine: str, lost: bool) -> None:
    """The cells stay there; with weights too, of which one may outweigh all others, and others be 0."""
    true, pred, _ = points(1, False, lost)
    weights = np.arange(40.0)
    weights[[7, 20]] = 1e6, 0.0
    columns = {"true": pa.array(true, from_pandas=True), "pred": pa.array(pred, from_pandas=True)}
    table = pa.table(columns | {"weight": weights})
    frame: Any = duckdb.connect().from_arrow(table) if engine == "duckdb" else pl.from_arrow(table)
    options: Any = {"true": "true", "pred": "pred", "missing": "lost", "budget": 0}
    for weighed in (None, weights):
        diff = cd.compare_columns(frame, weights=None if weighed is None else "weight", **options)
        assert "cells" not in diff.summed.known
        assert diff.score("S*(triples)") == pytest.approx(by_definition(true, pred, weighed), abs=1e-12)
        whole = cd.compare(true, pred, weights=weighed, missing="lost")
        assert diff.score("S'(triples)") == pytest.approx(whole.score("S'(triples)"), abs=1e-12)


def grouped(seed: int) -> tuple[Any, Any, Any]:
    """Weights of points, the parts they are in, and the group of each part."""
    rng = np.random.default_rng(seed)
    part_of = rng.integers(0, 8, 30)
    return 10.0 ** rng.uniform(-3, 3, 30), part_of, rng.integers(0, 3, 8)


def is_content(name: str) -> bool:
    """Whether it does not matter in which order parts are united: points at once, or points to parts to groups."""
    for seed in range(5):
        weights, part_of, group_of = grouped(seed)
        at_once = held(name, group_of[part_of], 3, weights)
        mass = np.bincount(part_of, weights, 8)
        inside = np.bincount(group_of, held(name, part_of, 8, weights), 3)
        if not np.allclose(at_once, inside + held(name, group_of, 3, mass), rtol=1e-9):
            return False
    return True


@pytest.mark.parametrize("name", CONTENTS)
def test_contents_do_not_depend_on_the_order(name: str) -> None:
    """What a whole holds is what its parts hold and what lies between them, however it is taken apart."""
    assert is_content(name)


@pytest.mark.parametrize(("between", "right"), [(triples, True), (counts, False)])
def test_a_content_that_ignores_weights_is_caught(
    between: Callable[..., Any], right: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law above tells it from one that does not."""
    monkeypatch.setitem(CONTENTS, between.__name__, between)
    assert is_content(between.__name__) == right
