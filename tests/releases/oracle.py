"""A three-way merge from the definition, pair by pair."""

from __future__ import annotations

from itertools import combinations

Clusters = dict[int, int]


def together(side: Clusters, one: int, other: int) -> bool:
    """Whether two points share a cluster; who is absent is alone."""
    return one in side and other in side and side[one] == side[other]


def wanted(base: Clusters, ours: Clusters, theirs: Clusters, one: int, other: int) -> bool:
    """Base with the flips of both sides."""
    was = together(base, one, other)
    flipped = any(together(side, one, other) != was for side in (ours, theirs))
    return was != flipped


def inside(base: Clusters, ours: Clusters, theirs: Clusters) -> set[int]:
    """The points that nobody removed."""
    return {p for p in {*base, *ours, *theirs} if p not in base or (p in ours and p in theirs)}


def regions(base: Clusters, ours: Clusters, theirs: Clusters) -> list[set[int]]:
    """Components of the pairs that are wanted together and were not all the time together on every side.

    Points that are together on all three sides are one atom, and never apart.
    """
    points = sorted(inside(base, ours, theirs))
    region = {p: p for p in points}
    for one, other in combinations(points, 2):
        atom = all(together(side, one, other) for side in (base, ours, theirs))
        if atom or wanted(base, ours, theirs, one, other):
            old, new = region[other], region[one]
            region = {p: new if r == old else r for p, r in region.items()}
    return [{p for p in points if region[p] == r} for r in set(region.values())]


def kind(base: Clusters, ours: Clusters, theirs: Clusters, region: set[int]) -> str:
    """How the changes of a region go together."""
    apart = [pair for pair in combinations(sorted(region), 2) if not wanted(base, ours, theirs, *pair)]
    if not apart:
        return "merged"
    return "clash" if any(together(base, *pair) for pair in apart) else "chain"
