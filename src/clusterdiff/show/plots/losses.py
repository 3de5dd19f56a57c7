"""What each component cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    MERGE,
    MISSING,
    SPLIT,
    SPURIOUS,
    axes,
    label,
    note,
    open_sides,
    slanted,
    wrapped,
)
from clusterdiff.show.plots.registry import picture
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: The parts of a loss, their colours, and what they are called.
PARTS = (
    ("split", SPLIT, "to splits"),
    ("merge", MERGE, "to merges"),
    ("missing", MISSING, "to missing points"),
    ("spurious", SPURIOUS, "to spurious points"),
)


@picture
def loss(diff: Comparison, ax: Axes | None = None, top: int = 20) -> Axes:
    """What each component lost, the costliest first: to splits and to merges, with the running share of the total.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.loss(customers.compare()).get_ylabel()
    'loss of S_H'
    """
    table = diff.components
    lossy = int((table["loss"] > 0).sum())
    shown_rows = min(top, lossy)
    ax = axes(ax, float(np.clip(2.5 + 0.45 * shown_rows, 5, 12)), 4.5)
    ax.set_ylabel("loss of S_H")
    ax.set_title("Loss by component", loc="left", pad=20)
    open_sides(ax)
    if not lossy:
        ax.set_xticks([])
        ax.set_ylim(0, 1)
        note(ax, "the two clusterings are the same: nothing was lost")
        return ax
    head = table[:shown_rows]
    x = np.arange(shown_rows)
    bottom = np.zeros(shown_rows)
    for part, colour, called in PARTS[: 4 if diff.summed.uneven else 2]:
        ax.bar(x, head[f"{part}_loss"], bottom=bottom, color=colour, label=called)
        bottom = bottom + head[f"{part}_loss"]
    slanted(ax, x, [_component_name(component) for component in head])
    ax.margins(x=0.02)
    share = ax.twinx()
    running = np.cumsum(head["loss"]) / diff.loss.total
    share.plot(x, running, color=BLACK, marker="o", ms=3.5, lw=1.2, label="running share")
    share.set_ylim(0, 1.05)
    share.set_yticks([0, 0.25, 0.5, 0.75, 1.0], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    share.set_ylabel("of the whole loss")
    share.spines["top"].set_visible(False)
    handles = [*ax.get_legend_handles_labels()[0], *share.get_legend_handles_labels()[0]]
    ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=3 if not diff.summed.uneven else 5,
        frameon=False,
        fontsize=8,
        borderaxespad=0.2,
    )
    if lossy > shown_rows:
        more = count(lossy - shown_rows, "more component")
        ax.set_xlabel(
            wrapped(
                ax,
                f"not shown: {more} that {'differs' if lossy - shown_rows == 1 else 'differ'}, "
                f"with {1 - running[-1]:.0%} of the loss",
            ),
            fontsize=8,
            color=GREY,
            loc="left",
        )
    return ax


def _component_name(component: Any) -> str:
    clusters = component.true or component.pred  # a spurious cluster has no true one
    first, more = clusters[0], len(clusters) - 1
    return label(first) + (f" +{more:,}" if more else "")
