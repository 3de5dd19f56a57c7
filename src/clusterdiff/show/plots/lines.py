"""The paper's figure 3: scores as a clustering worsens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.paper.series import Series
from clusterdiff.show.plots.canvas import GREY, LINES, MARKERS, WIDTH, axes, open_sides, title, width_of
from clusterdiff.show.plots.names import LINE, SMALL
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def series(worsened: Series, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """Scores as the clustering worsens (the paper's figure 3), each line named where it ends.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.series(cd.worsen([0, 0, 0, 1, 2])).get_xlabel()
    'operations'
    """
    ax = axes(ax, width, 0.6 * width)
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
            lw=2.0 if i == 0 else 1.2,
            marker=MARKERS[i % len(MARKERS)],
            markevery=(offset, every),
            ms=3,
            label=name,
        )
        ends.append((float(values[-1]), name, colour))
    operation = worsened.operations["operation"]
    splits = int((operation == "split").sum())
    if worsened.how == "paper" and splits:
        ax.axvline(splits, color=GREY, lw=1, ls=":")
        ax.annotate(
            f"⊥ after {splits:,}", (splits, 0), (-4, 6), xycoords=("data", "axes fraction"),
            textcoords="offset points", color=GREY, fontsize=SMALL, ha="right",
        )  # fmt: skip
    ax.set_xlabel("operations")
    ax.set_ylabel("score")
    ax.margins(x=0.02)
    open_sides(ax)
    _end_labels(ax, ends, float(steps[-1]))
    points, clusters = count(len(worsened.true)), count(len(worsened.true.names), "cluster")
    title(ax, f"{points} in {clusters}, worsened ({worsened.how})")
    return ax


def _end_labels(ax: Axes, ends: list[tuple[float, str, str]], x: float) -> None:
    """Names beside the ends of lines, moved apart so that they do not cover each other."""
    low, high = ax.get_ylim()
    # A line of text, as a share of the height of the axes.
    gap = (high - low) * 1.3 * LINE / (0.5 * width_of(ax))
    last = -np.inf
    for value, name, colour in sorted(ends):
        last = max(value, last + gap)
        ax.annotate(
            name, (x, last), (6, 0), textcoords="offset points", va="center", color=colour, fontsize=SMALL + 1,
            annotation_clip=False, parse_math=False,
        )  # fmt: skip
