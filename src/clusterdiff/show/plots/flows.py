"""Where the points went: an alluvial diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.show.plots.canvas import BLACK, KIND_COLOURS, axes, bare, kind_legend, label, note, write
from clusterdiff.show.plots.choice import CLUSTERS, Choice, Indices
from clusterdiff.show.plots.registry import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@picture
def flow(diff: Comparison, ax: Axes | None = None, clusters: int = CLUSTERS) -> Axes:
    """Where the points of each true cluster went: an alluvial diagram, true left and predicted right.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.flow(customers.compare()).get_title(loc="left")
    'From true to predicted clusters'
    """
    choice = Choice(diff, clusters)
    meet = diff.meet
    rows = sum(max(len(b.true), len(b.pred)) for b in choice.blocks)
    ax = axes(ax, 8.0, float(np.clip(1.2 + 0.34 * rows, 3.5, 12)))
    total = sum(int(meet.size[block.cells].sum()) for block in choice.blocks)
    gap = total * 0.35 / max(rows, 1)
    y = 0.0
    for block in choice.blocks:
        height = float(meet.size[block.cells].sum())
        size = {
            "true": np.bincount(meet.true[block.cells], meet.size[block.cells], meet.k_true),
            "pred": np.bincount(meet.pred[block.cells], meet.size[block.cells], meet.k_pred),
        }
        span = height + gap * (max(len(block.true), len(block.pred)) - 1)
        left = _stacked(block.true, size["true"], y, span, gap)
        right = _stacked(block.pred, size["pred"], y, span, gap)
        colour = KIND_COLOURS[block.kind]
        used_left, used_right = dict(left), dict(right)
        for cell in block.cells_in_order(meet):
            t, p, m = int(meet.true[cell]), int(meet.pred[cell]), float(meet.size[cell])
            _ribbon(ax, used_left[t], used_right[p], m, colour)
            used_left[t] += m
            used_right[p] += m
        for places, side, names, x, outer in (
            (left, "true", meet.true_names, 0.0, -0.03),
            (right, "pred", meet.pred_names, 1.0, 0.03),
        ):
            for c, at in places.items():
                ax.add_patch(_box(x, at, float(size[side][c])))
                write(
                    ax, x + outer, at + size[side][c] / 2, f"{label(names[c], 24)}  ({int(size[side][c]):,})",
                    ha="right" if x == 0 else "left", va="center", fontsize=8,
                )  # fmt: skip
        y += span + 2 * gap
    ax.set_xlim(-0.42, 1.42)
    ax.set_ylim(y, -gap)
    bare(ax)
    ax.set_title("From true to predicted clusters", loc="left")
    kind_legend(ax, (block.kind for block in choice.blocks))
    note(ax, choice.note)
    return ax


def _stacked(
    clusters: Indices, size: npt.NDArray[Any], y: float, span: float, gap: float
) -> dict[int, float]:
    """Where each box of a column begins; a column with fewer boxes is centred."""
    heights = [float(size[c]) for c in clusters.tolist()]
    at = y + (span - sum(heights) - gap * (len(heights) - 1)) / 2
    out = {}
    for c, height in zip(clusters.tolist(), heights, strict=True):
        out[c] = at
        at += height + gap
    return out


def _box(x: float, y: float, height: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.012, y), 0.024, height, color=BLACK, linewidth=0)


def _ribbon(ax: Axes, y0: float, y1: float, height: float, colour: str) -> None:
    t = np.linspace(0, 1, 40)
    bend = t * t * (3 - 2 * t)
    low = y0 + (y1 - y0) * bend
    ax.fill_between(
        0.012 + 0.976 * t, low, low + height, color=colour, alpha=0.45, linewidth=0.3, edgecolor="white"
    )
