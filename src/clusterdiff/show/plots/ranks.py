"""Mean ranks over data sets on a line, with bars over systems that do not differ: a critical difference diagram."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING

from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.show.plots.canvas import BLACK, GREY, MERGE, WIDTH, axes, note, title
from clusterdiff.show.plots.names import SMALL, Names
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def mean_ranks(ranking: DatasetRanking, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """The mean rank of each system, the best at the left; bars join systems without a significant difference.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> true, halves, whole = [i // 4 for i in range(40)], [i // 2 for i in range(40)], [0] * 40
    >>> data = {f"data {i}": (true, {"halves": halves, "whole": whole}) for i in range(6)}
    >>> plots.mean_ranks(cd.rank(data)).get_xlabel()
    'mean rank'
    """
    ranks, bars = ranking.mean_ranks, ranking.cliques
    names = list(ranks)
    half = ceil(len(names) / 2)
    step = 1.0
    below = 0.9 + 0.45 * len(bars)
    ax = axes(ax, width, 34 + 5 * len(bars) + 7 * half)
    fit = Names(min(50.0, 0.27 * width), 2)
    low, high = floor(min(ranks.values())), ceil(max(ranks.values()))
    high = max(high, low + 1)
    span = high - low
    for i, (name, place) in enumerate(ranks.items()):
        # The better half is named at the left, the others at the right, the outermost lowest.
        left = i < half
        y = below + step * (i if left else len(names) - 1 - i)
        end = low - 0.04 * span if left else high + 0.04 * span
        ax.plot([place, place, end], [0, y, y], color=GREY, lw=0.9, clip_on=False)
        ax.annotate(
            f"{fit(name)}  {place:.2f}" if left else f"{place:.2f}  {fit(name)}",
            (end, y), (-4 if left else 4, 0), textcoords="offset points", va="center",
            ha="right" if left else "left", fontsize=SMALL, color=BLACK, annotation_clip=False, parse_math=False,
        )  # fmt: skip
    for i, clique in enumerate(bars):
        ends = ranks[clique[0]], ranks[clique[-1]]
        y = 0.45 * (i + 1)
        ax.plot(
            [ends[0] - 0.012 * span, ends[1] + 0.012 * span],
            [y, y],
            color=MERGE,
            lw=4,
            solid_capstyle="round",
        )
    ax.set_xlim(low, high)
    ax.set_ylim(below + step * (half - 1) + 0.6, 0)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xticks(range(low, high + 1))
    ax.set_xlabel("mean rank")
    ax.set_yticks([])
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    sets = count(len(ranking.datasets), "data set")
    title(ax, f"{ranking.measures[0]} on {sets}", pad=8)
    note(ax, "; ".join(filter(None, ["bars: no significant difference (Wilcoxon, Holm)", fit.note])))
    return ax
