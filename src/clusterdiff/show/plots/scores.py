"""How clusters score by their size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from clusterdiff.diff.comparison import Comparison
from clusterdiff.points.labels import FloatArray
from clusterdiff.show.plots.canvas import MERGE, SPLIT, WIDTH, axes, note, open_sides
from clusterdiff.show.plots.names import SMALL
from clusterdiff.show.plots.registry import picture
from clusterdiff.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@picture
def sizes(diff: Comparison, ax: Axes | None = None, *, width: float = WIDTH) -> Axes:
    """How clusters score by their size: split scores of true clusters, merge scores of predicted ones.

    Clusters of about the same size and score are one mark, whose area says how many they are; the lines are
    the mean scores.

    >>> from clusterdiff.show import plots
    >>> from clusterdiff.cli.examples import customers
    >>> plots.sizes(customers.compare()).get_xlabel()
    'points in the cluster'
    """
    ax = axes(ax, width, 0.6 * width)
    sides = (
        ("split score of true clusters", SPLIT, "o", diff.meet.true_size, diff.analysis.scored.split, -1),
        ("merge score of predicted clusters", MERGE, "s", diff.meet.pred_size, diff.analysis.scored.merge, 1),
    )
    largest = max(int(size.max()) for _, _, _, size, _, _ in sides)
    smallest = min(int(size.min()) for _, _, _, size, _, _ in sides)
    binned = [_marks(size, score) for _, _, _, size, score, _ in sides]
    most = max(float(marks.clusters.max()) for marks in binned)
    for (word, colour, marker, _, _, shift), marks in zip(sides, binned, strict=True):
        # The two sides stand a little apart, so that neither hides the other.
        beside = 1.02**shift
        area = (12 + 220 * marks.clusters / most) * width / WIDTH
        ax.scatter(
            marks.size * beside,
            marks.score,
            s=area,
            color=colour,
            marker=marker,
            alpha=0.55,
            linewidth=0,
            label=word,
        )
        ax.plot(marks.line_size * beside, marks.line_score, color=colour, lw=1.6)
    if largest > 20 * smallest:
        ax.set_xscale("log")
    ax.set_xlabel("points in the cluster")
    ax.set_ylabel("score")
    ax.set_ylim(-0.05, 1.08)
    open_sides(ax)
    legend = ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2 if width > 110 else 1,
        frameon=False,
        fontsize=SMALL,
        borderaxespad=0.2,
    )
    handles: list[Any] = list(legend.legend_handles)
    for handle in handles:
        handle.set_sizes([25])
    note(ax, f"the largest mark represents {count(int(most), 'cluster')}; lines: mean score")
    return ax


class _Marks(NamedTuple):
    """Marks that stand for clusters of about the same size and score, and a line of mean scores by size."""

    size: FloatArray
    score: FloatArray
    clusters: npt.NDArray[np.int64]
    line_size: FloatArray
    line_score: FloatArray


def _marks(size: npt.NDArray[np.int64], score: FloatArray) -> _Marks:
    """Clusters counted on a grid of sizes (ten to a power of ten, small ones exactly) and scores (twenty)."""
    step = np.where(size <= 10, size, 10 ** (np.floor(np.log10(size) * 10 + 0.5) / 10))
    level = np.round(score * 20) / 20
    _, where, clusters = np.unique(np.stack([step, level]), axis=1, return_inverse=True, return_counts=True)
    where = where.ravel()
    _, of = np.unique(step, return_inverse=True)
    total = np.bincount(of)
    return _Marks(
        np.bincount(where, size) / clusters,
        np.bincount(where, score) / clusters,
        clusters,
        np.bincount(of, size) / total,
        np.bincount(of, score) / total,
    )
