"""The operations of a patch against their definition, written from sets of points."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterdiff as cd
from clusterdiff import _core
from tests.cases import cases

#: Points whose text needs escapes, more than one byte, a surrogate pair, or has no UTF-8 at all.
NAMES = [
    "a",
    "b",
    "ab",
    'q"uote',
    "back\\slash",
    "tab\t",
    "\x00",
    "\x7f",
    "é",
    "字",
    "😀",
    "\ud800",
    "",
    "a" * 70,
]
CLUSTERINGS = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 4), min_size=1)


def named(points: set[str]) -> dict[str, Any]:
    """A cluster as a patch names it."""
    whole = sorted(points)
    digest = sha256(json.dumps(whole).encode()).hexdigest()[:16]
    return {"member": whole[0], "size": len(whole), "digest": digest}


def operations(before: dict[str, int], after: dict[str, int]) -> list[dict[str, Any]]:
    """Remove, split, merge, add; each kind by the least point of the clusters concerned."""
    shared = before.keys() & after.keys()

    def parts(side: dict[str, int], other: dict[str, int], cluster: int) -> list[set[str]]:
        inside = {p for p in shared if side[p] == cluster}
        found = [{p for p in inside if other[p] == c} for c in {other[p] for p in inside}]
        return sorted(found, key=lambda part: (-len(part), min(part)))

    def whole(side: dict[str, int], points: set[str]) -> dict[int, set[str]]:
        return {c: {p for p in points if side[p] == c} for c in {side[p] for p in points}}

    out: list[dict[str, Any]] = []
    if removed := sorted(before.keys() - after.keys()):
        out.append({"remove": removed})
    for cluster, points in sorted(whole(before, shared).items(), key=lambda one: min(one[1])):
        if len(cells := parts(before, after, cluster)) > 1:
            out.append({"split": named(points), "off": [sorted(cell) for cell in cells[1:]]})
    for cluster, _ in sorted(whole(after, set(after)).items(), key=lambda one: min(one[1])):
        if len(cells := parts(after, before, cluster)) > 1:
            out.append({"merge": [named(cell) for cell in cells]})
    for _, points in sorted(whole(after, set(after)).items(), key=lambda one: min(one[1])):
        if come := points - shared:
            out.append({"add": sorted(come), "to": named(points & shared) if points & shared else None})
    return out


@given(CLUSTERINGS, CLUSTERINGS)
def test_operations_are_those_of_the_definition(before: dict[str, int], after: dict[str, int]) -> None:
    """Written to a file, read one by one, and made by hand, they are the same."""
    patch, wanted = cd.patch(before, after), operations(before, after)
    assert json.loads(patch.to_json())["operations"] == wanted
    assert [operation.to_dict() for operation in patch.operations] == wanted
    by_hand = cd.Patch(tuple(patch.operations))
    assert (by_hand, by_hand.to_json(), hash(by_hand)) == (patch, patch.to_json(), hash(patch))


def test_large_patches_are_the_same_whatever_the_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces are written apart and joined; positions are written as text, in the order of text."""
    rng = np.random.default_rng(0)
    before = rng.integers(0, 50_000, 200_000)
    after = np.where(rng.random(len(before)) < 0.1, rng.integers(0, 50_000, len(before)), before)
    found = []
    for threads in ("1", "3"):
        monkeypatch.setenv("CLUSTERDIFF_THREADS", threads)
        found.append(cd.patch(before, after).to_json())
    assert found[0] == found[1]
    patch = cd.patch(before, after)
    assert len(patch) == len(json.loads(found[0])["operations"])
    assert patch.operations[-1].to_dict() == json.loads(found[0])["operations"][-1]
    assert patch.operations[:2] == tuple(patch.operations)[:2]


@cases("size", [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000])
def test_digests_are_sha_256(size: int) -> None:
    """With the processor's own instructions and without."""
    text = bytes(range(256)) * 4
    wanted = int(sha256(text[:size]).hexdigest()[:16], 16)
    assert _core.sha256_heads(text[:size]) == (wanted, wanted)


def test_what_is_no_list_is_refused() -> None:
    """Nothing outside the texts is read."""
    none, empty = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int64)
    fitting: dict[str, Any] = {
        "texts": ["a", "b"],
        "removed": (np.array([0, 0]), empty),
        "cells": (np.array([0, 1, 2]), np.array([0, 1])),
        "splits": (none, empty),
        "merges": (np.array([0, 2]), np.array([0, 1])),
        "merge_adds": np.array([-1]),
        "adds": (none, empty),
        "targets": (none, empty),
        "separator": ",",
    }
    assert json.loads(_core.write_patch(**fitting).text) == {"merge": [named({"a"}), named({"b"})]}
    for name, value in {
        "cells": (np.array([0, 1, 2]), np.array([0, 2])),
        "merges": (np.array([0, 2]), np.array([0, 2])),
        "merge_adds": np.array([0]),
        "adds": (np.array([0, 0]), empty),
        "removed": (none, empty),
        "splits": (np.array([0, 0]), empty),
    }.items():
        with pytest.raises(ValueError, match=name):
            _core.write_patch(**fitting | {name: value})
