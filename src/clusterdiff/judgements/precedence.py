"""Settle contradictions by author and date: what has precedence stands, what contradicts it is set aside and listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clusterdiff import notebook
from clusterdiff.judgements.contradictions import Contradiction, contradictions
from clusterdiff.judgements.entries import Entries
from clusterdiff.judgements.facts import Facts
from clusterdiff.judgements.judgement import Judgement
from clusterdiff.judgements.times import order_of_times


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
    """Judgements that have points in common, directly or through others, where any of them contradict each other."""
    # What is replaced counts here: it comes back if what replaced it is set aside.
    undated = [Judgement(judgement.groups) if judgement.claims else Judgement() for judgement in judgements]
    facts, region = Facts(Entries(undated)), Entries(judgements).region
    bad = {int(region[facts.judgement_of[scope]]) for scope, _, _ in facts.clashes}
    out: dict[int, list[int]] = {number: [] for number in sorted(bad)}
    for i, number in enumerate(region.tolist()):
        if number in out:
            out[number].append(i)
    return list(out.values())


def _settled(judgements: list[Judgement], authors: Sequence[str]) -> list[Aside]:
    rank = {author: i for i, author in enumerate(authors)}
    times = order_of_times({j.at for j in judgements if j.at is not None})

    def priority(judgement: Judgement) -> tuple[int, int]:
        dated = 1 if judgement.at is None else -times[judgement.at]
        return rank.get(judgement.by or "", len(rank)), dated

    live = [judgement for judgement in judgements if not judgement.withdrawn]
    accepted = [judgement for judgement in live if not judgement.groups]
    aside: list[Aside] = []
    for level in sorted({priority(judgement) for judgement in live if judgement.groups}):
        equals = sorted(
            (j for j in live if j.groups and priority(j) == level), key=lambda j: (j.id, j.groups)
        )
        while True:
            entries = Entries([*accepted, *equals])
            facts = Facts(entries)
            if not facts.clashes:
                break
            aside += (out := _part_of(equals, entries, facts))
            gone = {id(one.judgement) for one in out}
            equals = [judgement for judgement in equals if id(judgement) not in gone]
        accepted += equals
    return aside


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
