"""Components and repairs as the page's data has them, and which of them the page holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.loss import PARTS, costliest
from clusterdiff.diff.repairs import Repair
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.cell_table import spans
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.labels import Single, names_at
from clusterdiff.show.report.costs import Costs
from clusterdiff.show.report.grouping import Grouped
from clusterdiff.show.report.held import Held, Places, cut, places
from clusterdiff.show.report.judging import needs_numbers
from clusterdiff.show.report.stories import Teller
from clusterdiff.show.report.trying import ClusterNames, more_names, outside
from clusterdiff.show.report.values import value


class Limits(NamedTuple):
    """How much a page holds.

    ``budget`` is the size of its components in bytes; ``components`` how many there are at most. ``cells`` is how many
    a component may have to be held whole; of a larger one the costliest ``excerpt`` are. ``points`` are those of one
    component, ``text`` the letters of an attribute, ``names`` how many more points are known by name alone, and
    ``repairs`` those of a small component. ``named`` is how many clusters, and parts of clusters, that it holds in part
    are named for a patch.
    """

    budget: int
    components: int
    cells: int
    excerpt: int
    points: int
    text: int
    names: int
    repairs: int
    named: int


#: The page stays under 2 MB; with ``full`` it holds whatever a browser can still open.
USUAL = Limits(
    budget=1_450_000,
    components=2_000,
    cells=40_000,
    excerpt=3_000,
    points=200,
    text=2_000,
    names=5_000,
    repairs=4,
    named=2_000,
)
FULL = Limits(
    budget=60_000_000,
    components=200_000,
    cells=1_000_000,
    excerpt=200_000,
    points=100_000,
    text=2_000,
    names=1_000_000,
    repairs=1_000,
    named=200_000,
)
#: What is held of a component that must be on the page when nothing is left of the budget, and of one after many such.
SHORT = Limits(budget=0, components=1, cells=60, excerpt=60, points=40, text=60, names=0, repairs=4, named=0)
BARE, RESERVE = SHORT._replace(points=0), 250_000
#: The share of the budget that one component may take, and beyond which long texts are cut to so many letters.
SHARE, LONG, BRIEF = 0.65, 0.05, 200
#: How many repairs are listed for the whole, how many of a large component, and so many of the costliest clusters of
#: either side are on the page, whatever their component.
FIRST_REPAIRS, LARGE_REPAIRS, CLUSTERS = 20, 60, 50
NOTHING = np.empty(0, dtype=np.int64)
#: A component with more cells than this is large: it is not described in full sentences.
LARGE = 60
#: Components are read so many at once at first, then as many as there seems to be room for; of so many clusters.
FIRST_READ, LEAST_READ, READ = 64, 16, 2_000
#: So many cells are looked for among all points once, before their components are read.
RECALLED = 4_096
#: The size of what the page holds is that of its JSON.
JSON = json.JSONEncoder(ensure_ascii=False)


class Embedded:
    """The components that a page holds, costliest first, and the repairs that it lists, best first."""

    def __init__(
        self,
        comparison: Comparison,
        columns: list[Any],
        sides: tuple[str, str],
        limits: Limits,
        samples: Sequence[int] = (),
        costs: Costs | None = None,
        grouped: Grouped | None = None,
    ) -> None:
        self._diff, self._columns, self._limits = comparison, columns, limits
        self._samples, self._costs, self._grouped = samples, costs, grouped
        self._teller = Teller(comparison.analysis, comparison.source, sides)
        self._repairs = comparison.repairs("S_H" if costs is None else costs.measure)
        self._losses = _cluster_losses(comparison)
        self._names = comparison.points if comparison.source.known else ()
        self._weighted = comparison.meet.weights is not None
        meet, scored = comparison.meet, comparison.analysis.scored
        #: The sizes, scores and losses of either side's clusters.
        self._sides_of = {
            "true": (meet.true_size, scored.split, self._losses.true),
            "pred": (meet.pred_size, scored.merge, self._losses.pred),
        }
        self._codes: dict[
            int, tuple[Any, Any]
        ] = {}  # the cells and predicted clusters held of each component
        self.repairs: list[dict[str, Any]] = []
        self.components = self._chosen()
        names = ClusterNames(comparison, limits.named)
        for entry in self.components if comparison.source.known else []:
            if found := names.of(entry, *self._codes[entry["id"]]):
                entry["named"] = found
        self.repairs.sort(key=lambda repair: repair.pop("place"))
        for place, repair in enumerate(self.repairs):
            self._by_id[repair["component"]]["repairs"].append(place)

    # ---- which

    def _chosen(self) -> list[dict[str, Any]]:
        """What is listed elsewhere on the page comes first, whatever its rank; then the costliest."""
        table, left = self._diff.components, self._limits.budget
        rank = np.empty(len(table), dtype=np.int64)
        rank[table["component"]] = np.arange(len(table))
        self._by_id: dict[int, dict[str, Any]] = {}
        turn, codes = list(self._in_turn()), self._diff.analysis.codes_of_component
        rows = iter(table.take(rank[[number for number, _ in turn]]))
        ends, cells = self._cells_of([codes(number, "true") for number, _ in turn])
        self._diff.source.recall(cells[: ends[np.searchsorted(ends, RECALLED, side="right") - 1]])
        ready: list[tuple[Component, Any]] = []
        usual, budget = self._limits, self._limits.budget
        for place, (number, due) in enumerate(turn):
            if len(self._by_id) >= usual.components and not due:
                break
            if not ready:
                fit = left * place // (budget - left) if left < budget else FIRST_READ
                ready = self._read(islice(rows, max(LEAST_READ, fit + 1)))
            component, (entry, repairs) = ready.pop()
            size = _size(entry, repairs)
            if size > left and not due:
                break
            # What it may take at most, or less of it is held.
            brief = usual._replace(text=BRIEF)
            excerpt = brief._replace(cells=usual.excerpt)
            steps = (brief, LONG * budget), (excerpt, SHARE * budget), (SHORT, left), (BARE, left + RESERVE)
            for limits, most in steps:
                if size > most:
                    ((entry, repairs),) = self._entries([component], limits)
                    size = _size(entry, repairs)
            left -= size
            entry["rank"] = int(rank[number]) + 1
            self._by_id[number] = entry
            self.repairs += repairs
        return sorted(self._by_id.values(), key=lambda entry: entry["rank"])

    def _read(self, rows: Iterator[Component]) -> list[tuple[Component, Any]]:
        """The next components with their entries, the last one first; not more than have so many clusters."""
        chosen, clusters = [], 0
        for component in rows:
            chosen.append(component)
            clusters += component.true_clusters + component.pred_clusters
            if clusters > READ:
                break
        return list(zip(chosen, self._entries(chosen, self._limits), strict=True))[::-1]

    def _in_turn(self) -> Iterator[tuple[int, bool]]:
        """Components by number, each once; and whether the page must have it."""
        analysis = self._diff.analysis
        first = self._repairs.components[:FIRST_REPAIRS].tolist()
        clusters = [
            of[costliest(losses, CLUSTERS)].tolist()
            for of, losses in zip((analysis.join.of_true, analysis.join.of_pred), self._losses, strict=True)
        ]
        table = self._diff.components["component"]
        if self._costs is not None:  # the costliest in that measure
            table = np.argsort(-np.nan_to_num(self._costs.of["component"]), kind="stable")
        due = dict.fromkeys([*table[:1].tolist(), *first, *self._samples, *clusters[0], *clusters[1]])
        yield from ((number, True) for number in due)
        yield from (
            (number, False) for number in table[: self._limits.components].tolist() if number not in due
        )

    def about(self, repair: Mapping[str, Any]) -> tuple[str, list[int], int]:
        """What a repair does, to which predicted clusters, for which true one: by codes; -1 for lost points."""
        cells, pred = self._codes[repair["component"]]
        first = [cell for part in repair["cells"] for cell in part[:1]]
        true = int(self._diff.meet.true[cells[first[0]]]) if first else -1
        return repair["operation"], pred[repair["clusters"]].tolist(), true

    # ---- some components

    def _entries(
        self, components: Sequence[Component], limits: Limits
    ) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
        """Components and their repairs as the page has them; what is asked of all is asked at once."""
        held = list(self._held(components, limits))
        true, pred = (
            self._clusters(side, of)
            for side, of in (("true", [one.true for one in held]), ("pred", [one.pred for one in held]))
        )
        points = self._points(held, limits) if self._diff.source.known else [([], NOTHING)] * len(held)
        small = [one.every for one in held if len(one.every) <= LARGE]
        self._teller.recall(np.concatenate([NOTHING, *small]))
        return [
            self._entry(one, limits, *parts)
            for one, *parts in zip(held, true, pred, self._cells(held), points, strict=True)
        ]

    def _cells_of(self, true: Sequence[Any]) -> tuple[Any, Any]:
        """The cells of components of some true clusters one after the other, and where those of each end, after a 0."""
        starts, cells = spans(self._diff.meet.indptr, np.concatenate([NOTHING, *true]))
        return starts[np.cumsum([0, *map(len, true)])], cells

    def _held(self, components: Sequence[Component], limits: Limits) -> Iterator[Held]:
        """What is held of some components."""
        meet, analysis = self._diff.meet, self._diff.analysis
        numbers = [component.component for component in components]
        clusters = [
            [analysis.codes_of_component(number, side) for number in numbers] for side in ("true", "pred")
        ]
        ends, cells = self._cells_of(clusters[0])
        for component, begin, end, true, pred in zip(components, ends, ends[1:], *clusters, strict=False):
            every = cells[begin:end]
            repairs = self._repairs_of(component.component, len(every), limits)
            if len(every) <= limits.cells:
                yield Held(component, every, every, true, pred, repairs)
                continue
            some = self._excerpt(every, repairs, limits.excerpt)
            if len(some) < len(every):
                true, pred = np.unique(meet.true[some]), np.unique(meet.pred[some])
            yield Held(component, every, some, true, pred, repairs)

    def _entry(
        self, one: Held, limits: Limits, true: Any, pred: Any, cells: Any, points: Any
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        component, number = one.component, one.component.component
        self._codes[number] = one.cells, one.pred
        places = Places(self._diff, one)
        found = [(place, places.repair(repair)) for place, repair in one.repairs.items()]
        entry: dict[str, Any] = {
            "id": number,
            "kind": component.kind,
            "size": component.size,
            "counts": [component.true_clusters, component.pred_clusters, len(one.every)],
            "whole": int(one.whole),
            "score": component.score,
            "loss": [component.loss, *(getattr(component, f"{part}_loss") for part in PARTS)],
            "true": true,
            "pred": pred,
            "cells": cells,
            "story": self._story(number, one.every),
            "repairs": [],
        }
        if self._costs is not None:
            entry["cost"] = known(self._costs.of["component"][[number]])[0]
            entry["costs"] = [
                known(self._costs.of[side][codes]) for side, codes in (("true", one.true), ("pred", one.pred))
            ]
        if not one.whole:
            entry["outside"] = outside(self._diff, one.every, one.cells, one.true, one.pred)
        if self._diff.source.known:
            entry["points"], taken = points
            entry["names"] = more_names(self._diff, one.cells, taken, limits.names)
            entry["lost"] = list(self._lost(one.true, one.pred, limits, limits.points - len(entry["points"])))
            if needs_numbers(entry):
                entry["numbers"] = one.cells.tolist()
            if self._grouped is not None and component.loss > 0:
                lost = bool(component.missing_loss or component.spurious_loss)
                grouped = self._grouped
                entry |= (
                    grouped.of_component(one.cells, entry) if one.whole else grouped.locks(one.every, lost)
                )
        return entry, [repair | {"place": place} for place, repair in found if repair is not None]

    def _excerpt(self, cells: Any, repairs: dict[int, Repair], most: int) -> Any:
        """Some cells of a large component: those of its repairs, what is around, and the costliest true clusters."""
        meet, cost = self._diff.meet, self._losses.true
        about = (part for place, repair in repairs.items() for part in self._about(place, repair))
        due = np.unique(np.concatenate([NOTHING, *about]))
        near = np.isin(meet.true[cells], meet.true[due]) | np.isin(meet.pred[cells], meet.pred[due])
        due = np.isin(cells, due)
        order = np.lexsort((cells, -cost[meet.true[cells]], ~near, ~due))
        return np.sort(cells[order[: max(most, np.count_nonzero(due))]])

    def _about(self, place: int, repair: Repair) -> Iterator[Any]:
        """The cells that a repair is about, with one of each cluster that it names."""
        analysis = self._diff.analysis
        yield from repair.cells
        if repair.operation == "move":  # to where most of its true cluster is
            yield np.array([self._repairs.target(place)])
        elif repair.lost is not None:
            side, code = repair.lost
            yield analysis.cells_of_true(code) if side == "true" else analysis.cells_of_pred(code)

    def _clusters(self, side: str, parts: Sequence[Any]) -> list[list[list[Any]]]:
        """The clusters of each of some components."""
        meet, codes = self._diff.meet, np.concatenate(parts)
        sizes, scores, losses = self._sides_of[side]
        rows = [
            [value(name), size, short(score), short(loss), int(isinstance(name, Single))]
            for name, size, score, loss in zip(
                self._diff.analysis.called(side, codes),
                sizes[codes].tolist(),
                scores[codes].tolist(),
                losses[codes].tolist(),
                strict=True,
            )
        ]
        if meet.uneven:
            unmatched, k = (meet.missing, meet.k_true) if side == "true" else (meet.spurious, meet.k_pred)
            for row, more in zip(rows, self._bags(unmatched, k, codes), strict=True):
                row += more
        return cut(rows, map(len, parts))

    def _bags(self, unmatched: Unmatched, k: int, codes: Any) -> list[list[Any]]:
        """How many points of each cluster the other side lacks; with weights also their mass and their own."""
        columns = [unmatched.count(k)[codes].tolist()]
        if unmatched.weights is not None:
            w = unmatched.weights.astype(float)
            own = w * np.log(w / self.unit, out=np.zeros(len(w)), where=w > 0)
            columns += [
                unmatched.mass(k)[codes].tolist(),
                np.bincount(unmatched.cluster, own, k)[codes].tolist(),
            ]
        return [list(row) for row in zip(*columns, strict=True)]

    @property
    def unit(self) -> float:
        """What weights are measured against, so that their scale does not matter."""
        meet = self._diff.meet
        return float(meet.total) / meet.n if self._weighted else 1.0

    def _cells(self, held: Sequence[Held]) -> list[list[list[Any]]]:
        """The cells of each of some components."""
        meet, cells = self._diff.meet, np.concatenate([one.cells for one in held])
        mine = np.repeat(np.arange(len(held)), [len(one.cells) for one in held])
        columns = [
            places([one.true for one in held], meet.true[cells], mine),
            places([one.pred for one in held], meet.pred[cells], mine),
            meet.size[cells],
        ]
        if meet.weights is not None:
            mass = meet.weights.mass[cells].astype(np.float64)
            columns += [mass, x_log_x(mass / self.unit) * self.unit - meet.weights.entropy[cells]]
        rows = [list(row) for row in zip(*(column.tolist() for column in columns), strict=True)]
        return cut(rows, (len(one.cells) for one in held))

    def _story(self, number: int, cells: Any) -> list[str]:
        if len(cells) > LARGE:
            return []
        return [
            sentence if len(sentence) <= 800 else sentence[:799] + "…"
            for sentence in self._teller.component(number, cells)
        ]

    # ---- repairs

    def _repairs_of(self, component: int, cells: int, limits: Limits) -> dict[int, Repair]:
        """The best of a component, with all that are among the first of all, by their places in the list of all.

        Of a component that is held in part, those that concern more cells than are held of it are left out.
        """
        repairs = self._repairs
        indptr, places = repairs.of_component
        mine = places[indptr[component] : indptr[component + 1]]
        if cells > limits.cells:
            mine = mine[repairs.cells_of(mine) <= limits.excerpt]
        most = self._limits.repairs if cells <= LARGE else max(LARGE_REPAIRS, self._limits.repairs)
        chosen = mine[: max(most, int(np.count_nonzero(mine < FIRST_REPAIRS)))]
        return {i: repairs[i] for i in chosen.tolist()}

    # ---- points

    def _points(self, held: Sequence[Held], limits: Limits) -> list[tuple[list[list[Any]], Any]]:
        """Points of the cells of each of some components, and of how many each cell has.

        All, if they are not too many; else those of the repairs, and some of every other cell.
        """
        meet, cells = self._diff.meet, [one.cells for one in held]
        taken = []
        for one in held:
            size = meet.size[one.cells]
            repairs = list(one.repairs.values())
            taken.append(
                size if size.sum() <= limits.points else self._shares(one.cells, size, repairs, limits)
            )
        indptr, members = meet.members_of(np.concatenate(cells))
        number = np.concatenate(taken)
        first = np.cumsum(number) - number
        at = members[np.arange(int(number.sum())) + np.repeat(indptr[:-1] - first, number)]
        place = np.repeat(np.concatenate([np.arange(len(part)) for part in cells]), number)
        rows = [
            [k, value(name), *self._attributes(i, limits.text)]
            for k, name, i in zip(place.tolist(), names_at(self._names, at), at.tolist(), strict=True)
        ]
        return list(zip(cut(rows, (int(part.sum()) for part in taken)), taken, strict=True))

    def _shares(self, cells: Any, size: Any, repairs: list[Repair], limits: Limits) -> Any:
        """How many points of each cell are held where not all can be."""
        taken = np.zeros(len(cells), dtype=np.int64)
        left = limits.points
        for part in (part for repair in repairs for part in repair.cells):
            at = np.searchsorted(cells, part)
            new = int((size[at] - taken[at]).sum())
            if new <= left:
                taken[at], left = size[at], left - new
        rest = np.flatnonzero(taken == 0)
        if len(rest) > left:  # one point each is too many
            cost = self._diff.analysis.cell_loss.cells.of(cells[rest])
            taken[rest[np.argsort(-cost, kind="stable")[:left]]] = 1
        elif len(rest):
            taken[rest] = np.minimum(size[rest], _fair(size[rest], left))
        return taken

    def _lost(self, true: Any, pred: Any, limits: Limits, most: int) -> Iterator[list[Any]]:
        """The first of the points that one side lacks, with their cluster on the other."""
        meet = self._diff.meet
        left = max(1, most)
        for unmatched, clusters, side in ((meet.missing, true, "true"), (meet.spurious, pred, "pred")):
            if not len(unmatched):
                continue
            assert unmatched.at is not None
            mine = np.flatnonzero(np.isin(unmatched.cluster, clusters))[:left]
            left -= len(mine)
            for i, code in zip(unmatched.at[mine].tolist(), unmatched.cluster[mine], strict=True):
                place = int(np.searchsorted(clusters, code))
                yield [side, place, value(self._names[i]), *self._attributes(i, limits.text)]

    def _attributes(self, i: int, long: int) -> list[Any]:
        return [value(column[i], long) for column in self._columns]


def _fair(size: Any, most: int) -> int:
    """How many of each may be taken, so that they are at most ``most`` together."""
    low, high = 1, int(size.max())
    while low < high:
        each = (low + high + 1) // 2
        low, high = (each, high) if np.minimum(size, each).sum() <= most else (low, each - 1)
    return low


class ClusterLosses(NamedTuple):
    """What each true, and what each predicted cluster lost."""

    true: Any
    pred: Any


def _cluster_losses(comparison: Comparison) -> ClusterLosses:
    analysis = comparison.analysis
    # The parts of what predicted clusters lost are nowhere on the page.
    return ClusterLosses(analysis.true_losses.total, analysis.scratch().pred_losses.total)


def known(gains: Any) -> list[float | None]:
    """Gains for the page; None where they were not computed."""
    return [None if np.isnan(gain) else short(gain) for gain in gains.tolist()]


def short(number: float) -> float:
    """A number for people, who do not look at its seventh digit; it takes half the room."""
    return float(f"{number:.6g}")


def _size(entry: object, repairs: object) -> int:
    """What a component and its repairs take, in bytes."""
    text = JSON.encode([entry, repairs])
    return len(text if text.isascii() else text.encode("utf-8", "surrogatepass")) - len("[, ]")
