"""The first tab: which question it answers, and the patterns with a sample of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.patterns import BEFALLEN, HIT, ROWS, Confusion, Group, Hit, Patterns
from clusterdiff.diff.shapes import CODE, EDITS, SHAPES, Shapes, shapes_of
from clusterdiff.points.labels import Int64Array
from clusterdiff.show.report.drawings import DRAWINGS, Drawing
from clusterdiff.show.report.values import value
from clusterdiff.wording import count

#: The first tab by regime; the others follow.
FIRST = {
    "many": "patterns",
    "few": "heat",
    "releases": "changelog",
    "mentions": "papers",
    "tiny": "components",
}
#: How many components of a shape are shown as a sample, and how many confusions are listed.
SAMPLE, CONFUSED = 12, 10


class ShapeRow(NamedTuple):
    """One line of what goes wrong: ``key`` is the shape, or "rarer" for all that is left."""

    key: str
    words: str
    detail: str
    share: float
    parts: list[tuple[str, float]]
    sample: list[int]


class Overview:
    """What the first tab tells of a comparison."""

    def __init__(self, comparison: Comparison, patterns: Patterns) -> None:
        self.diff, self.patterns = comparison, patterns

    @property
    def regime(self) -> str:
        """Which question comes first."""
        return self.patterns.regime

    @cached_property
    def rows(self) -> list[ShapeRow]:
        """What goes wrong: the four costliest shapes, and the rarer ones as one."""
        found = self.patterns
        out = [
            ShapeRow(
                row.shape, found.words_of_shape(row), found.detail(row), row.share, self._parts(row.loss), []
            )
            for row in found.shapes[:ROWS]
        ]
        rest = found.shapes[ROWS:]
        if rest:
            number = sum(row.count for row in rest if row.unit == "component")
            parts = [self._parts(row.loss) for row in rest]
            summed = [(of[0][0], sum(value for _, value in of)) for of in zip(*parts, strict=True)]
            detail = "; ".join(found.words_of_shape(row) for row in rest)
            words = count(len(rest), "rarer shape") + (f", {count(number, 'component')}" if number else "")
            out.append(ShapeRow("rarer", words, detail, sum(row.share for row in rest), summed, []))
        return [row._replace(sample=self._sample(row.key)) for row in out]

    def _parts(self, loss: Any) -> list[tuple[str, float]]:
        return [(part, getattr(loss, part)) for part in self.diff.meet.losses]

    @cached_property
    def _shapes(self) -> Shapes:
        return self.diff.analysis.once(shapes_of)

    def _sample(self, shape: str) -> list[int]:
        """Some components of a shape at random, the same every time; of edits, those that have them."""
        codes, tangled, edits = self._shapes.codes, self._shapes.tangled, self._shapes.edits
        named = {row.shape for row in self.patterns.shapes[:ROWS]}
        if shape in EDITS:
            cells = np.flatnonzero(edits == EDITS.index(shape))
            of: Any = np.unique(self.diff.analysis.join.of_true[self.diff.meet.true[cells]])
        elif shape == "rarer":
            known = [CODE[one] for one in named if one in CODE]
            of = np.flatnonzero((codes != CODE["same"]) & ~tangled & ~np.isin(codes, known))
        elif shape in CODE:
            of = np.flatnonzero((codes == CODE[shape]) & ~tangled)
        else:  # lost points of tangles
            of = np.flatnonzero(tangled)
        return _drawn(of)

    @cached_property
    def shapes(self) -> dict[str, dict[str, Any]]:
        """The lines as the page's script reads them: the share of each, and its masses of S_H, all and in tangles."""
        total = float(self.diff.meet.total)
        out: dict[str, dict[str, Any]] = {
            row.key: {"share": row.share, "loss": [0.0] * 4, "tangled": [0.0] * 4} for row in self.rows
        }
        for row in self._shapes.rows if out else []:  # another measure may have lost nothing
            line = out[row.shape if row.shape in out else "rarer"]
            for name in ("loss", "tangled") if row.unit == "edit" else ("loss",):
                line[name] = [
                    old + part * total for old, part in zip(line[name], list(row.loss)[1:], strict=True)
                ]
        return out

    def shape_of(self, component: int) -> str:
        """The line of a component, or "tangle"."""
        if self._shapes.tangled[component]:
            return "tangle"
        shape = SHAPES[self._shapes.codes[component]]
        return shape if shape == "same" or shape in self.shapes else "rarer"

    @property
    def samples(self) -> list[int]:
        """The components that the page must hold, since lines of patterns open them."""
        return list(dict.fromkeys(number for row in self.rows for number in row.sample))

    @property
    def hits(self) -> list[Hit]:
        """Who is hit: the rows that are shown."""
        return [] if self.patterns.hits is None else list(self.patterns.hits.rows[:HIT])

    def harm(self, hit: Hit) -> str:
        """What befell them; where they are most, the others were spared."""
        return f"{BEFALLEN[hit.harm]}{' (others were spared)' if hit.spares else ''}"

    def ratio(self, hit: Hit) -> str:
        """How many times as often as others."""
        ratio = hit.excess.ratio
        return (
            f"{ratio:.2g}×"
            if isfinite(ratio) and ratio < 100
            else f"{ratio:,.0f}×"
            if isfinite(ratio)
            else "only here"
        )

    @property
    def confusions(self) -> list[tuple[Confusion, str]]:
        """The costliest confusions of few clusters, and the names of their clusters as the page's data has them."""
        found = self.patterns.confusions[:CONFUSED]
        return [(row, json.dumps([value(row.true), value(row.pred)])) for row in found]

    @property
    def drawings(self) -> dict[str, Drawing]:
        """A drawing of every shape."""
        return DRAWINGS

    @property
    def groups(self) -> Iterator[tuple[Group, str]]:
        """What to fix first, with its words."""
        return ((group, self.patterns.words_of(group)) for group in self.patterns.groups)


def _drawn(numbers: Int64Array) -> list[int]:
    """So many of some numbers at random, in their order."""
    if len(numbers) <= SAMPLE:
        return [int(number) for number in numbers]
    chosen = np.random.default_rng(0).choice(len(numbers), SAMPLE, replace=False)
    return [int(number) for number in numbers[np.sort(chosen)]]
