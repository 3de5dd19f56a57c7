"""Chance in engines: the sizes of clusters are all that it takes."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import clusterdiff as cd
from tests.conftest import random_pair


@pytest.mark.parametrize("missing", ["drop", "singleton"])
def test_what_chance_reaches_is_the_same_in_an_engine(missing: str) -> None:
    """as_h, AMI and chance() read margins, which an engine counts: nothing has to be fetched into memory."""
    true, pred = random_pair(400, 12, seed=3)
    left = {"point": np.arange(400), "cluster": true}
    right = {"point": np.arange(20, 420), "cluster": pred}
    tables = [
        duckdb.sql(
            "SELECT unnest($1) AS point, unnest($2) AS cluster",
            params=[list(map(int, x)) for x in side.values()],
        )
        for side in (left, right)
    ]
    here = cd.compare(
        *(dict(zip(*map(list, side.values()), strict=True)) for side in (left, right)), missing=missing
    )
    there = cd.compare(*tables, point="point", cluster="cluster", missing=missing, budget=1)
    assert there.where == "engine"
    for name in ("as_h", "ami", "ami(average=max)", "sri"):
        assert there.score(name) == pytest.approx(here.score(name), rel=1e-10)
    one, other = there.chance("S_H", draws=20), here.chance("S_H", draws=20)
    assert one.mean == pytest.approx(other.mean, rel=1e-12)
    assert one.std == other.std
    model = there.chance("rand", model="num1", draws=5)
    assert (model.mean, model.std) == pytest.approx(
        [getattr(here.chance("rand", model="num1", draws=5), word) for word in ("mean", "std")], rel=1e-12
    )
    assert there.chance_level == pytest.approx(here.chance_level)
