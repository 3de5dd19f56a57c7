"""What a check finds of a property: that it holds, or the smallest clusterings that speak against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff import notebook
from clusterdiff.meet.enumeration import as_sets

#: Two values closer than this are one: the measures round differently for different pairs.
CLOSE = 1e-9


@dataclass(frozen=True)
class Counterexample:
    """Clusterings for which a property fails: what is wrong, and with which."""

    text: str
    clusterings: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """How many points it takes."""
        return max((sum(map(len, sets)) for sets in self.clusterings.values()), default=0)

    def to_dict(self) -> dict[str, Any]:
        """The clusterings as lists of lists of points, and what is wrong with them."""
        sets = {name: [list(cluster) for cluster in sets] for name, sets in self.clusterings.items()}
        return {"points": self.points, "clusterings": sets, "text": self.text}

    def __str__(self) -> str:
        width = max((len(name) for name in self.clusterings), default=0)
        drawn = [f"{name:<{width}}  {draw(sets)}" for name, sets in self.clusterings.items()]
        return "\n".join([*drawn, self.text])

    def _repr_html_(self) -> str:
        sets = [(name, draw(clusters), False) for name, clusters in self.clusterings.items()]
        return notebook.view(notebook.facts(sets), notebook.line(self.text))


def draw(sets: Iterable[Iterable[int]]) -> str:
    """A clustering in one line of text.

    >>> draw([[0, 1, 3], [2]])
    '0 1 3 | 2'
    """
    return " | ".join(" ".join(map(str, cluster)) for cluster in sets)


class Finding(NamedTuple):
    """Whether a property holds: True, False, or None where the question does not arise."""

    holds: bool | None
    counterexample: Counterexample | None = None
    note: str = ""


def same(one: float, other: float) -> bool:
    """Whether two values are equal up to rounding, or both undefined."""
    return bool(np.isnan(one) and np.isnan(other)) or abs(one - other) <= CLOSE


def example(true: npt.ArrayLike, pred: npt.ArrayLike, text: str, **more: Any) -> Counterexample:
    """Two clusterings that speak against a property, and what is wrong with them."""
    return Counterexample(text, {"true": as_sets(true), "pred": as_sets(pred), **more})


def first(counterexamples: Iterator[Counterexample]) -> Finding:
    """The first counterexample against a property, which holds if there is none."""
    found = next(counterexamples, None)
    return Finding(found is None, found)


def not_asked(why: str) -> Finding:
    """The question does not arise, and why."""
    return Finding(None, note=why)


def inline(example: Counterexample | None) -> str:
    """A counterexample within a sentence of Markdown; nothing for none."""
    if example is None:
        return ""
    drawn = "; ".join(f"{name} `{draw(sets)}`" for name, sets in example.clusterings.items())
    return f"{drawn}: {example.text}" if drawn else example.text
