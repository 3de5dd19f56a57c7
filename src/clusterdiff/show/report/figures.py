"""The figures of the strip that is always in sight: those that readers of such data know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite
from typing import NamedTuple

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ClusterdiffError
from clusterdiff.wording import plural

#: What readers of linked records know: headings, and under each the measures with what they are called there.
LINKED = {
    "Pairs": {"pairs.precision": "P", "pairs.recall": "R", "pairs.f1": "F1"},
    "B³": {"b3.precision": "P", "b3.recall": "R", "b3.f1": "F1"},
}
#: The same for comparisons of few clusters, and of mentions.
KNOWN = {
    "few": {"Adjusted for chance": {"ari": "ARI", "ami": "AMI"}, "Pairs": {"pairs.f1": "F1"}},
    "mentions": {"F1": {"conll": "CoNLL", "muc.f1": "MUC", "b3.f1": "B³", "ceaf_e.f1": "CEAF-e"}},
}


class Figure(NamedTuple):
    """A number of the strip: what it is called, its text, and its value."""

    called: str
    text: str
    value: float


class Figures(NamedTuple):
    """Figures under one heading."""

    heading: str
    figures: Sequence[Figure]


def figures(comparison: Comparison, regime: str) -> Iterator[Figures]:
    """The figures for a comparison of this regime; measures that it has no value for are left out."""
    if regime == "releases":
        found = comparison.succession
        counts = {"added": int(found.added.sum()), "removed": int(found.removed.sum())}
        told = [Figure(name, f"{number:,}", number) for name, number in counts.items()]
        yield Figures(plural(comparison.source.nouns.point).capitalize(), told)
        return
    for heading, wanted in KNOWN.get(regime, LINKED).items():
        told = list(_measured(comparison, wanted, per_cent=regime == "mentions"))
        if told:
            yield Figures(heading, told)


def _measured(comparison: Comparison, wanted: dict[str, str], per_cent: bool) -> Iterator[Figure]:
    for name, called in wanted.items():
        try:
            value = comparison.score(name)
        except (ClusterdiffError, TypeError):  # it does not take weights, or lost points
            continue
        if isfinite(value):
            yield Figure(called, f"{100 * value:.1f}" if per_cent else f"{value:.3f}", value)


def affected(comparison: Comparison) -> int:
    """How many points come into another cluster, are added or are removed if all is put right."""
    meet = comparison.meet
    stay = comparison.source.continued
    return int(meet.size.sum() - meet.size[stay].sum()) + len(meet.missing) + len(meet.spurious)


def letters(sides: Sequence[str]) -> list[str]:
    """The letters that mark the names of either side's clusters.

    >>> letters(("true", "predicted")), letters(("run a", "run b"))
    (['T', 'P'], ['1', '2'])
    """
    first = [side[:1].upper() for side in sides]
    return first if all(first) and first[0] != first[1] else ["1", "2"]
