"""References of a page to points that it did not hold: what they claim, in files that grow with the data alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

import clusterdiff as cd
from clusterdiff.judgements.references import digest_cells, digest_group


def test_a_group_is_expanded_without_repeating_large_clusters(tmp_path: Path) -> None:
    """Moved points belong to the rest of their true cluster, and not to what they leave, which stays together.

    The claims follow from one another, so that no cluster need be listed beside every other.
    """
    rng = np.random.default_rng(0)
    true = np.minimum(rng.zipf(1.5, 3000), 60)
    pred = np.where(rng.random(3000) < 0.2, rng.integers(1, 61, 3000), true)
    diff = cd.compare(true, pred)
    found = diff.patterns().groups
    number = max(range(len(found)), key=lambda i: len(found[i].at))
    moved = found[number].at
    reference = {"group": number, "digest": digest_group(moved), "comparison": digest_cells(diff)}
    (tmp_path / "j.jsonl").write_text(json.dumps(reference), encoding="utf-8")
    said = cd.Judgements.read(tmp_path / "j.jsonl", comparison=diff)
    assert sum(len(one.points) for one in said) < 3 * 3000 + 2 * len(said)
    assert len({one.id for one in said}) == len(said)
    # The same from sets: points of one block are together, and blocks apart.
    block = {point: i for i, points in enumerate(said.facts.blocks) for point in points}
    apart = {frozenset(block.get(point, point) for point in pair) for pair in said.facts.apart}
    assert len(moved) > 100
    for t in np.unique(true[moved]):
        mine = moved[true[moved] == t]
        assert len({block.get(str(i), str(i)) for i in mine}) == 1
        here = block.get(str(mine[0]), str(mine[0]))
        for p in np.unique(pred[mine]):
            for other in np.unique(true[(pred == p) & (true != t)]):
                left = np.flatnonzero((pred == p) & (true == other))
                (there,) = {block.get(str(i), str(i)) for i in left}
                assert frozenset((here, there)) in apart
    truth = {str(i): label for i, label in enumerate(true.tolist())}
    assert all(len({truth[point] for point in points}) == 1 for points in said.facts.blocks)
    assert cd.compare(true, said.apply(pred)).score() > cd.compare(true, pred).score()
