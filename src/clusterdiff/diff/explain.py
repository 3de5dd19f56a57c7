"""Explanation: what a colleague would say about where the score was lost, in sentences and as data."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clusterdiff import notebook
from clusterdiff.diff.analysis import Analysis, CellNumbers
from clusterdiff.diff.components import Component, components
from clusterdiff.diff.gains import gain_together, gains, wrong
from clusterdiff.diff.loss import PARTS as PARTS_LOST
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.slices import by_kind
from clusterdiff.diff.source import PointSource
from clusterdiff.diff.worth import Worth
from clusterdiff.table import shown
from clusterdiff.wording import Nouns, and_list, change, count, name, number, percent, plural

#: How many points a sentence names, how many parts of a cluster, and how many clusters of a component.
POINTS, PARTS, CLUSTERS = 5, 4, 6
#: Of fewer numbers than this, Python's own set is quicker than NumPy.
FEW = 200


@dataclass(frozen=True)
class Story:
    """A component that lost something: what happened to its clusters, and what setting it right would gain.

    ``share`` is its share of the whole loss; of a measure whose loss is not known by component, of what setting all of
    them right would gain. Of ``as_h`` the gain is that with what chance loses as it is.
    """

    component: Component
    share: float
    sentences: list[str]
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values, with the points by name."""
        return self.component.to_dict() | {
            "share": self.share,
            "gain": self.gain,
            "sentences": self.sentences,
        }

    def _repr_html_(self) -> str:
        return notebook.view(self.html())

    def heading(self, nouns: Nouns = Nouns(), measure: str = "S_H") -> str:  # noqa: B008 - a constant
        """Its kind, its size and its share of the loss, as people call them."""
        c = self.component
        where = f", in {shown(c.document)}" if c.document else ""
        cost = f"{percent(self.share)} of the {nouns.loss}"
        if measure != "S_H":  # gains need not add up: the share of one says less than what it is
            cost = f"{change(self.gain)}, {cost}"
        return f"{c.kind}, {count(c.size, nouns.point)}, {cost}{where}"

    def html(self, nouns: Nouns = Nouns(), measure: str = "S_H") -> str:  # noqa: B008 - a constant
        """As part of what a notebook shows."""
        heading = notebook.line(self.heading(nouns, measure), strong=True)
        return heading + "".join(map(notebook.line, self.sentences))


@dataclass(frozen=True)
class Explanation:
    """Where the score was lost. ``print`` it, or read its parts.

    ``damaged`` of ``components`` components lost something; ``half`` of them make up half of the loss, and the
    ``top`` costliest, described in ``stories``, make up ``concentration`` of it. ``loss`` is that of the ``measure``
    that is explained, as :meth:`Comparison.loss_of` has it, and ``kinds`` that by kind; ``unshared`` says which points
    were not found and which are spurious, where they count as lost.

    ``shared_out`` says whether the loss is known by component, and ``lost`` is the whole of it. If it is not, there are
    no ``kinds``, and ``lost`` is what setting all components right would gain. The costliest are then those that
    gain most by themselves, with their losses of S_H; ``left_out`` were not looked at, as in :class:`Gains`.
    """

    score: float
    loss: Loss
    components: int
    damaged: int
    half: int
    top: int
    concentration: float
    kinds: dict[str, Loss]
    stories: list[Story]
    unshared: tuple[str, ...] = ()
    measure: str = "S_H"
    lost: float = 0.0
    left_out: int = 0
    nouns: Nouns = field(default=Nouns(), repr=False)
    same: bool = False
    shared_out: bool = True

    @property
    def sentences(self) -> list[str]:
        """The overview, without the components."""
        if not self.damaged:
            told = f"{self.measure} = {number(self.score)}"
            if self.same:
                return [f"{told}: nothing {self.nouns.was_lost}, the clusterings are the same."]
            if self.shared_out:
                return [f"{told}: nothing {self.nouns.was_lost}."]
            return [f"{told}: correcting a single component would not improve it."]
        out = [self._overview(), *self.unshared]
        where = f"{self.damaged:,} of {count(self.components, 'component')}"
        if self.damaged == self.components:
            several = "both components" if self.components == 2 else f"all {self.components:,} components"
            where = several if self.components > 1 else "the only component"
        if self.damaged <= self.top:
            out.append(f"It {self.nouns.was_lost} in {where}.")
        else:
            half = f"{count(self.half, 'component')} make{'s' if self.half == 1 else ''} up half of it"
            several = f"{self.top:,} " if self.top != 1 else ""
            share = percent(self.concentration)
            out.append(f"It {self.nouns.was_lost} in {where}; {half}, the {several}costliest {share}.")
        return out

    def _overview(self) -> str:
        parts = PARTS_LOST if self.unshared else PARTS_LOST[:2]
        told = f"{self.measure} = {number(self.score)}: {self.loss.sentence(parts, self.nouns)}."
        if self.shared_out:
            return told
        left = (
            f" ({count(self.left_out, 'component')} with smaller losses not examined)"
            if self.left_out
            else ""
        )
        return (
            f"{told} Components are ranked by the gain from correcting each by itself; all together, "
            f"{number(self.lost)}{left}."
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return {
            "measure": self.measure,
            "score": self.score,
            "lost": self.lost,
            "loss": self.loss.to_dict(),
            "shared_out": self.shared_out,
            "components": self.components,
            "damaged": self.damaged,
            "half": self.half,
            "top": self.top,
            "concentration": self.concentration,
            "kinds": {kind: loss._asdict() for kind, loss in self.kinds.items()},
            "unshared": list(self.unshared),
            "left_out": self.left_out,
            "sentences": self.sentences,
            "stories": [story.to_dict() for story in self.stories],
        }

    def __str__(self) -> str:
        lines = list(self.sentences)
        for place, story in enumerate(self.stories, 1):
            lines.append(f"{place}. {story.heading(self.nouns, self.measure)}")
            lines += [f"   {sentence}" for sentence in story.sentences]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return notebook.view(
            *map(notebook.line, self.sentences),
            *(story.html(self.nouns, self.measure) for story in self.stories),
        )


def explain(
    analysis: Analysis, source: PointSource, top: int, sides: tuple[str, str], of: tuple[str, float]
) -> Explanation:
    """Where the score was lost, whose name and value are shown; see :meth:`Comparison.explain`."""
    table, loss = components(analysis, source), analysis.loss
    lost = table["loss"]
    damaged = int(np.count_nonzero(lost > 0))
    running = np.cumsum(lost)
    whole = float(running[-1])
    half = int(np.searchsorted(running, whole / 2)) + 1 if damaged else 0
    told = min(top, damaged)
    kinds = {
        row.value: Loss(*row[3:]) for row in analysis.once(by_kind)
    }  # value, points and score come first
    first = list(table[:told])
    narrator = Narrator(analysis, source, sides)
    sentences = narrator.components([component.component for component in first])
    stories = [
        Story(component, component.loss / whole, said, component.loss)
        for component, said in zip(first, sentences, strict=True)
    ]
    concentration = float(running[told - 1] / whole) if told else 0.0
    unshared = tuple(narrator.unshared())
    return Explanation(
        of[1],
        loss,
        len(table),
        damaged,
        half,
        top,
        concentration,
        kinds,
        stories,
        unshared,
        of[0],
        loss.total,
        nouns=source.nouns.between(sides),
        same=not wrong(analysis, "component").any(),
    )


def explain_gains(worth: Worth, loss: Loss, top: int, sides: tuple[str, str]) -> Explanation:
    """What setting components right would gain in any measure, which lost so much; see :meth:`Comparison.explain`."""
    analysis, source = worth.analysis, worth.source
    found = gains(worth, "component")
    order, gained = found["component"], found["gain"]
    damaged = int(np.count_nonzero(gained > 0))
    told = min(top, damaged)
    every = np.flatnonzero(wrong(analysis, "component"))
    whole = gain_together(worth, every)

    def share(k: int) -> float:
        """What the first so many components, set right together, make up of the whole gain."""
        return gain_together(worth, order[:k]) / whole if whole > 0 and k else 0.0

    half = bisect_left(range(damaged), 0.5, key=lambda k: share(k + 1)) + 1 if damaged else 0
    table = components(analysis, source)
    place = np.empty(len(table), dtype=np.int64)
    place[table["component"]] = np.arange(len(table))
    narrator = Narrator(analysis, source, sides)
    sentences = narrator.components(order[:told].tolist())
    stories = [
        Story(table[int(place[row.component])], row.gain / whole if whole > 0 else 0.0, said, row.gain)
        for row, said in zip(found[:told], sentences, strict=True)
    ]
    return Explanation(
        worth.score,
        loss,
        len(table),
        damaged + found.left_out,
        half,
        top,
        share(told),
        {},
        stories,
        tuple(narrator.unshared()),
        worth.measure.name,
        whole,
        found.left_out,
        source.nouns.between(sides),
        same=not len(every),
        shared_out=False,
    )


class Narrator:
    """Tells what happened to components."""

    def __init__(self, analysis: Analysis, source: PointSource, sides: tuple[str, str]) -> None:
        self.analysis = analysis
        self.meet = meet = analysis.meet
        # Asked for again and again, and each time made from the core's table.
        self._true_of, self._pred_of, self._size = meet.true, meet.pred, meet.size
        self._sizes = meet.true_size, meet.pred_size
        self._first: dict[int, list[Any]] = {}
        self.source = source
        self.sides = sides
        self.nouns = source.nouns

    def recall(self, cells: CellNumbers) -> None:
        """Find the points of some cells at once that sentences will name one cell after the other."""
        if self.source.known:
            self._first |= zip(cells.tolist(), self.source.points_of_each(cells, POINTS), strict=True)

    def count(self, size: int) -> str:
        """A number of points."""
        return count(size, self.nouns.point)

    def components(self, components: list[int]) -> list[list[str]]:
        """What happened to some components; the points of small ones are looked for at once."""
        cells = [self.analysis.cells_of_component(component) for component in components]
        self.recall(
            np.concatenate([np.empty(0, dtype=np.int64), *(part for part in cells if len(part) < FEW)])
        )
        return [list(self.component(*both)) for both in zip(components, cells, strict=True)]

    def unshared(self) -> Iterator[str]:
        """Which points were not found, and which are spurious."""
        yield from self.lost("true", np.arange(self.meet.k_true), "")
        yield from self.lost("pred", np.arange(self.meet.k_pred), "")

    def lost(self, side: str, clusters: CellNumbers, whose: str) -> Iterator[str]:
        """Which points of some clusters the other side lacks, if there are any."""
        unmatched = self.meet.missing if side == "true" else self.meet.spurious
        size = int(np.isin(unmatched.cluster, clusters).sum()) if len(unmatched) else 0
        if not size:
            return
        verb = ("was not found", "were not found") if side == "true" else ("is spurious", "are spurious")
        first = (
            [name(point) for point in self.source.lost(side, clusters, POINTS)] if self.source.known else []
        )
        more = f" and {size - len(first):,} more" if first and size > len(first) else ""
        listed = f": {', '.join(first)}{more}" if first else ""
        yield f"{self.count(size)}{whose} {verb[size > 1]}{listed}."

    def component(self, component: int, cells: CellNumbers) -> Iterator[str]:
        """What happened to the clusters of a component of these cells: a sentence per true one, costliest first."""
        if len(cells):
            yield from self.shared(cells)
        for side, called in (("true", self.true), ("pred", self.pred)):
            unmatched = self.meet.missing if side == "true" else self.meet.spurious
            if not len(unmatched):
                continue
            codes = self.analysis.codes_of_component(component, side)
            counts = unmatched.count(max(self.meet.k_true, self.meet.k_pred))[codes]
            order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
            where = self.sides[0] if side == "true" else self.sides[1]
            if not len(cells):
                yield from self.lost(
                    side,
                    codes,
                    f", all of {where} {self.nouns.cluster} {called(codes[0])}," if len(codes) else "",
                )
                continue
            for code in codes[order[:CLUSTERS]]:
                yield from self.lost(
                    side, np.array([code]), f" of {where} {self.nouns.cluster} {called(code)}"
                )
            if len(order) > CLUSTERS:
                yield from self.lost(side, codes[order[CLUSTERS:]], f" of other {plural(self.nouns.cluster)}")

    def shared(self, cells: CellNumbers) -> Iterator[str]:
        """What became of the points that both sides have."""
        true, pred = _distinct(self._true_of[cells]), _distinct(self._pred_of[cells])
        if len(true) == len(pred) == 1:
            name = f"{self.sides[0]} {self.nouns.cluster} {self.true(true[0])}"
            yield f"{name} ({self.points(cells)}) is {self.sides[1]} {self.nouns.cluster} {self.pred(pred[0])}."
        elif len(true) == 1:
            yield self.split_only(true[0], cells)
        elif len(pred) == 1:
            yield self.merged_only(cells, pred[0])
        else:
            lost = self.analysis.cell_loss
            code = np.searchsorted(true, self._true_of[cells])
            cost = np.bincount(code, lost.cells.of(cells))
            order = np.argsort(-cost, kind="stable")
            for at in order[:CLUSTERS].tolist():
                yield self.mixed(true[at])
            if len(true) > CLUSTERS:
                yield f"{count(len(true) - CLUSTERS, f'more {self.sides[0]} {self.nouns.cluster}')} took part."

    def split_only(self, true: int, cells: CellNumbers) -> str:
        """A true cluster whose parts are predicted clusters."""
        unclustered = self.analysis.unclustered[1][self._pred_of[cells]]
        own = self.by_size(cells[~unclustered])
        parts = [f"{self.pred(self._pred_of[c])} ({self.points_of(c)})" for c in own[:PARTS]]
        size = self.count(int(self._sizes[0][true]))
        return (
            f"{self.sides[0]} {self.nouns.cluster} {self.true(true)} ({size}) was split into {len(cells):,} parts: "
            f"{and_list([*parts, *self.rest(own), *self.single(cells[unclustered], 1)], PARTS + 2)}."
        )

    def merged_only(self, cells: CellNumbers, pred: int) -> str:
        """A predicted cluster whose parts are true clusters."""
        unclustered = self.analysis.unclustered[0][self._true_of[cells]]
        own = self.by_size(cells[~unclustered])
        parts = [f"{self.true(self._true_of[c])} ({self.points_of(c)})" for c in own[:PARTS]]
        noun = self.nouns.cluster if len(own) == 1 else plural(self.nouns.cluster)
        what = f"{self.sides[0]} {noun} " if parts else ""
        size = self.count(int(self._sizes[1][pred]))
        told = and_list([*parts, *self.rest(own), *self.single(cells[unclustered], 0)], PARTS + 2)
        return f"{what}{told} were merged into {self.nouns.cluster} {self.pred(pred)} ({size})."

    @staticmethod
    def rest(parts: list[int]) -> list[str]:
        """How many parts are not named."""
        return [f"{len(parts) - PARTS:,} more"] if len(parts) > PARTS else []

    def single(self, cells: CellNumbers, side: int) -> list[str]:
        """The points of cells that are in no cluster of a side."""
        if not len(cells):
            return []
        return [f"{self.points(cells, bracket=True)} in no {self.sides[side]} {self.nouns.cluster}"]

    def mixed(self, true: int) -> str:
        """One true cluster among several: its parts, and the clusters that each was merged with."""
        cells = self.by_size(self.analysis.cells_of_true(true))
        size = int(self._sizes[0][true])
        if len(cells) == 1:
            all_points = self.points(np.array(cells))
            called = f"{self.sides[0]} {self.nouns.cluster} {self.true(true)} ({all_points})"
            if self.analysis.unclustered[0][true]:
                called = self.single(np.array(cells), 0)[0]
            return f"{called}{self.fate(cells[0])}."
        parts = []
        for i, cell in enumerate(cells[:PARTS]):
            points = self.points_of(cell, bracket=True)
            several = i > 0 and self._size[cell] > 1
            parts.append(
                ("" if i else "the largest, ") + points + ("" if i else ",") + self.fate(cell, several)
            )
        more = len(cells) - PARTS
        if more > 0:
            parts.append(f"{count(more, 'smaller part')} went elsewhere")
        whole = f"{self.sides[0]} {self.nouns.cluster} {self.true(true)} ({self.count(size)})"
        return f"{whole} was split into {len(cells):,} parts; {'; '.join(parts)}."

    def fate(self, cell: int, several: bool = False) -> str:
        """Where a part went, to follow its name: " was merged with B in cluster C1", or " is cluster C2"."""
        pred = int(self._pred_of[cell])
        others = [c for c in self.by_size(self.analysis.cells_of_pred(pred)) if c != cell]
        if not others:
            verb = "are" if several else "is"
            where = (
                f"in no {self.sides[1]} {self.nouns.cluster}"
                if self.analysis.unclustered[1][pred]
                else f"{self.nouns.cluster} {self.pred(pred)}"
            )
            return f" {verb} {where}"
        first = [self.true(self._true_of[c]) for c in others[:3]]  # of a giant cluster there may be a million
        more = len(others) - len(first)
        names = f"{', '.join(first)} and {more:,} more" if more else and_list(first)
        merged = f" {'were' if several else 'was'} merged with {names}"
        return f"{merged} in {self.nouns.cluster} {self.pred(pred)}"

    def by_size(self, cells: CellNumbers) -> list[int]:
        """Cells, the largest first."""
        if len(cells) < 2:
            return cells.tolist()  # type: ignore[no-any-return]
        return cells[(-self._size[cells]).argsort(kind="stable")].tolist()  # type: ignore[no-any-return]

    def points(self, cells: CellNumbers, bracket: bool = False) -> str:
        """How many points cells have, and the first few by name: "7 points: a, b and 5 more"."""
        if len(cells) == 1:
            return self.points_of(int(cells[0]), bracket)
        size = int(np.add.reduce(self._size[cells]))
        return self._listed(size, self.source.points(cells, POINTS) if self.source.known else None, bracket)

    def points_of(self, cell: int, bracket: bool = False) -> str:
        """The same of one cell."""
        if self.source.known and cell not in self._first:
            self.recall(np.array([cell]))
        first = self._first.get(cell)
        return self._listed(int(self._size[cell]), first, bracket)

    def _listed(self, size: int, first: list[Any] | None, bracket: bool) -> str:
        if first is None:
            return self.count(size)
        named = [name(point) for point in first]
        more = f" and {size - len(named):,} more" if size > len(named) else ""
        listed = ", ".join(named) + more
        return f"{self.count(size)} ({listed})" if bracket else f"{self.count(size)}: {listed}"

    def true(self, code: Any) -> str:
        """What a true cluster is called."""
        return name(self.analysis.true[code])

    def pred(self, code: Any) -> str:
        """What a predicted cluster is called."""
        return name(self.analysis.pred[code])


def _distinct(codes: CellNumbers) -> list[int]:
    """Different codes, ascending."""
    return sorted(set(codes.tolist())) if len(codes) < FEW else np.unique(codes).tolist()
