"""Judging a difference without truth against golden values, which were computed from sets by another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clusterdiff as cd
from clusterdiff.judgements.changed import KINDS, changed_components
from clusterdiff.judgements.contributions import contributions
from clusterdiff.judgements.drawing import probabilities, systematic
from clusterdiff.judgements.totals import Anchor, Answered, Total, anchored, expected_error

CASES = json.loads(Path(__file__).with_name("judged_difference.json").read_text(encoding="utf-8"))["cases"]
#: The names of the golden values, and the sign with which they count here.
NAMES = {
    "tp": ("true_pairs", 1),
    "pp": ("pairs", 1),
    "b3p": ("b3.precision", 1),
    "b3r": ("b3.recall", 1),
    "vi": ("vi", -1),
    "mean": ("S'", 1),
    "pf": ("point_f", 1),
    "jac": ("point_jaccard", 1),
    "exact": ("exact", 1),
    "mirkin": ("wrong_pairs", -1),
    "joined_true": ("joined right", 1),
    "torn_true": ("torn wrongly", 1),
    "s_h_cut": ("S_H, cut", 1),
    "pts_better": ("points better", 1),
    "pts_worse": ("points worse", 1),
    "b3r_cut": ("b3.recall, cut", 1),
    "mean_cut": ("S', cut", 1),
    "pf_cut": ("point_f, cut", 1),
    "better": ("better", 1),
    "worse": ("worse", 1),
    "new_right": ("new right", 1),
    "old_right": ("old right", 1),
}


def cases(kind: str) -> Any:
    chosen = [case for case in CASES if case["kind"] == kind]
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case["name"])


def labels(text: str) -> dict[str, int]:
    return {point: i for i, cluster in enumerate(text.split("|")) for point in cluster}


@cases("contributions")
def test_contributions(case: dict[str, Any]) -> None:
    """What each changed component adds, from its own points and the sizes of true clusters."""
    old, new, true = (labels(case[side]) for side in ("old", "new", "true"))
    diff = cd.compare(old, new)
    changed = changed_components(diff)
    assert len(changed) == len(case["components"])
    found = {}
    for i, component in enumerate(changed.component.tolist()):
        cells = diff.analysis.cells_of_component(component)
        found[tuple(sorted(diff.source.points(cells)))] = i
    for wanted in case["components"]:
        points = wanted["points"]
        i = found[tuple(points)]
        assert KINDS[changed.kind[i]] == wanted["kind"]
        values = (changed.moved[i], changed.torn[i], changed.joined[i])
        assert values == pytest.approx((wanted["moved"], wanted["torn"], wanted["joined"]), abs=1e-12)
        inside = [sum(true[q] == true[p] for q in points) for p in points]
        beyond = [sum(t == true[p] for t in true.values()) - k for p, k in zip(points, inside, strict=True)]
        sides = (np.array([side[p] for p in points]) for side in (old, new, true))
        y = contributions(*sides, np.array(beyond))
        for name, value in wanted["y"].items():
            if name != "s_h":  # needs the truth of unchanged clusters, too
                ours, sign = NAMES[name]
                assert sign * y[ours] == pytest.approx(value, abs=1e-12), name


@cases("probabilities")
def test_probabilities(case: dict[str, Any]) -> None:
    """Certain units, strata and inclusion probabilities."""
    strata = None if case["strata"] is None else np.array(case["strata"])
    found = probabilities(np.array(case["x"], dtype=float), case["k"], strata)
    assert found.probability.tolist() == pytest.approx(case["probabilities"], abs=1e-12)
    assert np.flatnonzero(found.certain).tolist() == case["certain"]
    assert {str(h): take for h, take in found.take.items()} == case["take"]


@cases("draw")
def test_systematic_draws(case: dict[str, Any]) -> None:
    """By order and start."""
    drawn = systematic(np.array(case["probabilities"]), np.array(case["order"]), case["start"])
    assert drawn.tolist() == case["drawn"]


@pytest.mark.parametrize(
    "case", [c for c in CASES if c["kind"] in ("total", "ratio")], ids=lambda case: case["name"]
)
def test_totals_and_shares(case: dict[str, Any]) -> None:
    """Estimate, standard error, degrees of freedom and interval."""
    drawn = None if case["drawn"] is None else {int(h): k for h, k in case["drawn"].items()}
    units = Answered(
        np.array(case["x"], dtype=float),
        np.array(case["probability"], dtype=float),
        np.array(case["stratum"]),
        {int(h): total for h, total in case["X"].items()},
        drawn,
    )
    y = np.array(case["y"], dtype=float)
    found = units.total(y) if case["kind"] == "total" else units.share(y, np.array(case["z"], dtype=float))
    wanted = case["result"]
    assert found.freedom == wanted["nu"]
    values = (found.value, found.error, found.low, found.high)
    assert values == pytest.approx([wanted[k] for k in ("estimate", "se", "low", "high")], abs=1e-12)


@cases("anchored")
def test_anchored_differences(case: dict[str, Any]) -> None:
    """Pair precision, recall and F1 by the delta method."""
    anchor = Anchor(case["precision"], case["recall"], case["se_precision"], case["se_recall"])
    gained = Total(case["dTP"], case["se"], 1, 0, 0)
    found = anchored(gained, (case["PP_old"], case["PP_new"]), anchor)
    for name, wanted in case["result"].items():
        assert found[f"pairs.{name}"] == pytest.approx(wanted, abs=1e-12)


@cases("plan")
def test_expected_errors(case: dict[str, Any]) -> None:
    """The standard error to expect of a total."""
    x = np.array(case["x"])
    found = probabilities(x, case["k"])
    y = np.array(case["y_old_right"]), np.array(case["y_new_right"])
    error = expected_error(x, found.probability, found.certain, found.stratum, y, case["q"])
    assert error == pytest.approx(case["se"], abs=1e-12)
