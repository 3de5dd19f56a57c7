"""Patterns: shapes, blame and who is hit, made by a prototype, elsewhere and once."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.harms import Harm
from clusterdiff.diff.loss import PARTS
from clusterdiff.diff.shapes import SHAPES, Shapes

CASES = json.loads(Path(__file__).with_name("patterns.json").read_text(encoding="utf-8"))


def test_components_have_the_shape_and_the_blame_that_they_should_have() -> None:
    """The code of one component, its losses, and how far each point is off with what it is charged."""
    for case in CASES["shapes"]:
        diff = cd.compare(list(case["true"]), list(case["pred"]))
        blame = Blame(diff.analysis)
        shapes, points = Shapes(blame), blame.points(diff.source)
        assert sorted({SHAPES[code] for code in shapes.codes}) == case["components"], case
        for part in PARTS:
            assert sum(getattr(row.loss, part) for row in shapes.rows) == pytest.approx(
                case["parts"][part], abs=1e-9
            )
        for found, expected in zip(
            (points.off_true, points.off_pred, points.lost.total),
            ("off_true", "off_pred", "blame"),
            strict=True,
        ):
            np.testing.assert_allclose(found, case[expected], atol=1e-9)


def test_lost_points_have_shapes_of_their_own() -> None:
    """Missing and spurious points, in clusters that are otherwise right and in split ones."""
    for case in CASES["mixtures"]:
        diff = cd.compare(case["true"], case["pred"], missing=case["missing"])
        rows = Shapes(Blame(diff.analysis)).rows
        found = {
            row.shape: {"share": row.share} | {part: getattr(row.loss, part) for part in PARTS}
            for row in rows
        }
        assert found == {shape: pytest.approx(losses, abs=1e-9) for shape, losses in case["shapes"].items()}


def test_hits_are_tested_as_they_should_be() -> None:
    """Rates, expectations by stratum, the design effect of clusters, p and what is explained."""
    for case in CASES["tables"]:
        hit = np.array(case["y"], dtype=float)
        arrays = (np.array(case[name]) for name in ("unit", "stratum", "event"))
        harm = Harm("left", np.arange(len(hit)), hit, hit, *arrays)
        excess = harm.test(np.array(case["x"], dtype=bool))
        assert excess is not None
        found = excess._asdict() | {"explains": harm.explained(excess.hits, excess.expected)}
        for name, expected in case["expect"].items():
            assert found[name] == pytest.approx(np.inf if expected is None else expected, abs=1e-9), name
