"""Facts: what follows from judgements. Points that must be together are a block; blocks may have to be apart."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

import numpy as np

from clusterdiff import notebook
from clusterdiff.caching import cached_property
from clusterdiff.judgements.entries import Entries, pairs_within
from clusterdiff.judgements.judgement import Group
from clusterdiff.points.graph import linked
from clusterdiff.points.labels import BoolArray, Int64Array
from clusterdiff.wording import count

#: So many points of one scope that belong together are listed two by two.
MANY = 20
#: So many blocks that are apart are counted at once.
AT_ONCE = 10_000_000


class Facts:
    """The closure of judgements: blocks of points that belong together, and which blocks are apart.

    Points that a run lacks still carry what follows through them.

    Examples
    --------
    >>> import clusterdiff as cd
    >>> said = [{"groups": [["a", "b"]]}, {"groups": [["b", "c"]]}, {"groups": [["c"], ["d"]]}]
    >>> facts = cd.Judgements(said).facts
    >>> facts.blocks, facts.apart
    ([('a', 'b', 'c')], [('a', 'd')])
    """

    def __init__(self, entries: Entries) -> None:
        self.names = entries.names
        cut = np.zeros(len(entries.judgements), dtype=bool)
        cut[entries.dropped.judgement] = True
        whole = (entries.claims & ~cut)[entries.judgement]
        first = entries.first[entries.group]
        star = whole & (entries.point != first)
        p, q, by = [first[star]], [entries.point[star]], [entries.judgement[star]]
        # Groups of one judgement are pairwise apart: one scope, with the least point of each group.
        several = np.bincount(entries.group_judgement, minlength=len(entries.judgements)) > 1
        scoped = (entries.claims & ~cut & several)[entries.group_judgement]
        scope, member = entries.group_judgement[scoped], entries.first[scoped]
        judgements = np.arange(len(entries.judgements))
        if cut.any():
            edges, pairs = _surviving(entries, cut & entries.claims)
            p, q, by = [*p, edges[0]], [*q, edges[1]], [*by, edges[2]]
            # What is left of a judgement is said pair by pair: a scope for each.
            new = len(judgements) + np.arange(len(pairs[0]))
            scope, member = np.r_[scope, new, new], np.r_[member, pairs[0], pairs[1]]
            judgements = np.r_[judgements, pairs[2]]
        #: Points that a judgement puts together, two at a time, and which one.
        self.together = (np.concatenate(p), np.concatenate(q), np.concatenate(by))
        #: Points of one scope are pairwise apart; the judgement of each scope.
        self.scope, self.member, self.judgement_of = scope, member, judgements
        self.cut: BoolArray = cut

    @cached_property
    def block(self) -> Int64Array:
        """The block of each point, numbered in the order of its least point."""
        n, (p, q, _) = len(self.names), self.together
        _, first, inverse = np.unique(linked(n, p, q), return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.int64)
        order[np.argsort(first)] = np.arange(len(first))
        return order[inverse.ravel()]

    @cached_property
    def least(self) -> Int64Array:
        """The least point of each block."""
        return np.unique(self.block, return_index=True)[1]

    @cached_property
    def clashes(self) -> list[tuple[int, int, int]]:
        """Scopes with two points of the same block, which are apart and together: (scope, point, point).

        Of more than 20 such points of one scope, each is paired with the first alone.
        """
        order = np.lexsort((self.member, self.block[self.member], self.scope))
        scope, member = self.scope[order], self.member[order]
        key = scope * (len(self.least) + 1) + self.block[member]
        starts = np.flatnonzero(np.r_[True, key[1:] != key[:-1]]) if len(key) else np.empty(0, np.int64)
        bounds = np.r_[starts, len(key)]
        several = np.flatnonzero(np.diff(bounds) > 1)
        return [
            (int(scope[bounds[i]]), int(a), int(b))
            for i in several.tolist()
            for a, b in _pairs_of(member[bounds[i] : bounds[i + 1]].tolist())
        ]

    @cached_property
    def blocks(self) -> list[Group]:
        """The points of each block that has more than one."""
        order = np.argsort(self.block, kind="stable")
        bounds = np.r_[0, np.cumsum(np.bincount(self.block, minlength=len(self.least)))].tolist()
        return [tuple(self.names[i] for i in order[a:b].tolist()) for a, b in pairwise(bounds) if b - a > 1]

    @cached_property
    def apart(self) -> list[tuple[str, str]]:
        """Blocks that are apart, each called by its least point."""
        order = np.argsort(self.scope, kind="stable")
        left, right = pairs_within(self.scope[order])
        at = self.least[self.block[self.member[order]]]
        two = np.unique(np.sort(np.stack([at[left], at[right]], axis=1), axis=1), axis=0)
        return [(self.names[a], self.names[b]) for a, b in two.tolist()]

    @cached_property
    def pairs_apart(self) -> int:
        """How many pairs of blocks are apart; they are counted without being listed."""
        scopes, blocks = len(self.judgement_of), len(self.least)
        rows = np.unique(self.scope * blocks + self.block[self.member])
        scope, block = rows // blocks, rows % blocks
        # A pair can stand in two scopes only if both of its blocks do.
        shared = np.bincount(block, minlength=blocks)[block] > 1
        sizes, often = np.bincount(scope, minlength=scopes), np.bincount(scope[shared], minlength=scopes)
        once = int((sizes * (sizes - 1) - often * (often - 1)).sum()) // 2
        return once + _distinct_pairs(scope[shared], block[shared])

    def __repr__(self) -> str:
        about = f"{count(len(self.names))}, {count(len(self.blocks), 'block')}"
        return f"<Facts about {about}, {count(self.pairs_apart, 'pair')} of them apart>"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(repr(self).strip("<>")))


def _pairs_of(points: list[int]) -> Iterable[tuple[int, int]]:
    return combinations(points, 2) if len(points) <= MANY else ((points[0], other) for other in points[1:])


def _distinct_pairs(scope: Int64Array, block: Int64Array) -> int:
    """How many two blocks have a scope in common."""
    if not len(block):
        return 0
    (_, scope), (blocks, block) = (np.unique(one, return_inverse=True) for one in (scope, block))
    from scipy.sparse import csr_array  # see `linked`

    table = csr_array((np.ones(len(block), dtype=bool), (block, scope)))
    # Each block meets itself once, and every other twice; a few at a time, because all may meet all.
    work = np.cumsum(table.astype(np.int64) @ np.bincount(scope))
    cuts = np.searchsorted(work, np.arange(AT_ONCE, work[-1], AT_ONCE))
    bounds = np.unique(np.r_[0, cuts, len(blocks)]).astype(np.int64).tolist()
    found = sum(int((table[start:stop] @ table.T).nnz) for start, stop in pairwise(bounds))
    return (found - len(blocks)) // 2


Edges = tuple[Int64Array, Int64Array, Int64Array]


def _surviving(entries: Entries, cut: BoolArray) -> tuple[Edges, Edges]:
    """Pairs of points that judgements still put together, and still set apart, after others replaced some of theirs."""
    rows = np.flatnonzero(cut[entries.judgement])
    left, right = pairs_within(entries.judgement[rows])
    a, b = rows[left], rows[right]
    p, q = np.minimum(entries.point[a], entries.point[b]), np.maximum(entries.point[a], entries.point[b])
    dropped, n = entries.dropped, len(entries.names)
    said = (entries.judgement[a] * n + p) * n + q
    gone = (dropped.judgement * n + dropped.p) * n + dropped.q
    stays = ~np.isin(said, gone)
    together = entries.group[a] == entries.group[b]
    edges, pairs = (
        (p[kept], q[kept], entries.judgement[a][kept]) for kept in (stays & together, stays & ~together)
    )
    return edges, pairs
