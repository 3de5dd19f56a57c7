"""The paper's figures 1 and 2: the bipartite graph and the derivation graph."""

from __future__ import annotations

from collections.abc import Iterable
from math import cos, radians, sin
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    KIND_COLOURS,
    MERGE,
    PALE,
    PRED,
    SPLIT,
    TRUE,
    WIDTH,
    axes,
    bare,
    kind_legend,
    legend,
    note,
    title,
    write,
)
from clusterdiff.show.plots.choice import Choice, Indices, Region
from clusterdiff.show.plots.names import LINE, SMALL, Names, extent, tall, widest
from clusterdiff.show.plots.registry import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Millimetres: the least and the greatest room of a column, the room between rows, and that of the rows' names.
NARROW, WIDE, ROW, MARGIN = 6.5, 14.0, 32.0, 20.0
#: Clusters are named at this slant.
SLANT = 40.0


def _most(width: float) -> int:
    """How many columns fit."""
    return int((width - MARGIN) / NARROW)


class _Graph:
    """A picture in columns and rows: the room of a column, how clusters are named, and the largest of them."""

    def __init__(self, choice: Choice, columns: float, width: float) -> None:
        meet = self.meet = choice.diff.meet
        self.columns = columns
        self.width = width
        self.pitch = min(WIDE, (width - MARGIN) / columns)
        self.fit = Names(30.0, max(1, int(self.pitch * sin(radians(SLANT)) / LINE - 0.3)))
        self.scale = max(
            float(size[clusters].max())
            for region in choice.regions
            for size, clusters in ((meet.true_size, region.true), (meet.pred_size, region.pred))
        )
        self.above = self._room(meet.true_names, (region.true for region in choice.regions))
        self.below = self._room(meet.pred_names, (region.pred for region in choice.regions))

    def _room(self, names: Any, clusters: Iterable[Indices]) -> float:
        """The height of the names beyond a row, in millimetres."""
        drawn = [self.fit(names[c]) for region in clusters for c in region.tolist()]
        return max(widest([name]) * sin(radians(SLANT)) + tall(name) * cos(radians(SLANT)) for name in drawn)

    def axes(self, ax: Axes | None, rows: int) -> Axes:
        """Axes with room for so many rows and their names, and those of the clusters."""
        height = ROW * (rows - 1) + self.above + self.below + 20
        ax = axes(ax, self.width, height + 16)
        spare = max(0.0, (self.width - MARGIN) / self.pitch - self.columns)
        ax.set_xlim(-1.0 - MARGIN / self.pitch, self.columns + spare)
        ax.set_ylim(-(self.below + 10) / ROW, rows - 1 + (self.above + 10) / ROW)
        bare(ax)
        return ax

    def row(self, ax: Axes, word: str, y: float, colour: str) -> None:
        """The name of a row."""
        ax.text(-0.9, y, word, ha="right", va="center", color=colour, fontweight="bold", fontsize=SMALL + 1)

    def line(self, size: Any) -> float:
        """How thick a line is that stands for so many points."""
        return 0.7 + 4.0 * float(size) / self.scale

    def nodes(
        self,
        ax: Axes,
        places: dict[int, float],
        y: float,
        sizes: npt.NDArray[Any],
        names: Any,
        colour: str,
        up: bool,
    ) -> None:
        """Circles with their sizes inside, which grow with them, and their names beyond the row."""
        clusters, x = list(places), list(places.values())
        widest = 0.8 * self.pitch * 72 / 25.4
        share = np.array([float(sizes[c]) for c in clusters]) / self.scale
        area = (widest * (0.75 + 0.25 * share)) ** 2 * min(1.0, 20 / widest) ** 2
        ax.scatter(x, [y] * len(x), s=area, color="white", edgecolor=colour, linewidth=1.4, zorder=2)
        for c, at, room in zip(clusters, x, np.sqrt(area).tolist(), strict=True):
            size = f"{int(sizes[c]):,}" if sizes[c] < 10_000 else f"{sizes[c] / 1000:,.0f}k"
            small = min(SMALL, SMALL * 0.82 * room * 25.4 / 72 / extent(size))
            write(ax, at, y, size, ha="center", va="center_baseline", fontsize=small, color=BLACK, zorder=3)
            if names is not None:
                write(
                    ax,
                    at,
                    y + (7 if up else -7) / ROW,
                    self.fit(names[c]),
                    ha="left" if up else "right",
                    va="center_baseline",
                    rotation=SLANT,
                    rotation_mode="anchor",
                    linespacing=1.0,
                )


def _frame(ax: Axes, region: Region, left: float, width: float, rows: int, colour: str) -> None:
    """A frame around a component; broken if it is drawn in part."""
    from matplotlib.patches import FancyBboxPatch

    out = 5.5 / ROW
    ax.add_patch(
        FancyBboxPatch(
            (left - 0.5, -out),
            width,
            rows - 1 + 2 * out,
            boxstyle="round,pad=0,rounding_size=0.12",
            mutation_aspect=0.3,
            fill=False,
            edgecolor=colour,
            linewidth=1.2,
            linestyle="--" if region.cut else "-",
            zorder=0,
        )
    )


@picture
def bipartite(
    diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, clusters: int | None = None
) -> Axes:
    """The bipartite graph (the paper's figure 1): true clusters above, predicted below, one frame per component.

    Circles grow with the size of the cluster, lines with the number of points two clusters share.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.bipartite(customers.compare()).get_title(loc="left")
    'Bipartite graph'
    """
    choice = Choice(diff, clusters or _most(width))
    meet = diff.meet
    wide = [max(len(b.true), len(b.pred)) for b in choice.regions]
    graph = _Graph(choice, sum(wide) + 0.4 * (len(wide) - 1), width)
    ax = graph.axes(ax, 2)
    left = 0.0
    for region, columns in zip(choice.regions, wide, strict=True):
        top, bottom = _spaced(region.true, left, columns), _spaced(region.pred, left, columns)
        _frame(ax, region, left, columns, 2, KIND_COLOURS[region.kind])
        for cell in region.cells.tolist():
            x0, x1 = top[int(meet.true[cell])], bottom[int(meet.pred[cell])]
            ax.plot([x0, x1], [1, 0], color=GREY, lw=graph.line(meet.size[cell]), alpha=0.7, zorder=1)
        graph.nodes(ax, top, 1.0, meet.true_size, meet.true_names, TRUE, up=True)
        graph.nodes(ax, bottom, 0.0, meet.pred_size, meet.pred_names, PRED, up=False)
        left += columns + 0.4
    graph.row(ax, "true", 1.0, TRUE)
    graph.row(ax, "predicted", 0.0, PRED)
    over = kind_legend(ax, (region.kind for region in choice.regions), line=True)
    title(ax, choice.titled("Bipartite graph"), over)
    note(ax, "; ".join(filter(None, [choice.note, graph.fit.note])))
    return ax


@picture
def derivation(
    diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, clusters: int | None = None
) -> Axes:
    """The derivation graph (the paper's figure 2): true clusters are split into cells, and those merged.

    True clusters above, the meet in the middle, predicted clusters below; splits and merges have their colours.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.derivation(customers.compare()).get_title(loc="left")
    'Derivation graph'
    """
    choice = Choice(diff, clusters or _most(width), _most(width))
    meet = diff.meet
    wide = [max(len(b.cells), len(b.true), len(b.pred)) for b in choice.regions]
    graph = _Graph(choice, sum(wide) + 0.4 * (len(wide) - 1), width)
    ax = graph.axes(ax, 3)
    parts, united = np.diff(meet.indptr), np.bincount(meet.pred, minlength=meet.k_pred)
    left = 0.0
    for region, columns in zip(choice.regions, wide, strict=True):
        cells = region.cells_in_order(meet)
        x = {cell: left + i for i, cell in enumerate(cells)}
        top = _above(region.true, [(int(meet.true[c]), x[c]) for c in cells], left, columns)
        bottom = _above(region.pred, [(int(meet.pred[c]), x[c]) for c in cells], left, columns)
        _frame(ax, region, left, columns, 3, PALE)
        for cell in cells:
            t, p = int(meet.true[cell]), int(meet.pred[cell])
            line = graph.line(meet.size[cell])
            ax.plot([top[t], x[cell]], [2, 1], color=SPLIT if parts[t] > 1 else PALE, lw=line, zorder=1)
            ax.plot([x[cell], bottom[p]], [1, 0], color=MERGE if united[p] > 1 else PALE, lw=line, zorder=1)
        graph.nodes(ax, top, 2.0, meet.true_size, meet.true_names, TRUE, up=True)
        graph.nodes(ax, x, 1.0, meet.size, None, BLACK, up=False)
        graph.nodes(ax, bottom, 0.0, meet.pred_size, meet.pred_names, PRED, up=False)
        left += columns + 0.4
    for word, y, colour in (("true", 2.0, TRUE), ("meet", 1.0, BLACK), ("predicted", 0.0, PRED)):
        graph.row(ax, word, y, colour)
    over = legend(ax, [("split", SPLIT), ("merge", MERGE), ("unchanged", PALE)], line=True)
    title(ax, choice.titled("Derivation graph"), over)
    note(ax, "; ".join(filter(None, [choice.note, graph.fit.note])))
    return ax


def _spaced(clusters: Indices, left: float, width: int) -> dict[int, float]:
    """Places of the clusters of a row, centred over ``width`` columns."""
    step = width / len(clusters)
    return {c: left + step * (i + 0.5) - 0.5 for i, c in enumerate(clusters.tolist())}


def _above(clusters: Indices, places: list[tuple[int, float]], left: float, width: int) -> dict[int, float]:
    """Each cluster over the middle of its cells, and at least one column from the next."""
    mean = {c: float(np.mean([x for d, x in places if d == c] or [left])) for c in clusters.tolist()}
    order = sorted(mean, key=lambda c: mean[c])
    out: dict[int, float] = {}
    for i, c in enumerate(order):
        out[c] = max(mean[c], out[order[i - 1]] + 1 if i else left)
    over = max(out.values()) - (left + width - 1)
    for i, c in enumerate(reversed(order)):
        if over > 0:
            out[c] = min(out[c], left + width - 1 - i)
    return out
