"""The paper's figures 1 and 2: the bipartite graph and the derivation graph."""

from __future__ import annotations

from collections.abc import Iterable
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
    axes,
    bare,
    kind_legend,
    label,
    legend,
    note,
    write,
)
from clusterdiff.show.plots.choice import CLUSTERS, Choice, Indices
from clusterdiff.show.plots.registry import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@picture
def bipartite(diff: Comparison, ax: Axes | None = None, clusters: int = CLUSTERS) -> Axes:
    """The bipartite graph (the paper's figure 1): true clusters above, predicted below, one frame per component.

    Circles grow with the size of the cluster, lines with the number of points two clusters share.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.bipartite(customers.compare()).get_title(loc="left")
    'Bipartite graph'
    """
    choice = Choice(diff, clusters)
    columns = sum(max(len(b.true), len(b.pred)) for b in choice.blocks) + 0.6 * len(choice.blocks)
    ax = axes(ax, float(np.clip(0.55 * columns, 6, 18)), 4.2)
    meet = diff.meet
    scale = _node_scale(choice, meet.true_size, meet.pred_size)
    left = 0.0
    for block in choice.blocks:
        width = max(len(block.true), len(block.pred))
        top, bottom = _spaced(block.true, left, width), _spaced(block.pred, left, width)
        _frame(ax, left - 0.65, left + width - 0.35, -0.32, 1.32, KIND_COLOURS[block.kind], block.cut)
        for cell in block.cells.tolist():
            x0, x1 = top[int(meet.true[cell])], bottom[int(meet.pred[cell])]
            ax.plot([x0, x1], [1, 0], color=GREY, lw=_width(meet.size[cell], scale), alpha=0.7, zorder=1)
        _nodes(ax, top, 1.0, meet.true_size, meet.true_names, scale, TRUE, above=True)
        _nodes(ax, bottom, 0.0, meet.pred_size, meet.pred_names, scale, PRED, above=False)
        left += width + 0.6
    _finish_graph(ax, left, (("true", 1.0, TRUE), ("predicted", 0.0, PRED)), *_room(choice, 1.0))
    kind_legend(ax, (block.kind for block in choice.blocks), line=True)
    ax.set_title("Bipartite graph", loc="left")
    note(ax, choice.note)
    return ax


@picture
def derivation(diff: Comparison, ax: Axes | None = None, clusters: int = 30) -> Axes:
    """The derivation graph (the paper's figure 2): true clusters are split into cells, and those merged.

    True clusters above, the meet in the middle, predicted clusters below. A split is orange, a merge purple.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.derivation(customers.compare()).get_title(loc="left")
    'Derivation graph'
    """
    choice = Choice(diff, clusters, 30)
    meet = diff.meet
    columns = sum(len(b.cells) for b in choice.blocks) + 0.6 * len(choice.blocks)
    ax = axes(ax, float(np.clip(0.55 * columns, 6, 18)), 5.0)
    scale = _node_scale(choice, meet.true_size, meet.pred_size)
    parts, united = np.diff(meet.indptr), np.bincount(meet.pred, minlength=meet.k_pred)
    left = 0.0
    for block in choice.blocks:
        cells = block.cells_in_order(meet)
        x = {cell: left + i for i, cell in enumerate(cells)}
        width = max(len(cells), len(block.true), len(block.pred))
        top = _above(block.true, [(int(meet.true[c]), x[c]) for c in cells], left, width)
        bottom = _above(block.pred, [(int(meet.pred[c]), x[c]) for c in cells], left, width)
        _frame(ax, left - 0.65, left + width - 0.35, -0.32, 2.32, PALE, block.cut)
        for cell in cells:
            t, p = int(meet.true[cell]), int(meet.pred[cell])
            line = _width(meet.size[cell], scale)
            ax.plot([top[t], x[cell]], [2, 1], color=SPLIT if parts[t] > 1 else PALE, lw=line, zorder=1)
            ax.plot([x[cell], bottom[p]], [1, 0], color=MERGE if united[p] > 1 else PALE, lw=line, zorder=1)
        _nodes(ax, top, 2.0, meet.true_size, meet.true_names, scale, TRUE, above=True)
        _nodes(ax, x, 1.0, meet.size, None, scale, BLACK, above=False)
        _nodes(ax, bottom, 0.0, meet.pred_size, meet.pred_names, scale, PRED, above=False)
        left += width + 0.6
    rows = (("true", 2.0, TRUE), ("meet", 1.0, BLACK), ("predicted", 0.0, PRED))
    _finish_graph(ax, left, rows, *_room(choice, 2.0))
    legend(ax, [("split", SPLIT), ("merge", MERGE), ("unchanged", PALE)], line=True)
    ax.set_title("Derivation graph", loc="left")
    note(ax, choice.note)
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


def _node_scale(choice: Choice, *sizes: npt.NDArray[np.int64]) -> float:
    return max(
        float(size[clusters].max())
        for block in choice.blocks
        for size, clusters in zip(sizes, (block.true, block.pred), strict=True)
    )


def _width(size: Any, scale: float) -> float:
    return 1.0 + 5.0 * float(size) / scale


def _nodes(
    ax: Axes,
    places: dict[int, float],
    y: float,
    sizes: npt.NDArray[np.int64],
    names: Any,
    scale: float,
    colour: str,
    above: bool,
) -> None:
    clusters = list(places)
    x = list(places.values())
    area = [130 + 420 * float(sizes[c]) / scale for c in clusters]
    ax.scatter(x, [y] * len(x), s=area, color="white", edgecolor=colour, linewidth=1.8, zorder=2)
    for c, at in zip(clusters, x, strict=True):
        size = f"{int(sizes[c]):,}" if sizes[c] < 10_000 else f"{sizes[c] / 1000:,.0f}k"
        write(
            ax,
            at,
            y,
            size,
            ha="center",
            va="center",
            fontsize=8 if len(size) < 4 else 6,
            color=BLACK,
            zorder=3,
        )
        if names is not None:
            write(
                ax,
                at,
                y + (0.36 if above else -0.36),
                label(names[c]),
                ha="left" if above else "right",
                va="bottom" if above else "top",
                rotation=40,
                rotation_mode="anchor",
                fontsize=8,
                color=BLACK,
            )


def _frame(ax: Axes, x0: float, x1: float, y0: float, y1: float, colour: str, cut: bool) -> None:
    from matplotlib.patches import FancyBboxPatch

    ax.add_patch(
        FancyBboxPatch(
            (x0 + 0.1, y0 + 0.1),
            x1 - x0 - 0.2,
            y1 - y0 - 0.2,
            boxstyle="round,pad=0.08",
            fill=False,
            edgecolor=colour,
            linewidth=1.4,
            linestyle="--" if cut else "-",
            zorder=0,
        )
    )


def _finish_graph(
    ax: Axes, right: float, rows: Iterable[tuple[str, float, str]], low: float, high: float
) -> None:
    for word, y, colour in rows:
        ax.text(-1.0, y, word, ha="right", va="center", color=colour, fontweight="bold")
    ax.set_xlim(-1.8, right)
    ax.set_ylim(low, high)
    bare(ax)


def _room(choice: Choice, top: float) -> tuple[float, float]:
    """Limits that leave room for the names, which stand at a slant beyond the first and the last row."""
    meet = choice.diff.meet

    def longest(names: Any, clusters: Iterable[Indices]) -> int:
        return max(len(label(names[c])) for block in clusters for c in block.tolist())

    below = longest(meet.pred_names, (block.pred for block in choice.blocks))
    above = longest(meet.true_names, (block.true for block in choice.blocks))
    return -0.45 - 0.03 * below * (1 + top) / 2, top + 0.45 + 0.03 * above * (1 + top) / 2
