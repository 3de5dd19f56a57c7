"""What was lost: by component, and by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterdiff.diff.comparison import Comparison
from clusterdiff.diff.slices import Slice
from clusterdiff.points.labels import FloatArray
from clusterdiff.show.plots.canvas import (
    GREY,
    MERGE,
    MISSING,
    SPLIT,
    SPURIOUS,
    WIDTH,
    axes,
    legend,
    level,
    note,
    open_sides,
    title,
    write,
)
from clusterdiff.show.plots.choice import MOST
from clusterdiff.show.plots.names import LINE, Names, called, tall, widest
from clusterdiff.show.plots.registry import picture
from clusterdiff.table import Table
from clusterdiff.wording import count, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The parts of a loss, what they are called, and their colours.
PARTS = (
    ("split", "to splits", SPLIT),
    ("merge", "to merges", MERGE),
    ("missing", "to missing points", MISSING),
    ("spurious", "to spurious points", SPURIOUS),
)
#: How many bars a picture has by default.
TOP = 25
#: A column with so many values can be drawn as slices.
VALUES = 20


@picture
def loss(diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, top: int = TOP) -> Axes:
    """What each component lost, the costliest first: to splits, to merges and to points that one side lacks.

    Beside each bar stands its share of the whole loss.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.loss(customers.compare()).get_xlabel()
    'loss of S_H'
    """
    table = diff.components
    lossy = int((table["loss"] > 0).sum())
    head = table[: min(top, lossy)]
    bars = {part: head[f"{part}_loss"] for part, _, _ in PARTS}
    return _bars(diff, ax, width, "Loss by component", [_called(c) for c in head], bars, lossy, "component")


@picture
def clusters(diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, top: int = TOP) -> Axes:
    """What each cluster lost, the costliest first: true clusters by being split, predicted ones by having merged.

    Missing points count for their true cluster, spurious ones for their predicted cluster: over the clusters of both
    sides the bars add up to the whole loss.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.clusters(customers.compare()).get_title(loc="left")
    'Loss by cluster'
    """
    split, merge = diff.splits, diff.merges
    none = {"true": np.zeros(len(split)), "pred": np.zeros(len(merge))}
    bars = {f"{part}": np.concatenate([split[f"{part}_loss"], none["pred"]]) for part in ("split", "missing")}
    bars |= {
        f"{part}": np.concatenate([none["true"], merge[f"{part}_loss"]]) for part in ("merge", "spurious")
    }
    total = np.sum(list(bars.values()), axis=0)
    lossy = int((total > 0).sum())
    order = np.argsort(-total, kind="stable")[: min(top, lossy)]
    bars = {part: lost[order] for part, lost in bars.items()}
    names = [
        _sided(split["cluster"][i], "true")
        if i < len(split)
        else _sided(merge["cluster"][i - len(split)], "predicted")
        for i in order.tolist()
    ]
    return _bars(diff, ax, width, "Loss by cluster", names, bars, lossy, "cluster")


@picture
def patterns(diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, top: int = TOP) -> Axes:
    """What goes wrong: the loss by shape of component, the costliest first, with the number of each.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.patterns(customers.compare()).get_title(loc="left")
    'Loss by shape'
    """
    found = diff.patterns(())
    head = found.shapes[:top]
    bars = {part: np.array([getattr(row.loss, part) for row in head]) for part, _, _ in PARTS}
    names = [f"{found.words_of_shape(row)} ({row.count:,})" for row in head]
    return _bars(diff, ax, width, "Loss by shape", names, bars, len(found.shapes), "shape")


@picture
def slices(diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH, top: int = TOP) -> Axes:
    """Whose loss it is: by the size of the true cluster, or by a column of the table if one tells more.

    That is the column of few values whose shares of the loss are farthest from their shares of the points.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.slices(customers.compare()).get_title(loc="left")
    'Loss by size of the true cluster'
    """
    found = {"size of the true cluster": diff.by("size")}
    for column in diff.columns:
        table = diff.by(column)
        if 2 <= len(table) <= VALUES:
            found[called(column)] = table
    heading = max(found, key=lambda name: _unlike(found[name], diff.loss.total, diff.n))
    head = found[heading][:top]
    bars = {part: np.array([getattr(row, f"{part}_loss") for row in head]) for part, _, _ in PARTS}
    names = [f"{'(none)' if row.value is None else called(row.value)} ({row.points:,})" for row in head]
    lossy = len(found[heading]) if diff.loss.total > 0 else 0
    return _bars(diff, ax, width, f"Loss by {heading}", names, bars, lossy, "value")


def _unlike(rows: Table[Slice], whole: float, n: int) -> float:
    """How far the shares of the loss are from the shares of the points."""
    return sum(abs(row.loss / whole - row.points / n) for row in rows) / 2 if whole > 0 else 0.0


def _sided(cluster: Any, side: str) -> str:
    return f"{side} · {'no cluster' if cluster is None else called(cluster)}"


def _called(component: Any) -> str:
    clusters = component.true or component.pred  # a spurious cluster has no true one
    more = len(clusters) - 1
    return called(clusters[0]) + (f" +{more:,}" if more else "")


def _bars(
    diff: Comparison,
    ax: Axes | None,
    width: float,
    heading: str,
    called: Sequence[str],
    parts: dict[str, FloatArray],
    lossy: int,
    noun: str,
) -> Axes:
    """Bars below each other, each with its name and its share of the loss."""
    fit = Names(min(60.0, 0.35 * width))
    names = [fit(name) for name in called]
    # Each bar has the room that its name needs.
    slots = np.array([max(tall(name), 1.2 * LINE) + 1.4 for name in names])
    y = np.cumsum(slots) - slots / 2
    ax = axes(ax, width, float(slots.sum()) + 26)
    ax.set_xlabel("loss of S_H")
    open_sides(ax)
    if not lossy:
        title(ax, heading)
        ax.set_yticks([])
        ax.set_xlim(0, 1)
        note(ax, "the two clusterings are the same: nothing was lost")
        return ax
    left = np.zeros(len(names))
    for part, _, colour in PARTS:
        ax.barh(y, parts[part], left=left, height=np.minimum(slots - 1.0, 4.5), color=colour)
        left = left + parts[part]
    for at, end in zip(y.tolist(), left.tolist(), strict=True):
        write(ax, end, at, f" {percent(end / diff.loss.total)}", va="center", color=GREY)
    level(ax, y, names)
    ax.tick_params(axis="y", length=0)
    # Beside the longest bar there is room for its share.
    ax.set_xlim(0, float(left.max()) * (1 + 11 / (width - widest(names) - 20)))
    ax.set_ylim(float(slots.sum()), 0)
    ax.locator_params(axis="x", nbins=5)
    present = PARTS[: len(diff.summed.losses)]
    over = legend(ax, [(called, colour) for _, called, colour in present])
    some = float(left.sum()) / diff.loss.total
    title(ax, f"{heading}: {percent(some)} of the loss" if some < MOST else heading, over)
    said = [fit.note]
    if lossy > len(names):
        more = lossy - len(names)
        said.insert(0, f"not shown: {count(more, f'more {noun}')}, with {percent(1 - some)} of the loss")
    note(ax, "; ".join(filter(None, said)))
    return ax
