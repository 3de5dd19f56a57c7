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
from clusterdiff.diff.shapes import Shapes
from clusterdiff.judgements.references import digest_group
from clusterdiff.meet.meet import Meet
from clusterdiff.show.report.costs import sums_of

#: No loss: masses by part.
NONE = [0.0] * 4


class Grouped:
    """The groups of a comparison, cell by cell: every point that is wrong is in one of them."""

    def __init__(self, comparison: Comparison, groups: Sequence[Group]) -> None:
        self._diff, self._groups = comparison, groups
        meet = comparison.meet
        self._of_point = np.full(len(meet.cell_of_point) if groups else 0, -1, dtype=np.int8)
        for number, group in enumerate(groups):
            self._of_point[group.at] = number

    @cached_property
    def _matched(self) -> Any:
        """The cell where the points of each true cluster belong; -1 for a cluster of their own."""
        meet = self._diff.meet
        cells = self._diff.source.continued
        matched = np.full(meet.k_true, -1, dtype=np.int64)
        matched[meet.true[cells]] = cells
        return matched

    @cached_property
    def _parts(self) -> tuple[Any, Any]:
        """The cells with points of groups, by number, and the group of each part; several if groups share a cell.

        The list of groups ends with -1, for what is beyond all cells.
        """
        mine, count = np.flatnonzero(self._of_point >= 0), len(self._groups)
        cell = self._diff.meet.cell_of_point[mine].astype(np.int64)
        shared = cell >= 0
        keys = np.unique(cell[shared] * count + self._of_point[mine[shared]])
        return keys // count, np.append(keys % count, -1)

    def of_component(self, cells: Any, entry: dict[str, Any]) -> dict[str, Any]:
        """What groups do to a component that is held with all of these cells.

        ``grouped`` has the group of each cell, -1 for the cell of a true cluster where the others belong; ``parts`` has
        the further parts of a cell, if several groups share it, as [group, cell, size, mass, own, places of its points
        that are on the page].
        """
        if not self._groups:
            return {}
        all_cells, groups = self._parts
        first, last = np.searchsorted(all_cells, cells), np.searchsorted(all_cells, cells, side="right")
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
        all_cells, groups = self._parts
        found = set(groups[:-1][np.isin(all_cells, cells)].tolist())
        more = {i for i, group in enumerate(self._groups) if lost and self._lost(group).any()}
        return {"locks": sorted(found | more)}

    def _part(self, cell: int, group: int, place: int, entry: dict[str, Any]) -> list[Any]:
        meet = self._diff.meet
        members = meet.members(int(cell))
        mine = self._of_point[members] == group
        held = [i for i, point in enumerate(entry["points"]) if point[0] == place]
        here = [at for at, inside in zip(held, mine.tolist(), strict=False) if inside]
        weights = self._diff.source.weights
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
        inside = np.zeros(len(self._diff.analysis.join), dtype=bool)
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
        lost = np.zeros(len(self._of_point), dtype=np.int8)
        for kind, unmatched in enumerate((self._diff.meet.missing, self._diff.meet.spurious), 1):
            if len(unmatched):
                lost[unmatched.at] = kind
        return lost[group.at]

    def _outside(self, inside: Any, sums: bool) -> list[tuple[dict[str, Any], int]]:
        meet, join = self._diff.meet, self._diff.analysis.join
        true, pred = self._diff.source.clusters(np.flatnonzero(self._of_point >= 0))
        touched = np.zeros(len(join), dtype=bool)
        for codes, of in ((true, join.of_true), (pred, join.of_pred)):
            touched[of[codes[codes >= 0]]] = True
        at = points_of(self._diff.analysis, touched & ~inside)
        home = np.append(meet.k_pred + np.arange(meet.k_true), -1)
        known = np.flatnonzero(self._matched >= 0)
        home[known] = meet.pred[self._matched[known]]
        (true, pred), weights = self._diff.source.clusters(at), self._diff.source.weights
        weights = None if weights is None else weights[at]
        group = self._of_point[at]
        component = np.where(true >= 0, np.append(join.of_true, -1)[true], np.append(join.of_pred, -1)[pred])
        last = np.full(len(join), -1)  # the group that puts each component right altogether
        for number in range(len(self._groups)):
            last[component[group == number]] = number
        last = last[component]

        def state(up_to: int) -> dict[str, Any]:
            now = np.where((group >= 0) & (group <= up_to), home[true], pred)
            # Where all is right nothing is lost: all that is left to say of it is its mass.
            unsettled = np.ones(len(at), dtype=bool) if sums else last > up_to
            there = np.flatnonzero(unsettled & ((true >= 0) | (now >= 0)))
            right = ~unsettled & (true >= 0)
            found = _state(true[there], now[there], None if weights is None else weights[there], sums)
            found["mass"] += float(np.count_nonzero(right) if weights is None else weights[right].sum())
            return found

        before = state(-1)
        out, beyond = [], []
        for number in range(len(self._groups)):
            after = state(number)
            loss = _less(after["loss"], before["loss"])
            changed = {name: after["sums"][name] - old for name, old in before["sums"].items()}
            shapes = {
                shape: _less(after["shapes"].get(shape, NONE), before["shapes"].get(shape, NONE))
                for shape in {**before["shapes"], **after["shapes"]}
            }
            gone = before["mass"] - after["mass"]
            out.append({"loss": loss, "gone": gone, "sums": changed, "shapes": shapes})
            beyond.append(int(np.count_nonzero((self._of_point[at] >= 0) & (self._of_point[at] <= number))))
        return list(zip(out, beyond, strict=True))


def _less(masses: list[float], others: list[float]) -> list[float]:
    return [mass - other for mass, other in zip(masses, others, strict=True)]


def _state(true: Any, pred: Any, weights: Any, sums: bool) -> dict[str, Any]:
    if not len(true):
        return {"loss": NONE, "mass": 0.0, "sums": {}, "shapes": {}}
    meet: Meet = met(true, pred, weights)
    total = float(meet.total)
    analysis = Analysis(meet)
    rows = Shapes(Blame(analysis)).rows if total else []
    shapes = {row.shape: _masses(row.loss, total) for row in rows}
    lost = _masses(analysis.loss, total) if total else NONE
    return {"loss": lost, "mass": total, "sums": sums_of(meet) if sums else {}, "shapes": shapes}


def _masses(loss: Loss, total: float) -> list[float]:
    return [part * total for part in list(loss)[1:]]
