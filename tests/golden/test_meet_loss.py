"""The losses of ten measures in 36 comparisons, a dozen with lost points, computed elsewhere from scores alone."""

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from tests.cases import cases

CASES = json.loads((Path(__file__).parent / "meet_loss.json").read_text())


@cases("case", CASES)
def test_every_part_of_every_loss(case: dict[str, Any]) -> None:
    even = cd.compare(case["true"], case["pred"])
    for measure, wanted in case["measures"].items():
        found = even.loss_of(measure)._asdict()
        assert {part: found[part] for part in wanted} == pytest.approx(wanted, abs=1e-12), measure
    if "lost" not in case:
        return
    uneven = cd.compare(case["lost"]["true"], case["lost"]["pred"], missing="lost")
    for measure, wanted in case["lost"]["measures"].items():
        found = uneven.loss_of(measure)._asdict() | {"value": uneven.score(measure)}
        del wanted["shared"]
        assert found == pytest.approx(wanted, abs=1e-12), measure
