"""Estimates from sampled truth against golden values, which were computed from the definitions by another program."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.judgements.judged_pairs import JudgedPairs
from clusterdiff.judgements.resolved import bounds_of_s_h, estimated, weigh
from clusterdiff.judgements.runs import Indexed
from clusterdiff.judgements.samples import lay_sample
from tests.cases import cases

FOLDER = Path(__file__).parent
CASES = json.loads((FOLDER / "sample.json").read_text(encoding="utf-8"))["cases"]
PAIRS = json.loads((FOLDER / "judgements.json").read_text(encoding="utf-8"))["cases"]
NAMES = {"pair.": "pairs.", "exact.": "clusters.", "split": "S_H.split"}


def named(name: str) -> str:
    """A measure as it is called here."""
    for old, new in NAMES.items():
        name = name.replace(old, new)
    return name


@cases("case", CASES)
def test_sampled_clusters(case: dict[str, Any]) -> None:
    """Estimate, both standard errors, degrees of freedom, worth; intervals by the jackknife; bounds of S_H."""
    design = {"uniform": "clusters", "pps": "points"}[case["design"]]
    population = case["population"] if design == "clusters" else None
    sample = lay_sample(case["sample"], Indexed(case["pred"], "pred"), "error")
    weights = weigh(sample, design, None, population)  # type: ignore[arg-type]
    found = cd.estimate(case["sample"], case["pred"], design=design, population=population)  # type: ignore[arg-type]
    for name, wanted in case["expected"].items():
        got, _ = estimated(sample, weights, named(name))
        values = [got.value, got.linear, got.jackknife, got.freedom, got.worth]
        assert values == pytest.approx(wanted, abs=1e-12), name
        one = found[named(name)]
        assert (one.value, one.error) == pytest.approx((wanted[0], wanted[2]), abs=1e-12)
        low, high = case["intervals"][name][1:]
        assert (one.low, one.high) == pytest.approx((low, high), abs=1e-12), name
    ends = bounds_of_s_h(sample, weigh(sample, design, None, None))  # type: ignore[arg-type]
    for got, wanted in zip(ends, case["bounds"], strict=True):
        values = [got.value, got.linear, got.jackknife, got.freedom, got.worth]
        assert values == pytest.approx(wanted, abs=1e-12)
    assert found.bounds("S_H") == pytest.approx([wanted[0] for wanted in case["bounds"]], abs=1e-12)
    if len(case["sample"]) == case["population"] and design == "clusters":
        diff = cd.compare(case["true"], case["pred"])
        for name, one in found.items():
            if name not in ("S_H", "S_H.split"):
                assert one.value == pytest.approx(diff.score(name), abs=1e-12), name
        assert found.bounds("S_H") == pytest.approx([diff.score("S_H")] * 2, abs=1e-12)


@cases("case", [c for c in PAIRS if c["kind"] == "pairs"])
def test_judged_pairs(case: dict[str, Any]) -> None:
    """Precision, recall and F1 of drawn pairs, with strata and unsure ones."""
    import numpy as np

    together, match, probability = zip(*case["rows"], strict=True)
    pairs = JudgedPairs(
        np.array(together, dtype=float),
        np.array([math.nan if one is None else one for one in match], dtype=float),
        np.array(probability),
        None if case["stratum"] is None else np.array(case["stratum"]),
    )
    for name, wanted in case["result"].items():
        one = pairs.estimates(0.95)[f"pairs.{name}"]
        assert one.value == pytest.approx(wanted["estimate"], abs=1e-12)
        assert one.error == pytest.approx(wanted["se"], abs=1e-12)
        assert (one.low, one.high) == pytest.approx((wanted["low"], wanted["high"]), abs=1e-12)
        if "bounds" in wanted:
            assert one.bounds == pytest.approx(wanted["bounds"], abs=1e-12)
