"""Mean ranks over data sets on a line, with bars over systems that do not differ: a critical difference diagram."""

from __future__ import annotations

from math import ceil, floor, isnan
from typing import TYPE_CHECKING

from clusterdiff.decide.datasets import DatasetRanking
from clusterdiff.show.plots.canvas import BLACK, GREY, MERGE, PALE, WIDTH, axes, level, note, title
from clusterdiff.show.plots.names import SMALL, Names
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Up to so many systems are named at either side of the line; more are listed, the best so many.
FEW, ROWS = 12, 50
BARS = "bars: no significant difference (Wilcoxon, Holm)"


def mean_ranks(ranking: DatasetRanking, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """The mean rank of each system, the best at the left; bars join systems without a significant difference.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> true, halves, whole = [i // 4 for i in range(40)], [i // 2 for i in range(40)], [0] * 40
    >>> data = {f"data {i}": (true, {"halves": halves, "whole": whole}) for i in range(6)}
    >>> plots.mean_ranks(cd.rank(data)).get_xlabel()
    'mean rank'
    """
    ranks, bars = _ranks(ranking), ranking.cliques
    names = list(ranks)
    if len(names) > FEW:
        return _listed(ranking, ax, width)
    half = ceil(len(names) / 2)
    step = 1.0
    below = 0.9 + 0.45 * len(bars)
    ax = axes(ax, width, 34 + 5 * len(bars) + 7 * half)
    fit = Names(min(50.0, 0.27 * width), 2)
    low, high = floor(min(ranks.values())), ceil(max(ranks.values()))
    if low == high:  # all alike: in the middle of the line
        low, high = low - 1, high + 1
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
    ax.set_xlabel("mean rank" if ranking.common else "pairwise rank")
    ax.set_yticks([])
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    title(ax, _title(ranking), pad=8)
    note(ax, "; ".join(filter(None, [BARS, *_told(ranking), fit.note])))
    return ax


def _listed(ranking: DatasetRanking, ax: Axes | None, width: float) -> Axes:
    """Many systems: one below the other at their mean ranks, with bars beside those that do not differ."""
    ranks = dict(list(_ranks(ranking).items())[:ROWS])
    names, left = list(ranks), len(ranking.names) - ROWS
    place = {name: i for i, name in enumerate(names)}
    bars = [(place[c[0]], place.get(c[-1], len(names) - 0.5)) for c in ranking.cliques if c[0] in place]
    lanes = _lanes(bars)
    ax = axes(ax, width, 26 + 4 * len(names))
    fit = Names(0.35 * width, 1)
    reach = [*ranks.values(), *(x for end in ranking.intervals.values() if end is not None for x in end)]
    low, high = min(reach), max(reach)
    span = max(high - low, 1.0)
    step = 0.035 * span
    ax.hlines(range(len(names)), low - 0.02 * span, list(ranks.values()), color=PALE, lw=0.8)
    ends = [ranking.intervals[name] for name in names]
    for i, end in enumerate(ends):
        if end is not None:
            ax.plot(end, [i, i], color=GREY, lw=1.4, solid_capstyle="butt")
    ax.plot(list(ranks.values()), range(len(names)), "o", color=BLACK, ms=4)
    for (start, stop), lane in zip(bars, lanes, strict=True):
        x = high + 0.05 * span + step * lane
        ax.plot([x, x], [start - 0.2, stop + 0.2], color=MERGE, lw=2.5, solid_capstyle="round")
    level(ax, range(len(names)), [f"{fit(name)}  {rank:.2f}" for name, rank in ranks.items()])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.3, -0.7)
    ax.set_xlim(low - 0.02 * span, high + 0.08 * span + step * max(lanes, default=0))
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel("mean rank" if ranking.common else "pairwise rank")
    for side in ("left", "right", "bottom"):
        ax.spines[side].set_visible(False)
    title(ax, _title(ranking), pad=8)
    hidden = f"not shown: {count(left, 'more system')}" if left > 0 else ""
    note(ax, "; ".join(filter(None, [BARS, *_told(ranking), hidden, fit.note])))
    return ax


def _lanes(bars: list[tuple[int, float]]) -> list[int]:
    """For bars in the order of their starts the first lane that is free where each begins.

    >>> _lanes([(0, 2), (1, 3), (3, 5)])
    [0, 1, 0]
    """
    ends: list[float] = []
    out = []
    for start, stop in bars:
        lane = next((i for i, end in enumerate(ends) if end < start), len(ends))
        ends[lane : lane + 1] = [stop]
        out.append(lane)
    return out


def _ranks(ranking: DatasetRanking) -> dict[str, float]:
    """Mean ranks; pairwise ones if no data set has all systems, and the last for who can be compared with nobody."""
    if ranking.common:
        return ranking.mean_ranks
    last = float(len(ranking.names))
    return {name: last if isnan(rank) else rank for name, rank in ranking.pairwise_ranks.items()}


def _told(ranking: DatasetRanking) -> list[str]:
    """What a reader must know of gaps and runs."""
    told = []
    if len(ranking.names) > FEW and any(ranking.intervals.values()):
        told.append(f"lines: {ranking.level:.0%} intervals")
    if not ranking.complete:
        told.append("tests over the data sets that both systems have")
    spreads = [spread for spread in ranking.spread.values() if not isnan(spread)]
    if spreads:
        told.append(f"scores are means of runs, which spread by {min(spreads):.4f} to {max(spreads):.4f}")
    return told


def _title(ranking: DatasetRanking) -> str:
    every = len(ranking.datasets)
    if ranking.complete or not ranking.common:
        return f"{ranking.measures[0]} on {count(every, 'data set')}"
    return f"{ranking.measures[0]} on the {len(ranking.common):,} of {count(every, 'data set')} that all systems have"
