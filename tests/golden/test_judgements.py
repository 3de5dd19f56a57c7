"""Judgements against golden values, which were computed from the definitions by another program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd

CASES = json.loads(Path(__file__).with_name("judgements.json").read_text(encoding="utf-8"))["cases"]


def cases(kind: str) -> Any:
    """The cases of a kind, by name."""
    chosen = [case for case in CASES if case["kind"] == kind]
    assert chosen
    return pytest.mark.parametrize("case", chosen, ids=lambda case: case["name"])


def plain(judgements: cd.Judgements) -> list[dict[str, Any]]:
    """Judgements as the golden values have them."""
    return [
        {
            "id": one.id,
            "groups": [list(group) for group in one.groups] or None,
            "unsure": list(one.unsure) or None,
            "by": one.by,
            "at": one.at,
            "expect": one.expect,
            "complete": one.complete,
        }
        for one in judgements
    ]


@cases("apply")
def test_apply(case: dict[str, Any]) -> None:
    """The result, what was torn and joined, what was chosen and left undetermined; or the contradictions."""
    judgements = cd.Judgements(case["judgements"])
    if "error" in case:
        with pytest.raises(cd.ContradictionError) as caught:
            judgements.apply(case["clustering"])
        assert [found.to_dict() for found in caught.value.found] == case["error"]
        return
    found = judgements.apply(case["clustering"], scores=case["scores"])
    assert sorted(sorted(cluster) for cluster in found.to_sets()) == case["result"]
    report = case["report"]
    torn = [
        {
            "cluster": sorted(point for part in one.parts for point in part),
            "parts": [list(part) for part in one.parts],
            "chosen": one.chosen,
            "undetermined": list(one.undetermined),
        }
        for one in found.torn
    ]
    assert sorted(torn, key=lambda one: one["cluster"]) == [
        {**one, "parts": sorted(one["parts"])}
        for one in sorted(report["torn"], key=lambda one: one["cluster"])
    ]
    members: dict[Any, list[str]] = {}
    for point, cluster in case["clustering"].items():
        members.setdefault(cluster, []).append(point)
    assert sorted(sorted(sorted(members[c]) for c in joined) for joined in found.joined) == sorted(
        report["joined"]
    )
    assert list(found.absent) == report["absent"]


@cases("settle")
def test_settle(case: dict[str, Any]) -> None:
    """What stands, what is set aside and why, and the facts that follow."""
    rank = case["rank"] or {}
    settled = cd.Judgements(case["judgements"]).settle(sorted(rank, key=rank.__getitem__))
    assert sorted(one.id for one in settled.judgements if one.groups) == case["accepted"]
    aside = [
        [one.judgement.id, list(one.contradiction.path), sorted(one.contradiction.by)]
        for one in settled.aside
    ]
    assert sorted(aside) == case["aside"]
    facts = settled.judgements.facts
    assert sorted(map(list, facts.blocks)) == case["blocks"]
    assert sorted(map(list, facts.apart)) == case["apart"]


@cases("evaluate")
def test_judge(case: dict[str, Any]) -> None:
    """States, counts and costs, in their order."""
    rows = cd.Judgements(case["judgements"]).judge(case["clustering"]).table
    assert [(row.id, row.state, row.cost) for row in rows] == [
        (wanted["id"], wanted["state"], wanted["cost"]) for wanted in case["result"]
    ]
    for row, wanted in zip(rows, case["result"], strict=True):
        for name in ("pairs", "violated", "extra", "absent"):
            assert getattr(row, name) == wanted.get(name, getattr(row, name)), name


@cases("format")
def test_formats(case: dict[str, Any], tmp_path: Path) -> None:
    """Files of our own and of others."""
    path = tmp_path / f"judgements.{'csv' if case['shape'] == 'csv' else 'jsonl'}"
    path.write_text(case["text"], encoding="utf-8")
    assert plain(cd.Judgements.read(path)) == case["judgements"]
