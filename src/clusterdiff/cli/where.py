"""Where each measure works: in memory, in an engine, and as a function of sums over units, for every kind of points."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from clusterdiff.diff.statistic import Statistic, statistic
from clusterdiff.diff.units import Units, units_of
from clusterdiff.errors import ClusterdiffError, MissingExtraError
from clusterdiff.measures import Measure
from clusterdiff.meet.meet import Meet
from clusterdiff.verbs.compare import compare
from clusterdiff.verbs.tables import compare_columns

#: The kinds of comparisons: what is special about their points.
KINDS = ("even", "weighted", "lost", "lost, weighted")
#: Where measures are computed; an interval resamples components.
PLACES = ("memory", "engine", "interval")
#: What a measure without a default parameter is tried with.
PARAMETERS: dict[str, dict[str, Any]] = {"K": {"k": 50}}


def works(chosen: Iterable[Measure]) -> dict[str, dict[str, set[str]]]:
    """The names of the measures that work, by place and by kind: tried on a small example of each."""
    tried = {measure.name: measure.bind(PARAMETERS.get(measure.name, {})) for measure in chosen}
    found: dict[str, dict[str, set[str]]] = {place: {} for place in PLACES}
    for kind in KINDS:
        meet = _in_memory(kind).meet
        ways: dict[str, Callable[[Measure], object]] = {
            "memory": partial(_value, meet),
            "engine": _in_engine(kind).score,
            "interval": partial(_statistic, meet, units_of(meet, "component")),
        }
        for place, way in ways.items():
            found[place][kind] = {name for name, measure in tried.items() if _has(way, measure)}
    return found


def _value(meet: Meet, measure: Measure) -> float:
    return measure(meet)


def _statistic(meet: Meet, units: Units, measure: Measure) -> Statistic:
    return statistic(meet, measure, units)


def _has(way: Callable[[Measure], object], measure: Measure) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # K warns that its bounds need more points than the example has
        try:
            way(measure)
        except ClusterdiffError:
            return False
    return True


def _points(kind: str) -> tuple[Any, Any, Any, Any]:
    """Two clusterings of 60 points, of which some are lost; weights and features."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 8, 60).astype(float)
    pred = np.where(rng.random(60) < 0.7, true, rng.integers(0, 8, 60))
    if "lost" in kind:
        true[:6], pred[6:12] = np.nan, np.nan
    return true, pred, rng.random(60) + 0.1 if "weighted" in kind else None, rng.normal(size=(60, 2))


def _in_memory(kind: str) -> Any:
    true, pred, weights, features = _points(kind)
    return compare(true, pred, weights=weights, features=features, missing="lost")


def _in_engine(kind: str) -> Any:
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("pyarrow", "arrow", "trying measures in an engine") from None
    true, pred, weights, features = _points(kind)
    columns = {"true": true, "pred": pred, "x": features[:, 0], "y": features[:, 1]}
    if weights is not None:
        columns["weight"] = weights
    # Whatever one engine can do all can, and none is as quick with a table as small as this.
    return compare_columns(
        pa.table({name: pa.array(values, from_pandas=True) for name, values in columns.items()}),
        true="true",
        pred="pred",
        features=["x", "y"],
        missing="lost",
        budget=0,
        weights=None if weights is None else "weight",
    )
