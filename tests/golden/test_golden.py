"""Values computed by brute force, elsewhere and once: the library still gives them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from tests.cases import cases

CASES = json.loads(Path(__file__).with_name("paper_measures.json").read_text(encoding="utf-8"))["cases"]
STRUCTURE = {"meet_cells", "join_components", "join_sizes"}


@pytest.mark.filterwarnings("ignore:K\\(k=4\\)")
@cases("case", CASES)
def test_golden_values_are_met(case: dict[str, Any]) -> None:
    """Every value agrees to 1e-12; K(k=4) is refused where there are more than four clusters."""
    diff = cd.compare(case["true"], case["pred"], features=case.get("features"))
    expected = case["expect"]
    assert len(diff.meet) == expected["meet_cells"]
    assert len(diff.components) == expected["join_components"]
    assert sorted(diff.components["size"].tolist(), reverse=True) == expected["join_sizes"]
    for name, value in expected.items():
        if name in STRUCTURE:
            continue
        name = {"S'_entropy": "S'(entropy)", "NMI": "nmi_max"}.get(name, name)
        if name == "K(k=4)" and max(diff.meet.k_true, diff.meet.k_pred) > 4:
            with pytest.raises(cd.MeasureError, match="k ≥ the number of clusters"):
                diff.score(name)
        else:
            assert diff.score(name) == pytest.approx(value, abs=1e-12), name
