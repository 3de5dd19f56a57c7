"""merge: three-way merge of clusterings, such as a run, its corrections by hand, and the next run."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal, TypeAlias

import numpy as np

from clusterdiff import _core, notebook
from clusterdiff.caching import cached_property
from clusterdiff.diff.naming import continued_by, narrowed, number_names, objects
from clusterdiff.errors import ConflictError, one_of
from clusterdiff.messages import Message
from clusterdiff.points.clustering import Clustering, FreshNames
from clusterdiff.points.labels import AnyArray, Int64Array, Labels, null
from clusterdiff.releases.conflicts import Conflict, Decision, Parts, decided
from clusterdiff.releases.overlay import Overlay, lay, read_side
from clusterdiff.releases.regions import CHAIN, MERGED, Presence, Regions, as_singletons
from clusterdiff.wording import count

Side: TypeAlias = Literal["base", "ours", "theirs"]
SIDES = ("base", "ours", "theirs")
CHAINS = ("conflict", "merge")


def merge(
    base: object,
    ours: object,
    theirs: object,
    *,
    prefer: Side | None = None,
    chain: Literal["conflict", "merge"] = "conflict",
    decisions: object = None,
) -> ThreeWay:
    """Take the changes of both sides: base with every pair of points joined or parted as either side did.

    A *region* is what joins of either side link. Where both sides' changes there go together, they are all taken. Else
    it is a conflict: a "clash" (points that somebody parted are linked again), a "chain" (both joined the same thing to
    different things), or "removed" (one side removed a point that the other joined to others).

    Parameters
    ----------
    base, ours, theirs
        The common ancestor and two clusterings made from it, in any form that :func:`compare` takes. Points may come
        and go.
    prefer
        The side whose clusters a region in conflict takes. Without it, ``.clustering`` raises while there is one.
    chain
        ``"merge"`` takes the region of a chain as one cluster, which keeps what both sides did; it is still listed.
    decisions
        What was decided about conflicts: ``.to_dict()`` of an earlier merge with the ``decision`` of each filled in.

    Returns
    -------
    ThreeWay
        ``.conflicts`` and ``.clustering``, whose clusters have the names of base, then of ours, then of theirs.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> base = {"a": 1, "b": 1, "c": 2, "d": 3}
    >>> corrected, next_run = {"a": 1, "b": 4, "c": 2, "d": 3}, {"a": 1, "b": 1, "c": 2, "d": 2}
    >>> cd.merge(base, corrected, next_run).clustering.to_dict()
    {'a': 1, 'b': 4, 'c': 2, 'd': 2}
    >>> cd.merge(base, {**base, "c": 1}, {**base, "c": 3}).conflicts
    [Conflict(kind='chain', points=['a', 'b', 'c', 'd'])]
    """
    if prefer is not None:
        one_of("prefer", prefer, SIDES)
    one_of("chain", chain, CHAINS)
    sides = [read_side(side, name) for side, name in zip((base, ours, theirs), SIDES, strict=True)]
    return ThreeWay(lay(sides, SIDES), prefer, chain, decisions)


class ThreeWay:
    """A three-way merge: its ``conflicts``, and the ``clustering`` that it comes to."""

    def __init__(self, laid: Overlay, prefer: Side | None, chain: str, decisions: object = None) -> None:
        self.prefer = prefer
        self.chain = chain
        self._laid = laid
        self._codes = tuple(labels.codes for labels in laid.labels)
        self._presence = Presence(*self._codes)
        self._inside = np.flatnonzero(self._presence.inside & _anywhere(*self._codes))
        self._sides = tuple(as_singletons(codes[self._inside]) for codes in self._codes)
        self._regions = Regions(*self._sides)
        self._decisions = decided(decisions, self.conflicts)

    # ---- conflicts

    @cached_property
    def conflicts(self) -> list[Conflict]:
        """All conflicts, whatever is preferred or decided: first those of regions, then removed points."""
        return [*self._region_conflicts, *self._removals]

    @cached_property
    def _in_conflict(self) -> Int64Array:
        return np.flatnonzero(self._regions.kind != MERGED)

    @cached_property
    def _grouped(self) -> tuple[Int64Array, Int64Array]:
        """The points of the regions in conflict, as places among those inside."""
        place = np.full(self._regions.count, -1)
        place[self._in_conflict] = np.arange(len(self._in_conflict))
        of_point = place[self._regions.of_point]
        at = np.flatnonzero(of_point >= 0)
        indptr, members = _core.group_members(of_point[at], len(self._in_conflict))
        return indptr, at[members]

    def _points_of(self, number: int) -> Int64Array:
        indptr, members = self._grouped
        return members[indptr[number] : indptr[number + 1]]

    @cached_property
    def _region_conflicts(self) -> list[Conflict]:
        kinds = np.where(self._regions.kind[self._in_conflict] == CHAIN, "chain", "clash").tolist()
        found = [self._inside[self._points_of(number)] for number in range(len(kinds))]
        names = self._laid.points
        return [
            Conflict(kind, tuple(names[i] for i in at.tolist()), *self._parts_of(at))
            for kind, at in zip(kinds, found, strict=True)
        ]

    @cached_property
    def _groups(self) -> list[tuple[int, Int64Array, Int64Array]]:
        """Removed points that are claimed: who removed them, those of one cluster of the claimant, and their mates."""
        out = []
        for remover in (1, 2):
            claimant = self._codes[3 - remover]
            points = np.flatnonzero(self._presence.remover == remover)
            clusters = np.unique(claimant[points])
            if not len(clusters):
                continue
            whole = np.flatnonzero(np.isin(claimant, clusters))
            indptr, members = _core.group_members(np.searchsorted(clusters, claimant[whole]), len(clusters))
            for start, end in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
                cluster = whole[members[start:end]]
                removed = self._presence.remover[cluster] == remover
                out.append((remover, cluster[removed], cluster[~removed]))
        return out

    @property
    def _removals(self) -> list[Conflict]:
        out = []
        for _, points, mates in self._groups:  # the points of a group share what is shown of it
            parts = self._parts_of(np.sort(np.concatenate([points, mates])))
            out += [Conflict("removed", (self._laid.points[i],), *parts) for i in points.tolist()]
        return out

    def _parts_of(self, shown: Int64Array) -> list[Parts]:
        """The clusters of some points on each side."""
        names = self._laid.points
        parts = []
        for codes in self._codes:
            by: dict[int, list[Any]] = {}
            for i, code in zip(shown.tolist(), codes[shown].tolist(), strict=True):
                if code >= 0:
                    by.setdefault(code, []).append(names[i])
            parts.append(tuple(map(tuple, by.values())))
        return parts

    @property
    def clean(self) -> bool:
        """Whether there is a clustering: no conflict is open."""
        return self.prefer is not None or not self.open

    @property
    def open(self) -> list[Conflict]:
        """The conflicts about which nothing was decided; chains are, if they are merged."""
        return [
            conflict
            for conflict, decision in zip(self.conflicts, self._decisions, strict=True)
            if decision is None and not (conflict.kind == "chain" and self.chain == "merge")
        ]

    # ---- the result

    @cached_property
    def clustering(self) -> Clustering:
        """The merged clustering; a :class:`ConflictError` while conflicts are open and no side is preferred."""
        if not self.clean:
            kinds = Counter(conflict.kind for conflict in self.open)
            raise ConflictError(
                f"the two sides conflict: {', '.join(f'{number:,} {kind}' for kind, number in kinds.items())}.",
                Message('look at `.conflicts`; pass `prefer="ours"`, say, or `decisions=` about them.'),
            )
        labels = self._labels()
        codes, _ = _core.encode_integers(labels[labels >= 0])
        whole = np.full(len(labels), -1, dtype=np.int64)
        whole[labels >= 0] = codes
        laid = Overlay(self._laid.points, (), (), self._laid.named)
        return laid.clustering(Labels(whole, self._names(whole), null(whole)))

    def _labels(self) -> Int64Array:
        """The cluster of each point as a number; -1 for points that are out."""
        inside, regions = self._inside, self._regions
        labels = np.full(len(self._laid.points), -1)
        labels[inside] = regions.of_point
        following = regions.count
        for number in range(len(self._in_conflict)):
            choice = self._choice(number)
            if choice == "merge":
                continue
            at = self._points_of(number)
            if isinstance(choice, str):
                codes = _core.encode_integers(self._sides[SIDES.index(choice)][at]).codes.astype(np.int64)
            else:
                codes = self._parts(choice, inside[at])
            labels[inside[at]] = following + codes
            following += len(at)
        number = len(self._region_conflicts)
        for remover, group, mates in self._groups:
            back = [self._choice(number + i) != SIDES[remover] for i in range(len(group))]
            number += len(group)
            points = group[back]
            if not len(points):
                continue
            into = np.unique(labels[mates[labels[mates] >= 0]])
            if len(into) == 1:
                labels[points] = into[0]
            else:
                labels[points] = following
                following += 1
        return labels

    def _choice(self, number: int) -> Decision:
        """What a conflict comes to: as decided, merged if it is a chain, or a side."""
        decision = self._decisions[number]
        if decision is not None:
            return decision
        if self.conflicts[number].kind == "chain" and self.chain == "merge":
            return "merge"
        assert self.prefer is not None
        return self.prefer

    def _parts(self, parts: Any, at: Int64Array) -> Int64Array:
        part = {point: i for i, points in enumerate(parts) for point in points}
        return np.array([part[self._laid.points[i]] for i in at.tolist()], dtype=np.int64)

    def _names(self, codes: Int64Array) -> AnyArray:
        """Names of base for clusters that continue one, then of ours, then of theirs; fresh ones for the rest."""
        numbers, called = number_names(*(labels.names for labels in self._laid.labels))
        taken = np.zeros(len(called), dtype=bool)
        name = np.full(int(codes.max(initial=-1)) + 1, -1)
        for labels, number in zip(self._laid.labels, numbers, strict=True):
            lacking = np.append(name < 0, False)[codes]
            found = continued_by(labels.codes, np.where(lacking, codes, -1), self._laid.points)
            some = np.flatnonzero(found >= 0)
            given = number[found[some]]
            name[some[~taken[given]]] = given[~taken[given]]
            taken[number] = True
        rest = np.flatnonzero(name < 0)
        fresh = objects(FreshNames(called)(["new"] * len(rest)))
        name[rest] = len(called) + np.arange(len(rest))
        return narrowed(np.concatenate([called, fresh])[name])

    # ---- for people and programs

    def to_dict(self) -> dict[str, Any]:
        """The conflicts as plain values; with a ``decision`` filled in, :func:`merge` takes them back."""
        return {
            "format": "clusterdiff conflicts",
            "version": 1,
            "conflicts": [conflict.to_dict() for conflict in self.conflicts],
        }

    def __repr__(self) -> str:
        found = f"{count(len(self.conflicts), 'conflict')}" if self.conflicts else "no conflict"
        return f"<ThreeWay of {count(len(self._laid.points))}: {found}>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self)), *map(notebook.line, map(str, self.conflicts[:10])))


def _anywhere(base: Any, ours: Any, theirs: Any) -> Any:
    return (ours >= 0) | (theirs >= 0) | (base >= 0)
