"""One semantics for every route: weights, lost points, noise and nulls mean in an engine what they mean in memory."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from tests.engines.conftest import SLOW, Make, maker

pytestmark = [
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore:K"),
    pytest.mark.filterwarnings("ignore:gamma"),
]

#: Every measure; those that take a parameter have one.
NAMES = ["K(k=60)" if name == "K" else name for name in cd.measures]
NAMES += ["S*(pairs)", "S'(pairs)", "S*(largest)", "S'(largest)", "v_measure(beta=2)", "b3.f(beta=2)"]
N = 48
#: Over how many decades weights go that are far apart.
DECADES = {"near": 6, "far apart": 16, "farthest apart": 30}
WEIGHTS = (
    "none",
    "some zero",
    "one positive",
    "far apart",
    "lost zero",
    "near",
    "farthest apart",
    "one heavy",
)
MISSING = ("drop", "singleton", "lost")
NOISE = (None, "drop", "singleton")
Choice = tuple[str, Any, Any]
#: What reads the features of single points, which stay in their tables.
BY_POINT = {"cdistance"}
#: Weights with every choice for missing points; what is done with noise takes turns.
CHOICES: list[Choice] = [
    (kind, missing, NOISE[(i + j) % 3]) for i, kind in enumerate(WEIGHTS) for j, missing in enumerate(MISSING)
]
#: Each kind of weights once.
SOME: list[Choice] = [CHOICES[i] for i in (0, 5, 7, 11, 14, 16, 18, 22)]
#: For what takes longer, and for what plans for seconds.
FEW: list[Choice] = [("some zero", "lost", "singleton"), ("one positive", "singleton", "drop")]


def choices(engine: str, budget: int | None) -> list[Choice]:
    """What is tried: everything in the engine that is quickest, and the less the slower one is.

    What measures are computed from, test_terms has where these leave off.
    """
    if engine in SLOW:
        return FEW[1:]
    if budget == 0:
        return {"polars": CHOICES, "pyarrow": SOME, "duckdb": FEW[1:], "pandas": FEW[:1]}[engine]
    return SOME if engine == "polars" else FEW


def sides() -> tuple[dict[int, str | None], dict[int, str | None]]:
    """Two clusterings: points on one side only, nulls on either side and on both, noise on either side and on both."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 9, N)
    pred = np.where(rng.random(N) < 0.7, true, rng.integers(0, 12, N))
    left: dict[int, str | None] = {i: f"t{x}" for i, x in enumerate(true.tolist()) if i % 11 != 3}
    right: dict[int, str | None] = {i: f"p{x}" for i, x in enumerate(pred.tolist()) if i % 13 != 5}
    left |= {7: None, 8: None, 20: "noise", 21: "noise", 22: "noise", 5: "noise"}
    right |= {7: "p1", 8: None, 9: None, 21: "noise", 23: "noise", 14: "noise"}
    # Clusters of which nothing is found, and one that is the same on both sides.
    left |= {100: "gone", 101: "gone", 102: "same", 103: "same"}
    right |= {104: "new", 102: "same", 103: "same"}
    return left, right


def weights(kind: str) -> dict[int, float] | None:
    """A weight for each point, by kind."""
    left, right = sides()
    points = sorted(left.keys() | right.keys())
    rng = np.random.default_rng(5)
    some = dict(zip(points, (rng.integers(1, 64, len(points)) / 16).tolist(), strict=True))
    if kind == "none":
        return None
    if kind == "some zero":
        return {i: 0.0 if i % 3 == 0 else w for i, w in some.items()}
    if kind == "one positive":
        return {i: 2.5 if i == 30 else 0.0 for i in points}
    if kind == "lost zero":
        both = {i for i in points if left.get(i) is not None and right.get(i) is not None}
        return {i: w if i in both else 0.0 for i, w in some.items()}
    if kind == "one heavy":
        return {i: 1.0 if i == 30 else 1e-16 for i in points}
    return {i: w * 10.0 ** -rng.uniform(0, DECADES[kind]) for i, w in some.items()}


def outcome(diff: cd.Comparison, name: str) -> float | str:
    """What a measure is, or why it is not."""
    try:
        return diff.score(name)
    except cd.ClusterdiffError as error:
        return f"{type(error).__name__}: {error}"


def options(choice: Choice) -> dict[str, Any]:
    """What stands for a choice in ``compare``."""
    _, missing, noise = choice
    return {"missing": missing} | ({} if noise is None else {"noise": "noise", "noise_as": noise})


def features() -> dict[int, float]:
    """A number for each point."""
    left, right = sides()
    return {i: float(i * i % 17) for i in left.keys() | right.keys()}


@cache
def expected(choice: Choice) -> tuple[cd.Comparison, dict[str, float | str]]:
    """The comparison in memory, and what it says of every measure."""
    diff = cd.compare(*sides(), weights=weights(choice[0]), features=features(), **options(choice))
    return diff, {name: outcome(diff, name) for name in NAMES}


def compared(frame: Make, choice: Choice, budget: int | None) -> cd.Comparison:
    """The comparison in an engine."""
    w, x = weights(choice[0]), features()
    tables = []
    for side in sides():
        columns: dict[str, list[Any]] = {"id": list(side), "cluster": list(side.values())}
        columns |= {} if w is None else {"w": [w[i] for i in side]}
        tables.append(frame(columns | {"x": [x[i] for i in side]}))
    named = {"weights": None if w is None else "w", "features": "x", "point": "id", "budget": budget}
    return cd.compare(*tables, **named, **options(choice))


def differ(mine: float | str, theirs: float | str, exact: bool) -> bool:
    """Whether two routes say different things; what reads cells that stay in an engine may be refused there."""
    if isinstance(mine, str) or isinstance(theirs, str):
        return mine != theirs and not (isinstance(theirs, float) and "the cells were left in" in str(mine))
    return mine != theirs and (exact or mine != pytest.approx(theirs, rel=1e-9, abs=1e-9))


@pytest.mark.parametrize("budget", [None, 0], ids=["memory", "engine"])
def test_what_a_choice_means_does_not_depend_on_the_route(
    frame: Make, engine: str, budget: int | None
) -> None:
    """Every measure has the value, or the refusal, that it has in memory; counts to the last digit."""
    wrong = {}
    for choice in choices(engine, budget):
        diff, known = expected(choice)
        got = compared(frame, choice, budget)
        assert got.where == ("engine" if budget == 0 else "memory")
        assert (got.n, got.signature) == (diff.n, diff.signature)
        assert got.loss == pytest.approx(diff.loss, abs=1e-9)
        for name in NAMES:
            mine, theirs = outcome(got, name), known[name]
            counted = choice[0] == "none" and cd.measures[name].degree > 0
            exact = counted and isinstance(theirs, float) and theirs.is_integer()
            if name not in BY_POINT and differ(mine, theirs, exact):
                wrong[choice, name] = mine, theirs
    assert wrong == {}


@pytest.mark.parametrize(
    ("engine", "choice", "names"),
    [
        ("duckdb", ("one heavy", "lost", None), ("S_H", "rand")),
        ("dask", ("one heavy", "singleton", "singleton"), ("S_H", "ari", "nmi")),
        ("spark", ("one heavy", "drop", "drop"), ("S_H",)),
    ],
    ids=["duckdb", "dask", "spark"],
)
def test_light_points_count_beside_heavy_ones(
    engine: str, choice: Choice, names: tuple[str, ...], request: pytest.FixtureRequest
) -> None:
    """Sixteen decades between weights take no digit from a measure: these are made of all kinds of differences."""
    known = expected(choice)[1]
    got = compared(maker(engine, request), choice, 0)
    assert {x: got.score(x) for x in names} == pytest.approx({x: known[x] for x in names}, rel=1e-9)


@pytest.mark.parametrize("collated", ["default", "column"])
def test_text_that_differs_is_different_whatever_the_collation(collated: str) -> None:
    """A collation that ignores case joins no points and unites no clusters."""
    import duckdb

    connection = duckdb.connect()
    kind = "VARCHAR COLLATE NOCASE" if collated == "column" else "VARCHAR"
    if collated == "default":
        connection.execute("PRAGMA default_collation = 'NOCASE'")
    rows = [("a", "x", "u"), ("A", "X", "u"), ("b", "x", "v"), ("B", "y", "V")]
    connection.execute(f"CREATE TABLE points (id {kind}, gold {kind}, found {kind})")
    connection.executemany("INSERT INTO points VALUES (?, ?, ?)", rows)
    table = connection.table("points")
    plain = cd.compare([row[1] for row in rows], [row[2] for row in rows])
    for budget in (None, 0):
        one = cd.compare_columns(table, true="gold", pred="found", point="id", budget=budget)
        two = cd.compare(table, table, point="id", cluster=("gold", "found"), budget=budget)
        for diff in (one, two):
            assert (diff.n, diff.summed.k_true, diff.summed.k_pred) == (4, 3, 3)
            assert diff.scores(["S_H", "ari"]) == pytest.approx(plain.scores(["S_H", "ari"]))


def test_lost_points_that_nobody_named_have_no_names_by_any_route() -> None:
    """Rows of an engine without an order, too: their numbers would be no names that anybody gave."""
    import duckdb
    import polars as pl

    data = pl.DataFrame({"gold": [1, 1, 2, None, 3], "found": [1, 2, None, 2, 3]})
    connection = duckdb.connect()
    connection.register("data", data.to_arrow())
    for table in (data, data.lazy(), connection.table("data")):
        diff = cd.compare_columns(table, true="gold", pred="found", missing="lost")
        assert (diff.n, diff.policy.missing_points, diff.policy.spurious_points) == (5, 1, 1)
        assert diff.true.points is None


def test_two_shared_points_are_a_pair_by_any_route() -> None:
    """With weights and lost points, pairs of shared ones are a difference of sums; of two points it is no rounding."""
    import polars as pl

    weights = {0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}
    true, pred = {0: 0, 1: 1, 2: 0}, {0: 5, 1: 6, 3: 5}
    frames = (
        pl.LazyFrame({"id": list(side), "cluster": list(side.values()), "w": [weights[i] for i in side]})
        for side in (true, pred)
    )
    told = {"point": "id", "cluster": "cluster", "weights": "w", "missing": "lost", "budget": 0}
    diff = cd.compare(*frames, **told)  # type: ignore[arg-type]
    known = cd.compare(true, pred, weights=weights, missing="lost")
    for name in ("rand", "sokal_sneath_2", "mirkin"):
        assert diff.score(name) == pytest.approx(known.score(name))
    assert known.score("rand") == pytest.approx(2 / 35)  # 1·2 of all 35
