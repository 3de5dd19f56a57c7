"""Many clusterings: each against each as a heat map, and the tree from each to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.decide.matrix import Matrix
from clusterdiff.errors import ArgumentError, one_of
from clusterdiff.show.plots.canvas import (
    BLACK,
    GREY,
    MERGE,
    PALE,
    SAME,
    SPLIT,
    TALLEST,
    WIDTH,
    axes,
    bare,
    legend,
    level,
    note,
    open_sides,
    readable,
    shades,
    sized,
    slanted,
    title,
    write,
)
from clusterdiff.show.plots.names import LINE, LONGEST, SMALL, Names, library, widest
from clusterdiff.table import shown
from clusterdiff.wording import and_list, count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Squares of more millimetres have their values written into them.
WRITTEN = 6.0
#: The tree shows the first so many clusterings, so many clusters of each, the largest, and edges with at least this
#: share of either end.
ROWS, CLUSTERS, SHARE = 25, 30, 0.02


def matrix(found: Matrix, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """Each clustering against each as a heat map, in an order in which those that are alike stand together.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.matrix(cd.matrix([[0, 0, 1], [0, 1, 1]], "b3.recall")).get_ylabel()
    'as the true clustering'
    """
    k = len(found)
    fit = Names(min(40.0, 0.25 * width), 2)
    longest = widest(map(fit, found.names))
    square = min((width - longest - 30) / k, 12.0)
    ax = axes(ax, width, square * k + 0.8 * longest + 24)
    order = found.order
    values = found.values[np.ix_(order, order)]
    image = ax.imshow(values, cmap=shades(0.05) if found.measure.similarity else shades(0.05).reversed())
    fit = Names(fit.width, max(1, min(2, int(square / LINE))))
    step = max(1, int(np.ceil(LINE / square)))
    names = [fit(found.names[i]) for i in order[::step]]
    slanted(ax, np.arange(0, k, step), names, 60)
    level(ax, np.arange(0, k, step), names)
    ax.tick_params(length=0)
    if square > WRITTEN:
        for i in range(k):
            for j in range(k):
                colour = readable(image, values[i, j])
                write(
                    ax, j, i, f"{values[i, j]:.2f}", ha="center", va="center", fontsize=SMALL - 1, color=colour
                )  # fmt: skip
    for spine in ax.spines.values():
        spine.set_color(PALE)
    if not found.measure.symmetric:
        ax.set_xlabel("as the predicted clustering")
        ax.set_ylabel("as the true clustering")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, pad=0.02, panchor=(0.0, 0.5))
    bar.set_label(Names(40)(found.measure.name), fontsize=SMALL)
    bar.ax.tick_params(labelsize=SMALL)
    bar.outline.set_visible(False)
    stable = found.stability
    unnamed = k - len(names)
    title(ax, f"mean {stable.mean:.3f} ± {stable.spread:.3f}")
    left = f"{count(unnamed, 'name')} left out" if unnamed else ""
    note(ax, "; ".join(filter(None, [f"medoid: {shown(found.medoid, LONGEST)}", left, fit.note])))
    return ax


def tree(found: Matrix, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """From each clustering to the next, as resolution grows: clusters as circles, the points they hand on as lines.

    A line's colour says what S_H lost most to there: orange where a cluster was split, blue where points of several
    were merged, green where a cluster stayed as it was. Its width grows with the points.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> ax = plots.tree(cd.matrix({"coarse": [0, 0, 0, 0], "fine": [0, 0, 1, 1]}))
    >>> [text.get_text() for text in ax.texts]
    ['0', '0', '1']
    """
    library()
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_rgba

    names = [name for name in found.names if name != found.reference]
    if len(names) < 2:
        raise ArgumentError("a tree needs at least two clusterings.")
    edges = found.tree
    left = len(names) - ROWS
    if left > 0:
        edges, names = edges[: int(np.searchsorted(edges["step"], ROWS - 1))], names[:ROWS]
    rows = _Rows(edges, names, max(0, left))
    height = float(np.clip(30 + 19 * len(names), 80, TALLEST))
    ax = axes(ax, width, height)
    fit = Names(0.2 * width, int(np.clip((height - 30) / len(names) / LINE, 1, 3)))
    drawn = rows.drawn
    split, merge = edges["split_loss"], edges["merge_loss"]
    colours = np.where(merge > split, MERGE, np.where(split > 1e-12, SPLIT, SAME))
    size, share = edges["size"][drawn] / rows.points, edges["in_share"][drawn]
    ax.add_collection(
        LineCollection(
            [rows.ends(e) for e in drawn.tolist()],
            colors=[
                to_rgba(str(c), 0.25 + 0.7 * float(s)) for c, s in zip(colours[drawn], share, strict=True)
            ],
            linewidths=(0.8 + 7 * size).tolist(),
            zorder=1,
        )
    )
    nodes = list(rows.nodes())
    x, y, area = ([node[k] for node in nodes] for k in (0, 1, 2))
    ax.scatter(
        x,
        y,
        s=[(40 + 350 * a / rows.points) * width / WIDTH for a in area],
        color="white",
        edgecolor=BLACK,
        lw=1,
        zorder=2,
    )
    for x0, y0, _, text in nodes:
        write(ax, x0, y0, text, ha="center", va="center", fontsize=SMALL - 1, zorder=3)
    bare(ax)
    level(ax, -np.arange(len(names)), [fit(name) for name in names])
    ax.tick_params(length=0)
    open_sides(ax)
    present = set(colours[drawn].tolist())
    entries = [("stayed", SAME), ("split", SPLIT), ("merged", MERGE)]
    over = legend(ax, [entry for entry in entries if entry[1] in present], line=True)
    note(ax, "; ".join(filter(None, [rows.left_out, fit.note])))
    title(ax, count(rows.points), over, fontsize=SMALL + 1, color=GREY)
    ax.margins(0.06, 0.08)
    return ax


class _Rows:
    """Which clusters of each clustering are drawn, and where: under the clusters that they have their points from."""

    def __init__(self, edges: Any, names: list[str], more: int) -> None:
        self.edges = edges
        self.more = more
        self.step = edges["step"]
        self.points = int(edges["size"][self.step == 0].sum())
        self.sizes: list[dict[Any, int]] = []
        self.places: list[dict[Any, float]] = []
        self.hidden = 0
        for i in range(len(names)):
            side, at = ("source", i) if i < len(names) - 1 else ("target", i - 1)
            sizes: dict[Any, int] = {}
            inside = self.step == at
            for cluster, size in zip(
                edges[side][inside].tolist(), edges["size"][inside].tolist(), strict=True
            ):
                sizes[cluster] = sizes.get(cluster, 0) + size
            largest = sorted(sizes, key=lambda cluster: -sizes[cluster])[:CLUSTERS]
            self.hidden += len(sizes) - len(largest)
            self.sizes.append({cluster: sizes[cluster] for cluster in largest})
        self.widest = max(map(len, self.sizes))
        for i in range(len(names)):
            self.places.append(self._row(i))
        ends = zip(self.step.tolist(), edges["source"].tolist(), edges["target"].tolist(), strict=True)
        kept = [a in self.sizes[step] and b in self.sizes[step + 1] for step, a, b in ends]
        large = np.maximum(edges["in_share"], edges["out_share"]) >= SHARE
        self.drawn: npt.NDArray[np.int64] = np.flatnonzero(np.array(kept) & large)
        self.thin = int(np.sum(np.array(kept) & ~large))

    def _row(self, i: int) -> dict[Any, float]:
        """Places of the clusters of one clustering, by the mean place of where their points come from."""
        clusters = list(self.sizes[i])
        if i:
            inside = self.step == i - 1
            weight: dict[Any, float] = dict.fromkeys(clusters, 0.0)
            total = dict.fromkeys(clusters, 0.0)
            columns = (self.edges[name][inside].tolist() for name in ("source", "target", "size"))
            for source, target, size in zip(*columns, strict=True):
                if target in weight and source in self.places[i - 1]:
                    weight[target] += size
                    total[target] += size * self.places[i - 1][source]
            clusters.sort(key=lambda c: total[c] / weight[c] if weight[c] else 1.0)
        return {cluster: (j + 0.5) / len(clusters) for j, cluster in enumerate(clusters)}

    def ends(self, e: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """Where an edge begins and ends."""
        step = int(self.step[e])
        source, target = self.edges["source"][e], self.edges["target"][e]
        return (self.places[step][source], -step), (self.places[step + 1][target], -step - 1)

    def nodes(self) -> Any:
        """Each cluster drawn: where, its size and its name."""
        for step, sizes in enumerate(self.sizes):
            for cluster, size in sizes.items():
                yield self.places[step][cluster], -step, size, shown(str(cluster), 6)

    @property
    def left_out(self) -> str:
        """What is not drawn, in words."""
        parts = []
        if self.more:
            parts.append(count(self.more, "more clustering"))
        if self.hidden:
            parts.append(count(self.hidden, "smaller cluster"))
        if self.thin:
            parts.append(f"{count(self.thin, 'edge')} with under 2% of either cluster")
        return f"not shown: {and_list(parts)}" if parts else ""


#: Name → plot of many clusterings.
MATRICES: dict[str, Callable[..., Any]] = {"matrix": matrix, "tree": tree}


def plot_matrix(
    found: Matrix,
    kind: str = "matrix",
    ax: Axes | None = None,
    width: float | None = None,
    dpi: float | None = None,
) -> Any:
    """Draw one of the plots of many clusterings, by name; returns the Axes."""
    one_of("kind", kind, MATRICES)
    return sized(MATRICES[kind], found, ax, width, dpi)
