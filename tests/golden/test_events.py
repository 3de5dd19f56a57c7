"""Two releases: events, fates, redirects, origins, cases and reused names, made by brute force, elsewhere and once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import clusterdiff as cd

CASES = json.loads(Path(__file__).with_name("events.json").read_text(encoding="utf-8"))["cases"]


def named(clusters: list[list[int]], names: list[str]) -> dict[str, list[int]]:
    """The clusters by name."""
    return dict(zip(names, clusters, strict=True))


def compared(case: dict[str, Any], missing: str, **options: Any) -> cd.types.Comparison:
    """The two releases of a case."""
    old, new = (named(case[side], case[f"{side}_names"]) for side in ("old", "new"))
    return cd.compare(old, new, missing=missing, **options)


def dropping(case: dict[str, Any]) -> bool:
    """Whether both releases have a point in common."""
    return bool({p for c in case["old"] for p in c} & {p for c in case["new"] for p in c})


@pytest.mark.parametrize("missing", ["lost", "drop", "singleton"])
def test_releases_are_told_as_they_are_given_under_every_policy(missing: Any) -> None:
    """Real clusters and points only; same and renamed are one event in the golden values."""
    for case in CASES:
        if missing == "drop" and not dropping(case):
            continue
        diff = compared(case, missing)
        old, new = case["old_names"], case["new_names"]
        events = [
            (
                "same" if event.kind == "renamed" else event.kind,
                event.old,
                event.new,
                event.removed,
                event.added,
            )
            for event in diff.events
        ]
        wanted = [
            (kind, [old[i] for i in olds], [new[i] for i in news], removed, added)
            for kind, olds, news, removed, added in case["events"]
        ]
        key = lambda event: (event[1], event[2])  # noqa: E731
        assert sorted(((k, sorted(o), sorted(n), r, a) for k, o, n, r, a in events), key=key) == sorted(
            ((k, sorted(o), sorted(n), r, a) for k, o, n, r, a in wanted), key=key
        )
        fates = {row.old: row.fate for row in diff.fates}
        assert [fates[name] for name in old] == case["fates"]
        origins = {row.new: row.origin for row in diff.origins}
        assert [origins[name] for name in new] == case["origins"]
        cases = {row.old: row.case for row in diff.cases}
        assert [cases[name] for name in old] == case["cases"]
        redirects = {row.old: (row.new, row.share) for row in diff.redirects}
        for name, (to, share) in zip(old, case["redirects"], strict=True):
            assert redirects[name][0] == (None if to is None else new[to])
            assert redirects[name][1] == (None if share is None else pytest.approx(share, abs=1e-12))
        assert sorted(row.name for row in diff.reused) == case["reused"]
        continued = {row.new: row.old for row in diff.fates if row.new is not None and row.fate in ("kept",)}
        for i, to in case["relabel"].items():
            if new[int(i)] in continued:
                assert continued[new[int(i)]] == (None if to is None else old[to])


def test_there_are_cases_of_every_kind() -> None:
    """The golden values say something of each word."""
    assert {kind for case in CASES for kind, *_ in case["events"]} == {
        *("born", "vanished", "same", "grown", "shrunk", "continues", "split", "merged", "rearranged")
    }
    assert {fate for case in CASES for fate in case["fates"]} == {"kept", "absorbed", "split", "gone"}
    assert {origin for case in CASES for origin in case["origins"]} == {"kept", "split off", "merged", "born"}


def test_patches_and_names_are_those_of_the_golden_values() -> None:
    """Operation by operation, with digests; new clusters get the names of old ones as they say."""
    for case in CASES:
        old, new = ({i: set(points) for i, points in enumerate(case[side])} for side in ("old", "new"))
        patch = cd.patch(old, new)
        assert [operation.to_dict() for operation in patch.operations] == case["patch"]
        assert patch.apply(old) == cd.Clustering(new)
        called = cd.relabel(new, like=old).to_dict()
        for i, to in case["relabel"].items():
            names = {called[point] for point in new[int(i)]}
            assert names == {to} if to is not None else names.isdisjoint(old)
