"""The page's what-if engine, in a real browser, against new comparisons after every operation."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files
from math import log
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.show.report.costs import RECOMPUTED, Costs

ENGINE, MEASURED = (
    files("clusterdiff.show.report").joinpath(name).read_text(encoding="utf-8")
    for name in ("whatif.js", "measured.js")
)
#: Plays each case to its end: what is lost, which repairs there are, one of them done; where each given cell is then.
PLAY = (
    "(cases) => {\n"
    + ENGINE
    + f"const measuredOf = (data) => {{ {MEASURED} return measured; }};"
    + """
  return cases.map(({ choices, measures, ...given }) => {
    const engine = whatIf(given);
    const told = measures.map((measure) => measuredOf({ measure, loss: [0] }));
    const first = told.length ? told[0].ofComponent(engine) : null;
    const steps = [];
    for (const choice of [...choices, 0]) {
      const repairs = engine.repairs();
      const where = [];
      for (const pred of engine.preds.values())
        for (const cell of pred.cells.values())
          for (const at of cell.of) where[at] = pred.id;
      const homes = [...engine.preds.values()].flatMap((pred) =>
        [...pred.cells.values()].filter((cell) => cell.found).map((cell) => [cell.t, pred.id]));
      const having = [...engine.preds.values()].filter((pred) => pred.lost.size);
      const spurious = having.map((pred) => [pred.id, pred.strays]);
      const measured = told.map((one) => {
        const now = one.plus(one.plus(one.sums, one.ofComponent(engine)), first, -1);
        const after = (repair) => one.plus(now, one.changeOf(engine, repair));
        const gains = repairs.map((repair) => [repair.operation, one.gain(now, after(repair))]);
        return { name: one.name, score: one.formula(now), loss: one.lossOf(now), gains };
      });
      steps.push({ repairs, where, homes, spurious, measured, lost: engine.lost(), gone: engine.gone() });
      if (!repairs.length) break;
      engine.apply(repairs[Math.floor(choice * repairs.length)]);
    }
    return steps;
  });
}"""
)


class Case:
    """Two clusterings of a few points, weighed or not; with ``lost``, points that one side lacks."""

    def __init__(self, seed: int, weighed: bool, lost: bool) -> None:
        rng = np.random.default_rng(seed)
        n, k = int(rng.integers(2, 40)), rng.integers(1, 7, 2)
        self.true = rng.integers(0, k[0], n)
        self.pred = rng.integers(0, k[1], n)
        self.weights = (
            rng.choice([0.0, 0.5, 1.0, 3.0, 1e3], n, p=[0.1, 0.2, 0.4, 0.2, 0.1]) if weighed else np.ones(n)
        )
        if weighed:
            self.weights[0] = 2.0
        self.weighed = weighed
        if lost:
            self.true[rng.random(n) < 0.15] = -1
            self.pred[(rng.random(n) < 0.2) & (self.true >= 0)] = -1
        self.lost = lost
        self.choices = rng.random(6).tolist()
        self.cells = sorted(
            {(t, p) for t, p in zip(self.true.tolist(), self.pred.tolist(), strict=True) if t >= 0 and p >= 0}
        )

    @property
    def unit(self) -> float:
        return float(self.weights.sum()) / len(self.weights)

    def bag(self, inside: Any) -> dict[str, float]:
        w = self.weights[inside]
        return {
            "size": len(w),
            "mass": float(w.sum()),
            "entropy": sum(x * log(x / self.unit) for x in w if x),
        }

    def given(self, measures: Iterable[str] = ()) -> dict[str, Any]:
        """What the page's script gets."""
        diff = cd.compare(self.true, self.pred) if not self.lost else None
        cells = [{"t": t, "p": p, **self.bag((self.true == t) & (self.pred == p))} for t, p in self.cells]
        truths = [{"lost": self.bag((self.true == t) & (self.pred < 0))} for t in range(max(self.true) + 1)]
        preds = [{"lost": self.bag((self.pred == p) & (self.true < 0))} for p in range(max(self.pred) + 1)]
        return {
            "unit": self.unit,
            "uneven": self.lost,
            "cells": cells,
            "truths": truths,
            "preds": preds,
            "choices": self.choices,
            "measures": [Costs(diff, name).data() for name in measures] if diff else [],
        }

    def compared(self, step: dict[str, Any]) -> cd.types.Comparison:
        """The comparison with the clusters as they are after some operations."""
        pred = np.full(len(self.pred), -1)
        for (t, p), cluster in zip(self.cells, step["where"], strict=True):
            pred[(self.true == t) & (self.pred == p)] = cluster
        for t, cluster in step["homes"]:
            pred[(self.true == t) & (self.pred < 0)] = cluster
        for cluster, strays in step["spurious"]:
            pred[(self.true < 0) & np.isin(self.pred, strays)] = cluster
        # In this order clusters are numbered as the page numbers them, and ties fall alike.
        order = np.argsort(np.where(pred < 0, len(pred) * 9, pred), kind="stable").tolist()
        sides = [{i: int(side[i]) for i in order if side[i] >= 0} for side in (self.true, pred)]
        weights = {i: float(self.weights[i]) for i in order} if self.weighed else None
        return cd.compare(*sides, weights=weights, missing="lost" if self.lost else "error")


def told(repairs: Any) -> list[tuple[str, float]]:
    return sorted((operation, gain) for operation, gain in repairs if gain > 1e-11)


@pytest.fixture(scope="module")
def play(browser: Any) -> Any:
    page = browser.new_page()
    yield lambda cases, measures=(): page.evaluate(PLAY, [case.given(measures) for case in cases])
    page.close()


@pytest.mark.parametrize("lost", [False, True], ids=["all", "lost"])
@pytest.mark.parametrize("weighed", [False, True], ids=["plain", "weighed"])
def test_scores_losses_and_repairs_follow_every_operation(play: Any, weighed: bool, lost: bool) -> None:
    """After each operation they are those of a new comparison, and the gain promised was right."""
    cases = [Case(seed, weighed, lost) for seed in range(24)]
    operations: dict[str, int] = {}
    for case, steps in zip(cases, play(cases), strict=True):
        assert len(steps) > 1 or not steps[0]["repairs"]
        for step in steps:
            diff = case.compared(step)
            total = float(case.weights.sum()) - step["gone"]
            parts = [part / total for part in step["lost"]] if total else [0.0] * 4
            assert parts == pytest.approx(diff.loss[1:], abs=1e-12)
            assert 1 - sum(parts) == pytest.approx(diff.score(), abs=1e-12)
            kept = total - sum(step["lost"])
            gains = []
            for repair in step["repairs"]:
                rest = total - repair["gone"]
                gain = ((kept + repair["gain"]) / rest if rest > 0 else 1.0) - kept / total
                gains.append((repair["operation"], gain))
                operations[repair["operation"]] = operations.get(repair["operation"], 0) + 1
            mine, theirs = told(gains), told((repair.operation, repair.gain) for repair in diff.repairs())
            assert [operation for operation, _ in mine] == [operation for operation, _ in theirs]
            assert [gain for _, gain in mine] == pytest.approx([gain for _, gain in theirs], abs=1e-12)
    wanted = {"split", "merge", "move"} | ({"add", "remove"} if lost else set())
    assert {operation for operation, times in operations.items() if times > 10} == wanted


def test_other_measures_follow_every_operation(play: Any) -> None:
    """What the page makes of sums is what a new comparison says, and the gains that it promised were right."""
    cases = [Case(seed, False, False) for seed in range(6)]
    for case, steps in zip(cases, play(cases, sorted(RECOMPUTED)), strict=True):
        for step, later, choice in zip(steps, steps[1:], case.choices, strict=False):
            diff = case.compared(step)
            done = int(choice * len(step["repairs"]))
            assert {one["name"] for one in step["measured"]} == RECOMPUTED
            for one, after in zip(step["measured"], later["measured"], strict=True):
                assert one["score"] == pytest.approx(diff.score(one["name"]), abs=1e-11)
                assert one["loss"] == pytest.approx(diff.loss_of(one["name"])[1:3], abs=1e-11)
                rise = after["score"] - one["score"]
                better = 1 if cd.measures[one["name"]].similarity else -1
                assert one["gains"][done][1] == pytest.approx(better * rise, abs=1e-11)
