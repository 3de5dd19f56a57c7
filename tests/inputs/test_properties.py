"""Which points are compared, and how: points, order, containers, policies and noise at random, against sets.

A side is a dict from point to label, or to None for a point without one. What is compared is found by hand from two
such dicts, and every measure must have the value of its definition on the sets that come out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable
from itertools import combinations, permutations
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clusterdiff as cd
from tests.lost.oracle import score
from tests.measures.oracle import COREFERENCE, ORACLE, together

Side = dict[Hashable, int | None]
Clusters = list[frozenset[Hashable]]

POINTS = list("abcdef")
LABELS = (-1, 0, 1, 2, None)


def by_label(side: Side) -> dict[int, list[Hashable]]:
    labels = {label for label in side.values() if label is not None}
    return {label: [p for p in side if side[p] == label] for label in sorted(labels)}


def series(side: Side) -> pd.Series:
    return pd.Series(list(side.values()), index=list(side), dtype="Int64")


def frame(side: Side) -> dict[str, list[Any]]:
    return {"id": list(side), "cluster": list(side.values())}


#: Containers that name their points; those that hold clusters do not know points without a label.
NAMED: dict[str, Callable[[Side], Any]] = {
    "dict": lambda side: dict(side),
    "dict of clusters": by_label,
    "sets": lambda side: [set(cluster) for cluster in by_label(side).values()],
    "Clustering": lambda side: cd.Clustering(list(side.values()), points=list(side)),
    "Series": series,
    "Series of floats": lambda side: series(side).astype("float64"),
    "frame": lambda side: pd.DataFrame(frame(side)).astype({"cluster": "Int64"}),
    "frame by its index": lambda side: pd.DataFrame({"cluster": series(side)}),
    "polars frame": lambda side: pl.DataFrame(frame(side), schema={"id": pl.String, "cluster": pl.Int64}),
    "pyarrow table": lambda side: pa.table(frame(side), schema=SCHEMA),
    "duckdb": lambda side: duckdb.from_arrow(pa.table(frame(side), schema=SCHEMA)),
}
SCHEMA = pa.schema([("id", pa.string()), ("cluster", pa.int64())])
#: What has numbers for the labels of clusters only has labels of its own.
RENUMBERED = {"sets"}
CLUSTERS_ONLY = {"sets", "dict of clusters"}
TABLES = {"frame", "polars frame", "pyarrow table", "duckdb"}
#: Containers without names, in which the order counts.
PLACED: dict[str, Callable[[Side], Any]] = {
    "list": lambda side: list(side.values()),
    "array of floats": lambda side: np.array([np.nan if x is None else x for x in side.values()]),
    "masked array": lambda side: np.ma.MaskedArray(
        [x or 0 for x in side.values()], mask=[x is None for x in side.values()]
    ),
    "Series without an index": lambda side: series(side).reset_index(drop=True),
    "polars": lambda side: pl.Series(list(side.values()), dtype=pl.Int64),
    "pyarrow": lambda side: pa.array(list(side.values()), pa.int64()),
}


# ---- by hand


def sets(side: dict[Hashable, Hashable]) -> Clusters:
    return [frozenset(p for p in side if side[p] == label) for label in dict.fromkeys(side.values())]


def compared(
    true: Side, pred: Side, noise: tuple[set[int], set[int]], noise_as: str, missing: str
) -> tuple[Clusters, Clusters] | None:
    """The two clusterings that are compared, or None if points are lacking and that is an error."""
    every = list(dict.fromkeys([*true, *pred]))
    sides: list[dict[Hashable, Any]] = [dict(true), dict(pred)]
    if noise_as == "drop":
        every = [p for p in every if not any(s.get(p) in n for s, n in zip(sides, noise, strict=True))]
    if noise_as == "singleton":
        for s, labels in zip(sides, noise, strict=True):
            s |= {p: ("noise", p) for p in s if s[p] in labels}
    known: list[dict[Hashable, Any]] = [{p: s[p] for p in every if s.get(p) is not None} for s in sides]
    lacking = [p for p in every if not all(p in k for k in known)]
    if lacking and missing == "error":
        return None
    for k, other in (known, known[::-1]) if missing in ("drop", "singleton") else ():
        for p in lacking:
            if missing == "singleton":
                k.setdefault(p, ("missing", p))
            else:
                k.pop(p, None)
                other.pop(p, None)
    return sets(known[0]), sets(known[1])


def over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def size(clusters: Clusters) -> int:
    return len(frozenset().union(*clusters))


def largest(one: Clusters, other: Clusters) -> int:
    """Σ over the clusters of one side of the largest part in a cluster of the other."""
    return sum(max((len(a & b) for b in other), default=0) for a in one)


def matched(one: Clusters, other: Clusters) -> int:
    few, many = sorted((one, other), key=len)
    return max(sum(len(a & b) for a, b in zip(few, order, strict=False)) for order in permutations(many))


def lost(t: Clusters, p: Clusters) -> dict[str, float]:
    """What measures mean where points count as lost, over whole clusters."""
    n = size([*t, *p])
    a, b = together(t), together(p)
    shared = frozenset().union(*t) & frozenset().union(*p)
    agreed = sum((frozenset(x) in a) == (frozenset(x) in b) for x in combinations(shared, 2))
    precision, recall = over(len(a & b), len(b)), over(len(a & b), len(a))
    exact = len(set(t) & set(p))
    return {
        "S_H": score(t, p),
        "S*(pairs)": score(t, p, "pairs"),
        "S'": score(t, p, mean=True),
        "pairs.precision": precision,
        "pairs.recall": recall,
        "pairs.f1": over(2 * precision * recall, precision + recall),
        "jaccard": over(len(a & b), len(a | b)),
        "fowlkes_mallows": math.sqrt(precision * recall),
        "rand": over(agreed, math.comb(n, 2)),
        "N": (largest(t, p) + largest(p, t)) / (2 * n),
        "split_join": 2 * n - largest(t, p) - largest(p, t),
        "purity": over(largest(p, t), size(p)),
        "inverse_purity": over(largest(t, p), size(t)),
        "A": matched(t, p) / n,
        "clusters.precision": over(exact, len(p)),
        "clusters.recall": over(exact, len(t)),
        "element_centric": sum(len(x & y) ** 2 / max(len(x), len(y)) for x in t for y in p) / n,
        **{name: float(value(t, p)) for name, value in COREFERENCE.items()},
    }


def check(diff: cd.types.Comparison, t: Clusters, p: Clusters) -> None:
    if not t or not p:  # an empty response, or an empty key
        assert (diff.score(), diff.n) == (0.0, size([*t, *p]))
        return
    even = frozenset().union(*t) == frozenset().union(*p)
    values = {name: float(value(t, p)) for name, value in ORACLE.items()} if even else lost(t, p)
    found = diff.scores(list(values))
    for name, value in values.items():
        assert found[name] == pytest.approx(value, abs=1e-11), name
    assert diff.score() == pytest.approx(score(t, p), abs=1e-11)
    assert diff.n == size([*t, *p])
    assert set(diff.points) == frozenset().union(*t, *p)
    assert sum(diff.loss[1:]) == pytest.approx(1 - diff.score(), abs=1e-11)


# ---- at random

points = st.lists(st.sampled_from(POINTS), unique=True, min_size=1, max_size=6)
noises = st.sets(st.sampled_from([-1, 0]), max_size=2)
policies = st.tuples(
    noises,
    noises,
    st.sampled_from(["singleton", "cluster", "drop"]),
    st.sampled_from(["error", "drop", "singleton", "lost"]),
)
relaxed = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def run(left: Any, right: Any, sides: tuple[Side, Side], policy: tuple[set[int], set[int], str, str]) -> None:
    noise_true, noise_pred, noise_as, missing = policy
    options: Any = {
        "noise_true": noise_true,
        "noise_pred": noise_pred,
        "noise_as": noise_as,
        "missing": missing,
    }
    expected = compared(*sides, (noise_true, noise_pred), noise_as, missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.ClusterdiffWarning)
        if expected is None or (not all(expected) and (missing != "lost" or not any(expected))):
            with pytest.raises((cd.LabelError, cd.ArgumentError)):
                cd.compare(left, right, **options)
            return
        diff = cd.compare(left, right, **options)
        check(diff, *expected)


@relaxed
@given(st.data(), points, points, policies)
def test_named_points(
    data: st.DataObject, left: list[str], right: list[str], policy: tuple[set[int], set[int], str, str]
) -> None:
    """Both sides' points, their order, their containers, the policies and the noise are drawn at random."""
    label = st.sampled_from(LABELS)
    true: Side = {p: data.draw(label) for p in left}
    pred: Side = {p: data.draw(label) for p in right}
    kinds = [data.draw(st.sampled_from(list(NAMED))) for _ in range(2)]
    if set(kinds) <= TABLES:
        kinds[1] = kinds[0]  # tables are joined by one library
    noise = list(policy[:2])
    for i, (side, kind) in enumerate(zip((true, pred), kinds, strict=True)):
        if kind in CLUSTERS_ONLY:
            for p in [p for p in side if side[p] is None]:
                del side[p]
        if kind in RENUMBERED:
            noise[i] = set()  # sets have no labels to tell
        if not any(x is not None for x in side.values()):
            return
    run(NAMED[kinds[0]](true), NAMED[kinds[1]](pred), (true, pred), (noise[0], noise[1], *policy[2:]))


@relaxed
@given(
    st.data(),
    st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=6),
    policies,
)
def test_points_in_order(
    data: st.DataObject,
    labels: list[tuple[int | None, int | None]],
    policy: tuple[set[int], set[int], str, str],
) -> None:
    """The same for points without names: position counts, whatever the containers."""
    true: Side = {i: a for i, (a, _) in enumerate(labels)}
    pred: Side = {i: b for i, (_, b) in enumerate(labels)}
    if not all(any(x is not None for x in side.values()) for side in (true, pred)):
        return
    left, right = (PLACED[data.draw(st.sampled_from(list(PLACED)))](side) for side in (true, pred))
    run(left, right, (true, pred), policy)
