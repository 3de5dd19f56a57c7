"""What the report shows, as plain values: the page is only a way to look at this."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clusterdiff.diff.chance import worth_saying
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.explain import Explanation, tell
from clusterdiff.diff.loss import PARTS, Loss
from clusterdiff.diff.slices import Slice
from clusterdiff.errors import ArgumentError, ClusterdiffError
from clusterdiff.measures import Measure, measures
from clusterdiff.meet.uneven import UnevenMeet
from clusterdiff.points.index import index_of
from clusterdiff.points.labels import Single
from clusterdiff.show.pages import visible
from clusterdiff.wording import count, percent

#: The size that the components in full may take, in characters, and how many there may be at most: with style,
#: script and the rest the page stays under 2 MB.
BUDGET, COMPONENTS = 1_200_000, 2_000
#: What is shown of a component: so many cells (of a large one, up to BRANCHES per cluster), points and repairs.
CELLS, BRANCHES, POINTS, REPAIRS = 60, 6, 200, 3
#: How a name without any characters is shown.
EMPTY = '""'
#: How many repairs, steps of the sequence (as a curve) and values of a slice are shown.
FIRST_REPAIRS, CURVE, SLICES = 20, 200, 30
#: Beyond so many cells only measures that take one pass over the cells are computed.
MANY_CELLS = 100_000
QUICK = ("S_H", "S'", "R", "ari", "N", "I", "nmi_max", "VI", "V", "b3.f1", "v_measure", "element_centric")


def _cut(sentence: str, width: int) -> str:
    """A sentence of ours, in which users' labels are already spelt out."""
    return sentence if len(sentence) <= width else sentence[: width - 1] + "…"


@dataclass(frozen=True)
class MeasureRow:
    """A measure and its value."""

    measure: Measure
    value: float

    @property
    def range(self) -> str:
        """Its bounds, where they do not depend on the number of points."""
        low, high = self.measure.bounds
        if callable(low) or callable(high):
            return ""
        return f"{low:g} to {high:g}".replace("inf", "∞")


class Page:
    """Everything that the page shows of a comparison."""

    def __init__(
        self, comparison: Comparison, attributes: object, by: Mapping[str, object], sides: tuple[str, str]
    ) -> None:
        self.diff = comparison
        self.sides = tuple(visible(side, 40) for side in sides)
        self._by = by
        self._names, self._columns = read_attributes(attributes, comparison)
        self.explanation: Explanation = comparison.explain(sides=(self.sides[0], self.sides[1]))

    # ---- at a glance

    @property
    def kinds(self) -> list[dict[str, Any]]:
        """For each kind of component: how many there are, and what they lost."""
        lost = self.explanation.kinds
        return [
            {"kind": kind, "count": number, "loss": lost[kind].total if kind in lost else 0.0}
            for kind, number in self.diff.kinds.items()
        ]

    @property
    def by_chance(self) -> float | None:
        """What shuffled labels score, where that is worth saying."""
        return worth_saying(self.diff.chance_level)

    @cached_property
    def measured(self) -> tuple[list[MeasureRow], list[str]]:
        """The measures that can be computed, and the names of those that were left out."""
        many = len(self.diff.meet) > MANY_CELLS
        rows, left_out = [], []
        for name, measure in measures.items():
            if many and name not in QUICK:
                left_out.append(name)
                continue
            try:
                value = self.diff.score(measure)
            except (ClusterdiffError, TypeError):  # it needs features, distances, a parameter, or no weights
                left_out.append(name)
                continue
            if np.isfinite(value):
                rows.append(MeasureRow(measure, value))
            else:
                left_out.append(name)
        return rows, left_out

    @property
    def families(self) -> dict[str, list[MeasureRow]]:
        """The measures by family."""
        out: dict[str, list[MeasureRow]] = {}
        for row in self.measured[0]:
            out.setdefault(row.measure.family, []).append(row)
        return out

    @property
    def reference(self) -> str:
        """The paper to cite."""
        return measures["S_H"].reference

    #: What the parts of a loss are lost to.
    called: ClassVar[dict[str, str]] = {
        "split": "splits",
        "merge": "merges",
        "missing": "missing points",
        "spurious": "spurious points",
    }

    def parts(self, loss: Loss) -> list[tuple[str, float]]:
        """The parts of a loss; those for lost points only where there may be such."""
        return [(part, getattr(loss, part)) for part in PARTS[: 4 if self.diff.meet.uneven else 2]]

    def row_parts(self, row: Slice) -> list[tuple[str, float]]:
        """The parts of the loss of a slice."""
        return self.parts(Loss(*row[3:]))  # value, points and score come first

    # ---- what to fix first

    @property
    def repairs(self) -> list[dict[str, Any]]:
        """The best single operations."""
        return [self._repair(repair) for repair in self.diff.repairs()[:FIRST_REPAIRS]]

    def _repair(self, repair: Any) -> dict[str, Any]:
        return {
            "operation": repair.operation,
            "sentence": _cut(repair.describe(), 400),
            "gain": repair.gain,
            "component": repair.component,
        }

    @cached_property
    def curve(self) -> dict[str, Any]:
        """The score along the greedy sequence, as points of a curve and as milestones."""
        sequence = self.diff.repairs().sequence
        score = np.concatenate([[self.diff.score()], np.asarray(sequence.score)])  # type: ignore[attr-defined]
        at = np.unique(np.linspace(0, len(score) - 1, min(len(score), CURVE)).astype(int))
        low = float(score[0])
        reach = np.maximum.accumulate(score)
        milestones = []
        if len(score) > 4:
            for share in (0.5, 0.8, 0.95):
                step = int(np.searchsorted(reach, low + share * (1 - low) - 1e-12))
                milestones.append((share, step, float(score[step])))
        return {
            "steps": len(score) - 1,
            "low": low,
            "points": [(float(i / max(1, len(score) - 1)), float(score[i])) for i in at],
            "milestones": milestones,
        }

    # ---- slices

    @cached_property
    def slices(self) -> list[dict[str, Any]]:
        """The loss by kind, by size of the true cluster, and by each column asked for."""
        wanted: list[tuple[str, str, object]] = [
            ("Kind of component", "kind", "kind"),
            (f"Size of the {self.sides[0]} cluster", "points", "size"),
            *((visible(name, 60), visible(name, 30), column) for name, column in self._by.items()),
        ]
        out = []
        for heading, label, column in wanted:
            table = self.diff.by(column)
            rows: list[Slice] = list(table[:SLICES])
            left = len(table) - len(rows)
            worst = max((row.loss for row in rows), default=0.0)
            out.append({"heading": heading, "label": label, "rows": rows, "left": left, "worst": worst})
        return out

    # ---- components

    @cached_property
    def data(self) -> dict[str, Any]:
        """The components, for the page's script."""
        listed: list[dict[str, Any]] = []
        spent = 0
        table = self.diff.components
        for component in table[:COMPONENTS]:
            entry = self._component(component)
            spent += len(json.dumps(entry, ensure_ascii=False))
            if spent > BUDGET and listed:
                break
            listed.append(entry)
        rest = table[len(listed) :]
        return {
            "sides": list(self.sides),
            "n": self.diff.n,
            "uneven": self.diff.meet.uneven,
            "loss": self.diff.loss.total,
            "attributes": self._names,
            "points": self.diff.source.known,
            "components": listed,
            "rest": {
                "components": len(rest),
                "points": int(rest["size"].sum()),
                "loss": float(rest["loss"].sum()),
            },
        }

    @property
    def rest(self) -> str:
        """What is said of the components that are not listed."""
        left = self.data["rest"]
        if not left["components"]:
            return ""
        share = left["loss"] / self.diff.loss.total if self.diff.loss.total else 0.0
        shown, more = len(self.data["components"]), count(left["components"], "more component")
        return (
            f"Listed in full: {count(shown, 'component')}, the costliest. "
            f"Only counted: {more}, with {count(left['points'])} and {percent(share)} of the loss."
        )

    def _component(self, component: Component) -> dict[str, Any]:
        meet, analysis, lost = self.diff.meet, self.diff.analysis, self.diff.analysis.cell_loss
        number = component.component
        every = analysis.cells_of_component(number)
        cells = every if len(every) <= CELLS else self._excerpt(every)
        true, pred = np.unique(meet.true[cells]), np.unique(meet.pred[cells])
        if not len(cells):  # a cluster of which the other side has no point
            true, pred = (analysis.codes_of_component(number, side) for side in ("true", "pred"))
        t, p = np.searchsorted(true, meet.true[cells]), np.searchsorted(pred, meet.pred[cells])
        entry: dict[str, Any] = {
            "id": number,
            "kind": component.kind,
            "size": component.size,
            "counts": [component.true_clusters, component.pred_clusters, len(every)],
            "score": component.score,
            "loss": [component.loss, *(getattr(component, f"{part}_loss") for part in PARTS)],
            "true": [
                self._cluster(analysis.true[c], meet.true_size[c], analysis.scored.split[c]) for c in true
            ],
            "pred": [
                self._cluster(analysis.pred[c], meet.pred_size[c], analysis.scored.merge[c]) for c in pred
            ],
            "cells": [
                [int(i), int(j), int(meet.size[c]), float(lost.split[c]), float(lost.merge[c])]
                for i, j, c in zip(t, p, cells, strict=True)
            ],
            "story": [_cut(sentence, 800) for sentence in self._story(component)],
            "repairs": [self._repair(repair) for repair in self._repairs_of(number)],
        }
        if self.diff.source.known:
            entry["points"] = list(self._points(cells))
            entry["lost"] = list(self._lost(true, pred, POINTS - len(entry["points"])))
        return entry

    def _lost(self, true: Any, pred: Any, most: int) -> Iterator[list[Any]]:
        """The first of the points that one side lacks, with their cluster on the other."""
        meet, names = self.diff.meet, self.diff.points
        if not isinstance(meet, UnevenMeet):
            return
        left = max(1, most)
        for alone, clusters, spurious in ((meet.missing, true, False), (meet.spurious, pred, True)):
            assert alone.at is not None
            mine = np.flatnonzero(np.isin(alone.cluster, clusters))[:left]
            left -= len(mine)
            for i, code in zip(alone.at[mine].tolist(), alone.cluster[mine], strict=True):
                place = int(np.searchsorted(clusters, code))
                where = [None, place] if spurious else [place, None]
                yield [
                    *where,
                    visible(names[i]) or EMPTY,
                    *(visible(column[i], 100) for column in self._columns),
                ]

    def _excerpt(self, cells: Any) -> Any:
        """Some cells of a large component that hang together, around its costliest true cluster."""
        meet, analysis, lost = self.diff.meet, self.diff.analysis, self.diff.analysis.cell_loss
        cost = lost.cells.total
        true = meet.true[cells]
        first, code = np.unique(true, return_inverse=True)
        start = int(first[np.argmax(np.bincount(code, cost[cells]))])
        chosen: set[int] = set()
        waiting: deque[tuple[bool, int]] = deque([(True, start)])
        seen = {(True, start)}
        while waiting and len(chosen) < CELLS:
            is_true, cluster = waiting.popleft()
            around = analysis.cells_of_true(cluster) if is_true else analysis.cells_of_pred(cluster)
            for cell in around[np.argsort(-cost[around], kind="stable")[:BRANCHES]].tolist():
                chosen.add(cell)
                other = (not is_true, int(meet.pred[cell] if is_true else meet.true[cell]))
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
                if len(chosen) == CELLS:
                    break
        return np.array(sorted(chosen))

    def _story(self, component: Component) -> list[str]:
        return tell(self.diff.analysis, self.diff.source, component.component, (self.sides[0], self.sides[1]))

    def _cluster(self, name: Any, size: Any, score: Any) -> list[Any]:
        """A cluster for the page; marked if it stands for a single point in none of the user's."""
        return [visible(name) or EMPTY, int(size), float(score), *[1] * isinstance(name, Single)]

    def _repairs_of(self, component: int) -> list[Any]:
        repairs = self.diff.repairs()
        indptr, places = repairs.of_component
        return [repairs[i] for i in places[indptr[component] : indptr[component + 1]][:REPAIRS].tolist()]

    def _points(self, cells: Any) -> Iterator[list[Any]]:
        """The points of the cells, fairly: each cell's first ones, until there are enough."""
        names = self.diff.points
        each = max(1, POINTS // max(1, len(cells)))
        for k, cell in enumerate(cells.tolist()):
            for i in self.diff.meet.members(cell)[:each].tolist():
                yield [k, visible(names[i]) or EMPTY, *(visible(column[i], 100) for column in self._columns)]


def read_attributes(attributes: object, comparison: Comparison) -> tuple[list[str], list[Any]]:
    """The names of the attributes, and a column for each: one value per point compared, in their order."""
    source = comparison.source
    if attributes is None:
        return [visible(name, 60) for name in source.columns], [
            source.column(name) for name in source.columns
        ]
    columns: Mapping[Any, object]
    if isinstance(attributes, Mapping):
        first = next(iter(attributes.values()), None)
        if isinstance(first, Mapping):
            names = list(dict.fromkeys(name for row in attributes.values() for name in row))
            columns = {name: {point: row.get(name) for point, row in attributes.items()} for name in names}
        else:
            columns = attributes
    else:
        import narwhals.stable.v2 as nw

        try:
            frame: Any = nw.from_native(attributes, eager_only=True)
        except TypeError:
            raise ArgumentError(
                f"`attributes` must be a frame, a dict of columns, or a dict from point to a dict of attributes; "
                f"got {type(attributes).__name__}."
            ) from None
        # The index of a pandas frame names the points; other columns come as plain values.
        indexed = index_of(attributes) is not None
        columns = {
            name: frame[name].to_native() if indexed else frame[name].to_list() for name in frame.columns
        }
    return [visible(name, 60) for name in columns], [
        _listed(source.describe(column, f"attributes[{name!r}]")) for name, column in columns.items()
    ]


def _listed(column: Any) -> Any:
    return (
        column.tolist() if hasattr(column, "tolist") else column if isinstance(column, list) else list(column)
    )
