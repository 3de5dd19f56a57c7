"""What fits into a picture: the costliest components, or the costliest part of one."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import ArgumentError
from clusterdiff.meet.meet import Meet
from clusterdiff.wording import count, percent

#: How many clusters of a side, and how many cells a picture shows unless it says otherwise.
CLUSTERS, CELLS = 20, 60
#: A picture of less than this share of the loss says so in its title.
MOST = 0.5
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Region:
    """A component, or the costliest part of one, in the order in which it is drawn."""

    component: int
    kind: str
    true: Indices
    pred: Indices
    cells: Indices
    cut: bool

    def cells_in_order(self, meet: Meet) -> list[int]:
        """The cells by the place of their true cluster, and then of their predicted cluster."""
        true, pred = (
            {cluster: place for place, cluster in enumerate(side.tolist())} for side in (self.true, self.pred)
        )
        return sorted(
            self.cells.tolist(), key=lambda cell: (true[int(meet.true[cell])], pred[int(meet.pred[cell])])
        )


class Choice:
    """The costliest components that fit into a picture.

    ``clusters`` is how many there may be on a side. ``unmatched``: whether clusters of which the other side has no
    point are drawn as well.
    """

    def __init__(
        self, diff: Comparison, clusters: int = CLUSTERS, cells: int = CELLS, unmatched: bool = False
    ) -> None:
        self.diff = diff
        self.regions: list[Region] = []
        table, found = diff.components, diff.analysis.join
        loss = table["loss"]
        lossy = int((loss > 0).sum())
        # Without any loss there is still something to see: the largest components.
        order = np.arange(len(table)) if lossy else np.argsort(-table["size"], kind="stable")
        self.lossy = lossy or len(table)
        shown_loss = 0.0
        drawn = order[: self.lossy]
        if not unmatched:
            drawn = drawn[np.asarray(table["true_clusters"] * table["pred_clusters"])[drawn] > 0]
        for row in drawn.tolist():
            component = int(table["component"][row])
            region = self._region(component, str(table["kind"][row]), clusters, cells)
            if self.regions and (region.cut or clusters <= 0 or cells <= 0):
                break
            self.regions.append(region)
            clusters -= max(len(region.true), len(region.pred))
            cells -= len(region.cells)
            shown_loss += float(loss[row])
        if not self.regions:
            raise ArgumentError("the two clusterings share no point, so there is nothing to draw.")
        self.left = self.lossy - len(self.regions)
        self.left_loss = float(loss.sum()) - shown_loss
        self.same = len(found) - lossy if lossy else 0

    def _region(self, component: int, kind: str, clusters: int, cells: int) -> Region:
        diff, meet = self.diff, self.diff.meet
        true, pred = (diff.analysis.codes_of_component(component, side) for side in ("true", "pred"))
        inside = diff.analysis.cells_of_component(component).astype(np.int64)
        cut = max(len(true), len(pred)) > clusters or len(inside) > cells
        if cut:
            # Where few cells fit, there are fewer clusters, so that more than one cell of each is drawn.
            true, pred = self._neighbours(inside, max(1, min(clusters, cells // 2)))
            inside = inside[np.isin(meet.true[inside], true) & np.isin(meet.pred[inside], pred)]
            inside = np.sort(_top(inside, meet.size[inside].astype(float), cells))
            true, pred = true[np.isin(true, meet.true[inside])], pred[np.isin(pred, meet.pred[inside])]
        true, pred = _untangled(meet.true[inside], meet.pred[inside], meet.size[inside], true, pred)
        return Region(component, kind, true, pred, inside, cut)

    def _neighbours(self, inside: Indices, most: int) -> tuple[Indices, Indices]:
        """The costliest true cluster of a component, and those that it is tangled with, along the costliest cells."""
        meet, analysis = self.diff.meet, self.diff.analysis
        lost = analysis.cell_loss.cells.total
        first = int(np.argmax(np.bincount(meet.true[inside], lost[inside], meet.k_true)))
        sides = {"true": (meet.true, analysis.cells_of_true), "pred": (meet.pred, analysis.cells_of_pred)}
        taken: dict[str, dict[int, None]] = {"true": {first: None}, "pred": {}}
        waiting: list[tuple[float, int]] = []

        def reach(cells: Any) -> None:
            cells = np.asarray(cells)
            for cell in _top(cells, lost[cells], 2 * most).tolist():
                heappush(waiting, (-float(lost[cell]), cell))

        reach(analysis.cells_of_true(first))
        while waiting and min(map(len, taken.values())) < most:
            cell = heappop(waiting)[1]
            for side, (cluster_of, cells_of) in sides.items():
                cluster = int(cluster_of[cell])
                if cluster not in taken[side] and len(taken[side]) < most:
                    taken[side][cluster] = None
                    reach(cells_of(cluster))
        true, pred = (np.array(list(found), dtype=np.int64) for found in taken.values())
        return true, pred

    @property
    def true(self) -> Indices:
        """The true clusters that are drawn."""
        return np.concatenate([region.true for region in self.regions])

    @property
    def pred(self) -> Indices:
        """The predicted clusters that are drawn."""
        return np.concatenate([region.pred for region in self.regions])

    @property
    def cells(self) -> Indices:
        """The cells that are drawn."""
        return np.concatenate([region.cells for region in self.regions])

    def titled(self, text: str) -> str:
        """A title; it says how much of the loss is shown, if that is not most of it."""
        whole = self.diff.loss.total
        drawn = float(self.diff.analysis.cell_loss.cells.total[self.cells].sum())
        return f"{text}: {percent(drawn / whole)} of the loss" if drawn < MOST * whole else text

    @property
    def note(self) -> str:
        """What is left out, in words."""
        parts = []
        for region in self.regions:
            if region.cut:
                join = self.diff.analysis.join
                inside = len(self.diff.analysis.cells_of_component(region.component))
                parts.append(
                    f"in part: {len(region.true):,} of {count(int(join.true_count[region.component]), 'true cluster')} "
                    f"and {len(region.pred):,} of {int(join.pred_count[region.component]):,} predicted, with "
                    f"{len(region.cells):,} of their {inside:,} cells"
                )
        if self.left:
            word = "component that differs" if self.left == 1 else "components that differ"
            what = (
                f"{self.left:,} {word} ({percent(self.left_loss / self.diff.loss.total)} of the loss)"
                if self.diff.loss.total > 0
                else f"{self.left:,} more"
            )
            parts.append(f"not shown: {what}")
        if self.same:
            same = f"{self.same:,}" if self.left else count(self.same, "component")
            verb = "is" if self.same == 1 else "are"
            parts.append(f"{'and' if self.left else 'not shown:'} {same} that {verb} the same")
        return "; ".join(parts).replace("; and", " and")


def _top(items: Indices, value: npt.NDArray[np.float64], most: int) -> Indices:
    return items[np.argsort(-value, kind="stable")[:most]]


def _untangled(
    rows: npt.NDArray[Any], columns: npt.NDArray[Any], size: npt.NDArray[Any], true: Indices, pred: Indices
) -> tuple[Indices, Indices]:
    """Orders of two sides in which few edges cross: each cluster goes to the mean place of its neighbours."""
    for _ in range(4):
        pred = _by_neighbours(columns, rows, size, pred, true)
        true = _by_neighbours(rows, columns, size, true, pred)
    return true, pred


def _by_neighbours(
    own: npt.NDArray[Any], other: npt.NDArray[Any], size: npt.NDArray[Any], order: Indices, fixed: Indices
) -> Indices:
    place = {cluster: i for i, cluster in enumerate(fixed.tolist())}
    weight: dict[int, float] = dict.fromkeys(order.tolist(), 0.0)
    total = dict(weight)
    for a, b, m in zip(own.tolist(), other.tolist(), size.tolist(), strict=True):
        weight[a] += m
        total[a] += m * place[b]
    mean = [total[c] / weight[c] if weight[c] else float("inf") for c in order.tolist()]
    return order[np.argsort(mean, kind="stable")]
