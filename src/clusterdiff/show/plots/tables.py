"""The meet as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.measures.matching import matched_cells
from clusterdiff.show.plots.canvas import BLACK, GREY, PALE, axes, label, level, slanted, wrapped
from clusterdiff.show.plots.choice import Choice
from clusterdiff.show.plots.registry import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@picture
def heatmap(diff: Comparison, ax: Axes | None = None, clusters: int = 40) -> Axes:
    """The meet as a heat map: what share of each true cluster went where, matched clusters on the diagonal.

    Rows are the true clusters that lost most; columns are ordered by the best one-to-one matching.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.heatmap(customers.compare()).get_xlabel()
    'predicted clusters'
    """
    choice = Choice(diff, clusters, 10_000)
    meet = diff.meet
    rows = np.concatenate([block.true for block in choice.blocks])
    columns = np.concatenate([block.pred for block in choice.blocks])
    cells = np.concatenate([block.cells for block in choice.blocks])
    matched = matched_cells(meet, meet.mass)
    mate = dict(zip(meet.true[matched].tolist(), meet.pred[matched].tolist(), strict=True))
    present = set(columns.tolist())
    first = [mate[t] for t in rows.tolist() if mate.get(t) in present]
    taken = set(first)
    order = [*first, *(c for c in columns.tolist() if c not in taken)]
    rows = np.array(
        [t for t in rows.tolist() if mate.get(t) in present]
        + [t for t in rows.tolist() if mate.get(t) not in present]
    )
    row_at = {t: i for i, t in enumerate(rows.tolist())}
    column_at = {c: i for i, c in enumerate(order)}
    share = np.full((len(rows), len(order)), np.nan)
    for cell in cells.tolist():
        t, p = int(meet.true[cell]), int(meet.pred[cell])
        share[row_at[t], column_at[p]] = meet.size[cell] / meet.true_size[t]
    ax = axes(
        ax, float(np.clip(2.8 + 0.34 * len(order), 5, 14)), float(np.clip(2.2 + 0.3 * len(rows), 4, 12))
    )
    image = ax.pcolormesh(
        share, cmap="cividis_r", vmin=0, vmax=float(np.nanmax(share)), edgecolor="white", linewidth=0.8
    )
    ax.invert_yaxis()
    ax.set_aspect("auto")
    if share.size <= 400:
        for cell in cells.tolist():
            i, j = row_at[int(meet.true[cell])], column_at[int(meet.pred[cell])]
            colour = "white" if share[i, j] > 0.55 * np.nanmax(share) else BLACK
            ax.text(
                j + 0.5,
                i + 0.5,
                f"{int(meet.size[cell]):,}",
                ha="center",
                va="center",
                fontsize=7,
                color=colour,
            )
    level(ax, np.arange(len(rows)) + 0.5, [label(meet.true_names[t]) for t in rows])
    slanted(ax, np.arange(len(order)) + 0.5, [label(meet.pred_names[c]) for c in order])
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(PALE)
    ax.set_ylabel("true clusters")
    ax.set_xlabel("predicted clusters")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, pad=0.02)
    bar.set_label("share of the true cluster", fontsize=8)
    bar.outline.set_visible(False)
    ax.set_title(wrapped(ax, choice.note or "all cells"), loc="left", fontsize=8, color=GREY)
    return ax
