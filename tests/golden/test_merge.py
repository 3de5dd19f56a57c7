"""Three-way merges, made by brute force over pairs, elsewhere and once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clusterdiff.releases.merge import SIDES, merge

CASES = json.loads(Path(__file__).with_name("merge.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("prefer", SIDES)
def test_merges_come_to_what_the_pairs_say(prefer: Any) -> None:
    """Clusters for every choice, and the conflicts."""
    for case in CASES:
        found = merge(*(list(map(set, case[side])) for side in SIDES), prefer=prefer)
        assert sorted(map(sorted, found.clustering.to_sets())) == sorted(
            map(sorted, case["result"][prefer])
        ), case
        told = sorted((conflict.kind, sorted(conflict.points)) for conflict in found.conflicts)
        assert told == sorted((conflict["kind"], conflict["points"]) for conflict in case["conflicts"]), case
