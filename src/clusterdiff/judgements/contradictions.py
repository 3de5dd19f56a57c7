"""Contradictions: points that judgements set apart and, through others, put together; shown as the shortest path."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clusterdiff import notebook
from clusterdiff.errors import ClusterdiffError
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.judgement import Group
from clusterdiff.wording import count

#: Of a long path, so many steps are shown at either end.
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two points that ``judgement`` sets apart, and the judgements ``by`` which they are together all the same.

    ``path`` leads from the one to the other: each step is within a group of the judgement at its place in ``by``.
    """

    apart: tuple[str, str]
    judgement: str
    path: Group
    by: tuple[str, ...]

    def __str__(self) -> str:
        steps = [self.path[0]]
        for point, judgement in zip(self.path[1:], self.by, strict=True):
            steps.append(f"= {point} ({judgement})")
        one, two = self.apart
        if len(steps) > 2 * SHOWN + 1:
            steps[SHOWN + 1 : -SHOWN] = [f"… {count(len(steps) - 2 * SHOWN - 1, 'step')} …"]
        return f"{one} ≠ {two} ({self.judgement}), but {' '.join(steps)}"

    def to_dict(self) -> dict[str, object]:
        """As plain values."""
        return {
            "apart": list(self.apart),
            "judgement": self.judgement,
            "path": list(self.path),
            "by": list(self.by),
        }

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(str(self)))


class ContradictionError(ClusterdiffError, ValueError):
    """Judgements that contradict each other, where what follows from them was asked for; ``found`` lists how."""

    found: tuple[Contradiction, ...]

    @classmethod
    def of(cls, found: Sequence[Contradiction]) -> ContradictionError:
        """The error that tells the shortest of them."""
        more = f" (and {count(len(found) - 1, 'more contradiction')})" if len(found) > 1 else ""
        error = cls(
            f"the judgements contradict each other: {found[0]}{more}.",
            "correct or withdraw one of them, or let author and date decide: `clusterdiff judgements --settle`.",
        )
        error.found = tuple(found)
        return error


class _Web:
    """What judgements put together in the blocks where there is trouble: which pieces each point is in."""

    def __init__(self, entries: Entries, facts: Facts, blocks: Collection[int]) -> None:
        p, q, by = facts.together
        here = np.isin(facts.block[p], np.fromiter(blocks, np.int64, len(blocks)))
        members: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for a, b, j in zip(p[here].tolist(), q[here].tolist(), by[here].tolist(), strict=True):
            members[j].append((a, b))
        self.pieces: list[tuple[list[int], int]] = []
        for j, edges in members.items():
            self.pieces += [(piece, j) for piece in _pieces(edges)]
        names = [judgement.id for judgement in entries.judgements]
        self.pieces.sort(key=lambda piece: (piece[0], names[piece[1]]))
        self.at: dict[int, list[int]] = defaultdict(list)
        for i, (points, _) in enumerate(self.pieces):
            for point in points:
                self.at[point].append(i)

    def shortest(
        self, ends: tuple[Iterable[int], Iterable[int]], without: int
    ) -> tuple[list[int], list[int]] | None:
        """The path of fewest judgements from one set of points to another, least points first; and the judgements."""
        # From both ends at once: in a web of many judgements, each alone would go through nearly all of it.
        steps = tuple(dict.fromkeys(end, 0) for end in ends)
        edges, seen = [list(found) for found in steps], (set[int](), set[int]())
        met: list[int] = []
        while not met:
            side = int(len(edges[1]) < len(edges[0]))
            edges[side] = self._grown(edges[side], steps[side], seen[side], without)
            if not edges[side]:
                return None
            met = [point for point in edges[side] if point in steps[1 - side]]
        here, there = steps[0][met[0]], steps[1][met[0]]
        # How far it is to the second end, from whatever is nearer to it, or on a path of that length.
        left = {point: far for point, far in steps[1].items() if far <= there}
        for gone in range(here - 1, -1, -1):
            met = [
                point
                for point in self._neighbours(met, without)
                if steps[0].get(point) == gone and point not in left
            ]
            left |= dict.fromkeys(met, here + there - gone)
        path, used = [min(met)], []
        while (far := left[path[-1]]) > 0:
            step = min(
                (point, i)
                for i in self.at[path[-1]]
                if self.pieces[i][1] != without
                for point in self.pieces[i][0]
                if left.get(point) == far - 1
            )
            path.append(step[0])
            used.append(self.pieces[step[1]][1])
        return path, used

    def _neighbours(self, points: Iterable[int], without: int) -> set[int]:
        """Whatever a judgement puts together with some points; they are among it."""
        pieces = {i for point in points for i in self.at[point] if self.pieces[i][1] != without}
        return {point for i in pieces for point in self.pieces[i][0]}

    def _grown(self, points: list[int], steps: dict[int, int], seen: set[int], without: int) -> list[int]:
        """What is one step farther than these points, which are the farthest so far."""
        pieces = {i for point in points for i in self.at[point] if self.pieces[i][1] != without} - seen
        seen |= pieces
        new = list({point for i in pieces for point in self.pieces[i][0]}.difference(steps))
        steps.update(dict.fromkeys(new, steps[points[0]] + 1))
        return new


def _pieces(edges: list[tuple[int, int]]) -> list[list[int]]:
    """The connected pieces of a few edges."""
    parent: dict[int, int] = {}

    def find(x: int) -> int:
        while parent.setdefault(x, x) != x:
            x = parent[x]
        return x

    for a, b in edges:
        a, b = sorted((find(a), find(b)))
        parent[b] = a
    pieces: dict[int, list[int]] = defaultdict(list)
    for point in sorted(parent):
        pieces[find(point)].append(point)
    return list(pieces.values())


def contradictions(entries: Entries, facts: Facts) -> tuple[Contradiction, ...]:
    """Every contradiction with its shortest path, the shortest first."""
    if not facts.clashes:
        return ()
    web = _Web(entries, facts, {int(facts.block[a]) for _, a, _ in facts.clashes})
    out: dict[tuple[str, str, str], Contradiction] = {}
    ids, names = [judgement.id for judgement in entries.judgements], entries.names
    number = {name: i for i, name in enumerate(names)}
    for scope, a, b in facts.clashes:
        judgement = int(facts.judgement_of[scope])
        ends: tuple[Sequence[int], Sequence[int]] = ([a], [b])
        if not facts.cut[judgement]:  # any points of its two groups will do
            groups = {group[0]: group for group in entries.judgements[judgement].groups}
            ends = tuple([number[point] for point in groups[names[end]]] for end in (a, b))  # type: ignore[assignment]
        found = web.shortest(ends, judgement) or web.shortest(ends, -1)
        assert found is not None
        path, used = tuple(names[point] for point in found[0]), tuple(ids[j] for j in found[1])
        told = Contradiction((path[0], path[-1]), ids[judgement], path, used)
        out.setdefault((told.judgement, *told.apart), told)
    return tuple(sorted(out.values(), key=lambda found: (len(found.by), found.path, found.judgement)))
