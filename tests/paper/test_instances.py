"""What docs/instances.md says of S_MSE and S_H on the digits, by running its example."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
from sklearn.datasets import load_digits

import clusterdiff as cd

TOP = Path(__file__).resolve().parents[2]


def example(name: str) -> ModuleType:
    """A script of examples/ as a module."""
    spec = importlib.util.spec_from_file_location(name, TOP / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mistakes_that_only_s_mse_tells_apart() -> None:
    """The same sizes in different places: S_H agrees within 0.003, S_MSE does not; the page has these numbers."""
    x, digits = load_digits(return_X_y=True)
    made = example("digits").edits(x, digits)
    found = {
        name: cd.compare(digits, pred, features=x).scores(["S_H", "S_MSE"]) for name, pred in made.items()
    }
    at_random, along, near, far = found.values()
    assert at_random["S_H"] == pytest.approx(along["S_H"], abs=0.003)
    assert at_random["S_MSE"] > 0.99 > 0.85 > along["S_MSE"]
    assert near["S_H"] == pytest.approx(far["S_H"], abs=0.003)
    assert near["S_MSE"] > far["S_MSE"] + 0.05
    page = (TOP / "docs" / "instances.md").read_text(encoding="utf-8")
    for name, scores in found.items():
        row = re.search(rf"^\| {re.escape(name)} \| ([\d.]+) \| ([\d.]+) \|", page, re.MULTILINE)
        assert row is not None, name
        assert [float(row[1]), float(row[2])] == pytest.approx([scores["S_H"], scores["S_MSE"]], abs=1e-4)
