"""The meet as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.measures.matching import matched_cells
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    PALE,
    TALLEST,
    WIDTH,
    axes,
    level,
    slanted,
    title,
)
from clusterdiff.show.plots.choice import Choice, Indices
from clusterdiff.show.plots.names import LINE, SMALL, Names, extent
from clusterdiff.show.plots.registry import picture
from clusterdiff.wording import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to so many clusters of a side are shown, whether or not there is room for all names; of more, so many in all.
ALL, SOME = 300, 50
#: From so many squares on they are one image.
SQUARES = 2500


@picture
def heatmap(
    diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, clusters: int | None = None
) -> Axes:
    """The meet as a heat map: what share of each true cluster went where, matched clusters on the diagonal.

    Rows are the true clusters that differ, or those that lost most if there are very many; columns are ordered by the
    best one-to-one matching. White is nothing.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.heatmap(customers.compare()).get_xlabel()
    'predicted clusters'
    """
    if clusters is None:
        clusters = 2 * ALL if max(diff.meet.k_true, diff.meet.k_pred) <= ALL else SOME
    choice = Choice(diff, clusters, ALL * ALL)
    meet, cells = diff.meet, choice.cells
    rows, columns = _diagonal(diff, choice)
    row_at, column_at = np.full(meet.k_true, -1), np.full(meet.k_pred, -1)
    row_at[rows], column_at[columns] = np.arange(len(rows)), np.arange(len(columns))
    i, j = row_at[meet.true[cells]], column_at[meet.pred[cells]]
    share = np.zeros((len(rows), len(columns)))
    share[i, j] = meet.size[cells] / meet.true_size[meet.true[cells]]

    fit = Names(min(45.0, 0.27 * width), 2)
    names = [fit(meet.true_names[t]) for t in rows]
    longest = max(extent(line) for name in names for line in name.splitlines() or [""])
    square = min((width - longest - 30) / len(columns), 8.0, (TALLEST - 60) / len(rows))
    ax = axes(ax, width, square * len(rows) + 55)
    image = _squares(ax, share)
    if share.size <= 400 and square > 4:
        top = float(share.max())
        for cell, y, x in zip(cells.tolist(), i.tolist(), j.tolist(), strict=True):
            size = f"{int(meet.size[cell]):,}"
            ax.text(
                x,
                y,
                size,
                ha="center",
                va="center",
                fontsize=min(SMALL - 1, (SMALL - 1) * square / (extent(size) + 0.5)),
                color="white" if share[y, x] > 0.4 * top else BLACK,
            )
    # Names that have no room are left out, evenly.
    every = max(1, int(np.ceil(LINE / square)))
    two = 1 if square < 2 * LINE else 2
    fit.lines = two
    level(ax, np.arange(0, len(rows), every), [fit(meet.true_names[t]) for t in rows[::every]])
    below = Names(26.0, two)
    slanted(ax, np.arange(0, len(columns), every), [below(meet.pred_names[c]) for c in columns[::every]], 60)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(PALE)
    ax.set_ylabel("true clusters")
    ax.set_xlabel("predicted clusters")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, pad=0.02, aspect=30)
    bar.set_label("share of the true cluster", fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    unnamed = len(rows) - len(rows[::every]) + len(columns) - len(columns[::every])
    said = [
        choice.note,
        _elsewhere(diff, rows, cells),
        f"{count(unnamed, 'name')} left out" if unnamed else "",
    ]
    shortened = len(fit.cut | below.cut)
    said.append(f"{count(shortened, 'name')} shortened" if shortened else "")
    title(ax, "; ".join(filter(None, said)) or "all cells", fontsize=SMALL, color=GREY)
    return ax


def _diagonal(diff: Comparison, choice: Choice) -> tuple[Indices, Indices]:
    """The clusters in an order that puts matched ones on the diagonal, and the others behind them."""
    meet, rows, columns = diff.meet, choice.true, choice.pred
    matched = matched_cells(meet, meet.mass)
    mate = dict(zip(meet.true[matched].tolist(), meet.pred[matched].tolist(), strict=True))
    present = set(columns.tolist())
    paired = [t for t in rows.tolist() if mate.get(t) in present]
    first = [mate[t] for t in paired]
    taken, known = set(first), set(paired)
    return (
        np.array([*paired, *(t for t in rows.tolist() if t not in known)]),
        np.array([*first, *(c for c in columns.tolist() if c not in taken)]),
    )


def _squares(ax: Axes, share: Any) -> Any:
    """The shares as squares, nothing as white; small shares are told apart as well as large ones."""
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    colours = LinearSegmentedColormap.from_list("loss", ["#ffffff", "#9ecae1", "#0072B2", "#00263d"])
    scale = PowerNorm(0.6, 0, float(share.max()))
    shown = ax.imshow(share, cmap=colours, norm=scale, aspect="equal", interpolation="nearest")
    if share.size <= SQUARES:
        ax.set_xticks(np.arange(share.shape[1] + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(share.shape[0] + 1) - 0.5, minor=True)
        ax.grid(which="minor", color=PALE, linewidth=0.4)
        ax.tick_params(which="minor", length=0)
    return shown


def _elsewhere(diff: Comparison, rows: Indices, cells: Indices) -> str:
    """How much of the true clusters shown is in no square."""
    meet = diff.meet
    points = int(meet.true_size[rows].sum())
    left = points - int(meet.size[cells].sum())
    return f"{percent(left / points)} of the points of these true clusters are in no square" if left else ""
