"""Points that one side lacks, counted as lost: values computed by brute force, elsewhere and once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd
from clusterdiff.diff.loss import PARTS, CellLoss
from clusterdiff.measures.subcomponents import Scored, subcomponent
from tests.cases import cases

CASES = json.loads(Path(__file__).with_name("lost.json").read_text(encoding="utf-8"))["cases"]
OTHERS = {
    "b3.precision": "b3.precision",
    "b3.recall": "b3.recall",
    "pair.precision": "pairs.precision",
    "pair.recall": "pairs.recall",
    "pair.f1": "pairs.f1",
    "rand": "R",
    "van_dongen": "N",
    "element": "element_centric",
    "exact.precision": "clusters.precision",
    "exact.recall": "clusters.recall",
}


def compared(case: dict[str, Any]) -> cd.types.Comparison:
    """The comparison that a case describes."""
    data = {
        name: {int(point): value for point, value in case[name].items()}
        for name in ("weights", "features")
        if case[name] is not None
    }
    return cd.compare(list(map(set, case["true"])), list(map(set, case["pred"])), missing="lost", **data)


def parts(row: Any) -> list[float]:
    """The four parts of the loss of a row of a table."""
    return [getattr(row, f"{part}_loss") for part in PARTS]


def close(values: Any) -> Any:
    return pytest.approx(values, abs=1e-12)


@cases("case", CASES)
def test_scores_and_losses_are_the_golden_ones(case: dict[str, Any]) -> None:
    """The score, and for S_H its four losses: of the whole, of true and predicted clusters, and of components."""
    diff = compared(case)
    name = ("S*" if case["sigma"] == "product" else "S'") + f"({case['s']})"
    assert diff.score(name) == close(case["expected"]["score"])
    scored = Scored(diff.meet, subcomponent(case["s"]))
    # Clusters are called by their place in the lists of sets.
    by_name = dict(zip(diff.meet.true_names.tolist(), scored.split.tolist(), strict=True))
    assert [by_name[i] for i in range(len(case["true"]))] == close(case["split_scores"])
    by_name = dict(zip(diff.meet.pred_names.tolist(), scored.merge.tolist(), strict=True))
    assert [by_name[i] for i in range(len(case["pred"]))] == close(case["merge_scores"])
    if case["sigma"] != "product":
        return
    total = CellLoss.of(scored).total
    assert list(total[1:]) == close([case["expected"][part] for part in PARTS])
    assert total.total == close(1 - case["expected"]["score"])
    if case["s"] != "entropy":
        return
    assert diff.loss == total
    for table, key in ((diff.splits, "by_true"), (diff.merges, "by_pred")):
        found = {row.cluster: parts(row) for row in table}
        *rows, none = case[key]
        for cluster, row in enumerate(rows):
            assert found[cluster] == close([row[part] for part in PARTS])
        assert found.get(None, [0.0] * 4) == close([none[part] for part in PARTS])
    components = {tuple(sorted(c.points)): parts(c) for c in diff.components}
    assert components == {
        tuple(row["points"]): close([row[part] for part in PARTS]) for row in case["by_component"]
    }


@cases(
    "case",
    [case for case in CASES if case["weights"] is None],
)
def test_other_measures_are_the_golden_ones(case: dict[str, Any]) -> None:
    """With full sizes; without lost points all is as before, and shares of no pairs at all are 1."""
    diff = compared(case)
    for name, expected in case["others"].items():
        if (
            name.startswith("pair.")
            and not diff.meet.uneven
            and not diff.meet.pairs.true + diff.meet.pairs.pred
        ):
            expected = 1.0
        assert diff.score(OTHERS[name]) == close(expected), name
