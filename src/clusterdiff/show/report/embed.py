"""Components and repairs as the page's data has them, and which of them the page holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.components import Component
from clusterdiff.diff.explain import Narrator
from clusterdiff.diff.loss import PARTS, costliest
from clusterdiff.diff.repairs import Repair
from clusterdiff.measures.formulas import x_log_x
from clusterdiff.meet.unmatched import Unmatched
from clusterdiff.points.corpus import InDocument
from clusterdiff.points.labels import Single
from clusterdiff.show.pages import visible
from clusterdiff.show.report.costs import Costs
from clusterdiff.show.report.grouping import Grouped
from clusterdiff.show.report.judging import needs_numbers
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
        self._narrator = Narrator(comparison.analysis, comparison.source, sides)
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
        turn = list(self._in_turn())
        rows = iter(table.take(rank[[number for number, _ in turn]]))
        for (number, due), component in zip(turn, rows, strict=True):
            if len(self._by_id) >= self._limits.components and not due:
                break
            usual, budget = self._limits, self._limits.budget
            entry, repairs = self._component(component, usual)
            size = _size(entry) + _size(repairs)
            if size > left and not due:
                break
            # What it may take at most, or less of it is held.
            brief = usual._replace(text=BRIEF)
            excerpt = brief._replace(cells=usual.excerpt)
            steps = (brief, LONG * budget), (excerpt, SHARE * budget), (SHORT, left), (BARE, left + RESERVE)
            for limits, most in steps:
                if size > most:
                    entry, repairs = self._component(component, limits)
                    size = _size(entry) + _size(repairs)
            left -= size
            entry["rank"] = int(rank[number]) + 1
            self._by_id[number] = entry
            self.repairs += repairs
        return sorted(self._by_id.values(), key=lambda entry: entry["rank"])

    def _in_turn(self) -> Iterator[tuple[int, bool]]:
        """Components by number, each once; and whether the page must have it."""
        analysis = self._diff.analysis
        first = self._repairs.components[:FIRST_REPAIRS].tolist()
        clusters = [
            of[costliest(losses)[:CLUSTERS]].tolist()
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

    # ---- one component

    def _component(self, component: Component, limits: Limits) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        meet, analysis = self._diff.meet, self._diff.analysis
        number = component.component
        every = analysis.cells_of_component(number)
        listed = self._repairs_of(number, len(every), limits)
        repairs = list(listed.values())
        cells = every if len(every) <= limits.cells else self._excerpt(every, listed, limits.excerpt)
        whole = len(cells) == len(every)
        true, pred = (
            np.sort(analysis.codes_of_component(number, side)) if whole else np.unique(of[cells])
            for side, of in (("true", meet.true), ("pred", meet.pred))
        )
        self._codes[number] = cells, pred
        places = Places(self._diff, cells, true, pred, whole)
        found = [(place, places.repair(repair)) for place, repair in listed.items()]
        entry: dict[str, Any] = {
            "id": number,
            "kind": component.kind,
            "size": component.size,
            "counts": [component.true_clusters, component.pred_clusters, len(every)],
            "whole": int(whole),
            "score": component.score,
            "loss": [component.loss, *(getattr(component, f"{part}_loss") for part in PARTS)],
            "true": self._clusters("true", true),
            "pred": self._clusters("pred", pred),
            "cells": self._cells(cells, true, pred),
            "story": self._story(number, len(every)),
            "repairs": [],
        }
        if self._costs is not None:
            entry["cost"] = known(self._costs.of["component"][[number]])[0]
            entry["costs"] = [
                known(self._costs.of[side][codes]) for side, codes in (("true", true), ("pred", pred))
            ]
        if not whole:
            entry["outside"] = outside(self._diff, every, cells, true, pred)
        if self._diff.source.known:
            entry["points"] = self._points(cells, repairs, limits)
            here = np.bincount([point[0] for point in entry["points"]], minlength=len(cells))
            entry["names"] = more_names(self._diff, cells, here, limits.names)
            entry["lost"] = list(self._lost(true, pred, limits, limits.points - len(entry["points"])))
            if needs_numbers(entry):
                entry["numbers"] = cells.tolist()
            if self._grouped is not None and component.loss > 0:
                lost = bool(component.missing_loss or component.spurious_loss)
                told = self._grouped.of_component(cells, entry) if whole else self._grouped.locks(every, lost)
                entry |= told
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

    def _clusters(self, side: str, codes: Any) -> list[list[Any]]:
        meet, true = self._diff.meet, side == "true"
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
            unmatched = meet.missing if true else meet.spurious
            for row, more in zip(
                rows, self._bags(unmatched, meet.k_true if true else meet.k_pred, codes), strict=True
            ):
                row += more
        return rows

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

    def _cells(self, cells: Any, true: Any, pred: Any) -> list[list[Any]]:
        meet = self._diff.meet
        columns = [
            np.searchsorted(true, meet.true[cells]),
            np.searchsorted(pred, meet.pred[cells]),
            meet.size[cells],
        ]
        if meet.weights is not None:
            mass = meet.weights.mass[cells].astype(np.float64)
            columns += [mass, x_log_x(mass / self.unit) * self.unit - meet.weights.entropy[cells]]
        return [list(row) for row in zip(*(column.tolist() for column in columns), strict=True)]

    def _story(self, number: int, cells: int) -> list[str]:
        if cells > LARGE:
            return []
        return [
            sentence if len(sentence) <= 800 else sentence[:799] + "…"
            for sentence in self._narrator.component(number)
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

    def _points(self, cells: Any, repairs: list[Repair], limits: Limits) -> list[list[Any]]:
        """All points of the cells, if there are not too many; else those of the repairs, and some of every other."""
        meet = self._diff.meet
        size = meet.size[cells]
        taken = size if size.sum() <= limits.points else self._shares(cells, size, repairs, limits)
        indptr, members = meet.grouped
        return [
            [k, *self._point(i, limits.text)]
            for k, first, number in zip(
                range(len(cells)), indptr[cells].tolist(), taken.tolist(), strict=True
            )
            for i in members[first : first + number].tolist()
        ]

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
                yield [side, int(np.searchsorted(clusters, code)), *self._point(i, limits.text)]

    def _point(self, i: int, long: int) -> list[Any]:
        return [value(self._names[i]), *(value(column[i], long) for column in self._columns)]


class Places:
    """Where cells and clusters stand in the lists of their component, which are sorted by number."""

    def __init__(self, comparison: Comparison, cells: Any, true: Any, pred: Any, whole: bool) -> None:
        analysis = comparison.analysis
        self._cells, self._true, self._pred, self._whole = cells, true, pred, whole
        self._of_true = {name: i for i, name in enumerate(analysis.called("true", true))}
        self._of_pred = {name: i for i, name in enumerate(analysis.called("pred", pred))}

    def repair(self, repair: Repair) -> dict[str, Any] | None:
        """A repair by places; None if not all that it is about is there."""
        if not self._whole and not self._holds(repair):
            return None
        sentence = repair.describe()
        out: dict[str, Any] = {
            "operation": repair.operation,
            "sentence": sentence if len(sentence) <= 400 else sentence[:399] + "…",
            "gain": repair.gain,
            "component": repair.component,
            "affected": repair.affected,
            "clusters": [self._of_pred[name] for name in repair.clusters],
            "true": [self._of_true[name] for name in repair.true],
            "cells": [np.searchsorted(self._cells, part).tolist() for part in repair.cells],
            "into": [value(name) for name in repair.into],
        }
        where = {name.document for name in (*repair.true, *repair.clusters) if isinstance(name, InDocument)}
        if where:
            out["document"] = visible(where.pop())
        if repair.lost is not None:
            side, code = repair.lost
            out["lost"] = [side, int(np.searchsorted(self._true if side == "true" else self._pred, code))]
        return out

    def _holds(self, repair: Repair) -> bool:
        return (
            all(name in self._of_pred for name in repair.clusters)
            and all(name in self._of_true for name in repair.true)
            and bool(np.isin(np.concatenate([self._cells[:0], *repair.cells]), self._cells).all())
        )


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
    return ClusterLosses(analysis.true_losses.total, analysis.pred_losses.total)


def known(gains: Any) -> list[float | None]:
    """Gains for the page; None where they were not computed."""
    return [None if np.isnan(gain) else short(gain) for gain in gains.tolist()]


def short(number: float) -> float:
    """A number for people, who do not look at its seventh digit; it takes half the room."""
    return float(f"{number:.6g}")


def _size(entry: object) -> int:
    return len(json.dumps(entry, ensure_ascii=False).encode("utf-8", "surrogatepass"))
