"""What the page's script needs to put groups of points right as a whole, exactly, also where it does not hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterdiff.caching import cached_property
from clusterdiff.diff.analysis import Analysis
from clusterdiff.diff.blame import Blame
from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.groups import met, points_of
from clusterdiff.diff.loss import Loss
from clusterdiff.diff.patterns import Group
from clusterdiff.diff.shapes import Shapes, shapes_of
from clusterdiff.judgements.references import digest_group
from clusterdiff.meet.cell_table import spans
from clusterdiff.meet.meet import Meet
from clusterdiff.show.report.costs import sums_of

#: No loss: masses by part.
NONE = [0.0] * 4


class Grouped:
    """The groups of a comparison, cell by cell: every point that is wrong is in one of them."""

    def __init__(self, comparison: Comparison, groups: Sequence[Group]) -> None:
        self.diff, self._groups = comparison, groups

    @cached_property
    def of_point(self) -> Any:
        """The group of each point; -1 for none."""
        found = np.full(len(self.diff.meet.cell_of_point), -1, dtype=np.int8)
        for number, group in enumerate(self._groups):
            found[group.at] = number
        return found

    @cached_property
    def of_cell(self) -> Any:
        """The group of each cell, -1 for none; None if several groups may share one."""
        found = np.full(len(self.diff.meet), -1, dtype=np.int8)
        for number, group in enumerate(self._groups):
            if group.cells is None:
                return None
            found[group.cells] = number
        return found

    @property
    def matched(self) -> Any:
        """The cell where the points of each true cluster belong; -1 for a cluster of their own."""
        meet = self.diff.meet
        cells = self.diff.source.continued
        matched = np.full(meet.k_true, -1, dtype=np.int64)
        matched[meet.true[cells]] = cells
        return matched

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        """The groups that have points of each cell, as (indptr, groups); the list of groups ends with -1."""
        cell, group, _ = self._shared
        several = np.cumsum(np.bincount(cell, minlength=len(self.diff.meet)))
        return np.append(0, several), np.append(group, -1)

    @cached_property
    def _shared(self) -> tuple[Any, Any, Any]:
        """The parts of cells that are in groups, as the cell, the group and the number of points of each, by cell."""
        cell: Any
        group: Any
        if self.of_cell is not None:
            cell = np.flatnonzero(self.of_cell >= 0)
            return cell, self.of_cell[cell].astype(np.int64), self.diff.meet.size[cell]
        at = np.flatnonzero(self.of_point >= 0)
        cell, group = self.diff.meet.cell_of_point[at], self.of_point[at]
        count = len(self._groups)
        if self.diff.meet.lost:
            cell, group = cell[cell >= 0], group[cell >= 0]
        # As a rule a group has whole cells: few of them are in several.
        one = np.full(len(self.diff.meet), -1, dtype=np.int8)
        one[cell] = group
        others = group != one[cell]
        more, number = np.unique(cell[others].astype(np.int64) * count + group[others], return_counts=True)
        size = np.bincount(cell[~others], minlength=len(one))
        cells = np.flatnonzero(size)
        key = np.concatenate([cells * count + one[cells], more])
        order = np.argsort(key, kind="stable") if len(more) else slice(None)
        return *np.divmod(key[order], count), np.concatenate([size[cells], number])[order]

    def of_component(self, cells: Any, entry: dict[str, Any]) -> dict[str, Any]:
        """What groups do to a component that is held with all of these cells.

        ``grouped`` has the group of each cell, -1 for the cell of a true cluster where the others belong; ``parts`` has
        the further parts of a cell, if several groups share it, as [group, cell, size, mass, own, places of its points
        that are on the page].
        """
        if not self._groups:
            return {}
        if self.of_cell is not None:
            return {"grouped": self.of_cell[cells].tolist()}
        indptr, groups = self._parts
        first, last = indptr[cells], indptr[cells + 1]
        grouped = np.where(last > first, groups[first], -1)
        parts = [
            [group, place, *self._part(cells[place], group, place, entry)]
            for place in np.flatnonzero(last > first + 1).tolist()
            for group in groups[first[place] + 1 : last[place]].tolist()
        ]
        return {"grouped": grouped.tolist()} | ({"parts": parts} if parts else {})

    def locks(self, cells: Any, lost: bool) -> dict[str, Any]:
        """Of a component that is held in part: the groups with points of it, which are put right without the page."""
        if not self._groups:
            return {}
        if self.of_cell is not None:
            found = set(self.of_cell[cells].tolist()) - {-1}
        else:
            indptr, groups = self._parts
            found = set(groups[spans(indptr, cells)[1]].tolist())
        more = {i for i, group in enumerate(self._groups) if lost and self._lost(group).any()}
        return {"locks": sorted(found | more)}

    def _part(self, cell: int, group: int, place: int, entry: dict[str, Any]) -> list[Any]:
        meet = self.diff.meet
        members = meet.members(int(cell))
        mine = self.of_point[members] == group
        held = [i for i, point in enumerate(entry["points"]) if point[0] == place]
        here = [at for at, inside in zip(held, mine.tolist(), strict=False) if inside]
        weights = self.diff.source.weights
        size = int(mine.sum())
        if weights is None:
            return [size, size, 0, here]
        w = weights[members[mine]].astype(np.float64)
        own = w * np.log(w * meet.n / float(meet.total), out=np.zeros(size), where=w > 0)
        return [size, float(w.sum()), float(own.sum()), here]

    def data(self, words: Sequence[str], whole: Sequence[int], sums: bool) -> list[dict[str, Any]]:
        """The groups for the page's script; ``whole`` are the components that it holds with all of their cells.

        ``rest`` has what all groups up to this one change in the others: what is lost there as [split, merge, missing,
        spurious] masses, in all and by shape, the mass that is ``gone``, and ``sums`` for another measure; ``beyond``
        counts their points.
        """
        if not self._groups:
            return []
        inside = np.zeros(len(self.diff.analysis.join), dtype=bool)
        inside[list(whole)] = True
        rest = self._outside(inside, sums)
        return [
            {
                "words": said,
                "points": group.points,
                "partners": group.partners,
                "gain": group.gain,
                "share": group.share,
                "score": group.score,
                "digest": digest_group(group.at),
                "missing": bool((self._lost(group) == 1).any()),
                "spurious": bool((self._lost(group) == 2).any()),
                "rest": rest[number][0],
                "beyond": rest[number][1],
            }
            for number, (group, said) in enumerate(zip(self._groups, words, strict=True))
        ]

    def _lost(self, group: Group) -> Any:
        """Which of its points are missing (1), and which are spurious (2)."""
        if not self.diff.meet.lost:
            return np.zeros(len(group.at), dtype=np.int8)
        lost = np.zeros(len(self.of_point), dtype=np.int8)
        for kind, unmatched in enumerate((self.diff.meet.missing, self.diff.meet.spurious), 1):
            if len(unmatched):
                lost[unmatched.at] = kind
        return lost[group.at]

    def _outside(self, inside: Any, sums: bool) -> list[tuple[dict[str, Any], int]]:
        """What groups change in the components that are not inside; only those that they touch are looked at."""
        analysis = self.diff.analysis
        meet, join, shapes = analysis.meet, analysis.join, analysis.once(shapes_of)
        component, group, points = self._wrong
        changed_by = [component[group == number] for number in range(len(self._groups))]
        # The groups that change each component first, and that put it right altogether.
        first, last = (
            np.full(len(join), len(self._groups), dtype=np.int8),
            np.full(len(join), -1, dtype=np.int8),
        )
        for number, components in enumerate(changed_by):
            last[components] = number
        for number, components in reversed(list(enumerate(changed_by))):
            first[components] = number
        first[inside] = len(self._groups)
        outside = ~inside[component]
        beyond = np.cumsum(np.bincount(group[outside], points[outside], minlength=len(self._groups))).astype(
            int
        )
        # Where a group puts a component right at once, nothing is lost there; the others have to be looked at again.
        every = _Points(self, (first < len(self._groups)) & (sums | (last > first)))
        out = []
        for number in range(len(self._groups)):
            touched = first <= number
            before = {shape: _masses(loss, meet.total) for shape, loss in shapes.losses(touched).items()}
            after = every.state(touched & (last > number), number)
            changed = every.sums(touched, number) if sums else {}
            found = {
                shape: _less(after.get(shape, NONE), before.get(shape, NONE)) for shape in {**before, **after}
            }
            loss = [sum(parts) for parts in zip(NONE, *found.values(), strict=True)]
            gone = self._gone(inside, number)
            out.append({"loss": loss, "gone": gone, "sums": changed, "shapes": found})
        return list(zip(out, beyond.tolist(), strict=True))

    @property
    def _wrong(self) -> tuple[Any, Any, Any]:
        """The points that are in groups, as many together as have a component and a group: these, and how many."""
        meet, join = self.diff.meet, self.diff.analysis.join
        cell, *found = self._shared
        rows = [[join.of_cell[cell], *found]]
        for unmatched, of in ((meet.missing, join.of_true), (meet.spurious, join.of_pred)):
            if len(unmatched):
                group = self.of_point[unmatched.at]
                mine = group >= 0
                rows.append(
                    [of[unmatched.cluster[mine]], group[mine], np.ones(np.count_nonzero(mine), dtype=int)]
                )
        components, groups, points = map(np.concatenate, zip(*rows, strict=True))
        return components, groups, points

    def _gone(self, inside: Any, number: int) -> float:
        """The mass of the spurious points of all groups up to one, in components that are not inside."""
        spurious = self.diff.meet.spurious
        if spurious.at is None or not len(spurious):
            return 0.0
        group = self.of_point[spurious.at]
        component = self.diff.analysis.join.of_pred[spurious.cluster]
        mine = np.sort(spurious.at[(group >= 0) & (group <= number) & ~inside[component]])
        weights = self.diff.source.weights
        return float(len(mine) if weights is None else weights[mine].sum())


class _Points:
    """Points of some components, or cells if no groups share one, and what is lost there once groups are put right."""

    def __init__(self, grouped: Grouped, components: Any) -> None:
        diff, matched = grouped.diff, grouped.matched
        meet, weights, self._size, self._weights = diff.meet, diff.source.weights, None, None
        if grouped.of_cell is not None:
            cells = np.flatnonzero(components[diff.analysis.join.of_cell])
            self._true, self._pred = meet.true[cells].astype(np.int64), meet.pred[cells].astype(np.int64)
            self._group, self._size = grouped.of_cell[cells], meet.size[cells]
        else:
            at = points_of(diff.analysis, components) if components.any() else np.zeros(0, dtype=np.int64)
            self._true, self._pred = diff.source.clusters(at)
            self._group = grouped.of_point[at]
            self._weights = None if weights is None else weights[at]
        self._component = diff.analysis.join.of_clusters(self._true, self._pred)
        home = np.append(meet.k_pred + np.arange(meet.k_true), -1)
        known = np.flatnonzero(matched >= 0)
        home[known] = meet.pred[matched[known]]
        self._home = home[self._true]

    def _met(self, components: Any, up_to: int) -> Meet | None:
        """The meet of the points of some components, once all groups up to one are put right; None without points."""
        now = np.where((self._group >= 0) & (self._group <= up_to), self._home, self._pred)
        there = np.flatnonzero(components[self._component] & ((self._true >= 0) | (now >= 0)))
        weights, size = (None if part is None else part[there] for part in (self._weights, self._size))
        return met(self._true[there], now[there], weights, size) if len(there) else None

    def state(self, components: Any, up_to: int) -> dict[str, list[float]]:
        """What is lost in some components, by shape."""
        meet = self._met(components, up_to)
        if meet is None or not meet.total:
            return {}
        rows = Shapes(Blame(Analysis(meet))).rows
        return {row.shape: _masses(row.loss, meet.total) for row in rows}

    def sums(self, components: Any, up_to: int) -> dict[str, float]:
        """By how much the sums over some components change."""
        before, after = self._met(components, -1), self._met(components, up_to)
        if before is None:
            return {}
        now = {} if after is None else sums_of(after)
        return {name: now.get(name, 0.0) - old for name, old in sums_of(before).items()}


def _less(masses: list[float], others: list[float]) -> list[float]:
    return [mass - other for mass, other in zip(masses, others, strict=True)]


def _masses(loss: Loss, total: float) -> list[float]:
    return [part * total for part in list(loss)[1:]]
