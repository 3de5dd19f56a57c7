"""The paper's figure 3: scores as a clustering worsens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clusterdiff.paper.series import Series
from clusterdiff.show.plots.canvas import GREY, LINES, MARKERS, axes, open_sides
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def series(worsened: Series, ax: Axes | None = None) -> Axes:
    """Scores as the clustering worsens (the paper's figure 3), each line named where it ends.

    >>> import clusterdiff as cd
    >>> from clusterdiff.show import plots
    >>> plots.series(cd.worsen([0, 0, 0, 1, 2])).get_xlabel()
    'operations'
    """
    ax = axes(ax, 7.5, 4.5)
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
    open_sides(ax)
    _end_labels(ax, ends, float(steps[-1]))
    points, clusters = count(len(worsened.true)), count(len(worsened.true.names), "cluster")
    ax.set_title(f"{points} in {clusters}, worsened ({worsened.how})", loc="left", fontsize=10)
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
