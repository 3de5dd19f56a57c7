"""Conflicts of a three-way merge: listed, written down, and given back with what was decided."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from clusterdiff.errors import ArgumentError, listed
from clusterdiff.table import plain, record_html
from clusterdiff.wording import and_list, count, name

Parts: TypeAlias = tuple[tuple[Hashable, ...], ...]
#: What becomes of a conflict: a side, "merge" for one cluster, or the clusters themselves; None if nobody decided.
Decision: TypeAlias = str | Parts | None
WORDS = {
    "clash": "one side separated points that the other joins again",
    "chain": "both sides joined the same points, to different ones",
    "removed": "one side removed points that the other joined to others",
}
FORMAT, VERSION = "clusterdiff conflicts", 1
SIDES = ("base", "ours", "theirs")


@dataclass(frozen=True)
class Conflict:
    """Changes of both sides that do not go together: "clash", "chain" or "removed".

    ``base``, ``ours`` and ``theirs`` have the clusters of these points on each side; for removed points also the points
    that the other side has together with them.
    """

    kind: str
    points: tuple[Hashable, ...]
    base: Parts = field(repr=False)
    ours: Parts = field(repr=False)
    theirs: Parts = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """As it is written to a file; ``decision`` is to be filled in."""
        sides = {side: [[plain(p) for p in part] for part in getattr(self, side)] for side in SIDES}
        return {"kind": self.kind, "points": list(map(plain, self.points)), **sides, "decision": None}

    def __repr__(self) -> str:
        return f"Conflict(kind={self.kind!r}, points={list(self.points)!r})"

    def __str__(self) -> str:
        lines = [f"{self.kind}: {count(len(self.points))} ({WORDS[self.kind]})"]
        lines += [f"  {side:<6}  {_clusters(getattr(self, side))}" for side in SIDES]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        told = {"kind": self.kind, "points": and_list(list(map(name, self.points)), 10)}
        return record_html("Conflict", told | {side: _clusters(getattr(self, side)) for side in SIDES})


def _clusters(parts: Parts) -> str:
    """Clusters in one line, the points of each between brackets."""
    told = [f"{{{and_list(list(map(name, part)), 6)}}}" for part in parts[:6]]
    more = f" and {count(len(parts) - 6, 'more cluster')}" if len(parts) > 6 else ""
    return " ".join(told) + more or "none"


def decided(decisions: object, conflicts: Sequence[Conflict]) -> list[Decision]:
    """What was decided about each conflict; None where nothing was."""
    out: list[Decision] = [None] * len(conflicts)
    if decisions is None:
        return out
    if not isinstance(decisions, Mapping) or decisions.get("format") != FORMAT:
        raise ArgumentError.must(
            "decisions",
            f'hold the conflicts of a merge: a dict whose "format" is {FORMAT!r}',
            got=type(decisions).__name__,
        )
    if decisions.get("version") != VERSION or not isinstance(decisions.get("conflicts"), list):
        raise ArgumentError.about("decisions", f"must have version {VERSION} and a list of conflicts.")
    place = {_key(conflict.kind, conflict.points): i for i, conflict in enumerate(conflicts)}
    for number, entry in enumerate(decisions["conflicts"], 1):
        decision = entry.get("decision") if isinstance(entry, Mapping) else None
        if decision is None:
            continue
        key = _key(str(entry.get("kind")), entry.get("points") or ())
        if key not in place:
            raise ArgumentError.about(
                "decisions",
                f"decides about conflict {number:,}, which this merge does not have: "
                f"{entry.get('kind')} of {listed(list(entry.get('points') or ())[:5])}.",
                "merge again, and decide about the conflicts that are listed then.",
            )
        out[place[key]] = _read(decision, conflicts[place[key]], number)
    return out


def _key(kind: str, points: Sequence[Any]) -> str:
    """A conflict by its kind and points, in whatever order these come from a file."""
    return json.dumps([kind, *sorted(str(plain(point)) for point in points)])


def _read(decision: Any, conflict: Conflict, number: int) -> Decision:
    choices = SIDES if conflict.kind == "removed" else (*SIDES, "merge")
    if isinstance(decision, str) and decision in choices:
        return decision
    spelt = {str(plain(point)): point for point in conflict.points}
    if isinstance(decision, list) and conflict.kind != "removed":
        parts = [part if isinstance(part, list) else [part] for part in decision]
        told = [str(point) for part in parts for point in part]
        if sorted(told) == sorted(spelt):
            return tuple(tuple(spelt[str(point)] for point in part) for part in parts if part)
    clusters = "" if conflict.kind == "removed" else ", or a list of clusters that has every point of it once"
    raise ArgumentError.about(
        "decisions",
        f"must decide about conflict {number:,} with {', '.join(map(repr, choices))}{clusters}; got {decision!r}.",
    )
