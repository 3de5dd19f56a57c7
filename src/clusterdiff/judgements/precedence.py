"""Settle contradictions by author and date: what has precedence stands, what contradicts it is set aside and listed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from clusterdiff import notebook
from clusterdiff.judgements.contradictions import Contradiction, contradictions
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.times import order_of_times
from clusterdiff.points.graph import linked


@dataclass(frozen=True, slots=True)
class Aside:
    """A judgement that does not stand, and the contradiction that it is part of."""

    judgement: Judgement
    contradiction: Contradiction

    def __str__(self) -> str:
        return f"{self.judgement.id} set aside: {self.contradiction}"

    def _repr_html_(self) -> str:
        return notebook.view(notebook.line(str(self)))


def settle(judgements: Sequence[Judgement], authors: Sequence[str]) -> tuple[list[Judgement], list[Aside]]:
    """What stands, in its order, and what is set aside.

    Authors in the order of ``authors`` come first, then later judgements before earlier ones, undated ones last.
    Nothing is guessed among equals: all of them that are part of a contradiction are set aside.
    """
    aside: list[Aside] = []
    for region in _regions(judgements):
        aside += _settled([judgements[i] for i in region], authors)
    gone = {id(one.judgement) for one in aside}
    return [judgement for judgement in judgements if id(judgement) not in gone], aside


def _regions(judgements: Sequence[Judgement]) -> list[list[int]]:
    """Judgements that can contradict each other: of two points or more in one block, or linked by others that are.

    The blocks are those of all judgements: what is replaced comes back if what replaced it is set aside.
    """
    undated = [Judgement() if one.withdrawn else Judgement(one.groups, one.unsure) for one in judgements]
    entries = Entries(undated)
    facts = Facts(entries)
    blocks, k = len(facts.least), len(judgements)
    bad = np.zeros(blocks, dtype=bool)
    bad[facts.block[[point for _, point, _ in facts.clashes]]] = True
    block = facts.block[entries.point]
    said, times = np.unique((entries.judgement * blocks + block)[bad[block]], return_counts=True)
    one, where = np.divmod(said[times > 1], max(1, blocks))
    region = linked(k + blocks, one, k + where)
    out: dict[int, list[int]] = {}
    for i in np.unique(one).tolist():
        out.setdefault(int(region[i]), []).append(i)
    return list(out.values())


def _settled(judgements: list[Judgement], authors: Sequence[str]) -> list[Aside]:
    rank = {author: i for i, author in enumerate(authors)}
    times = order_of_times({j.at for j in judgements if j.at is not None})

    def priority(judgement: Judgement) -> tuple[int, int]:
        dated = 1 if judgement.at is None else -times[judgement.at]
        return rank.get(judgement.by or "", len(rank)), dated

    live = [judgement for judgement in judgements if not judgement.withdrawn]
    accepted = [judgement for judgement in live if not judgement.groups]
    levels = [
        sorted((j for j in live if j.groups and priority(j) == level), key=lambda j: (j.id, j.groups))
        for level in sorted({priority(judgement) for judgement in live if judgement.groups})
    ]
    aside: list[Aside] = []
    while levels:
        # What has less precedence replaces nothing: once there is a contradiction, more judgements do not mend it.
        fit = bisect_left(range(1, len(levels) + 1), True, key=partial(_clash, accepted, levels))
        accepted += chain.from_iterable(levels[:fit])
        if fit < len(levels):
            kept, out = _parted(accepted, levels[fit])
            accepted += kept
            aside += out
        del levels[: fit + 1]
    return aside


def _parted(accepted: Sequence[Judgement], equals: list[Judgement]) -> tuple[list[Judgement], list[Aside]]:
    """Of judgements of equal precedence those that stand beside what does, and the others."""
    aside: list[Aside] = []
    while True:
        entries = Entries([*accepted, *equals])
        facts = Facts(entries)
        if not facts.clashes:
            return equals, aside
        aside += (out := _part_of(equals, entries, facts))
        gone = {id(one.judgement) for one in out}
        equals = [judgement for judgement in equals if id(judgement) not in gone]


def _clash(accepted: Sequence[Judgement], levels: Sequence[Sequence[Judgement]], end: int) -> bool:
    """Whether there is a contradiction in what was accepted and the first so many levels."""
    return bool(Facts(Entries([*accepted, *chain.from_iterable(levels[:end])])).clashes)


def _part_of(equals: list[Judgement], entries: Entries, facts: Facts) -> list[Aside]:
    """Those of equal precedence that are part of a contradiction, and of which."""
    told = contradictions(entries, facts)
    bad = {int(facts.block[a]) for _, a, _ in facts.clashes}
    block = dict(zip(entries.names, facts.block.tolist(), strict=True))
    apart = {facts.judgement_of[scope] for scope, _, _ in facts.clashes}
    first = len(entries.judgements) - len(equals)
    named: dict[str, Contradiction] = {}
    for one in told:
        for name in (one.judgement, *one.by):
            named.setdefault(name, one)
    out = []
    for i, judgement in enumerate(equals, first):
        joins = any(len(group) > 1 and block[group[0]] in bad for group in judgement.groups)
        if joins or i in apart:
            out.append(Aside(judgement, named.get(judgement.id, told[0])))
    return out
