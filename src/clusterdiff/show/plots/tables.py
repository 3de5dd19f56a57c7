"""The meet as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.measures.matchings import matched_cells
from clusterdiff.points.labels import FloatArray
from clusterdiff.show.plots.canvas import (
    PALE,
    TALLEST,
    WIDTH,
    axes,
    headed,
    level,
    note,
    readable,
    shades,
    slanted,
    title,
    write,
)
from clusterdiff.show.plots.choice import Choice, Indices
from clusterdiff.show.plots.names import LINE, SMALL, Names, extent, tall, widest, wrap
from clusterdiff.show.plots.registry import picture
from clusterdiff.wording import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to so many clusters of a side are shown, whether or not there is room for all names; of more, so many.
ALL, SOME = 300, 25
#: Up to so many squares there are lines between them.
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
        clusters = ALL if max(diff.meet.k_true, diff.meet.k_pred) <= ALL else SOME
    choice = Choice(diff, clusters, clusters * clusters)
    meet, cells = diff.meet, choice.cells
    rows, columns, share = _diagonal(diff, choice)
    fit, below = Names(min(45.0, 0.27 * width)), Names(28.0)
    longest = widest(map(fit, meet.true_names[rows]))
    square = min((width - longest - 32) / len(columns), 12.0, (TALLEST - 60) / len(rows))
    fit.lines = below.lines = max(1, min(3, int(square / LINE)))
    # Names that have no room are left out, evenly.
    every = max(1, int(np.ceil(LINE / square)))
    beside = [fit(name) for name in meet.true_names[rows[::every]]]
    under = [below(name) for name in meet.pred_names[columns[::every]]]
    unnamed = len(rows) - len(beside) + len(columns) - len(under)
    shortened = len(fit.cut | below.cut)
    said = [
        choice.note,
        _elsewhere(diff, rows, cells),
        f"{count(unnamed, 'name')} left out" if unnamed else "",
        f"{count(shortened, 'name')} shortened" if shortened else "",
    ]
    told = "; ".join(filter(None, said))
    heading = choice.titled("Share of each true cluster")
    beyond = 0.9 * widest(under) + tall(wrap(told, width - 8)) + tall(headed(heading, width)) + 18
    ax = axes(ax, width, max(50.0, square * len(rows) + beyond))
    image = _squares(ax, share)
    if square > 4:
        _write_sizes(ax, image, share, meet.true_size[rows], square)
    level(ax, np.arange(0, len(rows), every), beside)
    slanted(ax, np.arange(0, len(columns), every), under, 60)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(PALE)
    ax.set_ylabel("true clusters")
    ax.set_xlabel("predicted clusters")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, pad=0.02, aspect=30, panchor=(0.0, 0.5))
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    title(ax, heading)
    note(ax, told)
    return ax


def _diagonal(diff: Comparison, choice: Choice) -> tuple[Indices, Indices, FloatArray]:
    """True clusters in an order in which those that were confused stand together, predicted ones so that matched
    clusters are on the diagonal, with all others behind them; and the share of each in each, nan where there is none.
    """  # noqa: D205
    meet, cells = diff.meet, choice.cells
    rows, columns = choice.true, choice.pred
    share = _shares(diff, rows, columns, cells)
    if len(rows) > 2:
        from scipy.cluster.hierarchy import leaves_list, linkage
        from scipy.spatial.distance import squareform

        filled = np.nan_to_num(share)
        near = filled @ filled.T
        long = np.sqrt(np.diag(near))
        apart = np.clip(1 - near / np.outer(long, long), 0, None)
        rows = rows[leaves_list(linkage(squareform(apart, checks=False), "average", optimal_ordering=True))]
    matched = matched_cells(meet, meet.mass)
    mate = dict(zip(meet.true[matched].tolist(), meet.pred[matched].tolist(), strict=True))
    present = set(columns.tolist())
    paired = [t for t in rows.tolist() if mate.get(t) in present]
    first = [mate[t] for t in paired]
    known, taken = set(paired), set(first)
    rows = np.array([*paired, *(t for t in rows.tolist() if t not in known)])
    columns = np.array([*first, *(c for c in columns.tolist() if c not in taken)])
    return rows, columns, _shares(diff, rows, columns, cells)


def _shares(diff: Comparison, rows: Indices, columns: Indices, cells: Indices) -> FloatArray:
    """The share of each true cluster in each predicted one."""
    meet = diff.meet
    row_at, column_at = np.full(meet.k_true, -1), np.full(meet.k_pred, -1)
    row_at[rows], column_at[columns] = np.arange(len(rows)), np.arange(len(columns))
    share = np.full((len(rows), len(columns)), np.nan)
    true, pred = meet.true[cells], meet.pred[cells]
    share[row_at[true], column_at[pred]] = meet.size[cells] / meet.true_size[true]
    return share


def _write_sizes(ax: Axes, image: Any, share: FloatArray, size: npt.NDArray[np.int64], square: float) -> None:
    """How many points there are, in each square."""
    for i, j in np.argwhere(~np.isnan(share)).tolist():
        text = f"{round(share[i, j] * size[i]):,}"
        small = min(SMALL - 1, (SMALL - 1) * square / (extent(text) + 0.5))
        write(ax, j, i, text, ha="center", va="center", fontsize=small, color=readable(image, share[i, j]))


def _squares(ax: Axes, share: FloatArray) -> Any:
    """The shares as squares, and nothing as white; small shares are distinguished as well as large ones."""
    from matplotlib.colors import PowerNorm

    scale = PowerNorm(0.6, 0, float(np.nanmax(share)))
    drawn = ax.imshow(share, cmap=shades(), norm=scale, aspect="equal", interpolation="nearest")
    if share.size <= SQUARES:
        ax.set_xticks(np.arange(share.shape[1] + 1) - 0.5, minor=True)
        ax.set_yticks(np.arange(share.shape[0] + 1) - 0.5, minor=True)
        ax.grid(which="minor", color=PALE, linewidth=0.4)
        ax.tick_params(which="minor", length=0)
    return drawn


def _elsewhere(diff: Comparison, rows: Indices, cells: Indices) -> str:
    """How much of the true clusters shown is in no square."""
    meet = diff.meet
    points = int(meet.true_size[rows].sum())
    left = points - int(meet.size[cells].sum())
    return f"{percent(left / points)} of the points of these true clusters are in no square" if left else ""
