"""Pictures of a comparison or a series: each a function that returns the Axes it drew on (needs matplotlib).

All of them are good without arguments, safe for colour-blind readers (the palette of Okabe and Ito), and show the
costliest when there is too much to show, with a line that says what was left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.errors import MissingExtraError, one_of
from clusterdiff.measures.matching import matched_cells
from clusterdiff.meet.lattice import KINDS
from clusterdiff.paper.series import Series
from clusterdiff.table import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, RED, PURPLE = "#E69F00", "#D55E00", "#CC79A7"
BLACK, GREY, PALE = "#222222", "#767676", "#D9D9D9"
TRUE, PRED = BLUE, ORANGE
SPLIT, MERGE = ORANGE, PURPLE
KIND_COLOURS = dict(zip(KINDS, (GREEN, SPLIT, MERGE, RED), strict=True))
LINES = (BLACK, BLUE, RED, GREEN, PURPLE, ORANGE, SKY, GREY)
MARKERS = "os^Dv<>P"

#: How many clusters a graph shows, counting both sides, and how many cells.
CLUSTERS, CELLS = 40, 60
Indices = npt.NDArray[np.int64]


# ---- what all of them share


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a plot") from None
    return plt


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    if ax is not None:
        return ax
    _, new = _pyplot().subplots(figsize=(width, height), layout="constrained")
    return new  # type: ignore[no-any-return]


@cache
def _charmap(family: tuple[str, ...]) -> frozenset[int]:
    from matplotlib import font_manager

    found: set[int] = set()
    for name in family:
        path = font_manager.findfont(font_manager.FontProperties(family=[name]))
        found.update(font_manager.get_font(path).get_charmap())
    return frozenset(found)


def _name(value: Any, width: int = 18) -> str:
    """A label as the font can draw it: short, on one line, a box for what it has no glyph for."""
    from matplotlib import rcParams

    known = _charmap(tuple(rcParams["font.family"]))
    return "".join(c if ord(c) in known else "□" for c in shown(str(value), width))


def _text(ax: Axes, x: float, y: float, text: str, **style: Any) -> Any:
    """Text as it stands: dollar signs in labels are not mathematics."""
    return ax.text(x, y, text, parse_math=False, **style)


def _note(ax: Axes, text: str) -> None:
    """What the picture leaves out, below it, in lines that do not widen it."""
    if text:
        ax.annotate(
            _wrapped(ax, text),
            (0, 0),
            (0, -6),
            xycoords="axes fraction",
            textcoords="offset points",
            va="top",
            fontsize=8,
            color=GREY,
            annotation_clip=False,
        )


def _wrapped(ax: Axes, text: str) -> str:
    figure: Any = ax.figure
    return "\n".join(wrap(text, int(12 * figure.get_figwidth())))


def _bare(ax: Axes) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
    for side in ax.spines.values():
        side.set_visible(False)


def _open(ax: Axes) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class _Block:
    """A component, or the costliest part of one, in the order in which it is drawn."""

    component: int
    kind: str
    true: Indices
    pred: Indices
    cells: Indices
    cut: bool


class _Choice:
    """The costliest components that fit into a picture."""

    def __init__(self, diff: Comparison, clusters: int = CLUSTERS, cells: int = CELLS) -> None:
        self.diff = diff
        self.blocks: list[_Block] = []
        table, found = diff.components, diff._components
        loss = table["loss"]
        lossy = int((loss > 0).sum())
        # Without any loss there is still something to see: the largest components.
        order = np.arange(len(table)) if lossy else np.argsort(-table["size"], kind="stable")
        self.lossy = lossy or len(table)
        shown_loss = 0.0
        for row in order[: self.lossy].tolist():
            component = int(table["component"][row])
            block = self._block(component, str(table["kind"][row]), clusters, cells)
            if self.blocks and (block.cut or clusters <= 1 or cells <= 0):
                break
            self.blocks.append(block)
            clusters -= len(block.true) + len(block.pred)
            cells -= len(block.cells)
            shown_loss += float(loss[row])
        self.left = self.lossy - len(self.blocks)
        self.left_loss = float(loss.sum()) - shown_loss
        self.same = len(found) - lossy if lossy else 0

    def _block(self, component: int, kind: str, clusters: int, cells: int) -> _Block:
        diff, meet = self.diff, self.diff.meet
        (ti, tm), (pi, pm) = diff._true_of_component, diff._pred_of_component
        true, pred = tm[ti[component] : ti[component + 1]], pm[pi[component] : pi[component + 1]]
        inside = np.concatenate([np.arange(meet.indptr[t], meet.indptr[t + 1]) for t in true.tolist()])
        cut = len(true) + len(pred) > clusters or len(inside) > cells
        if cut:
            lost = diff._cell_loss.split + diff._cell_loss.merge
            # The costliest true clusters, the predicted ones that have most of their points, the largest cells.
            true = _top(
                true, np.bincount(meet.true[inside], lost[inside], meet.k_true)[true], max(1, clusters // 4)
            )
            inside = inside[np.isin(meet.true[inside], true)]
            shared = np.bincount(meet.pred[inside], meet.size[inside], meet.k_pred)
            pred = _top(pred, shared[pred], max(1, clusters // 2))
            inside = inside[np.isin(meet.pred[inside], pred)]
            inside = np.sort(_top(inside, meet.size[inside].astype(float), cells))
            true, pred = np.intersect1d(true, meet.true[inside]), np.intersect1d(pred, meet.pred[inside])
        true, pred = _untangled(meet.true[inside], meet.pred[inside], meet.size[inside], true, pred)
        return _Block(component, kind, true, pred, inside, cut)

    @property
    def note(self) -> str:
        """What is left out, in words."""
        parts = []
        for block in self.blocks:
            if block.cut:
                true, pred = self.diff._components.true_count, self.diff._components.pred_count
                parts.append(
                    f"in part: {len(block.true)} of {_count(int(true[block.component]), 'true cluster')}, "
                    f"{len(block.pred)} of {int(pred[block.component]):,} predicted, the largest cells"
                )
        if self.left:
            word = "component that differs" if self.left == 1 else "components that differ"
            share = self.left_loss / max(self.diff.loss.total, 1e-300)
            what = (
                f"{self.left:,} {word} ({share:.0%} of the loss)"
                if self.diff.loss.total > 0
                else f"{self.left:,} more"
            )
            parts.append(f"not shown: {what}")
        if self.same:
            parts.append(f"{'and' if self.left else 'not shown:'} {self.same:,} that are the same")
        return "; ".join(parts).replace("; and", " and")


def _top(items: Indices, value: npt.NDArray[np.float64], count: int) -> Indices:
    return items[np.argsort(-value, kind="stable")[:count]]


def _untangled(
    rows: npt.NDArray[Any], columns: npt.NDArray[Any], size: npt.NDArray[Any], true: Indices, pred: Indices
) -> tuple[Indices, Indices]:
    """Orders of two sides in which few edges cross: each cluster goes to the mean place of its neighbours."""
    for _ in range(4):
        pred = _by_neighbours(columns, rows, size, pred, true)
        true = _by_neighbours(rows, columns, size, true, pred)
    return true, pred


def _by_neighbours(
    own: npt.NDArray[Any], other: npt.NDArray[Any], size: npt.NDArray[Any], order: Indices, fixed: Indices
) -> Indices:
    place = {cluster: i for i, cluster in enumerate(fixed.tolist())}
    weight: dict[int, float] = dict.fromkeys(order.tolist(), 0.0)
    total = dict(weight)
    for a, b, m in zip(own.tolist(), other.tolist(), size.tolist(), strict=True):
        weight[a] += m
        total[a] += m * place[b]
    mean = [total[c] / weight[c] if weight[c] else float("inf") for c in order.tolist()]
    return order[np.argsort(mean, kind="stable")]


# ---- figures 1 and 2: graphs


def bipartite(diff: Comparison, ax: Axes | None = None, clusters: int = CLUSTERS) -> Axes:
    """The bipartite graph (the paper's figure 1): true clusters above, predicted below, a frame a component.

    Circles grow with the size of the cluster, lines with the number of points two clusters share.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.bipartite(customers.compare()).get_title(loc="left")
    'Bipartite graph'
    """
    choice = _Choice(diff, clusters)
    columns = sum(max(len(b.true), len(b.pred)) for b in choice.blocks) + 0.6 * len(choice.blocks)
    ax = _axes(ax, float(np.clip(0.55 * columns, 6, 18)), 4.2)
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
    _kind_legend(ax, {block.kind for block in choice.blocks})
    ax.set_title("Bipartite graph", loc="left")
    _note(ax, choice.note)
    return ax


def derivation(diff: Comparison, ax: Axes | None = None, clusters: int = 30) -> Axes:
    """The derivation graph (the paper's figure 2): true clusters are split into cells, and those merged.

    True clusters above, the meet in the middle, predicted clusters below. A split is orange, a merge purple.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.derivation(customers.compare()).get_title(loc="left")
    'Derivation graph'
    """
    choice = _Choice(diff, clusters, 30)
    meet = diff.meet
    columns = sum(len(b.cells) for b in choice.blocks) + 0.6 * len(choice.blocks)
    ax = _axes(ax, float(np.clip(0.55 * columns, 6, 18)), 5.0)
    scale = _node_scale(choice, meet.true_size, meet.pred_size)
    parts, united = np.diff(meet.indptr), np.bincount(meet.pred, minlength=meet.k_pred)
    left = 0.0
    for block in choice.blocks:
        place = (
            {c: i for i, c in enumerate(block.true.tolist())},
            {c: i for i, c in enumerate(block.pred.tolist())},
        )
        cells = sorted(
            block.cells.tolist(), key=lambda c: (place[0][int(meet.true[c])], place[1][int(meet.pred[c])])
        )
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
    _legend(ax, [("split", SPLIT), ("merge", MERGE), ("unchanged", PALE)], line=True)
    ax.set_title("Derivation graph", loc="left")
    _note(ax, choice.note)
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


def _node_scale(choice: _Choice, *sizes: npt.NDArray[np.int64]) -> float:
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
        _text(
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
            _text(
                ax,
                at,
                y + (0.36 if above else -0.36),
                _name(names[c]),
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
    _bare(ax)


def _room(choice: _Choice, top: float) -> tuple[float, float]:
    """Limits that leave room for the names, which stand at a slant beyond the first and the last row."""
    meet = choice.diff.meet

    def longest(names: Any, clusters: Iterable[Indices]) -> int:
        return max(len(_name(names[c])) for block in clusters for c in block.tolist())

    below = longest(meet.pred_names, (block.pred for block in choice.blocks))
    above = longest(meet.true_names, (block.true for block in choice.blocks))
    return -0.45 - 0.03 * below * (1 + top) / 2, top + 0.45 + 0.03 * above * (1 + top) / 2


def _legend(ax: Axes, entries: Sequence[tuple[str, str]], line: bool = False) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Line2D([], [], color=c, lw=3, label=t) if line else Patch(color=c, label=t) for t, c in entries
    ]
    # Above the axes, where no label can be.
    ax.legend(
        handles=handles,
        loc="lower right",
        bbox_to_anchor=(1, 1),
        ncols=len(handles),
        frameon=False,
        fontsize=8,
        borderaxespad=0.2,
    )


def _kind_legend(ax: Axes, kinds: set[str]) -> None:
    _legend(ax, [(kind, colour) for kind, colour in KIND_COLOURS.items() if kind in kinds], line=True)


# ---- figure 3: a series


def series(worsened: Series, ax: Axes | None = None) -> Axes:
    """Scores as the clustering worsens (the paper's figure 3), each line named where it ends.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.series(cd.worsen([0, 0, 0, 1, 2])).get_xlabel()
    'operations'
    """
    ax = _axes(ax, 7.5, 4.5)
    steps = worsened.steps
    every = max(1, len(steps) // 12)
    ends = []
    for i, (name, values) in enumerate(worsened.scores.items()):
        colour = LINES[i % len(LINES)]
        offset = i * every // max(1, len(worsened.scores))
        ax.plot(
            steps,
            values,
            color=colour,
            lw=2.4 if i == 0 else 1.5,
            marker=MARKERS[i % len(MARKERS)],
            markevery=(offset, every),
            ms=4,
            label=name,
        )
        ends.append((float(values[-1]), name, colour))
    operation = worsened.operations["operation"]
    splits = int((operation == "split").sum())
    if worsened.how == "paper" and splits:
        ax.axvline(splits, color=GREY, lw=1, ls=":")
        ax.annotate(
            f"⊥ after {splits:,}", (splits, 1), (4, 4), xycoords=("data", "axes fraction"),
            textcoords="offset points", color=GREY, fontsize=8,
        )  # fmt: skip
    ax.set_xlabel("operations")
    ax.set_ylabel("score")
    ax.margins(x=0.02)
    _open(ax)
    _end_labels(ax, ends, float(steps[-1]))
    k = len(worsened.true.names)
    ax.set_title(
        f"{len(worsened.true):,} points in {k:,} clusters, worsened ({worsened.how})", loc="left", fontsize=10
    )
    return ax


def _end_labels(ax: Axes, ends: list[tuple[float, str, str]], x: float) -> None:
    """Names beside the ends of lines, moved apart so that they do not cover each other."""
    low, high = ax.get_ylim()
    gap = (high - low) * 0.045
    last = -np.inf
    for value, name, colour in sorted(ends):
        last = max(value, last + gap)
        ax.annotate(
            name, (x, last), (6, 0), textcoords="offset points", va="center", color=colour, fontsize=9,
            annotation_clip=False, parse_math=False,
        )  # fmt: skip


# ---- loss


def loss(diff: Comparison, ax: Axes | None = None, top: int = 20) -> Axes:
    """What each component lost, the costliest first: to splits and to merges, with the running share of it all.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.loss(customers.compare()).get_ylabel()
    'loss of S_H'
    """
    table = diff.components
    lossy = int((table["loss"] > 0).sum())
    shown_rows = min(top, lossy)
    ax = _axes(ax, float(np.clip(2.5 + 0.45 * shown_rows, 5, 12)), 4.5)
    ax.set_ylabel("loss of S_H")
    ax.set_title("Loss by component", loc="left", pad=20)
    _open(ax)
    if not lossy:
        ax.set_xticks([])
        ax.set_ylim(0, 1)
        _note(ax, "the two clusterings are the same: nothing was lost")
        return ax
    head = table[:shown_rows]
    x = np.arange(shown_rows)
    split, merge = head["split_loss"], head["merge_loss"]
    ax.bar(x, split, color=SPLIT, label="to splits")
    ax.bar(x, merge, bottom=split, color=MERGE, label="to merges")
    ax.set_xticks(
        x, [_component_name(c) for c in head], rotation=40, ha="right", rotation_mode="anchor", fontsize=8
    )
    for label in ax.get_xticklabels():
        label.set_parse_math(False)
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
        ncols=3,
        frameon=False,
        fontsize=8,
        borderaxespad=0.2,
    )
    if lossy > shown_rows:
        ax.set_xlabel(
            _wrapped(
                ax,
                f"not shown: {lossy - shown_rows:,} more components that differ, "
                f"with {1 - running[-1]:.0%} of the loss",
            ),
            fontsize=8,
            color=GREY,
            loc="left",
        )
    return ax


def _component_name(component: Any) -> str:
    first, more = component.true[0], component.true_clusters - 1
    return _name(first) + (f" +{more:,}" if more else "")


def sizes(diff: Comparison, ax: Axes | None = None) -> Axes:
    """How clusters score by their size: split scores of true clusters, merge scores of predicted ones.

    Clusters of about the same size and score are one mark, whose area says how many they are; the lines are
    the mean scores.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.sizes(customers.compare()).get_xlabel()
    'points in the cluster'
    """
    ax = _axes(ax, 7.0, 4.5)
    sides = (
        ("split score of true clusters", TRUE, "o", diff.meet.true_size, diff._scored.split, -1),
        ("merge score of predicted clusters", PRED, "s", diff.meet.pred_size, diff._scored.merge, 1),
    )
    largest = max(int(size.max()) for _, _, _, size, _, _ in sides)
    smallest = min(int(size.min()) for _, _, _, size, _, _ in sides)
    binned = [_bins(size, score) for _, _, _, size, score, _ in sides]
    most = max(float(count.max()) for _, _, count, _ in binned)
    for (word, colour, marker, _, _, shift), (x, y, count, line) in zip(sides, binned, strict=True):
        # The two sides stand a little apart, so that neither hides the other.
        beside = x * 1.02**shift
        ax.scatter(
            beside,
            y,
            s=18 + 320 * count / most,
            color=colour,
            marker=marker,
            alpha=0.55,
            linewidth=0,
            label=word,
        )
        ax.plot(line[0] * 1.02**shift, line[1], color=colour, lw=1.6)
    if largest > 20 * smallest:
        ax.set_xscale("log")
    ax.set_xlabel("points in the cluster")
    ax.set_ylabel("score")
    ax.set_ylim(-0.05, 1.08)
    _open(ax)
    legend = ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=8, borderaxespad=0.2
    )
    handles: list[Any] = list(legend.legend_handles)
    for handle in handles:
        handle.set_sizes([40])
    _note_below(ax, f"the largest mark stands for {_count(int(most), 'cluster')}; lines: mean score")
    return ax


def _note_below(ax: Axes, text: str) -> None:
    ax.annotate(
        text, (1, 0), (0, -34), xycoords="axes fraction", textcoords="offset points", ha="right", va="top",
        fontsize=8, color=GREY, annotation_clip=False,
    )  # fmt: skip


def _bins(
    size: npt.NDArray[np.int64], score: npt.NDArray[np.float64]
) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Clusters counted on a grid of sizes (ten to a power of ten, small ones exactly) and scores (twenty)."""
    step = np.where(size <= 10, size, 10 ** (np.floor(np.log10(size) * 10 + 0.5) / 10))
    level = np.round(score * 20) / 20
    _, where, count = np.unique(np.stack([step, level]), axis=1, return_inverse=True, return_counts=True)
    where = where.ravel()
    x = np.bincount(where, size) / count
    y = np.bincount(where, score) / count
    _, of = np.unique(step, return_inverse=True)
    total = np.bincount(of)
    return x, y, count, (np.bincount(of, size) / total, np.bincount(of, score) / total)


# ---- the table of cells


def heatmap(diff: Comparison, ax: Axes | None = None, clusters: int = 40) -> Axes:
    """The meet as a heat map: what share of each true cluster went where, matched clusters on the diagonal.

    Rows are the true clusters that lost most; columns are ordered by the best one-to-one matching.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.heatmap(customers.compare()).get_xlabel()
    'predicted clusters'
    """
    choice = _Choice(diff, clusters, 10_000)
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
    ax = _axes(
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
    ax.set_yticks(np.arange(len(rows)) + 0.5, [_name(meet.true_names[t]) for t in rows], fontsize=8)
    ax.set_xticks(
        np.arange(len(order)) + 0.5, [_name(meet.pred_names[c]) for c in order],
        rotation=40, ha="right", rotation_mode="anchor", fontsize=8,
    )  # fmt: skip
    for label in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        label.set_parse_math(False)
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_color(PALE)
    ax.set_ylabel("true clusters")
    ax.set_xlabel("predicted clusters")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.7, pad=0.02)
    bar.set_label("share of the true cluster", fontsize=8)
    bar.outline.set_visible(False)
    ax.set_title(_wrapped(ax, choice.note or "all cells"), loc="left", fontsize=8, color=GREY)
    return ax


# ---- flow


def flow(diff: Comparison, ax: Axes | None = None, clusters: int = CLUSTERS) -> Axes:
    """Where the points of each true cluster went: an alluvial diagram, true left and predicted right.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.flow(customers.compare()).get_title(loc="left")
    'From true to predicted clusters'
    """
    choice = _Choice(diff, clusters)
    meet = diff.meet
    rows = sum(max(len(b.true), len(b.pred)) for b in choice.blocks)
    ax = _axes(ax, 8.0, float(np.clip(1.2 + 0.34 * rows, 3.5, 12)))
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
        place = (
            {c: i for i, c in enumerate(block.true.tolist())},
            {c: i for i, c in enumerate(block.pred.tolist())},
        )
        order = sorted(
            block.cells.tolist(), key=lambda c: (place[0][int(meet.true[c])], place[1][int(meet.pred[c])])
        )
        for cell in order:
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
                _text(
                    ax, x + outer, at + size[side][c] / 2, f"{_name(names[c], 24)}  ({int(size[side][c]):,})",
                    ha="right" if x == 0 else "left", va="center", fontsize=8,
                )  # fmt: skip
        y += span + 2 * gap
    ax.set_xlim(-0.42, 1.42)
    ax.set_ylim(y, -gap)
    _bare(ax)
    ax.set_title("From true to predicted clusters", loc="left")
    _legend(
        ax,
        [(kind, colour) for kind, colour in KIND_COLOURS.items() if kind in {b.kind for b in choice.blocks}],
    )
    _note(ax, choice.note)
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


#: Name → the plots of a comparison, for ``Comparison.plot`` and the command.
PLOTS: dict[str, Callable[..., Any]] = {
    "flow": flow,
    "bipartite": bipartite,
    "derivation": derivation,
    "loss": loss,
    "sizes": sizes,
    "heatmap": heatmap,
}


def plot(diff: Comparison, kind: str = "flow", ax: Axes | None = None) -> Any:
    """Draw one of the plots of a comparison, by name; returns the Axes."""
    one_of("kind", kind, PLOTS)
    return PLOTS[kind](diff, ax=ax)
