"""Where the points went: an alluvial diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.continuation import continued
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    KEPT,
    MERGE,
    MISSING,
    MIXED,
    SPLIT,
    SPURIOUS,
    TALLEST,
    WIDTH,
    axes,
    bare,
    legend,
    note,
    title,
    write,
)
from clusterdiff.show.plots.choice import CELLS, Choice, Indices, Region
from clusterdiff.show.plots.names import Names, extent, tall, widest
from clusterdiff.show.plots.registry import picture
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: What became of the points of a cell, by whether it is the largest of its true and of its predicted cluster.
ROLES = {
    (True, True): ("stayed together", KEPT),
    (False, True): ("split off", SPLIT),
    (True, False): ("merged in", MERGE),
    (False, False): ("split off and merged in", MIXED),
}
LOST = {"true": ("missing", MISSING), "pred": ("spurious", SPURIOUS)}
#: Millimetres: what a title, colours and a note take.
AROUND = 22.0
#: Millimetres: between the clusters of a column, between components, and the height of a row of average size.
GAP, BETWEEN, ROW = 1.0, 3.0, 5.0
#: Millimetres: the width of a cluster, and the length of what leads to a cluster that is not drawn.
BOX, STUB = 1.6, 7.0
#: A piece of a cluster: how far to the right it is, where it begins, and how tall it is.
Piece: TypeAlias = tuple[float, float, float]


@picture
def flow(
    diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, clusters: int | None = None
) -> Axes:
    """Where the points of each true cluster went: an alluvial diagram, true left and predicted right.

    The largest part that a true cluster and a predicted one have of each other stayed together; the colour of all
    others says whether they were split off, merged in, or both. Points that the other side lacks lead nowhere, and
    arrows lead to clusters that are not drawn.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.flow(customers.compare()).get_title(loc="left")
    'From true to predicted clusters'
    """
    rows = int((TALLEST - 30) / (ROW + GAP))
    choice = Choice(diff, clusters or rows, 4 * CELLS, unmatched=True)
    drawn = _Flow(choice, width)
    ax = axes(ax, width, drawn.height + AROUND)
    drawn.draw(ax)
    ax.set_xlim(0, width)
    ax.set_ylim(drawn.height, 0)
    bare(ax)
    over = legend(ax, [entry for entry in (*ROLES.values(), *LOST.values()) if entry in drawn.used])
    title(ax, choice.titled("From true to predicted clusters"), over)
    note(ax, "; ".join(filter(None, [choice.note, drawn.note])))
    return ax


def ribbon(ax: Axes, start: Piece, end: Piece, colour: str) -> None:
    """Points that go from a piece of one cluster to a piece of another."""
    (x0, y0, h0), (x1, y1, h1) = start, end
    t = np.linspace(0, 1, 40)
    bend = t * t * (3 - 2 * t)
    low = y0 + (y1 - y0) * bend
    high = y0 + h0 + (y1 + h1 - y0 - h0) * bend
    ax.fill_between(x0 + (x1 - x0) * t, low, high, color=colour, alpha=0.75, linewidth=0.3, edgecolor="white")


def stub(ax: Axes, start: Piece, length: float, colour: str, arrow: bool) -> None:
    """Points that lead nowhere; with an arrow, to what is not drawn. A negative length leads to the left."""
    from matplotlib.patches import Polygon

    x, y, height = start
    neck = x + length - (2 if length > 0 else -2) * min(1.0, abs(length) / 5)
    corners = [(x, y), (neck, y), (x + length, y + height / 2), (neck, y + height), (x, y + height)]
    if not arrow:
        corners = [(x, y), (x + length, y), (x + length, y + height), (x, y + height)]
    ax.add_patch(Polygon(corners, color=colour, alpha=0.75, linewidth=0))


class _Box(NamedTuple):
    """A cluster as it is drawn: where, how tall, and how much of it is one point."""

    top: float
    height: float
    name: str
    size: int

    def span(self, points: float) -> float:
        return self.height * points / self.size


class _Side:
    """The clusters of one side."""

    def __init__(self, side: str, choice: Choice, names: Names) -> None:
        self.side = side
        self.clusters: Indices = getattr(choice, side)
        meet = choice.diff.meet
        self.size = getattr(meet, f"{side}_size")
        self.of_cell = getattr(meet, side)
        self.names = {c: names(getattr(meet, f"{side}_names")[c]) for c in self.clusters.tolist()}
        self.boxes: dict[int, _Box] = {}
        self.used: dict[int, float] = {}
        self._cells_of = getattr(choice.diff.analysis, f"cells_of_{side}")
        self._order = -meet.size.astype(float)
        # Of equal cells, that of two clusters that continue each other comes first.
        unclustered = choice.diff.analysis.unclustered
        clustered = ~(unclustered[0][meet.true] | unclustered[1][meet.pred])
        self._order[continued(meet, clustered, choice.diff.source.least)] -= 0.5

    def cells(self, cluster: int) -> Indices:
        """All cells of a cluster, the largest first."""
        cells = np.asarray(self._cells_of(cluster), dtype=np.int64)
        return cells[np.argsort(self._order[cells], kind="stable")]

    def slot(self, cluster: int, scale: float) -> float:
        """The room that a cluster and its name need."""
        return max(float(self.size[cluster]) * scale, 0.4, tall(self.names[cluster]))

    def place(self, clusters: Indices, top: float, height: float, scale: float) -> None:
        """Put the clusters of a component below each other, spread over a height."""
        slots = [self.slot(c, scale) for c in clusters.tolist()]
        spare = (height - sum(slots)) / len(slots) if slots else 0.0
        at = top + spare / 2
        for c, slot in zip(clusters.tolist(), slots, strict=True):
            size = int(self.size[c])
            tallness = max(size * scale, 0.4)
            self.boxes[c] = _Box(at + (slot - tallness) / 2, tallness, self.names[c], size)
            self.used[c] = 0.0
            at += slot + spare

    def needs(self, clusters: Indices, scale: float) -> float:
        """The height that the clusters of a component need."""
        return sum(self.slot(c, scale) + GAP for c in clusters.tolist())

    def take(self, cluster: int, points: float) -> tuple[float, float]:
        """The next piece of a cluster: where it begins and how tall it is."""
        box = self.boxes[cluster]
        at = box.top + box.span(self.used[cluster])
        self.used[cluster] += points
        return at, box.span(points)


class _Flow:
    """What is drawn where, in millimetres."""

    def __init__(self, choice: Choice, width: float) -> None:
        self.choice = choice
        self.width = width
        self.meet = choice.diff.meet
        names = Names(min(45.0, 0.27 * width))
        self.sides = {side: _Side(side, choice, names) for side in ("true", "pred")}
        self.shown = set(choice.cells.tolist())
        self.used: set[tuple[str, str]] = set()
        self.main: dict[str, dict[int, int]] = {"true": {}, "pred": {}}
        self.unseen = 0
        self.shortened = names.note
        self._place()

    def _place(self) -> None:
        columns = self.sides.values()
        points = max(int(column.size[column.clusters].sum()) for column in columns)
        rows = max(len(column.clusters) for column in columns)
        scale = ROW * rows / max(points, 1)
        regions = self.choice.regions
        heights = [
            max(column.needs(getattr(region, column.side), scale) for column in columns) for region in regions
        ]
        # Many components stand closer, so that they fit a page.
        spare = (TALLEST - AROUND - sum(heights)) / max(len(regions), 1)
        top = 0.0
        for region, height in zip(regions, heights, strict=True):
            for column in columns:
                column.place(getattr(region, column.side), top, height, scale)
            top += height + max(GAP, min(BETWEEN, spare))
        self.height = top
        longest = widest(name for column in columns for name in column.names.values())
        room = max(extent(f"{int(c.size[x]):,}") for c in columns for x in c.clusters.tolist()) + 2
        #: Where a side's clusters, their sizes and their names are.
        self.x = {
            "true": (longest + room + 2, -1.0, longest),
            "pred": (self.width - longest - room - 2, 1.0, self.width - longest),
        }

    def role(self, cell: int) -> tuple[str, str]:
        """What became of the points of a cell, and its colour."""
        main = (self._main("true", cell), self._main("pred", cell))
        return ROLES[main]

    def _main(self, side: str, cell: int) -> bool:
        column = self.sides[side]
        cluster = int(column.of_cell[cell])
        if cluster not in self.main[side]:
            self.main[side][cluster] = int(column.cells(cluster)[0])
        return self.main[side][cluster] == cell

    def draw(self, ax: Axes) -> None:
        """Ribbons, then what leads to clusters that are not drawn or nowhere, then the clusters with their names."""
        for region in self.choice.regions:
            for cell in self._ordered(region):
                self._ribbon(ax, cell)
        for side, column in self.sides.items():
            for cluster in column.clusters.tolist():
                self._rest(ax, side, cluster)
        for side, column in self.sides.items():
            self._boxes(ax, side, column)

    def _ordered(self, region: Region) -> list[int]:
        # What stayed is drawn first, so that nothing that was lost lies under it.
        for_true = region.cells_in_order(self.meet)
        self.starts = {
            cell: self.sides["true"].take(int(self.meet.true[cell]), int(self.meet.size[cell]))
            for cell in for_true
        }
        by_pred = sorted(for_true, key=lambda cell: self.starts[cell][0])
        self.ends = {
            cell: self.sides["pred"].take(int(self.meet.pred[cell]), int(self.meet.size[cell]))
            for cell in by_pred
        }
        return sorted(for_true, key=lambda cell: -int(self.meet.size[cell]))

    def _ribbon(self, ax: Axes, cell: int) -> None:
        role = self.role(cell)
        self.used.add(role)
        ends = self.x["true"][0] + BOX, self.x["pred"][0] - BOX
        ribbon(ax, (ends[0], *self.starts[cell]), (ends[1], *self.ends[cell]), role[1])

    def _rest(self, ax: Axes, side: str, cluster: int) -> None:
        """What a cluster has in cells that are not drawn, by what became of it, and what the other side lacks."""
        column = self.sides[side]
        rest: dict[tuple[str, str], int] = {}
        for cell in column.cells(cluster).tolist():
            if cell not in self.shown:
                role = self.role(cell)
                rest[role] = rest.get(role, 0) + int(self.meet.size[cell])
        self.unseen += sum(rest.values())
        for role, points in rest.items():
            self._stub(ax, side, cluster, points, role, arrow=True)
        lacking = column.boxes[cluster].size - round(column.used[cluster])
        if lacking:
            self._stub(ax, side, cluster, lacking, LOST[side], arrow=False)

    def _stub(
        self, ax: Axes, side: str, cluster: int, points: int, role: tuple[str, str], arrow: bool
    ) -> None:
        self.used.add(role)
        y, height = self.sides[side].take(cluster, points)
        at, outward, _ = self.x[side]
        stub(ax, (at - outward * BOX, y, height), outward * (BOX - STUB), role[1], arrow)

    def _boxes(self, ax: Axes, side: str, column: _Side) -> None:
        from matplotlib.patches import Rectangle

        at, outward, names = self.x[side]
        align = "right" if side == "true" else "left"
        for box in column.boxes.values():
            ax.add_patch(
                Rectangle((min(at, at - outward * BOX), box.top), BOX, box.height, color=BLACK, linewidth=0)
            )
            middle = box.top + box.height / 2
            write(ax, at + outward, middle, f"{box.size:,}", ha=align, va="center", color=GREY)
            write(ax, names, middle, box.name, ha=align, va="center", linespacing=1.0)

    @property
    def note(self) -> str:
        """What the pieces that lead to no cluster of the picture are."""
        arrows = f"arrows: {count(self.unseen)} in cells that are not drawn" if self.unseen else ""
        return "; ".join(filter(None, [arrows, self.shortened]))
