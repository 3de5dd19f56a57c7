"""The loss of any measure where the cells stay in an engine: from its sums, or the one error that says what lacks."""

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.errors import MeasureError

duckdb = pytest.importorskip("duckdb")


@pytest.mark.parametrize("weighted", [False, True])
def test_from_sums(weighted: bool) -> None:
    rng = np.random.default_rng(0)
    true, weights = rng.integers(0, 20, 300), rng.exponential(size=300)
    pred = np.where(rng.random(300) < 0.7, true, rng.integers(0, 20, 300))
    table = cd.types.Table({"t": true, "p": pred, "w": weights}).to_frame("pyarrow")
    more = {"weights": "w"} if weighted else {}
    there = cd.compare_columns(duckdb.from_arrow(table), true="t", pred="p", budget=0, **more)
    here = cd.compare(true, pred, **({"weights": weights} if weighted else {}))
    assert there.where == "engine"  # type: ignore[attr-defined]
    names = [name for name, one in cd.measures.items() if one.reads == "sums" and not one.required]
    names = ["S_H", "S*", *(name for name in names if cd.measures[name].weighted or not weighted)]
    for name in [*names, *([] if weighted else ["as_h"])]:
        assert there.loss_of(name) == pytest.approx(here.loss_of(name), rel=1e-9, abs=1e-10), name
    for name in ("S'", "chi2"):
        with pytest.raises(MeasureError, match=f"the loss of {name} reads the cells of the meet"):
            there.loss_of(name)
    with pytest.raises(MeasureError, match="reads the cells of the meet"):
        there.loss_of("vi", "component")
    assert there.loss_of("S_H", "component")["loss"].sum() == pytest.approx(here.loss.total)
