"""A short story with its mentions annotated: who or what each refers to (true), and what a program thought (pred).

It stands in for the document of the paper's section 6, which is not free: 60 mentions of 27 entities, so that
splitting reaches ⊥ with the 33rd operation as it does there.
"""

from __future__ import annotations

import re
from importlib.resources import files
from typing import NamedTuple

from clusterdiff.diff.comparison import Comparison
from clusterdiff.verbs.compare import compare as compare_clusterings

MENTION = re.compile(r"\[([^|\]]+)\|([^|\]]+)\|([^|\]]+)\]")


class Phrase(NamedTuple):
    """A phrase of the story, its place, and its entity."""

    line: int
    text: str
    true: str
    pred: str


def text() -> str:
    """The story without its annotations.

    >>> text().splitlines()[0]
    'Ida Brandt had kept the light on the island for eleven years.'
    """
    return MENTION.sub(r"\1", _annotated())


def mentions() -> list[Phrase]:
    """The mentions in the order of the text."""
    return [
        Phrase(number, match[1], match[2], match[3])
        for number, line in enumerate(_annotated().splitlines(), 1)
        for match in MENTION.finditer(line)
    ]


def true() -> dict[str, str]:
    """Mention → entity; a mention is called by its number and its words.

    >>> len(true()), len(set(true().values()))
    (60, 27)
    """
    return _labelled("true")


def compare() -> Comparison:
    """The program's entities compared with the annotated ones.

    >>> compare().kinds["mixed"] > 0
    True
    """
    return compare_clusterings(true(), _labelled("pred"))


def _labelled(side: str) -> dict[str, str]:
    return {f"{i} {mention.text}": getattr(mention, side) for i, mention in enumerate(mentions(), 1)}


def _annotated() -> str:
    return files("clusterdiff.paper").joinpath("story.txt").read_text(encoding="utf-8")
