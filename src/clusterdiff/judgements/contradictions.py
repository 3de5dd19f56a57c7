"""Contradictions: points that judgements set apart and, through others, put together; told as the shortest path."""

from __future__ import annotations

from collections import defaultdict, deque
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
        distance = dict.fromkeys(ends[1], 0)
        queue, seen = deque(distance), set()
        while queue:
            point = queue.popleft()
            for i in self.at[point]:
                if i in seen or self.pieces[i][1] == without:
                    continue
                seen.add(i)
                for other in self.pieces[i][0]:
                    if other not in distance:
                        distance[other] = distance[point] + 1
                        queue.append(other)
        starts = [(distance[point], point) for point in ends[0] if point in distance]
        if not starts:
            return None
        path, used = [min(starts)[1]], []
        while (left := distance[path[-1]]) > 0:
            step = min(
                (point, i)
                for i in self.at[path[-1]]
                if self.pieces[i][1] != without
                for point in self.pieces[i][0]
                if distance.get(point) == left - 1
            )
            path.append(step[0])
            used.append(self.pieces[step[1]][1])
        return path, used


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
